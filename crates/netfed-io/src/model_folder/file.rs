//! The models of `netfed relax` in one safetensors file: numbers and names but no code.
//!
//! Tensors are called `node.part`, with nodes counted from 0. Everything else is one JSON text in
//! the file's metadata. It ends with the SHA-256 of the text before it and of all tensors, by which
//! a file that was spoiled is known.

use std::collections::HashMap;

use netfed::FeatureScaling;
use netfed::model::{LocalModel, ModelKind, Part, Task};
use ring::digest::{Context, SHA256};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde_json::json;

use super::FILE;
use crate::error::Error;

/// The entry of the metadata.
const ENTRY: &str = "netfed";
/// What stands between the description and its checksum.
const CHECKSUM: &str = ",\"sha256\":\"";
const SHIFT: &str = "scaling.shift";
const SCALE: &str = "scaling.scale";

/// What belongs to the models.
pub struct Saved {
    /// What is predicted.
    pub task: Task,
    /// Labels of the classes, in increasing order; none for regression.
    pub classes: Vec<f64>,
    /// Names of the columns of the data: the nodes,
    pub node_column: String,
    /// the labels,
    pub target: String,
    /// and the features.
    pub features: Vec<String>,
    /// The nodes.
    pub nodes: Vec<String>,
    /// The kind of model of every node.
    pub kinds: Vec<ModelKind>,
    /// The units of the features in which the models were trained.
    pub scaling: Option<FeatureScaling>,
}

impl Saved {
    /// The file.
    pub fn to_bytes(&self, models: &[Box<dyn LocalModel>]) -> Result<Vec<u8>, Error> {
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
        let cannot = |e| Error::system(format!("cannot write {FILE}: {e}."));
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

    /// What a file holds, with the models; what is wrong with it comes as words without a period.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<(Saved, Vec<Box<dyn LocalModel>>), String> {
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
        Ok((saved, models))
    }
}

/// SHA-256 of a text and of tensors (name, shape, bytes) in the order of their names, in
/// hexadecimal digits. Lengths keep them apart.
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
    if good && shift.len() == scale.len() {
        Ok(Some(FeatureScaling { shift, scale }))
    } else {
        Err("the scaling of the features is damaged".into())
    }
}
