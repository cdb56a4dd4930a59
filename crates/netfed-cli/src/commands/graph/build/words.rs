//! The result for a person, and as JSON.

use netfed::discrepancy::Combination;
use netfed::similarity_graph::{Rule, SimilarityGraph, Weights};
use netfed_report::text::{count, number, plural, rough_duration};
use serde_json::json;

use super::Built;
use super::flags::{Build, Plan};
use crate::prepare::names;
use crate::suggestions;
use crate::suggestions::shell;

/// Smallest, median and largest of some numbers.
fn range(values: &[f64]) -> Option<[f64; 3]> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Some([*sorted.first()?, sorted[sorted.len() / 2], *sorted.last()?])
}

/// Nodes without an edge.
fn alone(built: &Built) -> Vec<usize> {
    let graph = &built.graph.graph;
    (0..graph.nodes()).filter(|&i| graph.degree(i) == 0).collect()
}

fn named<'a>(built: &'a Built, nodes: &[usize]) -> Vec<&'a str> {
    nodes.iter().map(|&i| built.nodes[i].as_str()).collect()
}

fn parts(built: &Built) -> usize {
    built.graph.graph.components(|_| true).iter().max().map_or(0, |c| c + 1)
}

/// The summary for a person.
pub(super) fn text(built: &Built, plan: &Plan, args: &Build) -> String {
    let graph = &built.graph.graph;
    let mut text = format!(
        "{}, {} in {}, {}\n",
        plural(graph.nodes(), "node"),
        plural(graph.edges().len(), "edge"),
        args.results.out.display(),
        rough_duration(built.seconds)
    );
    let mut line = |sentence: String| text.push_str(&format!("  {sentence}\n"));
    if graph.nodes() == 1 {
        line("One node has no other to be joined with.".into());
        return text;
    }
    let missing = built.incomparable.len();
    let comparable = if missing > 0 { ", among those that can be compared" } else { "" };
    let others = (graph.nodes() - missing).saturating_sub(1);
    line(format!(
        "{}{comparable}; {}.",
        rule(plan.recipe.rule, others),
        weights(built, plan.recipe.weights)
    ));
    if let Some([least, middle, most]) = range(&built.graph.discrepancies) {
        line(format!(
            "The discrepancy {} of the edges is {} to {}, {} in the middle.",
            plan.recipe.discrepancy,
            number(least),
            number(most),
            number(middle)
        ));
    }
    if missing > 0 {
        line(format!(
            "{} cannot be compared with any other by the discrepancy {}, for want of points ({}): without an edge, trained alone.",
            plural(missing, "node"),
            plan.recipe.discrepancy,
            names(&named(built, &built.incomparable))
        ));
    }
    let (alone, parts) = (alone(built), parts(built));
    let far: Vec<usize> = alone.into_iter().filter(|i| !built.incomparable.contains(i)).collect();
    if !far.is_empty() {
        line(format!(
            "{} without any edge ({}): trained alone. --rule mst-knn connects all.",
            plural(far.len(), "node"),
            names(&named(built, &far))
        ));
    }
    match parts {
        1 => line("The graph is connected.".into()),
        _ => line(format!("The graph has {} without an edge between them.", plural(parts, "part"))),
    }
    if graph.nodes() > 2 && graph.edges().len() == graph.nodes() * (graph.nodes() - 1) / 2 {
        line("All pairs are joined: training is faster, and groups show better, with fewer edges (a smaller --k or --eta).".into());
    }
    line(format!("Of every node's data this took {}.", seen(&plan.recipe.discrepancy)));
    next(built, plan, args).into_iter().for_each(line);
    text
}

/// Commands that come next.
fn next(built: &Built, plan: &Plan, args: &Build) -> Vec<String> {
    let out = shell(&args.results.out.display().to_string());
    let given = &plan.settings.given;
    let nodes = suggestions::nodes(given);
    let mut next =
        vec![format!("Look at it: netfed graph inspect --graph {out}{nodes} --out graph/")];
    if given.files.data.is_some() {
        // Data without labels are trained by their means.
        let mean = given.spec.loss.is_none() && !built.labels;
        let models = suggestions::models(given) + if mean { " --loss mean" } else { "" };
        next.push(format!("Then train: netfed tune{nodes} --graph {out}{models} --out tuned/"));
    }
    next
}

