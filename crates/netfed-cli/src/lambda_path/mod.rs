//! A path of λ: the values, the solutions, which of them to take, its files and its page.

pub(crate) mod files;
pub(crate) mod page;
pub(crate) mod trail;
