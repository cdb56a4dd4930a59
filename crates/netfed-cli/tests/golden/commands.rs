//! The commands whose answers are kept. Those of one case run one after the other in one folder,
//! which has the files of `tests/golden/data` and some bundled ones (`golden/run.rs`).

use crate::federations;

/// Commands that build on each other.
pub(crate) struct Case {
    /// The folder of the answers.
    pub(crate) name: &'static str,
    /// Command lines without `netfed`; words in double quotes are one, `{port}` is a free port.
    pub(crate) steps: Vec<String>,
}

/// All cases, those first that take longest.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = federations::cases();
    let fixed: [(&str, &[&str]); 21] = [
        ("demo", DEMO),
        ("fit-losses", FIT_LOSSES),
        ("fit-penalties", FIT_PENALTIES),
        ("fit-input", FIT_INPUT),
        ("fit-solvers", FIT_SOLVERS),
        ("fit-flavors", FIT_FLAVORS),
        ("path", PATH),
        ("cluster", CLUSTER),
        ("tune", TUNE),
        ("compare", COMPARE),
        ("explain", EXPLAIN),
        ("predict", PREDICT),
        ("relax", RELAX),
        ("relax-classes", RELAX_CLASSES),
        ("graph-build", GRAPH_BUILD),
        ("graph-learn", GRAPH_LEARN),
        ("graph-select", GRAPH_SELECT),
        ("graph-inspect", GRAPH_INSPECT),
        ("graph-generate", GRAPH_GENERATE),
        ("vertical", VERTICAL),
        ("bad-input", BAD_INPUT),
    ];
    let owned = |steps: &[&str]| steps.iter().map(|line| (*line).to_owned()).collect();
    cases.extend(fixed.map(|(name, steps)| Case { name, steps: owned(steps) }));
    let help = HELP.iter().map(|command| format!("{command} --help").trim_start().to_owned());
    cases.push(Case { name: "help", steps: help.collect() });
    cases
}

/// The second one is refused: its folder is there.
const DEMO: &[&str] = &["demo --no-open", "demo --no-open"];

const FIT_LOSSES: &[&str] = &[
    "fit --data points.csv --graph edges.csv --lambda 0.1 --loss squared --out squared",
    "fit --data points.csv --graph edges.csv --lambda 0.1 --loss huber --huber-delta 0.5 --out huber",
    "fit --data points.csv --graph edges.csv --lambda 0.1 --loss absolute --out absolute",
    "fit --data classes.csv --graph edges.csv --lambda 0.1 --loss logistic --ridge 0.01 --out logistic",
    "fit --data classes.csv --graph edges.csv --lambda 0.1 --loss hinge --ridge 0.05 --out hinge",
    "fit --data points.csv --graph edges.csv --lambda 0.1 --loss mean --features a,b --out mean",
    "fit --data star.csv.gz --graph star-edges.csv --lambda 0.05 --quiet --out star",
];

const FIT_PENALTIES: &[&str] = &[
    "fit --data points.csv --graph edges.csv --lambda 0.3 --penalty l2 --out l2",
    "fit --data points.csv --graph edges.csv --lambda 0.3 --penalty l1 --out l1",
    "fit --data points.csv --graph edges.csv --lambda 0.3 --penalty linf --out linf",
    "fit --data points.csv --graph edges.csv --lambda 0.3 --penalty squared --out squared",
    "fit --data points.csv --graph edges.csv --lambda 0.3 --penalty quadratic --penalty-matrix matrix.csv --out quadratic",
];

const FIT_INPUT: &[&str] = &[
    "fit --data points.csv --graph edges.csv --lambda 0.2 --intercept --out intercept",
    "fit --data points.csv --graph edges.csv --lambda 0.2 --intercept --standardize --out standardized",
    "fit --data points.csv --graph edges.csv --lambda 0.2 --lasso 0.2 --out lasso",
    "fit --data points.csv --graph edges.csv --lambda 0.2 --ridge 0.1 --out ridge",
    "fit --data classes.csv --graph edges.csv --lambda 0.2 --loss logistic --intercept --standardize --lasso 0.02 --ridge 0.01 --out classes",
    "fit --config standardized/config.toml --lambda 0 --json --out alone",
];

const FIT_SOLVERS: &[&str] = &[
    "fit --data points.csv --graph edges.csv --lambda 0.2 --solver auto --tol 1e-9 --out auto",
    "fit --data points.csv --graph edges.csv --lambda 0.2 --solver primal-dual --out primal-dual",
    "fit --data points.csv --graph edges.csv --lambda 0.2 --solver admm --out admm",
    "fit --data points.csv --graph edges.csv --lambda 0.2 --solver admm --rho 0.7 --loss huber --out fixed-rho",
    "fit --data points.csv --graph edges.csv --lambda 0.2 --solver fed-admm --max-iter 300 --out fed-admm",
    "fit --data points.csv --graph edges.csv --lambda 0.2 --solver fed-admm --batch-size 2 --rho 0.5 --kappa 1 --availability 0.7 --seed 5 --max-iter 300 --out batches",
    "fit --data points.csv --graph edges.csv --lambda 0.2 --solver fed-admm --availability availability.csv --max-iter 300 --out drop-outs",
    "fit --data points.csv --graph edges.csv --lambda 0.2 --solver primal-dual --max-iter 7 --out stopped",
];

