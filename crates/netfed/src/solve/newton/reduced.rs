//! A problem in the unknowns of a fusion: its gradient, products with its Hessian, and where a step
//! crosses a kink.

use crate::graph::Incidence;
use crate::numeric::dimension::with_dimension;
use crate::numeric::linalg::{axpy, difference};
use crate::numeric::parallel::{dot, for_rows};
use crate::numeric::simd::{Loop, vectorize};
use crate::penalty::Kinks;
use crate::solve::fusion::Fusion;
use crate::{Matrix, Problem};

/// The problem in the unknowns of a fusion.
pub(crate) struct Reduced<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) fusion: &'a Fusion,
    /// Whether an edge lies between different unknowns.
    pub(crate) active: Vec<bool>,
    /// These edges.
    pub(crate) active_edges: Vec<u32>,
    /// Where φ(v) = (h/2)‖v‖²: c·h of every edge at every node, in the order of
    /// [`Graph::slots`](crate::Graph).
    pub(crate) stiffness: Option<Vec<f64>>,
    /// Where models are fused whole: for every pair of neighboring groups one edge, with the sum of
    /// the couplings.
    bonds: Option<Vec<(u32, f64)>>,
}

impl<'a> Reduced<'a> {
    pub(crate) fn new(problem: &'a Problem, fusion: &'a Fusion) -> Reduced<'a> {
        let dim = problem.dim();
        let edges = problem.graph().edges();
        let fused = fusion.count < problem.nodes() * dim;
        let active: Vec<bool> = if fused {
            edges.iter().map(|e| fusion.row(e.tail, dim) != fusion.row(e.head, dim)).collect()
        } else {
            vec![true; edges.len()]
        };
        let active_edges: Vec<u32> =
            (0..edges.len() as u32).filter(|&e| active[e as usize]).collect();
        let whole = problem.penalty().kinks() != Kinks::Coordinates;
        let bonds = (whole && fused).then(|| {
            let pair = |&e: &u32| {
                let (edge, coupling) = (edges[e as usize], problem.coupling(e as usize));
                let [tail, head] = [edge.tail, edge.head].map(|i| fusion.unknown[i * dim]);
                (tail.min(head), tail.max(head), e, coupling)
            };
            let mut pairs: Vec<_> = active_edges.iter().map(pair).collect();
            pairs.sort_unstable_by_key(|&(low, high, e, _)| (low, high, e));
            let bonds = pairs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
            bonds.map(|b| (b[0].2, b.iter().map(|(.., coupling)| coupling).sum())).collect()
        });
        let stiffness = problem.penalty().constant_curvature().map(|h| {
            let incident = (0..problem.nodes()).flat_map(|i| problem.graph().incident(i));
            let of = |e: usize| if active[e] { problem.coupling(e) * h } else { 0.0 };
            incident.map(|inc| of(inc.edge())).collect()
        });
        Reduced { problem, fusion, active, active_edges, stiffness, bonds }
    }

    /// Number of [`Reduced::bonds`].
    pub(crate) fn bond_count(&self) -> usize {
        self.bonds.as_ref().map_or(self.active_edges.len(), Vec::len)
    }

    /// One active edge for every pair of neighboring groups, and the coupling of all edges between
    /// the two.
    pub(crate) fn bond(&self, k: usize) -> (usize, f64) {
        match &self.bonds {
            Some(bonds) => (bonds[k].0 as usize, bonds[k].1),
            None => {
                let edge = self.active_edges[k] as usize;
                (edge, self.problem.coupling(edge))
            }
        }
    }

    /// The gradient at every node's parameters; fused differences do not count.
    pub(crate) fn gradient(&self, params: &Matrix, out: &mut [f64]) {
        let (problem, dim) = (self.problem, self.problem.dim());
        let graph = problem.graph();
        for_rows(out, dim, 16 * dim, 2 * dim, |i, g, scratch| {
            let (diff, slope) = scratch.split_at_mut(dim);
            problem.loss(i).gradient(params.row(i), g);
            if let Some(differences) = self.differences(i, params.as_slice(), g) {
                return vectorize(differences);
            }
            for inc in graph.incident(i).iter().filter(|inc| self.active[inc.edge()]) {
                let e = graph.edges()[inc.edge()];
                difference(params.row(e.tail), params.row(e.head), diff);
                problem.penalty().gradient(diff, slope);
                axpy(inc.sign() * problem.coupling(inc.edge()), slope, g);
            }
        });
    }

    /// Pairs of unknowns whose difference would change its sign between two points: between them
    /// lies a kink, and there they are equal.
    pub(crate) fn crossings(&self, from: &Matrix, to: &Matrix) -> Vec<(u32, u32)> {
        let (problem, dim) = (self.problem, self.problem.dim());
        let kinks = problem.penalty().kinks();
        let mut pairs = Vec::new();
        if kinks == Kinks::None {
            return Vec::new();
        }
        let (mut before, mut after) = (vec![0.0; dim], vec![0.0; dim]);
        for &e in &self.active_edges {
            let edge = problem.graph().edges()[e as usize];
            difference(from.row(edge.tail), from.row(edge.head), &mut before);
            difference(to.row(edge.tail), to.row(edge.head), &mut after);
            let (tail, head) = (self.fusion.row(edge.tail, dim), self.fusion.row(edge.head, dim));
            let all = || tail.iter().copied().zip(head.iter().copied());
            if kinks == Kinks::Coordinates {
                let when = before.iter().zip(&after).map(|(b, a)| (b * a <= 0.0, b / (b - a)));
                pairs.extend(
                    all().zip(when).filter(|((t, h), c)| c.0 && t != h).map(|(p, c)| (c.1, p)),
                );
            } else if dot(&before, &after) <= 0.0 {
                let early = dot(&before, &before).sqrt();
                let when = early / (early + dot(&after, &after).sqrt());
                pairs.extend(all().map(|p| (when, p)));
            }
        }
        // Those that cross late may not cross at all once the early ones are joined.
        let first = pairs.iter().fold(1.0, |m: f64, (when, _)| m.min(*when));
        let last = f64::max(2.0 * first, 0.1);
        pairs.into_iter().filter(|(when, _)| *when <= last).map(|(_, p)| p).collect()
    }

    /// Whether the penalty is curved between groups.
    pub(crate) fn curved(&self) -> bool {
        self.problem.penalty().kinks() != Kinks::Coordinates
    }

    /// block ← c·∇²φ(diff), row-major.
    pub(crate) fn curvature(&self, coupling: f64, diff: &[f64], block: &mut [f64]) {
        let dim = diff.len();
        let mut unit = vec![0.0; dim];
        block.fill(0.0);
        for (j, row) in block.chunks_exact_mut(dim).enumerate() {
            unit[j] = 1.0;
            self.problem.penalty().add_curvature_times(diff, coupling, &unit, row);
            unit[j] = 0.0;
        }
    }

    /// out ← out + Σ c·h·(own − other) over the edges of a node, where φ(v) = (h/2)‖v‖².
    fn differences<'v>(
        &'v self,
        node: usize,
        values: &'v [f64],
        out: &'v mut [f64],
    ) -> Option<AddDifferences<'v>> {
        let (graph, stiffness) = (self.problem.graph(), self.stiffness.as_ref()?);
        let (incident, stiffness) = (graph.incident(node), &stiffness[graph.slots(node)]);
        Some(AddDifferences { node, incident, stiffness, values, out })
    }

    /// out ← Hessian·direction, at every node's parameters.
    pub(crate) fn hessian_times(&self, params: &Matrix, direction: &[f64], out: &mut [f64]) {
        let (problem, dim) = (self.problem, self.problem.dim());
        let graph = problem.graph();
        let of = |node: usize| &direction[node * dim..(node + 1) * dim];
        for_rows(out, dim, 16 * dim, 2 * dim, |i, y, scratch| {
            y.fill(0.0);
            problem.loss(i).add_hessian_times(params.row(i), of(i), y);
            if !self.curved() {
                return;
            }
            if let Some(differences) = self.differences(i, direction, y) {
                return vectorize(differences);
            }
            let (diff, along) = scratch.split_at_mut(dim);
            for inc in graph.incident(i).iter().filter(|inc| self.active[inc.edge()]) {
                // The curvature is even: seen from the node, both differences change their sign.
                difference(params.row(i), params.row(inc.neighbor()), diff);
                difference(of(i), of(inc.neighbor()), along);
                problem.penalty().add_curvature_times(diff, problem.coupling(inc.edge()), along, y);
            }
        });
    }
}

