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

#[test]
fn equal_models_are_one_cluster() {
    let place = Place::new();
    place.write("points.csv", "node,x,y\na,1,1.1\na,2,2.3\nb,1,1.1\nb,2,2.3\nc,1,1.1\nc,2,2.3\n");
    place.write("edges.csv", "source,target\na,b\nb,c\n");
    let output = place.run(SMALL);
    assert!(stdout(&output).contains("1 feature: 1 cluster,"), "{}", stdout(&output));
    assert_eq!(place.json("run/summary.json")["clusters"], 1);
}

#[test]
fn no_bound_is_explained_where_it_is_said() {
    let place = Place::with_small_data();
    // Separable by the sign of x1: the margins bound no model, and the objective is still far from
    // zero.
    place.write(
        "points.csv",
        "node,x1,x2,y\na,.001,.001,1\na,.002,-.001,1\nb,-.001,.002,0\nb,-.003,.001,0\nc,.001,.001,1\nc,-.002,.002,0\n",
    );
    let output = place.run(&format!("{SMALL} --loss hinge --solver primal-dual --max-iter 10"));
    let text = stdout(&output);
    assert!(text.contains("There is no bound") && text.contains("separable"), "{text}");
    assert_eq!(place.json("run/summary.json")["stopping_rule"], "residual");
    assert!(place.json("run/summary.json")["dual_bound"].is_null());
}

#[test]
fn dependent_features_are_certified() {
    let place = Place::with_small_data();
    // A full one-hot code and an intercept; 30 points at each of three nodes.
    let mut points = String::from("node,north,south,west,size,y\n");
    for r in 0..90 {
        let (node, kind) = (["a", "b", "c"][r % 3], (r / 3 + r / 7) % 3);
        let size = ((r * 37) % 23) as f64 / 7.0;
        let flag = |k: usize| if k == kind { 1 } else { 0 };
        let y = kind as f64 + size + ((r * 13) % 11) as f64 / 5.0;
        points.push_str(&format!("{node},{},{},{},{size},{y}\n", flag(0), flag(1), flag(2)));
    }
    place.write("points.csv", &points);
    for loss in ["squared", "huber", "absolute"] {
        for flags in ["", "--standardize", "--penalty l1", "--penalty squared"] {
            let line = format!("{SMALL} --force --intercept --loss {loss} {flags}");
            // Standardized columns depend on each other up to rounding only: nothing is proven
            // then.
            let (code, bound) = if flags == "--standardize" { (3, "none") } else { (0, "region") };
            assert_eq!(place.run(&line).status.code(), Some(code), "{loss} {flags}");
            let summary = place.json("run/summary.json");
            assert_eq!(summary["bound"], bound, "{loss} {flags}: {summary}");
        }
    }
}

#[test]
fn bounds_are_never_negative_and_residuals_at_most_one() {
    let place = Place::with_small_data();
    place.run(&format!("{SMALL} --max-iter 1"));
    for line in place.read("run/history.csv").lines().skip(1) {
        let bound: f64 = line.split(',').nth(2).unwrap().parse().unwrap();
        assert!(bound >= 0.0, "{line}");
        let residual: f64 = line.split(',').nth(4).unwrap().parse().unwrap();
        assert!((0.0..=1.0).contains(&residual), "{line}");
    }
}

#[test]
fn help_has_examples() {
    let place = Place::new();
    for line in ["--help", "fit --help", "predict --help", "evaluate --help"] {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("Example"), "{line}");
    }
    assert!(stdout(&place.run("--version")).starts_with("netfed "));
}