/// What is to be said about weights at their bounds.
pub(super) fn bounded(graph: &SimilarityGraph, weights: Weights) -> Option<String> {
    let beyond = match weights {
        Weights::Inverse => "above 1e12, and are 1e12; --weights exponential has no such weights",
        _ => "below 1e-12, and are 1e-12; a larger --scale makes them count",
    };
    (graph.bounded > 0)
        .then(|| format!("the weights of {} would be {beyond}", plural(graph.bounded, "edge")))
}

fn are(others: usize) -> String {
    if others == 1 { "is 1".into() } else { format!("are {}", count(others)) }
}

/// The rule in words, for a node with so many others.
fn rule(rule: Rule, others: usize) -> String {
    let nearest = |k: usize| match k {
        1 => "its nearest".to_owned(),
        k if k > others => {
            format!("all others (k is {}, there {})", count(k), are(others))
        }
        k => format!("its {} nearest", count(k)),
    };
    match rule {
        Rule::Threshold(eta) => format!("Edges join nodes of discrepancy {} at most", number(eta)),
        Rule::Nearest(k) => format!("Edges join every node with {}", nearest(k)),
        Rule::TreeAndNearest(0) => "Edges are a minimum spanning tree".into(),
        Rule::TreeAndNearest(k) => {
            format!("Edges are a minimum spanning tree and join every node with {}", nearest(k))
        }
        Rule::Complete => "Edges join all pairs of nodes".into(),
    }
}

fn weights(built: &Built, weights: Weights) -> String {
    match (weights, built.graph.scale) {
        (Weights::Exponential(_), Some(scale)) => format!("weights are exp(−D/{})", number(scale)),
        (Weights::One, _) => "weights are 1".into(),
        _ => "weights are 1/D".into(),
    }
}

/// What of a node's data the discrepancy has seen.
fn seen(discrepancy: &str) -> &'static str {
    match discrepancy {
        "energy" | "mmd" | "tsne" => "the points themselves",
        "ks" => "the sorted values of every column",
        "t" => "mean and variance of every column",
        "models" => "the model it trains alone",
        "gradients" => "the model it trains alone, and lengths of gradients at other models",
        "distance" => "nothing but its place",
        _ => "mean and covariance",
    }
}

/// The summary as JSON.
pub(super) fn summary(built: &Built, plan: &Plan, args: &Build) -> serde_json::Value {
    let (recipe, graph) = (&plan.recipe, &built.graph.graph);
    let spread =
        |values: &[f64]| range(values).map(|[a, b, c]| json!({"least": a, "median": b, "most": c}));
    let of_weights: Vec<f64> = graph.edges().iter().map(|e| e.weight).collect();
    let alone = alone(built);
    let (eta, k) = match recipe.rule {
        Rule::Threshold(eta) => (Some(eta), None),
        Rule::Nearest(k) | Rule::TreeAndNearest(k) => (None, Some(k)),
        Rule::Complete => (None, None),
    };
    json!({
        "discrepancy": recipe.discrepancy,
        "combination": matches!(recipe.discrepancy.as_str(), "ks" | "t").then_some(match recipe.combination {
            Combination::Fisher => "fisher",
            Combination::Bonferroni => "bonferroni",
        }),
        "rule": args.rule,
        "k": k,
        "eta": eta,
        "weights": args.weights,
        "scale": built.graph.scale,
        "nodes": graph.nodes(),
        "points": (!plan.by_place).then_some(built.points),
        "edges": graph.edges().len(),
        "parts": parts(built),
        "nodes_without_edge": alone.len(),
        "names_without_edge": named(built, &alone[..alone.len().min(100)]),
        "nodes_not_comparable": built.incomparable.len(),
        "discrepancies": spread(&built.graph.discrepancies),
        "weight": spread(&of_weights),
        "weights_at_bound": built.graph.bounded,
        "warnings": built.warnings,
        "leaves_a_node": seen(&recipe.discrepancy),
        "seconds": (built.seconds * 1e6).round() / 1e6,
        "version": env!("CARGO_PKG_VERSION"),
    })
}
