//! The weight A of an edge between nodes of discrepancy D:
//!
//! | name | A |
//! | --- | --- |
//! | `Inverse` | 1/D, (43) of "Networked Federated Learning" |
//! | `Exponential` | exp(−D/s); s = 1 is the kernel of its section VI-D, the default is the median of D over the edges |
//! | `One` | 1 |

use crate::Error;

/// A smaller discrepancy counts as this, for weights 1/D.
const LEAST: f64 = 1e-12;
/// The least weight exp(−D/s): an edge that the rule takes stays an edge.
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

impl Weights {
    /// The weights of edges with these discrepancies, and the scale s.
    pub(super) fn of(self, discrepancies: &[f64]) -> Result<(Vec<f64>, Option<f64>), Error> {
        let all = |f: &dyn Fn(f64) -> f64| discrepancies.iter().map(|d| f(*d)).collect();
        Ok(match self {
            Weights::Inverse => (all(&|d| 1.0 / d.max(LEAST)), None),
            Weights::One => (all(&|_| 1.0), None),
            Weights::Exponential(given) => {
                let scale = given.unwrap_or_else(|| median(discrepancies));
                if !(scale > 0.0 && scale.is_finite()) {
                    let (name, expected) = ("the scale of the weights", "positive and finite");
                    return Err(Error::BadNumber { name, value: scale, expected });
                }
                (all(&|d| (-d / scale).exp().max(LEAST_WEIGHT)), Some(scale))
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
        assert_eq!(Weights::Inverse.of(&d).unwrap().0, [1e12, 2.0, 0.5, 1e-6]);
        assert_eq!(Weights::One.of(&d).unwrap().0, [1.0; 4]);
        let (paper, scale) = Weights::Exponential(Some(1.0)).of(&d).unwrap();
        assert_eq!((scale, paper[0], paper[3]), (Some(1.0), 1.0, LEAST_WEIGHT));
        assert!((paper[2] - (-2.0f64).exp()).abs() < 1e-16);
        let (_, scale) = Weights::Exponential(None).of(&d).unwrap();
        assert_eq!(scale, Some(2.0), "the median of what is not zero");
        assert_eq!(Weights::Exponential(None).of(&[0.0]).unwrap(), (vec![1.0], Some(1.0)));
        assert!(Weights::Exponential(Some(0.0)).of(&d).is_err());
    }
}
