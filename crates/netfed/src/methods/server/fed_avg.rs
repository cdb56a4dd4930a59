//! FedAvg (McMahan et al., 2017): clients take E gradient steps from the server's model, the server
//! averages.
//!
//!   wᵢ = E steps on Lᵢ from w,   w⁺ = Σᵢ cᵢwᵢ / Σᵢ cᵢ   over the clients of the round,   cᵢ = nᵢ
//!
//! With E = 1 and all clients this is gradient descent on Σ cᵢLᵢ/Σ cᵢ. With E > 1 it settles near,
//! not at, its minimizer, unless the clients agree. With a part of the clients and unequal weights
//! the mean is that of the round, which pulls towards small clients; nodes that count alike do not
//! have this bias.

use super::{Answer, Client, Rounds, Server, run};
use crate::Error;
use crate::methods::clients::{ClientData, Clients};
use crate::methods::local_steps::LocalSteps;
use crate::methods::trace::Outcome;
use crate::numeric::linalg::axpy;
use crate::outcome::{Observer, Unobserved};

/// The client's half of FedAvg.
pub struct FedAvgClient<'a> {
    data: ClientData<'a>,
    work: LocalSteps,
}

impl<'a> FedAvgClient<'a> {
    /// A client with its data and the work of a round.
    pub fn new(data: ClientData<'a>, work: LocalSteps) -> FedAvgClient<'a> {
        FedAvgClient { data, work }
    }
}

impl Client for FedAvgClient<'_> {
    fn answer(&mut self, round: u64, message: &[f64]) -> (Vec<f64>, f64) {
        (self.work.run(&self.data, round, message, 0.0), self.data.loss.value(message))
    }

    fn model(&self, message: &[f64]) -> Vec<f64> {
        message.to_vec()
    }
}

/// The server of FedAvg and of all methods that average models.
#[derive(Debug, Clone, PartialEq)]
pub struct AveragingServer {
    weights: Vec<f64>,
    params: Vec<f64>,
}

impl AveragingServer {
    /// A server with the weights cᵢ of the clients and the model to start from.
    pub fn new(weights: Vec<f64>, start: Vec<f64>) -> AveragingServer {
        AveragingServer { weights, params: start }
    }
}

impl Server for AveragingServer {
    fn message(&self) -> &[f64] {
        &self.params
    }

    fn absorb(&mut self, _round: u64, answers: &[Answer]) {
        let answers = answers.iter().map(|a| (a.node, a.values.as_slice()));
        average(&self.weights, answers, &mut self.params);
    }
}

/// out ← the weighted mean of the models (node, model) that have its length; unchanged if they
/// weigh nothing.
pub(crate) fn average<'a>(
    weights: &[f64],
    models: impl Iterator<Item = (usize, &'a [f64])> + Clone,
    out: &mut [f64],
) {
    let dim = out.len();
    let models = models.filter(|(node, model)| *node < weights.len() && model.len() == dim);
    let total: f64 = models.clone().map(|(node, _)| weights[node]).sum();
    if total > 0.0 {
        out.fill(0.0);
        models.for_each(|(node, model)| axpy(weights[node] / total, model, out));
    }
}

/// FedAvg from a model.
pub fn fed_avg(
    clients: &Clients<'_>,
    start: &[f64],
    work: &LocalSteps,
    rounds: &Rounds,
) -> Result<Outcome, Error> {
    fed_avg_with(clients, start, work, rounds, &mut Unobserved)
}

