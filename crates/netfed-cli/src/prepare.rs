//! From the two tables to a problem: one numbering of the nodes, one local dataset each, the intercept, the scaling of
//! the features, and the warnings a user should see.

use std::collections::HashSet;
use std::path::Path;

use netfed::flavor::Preset;
use netfed::loss::Sampled;
use netfed::{
    Dataset, Edges, FeatureScaling, Graph, LossKind, Matrix, Problem, Spec, Table,
    in_natural_order, moments,
};
use netfed_io::{INTERCEPT, read_edges, read_points};
use rayon::prelude::*;

use crate::failure::Failure;
use crate::memory;
use crate::settings::Settings;

/// A problem with the names of everything in it.
pub(crate) struct Prepared {
    pub(crate) problem: Problem,
    /// The graph as given, also when λ = 0.
    pub(crate) graph: Graph,
    pub(crate) nodes: Vec<String>,
    pub(crate) features: Vec<String>,
    pub(crate) points_per_node: Vec<usize>,
    /// The points of every node, where mini-batches are drawn.
    pub(crate) points: Vec<Sampled>,
    pub(crate) scaling: Option<Scaling>,
    /// How the data write the class −1, for classification.
    pub(crate) low_label: Option<f64>,
    /// What the flavor means here.
    pub(crate) preset: Option<Preset>,
    pub(crate) warnings: Vec<String>,
}

/// The scaling of the features, and what it does to the parameters of linear models.
pub(crate) struct Scaling {
    features: FeatureScaling,
    kind: LossKind,
    intercept: bool,
}

/// Builds the problem.
pub(crate) fn prepare(
    points: Table,
    edges: Edges,
    settings: &Settings,
) -> Result<Prepared, Failure> {
    check_features(&points, settings)?;
    prepare_part(points, edges, settings)
}

/// Refuses a feature that is 0 everywhere.
pub(crate) fn check_features(points: &Table, settings: &Settings) -> Result<(), Failure> {
    let Some(&name) = points.zero_features().first() else { return Ok(()) };
    let file = settings.data_name();
    Err(Failure::input(format!(
        "{file}, column \"{name}\": every value is 0, so no parameter can be learned for it; leave it out with --features."
    )))
}

impl Prepared {
    /// The models in the units of the data.
    pub(crate) fn in_units_of_the_data(&self, params: &Matrix) -> Matrix {
        let mut params = params.clone();
        if let Some(scaling) = &self.scaling {
            scaling.undo(&mut params);
        }
        params
    }
}

/// Builds the problem of a part of the data points, in which a feature may be 0 everywhere.
pub(crate) fn prepare_part(
    points: Table,
    edges: Edges,
    settings: &Settings,
) -> Result<Prepared, Failure> {
    let mut features = points.features().to_vec();
    if settings.spec.intercept {
        if features.iter().any(|f| f == INTERCEPT) {
            return Err(Failure::input(format!(
                "{}: there is a column \"{INTERCEPT}\" already; rename it or leave --intercept out.",
                settings.data_name()
            )));
        }
        features.push(INTERCEPT.into());
    }
    let edges = edges.after(&points);
    let mut nodes = edges.nodes().to_vec();
    let one_class = settings.spec.loss_kind().is_classification()
        && points.y().is_some_and(|y| y.iter().all(|v| *v == y[0]));
    let dim = features.len();
    memory::check(nodes.len(), edges.len(), dim, points.rows())?;
    let low_label = settings.spec.loss_kind().is_classification().then_some(points.low_label());
    let scaling = settings.spec.standardize.then(|| Scaling::fit(&points, settings));
    let mut graph = edges.graph()?;
    let preset = settings.spec.flavor.map(|flavor| flavor.preset(&graph)).transpose()?;
    let given = nodes.len();
    if let Some(preset) = &preset {
        graph = preset.graph.clone();
        nodes.extend(preset.server.map(|_| server_name(&nodes)));
    }
    let datasets = local_datasets(points, nodes.len(), settings.spec.intercept, scaling.as_ref())?;
    let points_per_node: Vec<usize> = datasets.iter().map(Dataset::points).collect();
    let mut warnings = warnings(&graph, &nodes, given, &points_per_node, settings);
    if one_class {
        let (file, column) = (settings.data_name(), &settings.columns.target);
        warnings.push(format!(
            "{file}, column \"{column}\": all labels are equal, so there is nothing to tell apart"
        ));
    }
    let points = match settings.spec.batch_size {
        Some(_) => sampled(&datasets, settings)?,
        None => Vec::new(),
    };
    let losses = datasets
        .into_par_iter()
        .map(|data| settings.spec.loss_kind().build(data, settings.spec.ridge, settings.spec.lasso))
        .collect::<Result<Vec<_>, _>>()?;
    let mut problem =
        Problem::new(graph.clone(), losses, settings.penalty(dim)?, settings.lambda())?;
    if let Some(preset) = &preset {
        problem = preset.weigh(problem);
    }
    Ok(Prepared {
        problem,
        graph,
        nodes,
        features,
        points_per_node,
        points,
        scaling,
        low_label,
        preset,
        warnings,
    })
}

