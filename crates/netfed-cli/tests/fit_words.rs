//! What a fit says about its answer: clusters, bounds, status.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, SMALL, stderr, stdout};

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
