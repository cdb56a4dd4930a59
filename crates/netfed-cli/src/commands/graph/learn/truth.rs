//! Known graphs of the silos, one for all or one each, from files.

use std::collections::HashMap;
use std::path::PathBuf;

use netfed::Graph;
use netfed::learning::KnownGraphs;
use netfed_io::{Signals, check_vertices, read_edges};
use netfed_report::text::plural;

use crate::failure::Failure;

/// Reads them; none where no file is given.
pub(super) fn read(paths: &[PathBuf], silos: &[Signals]) -> Result<Option<KnownGraphs>, Failure> {
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
        let of = |end: u32| place.get(list.nodes()[end as usize].as_str()).copied().unwrap_or(0);
        let edges: Vec<_> = list.pairs().iter().map(|&(a, b, w)| (of(a), of(b), w)).collect();
        graphs.push(Graph::new(first.vertices.len(), &edges)?);
    }
    Ok(Some(KnownGraphs::new(graphs, silos.len())?))
}
