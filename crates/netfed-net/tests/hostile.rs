//! What comes from the network is hostile: floods of damaged messages, wrong hashes, lies. Messages
//! by themselves are in `wire_properties.rs` and in the fuzz targets of the repository.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs, reason = "tests")]

mod common;

use common::{LAMBDA, World, world};
use netfed::penalty::{Norm2, Penalty};
use netfed_net::memory::{Faults, Hub};
use netfed_net::wire::{Kind, Message};
use netfed_net::{Plan, Transport};
use rand::{RngExt, SeedableRng};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

fn chance() -> rand_chacha::ChaCha8Rng {
    rand_chacha::ChaCha8Rng::seed_from_u64(1)
}

fn good() -> Message {
    Message {
        kind: Kind::Step,
        federation: [3; 16],
        from: 1,
        to: 0,
        sequence: 4,
        ack: 2,
        check: 77,
        numbers: (0..12).map(f64::from).collect(),
    }
}

#[test]
fn garbage_from_a_member_does_not_stop_the_others() {
    let mut world = world(12, 4);
    (world.rules.rounds, world.rules.tolerance) = (200, 0.0);
    let hub = Hub::new(4, Faults::NONE);
    let ends: Vec<_> = (0..4).map(|m| hub.end(m)).collect();
    let over = AtomicBool::new(false);
    let outcomes = std::thread::scope(|scope| {
        let (hub, over) = (hub.clone(), &over);
        scope.spawn(move || {
            let mut chance = chance();
            while !over.load(Relaxed) {
                // Member 3 also floods its neighbors with damaged and forged messages.
                for to in 0..3 {
                    let mut message = good();
                    (message.from, message.to) = (chance.random_range(0..5), to);
                    message.sequence = chance.random_range(0..1 << 40);
                    message.numbers.truncate(chance.random_range(0..12));
                    let mut bytes = message.encode();
                    let at = chance.random_range(0..bytes.len());
                    bytes[at] = chance.random();
                    hub.deliver(3, to as usize, bytes);
                }
                std::thread::sleep(Duration::from_micros(50));
            }
        });
        let outcomes = world.run_all(ends);
        over.store(true, Relaxed);
        outcomes
    });
    let alone = world.in_process();
    assert_eq!(world.params(&outcomes).as_slice(), alone.params.as_slice());
}

/// One well-formed message with a wrong hash, before the right one, for every exchange there is.
#[test]
fn a_wrong_hash_ends_no_process() {
    let mut world = world(12, 4);
    (world.rules.rounds, world.rules.tolerance) = (60, 0.0);
    let hub = Hub::new(4, Faults::NONE);
    let ends: Vec<_> = (0..4).map(|m| hub.end(m)).collect();
    for to in 0..3 {
        let plan = Plan::new(&world.graph, &world.host, to);
        let Some(link) = plan.links.iter().find(|l| l.member == 3) else { continue };
        for sequence in 0..60 {
            let numbers = vec![0.5; 2 * link.received.len()];
            let (from, to) = (3, to as u32);
            let message = Message { from, to, sequence, ack: 0, numbers, ..good() };
            hub.deliver(3, to as usize, message.encode());
        }
    }
    let outcomes = world.run_all(ends);
    let alone = world.in_process();
    assert_eq!(world.params(&outcomes).as_slice(), alone.params.as_slice());
}

/// A member that follows the protocol, with whatever numbers it likes.
struct Liar<'w> {
    world: &'w World,
    member: usize,
    plan: Plan,
    /// Its copies of the duals are in order, so as not to be found out.
    duals: Vec<Vec<f64>>,
    lie: f64,
}

