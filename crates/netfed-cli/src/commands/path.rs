//! `netfed path`: from local models to one, and which λ to take.

use std::path::Path as FilePath;

use maud::html;
use netfed::evaluate::parts::TOLERANCE;
use netfed::evaluate::{Validation, by_plateau, validate_with};
use netfed::fit::Prepared;
use netfed::{Edges, Error, Event, Options, Spec, Start, Table};
use netfed_io::Folder;
use netfed_report::text::{digits, number, plural, rough_duration, rounded};
use serde_json::json;

use crate::args::Path;
use crate::failure::Failure;
use crate::lambda_path::trail::Trail;
use crate::lambda_path::{files, page};
use crate::page_parts;
use crate::prepare::{self, prepare, warnings};
use crate::progress::{Steps, catch_interrupts, interrupted, say, until_interrupted, warn};
use crate::settings::Settings;
use crate::threads::start_threads;

/// The most numbers in the file of all models, without being asked for more.
const MOST_NUMBERS: usize = 2_000_000;

/// Folds without a word about it.
const DEFAULT_FOLDS: usize = 5;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: Path) -> Result<u8, Failure> {
    let given = args.given.read()?;
    if given.spec.lambda.is_some() {
        return Err(Failure::input(
            "netfed path solves for many λ, so --lambda has no place here; say --lambda-min and --lambda-max for a part of the path, or use netfed fit for one λ.".into(),
        ));
    }
    let given = given.of_many_fits(args.config.as_deref(), "netfed path")?;
    let of_folds = given.spec.tol.unwrap_or(TOLERANCE);
    let settings = Settings::of_path(given)?;
    let folder = Folder::of_models(&args.results.out, args.results.force)?;
    start_threads(settings.threads())?;
    let (points, edges) = prepare::read(&settings)?;
    let folds = fold_count(args.folds, &points)?;
    let prepared = prepare(&points, &edges, &settings)?;
    warn(&warnings(&prepared, &settings));
    let options = settings.options();
    let numbers = args.range.lambdas.unwrap_or(50) * prepared.nodes.len() * prepared.features.len();
    let keep = args.keep_parameters || numbers <= MOST_NUMBERS;
    catch_interrupts();
    let trail = Trail::follow(&prepared.problem, args.range, &options, keep, args.results.quiet)?;
    let top = trail.path.end.as_ref().and_then(|end| end.merged.as_ref());
    let validation = match folds {
        0 => None,
        _ if interrupted() => None,
        folds => {
            if !args.results.quiet {
                say(&format!("validation: the same path on {folds} folds of the data"));
            }
            let options = Options { tolerance: of_folds, ..options };
            let path = (&trail.path.lambdas[..], top);
            validate((&points, &edges), &prepared.spec, path, &options, folds, args.results.quiet)?
        }
    };
    let report = Walked { prepared, settings, trail, validation, keep };
    let summary = report.write(folder, &args)?;
    args.results.tell(&summary, || report.words(&args.results.out));
    Ok(if report.trail.status() == "converged" { 0 } else { 3 })
}

/// The number of folds: as asked for, or five if every node with data has two points.
fn fold_count(asked: Option<usize>, points: &Table) -> Result<usize, Failure> {
    let rows = points.rows();
    match asked {
        Some(1) => Err(Failure::input(
            "--folds is 1; it must be at least 2, or 0 for no validation.".into(),
        )),
        Some(folds) if folds > rows => Err(Failure::input(format!(
            "--folds is {folds}, but there are only {rows} data points; give fewer folds, or 0 for no validation."
        ))),
        Some(folds) => Ok(folds),
        None => {
            let own = points.points_per_node();
            Ok(if own.iter().all(|m| *m >= 2) { DEFAULT_FOLDS.min(rows) } else { 0 })
        }
    }
}

/// Validates every λ of the path; none if it was interrupted.
fn validate(
    (points, edges): (&Table, &Edges),
    spec: &Spec,
    path: (&[f64], Option<&Start>),
    options: &Options,
    folds: usize,
    quiet: bool,
) -> Result<Option<Validation>, Failure> {
    let steps = Steps::new(folds * path.0.len(), quiet);
    let mut watch = |event: Event<'_>| {
        if let Event::Solved { run, .. } = event {
            steps.step(&format!("fold {} of {folds}", run + 1));
        }
        until_interrupted(event)
    };
    let found = validate_with((points, Some(edges)), spec, path, options, folds, &mut watch);
    steps.finish();
    match found {
        Err(Error::Stopped) => Ok(None),
        found => Ok(Some(found?)),
    }
}

