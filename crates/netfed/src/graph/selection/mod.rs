//! Edge selection by multiple testing (Wang, Zhao, Lin: *Heterogeneous Federated Learning on a
//! Graph*, section 3.2): which pairs of nodes may share one model?
//!
//! Every node estimates its model θ̂ alone, with its covariance Ω. For a pair of nodes with one
//! true model
//!
//!   W² = (θ̂ᵢ − θ̂ⱼ)ᵀ (Ωᵢ + Ωⱼ)⁻¹ (θ̂ᵢ − θ̂ⱼ)                    (13)
//!
//! follows a known distribution. Pairs whose W² is too large for it are dropped; a [`Correction`]
//! makes up for their number.
//!
//! ```
//! use netfed::selection::{Estimates, Variance};
//! use netfed::{Dataset, LossKind};
//!
//! // Three nodes, one feature: y ≈ 2x at the first two, y ≈ −x at the last.
//! let x = vec![1.0, 2.0, 3.0, 4.0];
//! let labels = [[2.1, 3.9, 6.1, 8.0], [1.9, 4.1, 6.0, 7.9], [-1.1, -2.0, -2.9, -4.1]];
//! let data = labels
//!     .iter()
//!     .map(|y| Dataset::new(1, x.clone(), y.to_vec()))
//!     .collect::<Result<Vec<_>, _>>()?;
//! let estimates = Estimates::new(LossKind::Squared, &data, 0.0, Variance::Estimated)?;
//! let p = |i, j| estimates.test(i, j).map(|test| test.p_value);
//! assert!(p(0, 1) > Some(0.5) && p(1, 2) < Some(1e-4));
//! # Ok::<(), netfed::Error>(())
//! ```

mod correction;
mod edge_tests;
mod estimate;
mod fidelity;
mod pairs;
mod select;
mod tails;
mod wald;

pub use correction::{Adjusted, Correction};
pub use edge_tests::{AgainstTruth, EdgeTests, PairTest, SelectEvent, Selected, Verdict};
pub use estimate::{Estimate, Estimates, Untested, Variance};
pub use fidelity::Fidelity;
pub use select::{SelectOptions, Selection, select};
pub use tails::{chi_square_tail, f_tail};
pub use wald::Wald;
