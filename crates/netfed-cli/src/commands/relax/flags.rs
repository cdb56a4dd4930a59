//! What the command line of `netfed relax` accepts.

use std::path::PathBuf;

use crate::results::Results;

/// Trains models of any kind, one per node, each free to be of another kind: trees, forests, neural
/// networks, linear models. Neighbors in the graph are pulled towards the same predictions on
/// public points (FedRelax).
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Relax {
    /// Data points: columns node, y and features (.csv, .csv.gz, .tsv, .parquet)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) data: PathBuf,
    /// Edges: columns source, target and, if wanted, weight
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) graph: PathBuf,
    /// Public points without labels: the feature columns of the data; with the node column each
    /// node has points of its own [default: drawn from a normal distribution fitted to all data]
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) public: Option<PathBuf>,
    /// How many public points are drawn where there is no file [default: 100]
    #[arg(long, value_name = "COUNT", conflicts_with = "public", help_heading = "Input")]
    pub(crate) public_points: Option<usize>,
    /// Column with the node ids
    #[arg(long, value_name = "NAME", default_value = "node", help_heading = "Input")]
    pub(crate) node_column: String,
    /// Column with the labels
    #[arg(long, value_name = "NAME", default_value = "y", help_heading = "Input")]
    pub(crate) target: String,
    /// Feature columns, separated by commas [default: every other column]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "Input")]
    pub(crate) features: Option<Vec<String>>,
    /// Center every feature and scale it to unit standard deviation over all data points
    #[arg(long, help_heading = "Input")]
    pub(crate) standardize: bool,
    /// What is predicted: regression (a number) or classification (one of some classes, written as
    /// whole numbers)
    #[arg(long, value_name = "NAME", default_value = "regression", help_heading = "Problem")]
    pub(crate) task: String,
    /// Model of every node, with options: "tree", "forest trees=50", "perceptron hidden=16",
    /// "linear", …
    #[arg(long, value_name = "TEXT", help_heading = "Problem")]
    pub(crate) model: Option<String>,
    /// Models of single nodes: columns node, model and, if wanted, options; --model is for the
    /// others
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub(crate) models: Option<PathBuf>,
    /// Strength of the coupling: 0 trains every node alone, large values make neighbors predict
    /// alike
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Problem")]
    pub(crate) alpha: f64,
    /// Rounds of exchanging predictions and fitting
    #[arg(long, value_name = "COUNT", default_value_t = 10, help_heading = "Problem")]
    pub(crate) rounds: u64,
    /// Hold back one of so many points of every node, but not its only one, to compare with
    /// training alone; 0: none. The models that are kept are trained on all points
    #[arg(long, value_name = "COUNT", default_value_t = 5, help_heading = "Validation")]
    pub(crate) hold_out: usize,
    /// Seed of everything random
    #[arg(long, value_name = "NUMBER", default_value_t = 0, help_heading = "Problem")]
    pub(crate) seed: u64,
    /// Threads to use, at most one per core; the answer does not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT", help_heading = "Problem")]
    pub(crate) threads: Option<usize>,
    #[command(flatten)]
    pub(crate) results: Results,
}

const EXAMPLES: &str = "Examples:
  A decision tree at every node:
    netfed relax --data points.csv --graph edges.csv --model \"tree depth=4\" --alpha 0.1 --out run/
  Models of several kinds, classes, public points from a file:
    netfed relax --data points.csv --graph edges.csv --public public.csv --models models.csv --task classification --alpha 0.5 --out run/
  Public points of each node's own, from a file with the columns node, x1, x2:
    netfed relax --data points.csv --graph edges.csv --public own.csv --model linear --alpha 0.1 --out run/
  Then predict:
    netfed predict --run run/ --data new.csv --out predictions.csv

Models: tree, forest, boosting, nearest, kernel, perceptron, linear, ridge, lasso, logistic. Neighbors learn what a model predicts on the public
points, and nothing else; see docs/relax.md for what that reveals. The folder then holds models.safetensors, nodes.csv, history.csv, summary.json and
report.html.";
