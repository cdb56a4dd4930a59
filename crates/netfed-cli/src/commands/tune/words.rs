//! The outcome in sentences: what to take, whether coupling helps, how sure that is, what to do
//! next.

use netfed::evaluate::{Ends, Estimate, Evidence, Place};
use netfed_report::text::{number, plural, rounded};

use super::outcome::Outcome;
use crate::estimates::{mean, plus_minus};

/// The setting to take, in a few words.
pub(crate) fn take(o: &Outcome) -> String {
    format!("Take {}", setting(o, o.tuned.choice.chosen))
}

fn setting(o: &Outcome, place: Place) -> String {
    let variant = o.variant(place);
    let what =
        if o.plan.variants.len() > 1 { &variant.label } else { variant.settings.penalty_name() };
    format!("λ = {} with penalty {what}", number(o.tuned.lambda(place)))
}

/// All sentences, the most important first.
pub(crate) fn sentences(o: &Outcome) -> Vec<String> {
    let mut words = vec![error(o), coupling(o).0, range(o)];
    words.extend(other_variants(o));
    words.extend(criteria(o));
    words.push(rules(o));
    words
}

fn error(o: &Outcome) -> String {
    let chosen = o.tuned.choice.chosen;
    let clusters = o.tuned.complexity(chosen).map_or(String::new(), |c| {
        format!(" On all data the models form {}.", plural(c.clusters, "cluster"))
    });
    format!(
        "{}: {} {} on data points that training has not seen ({} folds, {}).{clusters}",
        take(o),
        o.plan.options.measure.name,
        plus_minus(o.tuned.error(chosen)),
        o.plan.options.folds,
        plural(o.plan.options.repeats, "repeat")
    )
}

/// Whether coupling helps, in a sentence; and whether that is a plain yes.
pub(crate) fn coupling(o: &Outcome) -> (String, bool) {
    let chosen = o.tuned.choice.chosen;
    let alone = o.tuned.baseline_over(o.tuned.alone(), chosen);
    let one = o.tuned.baseline_over(o.tuned.pooled(), chosen);
    let better = |e: Estimate| e.mean > 0.0 && e.evidence() != Evidence::None;
    let worse = |e: Estimate| e.mean < 0.0 && e.evidence() != Evidence::None;
    let clear = [alone, one].iter().all(|e| e.evidence() == Evidence::Clear);
    let verdict = if o.tuned.lambda(chosen) == 0.0 {
        "Coupling over this graph does not help; train every node alone"
    } else if better(alone) && better(one) {
        if clear { "Coupling helps" } else { "Coupling probably helps" }
    } else if worse(one) {
        "One model for all does better than models coupled over this graph"
    } else if better(alone) {
        "Coupling helps, but one model for all does as well; the nodes hardly differ, or there are too few data to see it"
    } else if worse(alone) {
        "Every node alone does better than models coupled over this graph"
    } else {
        "The data cannot tell whether coupling helps"
    };
    let against = |errors: &[f64], above: Estimate, what: &str| {
        format!("{} for {what} (difference {})", mean(o.tuned.baseline(errors)), plus_minus(above))
    };
    let mut others = vec![against(o.tuned.pooled(), one, "one model for all")];
    if o.tuned.lambda(chosen) > 0.0 {
        others.insert(0, against(o.tuned.alone(), alone, "every node alone"));
    }
    let own = mean(o.tuned.error(chosen));
    (
        format!("{verdict}: error {own} against {}.", others.join(" and ")),
        o.tuned.lambda(chosen) > 0.0 && better(alone) && better(one) && clear,
    )
}

fn range(o: &Outcome) -> String {
    let best = o.tuned.choice.best;
    let like = &o.tuned.choice.like_best;
    let lambda = |at: usize| number(o.tuned.lambda(Place { at, ..best }));
    let wins: usize = o.tuned.wins(best.variant)[like.clone()].iter().sum();
    let smallest = format!(
        "λ = {} has the smallest error, {}",
        lambda(best.at),
        plus_minus(o.tuned.error(best))
    );
    if like.start() == like.end() {
        format!(
            "{smallest}; the data tell it from its neighbors. It is the best in {wins} of {}.",
            plural(o.tuned.splits(), "split")
        )
    } else {
        format!(
            "{smallest}, but the data cannot tell λ between {} and {} apart: the errors differ by less than the standard error of their difference. In {wins} of {} the best λ is in this range.",
            lambda(*like.start()),
            lambda(*like.end()),
            plural(o.tuned.splits(), "split")
        )
    }
}

