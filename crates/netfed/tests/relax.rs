//! FedRelax: fixed points, minimizers and iterates against references, models of any kind against linear algebra.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use netfed::generate::{
    self, Noise, linear_data, mixture_counts, mixture_graph, stochastic_block_model,
};
use netfed::loss::Loss;
use netfed::model::{Linear, LinearOptions, LocalModel, ModelKind, Task};
use netfed::penalty::{Penalty, Quadratic, Squared};
use netfed::relax::{
    Coupling, Examples, FedRelax, LocalUpdate, Neighbor, RelaxNode, RelaxOptions, RelaxSettings,
    RelaxStatus, RelaxWeights, Relaxation, Relaxed, Sides, Sweep, relax,
};
use netfed::{Dataset, Graph, LossKind, Matrix, Options, Problem, solve};
use std::ops::ControlFlow;
use std::sync::Arc;

/// All numbers of a file of `data/fedrelax`.
fn numbers(name: &str) -> Vec<f64> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/fedrelax");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    text.split(['\n', ',']).filter(|c| !c.is_empty()).map(|c| c.trim().parse().unwrap()).collect()
}

fn matrix(name: &str, cols: usize) -> Matrix {
    Matrix::from_rows(cols, numbers(name)).unwrap()
}

fn graph(weights: &[f64]) -> Graph {
    let n = weights.len().isqrt();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let edges: Vec<_> =
        pairs.map(|(i, j)| (i, j, weights[i * n + j])).filter(|e| e.2 != 0.0).collect();
    Graph::new(n, &edges).unwrap()
}

/// An instance: graph, data, public points, start.
struct Instance {
    graph: Graph,
    data: Vec<Dataset>,
    start: Matrix,
    folder: &'static str,
}

impl Instance {
    fn new(folder: &'static str, dim: usize) -> Instance {
        let file = |name: &str| numbers(&format!("{folder}/{name}"));
        let graph = graph(&file("A.csv"));
        let (x, y) = (file("X.csv"), file("y.csv"));
        let m = y.len() / graph.nodes();
        let node = |i: usize| {
            let x = x[i * m * dim..(i + 1) * m * dim].to_vec();
            Dataset::new(dim, x, y[i * m..(i + 1) * m].to_vec()).unwrap()
        };
        let data = (0..graph.nodes()).map(node).collect();
        Instance { data, start: matrix(&format!("{folder}/w0.csv"), dim), graph, folder }
    }

    fn dim(&self) -> usize {
        self.start.cols()
    }

    fn losses(&self, kind: LossKind) -> Vec<Box<dyn Loss>> {
        self.data.iter().map(|d| kind.build(d.clone(), 0.0, 0.0).unwrap()).collect()
    }

    fn public(&self) -> Matrix {
        matrix(&format!("{}/P.csv", self.folder), self.dim())
    }

    fn private(&self) -> Vec<Matrix> {
        let (all, n, d) = (self.public(), self.graph.nodes(), self.dim());
        let size = all.as_slice().len() / n;
        all.as_slice().chunks(size).map(|p| Matrix::from_rows(d, p.to_vec()).unwrap()).collect()
    }

    fn problem(&self, alpha: f64, coupling: &Coupling, sides: Sides) -> Relaxation {
        let losses = self.losses(LossKind::Squared);
        Relaxation::new(self.graph.clone(), losses, alpha, coupling, sides).unwrap()
    }

    fn expect(&self, name: &str) -> Matrix {
        matrix(&format!("{}/{name}.csv", self.folder), self.dim())
    }
}

fn shared() -> Instance {
    Instance::new("linear_shared_public_set", 3)
}

fn divergent() -> Instance {
    Instance::new("linear_divergent_jacobi", 2)
}

fn run(problem: &Relaxation, start: &Matrix, options: RelaxOptions) -> Relaxed {
    relax(problem, start, &options, |_| ControlFlow::Continue(())).unwrap()
}

