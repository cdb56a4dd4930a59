//! Reading back what `netfed fit` wrote: settings and models.

use std::collections::HashMap;
use std::path::Path;

use netfed::LossKind;

use crate::failure::Failure;
use crate::given::Given;
use crate::load::{PointColumns, PointTable, Target, check_nodes, read_points};
use crate::measure::scores;
use crate::model_folder::{self, ModelFolder};
use crate::prepare::INTERCEPT;
use crate::settings::Settings;

/// Names of the files with the models and with the summary.
const MODELS: &str = "parameters.csv";
const SUMMARY: &str = "summary.json";

/// The models of a run.
pub(crate) struct RunFolder {
    pub(crate) settings: Settings,
    models: PointTable,
    node: HashMap<String, usize>,
    low_label: f64,
}

impl RunFolder {
    /// Opens a folder.
    pub(crate) fn open(path: &Path) -> Result<RunFolder, Failure> {
        let shown = path.display();
        let config = path.join("config.toml");
        for (file, command) in
            [("path.csv", "path"), ("tune.csv", "tune"), ("compare.csv", "compare")]
        {
            if path.join(file).is_file() {
                return Err(Failure::input(format!(
                    "{shown} is a folder that netfed {command} wrote, not one of netfed fit; train first: netfed fit --config {} --out run/.",
                    config.display()
                )));
            }
        }
        if ModelFolder::is_at(path) {
            return Err(Failure::input(format!(
                "{shown} is a folder that netfed relax wrote; this needs one of netfed fit. netfed predict and netfed evaluate take both."
            )));
        }
        if !config.is_file() {
            return Err(Failure::input(not_a_run(path)));
        }
        let needed = [MODELS, SUMMARY].map(|name| path.join(name));
        if let Some(file) = needed.iter().find(|f| !f.is_file()) {
            return Err(Failure::input(format!(
                "{} is missing; train again with netfed fit --config {} --force --out {shown}.",
                file.display(),
                config.display()
            )));
        }
        let settings = Settings::new(Given::from_toml(&config)?)?;
        let columns =
            PointColumns { kind: Target::None, target: String::new(), ..PointColumns::default() };
        let models = read_points(&path.join(MODELS), &columns)?;
        if settings.intercept && models.features.last().map(String::as_str) != Some(INTERCEPT) {
            return Err(Failure::input(format!(
                "{}: expected \"{INTERCEPT}\" as the last column.",
                path.join(MODELS).display()
            )));
        }
        let low_label = low_label(&path.join(SUMMARY))?;
        let node = models.nodes.iter().enumerate().map(|(i, n)| (n.clone(), i)).collect();
        Ok(RunFolder { settings, models, node, low_label })
    }

    /// Reads data points with the features of the run, and with labels if they are wanted.
    pub(crate) fn read(&self, path: &Path, labels: bool) -> Result<PointTable, Failure> {
        let named = self.models.features.len() - usize::from(self.settings.intercept);
        let columns = PointColumns {
            node_optional: false,
            features: Some(self.models.features[..named].to_vec()),
            kind: if labels { self.settings.columns.kind } else { Target::None },
            trained: true,
            ..self.settings.columns.clone()
        };
        let points = read_points(path, &columns)?;
        let listed = format!(
            "is not in the run; its {} nodes are listed in {MODELS}",
            self.models.nodes.len()
        );
        check_nodes(path, &columns.node, &points, |n| self.node.contains_key(n), &listed)?;
        Ok(points)
    }

    /// The nodes in the order of the run, the features, and the models row by row.
    pub(crate) fn models(&self) -> &PointTable {
        &self.models
    }

    /// The model of a node.
    pub(crate) fn model(&self, node: &str) -> &[f64] {
        let d = self.models.features.len();
        let i = self.node.get(node).copied().unwrap_or(0);
        &self.models.x[i * d..(i + 1) * d]
    }

    /// wᵀx of every point, in order.
    pub(crate) fn scores(&self, points: &PointTable) -> Vec<f64> {
        let models: Vec<&[f64]> = points.nodes.iter().map(|n| self.model(n)).collect();
        scores(self.settings.intercept, &models, points)
    }

    /// The class that a score stands for, written as in the training data.
    pub(crate) fn class(&self, score: f64) -> f64 {
        if score >= 0.0 { 1.0 } else { self.low_label }
    }

    /// The kind of loss.
    pub(crate) fn loss(&self) -> LossKind {
        self.settings.loss
    }
}

/// Why a place is no folder of a run.
fn not_a_run(path: &Path) -> String {
    let shown = path.display();
    if !path.exists() {
        return format!(
            "there is no folder {shown}; netfed fit and netfed relax write one (--out)."
        );
    }
    if path.is_file() {
        return format!(
            "{shown} is a file; expected the folder that netfed fit or netfed relax wrote."
        );
    }
    let models = model_folder::FILE;
    match path.join(model_folder::LIST).is_file() {
        true => format!(
            "{} is missing; train again with netfed relax --force --out {shown}.",
            path.join(models).display()
        ),
        false => format!(
            "{shown} is not a folder that netfed fit or netfed relax wrote: it has neither config.toml nor {models}."
        ),
    }
}

/// How the training data wrote the class −1.
fn low_label(summary: &Path) -> Result<f64, Failure> {
    let shown = summary.display();
    let text = std::fs::read_to_string(summary)
        .map_err(|e| Failure::input(format!("cannot open {shown}: {e}.")))?;
    let values: serde_json::Value = serde_json::from_str(&text)
        .map_err(|e| Failure::input(format!("{shown}, line {}: {e}.", e.line())))?;
    Ok(values["classes"][0].as_f64().unwrap_or(-1.0))
}
