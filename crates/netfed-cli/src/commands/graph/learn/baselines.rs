//! The methods that (8) is compared with. Their objective is Σᵢ gᵢ(wᵢ) of (7), of which only `igl` finds the least value.

use netfed::learning::{GraphMethod, LocalWork, LogDegree, run_graph_method_with};
use netfed::{Event, Matrix, Observer, Status};

use super::flags::Baseline;
use super::setting::Setting;
use super::solve::{Found, rounds_ended};
use crate::failure::Failure;

/// The weight that every pair starts with.
const START: f64 = 0.1;

/// The graphs by a method, with what the silos have in common by it: the one graph, that of FedAvg for Ditto, the mean for MR-MTL.
pub(super) fn solve(
    baseline: Baseline,
    silos: &[LogDegree],
    setting: Setting,
    rounds: u64,
    watch: &mut dyn Observer,
) -> Result<Found, Failure> {
    if baseline == Baseline::Igl {
        return alone(silos, setting);
    }
    let method = setting.method(baseline);
    let mut done = 0;
    let mut count = |event: Event<'_>| {
        done = event.count();
        watch.observe(event)
    };
    let work = LocalWork::default();
    let locals = run_graph_method_with(method, silos, &work, rounds, START, &mut count)?;
    let common = match method {
        GraphMethod::Ditto(_) => {
            let one = run_graph_method_with(
                GraphMethod::FedAvg,
                silos,
                &work,
                rounds,
                START,
                &mut count,
            )?;
            one.row(0).to_vec()
        }
        _ => mean(&locals),
    };
    let found = Found::new(silos, setting, locals, Some(common));
    Ok(Found { ended: rounds_ended(done, rounds), rounds: done, ..found })
}

/// Every silo alone, to the end.
fn alone(silos: &[LogDegree], setting: Setting) -> Result<Found, Failure> {
    let (mut rows, mut gap) = (Vec::new(), 0.0);
    for silo in silos {
        let learned = silo.solve();
        rows.extend(learned.weights);
        gap += learned.gap;
    }
    let locals = Matrix::from_rows(silos[0].candidates().len(), rows)?;
    let found = Found::new(silos, setting, locals, None);
    Ok(Found { gap: Some(gap), solved: true, ended: Status::Solved, ..found })
}

/// The mean graph; where all are the same, these.
fn mean(locals: &Matrix) -> Vec<f64> {
    let first = locals.row(0);
    let count = locals.rows() as f64;
    let others = |k: usize| (0..locals.rows()).map(|i| locals.row(i)[k] - first[k]).sum::<f64>();
    first.iter().enumerate().map(|(k, w)| w + others(k) / count).collect()
}
