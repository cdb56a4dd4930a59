//! Table III: contribution weights γ that adapt, (25), against equal ones; ν and λ are searched for
//! each variant by the sum of the F-scores of the silos and of the consensus. Case 1: silos with
//! 20, 40, 60, 80, 100 signals, q = .5. Case 2: silos that keep less and less of the graph of the
//! first one, 100 signals each; its consensus is compared with that graph.

use netfed::learning::{Algorithm1, Choice, GraphMethod, LocalWork, grid_search};
use netfed_cli::Failure;
use netfed_cli::progress::Steps;

use super::instance::{Instance, Kind, SILOS};
use super::methods::{self, Found};
use super::nu_and_lambda;
use crate::Request;
use crate::outcome::{Outcome, Value};
use crate::runs::mean_and_error;

const SEEDS: u64 = 40;
const BETAS: [f64; 7] = [0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1];

/// F-scores in the paper: with and without, L then C; the row of Case 1 without, L, is not readable
/// in the copy used here.
const PAPER: [[[Option<f64>; 2]; 2]; 2] = [
    [[Some(0.691), Some(0.722)], [None, Some(0.697)]],
    [[Some(0.789), Some(0.810)], [Some(0.773), Some(0.798)]],
];
/// An independent re-run, 40 seeds.
const RERUN: [[[f64; 2]; 2]; 2] =
    [[[0.676, 0.668], [0.670, 0.673]], [[0.759, 0.838], [0.760, 0.834]]];

/// Table III.
pub(crate) fn table3(request: &Request) -> Result<Outcome, Failure> {
    let kinds = [
        ("Case 1 (N = 20 … 100)", Kind::Shared(0.5, [20, 40, 60, 80, 100])),
        ("Case 2 (q = 0.8 … 0.2)", Kind::Drifting),
    ];
    let mut outcome = Outcome {
        title: "Table III: adaptive contribution weights γ against equal ones (T = 50)".into(),
        columns: vec!["case", "weights", "graphs", "paper", "re-run", "F-score", "standard error"],
        rows: Vec::new(),
        notes: Vec::new(),
        charts: Vec::new(),
        files: Vec::new(),
    };
    let steps = Steps::named(6, "searches", request.quiet);
    let mut gains = false;
    for (case, (name, kind)) in kinds.into_iter().enumerate() {
        let instances = (0..SEEDS)
            .map(|k| Instance::new(kind, request.seed, k))
            .collect::<Result<Vec<_>, _>>()?;
        let igl = |i: &Instance, b: &f64| methods::steps(i, *b, GraphMethod::Alone, 50);
        let beta = best(grid_search(&instances, &BETAS, igl, |f| f.local.f_score)?)?.setting;
        steps.step(name);
        let variants = [true, false].map(|adaptive| search(&instances, beta, adaptive));
        let [with, without] = variants;
        let (with, without) = (with?, without?);
        steps.step(name);
        for (k, (words, found)) in
            [("adaptive", &with), ("equal", &without)].into_iter().enumerate()
        {
            for (g, graphs) in ["L", "C"].into_iter().enumerate() {
                let (mean, error) = mean_and_error(&scores(found, g));
                outcome.rows.push(vec![
                    Value::text(name),
                    Value::text(words),
                    Value::text(format!("PPGL-{graphs}")),
                    Value::maybe(PAPER[case][k][g]),
                    Value::Number(RERUN[case][k][g], None),
                    Value::Number((mean * 1000.0).round() / 1000.0, None),
                    Value::Number((error * 1000.0).round() / 1000.0, None),
                ]);
            }
        }
        let differences = [0, 1].map(|g| difference(&with, &without, g));
        gains |= differences.iter().all(|(mean, error)| *mean > 2.0 * error);
        outcome.notes.push(note(name, &with, &without, differences));
        steps.step(name);
    }
    steps.finish();
    outcome.notes.push(format!(
        "{SEEDS} seeds. (ν, λ) by the best F-score of silos and consensus together."
    ));
    let found = if gains {
        "a case in which both gain is found here, too"
    } else {
        "no case in which both gain is found here: what one wins the other loses"
    };
    outcome.notes.push(format!("The paper finds gains of .012 to .025 for the graphs of the silos and for the consensus at once; {found}."));
    Ok(outcome)
}

type Searched = Choice<(f64, f64), Found>;

fn best<S, T>(choice: Option<Choice<S, T>>) -> Result<Choice<S, T>, Failure> {
    choice.ok_or_else(|| Failure::other("an empty grid.".into()))
}

fn search(instances: &[Instance], beta: f64, adaptive: bool) -> Result<Searched, Failure> {
    let settings = Algorithm1 { work: LocalWork::published(), adaptive, ..Algorithm1::default() };
    let run = |i: &Instance, s: &(f64, f64)| methods::rounds(i, (beta, s.0, s.1), &settings);
    let both = |f: &Found| f.local.f_score + f.common.map_or(0.0, |c| c.f_score);
    best(grid_search(instances, &nu_and_lambda(true), run, both)?)
}

/// F-scores of the silos (0) or of the consensus (1).
fn scores(found: &Searched, graphs: usize) -> Vec<f64> {
    let of = |f: &Found| match graphs {
        0 => f.local.f_score,
        _ => f.common.map_or(0.0, |c| c.f_score),
    };
    found.results.iter().map(of).collect()
}

/// Mean and standard error of the paired differences: adaptive less equal.
fn difference(with: &Searched, without: &Searched, graphs: usize) -> (f64, f64) {
    let pairs = scores(with, graphs).into_iter().zip(scores(without, graphs));
    mean_and_error(&pairs.map(|(a, b)| a - b).collect::<Vec<_>>())
}

fn note(name: &str, with: &Searched, without: &Searched, differences: [(f64, f64); 2]) -> String {
    let [own, common] = differences.map(|(mean, error)| format!("{mean:+.4} ({error:.4})"));
    let mut gamma = [0.0; SILOS];
    for found in &with.results {
        for (sum, c) in gamma.iter_mut().zip(&found.contributions) {
            *sum += c / with.results.len() as f64;
        }
    }
    let gamma: Vec<String> = gamma.iter().map(|g| format!("{g:.2}")).collect();
    format!(
        "{name}: adaptive less equal {own} for L, {common} for C, paired, with standard errors; (ν, λ) = {:?} and {:?}. Mean γ of silos 1 to 5: {}.",
        with.setting,
        without.setting,
        gamma.join(", ")
    )
}
