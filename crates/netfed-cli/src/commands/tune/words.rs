//! The outcome in sentences: what to take, whether coupling helps, how sure that is, what to do next.

use super::choice::Place;
use super::grid::rounded;
use super::outcome::Outcome;
use super::statistics::{Estimate, Evidence};
use crate::report::text::{number, plural};

/// A mean with its standard error, with as many decimals as the latter has meaning.
pub(crate) fn plus_minus(e: Estimate) -> String {
    if !(e.se > 0.0 && e.se.is_finite() && e.mean.is_finite()) {
        return number(e.mean);
    }
    let decimals = 1.0 - e.se.log10().floor();
    match e.mean.abs().max(e.se) < 1e6 && (0.0..=8.0).contains(&decimals) {
        true => {
            let decimals = decimals as usize;
            format!("{:.decimals$} ± {:.decimals$}", e.mean, e.se)
        }
        false => format!("{} ± {}", number(e.mean), number(e.se)),
    }
}

/// The setting to take, in a few words.
pub(crate) fn take(o: &Outcome) -> String {
    format!("Take {}", setting(o, o.choice.chosen))
}

fn setting(o: &Outcome, place: Place) -> String {
    let variant = o.variant(place);
    let what =
        if o.plan.variants.len() > 1 { &variant.label } else { variant.settings.penalty_name() };
    format!("λ = {} with penalty {what}", number(o.lambda(place)))
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
    let chosen = o.choice.chosen;
    let clusters = o.complexity(chosen).map_or(String::new(), |c| {
        format!(" On all data the models form {}.", plural(c.clusters, "cluster"))
    });
    format!(
        "{}: {} {} on data points that training has not seen ({} folds, {}).{clusters}",
        take(o),
        o.plan.measure.name,
        plus_minus(o.error(chosen)),
        o.plan.folds,
        plural(o.plan.repeats, "repeat")
    )
}

/// Whether coupling helps, and whether that is good news for a coupled model.
pub(crate) fn coupling(o: &Outcome) -> (String, bool) {
    let chosen = o.choice.chosen;
    let own = number(o.error(chosen).mean);
    let alone = o.baseline_over(o.alone(), chosen);
    let one = o.baseline_over(o.pooled(), chosen);
    let against = format!(
        "error {own} against {} for every node alone (difference {}) and {} for one model for all (difference {})",
        number(o.baseline(o.alone()).mean),
        plus_minus(alone),
        number(o.baseline(o.pooled()).mean),
        plus_minus(one)
    );
    let better = |e: Estimate| e.mean > 0.0 && e.evidence() != Evidence::None;
    let worse = |e: Estimate| e.mean < 0.0 && e.evidence() != Evidence::None;
    let sure = |e: &[Estimate]| match e.iter().all(|e| e.evidence() == Evidence::Clear) {
        true => "",
        false => " probably",
    };
    let capital =
        if sure(&[alone, one]).is_empty() { "Coupling helps" } else { "Coupling probably helps" };
    let verdict = if o.lambda(chosen) == 0.0 {
        ("Coupling over this graph does not help; train every node alone", false)
    } else if better(alone) && better(one) {
        (capital, true)
    } else if worse(one) {
        ("One model for all does better than models coupled over this graph", false)
    } else if better(alone) {
        (
            "Coupling helps, but one model for all does as well: the nodes hardly differ, or there are too few data to see it",
            false,
        )
    } else if worse(alone) {
        ("Every node alone does better than models coupled over this graph", false)
    } else {
        ("The data cannot tell whether coupling helps", false)
    };
    (format!("{}: {against}.", verdict.0), verdict.1)
}

fn range(o: &Outcome) -> String {
    let best = o.choice.best;
    let like = &o.choice.like_best;
    let lambda = |at: usize| number(o.lambda(Place { at, ..best }));
    let wins: usize = o.wins(best.variant)[like.clone()].iter().sum();
    let smallest =
        format!("λ = {} has the smallest error, {}", lambda(best.at), plus_minus(o.error(best)));
    match like.start() == like.end() {
        true => format!(
            "{smallest}; the data tell it from its neighbors. It is the best in {wins} of {}.",
            plural(o.splits(), "split")
        ),
        false => format!(
            "{smallest}, but the data cannot tell λ between {} and {} apart: the errors differ by less than the standard error of their difference. In {wins} of {} the best λ is in this range.",
            lambda(*like.start()),
            lambda(*like.end()),
            plural(o.splits(), "split")
        ),
    }
}