fn rounds(max_rounds: u64, sweep: Sweep, update: LocalUpdate) -> RelaxOptions {
    RelaxOptions { max_rounds, sweep, update, tolerance: 0.0 }
}

fn to_the_end(sweep: Sweep) -> RelaxOptions {
    RelaxOptions { sweep, tolerance: 1e-13, ..RelaxOptions::default() }
}

fn off(a: &Matrix, b: &Matrix) -> f64 {
    a.as_slice().iter().zip(b.as_slice()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

const SWEEPS: [Sweep; 3] = [Sweep::Simultaneous, Sweep::Colored, Sweep::Sequential];
const ALPHAS: [(f64, &str); 3] = [(0.01, "0.01"), (0.05, "0.05"), (1.0, "1")];

#[test]
fn common_points_fixed_points_and_minimizers() {
    let instance = shared();
    let coupling = Coupling::Common(instance.public());
    for (alpha, name) in ALPHAS {
        let fixed = instance.expect(&format!("fix16_a{name}"));
        let minimizer = instance.expect(&format!("min15_a{name}"));
        for sweep in SWEEPS {
            for (factor, sides, expected) in [
                (1.0, Sides::Theirs, &fixed),
                (1.0, Sides::Both, &minimizer),
                // The fixed point of (16) with 2α is the minimizer of (15) with α.
                (2.0, Sides::Theirs, &minimizer),
            ] {
                let problem = instance.problem(factor * alpha, &coupling, sides);
                let found = run(&problem, &instance.start, to_the_end(sweep));
                assert_eq!((found.status, found.damping), (RelaxStatus::Converged, 1.0));
                let off = off(&found.params, expected);
                assert!(off < 1e-9, "α {name} {sweep:?} {sides:?}: {off}");
            }
        }
    }
}

#[test]
fn the_fixed_point_is_the_optimum_of_gtv_minimization() {
    // δ is the quadratic penalty with 2Q, and by parameters the squared one: the core's solver must agree.
    let instance = shared();
    let points = instance.public();
    let mut twice = vec![0.0; 9];
    for r in 0..points.rows() {
        let x = points.row(r);
        (0..9).for_each(|k| twice[k] += 2.0 * x[k / 3] * x[k % 3] / points.rows() as f64);
    }
    let quadratic = Quadratic::new(3, &twice).unwrap();
    let cases: [(Coupling, Box<dyn Penalty>); 2] = [
        (Coupling::Common(points), Box::new(quadratic)),
        (Coupling::Parameters, Box::new(Squared)),
    ];
    for (coupling, penalty) in cases {
        let problem = instance.problem(0.3, &coupling, Sides::Theirs);
        let found = run(&problem, &instance.start, to_the_end(Sweep::Colored));
        let losses = instance.losses(LossKind::Squared);
        let gtv = Problem::new(instance.graph.clone(), losses, penalty, 0.3).unwrap();
        let options = Options { tolerance: 1e-12, ..Options::default() };
        let solution = solve(&gtv, &options, |_| ControlFlow::Continue(())).unwrap();
        assert!(off(&found.params, &solution.params) < 1e-5);
        let objective = problem.objective(&found.params).unwrap();
        assert!((objective - gtv.objective(&found.params)).abs() < 1e-12);
        assert!(objective <= solution.certificate.objective + 1e-12);
        assert!(objective >= solution.certificate.dual_bound() - 1e-12);
    }
}

#[test]
fn other_smooth_losses_reach_the_optimum_too() {
    let mut instance = shared();
    for data in &mut instance.data {
        let classes = data.labels().iter().map(|y| if *y > 0.3 { 1.0 } else { -1.0 }).collect();
        *data = Dataset::new(3, data.features().to_vec(), classes).unwrap();
    }
    for kind in [LossKind::Logistic, LossKind::Huber { delta: 0.3 }] {
        let common = Coupling::Common(instance.public());
        let build = |coupling: &Coupling| {
            let (graph, losses) = (instance.graph.clone(), instance.losses(kind));
            Relaxation::new(graph, losses, 0.4, coupling, Sides::Theirs).unwrap()
        };
        let found = run(&build(&common), &instance.start, to_the_end(Sweep::Sequential));
        assert_eq!(found.status, RelaxStatus::Converged, "{kind:?}");
        // Where the objective has its minimum, no small step lowers it.
        let problem = build(&common);
        let here = problem.objective(&found.params).unwrap();
        for k in 0..36 {
            for step in [1e-4, -1e-4] {
                let mut moved = found.params.clone();
                moved.as_mut_slice()[k] += step;
                assert!(problem.objective(&moved).unwrap() >= here - 1e-13, "{kind:?} {k}");
            }
        }
        let by_parameters =
            run(&build(&Coupling::Parameters), &instance.start, to_the_end(Sweep::Colored));
        let (graph, losses) = (instance.graph.clone(), instance.losses(kind));
        let gtv = Problem::new(graph, losses, Box::new(Squared), 0.4).unwrap();
        let options = Options { tolerance: 1e-11, ..Options::default() };
        let solution = solve(&gtv, &options, |_| ControlFlow::Continue(())).unwrap();
        assert!(off(&by_parameters.params, &solution.params) < 1e-4, "{kind:?}");
    }
    let hinge = instance.losses(LossKind::Hinge);
    let common = Coupling::Common(instance.public());
    assert!(Relaxation::new(instance.graph.clone(), hinge, 0.4, &common, Sides::Theirs).is_err());
    let hinge = instance.losses(LossKind::Hinge);
    let by_parameters = Coupling::Parameters;
    let problem =
        Relaxation::new(instance.graph.clone(), hinge, 0.4, &by_parameters, Sides::Theirs).unwrap();
    let found = run(&problem, &instance.start, rounds(50, Sweep::Colored, LocalUpdate::Exact));
    let start = problem.objective(&instance.start).unwrap();
    assert!(problem.objective(&found.params).unwrap() < 0.8 * start);
}

#[test]
fn iterates_are_the_reference_iterates() {
    let instance = shared();
    let coupling = Coupling::Common(instance.public());
    for (alpha, name) in ALPHAS {
        let problem = instance.problem(alpha, &coupling, Sides::Theirs);
        for k in [1, 3] {
            let options = rounds(k, Sweep::Simultaneous, LocalUpdate::Exact);
            let found = run(&problem, &instance.start, options);
            let expected = instance.expect(&format!("jacobi_k{k}_a{name}"));
            assert!(off(&found.params, &expected) < 1e-10, "{k} {name}");
        }
        let steps = |k: u64| {
            let options = rounds(k, Sweep::Simultaneous, LocalUpdate::RmsProp { rate: 0.01 });
            let found = run(&problem, &instance.start, options).params;
            (found, instance.expect(&format!("rms_k{k}_a{name}")))
        };
        for k in [1, 2, 10] {
            let (found, expected) = steps(k);
            assert!(off(&found, &expected) < 1e-10, "{k} {name}");
        }
        // After 500 rounds RMSprop jumps to and fro around the fixed point, its steps have a least length; rounding decides on which side it
        // is. Its distance is nearly the same on both.
        let ((found, expected), fixed) = (steps(500), instance.expect(&format!("fix16_a{name}")));
        let (ours, theirs) = (off(&found, &fixed), off(&expected, &fixed));
        assert!((ours / theirs - 1.0).abs() < 0.05, "{name}: {ours} {theirs}");
    }
}

#[test]
fn divergence_is_seen_and_cured() {
    let instance = divergent();
    let coupling = Coupling::Private(instance.private());
    let problem = instance.problem(1.0, &coupling, Sides::Theirs);
    // As published, the first ten rounds go astray.
    let options = rounds(10, Sweep::Simultaneous, LocalUpdate::Exact);
    let astray = run(&problem, &instance.start, options);
    assert!(off(&astray.params, &instance.expect("jacobi_k10")) < 1e-9);
    let fixed = instance.expect("fix16");
    assert!(off(&astray.params, &fixed) > 0.5);
    // Left alone it blows up; here it is damped, and the answer says so.
    let cured = run(&problem, &instance.start, to_the_end(Sweep::Simultaneous));
    assert_eq!(cured.status, RelaxStatus::Converged, "{cured:?}");
    assert!(cured.damping < 1.0 && cured.residual < 1e-12, "{cured:?}");
    assert!(off(&cured.params, &fixed) < 1e-9, "{}", off(&cured.params, &fixed));
    // One after the other converges as it is.
    for (k, name) in [(10, "gauss_seidel_k10"), (100, "gauss_seidel_k100")] {
        let options = rounds(k, Sweep::Sequential, LocalUpdate::Exact);
        let found = run(&problem, &instance.start, options);
        assert!(off(&found.params, &instance.expect(name)) < 1e-9, "{name}");
        assert_eq!(found.damping, 1.0);
    }
    // What minimizes (15) is another point, and every sweep finds it.
    let problem = instance.problem(1.0, &coupling, Sides::Both);
    for sweep in SWEEPS {
        let found = run(&problem, &instance.start, to_the_end(sweep));
        assert!(off(&found.params, &instance.expect("min15")) < 1e-9, "{sweep:?}");
    }
    assert!(off(&fixed, &instance.expect("min15")) > 0.1);
}

#[test]
fn an_oscillation_is_damped_as_well() {
    // Two nodes without data copy each other forever; the mean of both is a fixed point.
    let losses: Vec<Box<dyn Loss>> =
        (0..2).map(|_| LossKind::Squared.build(Dataset::empty(1), 0.0, 0.0).unwrap()).collect();
    let graph = Graph::new(2, &[(0, 1, 1.0)]).unwrap();
    let points = Matrix::from_rows(1, vec![1.0, -2.0]).unwrap();
    let problem =
        Relaxation::new(graph, losses, 1.0, &Coupling::Common(points), Sides::Theirs).unwrap();
    let start = Matrix::from_rows(1, vec![1.0, -1.0]).unwrap();
    let found = run(&problem, &start, RelaxOptions::default());
    assert_eq!((found.status, found.damping), (RelaxStatus::Converged, 0.5));
    assert!(found.params.as_slice().iter().all(|w| w.abs() < 1e-9));
}

#[test]
fn small_and_empty_problems() {
    let one = |points: usize| {
        let data = Dataset::new(2, [1.0, 2.0].repeat(points), vec![5.0; points]).unwrap();
        LossKind::Squared.build(data, 0.0, 0.0).unwrap()
    };
    let points = Matrix::from_rows(2, vec![1.0, 0.0]).unwrap();
    for coupling in [Coupling::Parameters, Coupling::Common(points)] {
        // A node alone, with fewer points than parameters, moves to the nearest model that fits.
        let graph = Graph::new(1, &[]).unwrap();
        let problem = Relaxation::new(graph, vec![one(1)], 1.0, &coupling, Sides::Theirs).unwrap();
        let found = run(&problem, &Matrix::zeros(1, 2), RelaxOptions::default());
        assert!((found.params.row(0)[0] - 1.0).abs() < 1e-12);
        assert!((found.params.row(0)[1] - 2.0).abs() < 1e-12);
        // A node without data follows its neighbor; one out of reach stays.
        let graph = Graph::new(3, &[(0, 1, 2.0)]).unwrap();
        let losses = vec![one(1), one(0), one(0)];
        let problem = Relaxation::new(graph, losses, 1.0, &coupling, Sides::Theirs).unwrap();
        let found = run(&problem, &Matrix::zeros(3, 2), RelaxOptions::default());
        assert_eq!(found.status, RelaxStatus::Converged);
        assert!((found.params.row(1)[0] - found.params.row(0)[0]).abs() < 1e-8);
        assert_eq!(found.params.row(2), [0.0, 0.0]);
        assert!(problem.variation(&[0, 1, 2], &found.params, &[0.0, 0.0]).unwrap().is_none());
    }
    let graph = || Graph::new(1, &[]).unwrap();
    let bad = [Matrix::zeros(0, 2), Matrix::zeros(1, 3)];
    for points in bad {
        let coupling = Coupling::Common(points);
        assert!(Relaxation::new(graph(), vec![one(1)], 1.0, &coupling, Sides::Theirs).is_err());
    }
    for alpha in [-1.0, f64::NAN, f64::INFINITY] {
        let none = Coupling::Parameters;
        assert!(Relaxation::new(graph(), vec![one(1)], alpha, &none, Sides::Theirs).is_err());
    }
}

#[test]
fn mixtures_are_the_reference_mixtures() {
    let ratios = matrix("noniid_weights/rho.csv", 3);
    let counts = numbers("noniid_weights/counts_m10.csv");
    for i in 0..10 {
        let own: Vec<f64> =
            mixture_counts(ratios.row(i), 10).into_iter().map(|c| c as f64).collect();
        assert_eq!(own, counts[3 * i..3 * i + 3]);
    }
    let weights = numbers("noniid_weights/A.csv");
    let graph = mixture_graph(&ratios).unwrap();
    assert_eq!(graph.edges().len(), 45);
    for e in graph.edges() {
        assert!((e.weight - weights[10 * e.tail + e.head]).abs() < 1e-14);
    }
}

#[test]
fn the_variation_stays_below_its_bounds() {
    for (alpha, noise) in [(0.01, 0.1), (0.1, 1.0), (1.0, 1.0)] {
        let graph = stochastic_block_model(&[20], 0.5, 0.0, 5).unwrap();
        let truth = Matrix::from_rows(3, [1.0, -2.0, 0.5].repeat(20)).unwrap();
        let data = linear_data(&truth, 5, Noise::PerPoint(noise), 6).unwrap();
        let draw = |seed| generate::normal_centers(40, 3, 1.0, seed).unwrap();
        let private = Coupling::Private((0..20).map(|i| draw(100 + i)).collect());
        for coupling in [Coupling::Parameters, Coupling::Common(draw(7)), private] {
            for sides in [Sides::Theirs, Sides::Both] {
                let losses =
                    data.iter().map(|d| LossKind::Squared.build(d.clone(), 0.0, 0.0).unwrap());
                let problem =
                    Relaxation::new(graph.clone(), losses.collect(), alpha, &coupling, sides)
                        .unwrap();
                let found = run(&problem, &Matrix::zeros(20, 3), to_the_end(Sweep::Colored));
                let nodes: Vec<usize> = (0..20).collect();
                let v = problem.variation(&nodes, &found.params, truth.row(0)).unwrap().unwrap();
                let noise: f64 = (0..20).map(|i| problem.loss(i).value(truth.row(0))).sum();
                assert!((v.loss - noise).abs() < 1e-12 && v.found > 0.0);
                assert!((v.printed * alpha * v.connectivity - v.loss).abs() < 1e-9);
                assert_eq!(
                    v.proven.is_none(),
                    sides == Sides::Theirs && matches!(coupling, Coupling::Private(_))
                );
                assert!(v.found <= v.proven.unwrap_or(f64::INFINITY), "{v:?}");
                assert!(v.found <= v.printed, "{v:?}");
            }
        }
    }
}

fn linear(task: Task, dim: usize, ridge: f64, lasso: f64, intercept: bool) -> Linear {
    Linear::new(LinearOptions { ridge, lasso, intercept }, task, dim)
}

/// Nodes of Algorithm 1 with linear models without a constant.
fn nodes(instance: &Instance, sets: &[Arc<Matrix>], alpha: f64) -> Vec<RelaxNode> {
    let d = instance.dim();
    let node = |i: usize| {
        let data = &instance.data[i];
        let examples = Examples {
            points: Matrix::from_rows(d, data.features().to_vec()).unwrap(),
            targets: Matrix::from_rows(1, data.labels().to_vec()).unwrap(),
        };
        let incident = instance.graph.incident(i).iter();
        let neighbors: Vec<Neighbor> = incident
            .map(|inc| Neighbor {
                weight: instance.graph.edges()[inc.edge()].weight,
                public: Arc::clone(&sets[inc.neighbor()]),
            })
            .collect();
        let model = linear(Task::Regression, d, 0.0, 0.0, false);
        let weights = RelaxWeights::Objective;
        let held = Some(Arc::clone(&sets[i]));
        let settings = RelaxSettings { alpha, weights, held };
        RelaxNode::new(Box::new(model), examples, Arc::clone(&sets[i]), &neighbors, settings)
            .unwrap()
    };
    (0..instance.graph.nodes()).map(node).collect()
}

fn linear_params(nodes: &[RelaxNode], dim: usize) -> Matrix {
    let values = nodes.iter().flat_map(|n| n.model().parts()[0].values[..dim].to_vec());
    Matrix::from_rows(dim, values.collect()).unwrap()
}

#[test]
fn algorithm_1_with_linear_models_is_algorithm_2() {
    // From the local models, round by round, with common and with private points.
    let (common, private) = (shared(), divergent());
    let everyone = Arc::new(common.public());
    let sets: Vec<Arc<Matrix>> = private.private().into_iter().map(Arc::new).collect();
    let common_sets = vec![everyone; common.graph.nodes()];
    let cases = [
        (&common, &common_sets, Coupling::Common(common.public())),
        (&private, &sets, Coupling::Private(private.private())),
    ];
    for (instance, sets, coupling) in cases {
        let mut network = FedRelax::new(&instance.graph, nodes(instance, sets, 0.7)).unwrap();
        let problem = instance.problem(0.7, &coupling, Sides::Theirs);
        assert_eq!(network.round().unwrap().round, 0);
        let start = linear_params(network.nodes(), instance.dim());
        for k in 1..=6 {
            network.round().unwrap();
            let options = rounds(k, Sweep::Simultaneous, LocalUpdate::Exact);
            let expected = run(&problem, &start, options).params;
            let found = linear_params(network.nodes(), instance.dim());
            assert!(off(&found, &expected) < 1e-9, "{k}: {}", off(&found, &expected));
        }
    }
}

/// One round of Algorithm 1 with trees, weighted as published, against scikit-learn: no splits tie with a quarter of the weight in each leaf.
#[test]
fn a_round_with_trees_is_the_reference_round() {
    let file = |name: &str| numbers(&format!("tree_one_round/{name}.csv"));
    let graph = graph(&file("A"));
    let rows = |values: &[f64], i: usize, count: usize| {
        Matrix::from_rows(3, values[3 * i * count..3 * (i + 1) * count].to_vec()).unwrap()
    };
    let (x, y, p, z, xv, yv) = (file("X"), file("y"), file("P"), file("Z"), file("Xv"), file("yv"));
    let kind: ModelKind = "tree depth=5 leaf=0.25".parse().unwrap();
    let sets: Vec<Arc<Matrix>> = (0..8).map(|i| Arc::new(rows(&p, i, 30))).collect();
    let node = |i: usize| {
        let targets = Matrix::from_rows(1, y[10 * i..10 * (i + 1)].to_vec()).unwrap();
        let own = Examples { points: rows(&x, i, 10), targets };
        let edge = |inc: &netfed::Incidence| Neighbor {
            weight: graph.edges()[inc.edge()].weight,
            public: Arc::clone(&sets[inc.neighbor()]),
        };
        let neighbors: Vec<Neighbor> = graph.incident(i).iter().map(edge).collect();
        let (weights, held) = (RelaxWeights::Published, Some(Arc::new(rows(&z, i, 100))));
        let settings = RelaxSettings { alpha: 0.05, weights, held };
        let model = kind.build(Task::Regression, 3, 0);
        RelaxNode::new(model, own, Arc::clone(&sets[i]), &neighbors, settings).unwrap()
    };
    let mut network = FedRelax::new(&graph, (0..8).map(node).collect()).unwrap();
    let meta = include_str!("../../../data/fedrelax/tree_one_round/meta.json");
    let meta: serde_json::Value = serde_json::from_str(meta).unwrap();
    for name in ["round0", "text_selfone"] {
        network.fit().unwrap();
        let mut sum = 0.0;
        for (i, node) in network.nodes().iter().enumerate() {
            let mut out = Matrix::zeros(50, 1);
            node.model().predict(&rows(&xv, i, 50), &mut out);
            let pairs = out.as_slice().iter().zip(&yv[50 * i..]);
            sum += pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        }
        let expected = meta["mse_val_quarter"][name].as_f64().unwrap();
        assert!((sum / 400.0 / expected - 1.0).abs() < 1e-6, "{name}: {} {expected}", sum / 400.0);
    }
}

#[test]
fn rounds_do_not_depend_on_threads_and_can_be_driven_by_hand() {
    let instance = shared();
    let everyone = Arc::new(instance.public());
    let sets = vec![everyone; instance.graph.nodes()];
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut network = FedRelax::new(&instance.graph, nodes(&instance, &sets, 0.3)).unwrap();
            (0..5).for_each(|_| _ = network.round().unwrap());
            linear_params(network.nodes(), 3)
        })
    };
    let expected = run(1);
    assert_eq!(run(3), expected);
    // A driver of another kind, last node first.
    let mut halves = nodes(&instance, &sets, 0.3);
    halves.iter_mut().rev().for_each(|n| n.compute().unwrap());
    for _ in 0..4 {
        let said: Vec<Vec<f64>> = halves.iter().map(|n| n.message().to_vec()).collect();
        for i in (0..halves.len()).rev() {
            assert_eq!(said[i].len(), halves[i].message_len());
            for (slot, inc) in instance.graph.incident(i).iter().enumerate() {
                halves[i].absorb(slot, &said[inc.neighbor()]).unwrap();
            }
            halves[i].compute().unwrap();
        }
    }
    assert_eq!(linear_params(&halves, 3), expected);
    assert!(halves[0].absorb(0, &[1.0]).is_err());
    assert!(halves[0].absorb(0, &[f64::NAN; 20]).is_err());
    assert!(halves[0].absorb(0, &[]).is_ok());
}

