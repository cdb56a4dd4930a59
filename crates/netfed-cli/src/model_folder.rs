//! The models of `netfed relax` on disk, read back.

mod file;

pub(crate) use file::Saved;

use std::collections::HashMap;
use std::path::Path;

use netfed::Matrix;
use netfed::model::{LocalModel, ModelKind};

use crate::failure::Failure;
use crate::load::{
    ModelRow, PointColumns, PointTable, Target, check_nodes, read_models, read_points,
};

/// Name of the file.
pub(crate) const FILE: &str = "models.safetensors";
/// Name of the list of the nodes, with the model of each.
pub(crate) const LIST: &str = "nodes.csv";

/// Models read back.
pub(crate) struct ModelFolder {
    pub(crate) saved: Saved,
    models: Vec<Box<dyn LocalModel>>,
    place: HashMap<String, usize>,
}

impl ModelFolder {
    /// Whether `netfed relax` wrote this folder.
    pub(crate) fn is_at(path: &Path) -> bool {
        path.join(FILE).is_file()
    }

    /// Opens a folder.
    pub(crate) fn open(path: &Path) -> Result<ModelFolder, Failure> {
        let file = path.join(FILE);
        let again = format!("train again with netfed relax --force --out {}", path.display());
        let bytes = std::fs::read(&file).map_err(|e| {
            Failure::input(format!("cannot open {}: {e}; {again}.", file.display()))
        })?;
        let (saved, models) = Saved::from_bytes(&bytes)
            .map_err(|e| Failure::input(format!("{}: {e}; {again}.", file.display())))?;
        let place = saved.nodes.iter().enumerate().map(|(i, n)| (n.clone(), i)).collect();
        let folder = ModelFolder { saved, models, place };
        let list = path.join(LIST);
        if list.is_file() && !folder.is_listed(&read_models(&list)?) {
            return Err(Failure::input(format!(
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
    pub(crate) fn joined(folders: Vec<ModelFolder>) -> Result<Option<Vec<u8>>, Failure> {
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
    pub(crate) fn read(&self, path: &Path, labels: bool) -> Result<PointTable, Failure> {
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

    /// Predictions for all points, one row each: a number, or the probabilities of all classes.
    pub(crate) fn predict(&self, points: &PointTable) -> Result<Matrix, Failure> {
        let (d, outputs) = (points.features.len(), self.saved.task.outputs());
        let mut x = points.x.clone();
        if let Some(scaling) = &self.saved.scaling {
            scaling.apply(&mut x);
        }
        let mut rows = vec![Vec::new(); points.nodes.len()];
        points.node_of_row.iter().enumerate().for_each(|(r, &i)| rows[i as usize].push(r));
        let mut all = Matrix::zeros(points.node_of_row.len(), outputs);
        for (name, rows) in points.nodes.iter().zip(&rows) {
            let own = rows.iter().flat_map(|&r| &x[r * d..(r + 1) * d]).copied().collect();
            let mut out = Matrix::zeros(rows.len(), outputs);
            self.models[self.place.get(name).copied().unwrap_or(0)]
                .predict(&Matrix::from_rows(d, own)?, &mut out);
            for (k, &r) in rows.iter().enumerate() {
                all.row_mut(r).copy_from_slice(out.row(k));
            }
        }
        Ok(all)
    }
}
