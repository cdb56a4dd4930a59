//! The system of a Newton step by conjugate gradients, preconditioned by one block per group.

use super::reduced::Reduced;
use crate::Matrix;
use crate::loss::Loss;
use crate::numeric::conjugate_gradients::ConjugateGradients;
use crate::numeric::linalg::{axpy, cholesky, cholesky_solve, difference};
use crate::numeric::parallel::{dot, for_rows};

/// Parameters up to which the blocks of the preconditioner are factored.
const BLOCK: usize = 64;
const CG_STEPS: usize = 2000;

/// Solves Hessian·p = rhs to a relative residual; `rhs` becomes p. False when stopped.
pub(crate) fn solve(
    reduced: &Reduced<'_>,
    params: &Matrix,
    rhs: &mut [f64],
    relative: f64,
    spend: &mut dyn FnMut(f64) -> bool,
) -> bool {
    let fusion = reduced.fusion;
    let entries = params.as_slice().len();
    let preconditioner = Preconditioner::new(reduced, params);
    let invert = |r: &[f64], z: &mut [f64]| {
        z.copy_from_slice(r);
        preconditioner.apply(z);
        dot(r, z)
    };
    let (mut wide, mut wide_product) = (vec![0.0; entries], vec![0.0; entries]);
    let mut system = ConjugateGradients::new(rhs, invert);
    let target = relative * dot(rhs, rhs).sqrt();
    let mut goes_on = true;
    for _ in 0..CG_STEPS {
        let curvature = system.multiply(|p, product| {
            fusion.spread(p, &mut wide);
            reduced.hessian_times(params, &wide, &mut wide_product);
            fusion.sum(&wide_product, product);
            dot(p, product)
        });
        if curvature.is_nan() || curvature <= 1e-300 {
            break;
        }
        system.advance(&curvature);
        goes_on = spend(1.0);
        if !goes_on || dot(&system.residual, &system.residual).sqrt() <= target {
            break;
        }
        let product = system.precondition(invert);
        system.turn(product);
    }
    rhs.copy_from_slice(&system.solution);
    goes_on
}

/// The blocks of the Hessian that belong to one group each, factored; single entries where groups
/// are not of whole models or models are large.
struct Preconditioner {
    /// Rows of a block.
    size: usize,
    factors: Vec<f64>,
}

/// block ← ∇²L(w); of large models the mean of its diagonal.
fn curvature_of(loss: &dyn Loss, w: &[f64], block: &mut [f64]) {
    let dim = w.len();
    block.fill(0.0);
    if dim <= 4 * BLOCK {
        loss.add_hessian(w, block);
    } else {
        // From one product.
        let signs: Vec<f64> = (0..dim).map(|j| [1.0, -1.0][j % 2]).collect();
        let mut product = vec![0.0; dim];
        loss.add_hessian_times(w, &signs, &mut product);
        let mean = dot(&signs, &product) / dim as f64;
        (0..dim).for_each(|j| block[j * dim + j] = mean);
    }
}

/// Factors a block in place, with as much added to its diagonal as it takes.
fn factor(block: &mut [f64], size: usize, saved: &mut [f64]) {
    let trace = (0..size).map(|j| block[j * size + j]).sum::<f64>();
    let trace = if trace > 0.0 { trace } else { 1.0 };
    saved.copy_from_slice(block);
    let mut shift = 1e-12 * trace;
    (0..size).for_each(|j| block[j * size + j] += shift);
    while !cholesky(block, size, 0.0) && shift < 1e6 * trace {
        shift *= 100.0;
        block.copy_from_slice(saved);
        (0..size).for_each(|j| block[j * size + j] += shift);
    }
}

impl Preconditioner {
    fn new(reduced: &Reduced<'_>, params: &Matrix) -> Preconditioner {
        let (problem, dim) = (reduced.problem, reduced.problem.dim());
        let whole = reduced.curved() && dim <= BLOCK;
        let size = if whole { dim } else { 1 };
        let groups = reduced.fusion.count / size;
        let mut factors = vec![0.0; groups * size * size];
        let mut block = vec![0.0; dim * dim];
        let mut add = |node: usize, block: &[f64]| {
            let row = reduced.fusion.row(node, dim);
            if whole {
                let at = row[0] as usize / dim * dim * dim;
                axpy(1.0, block, &mut factors[at..at + dim * dim]);
            } else {
                for (j, &k) in row.iter().enumerate() {
                    factors[k as usize] += block[j * dim + j];
                }
            }
        };
        for i in 0..problem.nodes() {
            curvature_of(problem.loss(i), params.row(i), &mut block);
            add(i, &block);
        }
        if let Some(stiffness) = &reduced.stiffness {
            block.fill(0.0);
            for i in 0..problem.nodes() {
                let sum = stiffness[problem.graph().slots(i)].iter().sum::<f64>();
                (0..dim).for_each(|j| block[j * dim + j] = sum);
                add(i, &block);
            }
        } else if reduced.curved() {
            let mut diff = vec![0.0; dim];
            for k in 0..reduced.bond_count() {
                let (e, coupling) = reduced.bond(k);
                let edge = problem.graph().edges()[e];
                difference(params.row(edge.tail), params.row(edge.head), &mut diff);
                reduced.curvature(coupling, &diff, &mut block);
                add(edge.tail, &block);
                add(edge.head, &block);
            }
        }
        for_rows(&mut factors, size * size, size * size * size, size * size, |_, block, saved| {
            factor(block, size, saved);
        });
        Preconditioner { size, factors }
    }

    fn apply(&self, rhs: &mut [f64]) {
        let square = self.size * self.size;
        for_rows(rhs, self.size, square, 0, |k, b, _| {
            cholesky_solve(&self.factors[k * square..(k + 1) * square], self.size, b);
        });
    }
}
