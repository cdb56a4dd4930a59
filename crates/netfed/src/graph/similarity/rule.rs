//! Which pairs of nodes are joined:
//!
//! | rule | edge between i and j when |
//! | --- | --- |
//! | `Threshold` | D(i, j) ≤ η, (43) of "Networked Federated Learning" |
//! | `Nearest` | j is among the k nearest of i, or i among those of j |
//! | `TreeAndNearest` | the same, or it belongs to the minimum spanning tree: the graph is connected |
//! | `Complete` | always |
//!
//! Equal discrepancies are ordered by the numbers of the nodes. Nodes that cannot be compared (D =
//! ∞) are never joined.

use super::found::Found;
use super::spanning_tree::spanning_tree;
use crate::Error;
use crate::error::nonnegative;
use crate::graph::discrepancy::Discrepancy;
use crate::numeric::threads::*;
use crate::outcome::{Event, Shared};

/// A search for k neighbors first looks at this times k nodes.
const FIRST: usize = 4;

/// Which pairs of nodes are joined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// Those with a discrepancy of at most η.
    Threshold(f64),
    /// Every node with its k nearest.
    Nearest(usize),
    /// The minimum spanning tree, and every node with its k nearest.
    TreeAndNearest(usize),
    /// All.
    Complete,
}

impl Rule {
    /// How often the observer is told about a row of discrepancies, for n nodes.
    pub fn rows(self, n: usize) -> usize {
        match self {
            Rule::TreeAndNearest(k) => n + if k > 0 { n } else { 0 },
            _ => n,
        }
    }

    pub(super) fn check(self) -> Result<(), Error> {
        match self {
            Rule::Threshold(eta) => nonnegative("the threshold η", eta),
            Rule::Nearest(0) => Err(Error::BadNumber {
                name: "the number of neighbors",
                value: 0.0,
                expected: "at least 1",
            }),
            _ => Ok(()),
        }
    }

    pub(super) fn edges(
        self,
        all: &dyn Discrepancy,
        observer: &Shared<'_>,
    ) -> Result<Found, Error> {
        match self {
            Rule::Threshold(eta) => each_row(all, observer, |i| within(all, i, eta)),
            Rule::Complete => each_row(all, observer, |i| within(all, i, f64::MAX)),
            Rule::Nearest(k) => each_row(all, observer, |i| nearest(all, i, k)),
            Rule::TreeAndNearest(k) => {
                let tree = spanning_tree(all, observer)?;
                if tree.stopped || k == 0 {
                    return Ok(tree);
                }
                let mut found = each_row(all, observer, |i| nearest(all, i, k))?;
                found.edges.extend(tree.edges);
                Ok(found.sorted())
            }
        }
    }
}

/// The edges that every node asks for.
fn each_row(
    all: &dyn Discrepancy,
    observer: &Shared<'_>,
    row: impl Fn(usize) -> Result<Vec<(usize, usize, f64)>, Error> + Sync,
) -> Result<Found, Error> {
    let rows = (0..all.nodes()).into_par_iter().map(|i| {
        // None once the observer says stop.
        Ok(if observer.tell(Event::round(i as u64)).is_break() { None } else { Some(row(i)?) })
    });
    let rows = rows.collect::<Result<Vec<Option<_>>, Error>>()?;
    let stopped = rows.iter().any(Option::is_none);
    Ok(Found { edges: rows.into_iter().flatten().flatten().collect(), stopped }.sorted())
}

/// The edges to later nodes of at most this discrepancy.
fn within(all: &dyn Discrepancy, i: usize, most: f64) -> Result<Vec<(usize, usize, f64)>, Error> {
    let mut edges = Vec::new();
    for j in i + 1..all.nodes() {
        if all.at_least(i, j) > most {
            continue;
        }
        let d = all.between(i, j)?;
        if d <= most {
            edges.push((i, j, d));
        }
    }
    Ok(edges)
}

