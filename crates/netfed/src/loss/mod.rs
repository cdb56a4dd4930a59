//! Local losses L of the nodes: convex, nonnegative, the mean over the node's data points,
//! plus `ridge`·‖w‖² and `lasso`·‖w‖₁ where asked for.
//!
//! | name | one data point |
//! | --- | --- |
//! | `squared` | (y − wᵀx)² |
//! | `logistic` | log(1 + exp(−y wᵀx)), y ∈ {−1, 1} |
//! | `huber` | ½r² for \|r\| ≤ δ, δ\|r\| − ½δ² beyond, r = y − wᵀx |
//! | `absolute` | \|y − wᵀx\| |
//! | `hinge` | max(0, 1 − y wᵀx), y ∈ {−1, 1} |
//! | `mean` | ‖x − w‖², data without labels |
//!
//! A node without data has L = 0, also when ridge or lasso is asked for.

mod kind;
mod least_squares;
mod linear_model;
mod mean;
mod minimizers;
mod provided;
mod quadratic_model;
mod region;
mod sampled;
mod scalar;
mod scaled;
mod slope;
mod sum;
mod zero;

pub use kind::LossKind;
pub use least_squares::LeastSquares;
pub(crate) use least_squares::least_squares_prox;
pub use linear_model::LinearModel;
pub(crate) use linear_model::Margins;
pub use mean::Mean;
pub(crate) use mean::mean_prox;
pub(crate) use minimizers::{common_dim, minimizers};
pub(crate) use region::Common;
pub use region::Region;
pub use sampled::Sampled;
pub(crate) use scalar::sigmoid;
pub use scalar::{Absolute, Hinge, Huber, Logistic, ScalarLoss, Squared};
pub(crate) use scaled::Scaled;
pub use slope::Slope;
pub(crate) use sum::sum;
pub use zero::Zero;

use crate::numeric::linalg::gram::Gram;
use crate::numeric::linalg::{distance, dot, norm};

/// The convex local loss L of one node, with L ≥ 0.
///
/// A smooth loss of your own says how many parameters it has, its value and its gradient
/// (`examples/own_loss.rs`). All else is provided, and may be said for what it buys:
///
/// | who also says | gets |
/// | --- | --- |
/// | `prox`, `maximizer` | speed: without them there are some Newton steps for each prox. A loss with kinks needs a prox of its own |
/// | `prox_near`, `compact` | speed, where an inexact prox or one in closed form is cheap |
/// | `is_smooth`, `smoothed` | Newton's method at the end of a run, proofs of λ_max |
/// | `add_hessian`, `add_hessian_times` | the same faster and to more digits: without them, differences of the gradient |
/// | `level_radius`, `level_box` | a certificate: where better models may be. Without it a run ends `unproven` |
/// | `bracket`, `conjugate` | a sharper certificate: the Fenchel gap itself |
/// | `points` | its part in averages by numbers of points; 0 says that there are no data, and that L = 0 |
/// | `growth`, `add_gram`, `add_gram_times`, `margins`, `blind_to` | certificates next to nodes with too little data |
/// | `natural_sizes` | models judged in units of the features |
/// | `curvature`, `model` | suited step lengths; the proximal Newton method |
///
/// [`laws::check_loss`](crate::laws::check_loss) holds a loss to what it says.
pub trait Loss: Send + Sync {
    /// Number of parameters d.
    fn dim(&self) -> usize;

    /// Number of data points m. Provided: 1.
    fn points(&self) -> usize {
        1
    }

    /// L(w)
    fn value(&self, params: &[f64]) -> f64;

    /// The gradient of L at w, or a subgradient where there is none.
    fn gradient(&self, params: &[f64], out: &mut [f64]);

    /// Whether L is differentiable everywhere and twice differentiable almost everywhere. Provided:
    /// no, so that nothing is asked of its Hessian.
    fn is_smooth(&self) -> bool {
        false
    }

    /// hessian ← hessian + ∇²L(w) (row-major d × d), where L is smooth. Provided: by differences of
    /// the gradient.
    fn add_hessian(&self, params: &[f64], hessian: &mut [f64]) {
        provided::add_hessian(self, params, hessian);
    }

    /// out ← out + ∇²L(w)·direction, where L is smooth.
    fn add_hessian_times(&self, params: &[f64], direction: &[f64], out: &mut [f64]) {
        provided::add_hessian_times(self, params, direction, out);
    }

