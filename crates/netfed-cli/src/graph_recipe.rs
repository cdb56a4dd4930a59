//! Recipes of graphs in the words of the flags: a discrepancy, a rule, weights. `netfed graph
//! build` follows one recipe, `netfed tune` compares some.

use netfed::discrepancy::{Combination, Discrepancy};
use netfed::graph::{DiscrepancyKind, GraphRecipe, LocalFits, RecipeWarning};
use netfed::names::choose;
use netfed::similarity_graph::{Rule, SimilarityGraph, Weights, similarity_graph_with};
use netfed::{Event, Table};
use netfed_report::text::plural;

use crate::failure::Failure;
use crate::prepare::names;
use crate::progress::{Steps, until_interrupted};
use crate::settings::{Range, Settings, number};

/// Names of the rules.
const RULES: [&str; 4] = ["knn", "threshold", "mst-knn", "complete"];
/// Names of the weights.
const WEIGHTS: [&str; 3] = ["exponential", "inverse", "one"];
/// Neighbors of every node when nothing is said.
const NEIGHBORS: usize = 5;

/// How a graph is built from data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recipe {
    /// One of [`DiscrepancyKind::NAMES`].
    pub(crate) discrepancy: String,
    pub(crate) combination: Combination,
    pub(crate) rule: Rule,
    pub(crate) weights: Weights,
}

impl Recipe {
    /// Whether the discrepancy compares local models, so that labels are needed.
    pub(crate) fn needs_models(&self) -> bool {
        matches!(self.discrepancy.as_str(), "models" | "gradients")
    }

    /// The recipe with all that it needs of the settings.
    pub(crate) fn complete(&self, settings: &Settings) -> GraphRecipe {
        let fits = LocalFits {
            loss: settings.spec.loss_kind(),
            ridge: settings.spec.ridge,
            lasso: settings.spec.lasso,
            intercept: settings.spec.intercept,
        };
        let kind = match self.discrepancy.as_str() {
            "energy" => DiscrepancyKind::Energy,
            "mmd" => DiscrepancyKind::MaximumMean,
            "ks" => DiscrepancyKind::KolmogorovSmirnov(self.combination),
            "t" => DiscrepancyKind::WelchT(self.combination),
            "models" => DiscrepancyKind::Models(fits),
            "gradients" => DiscrepancyKind::Gradients(fits),
            "tsne" => DiscrepancyKind::Tsne { seed: settings.spec.seed },
            _ => DiscrepancyKind::Wasserstein,
        };
        GraphRecipe::new(kind)
            .with_rule(self.rule)
            .with_weights(self.weights)
            .with_standardize(settings.spec.standardize)
    }

    /// The graph. Says nothing when `quiet`.
    pub(crate) fn build(
        &self,
        all: &dyn Discrepancy,
        quiet: bool,
    ) -> Result<SimilarityGraph, Failure> {
        let steps = Steps::named(self.rule.rows(all.nodes()), "nodes", quiet);
        let mut watch = |event: Event<'_>| {
            steps.step("comparing nodes");
            until_interrupted(event)
        };
        let built = similarity_graph_with(all, self.rule, self.weights, &mut watch)?;
        steps.finish();
        if built.stopped {
            Err(Failure::other("interrupted; nothing was written.".into()))
        } else {
            Ok(built)
        }
    }

    /// What a user should know about data from which a graph is built, in sentences without their
    /// period.
    pub(crate) fn warnings(&self, points: &Table, settings: &Settings) -> Vec<String> {
        let found = self.complete(settings).warnings(points);
        found.iter().filter_map(|w| words(w, points, settings)).collect()
    }

    /// The rule in a few words, as a label.
    pub(crate) fn rule_label(&self) -> String {
        match self.rule {
            Rule::Threshold(eta) => format!("η {}", netfed_report::text::number(eta)),
            Rule::Nearest(k) => format!("k {k}"),
            Rule::TreeAndNearest(k) => format!("tree + k {k}"),
            Rule::Complete => "complete".into(),
        }
    }
}

/// A warning in words.
fn words(warning: &RecipeWarning, points: &Table, settings: &Settings) -> Option<String> {
    match warning {
        RecipeWarning::Constant { features, label } => {
            let columns = features.iter().map(|&j| points.features()[j].as_str());
            let columns = columns.chain(label.then_some(settings.columns.target.as_str()));
            let constant: Vec<&str> = columns.collect();
            let (has, them) = if constant.len() == 1 { ("has", "it") } else { ("have", "they") };
            Some(format!(
                "{}: {} {has} the same value everywhere, so that {them} cannot be standardized and tell no nodes apart",
                settings.data_name(),
                names(&constant)
            ))
        }
        RecipeWarning::FewPoints { nodes, parameters } => {
            let few: Vec<&str> = nodes.iter().map(|&i| points.nodes()[i].as_str()).collect();
            let has = if few.len() == 1 { "has" } else { "have" };
            Some(format!(
                "{} {has} fewer data points than the {} of a model ({}), which their data then leave open; say --ridge 0.01 or so, or fewer --features",
                plural(few.len(), "node"),
                plural(*parameters, "parameter"),
                names(&few)
            ))
        }
        _ => None,
    }
}

