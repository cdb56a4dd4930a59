//! From the files to what is trained: nodes, graph, task, models, public points.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use netfed::model::{ModelKind, Task};
use netfed::{Graph, Matrix, generate};

use super::flags::Relax;
use crate::failure::Failure;
use crate::load::{EdgeList, ModelRow, PointColumns, PointTable, Target, read_models, read_points};
use crate::memory;
use crate::prepare::{names, read_graph_of};
use crate::scaling::FeatureScaling;
use crate::settings::{Range, choose, number};

/// The most classes.
const MOST_CLASSES: usize = 100;
/// Public points where none are given.
const PUBLIC: usize = 100;

/// All that is trained on.
pub(super) struct Input {
    pub(super) points: PointTable,
    pub(super) graph: Graph,
    pub(super) task: Task,
    /// Labels of the classes, in increasing order; empty for regression.
    pub(super) classes: Vec<f64>,
    pub(super) kinds: Vec<ModelKind>,
    pub(super) public: Arc<Matrix>,
    pub(super) scaling: Option<FeatureScaling>,
    pub(super) alpha: f64,
    pub(super) warnings: Vec<String>,
}

/// Reads and checks everything.
pub(super) fn read(args: &Relax) -> Result<Input, Failure> {
    let alpha = number("--alpha", args.alpha, Range::Nonnegative)?;
    if args.hold_out == 1 {
        return Err(Failure::input(
            "--hold-out is 1, which would hold back every point; say 2 or more, or 0 for none."
                .into(),
        ));
    }
    let classify =
        choose("task", &args.task, &["regression", "classification"])? == "classification";
    let columns = PointColumns {
        node: args.node_column.clone(),
        target: args.target.clone(),
        features: args.features.clone(),
        kind: if classify { Target::Class } else { Target::Real },
        ..PointColumns::default()
    };
    let mut points = read_points(&args.data, &columns)?;
    let edges = read_graph_of(&mut points, &args.data, &args.graph)?;
    let (n, d) = (points.nodes.len(), points.features.len());
    memory::check(n, edges.edges.len(), d, points.node_of_row.len())?;
    let classes = if classify { classes(&points, args)? } else { Vec::new() };
    let task = match classes.len() {
        0 => Task::Regression,
        count => Task::Classification(count),
    };
    let kinds = kinds(args, &points.nodes, task, d)?;
    let mut public = match &args.public {
        Some(path) => {
            let source = args.data.display().to_string();
            Some(read_public(path, &columns, &points.features, &source)?)
        }
        None => None,
    };
    let scaling = args.standardize.then(|| FeatureScaling::standard(&points.x, d));
    if let Some(scaling) = &scaling {
        scaling.apply(&mut points.x);
        public.iter_mut().for_each(|p| scaling.apply(p));
    }
    let public = match public {
        Some(values) => Matrix::from_rows(d, values)?,
        None => {
            let count = args.public_points.unwrap_or(PUBLIC);
            if count == 0 {
                return Err(Failure::input("--public-points is 0; it must be at least 1.".into()));
            }
            memory::check_public(n, count, d)?;
            generate::gaussian_like(&Matrix::from_rows(d, points.x.clone())?, count, args.seed)?
        }
    };
    let graph = graph(&edges, n)?;
    let warnings = warnings(&points, &graph, alpha, args);
    let public = Arc::new(public);
    Ok(Input { points, graph, task, classes, kinds, public, scaling, alpha, warnings })
}

fn graph(edges: &EdgeList, nodes: usize) -> Result<Graph, Failure> {
    let edges: Vec<(usize, usize, f64)> =
        edges.edges.iter().map(|&(a, b, w)| (a as usize, b as usize, w)).collect();
    Ok(Graph::new(nodes, &edges)?)
}

/// The distinct labels.
fn classes(points: &PointTable, args: &Relax) -> Result<Vec<f64>, Failure> {
    let place = format!("{}, column \"{}\"", args.data.display(), args.target);
    let mut classes = points.y.clone().unwrap_or_default();
    classes.sort_by(f64::total_cmp);
    classes.dedup();
    match classes.len() {
        0 | 1 => Err(Failure::input(format!(
            "{place}: expected at least two classes, found only the label {}.",
            classes.first().copied().unwrap_or(0.0)
        ))),
        count if count > MOST_CLASSES => Err(Failure::input(format!(
            "{place}: expected at most {MOST_CLASSES} classes, found {count} different labels; for labels that are numbers say --task regression."
        ))),
        _ => Ok(classes),
    }
}

