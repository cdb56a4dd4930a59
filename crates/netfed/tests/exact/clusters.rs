//! What is proven about clusters, against exact arithmetic: the constants at the cluster-wise
//! optimum, from which λ on a cluster is fused, within which distance of its optimum, and for which
//! λ two clusters differ.

use crate::case::Case;
use crate::lambda_max::{dual_norm, norm};
use crate::linear::solve as solve_system;
use crate::number::{Real, nearest, real};
use crate::terms::{Affine, Term, terms};
use crate::witness::{derivatives, value, witness_to};
use netfed::guarantee::{Guarantee, guarantees};
use netfed::spectral::{algebraic_connectivity, variation};
use netfed::{Clusters, Matrix, Options, solve};

/// Models that differ by less than this part of their size are not told apart.
const SAME: f64 = 1e-12;

/// Beyond this λ floats of so many bits do not tell models apart.
const LARGEST: f64 = 1e15;

/// How good the models are whose values are exact to such a part.
const ACCURACY: f64 = 1e-60;

/// What is wrong with the claims about the clusters of a case.
pub(crate) fn refute(case: &Case) -> Vec<String> {
    let problem = case.problem();
    let options = Options { max_iterations: 300, ..Options::default() };
    let solution = solve(&problem, &options).unwrap();
    let clusters = Clusters::of(problem.graph(), &solution);
    let all = guarantees(&problem, &clusters, &solution.params, 99).unwrap();
    let mut wrong = Vec::new();
    for guarantee in &all {
        let Some(optimum) = &guarantee.optimum else { continue };
        let exact = Exact::new(case, &guarantee.nodes, &optimum.params);
        exact.constants(guarantee, &mut wrong);
        let from = guarantee.fused_above;
        if from < LARGEST && guarantee.nodes.len() > 1 {
            let lambda = (from * (1.0 + 1e-9)).max(1e-12);
            exact.fused(lambda, guarantee, &mut wrong);
        }
        if let Some((low, high)) = guarantee.recovered {
            for lambda in [low * (1.0 + 1e-9), (low * high).sqrt(), high * (1.0 - 1e-9)] {
                if lambda < LARGEST && lambda > 0.0 && lambda >= low {
                    exact.apart(lambda, guarantee, &all, &mut wrong);
                }
            }
        }
    }
    wrong
}

/// A cluster of a case with its optimum.
struct Exact<'a> {
    case: &'a Case,
    losses: Vec<Term>,
    /// w̄
    optimum: Vec<Real>,
    mu: Real,
}

