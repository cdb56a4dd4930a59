//! MR-MTL, mean-regularized multi-task learning (Evgeniou and Pontil, 2004; Liu et al., 2022):
//!
//!   minimize Σᵢ Lᵢ(wᵢ) + (λ/2) Σᵢ ‖wᵢ − w̄‖²,   w̄ = (1/n) Σᵢ wᵢ          (over the nodes with data)
//!
//! by wᵢ = argmin Lᵢ(w) + (λ/2)‖w − w̄‖² at the clients and w̄ = mean at the server: minimization
//! over the two in turn, which converges to the minimum. The first is the prox of Lᵢ, exact,
//! without a learning rate. It is GTV minimization with `squared` on the complete graph with λ/n. λ
//! = 0 gives the local models, λ → ∞ the pooled one; the larger λ, the more rounds. Weighted by
//! points, w̄ is the weighted mean, and so are the sums. With a fraction of the clients the mean is
//! that of the round's, and the models do not settle.

use super::fed_avg::AveragingServer;
use super::{Client, Rounds, run};
use crate::Error;
use crate::error::nonnegative;
use crate::methods::clients::{ClientData, Clients};
use crate::methods::trace::Outcome;
use crate::numeric::linalg::square_distance;
use crate::outcome::{Observer, Unobserved};

/// The client's half of MR-MTL; the server's is [`AveragingServer`].
pub struct MrMtlClient<'a> {
    data: ClientData<'a>,
    lambda: f64,
}

impl<'a> MrMtlClient<'a> {
    /// A client with its data and λ.
    pub fn new(data: ClientData<'a>, lambda: f64) -> MrMtlClient<'a> {
        MrMtlClient { data, lambda }
    }
}

impl Client for MrMtlClient<'_> {
    fn answer(&mut self, _round: u64, message: &[f64]) -> (Vec<f64>, f64) {
        let model = self.model(message);
        let pull = 0.5 * self.lambda * square_distance(&model, message);
        let loss = self.data.loss.value(&model) + pull;
        (model, loss)
    }

    fn model(&self, message: &[f64]) -> Vec<f64> {
        self.data.personalize(message, self.lambda)
    }
}

/// MR-MTL from w̄ = `start`.
pub fn mr_mtl(
    clients: &Clients<'_>,
    start: &[f64],
    lambda: f64,
    rounds: &Rounds,
) -> Result<Outcome, Error> {
    mr_mtl_with(clients, start, lambda, rounds, &mut Unobserved)
}

/// [`mr_mtl()`] with an observer, who is told of every round and may end the run.
pub fn mr_mtl_with(
    clients: &Clients<'_>,
    start: &[f64],
    lambda: f64,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    nonnegative("λ of MR-MTL", lambda)?;
    clients.check_start(start)?;
    let halves = clients.all().map(|data| MrMtlClient::new(data, lambda)).collect();
    let mut server = AveragingServer::new(rounds.weighting.all(clients), start.to_vec());
    Ok(run::<MrMtlClient<'_>>(clients, halves, &mut server, rounds, observer)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::Weighting;
    use crate::methods::testing::{close, complete, coupled, example};
    use crate::numeric::linalg::distance;
    use crate::penalty::Squared;
    use crate::solve::exact::{local, pooled};
    use crate::{LossKind, Options, solve};

    fn rounds(max_rounds: u64) -> Rounds {
        let weighting = Weighting::Nodes;
        Rounds { max_rounds, tolerance: 1e-14, weighting, ..Rounds::default() }
    }

    #[test]
    fn between_local_and_pooled_models() {
        for kind in [LossKind::Squared, LossKind::Logistic, LossKind::Mean] {
            let example = example(kind);
            let clients = Clients::new(&example.problem);
            let at = |lambda| mr_mtl(&clients, &[0.0; 2], lambda, &rounds(30_000)).unwrap();
            let own = at(0.0).params;
            let alone = local(&example.problem);
            assert_eq!(own, alone, "{kind:?}");
            let best = pooled(&example.problem, Weighting::Nodes).unwrap().params;
            let off = |lambda| distance(at(lambda).params.as_slice(), best.as_slice());
            // Far from the local models the distance falls like 1/λ.
            let (some, much) = (off(10.0), off(100.0));
            assert!(much < 0.15 * some && much < 0.1, "{kind:?}: {some} {much}");
            assert!(mr_mtl(&clients, &[0.0; 2], f64::NAN, &rounds(1)).is_err());
        }
    }

    #[test]
    fn it_is_gtv_minimization_on_the_complete_graph() {
        // Nodes with data only: (λ/2) Σ ‖wᵢ − w̄‖² = (λ/2n) Σ over pairs of ‖wᵢ − wⱼ‖², here with n
        // = 4 of the 5 nodes.
        let edges: Vec<_> =
            complete(5).into_iter().filter(|(i, j, _)| *i != 3 && *j != 3).collect();
        for kind in [LossKind::Squared, LossKind::Logistic] {
            let example = coupled(kind, Box::new(Squared), 0.8 / 4.0, &edges);
            let options = Options { tolerance: 1e-13, ..Options::default() };
            let exact = solve(&example.problem, &options).unwrap();
            let clients = Clients::new(&example.problem);
            let run = mr_mtl(&clients, &[0.0; 2], 0.8, &rounds(5000)).unwrap();
            for i in [0, 1, 2, 4] {
                let (a, b) = (run.params.row(i), exact.params.row(i));
                assert!(close(a, b, 1e-8), "{kind:?}: {a:?} {b:?}");
            }
            assert!(run.trace.history.is_sorted_by(|a, b| a * (1.0 + 1e-14) >= *b), "{kind:?}");
            let last = run.trace.history.last().unwrap() * 4.0;
            let objective = example.problem.objective(&exact.params);
            assert!((last - objective).abs() < 1e-10, "{kind:?}: {last} {objective}");
        }
    }
}