/// The discrepancy with this name.
pub(crate) fn discrepancy(name: &str) -> Result<String, Failure> {
    Ok(choose("discrepancy", name, &DiscrepancyKind::NAMES)?.to_owned())
}

/// The combination of p-values with this name.
pub(crate) fn combination(name: &str) -> Result<Combination, Failure> {
    Ok(name.parse()?)
}

/// The weights with this name. The discrepancies of tests have a scale of their own: D is a power
/// of ten of the p-value, and where it is small for all edges none of them should be light.
pub(crate) fn weights(
    name: &str,
    scale: Option<f64>,
    discrepancy: &str,
) -> Result<Weights, Failure> {
    let name = choose("kind of weights", name, &WEIGHTS)?;
    if scale.is_some() && name != "exponential" {
        return Err(Failure::input(format!(
            "--scale goes with --weights exponential only; the weights are {name}."
        )));
    }
    Ok(match name {
        "exponential" => {
            let usual = matches!(discrepancy, "ks" | "t").then_some(1.0);
            let given = scale.map(|s| number("--scale", s, Range::Positive)).transpose()?;
            Weights::Exponential(given.or(usual))
        }
        "one" => Weights::One,
        _ => Weights::Inverse,
    })
}

/// The rule with this name; `flags` are the names of the flags for k and η.
pub(crate) fn rule(
    name: &str,
    k: Option<usize>,
    eta: Option<f64>,
    flags: [&str; 2],
) -> Result<Rule, Failure> {
    let name = choose("rule", name, &RULES)?;
    let misplaced = |flag: &str, with: &str| {
        Failure::input(format!("{flag} goes with the rule {with} only; the rule is {name}."))
    };
    if k.is_some() && !matches!(name, "knn" | "mst-knn") {
        return Err(misplaced(flags[0], "knn or mst-knn"));
    }
    if eta.is_some() && name != "threshold" {
        return Err(misplaced(flags[1], "threshold"));
    }
    if k == Some(0) && name == "knn" {
        return Err(Failure::input(format!("{} is 0; it must be at least 1.", flags[0])));
    }
    Ok(match name {
        "threshold" => {
            let eta = eta.ok_or_else(|| {
                Failure::input(format!(
                    "the rule threshold needs the largest discrepancy of an edge; say {} NUMBER.",
                    flags[1]
                ))
            })?;
            Rule::Threshold(number(flags[1], eta, Range::Nonnegative)?)
        }
        "mst-knn" => Rule::TreeAndNearest(k.unwrap_or(NEIGHBORS)),
        "complete" => Rule::Complete,
        _ => Rule::Nearest(k.unwrap_or(NEIGHBORS)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_recipes_get_a_sentence() {
        let flags = ["--k", "--eta"];
        for (found, part) in [
            (rule("knm", None, None, flags).unwrap_err(), "Did you mean \"knn\"?"),
            (rule("knn", Some(0), None, flags).unwrap_err(), "--k is 0"),
            (rule("threshold", None, None, flags).unwrap_err(), "say --eta NUMBER"),
            (rule("threshold", Some(2), Some(1.0), flags).unwrap_err(), "--k goes with"),
            (rule("knn", None, Some(1.0), flags).unwrap_err(), "--eta goes with"),
            (rule("threshold", None, Some(-1.0), flags).unwrap_err(), "--eta is -1"),
            (weights("inverse", Some(1.0), "t").unwrap_err(), "--scale goes with"),
            (weights("exponential", Some(0.0), "t").unwrap_err(), "--scale is 0"),
            (discrepancy("wassserstein").unwrap_err(), "Did you mean \"wasserstein\"?"),
            (combination("stouffer").unwrap_err(), "known are fisher, bonferroni"),
        ] {
            assert!(found.to_string().contains(part), "{found}");
        }
    }

    #[test]
    fn tests_have_a_scale_of_their_own() {
        for (discrepancy, given, expected) in [
            ("ks", None, Some(1.0)),
            ("t", None, Some(1.0)),
            ("t", Some(2.0), Some(2.0)),
            ("wasserstein", None, None),
        ] {
            let found = weights("exponential", given, discrepancy).unwrap();
            assert_eq!(found, Weights::Exponential(expected), "{discrepancy}");
        }
    }
}
