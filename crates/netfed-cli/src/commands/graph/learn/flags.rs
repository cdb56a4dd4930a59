//! What the command line of `netfed graph learn` accepts.

use std::path::PathBuf;

use netfed::learning::{
    Kept, LearnMethod, LearnOptions, LogDegreeOptions, Scale, SiloMethod, SiloSetting,
};
use netfed::names::choose;

use super::setting;
use crate::failure::Failure;
use crate::results::Results;
use crate::settings::{Range, number};

/// Learns a graph from signals: values that vary over its vertices, as temperatures of many hours
/// at many stations. Vertices whose values go together become neighbors. With --silos every holder
/// of signals gets a graph of its own, and there is one of what they have in common.
#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("out", |a| a.value_name("PATH").help("File for the edges (.csv, .graphml, .gexf); with --silos a folder")),
    mut_arg("force", |a| a.help("Replace what exists"))
)]
pub(crate) struct Learn {
    /// Signals: one column per vertex with its name on top, one row per signal (.csv, .csv.gz,
    /// .tsv, .parquet)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) signals: Option<PathBuf>,
    /// Files of signals of the same vertices, one per silo, or a folder of them
    #[arg(
        long,
        value_name = "FILES",
        num_args = 1..,
        value_delimiter = ',',
        conflicts_with = "signals",
        help_heading = "Input"
    )]
    pub(crate) silos: Vec<PathBuf>,
    /// Known graphs of the silos, one for all or one each in the order of --silos: with them
    /// --beta, --nu, --lambda and --mu may be lists, and the combination with the best F-score is
    /// taken
    #[arg(long, value_name = "FILES", num_args = 1.., value_delimiter = ',', help_heading = "Input")]
    pub(crate) truth: Vec<PathBuf>,
    /// Give every vertex mean 0 and standard deviation 1 first, in every file
    #[arg(long, help_heading = "Input")]
    pub(crate) standardize: bool,
    /// log-degree or glasso (graphical lasso); with --silos exact, algorithm1, igl (each alone),
    /// fedavg, fedprox, mr-mtl or ditto [default: log-degree, exact]
    #[arg(long, value_name = "NAME", help_heading = "Problem")]
    pub(crate) method: Option<String>,
    /// α, weight of the logarithms of the degrees; scales the graph [default: 1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Problem")]
    pub(crate) alpha: Option<f64>,
    /// β, weight of the squares of the edge weights; more gives more edges [default: chosen for
    /// --neighbors]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "Problem")]
    pub(crate) beta: Option<Vec<f64>>,
    /// Choose β so that a vertex has about this many neighbors on average (in --silos: when each
    /// learns alone) [default: 5]
    #[arg(
        long,
        value_name = "NUMBER",
        conflicts_with = "beta",
        allow_negative_numbers = true,
        help_heading = "Problem"
    )]
    pub(crate) neighbors: Option<f64>,
    /// ζ, added to the degrees inside the logarithm [default: 0; methods of rounds: 0.01]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Problem")]
    pub(crate) zeta: Option<f64>,
    /// Penalty of the graphical lasso; more gives fewer edges
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Problem")]
    pub(crate) penalty: Option<f64>,
    /// ν of --silos: more pulls the graphs more strongly to the common one [default: 3]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "Problem")]
    pub(crate) nu: Option<Vec<f64>>,
    /// λ of --silos: weight of what they have in common
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "Problem")]
    pub(crate) lambda: Option<Vec<f64>>,
    /// μ of fedprox, mr-mtl and ditto: more pulls the graphs more strongly to what they have in
    /// common [default: 1]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "Problem")]
    pub(crate) mu: Option<Vec<f64>>,
    /// Only pairs of which one is among this many nearest of the other may become edges [default:
    /// all pairs]
    #[arg(long, value_name = "COUNT", help_heading = "Problem")]
    pub(crate) candidates: Option<usize>,
    /// Rounds of algorithm1, fedavg, fedprox, mr-mtl and ditto [default: 50]
    #[arg(long, value_name = "COUNT", help_heading = "Solver")]
    pub(crate) rounds: Option<u64>,
    /// Threads to use, at most one per core; the answer does not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT", help_heading = "Solver")]
    pub(crate) threads: Option<usize>,
    /// Divide the weights: none, mean-degree (it becomes 1) or largest-weight (it becomes 1)
    #[arg(long, value_name = "NAME", default_value = "none", help_heading = "Output")]
    pub(crate) scale: String,
    /// Leave out edges whose weight, after --scale, is not above this
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        help_heading = "Output"
    )]
    pub(crate) threshold: f64,
    #[command(flatten)]
    pub(crate) results: Results,
}

