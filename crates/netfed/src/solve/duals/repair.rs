//! Duals that fit given models, constant on the groups of a fusion.
//!
//! At a solution ∇Lᵢ(wᵢ) + Σ sign·u = 0 at every node. Where a difference is not zero, u is the
//! gradient of cφ. The duals of the other edges carry the rest r through the groups: the correction
//! of least weighted norm is
//!
//!   δu = −ω(p_tail − p_head),   p a solution of the Laplace equations Σ sign·ω(p_tail − p_head) = r,
//!
//! one for each parameter. ω = c(1 − (‖u‖/c)²) is large where there is room. What leaves the domain
//! of the conjugate penalty is moved back into it, and the rest is corrected again.

use super::laplace::Laplace;
use crate::numeric::linalg::{axpy, difference};
use crate::numeric::parallel::for_rows;
use crate::penalty::Kinks;
use crate::solve::fusion::Fusion;
use crate::{Matrix, Problem};

const ROUNDS: usize = 5;

/// Repairs the duals of one problem; what only depends on the graph is kept.
#[derive(Default)]
pub(crate) struct Flow {
    laplace: Laplace,
}

impl Flow {
    /// Makes `duals` fit `params`, up to a rest of `accuracy` times the largest dual. `spend` is
    /// told the work, in sweeps over the edges; false stops.
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
            let (potential, goes_on) = self.laplace.solve(problem, &room, &rest, spend);
            shift(problem, &room, &potential, duals);
            enter_domain(problem, duals);
            set_active(problem, fusion, params, duals);
            if !goes_on {
                return;
            }
        }
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
