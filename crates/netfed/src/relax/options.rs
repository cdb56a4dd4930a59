//! How models are trained by FedRelax.

use crate::error::nonnegative;
use crate::model::Stop;
use crate::{Error, HoldOut};

/// How models are trained.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RelaxOptions {
    /// α, the strength of the coupling: 0 trains every node alone, large values make neighbors
    /// predict alike.
    pub alpha: f64,
    /// The most rounds of exchanging predictions and fitting.
    pub rounds: u64,
    /// The points that judge whether coupling helps, in a training of their own; the models that
    /// are kept are trained on all points.
    pub hold_out: HoldOut,
    /// Whether features are centered and scaled to unit standard deviation over all points.
    pub standardize: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// A flag that ends fits, too, once it is set.
    pub stop: Option<Stop>,
}

impl RelaxOptions {
    /// Ten rounds with this α, one of five points held out.
    pub fn new(alpha: f64) -> RelaxOptions {
        let hold_out = HoldOut::OneOf(5);
        RelaxOptions { alpha, rounds: 10, hold_out, standardize: false, seed: 0, stop: None }
    }

    /// With so many rounds.
    pub fn with_rounds(self, rounds: u64) -> RelaxOptions {
        RelaxOptions { rounds, ..self }
    }

    /// With these points held out.
    pub fn with_hold_out(self, hold_out: HoldOut) -> RelaxOptions {
        RelaxOptions { hold_out, ..self }
    }

    /// With features in comparable units, or as they are.
    pub fn with_standardize(self, standardize: bool) -> RelaxOptions {
        RelaxOptions { standardize, ..self }
    }

    /// With this seed.
    pub fn with_seed(self, seed: u64) -> RelaxOptions {
        RelaxOptions { seed, ..self }
    }

    /// With a flag that ends fits once it is set.
    pub fn with_stop(self, stop: Stop) -> RelaxOptions {
        RelaxOptions { stop: Some(stop), ..self }
    }

    /// Refuses what makes no sense.
    pub(super) fn check(&self) -> Result<(), Error> {
        nonnegative("alpha", self.alpha)?;
        let (value, expected) = match self.hold_out {
            HoldOut::OneOf(1) => (1.0, "2 or more, or 0 for none: 1 would hold out every point"),
            HoldOut::Share(share) if !(0.0..1.0).contains(&share) => (share, "from 0 to below 1"),
            _ => return Ok(()),
        };
        Err(Error::BadNumber { name: "the part held out", value, expected })
    }
}
