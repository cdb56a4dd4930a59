//! λ_max: the smallest λ at which one model for every connected component is optimal.
//!
//! With the minimizer w̄ of Σ Lᵢ over a component and gᵢ = ∇Lᵢ(w̄), the common model is optimal at
//! λ exactly if there are duals with the slopes g and ‖uₑ‖_* ≤ λAₑ. So for smooth losses and norms
//!
//!   λ_max = min over flows u with slopes g of max_e ‖uₑ‖_*/Aₑ  =  max over p of −⟨g, p⟩ / Σ Aₑ φ(p_tail − p_head)
//!
//! Every flow proves an upper bound, every p a lower one. In a forest there is only one flow: a
//! formula. Otherwise see `flow.rs`. Losses with kinks have no unique g: see `search.rs`. The g of
//! smooth losses are unique also where w̄ is not.

mod exact;
mod flow;
mod forest;
mod search;
mod tighten;

use crate::certificate::radius::center;
use crate::numeric::linalg::twofold::twofold_dot;
use crate::numeric::linalg::{axpy, norm};
use crate::outcome::{Event, Observer, Start, Unobserved};
use crate::run::Options;
use crate::solve::exact::common_model::common_model;
use crate::{Error, Matrix, Problem};
use forest::Forest;
use std::ops::ControlFlow;

/// What is known about λ_max.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LambdaMax {
    /// λ_max is at least this. Proven.
    pub lower: f64,
    /// λ_max is at most this; see [`Proof`].
    pub upper: f64,
    /// How it is known.
    pub proof: Proof,
    /// A solution at λ = `upper`, where one came along: every component with one model.
    pub merged: Option<Start>,
}

/// How λ_max is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The graph has no cycles: `lower` and `upper` differ by rounding only.
    Formula,
    /// A flow proves `upper`.
    Flow,
    /// At `upper` the common model is within the solver's tolerance of the optimum, which proves
    /// nothing. Losses with kinks, those without a minimizer, and those whose common model has no
    /// bound.
    Tolerance,
    /// This penalty never merges models. From `upper` on, models differ by less than a thousandth
    /// of the spread of the local ones.
    Never,
    /// Also at `upper` the models are not one; the search was given up there.
    NotFound,
}

/// Finds λ_max. `options` holds for the solves on the way.
pub fn lambda_max(problem: &Problem, options: &Options) -> Result<LambdaMax, Error> {
    lambda_max_with(problem, options, &mut Unobserved)
}

/// [`lambda_max()`] with an observer of the solves on the way, who may end the search, which then
/// gives the bounds so far.
pub fn lambda_max_with(
    problem: &Problem,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<LambdaMax, Error> {
    let unit = problem.at_lambda(1.0)?;
    if unit.graph().edges().is_empty() {
        return Ok(LambdaMax { lower: 0.0, upper: 0.0, proof: Proof::Formula, merged: None });
    }
    // A run that is stopped when it has just been solved does not say so: whoever asks next is told
    // again.
    let mut stopped = false;
    let mut observer = |event: Event<'_>| {
        stopped |= observer.observe(event).is_break();
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    if unit.penalty().norm().is_none() {
        return search::until_close(&unit, options, &mut observer);
    }
    match tangent(&unit) {
        Some(tangent) => flow::lambda_max(&unit, &tangent, options, &mut observer),
        None => search::until_merged(&unit, options, &mut observer),
    }
}

/// One model per component, and the gradients of all losses there.
struct Tangent {
    models: Matrix,
    gradients: Matrix,
}

/// The common models and their gradients; None if a loss has kinks or a component has no common
/// model.
fn tangent(problem: &Problem) -> Option<Tangent> {
    if !(0..problem.nodes()).all(|i| problem.loss(i).is_smooth()) {
        return None;
    }
    let mut models = Matrix::zeros(problem.nodes(), problem.dim());
    let mut gradients = models.clone();
    for nodes in components(problem) {
        // A node without edges has nothing to share.
        if let [i] = nodes[..] {
            problem.loss(i).maximizer(&vec![0.0; problem.dim()], models.row_mut(i));
            continue;
        }
        let model = common_model(problem, &nodes)?;
        let (mut mean, mut size) = (vec![0.0; problem.dim()], 0.0);
        for &i in &nodes {
            models.row_mut(i).copy_from_slice(&model);
            problem.loss(i).gradient(&model, gradients.row_mut(i));
            axpy(1.0 / nodes.len() as f64, gradients.row(i), &mut mean);
            // What rounding may be taken for a gradient: relative to the gradient of the losses
            // elsewhere.
            let mut elsewhere = vec![0.0; problem.dim()];
            problem.loss(i).gradient(&vec![0.0; problem.dim()], &mut elsewhere);
            size = f64::max(size, norm(&elsewhere));
        }
        let largest = nodes.iter().map(|&i| norm(gradients.row(i))).fold(0.0, f64::max);
        for &i in &nodes {
            if largest <= 1e-13 * size {
                gradients.row_mut(i).fill(0.0)
            } else {
                axpy(-1.0, &mean, gradients.row_mut(i))
            }
        }
    }
    Some(Tangent { models, gradients })
}

/// The nodes of every connected component.
fn components(problem: &Problem) -> Vec<Vec<usize>> {
    let component = problem.graph().components(|_| true);
    let mut nodes = vec![Vec::new(); component.iter().max().map_or(0, |c| c + 1)];
    component.iter().enumerate().for_each(|(i, &c)| nodes[c].push(i));
    nodes
}

/// −⟨g, p⟩ / Σ Aₑ φ(p_tail − p_head), or 0 where all p are equal; p is taken from the root of every
/// component, as Σ g is zero up to rounding only.
fn ratio(unit: &Problem, gradients: &Matrix, p: &Matrix) -> f64 {
    let mut p = p.clone();
    center(unit, &mut p);
    let variation = unit.variation(&p);
    let along = twofold_dot(gradients.as_slice(), p.as_slice()).value();
    if variation > 0.0 { -along / variation } else { 0.0 }
}

/// max_e ‖uₑ‖_*/Aₑ
fn congestion(unit: &Problem, duals: &Matrix) -> f64 {
    let edges = unit.graph().edges().iter().enumerate();
    let load = edges.map(|(e, edge)| {
        unit.penalty().norm().map_or(f64::INFINITY, |norm| norm.dual(duals.row(e))) / edge.weight
    });
    load.fold(0.0, f64::max)
}
