//! How a graph is built from data: a discrepancy, a rule, weights. `netfed graph build` follows one recipe, `netfed tune` compares some.

use std::ops::ControlFlow;

use netfed::discrepancy::{
    Combination, Discrepancy, Energy, GradientMismatch, KolmogorovSmirnov, MaximumMean,
    ModelDifference, Wasserstein, WelchT, embedded,
};
use netfed::similarity_graph::{Rule, SimilarityGraph, Weights, similarity_graph};
use netfed::{LossKind, Matrix, draws};

use crate::failure::Failure;
use crate::load::PointTable;
use crate::prepare::{Scaling, local_datasets, names};
use crate::progress::{Steps, interrupted};
use crate::report::text::plural;
use crate::scaling::moments;
use crate::settings::{Range, Settings, choose, number};

/// Names of the discrepancies.
const DISCREPANCIES: [&str; 9] =
    ["wasserstein", "energy", "mmd", "ks", "t", "models", "gradients", "tsne", "distance"];
/// Names of the rules.
const RULES: [&str; 4] = ["knn", "threshold", "mst-knn", "complete"];
/// Names of the weights.
const WEIGHTS: [&str; 3] = ["exponential", "inverse", "one"];
/// The most points that t-SNE lays out.
const LAID_OUT: usize = 2000;
/// Neighbors of every node when nothing is said.
const NEIGHBORS: usize = 5;

/// How a graph is built from data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recipe {
    /// One of [`DISCREPANCIES`].
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

    /// The discrepancies of all nodes.
    pub(crate) fn discrepancies(
        &self,
        points: &PointTable,
        settings: &Settings,
    ) -> Result<Box<dyn Discrepancy>, Failure> {
        if self.needs_models() {
            let scaling = settings.standardize.then(|| Scaling::fit(points, settings));
            let nodes = points.nodes.len();
            let data = local_datasets(points.clone(), nodes, settings.intercept, scaling.as_ref())?;
            let losses = data
                .into_iter()
                .map(|own| settings.loss.build(own, settings.ridge, settings.lasso))
                .collect::<Result<Vec<_>, _>>()?;
            return Ok(match self.discrepancy.as_str() {
                "models" => Box::new(ModelDifference::new(losses)?),
                _ => Box::new(GradientMismatch::new(losses)?),
            });
        }
        let samples = samples(points, settings.standardize)?;
        Ok(match self.discrepancy.as_str() {
            "energy" => Box::new(Energy::new(&samples)?),
            "mmd" => Box::new(MaximumMean::new(&samples)?),
            "ks" => Box::new(KolmogorovSmirnov::new(&samples, self.combination)?),
            "t" => Box::new(WelchT::new(&samples, self.combination)?),
            "tsne" => Box::new(Wasserstein::new(&laid_out(samples, settings.seed)?)?),
            _ => Box::new(Wasserstein::new(&samples)?),
        })
    }

    /// The graph. Says nothing when `quiet`.
    pub(crate) fn build(
        &self,
        all: &dyn Discrepancy,
        quiet: bool,
    ) -> Result<SimilarityGraph, Failure> {
        let steps = Steps::named(self.rule.rows(all.nodes()), "nodes", quiet);
        let observe = || {
            steps.step("comparing nodes");
            if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let built = similarity_graph(all, self.rule, self.weights, &observe)?;
        steps.finish();
        match built.stopped {
            true => Err(Failure::other("interrupted; nothing was written.".into())),
            false => Ok(built),
        }
    }

    /// What a user should know about data from which a graph is built, in sentences without their period.
    pub(crate) fn warnings(&self, points: &PointTable, settings: &Settings) -> Vec<String> {
        let mut found = Vec::new();
        if settings.standardize {
            let constant = constant_columns(points, &settings.columns.target);
            if !constant.is_empty() {
                let (has, them) =
                    if constant.len() == 1 { ("has", "it") } else { ("have", "they") };
                found.push(format!(
                    "{}: {} {has} the same value everywhere, so that {them} cannot be standardized and tell no nodes apart",
                    settings.data.display(),
                    names(&constant)
                ));
            }
        }
        if self.needs_models() && settings.ridge == 0.0 && settings.loss != LossKind::Mean {
            let dim = points.features.len() + usize::from(settings.intercept);
            let mut rows = vec![0; points.nodes.len()];
            points.node_of_row.iter().for_each(|i| rows[*i as usize] += 1);
            let few: Vec<&str> = (points.nodes.iter().zip(&rows))
                .filter(|(_, rows)| (1..dim).contains(*rows))
                .map(|(node, _)| node.as_str())
                .collect();
            if !few.is_empty() {
                let has = if few.len() == 1 { "has" } else { "have" };
                found.push(format!(
                    "{} {has} fewer data points than the {} of a model ({}), which their data then leave open; say --ridge 0.01 or so, or fewer --features",
                    plural(few.len(), "node"),
                    plural(dim, "parameter"),
                    names(&few)
                ));
            }
        }
        found
    }

    /// The rule in a few words, as a label.
    pub(crate) fn rule_label(&self) -> String {
        match self.rule {
            Rule::Threshold(eta) => format!("η {}", crate::report::text::number(eta)),
            Rule::Nearest(k) => format!("k {k}"),
            Rule::TreeAndNearest(k) => format!("tree + k {k}"),
            Rule::Complete => "complete".into(),
        }
    }
}

