//! What is compared: the data points of every node, with their labels, where asked for in
//! comparable units or laid out in the plane.

use crate::graph::discrepancy::embedded;
use crate::numeric::sampling;
use crate::table::moments;
use crate::{Error, Matrix, Table};

/// The most points that t-SNE lays out.
const LAID_OUT: usize = 2000;

/// The samples of every node: features and, where there are labels, the label. Standardized, every
/// column has standard deviation 1 over all points.
pub(super) fn samples(table: &Table, standardize: bool) -> Result<Vec<Matrix>, Error> {
    let d = table.features().len();
    let cols = d + usize::from(table.y().is_some());
    let row = |r: usize| table.row(r).iter().copied().chain(table.y().map(|y| y[r]));
    let scale: Vec<f64> = if standardize {
        let all = moments(table.x(), d).into_iter();
        let all = all.chain(table.y().into_iter().flat_map(|y| moments(y, 1)));
        // A constant column is left alone.
        all.map(|(_, deviation)| deviation.unwrap_or(1.0)).collect()
    } else {
        vec![1.0; cols]
    };
    let mut values = vec![Vec::new(); table.nodes().len()];
    for (r, &node) in table.node_of_row().iter().enumerate() {
        values[node as usize].extend(row(r).zip(&scale).map(|(v, s)| v / s));
    }
    values.into_iter().map(|v| Matrix::from_rows(cols, v)).collect()
}

/// Features with the same value everywhere, and whether the label is such a column.
pub(super) fn constant_columns(table: &Table) -> (Vec<usize>, bool) {
    let constant = |m: &(f64, Option<f64>)| m.1.is_none();
    let of_features = moments(table.x(), table.features().len());
    let features = (0..of_features.len()).filter(|&j| constant(&of_features[j])).collect();
    (features, table.y().is_some_and(|y| moments(y, 1).iter().all(constant)))
}

/// Places of the points in the plane, of an even part of them where there are many.
pub(super) fn laid_out(samples: Vec<Matrix>, seed: u64) -> Result<Vec<Matrix>, Error> {
    let nodes = samples.len();
    let share = LAID_OUT / nodes.max(1);
    if share < 2 {
        let what = "nodes with two points each that tsne can lay out, at most";
        return Err(Error::Size { what, expected: LAID_OUT / 2, found: nodes });
    }
    let total: usize = samples.iter().map(Matrix::rows).sum();
    let part = |(i, own): (usize, Matrix)| {
        let chosen = if total > LAID_OUT {
            sampling::batch(seed, i, 0, own.rows(), share)
        } else {
            (0..own.rows()).collect()
        };
        let values = chosen.into_iter().flat_map(|r| own.row(r)).copied().collect();
        Matrix::from_rows(own.cols(), values)
    };
    let samples = samples.into_iter().enumerate().map(part).collect::<Result<Vec<_>, _>>()?;
    embedded(&samples)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    fn table() -> Table {
        let (x, y) = (vec![1.0, 7.0, 2.0, 7.0, 6.0, 7.0], vec![10.0, 20.0, 30.0]);
        Table::from_rows(["a", "b", "a"], vec!["x".into(), "c".into()], x, Some(y)).unwrap()
    }

    #[test]
    fn samples_are_features_and_label() {
        let plain = samples(&table(), false).unwrap();
        assert_eq!(plain[0].as_slice(), [1.0, 7.0, 10.0, 6.0, 7.0, 30.0]);
        assert_eq!(plain[1].as_slice(), [2.0, 7.0, 20.0]);
        let scaled = samples(&table(), true).unwrap();
        let deviation = (200.0f64 / 3.0).sqrt();
        assert!((scaled[1].as_slice()[2] - 20.0 / deviation).abs() < 1e-12);
        assert_eq!(scaled[1].as_slice()[1], 7.0, "a constant is left alone");
        assert_eq!(constant_columns(&table()), (vec![1], false));
    }
}