impl<'w> Liar<'w> {
    fn new(world: &'w World, member: usize, lie: f64) -> Liar<'w> {
        let plan = Plan::new(&world.graph, &world.host, member);
        let duals = vec![vec![0.0; 2]; plan.links.len()];
        Liar { world, member, plan, duals, lie }
    }

    /// What it answers to a message.
    fn answers(&mut self, from: usize, m: &Message) -> Vec<Message> {
        let Some(l) = self.plan.links.iter().position(|link| link.member == from) else {
            return Vec::new();
        };
        let (federation, liar) = (self.world.rules.federation, self.member);
        let answer = |kind, numbers, check| Message {
            kind,
            federation,
            from: liar as u32,
            to: from as u32,
            sequence: m.sequence,
            ack: m.sequence,
            check,
            numbers,
        };
        let check = netfed_net::wire::hash([self.duals[l].as_slice()]);
        let mut lies = vec![self.lie, -self.lie];
        match m.kind {
            Kind::Step => {
                self.follow(l, &m.numbers, &lies);
                vec![answer(Kind::Step, lies, check)]
            }
            Kind::Look => {
                lies.push(m.sequence as f64);
                let look = answer(Kind::Look, lies, check);
                let is_child = self.plan.parent == Some(l);
                let sum = is_child.then(|| answer(Kind::Sum, vec![0.0, -1.0, 0.0, 0.0, 1.0], 0));
                std::iter::once(look).chain(sum).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The dual step of a link, after what both ends have said.
    fn follow(&mut self, l: usize, theirs: &[f64], lies: &[f64]) {
        let graph = &self.world.graph;
        let slot = self.plan.links[l].edges[0].slot;
        let edge = &graph.edges()[graph.incident(self.member)[slot].edge()];
        let dual = &mut self.duals[l];
        for ((u, t), h) in dual.iter_mut().zip(theirs).zip(lies) {
            *u += 0.5 * (t - h);
        }
        Norm2.prox_conjugate(dual, LAMBDA * edge.weight, 0.5);
    }
}

/// The models of the others when the last member lies about its parameters.
fn with_a_liar(lie: f64) -> Vec<f64> {
    let mut world = world(12, 12);
    (world.rules.rounds, world.rules.tolerance) = (400, 0.0);
    let hub = Hub::new(12, Faults::NONE);
    let mut ends: Vec<_> = (0..12).map(|m| hub.end(m)).collect();
    let end = ends.remove(11);
    let over = AtomicBool::new(false);
    let outcomes = std::thread::scope(|scope| {
        let (world, over) = (&world, &over);
        let run = |(m, end)| {
            scope.spawn(move || world.run(m, end, None, &AtomicBool::new(false)).unwrap())
        };
        let threads: Vec<_> = ends.into_iter().enumerate().map(run).collect();
        scope.spawn(move || {
            let mut liar = Liar::new(world, 11, lie);
            while !over.load(Relaxed) {
                let Some((from, bytes)) = end.receive(Duration::from_millis(50)) else { continue };
                let Ok(m) = Message::decode(&bytes, 64) else { continue };
                liar.answers(from, &m).iter().for_each(|a| end.send(from, a.encode()));
            }
        });
        let outcomes: Vec<_> = threads.into_iter().map(|t| t.join()).collect();
        over.store(true, Relaxed);
        outcomes.into_iter().map(Result::unwrap).collect::<Vec<_>>()
    });
    outcomes.iter().flat_map(|o| o.params.clone()).collect()
}

#[test]
fn a_liar_moves_its_neighbors_only_as_far_as_the_coupling_allows() {
    // With a norm the dual of an edge is at most λA long, whatever the other end says: a neighbor
    // feels a force of at most λA from each of its edges. Lies ten thousand times as large move it
    // no further than lies of a hundred.
    let (large, huge) = (with_a_liar(1e2), with_a_liar(1e6));
    let world = world(12, 12);
    let honest = world.in_process();
    for i in 0..11 {
        let at = |w: &[f64]| [w[2 * i], w[2 * i + 1]];
        let (a, b) = (at(&large), at(&huge));
        let apart = ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
        assert!(apart < 1e-3, "node {i}: {a:?} {b:?}");
        // For nodes next to the liar: ∇L(w) = −Σ sign·u with ‖u‖ ≤ λA for every edge, so the force
        // is at most λ Σ A.
        let mut slope = [0.0; 2];
        world.losses[i].gradient(&b, &mut slope);
        let force: f64 = world
            .graph
            .incident(i)
            .iter()
            .map(|inc| LAMBDA * world.graph.edges()[inc.edge()].weight)
            .sum();
        assert!(
            (slope[0].powi(2) + slope[1].powi(2)).sqrt() <= force * (1.0 + 1e-3) + 1e-3,
            "node {i}"
        );
    }
    let neighbor = world.graph.incident(11)[0].neighbor();
    let moved: f64 =
        (0..2).map(|j| (honest.params.row(neighbor)[j] - huge[2 * neighbor + j]).abs()).sum();
    assert!(moved > 1e-3, "the lie has some effect");
}