const FIT_FLAVORS: &[&str] = &[
    "fit --data points.csv --flavor centralized --out centralized",
    "fit --data points.csv --graph edges.csv --flavor clustered --out clustered",
    "fit --data points.csv --graph edges.csv --flavor personalized --out personalized",
];

const PATH: &[&str] = &[
    "path --data points.csv --graph edges.csv --lambdas 6 --out path",
    "path --data points.csv --graph edges.csv --penalty l1 --lambda-min 0.1 --lambda-max 2 --lambdas 4 --folds 2 --json --out part",
    "path --data classes.csv --graph edges.csv --loss logistic --ridge 0.05 --lambdas 4 --folds 0 --out classes",
];

const CLUSTER: &[&str] = &[
    "cluster --data cloud.csv --neighbors 4 --lambdas 10 --out suggested",
    "cluster --data cloud.csv --neighbors 4 --lambdas 10 --clusters 3 --standardize --out three",
    "cluster --data cloud.csv --neighbors 4 --penalty l1 --lambda 0.2 --out given",
];

const TUNE: &[&str] = &[
    "tune --data points.csv --graph edges.csv --lambdas 5 --folds 3 --repeats 1 --out tuned",
    "tune --data classes.csv --graph edges.csv --loss logistic --ridges 0.01,0.1 --lambda-grid 0.1,1 --folds 2 --repeats 1 --rule best --json --out ridges",
    "tune --data points.csv --graph-rule knn --graph-k 1,2 --lambdas 3 --folds 2 --repeats 1 --rule bic --out graphs",
];

const COMPARE: &[&str] = &[
    "compare --data points.csv --graph edges.csv --clusters groups.csv --splits 2 --folds 2 --rounds 60 --out compared",
    "compare --data classes.csv --graph edges.csv --loss logistic --ridge 0.05 --methods gtv,ifca,mr-mtl --splits 2 --folds 2 --rounds 40 --json --out classes",
    "compare --data points.csv --graph edges.csv --truth truth.csv --methods gtv,gossip --splits 2 --folds 2 --rounds 40 --quiet --out truth",
];

const EXPLAIN: &[&str] = &[
    "fit --data points.csv --graph edges.csv --lambda 1 --out run",
    "explain --run run --out explain.html",
    "explain --run run --folds 0 --json",
    "fit --data points.csv --graph edges.csv --lambda 1 --penalty squared --standardize --intercept --out smooth",
    "explain --run smooth --folds 2",
];

const PREDICT: &[&str] = &[
    "fit --data points.csv --graph edges.csv --lambda 0.2 --intercept --out run",
    "predict --run run --data new.csv --out predictions.csv",
    "evaluate --run run --data new.csv --out errors.csv",
    "fit --data classes.csv --graph edges.csv --lambda 0.2 --loss logistic --ridge 0.01 --out classes",
    "predict --run classes --data new-classes.csv --out probabilities.csv",
    "evaluate --run classes --data new-classes.csv --json",
    "fit --data classes.csv --graph edges.csv --lambda 0.2 --loss hinge --ridge 0.01 --out margins",
    "predict --run margins --data new-classes.csv --out margins.csv",
];

const RELAX: &[&str] = &[
    "relax --data points.csv --graph edges.csv --models models.csv --model \"tree depth=2\" --alpha 0.2 --rounds 3 --public public.csv --out kinds",
    "predict --run kinds --data new.csv --out predictions.csv",
    "evaluate --run kinds --data new.csv --out errors.csv",
    "relax --data points.csv --graph edges.csv --model linear --alpha 0.5 --rounds 4 --public own.csv --hold-out 0 --out own",
    "relax --data points.csv --graph edges.csv --model \"perceptron hidden=4 epochs=5\" --alpha 0.1 --rounds 2 --standardize --public-points 12 --seed 3 --json --out drawn",
];

const RELAX_CLASSES: &[&str] = &[
    "relax --data kinds.csv --graph edges.csv --task classification --models class-models.csv --model logistic --alpha 0.2 --rounds 2 --public public.csv --out kinds",
    "predict --run kinds --data new-kinds.csv --out predictions.csv",
    "evaluate --run kinds --data kinds.csv",
];

const GRAPH_BUILD: &[&str] = &[
    "graph build --data points.csv --k 2 --out wasserstein.csv",
    "graph build --data points.csv --discrepancy models --rule mst-knn --k 1 --weights inverse --ridge 0.01 --json --out models.csv",
    "graph build --data points.csv --discrepancy t --rule complete --combine bonferroni --out t.graphml",
    "graph build --coordinates places.csv --discrepancy distance --rule threshold --eta 150 --out distance.gexf",
    "graph build --data points.csv --discrepancy mmd --standardize --k 2 --out mmd.csv",
];

