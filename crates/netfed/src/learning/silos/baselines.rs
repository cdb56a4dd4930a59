//! Methods that (8) is compared with, on the same model (7), with the same local steps
//! (`log_degree/steps.rs`):
//!
//!   IGL       every silo alone                                 w_i: g_i
//!   FedAvg    one graph, averaged over the signals             w: start at the mean, steps of g_i
//!   FedProx   the same, steps pulled back with strength μ      g_i + (μ/2)‖w − mean‖²
//!   MR-MTL    one graph per silo, pulled to their mean         g_i + (μ/2)‖w_i − mean of the w_i‖²
//!   Ditto     FedAvg, and a graph per silo pulled to its graph g_i + (μ/2)‖w_i − graph of FedAvg‖²
//!
//! Momentum goes on over the rounds where a graph does (IGL, MR-MTL, the graphs of Ditto) and
//! starts again where a silo starts from the server's. Stable steps of the one graph are of one
//! size for all silos. The exact counterparts are [`LogDegree::solve`] and [`LogDegree::pooled`].

use crate::learning::LogDegree;
use crate::learning::log_degree::steps::{LocalWork, Moving};
use crate::numeric::linalg::axpy;
use crate::outcome::{Event, Observer, Unobserved};
use crate::{Error, Matrix};

/// A method of gradient steps.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum GraphMethod {
    /// Every silo alone.
    Alone,
    /// One graph for all.
    FedAvg,
    /// One graph for all, with a proximal term of weight μ.
    FedProx(f64),
    /// One graph per silo, pulled to their mean with strength μ.
    MrMtl(f64),
    /// One graph per silo, pulled to that of FedAvg with strength μ.
    Ditto(f64),
}

/// Runs a method for some rounds from equal weights; one row of weights per silo.
pub fn run_graph_method(
    method: GraphMethod,
    silos: &[LogDegree],
    work: &LocalWork,
    rounds: u64,
    start: f64,
) -> Result<Matrix, Error> {
    run_graph_method_with(method, silos, work, rounds, start, &mut Unobserved)
}

/// [`run_graph_method()`] with an observer, who is told after every round and before the first, and
/// may end the run.
pub fn run_graph_method_with(
    method: GraphMethod,
    silos: &[LogDegree],
    work: &LocalWork,
    rounds: u64,
    start: f64,
    observer: &mut dyn Observer,
) -> Result<Matrix, Error> {
    let Some(first) = silos.first() else {
        return Err(Error::Size { what: "silos", expected: 1, found: 0 });
    };
    silos.iter().try_for_each(|silo| work.check(silo.model().zeta))?;
    let begin = vec![start; first.candidates().len()];
    let mut own: Vec<Moving> = silos.iter().map(|_| Moving::at(&begin)).collect();
    let mut global = begin.clone();
    let mut rate = f64::INFINITY;
    for done in 0..=rounds {
        if observer.observe(Event::round(done)).is_break() || done == rounds {
            break;
        }
        match method {
            GraphMethod::Alone => pull_all(&mut own, silos, work, 0.0, &begin),
            GraphMethod::FedAvg => global = average(silos, work, 0.0, &global, &mut rate),
            GraphMethod::FedProx(mu) => global = average(silos, work, mu, &global, &mut rate),
            GraphMethod::MrMtl(mu) => {
                pull_all(&mut own, silos, work, mu, &global);
                let equal = vec![1.0 / silos.len() as f64; silos.len()];
                global = mean(&equal, own.iter().map(|w| &w.now));
            }
            GraphMethod::Ditto(mu) => {
                pull_all(&mut own, silos, work, mu, &global);
                global = average(silos, work, 0.0, &global, &mut rate);
            }
        }
    }
    let rows: Vec<f64> = match method {
        GraphMethod::FedAvg | GraphMethod::FedProx(_) => global.repeat(silos.len()),
        _ => own.iter().flat_map(|w| &w.now).copied().collect(),
    };
    Matrix::from_rows(first.candidates().len(), rows)
}

/// A round of every silo's own graph.
fn pull_all(own: &mut [Moving], silos: &[LogDegree], work: &LocalWork, mu: f64, center: &[f64]) {
    own.iter_mut().zip(silos).for_each(|(w, silo)| w.work(silo, work, mu, center));
}

/// A round of the one graph. Stable steps are at most as large as any silo has needed so far, so
/// that in the end all silos take the same ones: else the graph could go to and fro.
fn average(
    silos: &[LogDegree],
    work: &LocalWork,
    mu: f64,
    global: &[f64],
    rate: &mut f64,
) -> Vec<f64> {
    let all: usize = silos.iter().map(LogDegree::signals).sum();
    let weights: Vec<f64> = silos.iter().map(|s| s.signals() as f64 / all.max(1) as f64).collect();
    let most = *rate;
    let answers: Vec<Vec<f64>> = (silos.iter())
        .map(|silo| {
            let mut w = Moving::at(global);
            *rate = rate.min(w.work_at_most(silo, work, mu, global, most));
            w.now
        })
        .collect();
    mean(&weights, answers.iter())
}

fn mean<'a>(weights: &[f64], vectors: impl Iterator<Item = &'a Vec<f64>>) -> Vec<f64> {
    let mut sum = Vec::new();
    for (weight, vector) in weights.iter().zip(vectors) {
        sum.resize(vector.len(), 0.0);
        axpy(*weight, vector, &mut sum);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{kept_part, rbf_graph, smooth_signals, with_random_edges};
    use crate::learning::{Candidates, Model};
    use crate::numeric::linalg::{distance, norm};
    use std::sync::Arc;

    fn silos(seed: u64, beta: f64) -> Vec<LogDegree> {
        let whole = rbf_graph(15, seed).unwrap();
        let kept = kept_part(&whole, 0.6, seed + 100).unwrap();
        let candidates = Arc::new(Candidates::all(15).unwrap());
        let model = Model { alpha: 1.0, beta, zeta: 0.01 };
        let silo = |i: u64| {
            let graph = with_random_edges(&kept, 12, 10 * seed + i).unwrap();
            let signals = smooth_signals(&graph, 40, 0.1, 20 * seed + i).unwrap();
            LogDegree::new(Arc::clone(&candidates), &signals, model).unwrap()
        };
        (0..4).map(silo).collect()
    }

    /// The one graph of FedAvg and FedProx settles: it does not go to and fro.
    #[test]
    fn one_graph_settles() {
        for method in [GraphMethod::FedAvg, GraphMethod::FedProx(1.0)] {
            for (seed, beta) in (0..4).flat_map(|s| [0.01, 0.1, 0.3].map(|b| (s, b))) {
                let silos = silos(seed, beta);
                let after = |rounds: u64| {
                    let work = LocalWork::default();
                    run_graph_method(method, &silos, &work, rounds, 0.1).unwrap()
                };
                let (one, two) = (after(500), after(501));
                let apart = distance(one.row(0), two.row(0)) / norm(one.row(0));
                assert!(apart < 1e-3, "{method:?} {seed} {beta}: {apart}");
            }
        }
    }
}
