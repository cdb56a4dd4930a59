//! The column names of a file: checking them and finding one among them.

use std::collections::HashSet;

use crate::error::{Error, Place};
use crate::text::quote;

/// The most column names that a message lists.
const LISTED_COLUMNS: usize = 20;

/// The column names of one file, all different and none empty.
#[derive(Debug)]
pub(crate) struct Header {
    /// The file, as messages name it.
    pub(crate) file: String,
    /// The names, in file order.
    pub(crate) names: Vec<String>,
}

impl Header {
    /// Checks the names found in `file`. `place` is where they stand, if that
    /// is a line of the file.
    pub(crate) fn new(
        file: String,
        place: Option<Place>,
        names: Vec<String>,
    ) -> Result<Self, Error> {
        let fault = |problem: String| match place {
            Some(place) => Error::at(&file, place, problem),
            None => Error::in_file(&file, problem),
        };
        let mut seen = HashSet::new();
        for (at, name) in names.iter().enumerate() {
            if name.is_empty() {
                let position = at + 1;
                return Err(fault(format!(
                    "expected a name for column {position}, found an empty cell"
                )));
            }
            if !seen.insert(name.as_str()) {
                let name = quote(name);
                return Err(fault(format!("the column name {name} is used twice")));
            }
        }
        Ok(Self { file, names })
    }

    /// Where the column `name` stands.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|there| there == name)
    }

    /// Like `find`, but a missing column is an error. `hint` ends its sentence.
    pub(crate) fn require(&self, name: &str, hint: &str) -> Result<usize, Error> {
        self.find(name).ok_or_else(|| self.missing(name, hint))
    }

    /// The error for a missing column: what is there, and a near name.
    pub(crate) fn missing(&self, name: &str, hint: &str) -> Error {
        if let [only] = self.names.as_slice()
            && only.contains([';', '\t'])
        {
            let sentence = "its cells seem to be separated by semicolons or tabs; \
                            netfed reads commas (.csv) or tabs (.tsv)";
            return Error::in_file(&self.file, sentence);
        }
        let near = self
            .near(name)
            .map_or_else(String::new, |near| format!(" (did you mean {}?)", quote(near)));
        let listed: Vec<_> = self.names.iter().take(LISTED_COLUMNS).map(|n| quote(n)).collect();
        let more = match self.names.len().saturating_sub(LISTED_COLUMNS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (name, listed) = (quote(name), listed.join(", "));
        Error::in_file(
            &self.file,
            format!("no column {name}{near}; its columns are {listed}{more}; {hint}"),
        )
    }

    /// The column whose name is closest to `name`, if any is close.
    pub(crate) fn near(&self, name: &str) -> Option<&str> {
        let near = self.names.iter().filter(|there| is_near(name, there));
        near.min_by_key(|there| distance(&name.to_lowercase(), &there.to_lowercase()))
            .map(String::as_str)
    }
}

/// Whether a name that was found may be meant for a wanted one.
pub fn is_near(wanted: &str, found: &str) -> bool {
    let (wanted, found) = (wanted.to_lowercase(), found.to_lowercase());
    let length = wanted.chars().count();
    let extended = length >= 3 && found.starts_with(&wanted);
    distance(&wanted, &found) <= length / 3 || extended
}

/// How many single-character edits lead from `from` to `to`.
fn distance(from: &str, to: &str) -> usize {
    // `row` holds the distances from the part of `from` read so far to each
    // prefix of `to` that is not empty; `whole` is the one to the empty prefix.
    let mut row: Vec<usize> = (1..=to.chars().count()).collect();
    let mut whole = 0;
    for a in from.chars() {
        let mut diagonal = whole;
        whole += 1;
        let mut left = whole;
        for (b, above) in to.chars().zip(row.iter_mut()) {
            let changed = diagonal + usize::from(a != b);
            diagonal = *above;
            *above = changed.min(*above + 1).min(left + 1);
            left = *above;
        }
    }
    row.last().copied().unwrap_or(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> Result<Header, Error> {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        Header::new("p.csv".to_owned(), Some(Place::Line(1)), names)
    }

    #[test]
    fn names_must_be_there_and_differ() {
        let error = header(&["node", "x", "x"]).unwrap_err();
        let twice = "p.csv, line 1: the column name \"x\" is used twice.";
        assert_eq!(error.to_string(), twice);
        let error = header(&["node", ""]).unwrap_err();
        let unnamed = "p.csv, line 1: expected a name for column 2, found an empty cell.";
        assert_eq!(error.to_string(), unnamed);
    }

    #[test]
    fn a_missing_column_lists_what_is_there() {
        let header = header(&["node", "Y"]).unwrap();
        assert_eq!(header.require("node", "hint").unwrap(), 0);
        let error = header.require("y", "give a name").unwrap_err();
        let message = "p.csv: no column \"y\" (did you mean \"Y\"?); \
                       its columns are \"node\", \"Y\"; give a name.";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn a_long_list_of_columns_is_cut() {
        let names: Vec<String> = (0..25).map(|i| format!("c{i}")).collect();
        let header = Header::new("p.csv".to_owned(), None, names).unwrap();
        let message = header.missing("y", "give a name").to_string();
        assert!(message.contains("\"c19\" and 5 more; give"), "{message}");
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let header = header(&["node_id", "sorce", "taget", "x1"]).unwrap();
        assert_eq!(header.near("node"), Some("node_id"));
        assert_eq!(header.near("source"), Some("sorce"));
        assert_eq!(header.near("target"), Some("taget"));
        assert_eq!(header.near("y"), None);
    }

    #[test]
    fn distance_counts_edits() {
        for (from, to, far) in [
            ("", "", 0),
            ("abc", "", 3),
            ("", "ab", 2),
            ("kitten", "sitting", 3),
            ("same", "same", 0),
        ] {
            assert_eq!(distance(from, to), far, "{from} to {to}");
        }
    }
}
