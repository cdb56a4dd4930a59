//! The explanation in sentences, for the terminal and the page.

use netfed::evaluate::{Effect, FEWEST_POINTS};
use netfed::guarantee::Verdict;
use netfed_report::text::{number, percent_up, plural};

use super::Explanation;
use super::words::SHOWN;

impl Explanation {
    /// What the groups mean and what to do.
    pub(crate) fn group_sentences(&self) -> Vec<String> {
        let mut said = Vec::new();
        if self.run.settings.lambda() == 0.0 {
            said.push(
                "With λ = 0 every node is trained alone: there are no groups to explain.".into(),
            );
            return said;
        }
        if self.own.groups.is_empty() {
            said.push("Every node has a model of its own; a larger λ fuses neighbors.".into());
        } else if self.own.fusing {
            self.cluster_sentences(&mut said);
        } else {
            said.push("This penalty draws models together but never makes them equal; the parts are the connected parts of the graph.".into());
            said.push("Variation: the sum of squared distances of a part's models from their mean; it cannot exceed the bound, which falls with λ and with λ₂, the strength of the connections.".into());
        }
        if self.own.groups.len() > SHOWN || self.own.further > 0 {
            said.push(format!(
                "{} of at least two nodes in all; --json and the page list the {} largest.",
                plural(
                    self.own.groups.len() + self.own.further,
                    if self.own.fusing { "cluster" } else { "part" }
                ),
                self.own.groups.len()
            ));
        }
        match self.run.status.as_str() {
            "converged" => {}
            "unproven" | "no minimum" => said.push("Nothing is proven about the run: its models may not be the solution that the guarantees speak of.".into()),
            _ => said.push("The run stopped before its tolerance: its models are not yet the solution that the guarantees speak of.".into()),
        }
        said
    }

    fn cluster_sentences(&self, said: &mut Vec<String>) {
        let count =
            |v: Verdict| self.own.groups.iter().filter(|g| g.guarantee.verdict == v).count();
        let all = self.own.groups.len();
        let exact = self.own.groups.iter().filter(|g| g.models == 1).count();
        said.push(if exact == all { "Fusion: in every cluster all models are equal to the last bit.".into() } else { format!(
                "Fusion: in {exact} of {} all models are equal to the last bit; the others are near-fusions (each parameter within 0.1% of its spread over all nodes, or within the accuracy of the run).",
                plural(all, "cluster")
            ) });
        for (verdict, sentence) in VERDICTS {
            let n = count(verdict);
            if n > 0 {
                said.push(format!("{n} of {all} {sentence}"));
            }
        }
        if self.own.groups.iter().any(|g| g.guarantee.optimum.is_some()) {
            said.push("Distance: from a cluster's models to the optimum of its pooled data. Where the models are equal it cannot exceed the bound 2·λ·boundary/α (up to the accuracy of the run).".into());
        }
    }

    /// What the flow says.
    pub(super) fn edge_sentence(&self) -> String {
        let hot = self.flows.hot_count();
        match (self.flows.limited, hot) {
            (false, _) => {
                "The edges with the strongest pull: there neighbors disagree most.".into()
            }
            (true, 0) => "No edge is saturated: the coupling holds all neighbors together.".into(),
            (true, _) => self.flows.words(),
        }
    }

    /// What the cross-validation says.
    pub(crate) fn gain_sentences(&self) -> Vec<String> {
        let Some(gains) = &self.gains else {
            return vec![if self.run.settings.lambda() > 0.0 {
                "Who gains by taking part was not asked; say --folds 5 to compare with training alone.".into()
            } else {
                "With λ = 0 coupled models and models trained alone are the same.".into()
            }];
        };
        let few = match gains.skipped {
            0 => String::new(),
            n => format!(" {} with fewer than {FEWEST_POINTS} points left out.", plural(n, "node")),
        };
        if gains.nodes.is_empty() {
            return vec![format!("No node has enough points to say who gains.{few}")];
        }
        let (coupled, alone) = gains.means();
        let mut said = vec![
            format!(
                "Of {} compared, {} by being coupled, {}, and for {} the data cannot tell.{few}",
                plural(gains.nodes.len(), "node"),
                verb(gains.count(Effect::Gain), "gain"),
                verb(gains.count(Effect::Lose), "lose"),
                gains.count(Effect::Unclear)
            ),
            format!(
                "{} on held-out points ({} folds), mean of these nodes: {} coupled, {} alone.{}",
                capital(gains.measure),
                gains.folds,
                number(coupled),
                number(alone),
                if alone > coupled && alone > 0.0 { format!(" Coupling saves {}.", percent_up((alone - coupled) / alone)) } else { String::new() }
            ),
            "A gain or loss counts when it is outside of the 95% interval of the node's own points; of nodes without any effect about one in twenty counts by chance.".into(),
        ];
        if gains.count(Effect::Lose) > 0 {
            said.push("A node that loses is better off with its own model: look at its saturated edges, give them less weight, or try a smaller λ.".into());
        }
        if gains.unfinished > 0 {
            said.push(format!(
                "{} of {} trainings stopped before the tolerance, or without a proof; raise --max-iter, or add a --ridge, in the fit.",
                gains.unfinished,
                2 * gains.folds
            ));
        }
        said
    }
}

/// What each verdict means, as the end of a sentence "3 of 5 …".
const VERDICTS: [(Verdict, &str); 6] = [
    (
        Verdict::Guaranteed,
        "guaranteed: in every solution for this λ these nodes have equal models, proven from data and graph alone. \"Fused above\" is the λ from which on that holds, \"recovered in\" are the λ for which they also differ from all neighboring clusters.",
    ),
    (
        Verdict::NotGuaranteed,
        "not guaranteed: the theorem does not reach this far, the cluster may be right all the same. A λ above \"fused above\" would prove it; where none is shown, only heavier edges inside or lighter ones on the boundary could.",
    ),
    (
        Verdict::Undetermined,
        "not guaranteed: the pooled data do not determine one model. More points or --ridge would.",
    ),
    (Verdict::NotANorm, "without a theorem: the penalty is not a norm."),
    (
        Verdict::NotSmooth,
        "without a theorem: it needs a loss without kinks (no absolute, hinge or --lasso).",
    ),
    (
        Verdict::NotStronglyConvex,
        "without a theorem: this loss is not strongly convex. With a little --ridge it is.",
    ),
];

/// A verdict in a word or two.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Guaranteed => "guaranteed",
        Verdict::NotGuaranteed | Verdict::Undetermined => "not guaranteed",
        _ => "no theorem",
    }
}

/// An effect in a word or two.
pub(crate) fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Gain => "gains",
        Effect::Lose => "loses",
        Effect::Unclear => "cannot tell",
    }
}

/// "1 gains", "2 gain"
pub(crate) fn verb(count: usize, verb: &str) -> String {
    format!("{count} {verb}{}", if count == 1 { "s" } else { "" })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |c| c.to_uppercase().chain(letters).collect())
}
