//! The page of `netfed tune`: what to take in words, the error against λ, how sure it is, the
//! clusters, the table.

use std::path::Path;

use maud::{Markup, PreEscaped, html};
use netfed::evaluate::{Estimate, Place};
use netfed_report::chart::{
    Axis, Bar, BarChart, LineChart, Scale, Series, bar_chart, line_chart, window,
};
use netfed_report::text::{number, plural, rough_duration};

use super::outcome::Outcome;
use super::table;
use super::words::{coupling, sentences, take, warnings};

/// The most lines in the chart of errors.
const MOST_LINES: usize = 8;

/// The whole page.
pub(crate) fn page(o: &Outcome, out: &Path) -> String {
    let warnings = warnings(o);
    let tone = match (coupling(o).1, warnings.len() > o.data_warnings.len()) {
        (_, true) => "poor",
        (true, false) => "good",
        (false, false) => "fair",
    };
    let [points, nodes, edges, features] = o.sizes;
    let body = html! {
        header class=(tone) {
            p.origin { "netfed tune · version " (env!("CARGO_PKG_VERSION")) }
            h1 { (take(o)) }
            p.origin {
                (plural(points, "data point")) ", " (plural(nodes, "node")) ", " (plural(edges, "edge")) ", "
                (plural(features, "feature")) "; " (plural(o.tuned.runs().0, "run")) ", " (rough_duration(o.seconds))
            }
        }
        section {
            h2 { "What to take, and how sure that is" }
            @for sentence in sentences(o) { p { (sentence) } }
            p { "Train with it: " code { (super::next(out)) } }
        }
        @if !warnings.is_empty() {
            section.warnings { h2 { "Warnings" } ul { @for w in &warnings { li { (w) "." } } } }
        }
        section {
            h2 { "Error against λ" }
            figure.wide { (PreEscaped(errors(o))) figcaption { (errors_caption(o)) } }
        }
        section {
            h2 { "How sure, and how simple" }
            div.pair {
                figure {
                    (PreEscaped(above_best(o)))
                    figcaption { "How much larger the error is than the smallest one. Bars: one standard error of the difference, split by split. Where a bar reaches the line, the data cannot tell that λ from the best." }
                }
                (wins(o))
                (complexity(o))
            }
        }
        section { h2 { "Table" } (table::lambdas(o).markup()) @if let Some(v) = table::variants(o) { (v.markup()) } }
        section {
            h2 { "How it was done" }
            p { "The data points of every node were dealt to " (o.plan.options.folds) " folds at random, " (plural(o.plan.options.repeats, "time")) ". Each fold was held back once: models were trained on the others and judged on it. " (if o.plan.variants[0].recipe.is_some() { "The graph was built from the training points alone; the nodes stay." } else { "The graph and the nodes stay." }) " The error is the mean over all points of a fold, then over the folds." }
            p { "The standard error comes from the spread over the folds of a repeat. Repeats use the same data again: they make the mean steadier, but the standard error is not divided by their number. Comparisons use the differences split by split, in which what is common to all settings cancels." }
            p { "The runs on parts of the data stop at a relative gap of " (number(o.plan.options.tolerance)) ", those on all data at " (number(o.variant(o.tuned.choice.chosen).settings.spec.tol)) ". " code { "tune.csv" } " has every setting, " code { "folds.csv" } " every split." }
        }
    };
    netfed_report::page("netfed tune", &body)
}

fn axis(label: &str, scale: Scale, range: Option<(f64, f64)>) -> Axis<'_> {
    Axis { label, scale, range }
}

/// λ, mean and the ends of the error bar, for every λ above 0.
type Bars = Vec<(f64, Estimate)>;

fn series<'a>(name: &'a str, bars: &Bars, color: usize) -> Series<'a> {
    Series {
        name,
        points: bars.iter().map(|(l, e)| (*l, e.mean)).collect(),
        spread: bars.iter().map(|(_, e)| (e.mean - e.se, e.mean + e.se)).collect(),
        color,
        dashed: false,
        joined: true,
    }
}

