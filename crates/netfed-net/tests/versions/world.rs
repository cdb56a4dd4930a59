//! Two versions of a federation, and the answer under the second.

use crate::chance::Chance;
use netfed::loss::Loss;
use netfed::penalty::{Norm2, Penalty};
use netfed::{Dataset, Half, Link, LossKind, Options, PrimalDualNode, Problem, Solver, solve};
use netfed_net::description::{Federation, Member};
use netfed_net::{Plan, Rules};

const LAMBDA: f64 = 0.4;

/// One version, with all that its members need.
pub(crate) struct Version {
    pub(crate) federation: Federation,
    pub(crate) plans: Vec<Plan>,
    pub(crate) rules: Rules,
    losses: Vec<Box<dyn Loss>>,
}

/// Data of a node, which follow from its name.
fn data(name: &str) -> Dataset {
    let seed = name.bytes().fold(7, |seed, b| 31 * seed + u64::from(b));
    let mut chance = Chance::new(seed);
    let side = if chance.hit(0.5) { 1.0 } else { -1.0 };
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..6 {
        let (a, b) = (2.0 * chance.unit() - 1.0, 2.0 * chance.unit() - 1.0);
        x.extend([a, b]);
        y.push(side * (2.0 * a + b) + 0.3 * chance.unit());
    }
    Dataset::new(2, x, y).unwrap()
}

fn loss(name: &str) -> Box<dyn Loss> {
    LossKind::Squared.build(data(name), 0.0, 0.0).unwrap()
}

impl Version {
    fn new(text: &str) -> Version {
        let federation = Federation::parse(text).unwrap();
        let members = 0..federation.description.members.len();
        Version {
            plans: members.map(|m| Plan::new(&federation.graph, &federation.host, m)).collect(),
            rules: federation.rules(2).unwrap(),
            losses: federation.nodes.iter().map(|n| loss(n)).collect(),
            federation,
        }
    }

    pub(crate) fn halves(&self, member: usize) -> Vec<Box<dyn Half + '_>> {
        let node = |&i: &usize| -> Box<dyn Half> {
            let links = Link::of_node(&self.federation.graph, LAMBDA, i);
            Box::new(PrimalDualNode::new(self.losses[i].as_ref(), &Norm2, links, 1.0))
        };
        self.plans[member].nodes.iter().map(node).collect()
    }
}

pub(crate) struct World {
    pub(crate) versions: [Version; 2],
    /// All members of either version, and their places in both.
    pub(crate) members: Vec<[Option<usize>; 2]>,
    /// After which round of the first version the second is taken over.
    pub(crate) round: u64,
}

impl World {
    /// Two versions drawn from a seed; in lock step, if asked for.
    pub(crate) fn new(seed: u64, lock_step: bool) -> World {
        let mut chance = Chance::new(seed ^ 0x5eed);
        let count = 3 + chance.below(3);
        let away = if !lock_step && chance.hit(0.5) { "without" } else { "wait" };
        let staleness = if !lock_step && chance.hit(0.5) { chance.of(&[1, 4]) } else { 0 };
        // So that nobody has finished before the round that is agreed on.
        let tolerance = if lock_step { 1e-11 } else { 1e-8 };
        let patience = if lock_step { 1e6 } else { 0.3 + 2.0 * chance.unit() };
        let mut edges: Vec<String> =
            (1..count).map(|i| format!("[\"s{}\", \"s{i}\", 1.0]", i - 1)).collect();
        edges.push(format!("[\"s0\", \"s{}\", 0.5]", count - 1));
        // The first member holds one node more.
        edges.push("[\"s0\", \"x\", 0.7]".into());
        edges.push("[\"s1\", \"x\", 0.3]".into());
        let mut text = format!(
            "name = \"t\"\nmethod = \"primal-dual\"\nrounds = 100000\ntolerance = {tolerance:e}\ntell_gap = true\naway = \"{away}\"\npatience_seconds = {patience:?}\nstaleness = {staleness}\n[problem]\n[graph]\nedges = [{}]\n",
            edges.join(", ")
        );
        for i in 0..count {
            let nodes = if i == 0 { "\"s0\", \"x\"".into() } else { format!("\"s{i}\"") };
            text += &format!(
                "[[members]]\nname = \"s{i}\"\nendpoint = \"quic/h:{}\"\nnodes = [{nodes}]\n",
                i + 1
            );
        }
        let first = Version::new(&text);
        let round =
            if lock_step { 2 + chance.below(20) as u64 } else { chance.of(&[0, 0, 10, 60]) };
        let mut next = first.federation.next(round);
        let removes = chance.hit(0.6);
        if removes {
            let gone = next.members.remove(chance.below(count));
            next.graph.edges.retain(|(a, b, _)| !gone.nodes.contains(a) && !gone.nodes.contains(b));
        }
        if !removes || chance.hit(0.6) {
            for _ in 0..1 + chance.below(2) {
                let other = next.members[chance.below(next.members.len())].nodes[0].clone();
                if !next.graph.edges.iter().any(|(a, b, _)| a == "new" && *b == other) {
                    next.graph.edges.push(("new".into(), other, 1.0));
                }
            }
            let nodes = vec!["new".to_owned()];
            let endpoint = Some("quic/h:99".into());
            next.members.push(Member { name: "new".into(), endpoint, nodes });
        }
        if chance.hit(0.3)
            && let Some((_, _, weight)) = next.graph.edges.first_mut()
        {
            *weight *= 1.5;
        }
        let second = Version::new(&Federation::text(&next).unwrap());
        let mut names: Vec<&String> =
            first.federation.description.members.iter().map(|m| &m.name).collect();
        let later = second.federation.description.members.iter().map(|m| &m.name);
        names.extend(later.filter(|name| first.federation.member(name).is_none()));
        let places =
            |name: &&String| [first.federation.member(name), second.federation.member(name)];
        let members = names.iter().map(places).collect();
        World { members, round, versions: [first, second] }
    }

    /// The least objective under the second version.
    pub(crate) fn best(&self) -> f64 {
        let federation = &self.versions[1].federation;
        let losses = federation.nodes.iter().map(|n| loss(n)).collect();
        let problem =
            Problem::new(federation.graph.clone(), losses, Box::new(Norm2), LAMBDA).unwrap();
        let options = Options { solver: Solver::Auto, tolerance: 1e-11, ..Options::default() };
        let solution = solve(&problem, &options).unwrap();
        solution.certificate.objective
    }

    /// The objective of models under the second version, node by node.
    pub(crate) fn objective(&self, models: &[f64]) -> f64 {
        let version = &self.versions[1];
        let of = |i: usize| &models[2 * i..2 * i + 2];
        let nodes: f64 = version.losses.iter().enumerate().map(|(i, l)| l.value(of(i))).sum();
        let edge = |e: &netfed::Edge| {
            let diff: Vec<f64> = of(e.tail).iter().zip(of(e.head)).map(|(a, b)| a - b).collect();
            LAMBDA * e.weight * Norm2.value(&diff)
        };
        nodes + version.federation.graph.edges().iter().map(edge).sum::<f64>()
    }
}
