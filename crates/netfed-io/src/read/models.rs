//! Which model each node trains.

use std::collections::HashSet;
use std::path::Path;

use crate::error::Error;
use crate::rows::Rows;
use crate::text::quote;

/// The model of one node.
#[derive(Debug, PartialEq)]
pub struct ModelRow {
    /// The node.
    pub node: String,
    /// A name and options.
    pub words: String,
    /// The file and the line.
    pub place: String,
}

/// Reads a file with the columns `node`, `model` and, if it is there, `options`, in its order.
pub fn read_models(path: &Path) -> Result<Vec<ModelRow>, Error> {
    let table = Rows::open(path)?;
    let hint =
        "a file of models needs the columns \"node\" and \"model\", and may have \"options\"";
    let mut wanted =
        vec![table.header.require("node", hint)?, table.header.require("model", hint)?];
    wanted.extend(table.header.find("options"));
    let with_options = wanted.len() > 2;
    // Options under another name would be lost in silence.
    if !with_options && table.header.near("options").is_some() {
        return Err(table.header.missing("options", hint));
    }
    let file = table.header.file.clone();
    let (mut models, mut seen) = (Vec::new(), HashSet::new());
    table.for_each_row(&wanted, &mut |row| {
        let node = row.id(0)?;
        let mut words = row.id(1).map_err(|_| row.expected(1, "the name of a model"))?.into_owned();
        // An empty cell: no options.
        if let (true, Ok(options)) = (with_options, row.id(2)) {
            words.push(' ');
            words.push_str(&options);
        }
        if !seen.insert(node.clone().into_owned()) {
            return Err(row.wrong(&format!("the node {} was already given", quote(&node))));
        }
        let place = format!("{file}, {}", row.place);
        models.push(ModelRow { node: node.into_owned(), words, place });
        Ok(())
    })?;
    Ok(models)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::fixture::Folder;

    #[test]
    fn models_are_read_and_faults_named() {
        let folder = Folder::new();
        let path = folder.plain("m.csv", b"options,node,model\ndepth=3,a,tree\n,b,linear\n");
        let found = read_models(&path).unwrap();
        let words: Vec<_> = found.iter().map(|m| (m.node.as_str(), m.words.as_str())).collect();
        assert_eq!(words, [("a", "tree depth=3"), ("b", "linear")]);
        assert!(found[1].place.ends_with("m.csv, line 3"), "{found:?}");
        let path = folder.plain("m.csv", b"node,model\na,tree depth=3\n");
        assert_eq!(read_models(&path).unwrap()[0].words, "tree depth=3");
        for (text, message) in [
            (
                "node,model,option\na,tree,depth=2\n",
                ": no column \"options\" (did you mean \"option\"?); its columns are \"node\", \"model\", \"option\"; a file of models needs the columns \"node\" and \"model\", and may have \"options\".",
            ),
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
