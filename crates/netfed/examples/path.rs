//! All λ at once: from one model per node to one model for all, who merges when, and which λ to
//! take.
//!
//!     cargo run --release -p netfed --example path
//!
//! Thirty nodes of three groups. Printed: the number of groups along λ, the λ that the path itself
//! suggests (its number of groups lasts longest), and the λ that points held out suggest: the
//! largest that the folds cannot tell from the best.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::evaluate::{Measure, by_plateau, first_smallest, folds, like_best, mean};
use netfed::generate::{Noise, linear_data, normal_centers, stochastic_block_model};
use netfed::penalty::Norm2;
use netfed::{
    Dataset, Error, Event, Graph, LossKind, Matrix, Options, Problem, Table, first_lambda,
    follow_path, follow_path_with, lambda_max, log_grid,
};
use std::ops::ControlFlow;

const SIZES: [usize; 3] = [10, 10, 10];
const FOLDS: usize = 4;

fn problem(graph: &Graph, data: Vec<Dataset>) -> Result<Problem, Error> {
    let losses = data.into_iter().map(|own| LossKind::Squared.build(own, 0.0, 0.0));
    Problem::new(graph.clone(), losses.collect::<Result<Vec<_>, _>>()?, Box::new(Norm2), 1.0)
}

fn main() -> Result<(), Error> {
    let graph = stochastic_block_model(&SIZES, 0.6, 0.03, 2)?;
    let centers = normal_centers(SIZES.len(), 2, 1.0, 3)?;
    let group = |(c, size): (usize, &usize)| centers.row(c).repeat(*size);
    let truth = Matrix::from_rows(2, SIZES.iter().enumerate().flat_map(group).collect())?;
    let data = linear_data(&truth, 8, Noise::PerPoint(1.0), 4)?;
    let names = (1..=graph.nodes()).map(|i| i.to_string()).collect();
    let table = Table::from_datasets(names, vec!["x1".into(), "x2".into()], &data)?;

    let (whole, options) = (problem(&graph, data)?, Options::default());
    let end = lambda_max(&whole, &options)?;
    let first = first_lambda(&whole, end.upper, &options)?;
    let lambdas = log_grid(first, end.upper, 25);
    let points = follow_path(&whole, &lambdas, &options, end.merged)?;
    println!("λ_max is between {:.4} and {:.4} ({:?})", end.lower, end.upper, end.proof);
    let counts: Vec<usize> = points.iter().map(|p| p.clusters.count()).collect();
    println!("groups along λ: {counts:?}");
    if let Some((groups, at)) = by_plateau(&points) {
        println!("{groups} groups last longest: λ = {:.4}", points[at].lambda);
    }

    // The error on points that training has not seen.
    let (fold, measure) = (folds(&table, FOLDS, 5), Measure::usual(LossKind::Squared));
    let mut errors = vec![Vec::new(); lambdas.len()];
    for k in 0..FOLDS {
        let training = table.select(|row| fold[row] != k);
        let held_out = table.select(|row| fold[row] == k);
        let part = problem(&graph, training.datasets(false, None)?)?;
        let mut judge = |event: Event<'_>| {
            if let Event::Solved { run, solution, .. } = event {
                let models: Vec<&[f64]> =
                    (0..graph.nodes()).map(|i| solution.params.row(i)).collect();
                errors[run].push(measure.error(false, &models, &held_out));
            }
            ControlFlow::Continue(())
        };
        follow_path_with(&part, &lambdas, &options, None, &mut judge)?;
    }
    let best = first_smallest(errors.iter().map(|e| mean(e)));
    let largest = *like_best(&errors, best, FOLDS).end();
    println!(
        "{} on points held out: least at λ = {:.4} ({:.3}); as good up to λ = {:.4}, with {} groups",
        measure.name,
        lambdas[best],
        mean(&errors[best]),
        lambdas[largest],
        counts[largest]
    );
    Ok(())
}
