//! The problem of FedRelax for linear models, and its local pieces. With δ of [`super::metric`]
//! node i minimizes
//!
//!   Lᵢ(w) + wᵀMᵢw − 2cᵢᵀw,   Mᵢ = α Σⱼ A_ij Q_ij,   cᵢ = α Σⱼ A_ij Q_ij wⱼ
//!
//! where Q_ij = Qⱼ for (16) and Qᵢ + Qⱼ for (15).

use super::metric::{Coupling, Metric, Sides};
use crate::loss::Loss;
use crate::numeric::linalg::{axpy, difference, dot};
use crate::{Error, Graph, Matrix};

/// Linear models on a graph, coupled as FedRelax does it.
pub struct Relaxation {
    graph: Graph,
    losses: Vec<Box<dyn Loss>>,
    alpha: f64,
    sides: Sides,
    pub(super) metric: Metric,
    dim: usize,
}

impl Relaxation {
    /// A problem from the empirical graph, one loss per node, α ≥ 0 and what models are compared
    /// by. By predictions, losses must be smooth.
    pub fn new(
        graph: Graph,
        losses: Vec<Box<dyn Loss>>,
        alpha: f64,
        coupling: &Coupling,
        sides: Sides,
    ) -> Result<Relaxation, Error> {
        let (expected, found) = (graph.nodes(), losses.len());
        if expected != found {
            return Err(Error::Size { what: "local losses", expected, found });
        }
        let dim = losses.first().map_or(0, |l| l.dim());
        if dim == 0 {
            return Err(Error::Size { what: "nodes with parameters", expected: 1, found: 0 });
        }
        if let Some(found) = losses.iter().map(|l| l.dim()).find(|d| *d != dim) {
            let what = "parameters of a local loss";
            return Err(Error::Size { what, expected: dim, found });
        }
        if *coupling != Coupling::Parameters && losses.iter().any(|l| !l.is_smooth()) {
            return Err(Error::Kinks);
        }
        let metric = Metric::new(coupling, losses.len(), dim)?;
        Relaxation { graph, losses, alpha: 0.0, sides, metric, dim }.at_alpha(alpha)
    }

    /// The same problem with another α ≥ 0.
    pub fn at_alpha(mut self, alpha: f64) -> Result<Relaxation, Error> {
        let heaviest = self.graph.edges().iter().fold(0.0, |m: f64, e| m.max(e.weight));
        if !(alpha >= 0.0 && (alpha * heaviest.max(1.0)).is_finite()) {
            let expected = "nonnegative and finite, also times the edge weights";
            return Err(Error::BadNumber { name: "alpha", value: alpha, expected });
        }
        self.alpha = alpha;
        Ok(self)
    }

    /// The empirical graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Local loss of a node.
    pub fn loss(&self, node: usize) -> &dyn Loss {
        self.losses[node].as_ref()
    }

    /// α
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    pub(super) fn sides(&self) -> Sides {
        self.sides
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.losses.len()
    }

    /// Number of parameters of each model.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// What the updates minimize: Σ Lᵢ + α Σₑ Aₑ δ for points common to all, (15) for
    /// [`Sides::Both`]. None for (16) with points of each node: its fixed point minimizes nothing.
    pub fn objective(&self, params: &Matrix) -> Option<f64> {
        let counts = match self.sides {
            Sides::Both => self.alpha,
            Sides::Theirs if self.metric.is_common() => 0.5 * self.alpha,
            Sides::Theirs => return None,
        };
        let (mut diff, mut image) = (vec![0.0; self.dim], vec![0.0; self.dim]);
        let local: f64 = (0..self.nodes()).map(|i| self.loss(i).value(params.row(i))).sum();
        let mut coupled = 0.0;
        for e in self.graph.edges() {
            difference(params.row(e.tail), params.row(e.head), &mut diff);
            for end in [e.tail, e.head] {
                self.metric.times(end, &diff, &mut image);
                coupled += e.weight * dot(&diff, &image);
            }
        }
        Some(local + counts * coupled)
    }

    /// Mᵢ, row by row.
    pub(super) fn stiffness(&self, node: usize) -> Vec<f64> {
        let mut matrix = vec![0.0; self.dim * self.dim];
        for inc in self.graph.incident(node) {
            let coupling = self.coupling(inc.edge());
            self.metric.add(inc.neighbor(), coupling, self.dim, &mut matrix);
            if self.sides == Sides::Both {
                self.metric.add(node, coupling, self.dim, &mut matrix);
            }
        }
        matrix
    }

    /// cᵢ, from the models and their images Qⱼwⱼ.
    pub(super) fn pull(&self, node: usize, params: &Matrix, images: &Matrix) -> Vec<f64> {
        let (mut pull, mut mean) = (vec![0.0; self.dim], vec![0.0; self.dim]);
        for inc in self.graph.incident(node) {
            let coupling = self.coupling(inc.edge());
            axpy(coupling, images.row(inc.neighbor()), &mut pull);
            axpy(coupling, params.row(inc.neighbor()), &mut mean);
        }
        if self.sides == Sides::Both {
            let mut own = vec![0.0; self.dim];
            self.metric.times(node, &mean, &mut own);
            axpy(1.0, &own, &mut pull);
        }
        pull
    }

    /// α·A of an edge.
    fn coupling(&self, edge: usize) -> f64 {
        self.alpha * self.graph.edges()[edge].weight
    }

    /// Σⱼ α·A_ij of a node, doubled where both sides count.
    pub(super) fn total_coupling(&self, node: usize) -> f64 {
        let sum: f64 = self.graph.incident(node).iter().map(|inc| self.coupling(inc.edge())).sum();
        if self.sides == Sides::Both { 2.0 * sum } else { sum }
    }
}
