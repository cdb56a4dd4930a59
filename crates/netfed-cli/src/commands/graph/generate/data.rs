//! Data on a graph, and the truth behind them.

use netfed::generate::{
    Noise, linear_data, logistic_data, mixing_ratios, mixture_data, normal_centers, random_nodes,
    regions, smooth_signals,
};
use netfed::names::choose;
use netfed::{Dataset, Edge, Graph, Matrix};
use netfed_io::{Cell, Csv};
use netfed_report::text::plural;

use super::Common;
use super::shape::{positive, probability};
use crate::failure::Failure;
use crate::settings::{Range, number};

/// Nodes of a graph whose eigenvectors are computed.
const MOST_SIGNALS: usize = 2000;
/// Regions of a graph when nothing is said.
const REGIONS: usize = 2;

/// The kind of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Model {
    Linear,
    Logistic,
    Mixture,
    Signals,
    None,
}

impl Model {
    /// Checks everything that has to do with data.
    pub(super) fn new(common: &Common) -> Result<Model, Failure> {
        let model = match choose(
            "model",
            &common.model,
            &["linear", "logistic", "mixture", "signals", "none"],
        )? {
            "logistic" => Model::Logistic,
            "mixture" => Model::Mixture,
            "signals" => Model::Signals,
            "none" => Model::None,
            _ => Model::Linear,
        };
        positive("--points", common.points())?;
        positive("--features", common.features())?;
        positive("--clusters", common.clusters.unwrap_or(1))?;
        number("--noise", common.noise(), Range::Nonnegative)?;
        number("--spread", common.spread(), Range::Nonnegative)?;
        probability("--share", common.share())?;
        let linear = matches!(model, Model::Linear | Model::Mixture);
        let of_nodes = linear || model == Model::Logistic;
        let noisy = linear || model == Model::Signals;
        let nodes = "linear, logistic or mixture";
        for (flag, there, effect, with) in [
            (
                "--points",
                common.points.is_some(),
                model != Model::None,
                "linear, logistic, mixture or signals",
            ),
            ("--features", common.features.is_some(), of_nodes, nodes),
            ("--noise", common.noise.is_some(), noisy, "linear, mixture or signals"),
            ("--spread", common.spread.is_some(), of_nodes, nodes),
            ("--share", common.share.is_some(), of_nodes, nodes),
        ] {
            if there && !effect {
                return Err(Failure::input(format!(
                    "{flag} has an effect with --model {with} only; the model is {}.",
                    common.model
                )));
            }
        }
        Ok(model)
    }

    /// Refuses a graph that is too large for the data.
    pub(super) fn check(self, nodes: usize) -> Result<(), Failure> {
        if self == Model::Signals && nodes > MOST_SIGNALS {
            Err(Failure::input(format!(
                "signals need all eigenvectors of the graph, which has {nodes} nodes; take at most {MOST_SIGNALS}."
            )))
        } else {
            Ok(())
        }
    }
}

