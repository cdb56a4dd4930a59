//! Decentralized SGD, gossip averaging (Lian et al., 2017): nodes take E gradient steps, then
//! average with their neighbors.
//!
//!   vᵢ = E steps on Lᵢ from wᵢ,   wᵢ⁺ = Wᵢᵢvᵢ + Σ_{j ~ i} Wᵢⱼvⱼ,   Wᵢⱼ = 1/(1 + max(degreeᵢ, degreeⱼ)),   Wᵢᵢ = 1 − Σⱼ Wᵢⱼ
//!
//! These Metropolis weights are symmetric with row sums 1: averaging keeps the mean of the models.
//! They need the degrees of neighbors only and do not use the weights of the edges. One model for
//! every connected component: near the minimizer of Σ Lᵢ with a constant rate, at it with a rate
//! c/√t. On a complete graph it is FedAvg with nodes that count alike.

use super::{Inbox, run_halves};
use crate::error::nonnegative;
use crate::methods::clients::{ClientData, Clients};
use crate::methods::half::Half;
use crate::methods::local_steps::LocalSteps;
use crate::methods::trace::Outcome;
use crate::numeric::linalg::axpy;
use crate::outcome::{Observer, Unobserved};
use crate::run::Limits;
use crate::{Error, Matrix};

/// One node's half of decentralized SGD.
pub struct GossipNode<'a> {
    data: ClientData<'a>,
    work: LocalSteps,
    weights: Vec<f64>,
    rounds: u64,
    params: Vec<f64>,
    inbox: Inbox,
}

impl<'a> GossipNode<'a> {
    /// A node with its data, the work of a round, the degrees of its neighbors in slot order, and
    /// the model to start from.
    pub fn new(
        data: ClientData<'a>,
        work: LocalSteps,
        degrees: &[usize],
        start: Vec<f64>,
    ) -> GossipNode<'a> {
        let weight = |&degree: &usize| 1.0 / (1 + degree.max(degrees.len())) as f64;
        let inbox = Inbox::new(degrees.len(), start.len());
        let weights = degrees.iter().map(weight).collect();
        GossipNode { data, work, weights, rounds: 0, params: start, inbox }
    }

    /// w⁺ = Wᵢᵢvᵢ + Σ Wᵢⱼvⱼ
    fn average(&mut self) {
        let own = 1.0 - self.weights.iter().sum::<f64>();
        self.params.iter_mut().for_each(|w| *w *= own);
        for (weight, message) in self.weights.iter().zip(self.inbox.messages()) {
            axpy(*weight, message, &mut self.params);
        }
    }
}

impl Half for GossipNode<'_> {
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
        self.params = self.work.run(&self.data, self.rounds, &self.params, 0.0);
        self.rounds += 1;
        message.copy_from_slice(&self.params);
        if self.inbox.begin(self.weights.len()) {
            self.average();
        }
    }

    fn absorb(&mut self, slot: usize, _sent: &[f64], received: &[f64]) {
        if self.inbox.take(slot, received) {
            self.average();
        }
    }

    fn message(&self, _before: &[f64], now: &[f64], out: &mut [f64]) {
        out.copy_from_slice(now);
    }
}

/// Decentralized SGD over the graph of the problem (whatever its λ), all nodes starting from the
/// same model. It ends after `max_rounds`, or when the models move by less than `tolerance`.
/// [`Trace::history`](crate::methods::Trace::history) has Σ Lᵢ(wᵢ).
pub fn gossip(
    clients: &Clients<'_>,
    start: &[f64],
    work: &LocalSteps,
    max_rounds: u64,
    tolerance: f64,
) -> Result<Outcome, Error> {
    gossip_with(clients, start, work, max_rounds, tolerance, &mut Unobserved)
}

