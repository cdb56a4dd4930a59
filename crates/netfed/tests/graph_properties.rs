//! What holds for every graph: any edges are sorted and seen from both ends, or refused.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

use std::collections::{BTreeMap, BTreeSet};

use netfed::{Error, Graph};
use proptest::prelude::*;

/// Nodes, and edges as a user gives them.
type Given = (usize, Vec<(usize, usize, f64)>);

/// Any edges: loops, doubles, nodes that there are not and weights that are none among them.
fn any_edges() -> impl Strategy<Value = Given> {
    let weight = prop_oneof![8 => 1e-300..1e300, 1 => any::<f64>()];
    (0usize..12).prop_flat_map(move |nodes| {
        let end = 0..nodes + 2;
        (Just(nodes), prop::collection::vec((end.clone(), end, weight.clone()), 0..12))
    })
}

/// Edges of a graph, in any order and direction.
fn good_edges() -> impl Strategy<Value = Given> {
    (2usize..16).prop_flat_map(|nodes| {
        let pair = (0..nodes, 1..nodes).prop_map(move |(a, step)| (a, (a + step) % nodes));
        let edges = prop::collection::vec((pair, 1e-3..1e3), 0..40);
        edges.prop_map(move |edges| {
            let mut seen = BTreeSet::new();
            let new = |&((a, b), _): &((usize, usize), f64)| seen.insert((a.min(b), a.max(b)));
            let kept = edges.into_iter().filter(new).map(|((a, b), weight)| (a, b, weight));
            (nodes, kept.collect())
        })
    })
}

/// What is wrong with edges, by its definition.
fn fault(nodes: usize, edges: &[(usize, usize, f64)]) -> bool {
    let pairs: BTreeSet<_> = edges.iter().map(|&(a, b, _)| (a.min(b), a.max(b))).collect();
    let bad = |&(a, b, w): &(usize, usize, f64)| {
        a == b || a >= nodes || b >= nodes || !(w > 0.0 && w.is_finite())
    };
    pairs.len() < edges.len() || edges.iter().any(bad)
}

/// Components by their definition: labels go along edges until nothing changes.
fn components(graph: &Graph, keep: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut least: Vec<usize> = (0..graph.nodes()).collect();
    for _ in 0..graph.nodes() {
        for (_, edge) in graph.edges().iter().enumerate().filter(|(k, _)| keep(*k)) {
            let label = least[edge.tail].min(least[edge.head]);
            (least[edge.tail], least[edge.head]) = (label, label);
        }
    }
    let firsts: BTreeSet<usize> = least.iter().copied().collect();
    let number: BTreeMap<usize, usize> = firsts.into_iter().zip(0..).collect();
    least.iter().map(|label| number[label]).collect()
}

proptest! {
    #[test]
    fn any_edges_give_a_graph_or_a_reason((nodes, edges) in any_edges()) {
        let graph = Graph::new(nodes, &edges);
        prop_assert_eq!(graph.is_err(), fault(nodes, &edges));
        match graph {
            Ok(graph) => prop_assert_eq!(graph.edges().len(), edges.len()),
            Err(Error::NodeOutOfRange { edge, node, .. }) => {
                prop_assert!(node >= nodes && [edges[edge].0, edges[edge].1].contains(&node));
            }
            Err(Error::SelfLoop { edge, node }) => {
                prop_assert_eq!((edges[edge].0, edges[edge].1), (node, node));
            }
            Err(Error::BadWeight { edge, weight }) => {
                prop_assert_eq!(edges[edge].2.to_bits(), weight.to_bits());
            }
            Err(Error::DuplicateEdge { tail, head }) => {
                let same = |&&(a, b, _): &&(usize, usize, f64)| (a.min(b), a.max(b)) == (tail, head);
                prop_assert!(edges.iter().filter(same).count() > 1);
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn edges_are_sorted_and_none_is_lost((nodes, edges) in good_edges()) {
        let graph = Graph::new(nodes, &edges).unwrap();
        let found: Vec<_> = graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
        prop_assert!(found.windows(2).all(|p| (p[0].0, p[0].1) < (p[1].0, p[1].1)));
        let mut given: Vec<_> =
            edges.iter().map(|&(a, b, weight)| (a.min(b), a.max(b), weight)).collect();
        given.sort_by_key(|&(tail, head, _)| (tail, head));
        prop_assert_eq!(found, given);
    }

    #[test]
    fn the_order_of_the_edges_does_not_matter((nodes, edges) in good_edges()) {
        let turned: Vec<_> = edges.iter().rev().map(|&(a, b, weight)| (b, a, weight)).collect();
        prop_assert_eq!(Graph::new(nodes, &edges).unwrap(), Graph::new(nodes, &turned).unwrap());
    }

    #[test]
    fn every_edge_is_seen_from_both_ends((nodes, edges) in good_edges()) {
        let graph = Graph::new(nodes, &edges).unwrap();
        let mut seen = vec![0; edges.len()];
        for node in 0..nodes {
            let incident = graph.incident(node);
            prop_assert_eq!(incident.len(), graph.degree(node));
            prop_assert!(incident.windows(2).all(|p| p[0].edge() < p[1].edge()));
            for at in incident {
                let edge = graph.edges()[at.edge()];
                let ends = if at.sign() > 0.0 { (node, at.neighbor()) } else { (at.neighbor(), node) };
                prop_assert_eq!(ends, (edge.tail, edge.head));
                prop_assert_eq!(at.sign().abs(), 1.0);
                seen[at.edge()] += 1;
            }
        }
        prop_assert!(seen.iter().all(|&times| times == 2));
    }

    #[test]
    fn components_are_what_kept_edges_reach(
        (nodes, edges) in good_edges(),
        kept in prop::collection::vec(any::<bool>(), 40),
    ) {
        let graph = Graph::new(nodes, &edges).unwrap();
        prop_assert_eq!(graph.components(|e| kept[e]), components(&graph, |e| kept[e]));
    }
}
