//! Regions around given models wᵢ such that min P is attained, or approached, with every model in
//! its region.
//!
//! Everything rests on the level set: a better point w' has P(w') ≤ P(w) =: B on every connected
//! component, and all terms of P are nonnegative. The statements and proofs are in
//! docs/certificate.md:
//!
//! * *anchored* (lemma 3): if every node with data bounds its own model at level B, so are the
//!   others: a map that does not increase any φ moves them near the anchored ones;
//! * *pooled* (lemma 4): the penalty bounds ‖w'ᵢ − w'_root‖ along a spanning tree, the data of the
//!   whole component bound w'_root.

use super::edge_terms::EdgeTerm;
use super::pooled_growth::{Pooled, pool};
use super::share::Share;
use crate::loss::{Common, Growth, Margins, Region};
use crate::numeric::linalg::{axpy, distance, norm};
use crate::penalty::PenaltyGrowth;
use crate::{Matrix, Problem};
use std::collections::BinaryHeap;
use std::sync::OnceLock;

/// More than rounding takes from sums and products of nonnegative numbers, as all are here.
const ROUNDED: f64 = 1.0 + 1e-9;
/// The part of the objective up to which that of a component counts as next to nothing.
const NEXT_TO_NOTHING: f64 = 1e-6;

/// What is known about the nodes of a component: balls, boxes, and where the ellipsoid of all data
/// puts them.
struct Known<'p> {
    radii: Vec<f64>,
    sides: Vec<Vec<f64>>,
    common: Vec<Option<Common<'p>>>,
}

impl Known<'_> {
    fn nothing<'p>(nodes: &[usize], params: &Matrix) -> Known<'p> {
        let sides = vec![f64::INFINITY; params.cols()];
        Known {
            radii: vec![f64::INFINITY; nodes.len()],
            sides: vec![sides; nodes.len()],
            common: vec![None; nodes.len()],
        }
    }
}

/// A connected component, with what depends neither on the point nor on λ.
struct Component {
    nodes: Vec<usize>,
    edges: Vec<usize>,
    root: usize,
    /// For each node of `nodes`: 1/width (the smallest weight on the widest path to the root) for
    /// penalties that grow linearly, resistance (Σ 1/weight on the best path) for those that grow
    /// quadratically.
    remoteness: Vec<f64>,
    /// Pooled when a node of the component needs it.
    pooled: OnceLock<Pooled>,
}

/// What is known about better models in a component where a node has an infinite gap. `nodes` and
/// `edges` are their terms.
pub(crate) fn regions<'p>(
    problem: &'p Problem,
    params: &Matrix,
    nodes: &[Share],
    edges: &[EdgeTerm],
) -> Vec<Region<'p>> {
    let mut regions = vec![Region::EVERYWHERE; params.rows()];
    for c in components(problem) {
        if c.nodes.iter().any(|&i| nodes[i].gap.is_infinite()) {
            let level = c.level(nodes, edges) * ROUNDED;
            let mut known = Known::nothing(&c.nodes, params);
            c.anchored(problem, params, level, &mut known);
            c.pooled(problem, params, level, &mut known);
            let all = known.radii.into_iter().zip(known.sides).zip(known.common);
            for (&i, ((radius, sides), common)) in c.nodes.iter().zip(all) {
                let sides = sides.into_iter().map(|s| s * ROUNDED).collect();
                let region = Region::ball(radius * ROUNDED).with_level(level);
                regions[i] = region.with_sides(sides).with_common(common);
            }
        }
    }
    regions
}

/// reachᵢ with ‖wᵢ − w_root‖ ≤ reachᵢ·Σ Aₑ φ/k for penalties of linear growth k, with the root of
/// its component.
pub(crate) fn reaches(problem: &Problem) -> Vec<f64> {
    let mut all = vec![0.0; problem.nodes()];
    for c in components(problem) {
        c.nodes.iter().zip(&c.remoteness).for_each(|(&i, r)| all[i] = r * ROUNDED);
    }
    all
}

/// w ← w − w_root in every component.
pub(crate) fn center(problem: &Problem, params: &mut Matrix) {
    for c in components(problem) {
        let root = params.row(c.root).to_vec();
        c.nodes.iter().for_each(|&i| axpy(-1.0, &root, params.row_mut(i)));
    }
}

