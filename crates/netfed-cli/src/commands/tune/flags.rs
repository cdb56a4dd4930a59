//! What the command line of `netfed tune` accepts.

use std::path::PathBuf;

use crate::given::Flags;
use crate::results::Results;

/// Finds the λ (and, if asked, the penalty, the ridge, the Huber threshold) that predicts best.
/// Some data points of every node are held back, the models are trained on the others, and the
/// error on those held back is measured; each data point gets its turn (cross-validation). The
/// graph stays as it is, unless --graph-rule builds graphs to compare. The result says what to
/// take, how sure that is, and whether coupling helps at all.
#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES, mut_arg("lambda", |a| a.hide(true)),
    mut_arg("flavor", |a| a.hide(true)), mut_arg("batch_size", |a| a.hide(true)), mut_arg("rho", |a| a.hide(true)),
    mut_arg("kappa", |a| a.hide(true)), mut_arg("availability", |a| a.hide(true))
)]
pub(crate) struct Tune {
    #[command(flatten)]
    pub(crate) results: Results,
    /// Settings from a TOML file with the same names as the flags (without --); flags win, and its
    /// lambda is not used
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) config: Option<PathBuf>,
    /// How many λ to try, from hardly coupled to all models merged [default: 17]
    #[arg(long, value_name = "COUNT", help_heading = "What to try")]
    pub(crate) lambdas: Option<usize>,
    /// Try these λ instead; 0 is always tried, too
    #[arg(
        long,
        value_name = "A,B,C",
        value_delimiter = ',',
        allow_negative_numbers = true,
        conflicts_with = "lambdas",
        help_heading = "What to try"
    )]
    pub(crate) lambda_grid: Option<Vec<f64>>,
    /// Penalties to try [default: the one of --penalty]
    #[arg(
        long,
        value_name = "A,B,C",
        value_delimiter = ',',
        conflicts_with = "penalty",
        help_heading = "What to try"
    )]
    pub(crate) penalties: Option<Vec<String>>,
    /// Ridges to try [default: the one of --ridge]
    #[arg(
        long,
        value_name = "A,B,C",
        value_delimiter = ',',
        allow_negative_numbers = true,
        conflicts_with = "ridge",
        help_heading = "What to try"
    )]
    pub(crate) ridges: Option<Vec<f64>>,
    /// Thresholds of the huber loss to try [default: the one of --huber-delta]
    #[arg(
        long,
        value_name = "A,B,C",
        value_delimiter = ',',
        allow_negative_numbers = true,
        conflicts_with = "huber_delta",
        help_heading = "What to try"
    )]
    pub(crate) huber_deltas: Option<Vec<f64>>,
    /// Build the graph from the data instead of reading one: knn, mst-knn, threshold or complete,
    /// as in netfed graph build. It is built anew from the training points of every split
    #[arg(long, value_name = "NAME", conflicts_with = "graph", help_heading = "What to try")]
    pub(crate) graph_rule: Option<String>,
    /// Numbers of nearest nodes to try (rules knn, mst-knn) [default: 5]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "What to try")]
    pub(crate) graph_k: Option<Vec<usize>>,
    /// Largest discrepancies η of an edge to try (rule threshold)
    #[arg(
        long,
        value_name = "A,B,C",
        value_delimiter = ',',
        allow_negative_numbers = true,
        help_heading = "What to try"
    )]
    pub(crate) graph_eta: Option<Vec<f64>>,
    /// How unlike two nodes are: wasserstein, energy, mmd, ks, t, models, gradients or tsne
    /// [default: wasserstein]
    #[arg(long, value_name = "NAME", help_heading = "What to try")]
    pub(crate) graph_discrepancy: Option<String>,
    /// Weights of the edges: exponential, inverse or one [default: exponential]
    #[arg(long, value_name = "NAME", help_heading = "What to try")]
    pub(crate) graph_weights: Option<String>,
    /// Parts into which the data points of every node are dealt; each is held back once
    #[arg(long, value_name = "COUNT", default_value_t = 5, help_heading = "How to judge")]
    pub(crate) folds: usize,
    /// How often the dealing is repeated in another random order
    #[arg(long, value_name = "COUNT", default_value_t = 3, help_heading = "How to judge")]
    pub(crate) repeats: usize,
    /// Error to compare: squared or absolute; for classes loss or accuracy; for the loss mean
    /// squared or distance [default: the one nearest to the loss]
    #[arg(long, value_name = "NAME", help_heading = "How to judge")]
    pub(crate) measure: Option<String>,
    /// What to take: the smallest error (best), the largest λ that the data cannot tell from it
    /// (one-se), or the smallest information criterion (bic, aic)
    #[arg(long, value_name = "NAME", default_value = "one-se", help_heading = "How to judge")]
    pub(crate) rule: String,
    #[command(flatten)]
    pub(crate) given: Flags,
}

const EXAMPLES: &str = "Examples:
  Which λ? Then train with it:
    netfed tune --data points.csv --graph edges.csv --out tuned/
    netfed fit --config tuned/config.toml --out run/
  Which penalty, and with how much ridge?
    netfed tune --data points.csv --graph edges.csv --penalties l2,l1,squared --ridges 0,0.01,0.1 --out tuned/
  Some values of λ of your own, ten repeats, the smallest error:
    netfed tune --data points.csv --graph edges.csv --lambda-grid 0.01,0.1,1 --repeats 10 --rule best --out tuned/
  Which graph? Every node with its 3, 5 or 10 most similar ones:
    netfed tune --data points.csv --graph-rule knn --graph-k 3,5,10 --out tuned/
  The settings of an earlier run:
    netfed tune --config run/config.toml --out tuned/

The runs on parts of the data stop at a relative gap of 1e-4 (with --tol, at that); those on all data and the fit that follows at 1e-6.
The folder then holds tune.csv, folds.csv, summary.json, config.toml and report.html; with --graph-rule also edges.csv, the graph that
was chosen, built from all data.";
