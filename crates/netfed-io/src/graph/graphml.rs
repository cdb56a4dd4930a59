//! Graphs in GraphML: `node id`, `edge source target`, the weight in a `data` element whose `key`
//! is named "weight". What would make a weight get lost is an error: data of a key that is not
//! declared, a key of edges whose name is nearly "weight".

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use netfed::Edges;
use roxmltree::Node;

use crate::error::Error;
use crate::graph::edges::Collected;
use crate::graph::xml::{Lines, children, read_graph};
use crate::rows::header::is_near;
use crate::text::quote;

/// Reads a GraphML file. Edges without a weight have the default of its key, or 1.
pub(crate) fn read_graphml(path: &Path) -> Result<Edges, Error> {
    read_graph(path, "graphml", collect)
}

fn collect(graph: Node<'_, '_>, lines: &Lines, found: &mut Collected) -> Result<(), Error> {
    lines.undirected(graph, graph.attribute("edgedefault") == Some("directed"))?;
    let keys = Keys::new(graph, lines)?;
    // Nodes may follow their edges.
    for node in children(graph, "node") {
        if let Some(inner) = children(node, "graph").next() {
            return Err(lines.wrong(inner, "graphs inside nodes are not read"));
        }
        lines.node(node, found)?;
    }
    for edge in children(graph, "edge") {
        lines.undirected(edge, edge.attribute("directed") == Some("true"))?;
        lines.edge(edge, keys.weight(edge, lines)?, found)?;
    }
    match children(graph, "hyperedge").next() {
        Some(edge) => Err(lines.wrong(edge, "expected edges between two nodes, found a hyperedge")),
        None => Ok(()),
    }
}

/// The keys of data of edges.
#[derive(Default)]
struct Keys<'a> {
    /// Those of weights, with their defaults.
    weights: BTreeMap<&'a str, f64>,
    others: BTreeSet<&'a str>,
}

