//! Edge selection: what must hold for local estimates, Wald tests and their levels.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

use netfed::selection::{Estimates, Untested, Variance, Wald};
use netfed::{Dataset, LossKind};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A normal random number (Box and Muller).
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let (u, v): (f64, f64) = (1.0 - random.random::<f64>(), random.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// y = wᵀx + noise, with features of unlike scale.
fn linear(random: &mut ChaCha8Rng, w: &[f64], points: usize, noise: f64) -> Dataset {
    let d = w.len();
    let scales: Vec<f64> = (0..d).map(|_| 0.2 + 3.0 * random.random::<f64>()).collect();
    let x: Vec<f64> = (0..points * d).map(|k| scales[k % d] * normal(random)).collect();
    let label = |x: &[f64]| x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
    let y = x.chunks(d).map(|x| label(x) + noise * normal(random)).collect();
    Dataset::new(d, x, y).unwrap()
}

fn classes(data: &Dataset) -> Dataset {
    let y = data.labels().iter().map(|y| y.signum()).collect();
    Dataset::new(data.dim(), data.features().to_vec(), y).unwrap()
}

fn test(kind: LossKind, data: &[Dataset], ridge: f64, variance: Variance) -> Wald {
    Estimates::new(kind, data, ridge, variance).unwrap().test(0, 1).unwrap()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a / b - 1.0).abs() <= tolerance
}

const A: [f64; 6] = [14.1, 15.3, 13.8, 16.0, 15.2, 14.4];
const B: [f64; 8] = [16.9, 18.1, 14.2, 19.5, 15.1, 17.7, 20.3, 16.0];

/// The means of two samples: W² and its p-value are those of Welch's t-test (values of
/// scipy.stats.ttest_ind).
#[test]
fn two_means_are_compared_as_by_welch() {
    let regression = [&A[..], &B[..]].map(|y| Dataset::new(1, vec![1.0; y.len()], y.to_vec()));
    let points = [&A[..], &B[..]].map(|x| Dataset::new(1, x.to_vec(), vec![]));
    let (regression, points) = (regression.map(Result::unwrap), points.map(Result::unwrap));
    for (kind, data, variance) in [
        (LossKind::Squared, &regression, Variance::Estimated),
        (LossKind::Squared, &regression, Variance::Sandwich),
        (LossKind::Huber { delta: 100.0 }, &regression, Variance::Estimated),
        (LossKind::Mean, &points, Variance::Estimated),
        (LossKind::Mean, &points, Variance::Sandwich),
    ] {
        let found = test(kind, data, 0.0, variance);
        assert!(
            close(found.statistic, 8.798548336821472, 1e-12),
            "{kind:?} {variance:?} {found:?}"
        );
        assert!(
            close(found.p_value, 0.01464209089093201, 1e-10),
            "{kind:?} {variance:?} {found:?}"
        );
    }
}

#[test]
fn one_feature_with_known_noise() {
    let data = [
        Dataset::new(1, vec![1.0, 2.0], vec![1.0, 3.0]).unwrap(),
        Dataset::new(1, vec![3.0], vec![0.0]).unwrap(),
    ];
    let estimates = Estimates::new(LossKind::Squared, &data, 0.0, Variance::Known(4.0)).unwrap();
    let first = estimates.nodes()[0].as_ref().unwrap();
    assert!(close(first.params[0], 1.4, 1e-14) && close(first.covariance[0], 0.8, 1e-14));
    let found = estimates.test(0, 1).unwrap();
    assert!(close(found.statistic, 1.4 * 1.4 / (0.8 + 4.0 / 9.0), 1e-14));
    assert_eq!(estimates.test(1, 0), Some(found), "the order of the two does not matter");
    assert_eq!(estimates.test(0, 0).unwrap().p_value, 1.0);
}

