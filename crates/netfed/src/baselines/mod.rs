//! Methods to compare with. Each is one file with its formula at the head; docs/baselines.md says when to take which.
//!
//! | kind | methods | halves |
//! | --- | --- | --- |
//! | exact | [`local()`], [`pooled()`], [`oracle()`] | – |
//! | with a server | [`fed_avg()`], [`fed_sgd()`], [`fed_prox()`], [`ifca()`], [`ditto()`], [`mr_mtl()`], [`vertical()`] | [`Client`], [`Server`] |
//! | between neighbors | [`gossip()`], [`subgradient()`] | [`Peer`] |
//!
//! The halves have no input and output: the drivers here call them in the order of the nodes, and whoever delivers the same messages gets
//! the same bits. All methods share the losses of a [`Problem`](crate::Problem); those with a server look at its losses only.
//!
//! ```
//! use netfed::baselines::{Clients, LocalSteps, Rounds, Weighting, fed_avg, pooled};
//! use netfed::penalty::Norm2;
//! use netfed::{Dataset, Graph, LossKind, Problem};
//! use std::ops::ControlFlow;
//!
//! let losses = [[2.1, 4.0], [1.9, 4.1]].map(|y| {
//!     LossKind::Squared.build(Dataset::new(1, vec![1.0, 2.0], y.to_vec())?, 0.0, 0.0)
//! });
//! let losses = losses.into_iter().collect::<Result<Vec<_>, _>>()?;
//! let problem = Problem::new(Graph::new(2, &[])?, losses, Box::new(Norm2), 0.0)?;
//!
//! let run = fed_avg(
//!     &Clients::new(&problem),
//!     &[0.0],
//!     &LocalSteps::default(),
//!     &Rounds { max_rounds: 2000, ..Rounds::default() },
//!     |_| ControlFlow::Continue(()),
//! )?;
//! let best = pooled(&problem, Weighting::Points)?;
//! assert!((run.params.row(0)[0] - best.params.row(0)[0]).abs() < 1e-6);
//! # Ok::<(), netfed::Error>(())
//! ```

mod align;
mod clients;
mod ditto;
mod fed_avg;
mod fed_prox;
mod fed_sgd;
mod gossip;
mod ifca;
mod local;
mod local_steps;
mod mr_mtl;
mod neighbors;
mod oracle;
mod pooled;
mod rounds;
mod star;
mod subgradient;
#[cfg(test)]
mod testing;
mod vertical;

pub use align::align;
pub use clients::{ClientData, Clients, Weighting};
pub use ditto::{DittoClient, ditto};
pub use fed_avg::{AveragingServer, FedAvgClient, fed_avg};
pub use fed_prox::{FedProxClient, fed_prox};
pub use fed_sgd::{FedSgdClient, FedSgdServer, fed_sgd};
pub use gossip::{GossipNode, gossip};
pub use ifca::{
    IfcaClient, IfcaServer, Partition, ifca, ifca_from_nodes, ifca_from_random, random_start,
};
pub use local::local;
pub use local_steps::{LocalSteps, Rate};
pub use mr_mtl::{MrMtlClient, mr_mtl};
pub use neighbors::Peer;
pub use oracle::oracle;
pub use pooled::{Optimum, pooled};
pub use rounds::{Answer, Client, Outcome, Round, Rounds, Server, Status, Trace};
pub use star::{MakeServer, Serving, make_averaging, make_ifca, star_client, star_server};
pub use subgradient::{SubgradientNode, subgradient};
pub use vertical::{LabelHolder, Party, VerticalModel, vertical};
