//! The graph without the edges that the data speak against: Wald tests of both ends at the level
//! 0.05 of all edges together (Bonferroni). Edges of nodes that cannot be tested stay.

use crate::fit::datasets;
use crate::selection::{Correction, Estimates, Variance};
use crate::{Edges, Error, Spec, Table};

const LEVEL: f64 = 0.05;

/// The edges that are kept.
pub(super) fn selected(table: &Table, edges: &Edges, spec: &Spec) -> Result<Edges, Error> {
    let data = datasets(table, spec)?;
    let estimates = Estimates::new(spec.loss_kind(), &data, spec.ridge, Variance::Estimated)?;
    let pairs = edges.pairs().iter().map(|e| (e.0 as usize, e.1 as usize));
    let mut p_values = Vec::with_capacity(edges.len());
    estimates.for_each(pairs, |_, _, test| -> Result<(), Error> {
        p_values.push(test.map(|t| t.p_value));
        Ok(())
    })?;
    let tested = p_values.iter().flatten().count() as u64;
    let threshold = Correction::Bonferroni.threshold(LEVEL, tested, |_| Ok::<(), Error>(()))?;
    Ok(edges.select(|e| p_values[e].is_none_or(|p| p >= threshold)))
}
