//! A loss of your own: value and gradient are enough.
//!
//!     cargo run --release -p netfed --example own_loss
//!
//! L(w) = (1/m) Σ log(1 + exp(−y wᵀx)) + η‖w‖², which netfed has built in, so that the answers can
//! be compared. Without more than value and gradient nothing can be proven, and a run ends
//! `unproven`; one line about where better models may be brings the certificate.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::generate::logistic_data;
use netfed::loss::Loss;
use netfed::penalty::Norm2;
use netfed::{Dataset, Error, Graph, LossKind, Matrix, Options, Problem, Solution, Status, solve};

const RIDGE: f64 = 0.05;

/// Points with labels −1 and 1.
pub struct Own {
    /// The points, x with y.
    pub data: Dataset,
    /// Whether to say where better models may be.
    pub bounded: bool,
}

impl Loss for Own {
    fn dim(&self) -> usize {
        self.data.dim()
    }

    fn value(&self, w: &[f64]) -> f64 {
        let losses = self.margins(w).map(|(_, t)| (-t).max(0.0) + (-t.abs()).exp().ln_1p());
        losses.sum::<f64>() / self.data.points() as f64 + RIDGE * dot(w, w)
    }

    fn gradient(&self, w: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(w).for_each(|(o, w)| *o = 2.0 * RIDGE * w);
        for (r, t) in self.margins(w) {
            let factor = -self.data.labels()[r] / (1.0 + t.exp()) / self.data.points() as f64;
            out.iter_mut().zip(self.data.point(r)).for_each(|(o, x)| *o += factor * x);
        }
    }

    /// η‖w‖² ≤ L(w) ≤ level, for w and for the center.
    fn level_radius(&self, level: f64, center: &[f64]) -> f64 {
        let reach = (level.max(0.0) / RIDGE).sqrt() + dot(center, center).sqrt();
        if self.bounded { reach } else { f64::INFINITY }
    }
}

impl Own {
    /// y wᵀx of every point.
    fn margins<'a>(&'a self, w: &'a [f64]) -> impl Iterator<Item = (usize, f64)> + 'a {
        (0..self.data.points()).map(|r| (r, self.data.labels()[r] * dot(self.data.point(r), w)))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Twelve nodes in two groups of equal models, with twenty points each.
pub fn data() -> Result<Vec<Dataset>, Error> {
    let truth = (0..12).flat_map(|i| if i < 6 { [1.0, -1.0, 0.5] } else { [-1.0, 0.5, 1.0] });
    logistic_data(&Matrix::from_rows(3, truth.collect())?, 20, 7)
}

/// The ring of the nodes, solved with these losses.
fn solved(losses: Vec<Box<dyn Loss>>) -> Result<Solution, Error> {
    let edges: Vec<_> = (0..12).map(|i| (i, (i + 1) % 12, 1.0)).collect();
    let problem = Problem::new(Graph::new(12, &edges)?, losses, Box::new(Norm2), 0.05)?;
    solve(&problem, &Options::default())
}

/// Solves with the built-in loss, and with the own one without and with a bound.
pub fn main() -> Result<(), Error> {
    let data = data()?;
    let built_in = data.iter().map(|d| LossKind::Logistic.build(d.clone(), RIDGE, 0.0));
    let expected = solved(built_in.collect::<Result<_, _>>()?)?;
    println!("built in: {}, objective {}", expected.status, expected.certificate.objective);
    for (bounded, status) in [(false, Status::Unproven), (true, Status::Solved)] {
        let own = |d: &Dataset| -> Box<dyn Loss> { Box::new(Own { data: d.clone(), bounded }) };
        let found = solved(data.iter().map(own).collect())?;
        let c = &found.certificate;
        println!("own: {}, objective {}, accuracy {:.1e}", found.status, c.objective, c.accuracy());
        assert_eq!(found.status, status);
        assert!(c.accuracy() <= 1e-6);
        let apart = (c.objective / expected.certificate.objective - 1.0).abs();
        assert!(apart <= 2e-6, "the objectives differ by {apart:e}");
    }
    Ok(())
}
