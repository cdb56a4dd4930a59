//! `netfed graph build`, `inspect`, `generate` and `convert`, and graphs in `fit` and `tune`, as a
//! user runs them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

mod common;

use common::graphs::{done, json, made, refused};
use common::{Place, data, stderr};

#[test]
fn files_of_another_program_are_read() {
    let place = Place::new();
    for name in ["networkx.graphml", "networkx.gexf"] {
        let file = data("graphs").join(name);
        let output = place.run(&format!("graph convert {} back.csv --force", file.display()));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains("1 node without an edge"), "{}", stderr(&output));
        assert_eq!(
            place.read("back.csv"),
            "source,target,weight\na & b,c,0.5\nc,d <x>,2.25\nd <x>,é,0.001\n",
            "{name}"
        );
    }
}

#[test]
fn every_format_is_the_same_graph_to_a_fit() {
    let place = Place::with_small_data();
    done(&place, "graph convert edges.csv g.graphml");
    done(&place, "graph convert g.graphml g.gexf");
    done(&place, "graph convert g.gexf again.csv");
    assert_eq!(place.read("again.csv"), place.read("edges.csv"));
    let mut objectives = Vec::new();
    for (k, graph) in ["edges.csv", "g.graphml", "g.gexf"].iter().enumerate() {
        done(&place, &format!("fit --data points.csv --graph {graph} --lambda 0.1 --out run{k}"));
        objectives.push(place.json(&format!("run{k}/summary.json"))["objective"].clone());
    }
    assert!(objectives.iter().all(|o| *o == objectives[0]), "{objectives:?}");
}

#[test]
fn hostile_files_are_refused_with_their_line() {
    let place = Place::with_small_data();
    let bomb: String = (1..12)
        .map(|k| format!("<!ENTITY l{k} \"{}\">\n", format!("&l{};", k - 1).repeat(10)))
        .collect();
    place.write(
        "bomb.graphml",
        &format!("<!DOCTYPE g [<!ENTITY l0 \"ha\">\n{bomb}]>\n<graphml>&l11;</graphml>\n"),
    );
    place.write(
        "file.gexf",
        "<!DOCTYPE g [<!ENTITY f SYSTEM \"file:///etc/passwd\">]>\n<gexf>&f;</gexf>\n",
    );
    place.write("deep.graphml", &format!("<graphml>{}", "<node>".repeat(200_000)));
    place.write("cut.gexf", "<gexf><graph>\n<edges>\n<edge source=\"a\" tar");
    place.write(
        "loop.graphml",
        "<graphml>\n<graph>\n<edge source=\"a\" target=\"a\"/></graph></graphml>",
    );
    for (name, part) in [
        ("bomb.graphml", "bomb.graphml, line 1: a document type is not read"),
        ("file.gexf", "file.gexf, line 1: a document type is not read"),
        ("deep.graphml", "deep.graphml, line 1: it cannot be read as XML"),
        ("cut.gexf", "cut.gexf, line 3: it cannot be read as XML"),
        ("loop.graphml", "loop.graphml, line 3: expected an edge between two different nodes"),
        ("gone.graphml", "cannot open gone.graphml: no such file."),
    ] {
        for command in [
            "graph convert NAME out.csv",
            "graph inspect --graph NAME",
            "fit --data points.csv --graph NAME --lambda 1 --out run",
        ] {
            let message = refused(&place, &command.replace("NAME", name));
            assert!(message.contains(part), "{command}: {message}");
        }
    }
    assert!(!place.path("out.csv").exists() && !place.path("run").exists());
    let message = refused(&place, "graph convert edges.csv edges.csv --force");
    assert!(message.contains("is an input file"), "{message}");
    let message = refused(&place, "graph convert edges.csv points.csv");
    assert!(message.contains("exists already"), "{message}");
    let message = refused(&place, "graph convert edges.csv edges.parquet");
    assert!(message.contains(".csv"), "{message}");
}

