//! Peers in threads, over the engine in memory: the same bits as one process, whatever the network
//! does.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs, reason = "tests")]

mod common;

use common::ends::{Loud, Mortal, Slow};
use common::{LAMBDA, World, world};
use netfed::Status;
use netfed::loss::Zero;
use netfed_net::memory::{Faults, Hub};
use netfed_net::wire::{Kind, Message};
use netfed_net::{Away, Plan, Transport};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn ends(world: &World, faults: Faults) -> Vec<netfed_net::memory::End> {
    let hub = Hub::new(world.rules.members.len(), faults);
    (0..world.rules.members.len()).map(|m| hub.end(m)).collect()
}

fn assert_same_bits(world: &World, outcomes: &[netfed_net::Outcome]) {
    let alone = world.in_process();
    let together = world.params(outcomes);
    for outcome in outcomes {
        assert_eq!(outcome.rounds, alone.iterations);
        assert!(outcome.is_finished());
    }
    let bits = |m: &netfed::Matrix| m.as_slice().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&together), bits(&alone.params));
}

#[test]
fn the_same_bits_as_in_one_process() {
    for (nodes, members) in [(12, 12), (30, 4), (5, 1)] {
        let world = world(nodes, members);
        let outcomes = world.run_all(ends(&world, Faults::NONE));
        assert_same_bits(&world, &outcomes);
        let alone = world.in_process();
        for outcome in &outcomes {
            assert_eq!(outcome.status, Status::Solved);
            let total = outcome.total.unwrap();
            let relative = |a: f64, b: f64| (a - b).abs() / b;
            assert!(relative(total.objective, alone.certificate.objective) < 1e-12);
            assert!(relative(total.proven_gap(), alone.certificate.gap) < 1e-6);
        }
        // The shares add up.
        let sum: f64 = outcomes.iter().map(|o| o.share.unwrap().gap).sum();
        assert!((sum - outcomes[0].total.unwrap().gap).abs() <= 1e-9 * sum);
    }
}

/// A node without data has an infinite conjugate: a federation knows no radius for it, so that the
/// run ends on the residual.
#[test]
fn without_a_bound_nothing_is_called_converged() {
    let mut world = world(6, 6);
    world.losses[3] = Box::new(Zero::new(2));
    let outcomes = world.run_all(ends(&world, Faults::NONE));
    for outcome in &outcomes {
        let total = outcome.total.unwrap();
        assert!(outcome.is_finished() && outcome.rounds < world.rules.rounds);
        assert_eq!(outcome.status, Status::Unproven, "{outcome:?}");
        assert!(total.proven_gap().is_infinite() && total.residual() <= 1e-6);
    }
}

#[test]
fn a_fixed_number_of_rounds() {
    let mut world = world(12, 6);
    (world.rules.rounds, world.rules.tolerance, world.rules.tell_gap) = (57, 0.0, false);
    let outcomes = world.run_all(ends(&world, Faults::NONE));
    assert_same_bits(&world, &outcomes);
    assert!(outcomes.iter().all(|o| o.rounds == 57 && o.status != Status::Solved));
    // Nobody has asked for a certificate.
    assert!(outcomes.iter().all(|o| o.share.is_none() && o.total.is_none()));
    // With a tolerance there is one; only the root knows the sums.
    world.rules.tolerance = 1e-300;
    let outcomes = world.run_all(ends(&world, Faults::NONE));
    assert_same_bits(&world, &outcomes);
    assert!(outcomes.iter().all(|o| o.share.is_some()));
    assert_eq!(outcomes.iter().filter(|o| o.total.is_some()).count(), 1);
}

/// Models of the last round, shares and sums leave a member only if the federation asks for a
/// certificate.
#[test]
fn what_nobody_asks_for_does_not_travel() {
    for (staleness, tolerance, tell_gap) in
        [(0, 0.0, false), (4, 0.0, false), (0, 0.0, true), (4, 1e-300, false)]
    {
        let mut world = world(12, 6);
        (world.rules.rounds, world.rules.tolerance, world.rules.tell_gap) =
            (130, tolerance, tell_gap);
        world.rules.staleness = staleness;
        let sent = Arc::new(Mutex::new(Vec::new()));
        let loud = |end| Loud { end, sent: sent.clone() };
        let outcomes = world.run_all(ends(&world, Faults::NONE).into_iter().map(loud).collect());
        assert!(outcomes.iter().all(|o| o.is_finished() && o.rounds == 130));
        let certified = tolerance > 0.0 || tell_gap;
        // Of what is not the rounds: a look has the number of the exchange, a verdict its 0 or 1, a
        // request a number, a reason a member and a round.
        let sent = sent.lock().unwrap();
        let more = sent.iter().filter(|m| match m.kind {
            Kind::Step | Kind::Why | Kind::Rejoin | Kind::Copy => false,
            Kind::Look | Kind::Verdict | Kind::Request | Kind::Leave => m.numbers.len() > 1,
            Kind::Sum | Kind::Done | Kind::Way => !m.numbers.is_empty(),
        });
        assert_eq!(more.count() > 0, certified, "{staleness} {tolerance} {tell_gap}");
        if !certified && staleness == 0 {
            assert!(sent.iter().all(|m| m.kind != Kind::Look || m.sequence == 130));
        }
    }
}

