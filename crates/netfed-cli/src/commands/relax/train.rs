//! Running the rounds, and judging the models on points that were held back.
//!
//! Alone means: as many fits as with neighbors, rounds + 1, to the own points. For models that start afresh with every fit one is enough; others, such as
//! perceptrons, go on from where they are, and would else be compared with models that were trained much longer.

use netfed::model::{LocalModel, Task};
use netfed::relax::{Examples, FedRelax, RelaxNode, RelaxRound};
use netfed::{Error, Matrix, Table};
use rayon::prelude::*;

use super::input::Input;
use super::settling::NOTHING;
use crate::evaluation::folds::folds;
use crate::failure::Failure;
use crate::prediction::likeliest;
use crate::progress::{Steps, interrupted, stop_flag};
use crate::relaxing::node;

/// The end of a training.
pub(super) struct Trained {
    pub(super) models: Vec<Box<dyn LocalModel>>,
    pub(super) rounds: Vec<RelaxRound>,
    /// Errors on the points held back: per round, per node the number of points and the sum of their errors.
    pub(super) errors: Vec<Vec<(usize, f64)>>,
    /// The same for models that were trained alone; empty where no points are held back.
    pub(super) alone: Vec<(usize, f64)>,
    /// The least part of a change of predictions that a node followed: 1 unless rounds swung.
    pub(super) damping: f64,
    pub(super) stopped: bool,
}

/// Which points are held back: about one of `count` of every node, none for 0, and never the only point of a node, which could not be trained
/// alone without it.
pub(super) fn held_back(points: &Table, count: usize, seed: u64) -> Vec<bool> {
    if count == 0 {
        return vec![false; points.rows()];
    }
    let of_node = points.points_per_node();
    let fold = folds(points, count, seed);
    let rows = fold.iter().zip(points.node_of_row());
    rows.map(|(fold, &i)| *fold == 0 && of_node[i as usize] > 1).collect()
}

/// Trains on the points of the input that `keep` chooses; the others judge.
pub(super) fn train(
    input: &Input,
    rounds: u64,
    seed: u64,
    keep: impl Fn(usize) -> bool,
    steps: &Steps,
) -> Result<Trained, Failure> {
    let (own, held) = (input.points.select(&keep), input.points.select(|r| !keep(r)));
    let own = by_node(input, &own)?;
    let held = by_node(input, &held)?;
    let judges = held.iter().any(|h| h.points.rows() > 0);
    let again = if judges { own.clone() } else { Vec::new() };
    let half = |(i, own): (usize, Examples), alpha: f64| {
        let model = (&input.kinds[i], input.task);
        let mut half = node(&input.graph, i, own, &input.public, model, (alpha, seed))?;
        half.watch(stop_flag());
        Ok::<_, Failure>(half)
    };
    let nodes = own.into_iter().enumerate().map(|own| half(own, input.alpha));
    let mut network = FedRelax::new(&input.graph, nodes.collect::<Result<_, _>>()?)?;
    let goes_on = network.nodes().iter().any(|n| n.model().warm());
    let (mut done, mut errors, mut stopped) = (Vec::new(), Vec::new(), false);
    for k in 0..=rounds {
        let round = match network.round() {
            Err(Error::AtNode { reason, .. }) if *reason == Error::Stopped => {
                stopped = true;
                break;
            }
            round => round.map_err(|error| named(input, error))?,
        };
        done.push(round);
        errors.push(judge(network.nodes(), &held, input.task));
        steps.step(&format!("round {k}, variation {:.3e}", round.variation));
        stopped = interrupted();
        if stopped || input.alpha == 0.0 && !goes_on || k > 0 && round.change <= NOTHING {
            steps.skip((rounds - k) as usize);
            break;
        }
    }
    if done.is_empty() {
        return Err(Failure::other(
            "interrupted before every node had a model; nothing was written.".into(),
        ));
    }
    let of_node = |(i, own): (usize, Examples)| -> Result<(usize, f64), Failure> {
        if !network.nodes()[i].model().warm() {
            return Ok(errors[0][i]);
        }
        let mut node = half((i, own), 0.0)?;
        for _ in 0..done.len() {
            let before = node.message().to_vec();
            let at = |reason| Error::AtNode { node: i, reason: Box::new(reason) };
            match node.compute() {
                Err(Error::Stopped) => break,
                done => done.map_err(|e| named(input, at(e)))?,
            }
            if node.message() == before {
                break;
            }
        }
        Ok(judge_node(&node, &held[i], input.task))
    };
    let alone: Vec<_> = again.into_par_iter().enumerate().map(of_node).collect();
    let alone = alone.into_iter().collect::<Result<_, _>>()?;
    stopped |= interrupted();
    let damping = network.nodes().iter().map(RelaxNode::damping).fold(1.0, f64::min);
    let models = network.into_nodes().into_iter().map(RelaxNode::into_model).collect();
    Ok(Trained { models, rounds: done, errors, alone, damping, stopped })
}

/// An error with the name of its node.
fn named(input: &Input, error: Error) -> Failure {
    match error {
        Error::AtNode { node, reason } => {
            Failure::at(&format!("node \"{}\"", input.points.nodes()[node]), reason)
        }
        other => other.into(),
    }
}

/// The points of every node with their targets.
fn by_node(input: &Input, table: &Table) -> Result<Vec<Examples>, Failure> {
    let (d, outputs) = (table.features().len(), input.task.outputs());
    let (mut x, mut t) =
        (vec![Vec::new(); table.nodes().len()], vec![Vec::new(); table.nodes().len()]);
    let labels = table.y().unwrap_or(&[]);
    for ((row, &node), &y) in table.x().chunks_exact(d).zip(table.node_of_row()).zip(labels) {
        x[node as usize].extend_from_slice(row);
        match input.task {
            Task::Regression => t[node as usize].push(y),
            Task::Classification(_) => {
                t[node as usize].extend(input.classes.iter().map(|c| f64::from(u8::from(*c == y))));
            }
        }
    }
    let pairs = x.into_iter().zip(t);
    pairs
        .map(|(x, t)| {
            Ok(Examples {
                points: Matrix::from_rows(d, x)?,
                targets: Matrix::from_rows(outputs, t)?,
            })
        })
        .collect()
}

/// Squared errors, or wrong classes, of every node's points.
fn judge(nodes: &[RelaxNode], held: &[Examples], task: Task) -> Vec<(usize, f64)> {
    nodes.iter().zip(held).map(|(node, held)| judge_node(node, held, task)).collect()
}

fn judge_node(node: &RelaxNode, held: &Examples, task: Task) -> (usize, f64) {
    let mut out = Matrix::zeros(held.points.rows(), task.outputs());
    node.model().predict(&held.points, &mut out);
    let error = |r: usize| match task {
        Task::Regression => (out.row(r)[0] - held.targets.row(r)[0]).powi(2),
        Task::Classification(_) => {
            f64::from(u8::from(likeliest(out.row(r)) != likeliest(held.targets.row(r))))
        }
    };
    (out.rows(), (0..out.rows()).map(error).sum())
}
