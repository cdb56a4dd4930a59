//! A multi-layer perceptron: dense layers with relu, trained by Adam or RMSprop on mini-batches of
//! Σ θ_r ℓ(y_r, h(x_r)) / Σ θ_r.
//!
//! Features (and targets of regression) are scaled to mean 0 and deviation 1, as they were at the
//! first fit. Further fits go on from the parameters that are there, with the moments of the
//! optimizer at zero. A point without weight is not there; scaling all weights changes nothing; a
//! point of weight 2 counts as the point twice, but the two would not always be in the same
//! mini-batch.

use super::training::{Training, train};
use super::{Network, Pass};
use crate::model::part::{self, Parts};
use crate::model::{LocalModel, Part, Points, Stop, Task, input};
use crate::{Error, Matrix};

/// Larger parameters are no model: training has diverged.
const LARGEST: f64 = 1e10;

/// Layers and training of a perceptron.
#[derive(Debug, Clone, PartialEq)]
pub struct PerceptronOptions {
    /// Units of each hidden layer.
    pub hidden: Vec<usize>,
    /// How a fit trains.
    pub training: Training,
}

impl Default for PerceptronOptions {
    fn default() -> PerceptronOptions {
        PerceptronOptions { hidden: vec![32], training: Training::default() }
    }
}

/// Means and deviations of some columns, one after the other.
#[derive(Clone)]
struct Scaling(Matrix);

impl Scaling {
    fn of(rows: &[u32], values: &Matrix, weights: &[f64]) -> Scaling {
        let mean = input::mean(rows, values, weights);
        let mut squares = Matrix::zeros(values.rows(), values.cols());
        for &r in rows {
            let (out, row) = (squares.row_mut(r as usize), values.row(r as usize));
            out.iter_mut().zip(row).zip(&mean).for_each(|((s, v), m)| *s = (v - m) * (v - m));
        }
        let variance = input::mean(rows, &squares, weights);
        let mut both = Matrix::zeros(2, values.cols());
        both.row_mut(0).copy_from_slice(&mean);
        for ((scale, v), m) in both.row_mut(1).iter_mut().zip(variance).zip(&mean) {
            // A constant column, to rounding, keeps its scale.
            *scale = if v.sqrt() > 1e-12 * m.abs() { v.sqrt() } else { 1.0 };
        }
        Scaling(both)
    }

    fn none(cols: usize) -> Scaling {
        let mut both = Matrix::zeros(2, cols);
        both.row_mut(1).fill(1.0);
        Scaling(both)
    }

    fn apply<'a>(&'a self, row: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let scaled = row.iter().zip(self.0.row(0)).zip(self.0.row(1));
        scaled.map(|((v, mean), scale)| (v - mean) / scale)
    }
}

struct Fitted {
    params: Vec<f64>,
    inputs: Scaling,
    outputs: Scaling,
}

/// A multi-layer perceptron.
pub struct Perceptron {
    options: PerceptronOptions,
    task: Task,
    network: Network,
    seed: u64,
    fits: u64,
    fitted: Option<Fitted>,
    stop: Option<Stop>,
}

impl Perceptron {
    /// A perceptron that has seen nothing.
    pub fn new(options: PerceptronOptions, task: Task, dim: usize, seed: u64) -> Perceptron {
        let network = Network::new(dim, &options.hidden, task);
        Perceptron { options, task, network, seed, fits: 0, fitted: None, stop: None }
    }

    fn begin(&self, kept: &[u32], points: &Points, targets: &Matrix, weights: &[f64]) -> Fitted {
        let outputs = match self.task {
            Task::Regression => Scaling::of(kept, targets, weights),
            Task::Classification(classes) => Scaling::none(classes),
        };
        Fitted {
            params: self.network.start(self.seed),
            inputs: Scaling::of(kept, points.rows(), weights),
            outputs,
        }
    }
}

impl LocalModel for Perceptron {
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error> {
        let dim = self.network.inputs();
        input::check(self.task, dim, points, targets, weights)?;
        let kept = input::kept(weights);
        let before = self.fitted.take();
        let mut fitted = match &before {
            Some(Fitted { params, inputs, outputs }) => {
                Fitted { params: params.clone(), inputs: inputs.clone(), outputs: outputs.clone() }
            }
            None => self.begin(&kept, points, targets, weights),
        };
        let total: f64 = kept.iter().map(|r| weights[*r as usize]).sum();
        let (mut x, mut y, mut theta) =
            (Vec::with_capacity(kept.len() * dim), Vec::new(), Vec::new());
        for r in kept.iter().map(|r| *r as usize) {
            x.extend(fitted.inputs.apply(points.rows().row(r)));
            y.extend(fitted.outputs.apply(targets.row(r)));
            theta.push(weights[r] * (kept.len() as f64 / total));
        }
        let (training, draws) = (&self.options.training, (self.seed, self.fits));
        let data = (&*x, &*y, &*theta);
        let done = train(&self.network, training, draws, data, &mut fitted.params, self.stop);
        if let Err(stopped) = done {
            self.fitted = before;
            return Err(stopped);
        }
        if !fitted.params.iter().all(|w| w.abs() <= LARGEST) {
            self.fitted = before;
            let (name, value) = ("the rate of a perceptron", self.options.training.rate);
            return Err(Error::BadNumber {
                name,
                value,
                expected: "smaller: the training diverged",
            });
        }
        self.fits += 1;
        self.fitted = Some(fitted);
        Ok(())
    }

