//! Learning graphs across silos against the instances of data/ppgl: exact solutions of (7), (8) and
//! (28) from an interior-point solver and Newton's method, trajectories of Algorithm 1 and the
//! methods beside it from a plain re-implementation.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

use netfed::Event;
use netfed::learning::{
    Algorithm1, Candidates, Exact, GraphMethod, LocalWork, LogDegree, Model, Silos,
    algorithm1_with, run_graph_method,
};
use netfed::{Matrix, Options, Solver, Start, Status, solve, solve_from};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

struct Instance {
    folder: PathBuf,
    meta: serde_json::Value,
}

impl Instance {
    fn new(name: &str) -> Instance {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/ppgl").join(name);
        let meta = std::fs::read_to_string(folder.join("meta.json")).unwrap();
        Instance { folder, meta: serde_json::from_str(&meta).unwrap() }
    }

    fn read(&self, name: &str) -> Matrix {
        let plain = self.folder.join(format!("{name}.csv"));
        let text = std::fs::read_to_string(&plain).unwrap_or_else(|_| {
            let packed = std::fs::File::open(plain.with_extension("csv.gz")).unwrap();
            let mut text = String::new();
            flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
            text
        });
        let cols = text.lines().next().unwrap().split(',').count();
        let cells = text.lines().flat_map(|line| line.split(','));
        Matrix::from_rows(cols, cells.map(|c| c.trim().parse().unwrap()).collect()).unwrap()
    }

    /// Numbers of a file, in whatever rows.
    fn list(&self, name: &str) -> Vec<f64> {
        self.read(name).as_slice().to_vec()
    }

    fn silos(&self, zeta: f64) -> Vec<LogDegree> {
        let number = |key: &str| self.meta[key].as_f64().unwrap();
        let candidates = Arc::new(Candidates::all(number("d") as usize).unwrap());
        let model = Model { alpha: number("alpha"), beta: number("beta"), zeta };
        (1..=number("I") as usize)
            .map(|i| {
                let signals = self.read(&format!("X_{i}"));
                LogDegree::new(Arc::clone(&candidates), &signals, model).unwrap()
            })
            .collect()
    }

    fn coupled(&self, case: usize, zeta: f64) -> Silos {
        let number = |key: &str| self.meta["ppgl"][case][key].as_f64().unwrap();
        Silos::new(self.silos(zeta), number("nu"), number("lam")).unwrap()
    }
}

fn instances() -> [Instance; 2] {
    ["a_d6_I3", "b_d20_I5"].map(Instance::new)
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The paper's settings.
fn published() -> Algorithm1 {
    Algorithm1 { work: LocalWork::published(), ..Algorithm1::default() }
}

#[test]
fn every_silo_alone_and_all_together() {
    for instance in instances() {
        let (silos, expected) = (instance.silos(0.0), instance.read("igl_W"));
        for (i, silo) in silos.iter().enumerate() {
            let learned = silo.solve();
            assert!(apart(&learned.weights, expected.row(i)) < 1e-9);
            let best = instance.meta["igl"]["objective"][i].as_f64().unwrap();
            assert!((learned.objective - best).abs() < 1e-11 * (1.0 + best.abs()));
            assert!(learned.gap < 1e-11 && learned.steps < 15, "{learned:?}");
        }
        let learned = LogDegree::pooled(&silos).unwrap().solve();
        assert!(apart(&learned.weights, &instance.list("global28_w")) < 1e-9);
        let best = instance.meta["global28"]["objective"].as_f64().unwrap();
        assert!((learned.objective - best).abs() < 1e-11 * (1.0 + best.abs()));
    }
}

#[test]
fn graphs_and_consensus() {
    for instance in instances() {
        for case in 0..2 {
            let silos = instance.coupled(case, 0.0);
            let found = Exact::default().solve(&silos);
            let graphs = &found.graphs;
            let best = instance.meta["ppgl"][case]["objective"].as_f64().unwrap();
            assert!(found.status == netfed::Status::Solved && !found.tied.contains(&true));
            assert!((graphs.objective - best).abs() < 1e-10 * best.abs());
            assert!(graphs.gap >= graphs.objective - best && graphs.gap < 1e-9);
            let locals = instance.read(&format!("ppgl_case{case}_W"));
            assert!(apart(graphs.locals.as_slice(), locals.as_slice()) < 1e-7);
            let consensus = instance.list(&format!("ppgl_case{case}_wcon"));
            assert!(apart(&graphs.consensus, &consensus) < 1e-7);
        }
    }
}

#[test]
fn netfeds_own_solver_gives_the_same() {
    let instance = Instance::new("a_d6_I3");
    let silos = instance.coupled(0, 0.0);
    let (problem, least) = silos.star().unwrap();
    let alone: Vec<Vec<f64>> = silos.silos().iter().map(|s| s.solve().weights).collect();
    let rows: Vec<f64> = alone.iter().chain([&alone[0]]).flatten().copied().collect();
    let pairs = silos.candidates().len();
    let start = Start {
        params: Matrix::from_rows(pairs, rows).unwrap(),
        duals: Matrix::zeros(problem.graph().edges().len(), pairs),
    };
    let options = Options {
        solver: Solver::PrimalDual,
        tolerance: 1e-9,
        step_ratio: 3.0,
        ..Options::default()
    };
    let found = solve_from(&problem, &options, start).unwrap();
    assert_eq!(found.status, Status::Solved);
    let best = instance.meta["ppgl"][0]["objective"].as_f64().unwrap();
    let objective = found.certificate.objective + least;
    assert!((objective - best).abs() < 1e-7, "{objective} {best}");
    assert!(found.certificate.gap >= objective - best - 1e-10);
    // From zero, where the logarithm is infinite, and by the method that suits.
    let found = solve(&problem, &Options::default()).unwrap();
    assert_eq!(found.status, Status::Solved);
    let objective = found.certificate.objective + least;
    assert!(found.certificate.relative_gap <= 1e-6 && objective - best < 1e-4, "{objective}");
}

#[test]
fn trajectories_of_algorithm_1() {
    for instance in instances() {
        for case in 0..2 {
            let silos = instance.coupled(case, 0.01);
            let history = instance.list(&format!("alg1_case{case}_objective"));
            let mut seen = Vec::new();
            let mut watch = |event: Event<'_>| {
                seen.push(silos.objective(event.models().unwrap(), event.common().unwrap()));
                ControlFlow::Continue(())
            };
            let (graphs, _) = algorithm1_with(&silos, &published(), &mut watch).unwrap();
            assert!(apart(&seen, &history) < 1e-9);
            let locals = instance.read(&format!("alg1_case{case}_W"));
            assert!(apart(graphs.locals.as_slice(), locals.as_slice()) < 1e-9);
            let consensus = instance.list(&format!("alg1_case{case}_wcon"));
            assert!(apart(&graphs.consensus, &consensus) < 1e-9);
            let exact = Exact::default().solve(&silos).graphs;
            let above = graphs.objective - exact.objective;
            assert!(above > 0.0 && graphs.gap >= above, "{above} {}", graphs.gap);
        }
    }
}