fn bars(o: &Outcome, variant: usize, of: impl Fn(Place) -> Estimate) -> Bars {
    let lambdas = &o.tuned.curves[variant].lambdas;
    (1..lambdas.len()).map(|at| (lambdas[at], of(Place { variant, at }))).collect()
}

/// The variants of the chart of errors: the best ones, in their own order.
fn drawn(o: &Outcome) -> Vec<usize> {
    let error = |v: &usize| o.tuned.error(o.tuned.best_of(*v)).mean;
    let mut order: Vec<usize> = (0..o.tuned.curves.len()).collect();
    order.sort_by(|a, b| error(a).total_cmp(&error(b)));
    order.truncate(MOST_LINES);
    if !order.contains(&o.tuned.choice.chosen.variant) {
        order.push(o.tuned.choice.chosen.variant);
    }
    order.sort_unstable();
    order
}

fn errors(o: &Outcome) -> String {
    let drawn = drawn(o);
    let curves: Vec<Bars> = drawn.iter().map(|&v| bars(o, v, |p| o.tuned.error(p))).collect();
    let lines = drawn.iter().zip(&curves).enumerate();
    let all: Vec<Series> =
        lines.map(|(k, (&v, bars))| series(&o.plan.variants[v].label, bars, k)).collect();
    let chosen = o.tuned.choice.chosen;
    let levels = levels(o);
    let rule = if o.tuned.lambda(chosen) > 0.0 {
        vec![(o.tuned.lambda(chosen), format!("take λ = {}", number(o.tuned.lambda(chosen))))]
    } else {
        Vec::new()
    };
    line_chart(&LineChart {
        title: "Error on data points that training has not seen, against λ.",
        x: axis("λ", Scale::Log10, None),
        y: axis(o.plan.options.measure.name, Scale::Linear, Some(error_window(o, &curves))),
        series: all,
        x_rules: rule,
        y_rules: levels.into(),
        width: 960.0,
        height: 400.0,
    })
}

/// The two baselines with their names.
fn levels(o: &Outcome) -> [(f64, String); 2] {
    let (alone, one) =
        (o.tuned.baseline(o.tuned.alone()).mean, o.tuned.baseline(o.tuned.pooled()).mean);
    [
        (alone, format!("every node alone: {}", number(alone))),
        (one, format!("one model for all: {}", number(one))),
    ]
}

fn ends(bars: &Bars) -> impl Iterator<Item = f64> {
    bars.iter().flat_map(|(_, e)| [e.mean - e.se, e.mean + e.se])
}

/// The window of the chart of errors.
fn error_window(o: &Outcome, curves: &[Bars]) -> (f64, f64) {
    window(curves.iter().flat_map(ends).chain(levels(o).map(|l| l.0)))
}

fn errors_caption(o: &Outcome) -> String {
    let mut text = String::from(
        "Bars: one standard error. Dotted: every node alone (λ = 0), one model for all, and the λ to take.",
    );
    let curves: Vec<Bars> = drawn(o).iter().map(|&v| bars(o, v, |p| o.tuned.error(p))).collect();
    let high = error_window(o, &curves).1;
    let above = levels(o).into_iter().filter(|l| l.0 > high || !l.0.is_finite()).map(|l| l.1);
    let above: Vec<String> = above.collect();
    if !above.is_empty() {
        text.push_str(&format!(" Above the picture: {}.", above.join(", ")));
    }
    if drawn(o).len() < o.tuned.curves.len() {
        text.push_str(&format!(
            " The best {} of {} settings.",
            drawn(o).len(),
            o.tuned.curves.len()
        ));
    }
    text
}

fn above_best(o: &Outcome) -> String {
    let variant = o.tuned.choice.best.variant;
    let bars = bars(o, variant, |p| o.tuned.worse_than_best(p));
    line_chart(&LineChart {
        title: "How much larger the error is than the smallest one, against λ.",
        x: axis("λ", Scale::Log10, None),
        y: axis("error above the smallest", Scale::Linear, Some(near_best(o, &bars))),
        series: vec![series(&o.plan.variants[variant].label, &bars, 0)],
        x_rules: Vec::new(),
        y_rules: vec![(0.0, String::new())],
        width: 480.0,
        height: 300.0,
    })
}

