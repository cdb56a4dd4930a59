//! exp(x) for x ≤ 0 and log(1 + x) for 0 ≤ x ≤ 1 without branches, so that a loop over them can be done several numbers at a time (`wide.rs`), which the
//! standard library's cannot.
//!
//! x = k·ln 2 + r with |r| ≤ ln(2)/2, exp(x) = 2^k·exp(r), and exp(r) from its series up to r¹³/13!, whose rest is below 5e-18.
//!
//! 1 + x = 2^k·(1 + s)/(1 − s) with |s| ≤ 0.172, log(1 + x) = k·ln 2 + 2s(1 + s²/3 + s⁴/5 + …), up to s²²/23, whose rest is below 2e-20.

/// 1.5·2⁵²: added to a number below 2⁵¹ it leaves the nearest integer in the last bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts. The first has so few digits that k times it is exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Below it exp is not a normal number.
const LEAST: f64 = -708.0;

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

/// log(1 + x) for 0 ≤ x ≤ 1, to about one unit in the last place. NaN stays NaN.
#[inline(always)]
pub(crate) fn log_one_plus(x: f64) -> f64 {
    let large = x > std::f64::consts::SQRT_2 - 1.0;
    let (above, below) = if large { (x - 1.0, x + 3.0) } else { (x, x + 2.0) };
    let s = above / below;
    let square = s * s;
    let mut sum = ODD[11];
    let mut n = 11;
    while n > 0 {
        n -= 1;
        sum = sum * square + ODD[n];
    }
    let shift = if large { std::f64::consts::LN_2 } else { 0.0 };
    shift + 2.0 * s * sum
}

#[cfg(test)]
mod tests {
    use super::*;

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
