//! Local models: every node alone.
//!
//!   wᵢ = argmin Lᵢ(w)
//!
//! For `squared` with fewer points than parameters the shortest of the minimizers; zero without
//! data. Where classes can be separated there is no minimizer, and the model is one that comes near
//! the infimum.

use crate::loss::minimizers;
use crate::{Matrix, Problem};

/// The local models, one per row.
pub fn local(problem: &Problem) -> Matrix {
    minimizers(problem.nodes(), problem.dim(), |i| problem.loss(i))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossKind;
    use crate::methods::testing::example;
    use crate::numeric::linalg::norm;

    #[test]
    fn gradients_vanish_at_local_models() {
        for kind in [LossKind::Squared, LossKind::Logistic, LossKind::Mean] {
            let example = example(kind);
            let params = local(&example.problem);
            for i in 0..5 {
                let mut slope = [0.0; 2];
                example.problem.loss(i).gradient(params.row(i), &mut slope);
                assert!(norm(&slope) < 1e-12, "{kind:?} {i}: {slope:?}");
            }
            assert_eq!(params.row(3), [0.0; 2]);
        }
    }
}
