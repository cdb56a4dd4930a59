//! Who holds which data, and how much each of them counts.

use crate::error::same_size;
use crate::loss::{Loss, Sampled};
use crate::numeric::sampling;
use crate::{Error, Problem};

/// The nodes of a problem as clients: node i holds the loss Lᵢ and, for mini-batches, the points of
/// it.
#[derive(Clone, Copy)]
pub struct Clients<'a> {
    problem: &'a Problem,
    points: Option<&'a [Sampled]>,
}

impl<'a> Clients<'a> {
    /// Clients that use all of their points in every step.
    pub fn new(problem: &'a Problem) -> Clients<'a> {
        Clients { problem, points: None }
    }

    /// Clients that may also take mini-batches; `points` has one entry per node, the points of its
    /// loss.
    pub fn with_points(problem: &'a Problem, points: &'a [Sampled]) -> Result<Clients<'a>, Error> {
        same_size("nodes with points for mini-batches", problem.nodes(), points.len())?;
        for (i, own) in points.iter().enumerate() {
            let loss = problem.loss(i);
            same_size("points of a node for mini-batches", loss.points(), own.points())?;
            same_size("features of a node for mini-batches", loss.dim(), own.data().dim())?;
        }
        Ok(Clients { problem, points: Some(points) })
    }

    /// The problem whose losses they hold.
    pub fn problem(&self) -> &'a Problem {
        self.problem
    }

    /// Number of clients.
    pub fn count(&self) -> usize {
        self.problem.nodes()
    }

    /// The mean size of a client's data in entries: what its work costs.
    pub(crate) fn cost(&self) -> usize {
        let points: usize = self.all().map(|c| c.loss.points()).sum();
        points / self.count().max(1) * self.problem.dim()
    }

    /// A start of the right size.
    pub(crate) fn check_start(&self, start: &[f64]) -> Result<(), Error> {
        same_size("parameters of the start", self.problem.dim(), start.len())
    }

    /// What one client holds.
    pub fn data(&self, node: usize) -> ClientData<'a> {
        let points = self.points.map(|points| &points[node]);
        ClientData { node, loss: self.problem.loss(node), points }
    }

    /// What every client holds.
    pub(crate) fn all(&self) -> impl Iterator<Item = ClientData<'a>> {
        let clients = *self;
        (0..self.count()).map(move |i| clients.data(i))
    }
}

/// What one client holds.
#[derive(Clone, Copy)]
pub struct ClientData<'a> {
    /// The node: its random choices depend on it.
    pub node: usize,
    /// Its loss L.
    pub loss: &'a dyn Loss,
    /// The points of the loss, where mini-batches are wanted.
    pub points: Option<&'a Sampled>,
}

impl ClientData<'_> {
    /// out ← ∇L(w), or its estimate from a mini-batch: the `draw`-th of this client.
    pub(crate) fn gradient(
        &self,
        params: &[f64],
        batch: Option<usize>,
        seed: u64,
        draw: u64,
        out: &mut [f64],
    ) {
        match (batch, self.points) {
            (Some(size), Some(points)) => {
                let rows = sampling::batch(seed, self.node, draw, points.points(), size);
                points.gradient(params, &rows, out);
            }
            _ => self.loss.gradient(params, out),
        }
    }

    /// argmin over z of L(z) + (λ/2)‖z − center‖²; for λ = 0 a minimizer of L.
    pub(crate) fn personalize(&self, center: &[f64], lambda: f64) -> Vec<f64> {
        let mut out = center.to_vec();
        if lambda > 0.0 {
            self.loss.prox(center, 1.0 / lambda, &mut out)
        } else {
            self.loss.maximizer(&vec![0.0; center.len()], &mut out)
        }
        out
    }
}

/// How much a node counts where several share a model. A node without data never counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Weighting {
    /// By its number of points, nᵢ: all data points count alike. The weights nᵢ/n of FedAvg.
    #[default]
    Points,
    /// All nodes alike, as in Σ Lᵢ.
    Nodes,
}

impl Weighting {
    /// The weight of a loss.
    pub fn of(self, loss: &dyn Loss) -> f64 {
        match self {
            Weighting::Points => loss.points() as f64,
            Weighting::Nodes => f64::from(u8::from(loss.points() > 0)),
        }
    }

    /// The weights of all clients.
    pub(crate) fn all(self, clients: &Clients<'_>) -> Vec<f64> {
        clients.all().map(|c| self.of(c.loss)).collect()
    }
}
