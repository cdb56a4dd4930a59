//! What the command line accepts.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::compare::Compare;
use crate::commands::demo::Demo;
use crate::commands::federation::Federation;
use crate::commands::graph::Graph;
use crate::commands::peer::Peer;
use crate::commands::relax::Relax;
use crate::commands::router::Router;
use crate::commands::tune::Tune;
use crate::commands::vertical::Vertical;
use crate::files::Files;
use crate::given::Flags;
use crate::results::Results;

/// Networked federated learning: one personalized model per node of a graph, with a proof of how
/// good it is
#[derive(Parser)]
#[command(name = "netfed", version, about, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) files: Files,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  netfed demo
  netfed fit --data points.csv --graph edges.csv --lambda 0.01 --out run/
  netfed path --data points.csv --graph edges.csv --out path/
  netfed cluster --data points.csv --out clusters/
  netfed graph select --data points.csv --graph edges.csv --out kept.csv
  netfed predict --run run/ --data new.csv --out predictions.csv
  netfed evaluate --run run/ --data test.csv
  netfed explain --run run/ --out explain.html
  netfed tune --data points.csv --graph edges.csv --out tuned/
  netfed compare --data points.csv --graph edges.csv --out compared/
  netfed relax --data points.csv --graph edges.csv --model tree --alpha 0.1 --out run/
  netfed vertical --parties bank.csv,shop.csv --labels labels.csv --id person --out models/
  netfed federation init --graph edges.csv --features x1,x2 --lambda 0.1 --members members.csv --out federation/
  netfed peer --federation invitation/ --data own.csv --out run/

Exit status: 0 converged, 2 bad usage or input, 3 stopped before the tolerance or unproven, 1 anything else.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show what netfed does, on bundled data of weather stations
    Demo(Demo),
    /// Train one model per node
    Fit(Box<Fit>),
    /// Solve for a whole sequence of λ, from local models to one; choose λ
    Path(Box<Path>),
    /// Group points without labels (convex clustering)
    Cluster(Box<Cluster>),
    /// Work on the empirical graph: build, learn, test, inspect, generate, convert
    Graph(Graph),
    /// Predict labels of new data points
    Predict(Predict),
    /// Measure the error of the models on data with labels
    Evaluate(Evaluate),
    /// Say what is proven about the models of a run, and which nodes gain by taking part
    Explain(Explain),
    /// Choose λ and other settings by cross-validation
    Tune(Box<Tune>),
    /// Compare methods on the same splits: alone, one model, coupled over the graph, and other
    /// federated methods
    Compare(Box<Compare>),
    /// Train models of any kind, coupled by their predictions on public points
    Relax(Box<Relax>),
    /// Train one model of features that several parties hold about the same people
    Vertical(Vertical),
    /// Set up a federation of data holders: its description, its certificates, its status
    Federation(Federation),
    /// Take part in a federation with the own data
    Peer(Peer),
    /// Run a router of a federation, where members meet that cannot reach each other
    Router(Router),
    /// Say where the experiments of the papers are now
    #[command(hide = true)]
    Reproduce {
        /// What was said to the experiments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        words: Vec<String>,
    },
}

/// Minimizes Σ L(w_i) + λ Σ A φ(w_i − w_j): every node's loss on its own data, plus a penalty on
/// the differences between neighbors in the graph.
#[derive(clap::Args)]
#[command(after_help = FIT_EXAMPLES)]
pub(crate) struct Fit {
    #[command(flatten)]
    pub(crate) results: Results,
    /// Settings from a TOML file with the same names as the flags (without --); flags win
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) given: Flags,
}

