//! Settings that are about this program: files, their columns, threads.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The files of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct InputFiles {
    /// Data points: one row each, with a node id, a label and features (.csv, .csv.gz, .tsv,
    /// .parquet)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) data: Option<PathBuf>,
    /// Edges of the empirical graph: columns source, target and, if wanted, weight
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) graph: Option<PathBuf>,
    /// Matrix Q of the quadratic penalty: a file with one row per feature, numbers separated by
    /// commas, no header
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub(crate) penalty_matrix: Option<PathBuf>,
    /// Simulate devices that drop out: the probability that a node is there in a round, or a file
    /// with the columns node and availability
    #[arg(
        long,
        value_name = "NUMBER|FILE",
        allow_negative_numbers = true,
        help_heading = "Solver"
    )]
    pub(crate) availability: Option<String>,
}

impl InputFiles {
    /// These, with gaps filled from others.
    pub(super) fn or(self, other: InputFiles) -> InputFiles {
        InputFiles {
            data: self.data.or(other.data),
            graph: self.graph.or(other.graph),
            penalty_matrix: self.penalty_matrix.or(other.penalty_matrix),
            availability: self.availability.or(other.availability),
        }
    }

    /// The same as they are found from any directory.
    pub(crate) fn absolute(&self) -> InputFiles {
        let absolute = |p: &Path| std::path::absolute(p).unwrap_or_else(|_| p.to_path_buf());
        InputFiles {
            data: self.data.as_deref().map(absolute),
            graph: self.graph.as_deref().map(absolute),
            penalty_matrix: self.penalty_matrix.as_deref().map(absolute),
            availability: self.availability.as_deref().map(|text| match text.parse::<f64>() {
                Ok(_) => text.to_owned(),
                Err(_) => absolute(Path::new(text)).display().to_string(),
            }),
        }
    }
}

/// What the columns of the data points are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Columns {
    /// Column with the node ids [default: node]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub(crate) node_column: Option<String>,
    /// Column with the labels [default: y]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub(crate) target: Option<String>,
    /// Feature columns, separated by commas [default: every other column]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "Input")]
    pub(crate) features: Option<Vec<String>>,
}

impl Columns {
    /// These, with gaps filled from others.
    pub(super) fn or(self, other: Columns) -> Columns {
        Columns {
            node_column: self.node_column.or(other.node_column),
            target: self.target.or(other.target),
            features: self.features.or(other.features),
        }
    }
}

/// The part of the machine that is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, clap::Args)]
pub(crate) struct Machine {
    /// Threads to use, at most one per core; the answer does not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT", help_heading = "Solver")]
    pub(crate) threads: Option<usize>,
}
