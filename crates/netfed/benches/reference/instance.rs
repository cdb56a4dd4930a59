//! An instance: a folder with `points.csv` or `points.csv.gz`, `edges.csv` (in netfed's formats)
//! and `optimum.json`: `loss`, `lambda`, and `optimum`, the optimal value by penalty.

use crate::stop;
use netfed::penalty::{Norm1, Norm2, Penalty, Squared};
use netfed::{Dataset, Graph, LossKind, Problem};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// A folder of data with known optimal values.
pub(crate) struct Instance {
    pub(crate) name: String,
    /// By penalty.
    pub(crate) optima: BTreeMap<String, Option<f64>>,
    loss: String,
    lambda: f64,
    /// By node.
    pub(crate) datasets: Vec<Dataset>,
    edges: Vec<(usize, usize, f64)>,
}

impl Instance {
    pub(crate) fn read(folder: &Path) -> Instance {
        let facts: Value = serde_json::from_str(&text(&folder.join("optimum.json"))).unwrap();
        let optima = facts["optimum"].as_object().unwrap();
        let zipped = folder.join("points.csv.gz");
        let points = text(&if zipped.exists() { zipped } else { folder.join("points.csv") });
        let mut lines = points.lines();
        let labeled = lines.next().unwrap().ends_with(",y");
        let mut index = BTreeMap::new();
        let mut data = Vec::new();
        let mut dim = 0;
        for line in lines {
            let (node, cells) = line.split_once(',').unwrap();
            let mut cells: Vec<f64> = cells.split(',').map(|c| c.parse().unwrap()).collect();
            let i = number(node, &mut index, &mut data);
            if labeled {
                data[i].1.push(cells.pop().unwrap());
            }
            dim = cells.len();
            data[i].0.extend(cells);
        }
        let mut edges = Vec::new();
        for line in text(&folder.join("edges.csv")).lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let tail = number(cells[0], &mut index, &mut data);
            let head = number(cells[1], &mut index, &mut data);
            edges.push((tail, head, cells[2].parse().unwrap()));
        }
        let datasets = data.into_iter().map(|(x, y)| Dataset::new(dim, x, y).unwrap()).collect();
        Instance {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            loss: facts["loss"].as_str().unwrap().to_owned(),
            lambda: facts["lambda"].as_f64().unwrap(),
            optima: optima.iter().map(|(p, v)| (p.clone(), v.as_f64())).collect(),
            datasets,
            edges,
        }
    }

    /// The problem with data as [`Instance::datasets`].
    pub(crate) fn problem(&self, penalty: &str, datasets: Vec<Dataset>) -> Problem {
        let kind = match self.loss.as_str() {
            "squared" => LossKind::Squared,
            "mean" => LossKind::Mean,
            "logistic" => LossKind::Logistic,
            other => stop(&format!("{}: unknown loss {other}", self.name)),
        };
        let penalty: Box<dyn Penalty> = match penalty {
            "l2" => Box::new(Norm2),
            "l1" => Box::new(Norm1),
            "squared" => Box::new(Squared),
            other => stop(&format!("{}: unknown penalty {other}", self.name)),
        };
        let graph = Graph::new(datasets.len(), &self.edges).unwrap();
        let losses = datasets.into_iter().map(|d| kind.build(d, 0.0, 0.0).unwrap()).collect();
        Problem::new(graph, losses, penalty, self.lambda).unwrap()
    }
}

/// The number of a node; a new one gets the next.
fn number(
    node: &str,
    index: &mut BTreeMap<String, usize>,
    data: &mut Vec<(Vec<f64>, Vec<f64>)>,
) -> usize {
    *index.entry(node.to_owned()).or_insert_with(|| {
        data.push((Vec::new(), Vec::new()));
        data.len() - 1
    })
}

fn text(file: &Path) -> String {
    let bytes = std::fs::read(file).unwrap_or_else(|e| stop(&format!("{}: {e}", file.display())));
    if file.extension().is_some_and(|e| e == "gz") {
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        return text;
    }
    String::from_utf8(bytes).unwrap()
}
