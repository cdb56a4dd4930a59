//! The public points: one set for all nodes, or a set of each node's own. A node labels its set;
//! its neighbors fit to that.

use std::sync::Arc;

use crate::numeric::gaussian_like;
use crate::{Error, Graph, Matrix};

/// The public points of all nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum PublicPoints {
    /// So many, drawn from the normal distribution fitted to the data of all nodes.
    Drawn(usize),
    /// One set for all.
    Common(Arc<Matrix>),
    /// A set of each node's own.
    Own(Vec<Arc<Matrix>>),
}

impl PublicPoints {
    /// One set for all nodes, a point per row.
    pub fn common(points: Matrix) -> PublicPoints {
        PublicPoints::Common(Arc::new(points))
    }

    /// A set of each node's own, in the order of the nodes.
    pub fn own(sets: impl IntoIterator<Item = Matrix>) -> PublicPoints {
        PublicPoints::Own(sets.into_iter().map(Arc::new).collect())
    }

    /// Whether all nodes have the same points.
    pub fn is_common(&self) -> bool {
        !matches!(self, PublicPoints::Own(_))
    }

    /// How many points there are.
    pub fn count(&self) -> usize {
        match self {
            PublicPoints::Drawn(count) => *count,
            PublicPoints::Common(points) => points.rows(),
            PublicPoints::Own(sets) => sets.iter().map(|s| s.rows()).sum(),
        }
    }

    /// The fewest and the most points that a node labels.
    pub fn range(&self) -> (usize, usize) {
        let PublicPoints::Own(sets) = self else { return (self.count(), self.count()) };
        let sizes = || sets.iter().map(|s| s.rows());
        (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0))
    }

    /// The most public points in a fit of a node: those of its neighbors and, for
    /// self-distillation, its own.
    pub fn in_a_fit(&self, graph: &Graph, node: usize) -> usize {
        let PublicPoints::Own(sets) = self else { return self.count() };
        let theirs = graph.incident(node).iter().map(|inc| sets[inc.neighbor()].rows());
        theirs.sum::<usize>() + sets[node].rows()
    }

    /// The points in other units.
    pub(super) fn map(self, f: impl Fn(&mut [f64])) -> PublicPoints {
        let map = |mut points: Arc<Matrix>| {
            f(Arc::make_mut(&mut points).as_mut_slice());
            points
        };
        match self {
            PublicPoints::Drawn(count) => PublicPoints::Drawn(count),
            PublicPoints::Common(points) => PublicPoints::Common(map(points)),
            PublicPoints::Own(sets) => PublicPoints::Own(sets.into_iter().map(map).collect()),
        }
    }

    /// The points themselves, for data `x` of so many features.
    pub(super) fn at_hand(self, dim: usize, x: &[f64], seed: u64) -> Result<PublicPoints, Error> {
        let PublicPoints::Drawn(count) = self else { return Ok(self) };
        let all = Matrix::from_rows(dim, x.to_vec())?;
        Ok(PublicPoints::common(gaussian_like(&all, count, seed)?))
    }

    /// The points that a node labels; none as long as they are not drawn.
    pub(super) fn of(&self, node: usize) -> Option<&Arc<Matrix>> {
        match self {
            PublicPoints::Drawn(_) => None,
            PublicPoints::Common(points) => Some(points),
            PublicPoints::Own(sets) => sets.get(node),
        }
    }

    /// Refuses sets of points with other features than these, empty ones, and too few sets.
    pub(super) fn check(&self, nodes: usize, dim: usize) -> Result<(), Error> {
        let sets: &[Arc<Matrix>] = match self {
            PublicPoints::Drawn(_) => &[],
            PublicPoints::Common(points) => std::slice::from_ref(points),
            PublicPoints::Own(sets) => sets,
        };
        let size = |what, expected, found| Err(Error::Size { what, expected, found });
        if !self.is_common() && sets.len() != nodes {
            return size("sets of public points", nodes, sets.len());
        }
        if let Some(odd) = sets.iter().find(|s| s.cols() != dim) {
            return size("features of a public point", dim, odd.cols());
        }
        if self.range().0 == 0 {
            return size("public points, at least", 1, 0);
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn points_are_counted_and_checked() {
        let of = |rows| Matrix::zeros(rows, 2);
        let graph = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
        let own = PublicPoints::own([of(2), of(3), of(5)]);
        assert_eq!((own.count(), own.range()), (10, (2, 5)));
        assert_eq!([0, 1, 2].map(|i| own.in_a_fit(&graph, i)), [5, 10, 8]);
        let common = PublicPoints::common(of(4));
        assert_eq!((common.count(), common.range(), common.in_a_fit(&graph, 1)), (4, (4, 4), 4));
        assert!(own.check(3, 2).is_ok() && common.check(3, 2).is_ok());
        for (bad, nodes, dim) in
            [(&own, 4, 2), (&own, 3, 1), (&common, 3, 7), (&PublicPoints::Drawn(0), 3, 2)]
        {
            assert!(bad.check(nodes, dim).is_err(), "{nodes} {dim}");
        }
    }
}