/// [`gossip()`] with an observer, who is told of every round and may end the run.
pub fn gossip_with(
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
    let coupled = clients.problem().at_lambda(1.0)?;
    let graph = coupled.graph();
    let degrees = |data: ClientData<'_>| {
        let slots = graph.incident(data.node).iter();
        slots.map(|s| graph.degree(s.neighbor())).collect::<Vec<usize>>()
    };
    let halves = clients
        .all()
        .map(|data| GossipNode::new(data, *work, &degrees(data), start.to_vec()))
        .collect();
    let losses = |params: &Matrix| -> f64 {
        (0..clients.count()).map(|i| clients.problem().loss(i).value(params.row(i))).sum()
    };
    run_halves::<GossipNode<'_>>(
        graph,
        halves,
        clients.cost(),
        Limits { max_rounds, tolerance },
        losses,
        observer,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::server::fed_avg;
    use crate::methods::testing::{close, complete, coupled, example};
    use crate::methods::{Rate, Rounds, Weighting};
    use crate::penalty::Norm2;
    use crate::solve::exact::pooled;
    use crate::{Dataset, Graph, LossKind, Problem};

    const WORK: LocalSteps =
        LocalSteps { steps: 2, rate: Rate::Constant(0.02), batch: None, seed: 0 };

    #[test]
    fn averaging_keeps_the_mean_and_the_complete_graph_makes_all_equal() {
        for edges in [complete(5), vec![(0, 1, 3.0), (1, 2, 0.1), (1, 3, 1.0), (0, 4, 1.0)]] {
            let graph = Graph::new(5, &edges).unwrap();
            let zero = LossKind::Squared.build(Dataset::empty(2), 0.0, 0.0).unwrap();
            let node = |i: usize| {
                let data = ClientData { node: i, loss: zero.as_ref(), points: None };
                let slots = graph.incident(i).iter();
                let degrees: Vec<usize> = slots.map(|s| graph.degree(s.neighbor())).collect();
                GossipNode::new(data, WORK, &degrees, vec![i as f64, (i * i) as f64])
            };
            let halves: Vec<GossipNode<'_>> = (0..5).map(node).collect();
            let run = run_halves(
                &graph,
                halves,
                1,
                Limits { max_rounds: 1, tolerance: 0.0 },
                |_| 0.0,
                &mut Unobserved,
            )
            .unwrap();
            let mean = |j: usize| (0..5).map(|i| run.params.row(i)[j]).sum::<f64>() / 5.0;
            assert!(close(&[mean(0), mean(1)], &[2.0, 6.0], 1e-14));
            if edges.len() == 10 {
                (0..5).for_each(|i| assert!(close(run.params.row(i), &[2.0, 6.0], 1e-14)));
            }
            assert_eq!(run.trace.sent[0], 2 * graph.degree(0) as u64);
        }
    }

    #[test]
    fn on_a_complete_graph_it_is_fed_avg() {
        // All five nodes count here; FedAvg leaves out the one without data, so that it gets some.
        let kind = LossKind::Mean;
        let data = |i: usize| Dataset::new(1, vec![i as f64, 1.0], vec![]).unwrap();
        let losses = (0..4).map(|i| kind.build(data(i), 0.0, 0.0).unwrap()).collect();
        let graph = Graph::new(4, &complete(4)).unwrap();
        let problem = Problem::new(graph, losses, Box::new(Norm2), 0.0).unwrap();
        let clients = Clients::new(&problem);
        let weighting = Weighting::Nodes;
        let rounds = Rounds { max_rounds: 30, tolerance: 0.0, weighting, ..Rounds::default() };
        let a = gossip(&clients, &[5.0], &WORK, 30, 0.0).unwrap();
        let b = fed_avg(&clients, &[5.0], &WORK, &rounds).unwrap();
        assert!(close(a.params.as_slice(), b.params.as_slice(), 1e-13));
    }

    #[test]
    fn a_decreasing_rate_reaches_the_pooled_model() {
        let example = example(LossKind::Squared);
        let clients = Clients::with_points(&example.problem, &example.points).unwrap();
        let best = pooled(&example.problem, Weighting::Nodes).unwrap().params;
        let rate = Rate::InverseRoot(0.1);
        let run = |batch, rounds| {
            let work = LocalSteps { steps: 1, rate, batch, seed: 4 };
            gossip(&clients, &[0.0; 2], &work, rounds, 0.0).unwrap().params
        };
        let off = |a: &Matrix| {
            let pairs = a.as_slice().iter().zip(best.as_slice());
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let (early, late) = (off(&run(None, 400)), off(&run(None, 40_000)));
        assert!(late < 0.2 * early && late < 0.02, "{early} {late}");
        let sampled = off(&run(Some(2), 40_000));
        assert!(sampled < 0.1, "{sampled}");
    }

    #[test]
    fn components_do_not_mix_and_single_nodes_work() {
        let example = coupled(LossKind::Squared, Box::new(Norm2), 0.0, &[(0, 1, 1.0)]);
        let clients = Clients::new(&example.problem);
        let work = LocalSteps { steps: 1, rate: Rate::Constant(0.05), ..WORK };
        let run = gossip(&clients, &[0.0; 2], &work, 20_000, 1e-13).unwrap();
        let local = crate::solve::exact::local(&example.problem);
        for i in [2, 3, 4] {
            assert!(close(run.params.row(i), local.row(i), 1e-9), "{i}");
        }
        assert!(!close(run.params.row(0), local.row(0), 1e-3));
        assert!(gossip(&clients, &[0.0; 2], &work, 1, -1.0).is_err());
    }
}
