//! What a training means, in sentences.

use std::cmp::Ordering;

use netfed::Status;
use netfed::model::Task;
use netfed::relax::Validation;
use netfed_report::text::{number, plural, rough_duration, rounded};

use super::outcome::Outcome;
use super::settling;
use crate::relaxing::public_words;

/// Where the public points come from.
pub(super) fn public(o: &Outcome) -> String {
    match &o.args.public {
        _ if !o.exchanged() => "not needed, as nothing was exchanged".into(),
        Some(path) => format!("the file {}", path.display()),
        None => format!(
            "a normal distribution with the mean and the covariance of all data points (seed {}): these moments leave the nodes",
            o.args.seed
        ),
    }
}

/// Which problem is solved.
pub(super) fn problem(o: &Outcome) -> &'static str {
    if o.exchanged() {
        if !o.input.data.public().is_common() {
            "every node repeats: fit to the own points and to what each neighbor predicts on that neighbor's public points; where that settles is a fixed point of these fits, which, with public points of each node, minimizes no common objective"
        } else {
            "every node repeats: fit to the own points and to what neighbors predict on the public points; where that settles, models that are fitted exactly minimize the sum of the local losses plus α times the weighted differences of predictions over the edges"
        }
    } else if o.args.alpha == 0.0 {
        "every node alone, as α = 0 couples nothing"
    } else if o.input.data.graph().edges().is_empty() {
        "every node alone, as there are no edges"
    } else {
        "every node alone, as nothing was exchanged in 0 rounds"
    }
}

/// Whether coupling helped.
pub(super) fn verdict(o: &Outcome) -> String {
    let Some(v) = &o.relaxed.validation else {
        let unknown = "so nothing is known about points that training has not seen";
        return match o.args.hold_out {
            0 => {
                format!("No points were held back, {unknown}; leave --hold-out 0 out to learn it.")
            }
            _ => format!(
                "Too few points to hold some back (the only point of a node stays), {unknown}."
            ),
        };
    };
    let (better, worse, judged) = v.verdicts();
    let nodes =
        format!("{better} of {} predict better than alone, {worse} worse", plural(judged, "node"));
    let (alone, coupled) = (v.alone, v.coupled());
    if !o.exchanged() {
        return format!(
            "The models are local ones, nothing was exchanged: on {} held back the {} is {}.",
            plural(v.points, "point"),
            o.measure(),
            number(alone)
        );
    }
    format!(
        "On {} held back the {} is {} coupled and {} alone{}: {nodes}.",
        plural(v.points, "point"),
        o.measure(),
        number(coupled),
        number(alone),
        gain(v).map_or(String::new(), |gain| format!(", {gain}"))
    )
}

/// How much smaller or larger the error is than alone; nothing where there was none.
pub(super) fn gain(v: &Validation) -> Option<String> {
    let percent = 100.0 * (v.coupled() / v.alone - 1.0);
    (v.compare(v.alone, 0.0) == Ordering::Greater).then(|| match v.effect() {
        Ordering::Less => format!("{:.0}% less", -percent),
        Ordering::Greater => format!("{percent:.0}% more"),
        Ordering::Equal => "the same".into(),
    })
}

/// What to do next.
pub(super) fn advice(o: &Outcome) -> String {
    let other = |factor: f64| rounded(factor * o.args.alpha, 1);
    if o.args.alpha == 0.0 {
        return "Couple the nodes with --alpha 0.1, and compare.".into();
    }
    if o.input.data.graph().edges().is_empty() {
        return "Give edges (--graph), or let the data suggest some (netfed graph build), and compare.".into();
    }
    if !o.exchanged() {
        return "Exchange predictions with --rounds 10, and compare.".into();
    }
    match &o.relaxed.validation {
        Some(v) if v.effect() != Ordering::Equal && !tells(v) => format!(
            "{} whether coupling {}: hold back more points (--hold-out), or evaluate on other data (netfed evaluate) with --alpha {} and --alpha 0, too.",
            if v.points < FEW { "So few points do not tell" } else { "Most nodes say otherwise, so it is open" },
            if v.effect() == Ordering::Less { "helps" } else { "hurts" },
            other(0.1)
        ),
        Some(v) if v.effect() == Ordering::Greater => format!(
            "Coupling hurts here. Neighbors may not be alike, or α is too large: try --alpha {}, or keep the edges that the data support (netfed graph select).",
            other(0.1)
        ),
        Some(v) if still_falling(v) => format!(
            "The error was still falling in the last round: try --rounds {}.",
            o.args.rounds.saturating_mul(2)
        ),
        Some(_) => format!(
            "Another α may be better still: compare with --alpha {} and --alpha {}.",
            other(0.3),
            other(3.0)
        ),
        None if o.args.hold_out == 0 => {
            "Hold points back (--hold-out 20) to see whether coupling helps.".into()
        }
        None => "Evaluate on other data (netfed evaluate), with --alpha 0, too, to see whether coupling helps.".into(),
    }
}

