//! Algorithm 1 of "Graph Learning Across Data Silos": every silo works on its graph, a server makes
//! the consensus of the graphs.
//!
//!   silo     γᵢ = 1/(‖wᵢ − c‖ + ε), 1/I in the first round; K steps of `log_degree/steps.rs`, pulled to c with strength ργᵢ; sends wᵢ
//!   server   c = max(0, (Σ γᵢwᵢ − 1/ν)/Σ γᵢ)                                                                     (24)
//!            γᵢ = 1/(‖wᵢ − c‖ + ε); sends c                                                                       (25)
//!
//! The paper's server also sends γᵢ, which the silo knows itself. λ cancels in (24). The halves
//! have no input and output: whoever delivers the messages gets the same bits. Where wᵢ comes near
//! c, γᵢ explodes and the pair stops moving, at a point that need not be optimal: the exact answer
//! is in `exact.rs`.

use super::{SiloGraphs, Silos};
use crate::error::positive;
use crate::learning::LogDegree;
use crate::learning::log_degree::steps::{LocalWork, Moving};
use crate::methods::server::answers;
use crate::methods::{Answer, Client, Server};
use crate::numeric::linalg::{axpy, distance};
use crate::outcome::{Event, Observer, Unobserved};
use crate::{Error, Matrix};

/// Settings of Algorithm 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Algorithm1 {
    /// T
    pub rounds: u64,
    /// The work of a silo in a round.
    pub work: LocalWork,
    /// ε of (25).
    pub epsilon: f64,
    /// Whether γ follows (25); else it stays 1/I.
    pub adaptive: bool,
    /// The weight that every pair starts with.
    pub start: f64,
}

impl Default for Algorithm1 {
    fn default() -> Algorithm1 {
        let work = LocalWork::default();
        Algorithm1 { rounds: 50, work, epsilon: 1e-12, adaptive: true, start: 0.1 }
    }
}

impl Algorithm1 {
    /// γ of a silo at a distance from the consensus.
    fn contribution(&self, apart: f64, silos: usize) -> f64 {
        if self.adaptive { 1.0 / (apart + self.epsilon) } else { 1.0 / silos as f64 }
    }

    fn check(&self, silos: &Silos) -> Result<(), Error> {
        for (name, value) in [("epsilon", self.epsilon), ("the start", self.start)] {
            positive(name, value)?;
        }
        silos.silos().iter().try_for_each(|silo| self.work.check(silo.model().zeta))
    }
}

/// The half of a silo.
pub struct SiloClient<'a> {
    silo: &'a LogDegree,
    settings: Algorithm1,
    silos: usize,
    rho: f64,
    weights: Moving,
}

impl<'a> SiloClient<'a> {
    /// One of `silos` silos with coupling ρ.
    pub fn new(
        silo: &'a LogDegree,
        settings: Algorithm1,
        silos: usize,
        rho: f64,
    ) -> SiloClient<'a> {
        let start = vec![settings.start; silo.candidates().len()];
        SiloClient { silo, settings, silos, rho, weights: Moving::at(&start) }
    }
}

impl Client for SiloClient<'_> {
    /// Takes the consensus, answers with the graph.
    fn answer(&mut self, round: u64, message: &[f64]) -> (Vec<f64>, f64) {
        let gamma = match round {
            0 => 1.0 / self.silos as f64,
            _ => self.settings.contribution(distance(&self.weights.now, message), self.silos),
        };
        self.weights.work(self.silo, &self.settings.work, self.rho * gamma, message);
        (self.weights.now.clone(), self.silo.objective(message))
    }

    fn model(&self, _message: &[f64]) -> Vec<f64> {
        self.weights.now.clone()
    }

    /// The graph now and before the last step.
    fn memory(&self) -> Vec<f64> {
        [&self.weights.now[..], &self.weights.before].concat()
    }

    fn remember(&mut self, memory: &[f64]) -> bool {
        let pairs = self.weights.now.len();
        if memory.len() != 2 * pairs {
            return false;
        }
        let (now, before) = memory.split_at(pairs);
        self.weights = Moving { now: now.to_vec(), before: before.to_vec() };
        true
    }
}

