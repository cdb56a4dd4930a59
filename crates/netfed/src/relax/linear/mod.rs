//! FedRelax with linear models: exact updates, and what is known about them.
//!
//! ```text
//! wᵢ ← argmin over w   Lᵢ(w) + α Σ_{j ~ i} A_ij δ(w, wⱼ on Pⱼ)          (16)
//! ```
//!
//! **Which problem is solved.** (16) is not the minimization of
//!
//! ```text
//! Σᵢ Lᵢ(wᵢ) + α Σᵢ Σ_{j ~ i} A_ij δ(wᵢ, wⱼ on Pⱼ)          (15)
//! ```
//!
//! along wᵢ: every edge is in (15) twice, and (16) keeps one of the two terms. What the updates
//! reach is a fixed point of (16). With public points common to all nodes it is the minimizer of Σ
//! Lᵢ + α Σₑ Aₑ δ, every edge once, which is (15) with α/2; with points of their own it is the
//! minimizer of nothing. [`Sides::Both`] gives the minimizer of (15).

mod bound;
mod coloring;
mod fit;
mod metric;
mod problem;
mod rounds;

pub use bound::RelaxVariation;
pub use metric::{Coupling, Sides};
pub use problem::Relaxation;
pub use rounds::{LocalUpdate, RelaxOptions, Relaxed, Sweep, relax, relax_with};
