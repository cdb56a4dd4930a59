//! Bad input gets one sentence that names file, line and column, exit status 2, and nothing is
//! written.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, SMALL, stderr};

/// Runs `line` and asserts status 2, every part in the one sentence, and no output.
fn refused(place: &Place, line: &str, parts: &[&str]) {
    let before = place.entries();
    let output = place.run(line);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{line}: {text}");
    for part in parts {
        assert!(text.contains(part), "{line}: expected {part:?} in {text:?}");
    }
    assert!(!text.contains("panicked"), "{text}");
    assert_eq!(place.entries(), before, "{line}: nothing may be written");
}

#[test]
fn points() {
    for (content, parts) in [
        ("", &["points.csv", "empty"][..]),
        ("node,x1,y\n", &["points.csv"]),
        ("node,x1\na,1\n", &["points.csv", "no column \"y\"", "--target"]),
        ("station,x1,y\na,1,2\n", &["no column \"node\"", "--node-column"]),
        ("node,y\na,1\n", &["feature"]),
        (
            "node,x1,y\na,1,2\na,abc,2\n",
            &["points.csv, line 3, column \"x1\"", "expected a number", "\"abc\""],
        ),
        (
            "node,x1,y\na,1,cat\n",
            &["line 2, column \"y\": expected a number (for two classes say --loss logistic"],
        ),
        ("node,x1,y\na,,2\n", &["line 2, column \"x1\""]),
        ("node,x1,y\na,NaN,2\n", &["line 2, column \"x1\"", "NaN"]),
        ("node,x1,y\na,1,inf\n", &["line 2, column \"y\"", "inf"]),
        ("node,x1,y\na,1,1e999\n", &["line 2, column \"y\""]),
        ("node,x1,y\na,1,1e101\n", &["line 2, column \"y\"", "no larger than 1e100"]),
        ("node;x1;y\na;1;2\n", &["points.csv", "semicolons"]),
        ("node,x1,y\n1.0,1,2\n2.0,1,3\n", &["no node of edges.csv occurs in points.csv"]),
        ("node,x1,y\na,1\n", &["line 2", "expected 3", "found 2"]),
        ("node,x1,y\na,1,2,3\n", &["line 2", "expected 3", "found 4"]),
        ("node,x1,x2,y\na,1,0,1\nb,2,0,1\n", &["points.csv", "column \"x2\"", "every value is 0"]),
        ("node,x1,x1,y\na,1,2,3\n", &["x1", "twice"]),
    ] {
        let place = Place::with_small_data();
        place.write("points.csv", content);
        refused(&place, SMALL, parts);
    }
}

#[test]
fn labels_of_classification() {
    let place = Place::with_small_data();
    refused(
        &place,
        &format!("{SMALL} --loss logistic"),
        &["points.csv, line 2, column \"y\"", "2.1"],
    );
    place.write("points.csv", "node,x1,y\na,1,0\na,2,1\na,3,-1\n");
    refused(&place, &format!("{SMALL} --loss hinge"), &["line 4, column \"y\""]);
}

#[test]
fn edges() {
    for (content, parts) in [
        ("", &["edges.csv", "empty"][..]),
        ("a,b\n", &["edges.csv", "source"]),
        ("source,target,weight\na,b,0\n", &["edges.csv, line 2, column \"weight\"", "0"]),
        ("source,target,weight\na,b,-1\n", &["line 2, column \"weight\"", "-1"]),
        ("source,target,weight\na,b,nan\n", &["line 2, column \"weight\"", "nan"]),
        ("source,target,weight\na,b,heavy\n", &["line 2, column \"weight\"", "heavy"]),
        ("source,target,weight\na,b,1\nc,c,1\n", &["line 3", "\"c\""]),
        ("source,target,weight\na,b,1\nb,a,2\n", &["line 3", "already", "line 2"]),
        ("source,target,weight\na,b\n", &["line 2", "expected 3", "found 2"]),
    ] {
        let place = Place::with_small_data();
        place.write("edges.csv", content);
        refused(&place, SMALL, parts);
    }
}

#[test]
fn files_that_are_not_there_or_not_readable() {
    let place = Place::with_small_data();
    refused(
        &place,
        "fit --data nowhere.csv --graph edges.csv --lambda 1 --out run",
        &["nowhere.csv"],
    );
    refused(
        &place,
        "fit --data points.csv --graph nowhere.csv --lambda 1 --out run",
        &["nowhere.csv"],
    );
    place.write("points.xlsx", "");
    refused(
        &place,
        "fit --data points.xlsx --graph edges.csv --lambda 1 --out run",
        &["points.xlsx", ".csv", ".parquet"],
    );
    place.write("points.parquet", "this is not parquet");
    refused(
        &place,
        "fit --data points.parquet --graph edges.csv --lambda 1 --out run",
        &["points.parquet"],
    );
    place.write("points.csv.gz", "this is not gzip");
    refused(
        &place,
        "fit --data points.csv.gz --graph edges.csv --lambda 1 --out run",
        &["points.csv.gz"],
    );
    refused(
        &place,
        "fit --data points.csv --graph edges.csv --lambda 1 --out points.csv",
        &["points.csv is a file"],
    );
}

