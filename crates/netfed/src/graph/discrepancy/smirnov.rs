//! P(D ≥ d) of D = sup |F − G| of two samples of m and n points from one distribution, F and G the
//! shares of points up to x.
//!
//! It is exact for small samples: of all orders of m + n points the share whose walk leaves |i/m −
//! j/n| < d,
//!
//!   A(i, j) = 1 if |i·n − j·m| ≥ d·m·n,   else (i·A(i − 1, j) + j·A(i, j − 1))/(i + j)
//!
//! and 2 Σ_k (−1)^(k−1) exp(−2k²z²) with z = (√e + 0.12 + 0.11/√e) d, e = mn/(m + n) (Stephens,
//! 1970) for larger ones, where it is off by a quarter at most, and that for equal m and n.

use crate::numeric::threads::*;
use std::sync::OnceLock;

/// Up to this m·n the p-value is exact.
const EXACT: usize = 10_000;

/// P(D ≥ d) for two samples of m and n points without equal values; `step` is d·m·n.
pub(super) fn smirnov_tail(step: usize, m: usize, n: usize) -> f64 {
    if step == 0 {
        return 1.0;
    }
    if m * n > EXACT {
        let root = ((m * n) as f64 / (m + n) as f64).sqrt();
        return series((root + 0.12 + 0.11 / root) * step as f64 / (m * n) as f64);
    }
    exact_tail(step, m, n)
}

fn exact_tail(step: usize, m: usize, n: usize) -> f64 {
    let left = |i: usize, j: usize| (i * n).abs_diff(j * m) >= step;
    let mut row: Vec<f64> = vec![0.0; n + 1];
    for i in 0..=m {
        for j in 0..=n {
            row[j] = match (left(i, j), i + j) {
                (true, _) => 1.0,
                (_, 0) => 0.0,
                (_, both) => {
                    let before = if j > 0 { row[j - 1] } else { 0.0 };
                    (i as f64 * row[j] + j as f64 * before) / both as f64
                }
            };
        }
    }
    row[n]
}

/// 2 Σ (−1)^(k−1) exp(−2k²z²)
fn series(z: f64) -> f64 {
    if z < 0.2 {
        // It is 1 to more than twelve digits, and the sum converges slowly.
        return 1.0;
    }
    let (mut sum, mut sign) = (0.0, 1.0);
    for k in 1..100 {
        let term = (-2.0 * f64::from(k * k) * z * z).exp();
        sum += sign * term;
        if term <= 1e-17 * sum {
            break;
        }
        sign = -sign;
    }
    (2.0 * sum).clamp(0.0, 1.0)
}

/// A table holds this many steps at most.
const STEPS: usize = 128;
/// Tables are kept for at most this many sizes of samples.
const SIZES: usize = 128;
/// This many p-values between those of the tables are kept at most, once they are computed.
const KEPT: usize = 1 << 21;
/// Shares of points are told apart in parts of this.
pub(super) const PARTS: usize = u8::MAX as usize;

/// P(D ≥ d) for the samples of any two nodes, in tables.
#[derive(Debug, Clone)]
pub(super) struct Tails {
    /// The place of every node's size among the sizes that occur.
    place: Vec<Option<usize>>,
    sizes: usize,
    tables: Vec<Table>,
}

/// P(D ≥ d) for two sizes, at multiples of a unit of d·m·n, and between them as they are asked for;
/// and lower bounds of −ln of it where it is known by how many parts ⌊F·[`PARTS`]⌋ and
/// ⌊G·[`PARTS`]⌋ differ somewhere.
#[derive(Debug, Clone)]
pub(super) struct Table {
    sizes: (usize, usize),
    /// The greatest common divisor of the sizes, of which d·m·n is a multiple.
    divisor: usize,
    unit: usize,
    tails: Vec<f64>,
    logs: Vec<f64>,
    /// At all multiples of the divisor, where they are kept.
    kept: Vec<OnceLock<f64>>,
}

impl Tails {
    /// For nodes with this many samples; without tables where there are too many sizes.
    pub(super) fn new(rows: &[usize]) -> Tails {
        let mut sizes: Vec<usize> = rows.iter().copied().filter(|m| *m > 0).collect();
        sizes.sort_unstable();
        sizes.dedup();
        if sizes.len() > SIZES {
            sizes.clear();
        }
        let place = rows.iter().map(|m| sizes.binary_search(m).ok()).collect();
        let pairs: Vec<(usize, usize)> =
            sizes.iter().flat_map(|m| sizes.iter().map(move |n| (*m, *n))).collect();
        let mut tables: Vec<Table> = pairs.par_iter().map(|(m, n)| Table::new(*m, *n)).collect();
        if tables.iter().map(Table::between).sum::<usize>() <= KEPT {
            tables.iter_mut().for_each(|t| t.kept = vec![OnceLock::new(); t.between()]);
        }
        Tails { place, sizes: sizes.len(), tables }
    }

