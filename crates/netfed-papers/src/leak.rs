//! What the messages of a peer tell: a curious neighbor keeps to the protocol, keeps what it hears,
//! and computes.
//!
//! Algorithm 1 with the squared loss L(w) = (1/m) Σ (y − wᵀx)², penalty l2, λ = .05, edges of
//! weight 1. The peers are real ones, in threads, over the transport of the tests. Node a has the
//! data; b, and where it has two neighbors c, have data of their own. The curious one is b.
//! `rebuild` says how it computes.

mod listener;
mod rebuild;

use netfed::generate::{Noise, linear_data};
use netfed::{Dataset, LossKind, Matrix};
use netfed_cli::Failure;

use crate::Request;
use crate::outcome::{Outcome, Value};
use crate::runs::seed;
use listener::{Heard, Scene};
use rebuild::Model;

const LAMBDA: f64 = 0.05;
/// Rounds of a run; the curious neighbor has as many as its row says.
const ROUNDS: u64 = 20;
/// A record that is shown: age, dose, marker and the outcome.
const RECORD: ([f64; 3], f64) = ([63.0, 1.82, 7.4], 142.0);

/// One row of the table: who sends, what is rebuilt, and from how many rounds.
struct Case {
    points: usize,
    dim: usize,
    neighbors: usize,
    rounds: u64,
    what: &'static str,
    error: fn(&Scene, &Heard, u64) -> Result<f64, Failure>,
}

const CASES: [Case; 10] = [
    Case { points: 40, dim: 3, neighbors: 1, rounds: 3, what: GRAM, error: gram },
    Case { points: 40, dim: 3, neighbors: 1, rounds: 4, what: GRAM, error: gram },
    Case { points: 40, dim: 3, neighbors: 1, rounds: 20, what: GRAM, error: gram },
    Case { points: 40, dim: 6, neighbors: 1, rounds: 20, what: GRAM, error: gram },
    Case { points: 4, dim: 6, neighbors: 1, rounds: 20, what: GRAM, error: gram },
    Case { points: 1, dim: 3, neighbors: 1, rounds: 20, what: POINT, error: record },
    Case { points: 40, dim: 3, neighbors: 2, rounds: 1, what: GRADIENT, error: gradient },
    Case { points: 1, dim: 3, neighbors: 2, rounds: 1, what: LINE, error: line },
    Case { points: 40, dim: 3, neighbors: 2, rounds: 20, what: GRAM, error: gram },
    Case { points: 40, dim: 3, neighbors: 1, rounds: 20, what: SQUARES, error: mean_square },
];
const GRAM: &str = "XᵀX/m and Xᵀy/m";
const POINT: &str = "the point (x, y), up to a common sign";
const GRADIENT: &str = "the gradient of L at the first model";
const LINE: &str = "the line on which x lies";
const SQUARES: &str = "mean y², from its share of the certificate";

/// The experiment.
pub(crate) fn leak(request: &Request) -> Result<Outcome, Failure> {
    let draws = if request.full { 100 } else { 20 };
    let mut rows = Vec::new();
    for case in &CASES {
        let mut errors = Vec::new();
        for draw in 0..draws {
            let scene = Scene::new(data(case, seed(request.seed, 90, draw))?)?;
            let heard = scene.listen()?;
            errors.push((case.error)(&scene, &heard, case.rounds)?);
        }
        errors.sort_by(f64::total_cmp);
        rows.push(vec![
            Value::text(case.what),
            Value::of(&[case.points as f64]),
            Value::of(&[case.dim as f64]),
            Value::of(&[case.neighbors as f64]),
            Value::of(&[case.rounds as f64]),
            Value::of(&[errors[errors.len() / 2]]),
            Value::of(&[errors[errors.len() - 1]]),
        ]);
    }
    Ok(Outcome {
        title: "What a curious neighbor rebuilds from the messages of a peer".into(),
        columns: vec!["rebuilt", "m", "d", "neighbors", "rounds", "median error", "largest error"],
        rows,
        notes: vec![
            format!("Relative errors over {draws} draws; squared loss, penalty l2, λ = {LAMBDA}. The neighbor keeps to the protocol and has data of its own."),
            "A neighbor that is the only one knows the duals of all edges of the node, so every round gives it d linear equations for the (d² + 3d)/2 numbers in XᵀX/m and Xᵀy/m: after (d + 3)/2 rounds there are as many equations as numbers, but some of them repeat others, as XᵀX is symmetric, and d + 1 rounds are needed. After 3 rounds with d = 3 it has nothing yet, after 4 it has all digits.".into(),
            "With a second neighbor, whose messages it does not see, what it computes in this way is off by the unknown dual; the first round has no dual yet, and its gradient is exact.".into(),
            shown()?,
            "The share of the certificate of a leaf of the tree of sums holds L(0), which is its mean y². It travels only where the federation asks for a certificate.".into(),
        ],
        charts: Vec::new(),
        files: Vec::new(),
    })
}

