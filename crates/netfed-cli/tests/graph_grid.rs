//! The grid search of `netfed graph learn --silos`, as a user runs it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

mod common;

use common::{Place, stderr, stdout};

/// Two silos with half of the signals of one made-up graph each.
fn with_silos() -> Place {
    let place = Place::new();
    let line = "graph generate rbf --nodes 12 --model signals --points 80 --seed 3 --out made";
    assert_eq!(place.run(line).status.code(), Some(0));
    let signals = place.read("made/signals.csv");
    let lines: Vec<&str> = signals.lines().collect();
    for (name, rows) in [("a.csv", &lines[1..41]), ("b.csv", &lines[41..])] {
        place.write(name, &format!("{}\n{}\n", lines[0], rows.join("\n")));
    }
    place
}

/// The rows of grid.csv, by the names of its columns.
fn grid(place: &Place, out: &str) -> Vec<std::collections::HashMap<String, String>> {
    let text = place.read(&format!("{out}/grid.csv"));
    let mut lines = text.lines().map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    lines.map(|row| header.iter().cloned().zip(row).collect()).collect()
}

#[test]
fn the_best_of_the_grid_is_written() {
    let place = with_silos();
    let line = "graph learn --silos a.csv b.csv --truth made/edges.csv --beta 0.1,1,10 --nu 2,4 --lambda 0.1,1 --out g";
    let output = place.run(line);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows = grid(&place, "g");
    assert_eq!(rows.len(), 12);
    let score = |row: &std::collections::HashMap<String, String>| row["f_score"].parse::<f64>();
    let most = rows.iter().map(|r| score(r).unwrap()).fold(0.0, f64::max);
    let least = rows.iter().map(|r| score(r).unwrap()).fold(1.0, f64::min);
    assert!(least < most, "the settings differ");
    let taken: Vec<_> = rows.iter().filter(|r| r["taken"] == "true").collect();
    assert_eq!((taken.len(), score(taken[0])), (1, Ok(most)));
    let (beta, nu, lambda) = (&taken[0]["beta"], &taken[0]["nu"], &taken[0]["lambda"]);
    let said = format!("β = {beta}, ν = {nu}, λ = {lambda} has the largest F-score of 12");
    assert!(stdout(&output).contains(&said), "{}", stdout(&output));
    let alone = format!(
        "graph learn --silos a.csv b.csv --beta {beta} --nu {nu} --lambda {lambda} --out one --quiet"
    );
    assert_eq!(place.run(&alone).status.code(), Some(0));
    for file in ["a.csv", "b.csv", "consensus.csv"] {
        assert_eq!(place.read(&format!("g/{file}")), place.read(&format!("one/{file}")), "{file}");
    }
    // The scores are those that inspect gives.
    let summary = place.json("g/summary.json");
    for (file, found) in [
        ("a.csv", &summary["grid"]["silos"][0]),
        ("b.csv", &summary["grid"]["silos"][1]),
        ("consensus.csv", &summary["grid"]["consensus"]),
    ] {
        let output =
            place.run(&format!("graph inspect --graph g/{file} --truth made/edges.csv --json"));
        let inspected: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        for score in ["f_score", "precision", "recall", "relative_error"] {
            let [a, b] = [&inspected["truth"], found].map(|s| s[score].as_f64().unwrap());
            assert!((a - b).abs() < 1e-12, "{file} {score}: {a} {b}");
        }
    }
    // A later run without a grid leaves none behind.
    let again = "graph learn --silos a.csv b.csv --lambda 1 --out g --force --quiet";
    assert_eq!(place.run(again).status.code(), Some(0));
    assert!(!place.path("g/grid.csv").exists() && place.json("g/summary.json")["grid"].is_null());
}

#[test]
fn every_method_has_its_grid() {
    let place = with_silos();
    for (method, lists, settings) in [
        ("algorithm1", "--nu 2,3 --lambda 0.1,1", 8),
        ("igl", "", 2),
        ("fedavg", "", 2),
        ("fedprox", "--mu 0.1,10", 4),
        ("mr-mtl", "--mu 0.1,10", 4),
        ("ditto", "--mu 0.1,10", 4),
    ] {
        let line = format!(
            "graph learn --silos a.csv,b.csv --truth made/edges.csv,made/edges.csv --method {method} --beta 0.1,1 {lists} --rounds 20 --out {method} --json"
        );
        let line = if method == "igl" { line.replace("--rounds 20 ", "") } else { line };
        let output = place.run(&line);
        assert_eq!(output.status.code(), Some(0), "{method}: {}", stderr(&output));
        let rows = grid(&place, method);
        assert_eq!(rows.len(), settings, "{method}");
        let objectives: std::collections::BTreeSet<&String> =
            rows.iter().map(|r| &r["objective"]).collect();
        assert_eq!(objectives.len(), settings, "{method}: every number counts");
        let summary: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(summary["grid"]["settings"], settings, "{method}");
        assert!(summary["grid"]["consensus"].is_null(), "one truth each has none of the consensus");
    }
}

#[test]
fn bad_grids_get_a_sentence() {
    let place = with_silos();
    place.write("strange.csv", "source,target\n1,2\n1,nobody\n");
    place.write("empty.csv", "source,target,weight\n");
    let before = place.entries();
    let silos = "--silos a.csv b.csv --lambda 1";
    for (line, part) in [
        (format!("{silos} --beta 0.1,1"), "2 combinations, but nothing to choose one by"),
        ("--silos a.csv b.csv --lambda 1,-2 --truth made/edges.csv".into(), "--lambda is -2"),
        (format!("{silos} --beta -1,2 --truth made/edges.csv"), "--beta is -1"),
        (format!("{silos} --beta 1,1 --truth made/edges.csv"), "--beta has 1 twice"),
        (format!("{silos} --beta 1,x --truth made/edges.csv"), "invalid value 'x'"),
        (format!("{silos} --mu 1,2 --truth made/edges.csv"), "--mu belongs to --silos with"),
        (
            format!("{silos} --truth strange.csv"),
            "strange.csv, line 3, column \"target\": \"nobody\" is no vertex of a.csv.",
        ),
        (format!("{silos} --truth empty.csv"), "empty.csv: there is no edge to compare with"),
        (format!("{silos} --truth gone.csv"), "cannot open gone.csv"),
        (
            format!("{silos} --truth made/edges.csv made/edges.csv made/edges.csv"),
            "--truth has 3 files, but there are 2 silos",
        ),
        ("--signals a.csv --truth made/edges.csv".into(), "--truth belongs to --silos"),
        ("--signals a.csv --beta 1,2".into(), "--beta is a list"),
        ("--silos a.csv b.csv --truth made/edges.csv --nu 2,3".into(), "--lambda is missing"),
    ] {
        let output = place.run(&format!("graph learn {line} --out g"));
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{line}: {}", stderr(&output));
    }
    assert_eq!(place.entries(), before);
}
