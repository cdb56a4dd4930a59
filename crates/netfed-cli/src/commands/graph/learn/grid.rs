//! Grid search: every setting, judged by known graphs. The largest mean F-score of the graphs of the silos wins, of equal ones the first.

use std::cell::RefCell;

use netfed::learning::{LogDegree, Scores, grid_search};
use netfed_io::{Cell, Csv};
use netfed_report::text::{number, plural};
use serde_json::{Value, json};

use super::flags::{Learn, Plan};
use super::setting::Setting;
use super::solve::{Found, solve};
use super::truth::{Edge, Known};
use crate::failure::Failure;
use crate::progress::{Steps, interrupted};
use crate::rows::Rows;

/// The file with the scores of all settings.
pub(super) const GRID: &str = "grid.csv";

/// What a setting has given.
struct Tried {
    setting: Setting,
    /// Of the graphs of the silos.
    scores: Vec<Scores>,
    /// Their mean.
    mean: Scores,
    /// Of the consensus, where there is one known graph for all.
    consensus: Option<Scores>,
    /// Edges of a silo, on average.
    edges: f64,
    objective: f64,
    gap: Option<f64>,
    done: bool,
}

/// All settings, and which was taken.
pub(super) struct Grid {
    tried: Vec<Tried>,
    taken: usize,
}

/// Tries all settings. `edges_of` gives the graph that is written for some weights: it is the one that is judged.
pub(super) fn search(
    problems: &[LogDegree],
    known: &Known,
    edges_of: impl Fn(&[f64]) -> Vec<Edge>,
    args: &Learn,
    plan: &Plan,
) -> Result<(Found, Grid), Failure> {
    let steps = Steps::new(plan.settings.len(), args.results.quiet);
    let run = |problems: &&[LogDegree], setting: &Setting| {
        let found = solve(problems, setting, args, plan)?;
        if interrupted() {
            return Err(Failure::other("interrupted; nothing was written.".into()));
        }
        steps.step(&words(&found.setting));
        Ok(found)
    };
    let tried = RefCell::new(Vec::new());
    let judge = |found: &Found| {
        let graphs: Vec<Vec<Edge>> =
            (0..problems.len()).map(|i| edges_of(found.locals.row(i))).collect();
        let scores: Vec<Scores> =
            graphs.iter().enumerate().map(|(i, edges)| known.of_silo(i, edges)).collect();
        let Some(mean) = Scores::mean(&scores) else { return f64::NAN };
        let consensus = found.consensus.as_deref();
        tried.borrow_mut().push(Tried {
            setting: found.setting,
            scores,
            mean,
            consensus: consensus.and_then(|c| known.of_consensus(&edges_of(c))),
            edges: graphs.iter().map(Vec::len).sum::<usize>() as f64 / graphs.len() as f64,
            objective: found.objective,
            gap: found.gap,
            done: found.ended.is_success(),
        });
        mean.f_score
    };
    let choice = grid_search(&[problems], &plan.settings, run, judge)?;
    steps.finish();
    let found = choice.and_then(|mut best| best.results.pop());
    let found = found.ok_or_else(|| Failure::other("an empty grid.".into()))?;
    let tried = tried.into_inner();
    let taken = tried.iter().position(|t| t.setting == found.setting).unwrap_or(0);
    Ok((found, Grid { tried, taken }))
}

/// A setting in words.
fn words(setting: &Setting) -> String {
    let parts = Setting::NAMES.iter().zip(setting.values());
    let parts = parts.filter_map(|((_, sign), v)| v.map(|v| format!("{sign} = {}", number(v))));
    parts.collect::<Vec<_>>().join(", ")
}

impl Grid {
    /// Whether the method has come to its end with every setting.
    pub(super) fn done(&self) -> bool {
        self.tried.iter().all(|t| t.done)
    }

    /// `grid.csv`: one row per setting.
    pub(super) fn csv(&self) -> String {
        let judged = ["f_score", "precision", "recall", "relative_error", "consensus_f_score"];
        let rest = ["edges", "objective", "gap", "done", "taken"];
        let settings = Setting::NAMES.map(|(name, _)| name);
        let mut csv = Csv::new(settings.into_iter().chain(judged).chain(rest));
        for (k, t) in self.tried.iter().enumerate() {
            let m = t.mean;
            let numbers = [m.f_score, m.precision, m.recall, m.relative_error].map(Cell::Number);
            let yes = |is: bool| Cell::Text(is.to_string());
            let consensus = t.consensus.map(|c| c.f_score).into();
            let rest = [
                consensus,
                Cell::Number(t.edges),
                Cell::Number(t.objective),
                t.gap.into(),
                yes(t.done),
                yes(k == self.taken),
            ];
            csv.row(t.setting.values().map(Cell::from).into_iter().chain(numbers).chain(rest));
        }
        csv.finish()
    }

