//! From the files to what is trained: nodes, graph, task, models, public points.

use std::collections::{HashMap, HashSet};

use netfed::model::{ModelKind, Task};
use netfed::names::choose;
use netfed::relax::{PublicPoints, RelaxInput, RelaxOptions};
use netfed::{HoldOut, Table};
use netfed_io::{ModelRow, PointColumns, Target, column_names, read_models, read_points};
use netfed_report::text::rounded;

use super::flags::Relax;
use super::warnings::words;
use crate::failure::Failure;
use crate::memory;
use crate::prepare::read_graph_of;
use crate::progress::stop_flag;
use crate::relaxing::{PublicRows, model_kind, unread};
use crate::settings::{Range, number};

/// The most classes.
const MOST_CLASSES: usize = 100;
/// Public points where none are given.
const PUBLIC: usize = 100;

/// All that is trained on, and how.
pub(super) struct Input {
    pub(super) data: RelaxInput,
    pub(super) options: RelaxOptions,
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
    let (points, edges) = read_graph_of(points, &args.data, &args.graph)?;
    let (n, d) = (points.nodes().len(), points.features().len());
    memory::check(n, edges.len(), d, points.rows())?;
    let classes = if classify { classes(&points, args)? } else { Vec::new() };
    let kinds = kinds(args, points.nodes(), Task::of_classes(&classes), d)?;
    let (public, ignored) = public(args, &points, &columns)?;
    let graph = edges.graph()?;
    let data = if classify {
        RelaxInput::classification(points, graph, kinds)?
    } else {
        RelaxInput::regression(points, graph, kinds)?
    };
    let data = data.with_public(public)?;
    check_sizes(&data)?;
    check_weights(&data, alpha, args)?;
    let options = RelaxOptions::new(alpha)
        .with_rounds(args.rounds)
        .with_hold_out(HoldOut::OneOf(args.hold_out))
        .with_standardize(args.standardize)
        .with_seed(args.seed)
        .with_stop(stop_flag());
    let of_nodes = data.warnings(&options);
    let nodes = data.table().nodes();
    let mut warnings: Vec<String> = of_nodes.iter().map(|w| words(w, nodes, args)).collect();
    warnings.extend(ignored);
    if let Some(path) = &args.models {
        let known = |c: &str| ["node", "model", "options"].contains(&c);
        let what = "are not read (options stand in the column \"options\", as depth=4)";
        warnings.extend(unread(path, &column_names(path)?, known, what));
    }
    Ok(Input { data, options, warnings })
}

/// The public points, and a warning about what is not read of their file.
fn public(
    args: &Relax,
    points: &Table,
    columns: &PointColumns,
) -> Result<(PublicPoints, Option<String>), Failure> {
    let (n, d) = (points.nodes().len(), points.features().len());
    if let Some(path) = &args.public {
        let (data, graph) = (args.data.display(), args.graph.display());
        let features = (points.features(), &*data.to_string());
        let nodes = (points.nodes(), &*format!("{data} or {graph}"));
        let (rows, ignored) = PublicRows::read(path, columns, features, nodes)?;
        return Ok((rows.sets(d, points.nodes())?, ignored));
    }
    let count = args.public_points.unwrap_or(PUBLIC);
    if count == 0 {
        return Err(Failure::input("--public-points is 0; it must be at least 1.".into()));
    }
    memory::check_public(n, count, d)?;
    Ok((PublicPoints::Drawn(count), None))
}

/// Refuses models that do not fit into memory.
fn check_sizes(data: &RelaxInput) -> Result<(), Failure> {
    let (own, dim) = (data.table().points_per_node(), data.table().features().len());
    let size = |(i, kind): (usize, _)| {
        let kind: &ModelKind = kind;
        let points = own[i] + data.public().in_a_fit(data.graph(), i);
        (kind, kind.size(data.task(), dim, points))
    };
    memory::check_models(data.kinds().iter().enumerate().map(size))
}

/// Refuses an α with which the weights of public points are too large to compute with.
fn check_weights(data: &RelaxInput, alpha: f64, args: &Relax) -> Result<(), Failure> {
    if data.bears(alpha) {
        return Ok(());
    }
    let most = data.heaviest();
    Err(Failure::input(format!(
        "--alpha is {alpha:e}, and the edges of a node in {} have the weight {most} together: their product is too large to compute with; try --alpha {}.",
        args.graph.display(),
        rounded(1.0 / most, 0)
    )))
}

/// The distinct labels.
fn classes(points: &Table, args: &Relax) -> Result<Vec<f64>, Failure> {
    let place = format!("{}, column \"{}\"", args.data.display(), args.target);
    let classes = points.classes();
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
