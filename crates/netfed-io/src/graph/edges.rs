//! The edges: which nodes are joined, and how strongly.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use netfed::Edges;

use crate::error::{Error, Place};
use crate::graph::gexf::read_gexf;
use crate::graph::graphml::read_graphml;
use crate::rows::Rows;
use crate::rows::ids::Ids;
use crate::text::{quote, shown};

const SOURCE: &str = "source";
const TARGET: &str = "target";
const WEIGHT: &str = "weight";

/// Edges as they come, each of them checked.
#[derive(Default)]
pub(crate) struct Collected {
    ids: Ids,
    edges: Vec<(u32, u32, f64)>,
    places: HashMap<(u32, u32), Place>,
    /// Where the nodes are given, in files that give them: edges may join no others.
    declared: Option<HashMap<u32, Place>>,
}

impl Collected {
    /// For a file that gives its nodes.
    pub(crate) fn of_declared_nodes() -> Collected {
        Collected { declared: Some(HashMap::new()), ..Collected::default() }
    }

    /// Takes note of a node, which may have no edge.
    pub(crate) fn node(&mut self, id: &str, place: Place) -> Result<(), String> {
        let number = self.number(id)?;
        match self.declared.get_or_insert_default().insert(number, place) {
            Some(first) => Err(format!("the node {} was already given on {first}", quote(id))),
            None => Ok(()),
        }
    }

    fn number(&mut self, id: &str) -> Result<u32, String> {
        self.ids.number(id).ok_or_else(|| "there are more nodes than can be counted".to_owned())
    }

    /// The number of the end of an edge.
    fn end(&mut self, id: &str) -> Result<u32, String> {
        let number = self.number(id)?;
        if self.declared.as_ref().is_none_or(|nodes| nodes.contains_key(&number)) {
            Ok(number)
        } else {
            Err(format!("the edge joins {}, which is no node of the file", quote(id)))
        }
    }

    /// Adds an edge with a weight above 0; says what is wrong with it.
    pub(crate) fn add(
        &mut self,
        source: &str,
        target: &str,
        weight: f64,
        place: Place,
    ) -> Result<(), String> {
        if source == target {
            let node = quote(source);
            return Err(format!(
                "expected an edge between two different nodes, found {node} twice"
            ));
        }
        let (a, b) = (self.end(source)?, self.end(target)?);
        match self.places.entry((a.min(b), a.max(b))) {
            Entry::Vacant(free) => free.insert(place),
            Entry::Occupied(taken) => {
                let (source, target, first) = (quote(source), quote(target), taken.get());
                return Err(format!(
                    "the edge between {source} and {target} was already given on {first}"
                ));
            }
        };
        self.edges.push((a, b, weight));
        Ok(())
    }

    /// All of them, read from a file.
    pub(crate) fn finish(self, path: &Path) -> Result<Edges, Error> {
        Edges::new(self.ids.into_names(), self.edges)
            .map_err(|problem| Error::in_file(&shown(path), problem))
    }
}