#[test]
fn nodes_without_data_learn_from_those_that_have_some() {
    // A chain of three: only the first has data. The second hears of it in round 1, the third in round 2.
    let graph = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let public = Arc::new(Matrix::from_rows(1, vec![-1.0, 0.5, 2.0]).unwrap());
    let node = |i: usize| {
        let own = usize::from(i == 0);
        let examples = Examples {
            points: Matrix::from_rows(1, [2.0].repeat(own)).unwrap(),
            targets: Matrix::from_rows(1, [6.0].repeat(own)).unwrap(),
        };
        let incident = graph.incident(i).iter();
        let neighbors: Vec<Neighbor> =
            incident.map(|_| Neighbor { weight: 1.0, public: Arc::clone(&public) }).collect();
        let settings = RelaxSettings { alpha: 1.0, weights: RelaxWeights::Objective, held: None };
        let model = Box::new(linear(Task::Regression, 1, 0.0, 0.0, false));
        RelaxNode::new(model, examples, Arc::clone(&public), &neighbors, settings).unwrap()
    };
    let mut network = FedRelax::new(&graph, (0..3).map(node).collect()).unwrap();
    network.round().unwrap();
    assert!(!network.nodes()[0].message().is_empty() && network.nodes()[1].message().is_empty());
    network.round().unwrap();
    assert!(network.nodes()[2].message().is_empty());
    let last = (0..2).map(|_| network.round().unwrap()).last().unwrap();
    assert!(last.variation < 1e-20, "{last:?}");
    let params = linear_params(network.nodes(), 1);
    assert!(params.as_slice().iter().all(|w| (w - 3.0).abs() < 1e-12), "{params:?}");
}

