//! What a loss that says no more than its value and gradient can do: the provided methods of
//! [`Loss`].

use super::{Bracket, Loss, Region, Slope};
use crate::numeric::linalg::{axpy, cholesky, cholesky_solve, dot, norm};

/// The step of a difference quotient, in units of a coefficient: the third root of ε.
const DIFFERENCE: f64 = 6e-6;
/// Newton steps of a prox at most; a handful is the rule.
const STEPS: usize = 200;
/// A Newton step is halved so many times at most.
const HALVINGS: usize = 40;
/// What counts as rounding in a gradient, relative to its terms.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// hessian ← hessian + ∇²L(w), by central differences of the gradient.
pub(super) fn add_hessian<L: Loss + ?Sized>(loss: &L, params: &[f64], hessian: &mut [f64]) {
    let d = params.len();
    let mut sizes = vec![0.0; d];
    loss.natural_sizes(&mut sizes);
    let (mut ahead, mut behind) = (vec![0.0; d], vec![0.0; d]);
    let mut at = params.to_vec();
    for j in 0..d {
        let h = DIFFERENCE * f64::max(params[j].abs(), sizes[j]).max(f64::MIN_POSITIVE);
        at[j] = params[j] + h;
        loss.gradient(&at, &mut ahead);
        at[j] = params[j] - h;
        loss.gradient(&at, &mut behind);
        at[j] = params[j];
        for k in 0..d {
            let half = (ahead[k] - behind[k]) / (4.0 * h);
            hessian[j * d + k] += half;
            hessian[k * d + j] += half;
        }
    }
}

/// out ← out + ∇²L(w)·direction, from the Hessian.
pub(super) fn add_hessian_times<L: Loss + ?Sized>(
    loss: &L,
    params: &[f64],
    direction: &[f64],
    out: &mut [f64],
) {
    let d = params.len();
    let mut hessian = vec![0.0; d * d];
    loss.add_hessian(params, &mut hessian);
    out.iter_mut().zip(hessian.chunks_exact(d)).for_each(|(o, row)| *o += dot(row, direction));
}

/// argmin over z of F(z) = L(z) + ‖z − at‖²/(2·step), for a differentiable L, by Newton's method. A
/// step is cut until F falls or its gradient is halved; it ends where the gradient is rounding.
pub(super) fn prox<L: Loss + ?Sized>(loss: &L, at: &[f64], step: f64, out: &mut [f64]) {
    let moreau = Moreau { loss, at, step };
    if !moreau.value(out).is_finite() {
        out.copy_from_slice(at);
    }
    let mut here = moreau.point(out.to_vec());
    for _ in 0..STEPS {
        if here.length <= here.rounding {
            break;
        }
        let Some(next) = moreau.newton_step(&here) else { break };
        here = next;
    }
    out.copy_from_slice(&here.z);
}

/// F
struct Moreau<'a, L: ?Sized> {
    loss: &'a L,
    at: &'a [f64],
    step: f64,
}

/// A point with the gradient of F there, its length, and how much of that is rounding.
struct Point {
    z: Vec<f64>,
    gradient: Vec<f64>,
    length: f64,
    rounding: f64,
}

impl<L: Loss + ?Sized> Moreau<'_, L> {
    fn value(&self, z: &[f64]) -> f64 {
        let square: f64 = z.iter().zip(self.at).map(|(z, a)| (z - a) * (z - a)).sum();
        self.loss.value(z) + square / (2.0 * self.step)
    }

    fn point(&self, z: Vec<f64>) -> Point {
        let mut gradient = vec![0.0; z.len()];
        self.loss.gradient(&z, &mut gradient);
        let terms = norm(&gradient) + (norm(&z) + norm(self.at)) / self.step;
        gradient.iter_mut().zip(&z).zip(self.at).for_each(|((g, z), a)| *g += (z - a) / self.step);
        let length = norm(&gradient);
        Point { z, gradient, length, rounding: ROUNDING * terms }
    }

    /// The next point; none where no part of a step comes nearer to the minimum.
    fn newton_step(&self, here: &Point) -> Option<Point> {
        let direction = self.direction(here);
        let along = dot(&direction, &here.gradient);
        let value = self.value(&here.z);
        let mut part = 1.0;
        for _ in 0..HALVINGS {
            let mut z = here.z.clone();
            axpy(part, &direction, &mut z);
            let reached = self.value(&z);
            if reached.is_finite() {
                let next = self.point(z);
                let halved = next.length <= 0.5 * here.length;
                if halved || reached <= value + 1e-4 * part * along && reached < value {
                    return Some(next);
                }
            }
            part *= 0.5;
        }
        None
    }

    /// −(∇²L + I/step)⁻¹∇F; the steepest descent where that cannot be computed.
    fn direction(&self, here: &Point) -> Vec<f64> {
        let d = here.z.len();
        let mut hessian = vec![0.0; d * d];
        self.loss.add_hessian(&here.z, &mut hessian);
        (0..d).for_each(|j| hessian[j * d + j] += 1.0 / self.step);
        let mut direction: Vec<f64> = here.gradient.iter().map(|g| -g).collect();
        if cholesky(&mut hessian, d, 0.0) {
            cholesky_solve(&hessian, d, &mut direction);
        } else {
            direction.iter_mut().for_each(|p| *p *= self.step);
        }
        direction
    }
}

/// The bracket by convexity alone: L(w) ≥ L(at) + ⟨g, w − at⟩ with g = ∇L(at), so that the gap is
/// at most sup ⟨s − g, v⟩ over the region. Value and gradient are taken to be known to a few units
/// in the last place for each parameter and point.
pub(super) fn bracket<L: Loss + ?Sized>(
    loss: &L,
    slope: &Slope,
    at: &[f64],
    region: &Region<'_>,
) -> Bracket {
    let d = at.len();
    let unit = (d + loss.points() + 8) as f64 * f64::EPSILON;
    let mut rest = vec![0.0; d];
    loss.gradient(at, &mut rest);
    let size = norm(&rest);
    let mut off = vec![0.0; d];
    for (j, (r, s)) in rest.iter_mut().zip(slope.values()).enumerate() {
        off[j] = slope.off(j) + unit * (size + s.abs());
        *r = s - *r;
    }
    let value = loss.value(at);
    Bracket { value, lost: unit * value.abs(), gap: region.cost(&rest, &off) }
}
