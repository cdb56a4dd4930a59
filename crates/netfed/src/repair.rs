//! Duals that fit given models, constant on the groups of a fusion.
//!
//! At a solution ∇Lᵢ(wᵢ) + Σ sign·u = 0 at every node. Where a difference is not zero, u is the gradient of cφ. The duals of the other
//! edges carry the rest r through the groups: the correction of least weighted norm is
//!
//!   δu = −ω(p_tail − p_head),   p a solution of the Laplace equations Σ sign·ω(p_tail − p_head) = r,
//!
//! one for each parameter. ω = c(1 − (‖u‖/c)²) is large where there is room. What leaves the domain of the
//! conjugate penalty is moved back into it, and the rest is corrected again.

use crate::fusion::Fusion;
use crate::linalg::{SparseCholesky, axpy};
use crate::parallel::for_rows;
use crate::penalty::Kinks;
use crate::problem::difference;
use crate::system::{ANALYSIS, sweep_cost};
use crate::{Matrix, Problem};

const ROUNDS: usize = 5;
const CG_STEPS: usize = 300;
/// Steps without progress after which conjugate gradients end, or a fifth of all.
const PATIENCE: usize = 20;
/// Relative accuracy of conjugate gradients.
const FINE: f64 = 1e-8;
/// Steps of conjugate gradients before the graph is factored, if there are this many edges per node.
const FEW_STEPS: usize = 30;
const MANY_NEIGHBORS: usize = 8;
/// Sweeps that a factorization may cost; beyond, conjugate gradients are expected to be cheaper.
const MOST_SWEEPS: f64 = 40.0;

/// Repairs the duals of one problem; what only depends on the graph is kept.
#[derive(Default)]
pub(crate) struct Flow {
    direct: Option<Option<Laplace>>,
}

impl Flow {
    /// Makes `duals` fit `params`, up to a rest of `accuracy` times the largest dual. `spend` is told the work, in sweeps over
    /// the edges; false stops.
    pub(crate) fn repair(
        &mut self,
        problem: &Problem,
        fusion: &Fusion,
        params: &Matrix,
        duals: &mut Matrix,
        accuracy: f64,
        spend: &mut dyn FnMut(f64) -> bool,
    ) {
        set_active(problem, fusion, params, duals);
        let dim = problem.dim();
        let mut rest = vec![0.0; problem.nodes() * dim];
        let mut room = vec![0.0; duals.as_slice().len()];
        let mut last = f64::INFINITY;
        for _ in 0..ROUNDS {
            let scale = imbalance(problem, params, duals, &mut rest);
            let size = rest.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
            // A rest that does not shrink cannot be carried: the groups are wrong.
            if size <= accuracy * scale || size > 0.5 * last || !spend(1.0) {
                return;
            }
            last = size;
            set_room(problem, fusion, duals, &mut room);
            let (potential, goes_on) = self.potential(problem, &room, &rest, spend);
            shift(problem, &room, &potential, duals);
            enter_domain(problem, duals);
            set_active(problem, fusion, params, duals);
            if !goes_on {
                return;
            }
        }
    }

    /// Solves the Laplace equations; false when stopped. Where nodes have many neighbors a few conjugate gradients do; otherwise
    /// the graph is factored, if that is cheap.
    fn potential(
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
            self.direct = Some(Laplace::new(problem));
        }
        match self.direct.as_mut().and_then(Option::as_mut) {
            Some(laplace) => laplace.solve(problem, room, rest, spend),
            None => {
                let (potential, end) =
                    conjugate_gradients(problem, room, rest, |_| false, (CG_STEPS, FINE), spend);
                (potential, end != End::Stopped)
            }
        }
    }
}

/// The Laplace equations by Cholesky's method.
struct Laplace {
    cholesky: SparseCholesky,
    /// Cost of a factorization in sweeps.
    sweeps: f64,
}

