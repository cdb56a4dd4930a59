//! Points that models are fitted to, with the order of each feature, found once and kept.

use std::sync::OnceLock;

use crate::table::LARGEST;
use crate::{Error, Matrix};

/// Points in a fixed order. Trees sort them by every feature; the orders last as long as the
/// points.
#[derive(Debug)]
pub struct Points {
    rows: Matrix,
    /// Feature by feature: the points in increasing order.
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
            let bad = self.rows.as_slice().iter().position(|v| v.is_nan() || v.abs() > LARGEST);
            bad.map_or(Ok(()), |at| Err(Error::NotFinite { row: at / self.rows.cols() }))
        });
        good.clone()
    }

    /// The points in increasing order of one feature; equal values by their position.
    pub fn order(&self, feature: usize) -> &[u32] {
        let points = self.rows.rows();
        &self.orders.get_or_init(|| self.sort())[feature * points..(feature + 1) * points]
    }

    fn sort(&self) -> Vec<u32> {
        let mut orders = Vec::with_capacity(self.rows.as_slice().len());
        let (mut column, mut spare) = (Vec::with_capacity(self.rows.rows()), Vec::new());
        for feature in 0..self.rows.cols() {
            let values = self.rows.as_slice().iter().skip(feature).step_by(self.rows.cols());
            column.clear();
            column.extend(values.zip(0..).map(|(v, r)| (key(*v), r)));
            radix_sort(&mut column, &mut spare);
            orders.extend(column.iter().map(|(_, r)| r));
        }
        orders
    }
}

/// A whole number for every value, in the same order; one for both zeros.
fn key(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Bits of a digit, and the lowest of those that are sorted by: three digits, with the exponent and
/// more than twenty binary digits.
const DIGIT: u32 = 11;
const LOWEST: u32 = u64::BITS - 3 * DIGIT;

/// Sorts by the upper half of the keys, digit by digit from the lowest: unlike comparisons, random
/// keys cost no mispredicted branches. Then by comparisons the runs that this does not tell apart.
/// Equal keys stay in their order.
fn radix_sort(pairs: &mut Vec<(u64, u32)>, spare: &mut Vec<(u64, u32)>) {
    spare.resize(pairs.len(), (0, 0));
    for shift in (LOWEST..u64::BITS).step_by(DIGIT as usize) {
        let digit = |key: u64| (key >> shift) as usize % (1 << DIGIT);
        let mut places = [0; 1 << DIGIT];
        pairs.iter().for_each(|(key, _)| places[digit(*key)] += 1);
        if places.contains(&pairs.len()) {
            continue;
        }
        let mut next = 0;
        for place in &mut places {
            next += std::mem::replace(place, next);
        }
        for pair in pairs.iter() {
            let place = &mut places[digit(pair.0)];
            spare[*place] = *pair;
            *place += 1;
        }
        std::mem::swap(pairs, spare);
    }
    if !pairs.is_sorted_by_key(|(key, _)| *key) {
        for run in pairs.chunk_by_mut(|a, b| a.0 >> LOWEST == b.0 >> LOWEST) {
            run.sort_by_key(|(key, _)| *key);
        }
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

    #[test]
    fn orders_are_those_of_a_comparison_sort() {
        let mut values: Vec<f64> =
            (0..500).map(|k| (f64::from(k * k % 97) - 40.0).sinh()).collect();
        values.extend((0..300).map(|k| 7.0 + f64::from(k * k % 89) * f64::EPSILON));
        values.extend([0.0, -0.0, 1e100, -1e100, f64::MIN_POSITIVE, -5e-324, 1.0, -1.0]);
        let mut expected: Vec<u32> = (0..values.len() as u32).collect();
        let value = |r: &u32| values[*r as usize];
        expected.sort_by(|a, b| value(a).partial_cmp(&value(b)).unwrap());
        let points = Points::new(Matrix::from_rows(1, values.clone()).unwrap());
        assert_eq!(points.order(0), expected);
    }
}
