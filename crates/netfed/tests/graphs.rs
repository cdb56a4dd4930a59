//! Graphs with known values: Zachary's karate club (34 nodes, 78 edges), values by NetworkX 3.6.1
//! and scikit-learn 1.9.1.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests, too")]

use netfed::communities::modularity;
use netfed::discrepancy::{
    Combination, Discrepancy, Energy, GradientMismatch, GreatCircle, KolmogorovSmirnov,
    MaximumMean, ModelDifference, Wasserstein, WelchT,
};
use netfed::generate::{Noise, linear_data};
use netfed::similarity_graph::{Rule, Weights, similarity_graph};
use netfed::spectral::{algebraic_connectivity, spectral_gap};
use netfed::{Agreement, Communities, Error, Graph, LossKind, Matrix};

/// The neighbors with larger numbers of every node.
const KARATE: [&[usize]; 34] = [
    &[1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31],
    &[2, 3, 7, 13, 17, 19, 21, 30],
    &[3, 7, 8, 9, 13, 27, 28, 32],
    &[7, 12, 13],
    &[6, 10],
    &[6, 10, 16],
    &[16],
    &[],
    &[30, 32, 33],
    &[33],
    &[],
    &[],
    &[],
    &[33],
    &[32, 33],
    &[32, 33],
    &[],
    &[],
    &[32, 33],
    &[33],
    &[32, 33],
    &[],
    &[32, 33],
    &[25, 27, 29, 32, 33],
    &[25, 27, 31],
    &[31],
    &[29, 33],
    &[33],
    &[31, 33],
    &[32, 33],
    &[32, 33],
    &[32, 33],
    &[33],
    &[],
];
/// Members of the club of the trainer, after it split.
const TRAINER: [usize; 17] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16, 17, 19, 21];

fn karate() -> Graph {
    let edges: Vec<_> = KARATE
        .iter()
        .enumerate()
        .flat_map(|(i, list)| list.iter().map(move |&j| (i, j, 1.0)))
        .collect();
    Graph::new(34, &edges).unwrap()
}

#[test]
fn the_karate_club_has_its_communities() {
    let graph = karate();
    assert_eq!(graph.edges().len(), 78);
    let clubs: Vec<usize> = (0..34).map(|i| usize::from(!TRAINER.contains(&i))).collect();
    assert!((modularity(&graph, &clubs) - 0.3582347140039448).abs() < 1e-14);
    let found: Vec<Communities> = (0..50).map(|seed| Communities::find(&graph, seed)).collect();
    let best = found.iter().map(|c| c.modularity).fold(0.0, f64::max);
    // The largest there is, and what NetworkX finds in 50 seeds.
    assert!((best - 0.41978961209730437).abs() < 1e-14, "{best}");
    assert!(found.iter().all(|c| c.modularity > 0.38 && (3..=5).contains(&c.count())));
}

#[test]
fn the_karate_club_has_its_connectivity() {
    let all: Vec<usize> = (0..34).collect();
    let found = algebraic_connectivity(&karate(), &all).unwrap().unwrap();
    assert!((found - 0.46852522670139496).abs() < 1e-12, "{found}");
    // 1 − .867727671, the second eigenvalue of D⁻¹A by numpy 2.4.6.
    let gap = spectral_gap(&karate(), &all).unwrap().unwrap();
    assert!((gap - (1.0 - 0.867727671)).abs() < 1e-9, "{gap}");
}

#[test]
fn agreement_has_the_values_of_a_reference() {
    let close = |one: &[usize], other: &[usize], expected: [f64; 3]| {
        let found = Agreement::new(one, other).unwrap();
        let found = [found.nmi, found.rand_index, found.fowlkes_mallows];
        let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(near, "{found:?} {expected:?}");
    };
    close(
        &[0, 0, 0, 1, 1, 1, 2, 2, 2, 2],
        &[0, 0, 1, 1, 1, 2, 2, 2, 2, 0],
        [0.44270128334605, 0.6888888888888889, 0.41666666666666663],
    );
    close(
        &[0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
        &[0, 1, 2, 3, 4, 4, 4, 4, 4, 4],
        [0.4402724092098325, 0.6666666666666666, 0.5773502691896258],
    );
}

/// A discrepancy that bounds nothing, so that all pairs are computed.
struct Unbounded<'a>(&'a dyn Discrepancy);

