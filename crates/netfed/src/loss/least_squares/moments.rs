//! The sum of squares ŵᵀMŵ = Σ_r (x_rᵀw − y_r)² of a node, with ŵ = (w, −1) and M = Σ_r (x_r,
//! y_r)(x_r, y_r)ᵀ, with twice the digits: a certificate of least squares takes values and slopes
//! from here, not from the factors of the prox.

use crate::Dataset;
use crate::numeric::linalg::gram::{Gram, Off, size, tiny};
use crate::numeric::linalg::twofold::{Twofold, lost, vanishes};
use crate::numeric::linalg::whitening::product;

/// M, or the rows (x_r, y_r) where they are fewer numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Moments {
    Rows(Rows),
    /// M, and which columns are small integers: their sums of products are exact. The features of
    /// all points where few of them differ.
    Gram(Box<Gram>, Box<[bool]>, Option<Box<[Vec<f64>]>>),
}

/// Data points with their labels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rows {
    values: Box<[f64]>,
    /// Lengths of the columns, rounded up.
    norms: Box<[f64]>,
    error: f64,
}

impl Moments {
    /// From features, row by row, and labels.
    pub(super) fn new(features: &[f64], labels: &[f64], dim: usize) -> Moments {
        let points = labels.len();
        let mut values = Vec::with_capacity(points * (dim + 1));
        for (x, y) in features.chunks_exact(dim).zip(labels) {
            values.extend_from_slice(x);
            values.push(*y);
        }
        let column = |j: usize| values.iter().skip(j).step_by(dim + 1);
        if points > dim + 2 {
            // Sums of so many products of integers stay below 2⁵³.
            let most = (2f64.powi(52) / points as f64).sqrt();
            let whole = |j: usize| column(j).all(|x| x.fract() == 0.0 && x.abs() <= most);
            let whole = (0..=dim).map(whole).collect();
            let mut few = Vec::new();
            let few = add_distinct(features.chunks_exact(dim), &mut few, dim).then(|| few.into());
            return Moments::Gram(Box::new(Gram::of_rows(&values, dim + 1, None)), whole, few);
        }
        let length = |j: usize| {
            let largest = column(j).fold(0.0, |most: f64, x| most.max(x.abs()));
            let square: f64 = column(j).map(|x| (x / largest).powi(2)).sum();
            if largest > 0.0 { largest * square.sqrt() * (1.0 + 1e-12) } else { 0.0 }
        };
        let norms = (0..=dim).map(length).collect();
        let error =
            if values.iter().any(tiny) { f64::INFINITY } else { lost(points) + lost(dim + 1) };
        Moments::Rows(Rows { values: values.into(), norms, error })
    }

    /// Of a dataset with labels.
    pub(super) fn of(data: &Dataset) -> Moments {
        Moments::new(data.features(), data.labels(), data.dim())
    }

    /// Lengths of the columns.
    #[inline(always)]
    pub(super) fn norms(&self) -> &[f64] {
        match self {
            Moments::Rows(rows) => &rows.norms,
            Moments::Gram(gram, ..) => gram.norms(),
        }
    }

    /// out ← M·v
    #[inline(always)]
    pub(super) fn times(&self, v: &[f64], out: &mut [Twofold]) -> Off {
        let rows = match self {
            Moments::Gram(gram, ..) => return gram.times(v, out),
            Moments::Rows(rows) => rows,
        };
        out.fill(Twofold::default());
        for x in rows.values.chunks_exact(v.len()) {
            let mut along = Twofold::default();
            x.iter().zip(v).for_each(|(x, v)| along.add_product(*x, *v));
            out.iter_mut().zip(x).for_each(|(out, x)| out.add_times(along, *x));
        }
        // |Σ_r (x_rᵀv) x_ri| has terms of at most n_i·N in total.
        Off { error: rows.error, size: size(&rows.norms, v) }
    }

    /// vᵀMv from M·v, and what it may be off.
    #[inline(always)]
    pub(super) fn square(v: &[f64], image: &[Twofold], off: Off) -> (f64, f64) {
        let square = product(v, image).value().max(0.0);
        let lost = (off.error + lost(v.len())) * off.size * off.size;
        (square, lost * (1.0 + 1e-12) + f64::EPSILON * square)
    }

