//! Where the nodes are on the earth.

use std::collections::HashMap;
use std::path::Path;

use crate::error::Error;
use crate::rows::Rows;
use crate::text::quote;

/// Places of nodes.
pub struct Coordinates {
    /// The nodes, in the order of the file.
    pub nodes: Vec<String>,
    /// Latitude and longitude in degrees.
    pub of_node: HashMap<String, (f64, f64)>,
}

/// Reads a file with the columns `node`, `latitude` and `longitude`, in degrees.
pub fn read_coordinates(path: &Path) -> Result<Coordinates, Error> {
    let table = Rows::open(path)?;
    let hint = "a file of coordinates needs the columns \"node\", \"latitude\" and \"longitude\"";
    let wanted = ["node", "latitude", "longitude"]
        .map(|name| table.header.require(name, hint))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let mut found = Coordinates { nodes: Vec::new(), of_node: HashMap::new() };
    table.for_each_row(&wanted, &mut |row| {
        let node = row.id(0)?.into_owned();
        let (latitude, longitude) = (row.number(1)?, row.number(2)?);
        if latitude.abs() > 90.0 {
            return Err(row.expected(1, "degrees between -90 and 90"));
        }
        if longitude.abs() > 360.0 {
            return Err(row.expected(2, "degrees between -360 and 360"));
        }
        if found.of_node.insert(node.clone(), (latitude, longitude)).is_some() {
            return Err(row.wrong(&format!("the node {} was already given", quote(&node))));
        }
        found.nodes.push(node);
        Ok(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::fixture::Folder;

    #[test]
    fn places_are_read_and_faults_named() {
        let folder = Folder::new();
        let path = folder.plain("c.csv", b"longitude,node,latitude\n25.5,b,60\n-3,a,-10.5\n");
        let found = read_coordinates(&path).unwrap();
        assert_eq!(
            (found.nodes, found.of_node["a"]),
            (vec!["b".into(), "a".into()], (-10.5, -3.0))
        );
        for (text, message) in [
            (
                "node,latitude,longitude\na,91,0\n",
                ", line 2, column \"latitude\": expected degrees",
            ),
            (
                "node,latitude,longitude\na,9,361\n",
                ", line 2, column \"longitude\": expected degrees",
            ),
            (
                "node,latitude,longitude\na,9,1\na,9,1\n",
                ", line 3: the node \"a\" was already given.",
            ),
            ("node,lat,longitude\na,9,1\n", ": no column \"latitude\""),
        ] {
            let path = folder.plain("c.csv", text.as_bytes());
            let found = read_coordinates(&path).err().map(|e| folder.message(&e)).unwrap();
            assert!(found.starts_with(&format!("c.csv{message}")), "{found}");
        }
    }
}
