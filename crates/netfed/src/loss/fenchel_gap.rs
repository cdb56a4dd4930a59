//! The Fenchel gap L(at) + L*(s) − ⟨at, s⟩ of a linear model ([`LinearModel`]), bounded by an explicit point of the dual: slopes a_r in the domain of ℓ*,
//! b in [−η₁, η₁]^d, and the mismatch e = s − (1/m) Σ_r a_r x_r − b − 2η₂·at. For every such choice
//!
//!   gap ≤ (1/m) Σ_r [ℓ(t_r) + ℓ*(a_r) − a_r t_r] + Σ_j [η₁|at_j| − b_j at_j] + min(R‖e‖, ‖e‖²/(4η₂)),  t_r = x_rᵀat
//!
//! with L* taken over ‖w − at‖ ≤ R (docs/certificate.md, lemma 2). The slopes at `at`, moved by one Newton step towards e = 0, make it tight to second
//! order. Predictions, residuals and e are computed with twice the digits, and whatever rounding may hide is added.

use super::Bracket;
use super::LinearModel;
use super::newton::Slopes;
use super::normal_equations::NormalEquations;
use super::scalar::ScalarLoss;
use crate::linalg::sum_of;
use crate::linalg::twofold::{lost, two_product, two_sum};
use crate::slope::Slope;
use crate::wide::Loop;

/// Value and gap for a slope s, around `at`.
pub(super) struct FenchelGap<'a, S> {
    pub(super) loss: &'a LinearModel<S>,
    pub(super) slope: &'a Slope,
    pub(super) at: &'a [f64],
    pub(super) radius: f64,
}

/// The points as the loss sees them: predictions with their labels, or residuals with labels 0 where the loss depends on these alone.
struct Seen {
    t: Vec<f64>,
    y: Vec<f64>,
    /// ℓ(t_r), and what it may be off.
    values: Vec<f64>,
    off: Vec<f64>,
    /// What t_r may be off, relative to it and beyond that.
    lost: f64,
}

/// One unit in the last place, more than rounding takes from a number.
const UNIT: f64 = f64::EPSILON;

impl<S: ScalarLoss> Loop for FenchelGap<'_, S> {
    type Output = Bracket;

    #[inline(always)]
    fn call(self) -> Bracket {
        let seen = self.seen();
        let (value, lost) = self.value(&seen);
        Bracket { value, lost, gap: self.gap(&seen) }
    }
}

