//! Which node belongs to which cluster.

use std::collections::HashMap;
use std::path::Path;

use crate::error::Error;
use crate::rows::Rows;
use crate::rows::ids::Ids;
use crate::text::quote;

/// Reads a file with the columns `node` and `cluster` (any text): the cluster of every node,
/// numbered from 0.
pub fn read_partition(path: &Path) -> Result<HashMap<String, usize>, Error> {
    let table = Rows::open(path)?;
    let hint = "a file of clusters needs the columns \"node\" and \"cluster\"";
    let wanted = [table.header.require("node", hint)?, table.header.require("cluster", hint)?];
    let mut clusters = Ids::default();
    let mut cluster_of = HashMap::new();
    table.for_each_row(&wanted, &mut |row| {
        let node = row.id(0)?;
        let cluster = row.id(1).map_err(|_| row.expected(1, "the name of a cluster"))?;
        let Some(cluster) = clusters.number(&cluster) else {
            return Err(row.wrong("there are more clusters than can be counted"));
        };
        if cluster_of.insert(node.clone().into_owned(), cluster as usize).is_some() {
            return Err(row.wrong(&format!("the node {} was already given", quote(&node))));
        }
        Ok(())
    })?;
    Ok(cluster_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::fixture::Folder;

    #[test]
    fn clusters_are_read_and_faults_named() {
        let folder = Folder::new();
        let path = folder.plain("t.csv", b"cluster,node\nred,a\nblue,b\nred,7\n");
        let found = read_partition(&path).unwrap();
        assert_eq!((found["a"], found["b"], found["7"]), (0, 1, 0));
        for (text, message) in [
            ("node,cluster\na,1\na,2\n", ", line 3: the node \"a\" was already given."),
            (
                "node,cluster\na,\n",
                ", line 2, column \"cluster\": expected the name of a cluster, found an empty cell.",
            ),
            (
                "node,group\na,1\n",
                ": no column \"cluster\"; its columns are \"node\", \"group\"; a file of clusters needs the columns \"node\" and \"cluster\".",
            ),
        ] {
            let path = folder.plain("t.csv", text.as_bytes());
            let found = folder.message(&read_partition(&path).unwrap_err());
            assert_eq!(found, format!("t.csv{message}"));
        }
    }
}
