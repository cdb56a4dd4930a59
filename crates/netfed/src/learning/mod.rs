//! Learning graphs from signals, also across silos (Zhang, Wang: *Graph Learning Across Data Silos*).
//!
//! A signal has one value per vertex. The graph on which many signals are smooth is found by (7), [`LogDegree`].
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

mod algorithm1;
mod baselines;
mod candidates;
mod density;
mod descent;
mod dual_newton;
mod duals;
mod exact;
mod glasso;
mod grid;
mod log_degree;
mod loss;
mod polish;
mod scale;
mod scores;
mod silos;
mod star;
mod steps;

pub use algorithm1::{Algorithm1, ConsensusServer, SiloClient, SiloRound, algorithm1};
pub use baselines::{GraphMethod, run_graph_method};
pub use candidates::Candidates;
pub use density::beta_for;
pub use exact::{Exact, ExactGraphs};
pub use glasso::{Precision, covariance, graphical_lasso};
pub use grid::{Choice, grid_search};
pub use log_degree::{Learned, LogDegree, Model};
pub use loss::{LogDegreeLoss, NonnegativeLasso};
pub use scale::Scale;
pub use scores::Scores;
pub use silos::{SiloGraphs, Silos};
pub use steps::{LocalWork, Step};
