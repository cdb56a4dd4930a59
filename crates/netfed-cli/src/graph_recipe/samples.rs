//! What is compared: the data points of every node, with their labels, where asked for in comparable units or laid out in the plane.

use netfed::discrepancy::embedded;
use netfed::{Matrix, Table, draws, moments};

use crate::failure::Failure;

/// The most points that t-SNE lays out.
const LAID_OUT: usize = 2000;

/// The samples of every node: features and, where there are labels, the label. Standardized, every column has standard deviation 1
/// over all points.
pub(super) fn samples(points: &Table, standardize: bool) -> Result<Vec<Matrix>, Failure> {
    let d = points.features().len();
    let cols = d + usize::from(points.y().is_some());
    let row = |r: usize| {
        let label = points.y().map(|y| y[r]);
        points.x()[r * d..(r + 1) * d].iter().copied().chain(label)
    };
    let scale: Vec<f64> = match standardize {
        true => {
            let all = moments(points.x(), d).into_iter();
            let all = all.chain(points.y().into_iter().flat_map(|y| moments(y, 1)));
            // A constant column is left alone.
            all.map(|(_, deviation)| deviation.unwrap_or(1.0)).collect()
        }
        false => vec![1.0; cols],
    };
    let mut values = vec![Vec::new(); points.nodes().len()];
    for (r, &node) in points.node_of_row().iter().enumerate() {
        values[node as usize].extend(row(r).zip(&scale).map(|(v, s)| v / s));
    }
    Ok(values.into_iter().map(|v| Matrix::from_rows(cols, v)).collect::<Result<_, _>>()?)
}

/// Columns, label included, with the same value everywhere.
pub(super) fn constant_columns<'a>(points: &'a Table, target: &'a str) -> Vec<&'a str> {
    let constant = |m: Vec<(f64, Option<f64>)>| m.into_iter().map(|(_, d)| d.is_none());
    let features = points.features().iter().map(String::as_str);
    let features = features.zip(constant(moments(points.x(), points.features().len())));
    let label = points.y().into_iter().flat_map(|y| constant(moments(y, 1))).map(|c| (target, c));
    features.chain(label).filter(|(_, constant)| *constant).map(|(name, _)| name).collect()
}

/// Places of the points in the plane, of an even part of them where there are many.
pub(super) fn laid_out(samples: Vec<Matrix>, seed: u64) -> Result<Vec<Matrix>, Failure> {
    let nodes = samples.len();
    let share = LAID_OUT / nodes.max(1);
    if share < 2 {
        return Err(Failure::input(format!(
            "the discrepancy tsne lays out {LAID_OUT} points at most, two of each node, but there are {nodes} nodes; choose another one."
        )));
    }
    let total: usize = samples.iter().map(Matrix::rows).sum();
    let part = |(i, own): (usize, Matrix)| {
        let chosen = match total > LAID_OUT {
            true => draws::batch(seed, i, 0, own.rows(), share),
            false => (0..own.rows()).collect(),
        };
        let values = chosen.into_iter().flat_map(|r| own.row(r)).copied().collect();
        Matrix::from_rows(own.cols(), values)
    };
    let samples = samples.into_iter().enumerate().map(part).collect::<Result<Vec<_>, _>>()?;
    Ok(embedded(&samples)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Table {
        let x = vec![1.0, 7.0, 2.0, 7.0, 6.0, 7.0];
        let y = Some(vec![10.0, 20.0, 30.0]);
        Table::from_rows(["a", "b", "a"], vec!["x".into(), "c".into()], x, y).unwrap()
    }

    #[test]
    fn samples_are_features_and_label() {
        let plain = samples(&points(), false).unwrap();
        assert_eq!(plain[0].as_slice(), [1.0, 7.0, 10.0, 6.0, 7.0, 30.0]);
        assert_eq!(plain[1].as_slice(), [2.0, 7.0, 20.0]);
        let scaled = samples(&points(), true).unwrap();
        let deviation = (200.0f64 / 3.0).sqrt();
        assert!((scaled[1].as_slice()[2] - 20.0 / deviation).abs() < 1e-12);
        assert_eq!(scaled[1].as_slice()[1], 7.0, "a constant is left alone");
    }
}
