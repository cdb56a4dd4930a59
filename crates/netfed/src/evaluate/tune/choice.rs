//! What to take: the rules, applied to the errors of all settings.
//!
//! *best*: the smallest mean error. Variants that come as close to it as the runs are exact are
//! ties; then the larger ridge, the larger Huber threshold, the penalty named first. *one-se*: in
//! that variant the largest λ that the data cannot tell from the best: going up from the best, as
//! long as the error exceeds its error by no more than one standard error of the difference. *aic*,
//! *bic*: the smallest criterion.

use std::ops::RangeInclusive;

use super::TuneOptions;
use super::criteria::OnAllData;
use super::cross_validation::Curve;
use super::variant::Variant;
use crate::evaluate::{first_smallest, like_best, mean};
use crate::information::Information;
use crate::names::named;

/// How one setting is chosen from all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Rule {
    /// The smallest mean error.
    Best,
    /// The largest λ that the data cannot tell from the best.
    #[default]
    OneSe,
    /// The smallest Bayesian criterion.
    Bic,
    /// The smallest criterion of Akaike.
    Aic,
}

named!(Rule, "rule", [
    "best" => Rule::Best,
    "one-se" => Rule::OneSe,
    "bic" => Rule::Bic,
    "aic" => Rule::Aic,
]);

/// A setting: a variant and one of its λ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The variant.
    pub variant: usize,
    /// The place of λ on its path.
    pub at: usize,
}

/// What the rules say.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// What to take, by the rule that was asked for.
    pub chosen: Place,
    /// The smallest mean error.
    pub best: Place,
    /// λ of the variant of `best`, around it, that the data cannot tell from it.
    pub like_best: RangeInclusive<usize>,
    /// The smallest criterion of Akaike.
    pub aic: Option<Place>,
    /// The smallest Bayesian criterion.
    pub bic: Option<Place>,
    /// The variant in which every node alone does best.
    pub alone: usize,
    /// The variant in which one model for all does best.
    pub pooled: usize,
}

impl Choice {
    /// Applies all rules and takes the one asked for.
    pub(super) fn new(
        (variants, options): (&[Variant<'_>], &TuneOptions),
        curves: &[Curve],
        all_data: &[Option<OnAllData>],
    ) -> Choice {
        let best = best(variants, options.tolerance, curves);
        let like_best = like_best(&curves[best.variant].errors, best.at, options.folds);
        let aic = least(all_data, |i| i.aic);
        let bic = least(all_data, |i| i.bic);
        let one_se = Place { variant: best.variant, at: *like_best.end() };
        let chosen = match options.rule {
            Rule::Best => best,
            Rule::OneSe => one_se,
            Rule::Bic => bic.unwrap_or(one_se),
            Rule::Aic => aic.unwrap_or(one_se),
        };
        let baseline = |errors: &dyn Fn(&Curve) -> f64| first_smallest(curves.iter().map(errors));
        Choice {
            chosen,
            best,
            like_best,
            aic,
            bic,
            alone: baseline(&|c| mean(&c.errors[0])),
            pooled: baseline(&|c| mean(&c.pooled)),
        }
    }
}

fn best(variants: &[Variant<'_>], tolerance: f64, curves: &[Curve]) -> Place {
    let of_variant: Vec<(usize, f64)> = curves
        .iter()
        .map(|c| {
            let at = first_smallest(c.errors.iter().map(|e| mean(e)));
            (at, mean(&c.errors[at]))
        })
        .collect();
    let smallest = of_variant.iter().map(|b| b.1).fold(f64::INFINITY, f64::min);
    let close = |variant: &usize| of_variant[*variant].1 <= smallest + tolerance * smallest.abs();
    // Of equal ones the last is the largest: hence the order of the variants is turned around.
    let simplest = (0..curves.len()).rev().filter(close).max_by(|&a, &b| {
        let simplicity = |v: usize| (variants[v].spec.ridge, variants[v].delta());
        let (a, b) = (simplicity(a), simplicity(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let variant = simplest.unwrap_or_else(|| first_smallest(of_variant.iter().map(|b| b.1)));
    Place { variant, at: of_variant[variant].0 }
}

/// The setting with the smallest criterion.
fn least(all_data: &[Option<OnAllData>], of: impl Fn(Information) -> f64) -> Option<Place> {
    let mut found: Option<(f64, Place)> = None;
    for (variant, all) in all_data.iter().enumerate() {
        for (at, complexity) in all.iter().flat_map(|a| a.coupled.iter()).enumerate() {
            let Some(value) = complexity.information.map(&of) else { continue };
            if found.is_none_or(|(least, _)| value < least) {
                found = Some((value, Place { variant, at }));
            }
        }
    }
    found.map(|(_, place)| place)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;
    use crate::evaluate::tune::criteria::Complexity;
    use crate::evaluate::tune::ends::Ends;
    use crate::evaluate::{GraphOf, Measure};
    use crate::{Edges, LossKind};

    fn curve(errors: &[[f64; 4]]) -> Curve {
        let errors: Vec<Vec<f64>> = errors.iter().map(|e| e.to_vec()).collect();
        Curve {
            lambdas: (0..errors.len()).map(|k| k as f64).collect(),
            iterations: vec![1; errors.len()],
            ends: vec![Ends::default(); errors.len()],
            pooled: vec![1.0; 4],
            errors,
        }
    }

    fn options(rule: Rule) -> TuneOptions {
        let measure = Measure::usual(LossKind::Squared);
        TuneOptions { folds: 4, rule, ..TuneOptions::new(measure) }
    }

    #[test]
    fn of_equal_variants_the_simpler_one_is_taken() {
        let edges = Edges::default();
        let lines = ["penalty=l2", "penalty=l2 ridge=0.1", "penalty=l1", "penalty=l1 ridge=0.1"];
        let variants =
            lines.map(|line| Variant::new(&line.parse().unwrap(), GraphOf::Edges(&edges)));
        let same = || curve(&[[3.0; 4], [1.0; 4]]);
        let best = |curves: &[Curve]| best(&variants, 1e-4, curves);
        let curves = [same(), same(), same(), same()];
        assert_eq!(best(&curves), Place { variant: 1, at: 1 }, "more ridge, first penalty");
        let better = curve(&[[3.0; 4], [0.9; 4]]);
        assert_eq!(best(&[same(), same(), better, same()]), Place { variant: 2, at: 1 });
    }

    #[test]
    fn rules_differ() {
        let edges = Edges::default();
        let variants = [Variant::new(&"penalty=l2".parse().unwrap(), GraphOf::Edges(&edges))];
        let of = |rule: &str| {
            let options = options(rule.parse().unwrap());
            let curve = curve(&[[9.0; 4], [1.0, 5.0, 1.0, 5.0], [1.4, 4.8, 1.3, 4.9], [8.0; 4]]);
            let complexity = |squares: f64, clusters: usize| Complexity {
                clusters,
                freedom: clusters,
                information: Information::of_squares(squares, 100, clusters),
            };
            let fits = [(10.0, 50), (20.0, 20), (30.0, 10), (60.0, 2)];
            let all = OnAllData {
                coupled: fits.map(|(s, c)| complexity(s, c)).to_vec(),
                pooled: complexity(70.0, 1),
                ends: Ends::default(),
            };
            Choice::new((&variants, &options), &[curve], &[Some(all)]).chosen.at
        };
        // AIC is −130, −121, −100, −47; BIC is −0.2, −69, −74, −42.
        assert_eq!(["best", "one-se", "aic", "bic"].map(of), [1, 2, 0, 2]);
    }
}
