//! A run with everything it was trained on: the problem is built again, and must give the run's own
//! objective.

use std::path::Path;

use netfed::fit::{EdgeLoads, Prepared};
use netfed::{Clusters, Edges, Matrix, Table};
use netfed_io::{PointColumns, Target, read_points};

use crate::edge_table;
use crate::failure::Failure;
use crate::past_run::PastRun;
use crate::prepare::{self, prepare};
use crate::settings::Settings;

/// How far the objective may be from the run's own, as a part of it; more means that the data have
/// changed.
const SAME: f64 = 1e-6;

/// A run and its problem.
pub(crate) struct Opened {
    pub(crate) settings: Settings,
    pub(crate) points: Table,
    pub(crate) edge_list: Edges,
    pub(crate) prepared: Prepared,
    /// The models in the units of the problem.
    pub(crate) params: Matrix,
    /// The models in the units of the data.
    pub(crate) original: Matrix,
    /// The clusters that the fit found.
    pub(crate) clusters: Clusters,
    pub(crate) edges: EdgeLoads,
    pub(crate) objective: f64,
    /// How the run ended, as its summary says.
    pub(crate) status: String,
}

impl Opened {
    /// Opens a folder and checks that its files still belong together.
    pub(crate) fn new(path: &Path) -> Result<Opened, Failure> {
        let run = PastRun::open(path)?;
        let edge_file = path.join("edges.csv");
        if !edge_file.is_file() {
            return Err(Failure::input(format!(
                "{} has no edges.csv; it comes from an older netfed: fit again, with --config {}.",
                path.display(),
                path.join("config.toml").display()
            )));
        }
        let settings = run.settings.clone();
        let files = [("data", &settings.data), ("graph", &settings.graph)];
        for (name, file) in files.iter().filter_map(|(name, file)| Some((name, file.as_ref()?))) {
            if !file.is_file() {
                return Err(Failure::input(format!(
                    "{} is gone, but the run was trained on it; put it back, or correct \"{name}\" in {}.",
                    file.display(),
                    path.join("config.toml").display()
                )));
            }
        }
        let (points, edge_list) = prepare::read(&settings)?;
        let prepared = prepare(&points, &edge_list, &settings)?;
        let models = run.models();
        let changed = |what: String| {
            Failure::input(format!(
                "{} or {} has changed since the run in {}: {what}; fit again.",
                settings.data_name(),
                settings.graph_name(),
                path.display()
            ))
        };
        if models.features() != prepared.features {
            return Err(changed("its features are not those of parameters.csv".into()));
        }
        if models.nodes() != prepared.nodes {
            let pairs = models.nodes().iter().zip(&prepared.nodes);
            let what = match pairs.clone().find(|(a, b)| a != b) {
                Some((a, b)) => {
                    format!("parameters.csv has node \"{a}\" where there is \"{b}\" now")
                }
                None => format!(
                    "parameters.csv has {} nodes, now there are {}",
                    models.nodes().len(),
                    prepared.nodes.len()
                ),
            };
            return Err(changed(what));
        }
        let original = Matrix::from_rows(prepared.features.len(), models.x().to_vec())?;
        let mut params = original.clone();
        if let Some(scaling) = &prepared.scaling {
            scaling.redo(&mut params);
        }
        let summary = summary(&path.join("summary.json"))?;
        let objective = prepared.problem.objective(&params);
        let before = summary["objective"].as_f64().unwrap_or(f64::NAN);
        // A perfect fit leaves an objective of rounding errors: compare it with that of models that
        // are zero.
        let size = prepared.problem.objective(&Matrix::zeros(params.rows(), params.cols()));
        let same = (objective - before).abs() <= SAME * before.abs() + 1e-12 * size;
        if !same {
            return Err(changed(format!(
                "the models have the objective {objective:.9}, at the time of the run it was {before:.9}"
            )));
        }
        let clusters = read_clusters(&path.join("clusters.csv"), &prepared.nodes)?;
        let Prepared { problem, graph, nodes, .. } = &prepared;
        let edges = edge_table::read(&edge_file, problem, graph, nodes, &params)?;
        let status = summary["status"].as_str().unwrap_or_default().to_owned();
        Ok(Opened {
            settings,
            points,
            edge_list,
            prepared,
            params,
            original,
            clusters,
            edges,
            objective,
            status,
        })
    }
}

fn summary(path: &Path) -> Result<serde_json::Value, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::input(format!("cannot open {shown}: {e}.")))?;
    serde_json::from_str(&text)
        .map_err(|e| Failure::input(format!("{shown}, line {}: {e}.", e.line())))
}

/// The clusters of the run, one row per node in the order of the nodes.
fn read_clusters(path: &Path, nodes: &[String]) -> Result<Clusters, Failure> {
    let columns = PointColumns {
        kind: Target::None,
        target: String::new(),
        features: Some(vec!["cluster".into()]),
        ..PointColumns::default()
    };
    let table = read_points(path, &columns)?;
    let whole = |v: &f64| *v >= 0.0 && *v < nodes.len() as f64 && v.fract() == 0.0;
    if table.nodes() != nodes || table.x().len() != nodes.len() || !table.x().iter().all(whole) {
        return Err(Failure::input(format!(
            "{}: expected one row for each node of parameters.csv, in the same order, with a cluster from 0 to {}.",
            path.display(),
            nodes.len().saturating_sub(1)
        )));
    }
    Ok(Clusters::by_size(&table.x().iter().map(|v| *v as usize).collect::<Vec<_>>()))
}