impl<S: ScalarLoss> FenchelGap<'_, S> {
    /// Whether all features and the slope are zero: then there is no mismatch with b = 0, and nothing to round.
    #[inline(always)]
    fn nothing(&self) -> bool {
        self.loss.mean_square == 0.0 && self.slope.length() == 0.0
    }

    #[inline(always)]
    fn seen(&self) -> Seen {
        let LinearModel { scalar, data, design, .. } = self.loss;
        let points = data.points();
        let (mut t, mut low) = (vec![0.0; points], vec![0.0; points]);
        design.predict_twofold(self.at, &mut t, &mut low);
        let mut y = data.labels().to_vec();
        for ((t, low), y) in t.iter_mut().zip(&low).zip(&mut y) {
            if S::RESIDUAL {
                let (residual, rest) = two_sum(*t, -*y);
                (*t, *y) = (residual + (rest + low), 0.0);
            } else {
                *t += low;
            }
        }
        let terms = design.largest().iter().zip(self.at).map(|(x, w)| x * w.abs());
        let hidden = lost(self.at.len()) * terms.sum::<f64>() * (1.0 + 1e-9) + f64::MIN_POSITIVE;
        let (mut values, mut off) = (t.clone(), t.clone());
        for (((value, off), t), y) in values.iter_mut().zip(&mut off).zip(&t).zip(&y) {
            *value = scalar.value(*t, *y);
            *off = scalar.change(*t, *y, *value, UNIT * t.abs() + hidden);
        }
        Seen { t, y, values, off, lost: hidden }
    }

    /// L(at), and what it may be off.
    #[inline(always)]
    fn value(&self, seen: &Seen) -> (f64, f64) {
        let LinearModel { ridge, lasso, .. } = self.loss;
        let m = self.loss.m();
        let data = sum_of(&seen.values, &seen.values, |value, _| value) / m;
        let off = sum_of(&seen.off, &seen.off, |off, _| off) / m;
        let (mut square, mut size) = (0.0, 0.0);
        self.at.iter().for_each(|w| {
            square += w * w;
            size += w.abs();
        });
        let value = data + (ridge * square + lasso * size);
        let terms = seen.t.len().div_ceil(8).max(self.at.len()) + 16;
        (value, off * (1.0 + 1e-9) + terms as f64 * UNIT * value)
    }

    #[inline(always)]
    fn gap(&self, seen: &Seen) -> f64 {
        let LinearModel { data, design, ridge, mean_square, .. } = self.loss;
        let (rows, points, dim) = (data.features(), data.points(), self.at.len());
        // Rounding leaves some mismatch, which costs the radius, unless there is nothing at all.
        let nothing = self.nothing();
        if *ridge == 0.0 && !self.radius.is_finite() && !nothing {
            return f64::INFINITY;
        }
        let (Slopes { a, mut b }, room) = self.slopes(seen);
        if nothing {
            b.fill(0.0);
        }
        let mismatch = self.cost_of_mismatch(&a, &b);
        let mut best = f64::INFINITY;
        let trace = room.iter().sum::<f64>() * mean_square / dim as f64;
        // A trace of damping leaves directions without data to the radius or the ridge.
        let diagonal = vec![1e-10 * trace; dim];
        let mut system = NormalEquations::default();
        if trace > 0.0 && system.factor((rows, design), &room, &diagonal, 1e-12) {
            let mut step = self.mismatch(&a, &b).0;
            system.solve(rows, &diagonal, &mut step);
            let mut along = vec![0.0; points];
            design.times(&step, &mut along);
            for length in [1.0, 0.5, 0.1] {
                let mut shifted = a.clone();
                for ((a, h), t) in shifted.iter_mut().zip(&room).zip(&along) {
                    *a += length * h * self.loss.m() * t;
                }
                best = self.bound(seen, &shifted, &b);
                // A shorter step is for slopes that leave the domain of ℓ*.
                if best <= mismatch {
                    return best;
                }
            }
        }
        best = best.min(self.bound(seen, &a, &b));
        if best.is_nan() { f64::INFINITY } else { best }
    }

    /// Slopes to start from, with the room that those of the data have: the slopes at the predictions t where they are unique, otherwise those of a prox
    /// step from `at` along the slope.
    #[inline(always)]
    fn slopes(&self, seen: &Seen) -> (Slopes, Vec<f64>) {
        let (loss, at) = (self.loss, self.at);
        let points = || seen.t.iter().zip(&seen.y);
        if S::SMOOTH && loss.lasso == 0.0 {
            let (mut a, mut room) = (vec![0.0; seen.t.len()], vec![0.0; seen.t.len()]);
            for ((a, room), (t, y)) in a.iter_mut().zip(&mut room).zip(points()) {
                let local = loss.scalar.local(*t, *y, 0.0, 0.0);
                (*a, *room) = (local.slope, local.curvature / loss.m());
            }
            return (Slopes { a, b: vec![0.0; at.len()] }, room);
        }
        let step = loss.natural_step();
        let slope = self.slope.values();
        let target: Vec<f64> = at.iter().zip(slope).map(|(w, s)| w + step * s).collect();
        let mut z = at.to_vec();
        let mut slopes = loss.subproblem(&target, step, 0.0).slopes(&mut z);
        slopes.b.iter_mut().for_each(|b| *b = b.clamp(-loss.lasso, loss.lasso));
        let room = |((t, y), a): ((&f64, &f64), &f64)| loss.scalar.room(*t, *y, *a) / loss.m();
        let room = points().zip(&slopes.a).map(room).collect();
        (slopes, room)
    }

    /// The bound for slopes a, b.
    #[inline(always)]
    fn bound(&self, seen: &Seen, a: &[f64], b: &[f64]) -> f64 {
        let LinearModel { scalar, lasso, .. } = self.loss;
        let mut shares = a.to_vec();
        for (((share, t), y), off) in shares.iter_mut().zip(&seen.t).zip(&seen.y).zip(&seen.off) {
            let moved = share.abs() * (UNIT * t.abs() + seen.lost);
            *share = scalar.bracket(*t, *y, *share) + (off + moved);
        }
        let data = sum_of(&shares, &shares, |share, _| share) / self.loss.m();
        let along = |(w, b): (&f64, &f64)| w.abs() * (lasso - if *w < 0.0 { -b } else { *b });
        let l1: f64 = self.at.iter().zip(b).map(along).sum();
        let up = 1.0 + (a.len() / 8 + b.len() + 16) as f64 * UNIT;
        (data + l1 + self.cost_of_mismatch(a, b)) * up
    }

    /// e, and what its entries may be off.
    #[inline(always)]
    fn mismatch(&self, a: &[f64], b: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (m, slope) = (self.loss.m(), self.slope);
        let (twice, twice_low) = two_product(2.0 * m, self.loss.ridge);
        let size = sum_of(a, a, |a, _| a.abs()) * (1.0 + 1e-9);
        let (mut e, mut off) = (Vec::with_capacity(b.len()), Vec::with_capacity(b.len()));
        let columns = self.loss.design.transposed_twofold(a).zip(self.loss.design.largest());
        for (j, ((data, largest), (b, w))) in columns.zip(b.iter().zip(self.at)).enumerate() {
            let s = slope.entry(j);
            let mut sum = data;
            sum.add_times(s, -m);
            sum.add_product(*b, m);
            sum.add_product(twice, *w);
            sum.low += twice_low * w;
            let own = m * (s.high.abs() + b.abs()) + twice * w.abs();
            let hidden = lost(a.len() + 4) * (size * largest + own) + m * slope.lost(j);
            e.push(-sum.value() / m);
            off.push(hidden / m * (1.0 + 1e-9) + f64::MIN_POSITIVE);
        }
        (e, off)
    }

    /// min(R‖e‖, ‖e‖²/(4η₂)), with what rounding may have hidden in each entry of e.
    #[inline(always)]
    fn cost_of_mismatch(&self, a: &[f64], b: &[f64]) -> f64 {
        let ridge = self.loss.ridge;
        let (e, off) = self.mismatch(a, b);
        let square: f64 =
            e.iter().zip(&off).map(|(e, off)| (e.abs() * (1.0 + UNIT) + off).powi(2)).sum();
        let up = 1.0 + (e.len() + 8) as f64 * UNIT;
        let by_ridge = if ridge > 0.0 { square / (4.0 * ridge) } else { f64::INFINITY };
        let nothing = self.nothing() && ridge == 0.0 && b.iter().all(|b| *b == 0.0);
        let by_radius = if nothing { 0.0 } else { self.radius * square.sqrt() };
        by_ridge.min(by_radius) * up
    }
}