const FIT_EXAMPLES: &str = "Examples:
  Network lasso, one linear regression per node:
    netfed fit --data points.csv --graph edges.csv --lambda 0.01 --out run/
  Classification with an intercept, features of unlike scale:
    netfed fit --data points.csv --graph edges.csv --loss logistic --intercept --standardize --lambda 0.02 --out run/
  Convex clustering of points without labels:
    netfed fit --data points.csv --graph edges.csv --loss mean --lambda 0.3 --out run/
  One model for all by way of a server, as in classical federated learning:
    netfed fit --data points.csv --flavor centralized --out run/
  The same run again with another λ:
    netfed fit --config run/config.toml --lambda 0.1 --out run2/

The folder then holds parameters.csv, clusters.csv, edges.csv, history.csv, summary.json, config.toml and report.html.";

/// Solves for a whole sequence of λ: from local models to λ_max, where all nodes of a connected
/// graph share one model. Shows which nodes join at which λ, and the error on held-out data.
#[derive(clap::Args)]
#[command(
    after_help = PATH_EXAMPLES, mut_arg("lambda", |a| a.hide(true)),
    mut_arg("flavor", |a| a.hide(true)), mut_arg("batch_size", |a| a.hide(true)), mut_arg("rho", |a| a.hide(true)),
    mut_arg("kappa", |a| a.hide(true)), mut_arg("availability", |a| a.hide(true))
)]
pub(crate) struct Path {
    #[command(flatten)]
    pub(crate) results: Results,
    /// Settings from a TOML file with the same names as the flags (without --); flags win; a λ in
    /// it is ignored
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) given: Flags,
    #[command(flatten)]
    pub(crate) range: Range,
    /// Folds of the cross-validation inside the nodes' data, at least 2; 0 turns it off [default: 5
    /// if every node with data has two points or more]
    #[arg(long, value_name = "COUNT", help_heading = "Path")]
    pub(crate) folds: Option<usize>,
    /// Write the models of all λ, however large the file; without it only up to two million numbers
    #[arg(long, help_heading = "Output")]
    pub(crate) keep_parameters: bool,
}

/// The values of λ.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Range {
    /// Number of values of λ, in equal ratios [default: 50]
    #[arg(long, value_name = "COUNT", help_heading = "Path")]
    pub(crate) lambdas: Option<usize>,
    /// The smallest λ [default: one at which hardly any nodes are joined]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Path")]
    pub(crate) lambda_min: Option<f64>,
    /// The largest λ [default: λ_max, at which all nodes of a connected graph have one model]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Path")]
    pub(crate) lambda_max: Option<f64>,
}

const PATH_EXAMPLES: &str = "Examples:
  Everything from local models to one:
    netfed path --data points.csv --graph edges.csv --out path/
  A finer look at a part of it, with ten folds:
    netfed path --data points.csv --graph edges.csv --lambda-min 0.01 --lambda-max 0.1 --folds 10 --out zoom/
  Then train with the λ that the report suggests:
    netfed fit --config path/config.toml --lambda 0.03 --out run/

The folder then holds path.csv, merges.csv, parameters.csv, summary.json, config.toml and report.html.";