/// The edges to the k nearest nodes. First the nodes that seem nearest by what is known quickly,
/// then, in the same order, those that may be nearer than what was found.
fn nearest(all: &dyn Discrepancy, i: usize, k: usize) -> Result<Vec<(usize, usize, f64)>, Error> {
    let mut order: Vec<(f64, usize)> =
        (0..all.nodes()).filter(|j| *j != i).map(|j| (all.at_least(i, j), j)).collect();
    let by_bound = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let first = k.saturating_mul(FIRST).min(order.len());
    if first < order.len() {
        order.select_nth_unstable_by(first, by_bound);
    }
    let mut found: Vec<(f64, usize)> = Vec::with_capacity(k.min(order.len()) + 1);
    let mut rest = order.split_off(first);
    for part in [&mut order, &mut rest] {
        if let Some(&last) = found.get(k - 1) {
            part.retain(|may| *may < last);
        }
        part.sort_unstable_by(by_bound);
        for &(bound, j) in part.iter() {
            // All that follow are at least as far.
            if found.get(k - 1).is_some_and(|last| (bound, j) > *last) {
                break;
            }
            let d = all.between(i.min(j), i.max(j))?;
            if d == f64::INFINITY {
                continue;
            }
            let place = found.partition_point(|f| *f < (d, j));
            if place < k {
                found.insert(place, (d, j));
                found.truncate(k);
            }
        }
    }
    Ok(found.iter().map(|&(d, j)| (i.min(j), i.max(j), d)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;
    use crate::graph::similarity::{Weights, similarity_graph, similarity_graph_with};
    use std::ops::ControlFlow;

    /// Points on a line; the node at NaN cannot be compared.
    struct Line(Vec<f64>);

    impl Discrepancy for Line {
        fn nodes(&self) -> usize {
            self.0.len()
        }

        fn between(&self, i: usize, j: usize) -> Result<f64, Error> {
            let d = (self.0[i] - self.0[j]).abs();
            Ok(if d.is_nan() { f64::INFINITY } else { d })
        }
    }

    fn build(line: &Line, rule: Rule) -> Graph {
        similarity_graph(line, rule, Weights::One).unwrap().graph
    }

    fn pairs(graph: &Graph) -> Vec<(usize, usize)> {
        graph.edges().iter().map(|e| (e.tail, e.head)).collect()
    }

    #[test]
    fn every_rule_joins_its_pairs() {
        let line = Line(vec![0.0, 1.0, 1.5, 10.0, 10.5, f64::NAN, 30.0]);
        let of = |rule| pairs(&build(&line, rule));
        assert_eq!(of(Rule::Threshold(1.0)), [(0, 1), (1, 2), (3, 4)]);
        assert_eq!(of(Rule::Nearest(1)), [(0, 1), (1, 2), (3, 4), (4, 6)]);
        assert_eq!(of(Rule::TreeAndNearest(0)), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 6)]);
        assert_eq!(
            of(Rule::TreeAndNearest(2)),
            [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (3, 6), (4, 6)]
        );
        assert_eq!(of(Rule::Complete).len(), 15);
        for k in [5, 6, 100, usize::MAX] {
            assert_eq!(of(Rule::Nearest(k)).len(), 15, "{k}");
        }
    }

    #[test]
    fn no_nodes_and_one_node_are_graphs() {
        for n in [0, 1] {
            let line = Line(vec![1.0; n]);
            for rule in
                [Rule::Threshold(1.0), Rule::Nearest(3), Rule::TreeAndNearest(3), Rule::Complete]
            {
                assert_eq!(build(&line, rule).edges().len(), 0);
            }
        }
    }

    #[test]
    fn equal_distances_are_taken_in_order() {
        let same = Line(vec![2.0; 5]);
        assert_eq!(
            pairs(&build(&same, Rule::Nearest(1))),
            [(0, 1), (0, 2), (0, 3), (0, 4)],
            "the first of equal ones"
        );
    }

    #[test]
    fn bad_rules_and_an_observer_that_says_stop() {
        let line = Line(vec![0.0, 1.0, 2.0]);
        for rule in [Rule::Threshold(-1.0), Rule::Threshold(f64::NAN), Rule::Nearest(0)] {
            assert!(similarity_graph(&line, rule, Weights::One).is_err());
        }
        for rule in [Rule::Complete, Rule::Nearest(1), Rule::TreeAndNearest(1)] {
            let mut stop = |_: Event<'_>| ControlFlow::Break(());
            let built = similarity_graph_with(&line, rule, Weights::One, &mut stop).unwrap();
            assert!(built.stopped && built.graph.edges().is_empty());
        }
    }
}
