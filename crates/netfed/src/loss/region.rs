//! Where the model w' of a node may be in a better point, as far as that is known from its own
//! point w: v = w' − w is in the intersection of
//!
//! * the ball ‖v‖ ≤ R;
//! * the box |v_j| ≤ R_j;
//! * the models with a loss L(w') ≤ B;
//! * an ellipsoid of the whole component and a ball, v = v_q + δ with √(v_qᵀGv_q) ≤ ρ and ‖δ‖ ≤ r.
//!
//! A mismatch e of slopes costs sup ⟨e, v⟩. Boxes and ellipsoids know the units of the features,
//! which balls do not.

use crate::numeric::linalg::Whitening;

/// What is known about v.
#[derive(Debug, Clone)]
pub struct Region<'a> {
    radius: f64,
    sides: Vec<f64>,
    level: f64,
    common: Option<Common<'a>>,
}

/// An ellipsoid and a ball.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Common<'a> {
    /// Of G.
    pub(crate) whitening: &'a Whitening,
    /// ρ
    pub(crate) size: f64,
    /// r
    pub(crate) beyond: f64,
}

impl<'a> Region<'a> {
    /// Nothing is known.
    pub const EVERYWHERE: Region<'static> =
        Region { radius: f64::INFINITY, sides: Vec::new(), level: f64::INFINITY, common: None };

    /// ‖v‖ ≤ radius
    pub fn ball(radius: f64) -> Region<'a> {
        Region { radius, ..Region::EVERYWHERE }
    }

    /// Also L(w') ≤ level.
    pub fn with_level(self, level: f64) -> Region<'a> {
        Region { level, ..self }
    }

    /// Also within a box.
    pub(crate) fn with_sides(self, sides: Vec<f64>) -> Region<'a> {
        Region { sides, ..self }
    }

    /// Also within an ellipsoid and a ball.
    pub(crate) fn with_common(self, common: Option<Common<'a>>) -> Region<'a> {
        Region { common, ..self }
    }

    /// R
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Whether every mismatch has a finite cost.
    pub fn is_bounded(&self) -> bool {
        let sides = || !self.sides.is_empty() && self.sides.iter().all(|r| r.is_finite());
        self.radius.is_finite() || self.common.is_some() || sides()
    }

    /// B
    pub fn level(&self) -> f64 {
        self.level
    }

    /// A bound of sup ⟨e, v⟩ for an e with entries that are off by so much at most: from the balls,
    /// the box and the common ellipsoid. A loss knows what its level says.
    pub fn cost(&self, e: &[f64], off: &[f64]) -> f64 {
        let up = 1.0 + (e.len() + 8) as f64 * f64::EPSILON;
        let entries = || e.iter().zip(off).map(|(e, off)| e.abs() * (1.0 + f64::EPSILON) + off);
        let length = entries().map(|e| e * e).sum::<f64>().sqrt() * up;
        if length == 0.0 {
            return 0.0;
        }
        if !length.is_finite() {
            return f64::INFINITY;
        }
        let by_ball = self.radius * length;
        let by_box = if self.sides.is_empty() {
            f64::INFINITY
        } else {
            entries().zip(&self.sides).filter(|(e, _)| *e > 0.0).map(|(e, r)| e * r).sum()
        };
        let by_ellipsoid = match self.common {
            Some(c) => c.size * c.whitening.inverse_norm(e, off) + c.beyond * length,
            None => f64::INFINITY,
        };
        by_ball.min(by_box).min(by_ellipsoid) * up
    }
}

/// ‖e‖²/(4η₂) for an e with entries that are off by so much at most.
pub(crate) fn by_ridge(ridge: f64, e: &[f64], off: &[f64]) -> f64 {
    if ridge == 0.0 {
        return f64::INFINITY;
    }
    let entries = e.iter().zip(off).map(|(e, off)| e.abs() * (1.0 + f64::EPSILON) + off);
    let square: f64 = entries.map(|e| e * e).sum();
    square / (4.0 * ridge) * (1.0 + (e.len() + 8) as f64 * f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::linalg::gram::Gram;

    #[test]
    fn the_best_of_all_that_is_known_counts() {
        let (e, exact) = ([3.0, -4.0], [0.0, 0.0]);
        assert_eq!(Region::EVERYWHERE.cost(&e, &exact), f64::INFINITY);
        assert_eq!(Region::EVERYWHERE.cost(&exact, &exact), 0.0);
        let near = |region: &Region<'_>, expected: f64| {
            let cost = region.cost(&e, &exact);
            assert!(cost >= expected && cost <= expected * (1.0 + 1e-6), "{cost} {expected}");
        };
        let ball = Region::ball(2.0);
        near(&ball, 10.0);
        let boxed = ball.clone().with_sides(vec![1.0, 0.5]);
        near(&boxed, 5.0);
        near(&ball.clone().with_sides(vec![f64::INFINITY, 0.5]), 10.0);
        // G = diag(900, 1600): e is as long as (0.1, −0.1) there.
        let gram = Gram::of_rows(&[30.0, 0.0, 0.0, 40.0], 2, None);
        let whitening = Whitening::of_all(&gram).unwrap();
        let common = Common { whitening: &whitening, size: 2.0, beyond: 0.1 };
        near(&boxed.with_common(Some(common)), 2.0 * 0.02f64.sqrt() + 0.5);
        // What rounding hides counts, and what is no number bounds nothing.
        assert!(ball.cost(&exact, &[0.0, 1.0]) >= 2.0);
        for e in [[f64::NAN, 0.0], [f64::INFINITY, 1.0]] {
            assert_eq!(ball.clone().with_sides(vec![1.0, 1.0]).cost(&e, &exact), f64::INFINITY);
        }
    }
}