/// How the other variants do at their best.
fn other_variants(o: &Outcome) -> Option<String> {
    let verdict = |v: usize| {
        let worse = o.tuned.worse_than_best(o.tuned.best_of(v));
        if worse.mean <= 0.0 { Evidence::None } else { worse.evidence() }
    };
    let label = |v: usize| o.plan.variants[v].label.as_str();
    let others = || (0..o.tuned.curves.len()).filter(|&v| v != o.tuned.choice.best.variant);
    let groups = [
        ("As good at its best λ", Evidence::None),
        ("Perhaps worse", Evidence::Some),
        ("Worse", Evidence::Clear),
    ];
    let mut text = format!("Best setting: {}.", label(o.tuned.choice.best.variant));
    for (name, evidence) in groups {
        let all: Vec<&str> = others().filter(|&v| verdict(v) == evidence).map(label).collect();
        if !all.is_empty() {
            let more =
                if all.len() > 5 { format!(" and {} more", all.len() - 5) } else { String::new() };
            text.push_str(&format!(" {name}: {}{more}.", all[..all.len().min(5)].join("; ")));
        }
    }
    (o.tuned.curves.len() > 1).then_some(text)
}

/// What the information criteria say, or why there are none.
fn criteria(o: &Outcome) -> Option<String> {
    let say = |name: &str, place: Option<Place>| {
        let place = place?;
        let clusters = o.tuned.complexity(place).map_or(0, |c| c.clusters);
        Some(format!("{name} takes {} ({})", setting(o, place), plural(clusters, "cluster")))
    };
    let said: Vec<String> = [say("BIC", o.tuned.choice.bic), say("AIC", o.tuned.choice.aic)]
        .into_iter()
        .flatten()
        .collect();
    if !said.is_empty() {
        return Some(format!(
            "{}, judged on all data by fit and number of clusters.",
            said.join(", ")
        ));
    }
    let fuses = o.plan.variants.iter().any(|v| v.fuses());
    Some(match (fuses, o.plan.variants.iter().any(|v| v.has_information())) {
        (true, true) => {
            "There is no AIC or BIC: at every λ there are as many parameters as data points.".into()
        }
        (true, false) => "There is no AIC or BIC for this loss: it is not a likelihood.".into(),
        _ => "There is no AIC or BIC for this penalty: it makes no clusters to count.".into(),
    })
}

fn rules(o: &Outcome) -> String {
    let rule = match o.plan.options.rule.name() {
        "best" => "--rule best takes the smallest error",
        "bic" => "--rule bic takes the smallest BIC",
        "aic" => "--rule aic takes the smallest AIC",
        _ => {
            "--rule one-se takes the largest λ that the data cannot tell from the best: of models that predict alike, the simplest"
        }
    };
    let other = if o.tuned.choice.chosen == o.tuned.choice.best {
        String::new()
    } else {
        format!("; --rule best would take {}", setting(o, o.tuned.choice.best))
    };
    format!("{rule}{other}.")
}

/// What to look after before trusting the result.
pub(crate) fn warnings(o: &Outcome) -> Vec<String> {
    let mut found = o.data_warnings.clone();
    let best = o.tuned.choice.best;
    let last = o.tuned.curves[best.variant].lambdas.len() - 1;
    let top = Place { at: last, ..best };
    if *o.tuned.choice.like_best.end() == last && !o.tuned.merged(top) {
        let what = if best.at == last { "the best λ is" } else { "as good as the best is" };
        found.push(format!(
            "{what} the largest λ tried, {}: larger ones may be better; try --lambda-grid {}",
            number(o.tuned.lambda(top)),
            around(o.tuned.lambda(top), [1.0, 3.0, 10.0, 30.0])
        ));
    }
    // The best is at one end of the gap above 0, and the data tell its two ends apart.
    let (alone, first) = (Place { at: 0, ..best }, Place { at: 1, ..best });
    let other = if best.at == 0 { first } else { alone };
    if best.at <= 1 && o.tuned.worse_than_best(other).evidence() != Evidence::None {
        found.push(format!(
            "nothing was tried between λ = 0 and λ = {}, where the best may be; try --lambda-grid {}",
            number(o.tuned.lambda(first)),
            around(o.tuned.lambda(first), [0.03, 0.1, 0.3, 1.0])
        ));
    }
    let (runs, Ends { unsolved, unproven }) = o.tuned.runs();
    if unproven > 0 {
        found.push(format!(
            "{unproven} of {runs} runs have no bound: they settled, and nothing is proven about them; a small ridge gives a bound"
        ));
    }
    if unsolved > 0 {
        found.push(format!(
            "{unsolved} of {runs} runs stopped before the tolerance; raise --max-iter, or try --standardize"
        ));
    }
    found
}

/// Multiples of a λ, as the command line takes them.
fn around(lambda: f64, factors: [f64; 4]) -> String {
    factors.map(|f| rounded(f * lambda, 1)).join(",")
}
