//! Steps along a noisy gradient g with a size of their own for every parameter:
//!
//!   m ← β₁m + (1 − β₁)g,   v ← β₂v + (1 − β₂)g²,   w ← w − rate · m̂ / (√v̂ + 1e-8),   m̂ = m/(1 − β₁ᵗ),   v̂ = v/(1 − β₂ᵗ)
//!
//! Adam has β₁ = .9 and β₂ = .999. RMSprop has β₁ = 0 and β₂ = .99; the first steps are corrected
//! as in Adam.

/// How the steps of a perceptron are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Optimizer {
    /// With momentum.
    Adam,
    /// Without momentum.
    RmsProp,
}

/// The means of gradients and of their squares so far.
pub(crate) struct Moments {
    decays: [f64; 2],
    first: Vec<f64>,
    second: Vec<f64>,
    steps: i32,
}

impl Optimizer {
    /// The moments before the first step.
    pub(crate) fn begin(self, parameters: usize) -> Moments {
        let decays = match self {
            Optimizer::Adam => [0.9, 0.999],
            Optimizer::RmsProp => [0.0, 0.99],
        };
        Moments { decays, first: vec![0.0; parameters], second: vec![0.0; parameters], steps: 0 }
    }
}

impl Moments {
    /// One step.
    pub(crate) fn step(&mut self, params: &mut [f64], gradient: &[f64], rate: f64) {
        self.steps = self.steps.saturating_add(1);
        let [b1, b2] = self.decays;
        let [c1, c2] = self.decays.map(|b| 1.0 / (1.0 - b.powi(self.steps)));
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((w, g), (m, v)) in params.iter_mut().zip(gradient).zip(moments) {
            *m = b1 * *m + (1.0 - b1) * g;
            *v = b2 * *v + (1.0 - b2) * g * g;
            *w -= rate * (c1 * *m) / ((c2 * *v).sqrt() + 1e-8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_length_of_the_rate_and_steps_end_at_the_minimum() {
        for optimizer in [Optimizer::Adam, Optimizer::RmsProp] {
            let (mut w, mut moments) = ([5.0, -3.0], optimizer.begin(2));
            moments.step(&mut w, &[100.0, -0.01], 0.1);
            assert!((w[0] - 4.9).abs() < 1e-6 && (w[1] + 2.9).abs() < 1e-6, "{w:?}");
            for k in 0..2000 {
                let gradient = [w[0] - 1.0, 10.0 * (w[1] - 2.0)];
                moments.step(&mut w, &gradient, 0.1 / (1.0 + 0.01 * f64::from(k)));
            }
            assert!((w[0] - 1.0).abs() < 1e-2 && (w[1] - 2.0).abs() < 1e-2, "{w:?}");
        }
    }
}
