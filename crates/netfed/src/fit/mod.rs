//! From a table, edges and settings to models with names: the intercept, the scaling of the
//! features, flavors, drop-outs, and the models in the units of the data.
//!
//! ```
//! use netfed::fit::fit;
//! use netfed::{Edges, Table};
//!
//! // y ≈ 2x at a and b, y ≈ −x at c and d.
//! let table = Table::from_rows(
//!     ["a", "a", "b", "b", "c", "c", "d", "d"],
//!     vec!["x".into()],
//!     vec![1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0],
//!     Some(vec![2.1, 4.0, 1.9, 4.1, -1.0, -2.1, -0.9, -2.0]),
//! )?;
//! let edges = Edges::from_names([("a", "b", 1.0), ("b", "c", 0.1), ("c", "d", 1.0)])?;
//!
//! let fitted = fit(&table, Some(&edges), &"lambda=0.5".parse()?)?;
//! assert_eq!(fitted.clusters.of_node, [0, 0, 1, 1]);
//! assert!(fitted.solution.certificate.relative_gap <= 1e-6);
//! let new = Table::from_rows(["d"], vec!["x".into()], vec![3.0], None)?;
//! assert!((fitted.predict(&new)?[0] + 3.0).abs() < 0.1);
//! # Ok::<(), netfed::Error>(())
//! ```

mod datasets;
mod edge_loads;
mod fitted;
mod measures;
mod prepare;
mod rounds;
mod scaling;
mod warning;

pub use datasets::{datasets, datasets_of_nodes};
pub use edge_loads::{EdgeLoads, Flows, SATURATED};
pub use fitted::{Fitted, Look};
pub use measures::{Errors, measures, scores};
pub use prepare::{INTERCEPT, Prepared, prepare, prepare_part};
pub use rounds::{DropOuts, fed_admm_settings};
pub use scaling::ModelScaling;
pub use warning::Warning;

use crate::outcome::{Observer, Unobserved};
use crate::{Edges, Error, Spec, Table};

/// Trains one model per node. Without edges the flavor must make the graph; without λ it must
/// choose it.
pub fn fit(table: &Table, edges: Option<&Edges>, spec: &Spec) -> Result<Fitted, Error> {
    fit_with(table, edges, spec, &mut Unobserved)
}

/// The same with an observer, which is told every iteration and may end the run.
pub fn fit_with(
    table: &Table,
    edges: Option<&Edges>,
    spec: &Spec,
    observer: &mut dyn Observer,
) -> Result<Fitted, Error> {
    let mut prepared = prepare(table, edges, spec)?;
    if prepared.chooses_lambda() {
        prepared.choose_lambda(observer)?;
    }
    prepared.train(observer)
}
