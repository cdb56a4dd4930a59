//! Networked federated learning: one personalized model per node of a graph.

mod certificate;
mod cluster;
mod data;
mod error;
mod graph;
pub mod laws;
mod linalg;
pub mod loss;
mod node;
pub mod penalty;
mod problem;
mod radius;
mod solve;

pub use certificate::{Bound, Certificate, Certifier};
pub use cluster::Clusters;
pub use data::{Dataset, Matrix};
pub use error::Error;
pub use graph::{Edge, Graph, Incidence};
pub use loss::LossKind;
pub use node::{Link, PrimalDualNode};
pub use problem::Problem;
pub use solve::{Options, Progress, Solution, Status, solve};
