//! FedRelax of "Plug In and Learn": neighbors are to predict alike on public points.
//!
//! ```text
//! hᵢ ← argmin over h   Lᵢ(h) + α Σ_{j ~ i} A_ij (1/|Pⱼ|) Σ_{x ∈ Pⱼ} ℓ(h(x), hⱼ(x))          (10), (16)
//! ```
//!
//! with the public points Pⱼ of the neighbor j. Linear models have exact updates and a theory:
//! [`Relaxation`] and [`relax`]. Models of any kind are trained by [`RelaxNode`], one node's half,
//! on their own points and on those that the neighbors label; [`FedRelax`] runs all halves in one
//! process.
//!
//! **Which problem is solved.** (10) is not the minimization of
//!
//! ```text
//! Σᵢ Lᵢ(hᵢ) + α Σᵢ Σ_{j ~ i} A_ij δ(hᵢ, hⱼ on Pⱼ)          (8), (15)
//! ```
//!
//! along hᵢ: every edge is in (8) twice, and (10) keeps one of the two terms. What the updates
//! reach is a fixed point of (10). With public points common to all nodes it is the minimizer of Σ
//! Lᵢ + α Σₑ Aₑ δ, every edge once, which is (8) with α/2; with points of their own it is the
//! minimizer of nothing. [`Sides::Both`] gives the minimizer of (15).

mod bound;
mod coloring;
mod damping;
mod fit;
mod half;
mod metric;
mod network;
mod node;
mod parametric;
mod problem;
mod settings;

pub use bound::RelaxVariation;
pub use half::RelaxHalf;
pub use metric::{Coupling, Sides};
pub use network::{FedRelax, RelaxRound};
pub use node::RelaxNode;
pub use parametric::{LocalUpdate, RelaxOptions, Relaxed, Sweep, relax, relax_with};
pub use problem::Relaxation;
pub use settings::{Examples, Neighbor, RelaxSettings, RelaxWeights};
