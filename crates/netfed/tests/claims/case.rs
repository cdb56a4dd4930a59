//! Random problems of the kinds that have no bound easily: few points, columns of unlike scale,
//! classes that can be separated, dependent features, nodes without edges.

use netfed::penalty::{Norm1, Norm2, NormInf, Penalty, Quadratic, Squared};
use netfed::{Dataset, Graph, LossKind, Matrix, Problem};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A problem with its data, for whoever does not trust the problem.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) kind: LossKind,
    pub(crate) penalty: &'static str,
    /// Q of `quadratic`.
    pub(crate) q: Vec<f64>,
    pub(crate) dim: usize,
    /// Features and labels of every node.
    pub(crate) data: Vec<(Vec<f64>, Vec<f64>)>,
    pub(crate) edges: Vec<(usize, usize, f64)>,
    pub(crate) lambda: f64,
    pub(crate) ridge: f64,
    pub(crate) lasso: f64,
}

/// Chance, from a seed.
struct Chance(ChaCha8Rng);

impl Chance {
    fn number(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.random::<f64>()
    }

    /// 10 to the power of a number.
    fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.number(low, high))
    }

    fn pick(&mut self, n: usize) -> usize {
        (self.number(0.0, 1.0) * n as f64) as usize
    }

    fn numbers(&mut self, n: usize, most: f64) -> Vec<f64> {
        (0..n).map(|_| self.number(-most, most)).collect()
    }
}

/// What the data of all nodes have in common.
struct Shape {
    kind: LossKind,
    scale: Vec<f64>,
    dependent: bool,
    separable: bool,
    units: f64,
    truth: Vec<f64>,
}

impl Shape {
    fn new(kind: LossKind, dim: usize, chance: &mut Chance) -> Shape {
        let common = chance.power(-4.0, 4.0);
        let scale: Vec<f64> = match chance.pick(4) {
            0 => vec![1.0; dim],
            1 => vec![common; dim],
            _ => (0..dim).map(|_| chance.power(-5.0, 5.0)).collect(),
        };
        let dependent = dim > 1 && chance.pick(5) == 0;
        let separable = chance.pick(2) == 0;
        let units = if chance.pick(3) == 0 { chance.power(-4.0, 4.0) } else { 1.0 };
        let truth = chance.numbers(dim, 2.0);
        Shape { kind, scale, dependent, separable, units, truth }
    }

    /// Features and labels of one node.
    fn node(&self, chance: &mut Chance) -> (Vec<f64>, Vec<f64>) {
        let dim = self.truth.len();
        let points = if chance.pick(8) == 0 { 0 } else { 1 + chance.pick(8) };
        let own: Vec<f64> = self.truth.iter().map(|w| w + 0.3 * chance.number(-1.0, 1.0)).collect();
        let (mut features, mut labels) = (Vec::new(), Vec::new());
        for _ in 0..points {
            let mut x = chance.numbers(dim, 1.5);
            if self.dependent {
                x[dim - 1] = x[0];
            }
            let t: f64 = x.iter().zip(&own).map(|(x, w)| x * w).sum();
            features.extend(x.iter().zip(&self.scale).map(|(x, s)| x * s));
            let noise = if self.separable { 0.0 } else { chance.number(-1.0, 1.0) };
            let class = if t + 2.0 * noise >= 0.0 { 1.0 } else { -1.0 };
            labels.push(if self.kind.is_classification() {
                class
            } else {
                self.units * (t + 0.3 * noise)
            });
        }
        (features, labels)
    }
}

/// Some of all pairs of nodes, with weights.
fn edges(nodes: usize, chance: &mut Chance) -> Vec<(usize, usize, f64)> {
    let dense = [0.0, 0.3, 0.8][chance.pick(3)];
    let mut edges = Vec::new();
    for (i, j) in (0..nodes).flat_map(|i| (0..i).map(move |j| (i, j))) {
        if chance.number(0.0, 1.0) < dense {
            edges.push((i, j, chance.power(-1.5, 1.5)));
        }
    }
    edges
}

impl Case {
    /// The case of a seed.
    pub(crate) fn new(seed: u64) -> Case {
        let chance = &mut Chance(ChaCha8Rng::seed_from_u64(seed));
        let kinds = [
            LossKind::Squared,
            LossKind::Logistic,
            LossKind::Huber { delta: 0.5 },
            LossKind::Absolute,
            LossKind::Hinge,
        ];
        let kind = kinds[chance.pick(5)];
        let penalty = ["l1", "l2", "linf", "squared", "quadratic"][chance.pick(5)];
        let (nodes, dim) = (1 + chance.pick(8), 1 + chance.pick(4));
        let shape = Shape::new(kind, dim, chance);
        let data = (0..nodes).map(|_| shape.node(chance)).collect();
        let edges = edges(nodes, chance);
        let lambda = chance.power(-3.0, 1.5);
        let ridge = if chance.pick(6) == 0 { chance.power(-4.0, 0.0) } else { 0.0 };
        let lasso = if chance.pick(6) == 0 { chance.power(-4.0, 0.0) } else { 0.0 };
        // ½(BᵀB), singular every other time.
        let rank = if chance.pick(2) == 0 { dim } else { dim.saturating_sub(1) };
        let b = chance.numbers(rank * dim, 1.0);
        let q = (0..dim * dim)
            .map(|p| b.chunks(dim).map(|row| row[p / dim] * row[p % dim]).sum::<f64>())
            .collect();
        let scales: Vec<String> = shape.scale.iter().map(|s| format!("{s:.0e}")).collect();
        let name = format!(
            "seed {seed}: {kind:?}, {penalty}, {nodes} nodes, {} edges, {dim} features of scales {}, λ {lambda:.1e}, ridge {ridge:.1e}, lasso {lasso:.1e}{}{}",
            edges.len(),
            scales.join(" "),
            if shape.dependent { ", dependent" } else { "" },
            if shape.separable { ", separable" } else { "" },
        );
        Case { name, kind, penalty, q, dim, data, edges, lambda, ridge, lasso }
    }

    pub(crate) fn problem(&self) -> Problem {
        let graph = Graph::new(self.data.len(), &self.edges).unwrap();
        let build = |(x, y): &(Vec<f64>, Vec<f64>)| {
            let data = if y.is_empty() {
                Dataset::empty(self.dim)
            } else {
                Dataset::new(self.dim, x.clone(), y.clone()).unwrap()
            };
            self.kind.build(data, self.ridge, self.lasso).unwrap()
        };
        let penalty: Box<dyn Penalty> = match self.penalty {
            "l1" => Box::new(Norm1),
            "l2" => Box::new(Norm2),
            "linf" => Box::new(NormInf),
            "squared" => Box::new(Squared),
            _ => Box::new(Quadratic::new(self.dim, &self.q).unwrap()),
        };
        Problem::new(graph, self.data.iter().map(build).collect(), penalty, self.lambda).unwrap()
    }

    pub(crate) fn zero(&self) -> Matrix {
        Matrix::zeros(self.data.len(), self.dim)
    }
}
