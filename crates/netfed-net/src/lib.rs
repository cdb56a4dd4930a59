//! Peers: one process per data holder. Parameters travel along the edges of the graph, and there is
//! no server.
//!
//! | | |
//! | --- | --- |
//! | what all members have agreed on | [`description`], signed by the [`authority`] |
//! | one member's part of it | [`Plan`] |
//! | the exchange with its neighbors | [`Peer`], with [`Rules`] |
//! | what travels | [`wire`] |
//! | what carries it | [`Transport`]: [`engine`] (Zenoh), or [`memory`] for tests |
//! | from end to end | [`sealed`], proven with [`credentials`] that are not [`revoked`] |
//! | what survives a crash | [`state`], on a [`disk`] |
//! | when members come and go | [`succession`] |
//! | counters | [`Metrics`] |

pub mod authority;
pub mod credentials;
pub mod description;
pub mod disk;
pub mod engine;
mod error;
pub mod exporter;
pub mod memory;
mod metrics;
pub mod names;
mod notices;
pub mod otlp;
mod peer;
mod plan;
pub mod proof;
mod refusals;
pub mod revoked;
pub mod sealed;
pub mod signed;
pub mod state;
pub mod succession;
mod transport;
pub mod wire;

pub use error::Error;
pub use metrics::Metrics;
pub use peer::{Away, Outcome, Peer, Rules, Turn};
pub use plan::{CrossEdge, LinkPlan, Plan};
pub use refusals::Said;
pub use transport::Transport;
