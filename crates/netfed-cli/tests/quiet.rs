//! What `--quiet` and `--json` leave of the output.

mod common;

use common::{Place, SMALL, stderr, stdout};

#[test]
fn quiet_and_json() {
    let place = Place::with_small_data();
    let output = place.run(&format!("{SMALL} --quiet"));
    assert_eq!((stdout(&output), stderr(&output)), (String::new(), String::new()));
    let output =
        place.run("fit --data points.csv --graph edges.csv --lambda 0.1 --out run2 --json");
    let printed: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(printed["status"], "converged");
    assert_eq!(printed, place.json("run2/summary.json"));
}

#[test]
fn warnings_stay() {
    let place = Place::with_small_data();
    // The node c has data but no edge.
    place.write("edges.csv", "source,target\na,b\n");
    place.write(
        "edges.graphml",
        "<graphml><graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"b\"/><node id=\"c\"/><edge source=\"a\" target=\"b\"/></graph></graphml>",
    );
    place.write("once.csv", "node,x\na,1\nb,2\nc,3\n");
    let both = "--data points.csv --graph edges.csv";
    for line in [
        &format!("fit {both} --lambda 0.1 --out run"),
        &format!("path {both} --lambdas 3 --folds 0 --out path"),
        &format!("tune {both} --lambda-grid 0.1,1 --folds 2 --repeats 1 --out tuned"),
        &format!("compare {both} --methods gtv --splits 2 --out compared"),
        &format!("relax {both} --model tree --alpha 0.1 --rounds 1 --out relaxed"),
        "cluster --data once.csv --graph edges.csv --lambdas 3 --out clustered",
        "graph inspect --graph edges.graphml --out seen",
        "graph convert edges.graphml converted.csv",
    ] {
        let output = place.run(&format!("{line} --quiet"));
        assert!(stderr(&output).contains("netfed: warning: "), "{line}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{line}");
    }
}
