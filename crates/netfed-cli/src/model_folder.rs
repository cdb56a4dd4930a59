//! The models of `netfed relax` on disk: one safetensors file, numbers and names but no code, and how to read it back.
//!
//! Tensors are called `node.part`, with nodes counted from 0. Everything else is one JSON text in the file's metadata. It ends with the SHA-256 of the
//! text before it and of all tensors, by which a file that was spoiled is known.

use std::collections::HashMap;
use std::path::Path;

use netfed::Matrix;
use netfed::model::{LocalModel, ModelKind, Part, Task};
use ring::digest::{Context, SHA256};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde_json::json;

use crate::failure::Failure;
use crate::load::{
    ModelRow, PointColumns, PointTable, Target, check_nodes, read_models, read_points,
};
use crate::scaling::FeatureScaling;

/// Name of the file.
pub(crate) const FILE: &str = "models.safetensors";
/// Name of the list of the nodes, with the model of each.
pub(crate) const LIST: &str = "nodes.csv";
/// The entry of the metadata.
const ENTRY: &str = "netfed";
/// What stands between the description and its checksum.
const CHECKSUM: &str = ",\"sha256\":\"";
const SHIFT: &str = "scaling.shift";
const SCALE: &str = "scaling.scale";

/// What belongs to the models.
pub(crate) struct Saved {
    pub(crate) task: Task,
    pub(crate) classes: Vec<f64>,
    pub(crate) node_column: String,
    pub(crate) target: String,
    pub(crate) features: Vec<String>,
    pub(crate) nodes: Vec<String>,
    pub(crate) kinds: Vec<ModelKind>,
    pub(crate) scaling: Option<FeatureScaling>,
}

