//! Ditto (Li et al., 2021): one model w for all by FedAvg, and a personal model for every client
//! that stays near it.
//!
//!   vᵢ = argmin over v of Lᵢ(v) + (λ/2)‖v − w‖²
//!
//! The personal models do not act on w, so that they are needed only in the end; they are computed
//! exactly, by the prox of Lᵢ, instead of by gradient steps beside FedAvg: the same limit, no
//! second learning rate, any λ. λ = 0 gives the local models, λ → ∞ the common one.

use super::fed_avg::{AveragingServer, FedAvgClient};
use super::{Client, Rounds, run};
use crate::Error;
use crate::error::nonnegative;
use crate::methods::clients::{ClientData, Clients};
use crate::methods::local_steps::LocalSteps;
use crate::methods::trace::Outcome;
use crate::outcome::{Observer, Unobserved};

/// The client's half of Ditto; the server's is [`AveragingServer`].
pub struct DittoClient<'a> {
    common: FedAvgClient<'a>,
    data: ClientData<'a>,
    lambda: f64,
}

impl<'a> DittoClient<'a> {
    /// A client with its data, the work of a round for the common model, and λ.
    pub fn new(data: ClientData<'a>, work: LocalSteps, lambda: f64) -> DittoClient<'a> {
        DittoClient { common: FedAvgClient::new(data, work), data, lambda }
    }
}

impl Client for DittoClient<'_> {
    fn answer(&mut self, round: u64, message: &[f64]) -> (Vec<f64>, f64) {
        self.common.answer(round, message)
    }

    fn model(&self, message: &[f64]) -> Vec<f64> {
        self.data.personalize(message, self.lambda)
    }
}

/// Ditto from a model.
pub fn ditto(
    clients: &Clients<'_>,
    start: &[f64],
    lambda: f64,
    work: &LocalSteps,
    rounds: &Rounds,
) -> Result<Outcome, Error> {
    ditto_with(clients, start, lambda, work, rounds, &mut Unobserved)
}

/// [`ditto()`] with an observer, who is told of every round and may end the run.
pub fn ditto_with(
    clients: &Clients<'_>,
    start: &[f64],
    lambda: f64,
    work: &LocalSteps,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    work.check(clients)?;
    nonnegative("λ of Ditto", lambda)?;
    clients.check_start(start)?;
    let halves = clients.all().map(|data| DittoClient::new(data, *work, lambda)).collect();
    let mut server = AveragingServer::new(rounds.weighting.all(clients), start.to_vec());
    Ok(run::<DittoClient<'_>>(clients, halves, &mut server, rounds, observer)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossKind;
    use crate::methods::Rate;
    use crate::methods::server::fed_avg;
    use crate::methods::testing::{close, example};
    use crate::numeric::linalg::norm;
    use crate::solve::exact::local;

    const WORK: LocalSteps =
        LocalSteps { steps: 1, rate: Rate::Constant(0.05), batch: None, seed: 0 };

    #[test]
    fn between_local_and_common_models() {
        for kind in [LossKind::Squared, LossKind::Logistic, LossKind::Absolute] {
            let example = example(kind);
            let clients = Clients::new(&example.problem);
            let rounds = Rounds { max_rounds: 500, ..Rounds::default() };
            let at = |lambda| ditto(&clients, &[0.0; 2], lambda, &WORK, &rounds).unwrap();
            let common = fed_avg(&clients, &[0.0; 2], &WORK, &rounds).unwrap();
            assert_eq!(at(0.0).params, local(&example.problem), "{kind:?}");
            assert_eq!(at(0.0).trace, common.trace, "{kind:?}");
            let far = at(1e10).params;
            assert!(close(far.as_slice(), common.params.as_slice(), 1e-8), "{kind:?}");
            assert!(ditto(&clients, &[0.0; 2], -1.0, &WORK, &rounds).is_err());
        }
    }

    #[test]
    fn personal_models_are_where_loss_and_pull_balance() {
        let example = example(LossKind::Logistic);
        let clients = Clients::new(&example.problem);
        let rounds = Rounds { max_rounds: 50, ..Rounds::default() };
        let common = fed_avg(&clients, &[0.0; 2], &WORK, &rounds).unwrap().params;
        let personal = ditto(&clients, &[0.0; 2], 0.7, &WORK, &rounds).unwrap().params;
        for i in 0..5 {
            let mut slope = [0.0; 2];
            example.problem.loss(i).gradient(personal.row(i), &mut slope);
            for ((s, v), w) in slope.iter_mut().zip(personal.row(i)).zip(common.row(i)) {
                *s += 0.7 * (v - w);
            }
            assert!(norm(&slope) < 1e-12, "{i}: {slope:?}");
        }
        assert_eq!(personal.row(3), common.row(3), "no data, the common model");
    }
}
