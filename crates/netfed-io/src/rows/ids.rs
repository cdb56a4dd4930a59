//! Numbering node ids in the order of their first appearance.

use std::collections::HashMap;

/// The ids seen so far, each with its number. Each id is stored once.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    numbers: HashMap<String, u32>,
}

impl Ids {
    /// The number of `id`, a fresh one if it was not seen before. `None` once
    /// there are more ids than a `u32` can count.
    pub(crate) fn number(&mut self, id: &str) -> Option<u32> {
        if let Some(&known) = self.numbers.get(id) {
            return Some(known);
        }
        let fresh = u32::try_from(self.numbers.len()).ok()?;
        self.numbers.insert(id.to_owned(), fresh);
        Some(fresh)
    }

    /// All ids, in the order of their numbers.
    pub(crate) fn into_names(self) -> Vec<String> {
        let mut names = vec![String::new(); self.numbers.len()];
        for (name, number) in self.numbers {
            if let Some(slot) = names.get_mut(number as usize) {
                *slot = name;
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbered_by_first_appearance() {
        let mut ids = Ids::default();
        let numbers: Vec<_> =
            ["b", "a", "b", "c", "a"].iter().filter_map(|id| ids.number(id)).collect();
        assert_eq!(numbers, [0, 1, 0, 2, 1]);
        assert_eq!(ids.into_names(), ["b", "a", "c"]);
    }
}
