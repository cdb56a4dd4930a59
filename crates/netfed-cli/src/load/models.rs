//! Which model each node trains.

use std::collections::HashMap;
use std::path::Path;

use super::table::Table;
use super::{InputError, quote};

/// Reads a file with the columns `node`, `model` and, if it is there, `options`: the words for each node's model.
pub(crate) fn read_models(path: &Path) -> Result<HashMap<String, String>, InputError> {
    let table = Table::open(path)?;
    let hint =
        "a file of models needs the columns \"node\" and \"model\", and may have \"options\"";
    let mut wanted =
        vec![table.header.require("node", hint)?, table.header.require("model", hint)?];
    wanted.extend(table.header.find("options"));
    let with_options = wanted.len() > 2;
    let mut models = HashMap::new();
    table.for_each_row(&wanted, &mut |row| {
        let node = row.id(0)?;
        let mut words = row.id(1).map_err(|_| row.expected(1, "the name of a model"))?.into_owned();
        // An empty cell: no options.
        if let (true, Ok(options)) = (with_options, row.id(2)) {
            words.push(' ');
            words.push_str(&options);
        }
        if models.insert(node.clone().into_owned(), words).is_some() {
            return Err(row.wrong(&format!("the node {} was already given", quote(&node))));
        }
        Ok(())
    })?;
    Ok(models)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Folder;
    use super::*;

    #[test]
    fn models_are_read_and_faults_named() {
        let folder = Folder::new();
        let path = folder.plain("m.csv", b"options,node,model\ndepth=3,a,tree\n,b,linear\n");
        let found = read_models(&path).unwrap();
        assert_eq!((found["a"].as_str(), found["b"].as_str()), ("tree depth=3", "linear"));
        let path = folder.plain("m.csv", b"node,model\na,tree depth=3\n");
        assert_eq!(read_models(&path).unwrap()["a"], "tree depth=3");
        for (text, message) in [
            ("node,model\na,tree\na,linear\n", ", line 3: the node \"a\" was already given."),
            (
                "node,model\na,\n",
                ", line 2, column \"model\": expected the name of a model, found an empty cell.",
            ),
            (
                "node,kind\na,1\n",
                ": no column \"model\"; its columns are \"node\", \"kind\"; a file of models needs the columns \"node\" and \"model\", and may have \"options\".",
            ),
        ] {
            let path = folder.plain("m.csv", text.as_bytes());
            let found = folder.message(&read_models(&path).unwrap_err());
            assert_eq!(found, format!("m.csv{message}"));
        }
    }
}
