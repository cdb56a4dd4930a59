//! Laws that every local model must obey. Hold a model of your own to them in a test.

mod saving;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{LocalModel, Points, Task};
use crate::Matrix;

/// How a model treats weights, beside a weight of 0, which always means that the point is not
/// there.
#[derive(Debug, Clone, Copy)]
pub struct Promise {
    /// A point of weight 2 is the point twice. Models that draw points at random keep this on
    /// average only.
    pub twice: bool,
    /// Scaling all weights changes nothing.
    pub scale: bool,
}

/// Points, targets and weights to learn from.
struct Lesson {
    task: Task,
    points: Matrix,
    targets: Matrix,
    weights: Vec<f64>,
}

type Build<'a> = &'a dyn Fn(Task, usize) -> Box<dyn LocalModel>;

fn law(holds: bool, name: &str, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{name} does not hold: {what}")) }
}

fn matrix(cols: usize, values: Vec<f64>) -> Result<Matrix, String> {
    Matrix::from_rows(cols, values).map_err(|e| e.to_string())
}

/// Targets that a model of any kind can learn: 3x₀ − x₁, or the class of the largest of some such
/// numbers, some of them soft.
fn lesson(task: Task, points: usize, dim: usize, seed: u64) -> Result<Lesson, String> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let x: Vec<f64> = (0..points * dim).map(|_| 4.0 * random.random::<f64>() - 2.0).collect();
    let weights = (0..points).map(|_| 0.25 + random.random::<f64>()).collect();
    let mut targets = Vec::new();
    for x in x.chunks_exact(dim) {
        let t = 3.0 * x[0] - x.get(1).unwrap_or(&0.0);
        let noise = 0.1 * random.random::<f64>();
        match task {
            Task::Regression => targets.push(t + noise),
            Task::Classification(classes) => {
                let right =
                    ((t + 6.0) / 12.0 * classes as f64).clamp(0.0, classes as f64 - 1.0) as usize;
                let soft = noise / classes as f64;
                let p = |c| soft + if c == right { 1.0 - soft * classes as f64 } else { 0.0 };
                targets.extend((0..classes).map(p));
            }
        }
    }
    Ok(Lesson { task, points: matrix(dim, x)?, targets: matrix(task.outputs(), targets)?, weights })
}

impl Lesson {
    /// Some of the rows, with other weights.
    fn rows(&self, rows: &[usize], weights: Vec<f64>) -> Result<Lesson, String> {
        let pick =
            |m: &Matrix| matrix(m.cols(), rows.iter().flat_map(|r| m.row(*r)).copied().collect());
        Ok(Lesson {
            task: self.task,
            points: pick(&self.points)?,
            targets: pick(&self.targets)?,
            weights,
        })
    }

    fn learn(&self, build: Build) -> Result<Box<dyn LocalModel>, String> {
        let mut model = build(self.task, self.points.cols());
        let points = Points::new(self.points.clone());
        model
            .fit(&points, &self.targets, &self.weights)
            .map_err(|e| format!("a fit is refused: {e}"))?;
        Ok(model)
    }

    /// Predictions of the model that learns this, at the points of another lesson.
    fn taught(&self, build: Build, at: &Lesson) -> Result<Matrix, String> {
        let found = predictions(self.learn(build)?.as_ref(), self.task, &at.points);
        valid(&found, self.task)?;
        Ok(found)
    }
}

fn predictions(model: &dyn LocalModel, task: Task, points: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(points.rows(), task.outputs());
    out.as_mut_slice().fill(f64::NAN);
    model.predict(points, &mut out);
    out
}

fn valid(found: &Matrix, task: Task) -> Result<(), String> {
    for row in found.as_slice().chunks_exact(task.outputs()) {
        law(row.iter().all(|v| v.is_finite()), "predictions are finite", &format!("{row:?}"))?;
        if task != Task::Regression {
            let sum: f64 = row.iter().sum();
            let good = row.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() < 1e-9;
            law(good, "probabilities are at least 0 with sum 1", &format!("{row:?}"))?;
        }
    }
    Ok(())
}

fn near(a: &Matrix, b: &Matrix, name: &str) -> Result<(), String> {
    let pairs = a.as_slice().iter().zip(b.as_slice());
    let worst = pairs.map(|(a, b)| (a - b).abs() / (1.0 + a.abs())).fold(0.0, f64::max);
    law(worst <= 1e-6, name, &format!("predictions differ by {worst:e}"))
}

/// Checks the laws of a kind of model, for regression and for two and three classes; `build` makes
/// new models, all alike.
pub fn check_model(
    build: Build,
    tasks: &[Task],
    promise: Promise,
    seed: u64,
) -> Result<(), String> {
    for &task in tasks {
        for dim in [1, 3] {
            check_weights(build, task, dim, promise, seed)?;
        }
        check_small(build, task)?;
        check_learning(build, task, seed)?;
        saving::check_saving(build, task, seed)?;
    }
    Ok(())
}