/// [`fed_avg()`] with an observer, who is told of every round and may end the run.
pub fn fed_avg_with(
    clients: &Clients<'_>,
    start: &[f64],
    work: &LocalSteps,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    work.check(clients)?;
    clients.check_start(start)?;
    let halves = clients.all().map(|data| FedAvgClient::new(data, *work)).collect();
    let mut server = AveragingServer::new(rounds.weighting.all(clients), start.to_vec());
    Ok(run::<FedAvgClient<'_>>(clients, halves, &mut server, rounds, observer)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;
    use crate::methods::testing::{close, example};
    use crate::methods::{Rate, Weighting};
    use crate::outcome::Status;
    use crate::penalty::Norm2;
    use crate::solve::exact::pooled;
    use crate::{Dataset, Graph, LossKind, Problem};
    use std::ops::ControlFlow;

    const WORK: LocalSteps =
        LocalSteps { steps: 1, rate: Rate::Constant(0.05), batch: None, seed: 3 };

    #[test]
    fn one_client_is_gradient_descent_on_it() {
        let data = Dataset::new(2, vec![1.0, 0.5, -0.3, 2.0, 0.7, -1.1], vec![1.0, -2.0, 0.3]);
        let losses = vec![LossKind::Squared.build(data.unwrap(), 0.1, 0.0).unwrap()];
        let graph = Graph::new(1, &[]).unwrap();
        let problem = Problem::new(graph, losses, Box::new(Norm2), 0.0).unwrap();
        let work = LocalSteps { steps: 4, ..WORK };
        let rounds = Rounds { max_rounds: 5, tolerance: 0.0, ..Rounds::default() };
        let run = fed_avg(&Clients::new(&problem), &[1.0, 1.0], &work, &rounds).unwrap();
        let (mut w, mut gradient) = ([1.0, 1.0], [0.0; 2]);
        for _ in 0..20 {
            problem.loss(0).gradient(&w, &mut gradient);
            axpy(-0.05, &gradient, &mut w);
        }
        assert!(close(run.params.row(0), &w, 1e-14), "{:?} {w:?}", run.params.row(0));
        assert_eq!((run.trace.sent, run.trace.sent_by_server), (vec![10], 12));
        assert_eq!((run.trace.rounds, run.trace.status), (5, Status::MaxRounds));
        assert_eq!(run.trace.history[0], problem.loss(0).value(&[1.0, 1.0]));
    }

    #[test]
    fn single_steps_of_all_clients_find_the_pooled_model() {
        for kind in [LossKind::Squared, LossKind::Logistic, LossKind::Mean] {
            let example = example(kind);
            for weighting in [Weighting::Points, Weighting::Nodes] {
                let rounds =
                    Rounds { max_rounds: 50_000, tolerance: 1e-13, weighting, ..Rounds::default() };
                let clients = Clients::new(&example.problem);
                let run = fed_avg(&clients, &[0.0; 2], &WORK, &rounds).unwrap();
                let best = pooled(&example.problem, weighting).unwrap();
                assert_eq!(run.trace.status, Status::Settled, "{kind:?}");
                assert!(close(run.params.as_slice(), best.params.as_slice(), 1e-9), "{kind:?}");
                assert_eq!(run.trace.sent[3], 0, "a client without data stays out");
                assert!(run.trace.history.is_sorted_by(|a, b| a * (1.0 + 1e-13) >= *b), "{kind:?}");
            }
        }
    }

    #[test]
    fn mini_batches_and_a_part_of_the_clients_come_near_the_pooled_model() {
        let example = example(LossKind::Squared);
        let clients = Clients::with_points(&example.problem, &example.points).unwrap();
        let rate = Rate::InverseRoot(0.1);
        let work = LocalSteps { steps: 2, rate, batch: Some(2), seed: 1 };
        let rounds = Rounds {
            max_rounds: 20_000,
            tolerance: 0.0,
            fraction: 0.5,
            weighting: Weighting::Nodes,
            ..Rounds::default()
        };
        let run = fed_avg(&clients, &[0.0; 2], &work, &rounds).unwrap();
        assert_eq!(run, fed_avg(&clients, &[0.0; 2], &work, &rounds).unwrap());
        let best = pooled(&example.problem, Weighting::Nodes).unwrap();
        let (found, best) = (run.params.row(0), best.params.row(0));
        // The other weighting is .14 away.
        assert!(close(found, best, 0.04), "{found:?} {best:?}");
        // Two of the four clients with data in every round.
        assert_eq!(run.trace.sent.iter().sum::<u64>(), 2 * 2 * 20_000);
    }

    #[test]
    fn too_large_a_rate_is_noticed_and_bad_input_refused() {
        let example = example(LossKind::Squared);
        let clients = Clients::new(&example.problem);
        let rounds = Rounds { max_rounds: 100_000, ..Rounds::default() };
        let wild = LocalSteps { rate: Rate::Constant(10.0), ..WORK };
        let run = fed_avg(&clients, &[0.0; 2], &wild, &rounds).unwrap();
        assert_eq!(run.trace.status, Status::Diverged);
        assert!(run.params.as_slice().iter().all(|w| w.is_finite()));
        let mut stop = |_: Event<'_>| ControlFlow::Break(());
        let run = fed_avg_with(&clients, &[0.0; 2], &WORK, &rounds, &mut stop).unwrap();
        assert_eq!((run.trace.rounds, run.trace.status), (1, Status::Stopped));
        assert!(fed_avg(&clients, &[0.0; 3], &WORK, &rounds).is_err());
        for fraction in [0.0, 1.5, f64::NAN] {
            let rounds = Rounds { fraction, ..rounds };
            assert!(fed_avg(&clients, &[0.0; 2], &WORK, &rounds).is_err());
        }
    }

    #[test]
    fn without_data_the_start_stays() {
        let losses = vec![LossKind::Squared.build(Dataset::empty(1), 0.0, 0.0).unwrap()];
        let graph = Graph::new(1, &[]).unwrap();
        let problem = Problem::new(graph, losses, Box::new(Norm2), 0.0).unwrap();
        let run = fed_avg(&Clients::new(&problem), &[2.5], &WORK, &Rounds::default());
        let run = run.unwrap();
        assert_eq!((run.params.as_slice(), run.trace.rounds), (&[2.5][..], 0));
    }

    #[test]
    fn answers_of_a_wrong_form_are_left_out() {
        let mut server = AveragingServer::new(vec![1.0, 3.0], vec![7.0]);
        let answer = |node, values: &[f64]| Answer { node, values: values.to_vec() };
        server.absorb(0, &[answer(0, &[1.0, 2.0]), answer(9, &[5.0])]);
        assert_eq!(server.message(), [7.0]);
        server.absorb(1, &[answer(0, &[2.0]), answer(1, &[6.0])]);
        assert_eq!(server.message(), [5.0]);
    }
}