/// A finished path with all that its files need.
struct Walked {
    prepared: Prepared,
    settings: Settings,
    trail: Trail,
    validation: Option<Validation>,
    keep: bool,
}

impl Walked {
    /// The λ to suggest, as a place in the path, and why.
    fn chosen(&self) -> (usize, Vec<String>) {
        let points = &self.trail.path.points;
        let last = points.len() - 1;
        if let Some(v) = &self.validation
            && let Some((best, simplest)) = v.choice()
        {
            let mut why = vec![format!(
                "The {} on held-out data is lowest at λ = {}: {} ± {}.",
                v.measure,
                rounded(self.trail.path.lambdas[best], 3),
                number(v.estimates[best].mean),
                number(v.estimates[best].se)
            )];
            if best == 0 && self.trail.path.lambdas.len() > 1 {
                why.push("That is the smallest λ of the path; smaller ones may be better: try --lambda-min.".into());
            }
            if simplest > best {
                why.push(format!(
                    "λ = {} is the largest that the folds cannot tell from it, within one standard error of the difference ({}){}.",
                    rounded(self.trail.path.lambdas[simplest], 3),
                    number(v.estimates[simplest].mean),
                    if self.trail.path.merges() { format!("; it has {}", plural(points[simplest].clusters.count(), "cluster")) } else { String::new() }
                ));
            }
            return (simplest, why);
        }
        match by_plateau(points) {
            Some((number, at)) => (at, vec![format!(
                "Without validation the path itself suggests λ = {}: {number} clusters (not counting very small ones) stay the same over the longest stretch of λ.",
                rounded(points[at].lambda, 3)
            )]),
            None if !self.trail.path.merges() => (last, vec!["Without validation nothing speaks for one λ rather than another; say --folds 5.".into()]),
            None => (last, vec!["The path has no stretch with several clusters that last, so nothing speaks for one λ rather than another.".into()]),
        }
    }

    /// What to do next.
    fn next(&self, out: &FilePath, chosen: usize) -> String {
        format!(
            "Train with it: netfed fit --config {} --lambda {} --out run/",
            out.join("config.toml").display(),
            self.trail.path.points[chosen].lambda
        )
    }

    fn write(&self, folder: Folder, args: &Path) -> Result<serde_json::Value, Failure> {
        let summary = self.summary();
        folder.add("path.csv", &files::path_csv(&self.trail, self.validation.as_ref()))?;
        folder
            .add("merges.csv", &files::merges_csv(&self.trail.path.tree, &self.prepared.nodes))?;
        if self.keep {
            folder.add("parameters.csv", &files::parameters_csv(&self.trail, &self.prepared))?;
        }
        folder.add("summary.json", &format!("{summary:#}\n"))?;
        folder.add("config.toml", &format!("{}{}", self.again(args), self.settings.to_toml()?))?;
        folder.add("report.html", &self.page(&args.results.out)?)?;
        folder.commit()?;
        Ok(summary)
    }

    /// How to run the path again, as a comment.
    fn again(&self, args: &Path) -> String {
        let mut line = format!(
            "# netfed path --config config.toml --lambdas {} --folds {}",
            self.trail.path.lambdas.len(),
            self.validation.as_ref().map_or(0, |v| v.folds)
        );
        let ends =
            [("--lambda-min", args.range.lambda_min), ("--lambda-max", args.range.lambda_max)];
        for (flag, value) in ends {
            if let Some(v) = value {
                line.push_str(&format!(" {flag} {v}"));
            }
        }
        line.push('\n');
        line
    }

