//! A network of densely connected layers, h(x) = g(W_Lᵀ … relu(W₁ᵀx + b₁) … + b_L), with all its
//! parameters in one vector, layer by layer the matrix W (a row per input) and the vector b. Its
//! loss on weighted points is
//!
//!   regression:      Σ_r θ_r (y_r − h(x_r))²,              g the identity
//!   classification:  −Σ_r θ_r Σ_c y_rc log h_c(x_r),       g = softmax
//!
//! and the gradient is found by back-propagation.

mod neural;
mod optimizer;
mod perceptron;
mod training;

pub use neural::{
    CoupledNetworks, NeuralLoss, NeuralOptions, couple_networks, couple_networks_with,
};
pub use optimizer::Optimizer;
pub use perceptron::{Perceptron, PerceptronOptions};
pub use training::Training;

use super::Task;
use super::probabilities::softmax_rows;
use crate::numeric::linalg::{axpy, multiply, multiply_left_transposed, multiply_transposed};
use crate::numeric::sampling::{Purpose, stream};
use rand_distr::{Distribution, StandardNormal};

/// The layers of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Number of inputs, of units of each hidden layer, of outputs.
    sizes: Vec<usize>,
    task: Task,
}

/// Room for one pass through a network: the outputs of every layer, and the derivatives by them.
#[derive(Debug, Default)]
pub struct Pass {
    layers: Vec<Vec<f64>>,
    slopes: [Vec<f64>; 2],
}

impl Network {
    /// A network with so many inputs and hidden units.
    pub fn new(inputs: usize, hidden: &[usize], task: Task) -> Network {
        let outer = |size| std::iter::once(size);
        Network {
            sizes: outer(inputs)
                .chain(hidden.iter().copied())
                .chain(outer(task.outputs()))
                .collect(),
            task,
        }
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.sizes.windows(2).map(|s| (s[0] + 1) * s[1]).sum()
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.sizes[0]
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.task.outputs()
    }

    /// Number of inputs, of units of each hidden layer, of outputs.
    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Parameters to start from: W normal with variance 2 / number of inputs of its layer, b = 0.
    pub fn start(&self, seed: u64) -> Vec<f64> {
        let mut random = stream(seed, Purpose::Start, 0, 0);
        let mut params = Vec::with_capacity(self.parameters());
        for s in self.sizes.windows(2) {
            let scale = (2.0 / s[0] as f64).sqrt();
            params.extend((0..s[0] * s[1]).map(|_| -> f64 {
                let z: f64 = StandardNormal.sample(&mut random);
                scale * z
            }));
            params.extend(std::iter::repeat_n(0.0, s[1]));
        }
        params
    }

