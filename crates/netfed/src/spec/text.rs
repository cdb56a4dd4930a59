//! Settings as one line of text: `loss=huber huber-delta=0.5`.

use std::fmt;
use std::str::FromStr;

use super::{Given, Spec};
use crate::Error;

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
