//! `netfed fit` as a user runs it: files, settings, exit status.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, SMALL, stderr, stdout};

const FILES: [&str; 7] = [
    "clusters.csv",
    "config.toml",
    "edges.csv",
    "history.csv",
    "parameters.csv",
    "report.html",
    "summary.json",
];

#[test]
fn a_fit_leaves_all_files() {
    let place = Place::with_small_data();
    let output = place.run(SMALL);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("converged"), "{}", stdout(&output));
    let mut names: Vec<String> = std::fs::read_dir(place.path("run"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, FILES);
    let summary = place.json("run/summary.json");
    for key in [
        "status",
        "objective",
        "dual_bound",
        "gap",
        "relative_gap",
        "iterations",
        "nodes",
        "edges",
        "features",
        "clusters",
        "seconds",
        "version",
    ] {
        assert!(!summary[key].is_null(), "{key}: {summary}");
    }
    assert_eq!(
        (summary["nodes"].as_u64(), summary["edges"].as_u64(), summary["features"].as_u64()),
        (Some(3), Some(2), Some(2))
    );
    assert!(summary["relative_gap"].as_f64().unwrap() <= 1e-6);
    assert_eq!(place.read("run/parameters.csv").lines().next(), Some("node,x1,x2"));
    assert_eq!(place.read("run/parameters.csv").lines().count(), 4);
    assert_eq!(place.read("run/clusters.csv").lines().next(), Some("node,cluster"));
    assert!(
        place
            .read("run/history.csv")
            .starts_with("iteration,objective,bound,gap,residual,seconds\n10,")
    );
    assert_eq!(place.entries(), ["edges.csv", "points.csv", "run"], "nothing else is left behind");
}

#[test]
fn an_existing_folder_is_refused_without_force() {
    let place = Place::with_small_data();
    std::fs::create_dir(place.path("run")).unwrap();
    place.write("run/mine.txt", "keep me");
    let output = place.run(SMALL);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--force"), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(place.path("run")).unwrap().count(), 1);
    assert_eq!(place.run(&format!("{SMALL} --force")).status.code(), Some(0));
    assert_eq!(place.read("run/mine.txt"), "keep me");
}

#[test]
fn a_run_can_be_repeated_from_its_config() {
    let place = Place::with_small_data();
    place.write("netfed.toml", "data = \"points.csv\"\ngraph = \"edges.csv\"\nlambda = 5.0\nintercept = true\nloss = \"huber\"\n");
    let output = place.run("fit --config netfed.toml --lambda 0.1 --huber-delta 0.5 --out run");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let config = place.read("run/config.toml");
    assert!(
        config.contains("lambda = 0.1") && config.contains("huber-delta = 0.5"),
        "flags win: {config}"
    );
    let output = place.run("fit --config run/config.toml --out again");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(place.read("run/parameters.csv"), place.read("again/parameters.csv"));
    assert_eq!(place.read("run/config.toml"), place.read("again/config.toml"));
    let output = place.run("fit --config netfed.toml --out other --intercept=false");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(place.read("other/parameters.csv").lines().next(), Some("node,x1,x2"));
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let place = Place::with_small_data();
    for threads in [1, 2, 5] {
        let line = format!(
            "fit --data points.csv --graph edges.csv --lambda 0.1 --tol 0 --max-iter 57 --threads {threads} --out run{threads}"
        );
        assert_eq!(place.run(&line).status.code(), Some(3));
    }
    assert_eq!(place.read("run1/parameters.csv"), place.read("run2/parameters.csv"));
    assert_eq!(place.read("run1/parameters.csv"), place.read("run5/parameters.csv"));
}

#[test]
fn stopping_early_is_status_three_and_keeps_the_results() {
    let place = Place::with_small_data();
    let output = place.run(&format!("{SMALL} --max-iter 3"));
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).contains("--max-iter"), "{}", stdout(&output));
    let summary = place.json("run/summary.json");
    assert_eq!(
        (summary["status"].as_str(), summary["iterations"].as_u64()),
        (Some("iterations used up"), Some(3))
    );
}

#[test]
fn every_loss_and_penalty_from_the_command_line() {
    let place = Place::with_small_data();
    place.write("classes.csv", "node,x1,x2,y\na,1,0.5,1\na,2,-1,0\na,0.3,2,1\na,1,0.4,0\nb,1,1,0\nb,-1,0.4,1\nb,0.5,0.1,1\nb,0.6,0.2,0\nc,1,0,1\n");
    place.write("q.csv", "2,0.5\n0.5,1\n");
    for loss in ["squared", "huber", "absolute", "mean", "logistic", "hinge"] {
        for penalty in ["l2", "l1", "linf", "squared", "quadratic --penalty-matrix q.csv"] {
            let data =
                if ["logistic", "hinge"].contains(&loss) { "classes.csv" } else { "points.csv" };
            let line = format!(
                "fit --data {data} --graph edges.csv --loss {loss} --penalty {penalty} --lambda 0.1 --ridge 0.01 --lasso 0.02 --out run --force"
            );
            let output = place.run(&line);
            assert_eq!(output.status.code(), Some(0), "{loss}, {penalty}: {}", stderr(&output));
            assert!(place.json("run/summary.json")["relative_gap"].as_f64().unwrap() <= 1e-6);
        }
    }
}

