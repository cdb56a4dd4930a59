//! What the command line of `netfed graph build` accepts.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::given::{Flags, Given};
use crate::graph_recipe::{self as recipe, Recipe};
use crate::results::Results;
use crate::settings::Settings;

/// Builds the empirical graph from the data: nodes whose local datasets are alike become neighbors.
/// A discrepancy says how unlike two nodes are, a rule which pairs become edges, and the weights
/// how strong these are.
#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("out", |a| a.value_name("FILE").help("File for the graph: .csv (source, target, weight), .graphml or .gexf; ready for --graph of other commands")),
    mut_arg("force", |a| a.help("Replace the file if it exists")),
    mut_arg("graph", |a| a.hide(true)), mut_arg("flavor", |a| a.hide(true)), mut_arg("batch_size", |a| a.hide(true)),
    mut_arg("rho", |a| a.hide(true)), mut_arg("kappa", |a| a.hide(true)), mut_arg("availability", |a| a.hide(true)),
    mut_arg("lambda", |a| a.hide(true)), mut_arg("penalty", |a| a.hide(true)), mut_arg("penalty_matrix", |a| a.hide(true)),
    mut_arg("lasso", |a| a.hide(true)), mut_arg("solver", |a| a.hide(true)), mut_arg("tol", |a| a.hide(true)),
    mut_arg("max_iter", |a| a.hide(true)),
    mut_arg("data", |a| a.help("Data points: one row each, with a node id, features and, if there is one, a label; not needed for --discrepancy distance")),
    mut_arg("target", |a| a.help("Column with the labels; a label is one more column of what is compared [default: y, if there is one]")),
    mut_arg("loss", |a| a.help("Local loss of models and gradients; with mean, data without labels are compared [default: squared]")),
    mut_arg("intercept", |a| a.help("Add a constant feature to the models (models, gradients)")),
    mut_arg("ridge", |a| a.help("Add this times ‖w‖² to the losses (models, gradients) [default: 0]")),
    mut_arg("standardize", |a| a.help("Scale every column to unit standard deviation over all data first")),
    mut_arg("seed", |a| a.help("Seed of the points that tsne lays out where there are many [default: 0]"))
)]
pub(crate) struct Build {
    #[command(flatten)]
    pub(crate) results: Results,
    /// How unlike two nodes are: wasserstein, energy, mmd, ks, t, models, gradients, tsne, or
    /// distance (see below)
    #[arg(long, value_name = "NAME", default_value = "wasserstein", help_heading = "Graph")]
    pub(crate) discrepancy: String,
    /// Which pairs become edges: knn (every node with its k nearest), threshold (discrepancy at
    /// most η), mst-knn (minimum spanning tree and k nearest: connected), complete
    #[arg(long, value_name = "NAME", default_value = "knn", help_heading = "Graph")]
    pub(crate) rule: String,
    /// Number of nearest nodes [default: 5]
    #[arg(long, value_name = "COUNT", help_heading = "Graph")]
    pub(crate) k: Option<usize>,
    /// Largest discrepancy η of an edge, for the rule threshold
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Graph")]
    pub(crate) eta: Option<f64>,
    /// Weights from discrepancies D: exponential (exp(−D/s)), inverse (1/D) or one
    #[arg(long, value_name = "NAME", default_value = "exponential", help_heading = "Graph")]
    pub(crate) weights: String,
    /// Scale s of exponential weights [default: the median of D over the edges; ks and t: 1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Graph")]
    pub(crate) scale: Option<f64>,
    /// How the tests of the features become one (ks, t): fisher or bonferroni [default: fisher]
    #[arg(long, value_name = "NAME", help_heading = "Graph")]
    pub(crate) combine: Option<String>,
    /// Where the nodes are, for --discrepancy distance: columns node, latitude, longitude (degrees)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) coordinates: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) given: Flags,
}

const EXAMPLES: &str = "Discrepancies, and what of a node's data the builder of the graph gets to see:
  wasserstein  distance of normal distributions fitted to the points   mean and covariance
  energy       energy distance                                         the points
  mmd          maximum mean discrepancy, Gaussian kernel               the points
  ks           Kolmogorov-Smirnov tests, −log₁₀ of the p-value          values of every feature, sorted
  t            tests of equal means, −log₁₀ of the p-value              mean and variance of every feature
  models       distance of the models that nodes train alone           the model
  gradients    gradient of a node's loss at the other's model          the model, lengths of gradients
  tsne         the points laid out in the plane, then wasserstein       the points
  distance     kilometers on the earth, from --coordinates             the place

