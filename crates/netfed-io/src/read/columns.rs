//! Which columns of a point file are read, and as what.

use std::collections::HashSet;
use std::path::Path;

use crate::error::Error;
use crate::rows::Rows;
use crate::rows::header::Header;
use crate::text::quote;

/// What the label column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// There is no label. A column named like the target is a feature if it is
    /// listed as one, and is ignored otherwise.
    None,
    /// A real number.
    Real,
    /// -1 or 1, or else 0 or 1 with 0 read as -1. One file uses one way only.
    Binary,
    /// A class, written as a whole number.
    Class,
}

/// Which columns of a point file to read.
#[derive(Debug, Clone)]
pub struct PointColumns {
    /// The column with the node ids.
    pub node: String,
    /// Whether the file may lack the node column: then every row is a node, named by its number.
    pub node_optional: bool,
    /// The column with the labels.
    pub target: String,
    /// The feature columns; `None` is every other column, in file order.
    pub features: Option<Vec<String>>,
    /// What the label column holds.
    pub kind: Target,
    /// Whether the file may lack the label column.
    pub target_optional: bool,
    /// What to say about labels that are words, where numbers are expected.
    pub label_tip: &'static str,
    /// Whether the names come from a trained run, not from flags.
    pub trained: bool,
}

impl Default for PointColumns {
    fn default() -> Self {
        Self {
            node: "node".to_owned(),
            node_optional: false,
            target: "y".to_owned(),
            features: None,
            kind: Target::Real,
            target_optional: false,
            label_tip: "",
            trained: false,
        }
    }
}

/// Whether a file can be read and has a column of this name.
pub fn has_column(path: &Path, name: &str) -> bool {
    Rows::open(path).is_ok_and(|table| table.header.find(name).is_some())
}

/// The names of the columns of a file.
pub fn column_names(path: &Path) -> Result<Vec<String>, Error> {
    Ok(Rows::open(path)?.header.names)
}

/// Where the columns to read stand in the header.
#[derive(Debug, PartialEq)]
pub(crate) struct Chosen {
    /// The node ids, if the file has them.
    pub(crate) node: Option<usize>,
    /// The labels, if they are read.
    pub(crate) target: Option<usize>,
    /// The features.
    pub(crate) features: Vec<usize>,
}