/// The half of the server.
pub struct ConsensusServer {
    settings: Algorithm1,
    nu: f64,
    silos: usize,
    consensus: Vec<f64>,
    /// γ
    contributions: Vec<f64>,
}

impl ConsensusServer {
    /// The server of some silos with some number of pairs.
    pub fn new(settings: Algorithm1, silos: usize, pairs: usize, nu: f64) -> ConsensusServer {
        let contributions = vec![1.0 / silos as f64; silos];
        let consensus = vec![settings.start; pairs];
        ConsensusServer { settings, nu, silos, consensus, contributions }
    }

    /// The same, where the silos are some of so many nodes.
    pub fn among(self, nodes: usize) -> ConsensusServer {
        ConsensusServer { contributions: vec![1.0 / self.silos as f64; nodes], ..self }
    }

    /// The same, with another consensus to begin with.
    pub fn at(self, consensus: &[f64]) -> ConsensusServer {
        ConsensusServer { consensus: consensus.to_vec(), ..self }
    }

    /// γ of every silo.
    pub fn contributions(&self) -> &[f64] {
        &self.contributions
    }
}

impl Server for ConsensusServer {
    fn message(&self) -> &[f64] {
        &self.consensus
    }

    fn absorb(&mut self, _round: u64, answers: &[Answer]) {
        let (nodes, pairs) = (self.contributions.len(), self.consensus.len());
        let fits = |a: &&Answer| {
            a.node < nodes && a.values.len() == pairs && a.values.iter().all(|w| w.is_finite())
        };
        let answers: Vec<&Answer> = answers.iter().filter(fits).collect();
        if answers.is_empty() {
            return;
        }
        let total: f64 = answers.iter().map(|a| self.contributions[a.node]).sum();
        self.consensus.fill(0.0);
        for a in &answers {
            axpy(self.contributions[a.node], &a.values, &mut self.consensus);
        }
        let threshold = 1.0 / (self.nu * total);
        self.consensus.iter_mut().for_each(|c| *c = (*c / total - threshold).max(0.0));
        for a in &answers {
            let apart = distance(&a.values, &self.consensus);
            self.contributions[a.node] = self.settings.contribution(apart, self.silos);
        }
    }

    /// γ
    fn memory(&self) -> Vec<f64> {
        self.contributions.clone()
    }

    fn remember(&mut self, memory: &[f64]) -> bool {
        if memory.len() != self.contributions.len() {
            return false;
        }
        self.contributions.copy_from_slice(memory);
        true
    }
}

/// Runs Algorithm 1; also gives γ of every silo.
pub fn algorithm1(silos: &Silos, settings: &Algorithm1) -> Result<(SiloGraphs, Vec<f64>), Error> {
    algorithm1_with(silos, settings, &mut Unobserved)
}

/// [`algorithm1()`] with an observer, who is told after every round and before the first, and may
/// end the run.
pub fn algorithm1_with(
    silos: &Silos,
    settings: &Algorithm1,
    observer: &mut dyn Observer,
) -> Result<(SiloGraphs, Vec<f64>), Error> {
    settings.check(silos)?;
    let (count, pairs) = (silos.silos().len(), silos.candidates().len());
    let mut clients: Vec<SiloClient<'_>> = (silos.silos().iter())
        .map(|silo| SiloClient::new(silo, *settings, count, silos.rho()))
        .collect();
    let mut server = ConsensusServer::new(*settings, count, pairs, silos.nu());
    let mut locals = Matrix::zeros(count, pairs);
    locals.as_mut_slice().fill(settings.start);
    let cost = settings.work.steps * pairs;
    let mut rounds = 0;
    loop {
        let event = Event::round(rounds).with(&locals, Some(server.message()));
        if observer.observe(event).is_break() || rounds == settings.rounds {
            break;
        }
        let said = answers(&mut clients, cost, rounds, server.message(), |_| true);
        let said: Vec<Answer> = said.into_iter().map(|(answer, _)| answer).collect();
        said.iter().for_each(|a| locals.row_mut(a.node).copy_from_slice(&a.values));
        server.absorb(rounds, &said);
        rounds += 1;
    }
    let graphs = silos.appraise(locals, server.message().to_vec(), rounds);
    Ok((graphs, server.contributions))
}
