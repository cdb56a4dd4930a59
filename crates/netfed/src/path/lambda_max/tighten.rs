//! Bounds of λ_max that meet: a flow with the slopes g and a load ‖uₑ‖_*/Aₑ of at most t on all
//! edges, with t the lower bound so far.
//!
//! Douglas–Rachford splitting in the loads v = u/A, between the flows with slopes g and the balls
//! of radius t:
//!
//!   x = nearest flow to z,   y = nearest point of the balls to 2x − z,   z ← z + y − x
//!
//! Every x is a flow and proves λ_max ≤ max_e ‖xₑ‖_*. The nearest flow is an electrical one,
//! x = z + A·(π_tail − π_head) with potentials that solve a Laplace equation with conductances A²;
//! its factors are computed once. If there is no flow of load t, z drifts by the vector between the
//! two sets and π by potentials p that prove a larger lower bound.

use super::{Forest, congestion, ratio};
use crate::numeric::linalg::{SparseCholesky, axpy};
use crate::numeric::threads::*;
use crate::outcome::{Event, Observer};
use crate::{Matrix, Problem};
use std::ops::ControlFlow;

/// The most steps, and steps after which there must have been progress.
const STEPS: usize = 3000;
const PATIENCE: usize = 400;
/// Steps between two looks at the drift of the potentials.
const DRIFT: usize = 10;
/// The most nodes of a graph whose Laplace equation is factored.
const MOST_NODES: usize = 20_000;

/// Bounds of λ_max.
pub(super) struct Bounds {
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// The flow that proves the upper bound.
    pub(super) flow: Matrix,
}

impl Bounds {
    /// A lower bound was proven.
    pub(super) fn raise(&mut self, lower: f64) {
        self.lower = self.lower.max(lower);
    }

    /// A flow may prove a better upper bound.
    pub(super) fn lessen(&mut self, unit: &Problem, flow: Matrix) {
        let load = congestion(unit, &flow);
        if load < self.upper {
            (self.upper, self.flow) = (load, flow);
        }
    }

    /// Raises the lower bound by how far potentials have come.
    fn raise_by_drift(
        &mut self,
        unit: &Problem,
        gradients: &Matrix,
        potentials: &Matrix,
        before: [&Matrix; 2],
    ) {
        for from in before {
            let mut drift = potentials.clone();
            axpy(-1.0, from.as_slice(), drift.as_mut_slice());
            self.raise(ratio(unit, gradients, &drift).abs());
        }
    }
}

/// Improves bounds, from duals near the best ones, until their relative distance is at most
/// `width`, progress ends or the observer, who is asked at every step, stops it.
pub(super) fn tighten(
    unit: &Problem,
    forest: &Forest,
    gradients: &Matrix,
    mut bounds: Bounds,
    duals: Matrix,
    width: f64,
    observer: &mut dyn Observer,
) -> (Bounds, ControlFlow<()>) {
    let goes_on = ControlFlow::Continue(());
    let Some(mut laplace) = Laplace::new(unit) else { return (bounds, goes_on) };
    let mut z = duals;
    scale_rows(unit, &mut z, |weight| 1.0 / weight);
    let mut radius = 0.5 * (bounds.lower + bounds.upper);
    // Potentials at an earlier step since the radius changed.
    let mut last = laplace.potentials.clone();
    let (mut before, mut change, mut earlier) = (laplace.potentials.clone(), 0, 0);
    let (mut milestone, mut since) = (f64::INFINITY, 0);
    for step in 1..=STEPS {
        let event = Event::Iteration { run: 0, count: step as u64, certificate: None };
        if observer.observe(event).is_break() {
            return (bounds, ControlFlow::Break(()));
        }
        let mut u = z.clone();
        scale_rows(unit, &mut u, |weight| weight);
        laplace.add_nearest_flow(gradients, &mut u);
        let mut x = u.clone();
        scale_rows(unit, &mut x, |weight| 1.0 / weight);
        // x is a flow up to the accuracy of the potentials; this makes it one up to rounding.
        forest.balance(unit.graph(), gradients, &mut u);
        bounds.lessen(unit, u);
        if step % DRIFT == 0 {
            bounds.raise_by_drift(unit, gradients, &laplace.potentials, [&before, &last]);
            if step - earlier > (step - change) / 2 {
                (before, earlier) = (laplace.potentials.clone(), step);
            }
        }
        last.as_mut_slice().copy_from_slice(laplace.potentials.as_slice());
        let distance = bounds.upper - bounds.lower;
        if distance <= width * bounds.upper {
            break;
        }
        if distance < 0.9 * milestone {
            (milestone, since) = (distance, step);
        } else if step > since + PATIENCE {
            break;
        }
        if bounds.lower >= radius || bounds.upper <= radius {
            radius = 0.5 * (bounds.lower + bounds.upper);
            (before, change, earlier) = (laplace.potentials.clone(), step, step);
        }
        let (x, penalty, d) = (x.as_slice(), unit.penalty(), unit.dim());
        z.as_mut_slice().par_chunks_mut(d).zip(x.par_chunks(d)).for_each(|(z, x)| {
            let mut y: Vec<f64> = x.iter().zip(z.iter()).map(|(x, z)| 2.0 * x - z).collect();
            penalty.prox_conjugate(&mut y, radius, 1.0);
            z.iter_mut().zip(&y).zip(x).for_each(|((z, y), x)| *z += y - x);
        });
    }
    (bounds, goes_on)
}

