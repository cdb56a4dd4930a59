//! What to take from the comparison, in sentences.

use netfed::evaluate::{CompareMethod as Method, Estimate, Evidence, ModelsOf as Kind};
use std::path::Path;

use netfed_report::text::{number, plural};

use super::outcome::{Outcome, Ranked};
use crate::estimates::plus_minus;

/// The verdict: a short title, and a sentence with the numbers.
pub(crate) struct Verdict {
    pub(crate) title: &'static str,
    pub(crate) sentence: String,
    /// Whether networking helps, clearly.
    pub(crate) clear: bool,
    /// What to do next: a command and its flags.
    pub(crate) next: Option<&'static str>,
}

/// The best method that needs no knowledge of the true clusters.
fn best(o: &Outcome) -> Option<&Ranked> {
    o.ranked.iter().find(|r| r.method != Method::Oracle)
}

fn better(difference: Estimate) -> bool {
    difference.mean > 0.0 && difference.evidence() != Evidence::None
}

/// The method to speak of: the best or, where the data cannot tell them apart, every node alone, or
/// the first that uses the graph.
fn hero(o: &Outcome) -> Option<&Ranked> {
    let (best, alone) = (best(o)?, o.of(Method::Local)?);
    if !better(o.above(alone, best)) {
        return Some(alone);
    }
    let helps = |r: &&Ranked| !better(o.above(r, best)) && better(o.above(alone, r));
    let mut graph = o.ranked.iter().filter(|r| r.method.kind() == Kind::Graph);
    match best.method.kind() {
        Kind::Clusters | Kind::Personal => Some(graph.find(helps).unwrap_or(best)),
        _ => Some(best),
    }
}

/// What the user should take from it.
pub(crate) fn verdict(o: &Outcome) -> Option<Verdict> {
    let (hero, alone) = (hero(o)?, o.of(Method::Local)?);
    let one = o.ranked.iter().find(|r| r.method.kind() == Kind::One)?;
    let (over_alone, over_one) = (o.above(alone, hero), o.above(one, hero));
    let (title, next, advice) = if !better(over_alone) {
        (
            "Training alone is enough",
            Some("fit --lambda 0 --out run/"),
            "No method beats training alone by more than the noise; networking does not help here",
        )
    } else if !better(over_one) {
        (
            "One model for all is as good as any",
            Some("fit --flavor horizontal --out run/"),
            "The nodes hardly differ, or have too few data to show it; use one model for all",
        )
    } else {
        match hero.method.kind() {
            Kind::Graph if best(o)?.method == hero.method => (
                "Coupling over the graph wins",
                Some("tune --out tuned/"),
                "Neighbors in the graph are alike, but not all nodes are",
            ),
            Kind::Graph => (
                "Coupling over the graph is among the best",
                Some("tune --out tuned/"),
                "Neighbors in the graph are alike, but not all nodes are",
            ),
            Kind::Clusters => (
                "Clusters win",
                None,
                "The nodes fall into groups that the graph does not show as well; netfed graph select may make a better one",
            ),
            _ => (
                "Models near a common one win",
                None,
                "The nodes differ, but not along the graph; a graph that joins more alike nodes may do better",
            ),
        }
    };
    let mut parts = Vec::new();
    if hero.method != Method::Local {
        parts.push(against(o, hero, alone, "training alone"));
    }
    if hero.method.kind() != Kind::One {
        parts.push(against(o, hero, one, "one model for all"));
    }
    let (name, words) = (hero.method.name(), hero.method.words());
    let error = number(o.error(hero).mean);
    let mut sentence =
        format!("{title}: {name} ({words}) has the error {error}, {}. {advice}.", parts.join(", "));
    let wins = better(over_alone) && better(over_one);
    let clear = wins && sure(over_alone) && sure(over_one);
    if wins && !clear {
        sentence.push_str(" Differences below two standard errors are hints, not proofs.");
    }
    Some(Verdict { title, sentence, clear, next })
}

