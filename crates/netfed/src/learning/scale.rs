//! The scale of learned weights. (7) fixes it by α; other uses of a graph have scales of their own.

use super::Candidates;

/// What the weights of a graph are divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Scale {
    /// Nothing.
    #[default]
    None,
    /// The mean degree, which becomes 1.
    MeanDegree,
    /// The largest weight, which becomes 1.
    LargestWeight,
}

impl Scale {
    /// The number that weights are divided by; 1 for a graph without edges.
    pub fn divisor(self, candidates: &Candidates, weights: &[f64]) -> f64 {
        let size = match self {
            Scale::None => 1.0,
            Scale::MeanDegree => 2.0 * weights.iter().sum::<f64>() / candidates.vertices() as f64,
            Scale::LargestWeight => weights.iter().copied().fold(0.0, f64::max),
        };
        if size > 0.0 { size } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors() {
        let all = Candidates::all(3).unwrap();
        let weights = [1.0, 0.0, 5.0];
        let of = |scale: Scale| scale.divisor(&all, &weights);
        assert_eq!(
            [of(Scale::None), of(Scale::MeanDegree), of(Scale::LargestWeight)],
            [1.0, 4.0, 5.0]
        );
        assert_eq!(Scale::MeanDegree.divisor(&all, &[0.0; 3]), 1.0);
    }
}
