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

    /// The moments of the other points.
    pub(crate) fn without(&self, part: &Moments) -> Moments {
        let mut rest = self.clone();
        for (row, other) in rest.gram.iter_mut().zip(&part.gram) {
            row.iter_mut().zip(other).for_each(|(g, o)| *g -= o);
        }
        rest.cross.iter_mut().zip(&part.cross).for_each(|(c, o)| *c -= o);
        rest.square -= part.square;
        rest.points -= part.points;
        rest
    }

    /// Σ (y − xᵀθ)²
    pub(crate) fn error(&self, model: &Row) -> f64 {
        let row = |(k, row): (usize, &[f64; DIM])| {
            let along: f64 = row.iter().zip(model).map(|(g, w)| g * f64::from(*w)).sum();
            f64::from(model[k]) * (along - 2.0 * self.cross[k])
        };
        self.square + self.gram.iter().enumerate().map(row).sum::<f64>()
    }

    /// H⁻¹b
    pub(crate) fn minimizer(&self) -> Row {
        let mut model = [0.0; DIM];
        for (row, c) in self.inverse(0.0).iter().zip(&self.cross) {
            let right = (2.0 * c / self.points) as f32;
            model.iter_mut().zip(row).for_each(|(w, r)| *w += right * r);
        }
        model
    }

    /// (2H + shift)⁻¹ by Gauss-Jordan elimination; the matrix is positive definite where there are at least p points.
    pub(crate) fn inverse(&self, shift: f64) -> [Row; DIM] {
        let mut a = self.gram.map(|row| row.map(|g| 2.0 * g / self.points));
        (0..DIM).for_each(|k| a[k][k] += shift);
        for k in 0..DIM {
            let pivot = 1.0 / a[k][k];
            a[k][k] = 1.0;
            a[k].iter_mut().for_each(|v| *v *= pivot);
            let row = a[k];
            for other in a.iter_mut().enumerate().filter(|(i, _)| *i != k).map(|(_, row)| row) {
                let factor = std::mem::take(&mut other[k]);
                other.iter_mut().zip(&row).for_each(|(v, r)| *v -= factor * r);
            }
        }
        a.map(|row| row.map(|v| v as f32))
    }
}
