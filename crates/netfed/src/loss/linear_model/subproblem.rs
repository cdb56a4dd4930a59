//! The problem behind a prox without closed form,
//!
//!   minimize over z   (1/m) Σ_r ℓ(x_rᵀz, y_r) + η₁‖z‖₁ + (κ/2)‖z − c‖²

use super::design::Design;

/// The problem. κ = 1/step + 2·ridge and c = at/(κ·step): the square is that of a prox and of a
/// ridge.
pub(super) struct Subproblem<'a, S> {
    pub(super) scalar: &'a S,
    pub(super) features: &'a [f64],
    pub(super) design: &'a Design,
    pub(super) labels: &'a [f64],
    pub(super) lasso: f64,
    pub(super) ridge: f64,
    /// Mean of ‖x_r‖².
    pub(super) mean_square: f64,
    /// Units u of the features, if they have their own (`units.rs`): z ← z/u. Then κ, c and η₁
    /// differ from one coordinate to the next.
    pub(super) units: &'a [f64],
    /// Whether `at`, the step and the solution are in these units, too.
    pub(super) even: bool,
    pub(super) at: &'a [f64],
    pub(super) step: f64,
    /// Error that is allowed where ℓ is smooth and has no lasso, relative to the way from the guess
    /// to the solution; that of rounding is always.
    pub(super) relative: f64,
}

/// κ, c and η₁, coordinate by coordinate.
#[derive(Default)]
pub(super) struct Square {
    pub(super) kappa: Vec<f64>,
    pub(super) c: Vec<f64>,
    pub(super) lasso: Vec<f64>,
    /// The least κ.
    pub(super) least: f64,
}

/// Slopes and curvatures of all terms at one point.
#[derive(Default)]
pub(super) struct Evaluation {
    pub(super) predictions: Vec<f64>,
    pub(super) a: Vec<f64>,
    pub(super) b: Vec<f64>,
    pub(super) data_curvature: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    /// Size of the terms that add up to the gradient: the scale of its rounding errors.
    pub(super) scale: f64,
}

impl<S> Subproblem<'_, S> {
    /// κ, c and η₁ of this problem.
    pub(super) fn square(&self, square: &mut Square) {
        let Square { kappa, c, lasso, least } = square;
        let (step, ridge) = (1.0 / self.step, 2.0 * self.ridge);
        let one = step + ridge;
        kappa.fill(one);
        lasso.fill(self.lasso);
        c.iter_mut().zip(self.at).for_each(|(c, v)| *c = v / (self.step * one));
        for (j, u) in self.units.iter().enumerate() {
            let own = if self.even { step } else { step * u * u };
            let at = if self.even { self.at[j] } else { self.at[j] / u };
            kappa[j] = own + ridge * u * u;
            c[j] = own / kappa[j] * at;
            lasso[j] *= u;
        }
        *least = kappa.iter().copied().fold(f64::INFINITY, f64::min);
    }
}
