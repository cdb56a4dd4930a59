//! Small problems with every method, and their answers in one process.

use std::sync::Arc;

use netfed::baselines::{
    ClientData, FedAvgClient, IfcaClient, LocalSteps, MakeServer, Rate, Serving, make_averaging,
    make_ifca, random_start, star_client, star_server,
};
use netfed::generate::{Noise, linear_data};
use netfed::learning::{
    Algorithm1, Candidates, ConsensusServer, LocalWork, LogDegree, Model, SiloClient,
};
use netfed::loss::Loss;
use netfed::model::{ModelKind, Task};
use netfed::penalty::{Norm2, Penalty};
use netfed::relax::{Examples, Neighbor, RelaxHalf, RelaxNode, RelaxSettings, RelaxWeights};
use netfed::{
    Dataset, Device, FedAdmm, FedAdmmNode, Graph, Half, Link, LocalStep, LossKind, Matrix, Options,
    PrimalDualNode, Problem as Whole, Solver, solve,
};
use netfed_net::{Away, Plan, Rules};
use std::time::Duration;

const LAMBDA: f64 = 0.3;
const ROUNDS_OF_SERVERS: u64 = 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    PrimalDual,
    Admm,
    FedAdmm,
    FedRelax,
    FedAvg,
    Ifca,
    Ppgl,
}

impl Method {
    /// Whether members may go on without each other.
    pub(crate) fn is_patient(self) -> bool {
        !matches!(self, Method::PrimalDual | Method::Admm)
    }

    fn serves(self) -> bool {
        matches!(self, Method::FedAvg | Method::Ifca | Method::Ppgl)
    }
}

/// A problem, who hosts what, and the answers.
pub(crate) struct Problem {
    pub(crate) method: Method,
    pub(crate) graph: Graph,
    pub(crate) host: Vec<usize>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) rules: Rules,
    data: Vec<Dataset>,
    losses: Vec<Box<dyn Loss>>,
    silos: Vec<Option<LogDegree>>,
    candidates: Arc<Candidates>,
    /// Rounds and models, node by node, of the undisturbed run in lock step.
    pub(crate) rounds: u64,
    pub(crate) models: Vec<f64>,
    /// The least objective; none where the method has no objective.
    pub(crate) best: Option<f64>,
}

fn edges(shape: usize, nodes: usize) -> Vec<(usize, usize, f64)> {
    let path = (1..nodes).map(|i| (i - 1, i, 1.0));
    match shape {
        0 => path.collect(),
        1 if nodes > 2 => path.chain([(0, nodes - 1, 0.5)]).collect(),
        2 => (1..nodes).map(|i| (0, i, 1.0)).collect(),
        _ => (0..nodes).flat_map(|i| (0..i).map(move |j| (j, i, 0.4))).collect(),
    }
}

fn data(nodes: usize) -> Vec<Dataset> {
    let mut truth = Matrix::zeros(nodes, 2);
    for i in 0..nodes {
        let side = if 2 * i < nodes { 1.0 } else { -1.0 };
        truth.row_mut(i).copy_from_slice(&[2.0 * side, side]);
    }
    linear_data(&truth, 6, Noise::PerPoint(0.3), 7).unwrap()
}

/// The signals of a silo: features and label of every point.
fn silo(d: &Dataset, candidates: &Arc<Candidates>) -> LogDegree {
    let mut signals = Matrix::zeros(3, d.points());
    for (s, row) in d.rows().enumerate() {
        for (v, x) in row.iter().chain([&d.labels()[s]]).enumerate() {
            signals.row_mut(v)[s] = *x;
        }
    }
    let model = Model { alpha: 1.0, beta: 0.5, zeta: 0.1 };
    LogDegree::new(Arc::clone(candidates), &signals, model).unwrap()
}