impl Laplace {
    /// `None` where a factor would be too expensive.
    fn new(problem: &Problem) -> Option<Laplace> {
        let analyze = || {
            let graph = problem.graph();
            let nodes = 0..graph.nodes() as u32;
            let edges = graph.edges().iter().map(|e| (e.head as u32, e.tail as u32));
            let entries: Vec<(u32, u32)> = nodes.map(|i| (i, i)).chain(edges).collect();
            (entries.len() <= 1 << 20).then(|| SparseCholesky::new(graph.nodes(), &entries))?
        };
        let cholesky = problem.memo().laplace.get_or_init(analyze).clone()?;
        let sweeps = 0.25 * cholesky.cost() / sweep_cost(problem);
        (sweeps <= MOST_SWEEPS).then_some(Laplace { cholesky, sweeps })
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

/// u ← u − ω(p_tail − p_head)
pub(crate) fn shift(problem: &Problem, room: &[f64], potential: &[f64], duals: &mut Matrix) {
    let (edges, dim) = (problem.graph().edges(), problem.dim());
    for_rows(duals.as_mut_slice(), dim, 4 * dim, 0, |e, u, _| {
        let (t, h) = (edges[e].tail * dim, edges[e].head * dim);
        for j in 0..dim {
            u[j] -= room[e * dim + j] * (potential[t + j] - potential[h + j]);
        }
    });
}

/// Duals moved into the domain of the conjugate penalty, each by itself.
pub(crate) fn enter_domain(problem: &Problem, duals: &mut Matrix) {
    for_rows(duals.as_mut_slice(), problem.dim(), 4 * problem.dim(), 0, |e, u, _| {
        problem.penalty().prox_conjugate(u, problem.coupling(e), 0.0);
    });
}

/// Duals of parameters that differ: the gradient of cφ.
pub(crate) fn set_active(problem: &Problem, fusion: &Fusion, params: &Matrix, duals: &mut Matrix) {
    let dim = problem.dim();
    let edges = problem.graph().edges();
    // Where φ(v) = (h/2)‖v‖² no models are fused.
    if let Some(h) = problem.penalty().constant_curvature() {
        return for_rows(duals.as_mut_slice(), dim, 4 * dim, 0, |k, u, _| {
            difference(params.row(edges[k].tail), params.row(edges[k].head), u);
            u.iter_mut().for_each(|u| *u *= problem.coupling(k) * h);
        });
    }
    let by_coordinate = problem.penalty().kinks() == Kinks::Coordinates;
    for_rows(duals.as_mut_slice(), dim, 8 * dim, 2 * dim, |k, u, scratch| {
        let e = edges[k];
        let (tail, head) = (fusion.row(e.tail, dim), fusion.row(e.head, dim));
        if tail == head {
            return;
        }
        let (diff, slope) = scratch.split_at_mut(dim);
        difference(params.row(e.tail), params.row(e.head), diff);
        problem.penalty().gradient(diff, slope);
        for j in 0..dim {
            if !by_coordinate || tail[j] != head[j] {
                u[j] = problem.coupling(k) * slope[j];
            }
        }
    });
}

/// rest ← ∇Lᵢ(wᵢ) + Σ sign·u; gives the largest entry of the terms.
fn imbalance(problem: &Problem, params: &Matrix, duals: &Matrix, rest: &mut [f64]) -> f64 {
    let dim = problem.dim();
    let graph = problem.graph();
    for_rows(rest, dim, 16 * dim, 0, |i, r, _| {
        problem.loss(i).gradient(params.row(i), r);
        for inc in graph.incident(i) {
            axpy(inc.sign(), duals.row(inc.edge()), r);
        }
    });
    duals.as_slice().iter().fold(0.0, |m: f64, u| m.max(u.abs()))
}

/// room ← ω of every entry of a dual that may move.
fn set_room(problem: &Problem, fusion: &Fusion, duals: &Matrix, room: &mut [f64]) {
    let dim = problem.dim();
    let edges = problem.graph().edges();
    let by_coordinate = problem.penalty().kinks() == Kinks::Coordinates;
    for_rows(room, dim, 4 * dim, 0, |k, room, _| {
        let e = edges[k];
        let coupling = problem.coupling(k);
        let (tail, head) = (fusion.row(e.tail, dim), fusion.row(e.head, dim));
        let u = duals.row(k);
        let length = u.iter().map(|u| u * u).sum::<f64>();
        for j in 0..dim {
            let used = if by_coordinate { u[j] * u[j] } else { length } / (coupling * coupling);
            room[j] = if tail[j] == head[j] { coupling * (1.0 - used).max(1e-6) } else { 0.0 };
        }
    });
}

/// How conjugate gradients ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum End {
    Solved,
    OutOfSteps,
    Stopped,
}

/// Solves the Laplace equations by conjugate gradients, all parameters side by side, in at most so many steps, to a relative accuracy; p = 0 at nodes that
/// are `bound`.
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
    let entries = rhs.len();
    let mut inverse = vec![0.0; entries];
    for_rows(&mut inverse, dim, 4 * dim, 0, |i, row, _| {
        if bound(i) {
            return;
        }
        for inc in graph.incident(i) {
            axpy(1.0, &room[inc.edge() * dim..(inc.edge() + 1) * dim], row);
        }
        row.iter_mut().for_each(|d| *d = if *d > 0.0 { 1.0 / *d } else { 0.0 });
    });
    let column_dots = |a: &[f64], b: &[f64]| {
        let mut sums = vec![0.0; dim];
        for (a, b) in a.chunks_exact(dim).zip(b.chunks_exact(dim)) {
            (0..dim).for_each(|j| sums[j] += a[j] * b[j]);
        }
        sums
    };
    let mut solution = vec![0.0; entries];
    let mut residual = rhs.to_vec();
    let mut z: Vec<f64> = residual.iter().zip(&inverse).map(|(r, d)| r * d).collect();
    let mut p = z.clone();
    let mut product = vec![0.0; entries];
    let mut rz = column_dots(&residual, &z);
    let start: f64 = rz.iter().sum();
    let (mut smallest, mut since) = (start, 0);
    let mut best = solution.clone();
    for _ in 0..steps {
        if !spend(0.5) {
            return (best, End::Stopped);
        }
        for_rows(&mut product, dim, 16 * dim, 0, |i, y, _| {
            y.fill(0.0);
            for inc in graph.incident(i) {
                let weights = &room[inc.edge() * dim..(inc.edge() + 1) * dim];
                let other = inc.neighbor() * dim;
                for j in 0..dim {
                    y[j] += weights[j] * (p[i * dim + j] - p[other + j]);
                }
            }
        });
        let curvature = column_dots(&p, &product);
        let length: Vec<f64> =
            rz.iter().zip(&curvature).map(|(a, b)| if *b > 0.0 { a / b } else { 0.0 }).collect();
        for ((s, p), l) in solution.iter_mut().zip(&p).zip(length.iter().cycle()) {
            *s += l * p;
        }
        for ((r, y), l) in residual.iter_mut().zip(&product).zip(length.iter().cycle()) {
            *r -= l * y;
        }
        for ((z, r), d) in z.iter_mut().zip(&residual).zip(&inverse) {
            *z = r * d;
        }
        let next = column_dots(&residual, &z);
        let size: f64 = next.iter().sum();
        if size < smallest {
            (smallest, since) = (size, 0);
            best.copy_from_slice(&solution);
        } else {
            since += 1;
        }
        // The system is singular: going on after it is solved would only spoil the solution.
        if size <= accuracy * accuracy * start || since >= PATIENCE.max(steps / 5) {
            return (best, End::Solved);
        }
        let keep: Vec<f64> =
            next.iter().zip(&rz).map(|(a, b)| if *b > 0.0 { a / b } else { 0.0 }).collect();
        rz = next;
        for ((p, z), k) in p.iter_mut().zip(&z).zip(keep.iter().cycle()) {
            *p = z + k * *p;
        }
    }
    (best, End::OutOfSteps)
}
