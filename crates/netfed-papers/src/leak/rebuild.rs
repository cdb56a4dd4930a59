//! From messages to data. With w = u = 0 at the start, a message 2w⁺ − w gives w⁺ of every round,
//! and a node whose edges all lead to the curious one has no dual that it does not know. So it has
//!
//!   v = w − τ Σ sign·u,   ∇L(w⁺) = (v − w⁺)/τ = 2(XᵀX/m · w⁺ − Xᵀy/m)
//!
//! in every round: d linear equations for the entries of the symmetric XᵀX/m and of Xᵀy/m, solved
//! by least squares.

use netfed::penalty::Norm2;
use netfed::{Dataset, Half, Link, LossKind, PrimalDualNode};
use netfed_cli::Failure;

use super::LAMBDA;
use super::listener::{Heard, Scene};

/// What a squared loss is made of.
pub(super) struct Model {
    /// XᵀX/m, row by row.
    pub(super) gram: Vec<f64>,
    /// Xᵀy/m.
    pub(super) target: Vec<f64>,
}

impl Model {
    /// The one of a dataset.
    pub(super) fn of(data: &Dataset) -> Model {
        let (d, m) = (data.dim(), data.points() as f64);
        let mut model = Model { gram: vec![0.0; d * d], target: vec![0.0; d] };
        for (x, y) in data.features().chunks_exact(d).zip(data.labels()) {
            for (i, xi) in x.iter().enumerate() {
                model.target[i] += xi * y / m;
                x.iter().enumerate().for_each(|(j, xj)| model.gram[i * d + j] += xi * xj / m);
            }
        }
        model
    }
}

/// A model, and the gradient of the loss there.
pub(super) type Pair = (Vec<f64>, Vec<f64>);

/// Model and gradient of the sender in every round, as the listener computes them.
fn gradients(scene: &Scene, heard: &Heard) -> Result<Vec<Pair>, Failure> {
    let graph = &scene.graph;
    let (d, links) = (scene.own().dim(), Link::of_node(graph, LAMBDA, 0));
    let (step, signs) = (1.0 / links.len() as f64, links.iter().map(|l| l.sign));
    let signs: Vec<f64> = signs.collect();
    // The listener keeps a copy of the sender's duals: of its own edge, the first, it knows all; it
    // takes the others for 0.
    let nothing = LossKind::Squared.build(Dataset::empty(d), 0.0, 0.0)?;
    let mut copy = PrimalDualNode::new(nothing.as_ref(), &Norm2, links, 1.0);
    let mut before = vec![0.0; d];
    let mut found = Vec::new();
    for (theirs, ours) in &heard.rounds {
        let now: Vec<f64> = theirs.iter().zip(&before).map(|(m, w)| 0.5 * (m + w)).collect();
        let mut at = before.clone();
        for (sign, u) in signs.iter().zip(copy.duals().chunks_exact(d)) {
            at.iter_mut().zip(u).for_each(|(v, u)| *v -= step * sign * u);
        }
        let gradient = at.iter().zip(&now).map(|(v, w)| (v - w) / step).collect();
        copy.absorb(0, theirs, ours);
        found.push((now.clone(), gradient));
        before = now;
    }
    Ok(found)
}

/// Model and gradient of the first round.
pub(super) fn first_gradient(scene: &Scene, heard: &Heard) -> Result<Pair, Failure> {
    let first = gradients(scene, heard)?.into_iter().next();
    first.ok_or_else(|| Failure::other("nothing was heard.".into()))
}

/// XᵀX/m and Xᵀy/m from this many rounds.
pub(super) fn model(scene: &Scene, heard: &Heard, rounds: u64) -> Result<Model, Failure> {
    let d = scene.own().dim();
    let unknowns = d * (d + 1) / 2 + d;
    let place = |i: usize, j: usize| {
        let (low, high) = (i.min(j), i.max(j));
        low * d - low * (low + 1) / 2 + high
    };
    let (mut equations, mut right) = (Vec::new(), Vec::new());
    for (w, gradient) in gradients(scene, heard)?.iter().take(rounds as usize) {
        for (i, g) in gradient.iter().enumerate() {
            let mut row = vec![0.0; unknowns];
            w.iter().enumerate().for_each(|(j, w)| row[place(i, j)] += 2.0 * w);
            row[unknowns - d + i] = -2.0;
            equations.extend(row);
            right.push(*g);
        }
    }
    let equations = Dataset::new(unknowns, equations, right)?;
    let mut solution = vec![0.0; unknowns];
    let slope = vec![0.0; unknowns];
    // The least-norm minimizer of Σ (right − row·θ)².
    LossKind::Squared.build(equations, 0.0, 0.0)?.maximizer(&slope, &mut solution);
    let gram = (0..d * d).map(|k| solution[place(k / d, k % d)]).collect();
    Ok(Model { gram, target: solution[unknowns - d..].to_vec() })
}

/// (x, y) of a node with one point, up to a common sign: XᵀX is xxᵀ, and Xᵀy is yx.
pub(super) fn record(model: &Model) -> Vec<f64> {
    let d = model.target.len();
    let square: f64 = (0..d).map(|i| model.gram[i * d + i]).sum();
    let longest = (0..d).max_by(|&i, &j| model.gram[i * d + i].total_cmp(&model.gram[j * d + j]));
    let row = &model.gram[longest.unwrap_or(0) * d..][..d];
    let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut found: Vec<f64> = row.iter().map(|v| v * square.sqrt() / length).collect();
    let y = found.iter().zip(&model.target).map(|(x, t)| x * t).sum::<f64>() / square;
    found.push(y);
    found
}
