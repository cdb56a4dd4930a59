//! Duals that fit given models, and duals that balance at nodes without data; the Laplace equations
//! of both.

pub(super) mod balance;
pub(super) mod laplace;
pub(crate) mod repair;
