//! Neural networks in Algorithm 1: wᵢ are the parameters of a network, all networks alike, and Lᵢ
//! is its mean loss on the points of node i.
//!
//!   vᵢ = wᵢ − τᵢ Σ_slots sign·uₑ,   w⁺ᵢ ≈ argmin over z of Lᵢ(z) + ‖z − vᵢ‖²/(2τᵢ),   τᵢ = γ/degreeᵢ
//!   u⁺ₑ = prox_{σ(cₑφ)*}(uₑ + σ(2w⁺ − w)_tail − σ(2w⁺ − w)_head),                      σ = 1/(2γ)
//!
//! The minimum is approached by gradient descent from wᵢ, until the gradient is at most accuracy/k²
//! in iteration k or so many gradients have been evaluated; steps have the length of Barzilai and
//! Borwein, halved until the value falls. Lᵢ is not convex: nothing is proven about the answer, and
//! there is no certificate. All nodes start from the same parameters, so that their hidden units
//! correspond. A node without edges goes down its own loss.

mod descent;

use crate::error::{nonnegative, positive};
use crate::outcome::{Event, Observer, Unobserved};

use super::training::{Training, train};
use super::{Network, Pass};
use crate::methods::edge_step;
use crate::model::{Points, Task, input};
use crate::numeric::linalg::axpy;
use crate::numeric::threads::*;
use crate::penalty::Penalty;
use crate::{Error, Graph, Matrix};
use descent::Node;

/// The mean loss of a network on the points of one node, as a function of its parameters.
pub struct NeuralLoss {
    network: Network,
    points: Vec<f64>,
    targets: Vec<f64>,
    weights: Vec<f64>,
}

/// How networks are coupled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeuralOptions {
    /// The factor λ of the penalty.
    pub lambda: f64,
    /// Number of iterations.
    pub iterations: u64,
    /// The step ratio γ.
    pub step_ratio: f64,
    /// In iteration k a prox is solved until its gradient is at most accuracy/k².
    pub accuracy: f64,
    /// Most gradients that are evaluated for one prox.
    pub gradients: usize,
}

/// Coupled networks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CoupledNetworks {
    /// The parameters, one row per node.
    pub params: Matrix,
    /// Number of prox that were solved as accurately as wanted, one per node and iteration.
    pub accurate: usize,
    /// Gradients evaluated by all nodes.
    pub gradients: usize,
}

impl NeuralLoss {
    /// The loss on points with targets, one row each; all points count alike.
    pub fn new(
        network: &Network,
        task: Task,
        points: &Matrix,
        targets: &Matrix,
    ) -> Result<NeuralLoss, Error> {
        let (count, dim) = (points.rows(), network.inputs());
        if count > 0 {
            input::check(task, dim, &Points::new(points.clone()), targets, &vec![1.0; count])?;
        }
        let expected = network.outputs();
        if expected != task.outputs() {
            return Err(Error::Size {
                what: "outputs of a network",
                expected,
                found: task.outputs(),
            });
        }
        Ok(NeuralLoss {
            network: network.clone(),
            points: points.as_slice().to_vec(),
            targets: targets.as_slice().to_vec(),
            weights: vec![1.0 / count.max(1) as f64; count],
        })
    }

    /// L(w), and its gradient; 0 without points.
    fn gradient(&self, params: &[f64], pass: &mut Pass, out: &mut [f64]) -> f64 {
        if self.weights.is_empty() {
            out.fill(0.0);
            return 0.0;
        }
        self.network.gradient(params, &self.points, &self.targets, &self.weights, pass, out)
    }

    /// Trains parameters on mini-batches of these points alone.
    pub fn train(&self, training: &Training, seed: u64, params: &mut [f64]) {
        let ones = vec![1.0; self.weights.len()];
        let points = (&*self.points, &*self.targets, &*ones);
        // Nobody stops it.
        let _ = train(&self.network, training, (seed, 0), points, params, None);
    }
}

/// Couples the networks of all nodes by Algorithm 1 from the same start.
pub fn couple_networks(
    graph: &Graph,
    losses: &[NeuralLoss],
    penalty: &dyn Penalty,
    options: &NeuralOptions,
    start: &[f64],
) -> Result<CoupledNetworks, Error> {
    couple_networks_with(graph, losses, penalty, options, start, &mut Unobserved)
}

