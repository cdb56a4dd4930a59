//! What a setting may be, read from text.

use super::matrix::PenaltyMatrix;
use crate::flavor::Flavor;
use crate::penalty::PenaltyKind;
use crate::{Error, LossKind, Solver};

/// What a setting may be.
pub(super) trait Value: Sized {
    /// Reads it; the error says what was expected.
    fn read(text: &str) -> Result<Self, Fault>;
}

/// Why a value cannot be read.
pub(super) enum Fault {
    /// This was expected.
    Expected(&'static str),
    /// This is wrong.
    Wrong(Error),
}

/// The value of the setting `key`.
pub(super) fn value<T: Value>(key: &str, text: &str) -> Result<T, Error> {
    T::read(text.trim()).map_err(|fault| match fault {
        Fault::Expected(what) => {
            Error::Setting { problem: format!("`{key}` is \"{text}\"; expected {what}") }
        }
        Fault::Wrong(error) => error,
    })
}

macro_rules! plain {
    ($($type:ty: $expected:literal),+) => {
        $(impl Value for $type {
            fn read(text: &str) -> Result<$type, Fault> {
                text.parse().map_err(|_| Fault::Expected($expected))
            }
        })+
    };
}
plain!(f64: "a number", u64: "a whole number, 0 or more", usize: "a whole number, 0 or more");
plain!(bool: "true or false");

macro_rules! named {
    ($($type:ty),+) => {
        $(impl Value for $type {
            fn read(text: &str) -> Result<$type, Fault> {
                text.parse().map_err(Fault::Wrong)
            }
        })+
    };
}
named!(LossKind, PenaltyKind, Solver, Flavor, PenaltyMatrix);
