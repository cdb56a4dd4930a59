//! The synthetic silos: 20 vertices, 5 silos, a Gaussian RBF graph of which every silo keeps a
//! part; smooth signals with noise of deviation .1.

use std::sync::Arc;

use netfed::Graph;
use netfed::generate::{kept_part, rbf_graph, smooth_signals, with_random_edges};
use netfed::learning::{Candidates, LogDegree, Model};
use netfed_cli::Failure;

use crate::runs::seed;

pub(super) const VERTICES: usize = 20;
pub(super) const SILOS: usize = 5;
const NOISE: f64 = 0.1;
/// ζ of the gradient methods.
pub(super) const ZETA: f64 = 0.01;

/// One instance: the problems, the true graphs and what they share, as weights of all pairs.
pub(super) struct Instance {
    pub(super) silos: Vec<LogDegree>,
    pub(super) truths: Vec<Vec<f64>>,
    pub(super) common: Vec<f64>,
}

/// What differs between instances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// All silos keep the same part q of the edges; signals per silo.
    Shared(f64, [usize; SILOS]),
    /// Silo 1 has the whole graph, the others keep less and less of it, and 100 signals each.
    Drifting,
}

impl Instance {
    pub(super) fn new(kind: Kind, base: u64, run: u64) -> Result<Instance, Failure> {
        let whole = rbf_graph(VERTICES, seed(base, 40, run))?;
        let edges = whole.edges().len();
        let own = |kept: &Graph, i: usize| {
            let more = edges - kept.edges().len();
            with_random_edges(kept, more, seed(base, 50 + i as u64, run))
        };
        let (graphs, common, counts) = match kind {
            Kind::Shared(q, counts) => {
                let kept = kept_part(&whole, q, seed(base, 41, run))?;
                let graphs = (0..SILOS).map(|i| own(&kept, i)).collect::<Result<Vec<_>, _>>()?;
                (graphs, kept, counts)
            }
            Kind::Drifting => {
                let mut graphs = vec![whole.clone()];
                for (i, q) in [0.8, 0.6, 0.4, 0.2].into_iter().enumerate() {
                    let kept = kept_part(&whole, q, seed(base, 41 + i as u64, run))?;
                    graphs.push(own(&kept, i)?);
                }
                (graphs, whole, [100; SILOS])
            }
        };
        let candidates = Arc::new(Candidates::all(VERTICES)?);
        let model = Model { alpha: 1.0, beta: 1.0, zeta: ZETA };
        let mut silos = Vec::new();
        for (i, (graph, count)) in graphs.iter().zip(counts).enumerate() {
            let signals = smooth_signals(graph, count, NOISE, seed(base, 60 + i as u64, run))?;
            silos.push(LogDegree::new(Arc::clone(&candidates), &signals, model)?);
        }
        let truths = graphs.iter().map(|g| candidates.weights(g)).collect();
        Ok(Instance { silos, truths, common: candidates.weights(&common) })
    }

    /// The problems with some β and ζ.
    pub(super) fn at(&self, beta: f64, zeta: f64) -> Result<Vec<LogDegree>, Failure> {
        let model = Model { alpha: 1.0, beta, zeta };
        Ok(self.silos.iter().map(|s| s.with_model(model)).collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_have_equally_many_edges_and_share_their_part() {
        let one = Instance::new(Kind::Shared(0.5, [7; SILOS]), 1, 2).unwrap();
        let edges = |w: &[f64]| w.iter().filter(|w| **w > 0.0).count();
        let first = edges(&one.truths[0]);
        assert!(one.truths.iter().all(|t| edges(t) == first));
        let kept = edges(&one.common) as f64;
        assert!((kept - 0.5 * first as f64).abs() <= 0.5);
        for truth in &one.truths {
            assert!(one.common.iter().zip(truth).all(|(c, t)| *c == 0.0 || c == t));
        }
        assert_eq!(one.silos[3].signals(), 7);
        let drifting = Instance::new(Kind::Drifting, 1, 2).unwrap();
        assert_eq!(drifting.common, drifting.truths[0]);
        assert_eq!(drifting.silos[4].signals(), 100);
    }
}
