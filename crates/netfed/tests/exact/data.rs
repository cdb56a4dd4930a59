//! Data of nodes, awkward in many ways.

use crate::case::{normal, power};
use netfed::LossKind;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

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

/// What the data of all nodes of a case have in common.
pub(crate) struct Look {
    shape: Shape,
    dim: usize,
    times: usize,
    offset: f64,
    scales: Vec<f64>,
    label_scale: f64,
}

impl Look {
    pub(crate) fn new(rng: &mut ChaCha8Rng, shape: Shape, dim: usize, times: usize) -> Look {
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
        Look { shape, dim, times, offset, scales, label_scale }
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

    pub(crate) fn node(
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
            _ => self.times * rng.random_range(3..9),
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
            if kind.is_classification() {
                if t > 0.0 { 1.0 } else { -1.0 }
            } else {
                self.label_scale * t
            }
        };
        let labels = rows.iter().map(label).collect();
        NodeData { features: rows.concat(), labels }
    }
}