#[test]
fn graphs_are_built_and_the_same_on_any_number_of_threads() {
    let place = made();
    for discrepancy in ["wasserstein", "energy", "mmd", "ks", "t", "models", "gradients", "tsne"] {
        let line = format!(
            "graph build --data made/points.csv --discrepancy {discrepancy} --k 3 --json --force"
        );
        let summary = json(&done(&place, &format!("{line} --threads 1 --out one.csv")));
        done(&place, &format!("{line} --threads 2 --out two.csv"));
        assert_eq!(place.read("one.csv"), place.read("two.csv"), "{discrepancy}");
        let edges = summary["edges"].as_u64().unwrap();
        assert!((18..=36).contains(&edges), "{discrepancy}: {edges}");
        assert_eq!(summary["nodes_without_edge"], 0, "{discrepancy}");
    }
    // Models are far apart between clusters: the neighbors of all nodes are in their cluster.
    done(
        &place,
        "graph build --data made/points.csv --discrepancy models --k 5 --out models.graphml",
    );
    let found = json(&done(
        &place,
        "graph inspect --graph models.graphml --labels made/clusters.csv --json",
    ));
    assert_eq!((&found["parts"], &found["labels"]["nmi"]), (&2.into(), &1.0.into()), "{found}");
    // A tree connects them.
    let tree = "graph build --data made/points.csv --discrepancy models --rule mst-knn --k 0 --out tree.csv --json";
    let found = json(&done(&place, tree));
    assert_eq!((&found["parts"], &found["edges"]), (&1.into(), &11.into()));
    let all = json(&done(
        &place,
        "graph build --data made/points.csv --rule complete --weights one --out all.csv --json",
    ));
    assert_eq!((&all["edges"], &all["weight"]["most"]), (&66.into(), &1.0.into()));
}

#[test]
fn places_on_the_earth_make_a_graph() {
    let place = Place::new();
    place.write(
        "stations.csv",
        "node,latitude,longitude\nHelsinki,60.17,24.94\nEspoo,60.21,24.66\nOulu,65.01,25.47\nKemi,65.74,24.56\n",
    );
    let line =
        "graph build --coordinates stations.csv --discrepancy distance --k 1 --weights inverse";
    done(&place, &format!("{line} --out edges.csv"));
    let text = place.read("edges.csv");
    let pairs: Vec<&str> = text.lines().skip(1).map(|l| l.rsplit_once(',').unwrap().0).collect();
    assert_eq!(pairs, ["Espoo,Helsinki", "Kemi,Oulu"]);
    let weight: f64 = text.lines().nth(1).unwrap().rsplit_once(',').unwrap().1.parse().unwrap();
    assert!((1.0 / weight - 16.1).abs() < 0.2, "{weight}");
    place.write("points.csv", "node,x\nOulu,1\nVaasa,2\n");
    let message = refused(&place, &format!("{line} --data points.csv --out other.csv"));
    assert!(message.contains("stations.csv: no row for the node \"Vaasa\""), "{message}");
}

#[test]
fn what_cannot_be_built_is_said_in_a_sentence() {
    let place = made();
    for (flags, part) in [
        ("--discrepancy wasserstien", "Did you mean \"wasserstein\"?"),
        ("--rule threshold", "say --eta NUMBER"),
        ("--rule threshold --eta 0", "the smallest discrepancy is"),
        ("--rule threshold --eta -1", "--eta is -1"),
        ("--k 0", "--k is 0"),
        ("--rule complete --k 3", "--k goes with"),
        ("--scale 2 --weights one", "--scale goes with"),
        ("--combine fisher", "--combine goes with"),
        ("--discrepancy distance", "say --coordinates FILE"),
        ("--coordinates made/points.csv", "--coordinates goes with"),
        ("--graph made/edges.csv", "--graph has no place here"),
        ("--lambda 1", "--lambda has no place here"),
        ("--flavor clustered", "--flavor is about one fit"),
        ("--ridge 0.1", "--ridge has an effect with --discrepancy models or gradients only"),
        ("--intercept", "--intercept has an effect with --discrepancy models or gradients only"),
        ("--huber-delta 2", "--huber-delta has an effect with --discrepancy models or gradients"),
        ("--discrepancy models --huber-delta 2", "--huber-delta has an effect with --loss huber"),
        ("--discrepancy t --seed 2", "--seed has an effect with --discrepancy tsne only"),
        ("--k -1", "'-1' for '--k <COUNT>': expected a whole number, 0 or more"),
        ("--k 2.5", "'2.5' for '--k <COUNT>': expected a whole number, 0 or more"),
        ("--target z", "no column \"z\""),
        ("--features x1,q", "\"q\""),
    ] {
        let message =
            refused(&place, &format!("graph build --data made/points.csv {flags} --out e.csv"));
        assert!(message.contains(part), "{flags}: {message}");
    }
    let message = refused(&place, "graph build --out e.csv");
    assert!(message.contains("say --data FILE."), "{message}");
    assert!(!place.path("e.csv").exists());
    // One node is a graph without edges; tests need two points.
    place.write("one.csv", "node,x\na,1\n");
    done(&place, "graph build --data one.csv --out one.graphml");
    place.write("single.csv", "node,x\na,1\nb,2\n");
    let message = refused(&place, "graph build --data single.csv --discrepancy t --out e.csv");
    assert!(message.contains("no two nodes can be compared"), "{message}");
}

