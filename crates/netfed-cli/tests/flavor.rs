//! `netfed fit --flavor` and `netfed vertical` as a user runs them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, stderr, stdout};

const FIT: &str = "fit --data points.csv --graph edges.csv";

fn fitted(place: &Place, line: &str) -> serde_json::Value {
    let output = place.run(&format!("{line} --out run --force --json"));
    assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn flavors_choose_graph_and_lambda_and_say_so() {
    let place = Place::with_small_data();
    for (flavor, nodes, edges, clusters) in [
        ("centralized", 4, 3, 1),
        ("decentralized", 3, 2, 1),
        ("horizontal", 3, 2, 1),
        ("personalized", 3, 2, 3),
    ] {
        let found = fitted(&place, &format!("{FIT} --flavor {flavor}"));
        let sizes = [&found["nodes"], &found["edges"], &found["clusters"]];
        assert_eq!(sizes.map(|v| v.as_u64().unwrap()), [nodes, edges, clusters], "{found}");
        let words = found["flavor_words"].as_str().unwrap();
        assert!(words.to_lowercase().starts_with(&format!("{flavor}: ")), "{words}");
        assert!(place.read("run/config.toml").contains(words), "{words}");
        assert!(place.read("run/report.html").contains(&words[..30]), "{words}");
        // The same run again, and what follows from it.
        let again = fitted(&place, "fit --config run/config.toml");
        assert_eq!(
            (&again["lambda"], &again["objective"]),
            (&found["lambda"], &found["objective"])
        );
        assert_eq!(place.run("explain --run run --folds 0").status.code(), Some(0), "{flavor}");
        assert_eq!(place.run("evaluate --run run --data points.csv").status.code(), Some(0));
    }
    // In between, by either spelling.
    let lambda = |line: &str| fitted(&place, line)["lambda"].as_f64().unwrap();
    let between = lambda(&format!("{FIT} --flavour clustered"));
    assert!(lambda(&format!("{FIT} --flavor personalized")) < between);
    assert!(between < lambda(&format!("{FIT} --flavor decentralized")));
}

#[test]
fn a_server_needs_no_graph_and_flags_win() {
    let place = Place::with_small_data();
    let found = fitted(&place, "fit --data points.csv --flavor centralized");
    assert_eq!((found["nodes"].as_u64(), found["clusters"].as_u64()), (Some(4), Some(1)));
    assert!(!place.read("run/config.toml").contains("graph ="));
    assert_eq!(found["warnings"].as_array().unwrap().len(), 0, "{found}");
    let one = place.read("run/parameters.csv");
    let models: Vec<&str> = one.lines().skip(1).map(|l| l.split_once(',').unwrap().1).collect();
    assert!(models.iter().all(|m| *m == models[0]), "{one}");
    let found = fitted(&place, &format!("{FIT} --flavor clustered --penalty l1 --lambda 0.25"));
    assert_eq!((found["penalty"].as_str(), found["lambda"].as_f64()), (Some("l1"), Some(0.25)));
    for (flags, part) in [
        ("--flavor vertical", "netfed vertical --parties"),
        ("--flavor clusterd", "Did you mean \"clustered\"?"),
    ] {
        let output = place.run(&format!("{FIT} {flags} --out never"));
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
    let output = place.run("fit --data points.csv --flavor clustered --out never");
    assert!(stderr(&output).contains("no file of edges given"), "{}", stderr(&output));
}

/// Two parties with one and two features; y = 2a − b + 3c + 1 exactly.
fn parties() -> Place {
    let place = Place::new();
    let rows = [
        ("ann", 1.0, 0.5, 2.0),
        ("bob", -1.0, 2.0, 0.3),
        ("cal", 0.2, -1.0, 1.0),
        ("dee", 3.0, 0.1, -2.0),
        ("eve", 0.7, 1.5, 0.9),
        ("fay", -2.0, -0.4, 0.6),
    ];
    let mut files = ["person,a\n", "b,person,c\n", "person,y\nzoe,4\n"].map(String::from);
    for (name, a, b, c) in rows {
        files[0].insert_str(9, &format!("{name},{a}\n"));
        files[1].push_str(&format!("{b},{name},{c}\n"));
        files[2].push_str(&format!("{name},{}\n", 2.0 * a - b + 3.0 * c + 1.0));
    }
    ["a.csv", "b.csv", "y.csv"].iter().zip(&files).for_each(|(name, text)| place.write(name, text));
    place
}

const VERTICAL: &str = "vertical --parties a.csv,b.csv --labels y.csv --id person";

#[test]
fn parties_learn_one_model_without_showing_their_features() {
    let place = parties();
    let output = place.run(&format!("{VERTICAL} --intercept --out models"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("6 people whom all of them know; 1 of the label file"));
    let models = place.read("models/models.csv");
    let found: Vec<(&str, f64)> = models
        .lines()
        .skip(1)
        .map(|l| l.rsplit_once(',').map(|(name, w)| (name, w.parse().unwrap())).unwrap())
        .collect();
    let names: Vec<&str> = found.iter().map(|f| f.0).collect();
    assert_eq!(names, ["a.csv,a", "b.csv,b", "b.csv,c", "labels,intercept"]);
    for ((name, w), expected) in found.iter().zip([2.0, -1.0, 3.0, 1.0]) {
        assert!((w - expected).abs() < 1e-5, "{name}: {w}");
    }
    let predictions = place.read("models/predictions.csv");
    assert_eq!(predictions.lines().count(), 7);
    for line in predictions.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [label, guess] = [1, 2].map(|k| cells[k].parse::<f64>().unwrap());
        assert!((label - guess).abs() < 1e-5, "{line}");
    }
    let output = place.run(&format!("{VERTICAL} --rounds 2 --out early"));
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).contains("raise --rounds"), "{}", stdout(&output));
}

#[test]
fn bad_files_of_parties_get_a_sentence() {
    let place = parties();
    place.write("twice.csv", "person,y\nann,1\nann,2\n");
    place.write("others.csv", "person,y\nyan,1\n");
    for (line, part) in [
        (
            "vertical --parties a.csv,b.csv --labels y.csv --id name",
            "no column \"name\", which --id names",
        ),
        ("vertical --parties a.csv,gone.csv --labels y.csv --id person", "cannot open gone.csv"),
        ("vertical --parties a.csv --labels twice.csv --id person", "the id \"ann\" has two rows"),
        ("vertical --parties a.csv --labels others.csv --id person", "occurs in all files"),
        ("vertical --parties a.csv --labels y.csv --id person --target z", "no column \"z\""),
        (
            "vertical --parties a.csv --labels y.csv --id person --loss logistic",
            "expected the classes",
        ),
        ("vertical --parties a.csv --labels y.csv --id person --loss mean", "known are squared"),
        ("vertical --parties a.csv --labels y.csv --id person --ridge -1", "--ridge is -1"),
    ] {
        let output = place.run(&format!("{line} --out never"));
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{line}: {message}");
        assert!(message.contains(part), "{line}: {message}");
        assert!(!place.path("never").exists());
    }
}
