//! The prox of a network's loss, approached: gradient descent for z ↦ L(z) + (κ/2)‖z − v‖² from the
//! current parameters. A step of length t along the gradient g is taken if the value falls by
//! 10⁻⁴t‖g‖², else halved; the next t is that of Barzilai and Borwein, ‖Δz‖²/⟨Δz, Δg⟩.

use super::NeuralLoss;
use crate::model::network::Pass;
use crate::numeric::linalg::{axpy, dot, norm};

/// Steps are halved no more often than this.
const HALVINGS: usize = 40;

/// What a node keeps between iterations.
pub(super) struct Node {
    pub(super) params: Vec<f64>,
    /// Length of the last gradient step.
    step: f64,
    /// The point v of the prox.
    pub(super) at: Vec<f64>,
    slope: [Vec<f64>; 2],
    trial: Vec<f64>,
    pass: Pass,
    /// L(w)
    pub(super) loss: f64,
}

impl Node {
    pub(super) fn new(start: &[f64]) -> Node {
        let zeros = || vec![0.0; start.len()];
        Node {
            params: start.to_vec(),
            step: 1.0,
            at: zeros(),
            slope: [zeros(), zeros()],
            trial: zeros(),
            pass: Pass::default(),
            loss: 0.0,
        }
    }

    /// z ↦ L(z) + (κ/2)‖z − at‖² is brought down from the current parameters. Gives the number of
    /// gradients, and whether the last one is small enough.
    pub(super) fn descend(
        &mut self,
        loss: &NeuralLoss,
        kappa: f64,
        enough: f64,
        most: usize,
    ) -> (usize, bool) {
        let Node { params, step, at, slope: [slope, next], trial, pass, loss: last } = self;
        let mut evaluate = |z: &[f64], out: &mut [f64]| {
            let own = loss.gradient(z, pass, out);
            let mut square = 0.0;
            for ((g, z), v) in out.iter_mut().zip(z).zip(&*at) {
                *g += kappa * (z - v);
                square += (z - v) * (z - v);
            }
            (own, own + 0.5 * kappa * square)
        };
        let (own, mut value) = evaluate(params, slope);
        *last = own;
        let (mut count, mut halvings) = (1, 0);
        while count < most && norm(slope) > enough && halvings < HALVINGS {
            let square = dot(slope, slope);
            trial.copy_from_slice(params);
            axpy(-*step, slope, trial);
            let (own, reached) = evaluate(trial, next);
            count += 1;
            if reached.is_nan() || reached > value - 1e-4 * *step * square {
                *step *= 0.5;
                halvings += 1;
                continue;
            }
            // Barzilai and Borwein: the step that one curvature along the last step would ask for.
            let bend = square - dot(slope, next);
            *step *= if bend > 0.0 { (square / bend).clamp(0.1, 10.0) } else { 2.0 };
            (*last, value, halvings) = (own, reached, 0);
            std::mem::swap(params, trial);
            std::mem::swap(slope, next);
        }
        (count, norm(slope) <= enough)
    }
}
