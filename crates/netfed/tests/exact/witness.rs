//! A point with nearly the least objective, by a barrier method in floats of many bits.
//!
//! Every kink is smoothed with a parameter μ: c|r| becomes the least of c·t − μ log(t² − r²) over
//! t, and so on. What is smoothed is self-concordant, so damped Newton steps converge from
//! anywhere; μ falls until it does not matter. Nothing here needs to be right for the test to be
//! right: any point refutes a bound above its objective. A bad one only refutes less.

use crate::kernels::{Local, local};
use crate::number::{BITS, Real, nearest, power_of_two, real};
use crate::terms::{Affine, Function, Term, objective};
use dashu_float::round::mode::HalfEven;

/// Most Newton steps for one μ, and in all.
const STEPS: usize = 60;
const ALL_STEPS: usize = 500;
/// What keeps models from going to infinity where the objective does not: μ times this times the
/// square of what a parameter adds to the rows. It does not matter for the value.
const TETHER: f64 = 1e-24;

/// A nearly optimal point.
pub(crate) struct Witness {
    pub(crate) point: Vec<Real>,
    /// The last μ: the smoothed objective is nearly least there.
    pub(crate) mu: Real,
    /// Whether the method came to its end.
    pub(crate) finished: bool,
}

/// Improves a point until its value is nearly the least.
pub(crate) fn witness(terms: &[Term], start: &[f64]) -> Witness {
    witness_to(terms, start, 1e-25)
}

/// The same until smoothing costs no more than a part of the value; models are as good as its root.
pub(crate) fn witness_to(terms: &[Term], start: &[f64], accuracy: f64) -> Witness {
    let finite = |x: &f64| if x.is_finite() { *x } else { 0.0 };
    let mut w: Vec<Real> = start.iter().map(|x| real(finite(x))).collect();
    let kinks: usize = terms.iter().map(kinks).sum();
    let cost = real(kinks.max(1) as f64);
    let value =
        |w: &[Real]| objective(terms, w).with_rounding::<HalfEven>().with_precision(BITS).value();
    let floor = Ord::max(real(1e-36) * value(&vec![real(0.0); w.len()]), power_of_two(-3000));
    let mut mu = Ord::max(real(0.1) * value(&w), floor.clone()) / &cost;
    let tether = tether(terms, w.len());
    let mut left = if accuracy < 1e-30 { 3 * ALL_STEPS } else { ALL_STEPS };
    loop {
        let mut system = System::new(terms, &tether, &w, &mu);
        for _ in 0..STEPS {
            left = left.saturating_sub(1);
            let step = system.solve();
            let decrement = nearest(&(step.slope(&system) / &mu)).clamp(0.0, 1e300).sqrt();
            if decrement < 1e-3 {
                break;
            }
            let mut length =
                if kinks == 0 || decrement < 0.25 { 1.0 } else { 1.0 / (1.0 + decrement) };
            loop {
                let at = step.take(&w, length);
                let next = System::new(terms, &tether, &at, &mu);
                let overshoot = -step.slope(&next);
                if overshoot <= real(0.5) * step.slope(&system) || length < 1e-9 {
                    (w, system) = (at, next);
                    break;
                }
                length *= 0.5;
            }
            if left == 0 {
                return Witness { point: w, mu, finished: false };
            }
        }
        if &mu * &cost <= real(accuracy) * Ord::max(value(&w), floor.clone()) {
            return Witness { point: w, mu, finished: true };
        }
        mu /= real(if kinks == 0 { 1e10 } else { 30.0 });
    }
}

fn tether(terms: &[Term], parameters: usize) -> Vec<Real> {
    let mut sums = vec![real(0.0); parameters];
    for &(k, factor) in terms.iter().flat_map(|t| &t.rows).flat_map(|r| &r.parts) {
        sums[k] += real(factor) * real(factor);
    }
    sums.iter().map(|sum| real(TETHER) * sum).collect()
}

/// How much smoothing costs, in units of μ.
fn kinks(term: &Term) -> usize {
    match term.function {
        Function::Absolute | Function::Huber(_) | Function::Positive | Function::Norm2 => 2,
        Function::NormInf => 2 * term.rows.len(),
        _ => 0,
    }
}

