//! Saving a model and reading it back, also what was spoiled in between.

use super::{Build, law, lesson, predictions};
use crate::Matrix;
use crate::model::{Part, Task};

/// What was saved comes back; what was spoiled is refused.
pub(super) fn check_saving(build: Build, task: Task, seed: u64) -> Result<(), String> {
    let (all, test) = (lesson(task, 30, 2, seed + 3)?, lesson(task, 25, 2, seed + 4)?);
    let fresh = build(task, 2);
    let before = predictions(fresh.as_ref(), task, &test.points);
    let unknown = before.as_slice().iter().all(|v| *v == task.nothing_known());
    law(unknown, "before the first fit a model knows nothing", &format!("{:?}", before.row(0)))?;
    law(
        fresh.parts().is_empty(),
        "before the first fit there is nothing to save",
        "there are parts",
    )?;
    let taught = all.learn(build)?;
    let (found, parts) = (predictions(taught.as_ref(), task, &test.points), taught.parts());
    let mut other = build(task, 2);
    if parts.is_empty() {
        return law(other.restore(&parts).is_err(), "of nothing comes no model", "it does");
    }
    other.restore(&parts).map_err(|e| format!("a model refuses its own parts: {e}"))?;
    let same = predictions(other.as_ref(), task, &test.points) == found && other.parts() == parts;
    law(same, "a model that was saved predicts the same bits", "it does not")?;
    let mut refuses = |bad: &[Part], what: &str| {
        law(other.restore(bad).is_err(), "a spoiled model is refused", what)?;
        let still = predictions(other.as_ref(), task, &test.points) == found;
        law(still, "a refused model changes nothing", what)
    };
    refuses(&[], "no parts")?;
    refuses(&parts[1..], "a part is missing")?;
    refuses(&[parts.clone(), parts[..1].to_vec()].concat(), "a part is there twice")?;
    for k in 0..parts.len() {
        let spoiled = |spoil: &dyn Fn(&mut Part)| {
            let mut bad = parts.clone();
            spoil(&mut bad[k]);
            bad
        };
        let name = &parts[k].name;
        refuses(&spoiled(&|p| p.name.push('x')), &format!("{name} has another name"))?;
        refuses(
            &spoiled(&|p| p.shape = vec![usize::MAX, 8]),
            &format!("{name} has a wrong shape"),
        )?;
        refuses(&spoiled(&|p| p.shape.clear()), &format!("{name} has no shape"))?;
        refuses(
            &spoiled(&|p| p.values.truncate(p.values.len() - 1)),
            &format!("{name} is too short"),
        )?;
        for bad in [f64::NAN, f64::INFINITY, -1e300] {
            let last = parts[k].values.len() - 1;
            refuses(&spoiled(&|p| p.values[last] = bad), &format!("{name} has {bad}"))?;
        }
        for at in 0..parts[k].values.len().min(60) {
            for value in [-1.0, 0.0, 0.5, 1.0, 2.0, 1e6] {
                answers(build, task, &spoiled(&|p| p.values[at] = value), &test.points);
            }
        }
    }
    Ok(())
}

/// Any other number is refused or makes a model that still answers.
fn answers(build: Build, task: Task, parts: &[Part], points: &Matrix) {
    let mut odd = build(task, 2);
    if odd.restore(parts).is_ok() {
        predictions(odd.as_ref(), task, points);
    }
}
