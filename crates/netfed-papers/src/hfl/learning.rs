//! Figure S.1: error of the models after t rounds of Fed-ADMM and of (sub)gradient descent, with
//! all points or mini-batches of 10.
//!
//! K = 5, p = 20, corruption .1, λ by cross-validation, models of covariance I/√p (as the re-run),
//! all models start at 0. ρ = 1/(mean degree), η(t) = κ/t with κ = 1 or the κ of Condition 2, the
//! least one with 1/κ ≤ eigenvalues of XᵀX/n ≤ κ. Gradient descent has steps c/√t. netfed's squared
//! loss carries no ½: ρ is doubled and steps are halved.

use netfed::baselines::{ClientData, LocalSteps, Rate, SubgradientNode};
use netfed::generate::corrupted;
use netfed::loss::{Compact, Sampled};
use netfed::{
    Device, FedAdmm, FedAdmmNode, Graph, Half, Link, LocalStep, LossKind, Options, Problem,
};
use netfed_cli::Failure;
use netfed_cli::progress::interrupted;

use super::instance::{Covariance, DIM, Instance};
use super::methods::{FOLDS, alone};
use super::squares::SquareFolds;
use crate::runs::{parameter_error, run};

pub(crate) const LEVEL: f64 = 0.1;
const BATCH: usize = 10;
pub(crate) const ROUNDS: [u64; 7] = [10, 20, 50, 100, 200, 500, 1000];

/// A method with its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Method {
    /// Local step, κ or that of Condition 2, mini-batches.
    FedAdmm(LocalStep, Option<f64>, bool),
    /// c in c/√t, mini-batches.
    Descent(f64, bool),
}

pub(crate) const METHODS: [Method; 12] = [
    Method::FedAdmm(LocalStep::Proximal, None, false),
    Method::FedAdmm(LocalStep::Proximal, Some(1.0), false),
    Method::FedAdmm(LocalStep::Explicit, None, false),
    Method::Descent(0.1, false),
    Method::Descent(0.3, false),
    Method::Descent(1.0, false),
    Method::FedAdmm(LocalStep::Proximal, None, true),
    Method::FedAdmm(LocalStep::Proximal, Some(1.0), true),
    Method::FedAdmm(LocalStep::Explicit, None, true),
    Method::Descent(0.03, true),
    Method::Descent(0.1, true),
    Method::Descent(0.3, true),
];

impl Method {
    /// Its name in data/paper.
    pub(crate) fn name(self) -> String {
        match self {
            Method::FedAdmm(local, kappa, batches) => {
                let points = if batches { "b10" } else { "full" };
                let step = if local == LocalStep::Explicit { "explicit" } else { "prox" };
                let kappa = kappa.map_or("theory".into(), |k: f64| k.to_string());
                format!("Fed-ADMM {points} {step} kappa={kappa}")
            }
            Method::Descent(c, false) => format!("GD {c:?}/sqrt(t)"),
            Method::Descent(c, true) => format!("SGD b10 {c:?}/sqrt(t)"),
        }
    }
}

/// One problem of the figure.
pub(crate) struct Setting {
    instance: Instance,
    problem: Problem,
    points: Vec<Sampled>,
    /// Error of the optimum of (4).
    pub(crate) optimum: f64,
    kappa: f64,
    seed: u64,
}

impl Setting {
    pub(crate) fn draw(nodes: usize, points: usize, seed: u64) -> Result<Setting, Failure> {
        let instance = Instance::draw(Covariance::OverRootP, nodes, points, seed)?;
        let graph = corrupted(&instance.clean, LEVEL, seed.wrapping_add(1 << 33))?;
        let (lambda, _) = SquareFolds::new(&instance.data, FOLDS).tune(&graph)?;
        let problem = alone(&instance.data)?.on_graph(graph)?.at_lambda(lambda)?;
        let best = run(&problem, &Options::default())?;
        let sampled = |d: &netfed::Dataset| Sampled::new(LossKind::Squared, d.clone(), 0.0, 0.0);
        Ok(Setting {
            optimum: parameter_error(&best.params, &instance.truth),
            kappa: condition_number(&problem),
            points: instance.data.iter().map(sampled).collect::<Result<_, _>>()?,
            problem,
            instance,
            seed,
        })
    }

    /// The errors after the rounds of [`ROUNDS`].
    pub(crate) fn run(&self, method: Method) -> Result<Vec<f64>, Failure> {
        match method {
            Method::FedAdmm(local, kappa, batches) => self.fed_admm(local, kappa, batches),
            Method::Descent(c, batches) => self.descent(c, batches),
        }
    }

