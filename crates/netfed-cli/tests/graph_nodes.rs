//! Nodes that a graph file names and those it does not, as a user meets them: graphs without edges,
//! nodes without an edge, nodes of other files.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

mod common;

use common::{Place, stderr, stdout};

/// Runs a command that must end with this status; gives what it printed and what it said.
fn run(place: &Place, line: &str, status: i32) -> (String, String) {
    let output = place.run(line);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{line}: {message}");
    assert!(!message.contains("panicked"), "{line}: {message}");
    (stdout(&output), message)
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_graph_without_edges_is_read_again() {
    let place = Place::with_small_data();
    // Three nodes of very unlike models: no edge is kept.
    let mut points = String::from("node,x,y\n");
    for (node, slope) in [("a", -9.0), ("b", 0.0), ("c", 9.0)] {
        for k in 1..=9 {
            let x = f64::from(k) / 3.0;
            points.push_str(&format!("{node},{x},{}\n", slope * x + 0.01 * (7.0 * x).sin()));
        }
    }
    place.write("points.csv", &points);
    run(&place, "graph select --data points.csv --graph edges.csv --out kept.csv", 0);
    assert_eq!(place.read("kept.csv"), "source,target,weight\n");
    for line in [
        "fit --data points.csv --graph kept.csv --lambda 0.1 --out run",
        "tune --data points.csv --graph kept.csv --folds 3 --repeats 1 --out tuned",
        "relax --data points.csv --graph kept.csv --model linear --alpha 0.1 --out relaxed",
        "graph select --data points.csv --graph kept.csv --out again.csv",
        "graph inspect --graph kept.csv --data points.csv --out seen",
        "graph convert kept.csv kept.graphml --data points.csv",
    ] {
        run(&place, line, 0);
    }
    assert_eq!(place.json("seen/summary.json")["nodes_without_edge"], 3);
    for line in [
        "graph inspect --graph kept.csv",
        "graph convert kept.csv other.graphml",
        "graph inspect --graph edges.csv --truth kept.csv",
    ] {
        let (_, message) = run(&place, line, 2);
        assert!(message.contains("kept.csv: there is no edge"), "{line}: {message}");
    }
    let (_, message) = run(
        &place,
        "federation init --graph kept.csv --features x --lambda 0.1 --local --out fed",
        2,
    );
    assert!(message.contains("it names no nodes; say --members FILE"), "{message}");
}

#[test]
fn nodes_without_an_edge_are_counted_or_said_to_be_missing() {
    let place = Place::new();
    place.write("edges.csv", "source,target,weight\n1,2,1\n2,3,1\n");
    place.write("points.csv", "station,x\n4,1\n1,2\n3,2\n5,2\n4,3\n");
    let (text, _) = run(&place, "graph inspect --graph edges.csv", 0);
    assert!(text.starts_with("3 nodes, 2 edges, connected\n"), "{text}");
    assert!(text.contains("a table of edges names no others; --data FILE does"), "{text}");
    let (text, _) = run(&place, "graph inspect --graph edges.csv --json", 0);
    assert!(json(&text)["nodes_without_edge"].is_null(), "{text}");
    let data = "--data points.csv --node-column station";
    let (text, message) = run(&place, &format!("graph inspect --graph edges.csv {data}"), 0);
    assert!(text.starts_with("5 nodes, 2 edges, 3 parts, the largest of 3 nodes\n"), "{text}");
    assert!(!text.contains("--data FILE"), "{text}");
    assert!(message.contains("2 nodes have no edge (\"4\", \"5\")"), "{message}");
    // In XML they are kept, and not asked for again.
    run(&place, &format!("graph convert edges.csv g.graphml {data}"), 0);
    let (text, _) = run(&place, "graph inspect --graph g.graphml --json", 0);
    assert_eq!((&json(&text)["nodes"], &json(&text)["nodes_without_edge"]), (&5.into(), &2.into()));
    let (text, _) = run(&place, "graph convert edges.csv g.gexf", 0);
    assert!(text.starts_with("3 nodes, 2 edges in g.gexf\n") && text.contains("--data"), "{text}");
    let (text, message) = run(&place, "graph convert g.graphml back.csv", 0);
    assert!(text.starts_with("3 nodes, 2 edges in back.csv\n"), "{text}");
    assert!(message.contains("2 nodes without an edge cannot be written"), "{message}");
    let (_, message) = run(&place, "graph inspect --graph edges.csv --data points.csv", 2);
    assert!(message.contains("points.csv: no column \"node\""), "{message}");
}

#[test]
fn a_made_up_graph_keeps_its_nodes() {
    let place = Place::new();
    let line = "graph generate erdos-renyi --nodes 30 --probability 0.05 --model none --out made";
    let (text, _) = run(&place, line, 0);
    assert!(text.starts_with("30 nodes"), "{text}");
    let next = text.lines().find_map(|l| l.strip_prefix("next: netfed ")).unwrap();
    assert!(next.contains("made/graph.graphml"), "{next}");
    let (text, _) = run(&place, next, 0);
    assert!(text.starts_with("30 nodes"), "{text}");
}

#[test]
fn single_nodes_are_no_communities() {
    let place = Place::new();
    place.write("edges.csv", "source,target\n1,2\n2,3\n1,3\n4,5\n");
    place.write("points.csv", "node\n6\n7\n");
    let line = "graph inspect --graph edges.csv --data points.csv --out seen";
    let (text, _) = run(&place, line, 0);
    assert!(text.contains("2 communities of 3, 2 nodes"), "{text}");
    let summary = place.json("seen/summary.json");
    assert_eq!(summary["communities"], 2);
    assert_eq!(summary["community_sizes"], serde_json::json!([3, 2]));
    assert!(place.read("seen/report.html").contains("2 nodes in no community."));
    assert!(place.read("seen/nodes.csv").ends_with("\n6,0,0,2,\n7,0,0,3,\n"));
}

#[test]
fn nodes_of_one_graph_only_are_counted() {
    let place = Place::new();
    place.write("edges.csv", "source,target\n1,2\n2,3\n3,4\n");
    place.write("truth.csv", "source,target\n1,2\n2,3\n3,7\n7,8\n8,9\n");
    let (_, message) = run(&place, "graph inspect --graph edges.csv --truth truth.csv", 0);
    let part = "1 node only in edges.csv and 3 nodes only in truth.csv";
    assert!(message.contains(part), "{message}");
    place.write("truth.csv", "source,target\n1,2\n2,3\n3,4\n1,4\n");
    let (_, message) = run(&place, "graph inspect --graph edges.csv --truth truth.csv", 0);
    assert!(!message.contains("only in"), "{message}");
}

#[test]
fn weights_and_nodes_of_xml_do_not_get_lost() {
    let place = Place::with_small_data();
    let nodes = "<node id=\"a\"/><node id=\"b\"/>";
    place.write(
        "key.graphml",
        &format!("<graphml>\n<graph>{nodes}\n<edge source=\"a\" target=\"b\">\n<data key=\"weight\">5</data></edge></graph></graphml>"),
    );
    place.write(
        "end.graphml",
        &format!("<graphml><graph>{nodes}\n<edge source=\"a\" target=\"c\"/></graph></graphml>"),
    );
    place.write(
        "twice.gexf",
        &format!("<gexf><graph><nodes>{nodes}\n<node id=\"b\"/></nodes></graph></gexf>"),
    );
    for (name, part) in [
        ("key.graphml", "key.graphml, line 4: no \"key\" for edges has the id \"weight\""),
        ("end.graphml", "end.graphml, line 2: the edge joins \"c\", which is no node of the file"),
        ("twice.gexf", "twice.gexf, line 2: the node \"b\" was already given on line 1"),
    ] {
        let line = format!("fit --data points.csv --graph {name} --lambda 1 --out run");
        let (_, message) = run(&place, &line, 2);
        assert!(message.contains(part), "{message}");
    }
    assert!(!place.path("run").exists());
}
