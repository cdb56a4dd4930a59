//! A variant: a choice of everything but λ. The variants of a plan are all combinations of the
//! values of its axes (graph, penalty, ridge, Huber threshold). Another axis is another list and
//! the setting that it sets.

use netfed::LossKind;
use netfed::discrepancy::Combination;
use netfed::graph::GraphRecipe;
use netfed::penalty::PenaltyKind;
use netfed_report::text::number as shown;

use super::flags::Tune;
use crate::axis::distinct;
use crate::failure::Failure;
use crate::given::Given;
use crate::graph_recipe::{self as recipe, Recipe};
use crate::settings::{Range, Settings, number};

/// A choice of everything but λ.
pub(crate) struct Variant {
    /// All settings; its λ stands for any that couples.
    pub(crate) settings: Settings,
    /// How its graph is built, where it is not given.
    pub(crate) recipe: Option<Recipe>,
    /// What sets it apart from the others.
    pub(crate) label: String,
}

impl Variant {
    /// The threshold of the Huber loss.
    pub(crate) fn delta(&self) -> Option<f64> {
        match self.settings.spec.loss_kind() {
            LossKind::Huber { delta } => Some(delta),
            _ => None,
        }
    }

    /// The recipe of its graph with all that it needs of the settings.
    pub(crate) fn recipe(&self) -> Option<GraphRecipe> {
        self.recipe.as_ref().map(|recipe| recipe.complete(&self.settings))
    }

    /// Whether the penalty fuses neighbors, so that there are clusters to count.
    pub(crate) fn fuses(&self) -> bool {
        self.settings.spec.penalty.fuses()
    }

    /// Whether there is an information criterion: clusters to count and a likelihood.
    pub(crate) fn has_information(&self) -> bool {
        use LossKind::{Logistic, Mean, Squared};
        self.fuses() && matches!(self.settings.spec.loss_kind(), Squared | Logistic | Mean)
    }

    /// The settings with a λ.
    pub(crate) fn at(&self, lambda: f64) -> Result<Settings, Failure> {
        let mut given = self.settings.given.clone();
        given.spec.lambda = Some(lambda);
        Settings::new(given)
    }
}

/// All combinations of what is to be tried, with the settings they share.
pub(crate) fn variants(args: &Tune, base: &Given) -> Result<Vec<Variant>, Failure> {
    let recipes = recipes(args)?;
    let first = Settings::of_path(base.clone())?;
    let huber = matches!(first.spec.loss, LossKind::Huber { .. });
    if args.huber_deltas.is_some() && !huber {
        return Err(Failure::input("--huber-deltas goes with --loss huber only.".into()));
    }
    let penalties = distinct("--penalties", &penalties(args)?)?;
    let ridges = distinct("--ridges", &args.ridges)?;
    let deltas = distinct("--huber-deltas", &args.huber_deltas)?;
    for ridge in ridges.iter().flatten() {
        number("--ridges", *ridge, Range::Nonnegative)?;
    }
    for delta in deltas.iter().flatten() {
        number("--huber-deltas", *delta, Range::Positive)?;
    }
    let mut all = Vec::new();
    for (recipe, penalty) in recipes.iter().flat_map(|r| penalties.iter().map(move |p| (r, p))) {
        for ridge in &ridges {
            for delta in &deltas {
                // The matrix belongs to one of the penalties.
                let mut given = base.clone();
                let spec = &mut given.spec;
                spec.penalty = penalty.or(spec.penalty);
                spec.ridge = ridge.or(spec.ridge);
                spec.huber_delta = delta.or(spec.huber_delta);
                if penalty.is_some_and(|p| p != PenaltyKind::Quadratic) {
                    given.files.penalty_matrix = None;
                }
                let settings = Settings::of_path(given)?;
                let mut label = settings.penalty_name().to_owned();
                if let Some(recipe) = recipe {
                    label.push_str(&format!(", {}", recipe.rule_label()));
                }
                if let Some(ridge) = ridge {
                    label.push_str(&format!(", ridge {}", shown(*ridge)));
                }
                if let Some(delta) = delta {
                    label.push_str(&format!(", δ {}", shown(*delta)));
                }
                all.push(Variant { settings, recipe: recipe.clone(), label });
            }
        }
    }
    Ok(all)
}

/// The penalties to try.
fn penalties(args: &Tune) -> Result<Option<Vec<PenaltyKind>>, Failure> {
    let Some(names) = &args.penalties else { return Ok(None) };
    Ok(Some(names.iter().map(|name| name.parse()).collect::<Result<_, netfed::Error>>()?))
}

