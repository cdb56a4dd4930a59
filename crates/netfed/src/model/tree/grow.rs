//! Growing a tree (CART) with exact splits. A node holds points with total weight W and weighted
//! mean target μ. A split into left and right reduces the weighted sum of squares by
//!
//!   W ‖D‖² / (W_left · W_right),    D = Σ_left θ (t − μ)
//!
//! and the best split of all features and places is taken. For targets that are probabilities this
//! is the reduction of Gini's impurity, also where they are soft. The orders of all features are
//! sorted once and split with the nodes: a level costs O(points · features).
//!
//! Loops over points are functions that are not inlined: inside one large function their running
//! sums would not stay in registers.

use rand_chacha::ChaCha8Rng;

use super::nodes::{LEAF, Node, Nodes};
use crate::model::{Points, Stop, go_on};
use crate::numeric::linalg::{axpy, dot};
use crate::{Error, Matrix};
use rand::RngExt;

/// A split must reduce the sum of squares by more than this part of what it is in the root: less is
/// rounding.
const LEAST_GAIN: f64 = 1e-20;

/// How far to grow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Most questions on the way to a leaf.
    pub(crate) depth: usize,
    /// Least part of the whole weight in a leaf.
    pub(crate) leaf: f64,
    /// Looked at before every split.
    pub(crate) stop: Option<Stop>,
}

/// The features that a split may use: so many of all, chosen at random. If none of them can split,
/// others are tried.
pub(crate) struct Choice {
    pub(crate) count: usize,
    pub(crate) random: ChaCha8Rng,
}

/// A part of the points that is still to be split.
pub(super) struct Open {
    start: usize,
    end: usize,
    depth: usize,
    /// The parent, of which this is the right child.
    parent: Option<usize>,
    pub(super) weight: f64,
    /// Σ θ t
    pub(super) sums: Vec<f64>,
}

pub(super) struct Grower<'a> {
    pub(super) points: &'a Points,
    /// The range of each feature.
    pub(super) ranges: Vec<f64>,
    /// Points in the order of each feature, feature by feature; those of a node lie side by side.
    orders: Vec<u32>,
    count: usize,
    /// Per point θ and θ t.
    pub(super) moments: Vec<f64>,
    pub(super) outputs: usize,
    goes_right: Vec<bool>,
    spare: Vec<u32>,
    pub(super) least_weight: f64,
    pub(super) least_gain: f64,
}

