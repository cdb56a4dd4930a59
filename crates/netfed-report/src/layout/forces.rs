//! The force layout: edges pull in proportion to their length, nodes push
//! each other away, and a weak pull toward the middle keeps long shapes
//! compact. Pushes of far nodes are summed over the cells of a quadtree.

use super::Point;

/// Rounds of movement.
const ROUNDS: usize = 300;
/// Pull toward the middle, relative to the pull of an average node's edges.
const GRAVITY: f64 = 0.03;
/// A cell is used as a whole when it looks smaller than this.
const OPENING: f64 = 0.8;
/// The deepest level of the quadtree.
const DEEPEST: usize = 20;

/// Moves the nodes until the forces are nearly balanced.
pub(crate) fn settle(places: &mut [Point], edges: &[(usize, usize, f64)]) {
    let nodes = places.len();
    if nodes < 2 || edges.is_empty() {
        return;
    }
    let mut degree = vec![0.0; nodes];
    let mut pull = vec![0.0; nodes];
    for &(a, b, weight) in edges {
        for node in [a, b] {
            degree[node] += 1.0;
            pull[node] += weight;
        }
    }
    let mean = 1.0 + 2.0 * edges.len() as f64 / nodes as f64;
    let mass: Vec<f64> = degree.iter().map(|degree| (degree + 1.0) / mean).collect();
    let gravity = GRAVITY * pull.iter().sum::<f64>() / nodes as f64;
    let length = edges
        .iter()
        .map(|&(a, b, _)| (places[a][0] - places[b][0]).hypot(places[a][1] - places[b][1]));
    let scale = edges.len() as f64 / length.sum::<f64>().max(1e-9);
    for place in places.iter_mut() {
        *place = [place[0] * scale, place[1] * scale];
    }
    let mut force = vec![[0.0, 0.0]; nodes];
    for round in 0..ROUNDS {
        let tree = Tree::new(places, &mass);
        let center = tree.cells[0].center;
        let mut radius = 0.0;
        for node in 0..nodes {
            let (x, y) = (places[node][0] - center[0], places[node][1] - center[1]);
            radius += (x * x + y * y) / nodes as f64;
            let push = tree.push(places[node]);
            let inward = gravity * mass[node];
            force[node] = [push[0] * mass[node] - inward * x, push[1] * mass[node] - inward * y];
        }
        for &(a, b, weight) in edges {
            for c in 0..2 {
                let along = weight * (places[b][c] - places[a][c]);
                force[a][c] += along;
                force[b][c] -= along;
            }
        }
        let cooling = 1.0 - round as f64 / ROUNDS as f64;
        let longest = 0.15 * radius.sqrt().max(1e-6) * cooling * cooling + 1e-6;
        for node in 0..nodes {
            let stiffness = 2.0 * (pull[node] + gravity * mass[node]).max(1e-3);
            let (dx, dy) = (force[node][0] / stiffness, force[node][1] / stiffness);
            let step = dx.hypot(dy);
            let cut = if step > longest { longest / step } else { 1.0 };
            places[node][0] += dx * cut;
            places[node][1] += dy * cut;
        }
    }
}

/// A square of the plane with the total and the center of its masses.
struct Cell {
    middle: Point,
    half: f64,
    center: Point,
    mass: f64,
    children: [usize; 4],
    leaf: bool,
}

/// All squares, the whole plane first.
struct Tree {
    cells: Vec<Cell>,
}

impl Tree {
    fn new(places: &[Point], mass: &[f64]) -> Tree {
        let (low, high) = super::corners(places);
        let half = ((high[0] - low[0]).max(high[1] - low[1]) / 2.0).max(1e-9) * 1.001;
        let middle = [(low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0];
        let mut tree = Tree { cells: Vec::new() };
        tree.add(middle, half);
        for (place, mass) in places.iter().zip(mass) {
            tree.insert(*place, *mass);
        }
        tree
    }

    fn add(&mut self, middle: Point, half: f64) -> usize {
        self.cells.push(Cell {
            middle,
            half,
            center: middle,
            mass: 0.0,
            children: [0; 4],
            leaf: true,
        });
        self.cells.len() - 1
    }

    /// The child square that holds a place, made where it is missing.
    fn child(&mut self, parent: usize, place: Point) -> usize {
        let (middle, half) = (self.cells[parent].middle, self.cells[parent].half / 2.0);
        let (right, above) = (place[0] > middle[0], place[1] > middle[1]);
        let quarter = usize::from(right) + 2 * usize::from(above);
        if self.cells[parent].children[quarter] == 0 {
            let side = |positive: bool| if positive { half } else { -half };
            let center = [middle[0] + side(right), middle[1] + side(above)];
            self.cells[parent].children[quarter] = self.add(center, half);
        }
        self.cells[parent].children[quarter]
    }

    fn insert(&mut self, place: Point, mass: f64) {
        let mut cell = 0;
        for depth in 0..=DEEPEST {
            let (held, center) = (self.cells[cell].mass, self.cells[cell].center);
            let split = held > 0.0 && self.cells[cell].leaf && depth < DEEPEST;
            let total = held + mass;
            for c in 0..2 {
                self.cells[cell].center[c] = (center[c] * held + place[c] * mass) / total;
            }
            self.cells[cell].mass = total;
            if held == 0.0 || depth == DEEPEST {
                return;
            }
            if split {
                self.cells[cell].leaf = false;
                let moved = self.child(cell, center);
                self.cells[moved].center = center;
                self.cells[moved].mass = held;
            }
            cell = self.child(cell, place);
        }
    }

    /// The push of all masses on a unit mass, falling with the distance.
    fn push(&self, place: Point) -> Point {
        let mut sum = [0.0, 0.0];
        let mut open = vec![0];
        while let Some(index) = open.pop() {
            let cell = &self.cells[index];
            let (x, y) = (place[0] - cell.center[0], place[1] - cell.center[1]);
            let square = x * x + y * y;
            if cell.leaf || 4.0 * cell.half * cell.half < OPENING * OPENING * square {
                let strength = cell.mass / square.max(1e-6);
                sum = [sum[0] + x * strength, sum[1] + y * strength];
            } else {
                open.extend(cell.children.iter().filter(|child| **child != 0));
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_agrees_with_the_full_sum() {
        let places: Vec<Point> =
            (0..200).map(|i| [f64::from(i * 37 % 101), f64::from(i * 53 % 89)]).collect();
        let mass = vec![1.0; 200];
        let tree = Tree::new(&places, &mass);
        assert!((tree.cells[0].mass - 200.0).abs() < 1e-9);
        let (mut error, mut size) = (0.0, 0.0);
        for a in &places {
            let mut exact = [0.0, 0.0];
            for b in &places {
                let (x, y) = (a[0] - b[0], a[1] - b[1]);
                let square = (x * x + y * y).max(1e-6);
                exact = [exact[0] + x / square, exact[1] + y / square];
            }
            let near = tree.push(*a);
            error += (near[0] - exact[0]).hypot(near[1] - exact[1]);
            size += exact[0].hypot(exact[1]);
        }
        assert!(error < 0.05 * size, "{error} of {size}");
    }

    #[test]
    fn nodes_in_one_place_do_no_harm() {
        let mut places = vec![[1.0, 1.0]; 8];
        settle(&mut places, &[(0, 1, 1.0), (1, 2, 1.0)]);
        assert!(places.iter().flatten().all(|c| c.is_finite()));
    }
}