fn check_weights(
    build: Build,
    task: Task,
    dim: usize,
    promise: Promise,
    seed: u64,
) -> Result<(), String> {
    let (all, test) = (lesson(task, 40, dim, seed)?, lesson(task, 60, dim, seed + 1)?);
    let first = all.taught(build, &test)?;
    let again = all.taught(build, &test)?;
    law(first == again, "the same seed gives the same bits", "two fits differ")?;
    let every: Vec<usize> = (0..40).collect();
    // Every third point without weight, and without these points.
    let kept: Vec<usize> = every.iter().copied().filter(|r| r % 3 != 0).collect();
    let some = all.rows(
        &every,
        every.iter().map(|r| if r % 3 == 0 { 0.0 } else { all.weights[*r] }).collect(),
    )?;
    let fewer = all.rows(&kept, kept.iter().map(|r| all.weights[*r]).collect())?;
    near(
        &some.taught(build, &test)?,
        &fewer.taught(build, &test)?,
        "a point of weight 0 is not there",
    )?;
    if promise.twice {
        let twice: Vec<usize> =
            every.iter().flat_map(|r| vec![*r; 1 + usize::from(r % 5 == 0)]).collect();
        let heavy = every.iter().map(|r| all.weights[*r] * if r % 5 == 0 { 2.0 } else { 1.0 });
        let heavy = all.rows(&every, heavy.collect())?;
        let double = all.rows(&twice, twice.iter().map(|r| all.weights[*r]).collect())?;
        near(
            &heavy.taught(build, &test)?,
            &double.taught(build, &test)?,
            "weight 2 is the point twice",
        )?;
    }
    if promise.scale {
        let scaled = all.rows(&every, all.weights.iter().map(|w| w / 700.0).collect())?;
        near(&first, &scaled.taught(build, &test)?, "the scale of the weights does not matter")?;
    }
    Ok(())
}

/// One point, equal points, a constant feature, a single feature.
fn check_small(build: Build, task: Task) -> Result<(), String> {
    for (points, dim) in [(1, 1), (1, 3), (2, 1), (5, 2)] {
        let small = lesson(task, points, dim, 5)?;
        small.taught(build, &lesson(task, 10, dim, 6)?)?;
        let mut equal = lesson(task, points, dim, 5)?;
        equal.points.as_mut_slice().fill(1.5);
        equal.taught(build, &small)?;
        let mut constant = lesson(task, 8, dim, 7)?;
        (0..8).for_each(|r| constant.points.row_mut(r)[dim - 1] = -2.0);
        constant.taught(build, &small)?;
    }
    Ok(())
}

/// Half of the variance is explained, or nine of ten classes found, on points that were seen.
fn check_learning(build: Build, task: Task, seed: u64) -> Result<(), String> {
    let all = lesson(task, 200, 2, seed + 2)?;
    let found = all.taught(build, &all)?;
    let best = |p: &[f64]| (0..p.len()).fold(0, |a, b| if p[b] > p[a] { b } else { a });
    match task {
        Task::Regression => {
            let mean = all.targets.as_slice().iter().sum::<f64>() / 200.0;
            let pairs = found.as_slice().iter().zip(all.targets.as_slice());
            let error: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
            let variance: f64 =
                all.targets.as_slice().iter().map(|b| (b - mean) * (b - mean)).sum();
            law(
                error < 0.5 * variance,
                "a model learns",
                &format!("error {error}, variance {variance}"),
            )
        }
        Task::Classification(_) => {
            let right =
                (0..200).filter(|r| best(found.row(*r)) == best(all.targets.row(*r))).count();
            law(right >= 160, "a model learns", &format!("{right} of 200 points right"))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;
    use crate::model::{ModelKind, Part};

    #[test]
    fn every_model_obeys_the_laws() {
        let tasks = [Task::Regression, Task::Classification(2), Task::Classification(3)];
        for (text, twice) in [
            ("tree", true),
            ("tree depth=3 leaf=0.1", true),
            ("forest trees=20", false),
            ("boosting trees=20 rate=0.3", true),
            ("nearest k=3", true),
            ("kernel", true),
            ("perceptron hidden=16 epochs=60 rate=0.01 batch=16", false),
            ("perceptron hidden=16,8 epochs=60 rate=0.01 batch=1000 optimizer=rmsprop", true),
        ] {
            let kind: ModelKind = text.parse().unwrap();
            let build = |task: Task, dim: usize| kind.build(task, dim, 9);
            let promise = Promise { twice, scale: true };
            assert_eq!(check_model(&build, &tasks, promise, 11), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_model_that_ignores_weights_is_caught() {
        struct Blind(Box<dyn LocalModel>);
        impl LocalModel for Blind {
            fn fit(
                &mut self,
                points: &Points,
                targets: &Matrix,
                weights: &[f64],
            ) -> Result<(), crate::Error> {
                self.0.fit(points, targets, &vec![1.0; weights.len()])
            }
            fn predict(&self, points: &Matrix, out: &mut Matrix) {
                self.0.predict(points, out);
            }
            fn parts(&self) -> Vec<Part> {
                self.0.parts()
            }
            fn restore(&mut self, parts: &[Part]) -> Result<(), crate::Error> {
                self.0.restore(parts)
            }
        }
        let kind: ModelKind = "tree".parse().unwrap();
        let build = |task: Task, dim: usize| -> Box<dyn LocalModel> {
            Box::new(Blind(kind.build(task, dim, 1)))
        };
        let promise = Promise { twice: false, scale: false };
        let said = check_model(&build, &[Task::Regression], promise, 1).unwrap_err();
        assert!(said.contains("weight 0"), "{said}");
    }

    #[test]
    fn forests_keep_weight_two_on_average() {
        let kind: ModelKind = "forest trees=2000 depth=3".parse().unwrap();
        let build = |task: Task, dim: usize| kind.build(task, dim, 1);
        let all = lesson(Task::Regression, 30, 1, 1).unwrap();
        let every: Vec<usize> = (0..30).collect();
        let heavy =
            all.rows(&every, every.iter().map(|r| 1.0 + f64::from(*r < 3)).collect()).unwrap();
        let twice: Vec<usize> = (0..3).chain(0..30).collect();
        let double = all.rows(&twice, vec![1.0; 33]).unwrap();
        let [a, b] = [heavy, double].map(|l| l.taught(&build, &all).unwrap());
        let differences = a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs());
        let worst = differences.fold(0.0, f64::max);
        // Targets are between −6 and 6. The same forest with other draws differs by about .05.
        assert!(worst < 0.4, "{worst}");
    }
}
