//! Random problems, small and awkward, as plain numbers; and the same as problems of netfed.

use crate::data::{Look, NodeData, SHAPES, Shape};
use netfed::penalty::{Norm1, Norm2, NormInf, Penalty, Quadratic, Squared};
use netfed::{Dataset, Graph, LossKind, Problem};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) const KINDS: [(&str, LossKind); 6] = [
    ("squared", LossKind::Squared),
    ("logistic", LossKind::Logistic),
    ("huber", LossKind::Huber { delta: 0.7 }),
    ("absolute", LossKind::Absolute),
    ("hinge", LossKind::Hinge),
    ("mean", LossKind::Mean),
];

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PenaltyKind {
    L2,
    L1,
    LInf,
    Squared,
    /// The entries of Q, row by row.
    Quadratic(Vec<f64>),
}

pub(crate) const PENALTIES: [&str; 5] = ["l2", "l1", "linf", "squared", "quadratic"];

/// A problem in plain numbers. Labels of `mean` are there but not used.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// What a family of problems without a bound is called in the table.
    pub(crate) family: String,
    pub(crate) dim: usize,
    pub(crate) kind: LossKind,
    pub(crate) penalty: PenaltyKind,
    pub(crate) ridge: f64,
    pub(crate) lasso: f64,
    pub(crate) lambda: f64,
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) edges: Vec<(usize, usize, f64)>,
}

pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

pub(crate) fn pick<T: Copy>(rng: &mut ChaCha8Rng, from: &[T]) -> T {
    from[rng.random_range(0..from.len())]
}

/// 10^x with x uniform between two bounds.
pub(crate) fn power(rng: &mut ChaCha8Rng, from: f64, to: f64) -> f64 {
    10f64.powf(from + (to - from) * rng.random::<f64>())
}

impl Case {
    /// The issue that started this: squared loss, one node, 2 to 3 features offset + N(0, 1).
    pub(crate) fn of_offset(offset: f64, seed: u64) -> Case {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let dim = rng.random_range(2..4);
        let points = rng.random_range(dim + 2..dim + 8);
        let features = (0..points * dim).map(|_| offset + normal(&mut rng)).collect();
        let labels = (0..points).map(|_| normal(&mut rng)).collect();
        Case {
            family: format!("offset {offset:e}"),
            dim,
            kind: LossKind::Squared,
            penalty: PenaltyKind::L2,
            ridge: 0.0,
            lasso: 0.0,
            lambda: 1.0,
            nodes: vec![NodeData { features, labels }],
            edges: Vec::new(),
        }
    }

    /// A random case of a loss.
    pub(crate) fn random(name: &str, kind: LossKind, seed: u64) -> Case {
        Case::of_size(name, kind, seed, 1)
    }