    /// total ← total + XᵀX/m
    pub(super) fn add_to(&self, total: &mut Gram, m: f64) {
        match self {
            Moments::Gram(gram, ..) => total.add(gram, m),
            Moments::Rows(rows) => {
                let wide = rows.norms.len();
                total.add(&Gram::of_rows(&rows.values, wide, None), m);
            }
        }
    }

    /// [`Loss::add_distinct`](crate::loss::Loss)
    pub(super) fn add_distinct(&self, list: &mut Vec<Vec<f64>>, most: usize) -> bool {
        match self {
            Moments::Rows(rows) => {
                let wide = rows.norms.len();
                add_distinct(rows.values.chunks_exact(wide).map(|x| &x[..wide - 1]), list, most)
            }
            Moments::Gram(_, _, Some(few)) => add_distinct(few.iter().map(|x| &**x), list, most),
            Moments::Gram(_, _, None) => false,
        }
    }

    /// Whether X·t is certainly zero for a vector of integers.
    pub(super) fn blind_to(&self, t: &[f64]) -> bool {
        match self {
            Moments::Rows(rows) => {
                rows.values.chunks_exact(t.len() + 1).all(|x| vanishes(&x[..t.len()], t))
            }
            Moments::Gram(gram, whole, _) => {
                let whole = t.iter().zip(whole).all(|(t, whole)| *t == 0.0 || *whole);
                let entries = |i: usize| (0..t.len()).map(move |j| (i, j));
                let used = (0..t.len()).flat_map(entries).filter(|(i, j)| t[*i] * t[*j] != 0.0);
                let products = used.map(|(i, j)| (gram.entry(i, j), t[i] * t[j]));
                let (entries, factors): (Vec<f64>, Vec<f64>) = products.unzip();
                whole
                    && factors.iter().all(|f| f.abs() < 2f64.powi(52))
                    && vanishes(&entries, &factors)
            }
        }
    }
}

/// Adds those of some rows that are not in a list yet; false when it would become longer than
/// `most`.
pub(in crate::loss) fn add_distinct<'x>(
    mut rows: impl Iterator<Item = &'x [f64]>,
    list: &mut Vec<Vec<f64>>,
    most: usize,
) -> bool {
    rows.all(|x| {
        if !list.iter().any(|other| other == x) {
            list.push(x.to_vec());
        }
        list.len() <= most
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same() {
        let wave = |k: usize| ((k * 37 + 11) as f64).sin();
        for points in [2, 4, 5, 30] {
            let features: Vec<f64> = (0..2 * points).map(|k| 1e8 + wave(k)).collect();
            let labels: Vec<f64> = (0..points).map(|r| 1e8 + wave(3 * r)).collect();
            let moments = Moments::new(&features, &labels, 2);
            assert_eq!(matches!(moments, Moments::Gram(..)), points > 4);
            let v = [0.5, 0.5, -1.0];
            let mut image = [Twofold::default(); 3];
            let off = moments.times(&v, &mut image);
            let (square, lost) = Moments::square(&v, &image, off);
            let rows = features.chunks(2).zip(&labels);
            let residual = |x: &[f64], y: &f64| (x[0] - 1e8) / 2.0 + (x[1] - 1e8) / 2.0 - (y - 1e8);
            let exact: f64 = rows.map(|(x, y)| residual(x, y).powi(2)).sum();
            assert!((square - exact).abs() < 1e-14 * exact && lost < 1e-9 * exact, "{points}");
            let mut total = Gram::zeros(2);
            moments.add_to(&mut total, points as f64);
            let mean = features.iter().step_by(2).map(|x| x * x).sum::<f64>() / points as f64;
            assert!((total.entry(0, 0) / mean - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn what_no_point_sees_is_known_exactly() {
        for points in [3, 4, 30] {
            let row = |r: usize| {
                [
                    1.0,
                    f64::from(r.is_multiple_of(2)),
                    f64::from(!r.is_multiple_of(2)),
                    0.1 + r as f64,
                ]
            };
            let features: Vec<f64> = (0..points).flat_map(row).collect();
            let moments = Moments::new(&features, &vec![0.3; points], 4);
            assert!(moments.blind_to(&[1.0, -1.0, -1.0, 0.0]));
            assert!(
                !moments.blind_to(&[1.0, -1.0, -1.0, 1.0])
                    && !moments.blind_to(&[1.0, -1.0, 1.0, 0.0])
            );
        }
    }
}
