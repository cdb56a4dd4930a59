//! Invitations that are damaged, and days that are none.
#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use common::{Place, stderr, stdout};

/// A federation of two members and a router, with all invitations.
fn federation() -> Place {
    let place = Place::new();
    place.write("edges.csv", "source,target\na,b\n");
    place.write("members.csv", "node,endpoint\na,\nb,\n");
    place.write("own.csv", "x,y\n1,2\n2,3\n");
    let init = "federation init --graph edges.csv --features x --lambda 1 --members members.csv --router hub=quic/127.0.0.1:1 --out fed";
    for line in [init, "federation invite --all --federation fed"] {
        let output = place.run(line);
        assert!(output.status.success(), "{line}: {}", stderr(&output));
    }
    place
}

/// Refused with status 2 and a sentence that names a file.
fn refused(place: &Place, line: &str, file: &str) {
    let output = place.run(line);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{line}: {said}{}", stdout(&output));
    assert!(said.starts_with("netfed: ") && said.contains(file), "{line}: {said}");
}

#[test]
fn damaged_invitations_are_bad_input() {
    let place = federation();
    let commands = [
        ("fed/invitations/a", "federation check --federation fed/invitations/a"),
        ("fed/invitations/a", "peer --federation fed/invitations/a --data own.csv"),
        ("fed/invitations/hub", "router --federation fed/invitations/hub"),
        ("fed/observer", "federation status --once --federation fed"),
        ("fed/observer", "federation check --federation fed"),
    ];
    for (folder, line) in commands {
        let files = ["member.key", "member.crt", "ca.crt"];
        for file in files {
            let path = format!("{folder}/{file}");
            let whole = std::fs::read(place.path(&path)).unwrap();
            let other = std::fs::read(place.path(&format!("fed/invitations/b/{file}"))).unwrap();
            let mut damaged = vec![Vec::new(), whole[..whole.len() / 2].to_vec(), vec![0xff; 100]];
            let mut flipped = whole.clone();
            flipped[whole.len() / 2] ^= 1;
            damaged.push(flipped);
            if file == "member.key" {
                // Whole, but not its own.
                damaged.push(other);
            }
            for bytes in damaged {
                std::fs::write(place.path(&path), bytes).unwrap();
                refused(&place, line, folder);
            }
            std::fs::remove_file(place.path(&path)).unwrap();
            refused(&place, line, file);
            std::fs::write(place.path(&path), whole).unwrap();
        }
    }
    for line in
        ["federation check --federation fed/invitations/a", "federation check --federation fed"]
    {
        let output = place.run(line);
        assert!(output.status.success(), "{line}: {}", stderr(&output));
    }
    let key = std::fs::read(place.path("fed/invitations/b/member.key")).unwrap();
    std::fs::write(place.path("fed/ca.key"), key).unwrap();
    refused(&place, "federation check --federation fed", "does not belong to");
    refused(&place, "federation invite a --out again --federation fed", "does not belong to");
    assert!(!place.path("again").exists());
    std::fs::remove_file(place.path("fed/federation.sig")).unwrap();
    refused(&place, "federation check --federation fed", "federation.sig");
    refused(&place, "federation check --federation nowhere", "nowhere");
}

#[test]
fn certificates_end_within_a_hundred_years() {
    let place = federation();
    for days in ["0", "-1", "36501", "99999999999", "9223372036854775807", "1.5", "x"] {
        let line = format!("federation invite a --out more --days {days} --federation fed");
        let output = place.run(&line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains("from 1 to 36500"), "{}", stderr(&output));
    }
    for days in [1, 36_500] {
        let line = format!("federation invite a --out more{days} --days {days} --federation fed");
        assert!(place.run(&line).status.success());
    }
    let line = "federation init --graph edges.csv --features x --lambda 1 --local --days";
    for days in [0, 4_294_967_295u32] {
        let output = place.run(&format!("{line} {days} --out other"));
        assert_eq!(output.status.code(), Some(2));
    }
    assert!(!place.path("other").exists());
}

