//! Many tests at once. Of m tests with p-values p₍₁₎ ≤ … ≤ p₍ₘ₎ those with p < t are rejected,
//! where t solves
//!
//! | correction | t, with k = #{p < t} | guarantee |
//! | --- | --- | --- |
//! | Bonferroni | α/m | no true hypothesis is rejected, with probability 1 − α |
//! | Holm | α/(m − k), the least solution | the same, with more rejections |
//! | Benjamini-Hochberg | αk/m, the largest solution | of all rejections a share of α is wrong, on average |
//!
//! Both equations are solved by repetition, upwards from k = 0 and downwards from k = m; no order
//! of the p-values is needed, only their counts. That is what makes a bounded memory possible.

use crate::names::named;

/// P-values that are kept in memory without a second thought: 8 MiB.
const KEPT: u64 = 1 << 20;
/// Bits of a p-value that do not count in the table of counts: bins are 1/256 of their value wide.
const DROPPED_BITS: u32 = 44;

/// How the level α is shared out between many tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correction {
    /// α/m for each.
    Bonferroni,
    /// Bonferroni among those that are left.
    Holm,
    /// Controls the false discovery rate.
    BenjaminiHochberg,
}

named!(Correction, "correction", [
    "bonferroni" => Correction::Bonferroni,
    "holm" => Correction::Holm,
    "bh" => Correction::BenjaminiHochberg,
]);

impl Correction {
    /// The threshold of the p-values below which tests are rejected, of `tests` tests at level
    /// `alpha`. Each call of `pass` must give all p-values to its argument; it is called up to
    /// twice. Takes at most a few megabytes of memory, unless very many p-values lie within 1% of
    /// the threshold.
    pub fn threshold<E>(
        self,
        alpha: f64,
        tests: u64,
        mut pass: impl FnMut(&mut dyn FnMut(f64)) -> Result<(), E>,
    ) -> Result<f64, E> {
        if self == Correction::Bonferroni || tests == 0 {
            return Ok(self.level(alpha, tests, 0));
        }
        let (mut low, mut high) = (0.0, f64::INFINITY);
        if tests > KEPT {
            // Counts that are too low or too high by part of a bin enclose the solution.
            let mut below = vec![0; bin(1.0) + 2];
            pass(&mut |p| below[bin(p) + 1] += 1)?;
            let mut sum = 0;
            below.iter_mut().for_each(|count| {
                sum += *count;
                *count = sum;
            });
            low = self.solve(alpha, tests, |t| below[bin(t)]);
            high = self.solve(alpha, tests, |t| below[bin(t) + 1]);
        }
        let (mut below, mut inside) = (0, Vec::new());
        pass(&mut |p| match p {
            p if p < low => below += 1,
            p if p < high => inside.push(p),
            _ => {}
        })?;
        inside.sort_unstable_by(f64::total_cmp);
        let count = |t: f64| below + inside.partition_point(|p| *p < t) as u64;
        Ok(self.solve(alpha, tests, count))
    }

    /// The solution t, from the number of p-values below any t.
    fn solve(self, alpha: f64, tests: u64, count: impl Fn(f64) -> u64) -> f64 {
        let mut k = if self == Correction::BenjaminiHochberg { tests } else { 0 };
        loop {
            let t = self.level(alpha, tests, k);
            let next = if self == Correction::Bonferroni { k } else { count(t).min(tests) };
            if next == k {
                return t;
            }
            k = next;
        }
    }

    fn level(self, alpha: f64, tests: u64, rejected: u64) -> f64 {
        let (m, k) = (tests.max(1) as f64, rejected as f64);
        match self {
            Correction::Bonferroni => alpha / m,
            // When all are rejected, none is left to be.
            Correction::Holm => alpha / (m - k).max(1.0),
            Correction::BenjaminiHochberg => alpha * k / m,
        }
    }
}

fn bin(p: f64) -> usize {
    (p.clamp(0.0, 1.0).to_bits() >> DROPPED_BITS) as usize
}

/// Adjusted p-values: the level α at which a test would just be rejected.
///
/// Bonferroni: min(1, m·p). Holm: the largest (m − j + 1)·p₍ⱼ₎ over j ≤ k. Benjamini-Hochberg: the
/// smallest m·p₍ⱼ₎/j over j ≥ k.
#[derive(Debug, Clone)]
pub struct Adjusted {
    tests: f64,
    sorted: Vec<f64>,
    adjusted: Vec<f64>,
}

