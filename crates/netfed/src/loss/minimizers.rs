//! The losses of several nodes, each for itself: wᵢ = argmin Lᵢ(w).

use super::Loss;
use crate::numeric::parallel::for_rows;
use crate::{Error, Matrix};

/// A minimizer of the loss of every node, one per row ([`Loss::maximizer`] with slope 0).
pub(crate) fn minimizers<'l>(
    nodes: usize,
    dim: usize,
    loss: impl Sync + Fn(usize) -> &'l dyn Loss,
) -> Matrix {
    let slope = vec![0.0; dim];
    let mut params = Matrix::zeros(nodes, dim);
    for_rows(params.as_mut_slice(), dim, dim * dim, 0, |i, row, _| {
        loss(i).maximizer(&slope, row);
    });
    params
}

/// The number of parameters that all losses have.
pub(crate) fn common_dim(losses: &[Box<dyn Loss>]) -> Result<usize, Error> {
    let dim = losses.first().map_or(0, |l| l.dim());
    if dim == 0 {
        return Err(Error::Size { what: "nodes with parameters", expected: 1, found: 0 });
    }
    match losses.iter().map(|l| l.dim()).find(|&d| d != dim) {
        Some(found) => {
            Err(Error::Size { what: "parameters of a local loss", expected: dim, found })
        }
        None => Ok(dim),
    }
}
