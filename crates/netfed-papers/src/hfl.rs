//! The experiments of "Heterogeneous Federated Learning on a Graph" (Wang, Zhao, Lin), sections 5
//! and 6.
//!
//! The paper minimizes (4), (1/|V|) Σ (1/n) Σ ½(y − xᵀθ)² + λ Σ ‖θ_i − θ_j‖₁; times 2|V| that is
//! netfed's objective, with 2|V| times the λ.

mod claims;
mod curves;
mod election;
mod figures;
mod instance;
mod learning;
mod methods;
mod moments;
mod panels;
mod paper;
mod squares;
mod table1;
mod tuning;

pub(crate) use figures::{figure1, figure2};
pub(crate) use panels::figure_s1;
pub(crate) use table1::table1;
