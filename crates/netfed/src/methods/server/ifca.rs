//! IFCA (Ghosh et al., 2020): K models; every client takes the one with the least loss on its data
//! and works on that.
//!
//!   kᵢ = argmin over k of Lᵢ(m_k),   wᵢ = E gradient steps on Lᵢ from m_kᵢ,   m_k⁺ = Σ cᵢwᵢ / Σ cᵢ over the clients with kᵢ = k
//!
//! A model that nobody takes stays as it is. Ghosh et al. divide by all clients of the round
//! instead, which is the same with a smaller step. The outcome depends on the start; often all
//! clients take the same model in the first round, and the others are lost. [`ifca_from_random`]
//! tries several starts and keeps the run with the least loss. K = 1 is FedAvg.

use super::fed_avg::average;
use super::{Answer, Client, Rounds, Server, run};
use crate::error::same_size;
use crate::methods::clients::{ClientData, Clients};
use crate::methods::local_steps::LocalSteps;
use crate::methods::trace::Outcome;
use crate::numeric::sampling;
use crate::outcome::{Observer, Status, Unobserved};
use crate::{Error, Matrix};

/// The client's half of IFCA. It answers with the number of the model it took, then the model.
pub struct IfcaClient<'a> {
    data: ClientData<'a>,
    work: LocalSteps,
}

impl<'a> IfcaClient<'a> {
    /// A client with its data and the work of a round.
    pub fn new(data: ClientData<'a>, work: LocalSteps) -> IfcaClient<'a> {
        IfcaClient { data, work }
    }

    /// Which of the models has the least loss, the first of equals; the model; its loss.
    fn choose<'m>(&self, message: &'m [f64]) -> (usize, &'m [f64], f64) {
        let mut best = (0, &message[..self.data.loss.dim()], f64::INFINITY);
        for (k, model) in message.chunks_exact(self.data.loss.dim()).enumerate() {
            let loss = self.data.loss.value(model);
            if loss < best.2 {
                best = (k, model, loss);
            }
        }
        best
    }
}

impl Client for IfcaClient<'_> {
    fn answer(&mut self, round: u64, message: &[f64]) -> (Vec<f64>, f64) {
        let (k, model, loss) = self.choose(message);
        let mut answer = vec![k as f64];
        answer.extend(self.work.run(&self.data, round, model, 0.0));
        (answer, loss)
    }

    fn model(&self, message: &[f64]) -> Vec<f64> {
        self.choose(message).1.to_vec()
    }
}

/// The server's half of IFCA.
#[derive(Debug, Clone, PartialEq)]
pub struct IfcaServer {
    weights: Vec<f64>,
    models: Matrix,
}

impl IfcaServer {
    /// A server with the weights cᵢ of the clients and the K models to start from, one per row.
    pub fn new(weights: Vec<f64>, start: Matrix) -> IfcaServer {
        IfcaServer { weights, models: start }
    }
}

impl Server for IfcaServer {
    fn message(&self) -> &[f64] {
        self.models.as_slice()
    }

    fn absorb(&mut self, _round: u64, answers: &[Answer]) {
        for k in 0..self.models.rows() {
            let mine = answers.iter().filter_map(|a| match a.values.split_first() {
                Some((&choice, model)) if choice == k as f64 => Some((a.node, model)),
                _ => None,
            });
            average(&self.weights, mine, self.models.row_mut(k));
        }
    }
}

/// What IFCA found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Partition {
    /// The K models, one per row.
    pub models: Matrix,
    /// Which of them each node takes. A node without data takes the first.
    pub of_node: Vec<usize>,
    /// One model per node, and how the run went.
    pub outcome: Outcome,
}

/// `models` rows of standard normal numbers, to start IFCA from.
pub fn random_start(models: usize, dim: usize, seed: u64) -> Result<Matrix, Error> {
    Matrix::from_rows(dim, (0..models).flat_map(|k| sampling::start(seed, k, dim)).collect())
}

/// IFCA from K models, one per row of `start`.
pub fn ifca(
    clients: &Clients<'_>,
    start: &Matrix,
    work: &LocalSteps,
    rounds: &Rounds,
) -> Result<Partition, Error> {
    ifca_with(clients, start, work, rounds, &mut Unobserved)
}

