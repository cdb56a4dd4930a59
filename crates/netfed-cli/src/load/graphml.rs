//! Graphs in GraphML: `node id`, `edge source target`, the weight in a `data` element whose `key` is named "weight".

use std::collections::BTreeMap;
use std::path::Path;

use roxmltree::Node;

use super::InputError;
use super::edges::{Collected, EdgeList};
use super::xml::{Lines, children, read_graph};

/// Reads a GraphML file. Edges without a weight have the default of its key, or 1.
pub(super) fn read_graphml(path: &Path) -> Result<EdgeList, InputError> {
    read_graph(path, "graphml", collect)
}

fn collect(graph: Node<'_, '_>, lines: &Lines, found: &mut Collected) -> Result<(), InputError> {
    lines.undirected(graph, graph.attribute("edgedefault") == Some("directed"))?;
    let weights = weight_keys(graph, lines)?;
    for child in graph.children().filter(Node::is_element) {
        match child.tag_name().name() {
            "node" => {
                if let Some(inner) = children(child, "graph").next() {
                    return Err(lines.wrong(inner, "graphs inside nodes are not read"));
                }
                found.node(lines.id(child, "id")?).map_err(|e| lines.wrong(child, e))?;
            }
            "edge" => {
                lines.undirected(child, child.attribute("directed") == Some("true"))?;
                let weight = weight(child, lines, &weights)?;
                let (source, target) = (lines.id(child, "source")?, lines.id(child, "target")?);
                found
                    .add(source, target, weight, lines.place(child))
                    .map_err(|e| lines.wrong(child, e))?;
            }
            "hyperedge" => {
                return Err(
                    lines.wrong(child, "expected edges between two nodes, found a hyperedge")
                );
            }
            _ => {}
        }
    }
    Ok(())
}

/// The keys of weights, with their defaults.
fn weight_keys<'a>(
    graph: Node<'a, '_>,
    lines: &Lines,
) -> Result<BTreeMap<&'a str, f64>, InputError> {
    let mut keys = BTreeMap::new();
    for key in graph.parent().into_iter().flat_map(|root| children(root, "key")) {
        let about_edges = matches!(key.attribute("for"), None | Some("edge" | "all"));
        if !about_edges || key.attribute("attr.name") != Some("weight") {
            continue;
        }
        let default = match children(key, "default").next() {
            Some(default) => lines.weight(default, default.text().unwrap_or_default())?,
            None => 1.0,
        };
        keys.insert(lines.id(key, "id")?, default);
    }
    Ok(keys)
}

fn weight(
    edge: Node<'_, '_>,
    lines: &Lines,
    keys: &BTreeMap<&str, f64>,
) -> Result<f64, InputError> {
    for data in children(edge, "data") {
        if data.attribute("key").is_some_and(|key| keys.contains_key(key)) {
            return lines.weight(data, data.text().unwrap_or_default());
        }
    }
    Ok(keys.values().next().copied().unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Folder;
    use super::*;

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
             <edge source=\"a &amp; b\" target=\" c \"><data key=\"d0\"> 0.5 </data></edge><edge source=\"c\" target=\"d\"/></graph>",
        );
        let list = read_graphml(&folder.plain("g.graphml", text.as_bytes())).unwrap();
        assert_eq!(list.nodes, ["a & b", "alone", "c", "d"]);
        assert_eq!(list.edges, [(0, 2, 0.5), (2, 3, 2.0)]);
    }

    #[test]
    fn every_fault_is_one_clear_sentence() {
        let edge = |inside: &str| graphml(&format!("<graph>\n{inside}\n</graph>"));
        let weight = "<key id=\"w\" attr.name=\"weight\"/>";
        let bomb = "<!DOCTYPE g [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<graphml/>";
        let deep = format!("<graphml>{}", "<x>".repeat(300_000));
        let cases: Vec<(String, &str)> = vec![
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
                edge("<edge source=\"a\" target=\"b\"/>\n<edge source=\"b\" target=\"a\"/>"),
                ", line 5: the edge between \"b\" and \"a\" was already given on line 4.",
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
        ];
        let folder = Folder::new();
        for (text, expected) in cases {
            let path = folder.plain("g.graphml", text.as_bytes());
            let message = folder.message(&read_graphml(&path).unwrap_err());
            assert!(message.starts_with(&format!("g.graphml{expected}")), "{message}");
        }
        let path = folder.plain("g.graphml", b"<graphml>\n\xff</graphml>");
        let message = folder.message(&read_graphml(&path).unwrap_err());
        assert_eq!(message, "g.graphml, line 2: expected UTF-8 text.");
    }
}
