//! The discrepancies by name, each with what it needs beside the data.
//!
//! | name | what of a node's data the builder of the graph gets to see |
//! | --- | --- |
//! | `wasserstein` | mean and covariance |
//! | `energy`, `mmd`, `tsne` | the points |
//! | `ks` | values of every feature, sorted |
//! | `t` | mean and variance of every feature |
//! | `models` | the model |
//! | `gradients` | the model, lengths of gradients |
//! | `distance` | the place |

use std::fmt::{self, Display};

use super::samples::{laid_out, samples};
use crate::graph::discrepancy::{
    Combination, Discrepancy, Energy, GradientMismatch, GreatCircle, KolmogorovSmirnov,
    MaximumMean, ModelDifference, Wasserstein, WelchT,
};
use crate::{Error, FeatureScaling, LossKind, Table};

/// How the models that nodes train alone are fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalFits {
    /// The loss.
    pub loss: LossKind,
    /// This times ‖w‖² is added to the loss.
    pub ridge: f64,
    /// This times ‖w‖₁ is added to the loss.
    pub lasso: f64,
    /// Whether models have a constant feature, the last one.
    pub intercept: bool,
}

/// How unlike two nodes are.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DiscrepancyKind {
    /// The distance of normal distributions fitted to the points.
    Wasserstein,
    /// The energy distance of the points.
    Energy,
    /// The maximum mean discrepancy of the points, with the Gaussian kernel.
    MaximumMean,
    /// Kolmogorov-Smirnov tests, −log₁₀ of the p-value.
    KolmogorovSmirnov(Combination),
    /// t-tests of equal means, −log₁₀ of the p-value.
    WelchT(Combination),
    /// The distance of the models that nodes train alone.
    Models(LocalFits),
    /// The gradient of a node's loss at the other's model.
    Gradients(LocalFits),
    /// The points laid out in the plane, then as `Wasserstein`. Where there are many, some are
    /// drawn.
    Tsne {
        /// Seed of those that are drawn.
        seed: u64,
    },
    /// Kilometers on the earth, from the latitude and longitude of every node in degrees.
    Distance(Vec<(f64, f64)>),
}

impl DiscrepancyKind {
    /// The names of all kinds.
    pub const NAMES: [&str; 9] =
        ["wasserstein", "energy", "mmd", "ks", "t", "models", "gradients", "tsne", "distance"];

    /// The name of the kind.
    pub fn name(&self) -> &'static str {
        match self {
            DiscrepancyKind::Wasserstein => "wasserstein",
            DiscrepancyKind::Energy => "energy",
            DiscrepancyKind::MaximumMean => "mmd",
            DiscrepancyKind::KolmogorovSmirnov(_) => "ks",
            DiscrepancyKind::WelchT(_) => "t",
            DiscrepancyKind::Models(_) => "models",
            DiscrepancyKind::Gradients(_) => "gradients",
            DiscrepancyKind::Tsne { .. } => "tsne",
            DiscrepancyKind::Distance(_) => "distance",
        }
    }

    /// The models that nodes train alone, where these are compared. The data need labels then.
    pub fn local_fits(&self) -> Option<&LocalFits> {
        match self {
            DiscrepancyKind::Models(fits) | DiscrepancyKind::Gradients(fits) => Some(fits),
            _ => None,
        }
    }

    /// The discrepancies of the nodes of a table, in their order. Standardized, every column, label
    /// included, has unit standard deviation over all points.
    pub fn of(&self, table: &Table, standardize: bool) -> Result<Box<dyn Discrepancy>, Error> {
        let samples = || samples(table, standardize);
        Ok(match self {
            DiscrepancyKind::Wasserstein => Box::new(Wasserstein::new(&samples()?)?),
            DiscrepancyKind::Energy => Box::new(Energy::new(&samples()?)?),
            DiscrepancyKind::MaximumMean => Box::new(MaximumMean::new(&samples()?)?),
            DiscrepancyKind::KolmogorovSmirnov(combination) => {
                Box::new(KolmogorovSmirnov::new(&samples()?, *combination)?)
            }
            DiscrepancyKind::WelchT(combination) => {
                Box::new(WelchT::new(&samples()?, *combination)?)
            }
            DiscrepancyKind::Models(fits) => {
                Box::new(ModelDifference::new(fits.losses(table, standardize)?)?)
            }
            DiscrepancyKind::Gradients(fits) => {
                Box::new(GradientMismatch::new(fits.losses(table, standardize)?)?)
            }
            DiscrepancyKind::Tsne { seed } => {
                Box::new(Wasserstein::new(&laid_out(samples()?, *seed)?)?)
            }
            DiscrepancyKind::Distance(places) => {
                let (what, expected) = ("places of the nodes", table.nodes().len());
                crate::error::same_size(what, expected, places.len())?;
                Box::new(GreatCircle::new(places)?)
            }
        })
    }
}

impl Display for DiscrepancyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl LocalFits {
    /// The losses of all nodes.
    fn losses(
        &self,
        table: &Table,
        standardize: bool,
    ) -> Result<Vec<Box<dyn crate::loss::Loss>>, Error> {
        let centered = self.intercept || self.loss == LossKind::Mean;
        let scaling = standardize.then(|| FeatureScaling::of_models(table, centered));
        let data = table.datasets(self.intercept, scaling.as_ref())?;
        data.into_iter().map(|own| self.loss.build(own, self.ridge, self.lasso)).collect()
    }
}