/// Grows a tree for targets with `outputs` numbers each; points without weight are not there. The
/// input is checked.
pub(crate) fn grow(
    points: &Points,
    targets: &Matrix,
    weights: &[f64],
    limits: Limits,
    mut choice: Option<Choice>,
) -> Result<Nodes, Error> {
    let (mut grower, center, root) = Grower::new(points, targets, weights, limits);
    let mut features: Vec<usize> = (0..points.rows().cols()).collect();
    let (mut nodes, mut values): (Vec<Node>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut open = vec![root];
    while let Some(part) = open.pop() {
        go_on(limits.stop)?;
        let at = nodes.len();
        if let Some(parent) = part.parent {
            nodes[parent].right = at as u32;
        }
        nodes.push(LEAF);
        values.extend(part.sums.iter().zip(&center).map(|(s, c)| c + s / part.weight));
        if part.depth == limits.depth {
            continue;
        }
        let best = match &mut choice {
            None => grower.best(&part, &features, features.len()),
            Some(choice) => {
                shuffle(&mut features, &mut choice.random);
                grower.best(&part, &features, choice.count)
            }
        };
        if let Some((feature, place)) = best.split {
            nodes[at] = Node {
                feature: feature as u32,
                right: 0,
                threshold: grower.threshold(&part, (feature, place)),
            };
            let last = part.depth + 1 == limits.depth;
            let (left, right) = grower.split(&part, at, (feature, place), last);
            open.push(right);
            open.push(left);
        }
    }
    Ok(Nodes { nodes, values: Matrix::from_rows(center.len(), values)? })
}

/// What a part of the points has, point by point and added up.
struct Moments {
    /// Mean of all targets.
    center: Vec<f64>,
    /// For every point its weight, and its weight times its target, relative to the mean.
    moments: Vec<f64>,
    /// Their sums over all points, without the weights.
    sums: Vec<f64>,
    /// Σ weight·target², relative to the mean.
    squares: f64,
}

impl Moments {
    /// Of all points; `whole` says that each has a weight.
    #[inline(always)]
    fn new(targets: &Matrix, (weights, weight): (&[f64], f64), whole: bool) -> Moments {
        let outputs = targets.cols();
        let mut moments = vec![0.0; targets.rows() * (outputs + 1)];
        let mut center = vec![0.0; outputs];
        // A point without weight may have any target.
        if outputs == 1 && whole {
            center[0] = dot(weights, targets.as_slice()) / weight;
            let (sum, squares) = one_output(weights, targets.as_slice(), center[0], &mut moments);
            return Moments { center, moments, sums: vec![sum], squares };
        }
        let rows = || weights.iter().zip(targets.as_slice().chunks_exact(outputs));
        for (w, t) in rows().filter(|(w, _)| **w > 0.0) {
            axpy(w / weight, t, &mut center);
        }
        let (mut sums, mut squares) = (vec![0.0; outputs], 0.0);
        for ((w, t), moment) in rows().zip(moments.chunks_exact_mut(outputs + 1)) {
            moment[0] = *w;
            for k in (0..outputs).filter(|_| *w > 0.0) {
                let t = t[k] - center[k];
                moment[k + 1] = w * t;
                sums[k] += w * t;
                squares += w * t * t;
            }
        }
        Moments { center, moments, sums, squares }
    }
}

fn shuffle(features: &mut [usize], random: &mut ChaCha8Rng) {
    for k in (1..features.len()).rev() {
        features.swap(k, random.random_range(0..=k));
    }
}

impl<'a> Grower<'a> {
    /// The grower, the mean of all targets (which are taken relative to it), and all points as the
    /// part to split.
    #[inline(never)]
    fn new(
        points: &'a Points,
        targets: &Matrix,
        weights: &[f64],
        limits: Limits,
    ) -> (Self, Vec<f64>, Open) {
        let (dim, all, outputs) = (points.rows().cols(), points.rows().rows(), targets.cols());
        let count = weights.iter().filter(|w| **w > 0.0).count();
        let mut orders = Vec::with_capacity(count * dim);
        for feature in 0..dim {
            let order = points.order(feature);
            if count == all {
                orders.extend_from_slice(order)
            } else {
                orders.extend(order.iter().filter(|r| weights[**r as usize] > 0.0))
            }
        }
        let weight: f64 = weights.iter().sum();
        let Moments { center, moments, sums, squares } =
            Moments::new(targets, (weights, weight), count == all);
        let ends = |order: &[u32]| [order[0], order[count - 1]];
        let range = |(feature, order): (usize, &[u32])| {
            let [least, most] = ends(order).map(|row| points.rows().row(row as usize)[feature]);
            most - least
        };
        let ranges = orders.chunks_exact(count).enumerate().map(range).collect();
        let root = Open { start: 0, end: count, depth: 0, parent: None, weight, sums };
        let grower = Grower {
            points,
            ranges,
            orders,
            count,
            moments,
            outputs,
            goes_right: vec![false; all],
            spare: vec![0; count],
            least_weight: limits.leaf * weight,
            least_gain: LEAST_GAIN * squares,
        };
        (grower, center, root)
    }

    pub(super) fn order(&self, feature: usize, part: &Open) -> &[u32] {
        &self.orders[feature * self.count + part.start..feature * self.count + part.end]
    }

    /// A number between the values on both sides of a split; at least the left and less than the
    /// right one.
    fn threshold(&self, part: &Open, split: (usize, usize)) -> f64 {
        let [left, right] = self.values(part, split);
        let middle = 0.5 * left + 0.5 * right;
        if middle >= left && middle < right { middle } else { left }
    }

    /// The two sides of a split. Where both will be leaves, the points need not be dealt out.
    fn split(
        &mut self,
        part: &Open,
        parent: usize,
        at: (usize, usize),
        last: bool,
    ) -> (Open, Open) {
        let (feature, place) = at;
        let middle = part.start + place + 1;
        let from = feature * self.count;
        let (left, right) = self.orders[from + part.start..from + part.end].split_at(place + 1);
        let (weight, sums) = totals(left, &self.moments, self.outputs);
        if !last {
            left.iter().for_each(|row| self.goes_right[*row as usize] = false);
            right.iter().for_each(|row| self.goes_right[*row as usize] = true);
            for (other, order) in self.orders.chunks_exact_mut(self.count).enumerate() {
                if other != feature {
                    deal(&mut order[part.start..part.end], &self.goes_right, &mut self.spare);
                }
            }
        }
        let rest = part.sums.iter().zip(&sums).map(|(all, left)| all - left).collect();
        let side = |start, end, parent, weight, sums| Open {
            start,
            end,
            depth: part.depth + 1,
            parent,
            weight,
            sums,
        };
        (
            side(part.start, middle, None, weight, sums),
            side(middle, part.end, Some(parent), part.weight - weight, rest),
        )
    }
}

/// Sets (θ, θ t) of all points, with targets relative to their mean; Σ θ t and Σ θ t². Four sums
/// beside each other, so that an addition does not wait for the one before.
#[inline(never)]
fn one_output(weights: &[f64], targets: &[f64], center: f64, moments: &mut [f64]) -> (f64, f64) {
    let (mut sums, mut squares) = ([0.0; 4], [0.0; 4]);
    let rows = weights.iter().zip(targets).zip(moments.as_chunks_mut::<2>().0);
    for (r, ((w, t), moment)) in rows.enumerate() {
        let t = t - center;
        *moment = [*w, w * t];
        sums[r % 4] += w * t;
        squares[r % 4] += w * t * t;
    }
    (sums.iter().sum(), squares.iter().sum())
}

/// Σ θ and Σ θ t over some points. One output is added up in registers.
#[inline(never)]
fn totals(rows: &[u32], moments: &[f64], outputs: usize) -> (f64, Vec<f64>) {
    if outputs == 1 {
        let moments = moments.as_chunks::<2>().0;
        let add = |[weight, sum]: [f64; 2], row: &u32| {
            let [w, wt] = moments[*row as usize];
            [weight + w, sum + wt]
        };
        let [weight, sum] = rows.iter().fold([0.0; 2], add);
        return (weight, vec![sum]);
    }
    let (mut weight, mut sums) = (0.0, vec![0.0; outputs]);
    for row in rows {
        let moment = &moments[*row as usize * (outputs + 1)..][..outputs + 1];
        weight += moment[0];
        axpy(1.0, &moment[1..], &mut sums);
    }
    (weight, sums)
}

/// Puts the points that go left first; both sides keep their order.
#[inline(never)]
fn deal(order: &mut [u32], goes_right: &[bool], spare: &mut [u32]) {
    let spare = &mut spare[..order.len()];
    let (mut left, mut right) = (0, 0);
    for k in 0..order.len() {
        let row = order[k];
        let is_right = usize::from(goes_right[row as usize]);
        // Written to both places; only the one that counts is kept.
        order[left] = row;
        spare[right] = row;
        left += 1 - is_right;
        right += is_right;
    }
    order[left..].copy_from_slice(&spare[..right]);
}
