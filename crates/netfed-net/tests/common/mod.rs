//! A small problem, its answer in one process, and peers in threads.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests")]

pub(crate) mod ends;
pub(crate) mod site;

use netfed::generate::{Noise, linear_data};
use netfed::loss::Loss;
use netfed::penalty::{Norm2, Penalty};
use netfed::{
    Graph, Half, Link, LossKind, Matrix, Options, PrimalDualNode, Problem, Solution, Solver, solve,
};
use netfed_net::disk::{Disk, Writer};
use netfed_net::{Away, Metrics, Outcome, Peer, Plan, Rules, Transport, state::Store};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(crate) const LAMBDA: f64 = 0.3;

pub(crate) struct World {
    pub(crate) graph: Graph,
    pub(crate) losses: Vec<Box<dyn Loss>>,
    pub(crate) host: Vec<usize>,
    pub(crate) rules: Rules,
}

/// Data of `nodes` nodes in two halves.
fn losses(nodes: usize) -> Vec<Box<dyn Loss>> {
    let mut truth = Matrix::zeros(nodes, 2);
    for i in 0..nodes {
        let side = if 2 * i < nodes { 1.0 } else { -1.0 };
        truth.row_mut(i).copy_from_slice(&[2.0 * side, side]);
    }
    let data = linear_data(&truth, 4, Noise::PerPoint(0.3), 7).unwrap();
    data.into_iter().map(|d| LossKind::Squared.build(d, 0.0, 0.0).unwrap()).collect()
}

/// `nodes` nodes on `members` members, with noisy linear data; a connected graph.
pub(crate) fn world(nodes: usize, members: usize) -> World {
    let near = (1..nodes).map(|i| (i - 1, i, 1.0));
    let far = (4..nodes).map(|i| (i - 4, i, 0.5));
    let graph = Graph::new(nodes, &near.chain(far).collect::<Vec<_>>()).unwrap();
    let rules = Rules {
        federation: [3; 16],
        members: (0..members).map(|m| format!("m{m}")).collect(),
        dim: 2,
        rounds: 100_000,
        tolerance: 1e-6,
        check_every: 10,
        tell_gap: true,
        away: Away::Wait,
        patience: Duration::from_secs(5),
        staleness: 0,
        meets: false,
    };
    let host = (0..nodes).map(|i| i % members).collect();
    World { graph, losses: losses(nodes), host, rules }
}

/// Logs as RUST_LOG says.
fn log() {
    let _ = tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .try_init();
}

impl World {
    /// Algorithm 1 in one process.
    pub(crate) fn in_process(&self) -> Solution {
        let problem =
            Problem::new(self.graph.clone(), losses(self.graph.nodes()), Box::new(Norm2), LAMBDA)
                .unwrap();
        let options = Options {
            solver: Solver::PrimalDual,
            tolerance: self.rules.tolerance,
            max_iterations: self.rules.rounds,
            check_every: self.rules.check_every,
            ..Options::default()
        };
        solve(&problem, &options).unwrap()
    }

    /// Runs one member to its end.
    pub(crate) fn run(
        &self,
        member: usize,
        transport: impl Transport,
        state: Option<&Path>,
        stop: &AtomicBool,
    ) -> Result<Outcome, netfed_net::Error> {
        log();
        let plan = Plan::new(&self.graph, &self.host, member);
        let penalty: &dyn Penalty = &Norm2;
        let node = |&i: &usize| -> Box<dyn Half> {
            let links = Link::of_node(&self.graph, LAMBDA, i);
            Box::new(PrimalDualNode::new(self.losses[i].as_ref(), penalty, links, 1.0))
        };
        let nodes = plan.nodes.iter().map(node).collect();
        let store = state.map(|folder| Store::open(folder, self.rules.federation)).transpose()?;
        let disk = store.map(|store| Box::new(Writer::new(store)) as Box<dyn Disk>);
        let names = plan.links.iter().map(|l| self.rules.members[l.member].clone()).collect();
        let metrics = Metrics::new(self.rules.members[member].clone(), names);
        Peer::new(&self.rules, &plan, nodes, transport, disk, &metrics, stop)?
            .run(Duration::from_millis(700))
    }

    /// The models of all nodes from the outcomes of all members.
    pub(crate) fn params(&self, outcomes: &[Outcome]) -> Matrix {
        let mut params = Matrix::zeros(self.graph.nodes(), 2);
        for (m, outcome) in outcomes.iter().enumerate() {
            let own = (0..self.host.len()).filter(|&i| self.host[i] == m);
            own.zip(outcome.params.chunks_exact(2))
                .for_each(|(i, w)| params.row_mut(i).copy_from_slice(w));
        }
        params
    }

    /// All members in threads.
    pub(crate) fn run_all<T: Transport + Send>(&self, ends: Vec<T>) -> Vec<Outcome> {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let threads: Vec<_> = ends
                .into_iter()
                .enumerate()
                .map(|(m, end)| {
                    scope.spawn({
                        let stop = &stop;
                        move || self.run(m, end, None, stop)
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap().unwrap()).collect()
        })
    }
}
