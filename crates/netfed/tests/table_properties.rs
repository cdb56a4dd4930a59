//! What holds for every table and all edges with names: any input is taken or refused with a
//! reason, and putting nodes into another order loses nothing.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

use std::cmp::Ordering;
use std::collections::BTreeSet;

use netfed::{Edges, Table, in_natural_order, natural_order};
use proptest::prelude::*;

/// Names that natural order finds hard.
fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[ab0-9]{0,4}", "0{0,3}[1-9]?[a.]?0{0,2}", "\\PC{0,3}"]
}

fn names(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(name(), count)
        .prop_map(|set| set.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

/// A table of two features.
fn table() -> impl Strategy<Value = Table> {
    names(1..5).prop_flat_map(|nodes| {
        let row = (0..nodes.len() as u32, -9i8..9, -9i8..9, -9i8..9);
        prop::collection::vec(row, 0..8).prop_map(move |rows| {
            let x = rows.iter().flat_map(|row| [f64::from(row.1), f64::from(row.2)]).collect();
            let y = rows.iter().map(|row| f64::from(row.3)).collect();
            let node_of_row = rows.iter().map(|row| row.0).collect();
            let features = vec!["a".to_owned(), "b".to_owned()];
            Table::new(nodes.clone(), node_of_row, features, x, Some(y)).unwrap()
        })
    })
}

/// Edges between nodes next to each other in a list.
fn edges() -> impl Strategy<Value = Edges> {
    (names(2..6), prop::collection::vec(1e-3..1e3, 5)).prop_map(|(nodes, weights)| {
        let pairs = (1..nodes.len() as u32).zip(weights);
        let pairs = pairs.map(|(k, weight)| (k, k - 1, weight)).collect();
        Edges::new(nodes, pairs).unwrap()
    })
}

/// Every row with the name of its node.
fn rows(table: &Table) -> Vec<(&str, &[f64], f64)> {
    let name = |row: usize| table.nodes()[table.node_of_row()[row] as usize].as_str();
    (0..table.rows()).map(|r| (name(r), table.row(r), table.y().unwrap()[r])).collect()
}

/// Every edge with the names of its ends.
fn ends(edges: &Edges) -> Vec<(&str, &str, f64)> {
    let name = |node: u32| edges.nodes()[node as usize].as_str();
    edges.pairs().iter().map(|&(a, b, weight)| (name(a), name(b), weight)).collect()
}

proptest! {
    #[test]
    fn natural_order_is_an_order(a in name(), b in name(), c in name()) {
        prop_assert_eq!(natural_order(&a, &b), natural_order(&b, &a).reverse());
        prop_assert_eq!(natural_order(&a, &b) == Ordering::Equal, a == b);
        let mut sorted = [a, b, c];
        sorted.sort_by(|a, b| natural_order(a, b));
        prop_assert_ne!(natural_order(&sorted[0], &sorted[2]), Ordering::Greater);
    }

    #[test]
    fn any_parts_give_a_table_or_a_reason(
        nodes in prop::collection::vec(name(), 0..4),
        node_of_row in prop::collection::vec(0u32..5, 0..5),
        features in prop::collection::vec("[a-c]", 0..3),
        x in prop::collection::vec(prop_oneof![9 => -1.0..1.0, 1 => any::<f64>()], 0..12),
        y in prop::option::of(prop::collection::vec(prop_oneof![9 => -1.0..1.0, 1 => any::<f64>()], 0..5)),
    ) {
        let distinct =
            |names: &[String]| names.iter().collect::<BTreeSet<&String>>().len() == names.len();
        let rows = node_of_row.len();
        let good = distinct(&nodes)
            && distinct(&features)
            && node_of_row.iter().all(|node: &u32| (*node as usize) < nodes.len())
            && x.len() == rows * features.len()
            && y.as_ref().is_none_or(|y: &Vec<f64>| y.len() == rows)
            && x.iter().chain(y.iter().flatten()).all(|v: &f64| v.is_finite());
        prop_assert_eq!(Table::new(nodes, node_of_row, features, x, y).is_ok(), good);
    }

    #[test]
    fn rows_keep_their_nodes_in_any_order(table in table(), edges in edges()) {
        let ordered = table.clone().in_natural_order();
        prop_assert_eq!(rows(&ordered), rows(&table));
        prop_assert!(ordered.nodes().is_sorted_by(|a, b| natural_order(a, b).is_lt()));
        let (both, joined) = in_natural_order(table.clone(), edges.clone()).unwrap();
        prop_assert_eq!(rows(&both), rows(&table));
        prop_assert_eq!(ends(&joined), ends(&edges));
        prop_assert_eq!(both.nodes(), joined.nodes());
        let after = edges.clone().after(&table);
        prop_assert_eq!(ends(&after), ends(&edges));
        prop_assert!(after.nodes().starts_with(table.nodes()));
    }

    #[test]
    fn a_selection_and_the_rest_are_all_rows(table in table(), kept in prop::collection::vec(any::<bool>(), 8)) {
        let (some, rest) = (table.select(|row| kept[row]), table.select(|row| !kept[row]));
        let (mut some, mut rest) = (rows(&some).into_iter(), rows(&rest).into_iter());
        for (row, whole) in rows(&table).into_iter().enumerate() {
            let next = if kept[row] { some.next() } else { rest.next() };
            prop_assert_eq!(next, Some(whole));
        }
        prop_assert_eq!((some.next(), rest.next()), (None, None));
        let counted = table.points_per_node();
        prop_assert_eq!(counted, table.rows_of_nodes().iter().map(Vec::len).collect::<Vec<_>>());
    }
}
