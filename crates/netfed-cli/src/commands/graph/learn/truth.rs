//! Known graphs of the silos: one for all, or one each.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use netfed::learning::Scores;
use netfed_io::{Signals, check_vertices, read_edges};
use netfed_report::text::plural;

use crate::failure::Failure;

/// An edge: two vertices, the smaller first, and a weight.
pub(super) type Edge = (usize, usize, f64);

/// The known graphs.
pub(super) struct Known(Vec<Vec<Edge>>);

impl Known {
    /// Reads them; none where no file is given.
    pub(super) fn read(paths: &[PathBuf], silos: &[Signals]) -> Result<Option<Known>, Failure> {
        if paths.is_empty() {
            return Ok(None);
        }
        if paths.len() > 1 && paths.len() != silos.len() {
            return Err(Failure::input(format!(
                "--truth has {}, but there {}; give one for all, or one each in their order.",
                plural(paths.len(), "file"),
                match silos.len() {
                    1 => "is 1 silo".to_owned(),
                    count => format!("are {}", plural(count, "silo")),
                }
            )));
        }
        let first = &silos[0];
        let place: HashMap<&str, usize> =
            first.vertices.iter().enumerate().map(|(v, name)| (name.as_str(), v)).collect();
        let mut graphs = Vec::new();
        for path in paths {
            let list = read_edges(path)?;
            check_vertices(path, &list, |name| place.contains_key(name), &first.file)?;
            if list.is_empty() {
                let shown = path.display();
                return Err(Failure::input(format!("{shown}: there is no edge to compare with.")));
            }
            let of =
                |end: u32| place.get(list.nodes()[end as usize].as_str()).copied().unwrap_or(0);
            let edge = |&(a, b, weight): &(u32, u32, f64)| {
                let (a, b) = (of(a), of(b));
                (a.min(b), a.max(b), weight)
            };
            graphs.push(list.pairs().iter().map(edge).collect());
        }
        Ok(Some(Known(graphs)))
    }

    /// How like a graph of a silo is to the known one.
    pub(super) fn of_silo(&self, silo: usize, edges: &[Edge]) -> Scores {
        compare(edges, &self.0[silo.min(self.0.len() - 1)])
    }

    /// How like the consensus is to the known graph, where it is one for all.
    pub(super) fn of_consensus(&self, edges: &[Edge]) -> Option<Scores> {
        let [one] = &self.0[..] else { return None };
        Some(compare(edges, one))
    }
}

/// The scores over the pairs that are edges of either graph.
fn compare(edges: &[Edge], truth: &[Edge]) -> Scores {
    let mut pairs: BTreeMap<(usize, usize), [f64; 2]> = BTreeMap::new();
    for (side, graph) in [edges, truth].iter().enumerate() {
        for &(a, b, weight) in *graph {
            pairs.entry((a, b)).or_default()[side] = weight;
        }
    }
    let side = |k: usize| pairs.values().map(|w| w[k]).collect::<Vec<f64>>();
    Scores::new(&side(0), &side(1), 0.0)
}