/// Finds the columns to read.
pub(crate) fn choose(header: &Header, columns: &PointColumns) -> Result<Chosen, Error> {
    let refuse = |problem: String| Err(Error::in_file(&header.file, problem));
    let hint = |flag| if columns.trained { "the run was trained with that name" } else { flag };
    let node = if columns.node_optional {
        header.find(&columns.node)
    } else {
        Some(header.require(
            &columns.node,
            hint("give --node-column NAME if the node column has another name"),
        )?)
    };
    let target = match columns.kind {
        Target::None => None,
        _ if columns.target == columns.node => {
            let name = quote(&columns.node);
            return refuse(format!("the column {name} cannot hold both node and label"));
        }
        _ if columns.target_optional => header.find(&columns.target),
        _ => {
            let flag = hint("give --target NAME if the label has another name");
            Some(header.require(&columns.target, flag)?)
        }
    };
    let Some(listed) = &columns.features else {
        let other = |name: &String| *name != columns.node && *name != columns.target;
        let named = header.names.iter().enumerate();
        let features: Vec<_> = named.filter_map(|(at, name)| other(name).then_some(at)).collect();
        if features.is_empty() {
            let (node, target) = (quote(&columns.node), quote(&columns.target));
            return refuse(format!(
                "expected a feature column besides {node} and {target}, found none"
            ));
        }
        return Ok(Chosen { node, target, features });
    };
    if listed.is_empty() {
        return refuse("the list given to --features is empty".to_owned());
    }
    let mut seen = HashSet::new();
    let mut features = Vec::with_capacity(listed.len());
    for feature in listed {
        let name = quote(feature);
        if *feature == columns.node {
            return refuse(format!("the node column {name} cannot be a feature"));
        }
        if *feature == columns.target && columns.kind != Target::None {
            return refuse(format!("the label column {name} cannot be a feature"));
        }
        if !seen.insert(feature) {
            return refuse(format!("the feature {name} is listed twice"));
        }
        features.push(header.require(feature, hint("check the list given to --features"))?);
    }
    Ok(Chosen { node, target, features })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chooses from the columns `node`, `x1`, `y`, `x2`.
    fn pick(columns: &PointColumns) -> Result<Chosen, String> {
        pick_from(&["node", "x1", "y", "x2"], columns)
    }

    fn pick_from(names: &[&str], columns: &PointColumns) -> Result<Chosen, String> {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let header = Header::new("points.csv".to_owned(), None, names).unwrap();
        choose(&header, columns).map_err(|error| error.to_string())
    }

    fn listing(kind: Target, features: &[&str]) -> PointColumns {
        PointColumns {
            kind,
            features: Some(features.iter().map(|&name| name.to_owned()).collect()),
            ..PointColumns::default()
        }
    }

    fn chosen(target: Option<usize>, features: &[usize]) -> Chosen {
        Chosen { node: Some(0), target, features: features.to_vec() }
    }

    #[test]
    fn features_are_the_other_columns_or_the_listed_ones() {
        let all = PointColumns::default();
        assert_eq!(pick(&all).unwrap(), chosen(Some(2), &[1, 3]));
        let listed = listing(Target::Real, &["x2", "x1"]);
        assert_eq!(pick(&listed).unwrap(), chosen(Some(2), &[3, 1]));
        let none = PointColumns { kind: Target::None, ..all };
        assert_eq!(pick(&none).unwrap(), chosen(None, &[1, 3]));
        let label_too = listing(Target::None, &["y"]);
        assert_eq!(pick(&label_too).unwrap(), chosen(None, &[2]));
    }

    #[test]
    fn an_optional_label_may_be_absent() {
        let columns = PointColumns { target_optional: true, ..PointColumns::default() };
        assert_eq!(pick(&columns).unwrap(), chosen(Some(2), &[1, 3]));
        let absent = pick_from(&["node", "x1"], &columns).unwrap();
        assert_eq!(absent, chosen(None, &[1]));
    }

    #[test]
    fn rows_can_be_nodes() {
        let columns = PointColumns {
            node_optional: true,
            kind: Target::None,
            target: String::new(),
            ..PointColumns::default()
        };
        let rows = pick_from(&["x", "y"], &columns).unwrap();
        assert_eq!(rows, Chosen { node: None, target: None, features: vec![0, 1] });
        assert_eq!(pick_from(&["x", "node"], &columns).unwrap().node, Some(1));
    }

    #[test]
    fn missing_columns_are_named() {
        let columns = PointColumns::default();
        let message = "points.csv: no column \"y\"; its columns are \"node\", \"x1\"; \
                       give --target NAME if the label has another name.";
        assert_eq!(pick_from(&["node", "x1"], &columns).unwrap_err(), message);
        let message = "points.csv: no column \"node\" (did you mean \"Node\"?); its columns are \
                       \"Node\", \"y\"; give --node-column NAME if the node column has another name.";
        assert_eq!(pick_from(&["Node", "y"], &columns).unwrap_err(), message);
        let message =
            "points.csv: expected a feature column besides \"node\" and \"y\", found none.";
        assert_eq!(pick_from(&["node", "y"], &columns).unwrap_err(), message);
    }

    #[test]
    fn a_bad_list_of_features_is_refused() {
        for (features, problem) in [
            (&[][..], "the list given to --features is empty"),
            (&["node"], "the node column \"node\" cannot be a feature"),
            (&["x1", "y"], "the label column \"y\" cannot be a feature"),
            (&["x1", "x1"], "the feature \"x1\" is listed twice"),
            (
                &["x9"],
                "no column \"x9\"; its columns are \"node\", \"x1\", \"y\", \"x2\"; \
                 check the list given to --features",
            ),
        ] {
            let found = pick(&listing(Target::Real, features)).unwrap_err();
            assert_eq!(found, format!("points.csv: {problem}."));
        }
        let same = PointColumns { target: "node".to_owned(), ..PointColumns::default() };
        let message = "points.csv: the column \"node\" cannot hold both node and label.";
        assert_eq!(pick(&same).unwrap_err(), message);
    }
}