/// Points held back below which nothing is said about what coupling does.
const FEW: usize = 30;

/// Nodes that all agree tell, however few their points: by chance six would in one of 32 cases.
const MANY_NODES: usize = 6;

/// Whether the points held back are many enough, or the nodes that agree, and most of the nodes
/// agree.
pub(super) fn tells(v: &Validation) -> bool {
    let (better, worse, judged) = v.verdicts();
    let all = judged >= MANY_NODES && better.max(worse) == judged;
    (v.points >= FEW || all)
        && match v.effect() {
            Ordering::Less => better >= worse,
            Ordering::Greater => worse >= better,
            Ordering::Equal => true,
        }
}

fn still_falling(v: &Validation) -> bool {
    match v.rounds[..] {
        [.., before, last] => v.points >= FEW && v.rounds.len() > 2 && last < 0.98 * before,
        _ => false,
    }
}

/// How far the predictions of neighbors are apart.
pub(super) fn variation(o: &Outcome) -> Option<String> {
    let (first, last) = (o.relaxed.rounds.first()?, o.relaxed.rounds.last()?);
    let percent = 100.0 * last.variation / first.variation;
    let verb = match percent {
        p if p < 99.5 => "fell",
        p if p > 100.5 => "rose",
        _ => "hardly changed,",
    };
    (o.exchanged() && first.variation > 0.0).then(|| {
        format!(
            "The variation of the predictions over the edges {verb} from {} to {} ({percent:.0}%).",
            number(first.variation),
            number(last.variation)
        )
    })
}

/// The variation of the largest connected part against its bound.
pub(super) fn bound(o: &Outcome) -> Option<String> {
    if o.exchanged()
        && !o.input.data.public().is_common()
        && o.input.data.task() == Task::Regression
    {
        return Some("How far the models of a cluster are apart is bounded only where all nodes have the same public points.".into());
    }
    let c = o.relaxed.clusters.first()?;
    let part = match o.relaxed.clusters.len() {
        1 => "the graph".into(),
        _ => format!("the largest connected part ({})", plural(c.nodes, "node")),
    };
    if c.found <= c.rounding {
        return Some(format!(
            "Over {part} the predictions of all models are alike, up to rounding."
        ));
    }
    let verdict = if c.is_within() {
        format!("{:.2}% of", (100.0 * c.found / c.bound).min(100.0))
    } else {
        "above".into()
    };
    let why = if c.is_within() {
        ""
    } else {
        "; the bound is for models that are fitted exactly, and rounds that have settled"
    };
    Some(format!(
        "Over {part} the predictions of all models vary by {}, {verdict} the variation bound ε/(αλ₂) = {} of \"Plug In and Learn\" (Abdurakhmanova, SarcheshmehPour, Jung), with λ₂ = {}{why}.",
        number(c.found),
        number(c.bound),
        number(c.connectivity)
    ))
}

/// What to take from it.
pub(super) fn sentences(o: &Outcome) -> Vec<String> {
    let lines = [Some(verdict(o)), settling::words(o), variation(o), bound(o), Some(advice(o))];
    lines.into_iter().flatten().collect()
}

/// Why the training ended, as the summary has it.
pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Settled => "settled",
        Status::Done => "trained alone",
        other => other.name(),
    }
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
        let rounds = self.relaxed.exchanges;
        let rounds = plural(rounds, "round");
        let done = match self.relaxed.status {
            Status::Stopped => format!("interrupted after {rounds}"),
            Status::Settled => format!("settled after {rounds}"),
            Status::Done => "trained every node alone".into(),
            _ => format!("{rounds} used up"),
        };
        let mut text = format!(
            "{done}, {}\n  {}, {}, {}, {}\n  models: {}\n  {}: {}\n",
            rough_duration(self.seconds),
            plural(input.data.table().nodes().len(), "node"),
            plural(input.data.graph().edges().len(), "edge"),
            plural(input.data.table().features().len(), "feature"),
            plural(input.data.table().rows(), "data point"),
            kinds(self),
            public_words(input.data.public()),
            public(self),
        );
        for line in sentences(self) {
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