const EXAMPLES: &str = "Examples:
  A graph with about five neighbors per vertex, ready for --graph of other commands:
    netfed graph learn --signals temperatures.csv --out edges.csv
  Thousands of vertices, values of unlike scale:
    netfed graph learn --signals sensors.csv --standardize --candidates 20 --neighbors 8 --out edges.csv
  Which vertices depend on each other, given all others (graphical lasso):
    netfed graph learn --signals genes.csv --standardize --method glasso --penalty 0.2 --out edges.csv
  One graph per hospital and what they have in common:
    netfed graph learn --silos north.csv south.csv east.csv --lambda 0.1 --nu 3 --out graphs/
  The same for all files of a folder, by the federated algorithm of the paper:
    netfed graph learn --silos hospitals/ --method algorithm1 --lambda 0.1 --out graphs/
  A method to compare with:
    netfed graph learn --silos hospitals/ --method ditto --mu 0.5 --out ditto/
  Which β, ν and λ, where the graphs of some silos are known? All combinations are tried (grid search):
    netfed graph learn --silos a.csv b.csv --truth true_a.csv true_b.csv --beta 0.1,1,10 --nu 2,4 --lambda 0.03,0.1,0.3 --out graphs/

With --silos the folder then holds consensus.csv (not with igl), one file of edges per silo and summary.json; with --truth also grid.csv,
the scores of all combinations. Take exact; the others are there
to see what they do. See docs/learning.md.";

/// How the graph is found.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Method {
    LogDegree,
    Glasso,
    Silos(SiloMethod),
}

/// What is asked for, checked.
pub(super) struct Plan {
    pub(super) method: Method,
    /// The method, as the flag has it.
    pub(super) name: &'static str,
    /// Which edges are written.
    pub(super) kept: Kept,
    pub(super) alpha: f64,
    pub(super) zeta: f64,
    pub(super) rounds: u64,
    /// What to try: several only where known graphs choose.
    pub(super) settings: Vec<SiloSetting>,
}

impl Method {
    /// The method of silos, if it is one.
    pub(super) fn of_silos(self) -> Option<SiloMethod> {
        match self {
            Method::Silos(method) => Some(method),
            _ => None,
        }
    }
}

impl Plan {
    /// Checks the flags.
    pub(super) fn new(args: &Learn) -> Result<Plan, Failure> {
        let (method, name) = method(args)?;
        let of_silos = |has: fn(SiloMethod) -> bool| method.of_silos().is_some_and(has);
        let (coupled, rounds) = (of_silos(SiloMethod::couples), of_silos(SiloMethod::has_rounds));
        let has = |flag: &str, there: bool, home: &str| {
            if there {
                Err(Failure::input(format!("{flag} belongs to {home}; leave it out here.")))
            } else {
                Ok(())
            }
        };
        if method == Method::Glasso {
            has("--alpha", args.alpha.is_some(), "the log-degree model")?;
            has("--beta", args.beta.is_some(), "the log-degree model")?;
            has("--neighbors", args.neighbors.is_some(), "the log-degree model")?;
            has("--zeta", args.zeta.is_some(), "the log-degree model")?;
            has("--candidates", args.candidates.is_some(), "the log-degree model")?;
        } else {
            has("--penalty", args.penalty.is_some(), "--method glasso")?;
        }
        let home = "--silos with --method exact or algorithm1";
        has("--lambda", !coupled && args.lambda.is_some(), home)?;
        has("--nu", !coupled && args.nu.is_some(), home)?;
        let home = "--silos with --method algorithm1, fedavg, fedprox, mr-mtl or ditto";
        has("--rounds", !rounds && args.rounds.is_some(), home)?;
        let home = "--silos with --method fedprox, mr-mtl or ditto";
        has("--mu", !of_silos(SiloMethod::pulls) && args.mu.is_some(), home)?;
        let alpha = number("--alpha", args.alpha.unwrap_or(1.0), Range::Positive)?;
        number("--threshold", args.threshold, Range::Nonnegative)?;
        for (flag, value) in [("--neighbors", args.neighbors), ("--penalty", args.penalty)] {
            value.map(|v| number(flag, v, Range::Positive)).transpose()?;
        }
        let settings = setting::all(args, method)?;
        check_truth(args, settings.len())?;
        args.zeta.map(|v| number("--zeta", v, Range::Nonnegative)).transpose()?;
        for (flag, zero) in
            [("--candidates", args.candidates == Some(0)), ("--rounds", args.rounds == Some(0))]
        {
            if zero {
                return Err(Failure::input(format!("{flag} is 0; it must be at least 1.")));
            }
        }
        let zeta = args.zeta.unwrap_or(if rounds { 0.01 } else { 0.0 });
        if rounds && zeta == 0.0 {
            return Err(Failure::input(format!(
                "--zeta is 0; the gradient steps of {name} need it positive, as 0.01."
            )));
        }
        let scale = match choose("scale", &args.scale, &["none", "mean-degree", "largest-weight"])?
        {
            "mean-degree" => Scale::MeanDegree,
            "largest-weight" => Scale::LargestWeight,
            _ => Scale::None,
        };
        let rounds = args.rounds.unwrap_or(50);
        let kept = Kept { scale, threshold: args.threshold };
        Ok(Plan { method, name, kept, alpha, zeta, rounds, settings })
    }

