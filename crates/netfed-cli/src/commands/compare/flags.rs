//! What the command line of `netfed compare` accepts.

use std::path::PathBuf;

use crate::given::Flags;
use crate::results::Results;

/// Trains several methods on the same data and ranks them by their error on data points that
/// training has not seen. Some points of every node are held out; every method chooses its own
/// setting (λ, number of clusters, …) by cross-validation on the others, is trained on them and
/// judged on those held out. This is repeated with other random splits. The result says which
/// method to take, and how sure that is.
#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("lambda", |a| a.hide(true)),
    mut_arg("solver", |a| a.hide(true)),
    mut_arg("batch_size", |a| a.hide(true)),
    mut_arg("rho", |a| a.hide(true)),
    mut_arg("kappa", |a| a.hide(true)),
    mut_arg("availability", |a| a.hide(true)),
    mut_arg("flavor", |a| a.hide(true))
)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) results: Results,
    /// Settings from a TOML file with the same names as the flags (without --); flags win, and its
    /// lambda and solver are not used
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) config: Option<PathBuf>,
    /// Known clusters of the nodes, for the method oracle: columns node, cluster
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) clusters: Option<PathBuf>,
    /// True models, where they are known: columns node and one per feature, as in the
    /// parameters.csv of a fit
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) truth: Option<PathBuf>,
    /// Methods, of local, global, oracle, gtv, gtv-selected, fed-admm, fedavg, fedsgd, fedprox,
    /// ifca, ditto, mr-mtl, gossip; local and global are always there to compare with [default: all
    /// that the loss and the files allow]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "What to compare")]
    pub(crate) methods: Option<Vec<String>>,
    /// Number of clusters of ifca [default: 2 to 5, by cross-validation]
    #[arg(long, value_name = "COUNT", help_heading = "What to compare")]
    pub(crate) ifca_clusters: Option<usize>,
    /// The most rounds of a method that works in rounds
    #[arg(long, value_name = "COUNT", default_value_t = 1000, help_heading = "What to compare")]
    pub(crate) rounds: u64,
    /// How often the data are split anew, at least 2
    #[arg(long, value_name = "COUNT", default_value_t = 5, help_heading = "How to judge")]
    pub(crate) splits: usize,
    /// Share of the data points of every node that is held out
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0.3,
        allow_negative_numbers = true,
        help_heading = "How to judge"
    )]
    pub(crate) validation: f64,
    /// Folds of the cross-validation that chooses the settings, on the points that are not held out
    #[arg(long, value_name = "COUNT", default_value_t = 3, help_heading = "How to judge")]
    pub(crate) folds: usize,
    /// Error to compare: squared or absolute; for classes loss or accuracy; for the loss mean
    /// squared or distance [default: the one nearest to the loss]
    #[arg(long, value_name = "NAME", help_heading = "How to judge")]
    pub(crate) measure: Option<String>,
    #[command(flatten)]
    pub(crate) given: Flags,
}

const EXAMPLES: &str = "Examples:
  Does it pay to couple the nodes, and how?
    netfed compare --data points.csv --graph edges.csv --out compared/
  Some methods only, with more splits:
    netfed compare --data points.csv --graph edges.csv --methods gtv,ifca,mr-mtl --splits 20 --out compared/
  With known clusters and true models, as in an experiment:
    netfed compare --data points.csv --graph edges.csv --clusters clusters.csv --truth models.csv --out compared/

gtv is what `netfed fit` does: one model per node, coupled over the graph. See docs/comparing.md for all methods.
The folder then holds compare.csv, splits.csv, summary.json, config.toml and report.html.";
