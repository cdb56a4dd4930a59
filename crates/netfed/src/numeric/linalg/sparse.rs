//! Sparse symmetric positive definite systems: Cholesky's method with a fill-reducing order
//! (`faer`).

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, factorize_symbolic_cholesky,
};
use faer::sparse::{Argsort, Pair, SparseColMat, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};
use std::sync::Arc;

/// Columns of equal pattern are factored together from this on, in units of 40 flops per entry of
/// the factor: the d parameters of a node are such columns, so that it pays early.
const SUPERNODAL: f64 = 0.1;

/// A pattern of nonzero entries, analyzed once, for many matrices. Clones share the analysis.
#[derive(Clone)]
pub(crate) struct SparseCholesky {
    analysis: Arc<Analysis>,
    factor: Vec<f64>,
}

struct Analysis {
    pattern: SymbolicSparseColMat<u32>,
    order: Argsort<u32>,
    symbolic: SymbolicCholesky<u32>,
}

impl SparseCholesky {
    /// The pattern of an n × n matrix: (row, column) of entries of its lower triangle; entries may
    /// be repeated, and then add up.
    pub(crate) fn new(n: usize, entries: &[(u32, u32)]) -> Option<SparseCholesky> {
        let pairs: Vec<Pair<u32, u32>> =
            entries.iter().map(|&(row, col)| Pair { row, col }).collect();
        let (pattern, order) = SymbolicSparseColMat::try_new_from_indices(n, n, &pairs).ok()?;
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Lower,
            Default::default(),
            CholeskySymbolicParams {
                supernodal_flop_ratio_threshold: SupernodalThreshold(SUPERNODAL),
                ..Default::default()
            },
        )
        .ok()?;
        let analysis = Arc::new(Analysis { pattern, order, symbolic });
        Some(SparseCholesky { analysis, factor: Vec::new() })
    }

    /// About the number of multiplications of a factorization: as if the entries of the factor were
    /// spread evenly over its columns.
    pub(crate) fn cost(&self) -> f64 {
        let symbolic = &self.analysis.symbolic;
        let entries = symbolic.len_val() as f64;
        entries * entries / symbolic.nrows().max(1) as f64
    }

    /// Factors the matrix with these values, in the order of the entries. False when it is not
    /// positive definite to working accuracy.
    pub(crate) fn factor(&mut self, values: &[f64]) -> bool {
        let Analysis { pattern, order, symbolic } = &*self.analysis;
        let Ok(matrix) = SparseColMat::<u32, f64>::new_from_argsort(pattern.clone(), order, values)
        else {
            return false;
        };
        self.factor.resize(symbolic.len_val(), 0.0);
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                matrix.as_ref(),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(scratch)),
                Default::default(),
            )
            .is_ok()
    }

    /// Solves with the last factor, in place, for the columns of an n × `cols` matrix, row by row.
    pub(crate) fn solve(&self, values: &mut [f64], cols: usize) {
        let symbolic = &self.analysis.symbolic;
        let scratch = symbolic.solve_in_place_scratch::<f64>(cols, Par::Seq);
        LltRef::<'_, u32, f64>::new(symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_row_major_slice_mut(values, symbolic.nrows(), cols),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_chain_with_repeated_entries() {
        let n = 50;
        let (mut entries, mut values) = (vec![], vec![]);
        let mut add = |r: u32, c: u32, v: f64| {
            entries.push((r, c));
            values.push(v);
        };
        for i in 0..n as u32 {
            add(i, i, 1.0);
            add(i, i, 1.5);
            if i > 0 {
                add(i, i - 1, -1.0);
            }
        }
        let mut system = SparseCholesky::new(n, &entries).unwrap();
        assert!(system.factor(&values) && system.cost() < 1000.0);
        let truth: Vec<f64> = (0..2 * n).map(|i| (i as f64).sin()).collect();
        let at = |i: usize, k: usize| truth.get(2 * i + k).copied().unwrap_or(0.0);
        let mut rhs: Vec<f64> = (0..2 * n)
            .map(|q| (q / 2, q % 2))
            .map(|(i, k)| {
                let before = if i > 0 { at(i - 1, k) } else { 0.0 };
                2.5 * at(i, k) - at(i + 1, k) - before
            })
            .collect();
        system.solve(&mut rhs, 2);
        assert!(crate::numeric::linalg::distance(&rhs, &truth) < 1e-13);
        values[0] = -10.0;
        assert!(!system.factor(&values));
    }
}