    /// argmin over z of L(z) + ‖z − at‖²/(2·step), to machine accuracy. On entry `out` is a
    /// guess; a good one saves time, any one gives the answer. Provided for differentiable losses:
    /// Newton's method with a search along its steps.
    fn prox(&self, at: &[f64], step: f64, out: &mut [f64]) {
        provided::prox(self, at, step, out);
    }

    /// The same up to an error of at most 5% of the way from the guess: enough for a method that
    /// comes back until the way is zero.
    fn prox_near(&self, at: &[f64], step: f64, out: &mut [f64]) {
        self.prox(at, step, out);
    }

    /// L(at), and an upper bound of the Fenchel gap L(at) + L_V*(slope) − ⟨slope, at⟩ ≥ 0, where
    /// L_V*(s) = sup of ⟨s, w⟩ − L(w) over the w with w − at in the region V. That may be
    /// everywhere (then L_V* is the conjugate L*), and the bound may be +∞. Never an underestimate,
    /// rounding included. Provided: what convexity alone says, +∞ everywhere.
    fn bracket(&self, slope: &Slope, at: &[f64], region: &Region<'_>) -> Bracket {
        provided::bracket(self, slope, at, region)
    }

    /// The bound of [`Loss::bracket`] for a slope that is known exactly, and a ball.
    fn fenchel_gap(&self, slope: &[f64], at: &[f64], radius: f64) -> f64 {
        self.bracket(&Slope::exact(slope), at, &Region::ball(radius)).gap
    }

    /// Some maximizer of ⟨slope, w⟩ − L(w): for slope 0 a minimizer of L. Where there is none, a
    /// point that comes near the supremum.
    fn maximizer(&self, slope: &[f64], out: &mut [f64]) {
        proximal_point(|at, step, out| self.prox(at, step, out), slope, 1.0, out);
    }

    /// L*(slope), or an upper bound; +∞ where there is none.
    fn conjugate(&self, slope: &[f64]) -> f64 {
        let mut w = vec![0.0; self.dim()];
        self.maximizer(slope, &mut w);
        self.fenchel_gap(slope, &w, f64::INFINITY) + dot(slope, &w) - self.value(&w)
    }

    /// Value, gradient (to `slope`) and Hessian (added to `hessian`, row-major d × d) of a smooth
    /// convex function near L: kinks in predictions are rounded off over a width μ, those in
    /// parameters over widths of their own. Provided for smooth losses: L itself. None where there
    /// is no such function.
    fn smoothed(
        &self,
        params: &[f64],
        _mu: f64,
        _of_params: &[f64],
        slope: &mut [f64],
        hessian: &mut [f64],
    ) -> Option<f64> {
        self.is_smooth().then(|| {
            self.gradient(params, slope);
            self.add_hessian(params, hessian);
            self.value(params)
        })
    }

    /// What a small loss says about the predictions of a model.
    fn growth(&self) -> Growth {
        Growth::Flat
    }

    /// A radius r such that L(w) ≤ level and L(center) ≤ level imply ‖w − center‖ ≤ r; +∞ if
    /// unknown.
    fn level_radius(&self, _level: f64, _center: &[f64]) -> f64 {
        f64::INFINITY
    }

    /// The same for every coordinate: |w_j − center_j| ≤ out_j.
    fn level_box(&self, level: f64, center: &[f64], out: &mut [f64]) {
        out.fill(self.level_radius(level, center));
    }

    /// By how much a coefficient must change to change the predictions by the size of the labels:
    /// rms(y)/rms(x_j), or zero where the data do not see it. It only says what is near
    /// ([`Certificate::residual`](crate::Certificate)).
    fn natural_sizes(&self, out: &mut [f64]) {
        out.fill(1.0);
    }

    /// gram ← gram + XᵀX/m (row-major d × d): what pooling this node adds to its neighbors.
    fn add_gram(&self, _gram: &mut [f64]) {}

    /// out ← out + XᵀX·direction/m, from the data, without cancellation where X·direction is small.
    fn add_gram_times(&self, _direction: &[f64], _out: &mut [f64]) {}

    /// total ← total + XᵀX/m with twice the digits. Provided: then nothing is known about the
    /// total.
    #[doc(hidden)]
    fn add_to_gram(&self, total: &mut Gram) {
        total.spoil();
    }

