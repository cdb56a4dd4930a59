//! The slope sᵢ = −Σ sign·uₑ that the duals of its edges give a node, with twice the digits: large
//! duals that cancel must not hide small ones, and a bound that is proven must know what rounding
//! took.

use crate::numeric::dimension::with_dimension;
use crate::numeric::linalg::twofold::{Twofold, lost, two_sum};
use crate::numeric::simd::{Loop, vectorize};

/// A slope s.
#[derive(Debug, Clone, PartialEq)]
pub struct Slope {
    high: Vec<f64>,
    low: Vec<f64>,
    lost: Vec<f64>,
}

impl Slope {
    /// s = 0
    pub(crate) fn zeros(dim: usize) -> Slope {
        Slope { high: vec![0.0; dim], low: vec![0.0; dim], lost: vec![0.0; dim] }
    }

    /// A slope that is known exactly.
    pub fn exact(values: &[f64]) -> Slope {
        Slope { high: values.to_vec(), ..Slope::zeros(values.len()) }
    }

    /// s, rounded.
    pub fn values(&self) -> &[f64] {
        &self.high
    }

    /// What entry j of [`Slope::values`] may be off.
    pub fn off(&self, j: usize) -> f64 {
        (self.low[j].abs() + self.lost[j]) * (1.0 + f64::EPSILON)
    }

    /// Entry j with twice the digits.
    #[inline(always)]
    pub(crate) fn entry(&self, j: usize) -> Twofold {
        Twofold { high: self.high[j], low: self.low[j] }
    }

    /// What entry j may still be off with twice the digits.
    #[inline(always)]
    pub(crate) fn lost(&self, j: usize) -> f64 {
        self.lost[j]
    }

    /// A bound of ‖s‖.
    pub(crate) fn length(&self) -> f64 {
        let entry = |j: usize| self.high[j].abs() + self.off(j);
        let square: f64 = (0..self.high.len()).map(|j| entry(j).powi(2)).sum();
        square.sqrt() * (1.0 + self.high.len() as f64 * f64::EPSILON)
    }

    /// s/c
    pub(crate) fn over(&self, c: f64) -> Slope {
        let dim = self.high.len();
        let mut scaled = Slope::zeros(dim);
        for j in 0..dim {
            let quotient = self.high[j] / c;
            let rest = ((-quotient).mul_add(c, self.high[j]) + self.low[j]) / c;
            (scaled.high[j], scaled.low[j]) = two_sum(quotient, rest);
            scaled.lost[j] = (self.lost[j] / c.abs() + lost(1) * quotient.abs()) * (1.0 + 1e-12);
        }
        scaled
    }

    /// s ← −Σ sign·u of (sign, u).
    pub(crate) fn set<'u>(&mut self, flows: impl Iterator<Item = (f64, &'u [f64])>) {
        vectorize(Sum { flows, slope: self });
    }

    /// Duals stand for others, from which those at this node differ by so much in total.
    pub(crate) fn blur(&mut self, by: &[f64]) {
        self.lost.iter_mut().zip(by).for_each(|(lost, by)| *lost += by);
    }
}

struct Sum<'s, F> {
    flows: F,
    slope: &'s mut Slope,
}

impl<'u, F: Iterator<Item = (f64, &'u [f64])>> Loop for Sum<'_, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Sum { flows, slope } = self;
        with_dimension!(
            slope.high.len(),
            DIM => compensated::<DIM>(flows, slope),
            else compensated_any(flows, slope)
        );
    }
}

impl Slope {
    /// From sums of so many terms: the rest in `low`, the absolute values in `lost`.
    #[inline(always)]
    fn renormalize(&mut self, terms: usize) {
        let Slope { high, low, lost: size } = self;
        // Sums of two numbers are known exactly.
        let part = if terms <= 2 { 0.0 } else { lost(terms) };
        for ((high, low), size) in high.iter_mut().zip(low).zip(size) {
            (*high, *low) = two_sum(*high, *low);
            *size *= part;
        }
    }
}

#[inline(always)]
fn compensated<'u, const DIM: usize>(
    flows: impl Iterator<Item = (f64, &'u [f64])>,
    out: &mut Slope,
) {
    let [mut high, mut low, mut size] = [[0.0; DIM]; 3];
    let mut terms = 0;
    for (sign, u) in flows {
        if let Some(u) = u.first_chunk::<DIM>() {
            terms += 1;
            add(-sign, u, &mut high, &mut low, &mut size);
        }
    }
    out.high.copy_from_slice(&high);
    out.low.copy_from_slice(&low);
    out.lost.copy_from_slice(&size);
    out.renormalize(terms);
}

#[inline(always)]
fn compensated_any<'u>(flows: impl Iterator<Item = (f64, &'u [f64])>, out: &mut Slope) {
    let Slope { high, low, lost: size } = out;
    [&mut *high, low, size].into_iter().for_each(|v| v.fill(0.0));
    let mut terms = 0;
    flows.for_each(|(sign, u)| {
        terms += 1;
        add(-sign, u, high, low, size);
    });
    out.renormalize(terms);
}

/// sum ← sum + factor·u for a factor 1 or −1, what rounding takes away to `low`, absolute values to
/// `size`.
#[inline(always)]
fn add(factor: f64, u: &[f64], sum: &mut [f64], low: &mut [f64], size: &mut [f64]) {
    for (((s, l), a), u) in sum.iter_mut().zip(low).zip(size).zip(u) {
        let (next, rest) = two_sum(*s, factor * u);
        *s = next;
        *l += rest;
        *a += u.abs();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_duals_do_not_hide_small_ones() {
        for dim in [1, 3, 7] {
            let rows = [1e20, 3e-5, -1e20, 1.0].map(|v| vec![v; dim]);
            let mut slope = Slope::zeros(dim);
            slope.set(rows.iter().map(|u| (1.0, u.as_slice())));
            assert_eq!(slope.values(), vec![-1.00003; dim]);
            assert!((0..dim).all(|j| slope.lost(j) > 0.0 && slope.off(j) < 1e-9));
            // Two terms are added up without a loss, and what cancels leaves nothing.
            slope.set([(1.0, &*vec![0.1; dim]), (-1.0, &*vec![0.1; dim])].into_iter());
            assert_eq!(slope, Slope::zeros(dim));
            assert_eq!(slope.length(), 0.0);
            slope.set([(1.0, &*vec![1.0; dim]), (1.0, &*vec![1e-20; dim])].into_iter());
            let third = slope.over(3.0).entry(0);
            // Three thirds are the whole.
            let mut sum = Twofold { high: 1.0, low: 1e-20 };
            sum.add_times(third, 3.0);
            assert!(sum.value().abs() < 1e-31, "{sum:?}");
        }
    }
}