/// The values around the best: what lies next to the λ that are as good is still in the picture.
fn near_best(o: &Outcome, bars: &Bars) -> (f64, f64) {
    let like = &o.tuned.choice.like_best;
    // The bars leave λ = 0 out.
    let near = bars[like.start().saturating_sub(2)..bars.len().min(like.end() + 1)].iter();
    let largest = near.map(|(_, e)| e.mean + e.se).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let (low, high) = window(ends(bars));
    if largest > 0.0 { (low.max(-largest), high.min(4.0 * largest)) } else { (low, high) }
}

/// How often each λ of the best variant has the smallest error.
fn wins(o: &Outcome) -> Markup {
    let variant = o.tuned.choice.best.variant;
    let won = o.tuned.wins(variant).into_iter().enumerate().filter(|(_, wins)| *wins > 0);
    let bar = |(at, wins): (usize, usize)| Bar {
        name: format!("λ = {}", number(o.tuned.curves[variant].lambdas[at])),
        value: wins as f64,
        label: wins.to_string(),
        color: if o.tuned.choice.like_best.contains(&at) { Some(0) } else { None },
    };
    let title = "In how many splits each λ has the smallest error.";
    let chart = BarChart { title, bars: won.map(bar).collect(), width: 480.0 };
    html! {
        figure {
            (PreEscaped(bar_chart(&chart)))
            figcaption { "In how many of " (plural(o.tuned.splits(), "split")) " each λ has the smallest error. In color: those that the data cannot tell from the best." }
        }
    }
}

/// Clusters and criteria against λ, for the chosen variant or, if it has none, the first that has.
fn complexity(o: &Outcome) -> Markup {
    let has = |v: &usize| o.tuned.all_data[*v].is_some();
    let Some(variant) =
        [o.tuned.choice.chosen.variant].into_iter().chain(0..o.tuned.curves.len()).find(has)
    else {
        return html! {};
    };
    let label = &o.plan.variants[variant].label;
    let lambdas = &o.tuned.curves[variant].lambdas;
    let at = |f: &dyn Fn(Place) -> Option<f64>| -> Vec<(f64, f64)> {
        let places = (1..lambdas.len()).map(|at| (lambdas[at], f(Place { variant, at })));
        places.filter_map(|(l, v)| Some((l, v?))).collect()
    };
    let information = |p: Place| o.tuned.complexity(p).and_then(|c| c.information);
    let line = |name, points, color| Series {
        name,
        points,
        spread: Vec::new(),
        color,
        dashed: false,
        joined: true,
    };
    let above = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        let least = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
        points.into_iter().map(|(l, v)| (l, v - least)).collect()
    };
    let aic = above(at(&|p| Some(information(p)?.aic)));
    let bic = above(at(&|p| Some(information(p)?.bic)));
    let range = window(aic.iter().chain(&bic).map(|p| p.1));
    let chart = |title, y, scale, range, series| {
        PreEscaped(line_chart(&LineChart {
            title,
            x: axis("λ", Scale::Log10, None),
            y: axis(y, scale, range),
            series,
            x_rules: Vec::new(),
            y_rules: Vec::new(),
            width: 480.0,
            height: 300.0,
        }))
    };
    let clusters = line(label, at(&|p| o.tuned.complexity(p).map(|c| c.clusters as f64)), 2);
    html! {
        figure {
            (chart("Number of clusters on all data, against λ.", "clusters", Scale::Log10, None, vec![clusters]))
            figcaption { "Clusters of the models on all data (" (label) "). The graph has " (plural(o.tuned.parts[o.tuned.choice.chosen.variant], "part")) ", so there cannot be fewer." }
        }
        @if !bic.is_empty() {
            figure {
                (chart("AIC and BIC, against λ.", "above the smallest", Scale::Linear, Some(range), vec![line("AIC", aic, 4), line("BIC", bic, 6)]))
                figcaption { "Information criteria on all data (" (label) "): the fit, plus a price for every parameter of every cluster. BIC charges more and likes fewer clusters. They need no data held back, but count clusters as if nobody had searched for them." }
            }
        }
    }
}
