//! λ_max against exact arithmetic, for squared losses and norms.
//!
//! With the gradients g at the common models, every flow with the slopes g proves λ_max ≤ max
//! ‖uₑ‖_*/Aₑ, and every p proves λ_max ≥ −⟨g, p⟩ / Σ Aₑ φ(p_tail − p_head). So a `lower` above the
//! first for some flow is refuted, and an `upper` below the second for some p. Both come from the
//! barrier method at the claimed λ; a spanning tree makes the flow exact.

use crate::case::{Case, PENALTIES, PenaltyKind};
use crate::number::{Real, nearest, power_of_two, real};
use crate::terms::{Term, objective, terms};
use crate::witness::{derivatives, witness};
use netfed::{Options, Proof, lambda_max};

/// What is wrong with the claims about λ_max of a case.
pub(crate) fn refute(case: &Case) -> Option<String> {
    let options = Options { max_iterations: 2000, ..Options::default() };
    let claim = lambda_max(&case.problem(), &options).unwrap();
    if case.edges.is_empty() {
        return None;
    }
    let tangent = Tangent::new(case);
    let (lower, upper) = (real(claim.lower), real(claim.upper));
    let little = real(1.0) + power_of_two(-130);
    if claim.lower > 0.0 {
        let least = tangent.congestion(&at(case, claim.lower));
        if lower > &least * &little {
            let relative = nearest(&(&lower / least - real(1.0)));
            return Some(format!(
                "lower {:e} is above λ_max by {relative:.1e} ({:?})",
                claim.lower, claim.proof
            ));
        }
    }
    // An upper end that is known up to a tolerance is not proven.
    if !matches!(claim.proof, Proof::Formula | Proof::Flow) {
        return None;
    }
    // λ = 0 has no edges.
    let near = [claim.upper, claim.upper * (1.0 - 1e-9), claim.upper * (1.0 - 1e-5)];
    let most = near.iter().filter(|l| **l > 0.0).map(|l| tangent.ratio(&at(case, *l)));
    let most = most.fold(real(0.0), Ord::max);
    if most > &upper * &little {
        let relative = nearest(&(real(1.0) - upper / most));
        return Some(format!(
            "upper {:e} is below λ_max by {relative:.1e} ({:?})",
            claim.upper, claim.proof
        ));
    }
    None
}

/// What is wrong with `lower` for losses with kinks: below it models of a component that differ
/// must be better than a common one.
pub(crate) fn refute_with_kinks(case: &Case) -> Option<String> {
    let options = Options { max_iterations: 300, ..Options::default() };
    let claim = lambda_max(&case.problem(), &options).unwrap();
    if claim.lower <= 0.0 || !claim.lower.is_finite() {
        return None;
    }
    let start = vec![0.0; case.nodes.len() * case.dim];
    let below = terms(&at(case, 0.999 * claim.lower));
    let apart = objective(&below, &witness(&below, &start).point);
    let common = Tangent::new(case).models;
    let least = objective(&below, &common);
    let relative = nearest(&((&least - &apart) / &least).with_rounding());
    (relative <= 1e-18).then(|| {
        format!(
            "lower {:e}: at 0.999 of it a common model is optimal ({:?})",
            claim.lower, claim.proof
        )
    })
}

/// A case for λ_max: squares and a norm.
pub(crate) fn suited(mut case: Case, seed: u64) -> Case {
    case.penalty = match PENALTIES[seed as usize % 3] {
        "l2" => PenaltyKind::L2,
        "l1" => PenaltyKind::L1,
        _ => PenaltyKind::LInf,
    };
    case.lasso = 0.0;
    case
}

fn at(case: &Case, lambda: f64) -> Case {
    Case { lambda, ..case.clone() }
}

/// The common models, and the gradients of all losses there.
struct Tangent {
    models: Vec<Real>,
    gradients: Vec<Real>,
    /// A spanning forest as (parent, edge, whether the node is the head of the edge), roots first,
    /// with the order of its nodes.
    forest: Vec<Option<(usize, usize, bool)>>,
    order: Vec<usize>,
    dim: usize,
}

impl Tangent {
    fn new(case: &Case) -> Tangent {
        let (n, d) = (case.nodes.len(), case.dim);
        let (forest, order, root) = forest(case);
        let losses = terms(&at(case, 0.0));
        let mut pooled = losses.clone();
        let parts = pooled.iter_mut().flat_map(|t| &mut t.rows).flat_map(|r| &mut r.parts);
        parts.for_each(|(k, _)| *k = root[*k / d] * d + *k % d);
        let common = witness(&pooled, &vec![0.0; n * d]);
        let models: Vec<Real> =
            (0..n * d).map(|k| common.point[root[k / d] * d + k % d].clone()).collect();
        let mut gradients = vec![real(0.0); n * d];
        for term in &losses {
            add_gradient(term, &models, &common.mu, &mut gradients);
        }
        Tangent { models, gradients, forest, order, dim: d }
    }

