//! The oracle: clusters are known, and every cluster has its best common model.
//!
//!   wᵢ = argmin over w of Σ_{j in the cluster of i} cⱼLⱼ(w)

use super::pooled::{Optimum, minimizer};
use crate::error::same_size;
use crate::methods::Weighting;
use crate::outcome::Status;
use crate::{Error, Matrix, Problem};
use std::collections::BTreeMap;

/// The best model of every cluster, in the rows of its nodes; `of_node` has the cluster of each
/// node, any numbers.
pub fn oracle(
    problem: &Problem,
    of_node: &[usize],
    weighting: Weighting,
) -> Result<Optimum, Error> {
    same_size("nodes with a cluster", problem.nodes(), of_node.len())?;
    let mut clusters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    of_node.iter().enumerate().for_each(|(i, &c)| clusters.entry(c).or_default().push(i));
    let mut params = Matrix::zeros(problem.nodes(), problem.dim());
    let mut status = Status::Solved;
    for nodes in clusters.values() {
        let (model, found) = minimizer(problem, nodes, weighting)?;
        nodes.iter().for_each(|&i| params.row_mut(i).copy_from_slice(&model));
        if found != Status::Solved {
            status = found;
        }
    }
    Ok(Optimum { params, status })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossKind;
    use crate::methods::testing::{close, example};
    use crate::solve::exact::{local, pooled};

    #[test]
    fn from_local_to_pooled() {
        let example = example(LossKind::Squared);
        let at = |clusters: &[usize]| oracle(&example.problem, clusters, Weighting::Nodes).unwrap();
        let all = pooled(&example.problem, Weighting::Nodes).unwrap();
        assert_eq!(at(&[7; 5]), all);
        let alone = local(&example.problem);
        assert!(close(at(&[0, 1, 2, 3, 4]).params.as_slice(), alone.as_slice(), 1e-10));
        let two = at(&[0, 9, 0, 9, 9]).params;
        assert_eq!((two.row(0), two.row(1)), (two.row(2), two.row(4)));
        assert_eq!(two.row(3), two.row(4), "a node without data has the model of its cluster");
        let mut slope = vec![0.0; 2];
        for i in [1, 4] {
            let mut own = [0.0; 2];
            example.problem.loss(i).gradient(two.row(1), &mut own);
            crate::numeric::linalg::axpy(1.0, &own, &mut slope);
        }
        assert!(crate::numeric::linalg::norm(&slope) < 1e-12, "{slope:?}");
        assert!(oracle(&example.problem, &[0, 1], Weighting::Nodes).is_err());
    }
}
