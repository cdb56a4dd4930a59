//! The data of a member.

use netfed_io::{INTERCEPT, PointTable, read_points};
use netfed_net::description::Federation;

use super::Peer;
use crate::commands::federation::check_labels;
use crate::failure::Failure;
use crate::prepare::datasets_of;
use crate::settings::Settings;

/// The own data.
pub(super) struct Own {
    pub(super) datasets: Vec<netfed::Dataset>,
    pub(super) features: Vec<String>,
    pub(super) low_label: Option<f64>,
}

impl Own {
    pub(super) fn read(
        args: &Peer,
        federation: &Federation,
        settings: &Settings,
        nodes: &[String],
    ) -> Result<Own, Failure> {
        let mut features = settings.columns.features.clone().unwrap_or_default();
        let points = match &args.data {
            Some(path) => {
                let points = read_points(path, &columns(settings, nodes))?;
                check_labels(federation, settings, &points)?;
                Some(one_node(points, nodes, settings))
            }
            None => None,
        };
        let low_label =
            points.as_ref().filter(|_| settings.loss.is_classification()).map(|p| p.low_label);
        if settings.intercept {
            features.push(INTERCEPT.into());
        }
        let datasets = match points {
            Some(points) => datasets_of(points, nodes, settings)?,
            None => nodes.iter().map(|_| netfed::Dataset::empty(features.len())).collect(),
        };
        Ok(Own { datasets, features, low_label })
    }
}

/// A member with one node needs no column for it.
fn columns(settings: &Settings, nodes: &[String]) -> netfed_io::PointColumns {
    netfed_io::PointColumns { node_optional: nodes.len() == 1, ..settings.columns.clone() }
}

/// Without a column all points belong to the one node.
pub(crate) fn one_node(
    mut points: PointTable,
    nodes: &[String],
    settings: &Settings,
) -> PointTable {
    let numbered = points.nodes.iter().enumerate().all(|(k, n)| *n == (k + 1).to_string());
    let has_column = netfed_io::has_column(&settings.data, &settings.columns.node);
    if nodes.len() == 1 && numbered && !has_column {
        points.nodes = nodes.to_vec();
        points.node_of_row.fill(0);
    }
    points
}
