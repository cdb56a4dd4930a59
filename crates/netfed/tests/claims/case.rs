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

impl Case {
    /// The case of a seed.
    pub(crate) fn new(seed: u64) -> Case {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut number = |low: f64, high: f64| low + (high - low) * rng.random::<f64>();
        let pick = |number: &mut dyn FnMut(f64, f64) -> f64, n: usize| {
            (number(0.0, 1.0) * n as f64) as usize
        };
        let kinds = [
            LossKind::Squared,
            LossKind::Logistic,
            LossKind::Huber { delta: 0.5 },
            LossKind::Absolute,
            LossKind::Hinge,
        ];
        let kind = kinds[pick(&mut number, 5)];
        let penalty = ["l1", "l2", "linf", "squared", "quadratic"][pick(&mut number, 5)];
        let (nodes, dim) = (1 + pick(&mut number, 8), 1 + pick(&mut number, 4));
        let common = 10f64.powf(number(-4.0, 4.0));
        let scale: Vec<f64> = match pick(&mut number, 4) {
            0 => vec![1.0; dim],
            1 => vec![common; dim],
            _ => (0..dim).map(|_| 10f64.powf(number(-5.0, 5.0))).collect(),
        };
        let dependent = dim > 1 && pick(&mut number, 5) == 0;
        let separable = pick(&mut number, 2) == 0;
        let units = match pick(&mut number, 3) {
            0 => 10f64.powf(number(-4.0, 4.0)),
            _ => 1.0,
        };
        let truth: Vec<f64> = (0..dim).map(|_| number(-2.0, 2.0)).collect();
        let mut data = Vec::new();
        for _ in 0..nodes {
            let points = if pick(&mut number, 8) == 0 { 0 } else { 1 + pick(&mut number, 8) };
            let own: Vec<f64> = truth.iter().map(|w| w + 0.3 * number(-1.0, 1.0)).collect();
            let (mut features, mut labels) = (Vec::new(), Vec::new());
            for _ in 0..points {
                let mut x: Vec<f64> = (0..dim).map(|_| number(-1.5, 1.5)).collect();
                if dependent {
                    x[dim - 1] = x[0];
                }
                let t: f64 = x.iter().zip(&own).map(|(x, w)| x * w).sum();
                features.extend(x.iter().zip(&scale).map(|(x, s)| x * s));
                let noise = if separable { 0.0 } else { number(-1.0, 1.0) };
                let class = if t + 2.0 * noise >= 0.0 { 1.0 } else { -1.0 };
                labels.push(if kind.is_classification() {
                    class
                } else {
                    units * (t + 0.3 * noise)
                });
            }
            data.push((features, labels));
        }
        let dense = [0.0, 0.3, 0.8][pick(&mut number, 3)];
        let mut edges = Vec::new();
        for i in 0..nodes {
            for j in 0..i {
                if number(0.0, 1.0) < dense {
                    edges.push((i, j, 10f64.powf(number(-1.5, 1.5))));
                }
            }
        }
        let lambda = 10f64.powf(number(-3.0, 1.5));
        let ridge = if pick(&mut number, 6) == 0 { 10f64.powf(number(-4.0, 0.0)) } else { 0.0 };
        let lasso = if pick(&mut number, 6) == 0 { 10f64.powf(number(-4.0, 0.0)) } else { 0.0 };
        // ½(BᵀB), singular every other time.
        let rank = if pick(&mut number, 2) == 0 { dim } else { dim.saturating_sub(1) };
        let b: Vec<f64> = (0..rank * dim).map(|_| number(-1.0, 1.0)).collect();
        let q = (0..dim * dim)
            .map(|p| b.chunks(dim).map(|row| row[p / dim] * row[p % dim]).sum::<f64>())
            .collect();
        let name = format!(
            "seed {seed}: {kind:?}, {penalty}, {nodes} nodes, {} edges, {dim} features of scales {}, λ {lambda:.1e}, ridge {ridge:.1e}, lasso {lasso:.1e}{}{}",
            edges.len(),
            scale.iter().map(|s| format!("{s:.0e}")).collect::<Vec<_>>().join(" "),
            if dependent { ", dependent" } else { "" },
            if separable { ", separable" } else { "" },
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
