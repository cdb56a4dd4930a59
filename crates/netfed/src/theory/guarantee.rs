//! What is proven about a cluster C before and after training (docs/guarantees.md):
//!
//! * *fused*: if C is well-connected at λ, its nodes have equal models in every solution, whatever
//!   the other nodes do;
//! * *near its optimum*: where the models of C are equal they are within 2λ|∂C|/α of the
//!   cluster-wise optimum w̄ (37);
//! * *apart*: two neighboring clusters that are fused have different models while
//!   λ·(2|∂C|/α + 2|∂C'|/α') < ‖w̄ − w̄'‖.
//!
//! The penalty must be a norm, the losses differentiable, their sum over C strongly convex. "Not
//! guaranteed" only means that this theorem does not say it.

use super::cluster_optimum::{Found, cluster_optimum};
use super::well_connected::Demands;
use crate::numeric::linalg::{axpy, difference};
use crate::numeric::threads::*;
use crate::penalty::Norm;
use crate::{Clusters, Error, Matrix, Problem};
use std::collections::BTreeSet;

/// What the theorem says about a cluster at the λ of the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The models are equal in every solution.
    Guaranteed,
    /// The cluster is not well-connected at this λ.
    NotGuaranteed,
    /// The pooled data do not determine one model, so that assumption 2 fails.
    Undetermined,
    /// The penalty is not a norm: there is no theorem for it.
    NotANorm,
    /// The loss is not differentiable: there is no theorem for it.
    NotSmooth,
    /// The loss is strongly convex for no data; with ridge it is.
    NotStronglyConvex,
}

/// All that is known about a cluster. Constants and distances are in the norm of the penalty, or
/// its dual.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Guarantee {
    /// Its nodes, in order.
    pub nodes: Vec<usize>,
    /// Weight of the edges inside.
    pub inside: f64,
    /// |∂C|, the weight of the edges that leave it.
    pub boundary: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// The cluster is fused for all λ above this; +∞ if that is proven for none.
    pub fused_above: f64,
    /// The λ for which this cluster and all its neighbors are fused and it differs from each of
    /// them.
    pub recovered: Option<(f64, f64)>,
    /// The cluster-wise optimum and its constants, where there is one.
    pub optimum: Option<Optimum>,
}

/// The cluster-wise optimum (9) with the constants of assumptions 1 and 2.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// w̄
    pub params: Vec<f64>,
    /// α: strong convexity of the summed loss.
    pub alpha: f64,
    /// The largest βᵢ: smoothness of the local losses.
    pub beta: f64,
    /// The largest δᵢ: the local slopes at w̄.
    pub delta: f64,
    /// The largest ‖wᵢ − w̄‖ of the given models.
    pub distance: f64,
    /// The bound 2λ|∂C|/α on it.
    pub bound: f64,
    /// How far the computed w̄ may be from the exact one.
    error: f64,
}

/// The guarantees of the `most` largest clusters.
pub fn guarantees(
    problem: &Problem,
    clusters: &Clusters,
    params: &Matrix,
    most: usize,
) -> Result<Vec<Guarantee>, Error> {
    let mut members = vec![Vec::new(); clusters.count().min(most)];
    for (node, &cluster) in clusters.of_node.iter().enumerate() {
        if let Some(list) = members.get_mut(cluster) {
            list.push(node);
        }
    }
    let mut all: Vec<Guarantee> = members
        .into_par_iter()
        .map(|nodes| guarantee(problem, nodes, params))
        .collect::<Result<_, _>>()?;
    let mut neighbors = vec![BTreeSet::new(); all.len()];
    for e in problem.graph().edges() {
        let ends = [clusters.of_node[e.tail], clusters.of_node[e.head]];
        for (a, b) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            if a != b && a < all.len() {
                neighbors[a].insert(b);
            }
        }
    }
    for (c, neighbors) in neighbors.iter().enumerate() {
        all[c].recovered = recovered(problem.penalty().norm(), &all, c, neighbors);
    }
    Ok(all)
}

/// The guarantee of the cluster of the given nodes, without `recovered`.
fn guarantee(problem: &Problem, nodes: Vec<usize>, params: &Matrix) -> Result<Guarantee, Error> {
    let (edges, leaving) = problem.graph().inside_and_leaving(&nodes);
    let mut answer = Guarantee {
        inside: edges.iter().map(|e| e.2).sum(),
        boundary: leaving.iter().sum(),
        verdict: Verdict::NotANorm,
        fused_above: f64::INFINITY,
        recovered: None,
        optimum: None,
        nodes,
    };
    let Some(norm) = problem.penalty().norm() else { return Ok(answer) };
    let mut start = vec![0.0; problem.dim()];
    for &i in &answer.nodes {
        axpy(1.0 / answer.nodes.len() as f64, params.row(i), &mut start);
    }
    let found = match cluster_optimum(problem, &answer.nodes, norm, &start)? {
        Found::Optimum(found) => found,
        other => {
            answer.verdict = match other {
                Found::NotSmooth => Verdict::NotSmooth,
                Found::Flat => Verdict::NotStronglyConvex,
                _ => Verdict::Undetermined,
            };
            return Ok(answer);
        }
    };
    let mut away = vec![0.0; problem.dim()];
    let distance = answer.nodes.iter().fold(0.0, |most: f64, &i| {
        difference(params.row(i), &found.params, &mut away);
        most.max(norm.of(&away))
    });
    let largest = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let pull = 2.0 * answer.boundary / found.alpha;
    answer.optimum = Some(Optimum {
        alpha: found.alpha,
        beta: largest(&found.beta),
        delta: largest(&found.delta),
        distance,
        bound: problem.lambda() * pull,
        error: found.error,
        params: found.params,
    });
    let fixed = leaving.iter().zip(&found.beta).map(|(out, beta)| out + beta * pull).collect();
    answer.fused_above = Demands { edges: &edges, fixed, loose: found.delta }.fused_above();
    answer.verdict = if problem.lambda() > answer.fused_above {
        Verdict::Guaranteed
    } else {
        Verdict::NotGuaranteed
    };
    Ok(answer)
}

/// The λ for which a cluster and its neighbors are fused and it differs from each of them.
fn recovered(
    norm: Option<Norm>,
    all: &[Guarantee],
    cluster: usize,
    neighbors: &BTreeSet<usize>,
) -> Option<(f64, f64)> {
    let (norm, own) = (norm?, &all[cluster]);
    let optimum = own.optimum.as_ref()?;
    let (mut low, mut high) = (own.fused_above, f64::INFINITY);
    let mut away = vec![0.0; optimum.params.len()];
    for &other in neighbors {
        let other = all.get(other)?;
        let theirs = other.optimum.as_ref()?;
        difference(&optimum.params, &theirs.params, &mut away);
        let room = norm.of(&away) * (1.0 - 1e-9) - optimum.error - theirs.error;
        let reach = 2.0 * own.boundary / optimum.alpha + 2.0 * other.boundary / theirs.alpha;
        low = low.max(other.fused_above);
        high = high.min(room / reach);
    }
    (low < high).then_some((low, high))
}
