//! What `netfed relax`, and `netfed predict` and `netfed evaluate` on its models, refuse.

mod common;

use common::{Place, SMALL, stderr, stdout};

#[test]
fn saved_models_that_were_spoiled_are_refused() {
    let place = Place::with_small_data();
    let line = "relax --data points.csv --graph edges.csv --model linear --alpha 0.1 --out run";
    assert_eq!(place.run(line).status.code(), Some(0));
    let file = place.path("run/models.safetensors");
    let good = std::fs::read(&file).unwrap();
    let message = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let output = place.run("predict --run run --data points.csv --out p.csv");
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(!place.path("p.csv").exists());
        assert!(
            stderr(&output).contains("train again with netfed relax --force --out run"),
            "{}",
            stderr(&output)
        );
        stderr(&output)
    };
    assert!(message(b"").contains("not a safetensors file"));
    assert!(message(&good[..good.len() - 8]).contains("not a safetensors file"));
    let replace = |from: &str, to: &str| {
        let text: Vec<u8> = good.clone();
        let at = text.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        [&text[..at], to.as_bytes(), &text[at + from.len()..]].concat()
    };
    assert!(message(&replace("netfed", "netfee")).contains("no models of netfed"));
    assert!(message(&replace("\\\"linear\\\"", "\\\"liner0\\\"")).contains("liner0"));
    assert!(message(&replace("0.weights", "9.weights")).contains("belongs to no node"));
    let mut nan = good.clone();
    let last = nan.len() - 8;
    nan[last..].copy_from_slice(&f64::NAN.to_le_bytes());
    assert!(message(&nan).contains("the saved model cannot be used"));
    // One bit of a number, of its name, of the name of a feature, of the checksum.
    let flip = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    let at = |word: &str| good.windows(word.len()).position(|w| w == word.as_bytes()).unwrap();
    let spoiled = "the file was spoiled, its checksum is not that of its contents";
    for place in [good.len() - 8, good.len() - 20, at("\\\"x1") + 3, at("sha256") + 12] {
        assert!(message(&flip(place)).contains(spoiled), "{place}");
    }
    assert!(message(&flip(at("sha256"))).contains("no checksum in it"));
}

#[test]
fn models_are_neither_taken_for_others_nor_replaced() {
    let place = Place::with_small_data();
    let line = "relax --data points.csv --graph edges.csv --model linear --alpha 0.1 --out run";
    assert_eq!(place.run(line).status.code(), Some(0));
    let file = place.path("run/models.safetensors");
    let good = std::fs::read(&file).unwrap();
    let output = place.run("explain --run run");
    assert!(stderr(&output).contains("a folder that netfed relax wrote"), "{}", stderr(&output));
    place.write("stranger.csv", "node,x1,x2\nz,1,2\n");
    let output = place.run("predict --run run --data stranger.csv --out p.csv");
    assert!(
        stderr(&output)
            .contains("stranger.csv, line 2, column \"node\": the node \"z\" is not in the run")
    );
    let output =
        place.run("predict --run run --data points.csv --out run/models.safetensors --force");
    assert!(stderr(&output).contains("is an input file"), "{}", stderr(&output));
    let output =
        place.run("evaluate --run run --data points.csv --out run/models.safetensors --force");
    assert!(stderr(&output).contains("is an input file"), "{}", stderr(&output));
    assert!(std::fs::read(&file).unwrap() == good);
}

