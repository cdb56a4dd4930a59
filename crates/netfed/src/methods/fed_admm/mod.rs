//! One node's half of ADMM and of Fed-ADMM, the decentralized stochastic ADMM (17)-(21) of
//! "Heterogeneous Federated Learning on a Graph".
//!
//! In the duals u of netfed (α = −sign·u at either end; both copies of α and β follow from u and
//! the models) a round t is
//!
//!   exact      θ⁺ = prox_{L/(ρd)}(θ − (1/(ρd)) Σ sign·(2u − u₋))                                  (ADMM)
//!   explicit   θ⁺ = θ − η(t)·{g̃ + Σ sign·(2u − u₋)},   η(t) = κ/t                                 (17)
//!   proximal   the same with η(t)/(1 + ρdη(t)) for η(t)                                            (20)
//!   u⁺ = prox_{(ρ/2)(cφ)*}(u + (ρ/2)(θ_tail − θ_head))                                            (18), (19)
//!
//! with d the number of neighbors, u₋ the duals of the exchange before, and g̃ the gradient of a
//! mini-batch. A device that is not there in a round has no gradient (21b); one that is there has
//! g̃/p, with p the probability that it is there (21a), given or estimated as the share of the
//! rounds so far. The objective is netfed's own: the paper's losses have a factor ½ and its λ
//! stands for one node of |V|, see docs/methods.md.

mod settings;

pub use settings::{FedAdmm, LocalStep, Weighting};

use super::half::Half;
use super::primal_dual::edge_step;
use crate::certificate::{Certified, Share, share};
use crate::graph::Link;
use crate::loss::{Loss, Sampled};
use crate::numeric::linalg::axpy;
use crate::numeric::sampling::{available, batch};
use crate::penalty::Penalty;

/// A device: its loss, its points where mini-batches are drawn, and how often it is there.
#[derive(Clone, Copy)]
pub struct Device<'a> {
    /// Its place in the graph, which its random draws depend on.
    pub node: usize,
    /// L
    pub loss: &'a dyn Loss,
    /// The points of L; needed for mini-batches.
    pub points: Option<&'a Sampled>,
    /// The probability that it is there.
    pub availability: f64,
}

/// State of one node in ADMM or Fed-ADMM.
pub struct FedAdmmNode<'a> {
    device: Device<'a>,
    penalty: &'a dyn Penalty,
    links: Vec<Link>,
    settings: FedAdmm,
    /// Rounds so far, and those in which the device was there.
    round: u64,
    present: u64,
    params: Vec<f64>,
    duals: Vec<f64>,
    /// u₋
    before: Vec<f64>,
    /// Mean of the models that count.
    mean: Vec<f64>,
    gradient: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'a> FedAdmmNode<'a> {
    /// A node with its edges in slot order, at θ = 0 and u = 0; with exact steps and no edges, at a
    /// minimizer of its own loss.
    pub fn new(
        device: Device<'a>,
        penalty: &'a dyn Penalty,
        links: Vec<Link>,
        settings: FedAdmm,
    ) -> FedAdmmNode<'a> {
        let dim = device.loss.dim();
        let mut node = FedAdmmNode {
            device,
            penalty,
            settings,
            round: 0,
            present: 0,
            params: vec![0.0; dim],
            duals: vec![0.0; dim * links.len()],
            before: vec![0.0; dim * links.len()],
            mean: vec![0.0; dim],
            gradient: vec![0.0; dim],
            scratch: vec![0.0; dim],
            links,
        };
        if node.links.is_empty() && settings.local == LocalStep::Exact {
            let slope = vec![0.0; dim];
            device.loss.maximizer(&slope, &mut node.params);
        }
        node
    }

    /// Changes ρ.
    pub(crate) fn set_rho(&mut self, rho: f64) {
        self.settings.rho = rho;
    }

    /// Whether the device is there in the coming round, and the points of its mini-batch.
    fn draw(&self) -> (bool, Option<Vec<usize>>) {
        let Device { node, points, availability, .. } = self.device;
        let (seed, round) = (self.settings.seed, self.round + 1);
        let rows = self
            .settings
            .batch
            .zip(points)
            .map(|(size, points)| batch(seed, node, round, points.points(), size));
        (available(seed, node, round, availability), rows)
    }

    /// Σ sign·(2u − u₋), in slot order.
    fn pull(&self, out: &mut [f64]) {
        out.fill(0.0);
        let slots = self.duals.chunks_exact(out.len()).zip(self.before.chunks_exact(out.len()));
        for (link, (u, before)) in self.links.iter().zip(slots) {
            for ((o, u), b) in out.iter_mut().zip(u).zip(before) {
                *o += link.sign * (2.0 * u - b);
            }
        }
    }

    /// The local step of a round in which the device is there or not, with the points of its
    /// mini-batch or all of them.
    fn advance(&mut self, start: Option<&[f64]>, present: bool, rows: Option<&[usize]>) {
        if let Some(counted @ 1..) = (self.round + 1).checked_sub(self.settings.average_after) {
            for (m, w) in self.mean.iter_mut().zip(&self.params) {
                *m += (w - *m) / counted as f64;
            }
        }
        self.round += 1;
        let mut pull = std::mem::take(&mut self.scratch);
        self.pull(&mut pull);
        let FedAdmm { rho, kappa, delay, local, weighting, .. } = self.settings;
        let coupling = rho * self.links.len() as f64;
        if local == LocalStep::Exact {
            if !self.links.is_empty() {
                for (p, s) in pull.iter_mut().zip(start.unwrap_or(&self.params)) {
                    *p = s - *p / coupling;
                }
                self.device.loss.prox(&pull, 1.0 / coupling, &mut self.params);
            }
        } else {
            for ((p, w), s) in pull.iter_mut().zip(&self.params).zip(start.unwrap_or_default()) {
                *p += coupling * (w - s);
            }
            if present {
                let weight = match weighting {
                    Weighting::Known => 1.0 / self.device.availability,
                    Weighting::Estimated => self.round as f64 / (1 + self.present) as f64,
                    Weighting::None => 1.0,
                };
                match (rows, self.device.points) {
                    (Some(rows), Some(points)) => {
                        points.gradient(&self.params, rows, &mut self.gradient);
                    }
                    _ => self.device.loss.gradient(&self.params, &mut self.gradient),
                }
                axpy(weight, &self.gradient, &mut pull);
            }
            let step = kappa / (self.round as f64 + delay);
            let step = match local {
                LocalStep::Explicit => step,
                _ => step / (1.0 + coupling * step),
            };
            axpy(-step, &pull, &mut self.params);
        }
        self.present += u64::from(present);
        self.scratch = pull;
    }
}

