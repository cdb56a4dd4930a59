//! The tree of merges as a picture: λ from left to right, nodes from top to bottom in the order of
//! the tree.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::chart::{Ruler, Scale, axes, color_class, open_svg};
use crate::text::{escape, number, plural, short};

/// The most nodes that all get a label; with more of them, labels are thinned.
const MOST_LABELS: usize = 60;
/// The most merges that get a mark with a hover text.
const MOST_MARKS: usize = 400;
/// Width, and the greatest height of the tree.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 980.0;
/// Length of the lines of the nodes before the first λ.
const LEAD: f64 = 10.0;

/// A node or a merge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertex {
    /// The merge that takes it in; none at the end of the path.
    pub parent: Option<usize>,
    /// The λ of the merge.
    pub lambda: f64,
    /// Number of nodes below.
    pub size: usize,
}

/// The tree of merges; a forest where the path ends with several clusters.
pub struct Tree {
    /// The nodes, then the merges by increasing λ.
    pub vertices: Vec<Vertex>,
    /// Number of nodes.
    pub nodes: usize,
    /// The nodes from top to bottom, so that no lines cross.
    pub order: Vec<usize>,
}

/// What is drawn.
pub struct Dendrogram<'a> {
    /// The merges.
    pub tree: &'a Tree,
    /// The names of the nodes.
    pub names: &'a [String],
    /// First and last λ of the path.
    pub range: (f64, f64),
    /// The palette color of every node; gray where there is none.
    pub colors: &'a [Option<usize>],
    /// A λ to mark, with its name.
    pub cut: Option<(f64, String)>,
}

/// Draws the tree.
pub fn dendrogram(drawn: &Dendrogram) -> String {
    let (tree, n) = (drawn.tree, drawn.tree.nodes);
    let row = f64::clamp(HEIGHT / n.max(1) as f64, 0.0, 16.0);
    let (top, bottom) = (30.0, 30.0 + (row * n as f64).max(40.0));
    let longest = drawn.names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(18);
    let left = 12.0 + 6.4 * longest as f64 + LEAD;
    let right = WIDTH - 24.0;
    let mut out = String::new();
    open_svg(&mut out, (WIDTH, bottom + 44.0), "chart", "The tree of merges along λ.");
    let ends = [drawn.range.0, drawn.range.1];
    let Some(x) = Ruler::covering(Scale::Log10, ends.into_iter(), 0.0, (left, right)) else {
        let _ = write!(out, "<text class=\"label\" x=\"0\" y=\"40\">Nothing merges.</text></svg>");
        return out;
    };
    axes(&mut out, &x.ticks(6), &[], (left, right, top, bottom));
    let place = |lambda: f64| x.place(lambda).unwrap_or(left);
    let _ = write!(
        out,
        "<text class=\"label mid\" x=\"{:.1}\" y=\"{:.1}\">λ</text>",
        (left + right) / 2.0,
        bottom + 38.0
    );
    if let Some((lambda, name)) = &drawn.cut {
        let at = place(*lambda);
        let (class, text) =
            if at > 0.7 * WIDTH { ("tick end", at - 5.0) } else { ("tick", at + 5.0) };
        let _ = write!(
            out,
            "<path class=\"rule\" d=\"M{at:.1} {:.1}V{bottom:.1}\"/><text class=\"{class}\" x=\"{text:.1}\" y=\"{:.1}\">{}</text>",
            top - 14.0,
            top - 8.0,
            escape(name)
        );
    }
    let shape = Shape::new(tree, drawn.colors, row, top);
    branches(&mut out, tree, &shape, &place, (left - LEAD, right + 12.0), n > 1000);
    marks(&mut out, tree, &shape, &place);
    labels(&mut out, drawn, &shape, left - LEAD - 4.0, row);
    out.push_str("</svg>");
    out
}

/// Where the vertices are, and how they are colored.
struct Shape {
    order: Vec<usize>,
    y: Vec<f64>,
    /// First and last child of a merge.
    span: Vec<(f64, f64)>,
    color: Vec<Option<usize>>,
}

impl Shape {
    fn new(tree: &Tree, colors: &[Option<usize>], row: f64, top: f64) -> Shape {
        let order = tree.order.clone();
        let mut y = vec![0.0; tree.vertices.len()];
        for (k, &node) in order.iter().enumerate() {
            y[node] = top + row * (k as f64 + 0.5);
        }
        let mut span = vec![(f64::INFINITY, f64::NEG_INFINITY); tree.vertices.len()];
        // A merge has a color if all nodes below have the same one.
        let mut color = vec![None; tree.vertices.len()];
        let mut seen = vec![false; tree.vertices.len()];
        for v in 0..tree.vertices.len() {
            if v < tree.nodes {
                color[v] = colors.get(v).copied().flatten();
            } else {
                y[v] = (span[v].0 + span[v].1) / 2.0;
            }
            if let Some(parent) = tree.vertices[v].parent {
                span[parent] = (span[parent].0.min(y[v]), span[parent].1.max(y[v]));
                color[parent] = if seen[parent] {
                    color[parent].filter(|c| color[v] == Some(*c))
                } else {
                    color[v]
                };
                seen[parent] = true;
            }
        }
        Shape { order, y, span, color }
    }
}

