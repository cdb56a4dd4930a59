//! Public points of each node's own in `netfed relax`.
#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use common::{Place, stderr, stdout};
use netfed::model::{ModelKind, Task};
use netfed::relax::{Examples, FedRelax, Neighbor, RelaxNode, RelaxSettings, RelaxWeights};
use netfed::{Graph, Matrix};
use std::sync::Arc;

const KINDS: [&str; 4] =
    ["tree depth=3", "ridge ridge=0.1", "perceptron hidden=4 epochs=5", "nearest k=2"];
const EDGES: [(usize, usize, f64); 4] = [(0, 1, 1.0), (1, 2, 0.5), (2, 3, 2.0), (0, 3, 1.0)];
const LINE: &str = "relax --data points.csv --graph edges.csv --models models.csv --alpha 0.3 --rounds 5 --hold-out 0 --seed 7";

/// Twelve points of a node, with labels.
fn own(node: usize) -> Vec<[f64; 3]> {
    let point = |k: usize| {
        let (a, b) = ((1.7 * (13 * node + k) as f64).sin(), (0.9 * (7 * node + k) as f64).cos());
        [a, b, 2.0 * a - b + 0.1 * (node as f64)]
    };
    (0..12).map(point).collect()
}

/// Public points of a node: 4, 5, 6, 7.
fn public(node: usize) -> Vec<[f64; 2]> {
    (0..4 + node).map(|k| [(k as f64 + 0.3 * node as f64).sin(), (k as f64).cos()]).collect()
}

/// The nodes n0 to n3 on a ring.
fn ring() -> Place {
    let place = Place::new();
    let mut points = String::from("node,x1,x2,y\n");
    let mut models = String::from("node,model,options\n");
    // Rows of the public points in another order than the nodes.
    let mut sets = String::from("x2,node,x1\n");
    for i in [2, 0, 3, 1] {
        own(i).iter().for_each(|[a, b, y]| points += &format!("n{i},{a},{b},{y}\n"));
        let (name, options) = KINDS[i].split_once(' ').unwrap_or((KINDS[i], ""));
        models += &format!("n{i},{name},{options}\n");
        public(i).iter().for_each(|[a, b]| sets += &format!("{b},n{i},{a}\n"));
    }
    let edge = |(a, b, w): &(usize, usize, f64)| format!("n{a},n{b},{w}\n");
    place.write("points.csv", &points);
    place.write("models.csv", &models);
    place.write("public.csv", &sets);
    place.write(
        "edges.csv",
        &format!("source,target,weight\n{}", EDGES.iter().map(edge).collect::<String>()),
    );
    place
}

