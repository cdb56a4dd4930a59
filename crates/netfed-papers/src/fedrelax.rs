//! The experiments of "Plug In and Learn: Federated Intelligence over a Smart Grid of Models"
//! (FedRelax).

mod figure1;
mod figure3;
mod figure5;
mod instance;
mod linear;
mod methods;
mod paper;
mod trees;

pub(crate) use figure1::figure1;
pub(crate) use figure3::figure3;
pub(crate) use figure5::figure5;
pub(crate) use trees::{figure2, figure4};
