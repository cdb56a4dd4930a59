//! The empirical graph with the names of its nodes.

use std::collections::HashSet;

use super::names::{Places, distinct, in_order, natural_order, places};
use super::points::Table;
use crate::Error;

/// Nodes by name, and undirected weighted edges between them.
///
/// ```
/// use netfed::Edges;
///
/// let edges = Edges::from_names([("b", "a", 1.0), ("a", "c", 0.5)])?;
/// assert_eq!(edges.nodes(), ["b", "a", "c"]);
/// assert_eq!(edges.pairs(), [(0, 1, 1.0), (1, 2, 0.5)]);
/// assert_eq!(edges.graph()?.degree(1), 2);
/// # Ok::<(), netfed::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Edges {
    nodes: Vec<String>,
    pairs: Vec<(u32, u32, f64)>,
}

impl Edges {
    /// Edges from the distinct names of the nodes, and for every edge two places among them and a
    /// weight above 0. No pair may come twice; a node may have no edge.
    pub fn new(nodes: Vec<String>, pairs: Vec<(u32, u32, f64)>) -> Result<Edges, Error> {
        distinct("node", &nodes)?;
        for (edge, &(a, b, weight)) in pairs.iter().enumerate() {
            if let Some(node) = [a, b].into_iter().find(|&i| i as usize >= nodes.len()) {
                let (node, nodes) = (node as usize, nodes.len());
                return Err(Error::NodeOutOfRange { edge, node, nodes });
            }
            let between = || format!("between {:?} and {:?}", nodes[a as usize], nodes[b as usize]);
            if a == b {
                return refuse(format!("an edge joins {:?} with itself", nodes[a as usize]));
            }
            if !(weight > 0.0 && weight.is_finite()) {
                return refuse(format!(
                    "the edge {} has weight {weight}; a weight must be positive and finite",
                    between()
                ));
            }
        }
        let mut sorted: Vec<(u32, u32)> =
            pairs.iter().map(|&(a, b, _)| (a.min(b), a.max(b))).collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|w| w[0] == w[1]) {
            let [a, b] = [twice[0].0, twice[0].1].map(|i| &nodes[i as usize]);
            return refuse(format!("the edge between {a:?} and {b:?} is given twice"));
        }
        Ok(Edges { nodes, pairs })
    }

    /// The same from names; the nodes come in the order of their first edges.
    pub fn from_names(
        edges: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<str>, f64)>,
    ) -> Result<Edges, Error> {
        let mut places = Places::default();
        let mut pairs = Vec::new();
        for (a, b, weight) in edges {
            pairs.push((places.of(a.as_ref()), places.of(b.as_ref()), weight));
        }
        Edges::new(places.names, pairs)
    }

    /// Nodes without any edge.
    pub fn none(nodes: Vec<String>) -> Result<Edges, Error> {
        Edges::new(nodes, Vec::new())
    }

    /// The distinct names of the nodes.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// Every edge as two places in [`Edges::nodes`] and its weight.
    pub fn pairs(&self) -> &[(u32, u32, f64)] {
        &self.pairs
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no edge.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The same with more nodes, those that are not there yet.
    pub fn and_nodes(mut self, more: impl IntoIterator<Item = String>) -> Edges {
        let mut known: HashSet<String> = self.nodes.iter().cloned().collect();
        self.nodes.extend(more.into_iter().filter(|name| known.insert(name.clone())));
        self
    }

    /// The edges for which `keep` says so; all nodes stay.
    pub fn select(&self, keep: impl Fn(usize) -> bool) -> Edges {
        let kept = self.pairs.iter().enumerate().filter(|(edge, _)| keep(*edge));
        Edges { nodes: self.nodes.clone(), pairs: kept.map(|(_, pair)| *pair).collect() }
    }

    /// The same where the nodes are those of a table, followed by those that have no data.
    pub fn after(self, table: &Table) -> Edges {
        let mut nodes = table.nodes().to_vec();
        let places = places(&self.nodes, &nodes);
        let place = |(name, place): (String, Option<u32>)| {
            place.unwrap_or_else(|| {
                nodes.push(name);
                (nodes.len() - 1) as u32
            })
        };
        let places: Vec<u32> = self.nodes.into_iter().zip(places).map(place).collect();
        Edges { nodes, pairs: renumbered(self.pairs, &places) }
    }

    /// The same with the nodes in their natural order.
    pub fn in_natural_order(self) -> Edges {
        let (nodes, places) = in_order(self.nodes);
        Edges { nodes, pairs: renumbered(self.pairs, &places) }
    }

    /// The same where the nodes are `nodes`, among them all of these.
    pub fn with_nodes(self, nodes: Vec<String>) -> Result<Edges, Error> {
        distinct("node", &nodes)?;
        let places = places(&self.nodes, &nodes);
        if let Some(at) = places.iter().position(Option::is_none) {
            let (name, count) = (&self.nodes[at], nodes.len());
            return refuse(format!("the node {name:?} is none of the {count} nodes"));
        }
        let places: Vec<u32> = places.into_iter().flatten().collect();
        Ok(Edges { nodes, pairs: renumbered(self.pairs, &places) })
    }
}

