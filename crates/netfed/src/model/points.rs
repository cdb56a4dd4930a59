//! Points that models are fitted to, with the order of each feature, found once and kept.

use std::sync::OnceLock;

use crate::data::LARGEST;
use crate::{Error, Matrix};

/// Points in a fixed order. Trees sort them by every feature; the orders last as long as the points.
#[derive(Debug)]
pub struct Points {
    rows: Matrix,
    sorted: OnceLock<Sorted>,
    good: OnceLock<Result<(), Error>>,
}

/// Feature by feature: the points in increasing order, and the rank of every point; equal values have equal ranks.
#[derive(Debug)]
struct Sorted {
    orders: Vec<u32>,
    ranks: Vec<u32>,
}

impl Points {
    /// Points, one per row.
    pub fn new(rows: Matrix) -> Points {
        Points { rows, sorted: OnceLock::new(), good: OnceLock::new() }
    }

    /// The points, one per row.
    pub fn rows(&self) -> &Matrix {
        &self.rows
    }

    /// Whether all features are finite and not too large; looked at once.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let good = self.good.get_or_init(|| {
            let bad = self.rows.as_slice().iter().position(|v| v.is_nan() || v.abs() > LARGEST);
            bad.map_or(Ok(()), |at| Err(Error::NotFinite { row: at / self.rows.cols() }))
        });
        good.clone()
    }

    /// The points in increasing order of one feature; equal values by their position.
    pub fn order(&self, feature: usize) -> &[u32] {
        let points = self.rows.rows();
        &self.sorted().orders[feature * points..(feature + 1) * points]
    }

    /// The rank of every point in the order of one feature.
    pub(crate) fn ranks(&self, feature: usize) -> &[u32] {
        let points = self.rows.rows();
        &self.sorted().ranks[feature * points..(feature + 1) * points]
    }

    fn sorted(&self) -> &Sorted {
        self.sorted.get_or_init(|| {
            let points = self.rows.rows();
            let mut sorted =
                Sorted { orders: Vec::new(), ranks: vec![0; self.rows.as_slice().len()] };
            for feature in 0..self.rows.cols() {
                let value = |r: u32| self.rows.row(r as usize)[feature];
                let mut order: Vec<u32> = (0..points as u32).collect();
                order.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
                let ranks = &mut sorted.ranks[feature * points..(feature + 1) * points];
                for pair in order.windows(2) {
                    let more = u32::from(value(pair[0]) < value(pair[1]));
                    ranks[pair[1] as usize] = ranks[pair[0] as usize] + more;
                }
                sorted.orders.extend(order);
            }
            sorted
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn orders_are_by_value_then_by_position() {
        let rows = Matrix::from_rows(2, vec![3.0, 1.0, 1.0, 1.0, 2.0, 0.0]).unwrap();
        let points = Points::new(rows);
        assert_eq!(points.order(0), [1, 2, 0]);
        assert_eq!(points.order(1), [2, 0, 1]);
        assert_eq!((points.ranks(0), points.ranks(1)), (&[2, 0, 1][..], &[1, 1, 0][..]));
    }
}
