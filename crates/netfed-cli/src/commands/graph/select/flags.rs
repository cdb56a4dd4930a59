//! What the command line of `netfed graph select` accepts.

use std::path::PathBuf;

use netfed::LossKind;
use netfed::selection::{Correction, Variance};

use crate::failure::Failure;
use crate::given::Flags;
use crate::results::Results;
use crate::settings::{Range, Settings, number};

/// Tests every edge: could both nodes have the same model? Every node is trained alone; an edge is
/// dropped when the two models differ by more than chance explains (Wald test, corrected for the
/// number of edges). Without --graph all pairs of nodes are tested, and those that are not told
/// apart become the graph.
#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("out", |a| a.value_name("FILE").help("File for the edges that are kept (CSV), ready for --graph of other commands")),
    mut_arg("force", |a| a.help("Replace files that exist")),
    mut_arg("graph", |a| a.help("Edges to test: columns source, target and, if wanted, weight [default: all pairs of nodes]")),
    mut_arg("loss", |a| a.help("Local loss: squared, logistic, huber or mean [default: squared]")),
    mut_arg("flavor", |a| a.hide(true)), mut_arg("batch_size", |a| a.hide(true)), mut_arg("rho", |a| a.hide(true)),
    mut_arg("kappa", |a| a.hide(true)), mut_arg("availability", |a| a.hide(true)),
    mut_arg("lambda", |a| a.hide(true)),
    mut_arg("penalty", |a| a.hide(true)),
    mut_arg("penalty_matrix", |a| a.hide(true)),
    mut_arg("lasso", |a| a.hide(true)),
    mut_arg("solver", |a| a.hide(true)),
    mut_arg("tol", |a| a.hide(true)),
    mut_arg("max_iter", |a| a.hide(true)),
    mut_arg("seed", |a| a.hide(true))
)]
pub(crate) struct Select {
    #[command(flatten)]
    pub(crate) results: Results,
    /// File for all tests (CSV): source, target, statistic, p_value, adjusted, verdict
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) tests: Option<PathBuf>,
    /// Settings from a TOML file with the same names as the flags (without --), as netfed fit
    /// leaves behind; flags win; what has to do with coupling, as its lambda, is not used
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) config: Option<PathBuf>,
    /// True clusters, where they are known: columns node, cluster; the result is then compared with
    /// them
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) truth: Option<PathBuf>,
    /// Level of the tests: how much error is allowed, by the meaning of --correction
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0.05,
        allow_negative_numbers = true,
        help_heading = "Test"
    )]
    pub(crate) alpha: f64,
    /// What alpha bounds: bonferroni or holm, the probability of dropping any right edge; bh
    /// (Benjamini-Hochberg), the share of right edges among those dropped
    #[arg(long, value_name = "NAME", default_value = "bonferroni", help_heading = "Test")]
    pub(crate) correction: String,
    /// Variance of the noise in the labels: a number if it is known, or estimated, at every node
    #[arg(
        long,
        value_name = "VARIANCE",
        default_value = "estimated",
        allow_negative_numbers = true,
        help_heading = "Test"
    )]
    pub(crate) noise: String,
    /// Allow for noise that depends on the features (needs twice as many points as features at a
    /// node, better ten times)
    #[arg(long, help_heading = "Test")]
    pub(crate) sandwich: bool,
    #[command(flatten)]
    pub(crate) given: Flags,
}

const EXAMPLES: &str = "Examples:
  Drop the edges that the data speak against, then train with the others:
    netfed graph select --data points.csv --graph edges.csv --out kept.csv
    netfed tune --data points.csv --graph kept.csv --out tuned/
  A graph from the data alone:
    netfed graph select --data points.csv --out kept.csv
  More edges dropped, all tests in a table, noise of variance 1:
    netfed graph select --data points.csv --graph edges.csv --correction bh --noise 1 --tests tests.csv --out kept.csv
  Classes, with a little ridge where they can be separated:
    netfed graph select --data points.csv --graph edges.csv --loss logistic --ridge 0.01 --out kept.csv

A node that cannot be tested (no data, too few points, separable classes) keeps the edges of --graph, and gets none without it.
See docs/selection.md.";

/// What is to be tested and how, checked.
pub(super) struct Plan {
    pub(super) settings: Settings,
    pub(super) correction: Correction,
    pub(super) variance: Variance,
}

impl Plan {
    /// Fills the gaps and checks the values.
    pub(super) fn new(args: &Select) -> Result<Plan, Failure> {
        let given = args.given.read()?;
        for (flag, there) in [
            ("--lambda", given.spec.lambda.is_some()),
            ("--penalty", given.spec.penalty.is_some()),
            ("--penalty-matrix", given.files.penalty_matrix.is_some()),
            ("--lasso", given.spec.lasso.is_some()),
            ("--solver", given.spec.solver.is_some()),
            ("--tol", given.spec.tol.is_some()),
            ("--max-iter", given.spec.max_iter.is_some()),
            ("--seed", given.spec.seed.is_some()),
        ] {
            if there {
                return Err(Failure::input(format!(
                    "{flag} has no place here: netfed graph select trains every node alone, without lasso, in closed form or by Newton's method."
                )));
            }
        }
        let mut given = given.of_many_fits(args.config.as_deref(), "netfed graph select")?;
        if let Some(config) = &args.config
            && given.spec.lasso.is_some_and(|lasso| lasso != 0.0)
        {
            return Err(Failure::input(format!(
                "{}: the tests need losses that are twice differentiable, so without lasso; say ridge = 0.01 or the like in its place.",
                config.display()
            )));
        }
        given.spec.lasso = None;
        let settings = Settings::of_points(given)?;
        if matches!(settings.spec.loss_kind(), LossKind::Absolute | LossKind::Hinge) {
            return Err(Failure::input(format!(
                "--loss {} has no second derivative, which the tests need; known are squared, logistic, huber, mean.",
                settings.loss_name()
            )));
        }
        if !(args.alpha > 0.0 && args.alpha < 1.0) {
            return Err(Failure::input(format!(
                "--alpha is {}; it must be more than 0 and less than 1.",
                args.alpha
            )));
        }
        let correction = args.correction.parse()?;
        let variance = variance(args, settings.spec.loss_kind())?;
        Ok(Plan { settings, correction, variance })
    }

    /// Whether there is no graph.
    pub(super) fn all_pairs(&self) -> bool {
        self.settings.graph.is_none()
    }
}

fn variance(args: &Select, loss: LossKind) -> Result<Variance, Failure> {
    let known = (args.noise != "estimated").then_some(args.noise.as_str());
    if let Some(noise) = known
        && (args.sandwich || loss == LossKind::Logistic)
    {
        let why = if args.sandwich {
            "--sandwich measures it point by point"
        } else {
            "the logistic loss has none"
        };
        return Err(Failure::input(format!(
            "--noise is {noise}, a level of noise, but {why}; leave --noise out."
        )));
    }
    if args.sandwich {
        return Ok(Variance::Sandwich);
    }
    let Some(noise) = known else { return Ok(Variance::Estimated) };
    let value = noise.parse().map_err(|_| {
        Failure::input(format!(
            "--noise is \"{noise}\"; expected the word estimated or a number, the variance of the noise."
        ))
    })?;
    Ok(Variance::Known(number("--noise", value, Range::Positive)?))
}
