//! Methods, each as the halves of its nodes: a local step that ends in a message, and a step that
//! takes in a message. Halves have no input and output: the drivers here call them in one process,
//! and whoever delivers the same messages gets the same bits.
//!
//! | with | methods | halves |
//! | --- | --- | --- |
//! | duals on the edges | Algorithm 1, ADMM, Fed-ADMM | [`Half`], [`PrimalDualNode`], [`FedAdmmNode`] |
//! | neighbors alone | gossip, (sub)gradient descent | [`Half`] |
//! | a server | FedAvg, FedSGD, FedProx, IFCA, Ditto, MR-MTL, vertical | [`Client`], [`Server`] |

pub(crate) mod admm;
mod clients;
pub(crate) mod displacement;
mod driver;
pub(crate) mod fed_admm;
pub mod flavor;
mod half;
mod local_steps;
pub(crate) mod neighbor;
mod primal_dual;
pub(crate) mod server;
mod simulate;
pub(crate) mod step_ratio;
#[cfg(test)]
pub(crate) mod testing;
mod trace;

pub use clients::{ClientData, Clients, Weighting};
pub use fed_admm::{Device, FedAdmm, FedAdmmNode, LocalStep};
pub use half::Half;
pub use local_steps::{LocalSteps, Rate};
pub use neighbor::{
    GossipNode, SubgradientNode, gossip, gossip_with, subgradient, subgradient_with,
};
pub use primal_dual::PrimalDualNode;
pub(crate) use primal_dual::edge_step;
pub use server::{
    Answer, AveragingServer, Client, DittoClient, FedAvgClient, FedProxClient, FedSgdClient,
    FedSgdServer, IfcaClient, IfcaServer, LabelHolder, MakeServer, MrMtlClient, Partition, Party,
    People, Rounds, Server, Serving, VerticalFit, VerticalModel, VerticalOptions, align, ditto,
    ditto_with, fed_avg, fed_avg_with, fed_prox, fed_prox_with, fed_sgd, fed_sgd_with,
    fit_vertical, fit_vertical_with, ifca, ifca_from_nodes, ifca_from_nodes_with, ifca_from_random,
    ifca_from_random_with, ifca_with, make_averaging, make_ifca, mr_mtl, mr_mtl_with, random_start,
    star_client, star_server, vertical, vertical_with,
};
pub use simulate::{Federation, simulate, simulate_with};
pub use trace::{Outcome, Trace};
