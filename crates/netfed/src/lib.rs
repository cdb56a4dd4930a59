//! Networked federated learning: one personalized model per node of a graph.
//!
//! Many holders of small local datasets, related but not alike, are the nodes of a weighted graph of similarities, the
//! *empirical graph*. netfed trains one model wᵢ per node, coupled over the edges:
//!
//! ```text
//! minimize   Σᵢ Lᵢ(wᵢ)  +  λ Σ_{e=(i,j)} Aₑ φ(wᵢ − wⱼ)          (GTV minimization)
//! ```
//!
//! and proves how close to optimal its answer is.
//!
//! ```
//! use netfed::penalty::Norm2;
//! use netfed::{Clusters, Dataset, Graph, LossKind, Options, Problem, Status, solve};
//! use std::ops::ControlFlow;
//!
//! // Four nodes in a chain, one feature, y ≈ 2x at the first two and y ≈ −x at the last two.
//! let graph = Graph::new(4, &[(0, 1, 1.0), (1, 2, 0.1), (2, 3, 1.0)])?;
//! let labels = [[2.1, 4.0], [1.9, 4.1], [-1.0, -2.1], [-0.9, -2.0]];
//! let losses = labels
//!     .iter()
//!     .map(|y| LossKind::Squared.build(Dataset::new(1, vec![1.0, 2.0], y.to_vec())?, 0.0, 0.0))
//!     .collect::<Result<Vec<_>, _>>()?;
//! let problem = Problem::new(graph, losses, Box::new(Norm2), 0.5)?;
//!
//! let solution = solve(&problem, &Options::default(), |_| ControlFlow::Continue(()))?;
//! assert_eq!(solution.status, Status::Solved);
//! assert!(solution.certificate.relative_gap <= 1e-6); // proven, from the final point alone
//! let clusters = Clusters::find(problem.graph(), &solution.params, 1e-3, 1e-4);
//! assert_eq!(clusters.of_node, [0, 0, 1, 1]);
//! # Ok::<(), netfed::Error>(())
//! ```
//!
//! | step | type |
//! | --- | --- |
//! | the graph | [`Graph`] |
//! | local data and losses | [`Dataset`], [`LossKind`], [`loss::Loss`] |
//! | the penalty φ | [`penalty::Penalty`] |
//! | the problem, all input checked | [`Problem`] |
//! | the method | [`solve()`], with [`Options`]; one node's [`Half`] is [`PrimalDualNode`] |
//! | the answer | [`Solution`] with [`Status`] and [`Certificate`] |
//! | groups of equal models | [`Clusters`] |
//! | what is proven about a group | [`guarantee`], [`spectral`] |
//! | which pairs of nodes may share a model | [`selection`] |
//! | methods to compare with | [`baselines`] |
//! | flavors of federated learning | [`flavor`] |
//! | models of any kind, coupled by predictions | [`relax`], [`model`] |
//! | graphs learned from signals | [`learning`] |
//!
//! The library has no files, sockets, clocks, logs or hidden randomness. It uses the current rayon thread pool; results do
//! not depend on the number of threads, to the last bit. A loss or penalty of your own is a type with the trait
//! [`loss::Loss`] or [`penalty::Penalty`]; hold it to [`laws`].

mod admm;
mod auto;
mod balance;
pub mod baselines;
mod certificate;
mod cluster;
mod cluster_optimum;
mod common_model;
mod conjugate_gradients;
mod contraction;
mod cost;
mod displacement;
mod edge_steps;
mod elimination;
mod error;
mod fed_admm;
mod finish;
pub mod flavor;
mod fusion;
mod galerkin;
pub mod generate;
pub mod graph;
pub mod guarantee;
mod half;
mod halpern;
mod hessian;
pub mod information;
mod interior;
mod known;
mod lambda_max;
mod laplace;
pub mod laws;
mod layout;
pub mod learning;
pub mod loss;
mod merge_tree;
pub mod model;
mod newton;
mod node;
mod node_steps;
mod numeric;
mod outlook;
mod packed;
mod path;
pub mod penalty;
mod primal_dual;
mod problem;
mod proximal_newton;
mod reduced;
pub mod relax;
mod repair;
mod rounds;
mod run;
mod simulate;
mod smoothed;
mod solve;
mod step_ratio;
mod sweep;
mod system;
mod table;
mod variation;
mod well_connected;

pub use certificate::{Bound, Certificate, Certified, Certifier, Share};
pub use cluster::Clusters;
pub use error::Error;
pub use fed_admm::{Device, FedAdmm, FedAdmmNode, LocalStep, Weighting};
pub use graph::communities::{Agreement, Communities};
pub use graph::{
    Edge, Graph, Incidence, LEAST_WEIGHT, Link, NeighborGraph, communities, discrepancy,
    neighbor_graph, selection, similarity as similarity_graph,
};
pub use half::Half;
pub use lambda_max::{LambdaMax, Proof, lambda_max};
pub use loss::{LossKind, Region, Slope};
pub use merge_tree::{MergeTree, Vertex};
pub use node::PrimalDualNode;
#[doc(hidden)]
pub use numeric::{Matrix, principal_components, sampling as draws, sampling};
pub use path::{PathPoint, Step, first_lambda, follow_path, log_grid};
pub use problem::Problem;
pub use run::{Method, Options, Progress, Solution, Solver, Start, Status};
pub use simulate::{Federation, simulate};
pub use solve::{solve, solve_from};
pub use table::Dataset;

/// How well the nodes of a group hold together, and what follows for their models.
pub mod spectral {
    pub use crate::graph::spectral::{algebraic_connectivity, spectral_gap};
    pub use crate::variation::{Variation, variation};
}
