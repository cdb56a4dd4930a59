//! FedRelax of "Plug In and Learn": neighbors are to predict alike on public points.
//!
//! ```text
//! hᵢ ← argmin over h   Lᵢ(h) + α Σ_{j ~ i} A_ij (1/|Pⱼ|) Σ_{x ∈ Pⱼ} ℓ(h(x), hⱼ(x))   (10), (16)
//! ```
//!
//! with the public points Pⱼ of the neighbor j. [`relax()`] trains one model of any kind per node
//! of a [`Table`](crate::Table), says whether coupling helps, and predicts. Below it are the
//! halves: [`RelaxNode`], one node's, is trained on its own points and on those that the neighbors
//! label; [`FedRelax`] runs all halves in one process, [`RelaxHalf`] is one between peers. Linear
//! models have exact updates and a theory: [`linear`], which also says which problem is solved.

mod damping;
mod half;
mod input;
pub mod linear;
mod network;
mod node;
mod options;
mod public;
mod relaxed;
mod run;
mod settings;
mod settling;
mod setup;
mod train;
mod validation;
mod variation;
mod warnings;

pub use half::RelaxHalf;
pub use input::RelaxInput;
pub use network::{FedRelax, RelaxRound};
pub use node::RelaxNode;
pub use options::RelaxOptions;
pub use public::PublicPoints;
pub use relaxed::Relaxed;
pub use run::{RelaxPhase, relax, relax_with};
pub use settings::{Examples, Neighbor, RelaxSettings, RelaxWeights};
pub use settling::Settling;
pub use setup::RelaxSetup;
pub use validation::{NodeErrors, Validation};
pub use variation::ClusterVariation;
pub use warnings::RelaxWarning;