/// A name for the server that no node has.
fn server_name(nodes: &[String]) -> String {
    let mut name = String::from("server");
    while nodes.contains(&name) {
        name.insert(0, '_');
    }
    name
}

/// The points of local datasets one by one.
pub(crate) fn sampled(datasets: &[Dataset], settings: &Settings) -> Result<Vec<Sampled>, Failure> {
    let Spec { ridge, lasso, .. } = settings.spec;
    let loss = settings.spec.loss_kind();
    datasets.iter().map(|d| Ok(Sampled::new(loss, d.clone(), ridge, lasso)?)).collect()
}

/// Reads the two files. Both then list the same nodes, in their natural order, whatever the order of the lines.
pub(crate) fn read(settings: &Settings) -> Result<(Table, Edges), Failure> {
    let points = read_points(settings.data_path()?, &settings.columns)?;
    match &settings.graph {
        Some(graph) => read_graph_of(points, settings.data_path()?, graph),
        // The flavor makes the graph.
        None => Ok(in_natural_order(points, Edges::default())?),
    }
}

/// Reads the graph of these points from `data`. Both then list the same nodes. A graph without edges may leave the nodes to the points.
pub(crate) fn read_graph_of(
    points: Table,
    data: &Path,
    graph: &Path,
) -> Result<(Table, Edges), Failure> {
    let edges = read_edges(graph)?;
    let (own, separate) = (edges.nodes().len(), points.nodes().len() + edges.nodes().len());
    let (points, edges) = in_natural_order(points, edges)?;
    if own > 0 && points.nodes().len() == separate {
        return Err(Failure::input(format!(
            "no node of {} occurs in {}; do the ids match (\"1\" and \"1.0\" do not)?",
            graph.display(),
            data.display()
        )));
    }
    Ok((points, edges))
}

/// The local datasets of some nodes, in their order. A node without points has an empty one.
pub(crate) fn datasets_of(
    points: Table,
    nodes: &[String],
    settings: &Settings,
) -> Result<Vec<Dataset>, Failure> {
    let known: HashSet<&String> = nodes.iter().collect();
    if let Some(n) = points.nodes().iter().find(|n| !known.contains(n)) {
        let file = settings.data_name();
        return Err(Failure::input(format!("{file}: the node \"{n}\" belongs to another member.")));
    }
    let points = points.with_nodes(nodes.to_vec())?;
    local_datasets(points, nodes.len(), settings.spec.intercept, None)
}

/// The local datasets of nodes 0 to `nodes` − 1, with the constant feature last, scaled where asked for.
pub(crate) fn local_datasets(
    points: Table,
    nodes: usize,
    intercept: bool,
    scaling: Option<&Scaling>,
) -> Result<Vec<Dataset>, Failure> {
    let d = points.features().len();
    let dim = d + usize::from(intercept);
    let mut features = vec![Vec::new(); nodes];
    let mut labels = vec![Vec::new(); nodes];
    for (row, &node) in points.node_of_row().iter().enumerate() {
        let x = &points.x()[row * d..(row + 1) * d];
        let own = &mut features[node as usize];
        match scaling {
            Some(s) => own.extend(s.apply(x)),
            None => own.extend_from_slice(x),
        }
        if intercept {
            own.push(1.0);
        }
        if let Some(y) = &points.y() {
            labels[node as usize].push(y[row]);
        }
    }
    features.into_iter().zip(labels).map(|(x, y)| Ok(Dataset::new(dim, x, y)?)).collect()
}

impl Scaling {
    /// Means and standard deviations over all points. Without intercept the model has nothing to take up a shift, so
    /// that features are scaled only; a constant feature is left alone.
    pub(crate) fn fit(points: &Table, settings: &Settings) -> Scaling {
        let centered = settings.spec.intercept || settings.spec.loss_kind() == LossKind::Mean;
        let pair = |(mean, deviation): (f64, Option<f64>)| {
            let shift = if centered && deviation.is_some() { mean } else { 0.0 };
            (shift, deviation.unwrap_or(1.0))
        };
        let (shift, scale) =
            moments(points.x(), points.features().len()).into_iter().map(pair).unzip();
        let features = FeatureScaling { shift, scale };
        Scaling { features, kind: settings.spec.loss_kind(), intercept: settings.spec.intercept }
    }

