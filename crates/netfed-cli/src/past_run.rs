//! A run of `netfed fit`, read back: settings and models.

use std::collections::HashMap;
use std::path::Path;

use netfed::fit::scores;
use netfed::{LossKind, Table};
use netfed_io::{PointColumns, RunFolder, Target, check_nodes, read_points};

use crate::failure::Failure;
use crate::given::Given;
use crate::settings::Settings;

/// The models of a run.
pub(crate) struct PastRun {
    pub(crate) settings: Settings,
    models: Table,
    node: HashMap<String, usize>,
    low_label: f64,
}

impl PastRun {
    /// Opens a folder.
    pub(crate) fn open(path: &Path) -> Result<PastRun, Failure> {
        let folder = RunFolder::open(path)?;
        let settings = Settings::of_parts(Given::from_toml(&folder.config())?)?;
        let models = folder.models(settings.spec.intercept)?;
        let low_label = folder.low_label()?;
        let node = models.nodes().iter().enumerate().map(|(i, n)| (n.clone(), i)).collect();
        Ok(PastRun { settings, models, node, low_label })
    }

    /// Reads data points with the features of the run, and with labels if they are wanted.
    pub(crate) fn read(&self, path: &Path, labels: bool) -> Result<Table, Failure> {
        let named = self.models.features().len() - usize::from(self.settings.spec.intercept);
        let columns = PointColumns {
            node_optional: false,
            features: Some(self.models.features()[..named].to_vec()),
            kind: if labels { self.settings.columns.kind } else { Target::None },
            trained: true,
            ..self.settings.columns.clone()
        };
        let points = read_points(path, &columns)?;
        let listed = format!(
            "is not in the run; its {} nodes are listed in {}",
            self.models.nodes().len(),
            RunFolder::MODELS
        );
        check_nodes(path, &columns.node, &points, |n| self.node.contains_key(n), &listed)?;
        Ok(points)
    }

    /// The nodes in the order of the run, the features, and the models row by row.
    pub(crate) fn models(&self) -> &Table {
        &self.models
    }

    /// The model of a node.
    pub(crate) fn model(&self, node: &str) -> &[f64] {
        let d = self.models.features().len();
        let i = self.node.get(node).copied().unwrap_or(0);
        &self.models.x()[i * d..(i + 1) * d]
    }

    /// wᵀx of every point, in order.
    pub(crate) fn scores(&self, points: &Table) -> Vec<f64> {
        let models: Vec<&[f64]> = points.nodes().iter().map(|n| self.model(n)).collect();
        scores(self.settings.spec.intercept, &models, points)
    }

    /// The class that a score stands for, written as in the training data.
    pub(crate) fn class(&self, score: f64) -> f64 {
        if score >= 0.0 { 1.0 } else { self.low_label }
    }

    /// The kind of loss.
    pub(crate) fn loss(&self) -> LossKind {
        self.settings.spec.loss_kind()
    }
}
