//! FedProx (Li et al., 2020): FedAvg whose clients stay near the server's model w.
//!
//!   wᵢ = E gradient steps on Lᵢ(v) + (μ/2)‖v − w‖² from v = w,   w⁺ = Σᵢ cᵢwᵢ / Σᵢ cᵢ
//!
//! μ = 0 is FedAvg. The larger μ, the less clients drift apart in their steps; η must be below
//! 2/(curvature + μ).

use super::fed_avg::AveragingServer;
use super::{Client, Rounds, run};
use crate::Error;
use crate::error::nonnegative;
use crate::methods::clients::{ClientData, Clients};
use crate::methods::local_steps::LocalSteps;
use crate::methods::trace::Outcome;
use crate::outcome::{Observer, Unobserved};

/// The client's half of FedProx; the server's is [`AveragingServer`].
pub struct FedProxClient<'a> {
    data: ClientData<'a>,
    work: LocalSteps,
    proximity: f64,
}

impl<'a> FedProxClient<'a> {
    /// A client with its data, the work of a round and μ.
    pub fn new(data: ClientData<'a>, work: LocalSteps, proximity: f64) -> FedProxClient<'a> {
        FedProxClient { data, work, proximity }
    }
}

impl Client for FedProxClient<'_> {
    fn answer(&mut self, round: u64, message: &[f64]) -> (Vec<f64>, f64) {
        let model = self.work.run(&self.data, round, message, self.proximity);
        (model, self.data.loss.value(message))
    }

    fn model(&self, message: &[f64]) -> Vec<f64> {
        message.to_vec()
    }
}

/// FedProx with μ = `proximity` from a model.
pub fn fed_prox(
    clients: &Clients<'_>,
    start: &[f64],
    proximity: f64,
    work: &LocalSteps,
    rounds: &Rounds,
) -> Result<Outcome, Error> {
    fed_prox_with(clients, start, proximity, work, rounds, &mut Unobserved)
}

/// [`fed_prox()`] with an observer, who is told of every round and may end the run.
pub fn fed_prox_with(
    clients: &Clients<'_>,
    start: &[f64],
    proximity: f64,
    work: &LocalSteps,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    work.check(clients)?;
    nonnegative("μ of FedProx", proximity)?;
    clients.check_start(start)?;
    let halves = clients.all().map(|data| FedProxClient::new(data, *work, proximity)).collect();
    let mut server = AveragingServer::new(rounds.weighting.all(clients), start.to_vec());
    Ok(run::<FedProxClient<'_>>(clients, halves, &mut server, rounds, observer)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossKind;
    use crate::methods::server::fed_avg;
    use crate::methods::testing::{close, example};
    use crate::methods::{Rate, Weighting};
    use crate::numeric::linalg::distance;
    use crate::solve::exact::pooled;

    const WORK: LocalSteps =
        LocalSteps { steps: 40, rate: Rate::Constant(0.02), batch: None, seed: 0 };

    #[test]
    fn without_proximity_it_is_fed_avg_to_the_last_bit() {
        let example = example(LossKind::Squared);
        let clients = Clients::with_points(&example.problem, &example.points).unwrap();
        let work = LocalSteps { batch: Some(3), ..WORK };
        let rounds = Rounds { max_rounds: 20, fraction: 0.5, ..Rounds::default() };
        let a = fed_prox(&clients, &[0.1; 2], 0.0, &work, &rounds).unwrap();
        assert_eq!(a, fed_avg(&clients, &[0.1; 2], &work, &rounds).unwrap());
        assert!(fed_prox(&clients, &[0.1; 2], -1.0, &work, &rounds).is_err());
    }

    #[test]
    fn many_steps_reach_the_prox() {
        let example = example(LossKind::Squared);
        let data = Clients::new(&example.problem).data(2);
        let (message, work) = ([0.4, -0.6], LocalSteps { steps: 5000, ..WORK });
        let (answer, _) = FedProxClient::new(data, work, 2.0).answer(0, &message);
        assert!(close(&answer, &data.personalize(&message, 2.0), 1e-12));
    }

    #[test]
    fn proximity_reduces_the_drift() {
        let example = example(LossKind::Squared);
        let clients = Clients::new(&example.problem);
        let rounds = Rounds { max_rounds: 5000, tolerance: 1e-13, ..Rounds::default() };
        let best = pooled(&example.problem, Weighting::Points).unwrap();
        let off = |mu| {
            let run = fed_prox(&clients, &[0.0; 2], mu, &WORK, &rounds).unwrap();
            distance(run.params.row(0), best.params.row(0))
        };
        let (none, some, much) = (off(0.0), off(1.0), off(20.0));
        assert!(none > 0.05 && some < 0.9 * none && much < 0.2 * none, "{none} {some} {much}");
    }
}