    /// The models in the units of the problem: undoes [`Scaling::undo`].
    pub(crate) fn redo(&self, params: &mut Matrix) {
        let FeatureScaling { shift, scale } = &self.features;
        let d = scale.len();
        for i in 0..params.rows() {
            let w = params.row_mut(i);
            if self.kind == LossKind::Mean {
                (0..d).for_each(|j| w[j] = (w[j] - shift[j]) / scale[j]);
                continue;
            }
            if self.intercept {
                w[d] += (0..d).map(|j| w[j] * shift[j]).sum::<f64>();
            }
            (0..d).for_each(|j| w[j] *= scale[j]);
        }
    }

    /// The features of a point in the units of the problem.
    pub(crate) fn apply<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.features.point(x)
    }

    /// The same models, for features in their original units.
    pub(crate) fn undo(&self, params: &mut Matrix) {
        let FeatureScaling { shift, scale } = &self.features;
        let d = scale.len();
        for i in 0..params.rows() {
            let w = params.row_mut(i);
            if self.kind == LossKind::Mean {
                (0..d).for_each(|j| w[j] = w[j] * scale[j] + shift[j]);
                continue;
            }
            (0..d).for_each(|j| w[j] /= scale[j]);
            if self.intercept {
                w[d] -= (0..d).map(|j| w[j] * shift[j]).sum::<f64>();
            }
        }
    }
}

/// What a user should know about the nodes; the first `given` are those of the files.
fn warnings(
    graph: &Graph,
    nodes: &[String],
    given: usize,
    points: &[usize],
    settings: &Settings,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut warn = |list: Vec<&str>, one: &str, many: &str| match list.len() {
        0 => {}
        1 => found.push(format!("the node {} {one}", names(&list))),
        n => found.push(format!("{n} nodes {many}: {}", names(&list))),
    };
    let select = |keep: &dyn Fn(usize) -> bool| {
        (0..given).filter(|&i| keep(i)).map(|i| nodes[i].as_str()).collect()
    };
    let (data, edges) = (settings.data_name(), settings.graph_name());
    warn(
        select(&|i| points[i] > 0 && graph.degree(i) == 0),
        &format!("has data but no edge in {edges}; it is trained alone"),
        &format!("have data but no edge in {edges} and are trained alone"),
    );
    warn(
        select(&|i| points[i] == 0 && settings.lambda() > 0.0),
        &format!(
            "is in {edges} but has no data points in {data}; its model comes from its neighbors"
        ),
        &format!(
            "are in {edges} but have no data points in {data}; their models come from their neighbors"
        ),
    );
    let unreached = match settings.lambda() > 0.0 {
        true => " and no path to a node with data",
        false => ", and λ = 0 couples nothing",
    };
    let component = graph.components(|_| settings.lambda() > 0.0);
    let mut has_data = vec![false; nodes.len()];
    component.iter().zip(points).for_each(|(&c, &m)| has_data[c] |= m > 0);
    warn(
        select(&|i| !has_data[component[i]]),
        &format!("has no data{unreached}; its model is zero"),
        &format!("have no data{unreached}; their models are zero"),
    );
    let mut sizes = vec![0; nodes.len()];
    graph.components(|_| true).iter().for_each(|&c| sizes[c] += 1);
    let parts = sizes.iter().filter(|size| **size > 1).count();
    if parts > 1 && settings.lambda() > 0.0 {
        found.push(format!("the graph has {parts} parts without an edge between them; models are not coupled across parts"));
    }
    found
}

/// The first few names, in quotes.
pub(crate) fn names(list: &[&str]) -> String {
    let mut text = list.iter().take(5).map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
    if list.len() > 5 {
        text.push_str(&format!(" and {} more", list.len() - 5));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_can_be_undone_and_redone() {
        for (kind, intercept, cols) in [
            (LossKind::Squared, true, 3),
            (LossKind::Squared, false, 2),
            (LossKind::Mean, false, 2),
        ] {
            let features = FeatureScaling { shift: vec![3.0, -1.0], scale: vec![0.5, 20.0] };
            let scaling = Scaling { features, kind, intercept };
            let params =
                Matrix::from_rows(cols, (1..=2 * cols).map(|v| v as f64).collect()).unwrap();
            let mut there = params.clone();
            scaling.undo(&mut there);
            assert_ne!(there, params);
            scaling.redo(&mut there);
            let close = there.as_slice().iter().zip(params.as_slice());
            assert!(close.clone().all(|(a, b)| (a - b).abs() < 1e-12), "{kind:?} {there:?}");
        }
    }
}
