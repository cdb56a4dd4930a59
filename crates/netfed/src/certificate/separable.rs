//! Problems without a minimum: `logistic` losses without ridge and lasso, where classes can be
//! separated.
//!
//! Let v be a direction with y_r x_rᵀv ≥ 0 for all points of a connected component, and > 0 for one
//! of them. Adding t·v to all its models changes no difference, no loss of a point rises, and one
//! falls for ever: from every point the objective falls along v, and its infimum is not attained.
//!
//! v is found as the way from one logistic fit of all points with a small ridge to one with a
//! smaller ridge: margins that stay where they are belong to points that no direction separates
//! from the others, and v is made orthogonal to these. What is found is checked by its margins; one
//! below 10⁻¹³ of the sizes of its terms counts as zero, so that here the data may differ from the
//! given ones in the last digits.

use crate::loss::{Growth, sigmoid};
use crate::numeric::linalg::{axpy, cholesky, cholesky_solve, dot, dot_size, norm};
use crate::problem::Problem;

/// Ridges of the fits, per point and in units of the features.
const RIDGES: [f64; 4] = [1e-3, 1e-5, 1e-7, 1e-9];
/// The most Newton steps of a fit.
const STEPS: usize = 60;
/// Margins up to this part of the largest one count as those of points that stay.
const STAYS: f64 = 1e-3;
/// A margin that is zero up to rounding, as a part of the size of its terms; and one that is
/// clearly not.
const ROUNDING: f64 = 1e-13;
const CLEAR: f64 = 1e-9;

/// Whether in some component the infimum is provably not attained. False where that is not known.
pub(crate) fn has_no_minimum(problem: &Problem) -> bool {
    let of_node = problem.graph().components(|_| true);
    let count = of_node.iter().max().map_or(0, |c| c + 1);
    let mut nodes = vec![Vec::new(); count];
    of_node.iter().enumerate().for_each(|(i, &c)| nodes[c].push(i));
    nodes.iter().any(|nodes| direction(problem, nodes).is_some())
}

/// A direction along which the objective of a component falls for ever.
fn direction(problem: &Problem, nodes: &[usize]) -> Option<Vec<f64>> {
    let d = problem.dim();
    // y_r x_r of all points.
    let mut rows = Vec::new();
    for &i in nodes {
        let loss = problem.loss(i);
        if loss.points() == 0 {
            continue;
        }
        let falls = loss.growth() == Growth::Margin && loss.curvature()?.ridge == 0.0;
        let (x, y) = loss.margins().filter(|_| falls)?;
        rows.extend(x.chunks_exact(d).zip(y).flat_map(|(x, y)| x.iter().map(move |x| x * y)));
    }
    let largest = |j: usize| rows.iter().skip(j).step_by(d).fold(0.0, |m: f64, x| m.max(x.abs()));
    let units: Vec<f64> =
        (0..d).map(largest).map(|size| if size > 0.0 { 1.0 / size } else { 0.0 }).collect();
    let rows: Vec<f64> =
        rows.chunks_exact(d).flat_map(|x| x.iter().zip(&units).map(|(x, u)| x * u)).collect();
    if rows.is_empty() || !rows.iter().all(|x| x.is_finite()) {
        return None;
    }
    let mut before = vec![0.0; d];
    for ridge in RIDGES {
        let mut now = before.clone();
        fit(&rows, ridge * (rows.len() / d) as f64, &mut now);
        let mut way = now.clone();
        axpy(-1.0, &before, &mut way);
        for mut candidate in [now.clone(), way] {
            if separates(&rows, &candidate) {
                return Some(candidate);
            }
            let most = rows.chunks_exact(d).map(|x| dot(x, &candidate)).fold(0.0, f64::max);
            let stay = |x: &&[f64]| dot(x, &candidate).abs() <= STAYS * most;
            let fixed: Vec<&[f64]> = rows.chunks_exact(d).filter(stay).collect();
            project(&fixed, &mut candidate);
            if separates(&rows, &candidate) {
                return Some(candidate);
            }
        }
        before = now;
    }
    None
}

/// Whether no point of the rows y_r x_r is on the wrong side of a direction, and one is on the
/// right one.
fn separates(rows: &[f64], direction: &[f64]) -> bool {
    let mut clear = false;
    for x in rows.chunks_exact(direction.len()) {
        let (margin, size) = (dot(x, direction), dot_size(x, direction));
        if margin < -ROUNDING * size {
            return false;
        }
        clear |= margin > CLEAR * size;
    }
    clear
}

