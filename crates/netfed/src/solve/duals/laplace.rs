//! The Laplace equations of a graph with weights ω ≥ 0 on its edges, one for each parameter:
//!
//!   Σ sign·ω(p_tail − p_head) = r   at every node
//!
//! By Cholesky's method, or by conjugate gradients with the diagonal as preconditioner.

use crate::Problem;
use crate::graph::Incidence;
use crate::numeric::conjugate_gradients::{Columns, ConjugateGradients};
use crate::numeric::dimension::with_dimension;
use crate::numeric::linalg::{SparseCholesky, axpy};
use crate::numeric::parallel::for_rows;
use crate::numeric::simd::{Loop, vectorize};
use crate::penalty::Kinks;
use crate::solve::cost::{ANALYSIS, sweep_cost};

const CG_STEPS: usize = 300;
/// Steps without progress after which conjugate gradients end, or a fifth of all.
const PATIENCE: usize = 20;
/// Relative accuracy of conjugate gradients.
const FINE: f64 = 1e-8;
/// Steps of conjugate gradients before the graph is factored, if there are this many edges per
/// node.
const FEW_STEPS: usize = 30;
const MANY_NEIGHBORS: usize = 8;
/// Sweeps that a factorization may cost; beyond, conjugate gradients are expected to be cheaper.
const MOST_SWEEPS: f64 = 40.0;

/// The equations of one graph; what only depends on it is kept.
#[derive(Default)]
pub(crate) struct Laplace {
    direct: Option<Option<Direct>>,
}

impl Laplace {
    /// Solves the Laplace equations; false when stopped. Where nodes have many neighbors a few
    /// conjugate gradients do; otherwise the graph is factored, if that is cheap.
    pub(crate) fn solve(
        &mut self,
        problem: &Problem,
        room: &[f64],
        rest: &[f64],
        spend: &mut dyn FnMut(f64) -> bool,
    ) -> (Vec<f64>, bool) {
        let (nodes, edges) = (problem.nodes(), problem.graph().edges().len());
        if self.direct.is_none() && edges > MANY_NEIGHBORS * nodes {
            let (potential, end) =
                conjugate_gradients(problem, room, rest, |_| false, (FEW_STEPS, FINE), spend);
            if end != End::OutOfSteps {
                return (potential, end == End::Solved);
            }
        }
        if self.direct.is_none() {
            if !spend(ANALYSIS * (nodes + edges) as f64 / sweep_cost(problem)) {
                return (vec![0.0; rest.len()], false);
            }
            self.direct = Some(Direct::new(problem));
        }
        match self.direct.as_mut().and_then(Option::as_mut) {
            Some(direct) => direct.solve(problem, room, rest, spend),
            None => {
                let (potential, end) =
                    conjugate_gradients(problem, room, rest, |_| false, (CG_STEPS, FINE), spend);
                (potential, end != End::Stopped)
            }
        }
    }
}

/// The equations of a graph, analyzed; `None` where it is too large.
struct Analyzed(Option<SparseCholesky>);

/// Cholesky's method.
struct Direct {
    cholesky: SparseCholesky,
    /// Cost of a factorization in sweeps.
    sweeps: f64,
}

impl Direct {
    /// `None` where a factor would be too expensive.
    fn new(problem: &Problem) -> Option<Direct> {
        let analyze = || {
            let graph = problem.graph();
            let nodes = 0..graph.nodes() as u32;
            let edges = graph.edges().iter().map(|e| (e.head as u32, e.tail as u32));
            let entries: Vec<(u32, u32)> = nodes.map(|i| (i, i)).chain(edges).collect();
            let small = entries.len() <= 1 << 20;
            Analyzed(small.then(|| SparseCholesky::new(graph.nodes(), &entries)).flatten())
        };
        let cholesky = problem.cache().get(analyze).0.clone()?;
        let sweeps = 0.25 * cholesky.cost() / sweep_cost(problem);
        (sweeps <= MOST_SWEEPS).then_some(Direct { cholesky, sweeps })
    }