/// The rules of a method, whose dimension is still open.
fn rules(method: Method, members: usize) -> Rules {
    let certified = matches!(method, Method::PrimalDual | Method::Admm);
    Rules {
        federation: [3; 16],
        members: (0..members).map(|m| format!("m{m}")).collect(),
        dim: 0,
        rounds: match method {
            Method::PrimalDual | Method::Admm => 100_000,
            Method::FedAdmm => 60,
            Method::FedRelax => 6,
            _ => 2 * ROUNDS_OF_SERVERS + 1,
        },
        tolerance: match method {
            Method::PrimalDual if members > 4 => 1e-9,
            _ if certified => 1e-6,
            _ => 0.0,
        },
        check_every: 10,
        tell_gap: certified,
        away: Away::Wait,
        patience: Duration::from_secs(1),
        staleness: 0,
        meets: false,
    }
}

impl Problem {
    pub(crate) fn new(method: Method, shape: usize, members: usize, nodes: usize) -> Problem {
        let shape = if method.serves() { 2 } else { shape };
        let graph = Graph::new(nodes, &edges(shape, nodes)).unwrap();
        let host: Vec<usize> = (0..nodes).map(|i| i % members).collect();
        let plans = (0..members).map(|m| Plan::new(&graph, &host, m)).collect();
        let mut data = data(nodes);
        if method.serves() {
            data[0] = Dataset::empty(2);
        }
        let losses = data.iter().map(|d| LossKind::Squared.build(d.clone(), 0.0, 0.0).unwrap());
        let candidates = Arc::new(Candidates::all(3).unwrap());
        let silos = data.iter().map(|d| (d.points() > 0).then(|| silo(d, &candidates))).collect();
        let mut problem = Problem {
            method,
            graph,
            host,
            plans,
            rules: rules(method, members),
            losses: losses.collect(),
            data,
            silos,
            candidates,
            rounds: 0,
            models: Vec::new(),
            best: None,
        };
        problem.rules.dim = problem.size();
        problem
    }

    /// Numbers of a message of a node.
    fn size(&self) -> usize {
        match self.method {
            Method::FedRelax => RelaxHalf::length(4, 1),
            Method::Ifca => 4,
            Method::Ppgl => self.candidates.len(),
            _ => 2,
        }
    }

