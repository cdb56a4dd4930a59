//! FedSGD (McMahan et al., 2017): clients answer with their gradients, the server takes the step.
//!
//!   w⁺ = w − η Σᵢ cᵢ∇Lᵢ(w) / Σᵢ cᵢ   over the clients of the round
//!
//! With all clients: gradient descent on the pooled loss. FedAvg with one step on all points is the
//! same up to rounding.

use super::fed_avg::average;
use super::{Answer, Client, Rounds, Server, run};
use crate::Error;
use crate::methods::clients::{ClientData, Clients};
use crate::methods::local_steps::Rate;
use crate::methods::trace::Outcome;
use crate::numeric::linalg::axpy;
use crate::outcome::{Observer, Unobserved};

/// The client's half of FedSGD.
pub struct FedSgdClient<'a> {
    data: ClientData<'a>,
}

impl<'a> FedSgdClient<'a> {
    /// A client with its data.
    pub fn new(data: ClientData<'a>) -> FedSgdClient<'a> {
        FedSgdClient { data }
    }
}

impl Client for FedSgdClient<'_> {
    fn answer(&mut self, _round: u64, message: &[f64]) -> (Vec<f64>, f64) {
        let mut gradient = vec![0.0; message.len()];
        self.data.loss.gradient(message, &mut gradient);
        (gradient, self.data.loss.value(message))
    }

    fn model(&self, message: &[f64]) -> Vec<f64> {
        message.to_vec()
    }
}

/// The server's half of FedSGD.
#[derive(Debug, Clone, PartialEq)]
pub struct FedSgdServer {
    weights: Vec<f64>,
    rate: Rate,
    params: Vec<f64>,
}

impl FedSgdServer {
    /// A server with the weights cᵢ of the clients, the learning rate η and the model to start
    /// from.
    pub fn new(weights: Vec<f64>, rate: Rate, start: Vec<f64>) -> FedSgdServer {
        FedSgdServer { weights, rate, params: start }
    }
}

impl Server for FedSgdServer {
    fn message(&self) -> &[f64] {
        &self.params
    }

    fn absorb(&mut self, round: u64, answers: &[Answer]) {
        let mut gradient = vec![0.0; self.params.len()];
        let answers = answers.iter().map(|a| (a.node, a.values.as_slice()));
        average(&self.weights, answers, &mut gradient);
        axpy(-self.rate.at(round), &gradient, &mut self.params);
    }
}

/// FedSGD from a model.
pub fn fed_sgd(
    clients: &Clients<'_>,
    start: &[f64],
    rate: Rate,
    rounds: &Rounds,
) -> Result<Outcome, Error> {
    fed_sgd_with(clients, start, rate, rounds, &mut Unobserved)
}

/// [`fed_sgd()`] with an observer, who is told of every round and may end the run.
pub fn fed_sgd_with(
    clients: &Clients<'_>,
    start: &[f64],
    rate: Rate,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    rate.check()?;
    clients.check_start(start)?;
    let halves = clients.all().map(FedSgdClient::new).collect();
    let mut server = FedSgdServer::new(rounds.weighting.all(clients), rate, start.to_vec());
    Ok(run::<FedSgdClient<'_>>(clients, halves, &mut server, rounds, observer)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossKind;
    use crate::methods::LocalSteps;
    use crate::methods::server::fed_avg;
    use crate::methods::testing::{close, example};

    #[test]
    fn it_is_gradient_descent_on_the_pooled_loss() {
        let example = example(LossKind::Logistic);
        let clients = Clients::new(&example.problem);
        let rounds = Rounds { max_rounds: 30, tolerance: 0.0, ..Rounds::default() };
        let run = fed_sgd(&clients, &[0.5, 0.0], Rate::InverseRoot(0.4), &rounds).unwrap();
        let mut w = [0.5, 0.0];
        for t in 0..30 {
            let mut total = [0.0; 2];
            for i in [0, 1, 2, 4] {
                let (loss, mut own) = (example.problem.loss(i), [0.0; 2]);
                loss.gradient(&w, &mut own);
                axpy(loss.points() as f64 / 30.0, &own, &mut total);
            }
            axpy(-0.4 / (t as f64 + 1.0).sqrt(), &total, &mut w);
        }
        assert_eq!((0..5).map(|i| example.problem.loss(i).points()).sum::<usize>(), 30);
        assert!(close(run.params.row(2), &w, 1e-13), "{:?} {w:?}", run.params.row(2));
    }

    #[test]
    fn fed_avg_with_one_step_is_the_same() {
        let example = example(LossKind::Squared);
        let clients = Clients::new(&example.problem);
        let rate = Rate::Constant(0.03);
        let rounds = Rounds { max_rounds: 40, fraction: 0.5, ..Rounds::default() };
        let work = LocalSteps { rate, ..LocalSteps::default() };
        let a = fed_sgd(&clients, &[0.0; 2], rate, &rounds).unwrap();
        let b = fed_avg(&clients, &[0.0; 2], &work, &rounds).unwrap();
        assert!(close(a.params.as_slice(), b.params.as_slice(), 1e-13));
        assert_eq!(a.trace.sent, b.trace.sent);
    }
}