impl<'a> Keys<'a> {
    fn new(graph: Node<'a, '_>, lines: &Lines) -> Result<Keys<'a>, Error> {
        let mut keys = Keys::default();
        let mut near = None;
        for key in graph.parent().into_iter().flat_map(|root| children(root, "key")) {
            if !matches!(key.attribute("for"), None | Some("edge" | "all")) {
                continue;
            }
            let id = lines.id(key, "id")?;
            match key.attribute("attr.name") {
                Some("weight") => {
                    let default = match children(key, "default").next() {
                        Some(own) => lines.weight(own, own.text().unwrap_or_default())?,
                        None => 1.0,
                    };
                    keys.weights.insert(id, default);
                }
                name => {
                    let name = name.unwrap_or_default();
                    if is_near("weight", name) {
                        near = near.or(Some((key, name)));
                    }
                    keys.others.insert(id);
                }
            }
        }
        match near {
            Some((key, name)) if keys.weights.is_empty() => Err(lines.wrong(
                key,
                format!("the key of the weights has attr.name \"weight\", found {}", quote(name)),
            )),
            _ => Ok(keys),
        }
    }

    fn weight(&self, edge: Node<'_, '_>, lines: &Lines) -> Result<f64, Error> {
        let mut weight = self.weights.values().next().copied().unwrap_or(1.0);
        for data in children(edge, "data") {
            let key = data.attribute("key").unwrap_or_default();
            if self.weights.contains_key(key) {
                weight = lines.weight(data, data.text().unwrap_or_default())?;
            } else if !self.others.contains(key) {
                let key = quote(key);
                return Err(lines.wrong(
                    data,
                    format!(
                        "no \"key\" for edges has the id {key}; declare the one of weights by <key id={key} for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>"
                    ),
                ));
            }
        }
        Ok(weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::fixture::Folder;

    fn graphml(inside: &str) -> String {
        format!(
            "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n{inside}\n</graphml>\n"
        )
    }

    #[test]
    fn graphs_are_read_with_their_weights_and_single_nodes() {
        let folder = Folder::new();
        let text = graphml(
            "<key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"><default>2</default></key>\n\
             <key id=\"d1\" for=\"node\" attr.name=\"weight\" attr.type=\"double\"/>\n\
             <graph edgedefault=\"undirected\"><node id=\"a &amp; b\"><data key=\"d1\">x</data></node><node id=\"alone\"/>\n\
             <edge source=\"a &amp; b\" target=\" c \"><data key=\"d0\"> 0.5 </data></edge><edge source=\"c\" target=\"d\"/>\n\
             <node id=\"c\"/><node id=\"d\"/></graph>",
        );
        let list = read_graphml(&folder.plain("g.graphml", text.as_bytes())).unwrap();
        assert_eq!(list.nodes(), ["a & b", "alone", "c", "d"]);
        assert_eq!(list.pairs(), [(0, 2, 0.5), (2, 3, 2.0)]);
    }

    fn edge(inside: &str) -> String {
        graphml(&format!("<graph>\n{inside}\n</graph>"))
    }

    /// Texts that are no graph in GraphML, and what is said about them.
    fn no_graphs() -> Vec<(String, &'static str)> {
        let bomb = "<!DOCTYPE g [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<graphml/>";
        let deep = format!("<graphml>{}", "<x>".repeat(300_000));
        vec![
            (String::new(), ": the file is empty."),
            ("source,target\na,b\n".into(), ", line 1: it cannot be read as XML (unknown token)."),
            (
                "<graphml>\n&a;</graphml>".into(),
                ", line 2: it cannot be read as XML (unknown entity reference 'a').",
            ),
            (bomb.into(), ", line 1: a document type is not read"),
            (
                deep,
                ", line 1: it cannot be read as XML (the root node was opened but never closed).",
            ),
            ("<gexf/>".into(), ", line 1: expected the element \"graphml\", found \"gexf\"."),
            (graphml(""), ", line 2: expected an element \"graph\", found none."),
            (
                graphml("<graph/>\n<graph/>"),
                ", line 4: expected one graph in the file, found another.",
            ),
        ]
    }

    /// Graphs that are not read, and what is said about them.
    fn bad_graphs() -> Vec<(String, &'static str)> {
        vec![
            (graphml("<graph edgedefault=\"directed\"/>"), ", line 3: expected undirected edges"),
            (
                edge("<edge source=\"a\" target=\"b\" directed=\"true\"/>"),
                ", line 4: expected undirected",
            ),
            (
                edge("<edge source=\"a\"/>"),
                ", line 4: expected a node id in \"target\" of \"edge\", found none.",
            ),
            (
                edge("<node id=\" \"/>"),
                ", line 4: expected a node id in \"id\" of \"node\", found \"\".",
            ),
            (
                edge("<edge source=\"a\" target=\"a\"/>"),
                ", line 4: expected an edge between two different nodes",
            ),
            (
                edge(
                    "<node id=\"a\"/><node id=\"b\"/><edge source=\"a\" target=\"b\"/>\n<edge source=\"b\" target=\"a\"/>",
                ),
                ", line 5: the edge between \"b\" and \"a\" was already given on line 4.",
            ),
            (
                edge("<node id=\"a\"/>\n<edge source=\"a\" target=\"b\"/>"),
                ", line 5: the edge joins \"b\", which is no node of the file.",
            ),
            (
                edge("<edge source=\"a\" target=\"b\"/>"),
                ", line 4: the edge joins \"a\", which is no node of the file.",
            ),
            (
                edge("<node id=\"a\"/>\n<node id=\" a\"/>"),
                ", line 5: the node \"a\" was already given on line 4.",
            ),
        ]
    }

    /// Weights and inner graphs that are not read.
    fn bad_parts() -> Vec<(String, &'static str)> {
        let weight = "<key id=\"w\" attr.name=\"weight\"/>";
        vec![
            (
                edge(
                    "<node id=\"a\"/><node id=\"b\"/>\n<edge source=\"a\" target=\"b\">\n<data key=\"weight\">2</data></edge>",
                ),
                ", line 6: no \"key\" for edges has the id \"weight\"; declare the one of weights by <key id=\"weight\" for=\"edge\"",
            ),
            (
                graphml("<key id=\"w\" for=\"edge\" attr.name=\"Weights\"/>\n<graph/>"),
                ", line 3: the key of the weights has attr.name \"weight\", found \"Weights\".",
            ),
            (
                edge("<hyperedge/>"),
                ", line 4: expected edges between two nodes, found a hyperedge.",
            ),
            (
                edge("<node id=\"a\">\n<graph/></node>"),
                ", line 5: graphs inside nodes are not read.",
            ),
            (
                graphml(&format!(
                    "{weight}<graph><edge source=\"a\" target=\"b\">\n<data key=\"w\">-1</data></edge></graph>"
                )),
                ", line 4: expected a weight that is a number above 0, found \"-1\".",
            ),
        ]
    }

    #[test]
    fn every_fault_is_one_clear_sentence() {
        let folder = Folder::new();
        for (text, expected) in [no_graphs(), bad_graphs(), bad_parts()].concat() {
            let path = folder.plain("g.graphml", text.as_bytes());
            let message = folder.message(&read_graphml(&path).unwrap_err());
            assert!(message.starts_with(&format!("g.graphml{expected}")), "{message}");
        }
        let path = folder.plain("g.graphml", b"<graphml>\n\xff</graphml>");
        let message = folder.message(&read_graphml(&path).unwrap_err());
        assert_eq!(message, "g.graphml, line 2: expected UTF-8 text.");
    }
}
