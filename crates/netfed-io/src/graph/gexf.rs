//! Graphs in GEXF: `node id` inside `nodes`, `edge source target weight` inside `edges`.

use std::path::Path;

use netfed::Edges;
use roxmltree::Node;

use crate::error::Error;
use crate::graph::edges::Collected;
use crate::graph::xml::{Lines, children, read_graph};

/// Reads a GEXF file. Edges without a weight have weight 1. Nodes are known by their ids, not by
/// their labels.
pub(crate) fn read_gexf(path: &Path) -> Result<Edges, Error> {
    read_graph(path, "gexf", collect)
}

fn collect(graph: Node<'_, '_>, lines: &Lines, found: &mut Collected) -> Result<(), Error> {
    lines.undirected(graph, graph.attribute("defaultedgetype") == Some("directed"))?;
    for node in children(graph, "nodes").flat_map(|nodes| children(nodes, "node")) {
        if let Some(inner) = children(node, "nodes").next() {
            return Err(lines.wrong(inner, "nodes inside nodes are not read"));
        }
        lines.node(node, found)?;
    }
    for edge in children(graph, "edges").flat_map(|edges| children(edges, "edge")) {
        lines.undirected(edge, edge.attribute("type") == Some("directed"))?;
        let weight = edge.attribute("weight").map_or(Ok(1.0), |text| lines.weight(edge, text))?;
        lines.edge(edge, weight, found)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::fixture::Folder;

    fn gexf(inside: &str) -> String {
        format!(
            "<gexf xmlns=\"http://gexf.net/1.3\" version=\"1.3\">\n<graph>\n{inside}\n</graph></gexf>"
        )
    }

    #[test]
    fn graphs_are_read() {
        let folder = Folder::new();
        let text = gexf(
            "<nodes><node id=\"0\" label=\"x\"/><node id=\"7\"/><node id=\"1\"/><node id=\"2\"/></nodes>\n\
             <edges><edge id=\"e\" source=\"1\" target=\"0\" weight=\"0.25\"/><edge source=\"0\" target=\"2\"/></edges>",
        );
        let list = read_gexf(&folder.plain("g.gexf", text.as_bytes())).unwrap();
        assert_eq!(list.nodes(), ["0", "7", "1", "2"]);
        assert_eq!(list.pairs(), [(2, 0, 0.25), (0, 3, 1.0)]);
    }

    #[test]
    fn faults_have_their_line() {
        let folder = Folder::new();
        for (inside, expected) in [
            (
                "<edges>\n<edge source=\"a\" target=\"b\" weight=\"0\"/></edges>",
                ", line 4: expected a weight",
            ),
            (
                "<edges><edge source=\"a\" target=\"b\" type=\"directed\"/></edges>",
                ", line 3: expected undirected",
            ),
            ("<nodes><node id=\"a\"><nodes/></node></nodes>", ", line 3: nodes inside nodes"),
            (
                "<nodes><node id=\"a\"/></nodes>\n<edges>\n<edge source=\"a\" target=\"b\"/></edges>",
                ", line 5: the edge joins \"b\", which is no node of the file.",
            ),
            (
                "<nodes><node id=\"a\"/>\n<node id=\"a\"/></nodes>",
                ", line 4: the node \"a\" was already given on line 3.",
            ),
        ] {
            let path = folder.plain("g.gexf", gexf(inside).as_bytes());
            let message = folder.message(&read_gexf(&path).unwrap_err());
            assert!(message.starts_with(&format!("g.gexf{expected}")), "{message}");
        }
    }
}
