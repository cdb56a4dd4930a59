//! The Fenchel gap L(at) + L*(s) − ⟨at, s⟩ of a linear model ([`LinearModel`]), bounded by an
//! explicit point of the dual: slopes a_r in the domain of ℓ*, b in [−η₁, η₁]^d, and the mismatch e
//! = s − (1/m) Σ_r a_r x_r − b − 2η₂·at. For every such choice
//!
//!   gap ≤ (1/m) Σ_r [ℓ(t_r) + ℓ*(a_r) − a_r t_r] + Σ_j [η₁|at_j| − b_j at_j] + min(sup ⟨e, v⟩, ‖e‖²/(4η₂)),  t_r = x_rᵀat
//!
//! with L* taken over v = w − at in a region (docs/certificate.md, lemma 2). The slopes at `at`,
//! moved by one Newton step towards e = 0, make it tight to second order. Predictions, residuals
//! and e are computed with twice the digits, and whatever rounding may hide is added.

use super::Features;
use super::newton::Slopes;
use super::normal_equations::NormalEquations;
use super::subproblem::Subproblem;
use crate::loss::region::by_ridge;
use crate::loss::{Bracket, LinearModel, Region, ScalarLoss, Slope};
use crate::numeric::linalg::sum_of;
use crate::numeric::linalg::twofold::{lost, two_product, two_sum};
use crate::numeric::simd::Loop;

/// Value and gap for a slope s, around `at`.
pub(super) struct FenchelGap<'a, S> {
    pub(super) loss: &'a LinearModel<S>,
    pub(super) slope: &'a Slope,
    pub(super) at: &'a [f64],
    pub(super) region: &'a Region<'a>,
}

/// The points as the loss sees them: predictions with their labels, or residuals with labels 0
/// where the loss depends on these alone.
struct Seen {
    t: Vec<f64>,
    y: Vec<f64>,
    /// ℓ(t_r), and what it may be off.
    values: Vec<f64>,
    off: Vec<f64>,
    /// What t_r may be off, relative to it and beyond that.
    lost: f64,
}

