//! Every claim about clusters, tested: what is called guaranteed happens in the solution, what does
//! not happen is not called guaranteed, and the bounds hold.

#![allow(clippy::unwrap_used, clippy::panic)]

use netfed::generate::{Noise, chain, linear_data, random, stochastic_block_model};
use netfed::guarantee::{Guarantee, Verdict, guarantees};
use netfed::penalty::{Norm, Norm1, Norm2, NormInf, Penalty, Squared};
use netfed::spectral::{algebraic_connectivity, variation};
use netfed::{
    Clusters, Dataset, Edge, Graph, LossKind, Matrix, Options, Problem, Solution, Status, solve,
};
use rand::RngExt;

const PENALTIES: [&str; 3] = ["l1", "l2", "linf"];

fn penalty(name: &str) -> (Box<dyn Penalty>, Norm) {
    match name {
        "l1" => (Box::new(Norm1), Norm::One),
        "l2" => (Box::new(Norm2), Norm::Two),
        _ => (Box::new(NormInf), Norm::Inf),
    }
}

fn solved(problem: &Problem, tolerance: f64) -> Solution {
    let options = Options { tolerance, max_iterations: 20_000, ..Options::default() };
    let solution = solve(problem, &options).unwrap();
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.certificate);
    solution
}

/// A partition as clusters.
fn partition(of_node: &[usize]) -> Clusters {
    let count = of_node.iter().max().unwrap() + 1;
    let sizes = (0..count).map(|c| of_node.iter().filter(|o| **o == c).count()).collect();
    Clusters { of_node: of_node.to_vec(), sizes }
}

/// The largest difference between models of a cluster.
fn width(guarantee: &Guarantee, params: &Matrix) -> f64 {
    let mut most: f64 = 0.0;
    for &i in &guarantee.nodes {
        for (a, b) in params.row(i).iter().zip(params.row(guarantee.nodes[0])) {
            most = most.max((a - b).abs());
        }
    }
    most
}

fn size(params: &Matrix) -> f64 {
    params.as_slice().iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// Two planted clusters of twelve nodes, two models; edges between the clusters have the weight
/// `weak`.
fn planted(inside: f64, weak: f64, name: &str, lambda: f64, seed: u64) -> (Problem, Clusters) {
    let drawn = stochastic_block_model(&[12, 12], inside, 0.3, seed).unwrap();
    let of_node: Vec<usize> = (0..24).map(|i| i / 12).collect();
    let weigh = |e: &Edge| if of_node[e.tail] == of_node[e.head] { 1.0 } else { weak };
    let edges: Vec<_> = drawn.edges().iter().map(|e| (e.tail, e.head, weigh(e))).collect();
    let graph = Graph::new(24, &edges).unwrap();
    let truth: Vec<f64> =
        of_node.iter().flat_map(|c| if *c == 0 { [2.0, 2.0] } else { [-2.0, 2.0] }).collect();
    let truth = Matrix::from_rows(2, truth).unwrap();
    let data = linear_data(&truth, 8, Noise::PerPoint(0.05), seed + 100).unwrap();
    let losses = data.into_iter().map(|d| LossKind::Squared.build(d, 0.0, 0.0).unwrap()).collect();
    (Problem::new(graph, losses, penalty(name).0, lambda).unwrap(), partition(&of_node))
}

#[test]
fn a_planted_partition_that_satisfies_the_condition_is_recovered() {
    for name in PENALTIES {
        let (problem, clusters) = planted(1.0, 0.003, name, 1.0, 5);
        let zero = Matrix::zeros(24, 2);
        let before = guarantees(&problem, &clusters, &zero, 9).unwrap();
        assert!(before.iter().any(|g| g.boundary > 0.0), "the clusters are joined");
        let (low, high) = before[0].recovered.unwrap();
        assert!(low > 0.0 && low < high, "{name}: {low} {high}");
        // Proven before any training, for every λ in the interval.
        for lambda in [low * 1.01, (low * high).sqrt(), high * 0.99] {
            let problem = problem.at_lambda(lambda).unwrap();
            let params = solved(&problem, 1e-10).params;
            let found = Clusters::find(problem.graph(), &params, 1e-3, 1e-4);
            assert_eq!(found, clusters, "{name}, λ = {lambda}");
            for g in guarantees(&problem, &clusters, &params, 9).unwrap() {
                assert_eq!(g.verdict, Verdict::Guaranteed);
                assert!(width(&g, &params) < 1e-3 * size(&params));
                let o = g.optimum.unwrap();
                assert!(o.distance <= o.bound * (1.0 + 1e-6), "{} {}", o.distance, o.bound);
            }
        }
    }
}

#[test]
fn a_partition_that_is_not_recovered_is_not_called_guaranteed() {
    for name in PENALTIES {
        // As many edges between the clusters as inside.
        let (problem, clusters) = planted(0.4, 1.0, name, 1.0, 6);
        for lambda in [1e-4, 0.01, 0.1, 1.0, 100.0] {
            let problem = problem.at_lambda(lambda).unwrap();
            let found = guarantees(&problem, &clusters, &Matrix::zeros(24, 2), 9).unwrap();
            assert!(
                found.iter().all(|g| g.verdict == Verdict::NotGuaranteed && g.recovered.is_none())
            );
        }
        // A well-connected one at a λ that is too small: the models really differ.
        let (problem, clusters) = planted(1.0, 0.003, name, 1e-5, 5);
        let params = solved(&problem, 1e-8).params;
        for g in guarantees(&problem, &clusters, &params, 9).unwrap() {
            assert_eq!(g.verdict, Verdict::NotGuaranteed);
            assert!(width(&g, &params) > 1e-3);
        }
    }
}

/// A small random problem with a random partition into clusters.
fn random_problem(seed: u64) -> (Problem, Clusters, Norm) {
    let mut rng = random(seed);
    let (n, d) = (rng.random_range(2..7), rng.random_range(1..4));
    let of_node: Vec<usize> = (0..n).map(|i| usize::from(i >= n / 2 && i > 0)).collect();
    let mut edges = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            let same = of_node[i] == of_node[j];
            if same || rng.random::<f64>() < 0.4 {
                let weight = if same { 1.0 } else { 0.05 };
                edges.push((i, j, weight * (0.5 + rng.random::<f64>())));
            }
        }
    }
    let (kind, ridge) = [
        (LossKind::Squared, 0.0),
        (LossKind::Mean, 0.0),
        (LossKind::Squared, 0.1),
        (LossKind::Huber { delta: 0.5 }, 0.3),
        (LossKind::Logistic, 0.3),
    ][rng.random_range(0..5)];
    let mut loss = |cluster: usize| {
        let points = rng.random_range(0..6);
        let x: Vec<f64> = (0..points * d).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect();
        let y = x
            .chunks(d)
            .map(|x| {
                let t = x.iter().sum::<f64>() * (1.0 - 2.0 * cluster as f64)
                    + 0.3 * rng.random::<f64>();
                if kind.is_classification() { t.signum() } else { t }
            })
            .collect();
        kind.build(Dataset::new(d, x, y).unwrap(), ridge, 0.0).unwrap()
    };
    let losses = of_node.iter().map(|c| loss(*c)).collect();
    let (penalty, norm) = penalty(PENALTIES[(seed % 3) as usize]);
    let graph = Graph::new(n, &edges).unwrap();
    (Problem::new(graph, losses, penalty, 1.0).unwrap(), partition(&of_node), norm)
}

