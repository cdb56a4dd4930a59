//! The local work of a client: E (stochastic) gradient steps from the model w it was sent,
//!
//!   v ← v − η (g̃(v) + μ(v − w)),   v = w at first,   g̃ the gradient of L or of a mini-batch
//!
//! Every client takes the same number of steps, whatever the number of its points; an epoch of m
//! points is m/(batch size) steps.

use super::clients::{ClientData, Clients};
use crate::Error;
use crate::error::{positive, same_size};
use crate::loss::Loss;
use crate::numeric::linalg::norm;
use crate::numeric::sampling;

/// Steps of the power iteration.
const POWERS: usize = 50;
/// It approaches the largest curvature from below.
const MARGIN: f64 = 1.1;

/// The step size η in round t = 0, 1, …
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// The same in every round.
    Constant(f64),
    /// c/√(t + 1), for (sub)gradients that do not vanish at the minimizer.
    InverseRoot(f64),
}

impl Rate {
    /// η of a round.
    pub fn at(self, round: u64) -> f64 {
        match self {
            Rate::Constant(rate) => rate,
            Rate::InverseRoot(rate) => rate / ((round + 1) as f64).sqrt(),
        }
    }

    /// A rate that suits the clients. Smooth losses: 1/(largest curvature of all clients), at which
    /// no gradient step overshoots. Losses with kinks: c/√(t + 1), c = mean Lᵢ(0) / mean ‖x‖²,
    /// about the step that would bring the loss of the model 0 to 0. 1 if there are no data.
    pub fn suited(clients: &Clients<'_>) -> Rate {
        let with_data: Vec<_> = clients.all().filter(|c| c.loss.points() > 0).collect();
        let largest: Option<Vec<f64>> =
            with_data.iter().map(|c| largest_curvature(c.loss, c.node)).collect();
        let rate = |rate: f64| if rate > 0.0 && rate.is_finite() { rate } else { 1.0 };
        if let Some(largest) = largest {
            return Rate::Constant(rate(1.0 / largest.into_iter().fold(0.0, f64::max)));
        }
        let zero = vec![0.0; clients.problem().dim()];
        let (mut losses, mut squares) = (0.0, 0.0);
        for client in with_data {
            losses += client.loss.value(&zero);
            squares += mean_square(client.loss);
        }
        Rate::InverseRoot(rate(losses / squares))
    }

    /// The rate for losses with an additional (μ/2)‖v − w‖².
    pub fn with_proximity(self, proximity: f64) -> Rate {
        let damped = |rate: f64| rate / (1.0 + rate * proximity);
        match self {
            Rate::Constant(rate) => Rate::Constant(damped(rate)),
            Rate::InverseRoot(rate) => Rate::InverseRoot(damped(rate)),
        }
    }

    pub(crate) fn check(self) -> Result<(), Error> {
        positive("the learning rate", self.at(0))
    }
}

/// A little more than the largest curvature of a loss, by power iteration on XᵀX/m; none where the
/// loss has kinks.
fn largest_curvature(loss: &dyn Loss, node: usize) -> Option<f64> {
    let curvature = loss.curvature()?;
    let mut v = sampling::start(0, node, loss.dim());
    let mut largest = 0.0;
    for _ in 0..POWERS {
        let length = norm(&v);
        if length == 0.0 {
            break;
        }
        v.iter_mut().for_each(|x| *x /= length);
        let mut next = vec![0.0; v.len()];
        loss.add_gram_times(&v, &mut next);
        largest = norm(&next);
        v = next;
    }
    Some(MARGIN * (curvature.high * largest + 2.0 * curvature.ridge))
}

/// The mean of ‖x‖² over the points of a loss.
fn mean_square(loss: &dyn Loss) -> f64 {
    let dim = loss.dim();
    let mut gram = vec![0.0; dim * dim];
    loss.add_gram(&mut gram);
    (0..dim).map(|j| gram[j * dim + j]).sum()
}

/// The gradient steps of a client in a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalSteps {
    /// Number of steps E ≥ 1.
    pub steps: u64,
    /// The learning rate η.
    pub rate: Rate,
    /// Points per step; None: all of them.
    pub batch: Option<usize>,
    /// Seed of the mini-batches.
    pub seed: u64,
}

impl Default for LocalSteps {
    fn default() -> LocalSteps {
        LocalSteps { steps: 1, rate: Rate::Constant(0.01), batch: None, seed: 0 }
    }
}

impl LocalSteps {
    pub(crate) fn check(&self, clients: &Clients<'_>) -> Result<(), Error> {
        self.rate.check()?;
        positive("the number of local steps", self.steps as f64)?;
        if let Some(size) = self.batch {
            positive("the size of a mini-batch", size as f64)?;
            let found = clients.all().filter(|c| c.points.is_some()).count();
            same_size("nodes with points for mini-batches", clients.count(), found)?;
        }
        Ok(())
    }