/// Steps of the slopes, which are over where the mismatch is next to nothing of the bound, or does
/// not fall much.
const STEPS: usize = 4;
const NEGLIGIBLE: f64 = 1e-2;
const FALLS: f64 = 0.1;

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
    /// Whether all features and the slope are zero: then there is no mismatch with b = 0, and
    /// nothing to round.
    #[inline(always)]
    fn nothing(&self) -> bool {
        self.loss.mean_square == 0.0 && self.slope.length() == 0.0
    }

    /// Whether nothing says how far a better model may be.
    #[inline(always)]
    fn is_unbounded(&self) -> bool {
        let by_level = self.region.level().is_finite() && self.loss.extent().is_some();
        !by_level && !self.region.is_bounded()
    }

    /// More than L(at).
    #[inline(always)]
    fn level(&self, seen: &Seen) -> f64 {
        let (value, lost) = self.value(seen);
        (value + lost) * (1.0 + UNIT)
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
        let ridge = self.loss.ridge;
        // Rounding leaves some mismatch, which costs what the region says, unless there is nothing
        // at all.
        let nothing = self.nothing();
        if ridge == 0.0 && !nothing && self.is_unbounded() {
            return f64::INFINITY;
        }
        let (Slopes { a, mut b }, room) = self.slopes(seen);
        if nothing {
            b.fill(0.0);
        }
        let level = self.level(seen);
        let best = match Towards::new(self.loss, &room) {
            Some(towards) => self.moved(seen, level, Slopes { a, b }, &room, towards),
            None => self.bound(seen, level, &a, &b).0,
        };
        if best.is_nan() { f64::INFINITY } else { best }
    }

    /// The bound for slopes that are moved towards e = 0, as long as the mismatch is most of it.
    #[inline(always)]
    fn moved(
        &self,
        seen: &Seen,
        level: f64,
        Slopes { mut a, b }: Slopes,
        room: &[f64],
        mut towards: Towards<'_>,
    ) -> f64 {
        let mut e = self.mismatch(&a, &b);
        let mut mismatch = self.cost(level, &e, &b);
        let (mut best, mut limit) = (f64::INFINITY, mismatch);
        for _ in 0..STEPS {
            let along = towards.along(e.0, a.len());
            // A shorter step is for slopes that leave the domain of ℓ*.
            let moved = [1.0, 0.5, 0.1].into_iter().find_map(|length| {
                let terms = a.iter().zip(room).zip(&along);
                let shifted: Vec<f64> =
                    terms.map(|((a, h), t)| a + length * h * self.loss.m() * t).collect();
                let (bound, own, e) = self.bound(seen, level, &shifted, &b);
                (bound <= limit).then_some((bound, own, e, shifted))
            });
            let Some((bound, own, rest, shifted)) = moved else { break };
            let settled = own <= NEGLIGIBLE * bound || own > FALLS * mismatch;
            (best, limit, mismatch, e, a) = (bound, bound, own, rest, shifted);
            if settled {
                return best;
            }
        }
        best.min(self.bound(seen, level, &a, &b).0)
    }

    /// Slopes to start from, with the room that those of the data have: the slopes at the
    /// predictions t where they are unique, otherwise those of a prox step from `at` along the
    /// slope.
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
        let (units, step) = (loss.features().units, loss.natural_step());
        let unit = |j: usize| units.get(j).copied().unwrap_or(1.0);
        let mut z: Vec<f64> = at.iter().enumerate().map(|(j, w)| w / unit(j)).collect();
        let slope = self.slope.values().iter().enumerate().map(|(j, s)| step * s * unit(j));
        let target: Vec<f64> = z.iter().zip(slope).map(|(z, s)| z + s).collect();
        let problem = Subproblem { even: true, ..loss.subproblem(&target, step, 0.0) };
        let mut slopes = problem.slopes(&mut z);
        slopes.b.iter_mut().for_each(|b| *b = b.clamp(-loss.lasso, loss.lasso));
        let room = |((t, y), a): ((&f64, &f64), &f64)| loss.scalar.room(*t, *y, *a) / loss.m();
        let room = points().zip(&slopes.a).map(room).collect();
        (slopes, room)
    }

    /// The bound for slopes a, b, what of it is the cost of the mismatch, and the mismatch.
    #[inline(always)]
    fn bound(&self, seen: &Seen, level: f64, a: &[f64], b: &[f64]) -> (f64, f64, Mismatch) {
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
        let e = self.mismatch(a, b);
        let own = self.cost(level, &e, b);
        ((data + l1 + own) * up, own, e)
    }

    /// e, and what its entries may be off.
    #[inline(always)]
    fn mismatch(&self, a: &[f64], b: &[f64]) -> Mismatch {
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

    /// sup ⟨e, v⟩ − η₂‖v‖² over the region, with what rounding may have hidden in each entry of e;
    /// the loss at the point itself is at most `level`.
    #[inline(always)]
    fn cost(&self, level: f64, (e, off): &Mismatch, b: &[f64]) -> f64 {
        let ridge = self.loss.ridge;
        if self.nothing() && ridge == 0.0 && b.iter().all(|b| *b == 0.0) {
            return 0.0;
        }
        let own = match self.loss.extent() {
            Some(extent) if self.region.level().is_finite() => {
                extent.cost([self.region.level(), level], e, off)
            }
            _ => f64::INFINITY,
        };
        own.min(self.region.cost(e, off)).min(by_ridge(ridge, e, off))
    }
}

/// e, and what its entries may be off.
type Mismatch = (Vec<f64>, Vec<f64>);

/// Newton steps of the slopes towards e = 0, in units of the features.
struct Towards<'a> {
    features: Features<'a>,
    system: NormalEquations,
    diagonal: Vec<f64>,
}

impl<'a> Towards<'a> {
    /// None where the data have no curvature.
    #[inline(always)]
    fn new<S: ScalarLoss>(loss: &'a LinearModel<S>, room: &[f64]) -> Option<Towards<'a>> {
        let (features, dim) = (loss.features(), loss.data.dim());
        let trace = room.iter().sum::<f64>() * features.mean_square / dim as f64;
        // A trace of damping leaves directions without data to the region or the ridge.
        let diagonal = vec![1e-10 * trace; dim];
        let mut system = NormalEquations::default();
        let of_features = (features.rows, features.design);
        let sound = trace > 0.0 && system.factor(of_features, room, &diagonal, 1e-12);
        sound.then_some(Towards { features, system, diagonal })
    }

    /// How the predictions of so many points change along a step.
    #[inline(always)]
    fn along(&mut self, mut e: Vec<f64>, points: usize) -> Vec<f64> {
        e.iter_mut().zip(self.features.units).for_each(|(e, u)| *e *= u);
        self.system.solve(self.features.rows, &self.diagonal, &mut e);
        let mut along = vec![0.0; points];
        self.features.design.times(&e, &mut along);
        along
    }
}