#[test]
fn what_is_guaranteed_happens_on_random_problems_just_above_the_threshold() {
    let (mut guaranteed, mut bounded, mut apart) = (0, 0, 0);
    for seed in 0..150 {
        let (problem, clusters, _) = random_problem(seed);
        let zero = Matrix::zeros(problem.nodes(), problem.dim());
        let before = guarantees(&problem, &clusters, &zero, 9).unwrap();
        for (c, b) in before.iter().enumerate().filter(|(_, b)| b.nodes.len() > 1) {
            if !b.fused_above.is_finite() {
                continue;
            }
            let problem = problem.at_lambda((b.fused_above * 1.0001).max(0.01)).unwrap();
            let params = solved(&problem, 1e-9).params;
            let after = guarantees(&problem, &clusters, &params, 9).unwrap();
            let g = &after[c];
            assert_eq!(g.verdict, Verdict::Guaranteed, "seed {seed}");
            // Gap 1e-9: models are good to its square root.
            let noise = 2e-4 * (1.0 + size(&params));
            assert!(width(g, &params) < noise, "seed {seed}: {}", width(g, &params));
            let o = g.optimum.as_ref().unwrap();
            assert!(o.distance <= o.bound + noise, "seed {seed}: {} {}", o.distance, o.bound);
            guaranteed += 1;
            bounded += usize::from(g.boundary > 0.0);
        }
        if let Some((low, high)) = before[0].recovered.filter(|r| r.1.is_finite()) {
            let problem = problem.at_lambda(0.5 * (low + high)).unwrap();
            let params = solved(&problem, 1e-9).params;
            let [a, b] = [0, clusters.sizes[0]].map(|i| params.row(i));
            assert!(a.iter().zip(b).any(|(a, b)| (a - b).abs() > 1e-3), "seed {seed}");
            apart += 1;
        }
    }
    assert!(guaranteed > 40 && bounded > 5 && apart > 5, "{guaranteed} {bounded} {apart}");
}

