//! Chains, drawn as a line that winds from row to row, so that a long one
//! fills the picture.

use std::f64::consts::PI;

use super::Point;

/// Chains up to this length stay on one row.
const ONE_ROW: usize = 14;
/// Distance between rows, in steps along the chain.
const ROW_GAP: f64 = 4.0;
/// Width over height of the whole drawing.
const SHAPE: f64 = 2.1;

/// The nodes in order along the chain, where the graph is a single chain.
pub(crate) fn chain(nodes: usize, edges: &[(usize, usize, f64)]) -> Option<Vec<usize>> {
    if edges.len() + 1 != nodes {
        return None;
    }
    let mut neighbors: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for &(a, b, _) in edges {
        neighbors[a].push(b);
        neighbors[b].push(a);
    }
    if neighbors.iter().any(|list| list.len() > 2) {
        return None;
    }
    let mut order = vec![(0..nodes).find(|&node| neighbors[node].len() <= 1)?];
    let mut previous = usize::MAX;
    while let Some(&node) = order.last() {
        let Some(&next) = neighbors[node].iter().find(|&&next| next != previous) else {
            break;
        };
        previous = node;
        order.push(next);
    }
    (order.len() == nodes).then_some(order)
}

/// Places the nodes of a chain, given in order, one unit apart.
pub(crate) fn wind(order: &[usize]) -> Vec<Point> {
    let steps = order.len().saturating_sub(1) as f64;
    let mut places = vec![[0.0, 0.0]; order.len()];
    let rows = if order.len() <= ONE_ROW {
        1.0
    } else {
        (steps / (SHAPE * ROW_GAP)).sqrt().round().max(2.0)
    };
    let turn = PI * ROW_GAP / 2.0;
    let straight = ((steps - (rows - 1.0) * turn) / rows).max(1.0);
    for (index, &node) in order.iter().enumerate() {
        let along = index as f64;
        let row = (along / (straight + turn)).floor();
        let rest = along - row * (straight + turn);
        let (mut x, mut y) = (rest, row * ROW_GAP);
        if rest > straight && row < rows - 1.0 {
            let angle = (rest - straight) / turn * PI;
            x = straight + ROW_GAP / 2.0 * angle.sin();
            y += ROW_GAP / 2.0 * (1.0 - angle.cos());
        }
        if row % 2.0 == 1.0 {
            x = straight - x;
        }
        places[node] = [x, y];
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_recognized_in_order() {
        let edges = [(0, 2, 1.0), (2, 1, 1.0), (1, 3, 1.0)];
        assert_eq!(chain(4, &edges), Some(vec![0, 2, 1, 3]));
        assert_eq!(chain(1, &[]), Some(vec![0]));
        let star = [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0)];
        assert_eq!(chain(4, &star), None);
        let ring = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)];
        assert_eq!(chain(3, &ring), None);
    }

    #[test]
    fn neighbors_stay_close_and_others_apart() {
        for length in [1, 2, 14, 15, 40, 200, 1500] {
            let order: Vec<usize> = (0..length).collect();
            let places = wind(&order);
            for pair in places.windows(2) {
                let step = (pair[0][0] - pair[1][0]).hypot(pair[0][1] - pair[1][1]);
                assert!((0.8..1.2).contains(&step), "{length}: {step}");
            }
        }
    }
}