/// Reads a graph. GraphML and GEXF are told by their names; any other file is a table of edges with
/// the columns `source`, `target` and, if it is there, `weight`. Without weights every edge has
/// weight 1. Other columns are ignored. A table without rows is a graph without edges, whose nodes
/// are known from elsewhere.
pub fn read_edges(path: &Path) -> Result<Edges, Error> {
    let name = path.to_string_lossy().to_lowercase();
    if name.ends_with(".graphml") {
        return read_graphml(path);
    }
    if name.ends_with(".gexf") {
        return read_gexf(path);
    }
    let table = Rows::open(path)?;
    let header = &table.header;
    let hint = "an edge file needs the columns \"source\" and \"target\"";
    let mut wanted = vec![header.require(SOURCE, hint)?, header.require(TARGET, hint)?];
    match header.find(WEIGHT) {
        Some(weight) => wanted.push(weight),
        // A misspelled weight column must not turn every weight into 1.
        None if header.near(WEIGHT).is_some() => {
            let hint = "name the weight column \"weight\" or leave it out";
            return Err(header.missing(WEIGHT, hint));
        }
        None => {}
    }
    let weighted = wanted.len() > 2;

    let mut found = Collected::default();
    table.for_any_row(&wanted, &mut |row| {
        let (source, target) = (row.id(0)?, row.id(1)?);
        let weight = if weighted { row.number(2)? } else { 1.0 };
        if weight <= 0.0 {
            return Err(row.expected(2, "a number above 0"));
        }
        found.add(&source, &target, weight, row.place).map_err(|problem| row.wrong(&problem))
    })?;
    found.finish(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::fixture::{Data, Folder};
    use parquet::basic::Compression;

    fn refusal(text: &[u8]) -> String {
        let folder = Folder::new();
        let path = folder.plain("edges.csv", text);
        folder.message(&read_edges(&path).unwrap_err())
    }

    #[test]
    fn edges_are_read_in_any_column_order() {
        let folder = Folder::new();
        let path = folder.plain("e.csv", b"weight,target,note,source\n2.5,b,hi,a\n1,\"c\",,b\n");
        let list = read_edges(&path).unwrap();
        assert_eq!(list.nodes(), ["a", "b", "c"]);
        assert_eq!(list.pairs(), [(0, 1, 2.5), (1, 2, 1.0)]);
    }

    #[test]
    fn the_weight_is_one_when_there_is_no_such_column() {
        let folder = Folder::new();
        let path = folder.packed("E.TSV.GZ", b"source\ttarget\r\nx\ty\r\n");
        let list = read_edges(&path).unwrap();
        assert_eq!(list.nodes(), ["x", "y"]);
        assert_eq!(list.pairs(), [(0, 1, 1.0)]);
    }

    #[test]
    fn a_graph_may_have_no_edges() {
        let folder = Folder::new();
        let path = folder.plain("e.csv", b"source,target,weight\n");
        assert_eq!(read_edges(&path).unwrap(), Edges::default());
    }

    #[test]
    fn parquet_edges_with_integer_ids_are_read() {
        let folder = Folder::new();
        let schema = "required int64 source; required int64 target; required double weight;";
        let group = |a: [i64; 2], b: [i64; 2], w: &[f64]| {
            let ids = |ids: [i64; 2]| Data::Int64(ids.map(Some).to_vec());
            vec![ids(a), ids(b), Data::doubles(w)]
        };
        let first = group([10, 20], [20, 30], &[1.0, 0.5]);
        let path = folder.parquet("e.pq", schema, Compression::SNAPPY, vec![first.clone()]);
        let list = read_edges(&path).unwrap();
        assert_eq!(list.nodes(), ["10", "20", "30"]);
        assert_eq!(list.pairs(), [(0, 1, 1.0), (1, 2, 0.5)]);

        let second = group([1, 20], [2, 10], &[1.0, 1.0]);
        let groups = vec![first, second];
        let path = folder.parquet("e.pq", schema, Compression::SNAPPY, groups);
        let message = folder.message(&read_edges(&path).unwrap_err());
        let wanted = "e.pq, row 4: the edge between \"20\" and \"10\" was already given on row 1.";
        assert_eq!(message, wanted);
    }

    /// Texts and what is said about them.
    const FAULTS: [(&str, &str); 18] = [
        ("", ": the file is empty."),
        (
            "from,target\na,b\n",
            ": no column \"source\"; its columns are \"from\", \"target\"; \
             an edge file needs the columns \"source\" and \"target\".",
        ),
        (
            "source,Target\na,b\n",
            ": no column \"target\" (did you mean \"Target\"?); its columns are \"source\", \
             \"Target\"; an edge file needs the columns \"source\" and \"target\".",
        ),
        (
            "source,target,Weight\na,b,1\n",
            ": no column \"weight\" (did you mean \"Weight\"?); its columns are \"source\", \
             \"target\", \"Weight\"; name the weight column \"weight\" or leave it out.",
        ),
        ("source,target,source\na,b,c\n", ", line 1: the column name \"source\" is used twice."),
        ("source,target\na,b\nb\n", ", line 3: expected 2 cells as in the header, found 1."),
        (
            "source,target\na,b\n\nb,c,1\n",
            ", line 4: expected 2 cells as in the header, found 3 (a cell with a separator in it must be in quotes).",
        ),
        (
            "source,target\n,b\n",
            ", line 2, column \"source\": expected a node id, found an empty cell.",
        ),
        (
            "source,target\na,  \n",
            ", line 2, column \"target\": expected a node id, found an empty cell.",
        ),
        (
            "source,target,weight\na,b,\n",
            ", line 2, column \"weight\": expected a number, found an empty cell.",
        ),
        (
            "source,target,weight\na,b,two\n",
            ", line 2, column \"weight\": expected a number, found \"two\".",
        ),
        (
            "source,target,weight\na,b,0\n",
            ", line 2, column \"weight\": expected a number above 0, found \"0\".",
        ),
        (
            "source,target,weight\na,b,-1\n",
            ", line 2, column \"weight\": expected a number above 0, found \"-1\".",
        ),
        (
            "source,target,weight\na,b,nan\n",
            ", line 2, column \"weight\": expected a finite number, found \"nan\".",
        ),
        (
            "source,target,weight\na,b,inf\n",
            ", line 2, column \"weight\": expected a finite number, found \"inf\".",
        ),
        (
            "source,target\na,b\nb,b\n",
            ", line 3: expected an edge between two different nodes, found \"b\" twice.",
        ),
        (
            "source,target\na,b\nb,c\na,b\n",
            ", line 4: the edge between \"a\" and \"b\" was already given on line 2.",
        ),
        (
            "source,target\n\na,b\nb,c\nb,a\n",
            ", line 5: the edge between \"b\" and \"a\" was already given on line 3.",
        ),
    ];

    #[test]
    fn every_fault_is_one_clear_sentence() {
        for (text, message) in FAULTS {
            assert_eq!(refusal(text.as_bytes()), format!("edges.csv{message}"));
        }
    }

    #[test]
    fn text_that_is_not_utf8_is_refused() {
        let message = "edges.csv, line 2: expected UTF-8 text, found \"a,\u{fffd}\".";
        assert_eq!(refusal(b"source,target\na,\xe9\n"), message);
    }
}
