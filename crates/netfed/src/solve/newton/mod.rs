//! Newton's method for the models that are left when equal parameters are one unknown
//! (`solve/fusion.rs`):
//!
//!   minimize over z   Σᵢ Lᵢ(wᵢ(z)) + Σₑ cφ(w_tail(z) − w_head(z))
//!
//! Between groups the differences are not zero, so that φ is smooth there; for the penalties
//! without kinks every parameter is its own group. Where a step would cross a kink, the groups on
//! both sides are joined.

mod conjugate_gradients;
pub(super) mod elimination;
mod hessian;
pub(super) mod proximal;
mod reduced;
pub(super) mod smoothed;
mod system;

use super::fusion::Fusion;
use crate::numeric::linalg;
use crate::numeric::parallel::{dot, sum_rows};
use crate::penalty::Kinks;
use crate::{Matrix, Problem};
use reduced::Reduced;
use system::System;

const NEWTON_STEPS: usize = 30;

/// How a run of Newton's method ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    /// The gradient is as small as asked for.
    Solved,
    /// The caller asked to stop.
    Stopped,
    /// No progress: the groups may be wrong.
    Stuck,
    /// Too many groups for Newton's method to pay.
    TooLarge,
}

/// Minimizes in the unknowns of a fusion, from the models `params`, until the gradient has fallen
/// to `accuracy` times the size of its terms. `spend` is told the work, in sweeps over the edges;
/// false stops. `most` is what one step may cost.
pub(crate) fn newton(
    problem: &Problem,
    fusion: &mut Fusion,
    params: &mut Matrix,
    accuracy: f64,
    most: f64,
    spend: &mut dyn FnMut(f64) -> bool,
) -> Outcome {
    // Joining is a guess; the best of all stages counts.
    let mut best: Option<(f64, Fusion, Matrix)> = None;
    // At a start near a solution the gradient itself is no measure of its terms.
    let least = accuracy * size_of_terms(problem, params);
    let outcome = loop {
        let (value, end) = descend(problem, fusion, params, (accuracy, least), most, spend);
        let improved = best.as_ref().is_none_or(|(least, ..)| value <= *least);
        match end {
            Ok(outcome) if improved => return outcome,
            Ok(_) => break Outcome::Stuck,
            Err(joins) => {
                let joined = fusion.joined(&joins);
                let fusion = std::mem::replace(fusion, joined);
                if improved {
                    best = Some((value, fusion, params.clone()));
                }
            }
        }
    };
    if let Some((_, old_fusion, old_params)) = best {
        (*fusion, *params) = (old_fusion, old_params);
    }
    outcome
}

/// √Σ‖∇Lᵢ(wᵢ)‖²
fn size_of_terms(problem: &Problem, params: &Matrix) -> f64 {
    let dim = problem.dim();
    let square = |i: usize, g: &mut [f64]| {
        problem.loss(i).gradient(params.row(i), g);
        linalg::dot(g, g)
    };
    sum_rows(problem.nodes(), 8 * dim, dim, square).sqrt()
}

/// Newton steps for fixed groups, until the gradient is at most `least`, or has fallen to
/// `accuracy`. Gives the objective in the end; an error names the pairs of unknowns that are to be
/// joined.
fn descend(
    problem: &Problem,
    fusion: &Fusion,
    params: &mut Matrix,
    (accuracy, least): (f64, f64),
    most: f64,
    spend: &mut dyn FnMut(f64) -> bool,
) -> (f64, Result<Outcome, Vec<(u32, u32)>>) {
    let reduced = Reduced::new(problem, fusion);
    let mut z = fusion.mean(params.as_slice());
    fusion.spread(&z, params.as_mut_slice());
    let mut trial = params.clone();
    let mut value = problem.objective(params);
    let (mut full, mut gradient) = (vec![0.0; trial.as_slice().len()], vec![0.0; fusion.count]);
    let mut system: Option<System<'_>> = None;
    let mut goal = least;
    // Damping keeps models that the data leave free from jumping; it fades as the steps get better.
    let mut damping = if problem.penalty().kinks() == Kinks::None { 1e-13 } else { 1e-8 };
    for _ in 0..NEWTON_STEPS {
        reduced.gradient(params, &mut full);
        fusion.sum(&full, &mut gradient);
        let size = dot(&gradient, &gradient).sqrt();
        let scale = dot(&full, &full).sqrt();
        goal = f64::max(goal, accuracy * size.max(scale));
        if size <= goal {
            return (value, Ok(Outcome::Solved));
        }
        if system.is_none() {
            system = System::new(&reduced, most);
        }
        let Some(system) = &mut system else {
            return (value, Ok(Outcome::TooLarge));
        };
        let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let relative = (0.1 * goal / size).clamp(1e-14, 0.1);
        let goes_on = system.solve(params, &mut direction, damping, relative, spend);
        let descent = dot(&gradient, &direction);
        if descent >= 0.0 || !descent.is_finite() {
            return (value, Ok(if goes_on { Outcome::Stuck } else { Outcome::Stopped }));
        }
        let searched =
            line_search(&reduced, params, &mut trial, (&z, &direction), (value, descent));
        match searched {
            Searched::Moved { to, objective } => {
                (z, value) = (to, objective);
                damping = f64::max(0.1 * damping, 1e-13);
            }
            Searched::Crossed(pairs) => return (value, Err(pairs)),
            Searched::TooShort(outcome) => return (value, Ok(outcome)),
        }
        if !goes_on {
            return (value, Ok(Outcome::Stopped));
        }
    }
    (value, Ok(Outcome::Stuck))
}

/// How a line search ended.
enum Searched {
    /// At these unknowns, with this objective.
    Moved { to: Vec<f64>, objective: f64 },
    /// The whole step crosses kinks: these pairs of unknowns are to be joined.
    Crossed(Vec<(u32, u32)>),
    /// No step is long enough: the point is solved as far as rounding shows, or stuck.
    TooShort(Outcome),
}

/// Halves the step z + p until the objective falls by a part of what its slope promises; `params`
/// are then the new models.
fn line_search(
    reduced: &Reduced<'_>,
    params: &mut Matrix,
    trial: &mut Matrix,
    (z, direction): (&[f64], &[f64]),
    (value, descent): (f64, f64),
) -> Searched {
    let noise = 4e-15 * value.abs();
    let mut length = 1.0;
    loop {
        let to: Vec<f64> = z.iter().zip(direction).map(|(z, p)| z + length * p).collect();
        reduced.fusion.spread(&to, trial.as_mut_slice());
        let objective = reduced.problem.objective(trial);
        if objective <= value + 1e-4 * length * descent + noise {
            std::mem::swap(params, trial);
            return Searched::Moved { to, objective };
        }
        if length == 1.0 {
            let pairs = reduced.crossings(params, trial);
            if !pairs.is_empty() {
                return Searched::Crossed(pairs);
            }
        }
        length *= 0.5;
        if length < 1e-4 {
            let done = -descent <= 1e3 * noise;
            return Searched::TooShort(if done { Outcome::Solved } else { Outcome::Stuck });
        }
    }
}
