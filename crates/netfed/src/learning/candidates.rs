//! The pairs of vertices that may become edges, ordered by (a, b) with a < b, and what the data say
//! about them:
//!
//!   z_ab = (1/N) Σₙ (xₙ(a) − xₙ(b))²,   (Sw)ᵥ = Σ of w over the pairs at v

use crate::numeric::linalg::square_distance;
use crate::numeric::parallel::map_rows;
use crate::{Error, Graph, Matrix, neighbor_graph};

/// Signals of larger size would overflow when they are squared, added up and squared again.
const LARGEST: f64 = 1e50;

/// The pairs of vertices that may become edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    vertices: usize,
    pairs: Vec<(u32, u32)>,
    /// Whether a vertex is in some pair.
    paired: Vec<bool>,
}

impl Candidates {
    /// All pairs of some vertices.
    pub fn all(vertices: usize) -> Result<Candidates, Error> {
        let most = 1 << 16;
        if vertices == 0 || vertices > most {
            let what = "vertices of a graph to be learned over all pairs, from 1 to";
            return Err(Error::Size { what, expected: most, found: vertices });
        }
        let d = vertices as u32;
        let pairs = (0..d).flat_map(|a| (a + 1..d).map(move |b| (a, b))).collect();
        Ok(Candidates { vertices, pairs, paired: vec![vertices > 1; vertices] })
    }

    /// The pairs of which one is among the k nearest of the other, joined to one part
    /// (`graph/neighbors.rs`). The matrix has one row per vertex.
    pub fn nearest(signals: &Matrix, k: usize) -> Result<Candidates, Error> {
        check(signals)?;
        Ok(Candidates::of(&neighbor_graph(signals, k)?.graph))
    }

    /// The pairs that a graph joins.
    pub fn of(graph: &Graph) -> Candidates {
        let pairs = graph.edges().iter().map(|e| (e.tail as u32, e.head as u32)).collect();
        let paired = (0..graph.nodes()).map(|v| graph.degree(v) > 0).collect();
        Candidates { vertices: graph.nodes(), pairs, paired }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Number of pairs p.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The pairs, in order.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.pairs.iter().map(|&(a, b)| (a as usize, b as usize))
    }

    /// Whether a vertex is in some pair. Of one that is not there is nothing to learn, and it
    /// counts nowhere.
    pub fn is_paired(&self, vertex: usize) -> bool {
        self.paired[vertex]
    }

    /// z of every pair. The matrix has one row per vertex and one column per signal.
    pub fn distances(&self, signals: &Matrix) -> Result<Vec<f64>, Error> {
        if signals.rows() != self.vertices {
            let (what, expected) = ("vertices of the signals", self.vertices);
            return Err(Error::Size { what, expected, found: signals.rows() });
        }
        check(signals)?;
        let count = signals.cols() as f64;
        Ok(map_rows(
            self.len(),
            2 * signals.cols(),
            || (),
            |e, ()| {
                let (a, b) = self.pairs[e];
                square_distance(signals.row(a as usize), signals.row(b as usize)) / count
            },
        ))
    }

    /// out ← Sw
    pub fn degrees(&self, weights: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (&(a, b), w) in self.pairs.iter().zip(weights) {
            out[a as usize] += w;
            out[b as usize] += w;
        }
    }

    /// The graph of the pairs whose weight is above a threshold.
    pub fn graph(&self, weights: &[f64], threshold: f64) -> Result<Graph, Error> {
        let edges: Vec<_> = self
            .pairs()
            .zip(weights)
            .filter(|(_, w)| **w > threshold)
            .map(|((a, b), w)| (a, b, *w))
            .collect();
        Graph::new(self.vertices, &edges)
    }

    /// The weights of a graph on these pairs; edges that are no pair are left out.
    pub fn weights(&self, graph: &Graph) -> Vec<f64> {
        let mut edges = graph.edges().iter().peekable();
        self.pairs()
            .map(|pair| {
                while edges.next_if(|e| (e.tail, e.head) < pair).is_some() {}
                edges.peek().filter(|e| (e.tail, e.head) == pair).map_or(0.0, |e| e.weight)
            })
            .collect()
    }
}

fn check(signals: &Matrix) -> Result<(), Error> {
    match signals.as_slice().iter().find(|x| x.is_nan() || x.abs() > LARGEST) {
        Some(&value) => {
            Err(Error::BadNumber { name: "a signal", value, expected: "finite and at most 1e50" })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_distances_and_degrees() {
        let all = Candidates::all(3).unwrap();
        assert_eq!(all.pairs().collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
        let signals = Matrix::from_rows(2, vec![0.0, 1.0, 2.0, 1.0, 0.0, 5.0]).unwrap();
        assert_eq!(all.distances(&signals).unwrap(), [2.0, 8.0, 10.0]);
        let mut degrees = [0.0; 3];
        all.degrees(&[1.0, 2.0, 4.0], &mut degrees);
        assert_eq!(degrees, [3.0, 5.0, 6.0]);
        let near = Candidates::nearest(&signals, 1).unwrap();
        assert_eq!(near.pairs().collect::<Vec<_>>(), [(0, 1), (0, 2)]);
    }

    #[test]
    fn weights_and_graph_are_inverse() {
        let all = Candidates::all(4).unwrap();
        let weights = [0.0, 0.5, 0.0, 1.5, 0.0, 0.25];
        let graph = all.graph(&weights, 0.0).unwrap();
        assert_eq!((graph.edges().len(), all.weights(&graph)), (3, weights.to_vec()));
        assert_eq!(Candidates::of(&graph).weights(&graph), [0.5, 1.5, 0.25]);
    }

    #[test]
    fn bad_signals_are_refused() {
        let bad = Matrix::from_rows(1, vec![0.0, f64::NAN]).unwrap();
        assert!(Candidates::all(2).unwrap().distances(&bad).is_err());
        assert!(Candidates::nearest(&bad, 1).is_err());
        let three = Matrix::zeros(3, 1);
        assert!(Candidates::all(2).unwrap().distances(&three).is_err());
        assert!(Candidates::all(0).is_err());
        let one = Candidates::all(1).unwrap();
        assert!(one.is_empty() && !one.is_paired(0));
    }
}
