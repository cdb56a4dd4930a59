//! A penalty of your own: value and prox are enough.
//!
//!     cargo run --release -p netfed --example own_penalty
//!
//! φ(v) = ‖v‖₂, which netfed has built in, so that the answers can be compared; and Huber's φ(v) =
//! Σ h(vⱼ), h(t) = ½t² for |t| ≤ δ and δ|t| − ½δ² beyond, which it has not. All is proven: the
//! conjugate follows from the prox.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::generate::{Noise, linear_data};
use netfed::penalty::{Norm2, Penalty};
use netfed::{Error, Graph, LossKind, Matrix, Options, Problem, Solution, Status, solve};

/// φ(v) = ‖v‖₂
pub struct OwnNorm;

impl Penalty for OwnNorm {
    fn value(&self, v: &[f64]) -> f64 {
        v.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    /// The length falls by `step`, to 0 at most.
    fn prox(&self, v: &mut [f64], step: f64) {
        let length = self.value(v);
        let scale = if length > step { 1.0 - step / length } else { 0.0 };
        v.iter_mut().for_each(|v| *v *= scale);
    }
}

/// φ(v) = Σ h(vⱼ) with this δ.
pub struct Huber(pub f64);

impl Penalty for Huber {
    fn value(&self, v: &[f64]) -> f64 {
        let h = |t: f64| if t <= self.0 { 0.5 * t * t } else { self.0 * (t - 0.5 * self.0) };
        v.iter().map(|v| h(v.abs())).sum()
    }

    fn prox(&self, v: &mut [f64], step: f64) {
        for v in v {
            let linear = v.abs() > self.0 * (1.0 + step);
            *v = if linear { *v - step * self.0 * v.signum() } else { *v / (1.0 + step) };
        }
    }
}

/// Twelve nodes in two groups of equal models, on a ring.
fn solved(penalty: Box<dyn Penalty>) -> Result<Solution, Error> {
    let truth = (0..12).flat_map(|i| if i < 6 { [1.0, -1.0] } else { [-1.0, 0.5] });
    let noise = Noise::PerPoint(0.1);
    let data = linear_data(&Matrix::from_rows(2, truth.collect())?, 8, noise, 5)?;
    let losses = data.into_iter().map(|d| LossKind::Squared.build(d, 0.0, 0.0));
    let edges: Vec<_> = (0..12).map(|i| (i, (i + 1) % 12, 1.0)).collect();
    let losses = losses.collect::<Result<_, _>>()?;
    solve(&Problem::new(Graph::new(12, &edges)?, losses, penalty, 0.1)?, &Options::default())
}

/// Solves with the built-in norm, and with the own ones.
pub fn main() -> Result<(), Error> {
    let expected = solved(Box::new(Norm2))?.certificate;
    let [norm, huber] = [solved(Box::new(OwnNorm))?, solved(Box::new(Huber(1.0)))?];
    for (name, found) in [("own norm", &norm), ("Huber", &huber)] {
        let c = &found.certificate;
        println!("{name}: {}, objective {}, gap {:.1e}", found.status, c.objective, c.gap);
        assert_eq!(found.status, Status::Solved);
        assert!(c.relative_gap <= 1e-6);
    }
    let apart = (norm.certificate.objective / expected.objective - 1.0).abs();
    println!("built in: objective {}, {apart:.1e} apart", expected.objective);
    assert!(apart <= 2e-6);
    Ok(())
}
