//! Value and Fenchel gap of least squares, from the moments of the data with twice the digits
//! (`moments.rs`), for a slope s around a point w:
//!
//!   r = s − ∇L(w),   L(w + v) = L(w) + ⟨∇L(w), v⟩ + vᵀHv,   H = XᵀX/m + η₂I,   gap = sup over ‖v‖ ≤ R of ⟨r, v⟩ − vᵀHv
//!
//! Where the factors are proven to whiten H the gap is at most rᵀH⁻¹r/4
//! (`numeric/linalg/whitening.rs`). Otherwise, for every u, with G = XᵀX/m and e = r − 2Gu,
//!
//!   ⟨r, v⟩ − vᵀHv  ≤  uᵀGu + ⟨e, v⟩ − η₂‖v‖²  ≤  uᵀGu + min(R‖e‖, ‖e‖²/(4η₂))
//!
//! since 2⟨Gu, v⟩ − vᵀGv ≤ uᵀGu. The u of the factors makes it tight. All is proven in
//! docs/certificate.md, lemma 2.

use super::moments::Moments;
use crate::loss::region::by_ridge;
use crate::loss::{Bracket, LeastSquares, Region, Slope};
use crate::numeric::dimension::with_dimension;
use crate::numeric::linalg::axpy;
use crate::numeric::linalg::twofold::{Twofold, lost, two_product};
use crate::numeric::simd::Loop;

/// The bracket of a slope around `at`.
pub(super) struct CertifySquares<'a> {
    pub(super) loss: &'a LeastSquares,
    pub(super) slope: &'a Slope,
    pub(super) at: &'a [f64],
    pub(super) region: &'a Region<'a>,
}

impl Loop for CertifySquares<'_> {
    type Output = Bracket;

    #[inline(always)]
    fn call(self) -> Bracket {
        // Memory of the caller's where there are few parameters.
        let d = self.at.len();
        with_dimension!(
            d,
            DIM => self.bracket([0.0; DIM + 1], [Twofold::default(); DIM + 1], [0.0; DIM]),
            else self.bracket(vec![0.0; d + 1], vec![Twofold::default(); d + 1], vec![0.0; d])
        )
    }
}

impl CertifySquares<'_> {
    /// With room for a vector and its product with the moments, and for what the latter may be off.
    #[inline(always)]
    fn bracket(
        self,
        mut vector: impl AsMut<[f64]>,
        mut image: impl AsMut<[Twofold]>,
        mut off: impl AsMut<[f64]>,
    ) -> Bracket {
        let CertifySquares { loss, slope, at, region } = self;
        let (vector, image, off) = (vector.as_mut(), image.as_mut(), off.as_mut());
        let (m, d) = (loss.m(), at.len());
        vector[..d].copy_from_slice(at);
        vector[d] = -1.0;
        let wrong = loss.moments.times(vector, image);
        let (square, lost_square) = Moments::square(vector, image, wrong);
        let norms = loss.moments.norms();
        let value = (square + loss.constant) / m + loss.ridge * square_of(at);
        let lost_value = lost_square / m * (1.0 + 1e-12) + (d + 6) as f64 * f64::EPSILON * value;
        // image ← m·r = m·s − 2(Mŵ) − 2mη₂w
        let (twice, twice_low) = two_product(2.0 * m, loss.ridge);
        for (j, ((image, off), w)) in image.iter_mut().zip(&mut *off).zip(at).enumerate() {
            let (gradient, s) = (*image, slope.entry(j));
            let mut sum = Twofold { high: -2.0 * gradient.high, low: -2.0 * gradient.low };
            sum.add_times(s, m);
            sum.add_product(-twice, *w);
            sum.low -= twice_low * w;
            let terms = m * s.high.abs() + 2.0 * gradient.high.abs() + twice * w.abs();
            let hidden = m * slope.lost(j) + 2.0 * wrong.error * norms[j] * wrong.size;
            let least = if terms + hidden > 0.0 { f64::MIN_POSITIVE } else { 0.0 };
            *off = (hidden + lost(4) * terms) * (1.0 + 1e-12) + least;
            *image = sum;
        }
        let gap = if loss.factor.is_finite() {
            self.whitened(image, off)
        } else {
            vector[d] = 0.0;
            Shifted { loss, region, shift: vector, residual: image, off }.gap()
        };
        Bracket { value, lost: lost_value, gap }
    }

    /// rᵀH⁻¹r/4 from m·r.
    #[inline(always)]
    fn whitened(&self, residual: &[Twofold], off: &[f64]) -> f64 {
        let (m, d) = (self.loss.m(), self.at.len());
        let rounding = (d + 4) as f64 * f64::EPSILON;
        let mut sum = 0.0;
        for (s, _, v) in self.loss.triples() {
            let (mut along, mut terms) = (0.0, 0.0);
            for ((v, r), o) in v.iter().zip(residual).zip(off) {
                let r = r.high + r.low;
                along += v * r;
                terms += v.abs() * (rounding * r.abs() + o);
            }
            let along = along.abs() + terms;
            sum += along * along / self.loss.curvature_along(s);
        }
        0.25 * self.loss.factor * sum / (m * m) * (1.0 + 1e-12)
    }
}

/// The bound with u, where the factors are not proven to whiten H: with fewer points than
/// parameters, or columns that are nearly dependent.
struct Shifted<'a> {
    loss: &'a LeastSquares,
    region: &'a Region<'a>,
    /// Room for (u, 0).
    shift: &'a mut [f64],
    /// m·r
    residual: &'a [Twofold],
    off: &'a [f64],
}

impl Shifted<'_> {
    #[inline(always)]
    fn gap(self) -> f64 {
        let Shifted { loss, region, shift, residual, off } = self;
        let (m, d) = (loss.m(), off.len());
        shift[..d].fill(0.0);
        for (s, _, v) in loss.triples() {
            let along: f64 = v.iter().zip(residual).map(|(v, r)| v * r.value()).sum();
            axpy(along / (2.0 * m * loss.curvature_along(s)), v, &mut shift[..d]);
        }
        let mut image = vec![Twofold::default(); d + 1];
        let wrong = loss.moments.times(shift, &mut image);
        let (square, lost_square) = Moments::square(shift, &image, wrong);
        let norms = loss.moments.norms();
        let (mut e, mut e_off) = (Vec::with_capacity(d), Vec::with_capacity(d));
        for (((j, image), r), off) in image[..d].iter().enumerate().zip(residual).zip(off) {
            let mut sum = *r;
            sum.add_times(*image, -2.0);
            let terms = r.high.abs() + 2.0 * image.high.abs();
            let hidden = 2.0 * wrong.error * norms[j] * wrong.size + lost(2) * terms;
            e.push(sum.value() / m);
            e_off.push((off + hidden) / m * (1.0 + 1e-12));
        }
        let up = 1.0 + (d + 8) as f64 * f64::EPSILON;
        let by_ridge = by_ridge(loss.ridge, &e, &e_off);
        ((square + lost_square) / m + region.cost(&e, &e_off).min(by_ridge)) * up
    }
}

/// ‖v‖²
#[inline(always)]
fn square_of(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum()
}
