//! What `netfed relax` says about a run: no more than is true.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, stderr, stdout};

/// A chain from a, with data, to the nodes b, c, d without.
fn chain() -> Place {
    let place = Place::new();
    place.write("points.csv", "node,x,y\na,1,2\na,2,3\na,3,5\na,4,4\na,5,7\na,6,6\n");
    place.write("edges.csv", "source,target\na,b\nb,c\nc,d\n");
    place
}

const CHAIN: &str = "relax --data points.csv --graph edges.csv --model linear --force --out run";

#[test]
fn nodes_that_the_rounds_do_not_reach_are_untrained() {
    let place = chain();
    place.write("new.csv", "node,x\na,4\nb,4\nc,4\nd,4\n");
    for (rounds, reached, missed) in [(0, 0, 3), (1, 1, 2), (2, 2, 1), (3, 3, 0)] {
        let output = place.run(&format!("{CHAIN} --alpha 1 --rounds {rounds}"));
        let said = stderr(&output);
        let plural = |count: usize, noun: &str| {
            format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
        };
        let trained =
            format!("{} without data points in points.csv, trained on", plural(reached, "node"));
        let untrained = format!(
            "{} without data points in points.csv that {} do not reach, left untrained (predictions are 0, or all classes alike); say --rounds 3 or more: ",
            plural(missed, "node"),
            plural(rounds, "round")
        );
        assert_eq!(said.contains(&trained), reached > 0, "{said}");
        assert_eq!(said.contains(&untrained), missed > 0, "{said}");
        // As the warning says, so it is.
        place.run("predict --run run --data new.csv --force --out p.csv");
        let text = place.read("p.csv");
        assert_eq!(text.lines().filter(|l| l.ends_with(",0")).count(), missed, "{text}");
    }
    let said = stderr(&place.run(&format!("{CHAIN} --alpha 0")));
    assert!(said.contains("3 nodes without data and without a coupled path"), "{said}");
}

