//! A small report for the tests of all sections.

use crate::flows::Flows;
use crate::report::{HistoryRow, Outcome, Report, Words};

/// An owned report to change and show.
pub(crate) struct Sample {
    pub(crate) nodes: Vec<String>,
    pub(crate) points: Vec<usize>,
    pub(crate) edges: Vec<(usize, usize, f64)>,
    pub(crate) flows: Flows,
    pub(crate) features: Vec<String>,
    pub(crate) params: Vec<f64>,
    pub(crate) cluster: Vec<usize>,
    pub(crate) history: Vec<HistoryRow>,
    pub(crate) share: Vec<f64>,
    pub(crate) warnings: Vec<String>,
    pub(crate) settings: Vec<(String, String)>,
}

impl Sample {
    pub(crate) fn with_nodes(nodes: usize) -> Sample {
        Sample {
            nodes: (0..nodes).map(|node| format!("n{node}")).collect(),
            points: vec![1; nodes],
            edges: Vec::new(),
            flows: Flows::default(),
            features: vec!["x1".into()],
            params: vec![1.5; nodes],
            cluster: vec![0; nodes],
            history: Vec::new(),
            share: Vec::new(),
            warnings: Vec::new(),
            settings: Vec::new(),
        }
    }

    pub(crate) fn report(&self) -> Report<'_> {
        Report {
            title: "netfed fit",
            version: "0.0.0",
            status: Outcome::Converged,
            nodes: &self.nodes,
            words: Words::MODELS,
            points_per_node: &self.points,
            edges: &self.edges,
            flows: &self.flows,
            features: &self.features,
            params: &self.params,
            cluster: &self.cluster,
            objective: 10.0,
            dual_bound: Some(9.99999),
            gap: Some(1e-5),
            relative_gap: Some(1e-6),
            tolerance: 1e-4,
            certificate: &[],
            warnings: &self.warnings,
            node_share: &self.share,
            explained_by: "netfed explain",
            history: &self.history,
            settings: &self.settings,
            seed: 1,
            seconds: 0.5,
            iterations: 20,
        }
    }
}

/// Three nodes in two clusters.
pub(crate) fn sample() -> Sample {
    let row = |iteration: u64, gap: f64| HistoryRow {
        iteration,
        objective: 10.0 + gap,
        bound: Some(10.0),
        gap: Some(gap),
        residual: gap,
        seconds: 0.1,
    };
    Sample {
        nodes: vec!["a".into(), "b & c".into(), "d".into()],
        points: vec![2, 3, 0],
        edges: vec![(0, 1, 1.0), (1, 2, 0.5)],
        features: vec!["x1".into(), "<x2>".into()],
        params: vec![1.0, 2.0, 1.0, 2.0, 3.0, 4.0],
        cluster: vec![0, 0, 1],
        history: vec![row(1, 1.0), row(10, 0.1), row(20, 1e-3)],
        share: vec![1e-6, 9e-6, 0.0],
        ..Sample::with_nodes(0)
    }
}

#[test]
fn the_sample_is_consistent() {
    let sample = sample();
    let report = sample.report();
    assert_eq!(report.params.len(), report.nodes.len() * report.features.len());
    assert_eq!(report.cluster.len(), report.nodes.len());
}
