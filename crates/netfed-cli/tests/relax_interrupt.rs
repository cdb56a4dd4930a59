//! Ctrl-C during the fits of `netfed relax`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a failed test may panic")]

mod common;

use common::{Place, command, stderr};
use std::fmt::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A fit of hours: as many pixels as an image of a digit, more epochs than anyone waits for.
const LONG: &str = "perceptron,hidden=128 epochs=1000000";

/// Node a with images, node b without data beside it.
fn images() -> Place {
    let place = Place::new();
    let mut points = String::from("node");
    (0..784).for_each(|k| write!(points, ",p{k}").unwrap());
    points.push_str(",y\n");
    for r in 0..200usize {
        points.push('a');
        (0..784).for_each(|k| write!(points, ",{}", (r * 31 + k * 17) % 7).unwrap());
        writeln!(points, ",{}", r % 10).unwrap();
    }
    place.write("points.csv", &points);
    place.write("edges.csv", "source,target\na,b\n");
    place
}

/// Presses Ctrl-C once the fit runs; gives what came of it.
fn interrupt(place: &Place, flags: &str) -> Output {
    let line = format!(
        "relax --data points.csv --graph edges.csv --models models.csv --task classification --alpha 0.1 --public-points 20 --out run {flags}"
    );
    let child = command()
        .current_dir(place.path(""))
        .args(line.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let pressed = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "it has ended by itself");
    let output = child.wait_with_output().unwrap();
    // A second or so; more where other tests have the machine.
    assert!(pressed.elapsed() < Duration::from_secs(5), "{:?}", pressed.elapsed());
    output
}

#[test]
fn without_a_model_of_every_node_nothing_is_written() {
    let place = images();
    place.write("models.csv", &format!("node,model,options\na,{LONG}\nb,tree,\n"));
    for flags in ["", "--hold-out 0"] {
        let output = interrupt(&place, flags);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let why = "interrupted before every node had a model; nothing was written.";
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
        assert_eq!(place.entries(), ["edges.csv", "models.csv", "points.csv"]);
    }
}

#[test]
fn models_of_the_last_fits_that_ended_are_written() {
    let place = images();
    // Node b has its first fit in round 1, when a has said something.
    place.write("models.csv", &format!("node,model,options\na,tree,\nb,{LONG}\n"));
    let output = interrupt(&place, "--hold-out 0");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let summary = place.json("run/summary.json");
    assert_eq!((&summary["status"], &summary["rounds"]), (&"interrupted".into(), &0.into()));
    assert_eq!(place.read("run/history.csv").lines().count(), 2);
    let output = place.run("evaluate --run run --data points.csv");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}
