//! Settings as one line of text: `loss=huber huber-delta=0.5`.

use std::fmt;
use std::str::FromStr;

use super::matrix::PenaltyMatrix;
use super::{Given, Spec};
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

impl Given {
    /// Sets one setting by its name, from text.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), Error> {
        self.read(key, text)
    }
}

impl FromStr for Given {
    type Err = Error;

    fn from_str(line: &str) -> Result<Given, Error> {
        let mut given = Given::default();
        for word in line.split_whitespace() {
            let (key, text) = word.split_once('=').ok_or_else(|| Error::Setting {
                problem: format!("\"{word}\" is not of the form setting=value"),
            })?;
            if given.texts().iter().any(|(known, _)| *known == key) {
                return Err(Error::Setting { problem: format!("`{key}` is given twice") });
            }
            given.read(key, text)?;
        }
        Ok(given)
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> =
            self.texts().into_iter().map(|(key, text)| format!("{key}={text}")).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(line: &str) -> Result<Spec, Error> {
        line.parse::<Given>()?.complete()
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Given::from(self.clone()).fmt(f)
    }
}
