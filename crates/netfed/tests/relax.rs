//! FedRelax with linear models, by parameters and by predictions: fixed points, minimizers and
//! iterates against references.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod fedrelax;

use fedrelax::{ALPHAS, SWEEPS, divergent, matrix, numbers, off, rounds, run, shared, to_the_end};
use netfed::Status;
use netfed::generate::{
    self, Noise, linear_data, mixture_counts, mixture_graph, stochastic_block_model,
};
use netfed::loss::Loss;
use netfed::penalty::{Penalty, Quadratic, Squared};
use netfed::relax::linear::{Coupling, LocalUpdate, RelaxOptions, Relaxation, Sides, Sweep};
use netfed::{Dataset, Graph, LossKind, Matrix, Options, Problem, solve};

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
                assert_eq!((found.status, found.damping), (Status::Settled, 1.0));
                let off = off(&found.params, expected);
                assert!(off < 1e-9, "α {name} {sweep:?} {sides:?}: {off}");
            }
        }
    }
}

#[test]
fn the_fixed_point_is_the_optimum_of_gtv_minimization() {
    // δ is the quadratic penalty with 2Q, and by parameters the squared one: the core's solver must
    // agree.
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
        let solution = solve(&gtv, &options).unwrap();
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
        assert_eq!(found.status, Status::Settled, "{kind:?}");
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
        let solution = solve(&gtv, &options).unwrap();
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
        // After 500 rounds RMSprop jumps to and fro around the fixed point, its steps have a least
        // length; rounding decides on which side it is. Its distance is nearly the same on both.
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
    assert_eq!(cured.status, Status::Settled, "{cured:?}");
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
    assert_eq!((found.status, found.damping), (Status::Settled, 0.5));
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
        assert_eq!(found.status, Status::Settled);
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
