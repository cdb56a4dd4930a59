//! The page of `netfed compare`: the verdict, the ranked errors as a picture, the table.

use netfed::evaluate::Estimate;
use std::path::Path;

use maud::{PreEscaped, html};
use netfed_report::chart::{Interval, IntervalChart, interval_chart};
use netfed_report::text::{plural, rough_duration};

use super::outcome::{Outcome, Ranked};
use super::table;
use super::words::{next, sentences, verdict, warnings};

/// The whole page.
pub(crate) fn page(o: &Outcome, out: &Path) -> String {
    let (verdict, warnings) = (verdict(o), warnings(o));
    let tone = if verdict.as_ref().is_some_and(|v| v.clear) { "good" } else { "fair" };
    let [points, nodes, edges, features] = o.sizes;
    let known = o.ranked.iter().any(|r| o.estimation(r).is_some());
    let width = if known { 480.0 } else { 960.0 };
    let body = html! {
        header class=(tone) {
            p.origin { "netfed compare · version " (env!("CARGO_PKG_VERSION")) }
            h1 { (verdict.map_or("Methods compared", |v| v.title)) }
            p.origin {
                (plural(points, "data point")) ", " (plural(nodes, "node")) ", " (plural(edges, "edge")) ", "
                (plural(features, "feature")) "; " (plural(o.plan.methods.len(), "method")) ", "
                (plural(o.plan.splits, "split")) ", " (rough_duration(o.seconds))
            }
        }
        section { h2 { "What to take from it" } @for sentence in sentences(o) { p { (sentence) } }
            @if let Some(command) = next(o, out) { p { "Go on with " code { (command) } } }
        }
        @if !warnings.is_empty() {
            section.warnings { h2 { "Warnings" } ul { @for w in &warnings { li { (w) "." } } } }
        }
        section {
            h2 { "Errors, ranked" }
            div class=(if known { "pair" } else { "" }) {
                figure class=(if known { "" } else { "wide" }) {
                    (PreEscaped(chart(o, "Error of every method on held-out points, ranked.", o.plan.measure.name, width, |r| Some(o.error(r)))))
                    figcaption { "Mean over the splits of the " (o.plan.measure.name) " on points that training has not seen. Bars: one standard error. What all methods have in common makes most of it; see the column \"above best\" for the differences." }
                }
                @if known {
                    figure {
                        (PreEscaped(chart(o, "Estimation error of every method, in the same order.", "estimation error", width, |r| o.estimation(r))))
                        figcaption { "Squared distance of the models to the true ones, mean over the nodes, in the same order. Bars: one standard error." }
                    }
                }
            }
        }
        section { h2 { "Table" } (table::rows(o).markup()) }
        section {
            h2 { "Methods" }
            ul { @for r in &o.ranked { li { strong { (r.method.name()) } ": " (r.method.words()) "." } } }
        }
        section {
            h2 { "How it was done" }
            p { (plural(o.plan.splits, "time")) " a random share of " (o.plan.validation) " of the points of every node was held out, the same for all methods. Every method chose its setting by cross-validation with " (plural(o.plan.folds, "fold")) " on the other points, was trained on them once more, and was judged on those held out." }
            p { "Random splits share data, so the standard errors are larger than the spread over the splits alone suggests: SE² = (1/K + m₁/m₀)·s² for K splits with m₁ points held out and m₀ for training (Nadeau and Bengio, 2003). Comparisons use the differences split by split." }
            p { "Rounds, numbers sent per node and time are means over the splits for the training with the chosen setting. local sends nothing; global, oracle and gtv are computed in one place, where the data would have to go; for gtv fed-admm and netfed peer do the same between neighbors." }
            p { code { "compare.csv" } " has every method, " code { "splits.csv" } " every split." }
        }
    };
    netfed_report::page("netfed compare", &body)
}

fn chart(
    o: &Outcome,
    title: &str,
    label: &str,
    width: f64,
    of: impl Fn(&Ranked) -> Option<Estimate>,
) -> String {
    let interval = |(k, r): (usize, &Ranked)| {
        let e = of(r)?;
        Some(Interval {
            name: r.method.name().to_owned(),
            value: e.mean,
            spread: e.se,
            color: if k == 0 { Some(0) } else { None },
        })
    };
    let intervals = o.ranked.iter().enumerate().filter_map(interval).collect();
    interval_chart(&IntervalChart { title, label, intervals, width })
}
