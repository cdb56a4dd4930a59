//! Reading back what `netfed fit` wrote: where its settings are, and the models.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::model_folder::{self, ModelFolder};
use crate::read::columns::{PointColumns, Target};
use crate::read::points::read_points;
use netfed::Table;
use netfed::fit::INTERCEPT;

/// Names of the files with the settings and with the summary.
const CONFIG: &str = "config.toml";
const SUMMARY: &str = "summary.json";

/// The folder of a run, of which all files are there.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// The name of the file with the models.
    pub const MODELS: &str = "parameters.csv";

    /// Looks at a folder.
    pub fn open(path: &Path) -> Result<RunFolder, Error> {
        let shown = path.display();
        let config = path.join(CONFIG);
        for (file, command) in
            [("path.csv", "path"), ("tune.csv", "tune"), ("compare.csv", "compare")]
        {
            if path.join(file).is_file() {
                return Err(Error::input(format!(
                    "{shown} is a folder that netfed {command} wrote, not one of netfed fit; train first: netfed fit --config {} --out run/.",
                    config.display()
                )));
            }
        }
        if ModelFolder::is_at(path) {
            return Err(Error::input(format!(
                "{shown} is a folder that netfed relax wrote; this needs one of netfed fit. netfed predict and netfed evaluate take both."
            )));
        }
        if !config.is_file() {
            return Err(Error::input(not_a_run(path)));
        }
        let needed = [RunFolder::MODELS, SUMMARY].map(|name| path.join(name));
        if let Some(file) = needed.iter().find(|f| !f.is_file()) {
            return Err(Error::input(format!(
                "{} is missing; train again with netfed fit --config {} --force --out {shown}.",
                file.display(),
                config.display()
            )));
        }
        Ok(RunFolder { path: path.to_path_buf() })
    }

    /// The file with the settings.
    pub fn config(&self) -> PathBuf {
        self.path.join(CONFIG)
    }

    /// The nodes in the order of the run, the features, and the models row by row; with an
    /// intercept, it comes last.
    pub fn models(&self, intercept: bool) -> Result<Table, Error> {
        let columns =
            PointColumns { kind: Target::None, target: String::new(), ..PointColumns::default() };
        let file = self.path.join(RunFolder::MODELS);
        let models = read_points(&file, &columns)?;
        if intercept && models.features().last().map(String::as_str) != Some(INTERCEPT) {
            return Err(Error::input(format!(
                "{}: expected \"{INTERCEPT}\" as the last column.",
                file.display()
            )));
        }
        Ok(models)
    }

    /// How the training data wrote the class −1.
    pub fn low_label(&self) -> Result<f64, Error> {
        let summary = self.path.join(SUMMARY);
        let shown = summary.display();
        let text = std::fs::read_to_string(&summary)
            .map_err(|e| Error::input(format!("cannot open {shown}: {e}.")))?;
        let values: serde_json::Value = serde_json::from_str(&text)
            .map_err(|e| Error::input(format!("{shown}, line {}: {e}.", e.line())))?;
        Ok(values["classes"][0].as_f64().unwrap_or(-1.0))
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
    if path.join(model_folder::LIST).is_file() {
        format!(
            "{} is missing; train again with netfed relax --force --out {shown}.",
            path.join(models).display()
        )
    } else {
        format!(
            "{shown} is not a folder that netfed fit or netfed relax wrote: it has neither config.toml nor {models}."
        )
    }
}