#[test]
fn linear_classifiers_take_soft_targets() {
    let points = Matrix::from_rows(1, vec![-2.0, -1.0, 0.0, 1.0, 2.0]).unwrap();
    let truth = |x: f64| {
        let z: Vec<f64> = [0.3 * x, 1.0 - x, -0.5].map(f64::exp).to_vec();
        let sum: f64 = z.iter().sum();
        z.into_iter().map(move |v| v / sum)
    };
    let soft: Vec<f64> = points.as_slice().iter().flat_map(|x| truth(*x)).collect();
    let targets = Matrix::from_rows(3, soft).unwrap();
    let mut model = linear(Task::Classification(3), 1, 0.0, 0.0, true);
    let mut out = Matrix::zeros(5, 3);
    model.predict(&points, &mut out);
    assert!(out.as_slice().iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-15));
    let weights = [1.0, 2.0, 0.5, 1.0, 3.0];
    model.fit(&netfed::model::Points::new(points.clone()), &targets, &weights).unwrap();
    model.predict(&points, &mut out);
    assert!(off(&out, &targets) < 1e-8, "{out:?}");
    let mut again = linear(Task::Classification(3), 1, 0.0, 0.0, true);
    again.restore(&model.parts()).unwrap();
    let mut same = Matrix::zeros(5, 3);
    again.predict(&points, &mut same);
    assert_eq!(same, out);
    let mut other = linear(Task::Regression, 1, 0.0, 0.0, true);
    assert!(other.restore(&model.parts()).is_err() && other.restore(&[]).is_err());
    let mut lasso = linear(Task::Classification(3), 1, 0.0, 0.1, true);
    let points = netfed::model::Points::new(points);
    assert!(lasso.fit(&points, &targets, &weights).is_err());
}

