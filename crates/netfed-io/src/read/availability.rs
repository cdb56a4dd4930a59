//! How often nodes are there: for every node the probability that it takes part in a round.

use std::path::Path;

use crate::error::Error;
use crate::rows::Rows;

/// Reads a file with the columns `node` and `availability`.
pub fn read_availability(path: &Path) -> Result<Vec<(String, f64)>, Error> {
    let table = Rows::open(path)?;
    let hint =
        "a file of availabilities needs the columns \"node\" and \"availability\" (a probability)";
    let wanted =
        vec![table.header.require("node", hint)?, table.header.require("availability", hint)?];
    let mut rows = Vec::new();
    table.for_each_row(&wanted, &mut |row| {
        rows.push((row.id(0)?.into_owned(), row.number(1)?));
        Ok(())
    })?;
    Ok(rows)
}
