//! Who takes part in a federation: for every node the member that holds its data, and where that
//! member is reached.

use std::path::Path;

use crate::error::Error;
use crate::rows::Rows;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberRow {
    /// The node.
    pub node: String,
    /// None for a member that cannot be reached.
    pub endpoint: Option<String>,
    /// Name of the member; the node's own if there is no such column.
    pub member: String,
}

/// Reads a file with the columns `node`, `endpoint` (which may be empty) and, if it is there,
/// `member`.
pub fn read_members(path: &Path) -> Result<Vec<MemberRow>, Error> {
    let table = Rows::open(path)?;
    let hint = "a file of members needs the columns \"node\" and \"endpoint\" (quic/HOST:PORT)";
    let mut wanted =
        vec![table.header.require("node", hint)?, table.header.require("endpoint", hint)?];
    wanted.extend(table.header.find("member"));
    let named = wanted.len() > 2;
    let mut rows = Vec::new();
    table.for_each_row(&wanted, &mut |row| {
        let node = row.id(0)?.into_owned();
        let endpoint = if row.is_empty(1) { None } else { Some(row.id(1)?.into_owned()) };
        let member = if named { row.id(2)?.into_owned() } else { node.clone() };
        rows.push(MemberRow { node, endpoint, member });
        Ok(())
    })?;
    Ok(rows)
}