/// [`couple_networks()`] with an observer, who is told of every iteration, the objective Σ Lᵢ(wᵢ) +
/// λ Σ Aₑ φ(wᵢ − wⱼ) and the parameters, and may end the run.
pub fn couple_networks_with(
    graph: &Graph,
    losses: &[NeuralLoss],
    penalty: &dyn Penalty,
    options: &NeuralOptions,
    start: &[f64],
    observer: &mut dyn Observer,
) -> Result<CoupledNetworks, Error> {
    check(graph, losses, options, start)?;
    let (dim, dual_step) = (start.len(), 0.5 / options.step_ratio);
    let mut nodes: Vec<Node> = losses.iter().map(|_| Node::new(start)).collect();
    let mut duals = Matrix::zeros(graph.edges().len(), dim);
    let mut messages = Matrix::zeros(graph.nodes(), dim);
    let mut params = Matrix::from_rows(dim, start.repeat(graph.nodes()))?;
    let (mut accurate, mut gradients) = (0, 0);
    for iteration in 1..=options.iterations {
        let enough = options.accuracy / (iteration as f64 * iteration as f64);
        let said = messages.as_mut_slice().par_chunks_mut(dim);
        let work = nodes.par_iter_mut().zip(said).enumerate().map(|(i, (node, message))| {
            let kappa = graph.degree(i) as f64 / options.step_ratio;
            node.at.copy_from_slice(&node.params);
            message.copy_from_slice(&node.params);
            for inc in graph.incident(i) {
                axpy(-inc.sign() / kappa, duals.row(inc.edge()), &mut node.at);
            }
            let done = node.descend(&losses[i], kappa, enough, options.gradients);
            message.iter_mut().zip(&node.params).for_each(|(m, w)| *m = 2.0 * w - *m);
            done
        });
        let work: Vec<(usize, bool)> = work.collect();
        let steps = duals.as_mut_slice().par_chunks_mut(dim).zip(graph.edges());
        steps.for_each(|(dual, e)| {
            let (tail, head) = (messages.row(e.tail), messages.row(e.head));
            edge_step(penalty, options.lambda * e.weight, dual_step, tail, head, dual);
        });
        for (i, node) in nodes.iter().enumerate() {
            params.row_mut(i).copy_from_slice(&node.params);
        }
        let difference = |e: &crate::Edge| -> Vec<f64> {
            params.row(e.tail).iter().zip(params.row(e.head)).map(|(a, b)| a - b).collect()
        };
        let variation: f64 =
            graph.edges().iter().map(|e| e.weight * penalty.value(&difference(e))).sum();
        accurate += work.iter().filter(|w| w.1).count();
        gradients += work.iter().map(|w| w.0).sum::<usize>();
        let objective = nodes.iter().map(|n| n.loss).sum::<f64>() + options.lambda * variation;
        if observer
            .observe(Event::round(iteration).measured(objective).with(&params, None))
            .is_break()
        {
            break;
        }
    }
    Ok(CoupledNetworks { params, accurate, gradients })
}