    fn summary(&self) -> serde_json::Value {
        let (trail, p) = (&self.trail, &self.prepared);
        let (chosen, _) = self.chosen();
        let end = trail.path.end.as_ref();
        let worst = trail.path.points.iter().map(|p| p.certificate.accuracy()).fold(0.0, f64::max);
        json!({
            "status": trail.status(),
            "lambda_max": end.map(|e| json!({
                "lower": e.lower.is_finite().then_some(e.lower),
                "upper": e.upper,
                "proof": format!("{:?}", e.proof).to_lowercase(),
            })),
            "lambdas": trail.path.points.len(),
            "clusters": trail.path.points.iter().map(|p| p.clusters.count()).collect::<Vec<_>>(),
            "splits": trail.path.tree.splits,
            "chosen_lambda": trail.path.points[chosen].lambda,
            "chosen_clusters": trail.path.points[chosen].clusters.count(),
            "folds": self.validation.as_ref().map_or(0, |v| v.folds),
            "validation_measure": self.validation.as_ref().map(|v| v.measure),
            "worst_accuracy": worst,
            "tolerance": self.settings.spec.tol,
            "iterations": trail.path.points.iter().map(|p| p.iterations).sum::<u64>(),
            "nodes": p.nodes.len(),
            "edges": p.graph.edges().len(),
            "features": p.features.len(),
            "points": p.points_per_node.iter().sum::<usize>(),
            "loss": self.settings.loss_name(),
            "penalty": self.settings.penalty_name(),
            "parameters_written": self.keep,
            "warnings": warnings(p, &self.settings),
            "seconds": (trail.total * 1e6).round() / 1e6,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    fn page(&self, out: &FilePath) -> Result<String, Failure> {
        let (trail, p) = (&self.trail, &self.prepared);
        let (chosen, mut why) = self.chosen();
        why.push(self.next(out, chosen));
        let suggested = rounded(trail.path.points[chosen].lambda, 3);
        let headline = if trail.path.merges() {
            format!(
                "From {} to {} along λ — λ\u{a0}=\u{a0}{suggested} suggested, with {}",
                plural(trail.path.points[0].clusters.count(), "cluster"),
                trail.path.points[trail.path.points.len() - 1].clusters.count(),
                plural(trail.path.points[chosen].clusters.count(), "cluster")
            )
        } else {
            format!("Models that get more alike along λ — λ\u{a0}=\u{a0}{suggested} suggested")
        };
        let sizes = [
            ("Nodes", p.nodes.len()),
            ("Edges", p.graph.edges().len()),
            ("Features", p.features.len()),
        ];
        let validation = self.validation.as_ref();
        let toml = self.settings.to_toml()?;
        let body = html! {
            (page::header("path", &headline, trail, &sizes))
            (page_parts::sentences("Which λ to take", &why))
            @if trail.path.merges() { (page::tree(trail, &p.nodes, chosen)) }
            (page::charts(trail, validation, chosen))
            (page_parts::sentences("The end of the path", &[trail.end_in_words()]))
            (page_parts::warnings(&warnings(p, &self.settings)))
            (page::table(trail, validation, chosen))
            section id="settings" {
                h2 { "Settings" }
                div.scroll tabindex="0" { table.settings { tbody {
                    @for (name, value) in toml.lines().filter_map(|l| l.split_once(" = ")) {
                        tr { th scope="row" { (name) } td { (value.trim_matches('"')) } }
                    }
                } } }
            }
        };
        Ok(netfed_report::page("netfed path", &body))
    }

    /// The summary for a person.
    fn words(&self, out: &FilePath) -> String {
        let trail = &self.trail;
        let (chosen, why) = self.chosen();
        let mut text = format!(
            "{}: {} of λ from {} to {} in {}{}\n  {}\n",
            trail.status(),
            plural(trail.path.points.len(), "value"),
            digits(trail.path.points[0].lambda),
            digits(trail.path.points[trail.path.points.len() - 1].lambda),
            rough_duration(trail.total),
            if trail.path.merges() {
                format!(
                    ", {} to {} clusters",
                    trail.path.points[0].clusters.count(),
                    trail.path.points[trail.path.points.len() - 1].clusters.count()
                )
            } else {
                String::new()
            },
            trail.end_in_words()
        );
        why.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        match trail.status() {
            "converged" => {}
            "interrupted" => text.push_str(&format!(
                "  Only {} of {} values of λ were looked at, and the last of them may be rough: what is suggested here may change.\n",
                trail.path.points.len(),
                trail.path.lambdas.len()
            )),
            "no minimum" => text.push_str("  For some λ there is no minimum: classes can be separated, and the loss falls for ever as the models grow. Add --ridge.\n"),
            "unproven" => text.push_str("  For some λ there is no bound: the iterations have settled there, and nothing is proven. A small --ridge gives a bound.\n"),
            _ => text.push_str("  Not every solution met the tolerance: raise --max-iter, or --tol if this accuracy is enough.\n"),
        }
        if !self.keep {
            text.push_str("  The models of all λ are many numbers and were not written; say --keep-parameters to have them.\n");
        }
        text.push_str(&format!("  {}\n", self.next(out, chosen)));
        let report = out.join("report.html");
        text.push_str(&format!("  results in {}; open {}\n", out.display(), report.display()));
        text
    }
}
