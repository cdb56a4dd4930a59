//! Which λ to try: a range from hardly coupled to all models merged, estimated from the data before any run.
//!
//! Let w̄ be one model for all and gᵢ = ∇Lᵢ(w̄) the pull of node i away from it. All models stay merged as long as duals with
//! ‖uₑ‖* ≤ λAₑ can balance the pulls. The potentials p with Σⱼ A_ij(pᵢ − pⱼ) = gᵢ give such duals, uₑ = Aₑ(p_tail − p_head), so that
//! λ = max ‖p_tail − p_head‖* merges everything (each connected part by itself). A node by itself is hardly moved when λ is far
//! below ‖gᵢ‖*/Σⱼ A_ij. With quadratic penalties models never merge; there wᵢ ≈ w̄ − pᵢ/λ, which lowers the losses by about Σ gᵢᵀpᵢ/λ:
//! λ is large when that is one percent of them.

use netfed::{Matrix, Problem};
use rayon::prelude::*;

/// The smallest λ, as a part of the one that moves a typical node.
const HARDLY: f64 = 0.01;
/// What a quadratic penalty may leave of the gain from models of their own.
const LEFT: f64 = 0.01;
/// Powers of ten between the smallest and the largest λ of a quadratic penalty.
const DECADES: f64 = 5.0;
/// Steps of the conjugate gradients; an estimate needs few digits.
const STEPS: usize = 200;
const ACCURACY: f64 = 1e-3;

/// `count` values of λ, ascending, at equal ratios, rounded to three digits; `pooled` is one model for all nodes.
pub(crate) fn grid(problem: &Problem, pooled: &[f64], penalty: &str, count: usize) -> Vec<f64> {
    let (low, high) = range(problem, pooled, penalty);
    let ratio = |k: usize| if count > 1 { k as f64 / (count - 1) as f64 } else { 1.0 };
    let mut grid: Vec<f64> =
        (0..count).map(|k| rounded(low * (high / low).powf(ratio(k)), 2)).collect();
    grid.dedup();
    grid
}

/// The smallest and the largest λ worth a try.
fn range(problem: &Problem, pooled: &[f64], penalty: &str) -> (f64, f64) {
    let graph = problem.graph();
    let pulls = pulls(problem, pooled);
    let potentials = potentials(problem, &pulls);
    let dual_norm = |v: &[f64]| match penalty {
        "l1" => v.iter().fold(0.0, |m: f64, x| m.max(x.abs())),
        "linf" => v.iter().map(|x| x.abs()).sum(),
        _ => v.iter().map(|x| x * x).sum::<f64>().sqrt(),
    };
    if matches!(penalty, "squared" | "quadratic") {
        let gain: f64 =
            pulls.as_slice().iter().zip(potentials.as_slice()).map(|(g, p)| g * p).sum();
        let losses: f64 = (0..problem.nodes()).map(|i| problem.loss(i).value(pooled)).sum();
        let mut unit = vec![0.0; problem.dim()];
        let stiffness: f64 = (0..problem.dim())
            .map(|j| {
                unit.fill(0.0);
                unit[j] = 1.0;
                2.0 * problem.penalty().value(&unit) / problem.dim() as f64
            })
            .sum();
        let high = usable(gain / (LEFT * losses * stiffness));
        return (high / 10f64.powf(DECADES), high);
    }
    let edges = graph.edges().iter().map(|e| {
        let ends = potentials.row(e.tail).iter().zip(potentials.row(e.head));
        dual_norm(&ends.map(|(a, b)| a - b).collect::<Vec<f64>>())
    });
    let high = usable(edges.fold(0.0, f64::max));
    let mut moved: Vec<f64> = (0..graph.nodes())
        .filter(|&i| graph.degree(i) > 0 && problem.loss(i).points() > 0)
        .map(|i| dual_norm(pulls.row(i)) / weight(problem, i))
        .collect();
    moved.sort_by(f64::total_cmp);
    let typical = moved.get(moved.len() / 2).copied().unwrap_or(0.0);
    (usable_or(HARDLY * typical, high / 1e4).clamp(high / 1e8, high / 10.0), high)
}

/// A positive number; 1 where the data give none.
fn usable(v: f64) -> f64 {
    usable_or(v, 1.0)
}

fn usable_or(v: f64, other: f64) -> f64 {
    if v.is_finite() && (1e-200..1e200).contains(&v) { v } else { other }
}

/// gᵢ = ∇Lᵢ(w̄), less the mean over the connected part: w̄ is the best model of all nodes, not of each part.
fn pulls(problem: &Problem, pooled: &[f64]) -> Matrix {
    let (n, d) = (problem.nodes(), problem.dim());
    let mut pulls = Matrix::zeros(n, d);
    let rows = pulls.as_mut_slice().par_chunks_mut(d).enumerate();
    rows.for_each(|(i, g)| problem.loss(i).gradient(pooled, g));
    let part = problem.graph().components(|_| true);
    let mut mean = Matrix::zeros(n, d);
    let mut size = vec![0.0; n];
    for (i, &c) in part.iter().enumerate() {
        size[c] += 1.0;
        mean.row_mut(c).iter_mut().zip(pulls.row(i)).for_each(|(m, g)| *m += g);
    }
    for (i, &c) in part.iter().enumerate() {
        pulls.row_mut(i).iter_mut().zip(mean.row(c)).for_each(|(g, m)| *g -= m / size[c]);
    }
    pulls
}