#[test]
fn units_of_the_features_do_not_matter() {
    let mut random = netfed::generate::random(2);
    let data = [1.0, 1.3].map(|w| linear(&mut random, &[w, -0.5, 0.2], 20, 0.7));
    let other_units = |data: &Dataset| {
        let x = data.rows().flat_map(|x| [1e4 * x[0], x[1] + 0.3 * x[0], 1e-3 * x[2] - x[0]]);
        Dataset::new(3, x.collect(), data.labels().to_vec()).unwrap()
    };
    for kind in [LossKind::Squared, LossKind::Huber { delta: 1.0 }, LossKind::Logistic] {
        for variance in [Variance::Known(1.0), Variance::Estimated, Variance::Sandwich] {
            let data = match kind {
                LossKind::Logistic => data.each_ref().map(noisy_classes),
                _ => data.clone(),
            };
            let a = test(kind, &data, 0.0, variance);
            let b = test(kind, &data.each_ref().map(other_units), 0.0, variance);
            assert!(close(a.statistic, b.statistic, 1e-6), "{kind:?} {variance:?} {a:?} {b:?}");
            assert!(close(a.p_value, b.p_value, 1e-6), "{kind:?} {variance:?} {a:?} {b:?}");
        }
    }
}

/// Classes that cannot be separated: every third label is turned around.
fn noisy_classes(data: &Dataset) -> Dataset {
    let sign = |r: usize| if r.is_multiple_of(3) { -1.0 } else { 1.0 };
    let y = data.labels().iter().enumerate().map(|(r, y)| sign(r) * y.signum()).collect();
    Dataset::new(data.dim(), data.features().to_vec(), y).unwrap()
}

/// How often true edges are rejected: nominally 1 of 100. χ² in place of F would reject 5 of 100
/// here.
#[test]
fn levels_are_met_with_estimated_noise() {
    let mut random = netfed::generate::random(3);
    let w = [0.7, -1.0, 0.2, 0.0, 2.0];
    let runs = 4000;
    for (points, noise) in [([12, 12], [1.0, 1.0]), ([12, 30], [3.0, 1.0])] {
        let (mut by_f, mut by_chi_square) = (0, 0);
        for _ in 0..runs {
            let data = [0, 1].map(|k| linear(&mut random, &w, points[k], noise[k]));
            let found = test(LossKind::Squared, &data, 0.0, Variance::Estimated);
            by_f += usize::from(found.p_value < 0.01);
            let p = netfed::selection::chi_square_tail(found.statistic, 5.0);
            by_chi_square += usize::from(p < 0.01);
        }
        assert!((20..=80).contains(&by_f), "{by_f} of {runs}");
        assert!(by_chi_square > 160, "{by_chi_square} of {runs}");
    }
}

/// Noise that grows with a feature: only the sandwich stays near its level.
#[test]
fn the_sandwich_stands_unequal_noise() {
    let mut random = netfed::generate::random(4);
    let (mut sandwich, mut estimated) = (0, 0);
    let runs = 2000;
    for _ in 0..runs {
        let data = [0, 1].map(|_| {
            let plain = linear(&mut random, &[0.0; 3], 60, 1.0);
            let y = plain.rows().zip(plain.labels()).map(|(x, e)| x[0].powi(2) * e).collect();
            Dataset::new(3, plain.features().to_vec(), y).unwrap()
        });
        let rejects = |v| usize::from(test(LossKind::Squared, &data, 0.0, v).p_value < 0.05);
        sandwich += rejects(Variance::Sandwich);
        estimated += rejects(Variance::Estimated);
    }
    assert!(sandwich < runs / 10, "{sandwich} of {runs}");
    assert!(estimated > runs / 5, "{estimated} of {runs}");
}