#[test]
fn local_members_get_free_ports() {
    let place = federation();
    // One that another program has.
    let taken = (21_000..32_000).find_map(|port| {
        let socket = std::net::UdpSocket::bind(("127.0.0.1", port)).ok()?;
        std::net::UdpSocket::bind(("127.0.0.1", port + 1)).ok()?;
        Some((socket, port))
    });
    let (socket, port) = taken.unwrap();
    let line = format!(
        "federation init --graph edges.csv --features x --lambda 1 --local {port} --out local"
    );
    let output = place.run(&line);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = place.read("local/federation.toml");
    assert!(!text.contains(&format!("127.0.0.1:{port}\"")), "{text}");
    assert!(text.contains(&format!("127.0.0.1:{}\"", port + 1)), "{text}");
    drop(socket);
    let _socket = std::net::UdpSocket::bind(("127.0.0.1", port + 1)).unwrap();
    place.write("points.csv", "node,x,y\na,1,2\nb,2,3\n");
    let output = place.run("federation up --local --federation local --data points.csv --out run");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(
        stderr(&output).contains(&format!("the port {} of \"a\" is in use", port + 1)),
        "{}",
        stderr(&output)
    );
}

/// What travels is said, and follows from what is asked for.
#[test]
fn what_travels_is_said() {
    let place = federation();
    let line = "federation init --graph edges.csv --features x --lambda 1 --members members.csv --router hub=quic/127.0.0.1:1 --out";
    let init = |more: &str, out: &str| {
        let output = place.run(&format!("{line} {out} {more}"));
        assert!(output.status.success(), "{more}: {}", stderr(&output));
        (stdout(&output), place.read(&format!("{out}/federation.toml")))
    };
    let (said, text) = init("", "none");
    assert!(said.contains("models to the neighbors in every round; nothing else"), "{said}");
    for part in ["rounds = 1000", "tolerance = 0.0", "tell_gap = false"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (said, text) = init("--tol 1e-7", "all");
    assert!(said.contains("its loss at 0") && said.contains("everyone is told the sums"), "{said}");
    assert!(text.contains("tell_gap = true") && text.contains("rounds = 100000"), "{text}");
    let (said, text) = init("--tol 1e-7 --hide-gap", "root");
    assert!(said.contains("only the last of them is told the sums"), "{said}");
    assert!(text.contains("tell_gap = false"), "{text}");
    let (said, text) = init("--tell-gap --max-iter 50", "told");
    assert!(said.contains("everyone is told the sums") && text.contains("rounds = 50"), "{said}");
    let check = stdout(&place.run("federation check --federation none"));
    assert!(check.contains("nothing else"), "{check}");
    let output = place.run(&format!("{line} odd --hide-gap"));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

/// A member learns that its one neighbor learns much, and that few points tell much.
#[test]
fn members_are_warned() {
    let place = federation();
    let check = "federation check --federation fed/invitations/a";
    let alone = "all edges of \"a\" lead to \"b\", which can compute XᵀX/m and Xᵀy/m";
    let said = stdout(&place.run(check));
    assert!(said.contains(alone) && !said.contains("so few"), "{said}");
    place.write("edges.csv", "source,target\na,b\na,c\nb,c\n");
    place.write("members.csv", "node,endpoint\na,quic/127.0.0.1:1\nb,\nc,\n");
    let line = "federation init --graph edges.csv --features x,z --lambda 1 --members members.csv --router hub=quic/127.0.0.1:2 --out three";
    for line in [line, "federation invite --all --federation three"] {
        assert!(place.run(line).status.success());
    }
    place.write("own.csv", "x,z,y\n1,2,3\n");
    let check = "federation check --federation three/invitations/a --data own.csv";
    let said = stdout(&place.run(check));
    assert!(said.contains("\"a\" has 1 data point for 2 parameters"), "{said}");
    assert!(!said.contains("all edges of"), "{said}");
    // A peer says the same, and that its counters can be read by others.
    let log = std::fs::File::create(place.path("log")).unwrap();
    let line = "peer --quiet --federation fed/invitations/a --data points.csv --metrics 0.0.0.0:0";
    place.write("points.csv", "x,y\n1,2\n2,3\n");
    let mut peer = common::command()
        .current_dir(place.path(""))
        .args(line.split_whitespace())
        .stderr(log)
        .spawn()
        .unwrap();
    let begin = std::time::Instant::now();
    let all = |log: &str| log.contains(alone) && log.contains("can be read by everyone");
    while !all(&place.read("log")) && begin.elapsed().as_secs() < 30 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    peer.kill().unwrap();
    peer.wait().unwrap();
    assert!(all(&place.read("log")), "{}", place.read("log"));
}
