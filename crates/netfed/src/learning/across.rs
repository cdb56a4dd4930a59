//! The graphs of several holders of signals, and what they have in common, by any method.

use crate::outcome::Status;
use std::fmt::{self, Display};

use super::learn::finite;
use super::setup::LogDegreeOptions;
use super::status::rounds_ended;
use super::{
    Algorithm1, Exact, GraphMethod, LocalWork, LogDegree, Model, SiloGraphs, Silos,
    algorithm1_with, run_graph_method_with,
};
use crate::outcome::{Event, Observer, Unobserved};
use crate::{Error, Matrix};

/// The gap, as part of the objective, at which rounds have come to the optimum.
const AT_END: f64 = 1e-9;
/// The weight that every pair starts with.
const START: f64 = 0.1;

/// How graphs are learned across silos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SiloMethod {
    /// (8) to the end.
    Exact,
    /// (8) by the federated algorithm of the paper.
    Algorithm1,
    /// Every silo alone, to the end.
    Alone,
    /// One graph for all.
    FedAvg,
    /// One graph for all, with a proximal term of weight μ.
    FedProx,
    /// One graph per silo, pulled to their mean with strength μ.
    MrMtl,
    /// One graph per silo, pulled to that of FedAvg with strength μ.
    Ditto,
}

impl SiloMethod {
    /// All methods.
    pub const ALL: [SiloMethod; 7] = [
        SiloMethod::Exact,
        SiloMethod::Algorithm1,
        SiloMethod::Alone,
        SiloMethod::FedAvg,
        SiloMethod::FedProx,
        SiloMethod::MrMtl,
        SiloMethod::Ditto,
    ];

    /// The name of the method.
    pub fn name(self) -> &'static str {
        match self {
            SiloMethod::Exact => "exact",
            SiloMethod::Algorithm1 => "algorithm1",
            SiloMethod::Alone => "igl",
            SiloMethod::FedAvg => "fedavg",
            SiloMethod::FedProx => "fedprox",
            SiloMethod::MrMtl => "mr-mtl",
            SiloMethod::Ditto => "ditto",
        }
    }

    /// Whether it has λ and ν.
    pub fn couples(self) -> bool {
        matches!(self, SiloMethod::Exact | SiloMethod::Algorithm1)
    }

    /// Whether it has μ.
    pub fn pulls(self) -> bool {
        matches!(self, SiloMethod::FedProx | SiloMethod::MrMtl | SiloMethod::Ditto)
    }

    /// Whether it has a number of rounds; gradient steps need ζ > 0.
    pub fn has_rounds(self) -> bool {
        !matches!(self, SiloMethod::Exact | SiloMethod::Alone)
    }
}

impl Display for SiloMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One choice of the numbers of a method. What the method does not have is none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SiloSetting {
    /// β; none: that of the problems.
    pub beta: Option<f64>,
    /// ν: more pulls the graphs more strongly to the common one.
    pub nu: Option<f64>,
    /// λ: the weight of what they have in common.
    pub lambda: Option<f64>,
    /// μ: more pulls the graphs more strongly to what they have in common.
    pub mu: Option<f64>,
}

impl SiloSetting {
    /// Names and signs of the numbers.
    pub const NAMES: [(&str, &str); 4] = [("beta", "β"), ("nu", "ν"), ("lambda", "λ"), ("mu", "μ")];
    /// ν and μ, where nothing else is said.
    pub const NU: f64 = 3.0;
    /// See [`SiloSetting::NU`].
    pub const MU: f64 = 1.0;

    /// The values, in the order of [`SiloSetting::NAMES`].
    pub fn values(&self) -> [Option<f64>; 4] {
        [self.beta, self.nu, self.lambda, self.mu]
    }
}

/// How graphs are learned across silos.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SiloOptions {
    /// The method.
    pub method: SiloMethod,
    /// What is asked of the graphs.
    pub model: LogDegreeOptions,
    /// ν, λ and μ. Where λ is missing it is a third of [`neighbor_difference`].
    pub setting: SiloSetting,
    /// Rounds of methods that have rounds.
    pub rounds: u64,
}

/// The exact method.
impl Default for SiloOptions {
    fn default() -> SiloOptions {
        SiloOptions::new(SiloMethod::Exact)
    }
}

impl SiloOptions {
    /// A method with ν = 3, μ = 1, 50 rounds.
    pub fn new(method: SiloMethod) -> SiloOptions {
        let zeta = if method.has_rounds() { 0.01 } else { 0.0 };
        let model = LogDegreeOptions::default().with_zeta(zeta);
        SiloOptions { method, model, setting: SiloSetting::default(), rounds: 50 }
    }

