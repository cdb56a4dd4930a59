//! What tuning has found, with the questions that are asked of it.

use super::choice::{Choice, Place};
use super::criteria::{Complexity, OnAllData};
use super::cross_validation::Curve;
use super::ends::Ends;
use super::variant::Variant;
use crate::Spec;
use crate::evaluate::{Estimate, first_smallest};
use crate::fit::Warning;

/// All that was found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Tuned {
    /// Errors of every variant.
    pub curves: Vec<Curve>,
    /// Every variant on all data, where its penalty makes clusters.
    pub all_data: Vec<Option<OnAllData>>,
    /// What the rules say.
    pub choice: Choice,
    /// For every variant the connected parts of its graph: the fewest clusters there can be.
    pub parts: Vec<usize>,
    /// For every variant the number of edges of its graph.
    pub edges: Vec<usize>,
    /// For every variant what a user should know.
    pub warnings: Vec<Vec<Warning>>,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// How often the points were dealt to the folds.
    pub repeats: usize,
}

impl Tuned {
    /// The λ of a setting.
    pub fn lambda(&self, place: Place) -> f64 {
        self.curves[place.variant].lambdas[place.at]
    }

    /// The settings of a fit with the λ of a setting of these variants.
    pub fn spec(&self, variants: &[Variant<'_>], place: Place) -> Spec {
        variants[place.variant].spec.clone().with_lambda(self.lambda(place))
    }

    fn errors(&self, place: Place) -> &[f64] {
        &self.curves[place.variant].errors[place.at]
    }

    /// The error of a setting.
    pub fn error(&self, place: Place) -> Estimate {
        Estimate::new(self.errors(place), self.folds)
    }

    /// How much larger the error of a setting is than that of the best.
    pub fn worse_than_best(&self, place: Place) -> Estimate {
        Estimate::of_difference(self.errors(place), self.errors(self.choice.best), self.folds)
    }

    /// Errors of every node alone, in the variant where they do best.
    pub fn alone(&self) -> &[f64] {
        &self.curves[self.choice.alone].errors[0]
    }

    /// Errors of one model for all, in the variant where it does best.
    pub fn pooled(&self) -> &[f64] {
        &self.curves[self.choice.pooled].pooled
    }

    /// The error of a baseline.
    pub fn baseline(&self, errors: &[f64]) -> Estimate {
        Estimate::new(errors, self.folds)
    }

    /// How much larger the error of a baseline is than that of a setting.
    pub fn baseline_over(&self, errors: &[f64], place: Place) -> Estimate {
        Estimate::of_difference(errors, self.errors(place), self.folds)
    }

    /// A setting on all data.
    pub fn complexity(&self, place: Place) -> Option<Complexity> {
        self.all_data[place.variant].as_ref().map(|all| all.coupled[place.at])
    }

    /// For every λ of a variant the number of splits in which it has the smallest error of the
    /// variant.
    pub fn wins(&self, variant: usize) -> Vec<usize> {
        let curve = &self.curves[variant];
        let mut wins = vec![0; curve.lambdas.len()];
        for split in 0..self.splits() {
            wins[first_smallest(curve.errors.iter().map(|e| e[split]))] += 1;
        }
        wins
    }

    /// Repeats times folds.
    pub fn splits(&self) -> usize {
        self.repeats * self.folds
    }

    /// The setting of a variant with the smallest error.
    pub fn best_of(&self, variant: usize) -> Place {
        if variant == self.choice.best.variant {
            return self.choice.best;
        }
        let means = self.curves[variant].errors.iter().map(|e| e.iter().sum::<f64>());
        Place { variant, at: first_smallest(means) }
    }

    /// Whether every connected part of the graph has one model there.
    pub fn merged(&self, place: Place) -> bool {
        self.complexity(place).is_some_and(|c| c.clusters <= self.parts[place.variant])
    }

    /// The number of all runs, and how they ended.
    pub fn runs(&self) -> (usize, Ends) {
        let of_curve = |c: &Curve| self.splits() * c.lambdas.len();
        let on_all = |a: &OnAllData| (a.coupled.len(), a.ends);
        let all: Vec<(usize, Ends)> = self.all_data.iter().flatten().map(on_all).collect();
        (
            self.curves.iter().map(of_curve).sum::<usize>()
                + all.iter().map(|a| a.0).sum::<usize>(),
            self.curves.iter().flat_map(|c| &c.ends).copied().chain(all.iter().map(|a| a.1)).sum(),
        )
    }
}