#[test]
fn standardized_models_predict_in_the_original_units() {
    let place = Place::with_small_data();
    place.write(
        "wide.csv",
        "node,x1,x2,y\na,1000,0.005,2.1\na,2000,-0.01,3.9\na,300,0.02,0.7\na,100,0.01,0.1\nb,1000,0.01,2.0\nb,-1000,0.004,-2.2\nb,500,0.001,1.1\nb,700,0.002,1.3\n",
    );
    place.write("pair.csv", "source,target\na,b\n");
    // Without coupling, scaling must not change the models.
    for flags in ["", "--standardize"] {
        let name = if flags.is_empty() { "plain" } else { "scaled" };
        let line = format!(
            "fit --data wide.csv --graph pair.csv --lambda 0 --intercept {flags} --out {name}"
        );
        assert_eq!(place.run(&line).status.code(), Some(0));
    }
    let numbers = |name: &str| -> Vec<f64> {
        let text = place.read(&format!("{name}/parameters.csv"));
        text.lines()
            .skip(1)
            .flat_map(|l| l.split(',').skip(1).map(|c| c.parse().unwrap()).collect::<Vec<f64>>())
            .collect()
    };
    for (a, b) in numbers("plain").iter().zip(numbers("scaled")) {
        assert!((a - b).abs() <= 1e-8 * (1.0 + a.abs()), "{a} {b}");
    }
}

#[test]
fn nodes_without_data_or_edges_get_a_warning_and_a_model() {
    let place = Place::with_small_data();
    place.write("edges.csv", "source,target\na,b\nb,ghost\nfar,away\n");
    let output = place.run(SMALL);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(
        text.contains("\"c\" has data but no edge in edges.csv; it is trained alone"),
        "{text}"
    );
    assert!(
        text.contains("3 nodes are in edges.csv but have no data points in points.csv"),
        "{text}"
    );
    assert!(text.contains("the graph has 2 parts"), "{text}");
    assert!(text.contains("2 nodes have no data and no path to a node with data"), "{text}");
    let models = place.read("run/parameters.csv");
    let row = |node: &str| {
        models.lines().find(|l| l.starts_with(&format!("{node},"))).unwrap().to_owned()
    };
    assert_eq!(row("far"), "far,0,0");
    let (b, ghost) = (row("b"), row("ghost"));
    for (x, y) in b.split(',').skip(1).zip(ghost.split(',').skip(1)) {
        let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
        assert!((x - y).abs() < 1e-4, "a node at the end of the chain takes its neighbor's model");
    }
    assert_eq!(place.json("run/summary.json")["bound"], "region");
}

#[test]
fn separable_classes_have_no_minimum_and_say_so() {
    let place = Place::new();
    place.write("points.csv", "node,x,y\na,1,1\na,2,1\na,-1,0\nb,1,1\nb,-2,0\n");
    place.write("edges.csv", "source,target\na,b\n");
    let fit = "fit --data points.csv --graph edges.csv --loss logistic --lambda 0.1 --out run";
    for settings in ["--max-iter 50", "--force", "--force --solver primal-dual --max-iter 500"] {
        // Nothing can be attained: the loss falls for ever.
        let output = place.run(&format!("{fit} {settings}"));
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert_eq!(place.json("run/summary.json")["status"], "no minimum", "{settings}");
        let text = stdout(&output);
        assert!(text.contains("There is no minimum") && text.contains("Add --ridge"), "{text}");
        assert!(!text.contains("converged"), "{text}");
    }
    let output = place.run("fit --data points.csv --graph edges.csv --loss logistic --lambda 0.1 --ridge 0.01 --out ridge");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn interrupts_keep_what_there_is() {
    use std::time::Duration;
    let place = Place::new();
    let (mut points, mut edges) = (String::from("node,x,y\n"), String::from("source,target\n"));
    for i in 0..3000 {
        points.push_str(&format!("n{i},1,{}\n", (i * 37) % 100));
        if i > 0 {
            edges.push_str(&format!("n{},n{i}\n", i - 1));
        }
    }
    place.write("points.csv", &points);
    place.write("edges.csv", &edges);
    let child = common::command()
        .current_dir(place.path(""))
        .args("fit --data points.csv --graph edges.csv --lambda 5 --tol 0 --max-iter 100000000 --out run".split(' '))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(!place.path("run").exists());
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert_eq!(place.json("run/summary.json")["status"], "interrupted");
    assert_eq!(place.read("run/parameters.csv").lines().count(), 3001);
    assert_eq!(place.entries(), ["edges.csv", "points.csv", "run"]);
}

#[test]
fn a_killed_run_leaves_no_results() {
    use std::time::Duration;
    let place = Place::with_small_data();
    let mut child = common::command()
        .current_dir(place.path(""))
        .args("fit --data points.csv --graph edges.csv --lambda 0.1 --tol 0 --max-iter 1000000000 --out run".split(' '))
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!place.path("run").exists());
}

#[test]
fn gzip_and_parquet_give_the_same_models() {
    use std::io::Write;
    let place = Place::with_small_data();
    assert_eq!(place.run(SMALL).status.code(), Some(0));
    for name in ["points.csv", "edges.csv"] {
        let mut gz = flate2::write::GzEncoder::new(
            std::fs::File::create(place.path(&format!("{name}.gz"))).unwrap(),
            flate2::Compression::default(),
        );
        gz.write_all(place.read(name).as_bytes()).unwrap();
        gz.finish().unwrap();
    }
    let output =
        place.run("fit --data points.csv.gz --graph edges.csv.gz --lambda 0.1 --out zipped");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(place.read("run/parameters.csv"), place.read("zipped/parameters.csv"));
}

#[test]
fn without_coupling_nodes_without_data_have_no_model() {
    let place = Place::with_small_data();
    place.write("edges.csv", "source,target\na,b\nb,ghost\n");
    let text = stderr(&place.run("fit --data points.csv --graph edges.csv --lambda 0 --out run"));
    assert!(text.contains("\"ghost\" has no data, and λ = 0 couples nothing"), "{text}");
    assert!(!text.contains("neighbors"), "{text}");
}
