//! `netfed relax` from the outside: models of several kinds in one network, saved and used again.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, SMALL, stderr, stdout};
use netfed::generate::{random, stochastic_block_model};
use rand::RngExt;
use std::fmt::Write;

const KINDS: [&str; 5] = [
    "tree,depth=4",
    "forest,trees=20",
    "kernel,",
    "perceptron,hidden=16 epochs=30 rate=0.01",
    "ridge,ridge=0.01",
];

/// Two clusters of nodes, y = 2 sin(1.5 x₁) ± x₂ with noise; five kinds of models in turn.
fn five_kinds(place: &Place, nodes: usize) {
    let mut random = random(5);
    let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    let half = nodes / 2;
    for (file, points, noise) in [("points.csv", 10, 0.3), ("test.csv", 20, 0.0)] {
        let mut text = String::from("node,x1,x2,y\n");
        for i in 0..nodes {
            for _ in 0..points {
                let (a, b) = (normal(), normal());
                let side = if i < half { 1.0 } else { -1.0 };
                let y = 2.0 * (1.5 * a).sin() + side * b + noise * normal();
                writeln!(text, "n{i},{a},{b},{y}").unwrap();
            }
        }
        place.write(file, &text);
    }
    let graph = stochastic_block_model(&[half, nodes - half], 0.5, 0.02, 3).unwrap();
    let mut text = String::from("source,target,weight\n");
    graph.edges().iter().for_each(|e| writeln!(text, "n{},n{},1", e.tail, e.head).unwrap());
    place.write("edges.csv", &text);
    let mut text = String::from("node,model,options\n");
    (0..nodes).for_each(|i| writeln!(text, "n{i},{}", KINDS[i % 5]).unwrap());
    place.write("models.csv", &text);
}