/// How the other variants do at their best.
fn other_variants(o: &Outcome) -> Option<String> {
    let others: Vec<String> = (0..o.curves.len())
        .filter(|&v| v != o.choice.best.variant)
        .map(|v| {
            let place = o.best_of(v);
            let worse = o.worse_than_best(place);
            let verdict = match worse.evidence() {
                Evidence::None => "as good",
                _ if worse.mean < 0.0 => "as good",
                Evidence::Some => "perhaps worse",
                Evidence::Clear => "worse",
            };
            format!(
                "{} (λ = {}) {verdict}, by {}",
                o.plan.variants[v].label,
                number(o.lambda(place)),
                plus_minus(worse)
            )
        })
        .collect();
    let first = &o.plan.variants[o.choice.best.variant].label;
    (!others.is_empty())
        .then(|| format!("{first} is best; at their best λ the others are: {}.", others.join("; ")))
}

/// What the information criteria say, or why there are none.
fn criteria(o: &Outcome) -> Option<String> {
    let say = |name: &str, place: Option<Place>| {
        let place = place?;
        let clusters = o.complexity(place).map_or(0, |c| c.clusters);
        Some(format!("{name} takes {} ({})", setting(o, place), plural(clusters, "cluster")))
    };
    let said: Vec<String> =
        [say("BIC", o.choice.bic), say("AIC", o.choice.aic)].into_iter().flatten().collect();
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
    let rule = match o.plan.rule.name() {
        "best" => "--rule best takes the smallest error",
        "bic" => "--rule bic takes the smallest BIC",
        "aic" => "--rule aic takes the smallest AIC",
        _ => {
            "--rule one-se takes the largest λ that the data cannot tell from the best: of models that predict alike, the simplest"
        }
    };
    let other = match o.choice.chosen == o.choice.best {
        true => String::new(),
        false => format!("; --rule best would take {}", setting(o, o.choice.best)),
    };
    format!("{rule}{other}.")
}

/// What to look after before trusting the result.
pub(crate) fn warnings(o: &Outcome) -> Vec<String> {
    let mut found = o.data_warnings.clone();
    let best = o.choice.best;
    let last = o.curves[best.variant].lambdas.len() - 1;
    let top = Place { at: last, ..best };
    if *o.choice.like_best.end() == last && !o.merged(top) {
        let what = if best.at == last { "the best λ is" } else { "as good as the best is" };
        found.push(format!(
            "{what} the largest λ tried, {}: larger ones may be better; try --lambda-grid {}",
            number(o.lambda(top)),
            around(o.lambda(top), [1.0, 3.0, 10.0, 30.0])
        ));
    }
    let alone = Place { at: 0, ..best };
    if best.at == 1 && last > 1 && o.worse_than_best(alone).evidence() != Evidence::None {
        found.push(format!(
            "the best λ is the smallest tried above 0, {}: smaller ones may be better; try --lambda-grid {}",
            number(o.lambda(best)),
            around(o.lambda(best), [0.03, 0.1, 0.3, 1.0])
        ));
    }
    let (runs, unsolved) = o.runs();
    if unsolved > 0 {
        found.push(format!(
            "{unsolved} of {runs} runs stopped before the tolerance; raise --max-iter, or try --standardize"
        ));
    }
    found
}

/// Multiples of a λ, as the command line takes them.
fn around(lambda: f64, factors: [f64; 4]) -> String {
    factors.map(|f| rounded(f * lambda, 1).to_string()).join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_digits_that_mean_something() {
        assert_eq!(plus_minus(Estimate { mean: 5.361_23, se: 0.0984 }), "5.361 ± 0.098");
        assert_eq!(plus_minus(Estimate { mean: 0.2, se: 0.0 }), "0.2");
        assert_eq!(plus_minus(Estimate { mean: 123.4, se: 25.0 }), "123 ± 25");
        assert_eq!(plus_minus(Estimate { mean: 1e9, se: 2e7 }), "1e9 ± 2e7");
        assert_eq!(plus_minus(Estimate { mean: f64::INFINITY, se: f64::NAN }), "∞");
    }
}
