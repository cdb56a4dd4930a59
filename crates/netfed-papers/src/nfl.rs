//! The experiments of "Networked Federated Learning" (SarcheshmehPour, Tian, Zhang, Jung).

mod chain;
mod digits;
mod fig8;
mod figure;
mod paper;
mod sbm;
mod star;
mod table1;
mod table2;
mod table3;
mod weather;

pub(crate) use chain::{figure4, figure5};
pub(crate) use fig8::figure8;
pub(crate) use sbm::{figure2, figure3};
pub(crate) use star::{figure6, figure7};
pub(crate) use table1::table1;
pub(crate) use table2::table2;
pub(crate) use table3::table3;
