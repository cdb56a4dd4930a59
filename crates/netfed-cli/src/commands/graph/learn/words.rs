//! The result for a person, and as JSON.

use std::fmt::Write;
use std::path::Path;

use netfed::{Graph, Status};
use netfed_report::text::{count, number, plural, plurals, rough_duration};
use serde_json::{Value, json};

use crate::suggestions::shell;

/// What is to be said about a graph.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) method: &'static str,
    pub(super) vertices: usize,
    pub(super) signals: usize,
    pub(super) edges: usize,
    /// Edges of the graphical lasso between vertices that go against each other.
    pub(super) negative: usize,
    pub(super) components: usize,
    pub(super) alone: usize,
    pub(super) beta: Option<f64>,
    pub(super) objective: Option<f64>,
    pub(super) gap: f64,
    pub(super) status: Option<Status>,
    pub(super) seconds: f64,
}

impl Facts {
    /// The facts that a graph tells.
    pub(super) fn new(method: &'static str, graph: &Graph) -> Facts {
        let (vertices, edges) = (graph.nodes(), graph.edges().len());
        let components = graph.components(|_| true).iter().max().map_or(0, |c| c + 1);
        let alone = (0..vertices).filter(|&v| graph.degree(v) == 0).count();
        Facts { method, vertices, edges, components, alone, ..Facts::default() }
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "method": self.method, "vertices": self.vertices, "signals": self.signals,
            "edges": self.edges, "negative": self.negative, "components": self.components,
            "without_edges": self.alone, "beta": self.beta, "objective": self.objective,
            "gap": self.gap, "status": self.status.map(|s| s.to_string()), "seconds": self.seconds,
        })
    }
}

/// The summary for a person.
pub(super) fn describe(facts: &Facts, out: &Path) -> String {
    let mean = 2.0 * facts.edges as f64 / facts.vertices.max(1) as f64;
    let mut text = format!(
        "{} between {}, {} {} on average, from {} ({}), in {}\n",
        plural(facts.edges, "edge"),
        plurals(facts.vertices, "vertex", "vertices"),
        number(mean),
        if mean == 1.0 { "neighbor" } else { "neighbors" },
        plural(facts.signals, "signal"),
        facts.method,
        rough_duration(facts.seconds),
    );
    if facts.vertices == 1 {
        text.push_str("  One vertex has no other to be joined with.\n");
        return text;
    }
    if let Some(beta) = facts.beta {
        let more = if 2 * facts.edges == facts.vertices * (facts.vertices - 1) {
            "all pairs are joined, a smaller one gives fewer edges"
        } else {
            "a larger one gives more edges"
        };
        let _ = writeln!(text, "  β = {}; {more}.", number(beta));
    }
    if let Some(objective) = facts.objective {
        let gap = number(facts.gap);
        let _ = writeln!(
            text,
            "  Objective {}, proven to be at most {gap} above the least one.",
            number(objective)
        );
    }
    match facts.status {
        Some(Status::Stopped) => {
            text.push_str("  Interrupted before the tolerance: no more than that bound is proven.\n");
        }
        Some(Status::MaxIterations) => text.push_str(
            "  It ended before the tolerance, after all its iterations: no more than that bound is proven.\n",
        ),
        _ => {}
    }
    if facts.negative > 0 {
        let _ = writeln!(
            text,
            "  {} of the edges {} vertices that go against each other (negative partial_correlation); the weight is its size.",
            count(facts.negative),
            if facts.negative == 1 { "joins" } else { "join" }
        );
    }
    if facts.components > 1 {
        let _ = writeln!(
            text,
            "  The graph has {} parts{}; models of different parts are not coupled.",
            count(facts.components),
            match facts.alone {
                0 => String::new(),
                1 => ", 1 of them a single vertex without an edge".into(),
                n => format!(", {} of them single vertices without an edge", count(n)),
            }
        );
    }
    if facts.edges == 0 {
        let _ = writeln!(text, "  A graph without edges in {}", out.display());
        return text;
    }
    let _ = writeln!(
        text,
        "  Edges in {}; next: netfed fit --data points.csv --graph {} --lambda 0.1 --out run/",
        out.display(),
        shell(&out.display().to_string())
    );
    text
}