/// Flags, and what is said about them.
const FLAGS: [(&str, &str); 24] = [
    ("--alpha 0.1", "no model given; say --model NAME"),
    ("--alpha -1 --model tree", "--alpha is -1; it must be at least 0"),
    ("--alpha nan --model tree", "--alpha is NaN"),
    (
        "--alpha 1e120 --model tree",
        "--alpha is 1e120, and the edges of a node in edges.csv have the weight 1.5 together: their product is too large to compute with; try --alpha 0.7.",
    ),
    ("--alpha 1 --model tre", "--model: model \"tre\": there is no model \"tre\""),
    ("--alpha 1 --model tree --task regresion", "Did you mean \"regression\"?"),
    ("--alpha 1 --model logistic", "it predicts classes; for numbers take linear"),
    ("--alpha 1 --model tree --hold-out 1", "--hold-out is 1"),
    ("--alpha 1 --model tree --public-points 0", "--public-points is 0"),
    ("--alpha 1 --model tree --threads 0", "--threads is 0"),
    (
        "--alpha 1 --model tree --public other.csv",
        "other.csv: expected the features of points.csv, which are \"x1\", \"x2\"; found \"x1\", \"x3\".",
    ),
    (
        "--alpha 1 --model tree --task classification",
        "points.csv, line 2, column \"y\": expected a class, written as a whole number (for labels that are numbers say --task regression), found \"2.1\".",
    ),
    ("--alpha 1 --models few.csv", "few.csv: no model for the node \"b\""),
    (
        "--alpha 1 --models strange.csv",
        "strange.csv, line 3: the node \"z\" is neither in points.csv nor in edges.csv.",
    ),
    (
        "--alpha 1 --models wrong.csv --model tree",
        "wrong.csv, line 2: model \"tree dept=3\": tree has no option \"dept\"; it has depth, leaf. Did you mean \"depth\"?\n",
    ),
    ("--alpha 1 --models twice.csv", "twice.csv, line 3: the node \"a\" was already given."),
    ("--alpha 1 --models empty.csv", "empty.csv: the file is empty."),
    ("--alpha 1 --model tree --public empty.csv", "empty.csv: the file is empty."),
    (
        "--alpha 1 --model tree --public nan.csv",
        "nan.csv, line 3, column \"x2\": expected a finite number, found \"nan\".",
    ),
    (
        "--alpha 1 --model tree --public names.csv",
        "names.csv: expected at least one row of data, found only the column names.",
    ),
    (
        "--alpha 1 --model tree --public-points 99999999999",
        "99999999999 public points at 3 nodes need about",
    ),
    (
        "--alpha 1 --model tree --public words.csv",
        "words.csv, line 2, column \"x2\": expected a number, found \"b\".",
    ),
    (
        "--alpha 1 --models commas.csv --model tree",
        "commas.csv, line 2: expected 3 cells as in the header, found 4 (a cell with a separator in it must be in quotes).",
    ),
    ("--alpha 1 --model tree --data one.csv", "the argument '--data <FILE>' cannot be used"),
];

/// Models, and what is said about them.
const MODELS: [(&str, &str); 8] = [
    ("forest features=3", "features=3; expected at most 2, as the points have.\n"),
    ("boosting rate=2", "rate=2; expected a number above 0 and at most 1.\n"),
    ("kernel bandwidth=1e-300", "expected a number from 1e-100 to 1e100.\n"),
    ("tree leaf=0.6", "leaf=0.6; expected a number from 0 to less than 0.5.\n"),
    ("nearest k=0", "k=0; expected a whole number from 1 to 1000000.\n"),
    ("tree depth=3;leaf=0.1", "spaces separate options, as in depth=3 leaf=0.1.\n"),
    (
        "perceptron hidden=32 16",
        "commas separate several numbers of an option, as in hidden=32,16.\n",
    ),
    ("perceptron hidden=4,,4", "expected whole numbers from 1 to 1000000, separated"),
];

const BASE: &str = "relax --data points.csv --graph edges.csv --out run --quiet";

fn with_faulty_files() -> Place {
    let place = Place::with_small_data();
    place.write("other.csv", "x1,x3\n1,2\n");
    place.write("few.csv", "node,model\na,tree\n");
    place.write("strange.csv", "node,model\na,tree\nz,tree\n");
    place.write("twice.csv", "node,model\na,tree\na,forest\n");
    place.write("empty.csv", "");
    place.write("names.csv", "x1,x2\n");
    place.write("nan.csv", "x1,x2\n1,2\n3,nan\n");
    place.write("wrong.csv", "node,model,options\na,tree,dept=3\n");
    place.write("words.csv", "x1,x2\n1,b\n");
    place.write("commas.csv", "node,model,options\na,perceptron,hidden=16,8\n");
    place.write("one.csv", "node,x1,y\na,1,2\nb,2,2\n");
    place.write("cats.csv", "node,x1,y\na,1,cat\nb,2,dog\n");
    place
}

#[test]
fn every_faulty_flag_gets_one_clear_sentence() {
    let place = with_faulty_files();
    for (flags, message) in FLAGS {
        let output = place.run(&format!("{BASE} {flags}"));
        assert_eq!(output.status.code(), Some(2), "{flags}: {}", stdout(&output));
        assert!(stderr(&output).contains(message), "{flags}: {}", stderr(&output));
        assert!(!place.path("run").exists(), "{flags}");
    }
}