    /// With graphs of another kind.
    pub fn with_model(self, model: LogDegreeOptions) -> SiloOptions {
        SiloOptions { model, ..self }
    }

    /// With these numbers.
    pub fn with_setting(self, setting: SiloSetting) -> SiloOptions {
        SiloOptions { setting, ..self }
    }

    /// With so many rounds.
    pub fn with_rounds(self, rounds: u64) -> SiloOptions {
        SiloOptions { rounds, ..self }
    }
}

/// The graphs of silos.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SilosLearned {
    /// With which numbers; β is there.
    pub setting: SiloSetting,
    /// One row of weights of the candidate pairs per silo.
    pub locals: Matrix,
    /// What they have in common: the one graph, that of FedAvg for Ditto, the mean for MR-MTL; none
    /// where every silo learns alone.
    pub consensus: Option<Vec<f64>>,
    /// (8), or Σᵢ gᵢ(wᵢ) of (7).
    pub objective: f64,
    /// What the objective could still fall, where that is known.
    pub gap: Option<f64>,
    /// Rounds that were run.
    pub rounds: u64,
    /// Whether this is the optimum, within rounding.
    pub solved: bool,
    /// How the search ended.
    pub status: Status,
}

/// Learns one graph per silo, and what they have in common, from the signals of each: matrices with
/// one row per vertex, the same in all, and one column per signal.
pub fn learn_across_silos(
    signals: &[&Matrix],
    options: &SiloOptions,
) -> Result<SilosLearned, Error> {
    learn_across_silos_with(signals, options, &mut Unobserved)
}

/// [`learn_across_silos()`] with an observer, who is told of rounds and may end them.
pub fn learn_across_silos_with(
    signals: &[&Matrix],
    options: &SiloOptions,
    observer: &mut dyn Observer,
) -> Result<SilosLearned, Error> {
    let (method, problems) = (options.method, options.model.problems(signals)?);
    let SiloSetting { nu, lambda, mu, .. } = options.setting;
    let third = || neighbor_difference(&problems).map(|price| price / 3.0);
    let lambda = if method.couples() { Some(lambda.map_or_else(third, Ok)?) } else { None };
    let setting = SiloSetting {
        nu: method.couples().then(|| nu.unwrap_or(SiloSetting::NU)),
        lambda,
        mu: method.pulls().then(|| mu.unwrap_or(SiloSetting::MU)),
        ..options.setting
    };
    solve_silos_with(&problems, method, &setting, options.rounds, observer)
}

/// The mean squared difference of neighbors in the graph of all signals together. λ is a price per
/// weight, as this is: a third of it is a start.
pub fn neighbor_difference(problems: &[LogDegree]) -> Result<f64, Error> {
    let one = LogDegree::pooled(problems)?;
    let graph = one.solve();
    let paid: f64 = one.distances().iter().zip(&graph.weights).map(|(z, w)| z * w).sum();
    Ok(paid / graph.weights.iter().sum::<f64>())
}

/// Finds the graphs of some problems (7) by a method, with a setting in which what the method has
/// is there.
pub fn solve_silos(
    problems: &[LogDegree],
    method: SiloMethod,
    setting: &SiloSetting,
    rounds: u64,
) -> Result<SilosLearned, Error> {
    solve_silos_with(problems, method, setting, rounds, &mut Unobserved)
}

/// [`solve_silos()`] with an observer, who is told of rounds and may end them.
pub fn solve_silos_with(
    problems: &[LogDegree],
    method: SiloMethod,
    setting: &SiloSetting,
    rounds: u64,
    observer: &mut dyn Observer,
) -> Result<SilosLearned, Error> {
    let Some(first) = problems.first() else {
        return Err(Error::Size { what: "silos", expected: 1, found: 0 });
    };
    let model = first.model();
    let model = Model { beta: setting.beta.unwrap_or(model.beta), ..model };
    let setting = SiloSetting { beta: Some(model.beta), ..*setting };
    let problems: Vec<LogDegree> =
        problems.iter().map(|p| p.with_model(model)).collect::<Result<_, _>>()?;
    let found = if method.couples() {
        coupled(problems, method, setting, rounds, observer)?
    } else if method == SiloMethod::Alone {
        alone(&problems, setting)?
    } else {
        by_rounds(&problems, method, setting, rounds, observer)?
    };
    finite(found.objective, found.gap.unwrap_or(0.0))?;
    Ok(found)
}