/// P ≥ 0 on every component where a gap is still infinite and the objective is next to nothing
/// (docs/certificate.md); whether there is one.
pub(crate) fn take_objectives(
    problem: &Problem,
    nodes: &mut [Share],
    edges: &[EdgeTerm],
    value_at_zero: f64,
) -> bool {
    if nodes.iter().all(|t| t.gap.is_finite()) {
        return false;
    }
    let all = nodes.iter().map(|t| t.objective).chain(edges.iter().map(|t| t.value));
    let little = NEXT_TO_NOTHING * f64::max(all.sum(), 1e-6 * value_at_zero);
    let mut taken = false;
    for c in components(problem) {
        if c.nodes.iter().any(|&i| nodes[i].gap.is_infinite()) && c.level(nodes, edges) <= little {
            c.nodes.iter().for_each(|&i| nodes[i].gap = nodes[i].objective + nodes[i].lost);
            for &e in &c.edges {
                nodes[problem.graph().edges()[e].tail].gap += edges[e].value;
            }
            taken = true;
        }
    }
    taken
}

impl Component {
    /// The part of P on the component.
    fn level(&self, nodes: &[Share], edges: &[EdgeTerm]) -> f64 {
        self.nodes.iter().map(|&i| nodes[i].objective + nodes[i].lost).sum::<f64>()
            + self.edges.iter().map(|&e| edges[e].value).sum::<f64>()
    }

    /// Lemma 3.
    fn anchored(&self, problem: &Problem, params: &Matrix, level: f64, known: &mut Known<'_>) {
        let dim = problem.dim();
        let has_data = |i: usize| problem.loss(i).points() > 0;
        let with_data = || self.nodes.iter().copied().enumerate().filter(|&(_, i)| has_data(i));
        let count = with_data().count() as f64;
        if count == 0.0 {
            return;
        }
        let mut center = vec![0.0; problem.dim()];
        for (_, i) in with_data() {
            axpy(1.0 / count, params.row(i), &mut center);
        }
        let mut ball = 0.0;
        let (mut low, mut high) = (center.clone(), center.clone());
        for (k, i) in with_data() {
            let own = problem.loss(i).level_radius(level, params.row(i));
            problem.loss(i).level_box(level, params.row(i), &mut known.sides[k]);
            known.radii[k] = own.min(norm(&known.sides[k]));
            ball = f64::max(ball, known.radii[k] + distance(params.row(i), &center));
            for (j, (w, side)) in params.row(i).iter().zip(&known.sides[k]).enumerate() {
                low[j] = low[j].min(w - side);
                high[j] = high[j].max(w + side);
            }
        }
        let moved = problem.penalty().hull_factor(dim) * ball;
        for (k, &i) in self.nodes.iter().enumerate().filter(|&(_, &i)| !has_data(i)) {
            known.radii[k] = moved + distance(params.row(i), &center);
            if problem.penalty().allows_clipping() {
                let ends = low.iter().zip(&high);
                let sides = known.sides[k].iter_mut().zip(params.row(i)).zip(ends);
                for ((side, w), (low, high)) in sides {
                    let rounding = 4.0 * f64::EPSILON * (w.abs() + low.abs().max(high.abs()));
                    *side = f64::max(high - w, w - low) + rounding;
                }
            }
        }
    }