/// Σⱼ A_ij of a node.
fn weight(problem: &Problem, node: usize) -> f64 {
    let graph = problem.graph();
    graph.incident(node).iter().map(|inc| graph.edges()[inc.edge()].weight).sum()
}

/// p with Σⱼ A_ij(pᵢ − pⱼ) = gᵢ, by conjugate gradients with the degrees as preconditioner.
fn potentials(problem: &Problem, pulls: &Matrix) -> Matrix {
    let (graph, n, d) = (problem.graph(), problem.nodes(), problem.dim());
    let degrees: Vec<f64> = (0..n).map(|i| weight(problem, i).max(1e-300)).collect();
    let laplacian = |p: &Matrix| {
        let mut out = Matrix::zeros(n, d);
        for e in graph.edges() {
            for j in 0..d {
                let flow = e.weight * (p.row(e.tail)[j] - p.row(e.head)[j]);
                out.row_mut(e.tail)[j] += flow;
                out.row_mut(e.head)[j] -= flow;
            }
        }
        out
    };
    let scaled = |r: &Matrix| {
        let mut z = r.clone();
        z.as_mut_slice().chunks_exact_mut(d).zip(&degrees).for_each(|(z, w)| {
            z.iter_mut().for_each(|z| *z /= w);
        });
        z
    };
    let dot = |a: &Matrix, b: &Matrix| -> f64 {
        a.as_slice().iter().zip(b.as_slice()).map(|(x, y)| x * y).sum()
    };
    let add = |c: f64, x: &Matrix, y: &mut Matrix| {
        y.as_mut_slice().iter_mut().zip(x.as_slice()).for_each(|(y, x)| *y += c * x);
    };
    let mut p = Matrix::zeros(n, d);
    let mut r = pulls.clone();
    // A node without edges has nothing to balance.
    (0..n).filter(|&i| graph.degree(i) == 0).for_each(|i| r.row_mut(i).fill(0.0));
    let mut direction = scaled(&r);
    let mut size = dot(&r, &direction);
    let enough = ACCURACY * ACCURACY * size;
    for _ in 0..STEPS {
        if size.is_nan() || size <= enough || size == 0.0 {
            break;
        }
        let image = laplacian(&direction);
        let step = size / dot(&direction, &image);
        add(step, &direction, &mut p);
        add(-step, &image, &mut r);
        let z = scaled(&r);
        let next = dot(&r, &z);
        let keep = next / size;
        direction.as_mut_slice().iter_mut().zip(z.as_slice()).for_each(|(d, z)| *d = z + keep * *d);
        size = next;
    }
    p
}

/// A number rounded to 1 + `digits` significant digits.
pub(crate) fn rounded(v: f64, digits: usize) -> f64 {
    format!("{v:.digits$e}").parse().unwrap_or(v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use netfed::penalty::{Norm1, Norm2, Penalty, Squared};
    use netfed::{Clusters, Dataset, Graph, LossKind, Options, solve};
    use std::ops::ControlFlow;

    fn means(values: &[f64], edges: &[(usize, usize, f64)], penalty: Box<dyn Penalty>) -> Problem {
        let loss = |v: &f64| {
            LossKind::Mean.build(Dataset::new(1, vec![*v], vec![]).unwrap(), 0.0, 0.0).unwrap()
        };
        let graph = Graph::new(values.len(), edges).unwrap();
        Problem::new(graph, values.iter().map(loss).collect(), penalty, 1.0).unwrap()
    }

    #[test]
    fn on_a_tree_the_largest_value_is_the_exact_one() {
        // L = (w − v)², w̄ = 2: pulls 4, 0, −4; the flow over both edges is 4, and the weaker edge decides.
        let problem = means(&[0.0, 2.0, 4.0], &[(0, 1, 2.0), (1, 2, 0.5)], Box::new(Norm2));
        let grid = grid(&problem, &[2.0], "l2", 5);
        assert_eq!((grid.len(), grid[4]), (5, 8.0));
        assert!(grid.windows(2).all(|w| w[0] < w[1]) && grid[0] < 0.1, "{grid:?}");
    }

    #[test]
    fn the_largest_value_merges_and_the_smallest_does_not() {
        let edges = [(0, 1, 1.0), (1, 2, 0.3), (2, 3, 1.0), (0, 2, 0.1), (4, 5, 2.0)];
        let problem = means(&[1.0, 1.5, 4.0, 4.2, 9.0, 8.0], &edges, Box::new(Norm1));
        let grid = grid(&problem, &[4.6], "l1", 3);
        let clusters = |lambda: f64| {
            let options = Options { tolerance: 1e-9, ..Options::default() };
            let problem = problem.at_lambda(lambda).unwrap();
            let found = solve(&problem, &options, |_| ControlFlow::Continue(())).unwrap();
            Clusters::find(problem.graph(), &found.params, 1e-4, 1e-4).count()
        };
        assert_eq!((clusters(grid[0]), clusters(grid[2])), (6, 2), "{grid:?}");
    }

    #[test]
    fn nothing_to_balance_still_gives_a_grid() {
        for penalty in ["l2", "squared"] {
            let problem = means(&[3.0, 3.0], &[(0, 1, 1.0)], Box::new(Squared));
            let grid = grid(&problem, &[3.0], penalty, 4);
            assert_eq!(grid.len(), 4);
            assert!(grid.iter().all(|l| *l > 0.0 && l.is_finite()), "{grid:?}");
        }
        assert_eq!(rounded(0.012_345, 2), 0.0123);
    }
}
