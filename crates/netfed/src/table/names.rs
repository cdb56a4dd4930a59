//! Names of nodes: their order, and their places.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::Error;

/// The order in which nodes are numbered: letter by letter, with runs of digits by their value
/// ("s2" before "s10"). It depends on the names alone, so that one process and many peers number
/// alike.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(p), Some(q)) = (x.first(), y.first()) {
        if p.is_ascii_digit() && q.is_ascii_digit() {
            let (m, n) = (number(&mut x), number(&mut y));
            let order = m.len().cmp(&n.len()).then_with(|| m.cmp(n));
            if order.is_ne() {
                return order;
            }
        } else if p != q {
            return p.cmp(q);
        } else {
            (x, y) = (&x[1..], &y[1..]);
        }
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}

/// Takes a run of digits from the front; without leading zeros.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().take_while(|c| **c == b'0').count();
    &digits[zeros.min(digits.len() - 1)..]
}

/// Names in the order of their first appearance, each with its place.
#[derive(Default)]
pub(super) struct Places {
    pub(super) names: Vec<String>,
    place: HashMap<String, u32>,
}

impl Places {
    /// The place of a name, a new one if it was not seen before.
    pub(super) fn of(&mut self, name: &str) -> u32 {
        if let Some(&place) = self.place.get(name) {
            return place;
        }
        let place = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.place.insert(name.to_owned(), place);
        place
    }
}

/// For every one of `names` its place in `all`.
pub(super) fn places(names: &[String], all: &[String]) -> Vec<Option<u32>> {
    let place: HashMap<&str, u32> =
        all.iter().enumerate().map(|(i, n)| (n.as_str(), i as u32)).collect();
    names.iter().map(|name| place.get(name.as_str()).copied()).collect()
}

/// Names in their natural order, and for every one of `names` its place there.
pub(super) fn in_order(names: Vec<String>) -> (Vec<String>, Vec<u32>) {
    let mut sorted: Vec<(String, usize)> = names.into_iter().zip(0..).collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| natural_order(a, b));
    let mut places = vec![0; sorted.len()];
    sorted.iter().zip(0..).for_each(|((_, before), now)| places[*before] = now);
    (sorted.into_iter().map(|(name, _)| name).collect(), places)
}

/// Refuses a name that comes twice.
pub(super) fn distinct(what: &str, names: &[String]) -> Result<(), Error> {
    let mut seen = HashSet::with_capacity(names.len());
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => {
            let reason = format!("two {what}s have the name \"{name}\"");
            Err(Error::BadTable { reason })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_by_value() {
        let mut names = ["s10", "s9", "10", "9", "a", "09", "s9a", "b2c10", "b2c9", ""];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["", "09", "9", "10", "a", "b2c9", "b2c10", "s9", "s9a", "s10"]);
    }
}