#[test]
fn trajectories_of_the_other_methods() {
    let work = published().work;
    for instance in instances() {
        let silos = instance.silos(0.01);
        for (method, name) in [
            (GraphMethod::FedAvg, "alg_fedavg"),
            (GraphMethod::FedProx(1.0), "alg_fedprox_mu1"),
            (GraphMethod::MrMtl(1.0), "alg_mrmtl_mu1"),
            (GraphMethod::Ditto(1.0), "alg_ditto_mu1"),
        ] {
            let found = run_graph_method(method, &silos, &work, 50, 0.1).unwrap();
            let expected = instance.list(name);
            let rows = expected.len() / silos[0].candidates().len();
            let first: Vec<f64> = (0..rows).flat_map(|i| found.row(i)).copied().collect();
            assert!(apart(&first, &expected) < 1e-9, "{name}");
        }
    }
}

#[test]
fn alone_means_alone() {
    let silos = Instance::new("b_d20_I5").silos(0.01);
    let work = LocalWork { steps: 12_000, ..LocalWork::default() };
    let found = run_graph_method(GraphMethod::Alone, &silos, &work, 1, 0.1).unwrap();
    for (i, silo) in silos.iter().enumerate() {
        assert!(apart(found.row(i), &silo.solve().weights) < 1e-6);
    }
}

/// The more coupling, the more silos have the graph of the consensus, in the end all of them.
#[test]
fn ties_are_exact() {
    for instance in instances() {
        let silos = instance.coupled(0, 0.0);
        let mut before = 0;
        for nu in [3.0, 10.0, 20.0, 100.0, 1e4] {
            let found = Exact::default().solve(&silos.with(nu, 0.1).unwrap());
            let tied = found.tied.iter().filter(|t| **t).count();
            assert!(
                found.status == netfed::Status::Solved && tied >= before,
                "{nu} {}",
                found.graphs.gap
            );
            for (i, tied) in found.tied.iter().enumerate() {
                assert_eq!(*tied, found.graphs.locals.row(i) == found.graphs.consensus);
            }
            before = tied;
        }
        assert_eq!(before, silos.silos().len());
        for (nu, lambda) in [(1.0, 3.0), (2.0, 1e5), (0.1, 1e-6)] {
            assert!(
                Exact::default().solve(&silos.with(nu, lambda).unwrap()).status
                    == netfed::Status::Solved
            );
        }
    }
}

/// Where all silos have one graph, (8) is I times (7) with the mean of their distances and λ/I
/// more: ties against another solver.
#[test]
fn silos_that_are_all_tied_are_one_holder() {
    for instance in instances() {
        let silos = instance.coupled(0, 0.0);
        let (all, lambda) = (silos.silos(), 0.1);
        let found = Exact::default().solve(&silos.with(1e4, lambda).unwrap());
        assert!(found.status == netfed::Status::Solved && !found.tied.contains(&false));
        let count = all.len() as f64;
        let sum = |e: usize| all.iter().map(|one| one.distances()[e]).sum::<f64>();
        let mean = (0..silos.candidates().len()).map(|e| (sum(e) + lambda) / count).collect();
        let candidates = Arc::clone(silos.candidates());
        let one = LogDegree::of_distances(candidates, mean, 1, all[0].model()).unwrap().solve();
        assert!(apart(&found.graphs.consensus, &one.weights) < 1e-9);
        let best = count * one.objective;
        assert!((found.graphs.objective - best).abs() < 1e-11 * (1.0 + best.abs()));
    }
}
