//! The models of `netfed relax` on disk, read back.

mod file;

pub use file::Saved;

use std::collections::HashMap;
use std::path::Path;

use netfed::model::{LocalModel, ModelKind, predict_table};
use netfed::{Matrix, Table};

use crate::error::Error;
use crate::read::columns::{PointColumns, Target};
use crate::read::known::check_nodes;
use crate::read::models::{ModelRow, read_models};
use crate::read::points::read_points;

/// Name of the file.
pub const FILE: &str = "models.safetensors";
/// Name of the list of the nodes, with the model of each.
pub const LIST: &str = "nodes.csv";

/// Models read back.
pub struct ModelFolder {
    /// What belongs to the models.
    pub saved: Saved,
    models: Vec<Box<dyn LocalModel>>,
    place: HashMap<String, usize>,
}

impl ModelFolder {
    /// The model of a node.
    pub fn model(&self, node: &str) -> Option<&dyn LocalModel> {
        self.place.get(node).map(|&i| self.models[i].as_ref())
    }

    /// Whether `netfed relax` wrote this folder.
    pub fn is_at(path: &Path) -> bool {
        path.join(FILE).is_file()
    }

    /// Opens a folder.
    pub fn open(path: &Path) -> Result<ModelFolder, Error> {
        let file = path.join(FILE);
        let again = format!("train again with netfed relax --force --out {}", path.display());
        let bytes = std::fs::read(&file)
            .map_err(|e| Error::input(format!("cannot open {}: {e}; {again}.", file.display())))?;
        let (saved, models) = Saved::from_bytes(&bytes)
            .map_err(|e| Error::input(format!("{}: {e}; {again}.", file.display())))?;
        let place = saved.nodes.iter().enumerate().map(|(i, n)| (n.clone(), i)).collect();
        let folder = ModelFolder { saved, models, place };
        let list = path.join(LIST);
        if list.is_file() && !folder.is_listed(&read_models(&list)?) {
            return Err(Error::input(format!(
                "{} and {} do not belong together, their nodes or models differ; {again}.",
                list.display(),
                file.display()
            )));
        }
        Ok(folder)
    }

    /// Whether a list has these nodes with these models.
    fn is_listed(&self, list: &[ModelRow]) -> bool {
        let same = |((node, kind), row): ((&String, &ModelKind), &ModelRow)| {
            *node == row.node && kind.to_string() == row.words
        };
        let here = self.saved.nodes.iter().zip(&self.saved.kinds);
        self.saved.nodes.len() == list.len() && here.zip(list).all(same)
    }

    /// The file with the models of several folders; none where there are none.
    pub fn joined(folders: Vec<ModelFolder>) -> Result<Option<Vec<u8>>, Error> {
        let mut models = Vec::new();
        let mut all: Option<Saved> = None;
        for folder in folders {
            models.extend(folder.models);
            match &mut all {
                None => all = Some(folder.saved),
                Some(all) => {
                    all.nodes.extend(folder.saved.nodes);
                    all.kinds.extend(folder.saved.kinds);
                }
            }
        }
        all.map(|saved| saved.to_bytes(&models)).transpose()
    }

    /// Reads data points with the features of the models, and with labels if they are wanted.
    pub fn read(&self, path: &Path, labels: bool) -> Result<Table, Error> {
        let columns = PointColumns {
            node: self.saved.node_column.clone(),
            target: self.saved.target.clone(),
            features: Some(self.saved.features.clone()),
            kind: if labels { Target::Real } else { Target::None },
            trained: true,
            ..PointColumns::default()
        };
        let points = read_points(path, &columns)?;
        let listed =
            format!("is not in the run; its {} nodes are listed in {LIST}", self.models.len());
        check_nodes(path, &columns.node, &points, |n| self.place.contains_key(n), &listed)?;
        Ok(points)
    }

    /// Predictions for all points that were read for these models, one row each: a number, or the
    /// probabilities of all classes.
    pub fn predict(&self, points: &Table) -> Result<Matrix, netfed::Error> {
        let scaling = self.saved.scaling.as_ref();
        predict_table(points, self.saved.task, scaling, |node| self.model(node))
    }
}
