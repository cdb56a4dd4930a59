//! The data of a member.

use netfed::fit::INTERCEPT;
use netfed_io::{PointColumns, read_points};
use netfed_net::description::Federation;

use super::Peer;
use crate::failure::Failure;
use crate::member::{check_labels, one_node};
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
        let low_label = points
            .as_ref()
            .filter(|_| settings.spec.loss_kind().is_classification())
            .map(|p| p.low_label());
        if settings.spec.intercept {
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
fn columns(settings: &Settings, nodes: &[String]) -> PointColumns {
    PointColumns { node_optional: nodes.len() == 1, ..settings.columns.clone() }
}
