//! The warnings of the library in the words of the command, in sentences without a period.

use netfed::relax::RelaxWarning;
use netfed_report::text::{plural, rounded};

use super::flags::Relax;
use crate::prepare::names;

/// A warning in words.
pub(super) fn words(warning: &RelaxWarning, nodes: &[String], args: &Relax) -> String {
    let (data, file) = (args.data.display(), args.graph.display());
    let say = |places: &[usize], what: String| {
        let list: Vec<&str> = places.iter().map(|&i| nodes[i].as_str()).collect();
        format!("{} {what}: {}", plural(list.len(), "node"), names(&list))
    };
    match warning {
        RelaxWarning::WithoutEdge(nodes) => {
            say(nodes, format!("with data but without an edge in {file}, trained alone"))
        }
        RelaxWarning::WithoutData(nodes) => {
            say(nodes, format!("without data points in {data}, trained on what neighbors predict"))
        }
        RelaxWarning::NotReached { nodes, rounds } => say(
            nodes,
            format!(
                "without data points in {data} that {} do not reach, left untrained (predictions are 0, or all classes alike); say --rounds {rounds} or more",
                plural(args.rounds as usize, "round")
            ),
        ),
        RelaxWarning::Unreachable(nodes) => say(
            nodes,
            "without data and without a coupled path to a node with data, left untrained: predictions are 0, or all classes alike".into(),
        ),
        RelaxWarning::DoesNotSettle { change, usual_alpha } => unsettled(*change, *usual_alpha, args),
        other => other.to_string(),
    }
}

/// Rounds that do not settle. Where α is large, they take longer.
fn unsettled(change: f64, usual: f64, args: &Relax) -> String {
    let more = format!("try --rounds {}", args.rounds.saturating_mul(2));
    let advice = if usual < 0.5 * args.alpha {
        format!("{more}, or --alpha {}", rounded(usual, 0))
    } else {
        more
    };
    let moved = match 100.0 * change {
        percent if percent > 1000.0 => "more than 1000%".into(),
        percent => format!("{percent:.0}%"),
    };
    format!("the rounds do not settle, the last one moved predictions by {moved}: {advice}")
}
