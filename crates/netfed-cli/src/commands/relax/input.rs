//! From the files to what is trained: nodes, graph, task, models, public points.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use netfed::model::{ModelKind, Task};
use netfed::names::choose;
use netfed::{FeatureScaling, Graph, Matrix, Table, generate};
use netfed_io::{ModelRow, PointColumns, Target, column_names, read_models, read_points};
use netfed_report::text::rounded;

use super::flags::Relax;
use super::warnings::warnings;
use crate::failure::Failure;
use crate::memory;
use crate::prepare::read_graph_of;
use crate::relaxing::{PublicPoints, PublicRows, model_kind, unread};
use crate::settings::{Range, number};

/// The most classes.
const MOST_CLASSES: usize = 100;
/// The largest weight of a point.
const HEAVIEST: f64 = 1e100;
/// Public points where none are given.
const PUBLIC: usize = 100;

/// All that is trained on.
pub(super) struct Input {
    pub(super) points: Table,
    pub(super) graph: Graph,
    pub(super) task: Task,
    /// Labels of the classes, in increasing order; empty for regression.
    pub(super) classes: Vec<f64>,
    pub(super) kinds: Vec<ModelKind>,
    pub(super) public: PublicPoints,
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
        label_tip: "for classes say --task classification, and write them as whole numbers",
        ..PointColumns::default()
    };
    let points = read_points(&args.data, &columns)?;
    let (mut points, edges) = read_graph_of(points, &args.data, &args.graph)?;
    let (n, d) = (points.nodes().len(), points.features().len());
    memory::check(n, edges.len(), d, points.rows())?;
    let classes = if classify { classes(&points, args)? } else { Vec::new() };
    let task = match classes.len() {
        0 => Task::Regression,
        count => Task::Classification(count),
    };
    let kinds = kinds(args, points.nodes(), task, d)?;
    let (mut public, ignored) = match &args.public {
        Some(path) => {
            let (data, graph) = (args.data.display(), args.graph.display());
            let features = (points.features(), &*data.to_string());
            let nodes = (points.nodes(), &*format!("{data} or {graph}"));
            let (rows, ignored) = PublicRows::read(path, &columns, features, nodes)?;
            (Some(rows), ignored)
        }
        None => (None, None),
    };
    let scaling = args.standardize.then(|| FeatureScaling::standard(points.x(), d));
    if let Some(scaling) = &scaling {
        let mut x = points.x().to_vec();
        scaling.apply(&mut x);
        points = points.with_x(x)?;
        public.iter_mut().for_each(|p| scaling.apply(&mut p.x));
    }
    let public = match public {
        Some(rows) => rows.sets(d, points.nodes())?,
        None => {
            let count = args.public_points.unwrap_or(PUBLIC);
            if count == 0 {
                return Err(Failure::input("--public-points is 0; it must be at least 1.".into()));
            }
            memory::check_public(n, count, d)?;
            let all = Matrix::from_rows(d, points.x().to_vec())?;
            PublicPoints::Common(Arc::new(generate::gaussian_like(&all, count, args.seed)?))
        }
    };
    let graph = edges.graph()?;
    check_sizes(&kinds, task, &points, |i| public.in_a_fit(&graph, i))?;
    check_weights(&graph, alpha, args)?;
    let mut warnings = warnings(&points, &graph, alpha, args);
    warnings.extend(ignored);
    if let Some(path) = &args.models {
        let known = |c: &str| ["node", "model", "options"].contains(&c);
        let what = "are not read (options stand in the column \"options\", as depth=4)";
        warnings.extend(unread(path, &column_names(path)?, known, what));
    }
    Ok(Input { points, graph, task, classes, kinds, public, scaling, alpha, warnings })
}

/// Refuses models that do not fit into memory.
fn check_sizes(
    kinds: &[ModelKind],
    task: Task,
    points: &Table,
    public: impl Fn(usize) -> usize,
) -> Result<(), Failure> {
    let own = points.points_per_node();
    let size = |i: usize| kinds[i].size(task, points.features().len(), own[i] + public(i));
    memory::check_models((0..kinds.len()).map(|i| (&kinds[i], size(i))))
}

/// The largest weight of all edges of a node. With α = 1/heaviest neighbors count as much as the own points there, and less elsewhere.
pub(super) fn heaviest(graph: &Graph) -> f64 {
    let total = |i| graph.incident(i).iter().map(|inc| graph.edges()[inc.edge()].weight).sum();
    (0..graph.nodes()).map(total).fold(0.0, f64::max)
}

/// Refuses an α with which the weights of public points are too large to compute with.
fn check_weights(graph: &Graph, alpha: f64, args: &Relax) -> Result<(), Failure> {
    let most = heaviest(graph);
    // Those of all neighbors and, at most as much, of self-distillation.
    match 2.0 * alpha * most <= HEAVIEST {
        true => Ok(()),
        false => Err(Failure::input(format!(
            "--alpha is {alpha:e}, and the edges of a node in {} have the weight {most} together: their product is too large to compute with; try --alpha {}.",
            args.graph.display(),
            rounded(1.0 / most, 0)
        ))),
    }
}

/// The distinct labels.
fn classes(points: &Table, args: &Relax) -> Result<Vec<f64>, Failure> {
    let place = format!("{}, column \"{}\"", args.data.display(), args.target);
    let mut classes = points.y().unwrap_or_default().to_vec();
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
