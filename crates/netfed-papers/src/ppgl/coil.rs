//! Table IV: 48 images of four objects of COIL-20 are the vertices, pixels the signals; three
//! photographers hold views of 60 degrees each. Communities of the learned graphs, by Louvain's
//! method, against the objects.

use netfed::learning::grid_search;
use netfed_cli::Failure;
use netfed_cli::progress::Steps;

use super::views::{Draw, EXACT_C, EXACT_L, Indices, ORIGIN, POOLED, THRESHOLD, draws};
use crate::Request;
use crate::outcome::{Outcome, Value};
use crate::runs::mean_and_error;

const DRAWS: u64 = 20;
const BETAS: [f64; 4] = [0.003, 0.03, 0.1, 0.3];
const SMALL_BETA: f64 = 0.003;
const MUS: [f64; 3] = [0.3, 3.0, 30.0];
const PAIRS: [(f64, f64); 6] =
    [(3.0, 0.1), (3.0, 0.3), (10.0, 0.03), (10.0, 0.1), (10.0, 0.3), (30.0, 0.1)];

/// NMI, RI and FMI in the paper and in an independent re-run, by gradient steps but for IGL (best
/// settings; NMI with β = .003).
type Known = Option<([f64; 3], [f64; 4])>;
const KNOWN: [(&str, Known); 10] = [
    ("IGL", Some(([0.779, 0.855, 0.755], [0.963, 0.975, 0.955, 0.867]))),
    ("FedAvg", Some(([0.745, 0.843, 0.736], [0.980, 0.987, 0.977, 0.947]))),
    ("FedProx", Some(([0.767, 0.851, 0.745], [0.980, 0.987, 0.977, 0.964]))),
    ("MR-MTL", Some(([0.795, 0.891, 0.773], [0.979, 0.987, 0.976, 0.921]))),
    ("Ditto", Some(([0.786, 0.883, 0.768], [0.979, 0.987, 0.976, 0.947]))),
    ("PPGL-L", Some(([0.865, 0.919, 0.852], [0.984, 0.987, 0.979, 0.981]))),
    ("PPGL-C", Some(([1.0, 1.0, 1.0], [0.986, 0.987, 0.980, 0.980]))),
    (POOLED, None),
    (EXACT_L, None),
    (EXACT_C, None),
];

/// Table IV.
pub(crate) fn table4(request: &Request) -> Result<Outcome, Failure> {
    let folder = request.data.ok_or_else(|| {
        Failure::input(format!("ppgl-table4 needs --data, a folder with {ORIGIN}."))
    })?;
    let draws = draws(folder, DRAWS, request.seed)?;
    let mut outcome = Outcome {
        title: "Table IV: communities of 48 images of four objects of COIL-20, three views".into(),
        columns: vec![
            "method",
            "paper NMI/RI/FMI",
            "re-run NMI/RI/FMI",
            "NMI",
            "standard error",
            "RI",
            "FMI",
            "perfect draws",
            "NMI at β = 0.003",
            "re-run at β = 0.003",
        ],
        rows: Vec::new(),
        notes: Vec::new(),
        charts: Vec::new(),
        files: Vec::new(),
    };
    let steps = Steps::named(KNOWN.len(), "methods", request.quiet);
    let mut at_small_beta = Vec::new();
    for (name, known) in KNOWN {
        let best = search(&draws, name, &BETAS)?;
        let small = search(&draws, name, &[SMALL_BETA])?;
        steps.step(name);
        let small = of(0, &small).0;
        at_small_beta.push((name, small));
        outcome.rows.push(row(name, known, &best, small));
    }
    steps.finish();
    outcome.notes = vec![
        format!("{DRAWS} draws of four of the objects; β, ν, λ and μ by the best mean NMI, as presumably in the paper, which shows one draw. Distances have one scale with median 1; an edge is a weight above {THRESHOLD}."),
        "IGL is (7) solved exactly; FedAvg, FedProx, MR-MTL, Ditto and PPGL have 300 rounds of five steps (PPGL the stable step), the last three rows are solved exactly. For methods with a graph per silo the mean over the silos.".into(),
        "With β chosen well all methods that share are about as good; FedAvg is not worse than IGL, unlike in the paper.".into(),
    ];
    let small = |name: &str| at_small_beta.iter().find(|s| s.0 == name).map_or(f64::NAN, |s| s.1);
    if small("PPGL-C") > small(EXACT_C) + 0.03 {
        outcome.notes.push("At β = 0.003 the rounds of PPGL are good and its exact graphs are not: the small β makes them sparse, coupled or not, and they fall apart. That PPGL does not depend on β comes from stopping early, not from the model.".into());
    }
    Ok(outcome)
}

/// Mean and standard error of one index.
fn of(k: usize, all: &[Indices]) -> (f64, f64) {
    mean_and_error(&all.iter().map(|i| i[k]).collect::<Vec<_>>())
}

/// The row of a method.
fn row(name: &str, known: Known, best: &[Indices], small: f64) -> Vec<Value> {
    let perfect = best.iter().filter(|i| i[0] > 1.0 - 1e-9).count();
    let number = |v: f64| Value::Number((v * 1000.0).round() / 1000.0, None);
    let three = |v: Option<&[f64]>| {
        let text = v.map(|v| v.iter().map(|x| format!("{x:.3}")).collect::<Vec<_>>());
        Value::text(text.map_or("-".into(), |t| t.join(" / ")))
    };
    vec![
        Value::text(name),
        three(known.as_ref().map(|k| &k.0[..])),
        three(known.as_ref().map(|k| &k.1[..3])),
        number(of(0, best).0),
        number(of(0, best).1),
        number(of(1, best).0),
        number(of(2, best).0),
        Value::text(format!("{:.0} %", 100.0 * perfect as f64 / best.len() as f64)),
        number(small),
        Value::maybe(known.map(|k| k.1[3])),
    ]
}

pub(super) fn search(draws: &[Draw], name: &str, betas: &[f64]) -> Result<Vec<Indices>, Failure> {
    let others: Vec<(f64, f64)> = match name {
        "IGL" | "FedAvg" | POOLED => vec![(0.0, 0.0)],
        "FedProx" | "MR-MTL" | "Ditto" => MUS.map(|mu| (mu, 0.0)).to_vec(),
        _ => PAIRS.to_vec(),
    };
    let grid: Vec<(f64, (f64, f64))> =
        betas.iter().flat_map(|&b| others.iter().map(move |&o| (b, o))).collect();
    let run = |draw: &Draw, s: &(f64, (f64, f64))| draw.run(name, s.0, s.1);
    let choice = grid_search(draws, &grid, run, |i| i[0])?;
    choice.map(|c| c.results).ok_or_else(|| Failure::other("an empty grid.".into()))
}