fn renumbered(mut pairs: Vec<(u32, u32, f64)>, places: &[u32]) -> Vec<(u32, u32, f64)> {
    for (a, b, _) in &mut pairs {
        (*a, *b) = (places[*a as usize], places[*b as usize]);
    }
    pairs
}

/// Both with all nodes of either, in their natural order.
pub fn in_natural_order(table: Table, edges: Edges) -> Result<(Table, Edges), Error> {
    let mut nodes: Vec<String> = table.nodes().iter().chain(edges.nodes()).cloned().collect();
    nodes.sort_unstable_by(|a, b| natural_order(a, b));
    nodes.dedup();
    Ok((table.with_nodes(nodes.clone())?, edges.with_nodes(nodes)?))
}

fn refuse<T>(reason: String) -> Result<T, Error> {
    Err(Error::BadTable { reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|n| (*n).to_owned()).collect()
    }

    #[test]
    fn what_is_wrong_is_a_sentence() {
        for (pairs, part) in [
            (vec![(0, 2, 1.0)], "only 2 nodes"),
            (vec![(1, 1, 1.0)], "joins \"b\" with itself"),
            (vec![(0, 1, 0.0)], "has weight 0"),
            (vec![(0, 1, f64::INFINITY)], "has weight inf"),
            (vec![(0, 1, 1.0), (1, 0, 2.0)], "between \"a\" and \"b\" is given twice"),
        ] {
            let message = Edges::new(names(&["a", "b"]), pairs).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        assert!(Edges::none(names(&["a", "a"])).is_err());
    }

    #[test]
    fn tables_and_edges_get_one_order() {
        let table = Table::from_rows(["n10", "n2"], names(&["x"]), vec![1.0, 2.0], None).unwrap();
        let edges = Edges::from_names([("n10", "n1", 1.0), ("n2", "n10", 2.0)]).unwrap();
        let (table, edges) = in_natural_order(table, edges).unwrap();
        assert_eq!(table.nodes(), ["n1", "n2", "n10"]);
        assert_eq!(table.node_of_row(), [2, 1]);
        assert_eq!(edges.nodes(), table.nodes());
        assert_eq!(edges.pairs(), [(2, 0, 1.0), (1, 2, 2.0)]);
        let alone = Edges::from_names([("n10", "n1", 1.0)]).unwrap().in_natural_order();
        assert_eq!(
            (alone.nodes(), alone.pairs()),
            (&names(&["n1", "n10"])[..], &[(1, 0, 1.0)][..])
        );
    }

    #[test]
    fn nodes_without_data_come_last() {
        let table = Table::from_rows(["b", "a"], names(&["x"]), vec![1.0, 2.0], None).unwrap();
        let edges = Edges::from_names([("c", "a", 1.0), ("d", "b", 2.0)]).unwrap().after(&table);
        assert_eq!(edges.nodes(), ["b", "a", "c", "d"]);
        assert_eq!(edges.pairs(), [(2, 1, 1.0), (3, 0, 2.0)]);
        assert_eq!(edges.clone().and_nodes(names(&["d", "a"])), edges);
        assert_eq!(edges.select(|e| e == 1).pairs(), [(3, 0, 2.0)]);
    }
}
