//! What holds for every file: any text gives a table or a sentence that names the file, and what is
//! written is read back the same. Damaged files are tried by the fuzz targets of the repository.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

use std::path::{Path, PathBuf};

use netfed::Edges;
use netfed_io::{
    Cell, Csv, PointColumns, graph_text, read_edges, read_models, read_nodes, read_points,
    read_signals,
};
use proptest::prelude::*;

/// A folder for the files of one case.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// Text made of what means something in a table.
fn table_soup() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just(","),
        Just(";"),
        Just("\t"),
        Just("\n"),
        Just("\r\n"),
        Just("\""),
        Just("\"\""),
        Just(" "),
        Just("node"),
        Just("y"),
        Just("source"),
        Just("target"),
        Just("weight"),
        Just("a"),
        Just("b"),
        Just("0"),
        Just("-1"),
        Just("1.5"),
        Just("1e400"),
        Just("nan"),
        Just("é"),
        Just("\u{feff}"),
    ];
    prop::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

/// The same for graphs in XML.
fn xml_soup() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("<graph edgedefault=\"undirected\">"),
        Just("</graph>"),
        Just("<graphml>"),
        Just("</graphml>"),
        Just("<gexf>"),
        Just("</gexf>"),
        Just("<nodes>"),
        Just("</nodes>"),
        Just("<edges>"),
        Just("</edges>"),
        Just("<node id=\"a\"/>"),
        Just("<node id=\"b\"/>"),
        Just("<edge source=\"a\" target=\"b\"/>"),
        Just("<edge source=\"a\" target=\"b\">"),
        Just("</edge>"),
        Just("<data key=\"w\">2</data>"),
        Just("<key id=\"w\" for=\"edge\" attr.name=\"weight\"/>"),
        Just("<!-- -->"),
        Just("<!DOCTYPE x>"),
        Just("&amp;"),
        Just("&x;"),
        Just("<"),
        Just(">"),
        Just("\n"),
        Just("\""),
        Just("é"),
    ];
    prop::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

/// Names as files have them: without white space at their ends.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zäß0-9 ,;\"'=+<>&-]{1,8}".prop_map(|name| name.trim().to_owned()),
        "\\PC{1,6}".prop_map(|name| name.trim().to_owned()),
    ]
    .prop_filter("not empty", |name| !name.is_empty())
}

/// Distinct names.
fn names(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(name(), count).prop_map(|set| set.into_iter().collect())
}

/// Numbers that every file takes.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![-1e6..1e6, -1e40..1e40, -1e-40..1e-40, Just(0.0), Just(-0.0)]
}

/// A refusal is one sentence that begins with the file.
fn is_sentence(path: &Path, error: &netfed_io::Error) -> bool {
    let sentence = error.to_string();
    let named = sentence.contains(&path.file_name().unwrap().to_string_lossy().into_owned());
    named && sentence.ends_with(['.', '?']) && !sentence.contains('\n')
}

/// Reads a file as everything that a file can be.
fn read_all_ways(path: &Path) -> Vec<netfed_io::Error> {
    let columns = PointColumns::default();
    let found = [
        read_points(path, &columns).err(),
        read_edges(path).err(),
        read_signals(path).err(),
        read_models(path).err(),
        read_nodes(path, "node").err(),
    ];
    found.into_iter().flatten().collect()
}

/// A table of points: names of nodes and features, and rows of a node, a label and values.
type Points = (Vec<String>, Vec<String>, Vec<(usize, f64, Vec<f64>)>);

fn points() -> impl Strategy<Value = Points> {
    let features = names(1..4).prop_filter("not a column of its own", |names| {
        names.iter().all(|name| name != "node" && name != "y")
    });
    (names(1..4), features).prop_flat_map(|(nodes, features)| {
        let values = prop::collection::vec(number(), features.len());
        let row = (0..nodes.len(), number(), values);
        (Just(nodes), Just(features), prop::collection::vec(row, 1..8))
    })
}

