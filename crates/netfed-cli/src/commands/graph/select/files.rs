//! The kept edges and, where asked for, the table of all tests.

use netfed::selection::{Adjusted, Wald};
use netfed_io::{Cell, CsvFile};

use super::flags::Select;
use crate::failure::Failure;

/// What becomes of an edge.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    Kept,
    Dropped,
    NotTested,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Kept => "kept",
            Verdict::Dropped => "dropped",
            Verdict::NotTested => "not tested",
        }
    }
}

/// The files under construction.
pub(super) struct Files {
    edges: CsvFile,
    tests: Option<CsvFile>,
    pub(super) adjusted: Option<Adjusted>,
}

impl Files {
    /// Opens them.
    pub(super) fn new(args: &Select) -> Result<Files, Failure> {
        let columns = ["source", "target", "statistic", "p_value", "adjusted", "verdict"];
        let tests = args.tests.as_deref().map(|path| CsvFile::new(path, &columns)).transpose()?;
        let edges = CsvFile::new(&args.results.out, &["source", "target", "weight"])?;
        Ok(Files { edges, tests, adjusted: None })
    }

    /// Adds a pair of nodes.
    pub(super) fn add(
        &mut self,
        ends: [&String; 2],
        weight: f64,
        test: Option<Wald>,
        verdict: Verdict,
    ) -> Result<(), Failure> {
        let [source, target] = ends.map(|name| Cell::Text(name.clone()));
        if let Some(tests) = &mut self.tests {
            let adjusted = test.and_then(|t| self.adjusted.as_ref().map(|a| a.of(t.p_value)));
            let [source, target] = ends.map(|name| Cell::Text(name.clone()));
            tests.row([
                source,
                target,
                test.map(|t| t.statistic).into(),
                test.map(|t| t.p_value).into(),
                adjusted.into(),
                Cell::Text(verdict.word().into()),
            ])?;
        }
        match verdict {
            Verdict::Dropped => Ok(()),
            _ => Ok(self.edges.row([source, target, Cell::Number(weight)])?),
        }
    }

    /// Puts them in their places.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.edges.finish()?;
        Ok(self.tests.map_or(Ok(()), CsvFile::finish)?)
    }
}
