//! What the command line of `netfed vertical` accepts.

use std::path::PathBuf;

use crate::results::Results;

/// Trains one linear model on features that several parties hold about the same people (vertical
/// federated learning). Rows are matched by an id; only one number per person travels in every
/// round. A simulation in one process: it shows what the parties would get.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Vertical {
    /// Files of the parties, separated by commas: an id column and features (.csv, .csv.gz, .tsv,
    /// .parquet)
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', required = true)]
    pub(crate) parties: Vec<PathBuf>,
    /// File of the label holder: the id column and the label
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: PathBuf,
    /// Column with the ids of the people, in all files
    #[arg(long, value_name = "NAME")]
    pub(crate) id: String,
    /// Column with the labels
    #[arg(long, value_name = "NAME", default_value = "y")]
    pub(crate) target: String,
    /// The label holder adds a constant to the model
    #[arg(long)]
    pub(crate) intercept: bool,
    /// Loss: squared, logistic, huber, absolute or hinge
    #[arg(long, value_name = "NAME", default_value = "squared")]
    pub(crate) loss: String,
    /// Threshold of the huber loss
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, allow_negative_numbers = true)]
    pub(crate) huber_delta: f64,
    /// Add this times ‖w‖² to the loss
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) ridge: f64,
    /// Stop after this many rounds
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    pub(crate) rounds: u64,
    /// Stop when a round moves the predictions by less than this part
    #[arg(long, value_name = "NUMBER", default_value_t = 1e-9, allow_negative_numbers = true)]
    pub(crate) tol: f64,
    #[command(flatten)]
    pub(crate) results: Results,
}

const EXAMPLES: &str = "Examples:
  A bank and a shop know other things about the same people:
    netfed vertical --parties bank.csv,shop.csv --labels labels.csv --id person --intercept --out models/
  Classes, with a little ridge:
    netfed vertical --parties bank.csv,shop.csv --labels labels.csv --id person --loss logistic --ridge 0.01 --out models/

People whom not all files know are left out. The numbers that travel say something about features and labels: this is no proof of
privacy. The folder then holds models.csv, predictions.csv and summary.json.";