fn sure(difference: Estimate) -> bool {
    difference.evidence() == Evidence::Clear
}

/// An error beside another one.
fn against(o: &Outcome, own: &Ranked, other: &Ranked, what: &str) -> String {
    let above = o.above(other, own);
    let name = other.method.name();
    let error = number(o.error(other).mean);
    if above.mean == 0.0 && above.se == 0.0 {
        return format!("the same as {what} ({name})");
    }
    let ratio = above.mean.abs() / above.se;
    let errors = if ratio.is_finite() {
        format!("{ratio:.1} standard errors")
    } else {
        "the same in all splits".into()
    };
    format!("against {error} for {what} ({name}; difference {}, {errors})", plus_minus(above))
}

/// The command to go on with, from the settings in the folder.
pub(crate) fn next(o: &Outcome, out: &Path) -> Option<String> {
    let (command, flags) = verdict(o)?.next?.split_once(' ')?;
    let config = out.join("config.toml");
    Some(format!("netfed {command} --config {} {flags}", config.display()))
}

/// All sentences, the most important first.
pub(crate) fn sentences(o: &Outcome) -> Vec<String> {
    let mut words: Vec<String> = verdict(o).map(|v| v.sentence).into_iter().collect();
    words.extend(alike(o));
    words.extend(graph(o));
    words.extend(oracle(o));
    words.push(format!(
        "Judged by the {} on {:.0}% of the points of every node, held out ({}; {} to choose the settings).",
        o.plan.measure.name,
        100.0 * o.plan.validation,
        plural(o.plan.splits, "random split"),
        plural(o.plan.folds, "fold"),
    ));
    words
}

/// The methods that cannot be told from the best.
fn alike(o: &Outcome) -> Option<String> {
    let best = best(o)?;
    let others = o.ranked.iter().filter(|r| r.method != best.method && r.method != Method::Oracle);
    let alike = others.filter(|r| !better(o.above(r, best))).map(|r| r.method.name());
    let alike: Vec<&str> = alike.collect();
    if alike.is_empty() {
        Some("All others are worse by more than one standard error of the difference.".into())
    } else {
        Some(format!(
            "The data cannot tell {} from {}: the differences are below their standard errors.",
            best.method.name(),
            alike.join(", ")
        ))
    }
}

/// Where GTV minimization stands, if it is not the best; and whether dropping edges helps.
fn graph(o: &Outcome) -> Option<String> {
    let (gtv, best) = (o.of(Method::Gtv)?, best(o)?);
    if let Some(selected) = o.of(Method::GtvSelected)
        && better(o.above(gtv, selected))
    {
        return Some(format!(
            "Without the edges that the data speak against the error is smaller by {}: use netfed graph select first.",
            plus_minus(o.above(gtv, selected))
        ));
    }
    let above = o.above(gtv, best);
    (best.method.kind() != Kind::Graph && better(above)).then(|| {
        format!(
            "Coupling over the graph as given (gtv) has an error that is larger by {}.",
            plus_minus(above)
        )
    })
}

/// What knowing the clusters would bring.
fn oracle(o: &Outcome) -> Option<String> {
    let above = o.above(best(o)?, o.of(Method::Oracle)?);
    Some(if better(above) {
        format!("Knowing the clusters (oracle) would lower the error by {}.", plus_minus(above))
    } else {
        "Knowing the clusters (oracle) would not lower the error.".into()
    })
}