/// Data of the sender and of its neighbors, around different models.
fn data(case: &Case, seed: u64) -> Result<Vec<Dataset>, Failure> {
    let nodes = 1 + case.neighbors;
    let mut truth = Matrix::zeros(nodes, case.dim);
    for i in 0..nodes {
        let row = truth.row_mut(i).iter_mut().enumerate();
        row.for_each(|(k, w)| *w = if (k + i).is_multiple_of(2) { 2.0 } else { -1.0 });
    }
    let mut data = linear_data(&truth, case.points, Noise::PerPoint(0.3), seed)?;
    // The neighbors have enough data of their own.
    let others = linear_data(&truth, 40, Noise::PerPoint(0.3), seed.wrapping_add(1))?;
    data.splice(1.., others.into_iter().skip(1));
    Ok(data)
}

/// The sentence with a record and what is rebuilt of it.
fn shown() -> Result<String, Failure> {
    let (x, y) = RECORD;
    let neighbor =
        Dataset::new(3, vec![1.0, 0.0, 0.5, 0.0, 1.0, -0.5, 0.3, 0.2, 1.0], vec![1.0, 2.0, 3.0])?;
    let scene = Scene::new(vec![Dataset::new(3, x.to_vec(), vec![y])?, neighbor])?;
    let found = rebuild::record(&rebuild::model(&scene, &scene.listen()?, ROUNDS)?);
    let list =
        |values: &[f64]| values.iter().map(|v| format!("{v:.9}")).collect::<Vec<_>>().join(", ");
    // A positive age gives the sign.
    let signed: Vec<f64> = found.iter().map(|v| v * found[0].signum()).collect();
    Ok(format!(
        "One record, x = ({}, {}, {}), y = {y}: after {ROUNDS} rounds the neighbor has x = ({}), y = {}.",
        x[0],
        x[1],
        x[2],
        list(&signed[..3]),
        list(&signed[3..])
    ))
}

/// ‖found − true‖ / ‖true‖.
fn relative(found: &[f64], truth: &[f64]) -> f64 {
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
    norm(&mut found.iter().zip(truth).map(|(a, b)| a - b)) / norm(&mut truth.iter().copied())
}

fn gram(scene: &Scene, heard: &Heard, rounds: u64) -> Result<f64, Failure> {
    let found = rebuild::model(scene, heard, rounds)?;
    let truth = Model::of(scene.own());
    Ok(relative(&found.gram, &truth.gram).max(relative(&found.target, &truth.target)))
}

fn record(scene: &Scene, heard: &Heard, rounds: u64) -> Result<f64, Failure> {
    let found = rebuild::record(&rebuild::model(scene, heard, rounds)?);
    let own = scene.own();
    let truth = [own.features(), own.labels()].concat();
    let other: Vec<f64> = found.iter().map(|v| -v).collect();
    Ok(relative(&found, &truth).min(relative(&other, &truth)))
}

/// Of the first round: the gradient that was heard, and the true one at the same model.
fn first(scene: &Scene, heard: &Heard) -> Result<(Vec<f64>, Vec<f64>), Failure> {
    let (model, found) = rebuild::first_gradient(scene, heard)?;
    let mut truth = vec![0.0; model.len()];
    LossKind::Squared.build(scene.own().clone(), 0.0, 0.0)?.gradient(&model, &mut truth);
    Ok((found, truth))
}

fn gradient(scene: &Scene, heard: &Heard, _: u64) -> Result<f64, Failure> {
    first(scene, heard).map(|(found, truth)| relative(&found, &truth))
}

/// The sine of the angle between the gradient of one point and its features.
fn line(scene: &Scene, heard: &Heard, _: u64) -> Result<f64, Failure> {
    let (found, _) = first(scene, heard)?;
    let x = scene.own().features();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(p, q)| p * q).sum::<f64>();
    let along = dot(&found, x) / dot(x, x);
    let nearest: Vec<f64> = x.iter().map(|v| along * v).collect();
    Ok(relative(&nearest, &found))
}

fn mean_square(scene: &Scene, heard: &Heard, _: u64) -> Result<f64, Failure> {
    let labels = scene.own().labels();
    let truth = labels.iter().map(|y| y * y).sum::<f64>() / labels.len() as f64;
    Ok(relative(&[heard.at_zero], &[truth]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the documentation says, checked against real peers.
    #[test]
    fn a_single_neighbor_rebuilds_and_a_second_one_hides() {
        let worst = |case: &Case| {
            let scene = Scene::new(data(case, 5).unwrap()).unwrap();
            (case.error)(&scene, &scene.listen().unwrap(), case.rounds).unwrap()
        };
        for case in &CASES {
            let error = worst(case);
            let few = case.rounds <= case.dim as u64;
            let hidden = case.what == GRAM && (few || case.neighbors > 1);
            if hidden {
                assert!(error > 0.01, "{} rounds: {error}", case.rounds)
            } else {
                assert!(error < 1e-6, "{}, {} rounds: {error}", case.what, case.rounds)
            }
        }
        assert!(shown().unwrap().contains("x = (63.0000000"), "{}", shown().unwrap());
    }
}
