//! The graph without the edges that the data speak against: Wald tests of both ends at the level 0.05 of all edges together (Bonferroni), as
//! `netfed graph select` does. Edges of nodes that cannot be tested stay.

use netfed::fit::datasets;
use netfed::selection::{Correction, Estimates, Variance};
use netfed::{Edges, Table};

use crate::failure::Failure;
use crate::memory;
use crate::settings::Settings;

const LEVEL: f64 = 0.05;

/// The edges that are kept.
pub(crate) fn selected(
    points: &Table,
    edges: &Edges,
    settings: &Settings,
) -> Result<Edges, Failure> {
    let nodes = points.nodes().len();
    let dim = points.features().len() + usize::from(settings.spec.intercept);
    memory::check_covariances(nodes, dim, points.rows())?;
    let data = datasets(points, &settings.spec)?;
    let estimates =
        Estimates::new(settings.spec.loss_kind(), &data, settings.spec.ridge, Variance::Estimated)?;
    let pairs = edges.pairs().iter().map(|e| (e.0 as usize, e.1 as usize));
    let mut p_values = Vec::with_capacity(edges.len());
    estimates.for_each(pairs, |_, _, test| -> Result<(), Failure> {
        p_values.push(test.map(|t| t.p_value));
        Ok(())
    })?;
    let tested = p_values.iter().flatten().count() as u64;
    let threshold = Correction::Bonferroni.threshold(LEVEL, tested, |_| Ok::<(), Failure>(()))?;
    Ok(edges.select(|e| p_values[e].is_none_or(|p| p >= threshold)))
}