#[test]
fn every_faulty_model_gets_one_clear_sentence() {
    let place = with_faulty_files();
    for (model, message) in MODELS {
        place.write("bad.csv", &format!("node,model\na,\"{model}\"\n"));
        let output = place.run(&format!("{BASE} --alpha 1 --model tree --models bad.csv"));
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{model}: {said}");
        let name = model.split(' ').next().unwrap();
        let fault = format!("netfed: bad.csv, line 2: model \"{name} ");
        assert!(said.starts_with(&fault) && said.contains(message), "{said}");
        assert!(!place.path("run").exists(), "{model}");
    }
    // What shows in training only.
    place.write("bad.csv", "node,model\nb,perceptron rate=1e99\n");
    let output = place.run(&format!("{BASE} --alpha 1 --model tree --models bad.csv"));
    let said = stderr(&output);
    assert!(said.contains("node \"b\": the rate of a perceptron is 1e99; it must be"), "{said}");
    assert!(output.status.code() == Some(2) && !place.path("run").exists());
    let one = "relax --data one.csv --graph edges.csv --model tree --task classification --alpha 1 --out run";
    assert!(
        stderr(&place.run(one)).contains("expected at least two classes, found only the label 2")
    );
    let cats = "relax --data cats.csv --graph edges.csv --model tree --alpha 1 --out run";
    let place_of = "cats.csv, line 2, column \"y\": expected";
    for (task, expected) in [
        (
            "regression",
            "a number (for classes say --task classification, and write them as whole numbers)",
        ),
        ("classification", "a class, written as a whole number"),
    ] {
        let said = stderr(&place.run(&format!("{cats} --task {task}")));
        assert!(said.contains(&format!("{place_of} {expected}, found \"cat\".")), "{said}");
    }
}

/// Far more than any machine has.
#[test]
fn huge_models_are_refused() {
    let place = Place::with_small_data();
    for model in [
        "perceptron hidden=1000000,1000000",
        "perceptron hidden=1000000,1000000,1000000",
        "forest trees=1000000 depth=1000000",
        "boosting trees=1000000 depth=1000000",
    ] {
        place.write("models.csv", &format!("node,model\nb,\"{model}\"\n"));
        let points = if model.starts_with("perceptron") { 10 } else { 100_000 };
        let output = place.run(&format!(
            "relax --data points.csv --graph edges.csv --model tree --models models.csv --public-points {points} --alpha 1 --out run"
        ));
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{model}: {said}");
        assert!(
            said.contains(&format!(
                "netfed: the models of 3 nodes, the largest of them \"{model} "
            )) && said.contains("of memory, but only")
                && said.contains("take smaller ones (--model, --models)."),
            "{said}"
        );
        assert!(!place.path("run").exists());
    }
}

#[test]
fn folders_that_are_no_runs_are_named() {
    let place = Place::with_small_data();
    let line = "relax --data points.csv --graph edges.csv --model tree --alpha 0.1 --out run";
    assert_eq!(place.run(line).status.code(), Some(0));
    assert_eq!(place.run(&SMALL.replace("run", "fitted")).status.code(), Some(0));
    std::fs::create_dir(place.path("empty")).unwrap();
    let list = place.read("run/nodes.csv");
    let again = "train again with netfed relax --force --out run.";
    let check = |run: &str, message: &str| {
        for command in ["predict --out p.csv", "evaluate"] {
            let output = place.run(&format!("{command} --run {run} --data points.csv"));
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{command} {run}: {said}");
            assert_eq!(said, format!("netfed: {message}\n"), "{command} {run}");
            assert!(!place.path("p.csv").exists(), "{command} {run}");
        }
    };
    check("nowhere", "there is no folder nowhere; netfed fit and netfed relax write one (--out).");
    check(
        "points.csv",
        "points.csv is a file; expected the folder that netfed fit or netfed relax wrote.",
    );
    check(
        "empty",
        "empty is not a folder that netfed fit or netfed relax wrote: it has neither config.toml nor models.safetensors.",
    );
    for changed in [
        list.replace("\nb,", "\nd,"),
        list.replacen("tree depth=5", "tree depth=4", 1),
        list.lines().take(3).map(|l| format!("{l}\n")).collect(),
    ] {
        place.write("run/nodes.csv", &changed);
        check(
            "run",
            &format!(
                "run/nodes.csv and run/models.safetensors do not belong together, their nodes or models differ; {again}"
            ),
        );
    }
    place.write("run/nodes.csv", &list);
    std::fs::remove_file(place.path("run/models.safetensors")).unwrap();
    check("run", &format!("run/models.safetensors is missing; {again}"));
    for file in ["summary.json", "parameters.csv"] {
        std::fs::remove_file(place.path(&format!("fitted/{file}"))).unwrap();
        check(
            "fitted",
            &format!(
                "fitted/{file} is missing; train again with netfed fit --config fitted/config.toml --force --out fitted."
            ),
        );
    }
}