fn check(
    graph: &Graph,
    losses: &[NeuralLoss],
    options: &NeuralOptions,
    start: &[f64],
) -> Result<(), Error> {
    if losses.len() != graph.nodes() {
        let (expected, found) = (graph.nodes(), losses.len());
        return Err(Error::Size { what: "losses of the nodes", expected, found });
    }
    for loss in losses {
        let (expected, found) = (loss.network.parameters(), start.len());
        if expected != found {
            return Err(Error::Size { what: "parameters of a network", expected, found });
        }
    }
    for (name, value) in [("lambda", options.lambda), ("accuracy", options.accuracy)] {
        nonnegative(name, value)?;
    }
    positive("step_ratio", options.step_ratio)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;
    use crate::penalty::{Norm2, Squared};
    use crate::{Dataset, LossKind, Options, Problem, solve};
    use std::ops::ControlFlow;

    const OPTIONS: NeuralOptions = NeuralOptions {
        lambda: 0.3,
        iterations: 400,
        step_ratio: 1.0,
        accuracy: 1e-2,
        gradients: 200,
    };

    /// Points x and labels 2x + 1 or −x of four nodes, the last without data.
    fn lines() -> Vec<(Vec<f64>, Vec<f64>)> {
        let x: Vec<f64> = vec![-1.0, 0.5, 2.0];
        let label = |i: usize, x: &f64| if i < 2 { 2.0 * x + 1.0 } else { -x } + 0.1 * i as f64;
        (0..4)
            .map(|i| {
                if i == 3 {
                    (vec![], vec![])
                } else {
                    (x.clone(), x.iter().map(|x| label(i, x)).collect())
                }
            })
            .collect()
    }

    fn losses(network: &Network) -> Vec<NeuralLoss> {
        let column = |v: &Vec<f64>| Matrix::from_rows(1, v.clone()).unwrap();
        let loss = |(x, y): (Vec<f64>, Vec<f64>)| {
            NeuralLoss::new(network, Task::Regression, &column(&x), &column(&y))
        };
        lines().into_iter().map(|d| loss(d).unwrap()).collect()
    }

    #[test]
    fn without_hidden_units_it_is_algorithm_1() {
        // A network without hidden layers is the linear model wx + b: the problem is convex, and
        // solve knows the answer.
        let graph = Graph::new(4, &[(0, 1, 1.0), (1, 2, 0.2), (2, 3, 1.0)]).unwrap();
        let network = Network::new(1, &[], Task::Regression);
        let found =
            couple_networks(&graph, &losses(&network), &Norm2, &OPTIONS, &[0.0; 2]).unwrap();
        let data = |(x, y): (Vec<f64>, Vec<f64>)| {
            let features = x.iter().flat_map(|x| [*x, 1.0]).collect();
            LossKind::Squared.build(Dataset::new(2, features, y).unwrap(), 0.0, 0.0).unwrap()
        };
        let problem =
            Problem::new(graph, lines().into_iter().map(data).collect(), Box::new(Norm2), 0.3)
                .unwrap();
        let exact = solve(&problem, &Options::default()).unwrap().params;
        for (a, b) in found.params.as_slice().iter().zip(exact.as_slice()) {
            assert!((a - b).abs() < 1e-3, "{found:?} {exact:?}");
        }
    }

    #[test]
    fn coupling_brings_networks_together_and_objectives_down() {
        let graph = Graph::new(4, &[(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
        let network = Network::new(1, &[5], Task::Regression);
        let (losses, start) = (losses(&network), network.start(1));
        let apart = |lambda: f64| {
            let options = NeuralOptions { lambda, iterations: 200, gradients: 20, ..OPTIONS };
            let mut objectives = Vec::new();
            let mut watch = |event: Event<'_>| {
                objectives.push(event.measure().unwrap());
                ControlFlow::Continue(())
            };
            let w = couple_networks_with(&graph, &losses, &Squared, &options, &start, &mut watch);
            let w = w.unwrap().params;
            assert_eq!(objectives.len(), 200);
            assert!(objectives[199] < 0.5 * objectives[0], "{objectives:?}");
            crate::numeric::linalg::distance(w.row(0), w.row(1))
        };
        let (weak, strong) = (apart(1e-3), apart(100.0));
        assert!(strong < 0.1 * weak, "{weak} {strong}");
    }

    #[test]
    fn a_node_alone_goes_down_its_own_loss_and_bad_input_is_refused() {
        let graph = Graph::new(4, &[]).unwrap();
        let network = Network::new(1, &[], Task::Regression);
        let losses = losses(&network);
        let found = couple_networks(&graph, &losses, &Norm2, &OPTIONS, &[0.0; 2]).unwrap();
        let found = found.params;
        assert!((found.row(0)[0] - 2.0).abs() < 1e-4 && (found.row(0)[1] - 1.0).abs() < 1e-4);
        assert_eq!(found.row(3), [0.0; 2]);
        let bad = |options: &NeuralOptions, start: &[f64]| {
            couple_networks(&graph, &losses, &Norm2, options, start).is_err()
        };
        assert!(bad(&OPTIONS, &[0.0; 3]));
        assert!(bad(&NeuralOptions { lambda: f64::NAN, ..OPTIONS }, &[0.0; 2]));
        assert!(bad(&NeuralOptions { step_ratio: 0.0, ..OPTIONS }, &[0.0; 2]));
        let two = Matrix::zeros(1, 2);
        assert!(NeuralLoss::new(&network, Task::Regression, &two, &Matrix::zeros(1, 1)).is_err());
        assert!(
            NeuralLoss::new(&network, Task::Classification(2), &Matrix::zeros(1, 1), &two).is_err()
        );
    }
}