    /// The load of a flow with the slopes g: that of the solution of a case, and what it lacks over
    /// the forest.
    fn congestion(&self, case: &Case) -> Real {
        let d = self.dim;
        let best = witness(&terms(case), &vec![0.0; self.models.len()]);
        let mut flow = vec![real(0.0); case.edges.len() * d];
        // The terms of an edge come in the order of the edges; those of l1 one for each parameter.
        let all = terms(case);
        let of_edges = &all[terms(&at(case, 0.0)).len()..];
        let values =
            of_edges.iter().flat_map(|term| derivatives(term, &best.point, &best.mu).gradient);
        flow.iter_mut().zip(values).for_each(|(u, value)| *u = value);
        // s = −Σ sign·u must be g.
        let mut lacking = self.gradients.clone();
        for (e, &(a, b, _)) in case.edges.iter().enumerate() {
            for j in 0..d {
                lacking[a * d + j] += &flow[e * d + j];
                lacking[b * d + j] -= &flow[e * d + j];
            }
        }
        for &i in self.order.iter().rev() {
            let Some((parent, e, is_head)) = self.forest[i] else { continue };
            for j in 0..d {
                let value = std::mem::replace(&mut lacking[i * d + j], real(0.0));
                lacking[parent * d + j] += &value;
                if is_head { flow[e * d + j] += value } else { flow[e * d + j] -= value }
            }
        }
        let load = |(e, edge): (usize, &(usize, usize, f64))| {
            dual_norm(&case.penalty, &flow[e * d..(e + 1) * d]) / real(edge.2)
        };
        case.edges.iter().enumerate().map(load).fold(real(0.0), Ord::max)
    }

    /// −⟨g, p⟩ / Σ Aₑ φ(p_tail − p_head) of the solution of a case less the common models.
    fn ratio(&self, case: &Case) -> Real {
        let d = self.dim;
        let start: Vec<f64> = self.models.iter().map(nearest).collect();
        let best = witness(&terms(case), &start);
        let mut p: Vec<Real> = best.point.iter().zip(&self.models).map(|(w, m)| w - m).collect();
        // The same for all nodes of a component changes nothing.
        for &i in &self.order {
            if self.forest[i].is_none() {
                continue;
            }
            let mut root = i;
            while let Some((parent, ..)) = self.forest[root] {
                root = parent;
            }
            (0..d).for_each(|j| p[i * d + j] = &p[i * d + j] - &p[root * d + j]);
        }
        for i in (0..self.forest.len()).filter(|&i| self.forest[i].is_none()) {
            p[i * d..(i + 1) * d].fill(real(0.0));
        }
        let along = self.gradients.iter().zip(&p).fold(real(0.0), |sum, (g, p)| sum - g * p);
        let variation = case.edges.iter().fold(real(0.0), |sum, &(a, b, weight)| {
            let v: Vec<Real> = (0..d).map(|j| &p[a * d + j] - &p[b * d + j]).collect();
            sum + real(weight) * norm(&case.penalty, &v)
        });
        if variation > real(0.0) { along / variation } else { real(0.0) }
    }
}

fn add_gradient(term: &Term, w: &[Real], mu: &Real, out: &mut [Real]) {
    let local = derivatives(term, w, mu);
    for (row, slope) in term.rows.iter().zip(&local.gradient) {
        row.parts.iter().for_each(|&(k, factor)| out[k] += slope * real(factor));
    }
}

/// (parents, nodes with parents before children, root of every node)
type Forest = (Vec<Option<(usize, usize, bool)>>, Vec<usize>, Vec<usize>);

fn forest(case: &Case) -> Forest {
    let n = case.nodes.len();
    let (mut parents, mut order, mut root) = (vec![None; n], Vec::new(), vec![n; n]);
    for first in 0..n {
        if root[first] < n {
            continue;
        }
        root[first] = first;
        let mut next = order.len();
        order.push(first);
        while next < order.len() {
            let i = order[next];
            next += 1;
            for (e, &(a, b, _)) in case.edges.iter().enumerate() {
                let other = if a == i {
                    b
                } else if b == i {
                    a
                } else {
                    continue;
                };
                if root[other] == n {
                    (root[other], parents[other]) = (first, Some((i, e, other == b)));
                    order.push(other);
                }
            }
        }
    }
    (parents, order, root)
}

fn size(x: &Real) -> Real {
    if *x < real(0.0) { -x.clone() } else { x.clone() }
}

pub(crate) fn norm(penalty: &PenaltyKind, v: &[Real]) -> Real {
    match penalty {
        PenaltyKind::L1 => v.iter().fold(real(0.0), |sum, x| sum + size(x)),
        PenaltyKind::LInf => v.iter().map(size).fold(real(0.0), Ord::max),
        _ => v.iter().fold(real(0.0), |sum, x| sum + x * x).sqrt(),
    }
}

pub(crate) fn dual_norm(penalty: &PenaltyKind, v: &[Real]) -> Real {
    match penalty {
        PenaltyKind::L1 => norm(&PenaltyKind::LInf, v),
        PenaltyKind::LInf => norm(&PenaltyKind::L1, v),
        other => norm(other, v),
    }
}
