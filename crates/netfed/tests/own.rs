//! What users write themselves: the examples run, and obey the laws.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]
#![allow(unreachable_pub, reason = "examples are read, not used")]

#[path = "../examples/own_loss.rs"]
mod own_loss;
#[path = "../examples/own_model.rs"]
mod own_model;
#[path = "../examples/own_penalty.rs"]
mod own_penalty;

use netfed::laws;
use netfed::loss::{Loss, Zero};
use netfed::model::{LocalModel, Task, laws as of_models};
use netfed::penalty::{Norm2, Penalty, Squared};
use netfed::{Dataset, Graph, LossKind, Options, Problem, Status, solve};

#[test]
fn an_own_loss_obeys_the_laws_and_is_solved_as_its_status_says() {
    for bounded in [false, true] {
        let data = own_loss::data().unwrap().remove(0);
        assert_eq!(laws::check_loss(&own_loss::Own { data, bounded }, 5), Ok(()));
    }
    own_loss::main().unwrap();
}

#[test]
fn an_own_penalty_obeys_the_laws_and_is_certified() {
    for dim in [1, 3] {
        assert_eq!(laws::check_penalty(&own_penalty::OwnNorm, dim, 5), Ok(()));
        assert_eq!(laws::check_penalty(&own_penalty::Huber(0.7), dim, 5), Ok(()));
    }
    own_penalty::main().unwrap();
}

#[test]
fn an_own_model_obeys_the_laws_and_trains_like_the_built_in_one() {
    let build = |_: Task, _: usize| -> Box<dyn LocalModel> { Box::<own_model::Own>::default() };
    let tasks = [Task::Regression, Task::Classification(3)];
    let promise = of_models::Promise { twice: true, scale: true };
    assert_eq!(of_models::check_model(&build, &tasks, promise, 5), Ok(()));
    own_model::main().unwrap();
}

/// A loss that says that it is smooth: Newton's method goes by differences of its gradient. Also
/// beside nodes without data.
#[test]
fn a_smooth_own_loss_is_solved_by_newton_next_to_nodes_without_data() {
    struct Smooth(own_loss::Own);
    impl Loss for Smooth {
        fn dim(&self) -> usize {
            self.0.dim()
        }
        fn value(&self, w: &[f64]) -> f64 {
            self.0.value(w)
        }
        fn gradient(&self, w: &[f64], out: &mut [f64]) {
            self.0.gradient(w, out);
        }
        fn is_smooth(&self) -> bool {
            true
        }
    }
    let data = own_loss::data().unwrap();
    let own = |d: &Dataset| Smooth(own_loss::Own { data: d.clone(), bounded: false });
    assert_eq!(laws::check_loss(&own(&data[0]), 5), Ok(()));
    let edges: Vec<_> = (0..13).map(|i| (i, i + 1, 1.0)).collect();
    let solved = |losses: Vec<Box<dyn Loss>>, penalty: Box<dyn Penalty>| {
        let empty = (0..2).map(|_| -> Box<dyn Loss> { Box::new(Zero::new(3)) });
        let losses = losses.into_iter().chain(empty).collect();
        let problem = Problem::new(Graph::new(14, &edges).unwrap(), losses, penalty, 0.05).unwrap();
        let options = Options { tolerance: 1e-9, ..Options::default() };
        solve(&problem, &options).unwrap()
    };
    let penalties: [fn() -> Box<dyn Penalty>; 2] = [|| Box::new(Norm2), || Box::new(Squared)];
    for penalty in penalties {
        let found = data.iter().map(|d| -> Box<dyn Loss> { Box::new(own(d)) }).collect();
        let built = data.iter().map(|d| LossKind::Logistic.build(d.clone(), 0.05, 0.0).unwrap());
        let (found, built) = (solved(found, penalty()), solved(built.collect(), penalty()));
        assert_eq!((found.status, built.status), (Status::Unproven, Status::Solved));
        let [found, built] = [found, built].map(|s| s.certificate.objective);
        assert!((found / built - 1.0).abs() <= 2e-9, "{found} {built}");
    }
}

/// A prox that is wrong, a gradient that is, are caught.
#[test]
fn what_breaks_the_laws_is_caught() {
    struct TooFar;
    impl Penalty for TooFar {
        fn value(&self, v: &[f64]) -> f64 {
            Norm2.value(v)
        }
        fn prox(&self, v: &mut [f64], step: f64) {
            Norm2.prox(v, 1.01 * step);
        }
    }
    assert!(laws::check_penalty(&TooFar, 3, 5).is_err());
    struct Askew;
    impl Loss for Askew {
        fn dim(&self) -> usize {
            2
        }
        fn value(&self, w: &[f64]) -> f64 {
            w[0] * w[0] + w[1] * w[1]
        }
        fn gradient(&self, w: &[f64], out: &mut [f64]) {
            (out[0], out[1]) = (2.0 * w[0], 1.9 * w[1]);
        }
    }
    assert!(laws::check_loss(&Askew, 5).is_err());
}

/// The provided methods of a penalty against those of one that knows them.
#[test]
fn provided_methods_of_a_penalty_give_what_closed_forms_give() {
    struct Lean<P>(P);
    impl<P: Penalty> Penalty for Lean<P> {
        fn value(&self, v: &[f64]) -> f64 {
            self.0.value(v)
        }
        fn prox(&self, v: &mut [f64], step: f64) {
            self.0.prox(v, step);
        }
    }
    let v = [0.3, -1.2, 0.7];
    let near = |a: &[f64], b: &[f64], most: f64| {
        let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off <= most, "{a:?} {b:?}");
    };
    let check = |lean: &dyn Penalty, full: &dyn Penalty| {
        let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
        lean.gradient(&v, &mut a);
        full.gradient(&v, &mut b);
        near(&a, &b, 1e-11);
        (a, b) = (v, v);
        lean.prox_conjugate(&mut a, 0.4, 0.5);
        full.prox_conjugate(&mut b, 0.4, 0.5);
        near(&a, &b, 1e-14);
        near(&[lean.conjugate(&b, 0.4)], &[full.conjugate(&b, 0.4)], 1e-12);
        (a, b) = ([0.0; 3], [0.0; 3]);
        lean.add_curvature_times(&v, 2.0, &[1.0, 0.5, -2.0], &mut a);
        full.add_curvature_times(&v, 2.0, &[1.0, 0.5, -2.0], &mut b);
        near(&a, &b, 1e-6);
    };
    check(&Lean(Norm2), &Norm2);
    check(&Lean(Squared), &Squared);
}