#[test]
fn models_that_differ_are_never_called_guaranteed() {
    let mut different = 0;
    for seed in 200..260 {
        let (problem, clusters, _) = random_problem(seed);
        for lambda in [0.02, 0.1, 0.5] {
            let problem = problem.at_lambda(lambda).unwrap();
            let params = solved(&problem, 1e-6).params;
            for g in guarantees(&problem, &clusters, &params, 9).unwrap() {
                if width(&g, &params) > 0.02 * (1.0 + size(&params)) {
                    assert_ne!(g.verdict, Verdict::Guaranteed, "seed {seed}, λ = {lambda}");
                    different += 1;
                }
            }
        }
    }
    assert!(different > 30, "{different}");
}

#[test]
fn one_tight_cluster_is_enough_whatever_the_others_do() {
    // Three equal nodes in a triangle, hung onto a wild chain.
    let edges = [
        (0, 1, 5.0),
        (0, 2, 5.0),
        (1, 2, 5.0),
        (2, 3, 0.1),
        (3, 4, 0.2),
        (4, 5, 0.01),
        (3, 5, 1.0),
    ];
    let centers = [1.0, 1.1, 0.9, -3.0, 8.0, -20.0];
    let losses = centers
        .iter()
        .map(|c| {
            LossKind::Mean.build(Dataset::new(1, vec![*c], vec![]).unwrap(), 0.0, 0.0).unwrap()
        })
        .collect();
    let problem =
        Problem::new(Graph::new(6, &edges).unwrap(), losses, Box::new(Norm2), 0.5).unwrap();
    let params = solved(&problem, 1e-10).params;
    let clusters = partition(&[0, 0, 0, 1, 1, 1]);
    let found = guarantees(&problem, &clusters, &params, 9).unwrap();
    assert_eq!(found[0].verdict, Verdict::Guaranteed);
    assert_eq!(found[1].verdict, Verdict::NotGuaranteed);
    assert!(width(&found[0], &params) < 1e-4 && width(&found[1], &params) > 1.0);
    assert_eq!((found[0].inside, found[0].boundary), (15.0, 0.1));
}

#[test]
fn there_is_no_theorem_for_other_penalties_and_losses() {
    let graph = || chain(2, 1.0).unwrap();
    let build = |kind: LossKind, ridge: f64, penalty: Box<dyn Penalty>| {
        let data = || Dataset::new(1, vec![1.0, 2.0], vec![1.0, -1.0]).unwrap();
        let losses = (0..4).map(|_| kind.build(data(), ridge, 0.0).unwrap()).collect();
        let problem = Problem::new(graph(), losses, penalty, 1.0).unwrap();
        let zero = Matrix::zeros(4, 1);
        guarantees(&problem, &partition(&[0; 4]), &zero, 9).unwrap()[0].verdict
    };
    assert_eq!(build(LossKind::Squared, 0.0, Box::new(Squared)), Verdict::NotANorm);
    assert_eq!(build(LossKind::Absolute, 0.0, Box::new(Norm2)), Verdict::NotSmooth);
    assert_eq!(build(LossKind::Logistic, 0.0, Box::new(Norm2)), Verdict::NotStronglyConvex);
    assert_eq!(build(LossKind::Logistic, 0.1, Box::new(Norm2)), Verdict::Guaranteed);
    assert_eq!(build(LossKind::Squared, 0.0, Box::new(Norm1)), Verdict::Guaranteed);
}

#[test]
fn the_variation_bound_of_the_squared_penalty_holds() {
    let mut tightest = f64::INFINITY;
    for seed in 0..25 {
        let (problem, _, _) = random_problem(seed);
        let n = problem.nodes();
        let mut rng = random(seed + 1000);
        let losses = (0..n)
            .map(|_| {
                let x: Vec<f64> = (0..6).map(|_| rng.random::<f64>() - 0.5).collect();
                let y = (0..3).map(|_| rng.random::<f64>()).collect();
                LossKind::Squared.build(Dataset::new(2, x, y).unwrap(), 0.0, 0.0).unwrap()
            })
            .collect();
        let lambda = [0.01, 0.3, 5.0][(seed % 3) as usize];
        let problem =
            Problem::new(problem.graph().clone(), losses, Box::new(Squared), lambda).unwrap();
        let params = solved(&problem, 1e-8).params;
        let component = problem.graph().components(|_| true);
        let nodes: Vec<usize> = (0..n).filter(|i| component[*i] == 0).collect();
        let connectivity = algebraic_connectivity(problem.graph(), &nodes).unwrap();
        // The bound holds for any common model.
        for common in [[0.0, 0.0], [0.3, 0.7]] {
            let Some(v) = variation(&problem, &nodes, &params, &common, connectivity) else {
                assert!(nodes.len() == 1);
                continue;
            };
            assert!(v.found <= v.bound * (1.0 + 1e-6), "seed {seed}: {v:?}");
            tightest = tightest.min(v.bound / v.found);
        }
    }
    assert!(tightest < 100.0, "the bound is not idle: {tightest}");
}
