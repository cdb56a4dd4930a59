//! Networked federated learning: one personalized model per node of a graph.
//!
//! Many holders of small local datasets, related but not alike, are the nodes of a weighted graph
//! of similarities, the *empirical graph*. netfed trains one model wᵢ per node, coupled over the
//! edges:
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
//! let solution = solve(&problem, &Options::default())?;
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
//! | data of all nodes, edges between them, by name | [`Table`], [`Edges`] |
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
//! The library has no files, sockets, clocks, logs or hidden randomness. It uses the current rayon
//! thread pool; results do not depend on the number of threads, to the last bit. A loss or penalty
//! of your own is a type with the trait [`loss::Loss`] or [`penalty::Penalty`]; hold it to
//! [`laws`].

mod certificate;
mod error;
pub mod evaluate;
pub mod fit;
pub mod generate;
pub mod graph;
pub mod laws;
pub mod learning;
pub mod loss;
mod methods;
pub mod model;
pub mod names;
mod numeric;
mod outcome;
mod path;
pub mod penalty;
mod problem;
pub mod relax;
mod run;
mod solve;
pub mod spec;
mod table;
mod theory;

pub use certificate::{Certified, Certifier, Share};
pub use error::Error;
pub use fit::Fitted;
pub use graph::communities::{Agreement, Communities};
pub use graph::{
    Edge, Graph, Incidence, LEAST_WEIGHT, Link, NeighborGraph, communities, discrepancy,
    neighbor_graph, selection, similarity as similarity_graph,
};
pub use loss::{LossKind, Region, Slope};
pub use methods::fed_admm::Weighting;
pub use methods::{
    Device, FedAdmm, FedAdmmNode, Federation, Half, LocalStep, PrimalDualNode, flavor, simulate,
    simulate_with,
};
pub use numeric::{Matrix, principal_components, sampling};
pub use outcome::{
    Bound, Certificate, Clusters, Event, Method, Observer, PathPoint, Solution, Start, Status,
};
pub use path::{
    LambdaMax, MergeTree, PathRange, Proof, Vertex, WholePath, first_lambda, first_lambda_with,
    follow_path, follow_path_with, hardly_coupled_with, lambda_max, lambda_max_with, log_grid,
    path_along_with, usual_lambdas_with, whole_path, whole_path_with,
};
pub use problem::Problem;
pub use run::{Options, Solver};
pub use solve::{solve, solve_from, solve_from_with, solve_with};
pub use spec::Spec;
pub use table::{
    Dataset, Edges, FeatureScaling, HoldOut, Table, folds, in_natural_order, moments, natural_order,
};
pub use theory::{guarantee, information};

/// How well the nodes of a group hold together, and what follows for their models.
pub mod spectral {
    pub use crate::graph::spectral::{algebraic_connectivity, spectral_gap};
    pub use crate::theory::variation::{Variation, variation};
}

pub mod baselines {
    //! Methods to compare with. Each is one file with its formula at the head; docs/baselines.md
    //! says when to take which.
    //!
    //! | kind | methods | halves |
    //! | --- | --- | --- |
    //! | exact | [`local()`], [`pooled()`], [`oracle()`] | – |
    //! | with a server | [`fed_avg()`], [`fed_sgd()`], [`fed_prox()`], [`ifca()`], [`ditto()`], [`mr_mtl()`], [`vertical()`] | [`Client`], [`Server`] |
    //! | between neighbors | [`gossip()`], [`subgradient()`] | [`Half`](crate::Half) |
    //!
    //! The halves have no input and output: the drivers here call them in the order of the nodes,
    //! and whoever delivers the same messages gets the same bits. All methods share the losses of a
    //! [`Problem`](crate::Problem); those with a server look at its losses only.
    //!
    //! ```
    //! use netfed::baselines::{Clients, LocalSteps, Rounds, Weighting, fed_avg, pooled};
    //! use netfed::penalty::Norm2;
    //! use netfed::{Dataset, Graph, LossKind, Problem};
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
    //! )?;
    //! let best = pooled(&problem, Weighting::Points)?;
    //! assert!((run.params.row(0)[0] - best.params.row(0)[0]).abs() < 1e-6);
    //! # Ok::<(), netfed::Error>(())
    //! ```

    pub use crate::methods::{
        Answer, AveragingServer, Client, ClientData, Clients, DittoClient, FedAvgClient,
        FedProxClient, FedSgdClient, FedSgdServer, GossipNode, IfcaClient, IfcaServer, LabelHolder,
        LocalSteps, MakeServer, MrMtlClient, Outcome, Partition, Party, People, Rate, Rounds,
        Server, Serving, SubgradientNode, Trace, VerticalFit, VerticalModel, VerticalOptions,
        Weighting, align, ditto, ditto_with, fed_avg, fed_avg_with, fed_prox, fed_prox_with,
        fed_sgd, fed_sgd_with, fit_vertical, fit_vertical_with, gossip, gossip_with, ifca,
        ifca_from_nodes, ifca_from_nodes_with, ifca_from_random, ifca_from_random_with, ifca_with,
        make_averaging, make_ifca, mr_mtl, mr_mtl_with, random_start, star_client, star_server,
        subgradient, subgradient_with, vertical, vertical_with,
    };
    pub use crate::solve::exact::{Optimum, local, oracle, pooled};
}
