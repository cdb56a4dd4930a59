//! The loop: rounds until nothing moves any more, and the models judged on points held out.
//!
//! Alone means: as many fits as with neighbors, rounds + 1, to the own points. For models that
//! start afresh with every fit one is enough; others, such as perceptrons, go on from where they
//! are, and would else be compared with models that were trained much longer.

use super::network::{FedRelax, RelaxRound};
use super::node::RelaxNode;
use super::options::RelaxOptions;
use super::settings::Examples;
use super::settling::NOTHING;
use super::setup::RelaxSetup;
use crate::model::{LocalModel, ModelKind, Task, go_on, likeliest};
use crate::numeric::threads::*;
use crate::outcome::{Event, Observer};
use crate::{Error, Matrix};

/// Points of a node that judge, and the sum of their errors: squared ones, or wrong classes.
pub(super) type Errors = (usize, f64);

/// What is trained: the halves' common part, the kind of model of every node, and its points.
pub(super) struct Training<'a> {
    pub(super) setup: RelaxSetup<'a>,
    pub(super) kinds: &'a [ModelKind],
    /// The points to train on.
    pub(super) own: Vec<Examples>,
    /// The points that judge.
    pub(super) held: Vec<Examples>,
}

/// The end of a training.
pub(super) struct Trained {
    pub(super) models: Vec<Box<dyn LocalModel>>,
    pub(super) rounds: Vec<RelaxRound>,
    /// Errors on the points held out, per round and node.
    pub(super) errors: Vec<Vec<Errors>>,
    /// The same for models that were trained alone; empty where no points are held out.
    pub(super) alone: Vec<Errors>,
    /// The least part of a change of predictions that a node followed: 1 unless rounds swung.
    pub(super) damping: f64,
    pub(super) stopped: bool,
}

impl Training<'_> {
    /// Trains; [`Error::Stopped`] if it is stopped before every node had a model.
    pub(super) fn run(
        self,
        options: &RelaxOptions,
        observer: &mut dyn Observer,
    ) -> Result<Trained, Error> {
        let judges = self.held.iter().any(|h| h.points.rows() > 0);
        let nodes = self.own.iter().enumerate();
        let nodes = nodes.map(|(i, own)| self.half(i, own.clone(), self.setup.alpha, options));
        let mut network = FedRelax::new(self.setup.graph, nodes.collect::<Result<_, _>>()?)?;
        let goes_on = network.nodes().iter().any(|n| n.model().warm());
        let (mut rounds, mut errors, mut stopped) = (Vec::new(), Vec::new(), false);
        for k in 0..=options.rounds {
            let round = match network.round() {
                Err(Error::AtNode { reason, .. }) if *reason == Error::Stopped => {
                    stopped = true;
                    break;
                }
                round => round?,
            };
            rounds.push(round);
            errors.push(self.judge(network.nodes()));
            let event = Event::round(round.round).measured(round.variation);
            stopped = observer.observe(event).is_break();
            let alone = self.setup.alpha == 0.0 && !goes_on;
            if stopped || alone || k > 0 && round.change <= NOTHING {
                break;
            }
        }
        let Some(first) = errors.first() else { return Err(Error::Stopped) };
        let alone = |i: usize| {
            if network.nodes()[i].model().warm() {
                self.alone(i, rounds.len(), options)
            } else {
                Ok(first[i])
            }
        };
        let judged = if judges { self.own.len() } else { 0 };
        let alone: Vec<_> = (0..judged).into_par_iter().map(alone).collect();
        let alone = alone.into_iter().collect::<Result<_, _>>()?;
        stopped |= go_on(options.stop).is_err();
        let damping = network.nodes().iter().map(RelaxNode::damping).fold(1.0, f64::min);
        let models = network.into_nodes().into_iter().map(RelaxNode::into_model).collect();
        Ok(Trained { models, rounds, errors, alone, damping, stopped })
    }

    /// The half of a node.
    fn half(
        &self,
        i: usize,
        own: Examples,
        alpha: f64,
        options: &RelaxOptions,
    ) -> Result<RelaxNode, Error> {
        let mut half = RelaxSetup { alpha, ..self.setup }.node(i, &self.kinds[i], own)?;
        if let Some(stop) = options.stop {
            half.watch(stop);
        }
        Ok(half)
    }

    /// The errors of a node whose model goes on from fit to fit, after so many fits to the own
    /// points.
    fn alone(&self, i: usize, fits: usize, options: &RelaxOptions) -> Result<Errors, Error> {
        let mut node = self.half(i, self.own[i].clone(), 0.0, options)?;
        for _ in 0..fits {
            let before = node.message().to_vec();
            match node.compute() {
                Err(Error::Stopped) => break,
                Err(reason) => return Err(Error::AtNode { node: i, reason: Box::new(reason) }),
                Ok(()) if node.message() == before => break,
                Ok(()) => {}
            }
        }
        Ok(errors(&node, &self.held[i], self.setup.task))
    }

    /// The errors of all nodes.
    fn judge(&self, nodes: &[RelaxNode]) -> Vec<Errors> {
        let pairs = nodes.iter().zip(&self.held);
        pairs.map(|(node, held)| errors(node, held, self.setup.task)).collect()
    }
}

fn errors(node: &RelaxNode, held: &Examples, task: Task) -> Errors {
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