/// What to be careful about.
pub(crate) fn warnings(o: &Outcome) -> Vec<String> {
    let mut all = o.data_warnings.clone();
    let exact = |m: Method| matches!(m, Method::Global | Method::Oracle);
    let solved = |m: Method| matches!(m, Method::Gtv | Method::GtvSelected);
    let mut warn = |which: &dyn Fn(Method) -> bool, advice: String| {
        let names = o.ranked.iter().filter(|r| r.unsettled() > 0 && which(r.method));
        let names: Vec<&str> = names.map(|r| r.method.name()).collect();
        if !names.is_empty() {
            all.push(format!(
                "{} stopped before the models settled, or nothing is proven about them; {advice}",
                names.join(", ")
            ));
        }
    };
    warn(&exact, "there may be no best model: a little --ridge gives one".into());
    warn(&solved, "raise --max-iter; where there is no bound, nothing is proven about them, and a little --ridge gives one".into());
    let rounds = plural(o.plan.rounds as usize, "round");
    let scale = if o.plan.settings.spec.standardize {
        ""
    } else {
        ", or try --standardize if features are of unlike scale"
    };
    let advice = format!("{rounds} did not suffice in some splits: raise --rounds{scale}");
    warn(&|m| !exact(m) && !solved(m), advice);
    all
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::plan;
    use super::*;
    use netfed::evaluate::MethodRun as Run;

    /// The outcome of local, global and some other methods with these errors, in this order, on
    /// four splits.
    fn outcome(methods: &str, errors: &[f64]) -> Outcome {
        let run = |error: f64| Run {
            error,
            estimation: None,
            chosen: None,
            rounds: 1,
            floats: 0.0,
            seconds: 0.0,
            settled: true,
        };
        // What is common to all methods cancels; differences have standard errors of 0.01 to 0.05.
        let common = [0.0, 0.5, -0.5, 0.2];
        let noise = [0.03, -0.03, 0.02, -0.02];
        let runs = errors.iter().enumerate().map(|(k, error)| {
            let own = |s: usize| error + common[s] + noise[(s + k) % 4];
            (0..4).map(|s| run(own(s))).collect()
        });
        let plan = plan(&format!("--splits 4 --methods {methods}")).unwrap();
        Outcome::new(plan, runs.collect(), 0.4, [1; 4], Vec::new(), 0.0)
    }

    #[test]
    fn every_case_has_its_verdict() {
        // local, global, gtv, ifca, mr-mtl
        for (errors, title, clear) in [
            ([2.0, 3.0, 1.0, 1.5, 1.9], "Coupling over the graph wins", true),
            ([2.0, 3.0, 1.0, 0.99, 1.9], "Coupling over the graph is among the best", true),
            ([2.0, 3.0, 1.9, 1.0, 1.9], "Clusters win", true),
            ([2.0, 3.0, 1.9, 1.8, 1.0], "Models near a common one win", true),
            ([2.0, 1.0, 1.0, 1.2, 1.0], "One model for all is as good as any", false),
            ([1.0, 3.0, 0.995, 1.5, 1.1], "Training alone is enough", false),
            ([1.0, 1.0, 1.0, 1.0, 1.0], "Training alone is enough", false),
            ([1.015, 3.0, 1.0, 1.5, 1.9], "Coupling over the graph wins", false),
        ] {
            let found = verdict(&outcome("gtv,ifca,mr-mtl", &errors)).unwrap();
            assert_eq!(
                (found.title, found.clear),
                (title, clear),
                "{errors:?}: {}",
                found.sentence
            );
            assert!(found.sentence.starts_with(title) && !found.sentence.contains("NaN"));
        }
        let hint = verdict(&outcome("gtv", &[1.015, 3.0, 1.0])).unwrap().sentence;
        assert!(hint.contains("hints, not proofs"), "{hint}");
    }

    #[test]
    fn an_oracle_is_no_advice() {
        let o = outcome("gtv,oracle --clusters c.csv", &[2.0, 3.0, 0.5, 1.0]);
        assert_eq!(verdict(&o).unwrap().title, "Coupling over the graph wins");
        let words = sentences(&o).join(" ");
        assert!(
            words.contains("Knowing the clusters (oracle) would lower the error by 0.5"),
            "{words}"
        );
    }
}