#[test]
fn nodes_that_cannot_be_tested_say_why() {
    let mut random = netfed::generate::random(5);
    let good = linear(&mut random, &[1.0, 2.0], 9, 0.5);
    let exact = linear(&mut random, &[1.0, 2.0], 9, 0.0);
    let two = linear(&mut random, &[1.0, 2.0], 2, 0.5);
    let three = linear(&mut random, &[1.0, 2.0], 3, 0.5);
    let one = linear(&mut random, &[1.0, 2.0], 1, 0.5);
    let dependent = {
        let x = good.rows().flat_map(|x| [x[0], -3.0 * x[0]]).collect();
        Dataset::new(2, x, good.labels().to_vec()).unwrap()
    };
    let data = [Dataset::empty(2), one, two, three, exact, dependent, good.clone()];
    use Untested::{Dependent, ExactFit, NoData, Separable, TooFewPoints};
    let reasons = |kind, data: &[Dataset], ridge, variance| -> Vec<Option<Untested>> {
        let estimates = Estimates::new(kind, data, ridge, variance).unwrap();
        estimates.nodes().iter().map(|node| node.as_ref().err().copied()).collect()
    };
    let (squared, no, few) = (LossKind::Squared, Some(NoData), Some(TooFewPoints));
    assert_eq!(
        reasons(squared, &data, 0.0, Variance::Estimated),
        [no, few, few, None, Some(ExactFit), Some(Dependent), None]
    );
    assert_eq!(
        reasons(squared, &data, 0.0, Variance::Known(0.2)),
        [no, few, None, None, None, Some(Dependent), None]
    );
    assert_eq!(
        reasons(squared, &data, 0.0, Variance::Sandwich),
        [no, few, few, few, Some(ExactFit), Some(Dependent), None]
    );
    assert_eq!(
        reasons(squared, &data, 0.1, Variance::Known(0.2)),
        [no, None, None, None, None, None, None]
    );
    let sorted = [classes(&data[4]), noisy_classes(&data[6])];
    let separable = [Some(Separable), None];
    assert_eq!(reasons(LossKind::Logistic, &sorted, 0.0, Variance::Estimated), separable);
    assert_eq!(reasons(LossKind::Logistic, &sorted, 0.1, Variance::Estimated), [None, None]);
    // Separated except for points on the border.
    let border = Dataset::new(
        2,
        vec![1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -2.0],
        vec![1.0, -1.0, 1.0, -1.0, 1.0],
    );
    assert_eq!(
        reasons(LossKind::Logistic, &[border.unwrap()], 0.0, Variance::Estimated),
        [Some(Separable)]
    );
    let estimates = Estimates::new(squared, &data, 0.0, Variance::Estimated).unwrap();
    assert_eq!(estimates.test(0, 3), None);
    assert_eq!(estimates.testable(), [3, 6]);
}

#[test]
fn bad_input_is_refused() {
    let data = [Dataset::new(1, vec![1.0, 2.0], vec![1.0, -1.0]).unwrap()];
    for kind in [LossKind::Absolute, LossKind::Hinge] {
        assert!(Estimates::new(kind, &data, 0.0, Variance::Estimated).is_err());
    }
    for noise in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Estimates::new(LossKind::Squared, &data, 0.0, Variance::Known(noise)).is_err());
    }
    assert!(Estimates::new(LossKind::Squared, &data, -1.0, Variance::Estimated).is_err());
    let mixed = [data[0].clone(), Dataset::empty(2)];
    assert!(Estimates::new(LossKind::Squared, &mixed, 0.0, Variance::Estimated).is_err());
    let none = Estimates::new(LossKind::Squared, &[], 0.0, Variance::Estimated).unwrap();
    assert!(none.testable().is_empty());
}

#[test]
fn threads_do_not_matter_and_the_order_is_kept() {
    let mut random = netfed::generate::random(6);
    let data: Vec<Dataset> =
        (0..150).map(|_| linear(&mut random, &[1.0, -1.0, 0.5, 2.0], 12, 1.0)).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let estimates =
                Estimates::new(LossKind::Squared, &data, 0.0, Variance::Estimated).unwrap();
            let pairs = (0..150).flat_map(|i| (i + 1..150).map(move |j| (i, j)));
            let mut found = Vec::new();
            let shown = estimates.for_each(pairs, |i, j, test| {
                found.push((i, j, test.unwrap()));
                if found.len() == 9000 { Err("stopped") } else { Ok(()) }
            });
            assert_eq!(shown, Err("stopped"), "a look at the pairs can be ended");
            found
        })
    };
    let found = run(1);
    assert!(found.is_sorted_by_key(|(i, j, _)| (*i, *j)) && found.len() == 9000);
    assert_eq!(found, run(3));
}
