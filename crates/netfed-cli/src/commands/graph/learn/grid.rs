//! Grid search: every setting, judged by known graphs. The largest mean F-score of the graphs of
//! the silos wins, of equal ones the first.

use netfed::learning::{
    GridSearch, KnownGraphs, LogDegree, Scores, SiloGrid, SiloMethod, SiloSetting, SilosLearned,
    Tried,
};
use netfed::{Error, Event};
use netfed_io::{Cell, Csv};
use netfed_report::text::{number, plural};
use serde_json::{Value, json};

use super::flags::{Learn, Plan};
use super::solve::watch;
use super::too_large;
use crate::failure::Failure;
use crate::progress::Steps;
use crate::rows::Rows;

/// The file with the scores of all settings.
pub(super) const GRID: &str = "grid.csv";

/// All settings, and which was taken.
pub(super) struct Grid {
    tried: Vec<Tried>,
    taken: usize,
}

/// Tries all settings. The graphs that would be written are judged.
pub(super) fn search(
    problems: &[LogDegree],
    method: SiloMethod,
    known: &KnownGraphs,
    args: &Learn,
    plan: &Plan,
) -> Result<(SilosLearned, Grid), Failure> {
    let steps = Steps::new(plan.settings.len(), args.results.quiet);
    let mut watch = watch(plan.settings.len() == 1 && !args.results.quiet);
    let search = GridSearch { problems, method, rounds: plan.rounds, known, kept: plan.kept };
    let mut observer = |event: Event<'_>| {
        if let Event::Begin { run, .. } = event {
            steps.step(&words(&plan.settings[run]));
        }
        watch(event)
    };
    let found = search.grid_with(&plan.settings, &mut observer);
    steps.finish();
    let SiloGrid { tried, taken, found, .. } = found.map_err(|error| match error {
        Error::Stopped => Failure::other("interrupted; nothing was written.".into()),
        Error::Overflow => too_large("the signals"),
        other => other.into(),
    })?;
    Ok((found, Grid { tried, taken }))
}

/// A setting in words.
fn words(setting: &SiloSetting) -> String {
    let parts = SiloSetting::NAMES.iter().zip(setting.values());
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
        let settings = SiloSetting::NAMES.map(|(name, _)| name);
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
        let axes: Vec<usize> = (0..SiloSetting::NAMES.len()).filter(|&k| has(k)).collect();
        let common = self.tried[0].consensus.is_some();
        let mut header: Vec<&str> = axes.iter().map(|&k| SiloSetting::NAMES[k].1).collect();
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
        for (k, (name, sign)) in SiloSetting::NAMES.iter().enumerate() {
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