    /// Adds the features of points that are not in a list yet; false where there would be more than
    /// `most`, or they are not known.
    #[doc(hidden)]
    fn add_distinct(&self, _rows: &mut Vec<Vec<f64>>, _most: usize) -> bool {
        false
    }

    /// Whether moving the parameters along a vector of integers certainly changes no prediction of
    /// this node, and so leaves L as it is. False if unknown.
    fn blind_to(&self, _direction: &[f64]) -> bool {
        false
    }

    /// What the prox needs, in one piece of memory, where that is little.
    fn compact(&self) -> Option<Compact<'_>> {
        None
    }

    /// The quadratic model of L at a point: a loss in closed form with the same gradient and
    /// curvature there, and how far it lies above L. None where the curvature of L jumps, or the
    /// model has no minimum.
    fn model(&self, _at: &[f64]) -> Option<(Box<dyn Loss>, f64)> {
        None
    }

    /// Bounds of the second derivative; none where L is not differentiable.
    fn curvature(&self) -> Option<Curvature> {
        None
    }

    /// Features and labels, for losses whose growth is [`Growth::Margin`].
    fn margins(&self) -> Option<(&[f64], &[f64])> {
        None
    }
}

/// A value L(w) and a bound of the Fenchel gap there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// L(w), rounded.
    pub value: f64,
    /// What the value may be off.
    pub lost: f64,
    /// The bound of the gap; +∞ where there is none.
    pub gap: f64,
}

/// Losses with a prox in closed form.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Compact<'a> {
    /// L = 0
    Zero,
    /// The mean of squares, from its singular value decomposition.
    LeastSquares {
        /// m
        points: f64,
        /// Factor of ‖w‖².
        ridge: f64,
        /// The entries of all v_k, then all s_k, then all t_k.
        factors: &'a [f64],
        /// The s_k alone.
        singular: &'a [f64],
        /// ρ
        rest: f64,
    },
    /// The mean of ‖x − w‖².
    Mean {
        /// Mean of the points.
        center: &'a [f64],
        /// Factor of ‖w‖².
        ridge: f64,
        /// Factor of ‖w‖₁.
        lasso: f64,
        /// Mean of ‖x − x̄‖².
        spread: f64,
    },
}

/// low·XᵀX/m + 2·ridge ⪯ ∇²L(w) ⪯ high·XᵀX/m + 2·ridge for all w, with the XᵀX/m of
/// [`Loss::add_gram`]; where the gradient has kinks, the same for its difference quotients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curvature {
    /// Least curvature of the loss of a data point.
    pub low: f64,
    /// Largest curvature of the loss of a data point.
    pub high: f64,
    /// Factor of ‖w‖².
    pub ridge: f64,
}

/// What L(w) ≤ B says about the predictions Xw. See docs/certificate.md, lemma 4.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Growth {
    /// Nothing, as for L = 0.
    Flat,
    /// ‖Xw − y‖₂/√m ≤ √B
    Quadratic,
    /// ‖Xw − y‖₂/√m ≤ slope·B + offset
    Linear {
        /// Factor of B.
        slope: f64,
        /// Added constant.
        offset: f64,
    },
    /// The mean of max(0, −y xᵀw) is at most B.
    Margin,
}

/// The proximal point method for min L(w) − ⟨slope, w⟩ from 0, with steps that grow tenfold up to
/// 10⁵ units. It converges fast where a minimizer exists; longer steps would cost the prox its
/// accuracy.
fn proximal_point(
    prox: impl Fn(&[f64], f64, &mut [f64]),
    slope: &[f64],
    unit: f64,
    out: &mut [f64],
) {
    out.fill(0.0);
    let mut at = vec![0.0; out.len()];
    let mut next = vec![0.0; out.len()];
    let mut step = unit;
    for _ in 0..60 {
        for ((a, w), s) in at.iter_mut().zip(out.iter()).zip(slope) {
            *a = w + step * s;
        }
        next.copy_from_slice(out);
        prox(&at, step, &mut next);
        let moved = distance(&next, out);
        out.copy_from_slice(&next);
        if moved <= 1e-15 * norm(out) {
            break;
        }
        step = f64::min(step * 10.0, 1e10 * unit);
    }
}
