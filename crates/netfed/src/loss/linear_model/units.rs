//! Features in units of their own: w = diag(2^k)·z, with powers of two that bring the columns of X
//! to a common size.
//!
//! Scaling by powers of two loses no bit, so the solution is that of the features as they are; but
//! lengths and rounding then mean the same in every coordinate.

use super::design::Design;

/// How many times as large as the smallest column the largest must be for units of their own to be
/// worth it.
const UNLIKE: f64 = 1e3;
/// Exponents beyond this are cut off, so that nothing overflows.
const MOST: i32 = 300;

/// Scaled features.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Units {
    /// 2^k for every feature.
    pub(super) scale: Vec<f64>,
    /// The scaled features, by rows and by columns.
    pub(super) rows: Vec<f64>,
    pub(super) design: Design,
    /// Mean of the squared lengths of the scaled rows.
    pub(super) mean_square: f64,
}

impl Units {
    /// Units for rows of `dim` features; none where the columns are alike.
    pub(super) fn new(rows: &[f64], dim: usize) -> Option<Units> {
        let largest =
            |j: usize| rows.iter().skip(j).step_by(dim).fold(0.0, |m: f64, x| m.max(x.abs()));
        let sizes: Vec<f64> = (0..dim).map(largest).collect();
        let seen = || sizes.iter().copied().filter(|s| *s > 0.0);
        let (least, most) = (seen().fold(f64::INFINITY, f64::min), seen().fold(0.0, f64::max));
        if most <= UNLIKE * least {
            return None;
        }
        // A column of zeros gets the units of the largest.
        let unit = |size: f64| 2f64.powi((-size.log2().round() as i32).clamp(-MOST, MOST));
        let scale: Vec<f64> =
            sizes.iter().map(|s| unit(if *s > 0.0 { *s } else { most })).collect();
        let rows: Vec<f64> =
            rows.chunks_exact(dim).flat_map(|x| x.iter().zip(&scale).map(|(x, u)| x * u)).collect();
        let design = Design::new(&rows, dim);
        let mean_square = rows.iter().map(|x| x * x).sum::<f64>() / (rows.len() / dim) as f64;
        Some(Units { scale, rows, design, mean_square })
    }
}