/// A graph with names, whose nodes all have edges.
fn graph() -> impl Strategy<Value = (Vec<String>, Vec<(usize, usize, f64)>)> {
    let weight = prop_oneof![1e-9..1e9, Just(1.0), Just(1e-100), Just(1e100)];
    (names(2..6), prop::collection::vec(weight, 6)).prop_map(|(nodes, weights)| {
        let steps = (1..nodes.len()).zip(weights);
        let edges = steps.map(|(k, weight)| (k - 1, k, weight)).collect();
        (nodes, edges)
    })
}

/// Names and weight of every edge.
fn by_name(list: &Edges) -> Vec<(&str, &str, f64)> {
    let name = |node: u32| list.nodes()[node as usize].as_str();
    list.pairs().iter().map(|&(a, b, weight)| (name(a), name(b), weight)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_table_is_read_or_refused_in_a_sentence(
        text in table_soup(),
        name in prop::sample::select(vec!["t.csv", "t.tsv"]),
    ) {
        let place = Place::new();
        let path = place.file(name, text);
        for error in read_all_ways(&path) {
            prop_assert!(is_sentence(&path, &error), "{}", error);
        }
    }

    #[test]
    fn any_xml_is_read_or_refused_in_a_sentence(
        inside in xml_soup(),
        name in prop::sample::select(vec!["graphml", "gexf"]),
        whole in any::<bool>(),
    ) {
        let text = if whole { format!("<{name}>{inside}</{name}>") } else { inside };
        let place = Place::new();
        let path = place.file(&format!("t.{name}"), text);
        if let Err(error) = read_edges(&path) {
            prop_assert!(is_sentence(&path, &error), "{}", error);
        }
    }

    #[test]
    fn points_come_back_to_the_last_bit((nodes, features, rows) in points()) {
        let header = ["node", "y"].into_iter().chain(features.iter().map(String::as_str));
        let mut csv = Csv::new(header);
        for (node, label, values) in &rows {
            let numbers = std::iter::once(label).chain(values).map(|v| Cell::Number(*v));
            csv.row(std::iter::once(Cell::Text(nodes[*node].clone())).chain(numbers));
        }
        let place = Place::new();
        let table = read_points(&place.file("t.csv", csv.finish()), &PointColumns::default());
        let table = table.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(table.features(), &features[..]);
        let labels: Vec<f64> = rows.iter().map(|row| row.1).collect();
        prop_assert_eq!(bits(table.y().unwrap()), bits(&labels));
        let values: Vec<f64> = rows.iter().flat_map(|row| row.2.clone()).collect();
        prop_assert_eq!(bits(table.x()), bits(&values));
        let found = table.node_of_row().iter().map(|&node| &table.nodes()[node as usize]);
        prop_assert!(found.eq(rows.iter().map(|row| &nodes[row.0])));
    }

    #[test]
    fn graphs_come_back_in_every_format((nodes, edges) in graph()) {
        let place = Place::new();
        for name in ["t.csv", "t.graphml", "t.gexf"] {
            let text = graph_text(Path::new(name), &nodes, &edges).unwrap();
            let list = read_edges(&place.file(name, text));
            let list = list.map_err(|error| TestCaseError::fail(error.to_string()))?;
            let named = |&(a, b, weight): &(usize, usize, f64)| {
                (nodes[a].as_str(), nodes[b].as_str(), weight)
            };
            prop_assert_eq!(by_name(&list), edges.iter().map(named).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_refusal_names_the_line() {
    // The sentences about cells are kept where they are made; here that lines count through a
    // quoted line break.
    let place = Place::new();
    let path = place.file("t.csv", "node,y,a\n\"b\nc\",1,2\nd,1,x\n");
    let error = read_points(&path, &PointColumns::default()).unwrap_err().to_string();
    assert!(error.contains("t.csv, line 4, column \"a\""), "{error}");
}
