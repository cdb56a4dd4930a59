//! The true clusters, where they are known.

use std::path::Path;

use netfed_io::read_partition;

use crate::failure::Failure;

/// The true cluster of every node.
pub(crate) fn read_clusters(path: &Path, nodes: &[String]) -> Result<Vec<usize>, Failure> {
    let cluster_of = read_partition(path)?;
    let of = |node: &String| {
        cluster_of.get(node).copied().ok_or_else(|| {
            let file = path.display();
            Failure::input(format!(
                "{file}: no row for the node \"{node}\"; every node needs its cluster."
            ))
        })
    };
    nodes.iter().map(of).collect()
}
