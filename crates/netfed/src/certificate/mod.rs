//! How good an answer is, from the point (w, u) alone.
//!
//!   P(w) − D(u) = Σᵢ [Lᵢ(wᵢ) + Lᵢ*(sᵢ) − ⟨wᵢ, sᵢ⟩] + Σₑ [cφ(dₑ) + (cφ)*(uₑ) − ⟨dₑ, uₑ⟩]
//!
//! with sᵢ = −Σ sign·u over the edges of node i and dₑ = w_tail − w_head. Every bracket is ≥ 0, so
//! the gap splits into shares: a node's own bracket and those of the edges of which it is the tail.
//! Where Lᵢ*(sᵢ) is infinite (no data, fewer points than features) the conjugate is taken over a
//! region around wᵢ that provably leaves the optimal value as it is (`radius.rs`,
//! docs/certificate.md). Where none is known there is no bound.

mod edge_terms;
mod pooled_growth;
pub(crate) mod radius;
pub(crate) mod separable;
pub(crate) mod share;

pub use share::{Certified, Share};

use crate::loss::{Region, Slope};
use crate::numeric::linalg::difference;
use crate::numeric::parallel::map_rows;
use crate::outcome::{Bound, Certificate};
use crate::{Matrix, Problem};
use edge_terms::{EdgeTerm, EdgeTerms};
use radius::regions;
use share::Scratch;

/// Terms that are added up together.
const TOGETHER: usize = 1 << 10;

/// How far the duals are from those that their conjugates belong to, edge by edge; nothing for most
/// penalties ([`Penalty::blur`](crate::penalty::Penalty)).
struct Blurs {
    of_edges: Option<Matrix>,
}

impl Blurs {
    /// Of the duals; what the terms of the edges may be off is added to their gaps.
    fn new(
        problem: &Problem,
        params: &Matrix,
        duals: &Matrix,
        edges: &mut [EdgeTerm],
        sum: &mut Share,
    ) -> Blurs {
        let mut of_edges: Option<Matrix> = None;
        let mut diff = vec![0.0; problem.dim()];
        for (k, (edge, term)) in problem.graph().edges().iter().zip(edges).enumerate() {
            difference(params.row(edge.tail), params.row(edge.head), &mut diff);
            let Some(blur) = problem.penalty().blur(&diff, duals.row(k), problem.coupling(k))
            else {
                break;
            };
            term.gap += blur.terms;
            term.value += blur.value;
            let (gap, lost) = (blur.terms, blur.value);
            sum.add(&Share { gap, near: gap, lost, ..Share::default() });
            let all = of_edges.get_or_insert_with(|| Matrix::zeros(duals.rows(), duals.cols()));
            all.row_mut(k).copy_from_slice(&blur.dual);
        }
        Blurs { of_edges }
    }
}

/// Σ Lᵢ(0)
struct ValueAtZero(f64);

/// Computes certificates of one problem.
pub struct Certifier<'a> {
    problem: &'a Problem,
    value_at_zero: f64,
}

