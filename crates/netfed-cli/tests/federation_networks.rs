//! Members in networks of their own, and a cut between them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "tests"
)]

mod common;

use common::command;
use common::peers::{run, stations};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Network namespaces, one per member, joined by a bridge in one more; gone when dropped.
struct Network {
    name: String,
    members: usize,
}

fn ip(line: &str) -> bool {
    let output = std::process::Command::new("ip").args(line.split(' ')).output();
    output.is_ok_and(|o| o.status.success())
}

impl Network {
    /// None where this machine does not allow it.
    fn new(members: usize) -> Option<Network> {
        let name = format!("nf{}", std::process::id());
        let network = Network { name: name.clone(), members };
        let mut good = ip(&format!("netns add {name}b"))
            && ip(&format!("-n {name}b link add br0 type bridge"))
            && ip(&format!("-n {name}b link set br0 up"));
        for m in 0..members {
            good = good
                && ip(&format!("netns add {name}m{m}"))
                && ip(&format!(
                    "-n {name}b link add v{m} type veth peer name eth0 netns {name}m{m}"
                ))
                && ip(&format!("-n {name}b link set v{m} master br0"))
                && ip(&format!("-n {name}b link set v{m} up"))
                && ip(&format!("-n {name}m{m} addr add 10.77.0.{}/24 dev eth0", m + 1))
                && ip(&format!("-n {name}m{m} link set eth0 up"))
                && ip(&format!("-n {name}m{m} link set lo up"));
        }
        good.then_some(network)
    }

    /// Plugs a member in or out.
    fn plug(&self, member: usize, state: &str) {
        assert!(ip(&format!("-n {}b link set v{member} {state}", self.name)));
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        (0..self.members).for_each(|m| {
            ip(&format!("netns del {}m{m}", self.name));
        });
        ip(&format!("netns del {}b", self.name));
    }
}

/// Every peer in a network of its own, a real cut between two halves in the midst of the run: the
/// bits of one process.
#[test]
fn peers_in_networks_of_their_own_survive_a_cut() {
    let Some(network) = Network::new(12) else {
        eprintln!("skipped: no network namespaces here");
        return;
    };
    let place = stations(12);
    place.run("fit --data points.csv --graph edges.csv --lambda 0.2 --solver primal-dual --tol 0 --max-iter 3000 --out alone --quiet");
    let mut members = String::from("node,endpoint\n");
    (0..12).for_each(|m| members.push_str(&format!("s{m},quic/10.77.0.{}:7450\n", m + 1)));
    place.write("members.csv", &members);
    run(
        &place,
        "federation init --graph edges.csv --features x1,x2 --lambda 0.2 --tol 0 --max-iter 3000 --members members.csv --out fed",
    );
    run(&place, "federation invite --all --federation fed");
    let points = place.read("points.csv");
    let mut peers: Vec<Child> = (0..12)
        .map(|m| {
            let own = points
                .lines()
                .filter(|l| l.starts_with("node,") || l.starts_with(&format!("s{m},")));
            place.write(&format!("s{m}.csv"), &own.map(|l| format!("{l}\n")).collect::<String>());
            let log = std::fs::File::create(place.path(&format!("s{m}.log"))).unwrap();
            std::process::Command::new("ip")
                .current_dir(place.path(""))
                .args(["netns", "exec", &format!("{}m{m}", network.name)])
                .arg(command().get_program())
                .args(["peer", "--federation", &format!("fed/invitations/s{m}"), "--linger", "10"])
                .args(["--data", &format!("s{m}.csv"), "--out", &format!("out-s{m}")])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(log)
                .spawn()
                .unwrap()
        })
        .collect();
    std::thread::sleep(Duration::from_millis(1500));
    (0..6).for_each(|m| network.plug(m, "down"));
    std::thread::sleep(Duration::from_millis(1500));
    (0..6).for_each(|m| network.plug(m, "up"));
    let begin = Instant::now();
    for (m, peer) in peers.iter_mut().enumerate() {
        while peer.try_wait().unwrap().is_none() {
            let late = begin.elapsed() > Duration::from_secs(180);
            if late {
                peer.kill().unwrap();
            }
            assert!(!late, "s{m}: {}", place.read(&format!("s{m}.log")));
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let own = |m: usize| place.read(&format!("out-s{m}/parameters.csv"));
    let together: Vec<String> = (0..12)
        .flat_map(|m| own(m).lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let alone = place.read("alone/parameters.csv");
    assert_eq!(together, alone.lines().skip(1).collect::<Vec<_>>());
}
