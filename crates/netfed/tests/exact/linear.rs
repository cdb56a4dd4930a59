//! Small linear systems in floats of many bits.

use crate::number::Real;

/// The solutions X of A·X = B, from the rows of (A | B), by elimination.
pub(crate) fn solve(mut rows: Vec<Vec<Real>>) -> Vec<Vec<Real>> {
    let n = rows.len();
    for k in 0..n {
        let best = (k..n).max_by(|&a, &b| {
            let size = |i: usize| &rows[i][k] * &rows[i][k];
            size(a).cmp(&size(b))
        });
        rows.swap(k, best.unwrap_or(k));
        let pivot = rows[k].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i != k {
                let factor = &row[k] / &pivot[k];
                row.iter_mut().zip(&pivot).for_each(|(r, p)| *r -= &factor * p);
            }
        }
    }
    let scaled = |(k, row): (usize, &Vec<Real>)| row[n..].iter().map(|b| b / &row[k]).collect();
    rows.iter().enumerate().map(scaled).collect()
}

/// The determinant, by elimination.
pub(crate) fn determinant(mut rows: Vec<Vec<Real>>) -> Real {
    let n = rows.len();
    let mut product = crate::number::real(1.0);
    for k in 0..n {
        let pivot = rows[k].clone();
        product *= &pivot[k];
        for row in &mut rows[k + 1..] {
            let factor = &row[k] / &pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(r, p)| *r -= &factor * p);
        }
    }
    product
}