#[test]
fn lost_doubled_late_and_overtaking_messages_change_nothing() {
    let mut world = world(12, 6);
    world.rules.rounds = 60;
    world.rules.tolerance = 0.0;
    let delay = Duration::from_millis(3);
    let faults = Faults { lose: 0.05, double: 0.1, delay, seed: 11 };
    let outcomes = world.run_all(ends(&world, faults));
    assert_same_bits(&world, &outcomes);
}

/// Every member is killed a few times, at odd moments, and started again from its last commit.
fn run_with_deaths(world: &World, faults: Faults, lives: u32) -> Vec<netfed_net::Outcome> {
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::new(world.rules.members.len(), faults);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..world.rules.members.len())
            .map(|m| {
                let state = folder.path().join(format!("m{m}"));
                let hub = hub.clone();
                scope.spawn(move || {
                    for life in 0.. {
                        let left =
                            if life < lives { 150 + 97 * m as u32 + 31 * life } else { u32::MAX };
                        let end = Mortal { end: hub.end(m), left: left.into() };
                        let stop = AtomicBool::new(false);
                        let run = || world.run(m, end, Some(&state), &stop);
                        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
                            Ok(outcome) => return outcome.unwrap(),
                            Err(_) => std::thread::sleep(Duration::from_millis(20)),
                        }
                    }
                    unreachable!()
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    })
}

#[test]
fn killed_and_restarted_members_end_at_the_same_bits() {
    let world = world(12, 6);
    let outcomes = run_with_deaths(&world, Faults::NONE, 3);
    assert_same_bits(&world, &outcomes);
    let faults = Faults { lose: 0.02, double: 0.05, delay: Duration::from_millis(1), seed: 5 };
    let outcomes = run_with_deaths(&world, faults, 2);
    assert_same_bits(&world, &outcomes);
}

/// What was sent to a member before it was killed is not sent again at once: a later verdict may
/// come first. A child that was killed, too, needs both.
#[test]
fn verdicts_are_passed_on_in_any_order() {
    let world = world(12, 6);
    let plans = (0..6).map(|m| (m, Plan::new(&world.graph, &world.host, m)));
    let (middle, plan) =
        plans.into_iter().find(|(_, p)| p.parent.is_some() && !p.children.is_empty()).unwrap();
    let member = |link: usize| plan.links[link].member;
    let (parent, child) = (member(plan.parent.unwrap()), member(plan.children[0]));
    let hub = Hub::new(6, Faults::NONE);
    let (ours, theirs) = (hub.end(parent), hub.end(child));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (world, stop, end) = (&world, &stop, hub.end(middle));
        scope.spawn(move || world.run(middle, end, None, stop).unwrap());
        for round in [20, 10] {
            let verdict = Message {
                kind: Kind::Verdict,
                federation: world.rules.federation,
                from: parent as u32,
                to: middle as u32,
                sequence: round,
                ack: 0,
                check: 0,
                numbers: vec![0.0],
            };
            ours.send(middle, verdict.encode());
        }
        let (mut passed, until) = (Vec::new(), Instant::now() + Duration::from_secs(5));
        while passed.len() < 2 && Instant::now() < until {
            let Some((_, bytes)) = theirs.receive(Duration::from_millis(100)) else { continue };
            let message = Message::decode(&bytes, 100).unwrap();
            passed.extend(Some(message.sequence).filter(|_| message.kind == Kind::Verdict));
        }
        stop.store(true, Relaxed);
        assert_eq!(passed, [20, 10]);
    });
}

/// A member that starts from nothing gets every look since, not only the last ones.
#[test]
fn killed_before_the_first_commit_after_many_looks() {
    let mut world = world(12, 6);
    (world.rules.check_every, world.rules.rounds, world.rules.tolerance) = (1, 300, 0.0);
    let outcomes = run_with_deaths(&world, Faults::NONE, 2);
    assert_same_bits(&world, &outcomes);
}

#[test]
fn a_cut_that_heals_is_waited_for() {
    let mut world = world(12, 4);
    (world.rules.rounds, world.rules.tolerance) = (300, 0.0);
    let hub = Hub::new(4, Faults::NONE);
    let ends: Vec<_> = (0..4).map(|m| hub.end(m)).collect();
    let outcomes = std::thread::scope(|scope| {
        let hub = hub.clone();
        scope.spawn(move || {
            for cut in [true, false, true, false] {
                std::thread::sleep(Duration::from_millis(30));
                for (a, b) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
                    hub.cut(a, b, cut);
                }
            }
        });
        world.run_all(ends)
    });
    assert_same_bits(&world, &outcomes);
}