impl Adjusted {
    /// For tests with these p-values. Bonferroni needs their number only: see
    /// [`Adjusted::bonferroni`].
    pub fn new(correction: Correction, mut p_values: Vec<f64>) -> Adjusted {
        if correction == Correction::Bonferroni {
            return Adjusted::bonferroni(p_values.len() as u64);
        }
        p_values.sort_unstable_by(f64::total_cmp);
        let m = p_values.len();
        let mut adjusted = Vec::with_capacity(m);
        let scaled = |k: usize| match correction {
            Correction::Holm => (m - k) as f64 * p_values[k],
            _ => m as f64 * p_values[k] / (k + 1) as f64,
        };
        if correction == Correction::Holm {
            let mut largest: f64 = 0.0;
            for k in 0..m {
                largest = largest.max(scaled(k)).min(1.0);
                adjusted.push(largest);
            }
        } else {
            let mut smallest: f64 = 1.0;
            for k in (0..m).rev() {
                smallest = smallest.min(scaled(k));
                adjusted.push(smallest);
            }
            adjusted.reverse();
        }
        Adjusted { tests: m as f64, sorted: p_values, adjusted }
    }

    /// For this many tests with the correction of Bonferroni, without memory.
    pub fn bonferroni(tests: u64) -> Adjusted {
        Adjusted { tests: tests as f64, sorted: Vec::new(), adjusted: Vec::new() }
    }

    /// The adjusted p-value of one of the tests.
    pub fn of(&self, p: f64) -> f64 {
        let at = self.sorted.partition_point(|v| *v < p);
        self.adjusted.get(at).copied().unwrap_or((self.tests * p).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    const ALL: [Correction; 3] =
        [Correction::Bonferroni, Correction::Holm, Correction::BenjaminiHochberg];

    fn threshold(correction: Correction, alpha: f64, p: &[f64]) -> f64 {
        let pass = |take: &mut dyn FnMut(f64)| {
            p.iter().for_each(|p| take(*p));
            Ok::<(), ()>(())
        };
        correction.threshold(alpha, p.len() as u64, pass).unwrap()
    }

    /// The fifteen p-values of Benjamini and Hochberg (1995), section 3.2: at α = 0.05 Bonferroni
    /// rejects three, as Holm does, and their procedure four.
    #[test]
    fn the_example_of_benjamini_and_hochberg() {
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        for (correction, rejected) in ALL.into_iter().zip([3, 3, 4]) {
            let t = threshold(correction, 0.05, &p);
            assert_eq!(p.iter().filter(|p| **p < t).count(), rejected, "{correction:?}");
        }
        let bh = Adjusted::new(Correction::BenjaminiHochberg, p.to_vec());
        assert!((bh.of(0.0095) - 15.0 * 0.0095 / 4.0).abs() < 1e-15);
        // 15·0.0278/6 = 0.0695 is more than 15·0.0298/7.
        assert!((bh.of(0.0278) - 15.0 * 0.0298 / 7.0).abs() < 1e-15);
        let holm = Adjusted::new(Correction::Holm, p.to_vec());
        assert!((holm.of(0.0019) - 13.0 * 0.0019).abs() < 1e-15);
        assert_eq!(holm.of(1.0), 1.0);
    }

    /// P-values of which some are tiny, some equal, most uniform.
    fn mixture(count: usize, seed: u64) -> Vec<f64> {
        let mut random = crate::numeric::sampling::random(seed);
        (0..count)
            .map(|k| match k % 5 {
                0 => 0.0,
                1 => random.random::<f64>().powi(6),
                2 => 0.01,
                _ => random.random(),
            })
            .collect()
    }

    #[test]
    fn thresholds_and_adjusted_values_agree() {
        for seed in 0..20 {
            let p = mixture(1 + 17 * seed as usize, seed);
            for correction in ALL {
                let adjusted = Adjusted::new(correction, p.clone());
                for alpha in [0.001, 0.037, 0.2, 0.9] {
                    let t = threshold(correction, alpha, &p);
                    for p in &p {
                        assert_eq!(*p < t, adjusted.of(*p) < alpha, "{correction:?} {alpha} {p}");
                    }
                }
            }
        }
    }

    #[test]
    fn many_tests_in_little_memory_give_the_same_threshold() {
        let p = mixture(KEPT as usize + 1000, 5);
        for correction in [Correction::Holm, Correction::BenjaminiHochberg] {
            for alpha in [1e-4, 0.05] {
                let mut sorted = p.clone();
                sorted.sort_unstable_by(f64::total_cmp);
                let count = |t: f64| sorted.partition_point(|p| *p < t) as u64;
                let expected = correction.solve(alpha, p.len() as u64, count);
                assert_eq!(threshold(correction, alpha, &p), expected, "{correction:?} {alpha}");
            }
        }
    }

    #[test]
    fn no_tests_and_one_test() {
        for correction in ALL {
            assert!(threshold(correction, 0.05, &[]) <= 0.05);
            assert!(0.04 < threshold(correction, 0.05, &[0.04]));
            assert!(0.06 >= threshold(correction, 0.05, &[0.06]));
            assert_eq!(Adjusted::new(correction, vec![0.3]).of(0.3), 0.3);
        }
    }
}