/// The same network in the library: node i fits to the points of its neighbors as they label them.
fn in_the_library() -> Vec<Vec<f64>> {
    let matrix = |cols: usize, values: Vec<f64>| Matrix::from_rows(cols, values).unwrap();
    let graph = Graph::new(4, &EDGES).unwrap();
    let sets: Vec<Arc<Matrix>> = (0..4).map(|i| Arc::new(matrix(2, public(i).concat()))).collect();
    let points = |i: usize| matrix(2, own(i).iter().flat_map(|p| [p[0], p[1]]).collect());
    let node = |i: usize| {
        let edge = |inc: &netfed::Incidence| Neighbor {
            weight: graph.edges()[inc.edge()].weight,
            public: Arc::clone(&sets[inc.neighbor()]),
        };
        let neighbors: Vec<Neighbor> = graph.incident(i).iter().map(edge).collect();
        let targets = matrix(1, own(i).iter().map(|p| p[2]).collect());
        let seed = 7u64.wrapping_add((i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let model = KINDS[i].parse::<ModelKind>().unwrap().build(Task::Regression, 2, seed);
        let settings = RelaxSettings {
            alpha: 0.3,
            weights: RelaxWeights::Objective,
            held: Some(Arc::clone(&sets[i])),
        };
        let own = Examples { points: points(i), targets };
        RelaxNode::new(model, own, Arc::clone(&sets[i]), &neighbors, settings).unwrap()
    };
    let mut network = FedRelax::new(&graph, (0..4).map(node).collect()).unwrap();
    (0..=5).for_each(|_| _ = network.fit().unwrap());
    let predict = |(i, node): (usize, &RelaxNode)| {
        let mut out = Matrix::zeros(12, 1);
        node.model().predict(&points(i), &mut out);
        out.as_slice().to_vec()
    };
    network.nodes().iter().enumerate().map(predict).collect()
}

fn good(place: &Place, line: &str) -> String {
    let output = place.run(line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
    stdout(&output)
}

#[test]
fn models_are_those_of_the_library_to_the_bit() {
    let place = ring();
    let said = good(&place, &format!("{LINE} --public public.csv --out run"));
    assert!(
        said.contains("22 public points, 4 to 7 of each node's own: the file public.csv"),
        "{said}"
    );
    assert!(said.contains("is bounded only where all nodes have the same public points"), "{said}");
    good(&place, "predict --run run --data points.csv --out predictions.csv");
    let predictions = place.read("predictions.csv");
    let of_node = |i: usize| -> Vec<f64> {
        let rows = predictions.lines().filter(|l| l.starts_with(&format!("n{i},")));
        rows.map(|l| l.split(',').nth(1).unwrap().parse().unwrap()).collect()
    };
    for (i, expected) in in_the_library().iter().enumerate() {
        assert_eq!(of_node(i), *expected, "{}", KINDS[i]);
    }
    good(&place, "evaluate --run run --data points.csv");
    let summary = place.json("run/summary.json");
    assert_eq!(
        (&summary["public_points"], &summary["public_points_of"]),
        (&22.into(), &"each node".into())
    );
    assert!(summary["problem"].as_str().unwrap().contains("minimizes no common objective"));
    assert_eq!(summary["clusters"].as_array().unwrap().len(), 0);
    let page = place.read("run/report.html");
    assert!(page.contains("at most 7 numbers in each direction"), "{page}");
    // Any number of threads, and with points held back.
    good(&place, &format!("{LINE} --public public.csv --threads 1 --out again"));
    let models =
        |run: &str| std::fs::read(place.path(&format!("{run}/models.safetensors"))).unwrap();
    assert!(models("run") == models("again"));
    good(
        &place,
        &format!("{LINE} --public public.csv --standardize --out scaled")
            .replace("--hold-out 0", ""),
    );
}

#[test]
fn the_same_points_at_every_node_are_common_points() {
    let place = ring();
    let row = |p: &[f64; 2]| format!("{},{}", p[0], p[1]);
    let rows: Vec<String> = public(3).iter().map(row).collect();
    place.write("common.csv", &format!("x1,x2\n{}\n", rows.join("\n")));
    let owned = (0..4).flat_map(|i| rows.iter().map(move |r| format!("{r},n{i}\n")));
    // The node column has the name that it has in the data.
    place.write("own.csv", &format!("x1,x2,site\n{}", owned.collect::<String>()));
    let renamed = place.read("points.csv").replacen("node", "site", 1);
    place.write("points.csv", &renamed);
    let line = format!("{LINE} --node-column site");
    good(&place, &format!("{line} --public common.csv --out common"));
    good(&place, &format!("{line} --public own.csv --out own"));
    let models =
        |run: &str| std::fs::read(place.path(&format!("{run}/models.safetensors"))).unwrap();
    assert!(models("common") == models("own"));
    assert_eq!(place.json("common/summary.json")["public_points_of"], "all nodes");
    assert_eq!(place.read("common/history.csv"), place.read("own/history.csv"));
}

#[test]
fn every_fault_is_one_clear_sentence() {
    let place = ring();
    for (text, message) in [
        (
            "node,x1,x2\nn0,1,2\nn9,1,2\n",
            "bad.csv, line 3, column \"node\": the node \"n9\" is not in points.csv or edges.csv.",
        ),
        (
            "node,x1,x2\nn0,1,2\nn1,1,2\nn3,1,2\n",
            "bad.csv, column \"node\": no public points of the node \"n2\"; every node needs some, or leave the column out: then all nodes have all points.",
        ),
        (
            "node,x1,x3\nn0,1,2\n",
            "bad.csv: expected the features of points.csv, which are \"x1\", \"x2\"; found \"node\", \"x1\", \"x3\".",
        ),
        (
            "Node,x1,x2\nn0,1,2\nn1,1,2\n",
            "bad.csv: expected the column \"node\" for points of each node's own, found \"Node\"; rename it, or leave it out: then all nodes have all points.",
        ),
        (
            "x1,x2,node_id\n1,2,n0\n1,2,n1\n",
            "bad.csv: expected the column \"node\" for points of each node's own, found \"node_id\"; rename it, or leave it out: then all nodes have all points.",
        ),
        (
            "node,x1,x2\nn0,1,2\n,1,2\n",
            "bad.csv, line 3, column \"node\": expected a node id, found an empty cell.",
        ),
        (
            "node,x1,x2\nn0,1,2\nn1,1,?\n",
            "bad.csv, line 3, column \"x2\": expected a number, found \"?\".",
        ),
    ] {
        place.write("bad.csv", text);
        let output = place.run(&format!("{LINE} --public bad.csv --out run"));
        assert_eq!(output.status.code(), Some(2), "{text}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
        assert!(!place.path("run").exists());
    }
}
