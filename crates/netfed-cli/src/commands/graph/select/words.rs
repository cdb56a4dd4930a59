//! The result for a person, and as JSON.

use netfed::LossKind;
use netfed::selection::{AgainstTruth, Correction, Untested, Variance};
use netfed_report::text::{count, number, plural, rough_duration};
use serde_json::json;

use super::flags::{Plan, Select};
use super::outcome::Outcome;
use crate::prepare::names;
use crate::suggestions;
use crate::suggestions::shell;

/// The summary for a person.
pub(super) fn text(o: &Outcome, plan: &Plan, args: &Select) -> String {
    let noun = if plan.all_pairs() { "pair" } else { "edge" };
    let mut text = format!(
        "{} tested, {} dropped, {} kept{}, in {}\n",
        plural(o.selected.tested as usize, noun),
        count(o.selected.dropped as usize),
        count(o.selected.count() as usize),
        match o.selected.not_tested {
            0 => String::new(),
            n => format!(" (with {} not tested)", count(n as usize)),
        },
        rough_duration(o.seconds)
    );
    let mut line = |sentence: String| text.push_str(&format!("  {sentence}\n"));
    if o.selected.tested > 0 {
        let rule = if o.selected.threshold > 0.0 {
            format!("Dropped are p-values below {}", number(o.selected.threshold))
        } else {
            "No p-value is small enough to be dropped".into()
        };
        let (correction, alpha) = (correction_name(plan.correction), args.alpha);
        line(format!("{rule} ({correction}, α = {alpha}; {}).", noise(plan)));
    }
    o.selected.untested.iter().for_each(|(reason, nodes)| line(untested(o, *reason, nodes, plan)));
    let groups = o.selected.kept.components();
    line(format!(
        "The kept edges make {} of {}.",
        plural(groups, "group"),
        plural(o.nodes.len(), "node")
    ));
    if let Some(truth) = &o.selected.truth {
        line(compared(o, truth, plan));
    }
    next(o, plan, args).into_iter().for_each(line);
    text
}

fn correction_name(correction: Correction) -> &'static str {
    match correction {
        Correction::BenjaminiHochberg => "Benjamini-Hochberg",
        Correction::Holm => "Holm",
        Correction::Bonferroni => "Bonferroni",
    }
}

fn noise(plan: &Plan) -> String {
    match plan.variance {
        Variance::Sandwich => "sandwich variance".into(),
        _ if plan.settings.spec.loss_kind() == LossKind::Logistic => {
            "variance from the logistic model".into()
        }
        Variance::Known(v) => format!("noise of variance {v}"),
        Variance::Estimated => "noise estimated at every node".into(),
    }
}

/// Why some nodes were not tested, and what can be done.
fn untested(o: &Outcome, reason: Untested, nodes: &[usize], plan: &Plan) -> String {
    let list: Vec<&str> = nodes.iter().map(|&i| o.nodes[i].as_str()).collect();
    let one = nodes.len() == 1;
    let (has, its) = if one { ("has", "its") } else { ("have", "their") };
    let (why, advice) = match reason {
        Untested::NoData => (format!("{has} no data"), ""),
        Untested::TooFewPoints => (
            format!("{has} too few points for a model and its variance"),
            "fewer --features or a little --ridge can help",
        ),
        Untested::Dependent => {
            (format!("{has} linearly dependent features"), "a little --ridge can help")
        }
        Untested::Separable => {
            (format!("{has} classes that can be separated"), "a little --ridge can help")
        }
        Untested::ExactFit => (
            format!("{has} a model that fits {its} data exactly, so that no noise can be measured"),
            "give it with --noise",
        ),
    };
    let then = if plan.all_pairs() {
        format!("{} no edge", if one { "gets" } else { "get" })
    } else {
        format!("{} {its} edges", if one { "keeps" } else { "keep" })
    };
    let advice = if advice.is_empty() { String::new() } else { format!(" ({advice})") };
    let who = if one {
        format!("The node {}", names(&list))
    } else {
        format!("{} ({})", plural(nodes.len(), "node"), names(&list))
    };
    format!("{who} {why} and {then}{advice}.")
}