    /// Solves for every parameter; those with equal weights share a factor.
    fn solve(
        &mut self,
        problem: &Problem,
        room: &[f64],
        rhs: &[f64],
        spend: &mut dyn FnMut(f64) -> bool,
    ) -> (Vec<f64>, bool) {
        let dim = problem.dim();
        let graph = problem.graph();
        let nodes = graph.nodes();
        let by_coordinate = problem.penalty().kinks() == Kinks::Coordinates;
        let together = if by_coordinate { 1 } else { dim };
        let mut solution = rhs.to_vec();
        let mut column = vec![0.0; if by_coordinate { nodes } else { 0 }];
        let mut values = vec![0.0; nodes + graph.edges().len()];
        for first in (0..dim).step_by(together) {
            let (diagonal, off) = values.split_at_mut(nodes);
            diagonal.fill(0.0);
            for ((e, off), room) in graph.edges().iter().zip(off).zip(room.chunks_exact(dim)) {
                *off = -room[first];
                diagonal[e.tail] += room[first];
                diagonal[e.head] += room[first];
            }
            // The equations leave a constant free in every group.
            diagonal.iter_mut().for_each(|d| *d = if *d > 0.0 { *d * (1.0 + 1e-12) } else { 1.0 });
            if !self.cholesky.factor(&values) || !spend(self.sweeps) {
                return (vec![0.0; rhs.len()], false);
            }
            if by_coordinate {
                let entries = || (first..rhs.len()).step_by(dim);
                column.iter_mut().zip(entries()).for_each(|(c, at)| *c = rhs[at]);
                self.cholesky.solve(&mut column, 1);
                column.iter().zip(entries()).for_each(|(c, at)| solution[at] = *c);
            } else {
                self.cholesky.solve(&mut solution, dim);
            }
        }
        (solution, true)
    }
}

/// The equations with weights that stay as they are, factored.
pub(crate) struct Factored {
    cholesky: SparseCholesky,
}

impl Factored {
    /// With one weight per edge; none where a factor would be too expensive.
    pub(crate) fn new(problem: &Problem, room: &[f64]) -> Option<Factored> {
        let mut cholesky = Direct::new(problem)?.cholesky;
        let graph = problem.graph();
        let mut values = vec![0.0; graph.nodes()];
        for (e, room) in graph.edges().iter().zip(room) {
            values[e.tail] += room;
            values[e.head] += room;
        }
        // The equations leave a constant free in every group.
        values.iter_mut().for_each(|d| *d = if *d > 0.0 { *d * (1.0 + 1e-12) } else { 1.0 });
        values.extend(room.iter().map(|room| -room));
        cholesky.factor(&values).then_some(Factored { cholesky })
    }

    /// Solves for `dim` parameters, in place.
    pub(crate) fn solve(&self, rest: &mut [f64], dim: usize) {
        self.cholesky.solve(rest, dim);
    }
}

/// How conjugate gradients ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum End {
    Solved,
    OutOfSteps,
    Stopped,
}

/// Solves the Laplace equations by conjugate gradients, all parameters side by side, in at most so
/// many steps, to a relative accuracy; p = 0 at nodes that are `bound`.
pub(crate) fn conjugate_gradients(
    problem: &Problem,
    room: &[f64],
    rhs: &[f64],
    bound: impl Fn(usize) -> bool + Sync,
    (steps, accuracy): (usize, f64),
    spend: &mut dyn FnMut(f64) -> bool,
) -> (Vec<f64>, End) {
    let dim = problem.dim();
    let graph = problem.graph();
    let inverse = inverse_diagonal(problem, room, bound);
    // In the order of the slots of all nodes, so that a product reads them one after the other.
    let mut weights = Vec::with_capacity(2 * room.len());
    for inc in (0..problem.nodes()).flat_map(|i| graph.incident(i)) {
        weights.extend_from_slice(&room[inc.edge() * dim..(inc.edge() + 1) * dim]);
    }
    let invert = |r: &[f64], z: &mut [f64]| {
        z.iter_mut().zip(r).zip(&inverse).for_each(|((z, r), d)| *z = r * d);
        Columns::dots(r, z, dim)
    };
    let mut system = ConjugateGradients::new(rhs, invert);
    let start = system.product().sum();
    let (mut smallest, mut since) = (start, 0);
    let mut best = vec![0.0; rhs.len()];
    for _ in 0..steps {
        if !spend(0.5) {
            return (best, End::Stopped);
        }
        let curvature = system.multiply(|p, product| {
            for_rows(product, dim, 16 * dim, 0, |i, out, _| {
                let weights = &weights[graph.slots(i).start * dim..];
                vectorize(Product { own: i, incident: graph.incident(i), weights, values: p, out });
            });
            Columns::dots(p, product, dim)
        });
        system.advance(&curvature);
        let next = system.precondition(invert);
        let size = next.sum();
        if size < smallest {
            (smallest, since) = (size, 0);
            best.copy_from_slice(&system.solution);
        } else {
            since += 1;
        }
        // The system is singular: going on after it is solved would only spoil the solution.
        if size <= accuracy * accuracy * start || since >= PATIENCE.max(steps / 5) {
            return (best, End::Solved);
        }
        system.turn(next);
    }
    (best, End::OutOfSteps)
}

