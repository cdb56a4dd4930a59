//! Federations of processes: ports, data, and members started by hand.

use super::{Place, command, stderr, stdout};
use std::process::{Child, Stdio};

/// Ports for a test, 0 to 9, which no other test has: those of other runs are elsewhere.
pub fn port(test: u32) -> u32 {
    12_000 + (std::process::id() % 100) * 200 + 20 * test
}

/// Stations in two groups, on a ring with chords.
pub fn stations(count: usize) -> Place {
    let place = Place::new();
    let (mut points, mut edges) =
        (String::from("node,x1,x2,y\n"), String::from("source,target,weight\n"));
    let noise = |k: usize| ((k * 7919 + 13) % 101) as f64 / 101.0 - 0.5;
    for i in 0..count {
        let side = if 2 * i < count { 1.0 } else { -1.0 };
        for r in 0..4 {
            let k = 4 * i + r;
            let (a, b) = (2.0 * noise(k), 2.0 * noise(3 * k + 1));
            let y = side * (2.0 * a - b) + 0.3 * noise(5 * k + 2);
            points.push_str(&format!("s{i},{a},{b},{y}\n"));
        }
        edges.push_str(&format!("s{i},s{},1\n", (i + 1) % count));
        if i + 4 < count {
            edges.push_str(&format!("s{i},s{},0.5\n", i + 4));
        }
    }
    place.write("points.csv", &points);
    place.write("edges.csv", &edges);
    place
}

/// A command that works.
pub fn run(place: &Place, line: &str) -> std::process::Output {
    let output = place.run(line);
    assert!(output.status.success(), "{line}\n{}{}", stdout(&output), stderr(&output));
    output
}

/// The federation of a test in the folder `fed`.
pub fn init(place: &Place, test: u32, more: &str) {
    let port = port(test);
    run(
        place,
        &format!(
            "federation init --graph edges.csv --features x1,x2 --lambda 0.2 --local {port} {more} --out fed"
        ),
    );
}

/// Starts the router of the invitation `hub`.
pub fn start_router(place: &Place) -> Child {
    command()
        .current_dir(place.path(""))
        .args(["router", "--federation", "fed/invitations/hub", "--quiet"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap()
}

/// A member started by hand.
pub fn start(place: &Place, member: &str) -> Child {
    let points = place.read("points.csv");
    let own: String = points
        .lines()
        .filter(|l| l.starts_with("node,") || l.starts_with(&format!("{member},")))
        .map(|l| format!("{l}\n"))
        .collect();
    place.write(&format!("{member}.csv"), &own);
    let log = std::fs::File::options()
        .create(true)
        .append(true)
        .open(place.path(&format!("{member}.log")))
        .unwrap();
    command()
        .current_dir(place.path(""))
        .args(["peer", "--federation", &format!("fed/invitations/{member}"), "--node", member])
        .args(["--data", &format!("{member}.csv"), "--out", &format!("out-{member}"), "--force"])
        .args(["--linger", "3"])
        .env("RUST_LOG", "info,zenoh=error")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap()
}