#[test]
fn linear_regression_with_weights_ridge_and_lasso() {
    let points = Matrix::from_rows(2, vec![1.0, 0.5, 2.0, -1.0, 0.3, 2.0, 1.0, 1.0]).unwrap();
    let targets = Matrix::from_rows(1, vec![2.0, 3.5, 0.5, 1.0]).unwrap();
    let theta = [0.5, 1.5, 0.0, 2.0];
    let fit = |ridge: f64, lasso: f64| {
        let mut model = linear(Task::Regression, 2, ridge, lasso, true);
        let points = netfed::model::Points::new(points.clone());
        model.fit(&points, &targets, &theta).unwrap();
        model.weights().row(0).to_vec()
    };
    let value = |w: &[f64], ridge: f64, lasso: f64| {
        let error = |r: usize| {
            let x = points.row(r);
            theta[r] * (targets.row(r)[0] - w[0] * x[0] - w[1] * x[1] - w[2]).powi(2)
        };
        let norms = ridge * (w[0] * w[0] + w[1] * w[1]) + lasso * (w[0].abs() + w[1].abs());
        (0..4).map(error).sum::<f64>() + norms
    };
    for (ridge, lasso) in [(0.0, 0.0), (0.7, 0.0), (0.0, 0.4), (0.2, 3.0)] {
        let w = fit(ridge, lasso);
        let least = value(&w, ridge, lasso);
        for k in 0..3 {
            for step in [1e-4, -1e-4] {
                let mut moved = w.clone();
                moved[k] += step;
                assert!(value(&moved, ridge, lasso) >= least - 1e-13, "{ridge} {lasso} {w:?}");
            }
        }
    }
    assert_eq!(fit(0.0, 100.0)[..2], [0.0, 0.0]);
}