    pub(crate) fn halves(&self, nodes: &[usize]) -> Vec<Box<dyn Half + '_>> {
        nodes.iter().map(|&i| self.half(i)).collect()
    }

    fn half(&self, i: usize) -> Box<dyn Half + '_> {
        let links = Link::of_node(&self.graph, LAMBDA, i);
        let (loss, penalty): (_, &dyn Penalty) = (self.losses[i].as_ref(), &Norm2);
        let device = Device { node: i, loss, points: None, availability: 1.0 };
        match self.method {
            Method::PrimalDual => Box::new(PrimalDualNode::new(loss, penalty, links, 1.0)),
            Method::Admm => {
                let exact = FedAdmm { local: LocalStep::Exact, ..FedAdmm::default() };
                Box::new(FedAdmmNode::new(device, penalty, links, exact))
            }
            Method::FedAdmm => {
                Box::new(FedAdmmNode::new(device, penalty, links, FedAdmm::default()))
            }
            Method::FedRelax => self.relax(i),
            _ => self.star(i),
        }
    }

    fn relax(&self, i: usize) -> Box<dyn Half + '_> {
        let public = [0.5, -1.0, 1.0, 0.3, -0.7, 0.2, 0.1, 0.9].to_vec();
        let public = Arc::new(Matrix::from_rows(2, public).unwrap());
        let d = &self.data[i];
        let own = Examples {
            points: Matrix::from_rows(2, d.features().to_vec()).unwrap(),
            targets: Matrix::from_rows(1, d.labels().to_vec()).unwrap(),
        };
        let neighbors: Vec<Neighbor> = (self.graph.incident(i).iter())
            .map(|inc| Neighbor {
                weight: self.graph.edges()[inc.edge()].weight,
                public: Arc::clone(&public),
            })
            .collect();
        let kind: ModelKind = "ridge".parse().unwrap();
        let settings = RelaxSettings { alpha: 0.5, weights: RelaxWeights::default(), held: None };
        let model = kind.build(Task::Regression, 2, 3);
        let node = RelaxNode::new(model, own, public, &neighbors, settings).unwrap();
        Box::new(RelaxHalf::new(node, self.size()))
    }

    fn star(&self, i: usize) -> Box<dyn Half + '_> {
        let (nodes, size) = (self.graph.nodes(), self.size());
        let silos = nodes - 1;
        let algorithm = Algorithm1 {
            work: LocalWork { steps: 3, ..LocalWork::default() },
            ..Algorithm1::default()
        };
        if i == 0 {
            let clients = self.graph.incident(0).iter().map(|inc| inc.neighbor()).collect();
            let (make, start, answer): (MakeServer, Vec<f64>, usize) = match self.method {
                Method::FedAvg => (make_averaging(), vec![0.0; 2], 2),
                Method::Ifca => {
                    (make_ifca(2), random_start(2, 2, 5).unwrap().as_slice().to_vec(), 3)
                }
                _ => {
                    let make: MakeServer = Box::new(move |_, start| {
                        let server = ConsensusServer::new(algorithm, silos, start.len(), 0.5);
                        Box::new(server.among(nodes).at(start))
                    });
                    (make, vec![algorithm.start; size], size)
                }
            };
            let serving = Serving { clients, nodes, answer, size, fraction: 1.0, seed: 1 };
            return star_server(make, &start, serving);
        }
        let steps = LocalSteps { steps: 2, rate: Rate::Constant(0.05), batch: None, seed: 1 };
        let data = ClientData { node: i, loss: self.losses[i].as_ref(), points: None };
        match self.method {
            Method::FedAvg => star_client(Box::new(FedAvgClient::new(data, steps)), 6.0, 2, size),
            Method::Ifca => star_client(Box::new(IfcaClient::new(data, steps)), 6.0, 4, size),
            _ => {
                let silo = self.silos[i].as_ref().unwrap();
                let client = SiloClient::new(silo, algorithm, silos, LAMBDA * 0.5);
                star_client(Box::new(client), 1.0, size, size)
            }
        }
    }

    /// All halves in one process, for some rounds: the models, node by node.
    pub(crate) fn in_process(&self, rounds: u64) -> Vec<f64> {
        let (dim, nodes) = (self.rules.dim, self.graph.nodes());
        let mut halves = self.halves(&(0..nodes).collect::<Vec<_>>());
        let mut messages = vec![vec![0.0; dim]; nodes];
        for _ in 0..rounds {
            halves.iter_mut().zip(&mut messages).for_each(|(half, m)| half.compute(m));
            for (i, half) in halves.iter_mut().enumerate() {
                for (slot, inc) in self.graph.incident(i).iter().enumerate() {
                    half.absorb(slot, &messages[i], &messages[inc.neighbor()]);
                }
            }
        }
        halves.iter().flat_map(|h| h.answer().to_vec()).collect()
    }

    /// The same by the solver, where there is a certificate: iterations, models, and the least
    /// objective.
    pub(crate) fn solved(&self) -> Option<(u64, Vec<f64>, f64)> {
        if self.method.is_patient() {
            return None;
        }
        let losses = (self.data.iter().cloned())
            .map(|d| LossKind::Squared.build(d, 0.0, 0.0).unwrap())
            .collect();
        let whole = Whole::new(self.graph.clone(), losses, Box::new(Norm2), LAMBDA).unwrap();
        let with = |solver: Solver, tolerance: f64| {
            let options = Options {
                solver,
                tolerance,
                max_iterations: self.rules.rounds,
                check_every: self.rules.check_every,
                ..Options::default()
            };
            solve(&whole, &options).unwrap()
        };
        let (plain, exact) =
            (with(Solver::PrimalDual, self.rules.tolerance), with(Solver::Auto, 1e-10));
        Some((plain.iterations, plain.params.as_slice().to_vec(), exact.certificate.objective))
    }

    /// The objective of models, node by node.
    pub(crate) fn objective(&self, models: &[f64]) -> f64 {
        let of = |i: usize| &models[2 * i..2 * i + 2];
        let nodes: f64 = (0..self.losses.len()).map(|i| self.losses[i].value(of(i))).sum();
        let edge = |e: &netfed::Edge| {
            let diff: Vec<f64> = of(e.tail).iter().zip(of(e.head)).map(|(a, b)| a - b).collect();
            LAMBDA * e.weight * Norm2.value(&diff)
        };
        nodes + self.graph.edges().iter().map(edge).sum::<f64>()
    }
}
