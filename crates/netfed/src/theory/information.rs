//! Information criteria: how well models fit, plus a price for every parameter they had to choose.
//!
//!   AIC = D + 2·df        BIC = D + df·log N        D = −2·log-likelihood, up to a constant
//!
//! N observations; normal errors of one unknown variance have D = N·log(RSS/N), two classes have D
//! = 2·Σ log-loss. The degrees of freedom of a solution with a norm as penalty are the parameters
//! that it holds apart: d for every cluster or, where there are fewer, one for every data point of
//! the cluster. The ℓ1 norm fuses each parameter by itself, so there every group of equal values of
//! a parameter counts one (Tibshirani and Taylor 2012). Ridge and lasso would lower the numbers;
//! that is left out.

use crate::{Clusters, Graph, Matrix};

/// Two information criteria; smaller is better, and only differences mean something.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Information {
    /// Akaike's criterion: aims at good predictions.
    pub aic: f64,
    /// The Bayesian criterion: aims at the true clusters.
    pub bic: f64,
}

impl Information {
    /// Normal errors of one unknown variance: `squares` is the sum of the squared residuals. None
    /// if nothing is left to estimate the variance from.
    pub fn of_squares(squares: f64, observations: usize, freedom: usize) -> Option<Information> {
        let n = observations as f64;
        if freedom < observations && squares > 0.0 {
            Some(Information::new(n * (squares / n).ln(), observations, freedom))
        } else {
            None
        }
    }

    /// Two classes: `log_loss` is the sum of −log p over the data points. None if there are as many
    /// parameters as points.
    pub fn of_log_loss(log_loss: f64, observations: usize, freedom: usize) -> Option<Information> {
        (freedom < observations).then(|| Information::new(2.0 * log_loss, observations, freedom))
    }

    fn new(deviance: f64, observations: usize, freedom: usize) -> Information {
        let df = freedom as f64;
        Information { aic: deviance + 2.0 * df, bic: deviance + df * (observations as f64).ln() }
    }
}

/// Degrees of freedom of a solution with the penalty `l2` or `linf`: Σ min(d, data points) over the
/// clusters.
pub fn clustered_freedom(clusters: &Clusters, points: &[usize], dim: usize) -> usize {
    points_per_cluster(clusters, points).into_iter().map(|m| m.min(dim)).sum()
}

/// Degrees of freedom of a solution with the penalty `l1`: the groups of connected nodes with equal
/// values, counted for each parameter, as far as they have data; at most the number of data points.
/// Tolerances as in [`Clusters::find`].
pub fn separable_freedom(
    graph: &Graph,
    params: &Matrix,
    points: &[usize],
    of_spread: f64,
    of_size: f64,
) -> usize {
    let groups = |j: usize| {
        let column = (0..params.rows()).map(|i| params.row(i)[j]).collect();
        let column = Matrix::from_rows(1, column).unwrap_or_else(|_| Matrix::zeros(0, 1));
        let clusters = Clusters::find(graph, &column, of_spread, of_size);
        points_per_cluster(&clusters, points).into_iter().filter(|m| *m > 0).count()
    };
    (0..params.cols()).map(groups).sum::<usize>().min(points.iter().sum())
}

fn points_per_cluster(clusters: &Clusters, points: &[usize]) -> Vec<usize> {
    let mut sums = vec![0; clusters.count()];
    clusters.of_node.iter().zip(points).for_each(|(&c, m)| sums[c] += m);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_are_the_textbook_ones() {
        let found = Information::of_squares(50.0, 100, 3).unwrap();
        assert!((found.aic - (100.0 * 0.5f64.ln() + 6.0)).abs() < 1e-12);
        assert!((found.bic - (100.0 * 0.5f64.ln() + 3.0 * 100f64.ln())).abs() < 1e-12);
        let found = Information::of_log_loss(20.0, 100, 3).unwrap();
        assert_eq!(found.aic, 46.0);
    }

    #[test]
    fn other_units_of_the_labels_shift_all_by_the_same() {
        let difference = |scale: f64| {
            let at = |squares, df| Information::of_squares(scale * squares, 40, df).unwrap();
            at(30.0, 2).bic - at(20.0, 5).bic
        };
        assert!((difference(1.0) - difference(1e6)).abs() < 1e-9);
    }

    #[test]
    fn a_perfect_fit_has_no_criteria() {
        assert_eq!(Information::of_squares(0.0, 10, 3), None);
        assert_eq!(Information::of_squares(1.0, 10, 10), None);
        assert_eq!(Information::of_log_loss(1.0, 10, 12), None);
    }

    #[test]
    fn clusters_pay_for_their_parameters_as_far_as_they_have_data() {
        let graph = Graph::new(5, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)]).unwrap();
        let values = vec![1.0, 1.0, 1.0, 1.0, 1.0, 5.0, 2.0, 5.0, 3.0, 5.0];
        let params = Matrix::from_rows(2, values).unwrap();
        let clusters = Clusters::find(&graph, &params, 1e-9, 1e-9);
        // Clusters {0, 1}, {2}, {3}, {4} with 4, 1, 9 and 0 data points.
        let points = [2, 2, 1, 9, 0];
        assert_eq!(clustered_freedom(&clusters, &points, 2), 2 + 1 + 2);
        // The first parameter: {0, 1, 2}, {3}, and {4} without data; the second: {0, 1}, {2, 3, 4}.
        assert_eq!(separable_freedom(&graph, &params, &points, 1e-9, 1e-9), 2 + 2);
        assert_eq!(separable_freedom(&graph, &params, &[1, 0, 0, 1, 0], 1e-9, 1e-9), 2);
    }

    #[test]
    fn one_cluster_has_the_freedom_of_one_model() {
        let graph = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
        let params = Matrix::from_rows(2, [0.5, -2.0].repeat(3)).unwrap();
        let clusters = Clusters::find(&graph, &params, 1e-3, 1e-6);
        assert_eq!(clustered_freedom(&clusters, &[5, 5, 5], 2), 2);
        assert_eq!(separable_freedom(&graph, &params, &[5, 5, 5], 1e-3, 1e-6), 2);
    }
}