/// The objective at given models.
fn objective(world: &World, params: &netfed::Matrix) -> f64 {
    let penalty = netfed::penalty::Norm2;
    use netfed::penalty::Penalty;
    let nodes: f64 = (0..params.rows()).map(|i| world.losses[i].value(params.row(i))).sum();
    let edges: f64 = world
        .graph
        .edges()
        .iter()
        .map(|e| {
            let diff: Vec<f64> =
                params.row(e.tail).iter().zip(params.row(e.head)).map(|(a, b)| a - b).collect();
            LAMBDA * e.weight * penalty.value(&diff)
        })
        .sum();
    nodes + edges
}

#[test]
fn a_member_that_is_away_is_gone_on_without() {
    let mut world = world(12, 4);
    let best = world.in_process().certificate.objective;
    world.rules.away = Away::Without;
    world.rules.patience = Duration::from_millis(60);
    let hub = Hub::new(4, Faults::NONE);
    let outcomes = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|m| {
                let (hub, world) = (hub.clone(), &world);
                scope.spawn(move || {
                    if m == 2 {
                        std::thread::sleep(Duration::from_millis(300));
                    }
                    world.run(m, hub.end(m), None, &AtomicBool::new(false)).unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>()
    });
    let found = objective(&world, &world.params(&outcomes));
    assert!(found <= best * (1.0 + 1e-6), "{found} {best}");
}

/// Members of very different speed, who do not wait for each other: the same optimum, and the
/// certificate says so.
#[test]
fn asynchronous_members_end_at_the_same_optimum() {
    for (nodes, members, staleness) in [(12, 12, 8), (12, 12, 100), (24, 6, 4)] {
        let mut world = world(nodes, members);
        world.rules.staleness = staleness;
        let best = world.in_process().certificate.objective;
        let slow = |(m, end)| Slow { end, pause: Duration::from_micros([0, 300, 2000][m % 3]) };
        let ends = ends(&world, Faults { delay: Duration::from_millis(2), ..Faults::NONE });
        let outcomes = world.run_all(ends.into_iter().enumerate().map(slow).collect());
        let found = objective(&world, &world.params(&outcomes));
        assert!(found <= best * (1.0 + 1e-6), "{found} {best}");
        for outcome in &outcomes {
            let total = outcome.total.unwrap();
            assert!(outcome.status == Status::Solved && total.proven_gap() <= 1e-6 * total.scale());
            assert!((total.objective - found).abs() <= 1e-9 * found, "{} {found}", total.objective);
        }
    }
}

#[test]
fn asynchronous_members_survive_losses_and_deaths() {
    let mut world = world(12, 6);
    world.rules.staleness = 10;
    let best = world.in_process().certificate.objective;
    let faults = Faults { lose: 0.02, double: 0.05, delay: Duration::from_millis(1), seed: 8 };
    let outcomes = run_with_deaths(&world, faults, 2);
    let found = objective(&world, &world.params(&outcomes));
    assert!(found <= best * (1.0 + 1e-6), "{found} {best}");
}

#[test]
fn a_full_disk_does_not_stop_a_run() {
    let mut world = world(12, 3);
    (world.rules.rounds, world.rules.tolerance) = (200, 0.0);
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::new(3, Faults::NONE);
    let outcomes = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|m| {
                let (hub, world) = (hub.clone(), &world);
                let state = folder.path().join(format!("m{m}"));
                // A folder in the way of the new file: every commit of member 1 fails.
                std::fs::create_dir_all(if m == 1 {
                    state.join("state.new")
                } else {
                    state.clone()
                })
                .unwrap();
                scope.spawn(move || {
                    world.run(m, hub.end(m), Some(&state), &AtomicBool::new(false)).unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>()
    });
    assert_same_bits(&world, &outcomes);
    assert!(!folder.path().join("m1/state").exists() && folder.path().join("m0/state").exists());
}

#[test]
fn the_policy_to_stop_stops() {
    let mut world = world(6, 3);
    world.rules.away = Away::Stop;
    world.rules.patience = Duration::from_millis(100);
    let hub = Hub::new(3, Faults::NONE);
    let error = world.run(0, hub.end(0), None, &AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().contains("has been away"), "{error}");
}

#[test]
fn a_stopped_member_can_go_on() {
    let world = world(12, 3);
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::new(3, Faults::NONE);
    let stop = AtomicBool::new(false);
    let outcomes = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|m| {
                let (hub, world, stop) = (hub.clone(), &world, &stop);
                let state = folder.path().join(format!("m{m}"));
                scope.spawn(move || {
                    let never = AtomicBool::new(false);
                    let first =
                        world.run(m, hub.end(m), Some(&state), if m == 1 { stop } else { &never });
                    let first = first.unwrap();
                    if m != 1 {
                        return first;
                    }
                    assert!(!first.is_finished() || first.rounds > 0);
                    world.run(m, hub.end(m), Some(&state), &never).unwrap()
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(10));
        stop.store(true, Relaxed);
        threads.into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>()
    });
    assert_same_bits(&world, &outcomes);
}