fn compared(o: &Outcome, truth: &AgainstTruth, plan: &Plan) -> String {
    let fidelity = if plan.all_pairs() {
        number(o.selected.kept.value())
    } else {
        format!("{} before, {} now", number(truth.before.value()), number(o.selected.kept.value()))
    };
    format!(
        "Against the {}: graph fidelity {fidelity}; {} of {} kept, {} of {} lost.",
        plural(o.selected.kept.clusters(), "true cluster"),
        count(o.selected.kept.wrong() as usize),
        plural(truth.before.wrong() as usize, "wrong edge"),
        count(truth.lost as usize),
        plural(truth.before.right() as usize, "true edge")
    )
}

/// What to make of it, and what to do next.
fn next(o: &Outcome, plan: &Plan, args: &Select) -> Vec<String> {
    let mut sentences = Vec::new();
    match (o.selected.count(), o.selected.tested, o.selected.dropped) {
        (0, 0, _) => {
            sentences.push("There was nothing to test: no two nodes have models of their own.".into());
        }
        (0, ..) => sentences.push("No edge is left: every two nodes differ. Train each node alone (netfed fit --lambda 0), or drop fewer edges with a smaller --alpha.".into()),
        (_, 0, _) => sentences.push("No edge could be tested, so all were kept.".into()),
        (_, _, 0) => sentences.push("Nothing was dropped: the nodes are alike, or their data are too few to tell.".into()),
        _ => {}
    }
    if o.selected.count() == 0 {
        return sentences;
    }
    let settings = &plan.settings;
    let given = &settings.given;
    let command = format!(
        "netfed tune{} --graph {}{}",
        suggestions::nodes(given),
        shell(&args.results.out.display().to_string()),
        suggestions::models(given)
    );
    sentences.push(format!("Next: {command} --out tuned/"));
    sentences
}

fn word(reason: Untested) -> &'static str {
    match reason {
        Untested::NoData => "no data",
        Untested::TooFewPoints => "too few points",
        Untested::Dependent => "dependent features",
        Untested::Separable => "separable classes",
        Untested::ExactFit => "exact fit",
    }
}

/// The summary as JSON.
pub(super) fn summary(o: &Outcome, plan: &Plan, args: &Select) -> serde_json::Value {
    let untested = o.selected.untested.iter().map(|(reason, nodes)| {
        let names: Vec<&str> = nodes.iter().take(100).map(|&i| o.nodes[i].as_str()).collect();
        json!({ "reason": word(*reason), "count": nodes.len(), "nodes": names })
    });
    let variance = match plan.variance {
        Variance::Sandwich => json!("sandwich"),
        _ if plan.settings.spec.loss_kind() == LossKind::Logistic => json!("observed information"),
        Variance::Known(v) => json!(v),
        Variance::Estimated => json!("estimated"),
    };
    json!({
        "pairs": if plan.all_pairs() { "all" } else { "graph" },
        "tested": o.selected.tested,
        "kept": o.selected.count(),
        "dropped": o.selected.dropped,
        "not_tested": o.selected.not_tested,
        "untested_nodes": untested.collect::<Vec<_>>(),
        "alpha": args.alpha,
        "correction": plan.correction,
        "p_value_threshold": o.selected.threshold,
        "noise": variance,
        "loss": plan.settings.loss_name(),
        "nodes": o.nodes.len(),
        "groups": o.selected.kept.components(),
        "truth": o.selected.truth.as_ref().map(|truth| json!({
            "clusters": o.selected.kept.clusters(),
            "fidelity_before": (!plan.all_pairs()).then(|| truth.before.value()),
            "fidelity": o.selected.kept.value(),
            "wrong_edges": truth.before.wrong(),
            "wrong_edges_kept": o.selected.kept.wrong(),
            "true_edges": truth.before.right(),
            "true_edges_lost": truth.lost,
        })),
        "seconds": (o.seconds * 1e6).round() / 1e6,
        "version": env!("CARGO_PKG_VERSION"),
    })
}