impl Saved {
    /// The file.
    pub(crate) fn to_bytes(&self, models: &[Box<dyn LocalModel>]) -> Result<Vec<u8>, Failure> {
        let mut tensors: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
        let bytes = |values: &[f64]| values.iter().flat_map(|v| v.to_le_bytes()).collect();
        for (i, model) in models.iter().enumerate() {
            for part in model.parts() {
                tensors.push((format!("{i}.{}", part.name), part.shape, bytes(&part.values)));
            }
        }
        if let Some(s) = &self.scaling {
            for (name, values) in [(SHIFT, &s.shift), (SCALE, &s.scale)] {
                tensors.push((name.into(), vec![values.len()], bytes(values)));
            }
        }
        let about = json!({
            "version": 1,
            "classes": self.classes,
            "node_column": self.node_column,
            "target": self.target,
            "features": self.features,
            "nodes": self.nodes,
            "models": self.kinds.iter().map(ToString::to_string).collect::<Vec<_>>(),
        });
        let cannot = |e| Failure::other(format!("cannot write {FILE}: {e}."));
        let views = tensors
            .iter()
            .map(|(name, shape, data)| {
                Ok((name.as_str(), TensorView::new(Dtype::F64, shape.clone(), data)?))
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(cannot)?;
        let about = about.to_string();
        let about = about.strip_suffix('}').unwrap_or(&about);
        let parts = tensors.iter().map(|(name, shape, data)| (name.as_str(), &**shape, &**data));
        let about = format!("{about}{CHECKSUM}{}\"}}", checksum(about, parts.collect()));
        let metadata = HashMap::from([(ENTRY.to_owned(), about)]);
        serialize(views, Some(metadata)).map_err(cannot)
    }
}

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
        let folder = ModelFolder::from_bytes(&bytes)
            .map_err(|e| Failure::input(format!("{}: {e}; {again}.", file.display())))?;
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

    /// What is wrong with the file comes as words without a period.
    fn from_bytes(bytes: &[u8]) -> Result<ModelFolder, String> {
        let broken = |e: safetensors::SafeTensorError| format!("not a safetensors file ({e})");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let file = SafeTensors::deserialize(bytes).map_err(broken)?;
        let about = header.metadata().as_ref().and_then(|m| m.get(ENTRY));
        let about = about.ok_or("no models of netfed in it")?;
        let (text, sum) = about
            .strip_suffix("\"}")
            .unwrap_or(about)
            .rsplit_once(CHECKSUM)
            .ok_or("no checksum in it, so that nobody knows whether it is as it was written")?;
        let about: About = serde_json::from_str(about)
            .map_err(|e| format!("the description of the models is damaged ({e})"))?;
        if about.version != 1 {
            return Err(format!(
                "it has version {} of the format; this netfed reads version 1",
                about.version
            ));
        }
        let saved = about.check(scaling(&file)?)?;
        let mut parts: Vec<Vec<Part>> = saved.nodes.iter().map(|_| Vec::new()).collect();
        for (name, view) in file.iter().filter(|(name, _)| *name != SHIFT && *name != SCALE) {
            let (node, part) = name.split_once('.').unwrap_or((name, ""));
            let node = node.parse::<usize>().ok().and_then(|i| parts.get_mut(i));
            let node = node.ok_or_else(|| format!("the tensor \"{name}\" belongs to no node"))?;
            node.push(Part::new(part, view.shape(), numbers(name, &view)?));
        }
        let dim = saved.features.len();
        let mut models = Vec::with_capacity(parts.len());
        for ((kind, parts), node) in saved.kinds.iter().zip(&parts).zip(&saved.nodes) {
            let mut model = kind.build(saved.task, dim, 0);
            // A model without parts was never fitted.
            if !parts.is_empty() {
                model.restore(parts).map_err(|e| format!("the node \"{node}\": {e}"))?;
            }
            models.push(model);
        }
        let views: Vec<_> = file.iter().collect();
        let tensors = views.iter().map(|(name, view)| (*name, view.shape(), view.data()));
        if checksum(text, tensors.collect()) != sum {
            return Err("the file was spoiled, its checksum is not that of its contents".into());
        }
        let place = saved.nodes.iter().enumerate().map(|(i, n)| (n.clone(), i)).collect();
        Ok(ModelFolder { saved, models, place })
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

/// SHA-256 of a text and of tensors (name, shape, bytes) in the order of their names, in hexadecimal digits. Lengths keep them apart.
fn checksum(text: &str, mut tensors: Vec<(&str, &[usize], &[u8])>) -> String {
    tensors.sort_by_key(|t| t.0);
    let mut sum = Context::new(&SHA256);
    let mut add = |bytes: &[u8]| {
        sum.update(&(bytes.len() as u64).to_le_bytes());
        sum.update(bytes);
    };
    add(text.as_bytes());
    for (name, shape, data) in tensors {
        add(name.as_bytes());
        add(&shape.iter().flat_map(|n| (*n as u64).to_le_bytes()).collect::<Vec<u8>>());
        add(data);
    }
    sum.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The metadata as written.
#[derive(serde::Deserialize)]
struct About {
    version: u32,
    classes: Vec<f64>,
    node_column: String,
    target: String,
    features: Vec<String>,
    nodes: Vec<String>,
    models: Vec<String>,
}

impl About {
    fn check(self, scaling: Option<FeatureScaling>) -> Result<Saved, String> {
        if self.features.is_empty() || self.nodes.len() != self.models.len() {
            return Err("the description of the models does not fit together".into());
        }
        if scaling.as_ref().is_some_and(|s| s.shift.len() != self.features.len()) {
            return Err("the scaling of the features does not fit to them".into());
        }
        let task = match self.classes.len() {
            0 => Task::Regression,
            1 => return Err("there is only one class".into()),
            count => Task::Classification(count),
        };
        let kinds = self.models.iter().map(|text| {
            let kind: ModelKind = text.parse()?;
            kind.suits(task, self.features.len())?;
            Ok(kind)
        });
        let kinds = kinds.collect::<Result<_, netfed::Error>>().map_err(|e| e.to_string())?;
        Ok(Saved {
            task,
            classes: self.classes,
            node_column: self.node_column,
            target: self.target,
            features: self.features,
            nodes: self.nodes,
            kinds,
            scaling,
        })
    }
}

/// The numbers of a tensor.
fn numbers(name: &str, view: &TensorView<'_>) -> Result<Vec<f64>, String> {
    if view.dtype() != Dtype::F64 {
        return Err(format!(
            "the tensor \"{name}\" has numbers of type {}; expected F64",
            view.dtype()
        ));
    }
    let (numbers, _) = view.data().as_chunks::<8>();
    Ok(numbers.iter().map(|b| f64::from_le_bytes(*b)).collect())
}

fn scaling(file: &SafeTensors<'_>) -> Result<Option<FeatureScaling>, String> {
    let (Ok(shift), Ok(scale)) = (file.tensor(SHIFT), file.tensor(SCALE)) else { return Ok(None) };
    let (shift, scale) = (numbers(SHIFT, &shift)?, numbers(SCALE, &scale)?);
    let good = shift.iter().all(|v| v.is_finite()) && scale.iter().all(|v| *v > 0.0);
    match good && shift.len() == scale.len() {
        true => Ok(Some(FeatureScaling { shift, scale })),
        false => Err("the scaling of the features is damaged".into()),
    }
}
