//! Local models of any kind, for methods that couple models by their predictions: fit with weights,
//! and predict.
//!
//!   fit:      h ← argmin Σ_r θ_r ℓ(y_r, h(x_r)),    θ_r ≥ 0,    ℓ squared error or cross-entropy
//!   predict:  h(x), one number for regression, the probabilities of all classes for classification
//!
//! Targets of a classifier are probabilities too, so that a prediction of one model can be a target
//! of another.

mod input;
mod kernel;
mod kind;
pub mod laws;
mod linear;
mod nearest;
mod network;
mod part;
mod places;
mod points;
mod probabilities;
mod size;
mod stop;
mod table;
mod tree;
mod words;

pub use kernel::{Kernel, KernelOptions};
pub use kind::ModelKind;
pub use linear::{Linear, LinearOptions};
pub use nearest::{Nearest, NearestOptions};
pub use network::{
    CoupledNetworks, Network, NeuralLoss, NeuralOptions, Optimizer, Pass, Perceptron,
    PerceptronOptions, Training, couple_networks, couple_networks_with,
};
pub use part::Part;
pub use points::Points;
pub use probabilities::likeliest;
pub use size::ModelSize;
pub use stop::Stop;
pub(crate) use stop::go_on;
pub use table::predict_table;
pub use tree::{Boosting, BoostingOptions, Forest, ForestOptions, Tree, TreeOptions};

use crate::{Error, Matrix};

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// A number.
    Regression,
    /// One of so many classes, as their probabilities.
    Classification(usize),
}

impl Task {
    /// One of these classes, or a number where there are none.
    pub fn of_classes(classes: &[f64]) -> Task {
        if classes.is_empty() { Task::Regression } else { Task::Classification(classes.len()) }
    }

    /// How many numbers a prediction has.
    pub fn outputs(self) -> usize {
        match self {
            Task::Regression => 1,
            Task::Classification(classes) => classes,
        }
    }

    /// What a model predicts before its first fit: 0, or all classes alike.
    pub(crate) fn nothing_known(self) -> f64 {
        match self {
            Task::Regression => 0.0,
            Task::Classification(classes) => 1.0 / classes as f64,
        }
    }
}

/// A model that one node trains.
///
/// A model of your own can be fitted and predicts (`examples/own_model.rs`). All else is provided,
/// and may be said for what it buys:
///
/// | who also says | gets |
/// | --- | --- |
/// | `warm` | gradual changes, where a fit goes on from the model as it is |
/// | `watch` | long fits that can be stopped |
/// | `parts`, `restore` | models that can be saved, and peers that can be started again |
///
/// [`laws::check_model`] holds a model to what it says.
pub trait LocalModel: Send + Sync {
    /// Fits to points with targets (one row per point, [`Task::outputs`] numbers each) and weights
    /// θ ≥ 0, not all zero.
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error>;

    /// Predictions, one row per point. Before the first fit: 0, or all classes alike.
    fn predict(&self, points: &Matrix, out: &mut Matrix);

    /// Whether a fit goes on from the model as it is. Where it does not, a method that wants a
    /// gradual change must hold it back with points labeled by the old model.
    fn warm(&self) -> bool {
        false
    }

    /// Ends fits with [`Error::Stopped`] once the flag is set; the model then stays as it was. Fits
    /// that do not take long need not look at it.
    fn watch(&mut self, _stop: Stop) {}

    /// The fitted model in numbers; none before the first fit, and of models that cannot be saved.
    fn parts(&self) -> Vec<Part> {
        Vec::new()
    }

    /// Becomes the model that [`LocalModel::parts`] gave; whatever does not fit together is
    /// refused, and the model stays as it was.
    fn restore(&mut self, _parts: &[Part]) -> Result<(), Error> {
        Err(part::refuse("models of this kind cannot be saved"))
    }
}