/// The ways to build the graph; one `None` when it is given.
fn recipes(args: &Tune) -> Result<Vec<Option<Recipe>>, Failure> {
    let Some(rule) = &args.graph_rule else {
        return match [
            ("--graph-k", args.graph_k.is_some()),
            ("--graph-eta", args.graph_eta.is_some()),
            ("--graph-discrepancy", args.graph_discrepancy.is_some()),
            ("--graph-weights", args.graph_weights.is_some()),
        ]
        .iter()
        .find(|(_, there)| *there)
        {
            Some((flag, _)) => Err(Failure::input(format!(
                "{flag} is about graphs that are built from the data, and --graph-rule is missing, which says how; for example: --graph-rule knn --graph-k 3,5,10 --graph-discrepancy models."
            ))),
            None => Ok(vec![None]),
        };
    };
    let name = args.graph_discrepancy.as_deref().unwrap_or("wasserstein");
    let discrepancy = recipe::discrepancy(name)?;
    if discrepancy == "distance" {
        return Err(Failure::input(
            "--graph-discrepancy distance does not depend on the data points; build the graph once with netfed graph build, and say --graph FILE.".into(),
        ));
    }
    let weights = args.graph_weights.as_deref().unwrap_or("exponential");
    let weights = recipe::weights(weights, None, &discrepancy)?;
    let mut all = Vec::new();
    for k in distinct("--graph-k", &args.graph_k)? {
        for eta in distinct("--graph-eta", &args.graph_eta)? {
            all.push(Some(Recipe {
                discrepancy: discrepancy.clone(),
                combination: Combination::Fisher,
                rule: recipe::rule(rule, k, eta, ["--graph-k", "--graph-eta"])?,
                weights,
            }));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use crate::commands::tune::plan::tests::plan;

    fn labels(flags: &str) -> Vec<String> {
        plan(flags).unwrap().variants.into_iter().map(|v| v.label).collect()
    }

    #[test]
    fn variants_are_all_combinations() {
        assert_eq!(labels(""), ["l2"]);
        assert_eq!(
            labels("--penalties l1,squared --ridges 0,0.1"),
            ["l1, ridge 0", "l1, ridge 0.1", "squared, ridge 0", "squared, ridge 0.1"]
        );
        assert_eq!(labels("--loss huber --huber-deltas 2,3"), ["l2, δ 2", "l2, δ 3"]);
        let plan = plan("--penalties quadratic,l2 --penalty-matrix q.csv").unwrap();
        let matrix = |v: usize| plan.variants[v].settings.given.files.penalty_matrix.is_some();
        assert!(matrix(0) && !matrix(1), "the matrix goes with its penalty only");
    }

    #[test]
    fn graphs_are_one_more_axis() {
        assert_eq!(
            labels("--graph-rule knn --graph-k 3,5 --penalties l1,l2"),
            ["l1, k 3", "l2, k 3", "l1, k 5", "l2, k 5"]
        );
        assert_eq!(labels("--graph-rule threshold --graph-eta 2.5"), ["l2, η 2.5"]);
        assert_eq!(labels("--graph-rule mst-knn"), ["l2, tree + k 5"]);
        let settings = &plan("--graph-rule knn").unwrap().variants[0].settings;
        assert!(
            settings.graph.as_ref().unwrap().ends_with("o/edges.csv"),
            "the graph that tune writes"
        );
        for (flags, part) in [
            ("--graph-rule knn --graph-k 3,3", "--graph-k has 3 twice"),
            ("--graph-rule knn --graph-k 0", "--graph-k is 0"),
            ("--graph-rule threshold", "say --graph-eta NUMBER"),
            ("--graph-rule complete --graph-k 3", "--graph-k goes with"),
            ("--graph-rule nearest", "unknown rule"),
            ("--graph-rule knn --graph-discrepancy distance", "netfed graph build"),
        ] {
            let message = plan(flags).err().map_or(String::new(), |e| e.to_string());
            assert!(message.contains(part), "{flags}: {message}");
        }
    }

    #[test]
    fn a_setting_is_a_fit() {
        let plan = plan("--penalties l1 --ridges 0.5").unwrap();
        let fit = plan.variants[0].at(0.25).unwrap();
        assert_eq!((fit.lambda(), fit.spec.ridge, fit.penalty_name()), (0.25, 0.5, "l1"));
    }
}