/// Multiplies the row of every edge by a function of its weight.
fn scale_rows(unit: &Problem, rows: &mut Matrix, factor: impl Fn(f64) -> f64) {
    for (e, edge) in unit.graph().edges().iter().enumerate() {
        let factor = factor(edge.weight);
        rows.row_mut(e).iter_mut().for_each(|v| *v *= factor);
    }
}

/// The Laplace equation with conductances A² and its last solution.
struct Laplace<'a> {
    unit: &'a Problem,
    factors: SparseCholesky,
    potentials: Matrix,
}

impl<'a> Laplace<'a> {
    /// None for graphs too large to factor.
    fn new(unit: &'a Problem) -> Option<Laplace<'a>> {
        let graph = unit.graph();
        if graph.nodes() > MOST_NODES {
            return None;
        }
        let (mut entries, mut values) = (Vec::new(), Vec::new());
        let mut add = |row: usize, col: usize, value: f64| {
            entries.push((row as u32, col as u32));
            values.push(value);
        };
        for edge in graph.edges() {
            let conductance = edge.weight.powi(2);
            add(edge.tail, edge.tail, conductance);
            add(edge.head, edge.head, conductance);
            add(edge.head, edge.tail, -conductance);
        }
        // The first node of every component is grounded.
        let component = graph.components(|_| true);
        let mut next = 0;
        for (i, &c) in component.iter().enumerate() {
            if c == next {
                let there = graph.incident(i).iter().map(|inc| graph.edges()[inc.edge()].weight);
                let conductance: f64 = there.map(|weight| weight * weight).sum();
                add(i, i, if conductance > 0.0 { conductance } else { 1.0 });
                next += 1;
            }
        }
        let mut factors = SparseCholesky::new(graph.nodes(), &entries)?;
        let potentials = Matrix::zeros(graph.nodes(), unit.dim());
        factors.factor(&values).then_some(Laplace { unit, factors, potentials })
    }

    /// u ← u + A²(π_tail − π_head), with the potentials that give u the slopes g.
    fn add_nearest_flow(&mut self, gradients: &Matrix, duals: &mut Matrix) {
        let graph = self.unit.graph();
        // s − g with the slopes s = −Σ sign·u; potentials change them by −Lπ.
        let wanted = &mut self.potentials;
        wanted.as_mut_slice().iter_mut().zip(gradients.as_slice()).for_each(|(w, g)| *w = -g);
        for (e, edge) in graph.edges().iter().enumerate() {
            axpy(-1.0, duals.row(e), wanted.row_mut(edge.tail));
            axpy(1.0, duals.row(e), wanted.row_mut(edge.head));
        }
        self.factors.solve(wanted.as_mut_slice(), self.unit.dim());
        for (e, edge) in graph.edges().iter().enumerate() {
            let conductance = edge.weight.powi(2);
            axpy(conductance, self.potentials.row(edge.tail), duals.row_mut(e));
            axpy(-conductance, self.potentials.row(edge.head), duals.row_mut(e));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::Norm2;
    use crate::{Dataset, Graph, LossKind};

    #[test]
    fn a_stop_leaves_the_bounds_so_far() {
        let edges: Vec<_> = (0..12).map(|i| (i, (i + 1) % 12, 1.0 + i as f64)).collect();
        let graph = Graph::new(12, &edges).unwrap();
        let empty = |_| LossKind::Mean.build(Dataset::empty(2), 0.0, 0.0).unwrap();
        let losses = (0..12).map(empty).collect();
        let unit = Problem::new(graph, losses, Box::new(Norm2), 1.0).unwrap();
        // Slopes that add up to zero.
        let slopes = (0..24).map(|k| if k < 12 { 1.0 + k as f64 } else { -(k as f64) + 11.0 });
        let gradients = Matrix::from_rows(2, slopes.collect()).unwrap();
        let forest = Forest::new(unit.graph());
        let bounds = || {
            let mut flow = Matrix::zeros(12, 2);
            forest.balance(unit.graph(), &gradients, &mut flow);
            Bounds { lower: 0.0, upper: congestion(&unit, &flow), flow }
        };
        let run = |most: usize| {
            let mut calls = 0;
            let mut observer = |_: Event<'_>| {
                calls += 1;
                if calls == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let duals = Matrix::zeros(12, 2);
            let (found, goes_on) =
                tighten(&unit, &forest, &gradients, bounds(), duals, 1e-6, &mut observer);
            (found, goes_on, calls)
        };
        let (full, goes_on, total) = run(usize::MAX);
        assert!(goes_on.is_continue() && total > 3);
        assert!(full.lower > 0.0 && full.upper <= full.lower * (1.0 + 1e-5), "{}", full.upper);
        let (early, goes_on, calls) = run(3);
        assert!(goes_on.is_break() && calls == 3);
        assert!(early.lower <= full.upper && early.upper >= full.upper);
    }
}
