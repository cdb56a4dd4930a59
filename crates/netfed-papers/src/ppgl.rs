//! The experiments of "Graph Learning Across Data Silos" (Zhang, Wang), section V. What the paper
//! leaves open is chosen as docs/experiments.md says.

mod adaptive;
mod brain;
mod coil;
mod instance;
mod methods;
mod paper;
mod synthetic;
mod views;

pub(crate) use adaptive::table3;
pub(crate) use brain::table5;
pub(crate) use coil::table4;
pub(crate) use synthetic::{table1, table2};

use netfed_cli::Failure;
use netfed_cli::progress::interrupted;

use crate::Request;

/// A run that Ctrl-C has ended.
fn go_on() -> Result<(), Failure> {
    if interrupted() {
        Err(Failure::other("interrupted; nothing was written.".into()))
    } else {
        Ok(())
    }
}

/// The grids of ν and λ: the paper's [1, 100] × [.01, 1], finer where the consensus comes into
/// being.
fn nu_and_lambda(full: bool) -> Vec<(f64, f64)> {
    let nus: &[f64] = if full {
        &[1.0, 2.0, 2.25, 2.5, 2.75, 3.0, 3.5, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0, 100.0]
    } else {
        &[2.25, 2.75, 3.0, 4.0, 7.0, 10.0, 20.0]
    };
    let lambdas: &[f64] = if full {
        &[0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0]
    } else {
        &[0.01, 0.03, 0.05, 0.1, 0.2, 0.3]
    };
    nus.iter().flat_map(|&nu| lambdas.iter().map(move |&lambda| (nu, lambda))).collect()
}

/// Whether the run is full, in words.
fn extent(request: &Request, seeds: u64) -> String {
    if request.full {
        format!("{seeds} seeds, full grids.")
    } else {
        format!("{seeds} seeds; --full searches finer grids.")
    }
}
