//! What members are told: whom they wait for in the end, and without whom they went on.

use netfed_net::Away;
use std::time::Duration;

use crate::body::Bug;
use crate::judge::{by_node, same_bits};
use crate::problem::{Method, Problem};
use crate::run::{Report, run};
use crate::scenario::{Event, Scenario};

const SECOND: Duration = Duration::from_secs(1);

/// Three members in a chain, in lock step for very many rounds.
fn chain() -> Problem {
    let mut chain = Problem::new(Method::PrimalDual, 0, 3, 3);
    (chain.rules.tolerance, chain.rules.rounds) = (0.0, 6_000);
    chain
}

/// The same run, in which something happens to the last member, and whom each says to wait for
/// after a while.
fn waiting_for(events: Vec<(Duration, Event)>) -> [String; 3] {
    let problem = chain();
    let scenario = Scenario { events, until: Some(15 * SECOND), ..Scenario::quiet(&problem) };
    let report = run(&scenario, &problem, Bug::None, false).unwrap();
    assert!(report.outcomes.is_empty());
    let told: Vec<String> = report.waiting_for.into_iter().map(Option::unwrap_or_default).collect();
    told.try_into().unwrap()
}

#[test]
fn a_member_two_hops_away_names_the_true_culprit() {
    let killed = waiting_for(vec![(3 * SECOND, Event::Kill(2, 1000 * SECOND))]);
    assert!(
        killed[0].starts_with("m1, which waits for m2, which has been silent for"),
        "{killed:?}"
    );
    assert!(killed[1].starts_with("m2, which has been silent for"), "{killed:?}");
    let full = waiting_for(vec![(3 * SECOND, Event::Full(2, true))]);
    assert!(
        full[0].starts_with("m1, which waits for m2, which has not been able to write"),
        "{full:?}"
    );
    assert!(full[1].starts_with("m2, which has not been able to write"), "{full:?}");
    assert!(full[2].starts_with("this member has not been able to write"), "{full:?}");
}

#[test]
fn a_lost_or_rolled_back_state_is_told_on_all_sides() {
    let lose = (5 * SECOND, Event::Lose(2, SECOND));
    for events in [vec![lose.clone()], vec![(2 * SECOND, Event::Keep(2)), lose]] {
        let told = waiting_for(events);
        assert!(
            told[0].starts_with("m1, which waits for m2, which has lost its state"),
            "{told:?}"
        );
        assert!(told[1].starts_with("m2, which has lost its state"), "{told:?}");
        assert!(told[2].starts_with("this member has lost its state"), "{told:?}");
        assert!(told.iter().all(|t| t.contains("needs its newest state")), "{told:?}");
    }
}

#[test]
fn a_disk_that_is_full_for_a_while_only_takes_that_while() {
    let problem = chain();
    let quiet = Scenario::quiet(&problem);
    let undisturbed = run(&quiet, &problem, Bug::None, false).unwrap();
    let events = vec![(SECOND, Event::Full(1, true)), (4 * SECOND, Event::Full(1, false))];
    let full = run(&Scenario { events, ..quiet }, &problem, Bug::None, false).unwrap();
    let models = |report: &Report| by_node(&problem, report);
    assert!(same_bits(&models(&undisturbed), &models(&full)));
    assert!(
        full.recovery < undisturbed.recovery + 5 * SECOND,
        "{:?} {:?}",
        full.recovery,
        undisturbed.recovery
    );
}

#[test]
fn whoever_was_alone_waits_and_says_so() {
    let problem = Problem::new(Method::PrimalDual, 0, 2, 2);
    let mut scenario = Scenario::quiet(&problem);
    (scenario.away, scenario.patience) = (Away::Without, SECOND / 2);
    scenario.start[1] = 20 * SECOND;
    let report = run(&scenario, &problem, Bug::None, false).unwrap();
    let [alone, late] = &report.outcomes[..] else { panic!() };
    assert_eq!([alone.status, late.status], [netfed::Status::Solved; 2]);
    assert!(alone.rounds < 1000, "{alone:?}");
    let (name, time) = &alone.without[0];
    assert!(name == "m1" && *time > 19 * SECOND && *time < 20 * SECOND, "{time:?}");
    assert!(late.without.is_empty(), "{late:?}");
}
