//! The data of section IV: m = 10 points of every node for training, 100 for validation, 100 public
//! points of its own, x ~ N(0, I).

use netfed::generate::{
    Noise, clustered, linear_data, mixing_ratios, mixture_data, mixture_graph, normal_centers,
    random, stochastic_block_model,
};
use netfed::relax::linear::{Coupling, Relaxation, Sides};
use netfed::{Dataset, Graph, LossKind, Matrix};
use netfed_cli::Failure;
use rand::RngExt;

pub(crate) const POINTS: usize = 10;
pub(crate) const VALIDATION: usize = 100;
pub(crate) const PUBLIC: usize = 100;
/// Components of the mixtures.
const COMPONENTS: usize = 3;

/// A network with its data.
pub(crate) struct Instance {
    pub(crate) graph: Graph,
    pub(crate) data: Vec<Dataset>,
    pub(crate) validation: Vec<Dataset>,
    pub(crate) public: Vec<Matrix>,
    /// True models, for clusters.
    pub(crate) truth: Option<Matrix>,
    pub(crate) start: Matrix,
}

/// Clusters: their sizes, the probabilities of edges inside and between, d, σ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clusters<'a> {
    pub(crate) sizes: &'a [usize],
    pub(crate) inside: f64,
    pub(crate) between: f64,
    pub(crate) dim: usize,
    pub(crate) sigma: f64,
}

impl Instance {
    /// One model per cluster, as in section IV-A.
    pub(crate) fn clusters(c: &Clusters<'_>, seed: u64) -> Result<Instance, Failure> {
        let centers = normal_centers(c.sizes.len(), c.dim, 1.0, part(seed, 1))?;
        let truth = clustered(c.sizes, &centers)?;
        let noise = Noise::PerPoint(c.sigma);
        let data = linear_data(&truth, POINTS, noise, part(seed, 2))?;
        let validation = linear_data(&truth, VALIDATION, noise, part(seed, 3))?;
        let graph = stochastic_block_model(c.sizes, c.inside, c.between, part(seed, 4))?;
        Instance::new(graph, data, validation, Some(truth), seed)
    }

    /// Mixtures of three components, as in section IV-B.
    pub(crate) fn mixture(
        nodes: usize,
        dim: usize,
        sigma: f64,
        seed: u64,
    ) -> Result<Instance, Failure> {
        let centers = normal_centers(COMPONENTS, dim, 1.0, part(seed, 1))?;
        let ratios = mixing_ratios(nodes, COMPONENTS, part(seed, 5))?;
        let data = mixture_data(&ratios, &centers, POINTS, sigma, part(seed, 2))?;
        let validation = mixture_data(&ratios, &centers, VALIDATION, sigma, part(seed, 3))?;
        Instance::new(mixture_graph(&ratios)?, data, validation, None, seed)
    }

    fn new(
        graph: Graph,
        data: Vec<Dataset>,
        validation: Vec<Dataset>,
        truth: Option<Matrix>,
        seed: u64,
    ) -> Result<Instance, Failure> {
        let (n, d) = (data.len(), data.first().map_or(1, Dataset::dim));
        let drawn = normal_centers(n * PUBLIC, d, 1.0, part(seed, 6))?;
        let sets = drawn.as_slice().chunks_exact(PUBLIC * d);
        let public = sets.map(|p| Matrix::from_rows(d, p.to_vec())).collect::<Result<_, _>>()?;
        // As PyTorch starts a linear layer.
        let (mut random, reach) = (random(part(seed, 7)), 1.0 / (d as f64).sqrt());
        let values = (0..n * d).map(|_| reach * (2.0 * random.random::<f64>() - 1.0)).collect();
        let start = Matrix::from_rows(d, values)?;
        Ok(Instance { graph, data, validation, public, truth, start })
    }

    pub(crate) fn dim(&self) -> usize {
        self.start.cols()
    }

    /// The problem of Algorithm 2.
    pub(crate) fn relaxation(&self, alpha: f64, sides: Sides) -> Result<Relaxation, Failure> {
        let losses = self.data.iter().map(|d| LossKind::Squared.build(d.clone(), 0.0, 0.0));
        let losses = losses.collect::<Result<Vec<_>, _>>()?;
        let coupling = Coupling::Private(self.public.clone());
        Ok(Relaxation::new(self.graph.clone(), losses, alpha, &coupling, sides)?)
    }

    /// (18), averaged over the nodes: the mean over entries and nodes of (ŵ − w̄)².
    pub(crate) fn parameter_error(&self, params: &Matrix) -> f64 {
        let Some(truth) = &self.truth else { return f64::NAN };
        let pairs = params.as_slice().iter().zip(truth.as_slice());
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / params.as_slice().len() as f64
    }
}

/// A seed for each part of an instance.
fn part(seed: u64, part: u64) -> u64 {
    seed.wrapping_mul(16).wrapping_add(part)
}
