//! What a federation is: a TOML file that the organizer signs and every member checks.

mod endpoints;
mod federation;
mod method;
mod methods;
mod problem;
mod versions;

pub use endpoints::host_and_port;
pub use federation::{DESCRIPTION, Federation};
pub use method::Method;
pub use methods::{Learning, Relaxing, Serving};
pub use problem::{Columns, Problem};
pub use versions::Follows;

use serde::{Deserialize, Serialize};

/// A federation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Its name, for people.
    pub name: String,
    /// Counted up whenever members come or go.
    #[serde(default = "versions::first", skip_serializing_if = "versions::is_first")]
    pub version: u64,
    /// The method.
    pub method: Method,
    /// The version of the settings in `problem`, [`netfed::Spec::VERSION`]; not written where it is
    /// the first.
    #[serde(default = "first_settings", skip_serializing_if = "are_first_settings")]
    pub settings: u32,
    /// Rounds at most.
    pub rounds: u64,
    /// The run ends when the relative gap (without a bound: the residual) is at most this; 0 runs
    /// all rounds.
    pub tolerance: f64,
    /// Whether every member is told the gap of the whole federation, or only the root of the tree
    /// of sums.
    pub tell_gap: bool,
    /// What to do about a neighbor that is away: `wait`, `without` or `stop`.
    pub away: String,
    /// How long a silent neighbor counts as present.
    pub patience_seconds: f64,
    /// Local steps that a member may go on while an exchange with a neighbor is open; 0, rounds in
    /// lock step.
    #[serde(default)]
    pub staleness: u64,
    /// What a version after the first takes over from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<Follows>,
    /// The node that serves, and the work of a round, with `fedavg`, `ifca` and `ppgl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Serving>,
    /// What is predicted, and where, with `fed-relax`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relax: Option<Relaxing>,
    /// What is asked of the graphs, with `ppgl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<Learning>,
    /// What is solved: settings, with the same keys as in the `config.toml` of a fit, and columns.
    pub problem: Problem,
    /// The graph.
    pub graph: Edges,
    /// Where members meet that cannot reach each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routers: Vec<Router>,
    /// Who takes part.
    pub members: Vec<Member>,
}

/// A place where members meet that cannot reach each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Router {
    /// Its name, as in its certificate.
    pub name: String,
    /// Where it is reached: `quic/HOST:PORT`.
    pub endpoint: String,
}

/// The edges of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edges {
    /// Two nodes and the weight.
    pub edges: Vec<(String, String, f64)>,
}

/// A data holder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its name: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Where its neighbors reach it: `quic/HOST:PORT`. Without one it connects to those that have
    /// one, and meets the others at a router.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The nodes whose data it holds.
    pub nodes: Vec<String>,
}

fn first_settings() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn are_first_settings(version: &u32) -> bool {
    *version == 1
}