/// All lines, one path for each color. In large trees lines that fall on the same pixels are drawn
/// once.
fn branches(
    out: &mut String,
    tree: &Tree,
    shape: &Shape,
    place: &dyn Fn(f64) -> f64,
    (start, end): (f64, f64),
    coarse: bool,
) {
    let unit = if coarse { 1.0 } else { 0.1 };
    let grid = |v: f64| (v / unit).round() as i64;
    let mut lines: Vec<BTreeSet<[i64; 4]>> = vec![BTreeSet::new(); 11];
    for (v, vertex) in tree.vertices.iter().enumerate() {
        let own = &mut lines[shape.color[v].map_or(10, |c| c % 10)];
        let from = if v < tree.nodes { start } else { place(vertex.lambda) };
        let to = vertex.parent.map_or(end, |p| place(tree.vertices[p].lambda));
        own.insert([grid(from), grid(shape.y[v]), grid(to), grid(shape.y[v])]);
        if v >= tree.nodes {
            let (low, high) = shape.span[v];
            own.insert([grid(from), grid(low), grid(from), grid(high)]);
        }
    }
    // Gray first, so that colors lie on top.
    for class in (0..11).rev() {
        let mut path = String::new();
        for [x1, y1, x2, y2] in &lines[class] {
            let at = |v: &i64| (*v as f64 * unit * 10.0).round() / 10.0;
            let _ = if y1 == y2 {
                write!(path, "M{} {}H{}", at(x1), at(y1), at(x2))
            } else {
                write!(path, "M{} {}V{}", at(x1), at(y1), at(y2))
            };
        }
        if !path.is_empty() {
            let name = color_class((class < 10).then_some(class));
            let _ = write!(out, "<path class=\"branch {name}\" d=\"{path}\"/>");
        }
    }
}

/// Marks with hover texts at the merges, those of the largest clusters.
fn marks(out: &mut String, tree: &Tree, shape: &Shape, place: &dyn Fn(f64) -> f64) {
    let mut merges: Vec<usize> = (tree.nodes..tree.vertices.len()).collect();
    merges.sort_by_key(|&v| std::cmp::Reverse(tree.vertices[v].size));
    for &v in merges.iter().take(MOST_MARKS) {
        let vertex = &tree.vertices[v];
        let _ = write!(
            out,
            "<circle class=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.4\"><title>{} in one cluster from λ = {} on</title></circle>",
            color_class(shape.color[v]),
            place(vertex.lambda),
            shape.y[v],
            plural(vertex.size, "node"),
            number(vertex.lambda)
        );
    }
}

fn labels(out: &mut String, drawn: &Dendrogram, shape: &Shape, right: f64, row: f64) {
    let step =
        if drawn.tree.nodes <= MOST_LABELS { 1 } else { (13.0 / row).ceil().max(1.0) as usize };
    for &node in shape.order.iter().step_by(step) {
        let name = drawn.names.get(node).map_or("", String::as_str);
        let _ = write!(
            out,
            "<text class=\"tick end\" x=\"{right:.1}\" y=\"{:.1}\">{}</text>",
            shape.y[node] + 4.0,
            escape(&short(name, 18))
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes lie side by side in pairs, triples, … that join at λ = 0.1; all join at λ = 1.
    fn tree(parts: &[usize]) -> Tree {
        let nodes: usize = parts.iter().sum();
        let mut vertices = vec![Vertex { parent: None, lambda: 0.0, size: 1 }; nodes];
        let (mut first, mut last) = (0, Vec::new());
        for &size in parts {
            let mut top = first;
            if size > 1 {
                top = vertices.len();
                vertices[first..first + size].iter_mut().for_each(|v| v.parent = Some(top));
                vertices.push(Vertex { parent: None, lambda: 0.1, size });
            }
            last.push(top);
            first += size;
        }
        let root = vertices.len();
        if last.len() > 1 {
            last.iter().for_each(|&v| vertices[v].parent = Some(root));
            vertices.push(Vertex { parent: None, lambda: 1.0, size: nodes });
        }
        Tree { vertices, nodes, order: (0..nodes).collect() }
    }

    #[test]
    fn every_branch_and_label_is_drawn() {
        let tree = tree(&[2, 1]);
        let names = ["a", "<b>", "c"].map(String::from);
        let svg = dendrogram(&Dendrogram {
            tree: &tree,
            names: &names,
            range: (0.1, 1.0),
            colors: &[Some(0), Some(0), None],
            cut: Some((0.5, "here".into())),
        });
        assert!(svg.contains("&lt;b&gt;") && svg.contains(">here<") && !svg.contains("NaN"));
        assert_eq!(svg.matches("<title>").count(), 2);
        assert_eq!(svg.matches("class=\"branch c0\"").count(), 1, "both nodes and their merge");
        assert_eq!(svg.matches("class=\"branch cx\"").count(), 1);
    }

    #[test]
    fn ten_thousand_nodes_are_a_small_picture() {
        let n = 10_000;
        let tree = tree(&vec![2; n / 2]);
        let names: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        let svg = dendrogram(&Dendrogram {
            tree: &tree,
            names: &names,
            range: (0.1, 1.0),
            colors: &vec![Some(3); n],
            cut: None,
        });
        assert!(svg.len() < 400_000, "{}", svg.len());
        assert!(svg.matches("class=\"tick end\"").count() < 100);
    }

    #[test]
    fn a_path_without_a_range_says_so() {
        let tree = tree(&[1]);
        let drawn =
            Dendrogram { tree: &tree, names: &[], range: (0.0, 0.0), colors: &[], cut: None };
        assert!(dendrogram(&drawn).contains("Nothing merges."));
    }
}