    /// Lemma 4.
    fn pooled<'p>(
        &'p self,
        problem: &'p Problem,
        params: &Matrix,
        level: f64,
        known: &mut Known<'p>,
    ) {
        let Some(reach) = self.reach(problem, level) else { return };
        let root = params.row(self.root);
        let drift: Vec<f64> = self.nodes.iter().map(|&i| distance(params.row(i), root)).collect();
        match self.pooled.get_or_init(|| pool(problem, &self.nodes)) {
            Pooled::Nothing => {}
            Pooled::Residual { whitening, norms, whole } => {
                let (mut slope, mut offset, mut quadratic) = (0.0, 0.0, 0.0);
                for growth in self.nodes.iter().map(|&i| problem.loss(i).growth()) {
                    match growth {
                        Growth::Quadratic => quadratic = level.sqrt(),
                        Growth::Linear { slope: s, offset: o } => {
                            slope = f64::max(slope, s);
                            offset += o * o;
                        }
                        Growth::Flat | Growth::Margin => {}
                    }
                }
                let residual: f64 = quadratic + slope * level + f64::sqrt(offset);
                let spread = norms
                    .iter()
                    .zip(&reach)
                    .zip(&drift)
                    .map(|((g, r), d)| g * (r + d) * (r + d))
                    .sum::<f64>();
                let size = (2.0 * residual + spread.sqrt()) * ROUNDED;
                let at_root = size * whitening.largest();
                for (k, (r, d)) in reach.iter().zip(&drift).enumerate() {
                    let beyond = (r + d) * ROUNDED;
                    known.radii[k] = known.radii[k].min(at_root + beyond);
                    known.common[k] = whole.then_some(Common { whitening, size, beyond });
                }
            }
            Pooled::Margin { margins, lengths, most_points } => {
                let Margins { growth, whitening, free } = margins;
                let spread: f64 = lengths.iter().zip(&reach).map(|(x, r)| x * r).sum();
                // Of the root, in the ellipsoid of H: for w' and for w, which need not be
                // orthogonal to what no data see.
                let size = (level * most_points + spread) / growth * ROUNDED;
                let unseen = if *free { norm(root) } else { 0.0 };
                let at_root = size * whitening.largest() + unseen;
                for (k, (r, &i)) in reach.iter().zip(&self.nodes).enumerate() {
                    known.radii[k] = known.radii[k].min(at_root + r + norm(params.row(i)));
                    let (size, beyond) = (2.0 * size, (r + drift[k]) * ROUNDED);
                    known.common[k] = (!free).then_some(Common { whitening, size, beyond });
                }
            }
        }
    }

    /// Bounds of ‖wᵢ − w_root‖ on the level set, one per node.
    fn reach(&self, problem: &Problem, level: f64) -> Option<Vec<f64>> {
        // The root itself is not remote, also where λ = 0.
        let remoteness = self.remoteness.iter().map(|r| match *r {
            0.0 => 0.0,
            r => r / problem.lambda(),
        });
        match problem.penalty().growth(problem.dim()) {
            PenaltyGrowth::Linear(k) => Some(remoteness.map(|r| level * r / k).collect()),
            PenaltyGrowth::Quadratic(k) => {
                Some(remoteness.map(|r| (2.0 * level * r / k).sqrt()).collect())
            }
            PenaltyGrowth::None => None,
        }
    }
}

/// All components.
struct Components(Vec<Component>);

fn components(problem: &Problem) -> &[Component] {
    &problem.cache().get(|| Components(found(problem))).0
}

fn found(problem: &Problem) -> Vec<Component> {
    let graph = problem.graph();
    let of_node = graph.components(|_| true);
    let count = of_node.iter().max().map_or(0, |c| c + 1);
    let mut nodes = vec![Vec::new(); count];
    let mut edges = vec![Vec::new(); count];
    of_node.iter().enumerate().for_each(|(i, &c)| nodes[c].push(i));
    graph.edges().iter().enumerate().for_each(|(e, edge)| edges[of_node[edge.tail]].push(e));
    let mut distance = vec![f64::INFINITY; graph.nodes()];
    let build = |(nodes, edges): (Vec<usize>, Vec<usize>)| {
        let root = nodes
            .iter()
            .copied()
            .max_by_key(|&i| (graph.degree(i), std::cmp::Reverse(i)))
            .unwrap_or(0);
        remoteness(problem, root, &mut distance);
        let remoteness = nodes.iter().map(|&i| distance[i]).collect();
        Component { nodes, edges, root, remoteness, pooled: OnceLock::new() }
    };
    nodes.into_iter().zip(edges).map(build).collect()
}

/// A node in the queue of the search, nearest first.
#[derive(PartialEq)]
struct Queued(f64, usize);

impl Eq for Queued {}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Dijkstra's search from the root with edge lengths 1/weight, where a path is as long as its
/// longest edge (penalty of linear growth) or as the sum of its edges (quadratic growth).
fn remoteness(problem: &Problem, root: usize, distance: &mut [f64]) {
    let sums = matches!(problem.penalty().growth(problem.dim()), PenaltyGrowth::Quadratic(_));
    let mut queue = BinaryHeap::from([Queued(0.0, root)]);
    distance[root] = 0.0;
    while let Some(Queued(d, i)) = queue.pop() {
        if d > distance[i] {
            continue;
        }
        for inc in problem.graph().incident(i) {
            let length = 1.0 / problem.graph().edges()[inc.edge()].weight;
            let through = if sums { d + length } else { d.max(length) };
            if through < distance[inc.neighbor()] {
                distance[inc.neighbor()] = through;
                queue.push(Queued(through, inc.neighbor()));
            }
        }
    }
}