#[test]
fn the_current_folder_is_no_place_for_results() {
    let place = Place::with_small_data();
    let line = "fit --data points.csv --graph edges.csv --lambda 1 --out . --force";
    refused(&place, line, &["current folder"]);
}

#[test]
fn settings() {
    let place = Place::with_small_data();
    for (flags, parts) in [
        ("--loss sqared", &["unknown loss \"sqared\"", "Did you mean \"squared\"?"][..]),
        ("--penalty l3", &["unknown penalty \"l3\"", "Did you mean"]),
        ("--solver primaldual", &["unknown solver", "Did you mean \"primal-dual\"?"]),
        ("--ridge -1", &["--ridge is -1"]),
        ("--lasso nan", &["--lasso is NaN"]),
        ("--tol -1", &["--tol is -1"]),
        ("--loss huber --huber-delta 0", &["--huber-delta is 0"]),
        ("--huber-delta 2", &["--huber-delta has an effect with --loss huber only"]),
        ("--threads 0", &["--threads"]),
        ("--features x1,x9", &["x9"]),
        ("--features x1,x1", &["x1", "twice"]),
        ("--penalty quadratic", &["--penalty-matrix"]),
        ("--penalty-matrix points.csv", &["quadratic"]),
        ("--loss mean --intercept", &["--intercept"]),
        ("--lamda 3", &["--lambda"]),
        ("--max-iter many", &["--max-iter"]),
    ] {
        refused(&place, &format!("{SMALL} {flags}"), parts);
    }
    refused(&place, "fit --data points.csv --graph edges.csv --out run", &["--lambda"]);
    refused(
        &place,
        "fit --data points.csv --graph edges.csv --lambda -1 --out run",
        &["--lambda is -1"],
    );
    refused(&place, "fit --graph edges.csv --lambda 1 --out run", &["--data FILE"]);
    refused(&place, "fitt", &["fit"]);
}

#[test]
fn config_files() {
    for (content, parts) in [
        ("lambda = \n", &["netfed.toml, line 1"][..]),
        ("loss = \"squared\"\nlambdda = 3\n", &["netfed.toml, line 2", "lambdda"]),
        ("lambda = \"strong\"\n", &["netfed.toml, line 1"]),
        ("lambda = -2.0\ndata = \"points.csv\"\ngraph = \"edges.csv\"\n", &["--lambda is -2"]),
    ] {
        let place = Place::with_small_data();
        place.write("netfed.toml", content);
        refused(&place, "fit --config netfed.toml --out run", parts);
    }
    refused(&Place::new(), "fit --config none.toml --out run", &["none.toml"]);
}

#[test]
fn quadratic_matrices() {
    for (content, part) in [
        ("1,0\n", "expected 2 rows"),
        ("1,2\n2,1\n", "negative eigenvalue"),
        ("1,a\n0,1\n", "line 1"),
    ] {
        let place = Place::with_small_data();
        place.write("q.csv", content);
        refused(
            &place,
            &format!("{SMALL} --penalty quadratic --penalty-matrix q.csv"),
            &["q.csv", part],
        );
    }
}

#[test]
fn more_memory_than_there_is() {
    let place = Place::new();
    let columns = 20_000;
    let header: Vec<String> = (0..columns).map(|j| format!("x{j}")).collect();
    place.write(
        "points.csv",
        &format!("node,y,{}\nn0,1{}\n", header.join(","), ",1".repeat(columns)),
    );
    let edges: String = (1..200_000).map(|i| format!("n{},n{i}\n", i - 1)).collect();
    place.write("edges.csv", &format!("source,target\n{edges}"));
    refused(&place, SMALL, &["200000 nodes", "GB of memory", "--features"]);
}

#[test]
fn predict_and_evaluate() {
    let place = Place::with_small_data();
    assert_eq!(place.run(SMALL).status.code(), Some(0));
    refused(
        &place,
        "predict --run nowhere --data points.csv --out p.csv",
        &["nowhere", "there is no folder nowhere"],
    );
    place.write("strange.csv", "node,x1,x2,y\nzebra,1,2,3\n");
    refused(
        &place,
        "predict --run run --data strange.csv --out p.csv",
        &["strange.csv", "\"zebra\""],
    );
    place.write("short.csv", "node,x1\na,1\n");
    refused(
        &place,
        "predict --run run --data short.csv --out p.csv",
        &["short.csv", "\"x2\"", "the run was trained"],
    );
    place.write("unlabeled.csv", "node,x1,x2\na,1,2\n");
    refused(&place, "evaluate --run run --data unlabeled.csv", &["unlabeled.csv", "\"y\""]);
    refused(
        &place,
        "predict --run run --data points.csv --out points.csv --force",
        &["is an input file"],
    );
    refused(&place, "predict --run run --data points.csv --out p.parquet", &["p.parquet", ".csv"]);
    refused(
        &place,
        "evaluate --run run --data points.csv --out points.csv --force",
        &["is an input file"],
    );
    place.write("p.csv", "mine");
    refused(
        &place,
        "predict --run run --data points.csv --out p.csv",
        &["p.csv exists", "--force"],
    );
}