/// (8)
fn coupled(
    problems: Vec<LogDegree>,
    method: SiloMethod,
    setting: SiloSetting,
    rounds: u64,
    observer: &mut dyn Observer,
) -> Result<SilosLearned, Error> {
    let needed = |name, value: Option<f64>| {
        let expected = "given: the method couples the silos";
        value.ok_or(Error::BadNumber { name, value: f64::NAN, expected })
    };
    let (nu, lambda) = (needed("nu", setting.nu)?, needed("lambda", setting.lambda)?);
    let silos = Silos::new(problems, nu, lambda)?;
    if method == SiloMethod::Exact {
        let found = Exact::default().solve_with(&silos, observer);
        let solved = found.status == Status::Solved;
        return Ok(SilosLearned::of(found.graphs, setting, solved, found.status));
    }
    let settings = Algorithm1 { rounds, ..Algorithm1::default() };
    let (graphs, _) = algorithm1_with(&silos, &settings, observer)?;
    let solved = graphs.gap <= AT_END * graphs.objective.abs();
    let status = rounds_ended(graphs.rounds, rounds);
    Ok(SilosLearned::of(graphs, setting, solved, status))
}

/// Every silo alone, to the end.
fn alone(silos: &[LogDegree], setting: SiloSetting) -> Result<SilosLearned, Error> {
    let (mut rows, mut gap) = (Vec::new(), 0.0);
    for silo in silos {
        let learned = silo.solve();
        rows.extend(learned.weights);
        gap += learned.gap;
    }
    let locals = Matrix::from_rows(silos[0].candidates().len(), rows)?;
    let found = SilosLearned::new(silos, setting, locals, None);
    Ok(SilosLearned { gap: Some(gap), solved: true, status: Status::Solved, ..found })
}

/// The methods that (8) is compared with. Their objective is Σᵢ gᵢ(wᵢ) of (7), of which they do not
/// find the least value.
fn by_rounds(
    silos: &[LogDegree],
    method: SiloMethod,
    setting: SiloSetting,
    rounds: u64,
    observer: &mut dyn Observer,
) -> Result<SilosLearned, Error> {
    let mu = setting.mu.unwrap_or(SiloSetting::MU);
    let by = match method {
        SiloMethod::FedProx => GraphMethod::FedProx(mu),
        SiloMethod::MrMtl => GraphMethod::MrMtl(mu),
        SiloMethod::Ditto => GraphMethod::Ditto(mu),
        _ => GraphMethod::FedAvg,
    };
    let mut done = 0;
    let mut count = |event: Event<'_>| {
        done = event.count();
        observer.observe(event)
    };
    let work = LocalWork::default();
    let mut run = |by| run_graph_method_with(by, silos, &work, rounds, START, &mut count);
    let locals = run(by)?;
    let common = if method == SiloMethod::Ditto {
        run(GraphMethod::FedAvg)?.row(0).to_vec()
    } else {
        mean(&locals)
    };
    let found = SilosLearned::new(silos, setting, locals, Some(common));
    Ok(SilosLearned { status: rounds_ended(done, rounds), rounds: done, ..found })
}

/// The mean graph; where all are the same, these.
fn mean(locals: &Matrix) -> Vec<f64> {
    let first = locals.row(0);
    let count = locals.rows() as f64;
    let others = |k: usize| (0..locals.rows()).map(|i| locals.row(i)[k] - first[k]).sum::<f64>();
    first.iter().enumerate().map(|(k, w)| w + others(k) / count).collect()
}

impl SilosLearned {
    /// Graphs by a method of which no more is known than Σᵢ gᵢ(wᵢ).
    fn new(
        silos: &[LogDegree],
        setting: SiloSetting,
        locals: Matrix,
        consensus: Option<Vec<f64>>,
    ) -> SilosLearned {
        let objective = silos.iter().enumerate().map(|(i, s)| s.objective(locals.row(i))).sum();
        let (gap, rounds, solved, status) = (None, 0, false, Status::MaxIterations);
        SilosLearned { setting, locals, consensus, objective, gap, rounds, solved, status }
    }

    fn of(graphs: SiloGraphs, setting: SiloSetting, solved: bool, status: Status) -> SilosLearned {
        let SiloGraphs { locals, consensus, objective, gap, rounds } = graphs;
        let (consensus, gap) = (Some(consensus), Some(gap));
        SilosLearned { setting, locals, consensus, objective, gap, rounds, solved, status }
    }
}

/// Whether all silos have the same distances, up to rounding: then their graphs are the same,
/// whatever pulls them.
pub fn same_distances(problems: &[LogDegree]) -> bool {
    let Some(first) = problems.first().map(LogDegree::distances) else { return true };
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * (a + b);
    problems.iter().all(|one| one.distances().iter().zip(first).all(near))
}
