//! How large a model of some kind becomes, before it is trained.
//!
//!   a tree of depth D on m points has at most min(2^D, m) leaves, and one inner node less

use super::network::Network;
use super::{ModelKind, Task};

/// Numbers of a node of a tree besides its prediction: feature, threshold, right child.
const NODE: f64 = 3.0;
/// Vectors as long as the parameters that training a network needs: a copy, the gradient, two
/// moments.
const TRAINING: f64 = 4.0;

/// Numbers that a model needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelSize {
    /// Those of the fitted model.
    pub kept: f64,
    /// Those that a fit needs besides.
    pub fit: f64,
}

impl ModelKind {
    /// The most numbers that a model of this kind needs for points with so many features.
    pub fn size(&self, task: Task, dim: usize, points: usize) -> ModelSize {
        let (d, c, m) = (dim as f64, task.outputs() as f64, points as f64);
        let trees = |count: usize, depth: usize| {
            let leaves = f64::from(2).powf(depth as f64).min(m);
            let all = count as f64 * (2.0 * leaves - 1.0).max(1.0) * (NODE + c);
            ModelSize { kept: all, fit: m * (d + c) }
        };
        match self {
            ModelKind::Tree(o) => trees(1, o.depth),
            ModelKind::Forest(o) => trees(o.trees, o.depth),
            ModelKind::Boosting(o) => trees(o.trees, o.depth),
            ModelKind::Nearest(_) => ModelSize { kept: m * (d + c), fit: 0.0 },
            ModelKind::Kernel(o) => {
                let centers = m.min(o.centers as f64);
                ModelSize { kept: centers * (d + c), fit: centers * (2.0 * centers + 2.0 * m) }
            }
            ModelKind::Perceptron(o) => {
                let params = Network::new(dim, &o.hidden, task).parameters() as f64;
                let widest = o.hidden.iter().sum::<usize>() as f64;
                let batch = m.min(o.training.batch as f64);
                ModelSize { kept: params, fit: TRAINING * params + 2.0 * batch * widest }
            }
            ModelKind::Linear(_)
            | ModelKind::Ridge(_)
            | ModelKind::Lasso(_)
            | ModelKind::Logistic(_) => ModelSize { kept: (d + 1.0) * c, fit: m * (d + 1.0) },
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;
    use crate::Matrix;
    use crate::model::Points;

    /// Fitted models have at most as many numbers, besides a few, and trees of all points nearly as
    /// many.
    #[test]
    fn fitted_models_are_no_larger() {
        let (dim, count) = (3, 40);
        let value = |k: usize| (k as f64 * 0.77).sin();
        let rows = Matrix::from_rows(dim, (0..dim * count).map(value).collect()).unwrap();
        let targets = Matrix::from_rows(1, (0..count).map(|k| value(3 * k + 1)).collect()).unwrap();
        let points = Points::new(rows);
        for (text, tight) in [
            ("tree depth=20", true),
            ("tree depth=2", true),
            ("forest trees=7 depth=3", false),
            ("boosting trees=5 depth=2", true),
            ("nearest", true),
            ("kernel centers=10", true),
            ("kernel", true),
            ("perceptron hidden=5,4 epochs=1", true),
            ("linear", true),
        ] {
            let kind: ModelKind = text.parse().unwrap();
            let mut model = kind.build(Task::Regression, dim, 1);
            model.fit(&points, &targets, &vec![1.0; count]).unwrap();
            let found = model.parts().iter().map(|p| p.values.len()).sum::<usize>() as f64;
            let said = kind.size(Task::Regression, dim, count).kept;
            assert!(found <= said + 50.0, "{text}: {found} {said}");
            assert!(!tight || found >= 0.7 * said, "{text}: {found} {said}");
        }
        let huge: ModelKind = "perceptron hidden=1000000,1000000".parse().unwrap();
        assert!(huge.size(Task::Regression, 2, 10).kept > 1e12);
        let deep: ModelKind = "tree depth=1000000".parse().unwrap();
        assert_eq!(deep.size(Task::Regression, 2, 1).kept, 4.0);
    }
}