/// Everything that was made up.
pub(super) struct Made {
    pub(super) graph: Graph,
    pub(super) clusters: Option<Vec<usize>>,
    pub(super) files: Vec<(&'static str, String)>,
    pub(super) rows: usize,
}

/// Seeds of independent parts of the data.
fn seed(common: &Common, part: u64) -> u64 {
    common.seed.wrapping_mul(1_000_003).wrapping_add(part)
}

/// Data on a graph. The clusters are the blocks of its shape, or regions.
pub(super) fn make(
    model: &Model,
    common: &Common,
    graph: Graph,
    blocks: Option<Vec<usize>>,
) -> Result<Made, Failure> {
    let known = blocks.as_ref().map(|b| b.iter().max().map_or(0, |c| c + 1));
    let clusters = match (model, common.clusters, blocks) {
        (Model::Signals | Model::None, None, blocks) => blocks,
        (_, None, Some(blocks)) => Some(blocks),
        (_, Some(asked), Some(blocks)) if known == Some(asked) => Some(blocks),
        (_, Some(asked), Some(_)) => {
            return Err(Failure::input(format!(
                "--clusters is {asked}, but the shape has {} clusters of its own; leave --clusters out.",
                known.unwrap_or(0)
            )));
        }
        (_, Some(asked), None) if asked > graph.nodes() => {
            return Err(Failure::input(format!(
                "--clusters is {asked}, but there are only {}.",
                plural(graph.nodes(), "node")
            )));
        }
        (_, asked, None) => Some(regions(&graph, asked.unwrap_or(REGIONS), seed(common, 1))),
    };
    if *model == Model::Mixture {
        return mixture(common, graph, clusters.iter().flatten().max().map_or(1, |c| c + 1));
    }
    let mut made = Made { files: Vec::new(), rows: 0, clusters, graph };
    match model {
        Model::None | Model::Mixture => {}
        Model::Signals => {
            let signals =
                smooth_signals(&made.graph, common.points(), common.noise(), seed(common, 4))?;
            made.rows = common.points();
            made.files.push(("signals.csv", signal_table(&signals)));
        }
        Model::Linear | Model::Logistic => {
            let truth = models(common, made.clusters.as_deref().unwrap_or_default())?;
            let data = match model {
                Model::Logistic => logistic_data(&truth, common.points(), seed(common, 4))?,
                _ => {
                    let noise = Noise::PerPoint(common.noise());
                    linear_data(&truth, common.points(), noise, seed(common, 4))?
                }
            };
            let names: Vec<String> = features(common.features()).collect();
            made.files.push(("parameters.csv", table("node", &names, &truth)));
            made.add_points(&data, common)?;
        }
    }
    Ok(made)
}

/// Every node has points of all components, in proportions of its own. Their overlap is the weight
/// of an edge.
fn mixture(common: &Common, graph: Graph, components: usize) -> Result<Made, Failure> {
    let ratios = mixing_ratios(graph.nodes(), components, seed(common, 1))?;
    let variance = common.spread() * common.spread();
    let centers = normal_centers(components, common.features(), variance, seed(common, 2))?;
    let data = mixture_data(&ratios, &centers, common.points(), common.noise(), seed(common, 4))?;
    let overlap = |e: &Edge| {
        let both = ratios.row(e.tail).iter().zip(ratios.row(e.head));
        (e.tail, e.head, both.map(|(a, b)| a.min(*b)).sum::<f64>())
    };
    let edges: Vec<_> = graph.edges().iter().map(overlap).collect();
    let graph = Graph::new(graph.nodes(), &edges)?;
    let mut made = Made { files: Vec::new(), rows: 0, clusters: None, graph };
    let shares: Vec<String> = (1..=components).map(|k| format!("component{k}")).collect();
    made.files.push(("ratios.csv", table("node", &shares, &ratios)));
    let names: Vec<String> = features(common.features()).collect();
    made.files.push(("components.csv", table("component", &names, &centers)));
    made.add_points(&data, common)?;
    Ok(made)
}

/// The model of every node: that of its cluster.
fn models(common: &Common, clusters: &[usize]) -> Result<Matrix, Failure> {
    let count = clusters.iter().max().map_or(0, |c| c + 1);
    let variance = common.spread() * common.spread();
    let centers = normal_centers(count, common.features(), variance, seed(common, 2))?;
    let rows = clusters.iter().flat_map(|&c| centers.row(c)).copied().collect();
    Ok(Matrix::from_rows(common.features(), rows)?)
}

impl Made {
    /// The table of the points of the nodes that have data.
    fn add_points(&mut self, data: &[Dataset], common: &Common) -> Result<(), Failure> {
        let with_data = random_nodes(data.len(), common.share(), seed(common, 3))?;
        if !with_data.contains(&true) {
            return Err(Failure::input(format!(
                "--share is {}, which leaves no node with data; raise it.",
                common.share()
            )));
        }
        let features = features(common.features());
        let header = std::iter::once("node".to_owned()).chain(features).chain(["y".to_owned()]);
        let mut csv = Csv::new(header);
        for (i, own) in data.iter().enumerate().filter(|(i, _)| with_data[*i]) {
            for (x, y) in own.rows().zip(own.labels()) {
                let numbers = x.iter().chain([y]).map(|v| Cell::Number(*v));
                csv.row(std::iter::once(name(i)).chain(numbers));
                self.rows += 1;
            }
        }
        self.files.push(("points.csv", csv.finish()));
        Ok(())
    }
}

fn name(node: usize) -> Cell {
    Cell::Text((node + 1).to_string())
}

fn features(count: usize) -> impl Iterator<Item = String> {
    (1..=count).map(|k| format!("x{k}"))
}

/// A row with its number for every row of a matrix.
fn table(first: &str, columns: &[String], values: &Matrix) -> String {
    let mut csv = Csv::new(std::iter::once(first).chain(columns.iter().map(String::as_str)));
    for i in 0..values.rows() {
        let numbers = values.row(i).iter().map(|v| Cell::Number(*v));
        csv.row(std::iter::once(name(i)).chain(numbers));
    }
    csv.finish()
}

/// One row per signal, one column per node.
fn signal_table(signals: &Matrix) -> String {
    let mut csv = Csv::new((1..=signals.rows()).map(|i| i.to_string()));
    for k in 0..signals.cols() {
        csv.row((0..signals.rows()).map(|i| Cell::Number(signals.row(i)[k])));
    }
    csv.finish()
}
