//! Graphs in XML. The text may come from anywhere: a document type, which could define entities, is
//! refused, nothing outside the file is looked at, and every error has its line.

use std::fmt;
use std::path::Path;

use netfed::Edges;
use roxmltree::{Document, Node};

use crate::error::{Error, Place};
use crate::graph::edges::Collected;
use crate::text::{quote, reason, shown};

/// Larger numbers would overflow when they are squared.
const LARGEST: f64 = 1e100;

/// Where things stand in an XML text.
pub(crate) struct Lines {
    file: String,
    starts: Vec<usize>,
}

/// Reads the graph of an XML file whose outermost element has the name `root`.
pub(crate) fn read_graph(
    path: &Path,
    root: &str,
    collect: impl FnOnce(Node<'_, '_>, &Lines, &mut Collected) -> Result<(), Error>,
) -> Result<Edges, Error> {
    let file = shown(path);
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::cannot_open(&file, "no such file"),
        std::io::ErrorKind::IsADirectory => {
            Error::cannot_open(&file, "it is a directory, not a file")
        }
        _ => Error::cannot_open(&file, &reason(error)),
    })?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Error::in_file(&file, "the file is empty"));
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count();
        Error::at(&file, Place::Line(line as u64), "expected UTF-8 text")
    })?;
    let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
    let lines = Lines { starts: std::iter::once(0).chain(ends).collect(), file };
    let document = Document::parse(text).map_err(|error| lines.not_xml(&error))?;
    let element = document.root_element();
    if element.tag_name().name() != root {
        let found = quote(element.tag_name().name());
        return Err(lines.wrong(element, format!("expected the element \"{root}\", found {found}")));
    }
    let mut found = Collected::of_declared_nodes();
    collect(one_graph(element, &lines)?, &lines, &mut found)?;
    found.finish(path)
}

/// The only element `graph` of a file.
fn one_graph<'a, 'i>(root: Node<'a, 'i>, lines: &Lines) -> Result<Node<'a, 'i>, Error> {
    let mut graphs = children(root, "graph");
    let Some(graph) = graphs.next() else {
        return Err(lines.wrong(root, "expected an element \"graph\", found none"));
    };
    match graphs.next() {
        Some(second) => Err(lines.wrong(second, "expected one graph in the file, found another")),
        None => Ok(graph),
    }
}

/// The elements of this name directly inside another.
pub(crate) fn children<'a, 'i>(
    node: Node<'a, 'i>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

impl Lines {
    /// The line of a place in the text.
    fn line(&self, at: usize) -> Place {
        Place::Line(self.starts.partition_point(|start| *start <= at) as u64)
    }

    /// The line where an element starts.
    pub(crate) fn place(&self, node: Node<'_, '_>) -> Place {
        self.line(node.range().start)
    }

    /// Takes note of a node.
    pub(crate) fn node(&self, node: Node<'_, '_>, found: &mut Collected) -> Result<(), Error> {
        found.node(self.id(node, "id")?, self.place(node)).map_err(|e| self.wrong(node, e))
    }

    /// Takes note of an edge.
    pub(crate) fn edge(
        &self,
        edge: Node<'_, '_>,
        weight: f64,
        found: &mut Collected,
    ) -> Result<(), Error> {
        let (source, target) = (self.id(edge, "source")?, self.id(edge, "target")?);
        found.add(source, target, weight, self.place(edge)).map_err(|e| self.wrong(edge, e))
    }

    /// The error for an element.
    pub(crate) fn wrong(&self, node: Node<'_, '_>, problem: impl fmt::Display) -> Error {
        Error::at(&self.file, self.place(node), problem)
    }

    /// An attribute that holds a node id.
    pub(crate) fn id<'a>(&self, node: Node<'a, '_>, attribute: &str) -> Result<&'a str, Error> {
        match node.attribute(attribute).map(str::trim) {
            Some(id) if !id.is_empty() => Ok(id),
            found => {
                let (name, found) = (node.tag_name().name(), found.map_or("none", |_| "\"\""));
                Err(self.wrong(
                    node,
                    format!("expected a node id in \"{attribute}\" of \"{name}\", found {found}"),
                ))
            }
        }
    }

    /// The weight of an edge from its text.
    pub(crate) fn weight(&self, node: Node<'_, '_>, text: &str) -> Result<f64, Error> {
        match text.trim().parse::<f64>() {
            Ok(weight) if weight > 0.0 && weight <= LARGEST => Ok(weight),
            _ => Err(self.wrong(
                node,
                format!("expected a weight that is a number above 0, found {}", quote(text)),
            )),
        }
    }

    /// Refuses edges with a direction.
    pub(crate) fn undirected(&self, node: Node<'_, '_>, directed: bool) -> Result<(), Error> {
        if directed {
            Err(self.wrong(
                node,
                "expected undirected edges, found directed ones; write the graph as an undirected one",
            ))
        } else {
            Ok(())
        }
    }

    fn not_xml(&self, error: &roxmltree::Error) -> Error {
        let place = match error {
            // What is missing would stand at the end.
            roxmltree::Error::UnclosedRootNode | roxmltree::Error::UnexpectedEndOfStream => {
                Place::Line(self.starts.len() as u64)
            }
            _ => Place::Line(u64::from(error.pos().row)),
        };
        let problem = match error {
            roxmltree::Error::DtdDetected => {
                "a document type is not read; remove the line with DOCTYPE".into()
            }
            // The place is said already.
            _ => {
                let why = reason(error);
                let why = why.rsplit_once(" at ").map_or(why.as_str(), |(why, _)| why);
                format!("it cannot be read as XML ({why})")
            }
        };
        Error::at(&self.file, place, problem)
    }
}
