//! (Sub)gradient descent on the objective itself, and SGD on it with mini-batches:
//!
//!   wᵢ⁺ = wᵢ − η_t (g̃ᵢ(wᵢ) + Σ_slots sign·cₑ ∇φ(w_tail − w_head)),   cₑ = λAₑ
//!
//! Simple and slow. Where φ or a loss has kinks, a constant rate ends in oscillation around the
//! minimizer; η_t = c/√(t + 1) converges like 1/√t. It never makes models exactly equal.

use super::{Inbox, run_halves};
use crate::Error;
use crate::error::nonnegative;
use crate::graph::Link;
use crate::methods::clients::{ClientData, Clients};
use crate::methods::half::Half;
use crate::methods::local_steps::LocalSteps;
use crate::methods::trace::Outcome;
use crate::numeric::linalg::{axpy, difference};
use crate::outcome::{Observer, Unobserved};
use crate::penalty::Penalty;
use crate::run::Limits;

/// One node's half of (sub)gradient descent.
pub struct SubgradientNode<'a> {
    data: ClientData<'a>,
    penalty: &'a dyn Penalty,
    links: Vec<Link>,
    work: LocalSteps,
    rounds: u64,
    params: Vec<f64>,
    inbox: Inbox,
}

impl<'a> SubgradientNode<'a> {
    /// A node with its data, the penalty φ, its edges in slot order, rate and batch of a step, and
    /// the model to start from.
    pub fn new(
        data: ClientData<'a>,
        penalty: &'a dyn Penalty,
        links: Vec<Link>,
        work: LocalSteps,
        start: Vec<f64>,
    ) -> SubgradientNode<'a> {
        let inbox = Inbox::new(links.len(), start.len());
        SubgradientNode { data, penalty, links, work, rounds: 0, params: start, inbox }
    }

    /// The step of the last round.
    fn step(&mut self) {
        let (dim, round) = (self.params.len(), self.rounds - 1);
        let (mut total, mut diff, mut pull) = (vec![0.0; dim], vec![0.0; dim], vec![0.0; dim]);
        self.data.gradient(&self.params, self.work.batch, self.work.seed, round, &mut total);
        for (link, message) in self.links.iter().zip(self.inbox.messages()) {
            if link.sign > 0.0 {
                difference(&self.params, message, &mut diff)
            } else {
                difference(message, &self.params, &mut diff)
            }
            self.penalty.gradient(&diff, &mut pull);
            axpy(link.sign * link.coupling, &pull, &mut total);
        }
        axpy(-self.work.rate.at(round), &total, &mut self.params);
    }
}

impl Half for SubgradientNode<'_> {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn duals(&self) -> &[f64] {
        &[]
    }

    fn dual(&self, _slot: usize) -> &[f64] {
        &[]
    }

    fn set(&mut self, params: &[f64], _duals: &[f64]) {
        self.params.copy_from_slice(params);
    }

    fn memory(&self) -> Vec<f64> {
        self.inbox.memory(self.rounds)
    }

    fn remember(&mut self, memory: &[f64]) -> bool {
        let rounds = self.inbox.remember(memory);
        self.rounds = rounds.unwrap_or(self.rounds);
        rounds.is_some()
    }

    fn compute_from(&mut self, _start: Option<&[f64]>, message: &mut [f64]) {
        message.copy_from_slice(&self.params);
        self.rounds += 1;
        if self.inbox.begin(self.links.len()) {
            self.step();
        }
    }

    fn absorb(&mut self, slot: usize, _sent: &[f64], received: &[f64]) {
        if self.inbox.take(slot, received) {
            self.step();
        }
    }

    fn message(&self, _before: &[f64], now: &[f64], out: &mut [f64]) {
        out.copy_from_slice(now);
    }
}

/// (Sub)gradient descent on the problem's objective, SGD if `work` has a batch size; all nodes
/// start from the same model. A round is one step: more `steps` are refused. It ends after
/// `max_rounds`, or when the models move by less than `tolerance`.
/// [`Trace::history`](crate::methods::Trace::history) has the objective.
pub fn subgradient(
    clients: &Clients<'_>,
    start: &[f64],
    work: &LocalSteps,
    max_rounds: u64,
    tolerance: f64,
) -> Result<Outcome, Error> {
    subgradient_with(clients, start, work, max_rounds, tolerance, &mut Unobserved)
}

