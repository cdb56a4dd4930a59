//! A graph as a file: a table of edges (CSV), GraphML or GEXF, by the name of the file.

use std::fmt::Write;
use std::path::Path;

use crate::error::Error;
use crate::write::csv::{Cell, Csv};
use crate::write::file::{check_file, check_place};

/// The format that the name of a file asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    /// A table of edges.
    Csv,
    /// GraphML.
    GraphMl,
    /// GEXF.
    Gexf,
}

impl GraphFormat {
    /// The format of a file.
    pub fn of(path: &Path) -> GraphFormat {
        let name = path.to_string_lossy().to_lowercase();
        match (name.ends_with(".graphml"), name.ends_with(".gexf")) {
            (true, _) => GraphFormat::GraphMl,
            (_, true) => GraphFormat::Gexf,
            _ => GraphFormat::Csv,
        }
    }
}

/// Refuses a name for a graph that cannot be written, before there is anything to write.
pub fn check_graph_file(out: &Path, force: bool, inputs: &[&Path]) -> Result<(), Error> {
    match GraphFormat::of(out) {
        GraphFormat::Csv => {
            check_file(out, force, inputs)?;
            if out.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv")) {
                return Ok(());
            }
            // What has no known name is not read again.
            Err(Error::input(format!(
                "{}: a graph is written as .csv, .graphml or .gexf; choose a name that ends in one of them.",
                out.display()
            )))
        }
        GraphFormat::GraphMl | GraphFormat::Gexf => check_place(out, force, inputs),
    }
}

/// The text of a graph, in the format that the name of its file asks for. A table of edges has no
/// place for nodes without an edge.
pub fn graph_text(
    path: &Path,
    nodes: &[String],
    edges: &[(usize, usize, f64)],
) -> Result<String, Error> {
    let format = GraphFormat::of(path);
    if format == GraphFormat::Csv {
        let mut csv = Csv::new(["source", "target", "weight"]);
        for &(a, b, weight) in edges {
            let [source, target] = [a, b].map(|i| Cell::Text(nodes[i].clone()));
            csv.row([source, target, Cell::Number(weight)]);
        }
        return Ok(csv.finish());
    }
    let names = nodes.iter().map(|name| attribute(path, name)).collect::<Result<Vec<_>, _>>()?;
    Ok(match format {
        GraphFormat::Gexf => gexf(&names, edges),
        _ => graphml(&names, edges),
    })
}

fn graphml(names: &[String], edges: &[(usize, usize, f64)]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n  <graph edgedefault=\"undirected\">\n",
    );
    for name in names {
        let _ = writeln!(text, "    <node id=\"{name}\"/>");
    }
    for &(a, b, weight) in edges {
        let (source, target) = (&names[a], &names[b]);
        let _ = writeln!(
            text,
            "    <edge source=\"{source}\" target=\"{target}\"><data key=\"weight\">{weight:?}</data></edge>"
        );
    }
    text.push_str("  </graph>\n</graphml>\n");
    text
}

fn gexf(names: &[String], edges: &[(usize, usize, f64)]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://gexf.net/1.3\" version=\"1.3\">\n  <graph defaultedgetype=\"undirected\" mode=\"static\">\n    <nodes>\n",
    );
    for name in names {
        let _ = writeln!(text, "      <node id=\"{name}\" label=\"{name}\"/>");
    }
    text.push_str("    </nodes>\n    <edges>\n");
    for (k, &(a, b, weight)) in edges.iter().enumerate() {
        let (source, target) = (&names[a], &names[b]);
        let _ = writeln!(
            text,
            "      <edge id=\"{k}\" source=\"{source}\" target=\"{target}\" weight=\"{weight:?}\"/>"
        );
    }
    text.push_str("    </edges>\n  </graph>\n</gexf>\n");
    text
}

/// A name as the value of an attribute.
fn attribute(path: &Path, name: &str) -> Result<String, Error> {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(text, "&#{};", c as u32);
            }
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                return Err(Error::input(format!(
                    "{}: the node {name:?} has a character that XML has no place for; write a .csv file.",
                    path.display()
                )));
            }
            c => text.push(c),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::edges::read_edges;

    #[test]
    fn every_format_gives_the_same_graph_back() {
        let dir = tempfile::tempdir().unwrap();
        let nodes: Vec<String> =
            ["a<b>&\"c'", "new\nline", "ä, ö", "1.0"].map(str::to_owned).to_vec();
        let edges = [(0, 1, 0.1), (1, 2, 1e-300), (0, 3, 12345678901234567.0)];
        for name in ["g.csv", "g.graphml", "g.GEXF"] {
            let path = dir.path().join(name);
            std::fs::write(&path, graph_text(&path, &nodes, &edges).unwrap()).unwrap();
            let list = read_edges(&path).unwrap();
            let found: Vec<_> = list
                .pairs()
                .iter()
                .map(|&(a, b, w)| {
                    (list.nodes()[a as usize].clone(), list.nodes()[b as usize].clone(), w)
                })
                .collect();
            let expected: Vec<_> =
                edges.iter().map(|&(a, b, w)| (nodes[a].clone(), nodes[b].clone(), w)).collect();
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn single_nodes_survive_in_xml_and_bad_characters_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["g.graphml", "g.gexf"] {
            let path = dir.path().join(name);
            let nodes = ["x".to_owned(), "alone".to_owned(), "y".to_owned()];
            std::fs::write(&path, graph_text(&path, &nodes, &[(0, 2, 1.0)]).unwrap()).unwrap();
            assert_eq!(read_edges(&path).unwrap().nodes(), nodes);
            assert!(graph_text(&path, &["\u{1}".to_owned()], &[]).is_err());
        }
    }
}
