//! The graphs of silos with one setting, by the method that was asked for.

use std::time::Instant;

use netfed::learning::{Algorithm1, Exact, LogDegree, Model, SiloGraphs, Silos, algorithm1_with};
use netfed::{Event, Matrix, Status};
use netfed_report::text::number;

use super::flags::{Learn, Method, Plan};
use super::setting::Setting;
use super::{baselines, check_finite};
use crate::failure::Failure;
use crate::progress::{say, until_interrupted};

/// The gap, as part of the objective, at which rounds have come to the optimum.
const AT_END: f64 = 1e-9;

/// What to say where λ is missing: λ is a price per weight, as z is.
fn missing_lambda(problems: &[LogDegree]) -> Result<Failure, Failure> {
    let one = LogDegree::pooled(problems)?;
    let graph = one.solve();
    let paid: f64 = one.distances().iter().zip(&graph.weights).map(|(z, w)| z * w).sum();
    let price = paid / graph.weights.iter().sum::<f64>();
    Ok(Failure::input(format!(
        "--lambda is missing; the mean squared difference of neighbors is about {} here, a third of that is a start.",
        number(price)
    )))
}

/// What a method has found.
pub(super) struct Found {
    /// With which numbers; β is there.
    pub(super) setting: Setting,
    /// One row of weights per silo.
    pub(super) locals: Matrix,
    /// What they have in common.
    pub(super) consensus: Option<Vec<f64>>,
    pub(super) objective: f64,
    /// What the objective could still fall, where that is known.
    pub(super) gap: Option<f64>,
    pub(super) rounds: u64,
    /// Whether this is the optimum, within rounding.
    pub(super) solved: bool,
    pub(super) ended: Status,
}

impl Found {
    /// Graphs by a method of which no more is known than Σᵢ gᵢ(wᵢ).
    pub(super) fn new(
        silos: &[LogDegree],
        setting: Setting,
        locals: Matrix,
        consensus: Option<Vec<f64>>,
    ) -> Found {
        let objective = silos.iter().enumerate().map(|(i, s)| s.objective(locals.row(i))).sum();
        let (gap, rounds, solved, ended) = (None, 0, false, Status::MaxIterations);
        Found { setting, locals, consensus, objective, gap, rounds, solved, ended }
    }

    fn of(graphs: SiloGraphs, setting: Setting, solved: bool, ended: Status) -> Found {
        let SiloGraphs { locals, consensus, objective, gap, rounds, .. } = graphs;
        let (consensus, gap) = (Some(consensus), Some(gap));
        Found { setting, locals, consensus, objective, gap, rounds, solved, ended }
    }
}

/// Finds the graphs of the silos with a setting. Progress is told where that is asked for.
pub(super) fn solve(
    problems: &[LogDegree],
    setting: &Setting,
    args: &Learn,
    plan: &Plan,
) -> Result<Found, Failure> {
    let found = run(problems, setting, args, plan)?;
    check_finite("the signals", found.objective, found.gap.unwrap_or(0.0))?;
    Ok(found)
}

fn run(
    problems: &[LogDegree],
    setting: &Setting,
    args: &Learn,
    plan: &Plan,
) -> Result<Found, Failure> {
    let mut last = Instant::now();
    let alone = plan.settings.len() == 1 && !args.results.quiet;
    let mut watch = |event: Event<'_>| {
        if alone && last.elapsed().as_secs() >= 3 {
            last = Instant::now();
            let gap =
                event.measure().map_or(String::new(), |gap| format!(", relative gap {gap:.1e}"));
            say(&format!("round {}{gap}", event.count()));
        }
        until_interrupted(event)
    };
    let model = problems[0].model();
    let model = Model { beta: setting.beta.unwrap_or(model.beta), ..model };
    let setting = Setting { beta: Some(model.beta), ..*setting };
    let problems: Vec<LogDegree> =
        problems.iter().map(|p| p.with_model(model)).collect::<Result<_, _>>()?;
    if let Method::Baseline(method) = plan.method {
        return baselines::solve(method, &problems, setting, plan.rounds, &mut watch);
    }
    let (Some(nu), Some(lambda)) = (setting.nu, setting.lambda) else {
        return Err(missing_lambda(&problems)?);
    };
    let silos = Silos::new(problems, nu, lambda)?;
    if plan.method == Method::Exact {
        let found = Exact::default().solve_with(&silos, &mut watch);
        return Ok(Found::of(found.graphs, setting, found.status == Status::Solved, found.status));
    }
    let settings = Algorithm1 { rounds: plan.rounds, ..Algorithm1::default() };
    let (graphs, _) = algorithm1_with(&silos, &settings, &mut watch)?;
    let solved = graphs.gap <= AT_END * graphs.objective.abs();
    let ended = rounds_ended(graphs.rounds, plan.rounds);
    Ok(Found::of(graphs, setting, solved, ended))
}

/// How rounds ended.
pub(super) fn rounds_ended(done: u64, all: u64) -> Status {
    if done == all { Status::Done } else { Status::Stopped }
}