    /// For the summary.
    pub(super) fn json(&self) -> Value {
        let of = |s: &Scores| {
            json!({
                "f_score": s.f_score, "precision": s.precision, "recall": s.recall,
                "relative_error": s.relative_error,
            })
        };
        let taken = &self.tried[self.taken];
        json!({
            "file": GRID, "settings": self.tried.len(), "chosen_by": "mean f_score of the silos",
            "mean": of(&taken.mean), "consensus": taken.consensus.as_ref().map(of),
            "silos": taken.scores.iter().map(of).collect::<Vec<_>>(), "notes": self.notes(),
        })
    }

    /// For a person: the table, and what was taken.
    pub(super) fn text(&self) -> String {
        let has = |k: usize| self.tried[0].setting.values()[k].is_some();
        let axes: Vec<usize> = (0..Setting::NAMES.len()).filter(|&k| has(k)).collect();
        let common = self.tried[0].consensus.is_some();
        let mut header: Vec<&str> = axes.iter().map(|&k| Setting::NAMES[k].1).collect();
        header.extend(["F-score", "precision", "recall", "relative error", "edges"]);
        header.extend(common.then_some("consensus F-score"));
        header.push("");
        let row = |(k, t): (usize, &Tried)| {
            let values = t.setting.values();
            let mut row: Vec<String> =
                axes.iter().map(|&k| values[k].map_or("-".into(), number)).collect();
            let m = t.mean;
            row.extend([m.f_score, m.precision, m.recall].map(|s| format!("{s:.3}")));
            row.extend([number(m.relative_error), number(t.edges)]);
            row.extend(t.consensus.map(|c| format!("{:.3}", c.f_score)));
            let mut marks = Vec::new();
            if k == self.taken {
                marks.push("taken");
            }
            if !t.done {
                marks.push("stopped early");
            }
            row.push(marks.join(", "));
            row
        };
        let rows = self.tried.iter().enumerate().map(row).collect();
        let table = Rows { header, rows, chosen: Some(self.taken) }.text();
        let taken = &self.tried[self.taken];
        let (what, score) = (words(&taken.setting), taken.mean.f_score);
        let silos = plural(taken.scores.len(), "silo");
        let mut text = match self.tried.len() {
            1 => format!("{table}{what}: F-score {score:.3} on average over {silos}.\n"),
            count => format!(
                "{table}{what} has the largest F-score of {count} combinations, {score:.3} on average over {silos}.\n"
            ),
        };
        self.notes().iter().for_each(|note| text.push_str(&format!("{note}\n")));
        text
    }

    /// What to look after before trusting the choice.
    fn notes(&self) -> Vec<String> {
        let taken = &self.tried[self.taken];
        let mut notes = Vec::new();
        let equal = |t: &&Tried| t.mean.f_score == taken.mean.f_score;
        let ties = self.tried.iter().filter(equal).count() - 1;
        if ties > 0 {
            let have = if ties == 1 { "has" } else { "have" };
            notes.push(format!("{ties} more {have} the same F-score; the first is taken."));
        }
        for (k, (name, sign)) in Setting::NAMES.iter().enumerate() {
            let values = || self.tried.iter().filter_map(move |t| t.setting.values()[k]);
            let Some(own) = taken.setting.values()[k] else { continue };
            let least = values().fold(f64::INFINITY, f64::min);
            let most = values().fold(0.0, f64::max);
            let end = match (least < most, own == least, own == most) {
                (true, true, _) => "smallest",
                (true, _, true) => "largest",
                _ => continue,
            };
            let other = if end == "smallest" { "smaller" } else { "larger" };
            notes.push(format!(
                "The {sign} taken is the {end} tried; {other} ones may be better: extend --{name}."
            ));
        }
        let early = self.tried.iter().filter(|t| !t.done).count();
        if early > 0 {
            notes.push(format!("{early} of them stopped before the tolerance; {GRID} says which."));
        }
        notes
    }
}
