//! The sections of a description that belong to single methods.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Description;
use super::method::Method;
use crate::error::Error;

/// Refuses sections and settings that the method does not have, and asks for those that it needs.
pub(super) fn check_sections(d: &Description) -> Result<(), Error> {
    let wrong = |what: String| Err(Error::Invalid(what));
    let (method, serves) = (d.method, d.method.serves());
    if method.in_step() && (d.staleness > 0 || d.away == "without") {
        return wrong(format!("{method} goes in lock step; leave --async and --away without out."));
    }
    match &d.server {
        Some(server) if serves => server.check(d)?,
        None if serves => return wrong(format!("{method} needs a server; say --server.")),
        Some(_) => return wrong(format!("{method} has no server.")),
        None => {}
    }
    match (&d.relax, &d.learning, method) {
        (Some(relax), None, Method::FedRelax) => relax.check(d),
        (None, Some(learning), Method::Ppgl) => learning.check(),
        (None, None, Method::FedRelax) => wrong("fed-relax needs public points.".into()),
        (None, None, Method::Ppgl) => wrong("ppgl needs a section [learning].".into()),
        (None, None, _) => Ok(()),
        _ => wrong(format!("{method} has no section [relax] or [learning].")),
    }
}

/// A method with a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Serving {
    /// The node that serves; it has no data.
    pub node: String,
    /// The learning rate; none with `ppgl`, where the steps are stable by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Gradient steps of a client in a round.
    pub steps: u64,
    /// Models of IFCA.
    pub models: usize,
    /// The part of the clients that counts in a round.
    pub fraction: f64,
}

impl Serving {
    pub(super) fn check(&self, d: &Description) -> Result<(), Error> {
        let wrong = |what: String| Err(Error::Invalid(what));
        if !d.members.iter().flat_map(|m| &m.nodes).any(|n| *n == self.node) {
            return wrong(format!("the server \"{}\" is not a node of any member.", self.node));
        }
        match (self.rate, &d.learning) {
            (None, None) => return wrong("a method with a server needs a learning rate.".into()),
            (Some(rate), _) if !(rate > 0.0 && rate.is_finite()) => {
                return wrong(format!("the learning rate is {rate}; it must be more than 0."));
            }
            // The curvature is at least 4β; momentum .9 bears steps of 1.36 over it.
            (Some(rate), Some(l)) if rate * 4.0 * l.beta > 1.36 => {
                return wrong(format!(
                    "the learning rate is {rate}; for beta {} it must be below {:.3e}, or else the weights blow up. Without --rate the steps are stable.",
                    l.beta,
                    0.34 / l.beta
                ));
            }
            _ => {}
        }
        if self.steps == 0 || self.models == 0 {
            return wrong("a round needs at least one step and one model.".into());
        }
        if !(self.fraction > 0.0 && self.fraction <= 1.0) {
            let fraction = self.fraction;
            return wrong(format!("the fraction is {fraction}; it must be above 0 and at most 1."));
        }
        if d.tolerance != 0.0 || d.rounds.is_multiple_of(2) {
            return wrong("a method with a server has the tolerance 0 and 2T + 1 rounds.".into());
        }
        let star = |(a, b, _): &(String, String, f64)| (*a == self.node) != (*b == self.node);
        if !d.graph.edges.iter().all(star) {
            return wrong("with a server, every edge leads to it.".into());
        }
        Ok(())
    }
}

/// Models of any kind, coupled by their predictions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relaxing {
    /// The model of members that choose no other, with its options.
    pub model: String,
    /// The labels of the classes, in increasing order; empty where numbers are predicted.
    pub classes: Vec<f64>,
    /// The public points: the features in their order.
    pub public: Vec<Vec<f64>>,
    /// The node of every public point, where each node has points of its own; empty: all nodes have
    /// all points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub public_of: Vec<String>,
}

impl Relaxing {
    pub(super) fn check(&self, d: &Description) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::Invalid(what.into()));
        let width = self.public.first().map_or(0, Vec::len);
        let good = |p: &Vec<f64>| p.len() == width && p.iter().all(|v| v.is_finite());
        if width == 0 || !self.public.iter().all(good) {
            return wrong("there must be public points, all with the same number of features.");
        }
        let owners: HashSet<&String> = self.public_of.iter().collect();
        let nodes: HashSet<&String> = d.members.iter().flat_map(|m| &m.nodes).collect();
        let own = !owners.is_empty();
        if own && (self.public_of.len() != self.public.len() || owners != nodes) {
            return wrong("where public points belong to nodes, each point and each node must.");
        }
        let rising = self.classes.windows(2).all(|c| c[0] < c[1]);
        if self.classes.len() == 1 || !rising {
            return wrong("there must be two or more classes, in increasing order; or none.");
        }
        if d.tolerance != 0.0 || d.rounds == 0 {
            return wrong("fed-relax has the tolerance 0 and at least one round.");
        }
        Ok(())
    }
}

/// Graphs learned across silos.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learning {
    /// Weight of the logarithms of the degrees.
    pub alpha: f64,
    /// Weight of the squares of the edge weights.
    pub beta: f64,
    /// Added to the degrees inside the logarithm.
    pub zeta: f64,
    /// Strength of the coupling relative to the sparsity of the consensus.
    pub nu: f64,
}

impl Learning {
    pub(super) fn check(&self) -> Result<(), Error> {
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta), ("nu", self.nu)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::Invalid(format!("{name} is {value}; it must be more than 0.")));
            }
        }
        if self.zeta > 0.0 && self.zeta.is_finite() {
            Ok(())
        } else {
            Err(Error::Invalid(format!("zeta is {}; expected more than 0.", self.zeta)))
        }
    }
}