/// Newton's method for Σ log(1 + exp(−xᵀw)) + (ridge/2)‖w‖², from a given w.
fn fit(rows: &[f64], ridge: f64, w: &mut Vec<f64>) {
    let d = w.len();
    let value = |w: &[f64]| {
        let loss = |t: f64| f64::max(-t, 0.0) + (-t.abs()).exp().ln_1p();
        rows.chunks_exact(d).map(|x| loss(dot(x, w))).sum::<f64>() + 0.5 * ridge * dot(w, w)
    };
    let mut here = value(w);
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = w.iter().map(|w| ridge * w).collect();
        let mut hessian = vec![0.0; d * d];
        for x in rows.chunks_exact(d) {
            let p = sigmoid(-dot(x, w));
            axpy(-p, x, &mut gradient);
            (0..d).for_each(|j| axpy(p * (1.0 - p) * x[j], x, &mut hessian[j * d..][..d]));
        }
        (0..d).for_each(|j| hessian[j * d + j] += ridge);
        if !cholesky(&mut hessian, d, 0.0) {
            return;
        }
        let mut step = gradient.clone();
        cholesky_solve(&hessian, d, &mut step);
        let promised = dot(&step, &gradient);
        let mut length = 1.0;
        loop {
            let mut next = w.clone();
            axpy(-length, &step, &mut next);
            let there = value(&next);
            if there <= here - 1e-4 * length * promised {
                (*w, here) = (next, there);
                break;
            }
            length *= 0.5;
            if length < 1e-6 {
                return;
            }
        }
        if promised <= 1e-12 * here {
            return;
        }
    }
}

/// v less its part in the span of some rows (Gram and Schmidt's method, twice).
fn project(rows: &[&[f64]], v: &mut [f64]) {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for row in rows {
        let mut own = row.to_vec();
        for _ in 0..2 {
            basis.iter().for_each(|b| axpy(-dot(b, &own), b, &mut own));
        }
        let length = norm(&own);
        if length > 1e-10 * norm(row) {
            own.iter_mut().for_each(|x| *x /= length);
            basis.push(own);
        }
        if basis.len() == v.len() {
            return v.fill(0.0);
        }
    }
    for _ in 0..2 {
        basis.iter().for_each(|b| axpy(-dot(b, v), b, v));
    }
    // Entries that are rounding would meet large features.
    let largest = v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    v.iter_mut().filter(|x| x.abs() <= 1e-12 * largest).for_each(|x| *x = 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::Norm2;
    use crate::{Dataset, Graph, LossKind};

    /// Whether a problem of nodes with such points (two features, class) has no minimum.
    fn found(
        kind: LossKind,
        ridge: f64,
        nodes: &[&[(f64, f64, f64)]],
        edges: &[(usize, usize, f64)],
    ) -> bool {
        let build = |points: &&[(f64, f64, f64)]| {
            let features = points.iter().flat_map(|p| [p.0, p.1]).collect();
            let labels = points.iter().map(|p| p.2).collect();
            kind.build(Dataset::new(2, features, labels).unwrap(), ridge, 0.0).unwrap()
        };
        let graph = Graph::new(nodes.len(), edges).unwrap();
        let losses = nodes.iter().map(build).collect();
        has_no_minimum(&Problem::new(graph, losses, Box::new(Norm2), 1.0).unwrap())
    }

    #[test]
    fn separable_components_are_recognized() {
        let kind = LossKind::Logistic;
        let mixed: &[_] = &[
            (1.0, 1.0, 1.0),
            (2.0, 1.0, -1.0),
            (3.0, 1.0, 1.0),
            (-1.0, 2.0, -1.0),
            (1.5, -1.0, 1.0),
            (2.0, -2.0, -1.0),
            (-3.0, -1.0, 1.0),
        ];
        let apart: &[_] = &[(1e-3, 1e4, 1.0), (2e-3, -3e4, 1.0), (-1e-3, 2e4, -1.0)];
        assert!(found(kind, 0.0, &[apart], &[]));
        assert!(!found(kind, 0.0, &[mixed], &[]));
        assert!(found(kind, 0.0, &[mixed, apart], &[]), "one component is enough");
        // Both are separable, but not by the same direction.
        let (up, down): (&[_], &[_]) =
            (&[(1.0, 0.1, 1.0), (1.0, -0.2, 1.0)], &[(1.0, 0.3, -1.0), (1.0, -0.1, -1.0)]);
        assert!(
            found(kind, 0.0, &[up, down], &[]) && !found(kind, 0.0, &[up, down], &[(0, 1, 1.0)])
        );
        // A feature that only one class has, beside points that nothing separates.
        let flags: &[_] = &[
            (1.0, 0.0, 1.0),
            (1.0, 0.0, -1.0),
            (2.0, 0.0, 1.0),
            (2.0, 0.0, -1.0),
            (1.0, 1.0, 1.0),
            (2.0, 1.0, 1.0),
        ];
        assert!(found(kind, 0.0, &[flags], &[]));
        // A ridge, or a loss that attains its minimum.
        assert!(!found(kind, 1e-6, &[apart], &[]) && !found(LossKind::Hinge, 0.0, &[apart], &[]));
    }
}