/// [`ifca()`] with an observer, who is told of every round and may end the run.
pub fn ifca_with(
    clients: &Clients<'_>,
    start: &Matrix,
    work: &LocalSteps,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<Partition, Error> {
    work.check(clients)?;
    let dim = clients.problem().dim();
    same_size("parameters of the models to start IFCA from", dim, start.cols())?;
    same_size("models to start IFCA from, at least", 1, start.rows().min(1))?;
    let halves = clients.all().map(|data| IfcaClient::new(data, *work)).collect();
    let mut server = IfcaServer::new(rounds.weighting.all(clients), start.clone());
    let (message, outcome) = run::<IfcaClient<'_>>(clients, halves, &mut server, rounds, observer)?;
    let of_node = clients.all().map(|c| IfcaClient::new(c, *work).choose(&message).0).collect();
    Ok(Partition { models: Matrix::from_rows(dim, message)?, of_node, outcome })
}

/// IFCA from `starts` random starts with K = `models` models, seeded by [`Rounds::seed`] and those
/// that follow. Keeps the run whose last round has the least loss; the numbers sent are those of
/// all runs.
pub fn ifca_from_random(
    clients: &Clients<'_>,
    models: usize,
    starts: u64,
    work: &LocalSteps,
    rounds: &Rounds,
) -> Result<Partition, Error> {
    ifca_from_random_with(clients, models, starts, work, rounds, &mut Unobserved)
}

/// [`ifca_from_random()`] with an observer, who is told of every round and may end the run; then
/// there are no more.
pub fn ifca_from_random_with(
    clients: &Clients<'_>,
    models: usize,
    starts: u64,
    work: &LocalSteps,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<Partition, Error> {
    let from = |k: u64| random_start(models, clients.problem().dim(), rounds.seed.wrapping_add(k));
    best_of(clients, starts, from, work, rounds, observer)
}

/// The same from the local models of K nodes with data, drawn at random: starts of the right size,
/// whatever the units of the features. With fewer nodes there are as many models as nodes.
pub fn ifca_from_nodes(
    clients: &Clients<'_>,
    models: usize,
    starts: u64,
    work: &LocalSteps,
    rounds: &Rounds,
) -> Result<Partition, Error> {
    ifca_from_nodes_with(clients, models, starts, work, rounds, &mut Unobserved)
}

/// [`ifca_from_nodes()`] with an observer, who is told of every round and may end the run.
pub fn ifca_from_nodes_with(
    clients: &Clients<'_>,
    models: usize,
    starts: u64,
    work: &LocalSteps,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<Partition, Error> {
    let dim = clients.problem().dim();
    let able: Vec<usize> = clients.all().filter(|c| c.loss.points() > 0).map(|c| c.node).collect();
    let from = |k: u64| {
        if able.is_empty() {
            Ok(Matrix::zeros(1, dim))
        } else {
            let nodes = sampling::participants(rounds.seed, k, &able, models.min(able.len()));
            let zero = vec![0.0; dim];
            let own = nodes.iter().flat_map(|&i| clients.data(i).personalize(&zero, 0.0));
            Matrix::from_rows(dim, own.collect())
        }
    };
    best_of(clients, starts, from, work, rounds, observer)
}

/// The run with the least loss in its last round, of several starts.
fn best_of(
    clients: &Clients<'_>,
    starts: u64,
    from: impl Fn(u64) -> Result<Matrix, Error>,
    work: &LocalSteps,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<Partition, Error> {
    let loss = |run: &Partition| run.outcome.trace.history.last().copied().unwrap_or(f64::INFINITY);
    let mut best = ifca_with(clients, &from(0)?, work, rounds, observer)?;
    for k in 1..starts {
        if best.outcome.trace.status == Status::Stopped {
            break;
        }
        let mut next = ifca_with(clients, &from(k)?, work, rounds, observer)?;
        if loss(&next) < loss(&best) {
            std::mem::swap(&mut next, &mut best);
        }
        let (total, other) = (&mut best.outcome.trace, &next.outcome.trace);
        total.sent.iter_mut().zip(&other.sent).for_each(|(a, b)| *a += b);
        total.sent_by_server += other.sent_by_server;
        if other.status == Status::Stopped {
            break;
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Noise, clustered, linear_data};
    use crate::methods::server::fed_avg;
    use crate::methods::testing::example;
    use crate::methods::{Rate, Weighting};
    use crate::numeric::linalg::norm;
    use crate::numeric::sampling::random;
    use crate::penalty::Norm2;
    use crate::solve::exact::oracle;
    use crate::{Graph, LossKind, Problem};
    use rand::RngExt;

    #[test]
    fn one_model_is_fed_avg_to_the_last_bit() {
        let example = example(LossKind::Logistic);
        let clients = Clients::with_points(&example.problem, &example.points).unwrap();
        let rate = Rate::Constant(0.1);
        let work = LocalSteps { steps: 3, rate, batch: Some(3), seed: 2 };
        let rounds = Rounds { max_rounds: 25, fraction: 0.7, ..Rounds::default() };
        let start = Matrix::from_rows(2, vec![0.3, -0.4]).unwrap();
        let a = ifca(&clients, &start, &work, &rounds).unwrap();
        let b = fed_avg(&clients, start.row(0), &work, &rounds).unwrap();
        assert_eq!(a.outcome.params, b.params);
        assert_eq!(a.outcome.trace.history, b.trace.history);
        assert_eq!(a.of_node, [0; 5]);
    }

    /// Two clusters of 12 nodes, d = 6, m = 4: too few points for a model of one's own.
    fn two_clusters() -> (Problem, Vec<usize>) {
        let mut random = random(5);
        let centers = (0..12).map(|_| 4.0 * random.random::<f64>() - 2.0).collect();
        let truth = clustered(&[12, 12], &Matrix::from_rows(6, centers).unwrap()).unwrap();
        let data = linear_data(&truth, 4, Noise::PerPoint(0.01), 6).unwrap();
        let losses = data.into_iter().map(|d| LossKind::Squared.build(d, 0.0, 0.0).unwrap());
        let (graph, losses) = (Graph::new(24, &[]).unwrap(), losses.collect());
        let problem = Problem::new(graph, losses, Box::new(Norm2), 0.0).unwrap();
        (problem, (0..24).map(|i| i / 12).collect())
    }

    #[test]
    fn clusters_are_found_and_each_gets_its_best_model() {
        let (problem, truth) = two_clusters();
        let work = LocalSteps { rate: Rate::Constant(0.1), ..LocalSteps::default() };
        let rounds = Rounds { max_rounds: 3000, tolerance: 1e-13, ..Rounds::default() };
        let clients = Clients::new(&problem);
        let run = |starts| ifca_from_random(&clients, 2, starts, &work, &rounds).unwrap();
        let (one, found) = (run(1), run(5));
        assert!(found.outcome.trace.sent[0] > one.outcome.trace.sent[0]);
        assert!(found.outcome.trace.history.last() <= one.outcome.trace.history.last());
        let best = oracle(&problem, &truth, Weighting::Points).unwrap().params;
        let off: Vec<f64> = found
            .outcome
            .params
            .as_slice()
            .iter()
            .zip(best.as_slice())
            .map(|(a, b)| a - b)
            .collect();
        assert!(norm(&off) < 1e-9, "{}", norm(&off));
        let again = ifca_from_nodes(&clients, 2, 5, &work, &rounds).unwrap();
        let off =
            crate::numeric::linalg::distance(again.outcome.params.as_slice(), best.as_slice());
        assert!(off < 1e-9, "from local models: {off}");
        let renamed: Vec<usize> =
            found.of_node.iter().map(|&k| usize::from(k != found.of_node[0])).collect();
        assert_eq!(renamed, truth);
    }

    #[test]
    fn there_are_no_more_models_than_nodes_to_start_from() {
        let example = example(LossKind::Squared);
        let (work, rounds) = (LocalSteps::default(), Rounds::default());
        let of = |problem: &Problem| {
            let clients = Clients::new(problem);
            ifca_from_nodes(&clients, 9, 2, &work, &rounds).unwrap().models.rows()
        };
        assert_eq!(of(&example.problem), 4, "one of five nodes has no data");
        let empty = vec![LossKind::Squared.build(crate::Dataset::empty(1), 0.0, 0.0).unwrap()];
        let graph = Graph::new(1, &[]).unwrap();
        assert_eq!(of(&Problem::new(graph, empty, Box::new(Norm2), 0.0).unwrap()), 1);
    }

    #[test]
    fn a_model_that_nobody_takes_stays() {
        let example = example(LossKind::Squared);
        let start = Matrix::from_rows(2, vec![0.0, 0.0, 1e6, 1e6]).unwrap();
        let rounds = Rounds { max_rounds: 3, ..Rounds::default() };
        let clients = Clients::new(&example.problem);
        let found = ifca(&clients, &start, &LocalSteps::default(), &rounds).unwrap();
        assert_eq!(found.models.row(1), [1e6, 1e6]);
        assert_ne!(found.models.row(0), [0.0, 0.0]);
        // The number of the model travels with the model, K models come back.
        assert_eq!(found.outcome.trace.sent, [9, 9, 9, 0, 9]);
        assert_eq!(found.outcome.trace.sent_by_server, 4 * (3 * 4 + 5));
        let wrong = Matrix::zeros(2, 3);
        assert!(ifca(&clients, &wrong, &LocalSteps::default(), &rounds).is_err());
        let none = Matrix::zeros(0, 2);
        assert!(ifca(&clients, &none, &LocalSteps::default(), &rounds).is_err());
    }
}
