//! How far apart two linear models are: δ(w, w′) = (w − w′)ᵀQ(w − w′), with
//!
//!   Q = PᵀP/|P| for public points P (14),   Q = ½I by parameters, the penalty `squared`

use crate::numeric::linalg::{add_gram, axpy, dot};
use crate::{Error, Matrix};

/// What models are compared by.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Coupling {
    /// ½‖w − w′‖², the penalty `squared` of GTV minimization. α is then its λ.
    Parameters,
    /// Predictions on points that all nodes share, one per row.
    Common(Matrix),
    /// Predictions on points of each node.
    Private(Vec<Matrix>),
}

/// Whose public points the update of a node compares models on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sides {
    /// Those of the neighbor, as (16) has it.
    #[default]
    Theirs,
    /// Those of both ends: the exact minimization of (15) along the node.
    Both,
}

/// Q of every node, row by row.
pub(super) enum Metric {
    Half,
    Common(Vec<f64>),
    Private(Vec<Vec<f64>>),
}

impl Metric {
    /// Q of the points, which must have `dim` features.
    pub(super) fn new(coupling: &Coupling, nodes: usize, dim: usize) -> Result<Metric, Error> {
        Ok(match coupling {
            Coupling::Parameters => Metric::Half,
            Coupling::Common(points) => Metric::Common(gram(points, dim)?),
            Coupling::Private(sets) if sets.len() != nodes => {
                let what = "sets of public points, one per node";
                return Err(Error::Size { what, expected: nodes, found: sets.len() });
            }
            Coupling::Private(sets) => {
                Metric::Private(sets.iter().map(|p| gram(p, dim)).collect::<Result<_, _>>()?)
            }
        })
    }

    /// Whether all nodes have one Q.
    pub(super) fn is_common(&self) -> bool {
        !matches!(self, Metric::Private(_))
    }

    fn of(&self, node: usize) -> Option<&[f64]> {
        match self {
            Metric::Half => None,
            Metric::Common(q) => Some(q),
            Metric::Private(q) => Some(&q[node]),
        }
    }

    /// out ← Q w of a node.
    pub(super) fn times(&self, node: usize, w: &[f64], out: &mut [f64]) {
        match self.of(node) {
            None => out.iter_mut().zip(w).for_each(|(o, w)| *o = 0.5 * w),
            Some(q) => {
                out.iter_mut().zip(q.chunks_exact(w.len())).for_each(|(o, q)| *o = dot(q, w))
            }
        }
    }

    /// out ← out + scale·Q of a node.
    pub(super) fn add(&self, node: usize, scale: f64, dim: usize, out: &mut [f64]) {
        match self.of(node) {
            None => (0..dim).for_each(|j| out[j * dim + j] += 0.5 * scale),
            Some(q) => axpy(scale, q, out),
        }
    }
}

/// PᵀP/|P|
fn gram(points: &Matrix, dim: usize) -> Result<Vec<f64>, Error> {
    if points.cols() != dim {
        let what = "features of a public point";
        return Err(Error::Size { what, expected: dim, found: points.cols() });
    }
    let count = points.rows();
    if count == 0 {
        return Err(Error::Size { what: "public points, at least", expected: 1, found: 0 });
    }
    if let Some(row) = (0..count).find(|&r| !points.row(r).iter().all(|v| v.abs() <= 1e100)) {
        return Err(Error::NotFinite { row });
    }
    let mut q = vec![0.0; dim * dim];
    add_gram(points.as_slice(), dim, &mut q);
    q.iter_mut().for_each(|v| *v /= count as f64);
    Ok(q)
}
