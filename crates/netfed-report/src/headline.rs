//! The top of the page: what came out, in one sentence and a row of figures.

use maud::{Markup, html};

use crate::clusters::Clusters;
use crate::report::{Outcome, Report};
use crate::text::{count, duration, number, percent_up, plural};

/// The header of the page.
pub(crate) fn headline(report: &Report, clusters: &Clusters) -> Markup {
    let (class, badge) = match (report.status, report.relative_gap.or(report.gap)) {
        (Outcome::Converged, Some(_)) => ("good", "Certified"),
        (Outcome::Converged, None) => ("fair", "Converged"),
        (Outcome::Unproven, _) => ("fair", "Not proven"),
        (Outcome::MaxIterations, _) => ("poor", "Stopped early"),
        (Outcome::Interrupted, _) => ("poor", "Interrupted"),
    };
    html! {
        header class=(class) {
            p.origin { (report.title) " · version " (report.version) }
            h1 { (models(report, clusters)) " — " span.verdict { (verdict(report)) } }
            p.badge { (badge) }
        }
        dl.figures {
            (figure("Nodes", &count(report.nodes.len())))
            (figure("Edges", &count(report.edges.len())))
            (figure("Features", &count(report.features.len())))
            (figure("Clusters", &count(clusters.count())))
            (figure("Objective", &number(report.objective)))
            (figure("Relative gap", &report.relative_gap.map_or("no bound".to_string(), |gap| number(gap.max(0.0)))))
            (figure("Iterations", &count(report.iterations as usize)))
            (figure("Time", &duration(report.seconds)))
        }
    }
}

/// A figure with its name, for the row of figures.
pub fn figure(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// How many models in how many clusters.
fn models(report: &Report, clusters: &Clusters) -> String {
    format!(
        "{} in {}",
        plural(report.nodes.len(), "local model"),
        plural(clusters.count(), "cluster")
    )
}

/// How good the answer is, and how the run ended.
fn verdict(report: &Report) -> String {
    let distance = distance(report);
    match (report.status, distance) {
        (Outcome::Converged, Some(distance)) => format!("certified {distance}"),
        (Outcome::Converged, None) => "converged when it was run".into(),
        (Outcome::Unproven, Some(distance)) => {
            format!("settled before the tolerance was proven; {distance}")
        }
        (Outcome::Unproven, None) => {
            format!("settled, but nothing is proven: there is no dual bound{}", residual(report))
        }
        (Outcome::MaxIterations, Some(distance)) => format!(
            "stopped at the iteration limit before the tolerance of {}; {distance}",
            percent_up(report.tolerance)
        ),
        (Outcome::MaxIterations, None) => {
            format!("stopped at the iteration limit, without a dual bound{}", residual(report))
        }
        (Outcome::Interrupted, Some(distance)) => {
            format!("interrupted before the end; {distance}")
        }
        (Outcome::Interrupted, None) => {
            format!("interrupted before the end, without a dual bound{}", residual(report))
        }
    }
}

/// How far from the optimum the answer can be at most, where it is known.
fn distance(report: &Report) -> Option<String> {
    let within = match (report.relative_gap, report.gap) {
        (Some(relative), _) if relative <= 0.0 => return Some(exact()),
        (Some(relative), _) if relative.is_finite() => percent_up(relative),
        (_, Some(gap)) if gap <= 0.0 => return Some(exact()),
        (_, Some(gap)) if gap.is_finite() => number(gap),
        _ => return None,
    };
    Some(format!("within {within} of the optimum"))
}

fn exact() -> String {
    "optimal up to rounding".to_string()
}

fn residual(report: &Report) -> String {
    report
        .history
        .last()
        .map_or_else(String::new, |row| format!("; the last residual is {}", number(row.residual)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample;

    #[test]
    fn the_verdict_follows_the_outcome() {
        let sample = sample();
        let mut report = sample.report();
        assert_eq!(verdict(&report), "certified within 0.0001% of the optimum");
        report.status = Outcome::MaxIterations;
        assert!(verdict(&report).contains("before the tolerance of 0.01%; within 0.0001%"));
        (report.relative_gap, report.gap) = (None, None);
        assert!(verdict(&report).contains("without a dual bound; the last residual is 0.001"));
        report.status = Outcome::Unproven;
        assert!(verdict(&report).starts_with("settled, but nothing is proven"));
        report.status = Outcome::Interrupted;
        assert!(verdict(&report).starts_with("interrupted"));
    }

    #[test]
    fn a_gap_below_zero_is_rounding() {
        let sample = sample();
        let mut report = sample.report();
        report.relative_gap = Some(-1e-17);
        assert_eq!(verdict(&report), "certified optimal up to rounding");
    }
}
