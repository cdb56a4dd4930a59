//! How good models are on points that they have not seen: folds, measures, standard errors, and
//! models along a path of λ.

mod descend;
pub(crate) mod folds;
pub(crate) mod measure;
pub(crate) mod statistics;
pub(crate) mod words;

pub(crate) use descend::{Data, descend, pooled};

/// The place of the smallest number; the first of equal ones, and any number before what is none.
pub(crate) fn first_smallest(values: impl Iterator<Item = f64>) -> usize {
    values.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_never_the_smallest() {
        assert_eq!(first_smallest([f64::NAN, f64::INFINITY, 3.0, 3.0].into_iter()), 2);
        assert_eq!(first_smallest([f64::NAN, f64::INFINITY].into_iter()), 1);
    }
}