#[test]
fn methods_of_federations_find_the_same_optimum() {
    let place = Place::with_small_data();
    assert_eq!(place.run(SMALL).status.code(), Some(0));
    let best = place.json("run/summary.json")["objective"].as_f64().unwrap();
    for (k, flags) in [
        "--solver admm",
        "--solver admm --rho 0.5",
        "--solver admm --availability 0.6",
        "--solver primal-dual --availability 0.6",
        "--solver fed-admm --tol 1e-5",
    ]
    .iter()
    .enumerate()
    {
        let output = place.run(&format!("{} {flags}", SMALL.replace("run", &format!("run{k}"))));
        assert_eq!(
            output.status.code(),
            Some(0),
            "{flags}: {}{}",
            stdout(&output),
            stderr(&output)
        );
        let summary = place.json(&format!("run{k}/summary.json"));
        let objective = summary["objective"].as_f64().unwrap();
        assert!((objective - best).abs() <= 2e-5 * best, "{flags}: {objective} {best}");
        let rounds = summary["drop_outs"]["iterations_if_all_there"].as_u64();
        assert_eq!(rounds.is_some(), flags.contains("availability"), "{summary}");
        if let Some(rounds) = rounds {
            assert!(rounds < summary["iterations"].as_u64().unwrap());
            assert!(stdout(&output).contains("with everyone there"), "{}", stdout(&output));
        }
        // The settings of the run give the run again.
        let again = place.run(&format!("fit --config run{k}/config.toml --out again{k}"));
        assert_eq!(again.status.code(), Some(0), "{flags}: {}", stderr(&again));
        let read = |run: &str| place.read(&format!("{run}{k}/parameters.csv"));
        assert_eq!(read("again"), read("run"), "{flags}");
    }
}

#[test]
fn availability_may_differ_from_node_to_node() {
    let place = Place::with_small_data();
    let nodes: Vec<String> = {
        place.run(SMALL);
        let text = place.read("run/parameters.csv");
        text.lines().skip(1).map(|l| l.split(',').next().unwrap().to_owned()).collect()
    };
    let line = format!("{} --force --solver primal-dual --availability there.csv", SMALL);
    place.write("there.csv", &format!("node,availability\n{},0.5\n", nodes[0]));
    assert_eq!(place.run(&line).status.code(), Some(0));
    for (text, part) in [
        (format!("node,availability\n{},0\n", nodes[0]), "more than 0"),
        (format!("node,availability\n{},x\n", nodes[0]), "there.csv"),
        (format!("node,availability\n{0},0.5\n{0},0.5\n", nodes[0]), "listed twice"),
        ("node,availability\nnobody,0.5\n".into(), "nobody"),
        ("node,probability\n".into(), "availability"),
    ] {
        place.write("there.csv", &text);
        let output = place.run(&line);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(stderr(&output).contains(part), "{text}: {}", stderr(&output));
    }
    for (flags, part) in [
        ("--availability 0.5", "--solver primal-dual, admm or fed-admm"),
        ("--solver primal-dual --availability 1.5", "at most 1"),
        ("--solver primal-dual --availability nowhere.csv", "nowhere.csv"),
        ("--solver primal-dual --batch-size 3", "fed-admm"),
        ("--solver fed-admm --batch-size 0", "at least 1"),
        ("--solver fed-admm --rho -1", "--rho"),
        ("--solver admm --kappa 1", "fed-admm"),
    ] {
        let output = place.run(&format!("{SMALL} --force {flags}"));
        assert_eq!(output.status.code(), Some(2), "{flags}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{flags}: {}", stderr(&output));
    }
}

/// Without a bound a run that stops on the residual has proven nothing; it says so in its words,
/// its files and its exit status.
#[test]
fn a_small_residual_is_not_called_converged() {
    let place = Place::new();
    // Classes that x1 does not tell apart, so that the objective is not nearly zero, and x2 does,
    // so that models may be as long as they like.
    place.write(
        "points.csv",
        "node,x1,x2,y\na,1,0,1\na,1,0,0\na,0,1,1\nb,1,0,1\nb,1,0,0\nb,0,2,1\n",
    );
    place.write("edges.csv", "source,target\na,b\n");
    let settings = "--data points.csv --graph edges.csv --loss hinge";
    let fit = format!("fit {settings} --solver primal-dual --lambda 0.1 --tol 1e-3");
    let output = place.run(&format!("{fit} --out run"));
    let summary = place.json("run/summary.json");
    assert_eq!((output.status.code(), &summary["status"]), (Some(3), &"unproven".into()));
    assert!(summary["gap"].is_null() && summary["bound"] == "none", "{summary}");
    let text = stdout(&output);
    assert!(text.starts_with("unproven after") && text.contains("proves nothing"), "{text}");
    assert!(!text.contains("converged"), "{text}");
    let page = place.read("run/report.html");
    assert!(page.contains("nothing is proven") && !page.contains("Certified"));
    let output = place.run(&format!("{fit} --ridge 0.01 --out ridge"));
    let status = &place.json("ridge/summary.json")["status"];
    assert_eq!((output.status.code(), status), (Some(0), &"converged".into()));
}
