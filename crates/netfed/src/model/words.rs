//! Words of the form `name option=value …`, taken apart; what is not understood is named, with the
//! nearest word that would be.

use crate::Error;
use crate::names::nearest;
use crate::table::LARGEST;

/// No option counts further than this: more would be a slip of the pen that fills the memory.
const MOST: usize = 1_000_000;

/// A name and options that have not been asked for yet.
pub(crate) struct Words<'a> {
    text: &'a str,
    name: &'a str,
    given: Vec<(&'a str, &'a str)>,
    /// Options that exist.
    known: Vec<&'static str>,
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Words<'a>, Error> {
        let mut pieces = text.split_whitespace();
        let mut words =
            Words { text, name: pieces.next().unwrap_or(""), given: Vec::new(), known: Vec::new() };
        if words.name.is_empty() {
            return Err(words.wrong("there is no name"));
        }
        if let Some((name, _)) = words.name.split_once([',', ';', ':']) {
            let tip =
                format!("a space separates the name from its options, as in {name} option=value");
            return Err(words.wrong(tip));
        }
        for piece in pieces {
            let Some((option, value)) = piece.split_once('=') else {
                return Err(words.wrong(words.no_option(piece)));
            };
            if value.contains('=') {
                let apart = piece.replace([',', ';', ':', '|', '&'], " ");
                return Err(words.wrong(format!("spaces separate options, as in {apart}")));
            }
            if words.given.iter().any(|(known, _)| *known == option) {
                return Err(words.wrong(format!("the option \"{option}\" is given twice")));
            }
            words.given.push((option, value));
        }
        Ok(words)
    }

    /// What is wrong with a piece that has no `=`, and what may have been meant.
    fn no_option(&self, piece: &str) -> String {
        let number = piece.starts_with(|c: char| c.is_ascii_digit());
        let tip = match self.given.last() {
            _ if self.text.contains(" =") || self.text.contains("= ") => {
                "; there is no space around =".into()
            }
            Some((option, value)) if number => {
                let value = value.trim_end_matches([',', ';']);
                format!(
                    "; commas separate several numbers of an option, as in {option}={value},{piece}"
                )
            }
            _ => String::new(),
        };
        format!("\"{piece}\" is not of the form option=value{tip}")
    }

    fn wrong(&self, reason: impl Into<String>) -> Error {
        Error::ModelText { text: self.text.trim().into(), reason: reason.into() }
    }

    /// The name, which must be one of these.
    pub(crate) fn name(&self, known: &[&'static str]) -> Result<&'static str, Error> {
        let found = known.iter().find(|k| **k == self.name);
        found.copied().ok_or_else(|| {
            let (name, tip) = (self.name, nearest(self.name, known));
            self.wrong(format!("there is no model \"{name}\"; known are {}{tip}", known.join(", ")))
        })
    }

    /// The value of an option, if it is given.
    fn take(&mut self, option: &'static str) -> Option<&'a str> {
        self.known.push(option);
        let at = self.given.iter().position(|(given, _)| *given == option)?;
        Some(self.given.remove(at).1)
    }

    fn read<T>(
        &mut self,
        option: &'static str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.take(option) else { return Ok(None) };
        match read(value) {
            Some(found) => Ok(Some(found)),
            None => Err(self.wrong(format!("{option}={value}; expected {expected}"))),
        }
    }

    /// A whole number, at least `least`.
    pub(crate) fn count(
        &mut self,
        option: &'static str,
        usual: usize,
        least: usize,
    ) -> Result<usize, Error> {
        let expected = format!("a whole number from {least} to {MOST}");
        let read = |v: &str| v.parse().ok().filter(|n| (least..=MOST).contains(n));
        Ok(self.read(option, &expected, read)?.unwrap_or(usual))
    }

    /// A whole number from 1, or nothing.
    pub(crate) fn maybe_count(&mut self, option: &'static str) -> Result<Option<usize>, Error> {
        let read = |v: &str| v.parse().ok().filter(|n| (1..=MOST).contains(n));
        self.read(option, &format!("a whole number from 1 to {MOST}"), read)
    }

    /// Whole numbers from 1, separated by commas.
    pub(crate) fn counts(
        &mut self,
        option: &'static str,
        usual: Vec<usize>,
    ) -> Result<Vec<usize>, Error> {
        let one = |v: &str| v.parse().ok().filter(|n| (1..=MOST).contains(n));
        let read = |v: &str| v.split(',').map(one).collect::<Option<Vec<usize>>>();
        let expected = format!("whole numbers from 1 to {MOST}, separated by commas");
        Ok(self.read(option, &expected, read)?.unwrap_or(usual))
    }

    /// A positive number, neither too large nor too small to be squared.
    pub(crate) fn positive(&mut self, option: &'static str, usual: f64) -> Result<f64, Error> {
        Ok(self.maybe_positive(option)?.unwrap_or(usual))
    }

    /// A positive number, or nothing.
    pub(crate) fn maybe_positive(&mut self, option: &'static str) -> Result<Option<f64>, Error> {
        let read = |v: &str| v.parse().ok().filter(|x| (1.0 / LARGEST..=LARGEST).contains(x));
        self.read(option, "a number from 1e-100 to 1e100", read)
    }

    /// A part of a whole, more than nothing.
    pub(crate) fn part(&mut self, option: &'static str, usual: f64) -> Result<f64, Error> {
        let read = |v: &str| v.parse().ok().filter(|x: &f64| *x > 0.0 && *x <= 1.0);
        Ok(self.read(option, "a number above 0 and at most 1", read)?.unwrap_or(usual))
    }

    /// A part of a whole, less than half.
    pub(crate) fn share(&mut self, option: &'static str, usual: f64) -> Result<f64, Error> {
        let read = |v: &str| v.parse().ok().filter(|x| (0.0..0.5).contains(x));
        Ok(self.read(option, "a number from 0 to less than 0.5", read)?.unwrap_or(usual))
    }

    /// One of some words; the first if none is given.
    pub(crate) fn one_of(
        &mut self,
        option: &'static str,
        known: &[&'static str],
    ) -> Result<&'static str, Error> {
        let Some(value) = self.take(option) else { return Ok(known[0]) };
        let found = known.iter().find(|k| **k == value);
        found.copied().ok_or_else(|| {
            let tip = nearest(value, known);
            self.wrong(format!("{option}={value}; expected one of {}{tip}", known.join(", ")))
        })
    }

    /// All options have been asked for; what is left does not exist.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let Some((option, _)) = self.given.first() else { return Ok(()) };
        let (name, known, tip) = (self.name, self.known.join(", "), nearest(option, &self.known));
        Err(self.wrong(format!("{name} has no option \"{option}\"; it has {known}{tip}")))
    }
}
