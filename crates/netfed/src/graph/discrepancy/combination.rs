//! One p-value from those of several features, and the discrepancy −log₁₀ p that it means.
//!
//! | name | p | when it is right |
//! | --- | --- | --- |
//! | `Fisher` | P(χ²_{2d} > −2 Σ ln p_k) | the features are independent; otherwise a score that still ranks pairs |
//! | `Bonferroni` | min(1, d·min p_k) | always |

use crate::graph::selection::chi_square_tail;
use crate::names::named;
use std::f64::consts::LN_10;

/// The smallest p-value that is told apart from zero.
const LEAST: f64 = 1e-300;

/// −ln of a p-value that a quick bound looks at, at most: exp(−600) is a normal number.
const MOST: f64 = 600.0;

/// How the p-values of the features become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combination {
    /// The sum of logarithms.
    Fisher,
    /// The smallest, times their number.
    Bonferroni,
}

named!(Combination, "combination", [
    "fisher" => Combination::Fisher,
    "bonferroni" => Combination::Bonferroni,
]);

impl Combination {
    /// −log₁₀ of the p-value of all features, between 0 and 300.
    pub fn discrepancy(self, p_values: impl Iterator<Item = f64>) -> f64 {
        let (mut count, mut logs, mut least) = (0.0, 0.0, 1.0f64);
        for p in p_values {
            let p = p.clamp(LEAST, 1.0);
            count += 1.0;
            logs += p.ln();
            least = least.min(p);
        }
        let p = match self {
            Combination::Fisher => chi_square_tail(-2.0 * logs, 2.0 * count),
            Combination::Bonferroni => count * least,
        };
        -p.clamp(LEAST, 1.0).log10() + 0.0
    }

    /// A quick lower bound of the discrepancy, from lower bounds of −ln p of the features:
    /// P(χ²_{2d} > 2s) = e^(−s) Σ_{k<d} s^k/k!. A little less, for rounding.
    pub(super) fn at_least(self, bounds: impl Iterator<Item = f64>) -> f64 {
        let (mut count, mut sum, mut largest) = (0u32, 0.0, 0.0f64);
        for bound in bounds {
            count += 1;
            sum += bound;
            largest = largest.max(bound);
        }
        let log = match self {
            Combination::Fisher => {
                let s = sum.min(MOST);
                let (mut term, mut tail) = ((-s).exp(), 0.0);
                for k in 1..=count {
                    tail += term;
                    term *= s / f64::from(k);
                }
                -tail.ln()
            }
            Combination::Bonferroni => largest.min(MOST) - f64::from(count).ln(),
        };
        (log / LN_10 * (1.0 - 1e-9) - 1e-12 * f64::from(count)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy.stats.combine_pvalues(method="fisher"), scipy 1.17.1.
    #[test]
    fn known_values() {
        let p = [0.01, 0.2, 0.7];
        let fisher = Combination::Fisher.discrepancy(p.into_iter());
        assert!((fisher + 0.04082702883527948f64.log10()).abs() < 1e-12, "{fisher}");
        let bonferroni = Combination::Bonferroni.discrepancy(p.into_iter());
        assert!((bonferroni + 0.03f64.log10()).abs() < 1e-12, "{bonferroni}");
    }

    #[test]
    fn one_test_is_itself_and_limits_are_finite() {
        for combination in [Combination::Fisher, Combination::Bonferroni] {
            let of = |p: f64| combination.discrepancy([p].into_iter());
            assert!((of(0.01) - 2.0).abs() < 1e-12);
            assert_eq!(of(1.0), 0.0);
            assert!((of(0.0) - 300.0).abs() < 1e-9, "{}", of(0.0));
        }
    }
}