/// Groups points without labels by convex clustering: every row is a point with its own center,
/// centers of neighbors are pulled together until they merge. Without --graph every point is linked
/// to its nearest neighbors.
#[derive(clap::Args)]
#[command(after_help = CLUSTER_EXAMPLES)]
pub(crate) struct Cluster {
    /// Points: one row each, features in columns (.csv, .csv.gz, .tsv, .parquet)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) data: PathBuf,
    /// Edges between the points: columns source, target and, if wanted, weight [default: nearest
    /// neighbors]
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) graph: Option<PathBuf>,
    /// Column with the names of the points [default: node, if there is one; else the row number]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub(crate) node_column: Option<String>,
    /// Feature columns, separated by commas [default: every other column]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "Input")]
    pub(crate) features: Option<Vec<String>>,
    /// Center every feature and scale it to unit standard deviation first
    #[arg(long, help_heading = "Input")]
    pub(crate) standardize: bool,
    /// Number of nearest neighbors of every point [default: 10]
    #[arg(long, value_name = "COUNT", conflicts_with = "graph", help_heading = "Problem")]
    pub(crate) neighbors: Option<usize>,
    /// Penalty on differences of centers: l2, l1 or linf [default: l2]
    #[arg(long, value_name = "NAME", help_heading = "Problem")]
    pub(crate) penalty: Option<String>,
    /// This many clusters, not counting very small ones
    #[arg(long, value_name = "COUNT", help_heading = "Problem")]
    pub(crate) clusters: Option<usize>,
    /// Solve for this λ only, without a path
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Problem", conflicts_with_all = ["clusters", "lambdas", "lambda_min", "lambda_max"])]
    pub(crate) lambda: Option<f64>,
    #[command(flatten)]
    pub(crate) range: Range,
    /// Stop when the relative duality gap is at most this [default: 1e-6]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Solver")]
    pub(crate) tol: Option<f64>,
    /// Stop after this many iterations at each λ [default: 100000]
    #[arg(long, value_name = "COUNT", help_heading = "Solver")]
    pub(crate) max_iter: Option<u64>,
    /// Threads to use, at most one per core; the answer does not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT", help_heading = "Solver")]
    pub(crate) threads: Option<usize>,
    #[command(flatten)]
    pub(crate) results: Results,
}

const CLUSTER_EXAMPLES: &str = "Examples:
  As many clusters as the points suggest:
    netfed cluster --data points.csv --out clusters/
  Three clusters, features of unlike scale:
    netfed cluster --data points.csv --standardize --clusters 3 --out clusters/
  With a graph of your own, at one λ:
    netfed cluster --data points.csv --graph edges.csv --lambda 0.5 --out clusters/

The folder then holds assignments.csv, edges.csv, path.csv, merges.csv, summary.json and report.html.";

/// Predicts with the models of a run. A node of the new data must be a node of the run.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  netfed predict --run run/ --data new.csv --out predictions.csv"
)]
pub(crate) struct Predict {
    /// Folder that `netfed fit` or `netfed relax` wrote
    #[arg(long, value_name = "FOLDER")]
    pub(crate) run: PathBuf,
    /// Data points with the columns of the training data; the label may be missing
    #[arg(long, value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// File for the predictions, one line per data point
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

/// Compares predictions with labels: mean squared and mean absolute error or, for classification,
/// accuracy; for each node and overall.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  netfed evaluate --run run/ --data test.csv")]
pub(crate) struct Evaluate {
    /// Folder that `netfed fit` or `netfed relax` wrote
    #[arg(long, value_name = "FOLDER")]
    pub(crate) run: PathBuf,
    /// Data points with labels
    #[arg(long, value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// File for the errors of all nodes (CSV)
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing; the errors are in the file of --out
    #[arg(long, short, requires = "out", conflicts_with = "json")]
    pub(crate) quiet: bool,
}

/// Explains a run: its clusters and whether they had to come out (with the λ for which they must),
/// how far they are from the models of their pooled data, the edges where groups pull apart, and
/// the nodes that gain or lose by being coupled (error on held-out points against training alone).
#[derive(clap::Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(crate) struct Explain {
    /// Folder that `netfed fit` wrote; its data and graph files must still be there
    #[arg(long, value_name = "FOLDER")]
    pub(crate) run: PathBuf,
    /// Folds of the cross-validation that tells who gains; 0 leaves it out
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    pub(crate) folds: usize,
    /// File for a page with pictures (HTML)
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

const EXPLAIN_EXAMPLES: &str = "Examples:
  What is proven, and who gains:
    netfed explain --run run/
  The same as a page with pictures:
    netfed explain --run run/ --out explain.html
  Without the cross-validation, which trains once per fold:
    netfed explain --run run/ --folds 0

\"Guaranteed\" clusters are fused in every solution, proven from the data and the graph. \"Not guaranteed\" only means that the
theorem does not reach so far. See docs/guarantees.md.";