Examples:
  Every node with the five most similar ones:
    netfed graph build --data points.csv --standardize --out edges.csv
  As in the paper: edges up to a Wasserstein distance of 5, weights 1/W:
    netfed graph build --data points.csv --rule threshold --eta 5 --weights inverse --out edges.csv
  A connected graph of neighbors on the map:
    netfed graph build --coordinates stations.csv --discrepancy distance --rule mst-knn --k 3 --out edges.csv

See docs/graphs.md. Then: netfed graph inspect --graph edges.csv, or choose k and η by netfed tune --graph-rule.";

/// What is to be built, checked.
pub(super) struct Plan {
    pub(super) recipe: Recipe,
    /// The place of every node decides, not its data.
    pub(super) by_place: bool,
    /// Settings of reading and of local models.
    pub(super) settings: Settings,
}

impl Plan {
    /// Fills the gaps and checks the values.
    pub(super) fn new(args: &Build) -> Result<Plan, Failure> {
        let given = args.given.read()?;
        let by_place = args.discrepancy == "distance";
        check(args, &given, by_place)?;
        let recipe = Recipe {
            discrepancy: recipe::discrepancy(&args.discrepancy)?,
            combination: recipe::combination(args.combine.as_deref().unwrap_or("fisher"))?,
            rule: recipe::rule(&args.rule, args.k, args.eta, ["--k", "--eta"])?,
            weights: recipe::weights(&args.weights, args.scale, &args.discrepancy)?,
        };
        let given = given.of_many_fits(None, "netfed graph build")?;
        if given.files.data.is_none() && !by_place {
            return Err(Failure::input("no file of data points given; say --data FILE.".into()));
        }
        let mut settings = Settings::of_parts(given)?;
        settings.columns.target_optional =
            !recipe.needs_models() && args.given.columns.target.is_none();
        Ok(Plan { recipe, by_place, settings })
    }
}

/// Refuses flags that have no place or no effect, and those that lack another one.
fn check(args: &Build, given: &Given, by_place: bool) -> Result<(), Failure> {
    for (flag, there) in [
        ("--graph", given.files.graph.is_some()),
        ("--lambda", given.spec.lambda.is_some()),
        ("--penalty", given.spec.penalty.is_some()),
        ("--penalty-matrix", given.files.penalty_matrix.is_some()),
        ("--lasso", given.spec.lasso.is_some()),
        ("--solver", given.spec.solver.is_some()),
        ("--tol", given.spec.tol.is_some()),
        ("--max-iter", given.spec.max_iter.is_some()),
    ] {
        if there {
            return Err(Failure::input(format!(
                "{flag} has no place here: netfed graph build makes the graph, and couples nothing yet."
            )));
        }
    }
    let by_models = matches!(args.discrepancy.as_str(), "models" | "gradients");
    let (models, tsne) = ("models or gradients", "tsne");
    for (flag, there, home) in [
        ("--ridge", given.spec.ridge.is_some() && !by_models, models),
        ("--intercept", given.spec.intercept.is_some() && !by_models, models),
        ("--huber-delta", given.spec.huber_delta.is_some() && !by_models, models),
        ("--seed", given.spec.seed.is_some() && args.discrepancy != tsne, tsne),
        ("--standardize", given.spec.standardize.is_some() && by_place, "any other than distance"),
    ] {
        if there {
            return Err(Failure::input(format!(
                "{flag} has an effect with --discrepancy {home} only; the discrepancy is {}.",
                args.discrepancy
            )));
        }
    }
    if by_place && args.coordinates.is_none() {
        return Err(Failure::input(
            "--discrepancy distance needs the places of the nodes; say --coordinates FILE (columns node, latitude, longitude).".into(),
        ));
    }
    if !by_place && args.coordinates.is_some() {
        return Err(Failure::input(format!(
            "--coordinates goes with --discrepancy distance only; the discrepancy is {}.",
            args.discrepancy
        )));
    }
    if args.combine.is_some() && !matches!(args.discrepancy.as_str(), "ks" | "t") {
        return Err(Failure::input(format!(
            "--combine goes with the tests (--discrepancy ks or t) only; the discrepancy is {}.",
            args.discrepancy
        )));
    }
    Ok(())
}