impl<'a> Exact<'a> {
    fn new(case: &'a Case, nodes: &[usize], near: &[f64]) -> Exact<'a> {
        let d = case.dim;
        let losses = terms(&Case { lambda: 0.0, ..case.clone() });
        let of_cluster = |t: &&Term| nodes.contains(&(t.rows[0].parts[0].0 / d));
        let mut pooled: Vec<Term> = losses.iter().filter(of_cluster).cloned().collect();
        let parts = pooled.iter_mut().flat_map(|t| &mut t.rows).flat_map(|r| &mut r.parts);
        parts.for_each(|(k, _)| *k %= d);
        let found = witness_to(&pooled, near, ACCURACY);
        Exact { case, losses, optimum: found.point, mu: found.mu }
    }

    /// Gradient of a node's loss at the optimum, and its Hessian times a direction.
    fn local(&self, node: usize, direction: &[Real]) -> (Vec<Real>, Vec<Real>) {
        let d = self.case.dim;
        let everywhere =
            |v: &[Real]| v.iter().cycle().take(d * self.case.nodes.len()).cloned().collect();
        let (w, along): (Vec<Real>, Vec<Real>) = (everywhere(&self.optimum), everywhere(direction));
        let (mut gradient, mut product) = (vec![real(0.0); d], vec![real(0.0); d]);
        for term in self.losses.iter().filter(|t| t.rows[0].parts[0].0 / d == node) {
            let local = derivatives(term, &w, &self.mu);
            for (a, row) in term.rows.iter().enumerate() {
                let mut curved = real(0.0);
                for (b, other) in term.rows.iter().enumerate() {
                    let other = Affine { constant: 0.0, ..other.clone() };
                    curved += &local.hessian[a * term.rows.len() + b] * value(&other, &along);
                }
                for &(k, factor) in &row.parts {
                    gradient[k % d] += &local.gradient[a] * real(factor);
                    product[k % d] += &curved * real(factor);
                }
            }
        }
        (gradient, product)
    }

    /// α, the largest β and δ.
    fn constants(&self, guarantee: &Guarantee, wrong: &mut Vec<String>) {
        let (case, d) = (self.case, self.case.dim);
        let Some(optimum) = &guarantee.optimum else { return };
        let little = real(1.0 + 1e-15);
        for &i in &guarantee.nodes {
            let (gradient, _) = self.local(i, &self.optimum);
            let delta = dual_norm(&case.penalty, &gradient);
            if delta > real(optimum.delta) * &little {
                let relative = nearest(&(&delta / real(optimum.delta))) - 1.0;
                wrong.push(format!("δ = {:e} is too small by {relative:.1e}", optimum.delta));
            }
        }
        // Curvature along the axes, and along what powers of the Hessian and of its inverse make of
        // them.
        for j in 0..d {
            let mut v: Vec<Real> = (0..d).map(|k| real(f64::from(u8::from(k == j)))).collect();
            for _ in 0..6 {
                let mut total = vec![real(0.0); d];
                for &i in &guarantee.nodes {
                    let (_, product) = self.local(i, &v);
                    let beta = dual_norm(&case.penalty, &product) / norm(&case.penalty, &v);
                    if beta > real(optimum.beta) * &little {
                        let relative = nearest(&(&beta / real(optimum.beta))) - 1.0;
                        wrong
                            .push(format!("β = {:e} is too small by {relative:.1e}", optimum.beta));
                    }
                    total.iter_mut().zip(product).for_each(|(t, p)| *t += p);
                }
                let size = norm(&case.penalty, &v);
                let along = v.iter().zip(&total).fold(real(0.0), |sum, (v, t)| sum + v * t);
                let alpha = along / (&size * &size);
                if real(optimum.alpha) > alpha * &little {
                    wrong.push(format!("α = {:e} is too large", optimum.alpha));
                }
                v = self.solved(&guarantee.nodes, &v);
                let size = norm(&case.penalty, &v);
                v.iter_mut().for_each(|v| *v = &*v / &size);
            }
        }
    }

    /// The solution of (Σ Hessians)·x = v.
    fn solved(&self, nodes: &[usize], v: &[Real]) -> Vec<Real> {
        let d = v.len();
        let mut rows: Vec<Vec<Real>> = vec![vec![real(0.0); d + 1]; d];
        for j in 0..d {
            let unit: Vec<Real> = (0..d).map(|k| real(f64::from(u8::from(k == j)))).collect();
            for &i in nodes {
                let (_, product) = self.local(i, &unit);
                (0..d).for_each(|k| rows[k][j] += &product[k]);
            }
            rows[j][d] = v[j].clone();
        }
        solve_system(rows).into_iter().flatten().collect()
    }

    /// The models at λ, nearly exactly.
    fn models(&self, lambda: f64) -> Vec<Real> {
        let case = Case { lambda, ..self.case.clone() };
        let start: Vec<f64> = self.optimum.iter().map(nearest).collect();
        witness_to(&terms(&case), &start.repeat(case.nodes.len()), ACCURACY).point
    }

    fn difference(&self, models: &[Real], i: usize, other: &[Real]) -> Real {
        let d = self.case.dim;
        let v: Vec<Real> = (0..d).map(|j| &models[i * d + j] - &other[j]).collect();
        norm(&self.case.penalty, &v)
    }

    fn size(&self, models: &[Real]) -> Real {
        let of = |m: &[Real]| norm(&self.case.penalty, m);
        models.chunks(self.case.dim).map(of).fold(of(&self.optimum), Ord::max)
    }

    /// The models are equal, and within 2λ|∂C|/α of the optimum.
    fn fused(&self, lambda: f64, guarantee: &Guarantee, wrong: &mut Vec<String>) {
        let d = self.case.dim;
        let models = self.models(lambda);
        let first = guarantee.nodes[0];
        let same = real(SAME) * self.size(&models);
        for &i in &guarantee.nodes {
            let away = self.difference(&models, i, &models[first * d..(first + 1) * d]);
            if away > same {
                wrong.push(format!(
                    "not fused at λ = {lambda:e}: models differ by {:e}",
                    nearest(&away)
                ));
            }
            let Some(optimum) = &guarantee.optimum else { continue };
            let bound = real(2.0 * guarantee.boundary) * real(lambda) / real(optimum.alpha);
            let away = self.difference(&models, i, &self.optimum);
            if away > bound * real(1.0 + 1e-14) + &same {
                wrong.push(format!(
                    "farther than 2λ|∂C|/α from the optimum at λ = {lambda:e}: {:e}",
                    nearest(&away)
                ));
            }
        }
    }

    /// The models are equal in the cluster, and not equal to those of its neighbors.
    fn apart(
        &self,
        lambda: f64,
        guarantee: &Guarantee,
        all: &[Guarantee],
        wrong: &mut Vec<String>,
    ) {
        self.fused(lambda, guarantee, wrong);
        let (models, d) = (self.models(lambda), self.case.dim);
        let same = real(1e-20) * self.size(&models);
        for &(a, b, _) in &self.case.edges {
            let inside = |i: &usize| guarantee.nodes.contains(i);
            if inside(&a) == inside(&b) || !all.iter().any(|g| g.nodes.contains(&b)) {
                continue;
            }
            if self.difference(&models, a, &models[b * d..(b + 1) * d]) <= same {
                wrong.push(format!("not apart at λ = {lambda:e}: nodes {a} and {b}"));
            }
        }
    }
}

/// What is wrong with the bounds on how much the models of connected components differ.
pub(crate) fn refute_variation(case: &Case) -> Vec<String> {
    let problem = case.problem();
    let component = problem.graph().components(|_| true);
    let (d, count) = (case.dim, component.iter().max().unwrap() + 1);
    let best = witness_to(&terms(case), &vec![0.0; d * case.nodes.len()], ACCURACY).point;
    let rounded = Matrix::from_rows(d, best.iter().map(nearest).collect()).unwrap();
    let mut wrong = Vec::new();
    for c in 0..count {
        let nodes: Vec<usize> = (0..component.len()).filter(|&i| component[i] == c).collect();
        let connectivity = algebraic_connectivity(problem.graph(), &nodes).unwrap();
        // Any common model gives a bound: that of the pooled losses is a good one.
        let common: Vec<f64> =
            Exact::new(case, &nodes, &vec![0.0; d]).optimum.iter().map(nearest).collect();
        let Some(said) = variation(&problem, &nodes, &rounded, &common, connectivity) else {
            continue;
        };
        let mut found = real(0.0);
        for j in 0..d {
            let sum = nodes.iter().fold(real(0.0), |sum, &i| sum + &best[i * d + j]);
            let mean = sum / real(nodes.len() as f64);
            for &i in &nodes {
                let away = &best[i * d + j] - &mean;
                found += &away * &away;
            }
        }
        // The models are known to a part of their size only.
        let size = nodes.iter().flat_map(|&i| &best[i * d..(i + 1) * d]);
        let size = size.fold(real(1.0), |size, w| size + w * w);
        let unknown = size * real(ACCURACY * ACCURACY);
        if said.bound.is_finite() && found > real(said.bound) + unknown {
            let (bound, found) = (said.bound, nearest(&found));
            wrong.push(format!(
                "the models of a component vary by {found:e}, more than the bound {bound:e}"
            ));
        }
    }
    wrong
}
