//! `netfed predict` and `netfed evaluate` on the models of a run.

mod common;

use common::{Place, SMALL, stderr, stdout};

#[test]
fn predictions_are_the_models_applied() {
    let place = Place::with_small_data();
    assert_eq!(place.run(&format!("{SMALL} --intercept")).status.code(), Some(0));
    // Labels are not read.
    place.write("new.csv", "x2,node,y,x1\n2,b,,1\n-1,a,unknown,3\n");
    let output = place.run("predict --run run --data new.csv --out predictions.csv");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "2 predictions for 2 nodes in predictions.csv\n");
    place.write("one.csv", "node,x1,x2\nb,1,2\n");
    let output = place.run("predict --run run --data one.csv --out one-prediction.csv");
    assert_eq!(stdout(&output), "1 prediction for 1 node in one-prediction.csv\n");
    let models = place.read("run/parameters.csv");
    let model = |node: &str| -> Vec<f64> {
        let row = models.lines().find(|l| l.starts_with(&format!("{node},"))).unwrap();
        row.split(',').skip(1).map(|c| c.parse().unwrap()).collect()
    };
    let predictions = place.read("predictions.csv");
    let lines: Vec<&str> = predictions.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "node,prediction"));
    for (line, (node, x)) in lines[1..].iter().zip([("b", [1.0, 2.0]), ("a", [3.0, -1.0])]) {
        let w = model(node);
        let (name, value) = line.split_once(',').unwrap();
        let expected = w[0] * x[0] + w[1] * x[1] + w[2];
        assert_eq!(name, node);
        assert!((value.parse::<f64>().unwrap() - expected).abs() < 1e-12);
    }
}

#[test]
fn classes_come_with_probabilities() {
    let place = Place::new();
    place.write("points.csv", "node,x,y\na,1,1\na,2,1\na,-1,0\na,0.5,0\nb,1,1\nb,-2,0\nb,0.3,0\n");
    place.write("edges.csv", "source,target\na,b\n");
    let line = "fit --data points.csv --graph edges.csv --loss logistic --lambda 0.1 --ridge 0.01 --out run";
    assert_eq!(place.run(line).status.code(), Some(0));
    assert_eq!(place.run("predict --run run --data points.csv --out p.csv").status.code(), Some(0));
    let text = place.read("p.csv");
    assert!(text.starts_with("node,prediction,probability\n"));
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let probability: f64 = cells[2].parse().unwrap();
        assert_eq!(cells[1] == "1", probability >= 0.5, "{line}");
        assert!(
            ["0", "1"].contains(&cells[1]),
            "classes are written as in the training data: {line}"
        );
    }
    let output = place.run("evaluate --run run --data points.csv --json");
    let result: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let accuracy = result["overall"]["accuracy"].as_f64().unwrap();
    assert!((0.5..=1.0).contains(&accuracy) && result["nodes"]["a"]["points"] == 4, "{result}");
}

#[test]
fn evaluation_measures_the_error_per_node_and_overall() {
    let place = Place::new();
    place.write("points.csv", "node,x,y\na,1,2\na,2,4\nb,1,2\n");
    place.write("edges.csv", "source,target\na,b\n");
    assert_eq!(
        place
            .run("fit --data points.csv --graph edges.csv --lambda 0.1 --tol 1e-12 --out run")
            .status
            .code(),
        Some(0)
    );
    place.write("test.csv", "node,x,y\na,1,3\na,1,1\nb,2,7\n");
    let output = place.run("evaluate --run run --data test.csv --json --out errors.csv");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let result: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let number = |v: &serde_json::Value| v["mean squared error"].as_f64().unwrap();
    assert!((number(&result["nodes"]["a"]) - 1.0).abs() < 1e-4, "{result}");
    assert!((number(&result["nodes"]["b"]) - 9.0).abs() < 1e-4, "{result}");
    assert!((number(&result["overall"]) - 11.0 / 3.0).abs() < 1e-4, "{result}");
    assert!((number(&result["node_average"]) - 5.0).abs() < 1e-4, "{result}");
    assert!(
        place
            .read("errors.csv")
            .starts_with("node,points,mean squared error,mean absolute error\na,2,")
    );
    let shown = stdout(&place.run("evaluate --run run --data test.csv"));
    assert!(shown.contains("all points") && shown.contains("mean of nodes"), "{shown}");
}

#[test]
fn cluster_centers_have_distances_but_no_predictions() {
    let place = Place::with_small_data();
    let line = "fit --data points.csv --graph edges.csv --loss mean --lambda 0.1 --out run";
    assert_eq!(place.run(line).status.code(), Some(0));
    let output = place.run("predict --run run --data points.csv --out p.csv");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cluster centers"));
    let output = place.run("evaluate --run run --data points.csv");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("mean squared distance"));
}