impl<'a> Certifier<'a> {
    /// A certifier for a problem.
    pub fn new(problem: &'a Problem) -> Certifier<'a> {
        let compute = || {
            let zero = vec![0.0; problem.dim()];
            let value = |i: usize, (): &mut ()| problem.loss(i).value(&zero);
            ValueAtZero(map_rows(problem.nodes(), 8 * zero.len(), || (), value).iter().sum())
        };
        Certifier { problem, value_at_zero: problem.cache().get(compute).0 }
    }

    /// The certificate of parameters w (one row per node) and duals u (one row per edge).
    pub fn certify(&self, params: &Matrix, duals: &Matrix) -> Certificate {
        let problem = self.problem;
        let (mut edges, mut of_edges) = EdgeTerms::all(problem, params, duals);
        let blurs = Blurs::new(problem, params, duals, &mut edges, &mut of_edges);
        let point = (duals, &blurs);
        let (mut nodes, mut bound) = (self.of_nodes(params, point), Bound::Conjugate);
        if nodes.iter().any(|t| t.gap.is_infinite()) {
            let regions = regions(problem, params, &nodes, &edges);
            let needy = self.bound_the_unbounded(&mut nodes, &regions, params, point);
            bound = Bound::Region { nodes: needy.len() };
        }
        if radius::take_objectives(problem, &mut nodes, &edges, self.value_at_zero) {
            bound = Bound::Nonnegative;
        }
        self.look_near(&mut nodes, params, point);
        let mut sum = Share { at_zero: self.value_at_zero, ..Share::default() };
        // In parts: what rounding takes from a sum grows with the number of its terms.
        for part in nodes.chunks(TOGETHER) {
            let mut of_part = Share::default();
            part.iter().for_each(|share| of_part.add(share));
            sum.add(&of_part);
        }
        sum.add(&of_edges);
        let mut shares: Vec<f64> = nodes.iter().map(|t| t.gap).collect();
        for (e, terms) in problem.graph().edges().iter().zip(&edges) {
            shares[e.tail] += terms.gap;
        }
        let rounding = sum.rounding() / problem.nodes() as f64;
        shares.iter_mut().for_each(|s| *s += rounding);
        let gap = sum.proven_gap();
        if gap.is_finite() && sum.gap + sum.rounding() > gap {
            // P ≥ 0 is the better bound: every term is its own share.
            let lost = sum.lost / problem.nodes() as f64;
            shares = nodes.iter().map(|t| t.objective + lost).collect();
            for (e, terms) in problem.graph().edges().iter().zip(&edges) {
                shares[e.tail] += terms.value;
            }
        }
        Certificate {
            objective: sum.objective,
            gap,
            relative_gap: gap / sum.scale(),
            shares,
            bound: if gap.is_finite() { bound } else { Bound::None },
            residual: sum.residual(),
        }
    }

    /// The parts of the nodes at a point where all neighbors have equal models, and the radii of
    /// those that need one; for all others it is +∞. Nothing but radii is used.
    pub(crate) fn brackets(&self, params: &Matrix, duals: &Matrix) -> (Vec<Share>, Vec<f64>) {
        let edges = vec![EdgeTerm::default(); duals.rows()];
        let (point, mut radii) =
            ((duals, &Blurs { of_edges: None }), vec![f64::INFINITY; params.rows()]);
        let mut nodes = self.of_nodes(params, point);
        let regions = regions(self.problem, params, &nodes, &edges);
        let only_balls = regions.iter().map(|r| Region::ball(r.radius())).collect::<Vec<_>>();
        for i in self.bound_the_unbounded(&mut nodes, &only_balls, params, point) {
            radii[i] = only_balls[i].radius();
        }
        (nodes, radii)
    }

    /// The parts of the nodes, wherever better models may be.
    fn of_nodes(&self, params: &Matrix, (duals, blurs): (&Matrix, &Blurs)) -> Vec<Share> {
        let (problem, dim) = (self.problem, self.problem.dim());
        let scratch = || Scratch::new(dim);
        map_rows(problem.nodes(), 16 * dim, scratch, |i, s| {
            self.set_slope(i, duals, blurs, &mut s.slope);
            share::of_node(problem.loss(i), params.row(i), s)
        })
    }

    /// The slope of a node.
    fn set_slope(&self, node: usize, duals: &Matrix, blurs: &Blurs, slope: &mut Slope) {
        let incident = || self.problem.graph().incident(node).iter();
        slope.set(incident().map(|inc| (inc.sign(), duals.row(inc.edge()))));
        if let Some(of_edges) = &blurs.of_edges {
            incident().for_each(|inc| slope.blur(of_edges.row(inc.edge())));
        }
    }

    /// Replaces infinite node gaps by gaps within proven regions; the nodes that need that.
    fn bound_the_unbounded(
        &self,
        nodes: &mut [Share],
        regions: &[Region<'_>],
        params: &Matrix,
        point: (&Matrix, &Blurs),
    ) -> Vec<usize> {
        let bracket = |i: usize, s: &mut Scratch| {
            let bracket = self.problem.loss(i).bracket(&s.slope, params.row(i), &regions[i]);
            share::nonnegative(bracket.gap)
        };
        let gaps = self.of_unbounded(nodes, point, bracket);
        gaps.iter().for_each(|&(i, gap)| nodes[i].gap = gap);
        gaps.into_iter().map(|(i, _)| i).collect()
    }

    /// What models near these can be better by: all that are known, or those in a box.
    fn look_near(&self, nodes: &mut [Share], params: &Matrix, point: (&Matrix, &Blurs)) {
        let near = |i: usize, s: &mut Scratch| share::near(self.problem.loss(i), params.row(i), s);
        let in_boxes = self.of_unbounded(nodes, point, near);
        nodes.iter_mut().for_each(|t| t.near = t.gap);
        in_boxes.into_iter().for_each(|(i, near)| nodes[i].near = near);
    }

    /// A bracket for every node whose gap is infinite, from its slope.
    fn of_unbounded(
        &self,
        nodes: &[Share],
        (duals, blurs): (&Matrix, &Blurs),
        bracket: impl Fn(usize, &mut Scratch) -> f64 + Sync,
    ) -> Vec<(usize, f64)> {
        let dim = self.problem.dim();
        let needy: Vec<usize> = (0..nodes.len()).filter(|&i| nodes[i].gap.is_infinite()).collect();
        let of_node = |k: usize, s: &mut Scratch| {
            self.set_slope(needy[k], duals, blurs, &mut s.slope);
            (needy[k], bracket(needy[k], s))
        };
        map_rows(needy.len(), 16 * dim, || Scratch::new(dim), of_node)
    }
}
