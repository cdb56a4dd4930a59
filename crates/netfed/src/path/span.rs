//! The way along a path of quadratic problems: starts from the span of the solutions so far
//! (`galerkin.rs`).
//!
//! In rounds, each with the λ in the middle of what is left between those before: runs of one round
//! start from the same span and go side by side. What they find then widens it, unless the start
//! was good enough.

use super::PathPoint;
use super::galerkin::Galerkin;
use super::walk::Walk;
use crate::numeric::threads::*;
use crate::{Error, Matrix, Start};
use std::sync::atomic::Ordering;

impl Walk<'_> {
    /// Solves at all λ from the one with index `first` on that `points` are for.
    pub(super) fn by_rounds(
        &self,
        first: usize,
        points: &mut [Option<PathPoint>],
        mut galerkin: Galerkin<'_>,
    ) -> Result<(), Error> {
        let mut gaps = vec![(first, points)];
        gaps.retain(|(_, points)| !points.is_empty());
        while !gaps.is_empty() && !self.ended.load(Ordering::Relaxed) {
            let (mut round, mut left) = (Vec::new(), Vec::new());
            for (first, points) in gaps {
                let (low, rest) = points.split_at_mut((points.len() - 1) / 2);
                let middle = first + low.len();
                let Some((point, high)) = rest.split_first_mut() else { continue };
                round.push((middle, point));
                left.extend([(first, low), (middle + 1, high)]);
            }
            left.retain(|(_, points)| !points.is_empty());
            let at = |(index, point): (usize, &mut _)| self.within(&galerkin, index, point);
            let found: Vec<Option<Matrix>> = if self.side_by_side {
                round.into_par_iter().map(at).collect::<Result<_, Error>>()?
            } else {
                round.into_iter().map(at).collect::<Result<_, Error>>()?
            };
            found.iter().flatten().for_each(|params| galerkin.add(params));
            gaps = left;
        }
        Ok(())
    }

    /// Solves at one λ from the best point of the span. Gives the models, if they are not that
    /// point.
    fn within(
        &self,
        galerkin: &Galerkin<'_>,
        index: usize,
        point: &mut Option<PathPoint>,
    ) -> Result<Option<Matrix>, Error> {
        // Without kinks models have one dual that fits them: the solver computes it.
        let duals =
            Matrix::zeros(self.course.problem.graph().edges().len(), self.course.problem.dim());
        let start = galerkin.at(self.course.lambdas[index]).map(|params| Start { params, duals });
        let found = self.solve(index, start, point)?;
        Ok(found
            .filter(|(solution, _)| solution.iterations > 0)
            .map(|(solution, _)| solution.params))
    }
}
