//! The penalties by name, and what builds them.

use super::{Norm1, Norm2, NormInf, Penalty, Quadratic, Squared};
use crate::Error;
use crate::names::named;

/// The kinds of penalty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PenaltyKind {
    /// ‖v‖₂
    #[default]
    Norm2,
    /// ‖v‖₁
    Norm1,
    /// ‖v‖_∞
    NormInf,
    /// ½‖v‖²
    Squared,
    /// ½ vᵀQv
    Quadratic,
}

named!(PenaltyKind, "penalty", [
    "l2" => PenaltyKind::Norm2,
    "l1" => PenaltyKind::Norm1,
    "linf" => PenaltyKind::NormInf,
    "squared" => PenaltyKind::Squared,
    "quadratic" => PenaltyKind::Quadratic,
]);

impl PenaltyKind {
    /// Whether it makes models exactly equal at a finite λ: the norms do.
    pub fn fuses(self) -> bool {
        matches!(self, PenaltyKind::Norm2 | PenaltyKind::Norm1 | PenaltyKind::NormInf)
    }

    /// The penalty for models of `dim` parameters; `matrix` is Q, row by row, which `quadratic`
    /// needs and no other takes.
    pub fn build(self, dim: usize, matrix: Option<&[f64]>) -> Result<Box<dyn Penalty>, Error> {
        if matrix.is_some() && self != PenaltyKind::Quadratic {
            return Err(Error::Setting {
                problem: "`penalty-matrix` goes with `penalty` quadratic only".into(),
            });
        }
        Ok(match self {
            PenaltyKind::Norm2 => Box::new(Norm2),
            PenaltyKind::Norm1 => Box::new(Norm1),
            PenaltyKind::NormInf => Box::new(NormInf),
            PenaltyKind::Squared => Box::new(Squared),
            PenaltyKind::Quadratic => match matrix {
                Some(q) => Box::new(Quadratic::new(dim, q)?),
                None => {
                    let problem = "the quadratic penalty needs its matrix Q, `penalty-matrix`";
                    return Err(Error::Setting { problem: problem.into() });
                }
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_builds_what_it_names() {
        for name in PenaltyKind::NAMES {
            let kind: PenaltyKind = name.parse().unwrap();
            assert_eq!(kind.to_string(), *name);
            let q = (kind == PenaltyKind::Quadratic).then_some(&[1.0, 0.0, 0.0, 1.0][..]);
            let penalty = kind.build(2, q).unwrap();
            assert_eq!(penalty.norm().is_some(), kind.fuses(), "{name}");
        }
    }

    #[test]
    fn the_matrix_goes_with_its_penalty() {
        assert!(PenaltyKind::Quadratic.build(1, None).is_err());
        assert!(PenaltyKind::Norm2.build(1, Some(&[1.0])).is_err());
        assert!(PenaltyKind::Quadratic.build(1, Some(&[-1.0])).is_err());
    }
}