/// 1 / Σ ω over the edges of every node, parameter by parameter; 0 at nodes that are `bound` or
/// have no room.
fn inverse_diagonal(
    problem: &Problem,
    room: &[f64],
    bound: impl Fn(usize) -> bool + Sync,
) -> Vec<f64> {
    let (dim, graph) = (problem.dim(), problem.graph());
    let mut inverse = vec![0.0; problem.nodes() * dim];
    for_rows(&mut inverse, dim, 4 * dim, 0, |i, row, _| {
        if bound(i) {
            return;
        }
        for inc in graph.incident(i) {
            axpy(1.0, &room[inc.edge() * dim..(inc.edge() + 1) * dim], row);
        }
        row.iter_mut().for_each(|d| *d = if *d > 0.0 { 1.0 / *d } else { 0.0 });
    });
    inverse
}

/// out ← Σ ω(p_own − p_neighbor) over the edges of a node.
struct Product<'a> {
    own: usize,
    incident: &'a [Incidence],
    weights: &'a [f64],
    values: &'a [f64],
    out: &'a mut [f64],
}

impl Loop for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        with_dimension!(self.out.len(), DIM => self.in_registers::<DIM>(), else self.in_memory());
    }
}

impl Product<'_> {
    #[inline(always)]
    fn in_memory(self) {
        let Product { own, incident, weights, values, out } = self;
        let dim = out.len();
        let row = |i: usize| &values[i * dim..(i + 1) * dim];
        out.fill(0.0);
        for (inc, weights) in incident.iter().zip(weights.chunks_exact(dim)) {
            let other = row(inc.neighbor());
            for (((out, w), a), b) in out.iter_mut().zip(weights).zip(row(own)).zip(other) {
                *out += w * (a - b);
            }
        }
    }

    #[inline(always)]
    fn in_registers<const DIM: usize>(self) {
        let (values, _) = self.values.as_chunks::<DIM>();
        let (weights, _) = self.weights.as_chunks::<DIM>();
        let own = values[self.own];
        let mut sum = [0.0; DIM];
        for (inc, w) in self.incident.iter().zip(weights) {
            let other = &values[inc.neighbor()];
            for j in 0..DIM {
                sum[j] += w[j] * (own[j] - other[j]);
            }
        }
        self.out.copy_from_slice(&sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{erdos_renyi, random_geometric};
    use crate::numeric::linalg::distance;
    use crate::penalty::{Norm1, Norm2, Penalty};
    use crate::{Dataset, LossKind};

    #[test]
    fn both_ways_solve_the_equations() {
        let sparse = random_geometric(60, 200, 1).unwrap().0;
        for (graph, dim) in [(sparse, 1), (erdos_renyi(60, 0.6, 2).unwrap(), 3)] {
            for penalty in [Box::new(Norm1) as Box<dyn Penalty>, Box::new(Norm2)] {
                // Whole models share their weights.
                let width = if penalty.kinks() == Kinks::Coordinates { 1 } else { dim };
                let zero = |_| LossKind::Squared.build(Dataset::empty(dim), 0.0, 0.0).unwrap();
                let losses = (0..60).map(zero).collect();
                let problem = Problem::new(graph.clone(), losses, penalty, 1.0).unwrap();
                let entries = graph.edges().len() * dim;
                let room: Vec<f64> =
                    (0..entries).map(|k| 1.1 + ((k / width) as f64).sin()).collect();
                let truth: Vec<f64> = (0..60 * dim).map(|k| (k as f64).cos()).collect();
                let product = |p: &[f64]| {
                    let mut out = vec![0.0; p.len()];
                    for (e, edge) in graph.edges().iter().enumerate() {
                        for j in 0..dim {
                            let (t, h) = (edge.tail * dim + j, edge.head * dim + j);
                            out[t] += room[e * dim + j] * (p[t] - p[h]);
                            out[h] -= room[e * dim + j] * (p[t] - p[h]);
                        }
                    }
                    out
                };
                let rest = product(&truth);
                let direct = Direct::new(&problem).unwrap();
                let any = Laplace { direct: Some(Some(direct)) }.solve(
                    &problem,
                    &room,
                    &rest,
                    &mut |_| true,
                );
                let steps = conjugate_gradients(
                    &problem,
                    &room,
                    &rest,
                    |_| false,
                    (CG_STEPS, FINE),
                    &mut |_| true,
                );
                let own = Laplace::default().solve(&problem, &room, &rest, &mut |_| true);
                assert!(any.1 && own.1 && steps.1 == End::Solved);
                for potential in [any.0, steps.0, own.0] {
                    let off = distance(&product(&potential), &rest);
                    assert!(off <= 1e-6 * crate::numeric::linalg::norm(&rest), "{off:e}");
                }
            }
        }
    }
}
