//! How much the predictions of a cluster differ, beside the variation bound, (25) of "Plug In and
//! Learn", in terms of predictions p on the public points P:
//!
//!   Σ_{i∈C} ‖pᵢ − mean‖²/|P| ≤ ε/(α λ₂),    ε = Σ_{i∈C} Lᵢ(h̄),    λ₂ of the Laplacian of the cluster
//!
//! for a cluster C without edges to others and any model h̄ that all its nodes could have. Here h̄
//! is one number for all points: every kind of model with a constant has it. Proof: minimizers do
//! no worse than h̄ at all nodes, which has no variation; and Σₑ Aₑ‖pᵢ − pⱼ‖² ≥ λ₂ Σ‖pᵢ − mean‖².

use super::settings::Examples;
use super::setup::RelaxSetup;
use crate::graph::spectral::algebraic_connectivity;
use crate::model::{LocalModel, Task};
use crate::{Error, Matrix};

/// Part of Σ ‖pᵢ‖²/|P| that is rounding.
const ROUNDING: f64 = 1e-12;

/// A cluster with its variation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ClusterVariation {
    /// Number of nodes.
    pub nodes: usize,
    /// Σ ‖pᵢ − mean‖²/|P|
    pub found: f64,
    /// ε/(α λ₂)
    pub bound: f64,
    /// λ₂
    pub connectivity: f64,
    /// How much of the variation may be rounding.
    pub rounding: f64,
}

impl ClusterVariation {
    /// Whether the variation is at most the bound, up to rounding.
    pub fn is_within(&self) -> bool {
        self.found <= self.bound + self.rounding
    }
}

/// The connected parts of the graph with two or more nodes, the largest first; for numbers, α > 0
/// and public points common to all nodes.
pub(super) fn variations(
    setup: &RelaxSetup<'_>,
    own: &[Examples],
    models: &[Box<dyn LocalModel>],
) -> Result<Vec<ClusterVariation>, Error> {
    let mut found = Vec::new();
    let Some(public) = setup.public.of(0).filter(|_| setup.public.is_common()) else {
        return Ok(found);
    };
    if setup.task != Task::Regression || setup.alpha == 0.0 {
        return Ok(found);
    }
    let component = setup.graph.components(|_| true);
    let count = component.iter().max().map_or(0, |c| c + 1);
    let mut members = vec![Vec::new(); count];
    component.iter().enumerate().for_each(|(i, &c)| members[c].push(i));
    for nodes in members.iter().filter(|nodes| nodes.len() > 1) {
        let connectivity = algebraic_connectivity(setup.graph, nodes)?.filter(|c| *c > 0.0);
        let Some(connectivity) = connectivity else { continue };
        let bound = common_loss(nodes, own) / (setup.alpha * connectivity);
        let (found_here, size) = variation(nodes, models, public);
        found.push(ClusterVariation {
            nodes: nodes.len(),
            found: found_here,
            bound,
            connectivity,
            rounding: ROUNDING * size,
        });
    }
    found.sort_by_key(|c| std::cmp::Reverse(c.nodes));
    Ok(found)
}

/// min over c of Σᵢ (1/mᵢ) Σ (y − c)²
fn common_loss(nodes: &[usize], own: &[Examples]) -> f64 {
    let labels = || nodes.iter().map(|&i| own[i].targets.as_slice()).filter(|y| !y.is_empty());
    let mean = |y: &[f64]| y.iter().sum::<f64>() / y.len() as f64;
    let center = labels().map(mean).sum::<f64>() / labels().count().max(1) as f64;
    let loss = |y: &[f64]| y.iter().map(|y| (y - center).powi(2)).sum::<f64>() / y.len() as f64;
    labels().map(loss).sum()
}

/// Σ ‖pᵢ − mean‖²/|P| and Σ ‖pᵢ‖²/|P|
fn variation(nodes: &[usize], models: &[Box<dyn LocalModel>], public: &Matrix) -> (f64, f64) {
    let said: Vec<Matrix> = nodes
        .iter()
        .map(|&i| {
            let mut out = Matrix::zeros(public.rows(), 1);
            models[i].predict(public, &mut out);
            out
        })
        .collect();
    let at = |r: usize| {
        let mean = said.iter().map(|p| p.row(r)[0]).sum::<f64>() / said.len() as f64;
        said.iter().map(|p| (p.row(r)[0] - mean).powi(2)).sum::<f64>()
    };
    let size: f64 = said.iter().flat_map(|p| p.as_slice()).map(|p| p * p).sum();
    let points = public.rows() as f64;
    ((0..public.rows()).map(at).sum::<f64>() / points, size / points)
}