#[test]
fn without_an_exchange_the_models_are_local_ones() {
    let place = Place::with_small_data();
    for flags in ["--alpha 1 --rounds 0", "--alpha 0 --rounds 3"] {
        let output = place.run(&format!("{CHAIN} --hold-out 3 {flags}"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let said = stdout(&output);
        assert!(said.starts_with("trained every node alone, "), "{said}");
        assert!(said.contains("The models are local ones, nothing was exchanged: on 3 points held back the mean squared error is "), "{said}");
        let page = place.read("run/report.html");
        assert!(page.contains("3 local models, each trained alone"));
        let summary = place.json("run/summary.json");
        assert_eq!(summary["clusters"], serde_json::json!([]));
        for wrong in ["coupled", "than alone", "fell from", "In a round", "Another α"] {
            assert!(!said.contains(wrong) && !page.contains(wrong), "{flags}: {wrong}: {said}");
        }
        assert!(page.contains("Nothing traveled over the edges."));
        assert!(!page.contains("leave the nodes") && !page.contains("In every round"));
    }
    let advice = |flags: &str| stdout(&place.run(&format!("{CHAIN} {flags}")));
    assert!(advice("--alpha 1 --rounds 0").contains("Exchange predictions with --rounds 10"));
    assert!(advice("--alpha 0").contains("Couple the nodes with --alpha 0.1"));
}

#[test]
fn rounds_that_are_not_needed_cost_nothing() {
    let place = Place::with_small_data();
    for (rounds, alpha) in [(u64::MAX, 1), (u64::MAX - 1, 0), (u64::MAX / 2, 1)] {
        let output = place.run(&format!("{CHAIN} --alpha {alpha} --rounds {rounds}"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let done = place.json("run/summary.json")["rounds"].as_u64().unwrap();
        assert!(done < 10_000 && (done > 0) == (alpha > 0), "{done}");
    }
}

#[test]
fn neighbors_that_would_trade_their_predictions_settle() {
    // Two lines apart by 5. With a large α each node would take over what the other said, round
    // after round.
    let place = Place::new();
    let mut points = String::from("node,x,y\n");
    for k in 0..10 {
        points.push_str(&format!("a,{k},{}\nb,{k},{}\n", k, k + 5));
    }
    place.write("points.csv", &points);
    place.write("edges.csv", "source,target,weight\na,b,2\n");
    place.write("new.csv", "node,x\na,4\nb,4\n");
    for alpha in ["50", "1e6", "1e90"] {
        let output = place.run(&format!("{CHAIN} --alpha {alpha}"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!stderr(&output).contains("settle"), "{}", stderr(&output));
        let said = stdout(&output);
        assert!(said.contains("The predictions have settled, to 0.1%: "), "{said}");
        assert!(said.contains(" Predictions swung to and fro between neighbors"), "{said}");
        let summary = place.json("run/summary.json");
        assert_eq!((&summary["status"], &summary["damping"]), (&"settled".into(), &0.5.into()));
        place.run("predict --run run --data new.csv --force --out p.csv");
        for line in place.read("p.csv").lines().skip(1) {
            let found: f64 = line.split(',').nth(1).unwrap().parse().unwrap();
            assert!((found - 6.5).abs() < 0.1, "{alpha}: {line}");
        }
    }
    let output = place.run(&format!("{CHAIN} --alpha 0.5"));
    assert_eq!(place.json("run/summary.json")["damping"], 1.0, "{}", stdout(&output));
}

#[test]
fn rounds_that_do_not_settle_are_warned_about() {
    let place = Place::new();
    // y = x and y = −x: with α = 1000 each takes over what the other said, until damping begins in
    // round 4.
    place.write(
        "points.csv",
        "node,x,y\na,1,1\na,2,2\na,-1,-1\na,-2,-2\nb,1,-1\nb,2,-2\nb,-1,1\nb,-2,2\n",
    );
    place.write("edges.csv", "source,target\na,b\n");
    let warning = "the rounds do not settle, the last one moved predictions by";
    for (flags, expected) in [
        ("--alpha 1000 --rounds 3", Some("by 200%: try --rounds 6, or --alpha 1.")),
        ("--alpha 1000 --rounds 4", Some("by more than 1000%: try --rounds 8, or --alpha 1.")),
        ("--alpha 1.5 --rounds 3", Some("%: try --rounds 6.")),
        ("--alpha 1000 --rounds 20", None),
        ("--alpha 0.1 --rounds 20", None),
    ] {
        let output = place.run(&format!("{CHAIN} {flags} --hold-out 0"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let (said, summary) = (stderr(&output), place.json("run/summary.json"));
        assert_eq!(said.contains(warning), expected.is_some(), "{flags}: {said}");
        assert!(said.contains(expected.unwrap_or("")), "{flags}: {said}");
        let listed = summary["warnings"].as_array().unwrap();
        assert_eq!(
            listed.iter().any(|w| w.as_str().unwrap().starts_with(warning)),
            expected.is_some()
        );
        assert_eq!(place.read("run/report.html").contains(warning), expected.is_some());
        assert_eq!(summary["status"] == "settled", expected.is_none(), "{flags}: {summary}");
    }
}

#[test]
fn rounds_that_are_used_up_say_what_is_left() {
    // A chain with data at its ends.
    let place = Place::new();
    let mut points = String::from("node,x,y\n");
    (0..10).for_each(|k| points.push_str(&format!("a,{k},{k}\nh,{k},{}\n", 30 - 2 * k)));
    place.write("points.csv", &points);
    place.write("edges.csv", "source,target\na,b\nb,c\nc,d\nd,e\ne,f\nf,g\ng,h\n");
    let run = |rounds: u64| {
        let output = place.run(&format!("{CHAIN} --alpha 2 --rounds {rounds} --hold-out 0"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        (stdout(&output), place.json("run/summary.json"))
    };
    // Damping begins in round 13.
    let (said, summary) = run(20);
    assert!(said.starts_with("20 rounds used up, "), "{said}");
    assert!(said.contains("The predictions have not settled: the last round moved"), "{said}");
    assert!(said.contains("if changes go on shrinking by the factor "), "{said}");
    assert_eq!(summary["status"], "rounds used up");
    let left = summary["change_left"].as_f64().unwrap();
    // As much as it then takes.
    let history = {
        let (said, summary) = run(1000);
        assert!(said.starts_with("settled after ") && summary["status"] == "settled", "{said}");
        place.read("run/history.csv")
    };
    let changes = history.lines().skip(1 + 21);
    let rest: f64 = changes.map(|l| l.split(',').nth(2).unwrap().parse::<f64>().unwrap()).sum();
    assert!(left > 0.5 * rest && left < 2.0 * rest, "{left} {rest}");
    let (said, summary) = run(1);
    assert!(said.contains("; after 1 round nobody knows how much is left."), "{said}");
    assert_eq!(summary["change_left"], serde_json::Value::Null);
    assert_eq!(summary["settled_below"], 0.001);
}

#[test]
fn alone_means_as_many_fits() {
    let place = Place::new();
    let mut points = String::from("node,x,y\n");
    for k in 0..20 {
        let x = f64::from(k) / 5.0 - 2.0;
        points.push_str(&format!("a,{x},{}\nb,{x},{}\n", x.sin(), x.sin() + 0.01));
    }
    place.write("points.csv", &points);
    place.write("edges.csv", "source,target\na,b\n");
    let alone = |flags: &str| {
        let output = place.run(&format!(
            "relax --data points.csv --graph edges.csv --models models.csv --force --out run {flags}"
        ));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        place.json("run/summary.json")["validation"]["alone"].as_f64().unwrap()
    };
    let models = |options: &str| {
        let line = |node| format!("{node},perceptron,hidden=8 rate=0.01 {options}\n");
        place.write("models.csv", &format!("node,model,options\n{}{}", line("a"), line("b")));
    };
    models("epochs=5");
    let coupled = alone("--alpha 0.5 --rounds 9");
    assert_eq!(coupled, alone("--alpha 0 --rounds 9"));
    assert_eq!(alone("--alpha 0.5 --rounds 0"), alone("--alpha 0 --rounds 0"));
    assert!(coupled < 0.8 * alone("--alpha 0.5 --rounds 0"), "{coupled}");
    // What --alpha 0 leaves behind is what alone is judged by.
    alone("--alpha 0 --rounds 9");
    let summary = place.json("run/summary.json");
    assert_eq!(summary["validation"]["coupled"], summary["validation"]["alone"]);
    assert_eq!((&summary["status"], &summary["rounds"]), (&"trained alone".into(), &0.into()));
}

#[test]
fn without_edges_every_node_is_trained_alone() {
    let place = chain();
    place.write("edges.csv", "source,target\n");
    let said = stdout(&place.run(&format!("{CHAIN} --alpha 1")));
    for words in ["trained every node alone", "not needed, as nothing", "Give edges (--graph)"] {
        assert!(said.contains(words), "{said}");
    }
    let summary = place.json("run/summary.json");
    assert_eq!((&summary["status"], &summary["rounds"]), (&"trained alone".into(), &0.into()));
    assert_eq!(summary["problem"], "every node alone, as there are no edges");
}

#[test]
fn the_only_point_of_a_node_is_not_held_back() {
    let place = Place::new();
    let mut points = String::from("node,x,y\n");
    // Alone, the node b could only be judged untrained: its error would be that of the prediction
    // 0.
    for k in 0..10 {
        points.push_str(&format!("a,{k},{}\n", 1000 + k));
    }
    points.push_str("b,3,1003\n");
    place.write("points.csv", &points);
    place.write("edges.csv", "source,target\na,b\n");
    for seed in 0..8 {
        let output = place.run(&format!("{CHAIN} --alpha 1 --hold-out 2 --seed {seed}"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let summary = place.json("run/summary.json");
        assert_eq!(summary["validation"]["nodes_judged"], 1, "{summary}");
        assert_eq!(summary["validation"]["points"], 5, "{summary}");
        assert!(summary["validation"]["alone"].as_f64().unwrap() < 1.0, "{summary}");
    }
    place.write("points.csv", "node,x,y\na,1,2\nb,2,3\n");
    let output = place.run(&format!("{CHAIN} --alpha 1 --hold-out 2"));
    let said = stdout(&output);
    assert!(
        said.contains("Too few points to hold some back (the only point of a node stays)"),
        "{said}"
    );
    assert!(place.json("run/summary.json")["validation"].is_null());
}

#[test]
fn rounding_is_no_difference() {
    let place = Place::new();
    // One label for all: the bound is 0, and so is every error.
    let mut points = String::from("node,x,z,y\n");
    for k in 0..40 {
        let (x, z) = (f64::from(k) * 0.7, f64::from(k * k % 7));
        points.push_str(&format!("{},{x},{z},0.1\n", ["a", "b", "c"][k as usize % 3]));
    }
    place.write("points.csv", &points);
    place.write("edges.csv", "source,target\na,b\nb,c\n");
    let output = place.run(&format!("{CHAIN} --alpha 1"));
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary = place.json("run/summary.json");
    let cluster = &summary["clusters"][0];
    assert!(cluster["variation"].as_f64() > cluster["bound"].as_f64(), "too easy: {cluster}");
    assert_eq!(cluster["within_bound"], true, "{cluster}");
    assert!(
        said.contains("Over the graph the predictions of all models are alike, up to rounding."),
        "{said}"
    );
    assert!(said.contains("0 of 3 nodes predict better than alone, 0 worse"), "{said}");
    assert!(!said.contains("above") && !said.contains("hurts") && !said.contains("NaN"), "{said}");
    let page = place.read("run/report.html");
    assert!(page.contains("3 local models: the same error as alone"), "{page}");
}

#[test]
fn the_bound_is_called_by_its_name() {
    let place = Place::with_small_data();
    let output = place.run(&format!("{CHAIN} --alpha 1000"));
    let said = stdout(&output);
    assert!(said.contains("the variation bound ε/(αλ₂) = ") && !said.contains("(25)"), "{said}");
    let page = place.read("run/report.html");
    assert!(!page.contains("(25)") && page.matches("Plug In and Learn").count() == 1);
    // Numbers that are flags can be typed in again.
    let flags = said.split("--alpha ").skip(1).map(|rest| rest.split([' ', ':']).next().unwrap());
    let flags: Vec<&str> = flags.map(|f| f.trim_end_matches(['.', ','])).collect();
    assert!(!flags.is_empty() && flags.iter().all(|f| f.parse::<f64>().is_ok()), "{said}");
}

#[test]
fn other_columns_of_public_points_are_not_read() {
    let place = Place::with_small_data();
    place.write("public.csv", "x2,name,x1\n1,bob,2\n0,eve,1\n");
    let output = place.run(&format!("{CHAIN} --alpha 1 --public public.csv"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stderr(&output).contains(
            "warning: public.csv has columns that are no features and are not read (whose points they are would stand in the column \"node\"): \"name\"."
        ),
        "{}",
        stderr(&output)
    );
    let models = std::fs::read(place.path("run/models.safetensors")).unwrap();
    place.write("plain.csv", "x1,x2\n2,1\n1,0\n");
    let output = place.run(&format!("{CHAIN} --alpha 1 --public plain.csv"));
    assert!(!stderr(&output).contains("not read"));
    assert!(models == std::fs::read(place.path("run/models.safetensors")).unwrap());
}

#[test]
fn other_columns_of_models_are_named() {
    let place = Place::with_small_data();
    place.write("models.csv", "node,model,depth\na,tree,2\n");
    let output = place.run(&format!("{CHAIN} --alpha 1 --models models.csv"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let warning = "warning: models.csv has columns that are not read (options stand in the column \"options\", as depth=4): \"depth\".";
    assert!(stderr(&output).contains(warning), "{}", stderr(&output));
    place.write("models.csv", "node,model,options\na,tree,depth=2\n");
    let output = place.run(&format!("{CHAIN} --alpha 1 --models models.csv"));
    assert!(!stderr(&output).contains("not read"), "{}", stderr(&output));
}

#[test]
fn few_points_neither_praise_nor_condemn_coupling() {
    let place = Place::with_small_data();
    let mut seen = [false; 2];
    for (seed, alpha) in [(0, 0.001), (1, 0.001), (2, 0.001), (0, 100.0), (1, 100.0), (2, 100.0)] {
        let line = format!("{CHAIN} --hold-out 3 --alpha {alpha} --seed {seed}");
        let said = stdout(&place.run(&line));
        let summary = place.json("run/summary.json");
        let error = |key: &str| summary["validation"][key].as_f64().unwrap();
        let helps = error("coupled") < error("alone");
        let word = if helps { "helps" } else { "hurts" };
        assert!(
            said.contains(&format!("So few points do not tell whether coupling {word}: ")),
            "{said}"
        );
        assert!(place.read("run/report.html").contains("<header class=\"fair\">"));
        seen[usize::from(helps)] = true;
    }
    assert_eq!(seen, [true; 2], "too few cases");
}

#[test]
fn nodes_that_all_agree_tell_with_few_points() {
    let place = Place::new();
    let (mut points, mut edges) = (String::from("node,x,y\n"), String::from("source,target\n"));
    // Neighbors on a ring are opposites: coupling hurts all of them.
    for i in 0..6 {
        let slope = if i % 2 == 0 { 3 } else { -3 };
        (1..5).for_each(|x| points.push_str(&format!("n{i},{x},{}\n", slope * x)));
        edges.push_str(&format!("n{i},n{}\n", (i + 1) % 6));
    }
    place.write("points.csv", &points);
    place.write("edges.csv", &edges);
    let said = stdout(&place.run(&format!("{CHAIN} --hold-out 2 --alpha 10")));
    assert!(said.contains("0 of 6 nodes predict better than alone, 6 worse"), "{said}");
    assert!(said.contains("Coupling hurts here."), "{said}");
}
