//! The result for a person, and as JSON.

use netfed::communities::Grouping;
use netfed_report::text::{count, number, plural, plurals};
use serde_json::{Value, json};

use super::Inspect;
use super::facts::Facts;

/// The headline.
pub(super) fn headline(f: &Facts) -> String {
    let size =
        format!("{}, {}", plural(f.nodes.len(), "node"), plural(f.graph.edges().len(), "edge"));
    match f.own.part_sizes.len() {
        _ if f.graph.edges().is_empty() => size,
        0 | 1 => format!("{size}, connected"),
        parts => format!(
            "{size}, {}, the largest of {}",
            plural(parts, "part"),
            plural(f.own.part_sizes[0], "node")
        ),
    }
}

/// What was found, in sentences.
pub(super) fn sentences(f: &Facts) -> Vec<String> {
    let mut found = Vec::new();
    if f.graph.edges().is_empty() {
        found.push("No two nodes are joined.".into());
    }
    found.extend(edges(f));
    if f.lacks_nodes {
        found.push(
            "These are the nodes with an edge: a table of edges names no others; --data FILE does."
                .into(),
        );
    }
    found.extend(averaging(f));
    if !f.graph.edges().is_empty() {
        found.push(communities(f));
    }
    if let Some(s) = &f.scores {
        found.push(format!(
            "Against the true graph: precision {}, recall {}, F-score {}, relative error of the weights {}.",
            number(s.precision),
            number(s.recall),
            number(s.f_score),
            number(s.relative_error)
        ));
    }
    if let Some((groups, a)) = &f.agreement {
        found.push(format!(
            "Communities against the {}: NMI {}, Rand index {}, Fowlkes-Mallows index {} (1 is the same division).",
            plural(*groups, "true group"),
            number(a.nmi),
            number(a.rand_index),
            number(a.fowlkes_mallows)
        ));
    }
    found
}

/// How many edges nodes have, and of which weight.
fn edges(f: &Facts) -> Option<String> {
    let (d, w) = (f.own.degrees?, f.own.weights?);
    let weights = if w[0] == w[4] {
        if f.graph.edges().len() == 1 {
            format!("Its weight is {}", number(w[0]))
        } else {
            format!("All weights are {}", number(w[0]))
        }
    } else {
        format!("Weights are {} to {}, {} in the middle", number(w[0]), number(w[4]), number(w[2]))
    };
    let degrees = if d[0] == d[4] {
        format!("All nodes have {}", plural(d[0] as usize, "edge"))
    } else {
        format!(
            "Nodes have {} to {}, {} in the middle",
            number(d[0]),
            plural(d[4] as usize, "edge"),
            number(d[2])
        )
    };
    Some(format!("{degrees}. {weights}. {} of all pairs are joined.", share(f.own.density)))
}

/// How fast averaging with the neighbors evens out.
fn averaging(f: &Facts) -> Option<String> {
    let part = if f.own.part_sizes.len() > 1 { " of the largest part" } else { "" };
    match (f.own.connectivity, f.own.gap, f.own.mixing()) {
        (Some(connectivity), Some(gap), Some((relaxation, mixing))) => Some(format!(
            "Algebraic connectivity λ₂{part} is {}, its spectral gap {}: averaging with the neighbors shrinks differences by e in about {}, and a random walk mixes in at most {}.",
            number(connectivity),
            number(gap),
            // Rounding must not make two of one.
            plural((relaxation - 1e-9).ceil() as usize, "round"),
            number(mixing.ceil())
        )),
        _ if f.own.part_sizes.first().is_some_and(|size| *size > 1) => Some(format!(
            "Algebraic connectivity and spectral gap{part} were not found: the iterations did not settle, so they are very small."
        )),
        _ => None,
    }
}

/// Groups of nodes, and whether chance would make them.
fn communities(f: &Facts) -> String {
    let c = &f.own.communities;
    let several = f.own.communities_of_several();
    let sizes: Vec<String> = c.sizes.iter().take(several.min(8)).map(|s| count(*s)).collect();
    let more = if several > 8 { ", …" } else { "" };
    let groups = plurals(several, "community", "communities");
    let sizes = sizes.join(", ");
    let beside = f.own.by_chance.map_or(String::new(), |chance| {
        let clear = match chance.judge(c.modularity) {
            Grouping::Clear => "clear groups",
            Grouping::Some => "some grouping, little more than by chance",
            Grouping::Chance => "no groups beyond chance",
        };
        format!(
            ", {} ± {} in random graphs with the same degrees: {clear}",
            number(chance.mean),
            number(chance.deviation)
        )
    });
    format!("{groups} of {sizes}{more} nodes, modularity {}{beside}.", number(c.modularity))
}

fn share(part: f64) -> String {
    format!("{}%", number(100.0 * part))
}

/// The summary for a person.
pub(super) fn text(f: &Facts, args: &Inspect) -> String {
    let mut text = format!("{}\n", headline(f));
    sentences(f).iter().for_each(|s| text.push_str(&format!("  {s}\n")));
    if let Some(out) = &args.out {
        let page = out.join("report.html");
        text.push_str(&format!("  results in {}; open {}\n", out.display(), page.display()));
    }
    text
}

/// The summary as JSON.
pub(super) fn summary(f: &Facts) -> Value {
    let quartiles = |q: Option<[f64; 5]>| {
        q.map(|[a, b, c, d, e]| json!({"least": a, "quarter": b, "median": c, "three_quarters": d, "most": e}))
    };
    let finite = |v: f64| v.is_finite().then_some(v);
    json!({
        "nodes": f.nodes.len(),
        "edges": f.graph.edges().len(),
        "density": f.own.density,
        "parts": f.own.part_sizes.len(),
        "part_sizes": f.own.part_sizes.iter().take(100).collect::<Vec<_>>(),
        "nodes_without_edge": (!f.lacks_nodes).then(|| (0..f.nodes.len()).filter(|&i| f.graph.degree(i) == 0).count()),
        "degree": quartiles(f.own.degrees),
        "weight": quartiles(f.own.weights),
        "total_weight": f.graph.edges().iter().map(|e| e.weight).sum::<f64>(),
        "algebraic_connectivity": f.own.connectivity,
        "spectral_gap": f.own.gap,
        "relaxation_time": f.own.mixing().map(|m| m.0),
        "mixing_time_bound": f.own.mixing().map(|m| m.1),
        "communities": f.own.communities_of_several(),
        "community_sizes": f.own.communities.sizes.iter().take(f.own.communities_of_several().min(100)).collect::<Vec<_>>(),
        "modularity": f.own.communities.modularity,
        "modularity_by_chance": f.own.by_chance.map(|c| json!({"mean": c.mean, "standard_deviation": c.deviation})),
        "grouping": f.own.by_chance.map(|c| match c.judge(f.own.communities.modularity) {
            Grouping::Clear => "clear",
            Grouping::Some => "some",
            Grouping::Chance => "chance",
        }),
        "truth": f.scores.as_ref().map(|s| json!({
            "precision": s.precision,
            "recall": s.recall,
            "f_score": s.f_score,
            "relative_error": finite(s.relative_error),
        })),
        "labels": f.agreement.as_ref().map(|(groups, a)| json!({
            "groups": groups,
            "nmi": a.nmi,
            "rand_index": a.rand_index,
            "fowlkes_mallows": a.fowlkes_mallows,
        })),
        "warnings": f.warnings(),
        "seconds": (f.seconds * 1e6).round() / 1e6,
        "version": env!("CARGO_PKG_VERSION"),
    })
}