    /// The same with `times` as many nodes and points, and more features.
    pub(crate) fn of_size(name: &str, kind: LossKind, seed: u64, times: usize) -> Case {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed_0000_0000_0000);
        let shape = pick(&mut rng, &SHAPES);
        let dim = match shape {
            Shape::NearlyCollinear | Shape::OneHot => rng.random_range(2..5),
            Shape::FewPoints => rng.random_range(2..4),
            Shape::Calendar => 4,
            _ => rng.random_range(1..4) + times - 1,
        };
        let one = rng.random_range(0..4) == 0;
        let count = times * if one { 1 } else { rng.random_range(2..6) };
        let graph = pick(&mut rng, &["path", "star", "complete", "two parts", "no edges"]);
        let spread = pick(&mut rng, &[0.0, 2.0, 12.0]);
        let weights = |rng: &mut ChaCha8Rng| power(rng, -0.5 * spread, 0.5 * spread);
        let edges = pairs(graph, count).into_iter();
        let edges: Vec<_> = edges.map(|(i, j)| (i, j, weights(&mut rng))).collect();
        let penalty_name = pick(&mut rng, &PENALTIES);
        let penalty = penalty(&mut rng, penalty_name, dim);
        let look = Look::new(&mut rng, shape, dim, times);
        let truth: Vec<f64> = (0..dim).map(|_| normal(&mut rng)).collect();
        let noise = pick(&mut rng, &[0.0, 1e-6, 0.1, 1.0]);
        let nodes: Vec<NodeData> =
            (0..count).map(|_| look.node(&mut rng, kind, &truth, noise, count > 1)).collect();
        let (ridge, lasso, regularized) = match rng.random_range(0..6) {
            0 => (power(&mut rng, -8.0, 3.0), 0.0, "ridge"),
            1 => (0.0, power(&mut rng, -8.0, 3.0), "lasso"),
            2 => (power(&mut rng, -8.0, 3.0), power(&mut rng, -8.0, 3.0), "both"),
            _ => (0.0, 0.0, "plain"),
        };
        let lambda = power(&mut rng, -6.0, 6.0);
        let coupled = if edges.is_empty() { "alone" } else { penalty_name };
        let family = format!("{name:9} {coupled:10} {regularized:6} {shape:?}");
        Case { family, dim, kind, penalty, ridge, lasso, lambda, nodes, edges }
    }

    /// The same with all features, or all numbers, times one power of two that is exact and far
    /// from 1.
    pub(crate) fn far_from_one(self, seed: u64) -> Case {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xfa4);
        let mut factor = || 2f64.powi(rng.random_range(-270..270));
        let (of_features, mut of_labels) = (factor(), factor());
        if self.kind.is_classification() {
            of_labels = 1.0;
        }
        let times = |values: &[f64], factor: f64| values.iter().map(|v| v * factor).collect();
        let nodes = self.nodes.iter().map(|node| NodeData {
            features: times(&node.features, of_features),
            labels: times(&node.labels, of_labels),
        });
        Case {
            nodes: nodes.collect(),
            family: format!("{} times {of_features:.0e}", self.family),
            ..self
        }
    }

    /// The same with a last column that is the first one up to its last digits.
    pub(crate) fn with_twins(mut self, seed: u64) -> Case {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x791);
        let unit = 0.5f64.powi(pick(&mut rng, &[52, 50, 46, 42]));
        let d = self.dim;
        for x in self.nodes.iter_mut().flat_map(|node| node.features.chunks_mut(d)) {
            x[d - 1] = x[0] * (1.0 + unit * f64::from(rng.random_range(-2..3)));
        }
        Case { family: format!("{} twins {unit:.0e}", self.family), ..self }
    }

    /// The same with ½vᵀQv as penalty, Q = aaᵀ + a diagonal of which entries are zero or small.
    pub(crate) fn with_flat_penalty(self, seed: u64) -> Case {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xf1a7);
        let d = self.dim;
        // Whole numbers times powers of two: the products are exact, so that Q is what it says.
        let a: Vec<f64> = (0..d).map(|_| f64::from(rng.random_range(-9..10))).collect();
        let small = pick(&mut rng, &[0.0, 0.5f64.powi(20), 0.5f64.powi(42), 0.5f64.powi(52)]);
        let entry = |k: usize| a[k / d] * a[k % d] + if k / d == k % d { small } else { 0.0 };
        let q: Vec<f64> = (0..d * d).map(entry).collect();
        let family = format!("{} flat {small:e}", self.family);
        Case { family, penalty: PenaltyKind::Quadratic(q), ..self }
    }

    /// The problem as netfed has it.
    pub(crate) fn problem(&self) -> Problem {
        let losses = self.nodes.iter().map(|node| {
            let labels = if self.kind == LossKind::Mean { &[][..] } else { &node.labels };
            let data = Dataset::new(self.dim, node.features.clone(), labels.to_vec()).unwrap();
            self.kind.build(data, self.ridge, self.lasso).unwrap()
        });
        let penalty: Box<dyn Penalty> = match &self.penalty {
            PenaltyKind::L2 => Box::new(Norm2),
            PenaltyKind::L1 => Box::new(Norm1),
            PenaltyKind::LInf => Box::new(NormInf),
            PenaltyKind::Squared => Box::new(Squared),
            PenaltyKind::Quadratic(q) => Box::new(Quadratic::new(self.dim, q).unwrap()),
        };
        let losses = losses.collect();
        let graph = Graph::new(self.nodes.len(), &self.edges).unwrap();
        Problem::new(graph, losses, penalty, self.lambda).unwrap()
    }
}

fn pairs(graph: &str, nodes: usize) -> Vec<(usize, usize)> {
    let all = (0..nodes).flat_map(|i| (i + 1..nodes).map(move |j| (i, j)));
    all.filter(|&(i, j)| match graph {
        "path" => j == i + 1,
        "star" => i == 0,
        "complete" => true,
        "two parts" => j == i + 1 && j != nodes / 2,
        _ => false,
    })
    .collect()
}

fn penalty(rng: &mut ChaCha8Rng, name: &str, dim: usize) -> PenaltyKind {
    match name {
        "l2" => PenaltyKind::L2,
        "l1" => PenaltyKind::L1,
        "linf" => PenaltyKind::LInf,
        "squared" => PenaltyKind::Squared,
        // Diagonally dominant, its rows of unlike size; exactly symmetric.
        _ => {
            let unlike = pick(rng, &[0.0, 1.0, 4.0]);
            let size: Vec<f64> = (0..dim).map(|_| power(rng, -unlike, unlike)).collect();
            let entry = |k: usize| {
                let (i, j) = (k / dim, k % dim);
                let (i, j) = (i.min(j), i.max(j));
                let part = if i == j { 1.0 + i as f64 } else { 0.3 };
                part * size[i].min(size[j])
            };
            PenaltyKind::Quadratic((0..dim * dim).map(entry).collect())
        }
    }
}