/// The discrepancy with this name.
pub(crate) fn discrepancy(name: &str) -> Result<String, Failure> {
    Ok(choose("discrepancy", name, &DISCREPANCIES)?.to_owned())
}

/// The combination of p-values with this name.
pub(crate) fn combination(name: &str) -> Result<Combination, Failure> {
    Ok(match choose("combination", name, &["fisher", "bonferroni"])? {
        "bonferroni" => Combination::Bonferroni,
        _ => Combination::Fisher,
    })
}

/// The weights with this name.
pub(crate) fn weights(name: &str, scale: Option<f64>) -> Result<Weights, Failure> {
    let name = choose("kind of weights", name, &WEIGHTS)?;
    if scale.is_some() && name != "exponential" {
        return Err(Failure::input(format!(
            "--scale goes with --weights exponential only; the weights are {name}."
        )));
    }
    Ok(match name {
        "exponential" => {
            Weights::Exponential(scale.map(|s| number("--scale", s, Range::Positive)).transpose()?)
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

/// The samples of every node: features and, where there are labels, the label. Standardized, every column has standard deviation 1
/// over all points.
fn samples(points: &PointTable, standardize: bool) -> Result<Vec<Matrix>, Failure> {
    let d = points.features.len();
    let cols = d + usize::from(points.y.is_some());
    let row = |r: usize| {
        let label = points.y.as_ref().map(|y| y[r]);
        points.x[r * d..(r + 1) * d].iter().copied().chain(label)
    };
    let scale: Vec<f64> = match standardize {
        true => {
            let all = moments(&points.x, d).into_iter();
            let all = all.chain(points.y.iter().flat_map(|y| moments(y, 1)));
            // A constant column is left alone.
            all.map(|(_, deviation)| deviation.unwrap_or(1.0)).collect()
        }
        false => vec![1.0; cols],
    };
    let mut values = vec![Vec::new(); points.nodes.len()];
    for (r, &node) in points.node_of_row.iter().enumerate() {
        values[node as usize].extend(row(r).zip(&scale).map(|(v, s)| v / s));
    }
    Ok(values.into_iter().map(|v| Matrix::from_rows(cols, v)).collect::<Result<_, _>>()?)
}

/// Columns, label included, with the same value everywhere.
fn constant_columns<'a>(points: &'a PointTable, target: &'a str) -> Vec<&'a str> {
    let constant = |m: Vec<(f64, Option<f64>)>| m.into_iter().map(|(_, d)| d.is_none());
    let features = points.features.iter().map(String::as_str);
    let features = features.zip(constant(moments(&points.x, points.features.len())));
    let label = points.y.iter().flat_map(|y| constant(moments(y, 1))).map(|c| (target, c));
    features.chain(label).filter(|(_, constant)| *constant).map(|(name, _)| name).collect()
}

/// Places of the points in the plane, of an even part of them where there are many.
fn laid_out(samples: Vec<Matrix>, seed: u64) -> Result<Vec<Matrix>, Failure> {
    let nodes = samples.len();
    let share = LAID_OUT / nodes.max(1);
    if share < 2 {
        return Err(Failure::input(format!(
            "the discrepancy tsne lays out {LAID_OUT} points at most, two of each node, but there are {nodes} nodes; choose another one."
        )));
    }
    let total: usize = samples.iter().map(Matrix::rows).sum();
    let part = |(i, own): (usize, Matrix)| {
        let chosen = match total > LAID_OUT {
            true => draws::batch(seed, i, 0, own.rows(), share),
            false => (0..own.rows()).collect(),
        };
        let values = chosen.into_iter().flat_map(|r| own.row(r)).copied().collect();
        Matrix::from_rows(own.cols(), values)
    };
    let samples = samples.into_iter().enumerate().map(part).collect::<Result<Vec<_>, _>>()?;
    Ok(embedded(&samples)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> PointTable {
        PointTable {
            nodes: vec!["a".into(), "b".into()],
            node_of_row: vec![0, 1, 0],
            features: vec!["x".into(), "c".into()],
            x: vec![1.0, 7.0, 2.0, 7.0, 6.0, 7.0],
            y: Some(vec![10.0, 20.0, 30.0]),
            low_label: -1.0,
        }
    }

    #[test]
    fn samples_are_features_and_label() {
        let plain = samples(&points(), false).unwrap();
        assert_eq!(plain[0].as_slice(), [1.0, 7.0, 10.0, 6.0, 7.0, 30.0]);
        assert_eq!(plain[1].as_slice(), [2.0, 7.0, 20.0]);
        let scaled = samples(&points(), true).unwrap();
        let deviation = (200.0f64 / 3.0).sqrt();
        assert!((scaled[1].as_slice()[2] - 20.0 / deviation).abs() < 1e-12);
        assert_eq!(scaled[1].as_slice()[1], 7.0, "a constant is left alone");
    }

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
            (weights("inverse", Some(1.0)).unwrap_err(), "--scale goes with"),
            (weights("exponential", Some(0.0)).unwrap_err(), "--scale is 0"),
            (discrepancy("wassserstein").unwrap_err(), "Did you mean \"wasserstein\"?"),
            (combination("stouffer").unwrap_err(), "known are fisher, bonferroni"),
        ] {
            assert!(found.to_string().contains(part), "{found}");
        }
    }
}
