//! Graphs in XML. The text may come from anywhere: a document type, which could define entities, is refused, nothing outside the file
//! is looked at, and every error has its line.

use std::fmt;
use std::path::Path;

use roxmltree::{Document, Node};

use super::edges::{Collected, EdgeList};
use super::{InputError, Place, quote, reason, shown};

/// Larger numbers would overflow when they are squared.
const LARGEST: f64 = 1e100;

/// Where things stand in an XML text.
pub(super) struct Lines {
    file: String,
    starts: Vec<usize>,
}

/// Reads the graph of an XML file whose outermost element has the name `root`.
pub(super) fn read_graph(
    path: &Path,
    root: &str,
    collect: impl FnOnce(Node<'_, '_>, &Lines, &mut Collected) -> Result<(), InputError>,
) -> Result<EdgeList, InputError> {
    let file = shown(path);
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => InputError::cannot_open(&file, "no such file"),
        std::io::ErrorKind::IsADirectory => {
            InputError::cannot_open(&file, "it is a directory, not a file")
        }
        _ => InputError::cannot_open(&file, &reason(error)),
    })?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(InputError::in_file(&file, "the file is empty"));
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count();
        InputError::at(&file, Place::Line(line as u64), "expected UTF-8 text")
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
    Ok(found.finish())
}

/// The only element `graph` of a file.
fn one_graph<'a, 'i>(root: Node<'a, 'i>, lines: &Lines) -> Result<Node<'a, 'i>, InputError> {
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
pub(super) fn children<'a, 'i>(
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
    pub(super) fn place(&self, node: Node<'_, '_>) -> Place {
        self.line(node.range().start)
    }

    /// Takes note of a node.
    pub(super) fn node(&self, node: Node<'_, '_>, found: &mut Collected) -> Result<(), InputError> {
        found.node(self.id(node, "id")?, self.place(node)).map_err(|e| self.wrong(node, e))
    }

    /// Takes note of an edge.
    pub(super) fn edge(
        &self,
        edge: Node<'_, '_>,
        weight: f64,
        found: &mut Collected,
    ) -> Result<(), InputError> {
        let (source, target) = (self.id(edge, "source")?, self.id(edge, "target")?);
        found.add(source, target, weight, self.place(edge)).map_err(|e| self.wrong(edge, e))
    }

    /// The error for an element.
    pub(super) fn wrong(&self, node: Node<'_, '_>, problem: impl fmt::Display) -> InputError {
        InputError::at(&self.file, self.place(node), problem)
    }

    /// An attribute that holds a node id.
    pub(super) fn id<'a>(
        &self,
        node: Node<'a, '_>,
        attribute: &str,
    ) -> Result<&'a str, InputError> {
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
    pub(super) fn weight(&self, node: Node<'_, '_>, text: &str) -> Result<f64, InputError> {
        match text.trim().parse::<f64>() {
            Ok(weight) if weight > 0.0 && weight <= LARGEST => Ok(weight),
            _ => Err(self.wrong(
                node,
                format!("expected a weight that is a number above 0, found {}", quote(text)),
            )),
        }
    }

    /// Refuses edges with a direction.
    pub(super) fn undirected(&self, node: Node<'_, '_>, directed: bool) -> Result<(), InputError> {
        match directed {
            true => Err(self.wrong(
                node,
                "expected undirected edges, found directed ones; write the graph as an undirected one",
            )),
            false => Ok(()),
        }
    }

    fn not_xml(&self, error: &roxmltree::Error) -> InputError {
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
        InputError::at(&self.file, place, problem)
    }
}
