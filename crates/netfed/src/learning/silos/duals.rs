//! The duals yᵢ of (8) that belong to its graphs, where it is known which silos have the graph of
//! the consensus c.
//!
//! A silo of its own has yᵢ = ρ(wᵢ − c)/‖wᵢ − c‖. A tied one has yᵢ = −∇gᵢ where c > 0. Where c = 0
//! there is a choice,
//!
//!   yᵢ ≥ −∇gᵢ,   Σᵢ yᵢ ≤ λ,   ‖yᵢ‖ ≤ ρ,
//!
//! and it is made by the least Σ μᵢyᵢ² in every entry, with weights μᵢ that grow for silos whose yᵢ
//! is still too long.

use super::Silos;
use crate::Matrix;
use crate::numeric::linalg::{distance, norm};

const ROUNDS: usize = 30;

/// Duals that prove the graphs optimal, if these are.
pub(super) fn fitting_duals(
    silos: &Silos,
    tied: &[bool],
    locals: &Matrix,
    consensus: &[f64],
) -> Matrix {
    let (rho, lambda, pairs) = (silos.rho(), silos.lambda(), consensus.len());
    let mut duals = Matrix::zeros(tied.len(), pairs);
    for (i, silo) in silos.silos().iter().enumerate() {
        let (w, y) = (locals.row(i), duals.row_mut(i));
        if tied[i] {
            silo.gradient(w, y);
            y.iter_mut().for_each(|y| *y = -*y);
        } else {
            let apart = distance(w, consensus);
            for ((y, w), c) in y.iter_mut().zip(w).zip(consensus) {
                *y = rho * (w - c) / apart;
            }
        }
    }
    let (who, others): (Vec<usize>, Vec<usize>) = (0..tied.len()).partition(|&i| tied[i]);
    let open: Vec<usize> = (0..pairs).filter(|&e| consensus[e] == 0.0).collect();
    // Of every open entry the least duals of the tied silos, and what room the others leave them.
    let least: Vec<f64> = open
        .iter()
        .flat_map(|&e| who.iter().map(move |&i| (i, e)))
        .map(|(i, e)| duals.row(i)[e])
        .collect();
    let room = |&e: &usize| lambda - others.iter().map(|&i| duals.row(i)[e]).sum::<f64>();
    let rooms: Vec<f64> = open.iter().map(room).collect();
    let mut weights = vec![1.0; who.len()];
    for _ in 0..ROUNDS {
        for ((&e, low), room) in open.iter().zip(least.chunks_exact(who.len().max(1))).zip(&rooms) {
            let price = price(low, &weights, *room);
            for ((&i, low), weight) in who.iter().zip(low).zip(&weights) {
                duals.row_mut(i)[e] = low.max(-price / weight);
            }
        }
        let lengths: Vec<f64> = who.iter().map(|&i| norm(duals.row(i)) / rho).collect();
        if lengths.iter().all(|l| *l <= 1.0) {
            break;
        }
        weights
            .iter_mut()
            .zip(&lengths)
            .for_each(|(m, l)| *m *= if *l > 1.0 { l * l } else { 1.0 });
    }
    duals
}

/// The least θ ≥ 0 with Σ max(lowᵢ, −θ/μᵢ) ≤ room, or one beyond which nothing changes. Without the
/// lower limits θ would be too small; silos that are at their limit for it are there for good.
fn price(low: &[f64], weights: &[f64], room: f64) -> f64 {
    let mut price = 0.0;
    for _ in 0..=low.len() {
        let (mut fixed, mut speed, mut limit) = (0.0, 0.0, 0.0f64);
        for (&low, &weight) in low.iter().zip(weights) {
            limit = limit.max(-low * weight);
            if -low * weight <= price {
                fixed += low;
            } else {
                speed += 1.0 / weight;
            }
        }
        let next = if speed > 0.0 { (fixed - room) / speed } else { limit };
        if next <= price {
            break;
        }
        price = next.min(limit);
    }
    price
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_fills_the_room() {
        assert_eq!(price(&[-1.0, 0.5], &[1.0, 1.0], 0.6), 0.0);
        // 0.5 is needed; the other goes down to −0.2.
        let found = price(&[-1.0, 0.5], &[2.0, 1.0], 0.3);
        assert!((found - 0.4).abs() < 1e-12, "{found}");
        // No room at all: as low as they go.
        let found = price(&[-1.0, 0.5], &[2.0, 1.0], -9.0);
        assert_eq!((-1.0f64).max(-found / 2.0), -1.0);
    }
}
