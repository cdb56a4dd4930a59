//! The kept edges and, where asked for, the table of all tests.

use netfed::selection::{PairTest, Verdict};
use netfed_io::{Cell, CsvFile};

use super::flags::Select;
use crate::failure::Failure;

/// The files under construction.
pub(super) struct Files {
    edges: CsvFile,
    tests: Option<CsvFile>,
}

impl Files {
    /// Opens them.
    pub(super) fn new(args: &Select) -> Result<Files, Failure> {
        let columns = ["source", "target", "statistic", "p_value", "adjusted", "verdict"];
        let tests = args.tests.as_deref().map(|path| CsvFile::new(path, &columns)).transpose()?;
        let edges = CsvFile::new(&args.results.out, &["source", "target", "weight"])?;
        Ok(Files { edges, tests })
    }

    /// Adds a pair of nodes.
    pub(super) fn add(&mut self, ends: [&String; 2], pair: &PairTest) -> Result<(), Failure> {
        let [source, target] = ends.map(|name| Cell::Text(name.clone()));
        if let Some(tests) = &mut self.tests {
            let [source, target] = ends.map(|name| Cell::Text(name.clone()));
            tests.row([
                source,
                target,
                pair.test.map(|t| t.statistic).into(),
                pair.test.map(|t| t.p_value).into(),
                pair.adjusted.into(),
                Cell::Text(word(pair.verdict).into()),
            ])?;
        }
        match pair.verdict {
            Verdict::Dropped => Ok(()),
            _ => Ok(self.edges.row([source, target, Cell::Number(pair.weight)])?),
        }
    }

    /// Puts them in their places.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.edges.finish()?;
        Ok(self.tests.map_or(Ok(()), CsvFile::finish)?)
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Kept => "kept",
        Verdict::Dropped => "dropped",
        Verdict::NotTested => "not tested",
    }
}
