//! FedRelax with models of any kind: Algorithm 1 against linear algebra and scikit-learn, its
//! drivers, nodes without data.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod fedrelax;

use fedrelax::{Instance, divergent, graph, numbers, off, rounds, run, shared};
use netfed::model::{LinearOptions, ModelKind, Task};
use netfed::relax::linear::{Coupling, LocalUpdate, RelaxOptions, Sides, Sweep};
use netfed::relax::{Examples, FedRelax, Neighbor, RelaxNode, RelaxSettings, RelaxWeights};
use netfed::{Graph, Matrix};
use std::sync::Arc;

/// A linear model without a constant.
const LINE: ModelKind =
    ModelKind::Linear(LinearOptions { ridge: 0.0, lasso: 0.0, intercept: false });

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
        let model = LINE.build(Task::Regression, d, 0);
        let weights = RelaxWeights::Objective;
        let held = Some(Arc::clone(&sets[i]));
        let settings = RelaxSettings { alpha, weights, held };
        RelaxNode::new(model, examples, Arc::clone(&sets[i]), &neighbors, settings).unwrap()
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
    for (case, (instance, sets, coupling)) in cases.into_iter().enumerate() {
        let mut network = FedRelax::new(&instance.graph, nodes(instance, sets, 0.7)).unwrap();
        let problem = instance.problem(0.7, &coupling, Sides::Theirs);
        assert_eq!(network.round().unwrap().round, 0);
        let start = linear_params(network.nodes(), instance.dim());
        // With private points the rounds diverge, and Algorithm 1 damps them from round 4 on.
        for k in 1..=[6, 3][case] {
            network.round().unwrap();
            let options = rounds(k, Sweep::Simultaneous, LocalUpdate::Exact);
            let expected = run(&problem, &start, options).params;
            let found = linear_params(network.nodes(), instance.dim());
            assert!(off(&found, &expected) < 1e-9, "{k}: {}", off(&found, &expected));
        }
        // Both end at the same fixed point.
        (0..2000).for_each(|_| _ = network.fit().unwrap());
        let options = RelaxOptions { max_rounds: 100_000, tolerance: 1e-13, ..Default::default() };
        let expected = run(&problem, &start, options).params;
        let found = linear_params(network.nodes(), instance.dim());
        assert!(off(&found, &expected) < 1e-8, "{case}: {}", off(&found, &expected));
        assert_eq!(network.nodes().iter().any(|n| n.damping() < 1.0), case == 1);
    }
}

/// One round of Algorithm 1 with trees, weighted as published, against scikit-learn: no splits tie
/// with a quarter of the weight in each leaf.
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
    drive(&instance, &sets, 0.3, false);
    let instance = divergent();
    let sets: Vec<Arc<Matrix>> = instance.private().into_iter().map(Arc::new).collect();
    drive(&instance, &sets, 0.7, true);
}

fn drive(instance: &Instance, sets: &[Arc<Matrix>], alpha: f64, damped: bool) {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut network = FedRelax::new(&instance.graph, nodes(instance, sets, alpha)).unwrap();
            (0..7).for_each(|_| _ = network.round().unwrap());
            linear_params(network.nodes(), instance.dim())
        })
    };
    let expected = run(1);
    assert_eq!(run(3), expected);
    // A driver of another kind, last node first.
    let mut halves = nodes(instance, sets, alpha);
    halves.iter_mut().rev().for_each(|n| n.compute().unwrap());
    for _ in 0..6 {
        let said: Vec<Vec<f64>> = halves.iter().map(|n| n.message().to_vec()).collect();
        for i in (0..halves.len()).rev() {
            assert_eq!(said[i].len(), halves[i].message_len());
            for (slot, inc) in instance.graph.incident(i).iter().enumerate() {
                halves[i].absorb(slot, &said[inc.neighbor()]).unwrap();
            }
            halves[i].compute().unwrap();
        }
    }
    assert_eq!(linear_params(&halves, instance.dim()), expected);
    assert_eq!(halves.iter().any(|n| n.damping() < 1.0), damped);
    assert!(halves[0].absorb(0, &[1.0]).is_err());
    assert!(halves[0].absorb(0, &[f64::NAN; 20]).is_err());
    assert!(halves[0].absorb(0, &[]).is_ok());
}

#[test]
fn nodes_without_data_learn_from_those_that_have_some() {
    // A chain of three: only the first has data. The second hears of it in round 1, the third in
    // round 2.
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
        let model = LINE.build(Task::Regression, 1, 0);
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
fn predictions_that_swing_are_damped_to_the_fixed_point() {
    // y = x and y = −x: without damping both nodes take over what the other said, round after
    // round.
    let graph = Graph::new(2, &[(0, 1, 1.0)]).unwrap();
    let x: Vec<f64> = (0..9).map(|k| 0.25 * f64::from(k) - 1.0).collect();
    let public = Arc::new(Matrix::from_rows(1, x.clone()).unwrap());
    for alpha in [10.0, 1000.0, 1e6] {
        let node = |sign: f64| {
            let targets = Matrix::from_rows(1, x.iter().map(|x| sign * x).collect()).unwrap();
            let own = Examples { points: (*public).clone(), targets };
            let neighbor = Neighbor { weight: 1.0, public: Arc::clone(&public) };
            let model = "linear".parse::<ModelKind>().unwrap().build(Task::Regression, 1, 0);
            let settings = RelaxSettings { alpha, weights: RelaxWeights::Objective, held: None };
            RelaxNode::new(model, own, Arc::clone(&public), &[neighbor], settings).unwrap()
        };
        let mut network = FedRelax::new(&graph, vec![node(1.0), node(-1.0)]).unwrap();
        (0..20).for_each(|_| _ = network.round().unwrap());
        // w − y + α(w + w) = 0
        for (node, sign) in network.nodes().iter().zip([1.0, -1.0]) {
            assert_eq!(node.damping(), 0.5);
            let mut out = Matrix::zeros(x.len(), 1);
            node.model().predict(&public, &mut out);
            for (found, x) in out.as_slice().iter().zip(&x) {
                let expected = sign * x / (1.0 + 2.0 * alpha);
                assert!((found - expected).abs() < 1e-9, "{alpha}: {found} {expected}");
            }
        }
    }
}
