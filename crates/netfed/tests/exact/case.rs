//! Random problems, small and awkward, as plain numbers; and the same as problems of netfed.

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

/// How the features of a case look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    /// N(0, 1)
    Plain,
    /// An offset of 1 to 1e9, the same for all columns, + N(0, 1).
    Offset,
    /// All numbers times one scale of 1e-8 to 1e8.
    Scale,
    /// Every column, and the labels, with a scale of its own.
    UnlikeColumns,
    /// The last column is the first one and a little noise.
    NearlyCollinear,
    /// The columns of a one-hot code, and an intercept: exactly dependent.
    OneHot,
    /// Every point twice or more.
    Repeated,
    /// Fewer points than features.
    FewPoints,
    /// A year, a price, a time stamp, an intercept.
    Calendar,
}

pub(crate) const SHAPES: [Shape; 9] = [
    Shape::Plain,
    Shape::Offset,
    Shape::Scale,
    Shape::UnlikeColumns,
    Shape::NearlyCollinear,
    Shape::OneHot,
    Shape::Repeated,
    Shape::FewPoints,
    Shape::Calendar,
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

#[derive(Debug, Clone, Default)]
pub(crate) struct NodeData {
    pub(crate) features: Vec<f64>,
    pub(crate) labels: Vec<f64>,
}

impl NodeData {
    pub(crate) fn points(&self) -> usize {
        self.labels.len()
    }
}

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
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed_0000_0000_0000);
        let shape = pick(&mut rng, &SHAPES);
        let dim = match shape {
            Shape::NearlyCollinear | Shape::OneHot => rng.random_range(2..5),
            Shape::FewPoints => rng.random_range(2..4),
            Shape::Calendar => 4,
            _ => rng.random_range(1..4),
        };
        let one = rng.random_range(0..4) == 0;
        let count = if one { 1 } else { rng.random_range(2..6) };
        let graph = pick(&mut rng, &["path", "star", "complete", "two parts", "no edges"]);
        let spread = pick(&mut rng, &[0.0, 2.0, 12.0]);
        let weights = |rng: &mut ChaCha8Rng| power(rng, -0.5 * spread, 0.5 * spread);
        let edges = pairs(graph, count).into_iter();
        let edges: Vec<_> = edges.map(|(i, j)| (i, j, weights(&mut rng))).collect();
        let penalty_name = pick(&mut rng, &PENALTIES);
        let penalty = penalty(&mut rng, penalty_name, dim);
        let look = Look::new(&mut rng, shape, dim);
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

/// What the data of all nodes of a case have in common.
struct Look {
    shape: Shape,
    dim: usize,
    offset: f64,
    scales: Vec<f64>,
    label_scale: f64,
}

impl Look {
    fn new(rng: &mut ChaCha8Rng, shape: Shape, dim: usize) -> Look {
        let scale = power(rng, -8.0, 8.0);
        let scales = match shape {
            Shape::Scale => vec![scale; dim],
            Shape::UnlikeColumns => (0..dim).map(|_| power(rng, -8.0, 8.0)).collect(),
            _ => vec![1.0; dim],
        };
        let label_scale = match shape {
            Shape::Scale | Shape::UnlikeColumns => power(rng, -8.0, 8.0),
            _ => 1.0,
        };
        let offset = if shape == Shape::Offset { power(rng, 0.0, 9.0) } else { 0.0 };
        Look { shape, dim, offset, scales, label_scale }
    }

    fn point(&self, rng: &mut ChaCha8Rng, closeness: f64) -> Vec<f64> {
        let d = self.dim;
        let mut x: Vec<f64> = self.scales.iter().map(|s| s * (self.offset + normal(rng))).collect();
        match self.shape {
            Shape::NearlyCollinear => x[d - 1] = x[0] + closeness * normal(rng),
            Shape::OneHot => {
                let level = rng.random_range(0..d - 1);
                (0..d).for_each(|j| x[j] = f64::from(j == level || j == d - 1));
            }
            Shape::Calendar => {
                let year = rng.random_range(1990..2026);
                x[0] = f64::from(year);
                x[1] = (1e7 * rng.random::<f64>()).round() / 100.0;
                x[2] = (f64::from(year - 1970) + rng.random::<f64>()) * 31_557_600.0;
                x[3] = 1.0;
            }
            _ => {}
        }
        x
    }

    fn node(
        &self,
        rng: &mut ChaCha8Rng,
        kind: LossKind,
        truth: &[f64],
        noise: f64,
        may_be_empty: bool,
    ) -> NodeData {
        let d = self.dim;
        let points = match self.shape {
            _ if may_be_empty && rng.random_range(0..6) == 0 => return NodeData::default(),
            Shape::FewPoints => rng.random_range(1..d),
            _ => rng.random_range(3..9),
        };
        let closeness = power(rng, -9.0, -1.0);
        let mut rows: Vec<Vec<f64>> = (0..points).map(|_| self.point(rng, closeness)).collect();
        if self.shape == Shape::Repeated {
            let kept = rows.len().div_ceil(2);
            (kept..rows.len()).for_each(|r| rows[r] = rows[r - kept].clone());
        }
        let label = |x: &Vec<f64>| {
            let unit = |j: usize| (x[j] / self.scales[j] - self.offset) * truth[j];
            let t = (0..d).map(unit).sum::<f64>() + noise * normal(rng);
            match kind.is_classification() {
                true => {
                    if t > 0.0 {
                        1.0
                    } else {
                        -1.0
                    }
                }
                false => self.label_scale * t,
            }
        };
        let labels = rows.iter().map(label).collect();
        NodeData { features: rows.concat(), labels }
    }
}