    /// h(x) for rows of inputs; the outputs stay in `pass`.
    pub fn forward<'p>(&self, params: &[f64], points: &[f64], pass: &'p mut Pass) -> &'p [f64] {
        let rows = points.len() / self.sizes[0];
        pass.layers.resize(self.sizes.len() - 1, Vec::new());
        let mut params = params;
        for (l, s) in self.sizes.windows(2).enumerate() {
            let (matrix, rest) = params.split_at(s[0] * s[1]);
            let (bias, rest) = rest.split_at(s[1]);
            params = rest;
            let (before, own) = pass.layers.split_at_mut(l);
            let (inputs, out) = (before.last().map_or(points, Vec::as_slice), &mut own[0]);
            out.resize(rows * s[1], 0.0);
            multiply(inputs, matrix, s[0], out);
            for row in out.chunks_exact_mut(s[1]) {
                axpy(1.0, bias, row);
            }
            if l + 2 < self.sizes.len() {
                out.iter_mut().for_each(|v| *v = v.max(0.0));
            } else if self.task != Task::Regression {
                softmax_rows(s[1], out);
            }
        }
        pass.layers.last().map_or(&[], Vec::as_slice)
    }

    /// The loss on points with targets and weights, row by row, and its gradient.
    pub fn gradient(
        &self,
        params: &[f64],
        points: &[f64],
        targets: &[f64],
        weights: &[f64],
        pass: &mut Pass,
        gradient: &mut [f64],
    ) -> f64 {
        let outputs = self.task.outputs();
        let mut slope = std::mem::take(&mut pass.slopes[0]);
        let found = self.forward(params, points, pass);
        let factor = if self.task == Task::Regression { 2.0 } else { 1.0 };
        let rows = found.chunks_exact(outputs).zip(targets.chunks_exact(outputs)).zip(weights);
        slope.clear();
        let mut loss = 0.0;
        for ((h, y), w) in rows {
            slope.extend(h.iter().zip(y).map(|(h, y)| factor * w * (h - y)));
            loss += w * self.loss(h, y);
        }
        let mut params = params;
        let mut gradient = gradient;
        for l in (1..self.sizes.len()).rev() {
            let (inputs, units) = (self.sizes[l - 1], self.sizes[l]);
            let (earlier, own) = params.split_at(params.len() - (inputs + 1) * units);
            let (earlier_gradient, own_gradient) = gradient.split_at_mut(earlier.len());
            (params, gradient) = (earlier, earlier_gradient);
            let (by_matrix, by_bias) = own_gradient.split_at_mut(inputs * units);
            let before = if l == 1 { points } else { pass.layers[l - 2].as_slice() };
            multiply_left_transposed(before, &slope, inputs, by_matrix);
            by_bias.fill(0.0);
            slope.chunks_exact(units).for_each(|row| axpy(1.0, row, by_bias));
            if l > 1 {
                let mut next = std::mem::take(&mut pass.slopes[1]);
                next.resize(before.len(), 0.0);
                multiply_transposed(&slope, &own[..inputs * units], units, &mut next);
                next.iter_mut().zip(before).for_each(|(s, a)| {
                    if *a <= 0.0 {
                        *s = 0.0
                    }
                });
                pass.slopes[1] = std::mem::replace(&mut slope, next);
            }
        }
        pass.slopes[0] = slope;
        loss
    }

    /// The loss of one point of weight 1.
    fn loss(&self, found: &[f64], target: &[f64]) -> f64 {
        let pairs = found.iter().zip(target);
        match self.task {
            Task::Regression => pairs.map(|(h, y)| (y - h) * (y - h)).sum(),
            Task::Classification(_) => pairs
                .filter(|(_, y)| **y > 0.0)
                .map(|(h, y)| -y * h.max(f64::MIN_POSITIVE).ln())
                .sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_those_of_the_loss() {
        for (task, hidden) in [
            (Task::Regression, vec![4, 3]),
            (Task::Classification(3), vec![5]),
            (Task::Classification(2), vec![]),
        ] {
            let network = Network::new(2, &hidden, task);
            let mut params = network.start(3);
            params
                .iter_mut()
                .enumerate()
                .for_each(|(k, p)| *p += 0.05 * ((k * 7 % 11) as f64 - 5.0));
            let points = [0.3, -1.0, 2.0, 0.5, -0.7, 0.1];
            let targets: Vec<f64> = match task.outputs() {
                1 => vec![1.0, -2.0, 0.5],
                2 => vec![1.0, 0.0, 0.3, 0.7, 0.0, 1.0],
                _ => vec![1.0, 0.0, 0.0, 0.2, 0.3, 0.5, 0.0, 0.0, 1.0],
            };
            let weights = [1.0, 0.5, 2.0];
            let (mut pass, mut gradient) = (Pass::default(), vec![0.0; params.len()]);
            let loss = |params: &[f64]| {
                let (mut pass, mut unused) = (Pass::default(), vec![0.0; params.len()]);
                network.gradient(params, &points, &targets, &weights, &mut pass, &mut unused)
            };
            // Twice with the same room: nothing of the first pass is left.
            network.gradient(
                &params,
                &points[..2],
                &targets[..task.outputs()],
                &weights[..1],
                &mut pass,
                &mut gradient,
            );
            let value =
                network.gradient(&params, &points, &targets, &weights, &mut pass, &mut gradient);
            assert_eq!(value, loss(&params));
            for k in 0..params.len() {
                let moved = |h: f64| {
                    let mut params = params.clone();
                    params[k] += h;
                    loss(&params)
                };
                let quotient = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                assert!(
                    (quotient - gradient[k]).abs() < 1e-6 * (1.0 + quotient.abs()),
                    "{k}: {quotient} {}",
                    gradient[k]
                );
            }
        }
    }
}