/// What [`Reduced::differences`] says.
struct AddDifferences<'v> {
    node: usize,
    incident: &'v [Incidence],
    stiffness: &'v [f64],
    values: &'v [f64],
    out: &'v mut [f64],
}

impl Loop for AddDifferences<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        with_dimension!(
            self.out.len(),
            DIM => self.in_registers::<DIM>(),
            else add_differences(self.node, self.incident, self.stiffness, self.values, self.out)
        );
    }
}

impl AddDifferences<'_> {
    #[inline(always)]
    fn in_registers<const DIM: usize>(self) {
        if let Some(out) = self.out.first_chunk_mut::<DIM>() {
            let mut sum = *out;
            add_differences(self.node, self.incident, self.stiffness, self.values, &mut sum);
            *out = sum;
        }
    }
}

#[inline(always)]
fn add_differences(
    node: usize,
    incident: &[Incidence],
    stiffness: &[f64],
    values: &[f64],
    out: &mut [f64],
) {
    let dim = out.len();
    let row = |i: usize| &values[i * dim..(i + 1) * dim];
    let own = row(node);
    for (inc, c) in incident.iter().zip(stiffness) {
        for ((out, a), b) in out.iter_mut().zip(own).zip(row(inc.neighbor())) {
            *out += c * (a - b);
        }
    }
}