fn error(place: &Place, run: &str) -> f64 {
    let output = place.run(&format!("evaluate --run {run} --data test.csv --json"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let result: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    result["overall"]["mean squared error"].as_f64().unwrap()
}

#[test]
fn five_kinds_of_models_train_in_one_run_and_beat_training_alone() {
    let place = Place::new();
    five_kinds(&place, 20);
    let line = "relax --data points.csv --graph edges.csv --models models.csv --rounds 6";
    let output = place.run(&format!("{line} --alpha 0.1 --out run"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stdout(&output);
    assert!(said.contains("held back") && said.contains("netfed predict --run run"), "{said}");
    let alone = place.run(&format!("{line} --alpha 0 --hold-out 0 --quiet --out alone"));
    assert_eq!(alone.status.code(), Some(0), "{}", stderr(&alone));
    // On points that neither has seen.
    let (coupled, alone) = (error(&place, "run"), error(&place, "alone"));
    assert!(coupled < 0.8 * alone, "{coupled} {alone}");
    // What the run itself says about points held back.
    let summary = place.json("run/summary.json");
    let validation = &summary["validation"];
    let held = |name: &str| validation[name].as_f64().unwrap();
    assert!(held("coupled") < held("alone") && validation["points"] == 40, "{summary}");
    assert_eq!(summary["models"].as_object().unwrap().len(), 5);
    assert!(summary["variation"].as_f64() < summary["variation_alone"].as_f64());
    let cluster = &summary["clusters"][0];
    let number = |key: &str| cluster[key].as_f64().unwrap();
    assert!(number("variation") <= number("bound") && number("lambda2") > 0.0, "{cluster}");
    assert!(summary["public_points_from"].as_str().unwrap().contains("these moments leave"));
    assert_eq!(place.read("run/nodes.csv").lines().count(), 21);
    assert_eq!(place.read("run/history.csv").lines().count(), 8);
    let page = place.read("run/report.html");
    assert!(page.contains("Every node before and after") && page.matches("<svg").count() >= 5);
    assert!(!page.contains("NaN") && !page.contains("<script"));
    // One thread or two, the same bits.
    let again = place.run(&format!("{line} --alpha 0.1 --threads 1 --quiet --out again"));
    assert_eq!(again.status.code(), Some(0));
    let bytes =
        |run: &str| std::fs::read(place.path(&format!("{run}/models.safetensors"))).unwrap();
    assert!(bytes("run") == bytes("again"), "the models differ");
    assert_eq!(place.read("run/history.csv"), place.read("again/history.csv"));
}

#[test]
fn classes_have_probabilities_and_public_points_come_from_a_file() {
    let place = Place::new();
    let mut random = random(2);
    let (mut points, mut public) = (String::from("x,node,kind\n"), String::from("x\n"));
    for i in 0..6 {
        for _ in 0..8 {
            let x = 6.0 * random.random::<f64>();
            // Classes 3, 5 and 8 along x.
            let kind = [3, 5, 8][(x / 2.0) as usize];
            writeln!(points, "{x},{i},{kind}").unwrap();
        }
    }
    (0..25).for_each(|k| writeln!(public, "{}", 0.25 * f64::from(k)).unwrap());
    place.write("points.csv", &points);
    place.write("public.csv", &public);
    place.write("edges.csv", "source,target\n0,1\n1,2\n2,3\n3,4\n4,5\n5,out\n");
    place.write("models.csv", "node,model\n0,tree\n1,logistic\n2,nearest k=3\n");
    let output = place.run(
        "relax --data points.csv --graph edges.csv --target kind --public public.csv --task classification --models models.csv --model boosting --standardize --alpha 0.5 --rounds 4 --out run",
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("1 node without data points"), "{}", stderr(&output));
    let summary = place.json("run/summary.json");
    assert_eq!(summary["classes"], serde_json::json!([3.0, 5.0, 8.0]));
    assert_eq!(summary["public_points_from"], "the file public.csv");
    // Also the node without data predicts; it has learned from its neighbor.
    place.write("new.csv", "node,x,kind\nout,1,\nout,3,\nout,5,?\n0,1,\n1,3,\n2,5,\n");
    let output = place.run("predict --run run --data new.csv --out p.csv");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = place.read("p.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("node,prediction,probability_3,probability_5,probability_8"));
    let mut right = 0;
    for (line, class) in lines.zip(["3", "5", "8", "3", "5", "8"]) {
        let cells: Vec<&str> = line.split(',').collect();
        let sum: f64 = cells[2..].iter().map(|c| c.parse::<f64>().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{line}");
        right += usize::from(cells[1] == class);
    }
    assert!(right >= 5, "{text}");
    let output = place.run("evaluate --run run --target x --data points.csv --json");
    assert_eq!(output.status.code(), Some(2));
    let output = place.run("evaluate --run run --data points.csv --json");
    let result: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(result["overall"]["accuracy"].as_f64().unwrap() > 0.85, "{result}");
    place.write("odd.csv", "node,x,kind\n0,1,4\n");
    let output = place.run("evaluate --run run --data odd.csv");
    assert!(stderr(&output).contains(
        "odd.csv, line 2, column \"kind\": the label 4 is not one of the classes of the run, 3, 5, 8."
    ));
}

#[test]
fn small_networks_work() {
    // One edge to a node without data, a node without edges, one feature, one point.
    let place = Place::new();
    place.write("points.csv", "node,x,y\na,1,2\nlone,3,1\n");
    place.write("edges.csv", "source,target\na,b\nc,d\n");
    for model in ["tree", "linear", "kernel", "nearest", "forest", "boosting", "perceptron"] {
        let output = place.run(&format!(
            "relax --data points.csv --graph edges.csv --model {model} --alpha 1 --rounds 3 --force --out run"
        ));
        assert_eq!(output.status.code(), Some(0), "{model}: {}", stderr(&output));
        let said = stderr(&output);
        assert!(said.contains("left untrained") && said.contains("trained alone"), "{said}");
        place.write("new.csv", "node,x\na,1\nb,1\nc,1\nlone,3\n");
        let output = place.run("predict --run run --data new.csv --force --out p.csv");
        assert_eq!(output.status.code(), Some(0), "{model}: {}", stderr(&output));
        let text = place.read("p.csv");
        let values: Vec<f64> =
            text.lines().skip(1).map(|l| l.split(',').nth(1).unwrap().parse().unwrap()).collect();
        assert!(values.iter().all(|v| v.is_finite()), "{model}: {text}");
        assert_eq!(values[2], 0.0, "{model}: nothing is known of c");
    }
}

#[test]
fn models_of_another_command_do_not_stay() {
    let place = Place::new();
    let mut points = String::from("node,x,y\n");
    for k in 0..30 {
        points.push_str(&format!("{},{k},{}\n", ["a", "b"][k % 2], 2 * k));
    }
    place.write("p.csv", &points);
    place.write("e.csv", "source,target,weight\na,b,1\n");
    place.write("new.csv", "node,x\na,100\n");
    let relaxed = place.run("relax --data p.csv --graph e.csv --model tree --alpha 0.1 --out run");
    assert_eq!(relaxed.status.code(), Some(0), "{}", stderr(&relaxed));
    place.write("run/mine.txt", "notes");
    let fitted = place.run("fit --data p.csv --graph e.csv --lambda 0.1 --out run --force");
    assert_eq!(fitted.status.code(), Some(0), "{}", stderr(&fitted));
    let predicted = place.run("predict --run run --data new.csv --out predicted.csv");
    assert_eq!(predicted.status.code(), Some(0), "{}", stderr(&predicted));
    let table = place.read("predicted.csv");
    let value: f64 = table.lines().nth(1).unwrap().rsplit(',').next().unwrap().parse().unwrap();
    assert!((value - 200.0).abs() < 1.0, "a line, not a tree: {table}");
    assert_eq!(place.read("run/mine.txt"), "notes");
}

#[test]
fn results_of_another_kind_do_not_replace_models() {
    let place = Place::with_small_data();
    let line = "relax --data points.csv --graph edges.csv --model tree --alpha 0.1 --out run";
    assert_eq!(place.run(line).status.code(), Some(0));
    assert_eq!(place.run(&SMALL.replace("--out run", "--out fitted")).status.code(), Some(0));
    let files = |run: &str| {
        let names = std::fs::read_dir(place.path(run)).unwrap().map(|e| e.unwrap().path());
        let mut files: Vec<_> = names.map(|f| (std::fs::read(&f).unwrap(), f)).collect();
        files.sort();
        files
    };
    for run in ["run", "fitted"] {
        let before = files(run);
        for other in [
            "graph inspect --graph edges.csv",
            "cluster --data points.csv --graph edges.csv --features x1,x2",
            "graph generate sbm --sizes 4,4 --inside 0.5 --between 0.1",
        ] {
            let output = place.run(&format!("{other} --out {run} --force"));
            assert_eq!(output.status.code(), Some(2), "{other}: {}", stderr(&output));
            let why = format!("{run} holds the models of a run, which --force would spoil");
            assert!(stderr(&output).contains(&why), "{other}: {}", stderr(&output));
        }
        assert!(files(run) == before);
    }
    // What trains may replace what was trained, and others their own results.
    assert_eq!(place.run(&format!("{line} --force")).status.code(), Some(0));
    for _ in 0..2 {
        let output = place.run("graph inspect --graph edges.csv --out seen --force");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
}
