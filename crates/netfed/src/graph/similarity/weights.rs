//! The weight A of an edge between nodes of discrepancy D:
//!
//! | name | A |
//! | --- | --- |
//! | `Inverse` | 1/D, (43) of "Networked Federated Learning" |
//! | `Exponential` | exp(−D/s); s = 1 is the kernel of its section VI-D, the default is the median of D over the edges |
//! | `One` | 1 |
//!
//! 1/D is at most 1e12 and exp(−D/s) at least 1e-12: an edge that the rule takes stays an edge,
//! with a finite weight.

use crate::Error;
use crate::error::positive;

/// A smaller discrepancy counts as this, for weights 1/D.
const LEAST: f64 = 1e-12;
/// The least weight exp(−D/s).
const LEAST_WEIGHT: f64 = 1e-12;

/// How strongly nodes of some discrepancy are joined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weights {
    /// 1/D
    Inverse,
    /// exp(−D/s); without s the median of D over the edges.
    Exponential(Option<f64>),
    /// 1
    One,
}

/// The weights of some edges.
#[derive(Debug, PartialEq)]
pub(super) struct Weighed {
    pub(super) values: Vec<f64>,
    /// s
    pub(super) scale: Option<f64>,
    /// How many would be beyond their bound.
    pub(super) bounded: usize,
}

impl Weights {
    /// The weights of edges with these discrepancies.
    pub(super) fn of(self, discrepancies: &[f64]) -> Result<Weighed, Error> {
        let all = |f: &dyn Fn(f64) -> f64| discrepancies.iter().map(|d| f(*d)).collect();
        let bounded = |f: &dyn Fn(f64) -> bool| discrepancies.iter().filter(|d| f(**d)).count();
        Ok(match self {
            Weights::Inverse => Weighed {
                values: all(&|d| 1.0 / d.max(LEAST)),
                scale: None,
                bounded: bounded(&|d| d < LEAST),
            },
            Weights::One => Weighed { values: all(&|_| 1.0), scale: None, bounded: 0 },
            Weights::Exponential(given) => {
                let scale = given.unwrap_or_else(|| median(discrepancies));
                positive("the scale of the weights", scale)?;
                Weighed {
                    values: all(&|d| (-d / scale).exp().max(LEAST_WEIGHT)),
                    scale: Some(scale),
                    bounded: bounded(&|d| (-d / scale).exp() < LEAST_WEIGHT),
                }
            }
        })
    }
}

/// The median of the values that are not zero; 1 if all are.
fn median(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| *v > 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_formula() {
        let d = [0.0, 0.5, 2.0, 1e6];
        let inverse = Weights::Inverse.of(&d).unwrap();
        assert_eq!((inverse.values, inverse.bounded), (vec![1e12, 2.0, 0.5, 1e-6], 1));
        let one = Weights::One.of(&d).unwrap();
        assert_eq!(one, Weighed { values: vec![1.0; 4], scale: None, bounded: 0 });
        let Weighed { values: paper, scale, bounded } =
            Weights::Exponential(Some(1.0)).of(&d).unwrap();
        assert_eq!((scale, paper[0], paper[3], bounded), (Some(1.0), 1.0, LEAST_WEIGHT, 1));
        assert!((paper[2] - (-2.0f64).exp()).abs() < 1e-16);
        let median = Weights::Exponential(None);
        assert_eq!(median.of(&d).unwrap().scale, Some(2.0), "the median of what is not zero");
        let zero = Weighed { values: vec![1.0], scale: Some(1.0), bounded: 0 };
        assert_eq!(median.of(&[0.0]).unwrap(), zero);
        assert!(Weights::Exponential(Some(0.0)).of(&d).is_err());
    }
}
