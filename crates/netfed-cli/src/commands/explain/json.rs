//! The explanation as JSON; null where there is no value.

use netfed::evaluate::Group;
use netfed::guarantee::Verdict;
use serde_json::{Value, json};

use super::Explanation;
use super::sentences::{effect, verdict};

/// The most edges listed.
const MOST_EDGES: usize = 100;

impl Explanation {
    /// The text.
    pub(crate) fn json(&self) -> String {
        let p = &self.run.prepared;
        let edges = self.flows.order.iter().take(MOST_EDGES).map(|&e| {
            let edge = p.graph.edges()[e];
            json!({
                "source": p.nodes[edge.tail],
                "target": p.nodes[edge.head],
                "weight": edge.weight,
                "difference": self.run.edges.difference[e],
                "flow": self.flows.flow[e],
                "load": self.run.edges.load[e],
                "saturated": self.flows.limited && self.flows.hot[e],
            })
        });
        let value = json!({
            "lambda": self.run.settings.lambda(),
            "penalty": self.run.settings.penalty_name(),
            "loss": self.run.settings.loss_name(),
            "objective": self.run.objective,
            "groups_are": if self.own.fusing { "clusters" } else { "connected parts" },
            "groups": self.own.groups.iter().map(|g| self.group_json(g)).collect::<Vec<_>>(),
            "further_groups": self.own.further,
            "single_nodes": self.own.singles,
            "saturated_edges": self.flows.limited.then(|| self.flows.hot_count()),
            "edges": edges.collect::<Vec<_>>(),
            "gains": self.gains_json(),
        });
        format!("{value:#}\n")
    }

    fn group_json(&self, group: &Group) -> Value {
        let g = &group.guarantee;
        let finite = |v: f64| v.is_finite().then_some(v);
        let names: Vec<&String> = g.nodes.iter().map(|&i| &self.run.prepared.nodes[i]).collect();
        let mut value = json!({
            "nodes": names,
            "models": group.models,
            "inside": g.inside,
            "boundary": g.boundary,
            "lambda_2": group.connectivity,
            "verdict": verdict(g.verdict),
            "reason": reason(g.verdict),
            "fused_above": finite(g.fused_above),
            "recovered": g.recovered.map(|(low, high)| json!([low, finite(high)])),
            "optimum": Value::Null,
            "variation": group.variation.map(|v| json!({ "found": v.found, "bound": v.bound })),
        });
        if let Some(o) = &g.optimum {
            value["optimum"] = json!({
                "parameters": o.params,
                "alpha": o.alpha,
                "beta": o.beta,
                "delta": o.delta,
                "distance": o.distance,
                "bound": o.bound,
            });
        }
        value
    }

    fn gains_json(&self) -> Value {
        let Some(gains) = &self.gains else { return Value::Null };
        let (coupled, alone) = gains.means();
        let nodes = gains.nodes.iter().map(|n| {
            json!({
                "node": self.run.prepared.nodes[n.node],
                "points": n.own.points,
                "alone": n.own.before,
                "coupled": n.own.after,
                "gain": n.own.gain.mean,
                "standard_error": n.own.gain.se,
                "verdict": effect(n.own.effect),
            })
        });
        json!({
            "measure": gains.measure,
            "folds": gains.folds,
            "skipped_nodes": gains.skipped,
            "unfinished_trainings": gains.unfinished,
            "mean_coupled": coupled.is_finite().then_some(coupled),
            "mean_alone": alone.is_finite().then_some(alone),
            "nodes": nodes.collect::<Vec<_>>(),
        })
    }
}

fn reason(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Guaranteed => None,
        Verdict::NotGuaranteed => Some("not well-connected at this λ"),
        Verdict::Undetermined => Some("the pooled data do not determine one model"),
        Verdict::NotANorm => Some("the penalty is not a norm"),
        Verdict::NotSmooth => Some("the loss is not differentiable"),
        Verdict::NotStronglyConvex => Some("the loss is not strongly convex"),
    }
}
