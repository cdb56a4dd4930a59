//! β for a wanted number of neighbors. A larger β spreads the weight over more edges: the mean
//! number of neighbors of the graphs of (7) grows with β, and a bisection of log β finds the wanted
//! one. β is measured in units of (mean z)²/α, in which it does not depend on the scale of the
//! signals.

use super::{LogDegree, Model};
use crate::Error;
use crate::error::positive;

/// β for which the graphs of (7) of some silos, each alone, have about this many neighbors per
/// vertex on average; the mean that it gives.
pub fn beta_for(silos: &[LogDegree], neighbors: f64) -> Result<(f64, f64), Error> {
    positive("the mean number of neighbors", neighbors)?;
    let mean =
        |one: &LogDegree| one.distances().iter().sum::<f64>() / one.distances().len().max(1) as f64;
    let size = silos.iter().map(mean).sum::<f64>() / silos.len().max(1) as f64;
    let alpha = silos.first().map_or(1.0, |one| one.model().alpha);
    let unit = if size > 0.0 { size * size / alpha } else { 1.0 };
    let at = |exponent: f64| -> Result<(f64, f64), Error> {
        let beta = (unit * 10f64.powf(exponent)).clamp(1e-60, 1e60);
        let (mut edges, mut vertices) = (0, 0);
        for one in silos {
            let graph = one.with_model(Model { beta, ..one.model() })?.solve();
            edges += graph.weights.iter().filter(|w| **w > 0.0).count();
            vertices += one.candidates().vertices();
        }
        Ok((beta, 2.0 * edges as f64 / vertices.max(1) as f64))
    };
    let (mut low, mut high) = (-10.0, 5.0);
    let mut best = at(0.5 * (low + high))?;
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        let found = at(middle)?;
        if (found.1 - neighbors).abs() < (best.1 - neighbors).abs() {
            best = found;
        }
        if (best.1 - neighbors).abs() <= 0.02 * neighbors {
            break;
        }
        if found.1 < neighbors { low = middle } else { high = middle }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::super::Candidates;
    use super::*;
    use crate::generate::{rbf_graph, smooth_signals};
    use std::sync::Arc;

    #[test]
    fn the_wanted_number_of_neighbors_comes_out_at_any_scale() {
        let signals = smooth_signals(&rbf_graph(40, 1).unwrap(), 30, 0.1, 2).unwrap();
        let candidates = Arc::new(Candidates::all(40).unwrap());
        for size in [1e-3, 1.0, 1e5] {
            let mut scaled = signals.clone();
            scaled.as_mut_slice().iter_mut().for_each(|x| *x *= size);
            let model = Model::default();
            let one = LogDegree::new(Arc::clone(&candidates), &scaled, model).unwrap();
            for wanted in [3.0, 8.0] {
                let (beta, found) = beta_for(std::slice::from_ref(&one), wanted).unwrap();
                assert!((found - wanted).abs() < 0.3, "{size} {wanted}: {beta} {found}");
            }
        }
        assert!(beta_for(&[], 0.0).is_err());
    }
}
