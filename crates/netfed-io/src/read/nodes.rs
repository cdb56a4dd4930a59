//! The nodes that a table names: one column of ids, each as often as it likes.

use std::path::Path;

use crate::error::Error;
use crate::rows::Rows;
use crate::rows::ids::Ids;

/// Reads the distinct ids of a column, in order of first appearance.
pub fn read_nodes(path: &Path, column: &str) -> Result<Vec<String>, Error> {
    let table = Rows::open(path)?;
    let wanted =
        table.header.require(column, "say --node-column NAME for the one with node ids")?;
    let mut ids = Ids::default();
    table.for_each_row(&[wanted], &mut |row| {
        let counted = ids.number(&row.id(0)?);
        counted.map(|_| ()).ok_or_else(|| row.wrong("there are more nodes than can be counted"))
    })?;
    Ok(ids.into_names())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::fixture::Folder;

    #[test]
    fn a_column_gives_its_ids_once() {
        let folder = Folder::new();
        let path = folder.plain("p.csv", b"station,x\nb,1\na,2\nb,3\n");
        assert_eq!(read_nodes(&path, "station").unwrap(), ["b", "a"]);
        let message = folder.message(&read_nodes(&path, "node").unwrap_err());
        assert!(message.starts_with("p.csv: no column \"node\""), "{message}");
        assert!(
            message.ends_with("say --node-column NAME for the one with node ids."),
            "{message}"
        );
    }
}
