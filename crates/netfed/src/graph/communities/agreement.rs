//! How well two divisions of the same nodes into groups agree, from n_ab, the number of nodes in
//! group a of the one and b of the other:
//!
//!   NMI = 2 I/(H + H′)          I = Σ (n_ab/n) ln(n·n_ab/(n_a n_b)),   H = −Σ (n_a/n) ln(n_a/n)
//!   RI  = share of the pairs of nodes that both put together or both keep apart
//!   FMI = TP/√((TP + FP)(TP + FN)),   TP the pairs together in both, TP + FP in the one, TP + FN in the other
//!
//! All are 1 for the same division, whatever the names of the groups.

use crate::Error;
use std::collections::BTreeMap;

/// How well two divisions of the same nodes agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Normalized mutual information: 0 for divisions that say nothing about each other.
    pub nmi: f64,
    /// Rand index.
    pub rand_index: f64,
    /// Fowlkes-Mallows index; 0 where one of them puts no two nodes together, unless both do not.
    pub fowlkes_mallows: f64,
}

impl Agreement {
    /// Compares two divisions, each given by the group of every node, with any numbers.
    pub fn new(one: &[usize], other: &[usize]) -> Result<Agreement, Error> {
        if one.len() != other.len() {
            let what = "nodes of a division";
            return Err(Error::Size { what, expected: one.len(), found: other.len() });
        }
        if one.is_empty() {
            return Ok(Agreement { nmi: 1.0, rand_index: 1.0, fowlkes_mallows: 1.0 });
        }
        let n = one.len() as f64;
        let rows = sizes(one.iter().copied());
        let columns = sizes(other.iter().copied());
        let cells = sizes(one.iter().copied().zip(other.iter().copied()));
        let information: f64 =
            cells.iter().map(|((a, b), &m)| m / n * (n * m / (rows[a] * columns[b])).ln()).sum();
        let entropies = entropy(rows.values(), n) + entropy(columns.values(), n);
        let nmi = if entropies > 0.0 { 2.0 * information.max(0.0) / entropies } else { 1.0 };
        let [both, in_one, in_other] =
            [pairs(cells.values()), pairs(rows.values()), pairs(columns.values())];
        let all = n * (n - 1.0) / 2.0;
        let together = (in_one * in_other).sqrt();
        Ok(Agreement {
            nmi: nmi.min(1.0),
            rand_index: if all > 0.0 { (all + 2.0 * both - in_one - in_other) / all } else { 1.0 },
            fowlkes_mallows: match (in_one + in_other == 0.0, together > 0.0) {
                (true, _) => 1.0,
                (_, true) => both / together,
                _ => 0.0,
            },
        })
    }
}

/// How often every value comes.
fn sizes<K: Ord>(values: impl Iterator<Item = K>) -> BTreeMap<K, f64> {
    let mut count = BTreeMap::new();
    values.for_each(|v| *count.entry(v).or_insert(0.0) += 1.0);
    count
}

fn entropy<'a>(sizes: impl Iterator<Item = &'a f64>, n: f64) -> f64 {
    sizes.map(|m| -m / n * (m / n).ln()).sum()
}

fn pairs<'a>(sizes: impl Iterator<Item = &'a f64>) -> f64 {
    sizes.map(|m| m * (m - 1.0) / 2.0).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreement(one: &[usize], other: &[usize]) -> [f64; 3] {
        let found = Agreement::new(one, other).unwrap();
        assert_eq!(
            found.rand_index,
            Agreement::new(other, one).unwrap().rand_index,
            "it is symmetric"
        );
        [found.nmi, found.rand_index, found.fowlkes_mallows]
    }

    #[test]
    fn the_same_division_agrees_whatever_its_names() {
        assert_eq!(agreement(&[0, 0, 1, 2, 2], &[7, 7, 3, 0, 0]), [1.0; 3]);
        assert_eq!(agreement(&[0, 1, 2], &[2, 1, 0]), [1.0; 3]);
        assert_eq!(agreement(&[4, 4, 4], &[0, 0, 0]), [1.0; 3]);
        assert_eq!(agreement(&[], &[]), [1.0; 3]);
        assert_eq!(agreement(&[3], &[9]), [1.0; 3]);
    }

    #[test]
    fn divisions_that_say_nothing_have_no_information() {
        let [nmi, rand, fowlkes] = agreement(&[0, 0, 1, 1], &[0, 1, 0, 1]);
        assert!(nmi.abs() < 1e-15 && fowlkes == 0.0);
        assert!((rand - 2.0 / 6.0).abs() < 1e-15);
        assert_eq!(agreement(&[0, 0, 0], &[0, 1, 2]), [0.0; 3]);
    }

    #[test]
    fn sizes_must_agree() {
        assert!(Agreement::new(&[0], &[0, 1]).is_err());
    }
}