impl Half for FedAdmmNode<'_> {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn duals(&self) -> &[f64] {
        &self.duals
    }

    fn set(&mut self, params: &[f64], duals: &[f64]) {
        self.params.copy_from_slice(params);
        self.duals.copy_from_slice(duals);
    }

    fn begin(&mut self, params: &[f64], duals: &[f64]) {
        self.set(params, duals);
        self.before.copy_from_slice(duals);
    }

    fn answer(&self) -> &[f64] {
        let averaged =
            self.settings.local != LocalStep::Exact && self.round > self.settings.average_after;
        if averaged { &self.mean } else { &self.params }
    }

    fn memory(&self) -> Vec<f64> {
        let numbers = [self.round as f64, self.present as f64].into_iter();
        numbers.chain(self.mean.iter().chain(&self.before).copied()).collect()
    }

    fn remember(&mut self, memory: &[f64]) -> bool {
        match memory {
            [round, present, rest @ ..] if rest.len() == self.mean.len() + self.before.len() => {
                (self.round, self.present) = (*round as u64, *present as u64);
                let (mean, before) = rest.split_at(self.mean.len());
                self.mean.copy_from_slice(mean);
                self.before.copy_from_slice(before);
                true
            }
            _ => false,
        }
    }

    fn compute_from(&mut self, start: Option<&[f64]>, message: &mut [f64]) {
        let (present, rows) = self.draw();
        self.advance(start, present, rows.as_deref());
        message.copy_from_slice(&self.params);
    }

    fn absorb(&mut self, slot: usize, sent: &[f64], received: &[f64]) {
        let dim = self.params.len();
        let Link { sign, coupling } = self.links[slot];
        let (tail, head) = if sign > 0.0 { (sent, received) } else { (received, sent) };
        let range = slot * dim..(slot + 1) * dim;
        self.before[range.clone()].copy_from_slice(&self.duals[range.clone()]);
        let u = &mut self.duals[range];
        edge_step(self.penalty, coupling, 0.5 * self.settings.rho, tail, head, u);
    }

    fn message(&self, _before: &[f64], now: &[f64], out: &mut [f64]) {
        out.copy_from_slice(now);
    }

    fn certified(&self) -> Option<&dyn Certified> {
        Some(self)
    }
}

impl Certified for FedAdmmNode<'_> {
    fn share(&self) -> Share {
        share::of_half(self.device.loss, &self.links, &self.params, &self.duals)
    }

    fn edge_share(&self, slot: usize, neighbor: &[f64]) -> Share {
        let ends = (self.params.as_slice(), neighbor);
        share::of_slot(self.penalty, self.links[slot], ends, self.dual(slot))
    }
}

#[cfg(test)]
mod trajectories;
