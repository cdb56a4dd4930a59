//! What a training means, in sentences.

use super::outcome::{Outcome, Validation};
use crate::progress::duration;
use crate::report::text::{number, plural};

/// Where the public points come from.
pub(super) fn public(o: &Outcome) -> String {
    match &o.args.public {
        Some(path) => format!("the file {}", path.display()),
        None => format!(
            "a normal distribution with the mean and the covariance of all data points (seed {}): these moments leave the nodes",
            o.args.seed
        ),
    }
}

/// Which problem is solved.
pub(super) fn problem(o: &Outcome) -> &'static str {
    match o.input.alpha > 0.0 {
        true => {
            "every node repeats: fit to the own points and to what neighbors predict on the public points; where that settles, models that are fitted exactly minimize the sum of the local losses plus α times the weighted differences of predictions over the edges"
        }
        false => "every node alone, as α = 0 couples nothing",
    }
}

/// Whether coupling helped.
pub(super) fn verdict(o: &Outcome) -> String {
    let Some(v) = &o.validation else {
        return "No points were held back, so nothing is known about points that training has not seen; leave --hold-out 0 out to learn it.".into();
    };
    let (better, worse, judged) = v.verdicts();
    let nodes =
        format!("{better} of {} predict better than alone, {worse} worse", plural(judged, "node"));
    let (alone, coupled) = (v.alone(), v.coupled());
    if o.input.alpha == 0.0 {
        return format!("Alone, the {} on points held back is {}.", o.measure(), number(alone));
    }
    format!(
        "On {} held back the {} is {} coupled and {} alone{}: {nodes}.",
        plural(v.points, "point"),
        o.measure(),
        number(coupled),
        number(alone),
        gain(alone, coupled)
    )
}

fn gain(alone: f64, coupled: f64) -> String {
    let percent = 100.0 * (coupled / alone - 1.0);
    match alone > 0.0 {
        true if percent < 0.0 => format!(", {:.0}% less", -percent),
        true => format!(", {percent:.0}% more"),
        false => String::new(),
    }
}

/// What to do next.
pub(super) fn advice(o: &Outcome) -> String {
    let other = |factor: f64| number(factor * o.input.alpha);
    match &o.validation {
        Some(v) if o.input.alpha > 0.0 && v.coupled() > v.alone() && !tells(v) => format!(
            "So few points do not tell whether coupling hurts: hold back more of them (--hold-out), or evaluate on other data (netfed evaluate) with --alpha {} and --alpha 0, too.",
            other(0.1)
        ),
        Some(v) if o.input.alpha > 0.0 && v.coupled() > v.alone() => format!(
            "Coupling hurts here. Neighbors may not be alike, or α is too large: try --alpha {}, or keep the edges that the data support (netfed graph select).",
            other(0.1)
        ),
        Some(v) if o.input.alpha > 0.0 && still_falling(v) => {
            format!(
                "The error was still falling in the last round: try --rounds {}.",
                2 * o.args.rounds
            )
        }
        Some(_) if o.input.alpha > 0.0 => format!(
            "Another α may be better still: compare with --alpha {} and --alpha {}.",
            other(0.3),
            other(3.0)
        ),
        None if o.input.alpha > 0.0 => {
            "Hold points back (--hold-out 20) to see whether coupling helps.".into()
        }
        _ => "Couple the nodes with --alpha 0.1, and compare.".into(),
    }
}

/// Points held back below which nothing is said about what coupling does.
const FEW: usize = 30;

/// Whether the points held back are many enough, and not against most of the nodes.
fn tells(v: &Validation) -> bool {
    let (better, worse, _) = v.verdicts();
    v.points >= FEW && worse >= better
}

fn still_falling(v: &Validation) -> bool {
    match v.rounds[..] {
        [.., before, last] => v.rounds.len() > 2 && last < 0.98 * before,
        _ => false,
    }
}

/// How far the predictions of neighbors are apart.
pub(super) fn variation(o: &Outcome) -> Option<String> {
    let (first, last) = (o.trained.rounds.first()?, o.trained.rounds.last()?);
    (o.input.alpha > 0.0 && first.variation > 0.0).then(|| {
        format!(
            "The variation of the predictions over the edges fell from {} to {} ({:.0}%); the last round moved predictions by {:.2}%.",
            number(first.variation),
            number(last.variation),
            100.0 * last.variation / first.variation,
            100.0 * last.change
        )
    })
}

/// The variation of the largest connected part against its bound.
pub(super) fn bound(o: &Outcome) -> Option<String> {
    let c = o.clusters.first()?;
    let part = match o.clusters.len() {
        1 => "the graph".into(),
        _ => format!("the largest connected part ({})", plural(c.nodes, "node")),
    };
    let verdict = match c.found <= c.bound {
        true => format!("{:.2}% of its bound", 100.0 * c.found / c.bound),
        false => "above its bound, which holds for exact minimizers: more rounds, or models that are fitted exactly, would bring it below,".into(),
    };
    Some(format!(
        "Over {part} the predictions of all models vary by {}, {verdict} ε/(αλ₂) = {} (25), with λ₂ = {}.",
        number(c.found),
        number(c.bound),
        number(c.connectivity)
    ))
}

/// The kinds of models in words.
pub(super) fn kinds(o: &Outcome) -> String {
    let kinds = o.kinds();
    let mut words: Vec<String> =
        kinds.iter().take(6).map(|(kind, n)| format!("{kind} at {}", plural(*n, "node"))).collect();
    if kinds.len() > 6 {
        words.push(format!("{} more", kinds.len() - 6));
    }
    words.join("; ")
}

impl Outcome<'_> {
    /// The summary for a person.
    pub(super) fn words(&self) -> String {
        let (input, out) = (self.input, &self.args.results.out);
        let rounds = self.trained.rounds.len() - 1;
        let mut text = format!(
            "{} after {}, {}\n  {}, {}, {}, {}\n  models: {}\n  {}: {}\n",
            if self.trained.stopped { "interrupted" } else { "trained" },
            plural(rounds, "round"),
            duration(self.seconds),
            plural(input.points.nodes.len(), "node"),
            plural(input.graph.edges().len(), "edge"),
            plural(input.points.features.len(), "feature"),
            plural(input.points.node_of_row.len(), "data point"),
            kinds(self),
            plural(input.public.rows(), "public point"),
            public(self),
        );
        let lines = [Some(verdict(self)), variation(self), bound(self), Some(advice(self))];
        for line in lines.into_iter().flatten() {
            text.push_str(&format!("  {line}\n"));
        }
        text.push_str(&format!(
            "  results in {}; open {}; next: netfed predict --run {} --data new.csv --out predictions.csv\n",
            out.display(),
            out.join("report.html").display(),
            out.display()
        ));
        text
    }
}
