//! All that squared losses need to know of points: XᵀX, Xᵀy, yᵀy and n.

use netfed::Dataset;

use super::instance::DIM;

/// The entries of a model.
pub(crate) type Row = [f32; DIM];

/// XᵀX, Xᵀy, yᵀy and n of some points.
#[derive(Clone)]
pub(crate) struct Moments {
    gram: [[f64; DIM]; DIM],
    pub(crate) cross: [f64; DIM],
    square: f64,
    pub(crate) points: f64,
}

impl Moments {
    /// Of the points that are kept.
    pub(crate) fn of(data: &Dataset, keep: impl Fn(usize) -> bool) -> Moments {
        let mut sum =
            Moments { gram: [[0.0; DIM]; DIM], cross: [0.0; DIM], square: 0.0, points: 0.0 };
        for r in (0..data.points()).filter(|&r| keep(r)) {
            let (x, y) = (data.point(r), data.labels()[r]);
            for (row, a) in sum.gram.iter_mut().zip(x) {
                row.iter_mut().zip(x).for_each(|(g, b)| *g += a * b);
            }
            sum.cross.iter_mut().zip(x).for_each(|(c, a)| *c += a * y);
            sum.square += y * y;
            sum.points += 1.0;
        }
        sum
    }

    /// The moments of both, or with −1 those of the other points.
    pub(crate) fn plus(&self, sign: f64, part: &Moments) -> Moments {
        let mut sum = self.clone();
        for (row, other) in sum.gram.iter_mut().zip(&part.gram) {
            row.iter_mut().zip(other).for_each(|(g, o)| *g += sign * o);
        }
        sum.cross.iter_mut().zip(&part.cross).for_each(|(c, o)| *c += sign * o);
        sum.square += sign * part.square;
        sum.points += sign * part.points;
        sum
    }

    /// Σ (y − xᵀθ)²
    pub(crate) fn error(&self, model: &[f64; DIM]) -> f64 {
        let mut along = self.cross.map(|c| -2.0 * c);
        for (row, w) in self.gram.iter().zip(model) {
            along.iter_mut().zip(row).for_each(|(a, g)| *a += w * g);
        }
        self.square + along.iter().zip(model).map(|(a, w)| a * w).sum::<f64>()
    }

    /// H⁻¹b by elimination; the matrix is positive definite where there are at least p points.
    pub(crate) fn minimizer(&self) -> [f64; DIM] {
        let (mut a, mut model) = (self.gram, self.cross);
        for k in 0..DIM {
            let (row, value) = (a[k], model[k]);
            for i in k + 1..DIM {
                let factor = row[i] / row[k];
                a[i].iter_mut().zip(&row).for_each(|(v, r)| *v -= factor * r);
                model[i] -= factor * value;
            }
        }
        for k in (0..DIM).rev() {
            let known: f64 = a[k][k + 1..].iter().zip(&model[k + 1..]).map(|(a, w)| a * w).sum();
            model[k] = (model[k] - known) / a[k][k];
        }
        model
    }

    /// (2H + shift)⁻¹ by Gauss-Jordan elimination.
    pub(crate) fn inverse(&self, shift: f64) -> [Row; DIM] {
        let mut a = self.gram.map(|row| row.map(|g| (2.0 * g / self.points) as f32));
        (0..DIM).for_each(|k| a[k][k] += shift as f32);
        for k in 0..DIM {
            let pivot = 1.0 / a[k][k];
            let (column, mut row) = (a.map(|row| row[k]), a[k].map(|v| v * pivot));
            row[k] = pivot;
            for (other, factor) in a.iter_mut().zip(&column) {
                other.iter_mut().zip(&row).for_each(|(v, r)| *v -= factor * r);
                other[k] = -factor * pivot;
            }
            a[k] = row;
        }
        a
    }
}