#[test]
fn a_graph_is_inspected() {
    let place = Place::new();
    // Two triangles joined by an edge, and a pair of its own.
    place.write(
        "edges.csv",
        "source,target,weight\n1,2,1\n2,3,1\n1,3,1\n4,5,1\n5,6,1\n4,6,1\n3,4,1\n7,8,2\n",
    );
    place.write(
        "truth.csv",
        "source,target,weight\n2,1,1\n2,3,1\n1,3,1\n4,5,1\n5,6,1\n4,6,1\n7,8,2\n6,7,1\n",
    );
    place.write("groups.csv", "node,cluster\n1,a\n2,a\n3,a\n4,b\n5,b\n6,b\n7,c\n8,c\n");
    let line =
        "graph inspect --graph edges.csv --truth truth.csv --labels groups.csv --json --out seen";
    let found = json(&done(&place, line));
    assert_eq!(
        (&found["nodes"], &found["parts"], &found["communities"]),
        (&8.into(), &2.into(), &3.into())
    );
    let number = |v: &serde_json::Value| v.as_f64().unwrap();
    // λ₂ and gap of the two triangles: numpy 2.4.6.
    assert!((number(&found["algebraic_connectivity"]) - 0.43844718719117054).abs() < 1e-12);
    assert!((number(&found["spectral_gap"]) - GAP).abs() < 1e-12, "{}", found["spectral_gap"]);
    assert!((number(&found["relaxation_time"]) - 2.0 / GAP).abs() < 1e-9);
    let truth = &found["truth"];
    assert_eq!((number(&truth["precision"]), number(&truth["recall"])), (7.0 / 8.0, 7.0 / 8.0));
    assert!((number(&truth["relative_error"]) - (2.0f64 / 11.0).sqrt()).abs() < 1e-12);
    assert_eq!(number(&found["labels"]["nmi"]), 1.0);
    assert!(found["warnings"][0].as_str().unwrap().contains("2 parts"), "{}", found["warnings"]);
    assert_eq!(place.json("seen/summary.json")["edges"], 8);
    let (page, svg) = (place.read("seen/report.html"), place.read("seen/graph.svg"));
    assert!(page.contains("<svg") && page.contains("Communities") && !page.contains("NaN"));
    assert!(
        svg.starts_with("<svg") && svg.contains("xmlns=") && svg.trim_end().ends_with("</svg>")
    );
    assert_eq!(place.read("seen/nodes.csv").lines().count(), 9);
    let message = refused(&place, "graph inspect --graph edges.csv --out seen");
    assert!(message.contains("exists already"), "{message}");
    place.write("few.csv", "node,cluster\n1,a\n");
    let message = refused(&place, "graph inspect --graph edges.csv --labels few.csv");
    assert!(message.contains("few.csv: no row for the node \"2\""), "{message}");
    place.write("other.csv", "source,target\nx,y\n");
    let message = refused(&place, "graph inspect --graph edges.csv --truth other.csv");
    assert!(message.contains("no node of other.csv occurs in edges.csv"), "{message}");
}

const GAP: f64 = 0.2046663545568722;

#[test]
fn no_result_takes_the_place_of_an_input() {
    let place = Place::new();
    place.write("e.csv", "source,target,weight\na,b,1\n");
    let said = refused(&place, "graph convert e.csv e.foo");
    assert!(said.contains("e.foo: a graph is written as .csv, .graphml or .gexf"), "{said}");
    std::fs::create_dir(place.path("in")).unwrap();
    place.write("in/nodes.csv", "node,cluster\na,1\nb,2\n");
    let said =
        refused(&place, "graph inspect --graph e.csv --labels in/nodes.csv --out in --force");
    assert!(said.contains("in/nodes.csv is an input file in the folder of --out"), "{said}");
    assert!(place.read("in/nodes.csv").starts_with("node,cluster"));
}

#[test]
fn a_node_that_cannot_be_compared_is_left_alone_and_said() {
    let place = Place::new();
    place.write("p.csv", "node,x\na,1\nb,1\nb,2\nc,2\nc,4\n");
    for rule in ["mst-knn", "knn", "complete", "threshold --eta 50"] {
        let line = format!("graph build --data p.csv --discrepancy t --rule {rule} --out e.csv");
        let said = done(&place, &format!("{line} --force"));
        assert!(said.contains("1 node cannot be compared with any other"), "{rule}: {said}");
        assert!(said.contains(", among those that can be compared; "), "{rule}: {said}");
        assert!(!said.contains("connects all"), "{rule}: {said}");
    }
    // A node that is only far away is another matter.
    place.write("p.csv", "node,x\na,1\na,2\nb,1\nb,2.1\nc,900\nc,901\n");
    let line = "graph build --data p.csv --rule threshold --eta 5 --out e.csv --force";
    let said = done(&place, line);
    assert!(
        said.contains("1 node without any edge (\"c\"): trained alone. --rule mst-knn"),
        "{said}"
    );
    assert!(!said.contains("compared"), "{said}");
}