    fn fed_admm(
        &self,
        local: LocalStep,
        kappa: Option<f64>,
        batches: bool,
    ) -> Result<Vec<f64>, Failure> {
        let graph = self.problem.graph();
        let degree = 2.0 * graph.edges().len() as f64 / graph.nodes() as f64;
        let settings = FedAdmm {
            rho: 2.0 / degree.max(1.0),
            kappa: 0.5 * kappa.unwrap_or(self.kappa),
            local,
            batch: batches.then_some(BATCH),
            seed: self.seed,
            ..FedAdmm::default()
        };
        let node = |i: usize| {
            let points = Some(&self.points[i]);
            let device = Device { node: i, loss: self.problem.loss(i), points, availability: 1.0 };
            let links = Link::of_node(graph, self.problem.lambda(), i);
            FedAdmmNode::new(device, self.problem.penalty(), links, settings)
        };
        self.record((0..graph.nodes()).map(node).collect())
    }

    fn descent(&self, c: f64, batches: bool) -> Result<Vec<f64>, Failure> {
        let graph: &Graph = self.problem.graph();
        let work = LocalSteps {
            rate: Rate::InverseRoot(0.5 * c),
            batch: batches.then_some(BATCH),
            seed: self.seed,
            ..LocalSteps::default()
        };
        let node = |i: usize| {
            let points = Some(&self.points[i]);
            let data = ClientData { node: i, loss: self.problem.loss(i), points };
            let links = Link::of_node(graph, self.problem.lambda(), i);
            SubgradientNode::new(data, self.problem.penalty(), links, work, vec![0.0; DIM])
        };
        self.record((0..graph.nodes()).map(node).collect())
    }

    /// Runs all rounds and keeps the errors of some.
    fn record<H: Half>(&self, mut nodes: Vec<H>) -> Result<Vec<f64>, Failure> {
        let graph = self.problem.graph();
        let mut messages = vec![vec![0.0; DIM]; nodes.len()];
        let mut errors = Vec::new();
        for t in 1..=ROUNDS[ROUNDS.len() - 1] {
            nodes.iter_mut().zip(&mut messages).for_each(|(n, m)| n.compute(m));
            for (i, node) in nodes.iter_mut().enumerate() {
                for (slot, inc) in graph.incident(i).iter().enumerate() {
                    node.absorb(slot, &messages[i], &messages[inc.neighbor()]);
                }
            }
            if ROUNDS.contains(&t) {
                errors.push(self.error(nodes.iter().map(|n| n.params())));
            }
            if interrupted() {
                return Err(Failure::other("interrupted; nothing was written.".into()));
            }
        }
        Ok(errors)
    }

    fn error<'a>(&self, models: impl Iterator<Item = &'a [f64]>) -> f64 {
        let pairs = models.flatten().zip(self.instance.truth.as_slice());
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / self.problem.nodes() as f64
    }
}

/// κ of Condition 2.
fn condition_number(problem: &Problem) -> f64 {
    let mut kappa = 1.0f64;
    for i in 0..problem.nodes() {
        if let Some(Compact::LeastSquares { points, singular, .. }) = problem.loss(i).compact() {
            for s in singular {
                let eigenvalue = s * s / points;
                kappa = kappa.max(eigenvalue).max(1.0 / eigenvalue);
            }
        }
    }
    kappa
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_methods_tend_to_the_optimum() {
        let setting = Setting::draw(20, 100, 5).unwrap();
        assert!((3.0..6.0).contains(&setting.kappa), "{}", setting.kappa);
        let off = |method, round: usize| -> f64 {
            let errors = setting.run(method).unwrap();
            (errors[round] / setting.optimum - 1.0).abs()
        };
        let last = ROUNDS.len() - 1;
        assert!(off(METHODS[0], 2) < 0.01, "{}", off(METHODS[0], 2));
        assert!(off(METHODS[0], last) < 1e-3, "{}", off(METHODS[0], last));
        assert!(off(Method::Descent(0.3, false), last) < 0.01);
        assert!(off(Method::Descent(0.3, true), last) < 0.15);
        assert!(off(Method::FedAdmm(LocalStep::Proximal, None, true), last) < 0.15);
        let early = off(Method::Descent(0.1, false), 2);
        assert!(early > 0.5, "small steps are slow: {early}");
    }
}