    /// The table of two nodes.
    pub(super) fn table(&self, i: usize, j: usize) -> Option<&Table> {
        self.tables.get(self.place[i]? * self.sizes + self.place[j]?)
    }
}

impl Table {
    fn new(m: usize, n: usize) -> Table {
        let (mut divisor, mut rest) = (m, n);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        let unit = divisor * (m * n / divisor).div_ceil(STEPS);
        let tails: Vec<f64> = (0..=m * n / unit).map(|k| smirnov_tail(k * unit, m, n)).collect();
        // F and G themselves then differ by more than one part less.
        let least = |parts: usize| match parts {
            0 => 0,
            _ => divisor * ((parts - 1) * (m * n / divisor) / PARTS + 1),
        };
        let log = |parts: usize| -tails[least(parts) / unit].max(f64::MIN_POSITIVE).ln();
        let logs = (0..=PARTS).map(log).collect();
        Table { sizes: (m, n), divisor, unit, tails, logs, kept: Vec::new() }
    }

    /// Multiples of the divisor, where the unit is another and p-values are exact.
    fn between(&self) -> usize {
        let (m, n) = self.sizes;
        if self.unit == self.divisor || m * n > EXACT { 0 } else { m * n / self.divisor + 1 }
    }

    /// P(D ≥ d); `step` is d·m·n.
    pub(super) fn tail(&self, step: usize) -> f64 {
        if step.is_multiple_of(self.unit) {
            return self.tails[step / self.unit];
        }
        let computed = || smirnov_tail(step, self.sizes.0, self.sizes.1);
        match self.kept.get(step / self.divisor) {
            Some(place) => *place.get_or_init(computed),
            None => computed(),
        }
    }

    /// No more than −ln P(D ≥ d), where shares differ by this many parts somewhere.
    pub(super) fn log_at_least(&self, parts: u8) -> f64 {
        self.logs[usize::from(parts)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy.stats.ks_2samp(method="exact"), scipy 1.17.1; and two samples apart: 2/C(m + n, m).
    #[test]
    fn p_values_are_those_of_a_reference() {
        for (step, m, n, expected) in [
            (20, 5, 5, 0.07936507936507936),
            (13, 7, 4, 0.5363636363636364),
            (270, 27, 27, 0.04843826268679447),
            (305, 20, 35, 0.011007635405607443),
            (820, 60, 80, 0.2451204412244657),
            (5150, 90, 100, 7.023912870318765e-15),
            (2250, 50, 50, 1.4924475501661872e-21),
        ] {
            let found = smirnov_tail(step, m, n);
            assert!((found / expected - 1.0).abs() < 1e-9, "{step} {m} {n}: {found} {expected}");
        }
        assert!((smirnov_tail(12, 3, 4) - 2.0 / 35.0).abs() < 1e-15);
        assert_eq!(smirnov_tail(0, 3, 4), 1.0);
    }

    #[test]
    fn both_ways_agree_where_they_meet() {
        for (m, n) in [(101, 103), (120, 90), (150, 150), (300, 50)] {
            for share in [0.1, 0.15, 0.2, 0.3, 0.4] {
                let step = (share * n as f64) as usize * m;
                let ratio = smirnov_tail(step, m, n) / exact_tail(step, m, n);
                assert!((0.75..1.1).contains(&ratio), "{m} {n} {share}: {ratio}");
            }
        }
        assert_eq!(series(0.1), 1.0);
        // 2 Σ (−1)^(k−1) exp(−2k²), term by term.
        assert!((series(1.0) - 0.26999967167735456).abs() < 1e-12);
    }
    #[test]
    fn tables_are_bounds() {
        let sizes = [20, 4, 27, 0, 3, 20, 150];
        let tails = Tails::new(&sizes);
        for (i, j) in (0..7).flat_map(|i| (0..7).map(move |j| (i, j))) {
            let (m, n) = (sizes[i], sizes[j]);
            let Some(table) = tails.table(i, j) else {
                assert!(m * n == 0);
                continue;
            };
            // Every pair of shares a/m and b/n, where D might be reached.
            for (a, b) in (0..=m).flat_map(|a| (0..=n).map(move |b| (a, b))) {
                let (step, part) = ((a * n).abs_diff(b * m), |k: usize, of| (k * PARTS / of) as u8);
                let exact = table.tail(step);
                let log = table.log_at_least(part(a, m).abs_diff(part(b, n)));
                assert!(log <= -exact.ln() + 1e-12, "{a} {b} {m} {n}: {log} {exact}");
                assert!(a > 3 || (exact, exact) == (smirnov_tail(step, m, n), table.tail(step)));
            }
        }
        assert!(Tails::new(&(1..1000).collect::<Vec<_>>()).table(1, 2).is_none());
    }
}
