//! From signals to the problems (7) of their holders.

use std::sync::Arc;

use super::{Candidates, LogDegree, Model, beta_for};
use crate::{Error, Matrix};

/// What is asked of the graphs of signals.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LogDegreeOptions {
    /// α, weight of the logarithms of the degrees; scales the graph.
    pub alpha: f64,
    /// β, weight of the squares of the edge weights, more gives more edges; none: chosen for
    /// `neighbors`.
    pub beta: Option<f64>,
    /// About so many neighbors of a vertex on average, of holders that learn alone.
    pub neighbors: f64,
    /// ζ, added to the degrees inside the logarithm.
    pub zeta: f64,
    /// Only pairs of which one is among this many nearest of the other may become edges; none: all
    /// pairs.
    pub candidates: Option<usize>,
}

impl Default for LogDegreeOptions {
    fn default() -> LogDegreeOptions {
        LogDegreeOptions { alpha: 1.0, beta: None, neighbors: 5.0, zeta: 0.0, candidates: None }
    }
}

impl LogDegreeOptions {
    /// With this α.
    pub fn with_alpha(self, alpha: f64) -> LogDegreeOptions {
        LogDegreeOptions { alpha, ..self }
    }

    /// With this β.
    pub fn with_beta(self, beta: f64) -> LogDegreeOptions {
        LogDegreeOptions { beta: Some(beta), ..self }
    }

    /// With the β for about so many neighbors.
    pub fn with_neighbors(self, neighbors: f64) -> LogDegreeOptions {
        LogDegreeOptions { beta: None, neighbors, ..self }
    }

    /// With this ζ.
    pub fn with_zeta(self, zeta: f64) -> LogDegreeOptions {
        LogDegreeOptions { zeta, ..self }
    }

    /// With edges to some nearest vertices only.
    pub fn with_candidates(self, nearest: usize) -> LogDegreeOptions {
        LogDegreeOptions { candidates: Some(nearest), ..self }
    }

    /// The problems (7) of some holders of signals of the same vertices: matrices with one row per
    /// vertex and one column per signal. They share the pairs that may become edges, and β.
    pub fn problems(&self, signals: &[&Matrix]) -> Result<Vec<LogDegree>, Error> {
        let candidates = Arc::new(self.pairs(signals)?);
        let model = Model { alpha: self.alpha, beta: self.beta.unwrap_or(1.0), zeta: self.zeta };
        let problem = |own: &&Matrix| LogDegree::new(Arc::clone(&candidates), own, model);
        let problems = signals.iter().map(problem).collect::<Result<Vec<_>, _>>()?;
        if self.beta.is_some() || candidates.is_empty() {
            return Ok(problems);
        }
        let most = 2.0 * candidates.len() as f64 / candidates.vertices() as f64;
        let (beta, _) = beta_for(&problems, self.neighbors.min(most))?;
        problems.iter().map(|one| one.with_model(Model { beta, ..model })).collect()
    }

    /// The pairs that may become edges: all, or nearest neighbors over all signals.
    fn pairs(&self, all: &[&Matrix]) -> Result<Candidates, Error> {
        let Some(first) = all.first() else {
            return Err(Error::Size { what: "silos", expected: 1, found: 0 });
        };
        let vertices = first.rows();
        if let Some(odd) = all.iter().find(|m| m.rows() != vertices) {
            let (what, found) = ("vertices of the signals", odd.rows());
            return Err(Error::Size { what, expected: vertices, found });
        }
        let Some(k) = self.candidates else { return Candidates::all(vertices) };
        let mut together = Matrix::zeros(vertices, all.iter().map(|m| m.cols()).sum());
        for v in 0..vertices {
            let row: Vec<f64> = all.iter().flat_map(|m| m.row(v)).copied().collect();
            together.row_mut(v).copy_from_slice(&row);
        }
        Candidates::nearest(&together, k)
    }
}
