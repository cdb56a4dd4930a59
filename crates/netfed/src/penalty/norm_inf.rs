//! `linf`: φ(v) = ‖v‖_∞ = max_j |v_j|.
//!
//! (cφ)* is the indicator of ‖u‖₁ ≤ c; its prox is the projection onto that ball: soft
//! thresholding by the t ≥ 0 with Σ_j max(|u_j| − t, 0) = c. Michelot's iteration finds t
//! exactly in at most d passes, without sorting and without memory.

use super::{Blur, Builtin, Kinks, Norm, Penalty, PenaltyGrowth, ball_indicator, provided};

/// φ(v) = ‖v‖_∞
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormInf;

impl Penalty for NormInf {
    fn value(&self, diff: &[f64]) -> f64 {
        diff.iter().fold(0.0, |m, v| f64::max(m, v.abs()))
    }

    fn prox(&self, at: &mut [f64], step: f64) {
        provided::prox(self, at, step);
    }

    fn kinks(&self) -> Kinks {
        Kinks::Others
    }

    fn gradient(&self, diff: &[f64], out: &mut [f64]) {
        let largest = self.value(diff);
        let count = diff.iter().filter(|v| v.abs() == largest).count() as f64;
        for (o, v) in out.iter_mut().zip(diff) {
            *o = if largest > 0.0 && v.abs() == largest { v.signum() / count } else { 0.0 };
        }
    }

    fn add_curvature_times(
        &self,
        _diff: &[f64],
        _scale: f64,
        _direction: &[f64],
        _out: &mut [f64],
    ) {
    }

    fn prox_conjugate(&self, dual: &mut [f64], coupling: f64, _step: f64) {
        let total: f64 = dual.iter().map(|u| u.abs()).sum();
        if total <= coupling {
            return;
        }
        let mut threshold = (total - coupling) / dual.len() as f64;
        let mut kept = dual.len();
        loop {
            let (mut sum, mut count) = (0.0, 0);
            for u in dual.iter().filter(|u| u.abs() > threshold) {
                sum += u.abs();
                count += 1;
            }
            // In exact numbers the count only falls; rounding at an entry on the threshold could
            // let it go back and forth.
            if count >= kept || count == 0 {
                break;
            }
            kept = count;
            threshold = (sum - coupling) / count as f64;
        }
        dual.iter_mut().for_each(|u| *u = u.signum() * (u.abs() - threshold).max(0.0));
        // The differences may have lost digits; stay inside the ball all the same.
        let left: f64 = dual.iter().map(|u| u.abs()).sum();
        if left > coupling {
            let scale = coupling / left;
            dual.iter_mut().for_each(|u| *u *= scale);
        }
    }

    /// The soft maximum μ·log Σ cosh(v_j/μ), up to a constant.
    fn smoothed(&self, diff: &[f64], mu: &[f64], slope: &mut [f64], hessian: &mut [f64]) -> f64 {
        let mu = mu.iter().copied().fold(0.0, f64::max);
        let (d, largest) = (diff.len(), self.value(diff));
        let weigh = |v: f64| [((v - largest) / mu).exp(), ((-v - largest) / mu).exp()];
        let sum: f64 = diff.iter().flat_map(|v| weigh(*v)).sum();
        for (s, v) in slope.iter_mut().zip(diff) {
            let [up, down] = weigh(*v);
            *s = (up - down) / sum;
        }
        for (j, row) in hessian.chunks_exact_mut(d).enumerate() {
            let [up, down] = weigh(diff[j]);
            row[j] += (up + down) / sum / mu;
            row.iter_mut().zip(&*slope).for_each(|(h, s)| *h -= slope[j] * s / mu);
        }
        largest + mu * (sum / (2 * d) as f64).ln()
    }

    fn conjugate(&self, dual: &[f64], coupling: f64) -> f64 {
        ball_indicator(dual.iter().map(|u| u.abs()).sum(), coupling)
    }

    #[inline]
    fn blur(&self, _diff: &[f64], _dual: &[f64], _coupling: f64) -> Option<Blur> {
        None
    }

    fn growth(&self, dim: usize) -> PenaltyGrowth {
        PenaltyGrowth::Linear(1.0 / (dim as f64).sqrt())
    }

    fn hull_factor(&self, dim: usize) -> f64 {
        (dim as f64).sqrt()
    }

    fn allows_clipping(&self) -> bool {
        true
    }

    fn norm(&self) -> Option<Norm> {
        Some(Norm::Inf)
    }

    fn builtin(&self) -> Option<Builtin> {
        Some(Builtin::NormInf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_on_the_threshold_does_not_keep_the_projection_going() {
        for ([a, b], coupling) in [
            ([0.508188538378912, 0.49543508709194095], 0.012753451286971085),
            ([0.13178482986011342, 0.10222715811004823], 0.029557671750065198),
            ([0.032628928641014784, 0.020374028446252357], 0.012254900194762431),
        ] {
            let mut dual = [a, b];
            NormInf.prox_conjugate(&mut dual, coupling, 0.5);
            assert!((dual[0] - coupling).abs() < 1e-15 && dual[1].abs() < 1e-15, "{dual:?}");
        }
    }
}
