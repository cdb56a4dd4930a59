//! Points that models are fitted to, with the order of each feature, found once and kept.

use std::sync::OnceLock;

use crate::data::LARGEST;
use crate::{Error, Matrix};

/// Points in a fixed order. Trees sort them by every feature; the orders last as long as the points.
#[derive(Debug)]
pub struct Points {
    rows: Matrix,
    orders: OnceLock<Vec<u32>>,
    good: OnceLock<Result<(), Error>>,
}

impl Points {
    /// Points, one per row.
    pub fn new(rows: Matrix) -> Points {
        Points { rows, orders: OnceLock::new(), good: OnceLock::new() }
    }

    /// The points, one per row.
    pub fn rows(&self) -> &Matrix {
        &self.rows
    }

    /// Whether all features are finite and not too large; looked at once.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let good = self.good.get_or_init(|| {
            let bad = self.rows.as_slice().iter().position(|v| !(v.abs() <= LARGEST));
            bad.map_or(Ok(()), |at| Err(Error::NotFinite { row: at / self.rows.cols() }))
        });
        good.clone()
    }

    /// The points in increasing order of one feature; equal values by their position.
    pub fn order(&self, feature: usize) -> &[u32] {
        let points = self.rows.rows();
        let orders = self.orders.get_or_init(|| {
            let mut orders = Vec::with_capacity(points * self.rows.cols());
            for feature in 0..self.rows.cols() {
                let at = orders.len();
                orders.extend(0..points as u32);
                let value = |r: u32| self.rows.row(r as usize)[feature];
                orders[at..].sort_by(|a, b| value(*a).total_cmp(&value(*b)));
            }
            orders
        });
        &orders[feature * points..(feature + 1) * points]
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
    }
}