    fn predict(&self, points: &Matrix, out: &mut Matrix) {
        let Some(Fitted { params, inputs, outputs }) = &self.fitted else {
            return out.as_mut_slice().fill(self.task.nothing_known());
        };
        let (mut pass, mut x) = (Pass::default(), Vec::new());
        // A few hundred rows at a time bound the memory.
        for block in (0..points.rows()).step_by(256) {
            let rows = block..(block + 256).min(points.rows());
            x.clear();
            rows.clone().for_each(|r| x.extend(inputs.apply(points.row(r))));
            let found = self.network.forward(params, &x, &mut pass);
            for (r, h) in rows.zip(found.chunks_exact(self.task.outputs())) {
                let scales = outputs.0.row(0).iter().zip(outputs.0.row(1));
                for ((o, h), (mean, scale)) in out.row_mut(r).iter_mut().zip(h).zip(scales) {
                    *o = mean + scale * h;
                }
            }
        }
    }

    fn warm(&self) -> bool {
        true
    }

    fn watch(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    fn parts(&self) -> Vec<Part> {
        let Some(Fitted { params, inputs, outputs }) = &self.fitted else { return Vec::new() };
        let scaling =
            |name, s: &Scaling| Part::new(name, &[2, s.0.cols()], s.0.as_slice().to_vec());
        let sizes: Vec<f64> = self.network.sizes().iter().map(|s| *s as f64).collect();
        vec![
            Part::new("sizes", &[sizes.len(), 1], sizes),
            Part::new("parameters", &[params.len(), 1], params.clone()),
            scaling("inputs", inputs),
            scaling("outputs", outputs),
            Part::new("fits", &[1, 1], vec![self.fits as f64]),
        ]
    }

    fn restore(&mut self, parts: &[Part]) -> Result<(), Error> {
        let parts = Parts::named(parts, &["sizes", "parameters", "inputs", "outputs", "fits"])?;
        let sizes = parts.rows("sizes", 1)?;
        let own: Vec<f64> = self.network.sizes().iter().map(|s| *s as f64).collect();
        if sizes != own {
            return Err(part::refuse(format!("its layers have {sizes:?} units; expected {own:?}")));
        }
        let params = parts.matrix("parameters", self.network.parameters(), 1)?.to_vec();
        if params.iter().any(|w| w.abs() > LARGEST) {
            return Err(part::refuse(format!("it has parameters larger than {LARGEST:e}")));
        }
        let scaling = |name, cols| -> Result<Scaling, Error> {
            let both = Matrix::from_rows(cols, parts.matrix(name, 2, cols)?.to_vec())?;
            if both.row(1).iter().all(|s| *s > 0.0) {
                Ok(Scaling(both))
            } else {
                Err(part::refuse(format!("the scales of its {name} are not all positive")))
            }
        };
        let inputs = scaling("inputs", self.network.inputs())?;
        let outputs = scaling("outputs", self.task.outputs())?;
        self.fits = part::whole(parts.matrix("fits", 1, 1)?[0], 1 << 52)? as u64;
        self.fitted = Some(Fitted { params, inputs, outputs });
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;
    use crate::model::Optimizer;

    fn curve() -> (Points, Matrix) {
        let x: Vec<f64> = (0..200).map(|k| f64::from(k) / 40.0).collect();
        let y = x.iter().map(|x| 100.0 + 10.0 * (2.0 * x).sin()).collect();
        (Points::new(Matrix::from_rows(1, x).unwrap()), Matrix::from_rows(1, y).unwrap())
    }

    fn error(model: &Perceptron, points: &Points, targets: &Matrix) -> f64 {
        let mut out = Matrix::zeros(200, 1);
        model.predict(points.rows(), &mut out);
        out.as_slice().iter().zip(targets.as_slice()).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
            / 200.0
    }

    #[test]
    fn fits_go_on_where_they_were() {
        let (points, targets) = curve();
        for optimizer in [Optimizer::Adam, Optimizer::RmsProp] {
            let training = Training { epochs: 30, rate: 0.005, optimizer, ..Training::default() };
            let options = PerceptronOptions { hidden: vec![32, 16], training };
            let mut model = Perceptron::new(options, Task::Regression, 1, 4);
            model.fit(&points, &targets, &[1.0; 200]).unwrap();
            let first = error(&model, &points, &targets);
            (0..5).for_each(|_| model.fit(&points, &targets, &[1.0; 200]).unwrap());
            let last = error(&model, &points, &targets);
            // The targets have variance 50.
            assert!(first < 40.0 && last < 5.0 && last < first, "{first} {last}");
        }
    }

    #[test]
    fn a_diverging_fit_leaves_the_model_as_it_was() {
        let (points, targets) = curve();
        let training = Training { rate: 1e12, ..Training::default() };
        let options = PerceptronOptions { hidden: vec![32], training };
        let mut model = Perceptron::new(options, Task::Regression, 1, 4);
        let said = model.fit(&points, &targets, &[1.0; 200]).unwrap_err().to_string();
        assert!(
            said.contains("rate") && said.contains("diverged") && model.parts().is_empty(),
            "{said}"
        );
    }

    #[test]
    fn a_restored_model_trains_on_like_the_saved_one() {
        let (points, targets) = curve();
        let training = Training { epochs: 3, ..Training::default() };
        let options = || PerceptronOptions { hidden: vec![32], training };
        let mut one = Perceptron::new(options(), Task::Regression, 1, 4);
        one.fit(&points, &targets, &[1.0; 200]).unwrap();
        let mut other = Perceptron::new(options(), Task::Regression, 1, 4);
        other.restore(&one.parts()).unwrap();
        for model in [&mut one, &mut other] {
            model.fit(&points, &targets, &[1.0; 200]).unwrap();
        }
        assert_eq!(one.parts(), other.parts());
    }
}
