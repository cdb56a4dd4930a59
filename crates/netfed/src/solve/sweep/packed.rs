//! The losses of a sweep side by side in memory, in the order in which they are visited.

use crate::Problem;
use crate::loss::{Compact, least_squares_prox, mean_prox};

/// Losses of more parameters are not copied: their own work outweighs a cache miss.
const MOST_PACKED: usize = 16;

/// The losses in the order of the layout, where they have a compact form and few parameters.
#[derive(Default)]
pub(crate) struct Packed {
    /// First entry of every place in `data`; empty when nothing is packed.
    first: Vec<usize>,
    kind: Vec<u8>,
    data: Vec<f64>,
}

/// The compact forms, by number.
const ZERO: u8 = 0;
const LEAST_SQUARES: u8 = 1;
const MEAN: u8 = 2;

impl Packed {
    pub(crate) fn new(problem: &Problem, order: &[u32]) -> Packed {
        let mut packed = Packed::default();
        let forms = || order.iter().map(|&i| problem.loss(i as usize).compact());
        if problem.dim() > MOST_PACKED || forms().any(|form| form.is_none()) {
            return packed;
        }
        for form in forms().flatten() {
            packed.first.push(packed.data.len());
            packed.kind.push(match form {
                Compact::Zero => ZERO,
                Compact::LeastSquares { points, ridge, factors, .. } => {
                    packed.data.extend([2.0 / points, ridge]);
                    packed.data.extend_from_slice(factors);
                    LEAST_SQUARES
                }
                Compact::Mean { center, ridge, lasso, .. } => {
                    packed.data.extend([ridge, lasso]);
                    packed.data.extend_from_slice(center);
                    MEAN
                }
            });
        }
        packed.first.push(packed.data.len());
        packed
    }

    /// The prox of the loss of `node`, which is at `place`; where it has no closed form it may be
    /// inexact, if `near`.
    #[inline(always)]
    pub(crate) fn prox<const DIM: usize>(
        &self,
        (problem, node, place): (&Problem, usize, usize),
        near: bool,
        at: &[f64],
        step: f64,
        out: &mut [f64],
    ) {
        let Some(&kind) = self.kind.get(place) else {
            let loss = problem.loss(node);
            return if near { loss.prox_near(at, step, out) } else { loss.prox(at, step, out) };
        };
        let data = &self.data[self.first[place]..self.first[place + 1]];
        let dim = if DIM == 0 { at.len() } else { DIM };
        let (at, out) = (&at[..dim], &mut out[..dim]);
        match kind {
            LEAST_SQUARES => {
                least_squares_prox::<DIM>(&data[2..], data[0], data[1], at, step, out);
            }
            MEAN => mean_prox(&data[2..], data[0], data[1], at, step, out),
            _ => out.copy_from_slice(at),
        }
    }
}