/// The value of an affine function, rounded.
pub(crate) fn value(row: &Affine, w: &[Real]) -> Real {
    row.parts.iter().fold(real(row.constant), |sum, &(k, factor)| sum + real(factor) * &w[k])
}

/// Derivatives of a smoothed term with respect to the values of its rows.
pub(crate) fn derivatives(term: &Term, w: &[Real], mu: &Real) -> Local {
    let r: Vec<Real> = term.rows.iter().map(|row| value(row, w)).collect();
    let weight = real(term.weight[0]) * real(term.weight[1]) / real(term.divisor as f64);
    local(&term.function, &weight, &r, mu)
}

/// Gradient and Hessian of the smoothed objective at a point.
struct System {
    gradient: Vec<Real>,
    hessian: Vec<Vec<Real>>,
}

impl System {
    fn new(terms: &[Term], tether: &[Real], w: &[Real], mu: &Real) -> System {
        let n = w.len();
        let mut gradient = vec![real(0.0); n];
        let mut hessian = vec![vec![real(0.0); n]; n];
        for term in terms {
            let local = derivatives(term, w, mu);
            for (a, row) in term.rows.iter().enumerate() {
                for &(k, factor) in &row.parts {
                    let factor = real(factor);
                    gradient[k] += &local.gradient[a] * &factor;
                    for (b, other) in term.rows.iter().enumerate() {
                        let curvature = &local.hessian[a * term.rows.len() + b];
                        if curvature.repr().is_pos_zero() {
                            continue;
                        }
                        let scaled = curvature * &factor;
                        for &(l, other) in other.parts.iter().filter(|(l, _)| *l <= k) {
                            hessian[k][l] += &scaled * real(other);
                        }
                    }
                }
            }
        }
        for (k, tether) in tether.iter().enumerate() {
            let curvature = mu * tether;
            gradient[k] += &curvature * &w[k];
            hessian[k][k] += curvature;
        }
        System { gradient, hessian }
    }

    /// The Newton step, by LDLᵀ; pivots that are lost in rounding are left out.
    fn solve(&self) -> Step {
        let n = self.gradient.len();
        let tiny = power_of_two(-(BITS as isize) * 3 / 4);
        let mut rows = self.hessian.clone();
        let mut kept = vec![true; n];
        for k in 0..n {
            for l in 0..k {
                let sum = (0..l).filter(|&j| kept[j]).fold(rows[k][l].clone(), |sum, j| {
                    sum - &rows[k][j] * &rows[l][j] * &rows[j][j]
                });
                rows[k][l] = if kept[l] { sum / &rows[l][l] } else { real(0.0) };
            }
            let pivot = (0..k)
                .filter(|&j| kept[j])
                .fold(rows[k][k].clone(), |sum, j| sum - &rows[k][j] * &rows[k][j] * &rows[j][j]);
            kept[k] = pivot > &tiny * &rows[k][k];
            rows[k][k] = pivot;
        }
        let mut x: Vec<Real> = self.gradient.iter().map(|g| -g.clone()).collect();
        for k in 0..n {
            for l in (0..k).filter(|&l| kept[l]) {
                x[k] = &x[k] - &rows[k][l] * &x[l];
            }
        }
        for k in 0..n {
            x[k] = if kept[k] { &x[k] / &rows[k][k] } else { real(0.0) };
        }
        for k in (0..n).rev() {
            for l in k + 1..n {
                x[k] = &x[k] - &rows[l][k] * &x[l];
            }
            if !kept[k] {
                x[k] = real(0.0);
            }
        }
        Step { direction: x }
    }
}

struct Step {
    direction: Vec<Real>,
}

impl Step {
    /// −⟨gradient, direction⟩
    fn slope(&self, system: &System) -> Real {
        let terms = self.direction.iter().zip(&system.gradient);
        terms.fold(real(0.0), |sum, (d, g)| sum - d * g)
    }

    /// The point after a part of the step.
    fn take(&self, w: &[Real], length: f64) -> Vec<Real> {
        let length = real(length);
        w.iter().zip(&self.direction).map(|(w, d)| w + &length * d).collect()
    }
}
