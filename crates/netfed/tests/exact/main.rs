//! The published bounds against exact arithmetic: no bound may be above the optimum, however
//! awkward the numbers.
//!
//! A published dual bound D is refuted by any point w with P(w) < D. Here P is evaluated exactly,
//! from the numbers of the case alone (`terms.rs`: exact dyadic sums and products, every rounding
//! upwards), so an alarm is never false. How much is seen depends on how good w is; it comes from a
//! barrier method in floats of 320 bits (`witness.rs`).
//!
//! The same is done with gaps, with what is said about λ_max, about clusters, and about learned
//! graphs.
//!
//! A failure names its seed, and its test. More by environment variables:
//!
//! - `EXACT_CASES=2000`: so many cases per test instead of a few;
//! - `EXACT_FIRST=100000`: seeds from here on;
//! - `EXACT_SEED=17`: this seed alone; with `-- --nocapture` every claim is shown;
//! - `EXACT_TABLE=1`: a table of the families, with how often there is no bound (`-- --nocapture`
//!   shows it).

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod attack;
mod case;
mod clusters;
mod data;
mod kernels;
mod lambda_max;
mod learned;
mod linear;
mod number;
mod path;
mod settings;
mod terms;
mod verdict;
mod witness;

use case::{Case, KINDS, PenaltyKind};
use netfed::LossKind;
use settings::seeds;
use verdict::{Verdict, check};

/// Checks a case for every seed.
fn all(few: u64, case: impl Fn(u64) -> Case) {
    let mut verdict = Verdict::default();
    for seed in seeds(few) {
        check(&case(seed), seed, &mut verdict);
    }
    verdict.finish();
}

fn of_loss(index: usize, few: u64) {
    let (name, kind) = KINDS[index];
    all(few, |seed| Case::random(name, kind, seed));
}

#[test]
fn squared_loss_with_an_offset() {
    all(200, |seed| {
        Case::of_offset([1.0, 1e2, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9][seed as usize % 8], seed)
    });
}

#[test]
fn squared_loss() {
    of_loss(0, 100);
}

#[test]
fn logistic_loss() {
    of_loss(1, 20);
}

#[test]
fn huber_loss() {
    of_loss(2, 40);
}

#[test]
fn absolute_loss() {
    of_loss(3, 15);
}

#[test]
fn hinge_loss() {
    of_loss(4, 24);
}

#[test]
fn mean_loss() {
    of_loss(5, 100);
}

/// No claim of a list may be refuted.
fn none_refuted(few: u64, refute: impl Fn(u64) -> Vec<String>) {
    let mut failures = Vec::new();
    for seed in seeds(few) {
        failures.extend(refute(seed).into_iter().map(|wrong| format!("seed {seed}: {wrong}")));
    }
    assert!(failures.is_empty(), "{} claims are false:\n{}", failures.len(), failures.join("\n"));
}

/// The same about cases of some losses.
fn none_refuted_of(few: u64, kinds: &[usize], refute: impl Fn(Case, u64) -> Vec<String>) {
    none_refuted(few, |seed| {
        let (name, kind) = KINDS[kinds[seed as usize % kinds.len()]];
        let case = Case::random(name, kind, seed);
        let family = case.family.clone();
        let refuted = refute(case, seed);
        refuted.into_iter().map(|wrong| format!("{family}: {wrong}")).collect()
    });
}

/// The claims about λ_max, for squares and norms.
#[test]
fn lambda_max_of_squares() {
    none_refuted_of(24, &[5, 0, 0, 0], |case, seed| {
        lambda_max::refute(&lambda_max::suited(case, seed)).into_iter().collect()
    });
}

#[test]
fn lambda_max_of_losses_with_kinks() {
    none_refuted_of(6, &[3, 4], |case, seed| {
        lambda_max::refute_with_kinks(&lambda_max::suited(case, seed)).into_iter().collect()
    });
}

/// Features that are equal up to their last digits.
#[test]
fn twin_columns() {
    let mut verdict = Verdict::default();
    for seed in seeds(24) {
        let (name, kind) = KINDS[[0, 2, 0][seed as usize % 3]];
        check(&Case::random(name, kind, seed).with_twins(seed), seed, &mut verdict);
    }
    verdict.finish();
}

/// Numbers up to 1e81 and down to 1e-81: products of rounding errors vanish.
#[test]
fn numbers_far_from_one() {
    let mut verdict = Verdict::default();
    for seed in seeds(12) {
        let (name, kind) = KINDS[seed as usize % KINDS.len()];
        check(&Case::random(name, kind, seed).far_from_one(seed), seed, &mut verdict);
    }
    verdict.finish();
}

#[test]
fn more_nodes_and_points() {
    let mut verdict = Verdict::default();
    for seed in seeds(6) {
        let (name, kind) = KINDS[seed as usize % KINDS.len()];
        check(&Case::of_size(name, kind, seed, 2), seed, &mut verdict);
    }
    verdict.finish();
}

/// Penalties ½vᵀQv that do not see some directions, or hardly.
#[test]
fn quadratic_penalties() {
    let mut verdict = Verdict::default();
    for seed in seeds(40) {
        let (name, kind) = KINDS[[0, 5, 2][seed as usize % 3]];
        check(&Case::random(name, kind, seed).with_flat_penalty(seed), seed, &mut verdict);
    }
    verdict.finish();
}

#[test]
fn certificates_along_paths() {
    let mut verdict = Verdict::default();
    for seed in seeds(12) {
        let (name, kind) = KINDS[seed as usize % KINDS.len()];
        path::check(&Case::random(name, kind, seed), seed, &mut verdict);
    }
    verdict.finish();
}

/// What is proven about clusters (`netfed explain`).
#[test]
fn guarantees_of_clusters() {
    none_refuted_of(12, &[0, 0, 5, 2, 1], |case, seed| {
        let mut case = lambda_max::suited(case, seed);
        if matches!(case.kind, LossKind::Logistic | LossKind::Huber { .. }) {
            // Without ridge nothing is claimed.
            case.ridge = case.ridge.max(1e-3);
        }
        clusters::refute(&case)
    });
}

/// The bound on how much the models of a component differ (`netfed explain`).
#[test]
fn variation_of_components() {
    none_refuted_of(30, &[0, 5, 2], |mut case, seed| {
        if seed % 2 == 0 || !matches!(case.penalty, PenaltyKind::Quadratic(_)) {
            case.penalty = PenaltyKind::Squared;
        }
        clusters::refute_variation(&case)
    });
}

#[test]
fn gaps_of_learned_graphs() {
    none_refuted(60, |seed| {
        let refuted = [learned::refute_log_degree(seed), learned::refute_precision(seed)];
        refuted.into_iter().flatten().collect()
    });
}

/// The judge itself: the terms are those of netfed, and a bound just above the value of a good
/// point is refuted.
#[test]
fn a_false_bound_is_seen() {
    let mut verdict = Verdict::default();
    for seed in 0..24 {
        let (name, kind) = KINDS[seed as usize % KINDS.len()];
        verdict::check_the_judge(&Case::random(name, kind, seed), seed, &mut verdict);
    }
    assert_eq!(verdict.refuted(), 24);
}
