//! exp(x) for x ≤ 0, log(x), and log(1 + x) for 0 ≤ x ≤ 1 without branches, so that a loop over
//! them can be done several numbers at a time (`simd.rs`), which the standard library's cannot.
//!
//! x = k·ln 2 + r with |r| ≤ ln(2)/2, exp(x) = 2^k·exp(r), and exp(r) from its series up to
//! r¹³/13!, whose rest is below 5e-18.
//!
//! x = 2^k·(1 + s)/(1 − s) with |s| ≤ 0.172, log(x) = k·ln 2 + 2s(1 + s²/3 + s⁴/5 + …), up to
//! s²²/23, whose rest is below 2e-20. So for 1 + x.

use std::f64::consts::FRAC_1_SQRT_2;

/// 1.5·2⁵²: added to a number below 2⁵¹ it leaves the nearest integer in the last bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts. The first has so few digits that k times it is exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Below it exp is not a normal number.
const LEAST: f64 = -708.0;

/// 2⁵², and the bits of the fraction of a number.
const TWO_52: f64 = 4_503_599_627_370_496.0;
const FRACTION: u64 = (1 << 52) - 1;

/// 1/n! for n = 0, 1, …
const SERIES: [f64; 14] = {
    let mut series = [1.0; 14];
    let mut n = 1;
    while n < 14 {
        series[n] = series[n - 1] / n as f64;
        n += 1;
    }
    series
};

/// exp(x) for x ≤ 0, to about one unit in the last place; 0 below 1e-307. NaN stays NaN.
#[inline(always)]
pub(crate) fn exp_negative(x: f64) -> f64 {
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let k = shifted - SHIFT;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let mut sum = SERIES[13];
    let mut n = 13;
    while n > 0 {
        n -= 1;
        sum = sum * r + SERIES[n];
    }
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if x < LEAST { 0.0 } else { sum * power }
}

/// 1/(2n + 1) for n = 0, 1, …
const ODD: [f64; 12] = {
    let mut odd = [1.0; 12];
    let mut n = 1;
    while n < 12 {
        odd[n] = 1.0 / (2 * n + 1) as f64;
        n += 1;
    }
    odd
};

/// log((1 + s)/(1 − s)) for |s| ≤ 0.172
#[inline(always)]
fn log_ratio(s: f64) -> f64 {
    let square = s * s;
    let mut sum = ODD[11];
    let mut n = 11;
    while n > 0 {
        n -= 1;
        sum = sum * square + ODD[n];
    }
    2.0 * s * sum
}

/// log(1 + x) for 0 ≤ x ≤ 1, to about one unit in the last place. NaN stays NaN.
#[inline(always)]
pub(crate) fn log_one_plus(x: f64) -> f64 {
    let large = x > std::f64::consts::SQRT_2 - 1.0;
    let (above, below) = if large { (x - 1.0, x + 3.0) } else { (x, x + 2.0) };
    let shift = if large { std::f64::consts::LN_2 } else { 0.0 };
    shift + log_ratio(above / below)
}

/// log(1 − x) for 0 ≤ x ≤ 1, to about one unit in the last place; 0 at x = 1.
#[inline(always)]
pub(crate) fn log_one_minus(x: f64) -> f64 {
    let near = log_ratio(-x / (2.0 - x));
    let far = log((1.0 - x).max(f64::MIN_POSITIVE));
    if x < 0.29 {
        near
    } else if x == 1.0 {
        0.0
    } else {
        far
    }
}

/// log(x) for a normal number x > 0, to about one unit in the last place of the larger of it and 1.
#[inline(always)]
pub(crate) fn log(x: f64) -> f64 {
    // The bits of √½ taken away leave the exponent of x/√½; given back to the fraction alone they
    // leave a number between √½ and √2.
    let above = x.to_bits().wrapping_sub(FRAC_1_SQRT_2.to_bits());
    // An integer below 2⁵² as the last bits of 2⁵² itself.
    let k = f64::from_bits(((above >> 52) + 2048) & 4095 | TWO_52.to_bits()) - (TWO_52 + 2048.0);
    let m = f64::from_bits((above & FRACTION) + FRAC_1_SQRT_2.to_bits());
    k * LN_2_HIGH + (log_ratio((m - 1.0) / (m + 1.0)) + k * LN_2_LOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_of_any_size_is_that_of_the_standard_library() {
        let mut worst = 0.0;
        for i in 0..400_000 {
            let x = 1e-300 * 1.003_7f64.powi(i);
            if !x.is_finite() {
                break;
            }
            worst = f64::max(worst, (log(x) - x.ln()).abs() / x.ln().abs().max(1.0));
        }
        assert!(worst < 5e-16, "error {worst:e}");
        let mut worst = 0.0;
        for i in 0..100_000 {
            let x = 1e-5 * i as f64 + 1e-3;
            worst = f64::max(worst, (log(x) - x.ln()).abs() / x.ln().abs().max(1.0));
        }
        assert!(worst < 5e-16, "error {worst:e}");
        assert_eq!(log(1.0), 0.0);
    }

    #[test]
    fn log_is_that_of_the_standard_library() {
        let mut worst = 0.0;
        for i in 0..300_000 {
            let x = 0.999_9f64.powi(i);
            if x < 1e-300 {
                break;
            }
            worst = f64::max(worst, (log_one_plus(x) / x.ln_1p() - 1.0).abs());
        }
        assert!(worst < 5e-16, "relative error {worst:e}");
        assert_eq!(log_one_plus(0.0), 0.0);
        assert_eq!(log_one_plus(1.0), std::f64::consts::LN_2);
        assert!(log_one_plus(f64::NAN).is_nan());
    }

    #[test]
    fn log_of_what_is_left_is_that_of_the_standard_library() {
        let mut worst = 0.0;
        for i in 0..300_000 {
            let x = 0.999_9f64.powi(i);
            if i == 0 || x < 1e-300 {
                continue;
            }
            worst = f64::max(worst, (log_one_minus(x) / (-x).ln_1p() - 1.0).abs());
        }
        assert!(worst < 1e-15, "relative error {worst:e}");
        assert_eq!((log_one_minus(0.0), log_one_minus(1.0)), (0.0, 0.0));
    }

    #[test]
    fn exp_is_that_of_the_standard_library() {
        let mut worst = 0.0;
        for i in 0..200_000 {
            let x = -1e-4 * 1.000_08f64.powi(i);
            if x < LEAST {
                break;
            }
            worst = f64::max(worst, (exp_negative(x) / x.exp() - 1.0).abs());
        }
        assert!(worst < 3e-16, "relative error {worst:e}");
        assert_eq!(exp_negative(0.0), 1.0);
        assert_eq!(exp_negative(-0.0), 1.0);
        assert_eq!(exp_negative(-1e-300), 1.0);
        for x in [-709.0, -1e5, -1e18, -1e300, f64::NEG_INFINITY] {
            assert_eq!(exp_negative(x), 0.0);
        }
        assert!(exp_negative(f64::NAN).is_nan());
    }
}