const GRAPH_LEARN: &[&str] = &[
    "graph learn --signals silo1.csv --neighbors 2 --out alone.csv",
    "graph learn --signals silo1.csv --standardize --method glasso --penalty 0.1 --json --out glasso.csv",
    "graph learn --silos silo1.csv silo2.csv silo3.csv --beta 0.1 --nu 3 --lambda 0.1 --out exact",
    "graph learn --silos silo1.csv silo2.csv silo3.csv --method algorithm1 --beta 0.1 --nu 3 --lambda 0.1 --rounds 10 --out rounds",
    "graph learn --silos silo1.csv silo2.csv silo3.csv --method ditto --beta 0.1 --mu 0.5 --rounds 10 --out ditto",
    "graph learn --silos silo1.csv silo2.csv silo3.csv --truth ring.csv --beta 0.05,0.2 --nu 3 --lambda 0.1,1 --out grid",
];

const GRAPH_SELECT: &[&str] = &[
    "graph select --data selection.csv.gz --graph selection-edges.csv --tests tests.csv --out kept.csv",
    "graph select --data points.csv --truth groups.csv --correction bh --sandwich --json --out sandwich.csv",
    "graph select --data classes.csv --graph edges.csv --loss logistic --ridge 0.05 --correction holm --tests holm-tests.csv --out holm.csv",
];

const GRAPH_INSPECT: &[&str] = &[
    "graph inspect --graph edges.csv --data points.csv --labels groups.csv --out inspected",
    "graph inspect --graph bundled.gexf --json",
    "graph inspect --graph ring.csv --truth ring.csv",
    "graph convert bundled.gexf bundled-again.graphml",
    "graph convert bundled.graphml bundled-edges.csv",
    "graph convert edges.csv edges.gexf --data points.csv",
];

const GRAPH_GENERATE: &[&str] = &[
    "graph generate sbm --sizes 4,5 --inside 0.8 --between 0.1 --points 3 --out sbm",
    "graph generate cliques --sizes 3,3 --corruption 0.1 --model logistic --points 2 --seed 2 --out cliques",
    "graph generate chain --nodes 8 --model mixture --points 4 --out chain",
    "graph generate grid --rows 2 --columns 3 --points 2 --share 0.5 --out grid",
    "graph generate rbf --nodes 6 --model signals --points 4 --out rbf",
    "graph generate geometric --nodes 8 --edges 12 --model none --out geometric",
    "graph generate star --nodes 5 --points 2 --noise 0.5 --out star",
    "graph generate erdos-renyi --nodes 7 --probability 0.3 --points 2 --clusters 3 --out random",
];

const VERTICAL: &[&str] = &[
    "vertical --parties bank.csv,shop.csv --labels labels.csv --id person --intercept --out numbers",
    "vertical --parties bank.csv,shop.csv --labels buys.csv --id person --loss logistic --ridge 0.01 --json --out classes",
];

const BAD_INPUT: &[&str] = &[
    "fit --data nowhere.csv --graph edges.csv --lambda 0.1 --out run",
    "fit --data word.csv --graph edges.csv --lambda 0.1 --out run",
    "fit --data points.csv --graph loop.csv --lambda 0.1 --out run",
    "fit --data far.csv --graph edges.csv --lambda 0.1 --out run",
    "fit --data points.csv --graph edges.csv --lambda -1 --out run",
    "fit --data points.csv --graph edges.csv --lambda 0.1 --loss sqared --out run",
    "fit --data points.csv --graph edges.csv --lambda 0.1 --penalty quadratic --out run",
    "fit --data points.csv --graph edges.csv --lambda 0.1 --loss logistic --out run",
    "fit --config wrong.toml --out run",
    "fit --data points.csv --graph edges.csv --lamda 0.1 --out run",
    "tune --data points.csv --graph edges.csv --folds 99 --out run",
    "relax --data points.csv --graph edges.csv --model bush --alpha 0.1 --out run",
    "predict --run nowhere --data new.csv --out predictions.csv",
    "graph learn --signals word.csv --out learned.csv",
    "federation check --federation nowhere",
    "fitt",
];

const HELP: [&str; 41] = [
    "",
    "demo",
    "fit",
    "path",
    "cluster",
    "graph",
    "graph build",
    "graph select",
    "graph inspect",
    "graph generate",
    "graph generate sbm",
    "graph generate cliques",
    "graph generate chain",
    "graph generate star",
    "graph generate grid",
    "graph generate geometric",
    "graph generate rbf",
    "graph generate erdos-renyi",
    "graph learn",
    "graph convert",
    "predict",
    "evaluate",
    "explain",
    "tune",
    "compare",
    "relax",
    "vertical",
    "federation",
    "federation init",
    "federation invite",
    "federation renew",
    "federation revoke",
    "federation add",
    "federation remove",
    "federation readmit",
    "federation check",
    "federation status",
    "federation up",
    "peer",
    "router",
    "reproduce",
];