impl Discrepancy for Unbounded<'_> {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    fn between(&self, i: usize, j: usize) -> Result<f64, Error> {
        self.0.between(i, j)
    }
}

/// Nodes with 0 to 30 points, some of them copies of others, some far away, one with equal points.
fn samples(features: usize) -> Vec<Matrix> {
    let truth = Matrix::zeros(90, features);
    let data = linear_data(&truth, 30, Noise::PerPoint(1.0), 5).unwrap();
    let mut samples: Vec<Matrix> = Vec::new();
    for (i, own) in data.iter().enumerate() {
        let (count, far) = ([30, 20, 20, 7, 2, 1, 0][i % 7], if i % 11 == 0 { 40.0 } else { 0.0 });
        let values = own.features()[..count * features].iter().map(|v| v + far).collect();
        samples.push(Matrix::from_rows(features, values).unwrap());
    }
    samples[8] = samples[1].clone();
    samples[50] = samples[1].clone();
    samples[20] = Matrix::from_rows(features, vec![3.0; 4 * features]).unwrap();
    samples[21] = samples[20].clone();
    samples
}

#[test]
fn quick_bounds_change_no_graph() {
    let mut all: Vec<(&str, Box<dyn Discrepancy>)> = Vec::new();
    for samples in [samples(1), samples(4), samples(9)] {
        all.push(("wasserstein", Box::new(Wasserstein::new(&samples).unwrap())));
        all.push(("energy", Box::new(Energy::new(&samples).unwrap())));
        all.push(("mmd", Box::new(MaximumMean::new(&samples).unwrap())));
        for combination in [Combination::Fisher, Combination::Bonferroni] {
            all.push(("ks", Box::new(KolmogorovSmirnov::new(&samples, combination).unwrap())));
            all.push(("t", Box::new(WelchT::new(&samples, combination).unwrap())));
        }
    }
    let truth = Matrix::zeros(80, 3);
    let losses = || {
        let data = linear_data(&truth, 9, Noise::PerPoint(1.0), 8).unwrap();
        data.into_iter().map(|own| LossKind::Squared.build(own, 0.1, 0.0).unwrap()).collect()
    };
    all.push(("models", Box::new(ModelDifference::new(losses()).unwrap())));
    all.push(("gradients", Box::new(GradientMismatch::new(losses()).unwrap())));
    let places: Vec<(f64, f64)> =
        (0..80).map(|i| (f64::from(i * 7 % 41) - 20.0, f64::from(i * i % 360))).collect();
    all.push(("distance", Box::new(GreatCircle::new(&places).unwrap())));
    for (name, all) in &all {
        let n = all.nodes();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let (bound, exact) = (all.at_least(i, j), all.between(i, j).unwrap());
            assert!(bound <= exact || i == j, "{name} {i} {j}: {bound} {exact}");
        }
        for rule in
            [Rule::Nearest(1), Rule::Nearest(7), Rule::TreeAndNearest(3), Rule::Threshold(1.0)]
        {
            let graph = |all: &dyn Discrepancy| similarity_graph(all, rule, Weights::One);
            let (quick, slow) =
                (graph(all.as_ref()).unwrap(), graph(&Unbounded(all.as_ref())).unwrap());
            assert_eq!(quick.graph.edges(), slow.graph.edges(), "{name} {rule:?}");
            assert_eq!(quick.discrepancies, slow.discrepancies, "{name} {rule:?}");
        }
    }
}