/// [`subgradient()`] with an observer, who is told of every round and may end the run.
pub fn subgradient_with(
    clients: &Clients<'_>,
    start: &[f64],
    work: &LocalSteps,
    max_rounds: u64,
    tolerance: f64,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    work.check(clients)?;
    nonnegative("the tolerance", tolerance)?;
    clients.check_start(start)?;
    if work.steps != 1 {
        return Err(Error::BadNumber {
            name: "the number of local steps of (sub)gradient descent",
            value: work.steps as f64,
            expected: "1",
        });
    }
    let problem = clients.problem();
    let links = |data: ClientData<'_>| Link::of_node(problem.graph(), problem.lambda(), data.node);
    let halves = clients
        .all()
        .map(|data| {
            SubgradientNode::new(data, problem.penalty(), links(data), *work, start.to_vec())
        })
        .collect::<Vec<_>>();
    let objective = |params: &crate::Matrix| problem.objective(params);
    run_halves(
        problem.graph(),
        halves,
        clients.cost(),
        Limits { max_rounds, tolerance },
        objective,
        observer,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::Rate;
    use crate::methods::testing::{close, complete, coupled};
    use crate::outcome::Status;
    use crate::penalty::{Norm1, Norm2, Squared};
    use crate::{LossKind, Options, solve};

    fn optimum(problem: &crate::Problem) -> crate::Solution {
        let options = Options { tolerance: 1e-10, ..Options::default() };
        solve(problem, &options).unwrap()
    }

    #[test]
    fn gradient_descent_finds_the_minimum_of_a_smooth_objective() {
        for kind in [LossKind::Squared, LossKind::Logistic] {
            let example = coupled(kind, Box::new(Squared), 0.3, &complete(5));
            let clients = Clients::new(&example.problem);
            let work = LocalSteps { rate: Rate::Constant(0.1), ..LocalSteps::default() };
            let run = subgradient(&clients, &[0.0; 2], &work, 50_000, 1e-14).unwrap();
            assert_eq!(run.trace.status, Status::Settled, "{kind:?}");
            let best = optimum(&example.problem).params;
            assert!(close(run.params.as_slice(), best.as_slice(), 1e-9), "{kind:?}");
        }
    }

    #[test]
    fn with_kinks_it_approaches_the_minimum_slowly() {
        let penalties: [fn() -> Box<dyn Penalty>; 2] = [|| Box::new(Norm2), || Box::new(Norm1)];
        for penalty in penalties {
            for kind in [LossKind::Squared, LossKind::Absolute] {
                let example = coupled(kind, penalty(), 0.2, &complete(5));
                let clients = Clients::new(&example.problem);
                let best = optimum(&example.problem).certificate.objective;
                let rate = Rate::InverseRoot(0.1);
                let work = LocalSteps { rate, ..LocalSteps::default() };
                let run = subgradient(&clients, &[0.0; 2], &work, 20_000, 0.0).unwrap();
                let off = |t: usize| run.trace.history[t] / best - 1.0;
                let (early, late) = (off(199), off(19_999));
                assert!(
                    late > -1e-9 && late < 5e-3 && late < 0.5 * early,
                    "{kind:?}: {early} {late}"
                );
            }
        }
    }

    #[test]
    fn mini_batches_approach_the_minimum_too() {
        let example = coupled(LossKind::Squared, Box::new(Norm2), 0.2, &complete(5));
        let clients = Clients::with_points(&example.problem, &example.points).unwrap();
        let best = optimum(&example.problem).certificate.objective;
        let rate = Rate::InverseRoot(0.1);
        let work = LocalSteps { rate, batch: Some(2), ..LocalSteps::default() };
        let run = subgradient(&clients, &[0.0; 2], &work, 20_000, 0.0).unwrap();
        let off = run.trace.history.last().unwrap() / best - 1.0;
        assert!(off > 0.0 && off < 0.02, "{off}");
        assert_eq!(run.trace.sent[0], 20_000 * 4 * 2);
        let twice = LocalSteps { steps: 2, ..work };
        assert!(subgradient(&clients, &[0.0; 2], &twice, 1, 0.0).is_err());
    }
}
