//! Numbers, without any statistics: matrices, linear algebra, loops on several threads or with wide
//! vectors, maximum flows, seeded random numbers.

pub(crate) mod conjugate_gradients;
pub(crate) mod dimension;
pub(crate) mod exp_log;
mod gaussian;
pub(crate) mod linalg;
mod matrix;
pub(crate) mod max_flow;
#[cfg(not(feature = "parallel"))]
mod one_thread;
pub(crate) mod parallel;
mod principal_components;
pub mod sampling;
pub(crate) mod simd;
pub(crate) mod smooth_abs;
pub(crate) mod threads;
pub(crate) mod union_find;

pub use gaussian::gaussian_like;
pub use matrix::Matrix;
pub use principal_components::principal_components;
