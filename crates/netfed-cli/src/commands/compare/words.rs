//! What to take from the comparison, in sentences.

use super::method::{Kind, Method};
use super::outcome::{Outcome, Ranked};
use crate::commands::tune::statistics::{Estimate, Evidence};
use crate::commands::tune::words::plus_minus;
use crate::report::text::{number, plural};

/// The verdict: a short title, and a sentence with the numbers.
pub(crate) struct Verdict {
    pub(crate) title: &'static str,
    pub(crate) sentence: String,
    /// Whether networking helps, clearly.
    pub(crate) clear: bool,
}

/// The best method that needs no knowledge of the true clusters.
fn best(o: &Outcome) -> Option<&Ranked> {
    o.ranked.iter().find(|r| r.method != Method::Oracle)
}

fn better(difference: Estimate) -> bool {
    difference.mean > 0.0 && difference.evidence() != Evidence::None
}

/// The method to speak of: the best or, where the data cannot tell them apart, every node alone, or the first that uses the graph.
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
    let (title, advice) = if !better(over_alone) {
        (
            "Training alone is enough",
            "No method beats training alone by more than the noise; networking does not help here",
        )
    } else if !better(over_one) {
        (
            "One model for all is as good as any",
            "The nodes hardly differ, or have too few data to show it; use one model for all",
        )
    } else {
        match hero.method.kind() {
            Kind::Graph if best(o)?.method == hero.method => (
                "Coupling over the graph wins",
                "Neighbors in the graph are alike, but not all nodes are",
            ),
            Kind::Graph => (
                "Coupling over the graph is among the best",
                "Neighbors in the graph are alike, but not all nodes are",
            ),
            Kind::Clusters => (
                "Clusters win",
                "The nodes fall into groups that the graph does not show as well; netfed graph select may make a better one",
            ),
            _ => (
                "Models near a common one win",
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
    let sentence =
        format!("{title}: {name} ({words}) has the error {error}, {}. {advice}.", parts.join(", "));
    let clear = [over_alone, over_one].iter().all(|d| better(*d) && sure(*d));
    Some(Verdict { title, sentence, clear })
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
    let errors = match ratio.is_finite() {
        true => format!("{ratio:.1} standard errors"),
        false => "the same in all splits".into(),
    };
    format!("against {error} for {what} ({name}; difference {}, {errors})", plus_minus(above))
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
    match alike.is_empty() {
        true => Some(format!("The data tell {} from all others.", best.method.name())),
        false => Some(format!(
            "The data cannot tell {} from {}: the differences are below their standard errors.",
            best.method.name(),
            alike.join(", ")
        )),
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
    Some(match better(above) {
        true => {
            format!("Knowing the clusters (oracle) would lower the error by {}.", plus_minus(above))
        }
        false => "Knowing the clusters (oracle) would not lower the error.".into(),
    })
}

/// What to be careful about.
pub(crate) fn warnings(o: &Outcome) -> Vec<String> {
    let mut all = o.data_warnings.clone();
    for r in o.ranked.iter().filter(|r| r.unsettled() > 0) {
        let exact = matches!(r.method, Method::Global | Method::Oracle);
        let advice = match r.method {
            _ if exact => "there may be no best model; a little --ridge gives one",
            Method::Gtv | Method::GtvSelected => "raise --max-iter",
            _ => {
                "raise --rounds for a better model; features of unlike scale slow it down: try --standardize"
            }
        };
        all.push(format!(
            "{} stopped before it settled in {} of {}; {advice}",
            r.method.name(),
            r.unsettled(),
            plural(o.plan.splits, "split")
        ));
    }
    all
}
