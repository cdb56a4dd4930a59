//! Learning graphs from signals, also across silos (Zhang, Wang: *Graph Learning Across Data
//! Silos*).
//!
//! A signal has one value per vertex. The graph on which many signals are smooth is found by (7),
//! [`LogDegree`].
//!
//! ```
//! use netfed::Matrix;
//! use netfed::learning::{Candidates, LogDegree, Model};
//! use std::sync::Arc;
//!
//! // Four vertices, three signals: the first two vertices move together, and so do the last two.
//! let signals = vec![1.0, 2.0, 3.0, 1.1, 2.0, 2.9, -4.0, 1.0, 0.0, -4.0, 1.1, 0.1];
//! let signals = Matrix::from_rows(3, signals)?;
//! let candidates = Arc::new(Candidates::all(4)?);
//! let learned = LogDegree::new(Arc::clone(&candidates), &signals, Model::default())?.solve();
//! let graph = candidates.graph(&learned.weights, 0.0)?;
//! let edges: Vec<_> = graph.edges().iter().map(|e| (e.tail, e.head)).collect();
//! assert_eq!(edges, [(0, 1), (2, 3)]);
//! assert!(learned.gap < 1e-12);
//! # Ok::<(), netfed::Error>(())
//! ```

mod across;
mod candidates;
mod density;
mod graphical_lasso;
mod grid;
mod known;
mod learn;
mod log_degree;
mod scale;
mod setup;
mod silos;
mod status;

pub use crate::graph::Scores;
pub use across::{
    SiloMethod, SiloOptions, SiloSetting, SilosLearned, learn_across_silos,
    learn_across_silos_with, neighbor_difference, same_distances, solve_silos, solve_silos_with,
};
pub use candidates::Candidates;
pub use density::beta_for;
pub use graphical_lasso::{Precision, covariance, graphical_lasso, graphical_lasso_with};
pub use grid::{Choice, grid_search};
pub use known::{GridSearch, KnownGraphs, SiloGrid, Tried};
pub use learn::{
    Kept, LearnMethod, LearnOptions, LearnedGraph, constant_vertices, largest_covariance, learn,
    learn_with,
};
pub use log_degree::loss::{LogDegreeLoss, NonnegativeLasso};
pub use log_degree::steps::{LocalWork, Step};
pub use log_degree::{Learned, LogDegree, Model};
pub use scale::Scale;
pub use setup::LogDegreeOptions;
pub use silos::{
    Algorithm1, ConsensusServer, Exact, ExactGraphs, GraphMethod, SiloClient, SiloGraphs, Silos,
    algorithm1, algorithm1_with, run_graph_method, run_graph_method_with,
};