/// What is to be said about a silo.
pub(super) struct SiloFacts {
    pub(super) file: String,
    pub(super) signals: usize,
    pub(super) edges: usize,
    /// ‖wᵢ − c‖
    pub(super) apart: Option<f64>,
    pub(super) tied: bool,
}

impl SiloFacts {
    pub(super) fn json(&self) -> Value {
        json!({
            "file": self.file, "signals": self.signals, "edges": self.edges,
            "distance_to_consensus": self.apart, "is_consensus": self.tied,
        })
    }
}

/// The summary of silos for a person.
pub(super) fn describe_silos(summary: &Value, rows: &[SiloFacts], out: &Path) -> String {
    let of = |key: &str| summary[key].as_f64().unwrap_or(f64::NAN);
    let common = summary["consensus"]["edges"].as_u64().map(|edges| edges as usize);
    let with = common.map_or(String::new(), |edges| {
        let their = if rows.len() == 1 { "its" } else { "their" };
        format!(" and {their} consensus with {}", plural(edges, "edge"))
    });
    let rounds = match of("rounds") as usize {
        0 => String::new(),
        rounds => format!(" ({})", plural(rounds, "round")),
    };
    let mut text = format!(
        "{}{with}, {} vertices, in {}{rounds}\n",
        plural(rows.len(), "graph"),
        summary["vertices"],
        rough_duration(of("seconds")),
    );
    for row in rows {
        let near = match row.apart {
            _ if row.tied => ", the same as the consensus".into(),
            Some(apart) => format!(", distance to the consensus {}", number(apart)),
            None => String::new(),
        };
        let (file, edges) = (&row.file, plural(row.edges, "edge"));
        let _ = writeln!(text, "  {file}: {edges} from {}{near}", plural(row.signals, "signal"));
    }
    let settings = [("β", "beta"), ("ν", "nu"), ("λ", "lambda"), ("μ", "mu")].into_iter();
    let settings = settings.filter_map(|(sign, key)| {
        summary[key].as_f64().map(|value| format!("{sign} = {}", number(value)))
    });
    let settings = settings.collect::<Vec<_>>().join(", ");
    let proven = summary["gap"].as_f64().map_or(String::new(), |gap| {
        format!(", proven to be at most {} above the least one", number(gap))
    });
    let _ = writeln!(text, "  {settings}. Objective {}{proven}.", number(of("objective")));
    if rows.len() == 1 {
        text.push_str(
            "  One silo has nothing in common with others: --signals FILE learns its graph alone.\n",
        );
    }
    if summary["status"] == Status::Stopped.name() {
        text.push_str("  Interrupted: these are the graphs as they were then.\n");
    } else if summary["method"] == "algorithm1" && summary["solved"] == false {
        text.push_str("  More rounds may come nearer to the optimum; --method exact goes to it.\n");
    } else if proven.is_empty() {
        text.push_str(
            "  That is (7), summed over the silos; how far it could fall is not known.\n",
        );
    } else if summary["solved"] == false {
        text.push_str(
            "  It ended before the tolerance, after all its rounds; no more than that bound is proven.\n",
        );
    } else if common == Some(0) {
        text.push_str("  The consensus has no edge: a larger --nu makes it count.\n");
    } else if rows.iter().all(|r| r.tied) && rows.len() > 1 {
        text.push_str(if summary["same_distances"] == true {
            "  All graphs are the same: the distances of the vertices are, in all silos.\n"
        } else {
            "  All graphs are the same: a smaller --nu or --lambda lets them differ.\n"
        });
    }
    let _ = writeln!(text, "  Graphs in {}", out.display());
    text
}
