//! What a member is told in the end.

use std::path::Path;

use netfed_io::{Cell, Csv};
use netfed_net::Outcome;
use netfed_net::description::Federation;
use netfed_report::text::rough_duration;
use serde_json::json;

use crate::settings::Settings;

/// The summary as JSON.
pub(super) fn summary(
    federation: &Federation,
    member: usize,
    outcome: &Outcome,
    low_label: Option<f64>,
    settings: &Settings,
    seconds: f64,
) -> serde_json::Value {
    let total = outcome.total;
    let gap = total.map(|t| t.proven_gap()).filter(|g| g.is_finite());
    json!({
        "status": outcome.status.name(),
        "federation": federation.description.name,
        "federation_version": federation.description.version,
        "member": federation.description.members[member].name,
        "nodes": federation.description.members[member].nodes,
        "rounds": outcome.rounds,
        "objective": total.map(|t| t.objective),
        "gap": gap,
        "relative_gap": gap.zip(total).map(|(g, t)| g / t.scale()),
        "residual": total.map(|t| t.residual()),
        "own_objective": outcome.share.map(|s| s.objective),
        "own_gap": outcome.share.map(|s| s.gap).filter(|g| g.is_finite()),
        "without_seconds": without(outcome),
        "method": federation.description.method,
        "tolerance": federation.description.tolerance,
        "loss": settings.loss_name(),
        "penalty": settings.penalty_name(),
        "lambda": settings.lambda(),
        "classes": low_label.map(|low| [low, 1.0]),
        "seconds": (seconds * 1e6).round() / 1e6,
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// The neighbors that this member has gone on without, with the seconds.
fn without(outcome: &Outcome) -> serde_json::Map<String, serde_json::Value> {
    let seconds = |d: &std::time::Duration| json!((d.as_secs_f64() * 1e3).round() / 1e3);
    outcome.without.iter().map(|(name, time)| (name.clone(), seconds(time))).collect()
}

/// The models as a table.
pub(super) fn parameters(nodes: &[String], features: &[String], outcome: &Outcome) -> String {
    let mut parameters =
        Csv::new(std::iter::once("node").chain(features.iter().map(String::as_str)));
    for (node, w) in nodes.iter().zip(outcome.params.chunks_exact(features.len())) {
        let values = w.iter().map(|v| Cell::Number(*v));
        parameters.row(std::iter::once(Cell::Text(node.clone())).chain(values));
    }
    parameters.finish()
}

/// The summary in words.
pub(super) fn words(outcome: &Outcome, seconds: f64, out: Option<&Path>) -> String {
    let mut text = format!(
        "{} after {} rounds, {}\n",
        outcome.status.name(),
        outcome.rounds,
        rough_duration(seconds)
    );
    match outcome.total {
        Some(total) if total.proven_gap().is_finite() => text.push_str(&format!(
            "  The models of all members are within {:.1e} of the optimum, relative to the objective.\n",
            total.proven_gap() / total.scale()
        )),
        Some(total) => text.push_str(&format!(
            "  There is no bound, and nothing is proven; models nearby are better by at most {:.1e} of the objective.\n",
            total.residual()
        )),
        None => {}
    }
    if let Some(share) = outcome.share.filter(|s| s.gap.is_finite()) {
        text.push_str(&format!("  Own share of the gap: {:.1e}.\n", share.gap));
    }
    for (neighbor, time) in &outcome.without {
        let time = rough_duration(time.as_secs_f64());
        text.push_str(&format!("  It went on without {neighbor} for {time}.\n"));
    }
    if let Some(out) = out {
        text.push_str(&format!("  results in {}\n", out.display()));
    }
    text
}