    /// What is asked of the graphs of signals.
    pub(super) fn model(&self, args: &Learn) -> LogDegreeOptions {
        let mut model = LogDegreeOptions::default().with_alpha(self.alpha).with_zeta(self.zeta);
        model.neighbors = args.neighbors.unwrap_or(model.neighbors);
        (model.beta, model.candidates) = (self.settings[0].beta, args.candidates);
        model
    }

    /// How the graph of one holder is learned.
    pub(super) fn options(&self, args: &Learn) -> LearnOptions {
        let method = match (self.method, args.penalty) {
            (Method::Glasso, Some(penalty)) => LearnMethod::GraphicalLasso { penalty },
            _ => LearnMethod::LogDegree(self.model(args)),
        };
        LearnOptions::new(method).with_kept(self.kept.scale, self.kept.threshold)
    }
}

/// Several settings need known graphs of silos: (7) and (8) of unlike β, ν and λ cannot be
/// compared, on held-out signals neither.
fn check_truth(args: &Learn, settings: usize) -> Result<(), Failure> {
    let alone = args.silos.is_empty();
    if alone && !args.truth.is_empty() {
        return Err(Failure::input(
            "--truth belongs to --silos; netfed graph inspect --graph FILE --truth FILE compares one graph with the true one.".into(),
        ));
    }
    match (settings > 1, alone, args.truth.is_empty()) {
        (true, true, _) => Err(Failure::input(
            "--beta is a list; lists are for --silos with --truth. Give one value here, or --neighbors.".into(),
        )),
        (true, false, true) => Err(Failure::input(format!(
            "{settings} combinations, but nothing to choose one by: the objectives of unlike β, ν and λ cannot be compared. Say --truth FILES with known graphs, or give one value each."
        ))),
        _ => Ok(()),
    }
}

/// The method and its name.
fn method(args: &Learn) -> Result<(Method, &'static str), Failure> {
    let name = args.method.as_deref();
    let of_silos = SiloMethod::ALL.map(SiloMethod::name);
    if args.silos.is_empty() {
        if let Some(name) = name.filter(|n| of_silos.contains(n)) {
            return Err(Failure::input(format!("--method {name} goes with --silos only.")));
        }
        let name = choose("method", name.unwrap_or("log-degree"), &["log-degree", "glasso"])?;
        return Ok(match name {
            "glasso" => (Method::Glasso, "glasso"),
            _ => (Method::LogDegree, "log-degree"),
        });
    }
    let name = choose("method of --silos", name.unwrap_or("exact"), &of_silos)?;
    let method = SiloMethod::ALL.into_iter().find(|m| m.name() == name);
    let method = method.unwrap_or(SiloMethod::Exact);
    Ok((Method::Silos(method), method.name()))
}