/// The model of every node.
fn kinds(
    args: &Relax,
    nodes: &[String],
    task: Task,
    dim: usize,
) -> Result<Vec<ModelKind>, Failure> {
    let parse = |text: &str, place: &str| model_kind(place, text, task, dim);
    let usual = args.model.as_deref().map(|text| parse(text, "--model")).transpose()?;
    let Some(path) = &args.models else {
        let usual = usual.ok_or_else(|| {
            Failure::input(
                "no model given; say --model NAME (for example tree) or --models FILE.".into(),
            )
        })?;
        return Ok(vec![usual; nodes.len()]);
    };
    let (file, given) = (path.display(), read_models(path)?);
    let there: HashSet<&String> = nodes.iter().collect();
    if let Some(ModelRow { node, place, .. }) = given.iter().find(|m| !there.contains(&m.node)) {
        return Err(Failure::input(format!(
            "{place}: the node \"{node}\" is neither in {} nor in {}.",
            args.data.display(),
            args.graph.display()
        )));
    }
    let given: HashMap<&str, &ModelRow> = given.iter().map(|m| (m.node.as_str(), m)).collect();
    let kind = |node: &String| match (given.get(node.as_str()), &usual) {
        (Some(model), _) => parse(&model.words, &model.place),
        (None, Some(usual)) => Ok(usual.clone()),
        (None, None) => Err(Failure::input(format!(
            "{file}: no model for the node \"{node}\"; add a row for it, or say --model NAME for all nodes without one."
        ))),
    };
    nodes.iter().map(kind).collect()
}

/// A kind of model from words that stand at some place, for a task and points with so many features.
pub(crate) fn model_kind(
    place: &str,
    text: &str,
    task: Task,
    dim: usize,
) -> Result<ModelKind, Failure> {
    let kind: ModelKind = text.parse().map_err(|e| Failure::at(place, e))?;
    kind.suits(task, dim).map_err(|e| Failure::at(place, e))?;
    Ok(kind)
}

/// Public points with some features, in their order; `source` is where the features were said.
pub(crate) fn read_public(
    path: &Path,
    columns: &PointColumns,
    features: &[String],
    source: &str,
) -> Result<Vec<f64>, Failure> {
    let columns = PointColumns { node_optional: true, kind: Target::None, ..columns.clone() };
    let table = read_points(path, &columns)?;
    let mut theirs = table.features.clone();
    let mut ours = features.to_vec();
    theirs.sort();
    ours.sort();
    if theirs != ours {
        let list = |list: &[String]| names(&list.iter().map(String::as_str).collect::<Vec<_>>());
        return Err(Failure::input(format!(
            "{}: expected the features of {source}, which are {}; found {}.",
            path.display(),
            list(features),
            list(&table.features)
        )));
    }
    let place = |f: &String| table.features.iter().position(|t| t == f).unwrap_or(0);
    let order: Vec<usize> = features.iter().map(place).collect();
    let rows = table.x.chunks_exact(features.len());
    Ok(rows.flat_map(|row| order.iter().map(|&k| row[k])).collect())
}

/// What a user should know about the nodes.
fn warnings(points: &PointTable, graph: &Graph, alpha: f64, args: &Relax) -> Vec<String> {
    let n = points.nodes.len();
    let mut count = vec![0usize; n];
    points.node_of_row.iter().for_each(|&i| count[i as usize] += 1);
    let component = graph.components(|_| alpha > 0.0);
    let mut reached = vec![false; n];
    component.iter().zip(&count).for_each(|(&c, &m)| reached[c] |= m > 0);
    let list = |keep: &dyn Fn(usize) -> bool| -> Vec<&str> {
        (0..n).filter(|&i| keep(i)).map(|i| points.nodes[i].as_str()).collect()
    };
    let (data, file) = (args.data.display(), args.graph.display());
    let mut found = Vec::new();
    let mut warn = |list: Vec<&str>, what: String| {
        if !list.is_empty() {
            let noun = if list.len() == 1 { "node" } else { "nodes" };
            found.push(format!("{} {noun} {what}: {}", list.len(), names(&list)));
        }
    };
    warn(
        list(&|i| count[i] > 0 && graph.degree(i) == 0),
        format!("with data but without an edge in {file}, trained alone"),
    );
    warn(
        list(&|i| count[i] == 0 && reached[component[i]]),
        format!("without data points in {data}, trained on what neighbors predict"),
    );
    warn(
        list(&|i| !reached[component[i]]),
        "without data and without a coupled path to a node with data, left untrained: predictions are 0, or all classes alike".into(),
    );
    found
}
