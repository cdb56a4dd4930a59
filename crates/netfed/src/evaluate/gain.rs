//! Whether one model of a node is better than another, from the errors of both on the same points.
//!
//! The gain is the mean of the differences, with its standard error; it counts when it is further
//! from zero than Student's 95% interval.

use super::paired::mean;
use super::statistics::Estimate;

/// What a change of models does to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The errors are clearly smaller.
    Gain,
    /// They are clearly larger.
    Lose,
    /// The points do not tell.
    Unclear,
}

/// What a node gains.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Gain {
    /// Number of points.
    pub points: usize,
    /// Mean error of the former model.
    pub before: f64,
    /// Mean error of the new one.
    pub after: f64,
    /// How much smaller the new error is.
    pub gain: Estimate,
    /// Whether that counts.
    pub effect: Effect,
}

impl Gain {
    /// From the errors of two models on the same points, two or more.
    pub fn new(before: &[f64], after: &[f64]) -> Gain {
        let points = before.len();
        let gain = Estimate::of_difference(before, after, points.max(1));
        let reach = student(points as f64 - 1.0) * gain.se;
        let effect = match gain.mean {
            g if g > reach => Effect::Gain,
            g if g < -reach => Effect::Lose,
            _ => Effect::Unclear,
        };
        Gain { points, before: mean(before), after: mean(after), gain, effect }
    }
}

/// The 97.5% quantile of Student's distribution, by the expansion of Cornish and Fisher; good to 1%
/// from 3 degrees of freedom on.
fn student(freedom: f64) -> f64 {
    let z: f64 = 1.959_963_985;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    z + terms[0] / freedom + terms[1] / freedom.powi(2) + terms[2] / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [(3.0, 3.182), (5.0, 2.571), (10.0, 2.228), (100.0, 1.984)] {
            assert!((student(freedom) / expected - 1.0).abs() < 0.01, "{freedom}");
        }
    }

    #[test]
    fn only_clear_differences_count() {
        let alone = [2.0, 2.1, 1.9, 2.0, 5.0];
        let coupled = [1.0, 1.1, 1.0, 0.9, 9.0];
        let clear = Gain::new(&alone[..4], &coupled[..4]);
        assert!(clear.effect == Effect::Gain && (clear.gain.mean - 1.0).abs() < 1e-12);
        assert_eq!(Gain::new(&coupled[..4], &alone[..4]).effect, Effect::Lose);
        assert_eq!(Gain::new(&alone, &coupled).effect, Effect::Unclear);
        assert_eq!(Gain::new(&alone[..4], &alone[..4]).effect, Effect::Unclear);
    }
}
