//! The settings of a fit, as data.
//!
//! A setting is written down in one place, a row of the table in `settings.rs`: its name, its type,
//! its default, what it does. From it follow [`Spec`] and [`Given`], their text ([`FromStr`],
//! [`Display`]) and their form in TOML and JSON (serde), and [`FIELDS`], from which programs make
//! flags and forms.
//!
//! [`FromStr`]: std::str::FromStr
//! [`Display`]: std::fmt::Display

mod check;
mod field;
mod macros;
mod matrix;
mod settings;
mod text;
mod value;

pub use field::{Field, Kind};
pub use matrix::PenaltyMatrix;
pub use settings::{FIELDS, Given, Spec};

use crate::{Error, LossKind, Options};

impl Spec {
    /// The version of the settings: it grows when a setting goes or gets another meaning.
    pub const VERSION: u32 = 1;

    /// The local loss with its threshold.
    pub fn loss_kind(&self) -> LossKind {
        match self.loss {
            LossKind::Huber { delta } => {
                LossKind::Huber { delta: self.huber_delta.unwrap_or(delta) }
            }
            other => other,
        }
    }

    /// Options of the solver.
    pub fn options(&self) -> Options {
        Options {
            solver: self.solver,
            tolerance: self.tol,
            max_iterations: self.max_iter,
            ..Options::default()
        }
    }
}

impl Given {
    /// These settings, with gaps filled from others. A threshold goes with the loss beside it.
    pub fn or(self, other: Given) -> Given {
        let same = self.loss.is_none_or(|loss| matches!(loss, LossKind::Huber { .. }));
        let huber_delta = other.huber_delta.filter(|_| same);
        self.or_all(Given { huber_delta, ..other })
    }

    /// All settings, gaps filled by the defaults and every value checked.
    pub fn complete(self) -> Result<Spec, Error> {
        let spec = self.filled();
        spec.check()?;
        Ok(spec)
    }
}

impl From<Spec> for Given {
    fn from(spec: Spec) -> Given {
        let huber_delta = match spec.loss_kind() {
            LossKind::Huber { delta } => Some(delta),
            _ => None,
        };
        Given { huber_delta, ..Given::of_all(spec) }
    }
}

impl TryFrom<Given> for Spec {
    type Error = Error;

    fn try_from(given: Given) -> Result<Spec, Error> {
        given.complete()
    }
}