    /// The model after the steps of a round from `from`, with μ = `proximity`.
    pub(crate) fn run(
        &self,
        data: &ClientData<'_>,
        round: u64,
        from: &[f64],
        proximity: f64,
    ) -> Vec<f64> {
        let rate = self.rate.at(round);
        let (mut v, mut gradient) = (from.to_vec(), vec![0.0; from.len()]);
        for step in 0..self.steps {
            let draw = round.wrapping_mul(self.steps).wrapping_add(step);
            data.gradient(&v, self.batch, self.seed, draw, &mut gradient);
            for ((v, g), w) in v.iter_mut().zip(&gradient).zip(from) {
                *v -= rate * (g + proximity * (*v - w));
            }
        }
        v
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossKind;
    use crate::methods::testing::example;

    #[test]
    fn rates_and_settings_are_what_they_say() {
        assert_eq!(Rate::Constant(0.3).at(99), 0.3);
        assert_eq!(Rate::InverseRoot(0.3).at(8), 0.3 / 3.0);
        let example = example(LossKind::Squared);
        let whole = Clients::new(&example.problem);
        let sampled = Clients::with_points(&example.problem, &example.points).unwrap();
        let good = LocalSteps { batch: Some(2), ..LocalSteps::default() };
        assert_eq!(good.check(&sampled), Ok(()));
        let refused = good.check(&whole).unwrap_err().to_string();
        assert_eq!(refused, "nodes with points for mini-batches: expected 5, found 0");
        for bad in [
            LocalSteps { steps: 0, ..good },
            LocalSteps { batch: Some(0), ..good },
            LocalSteps { rate: Rate::Constant(0.0), ..good },
            LocalSteps { rate: Rate::InverseRoot(f64::NAN), ..good },
        ] {
            assert!(bad.check(&sampled).is_err(), "{bad:?}");
        }
        assert!(Clients::with_points(&example.problem, &example.points[..4]).is_err());
    }

    #[test]
    fn suited_rates_find_the_pooled_model() {
        use crate::methods::server::fed_avg;
        use crate::methods::{Rounds, Weighting};
        use crate::solve::exact::pooled;
        let rounds = Rounds { max_rounds: 20_000, tolerance: 1e-12, ..Rounds::default() };
        for kind in [
            LossKind::Squared,
            LossKind::Logistic,
            LossKind::Huber { delta: 0.5 },
            LossKind::Mean,
            LossKind::Absolute,
            LossKind::Hinge,
        ] {
            let example = example(kind);
            let clients = Clients::new(&example.problem);
            let work = LocalSteps { rate: Rate::suited(&clients), ..LocalSteps::default() };
            let run = fed_avg(&clients, &[0.0; 2], &work, &rounds).unwrap();
            let best = pooled(&example.problem, Weighting::Points).unwrap().params;
            let off = crate::numeric::linalg::distance(run.params.row(0), best.row(0));
            let smooth = !matches!(kind, LossKind::Absolute | LossKind::Hinge);
            assert_eq!(matches!(work.rate, Rate::Constant(_)), smooth, "{kind:?}");
            assert!(off < if smooth { 1e-8 } else { 0.05 }, "{kind:?}: {off}");
        }
        let mean = example(LossKind::Mean);
        let Rate::Constant(rate) = Rate::suited(&Clients::new(&mean.problem)) else { panic!() };
        assert!((rate - 1.0 / (1.1 * 2.02)).abs() < 1e-12, "{rate}");
        assert_eq!(Rate::Constant(0.5).with_proximity(2.0), Rate::Constant(0.25));
    }

    #[test]
    fn mini_batches_differ_from_step_to_step_and_repeat() {
        let example = example(LossKind::Squared);
        let clients = Clients::with_points(&example.problem, &example.points).unwrap();
        let work = LocalSteps { steps: 3, batch: Some(1), ..LocalSteps::default() };
        let data = clients.data(4);
        let from = [0.3, -0.2];
        let run = |round, work: LocalSteps| work.run(&data, round, &from, 0.0);
        assert_eq!(run(5, work), run(5, work));
        assert_ne!(run(5, work), run(6, work));
        assert_ne!(run(5, work), run(5, LocalSteps { seed: 1, ..work }));
        let every = LocalSteps { batch: Some(99), ..work };
        let all = LocalSteps { batch: None, ..work };
        let (every, all) = (run(5, every), run(5, all));
        assert!(every.iter().zip(&all).all(|(a, b)| (a - b).abs() < 1e-14));
    }
}
