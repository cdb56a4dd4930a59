//! All that `netfed tune` has found, with the questions that table, page and files ask of it.

use netfed::evaluate::{Estimate, first_smallest};

use super::choice::{Choice, Place};
use super::criteria::{Complexity, OnAllData};
use super::cross_validation::Curve;
use super::ends::Ends;
use super::plan::Plan;
use super::variant::Variant;

/// All that was found.
pub(crate) struct Outcome {
    pub(crate) plan: Plan,
    pub(crate) curves: Vec<Curve>,
    pub(crate) all_data: Vec<Option<OnAllData>>,
    pub(crate) choice: Choice,
    /// For every variant the connected parts of its graph: the fewest clusters there can be.
    pub(crate) parts: Vec<usize>,
    /// Warnings about the data.
    pub(crate) data_warnings: Vec<String>,
    /// Data points, nodes, edges, parameters of a model.
    pub(crate) sizes: [usize; 4],
    pub(crate) seconds: f64,
}

impl Outcome {
    pub(crate) fn variant(&self, place: Place) -> &Variant {
        &self.plan.variants[place.variant]
    }

    pub(crate) fn lambda(&self, place: Place) -> f64 {
        self.curves[place.variant].lambdas[place.at]
    }

    fn errors(&self, place: Place) -> &[f64] {
        &self.curves[place.variant].errors[place.at]
    }

    /// The error of a setting.
    pub(crate) fn error(&self, place: Place) -> Estimate {
        Estimate::new(self.errors(place), self.plan.folds)
    }

    /// How much larger the error of a setting is than that of the best.
    pub(crate) fn worse_than_best(&self, place: Place) -> Estimate {
        Estimate::of_difference(self.errors(place), self.errors(self.choice.best), self.plan.folds)
    }

    /// Errors of every node alone, in the variant where they do best.
    pub(crate) fn alone(&self) -> &[f64] {
        &self.curves[self.choice.alone].errors[0]
    }

    /// Errors of one model for all, in the variant where it does best.
    pub(crate) fn pooled(&self) -> &[f64] {
        &self.curves[self.choice.pooled].pooled
    }

    /// The error of a baseline.
    pub(crate) fn baseline(&self, errors: &[f64]) -> Estimate {
        Estimate::new(errors, self.plan.folds)
    }

    /// How much larger the error of a baseline is than that of a setting.
    pub(crate) fn baseline_over(&self, errors: &[f64], place: Place) -> Estimate {
        Estimate::of_difference(errors, self.errors(place), self.plan.folds)
    }

    /// A setting on all data.
    pub(crate) fn complexity(&self, place: Place) -> Option<Complexity> {
        self.all_data[place.variant].as_ref().map(|all| all.coupled[place.at])
    }

    /// For every λ of a variant the number of splits in which it has the smallest error of the variant.
    pub(crate) fn wins(&self, variant: usize) -> Vec<usize> {
        let curve = &self.curves[variant];
        let mut wins = vec![0; curve.lambdas.len()];
        for split in 0..self.splits() {
            wins[first_smallest(curve.errors.iter().map(|e| e[split]))] += 1;
        }
        wins
    }

    /// Repeats times folds.
    pub(crate) fn splits(&self) -> usize {
        self.plan.repeats * self.plan.folds
    }

    /// The setting of a variant with the smallest error.
    pub(crate) fn best_of(&self, variant: usize) -> Place {
        if variant == self.choice.best.variant {
            return self.choice.best;
        }
        let means = self.curves[variant].errors.iter().map(|e| e.iter().sum::<f64>());
        Place { variant, at: first_smallest(means) }
    }

    /// Whether every connected part of the graph has one model there.
    pub(crate) fn merged(&self, place: Place) -> bool {
        self.complexity(place).is_some_and(|c| c.clusters <= self.parts[place.variant])
    }

    /// All runs, and how they ended.
    pub(crate) fn runs(&self) -> (usize, Ends) {
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
