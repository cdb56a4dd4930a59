//! Sums of products with twice the digits of a number: high + low, where low holds what rounding
//! took from high.
//!
//! a + b = s + e and a·b = p + f hold exactly for the rounded s and p and numbers e and f that are
//! computed (Knuth, Dekker). Of n terms the e and f alone are added up with rounding, which loses
//! at most [`lost`] of the sum of their absolute values (Ogita, Rump, Oishi: *Accurate sum and dot
//! product*).

/// A number as an unevaluated sum.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Twofold {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

/// What a sum of so many terms may have lost, relative to the sum of their absolute values. With
/// u = 2⁻⁵³ the errors of n terms are at most u·|sums so far| + u·|terms|, which add up to at most
/// (n + 1)u·Σ|terms|, and n additions of them lose nu of that: n(n + 1)u² ≤ (n + 4)²u². Four times
/// that is taken.
pub(crate) fn lost(terms: usize) -> f64 {
    let n = terms as f64 + 4.0;
    n * n * (f64::EPSILON * f64::EPSILON)
}

/// (s, e) with a + b = s + e
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let added = s - a;
    (s, (a - (s - added)) + (b - added))
}

/// (p, f) with a·b = p + f
#[inline(always)]
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, a.mul_add(b, -p))
}

impl Twofold {
    /// The nearest number.
    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        self.high + self.low
    }

    /// Adds a number.
    #[inline(always)]
    pub(crate) fn add(&mut self, a: f64) {
        let (s, e) = two_sum(self.high, a);
        self.high = s;
        self.low += e;
    }

    /// Adds a·b.
    #[inline(always)]
    pub(crate) fn add_product(&mut self, a: f64, b: f64) {
        let (p, f) = two_product(a, b);
        let (s, e) = two_sum(self.high, p);
        self.high = s;
        self.low += e + f;
    }

    /// Adds t·b.
    #[inline(always)]
    pub(crate) fn add_times(&mut self, t: Twofold, b: f64) {
        self.add_product(t.high, b);
        self.low += t.low * b;
    }

    /// Adds t.
    #[inline(always)]
    pub(crate) fn add_twofold(&mut self, t: Twofold) {
        self.add(t.high);
        self.low += t.low;
    }
}

/// ⟨a, b⟩; long vectors in four sums side by side.
#[inline(always)]
pub(crate) fn twofold_dot(a: &[f64], b: &[f64]) -> Twofold {
    let ((a4, a), (b4, b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sum = Twofold::default();
    if !a4.is_empty() {
        let (mut high, mut low) = ([0.0; 4], [0.0; 4]);
        for (x, y) in a4.iter().zip(b4) {
            for k in 0..4 {
                let (p, f) = two_product(x[k], y[k]);
                let (s, e) = two_sum(high[k], p);
                high[k] = s;
                low[k] += e + f;
            }
        }
        (0..4).for_each(|k| sum.add_twofold(Twofold { high: high[k], low: low[k] }));
    }
    a.iter().zip(b).for_each(|(x, y)| sum.add_product(*x, *y));
    sum
}

/// Whether Σ aⱼbⱼ is zero, without any rounding: the sum is kept as numbers that do not overlap.
pub(crate) fn vanishes(a: &[f64], b: &[f64]) -> bool {
    let mut parts: Vec<f64> = Vec::new();
    let mut add = |mut term: f64| {
        for part in &mut parts {
            let (s, e) = two_sum(*part, term);
            // The small rest stays, the large sum goes on.
            (*part, term) = (e, s);
        }
        parts.retain(|part| *part != 0.0);
        if term != 0.0 {
            parts.push(term);
        }
    };
    for (x, y) in a.iter().zip(b) {
        let (p, f) = two_product(*x, *y);
        add(p);
        add(f);
    }
    parts.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_keeps_its_digits() {
        // 10⁸·10⁸ + 1 − 10¹⁶, and a term that rounding would lose.
        let (a, b) = ([1e8, 1.0, -1e16, 3e-17], [1e8, 1.0, 1.0, 1.0]);
        let whole = twofold_dot(&a, &b);
        assert_eq!((whole.high.min(whole.low), whole.high.max(whole.low)), (3e-17, 1.0));
        let mut sum = Twofold::default();
        (0..4).for_each(|k| sum.add_product(a[k], b[k]));
        assert_eq!((sum.high, sum.low), (3e-17, 1.0));
        let tenth = Twofold { high: 0.1, low: 1e-20 };
        let mut sum = Twofold { high: -0.3, low: 0.0 };
        sum.add_times(tenth, 3.0);
        // 3·0.1 in numbers is above 0.3 by 2.8e-17 (0.1 is, by 5.6e-18; 0.3 is below).
        assert!((sum.value() - (2.775_557_561_562_891_4e-17 + 3e-20)).abs() < 1e-32, "{sum:?}");
    }

    #[test]
    fn long_sums_are_those_of_integers() {
        // Products of integers up to 2³⁰, exactly in 128 bits.
        let number = |k: u64| (k.wrapping_mul(6_364_136_223_846_793_005) >> 34) as i64 - (1 << 29);
        for terms in [1, 3, 4, 7, 64, 1001] {
            let a: Vec<i64> = (0..terms).map(number).collect();
            let b: Vec<i64> = (0..terms).map(|k| number(k + 7777)).collect();
            let exact: i128 = a.iter().zip(&b).map(|(x, y)| i128::from(*x) * i128::from(*y)).sum();
            let float = |v: &[i64]| v.iter().map(|x| *x as f64).collect::<Vec<f64>>();
            let sum = twofold_dot(&float(&a), &float(&b));
            assert_eq!(sum.high as i128 + sum.low as i128, exact, "{terms}");
        }
    }

    #[test]
    fn only_what_is_zero_vanishes() {
        assert!(vanishes(&[1.0, 1.0, 1.0], &[1.0, -1.0, 0.0]));
        assert!(vanishes(&[1e17, 0.1, -1e17, -0.1], &[1.0; 4]));
        assert!(!vanishes(&[1e17, 0.1, -1e17, -0.1], &[1.0, 1.0, 1.0, 1.0 + 1e-15]));
        assert!(!vanishes(&[1e300, 1e-300], &[1.0, 1.0]));
        assert!(vanishes(&[], &[]));
    }
}
