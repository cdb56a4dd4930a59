//! Bounds of λ_max that hold for the exact gradients gᵢ = ∇Lᵢ(w̄), of which only nearby numbers are
//! known.
//!
//! Let ŵ be the common model and s the slopes of a flow. The Fenchel brackets of all nodes of a
//! component, bᵢ = Lᵢ(ŵ) + Lᵢ*(sᵢ) − ⟨ŵ, sᵢ⟩, add up to at least those at w̄, since Σ sᵢ = 0. Where
//! ∇Lᵢ is βᵢ-Lipschitz, a bracket at w̄ is at least ‖sᵢ − gᵢ‖²/(2βᵢ); with a conjugate within R, if
//! that is less than R‖sᵢ − gᵢ‖/2, else at least the latter. So with δ = Σ bᵢ (twice that with
//! radii: those around ŵ then reach as far around w̄)
//!
//!   ‖sᵢ − gᵢ‖ ≤ εᵢ = max(√(2βᵢδ), 2δ/Rᵢ)
//!
//! *Above:* what the flow lacks is at most εᵢ at node i. Sent over a spanning forest, it adds at
//! most the sum of the εᵢ behind it to an edge. *Below:* an error eᵢ of gᵢ changes −⟨g, p⟩ / Σ Aₑ
//! φ(p_tail − p_head) by at most Σ eᵢ·reachᵢ, where ‖pᵢ − p_root‖ ≤ reachᵢ·Σ Aₑ φ
//! (`certificate/radius.rs`).

use super::{Forest, LambdaMax, Proof, Tangent, components, congestion};
use crate::certificate::{Certifier, radius};
use crate::loss::Slope;
use crate::penalty::{Norm, PenaltyGrowth};
use crate::{Matrix, Problem};

/// More than rounding takes from sums and products of nonnegative numbers.
const ROUNDED: f64 = 1.0 + 1e-11;

/// What is proven about the bounds of a search, whose gradients are those of the tangent, and its
/// flow. In a forest the flow is the only one, and proves both.
pub(super) fn proven(
    unit: &Problem,
    tangent: &Tangent,
    (lower, upper, flow): (f64, f64, &Matrix),
    forest: &Forest,
    proof: Proof,
) -> LambdaMax {
    let unknown = LambdaMax { lower: 0.0, upper, proof: Proof::Tolerance, merged: None };
    let Some(off) = Distances::new(unit, tangent, flow) else { return unknown };
    let (Some(norm), PenaltyGrowth::Linear(k)) =
        (unit.penalty().norm(), unit.penalty().growth(unit.dim()))
    else {
        return unknown;
    };
    // ‖·‖_* ≤ factor·‖·‖₂
    let factor = if norm == Norm::Inf { (unit.dim() as f64).sqrt() } else { 1.0 };
    let behind = forest.behind(unit.graph(), &off.of_slopes);
    let edges = || unit.graph().edges().iter().enumerate();
    let sides = |e: usize| (norm.dual(flow.row(e)), behind[e] * factor * ROUNDED);
    // Loads are known to a few units in their last place.
    let fine = 1.0 + (unit.dim() + 8) as f64 * f64::EPSILON;
    let above = edges().map(|(e, edge)| {
        let (load, more) = sides(e);
        (load + more) * fine / edge.weight
    });
    let most = above.fold(0.0, f64::max);
    let lower = if forest.edges() == unit.graph().edges().len() {
        let below = edges().map(|(e, edge)| {
            let (load, more) = sides(e);
            (load - more) / fine / edge.weight
        });
        below.fold(0.0, f64::max)
    } else {
        let reach = radius::reaches(unit).into_iter().map(|r| r / k);
        let slack: f64 = off.of_gradients.iter().zip(reach).map(|(e, r)| e * r).sum();
        lower / ROUNDED - slack * ROUNDED
    };
    LambdaMax { lower: lower.clamp(0.0, most), upper: most, proof, merged: None }
}

/// How far slopes and gradients may be from the exact gradients, node by node.
struct Distances {
    of_slopes: Vec<f64>,
    of_gradients: Vec<f64>,
}

impl Distances {
    /// None where nothing is known.
    fn new(unit: &Problem, tangent: &Tangent, flow: &Matrix) -> Option<Distances> {
        // Where the flow fits the duals of no edge matter, as all differences are zero.
        let at = unit.at_lambda(congestion(unit, flow).max(f64::MIN_POSITIVE)).ok()?;
        let (brackets, radii) = Certifier::new(&at).brackets(&tangent.models, flow);
        let (mut of_slopes, mut of_gradients) = (vec![0.0; at.nodes()], vec![0.0; at.nodes()]);
        let mut slope = Slope::zeros(at.dim());
        let mut gram = vec![0.0; at.dim() * at.dim()];
        for nodes in components(unit) {
            if nodes.len() == 1 {
                continue;
            }
            let sum: f64 = nodes.iter().map(|&i| brackets[i].gap).sum();
            let within = nodes.iter().any(|&i| radii[i].is_finite());
            let delta = sum * ROUNDED * if within { 2.0 } else { 1.0 };
            if !delta.is_finite() {
                return None;
            }
            for &i in &nodes {
                let curvature = at.loss(i).curvature()?;
                gram.fill(0.0);
                at.loss(i).add_gram(&mut gram);
                let trace: f64 = gram.iter().step_by(at.dim() + 1).sum();
                let beta = (curvature.high * trace + 2.0 * curvature.ridge) * (1.0 + 1e-9);
                let far = if radii[i].is_finite() { 2.0 * delta / radii[i] } else { 0.0 };
                of_slopes[i] = (2.0 * beta * delta).sqrt().max(far) * ROUNDED;
                let incident = at.graph().incident(i).iter();
                slope.set(incident.map(|inc| (inc.sign(), flow.row(inc.edge()))));
                let gradient = tangent.gradients.row(i);
                let entry = |j: usize| (slope.values()[j] - gradient[j]).abs() + slope.off(j);
                let apart: f64 = (0..at.dim()).map(|j| entry(j).powi(2)).sum();
                // Sums of gradients that stand for groups of nodes are rounded, too.
                let size: f64 = gradient.iter().map(|g| g.abs()).sum();
                of_gradients[i] = of_slopes[i] + apart.sqrt() * ROUNDED + 1e-14 * size;
            }
        }
        Some(Distances { of_slopes, of_gradients })
    }
}
