//! The order of the layers, as ARCHITECTURE.md has it: one layer per line, the lowest first;
//! modules of one line lie beside each other. "beside: a (up to b)" is for modules that nothing
//! uses.

use crate::tree::Use;

pub(crate) struct Order {
    layers: Vec<Vec<String>>,
    /// A module, and the number of layers that it may use.
    beside: Vec<(String, usize)>,
}

impl Order {
    pub(crate) fn read(document: &str) -> Result<Order, String> {
        let section = document.split("\n## Layers\n").nth(1).ok_or("there is no \"## Layers\"")?;
        let block = section.split("```").nth(1).ok_or("\"## Layers\" has no block of code")?;
        let mut order = Order { layers: Vec::new(), beside: Vec::new() };
        for line in block.lines().skip(1).map(str::trim).filter(|line| !line.is_empty()) {
            let Some(beside) = line.strip_prefix("beside:") else {
                order.layers.push(line.split(',').map(|name| name.trim().to_owned()).collect());
                continue;
            };
            for entry in beside.split(',') {
                let parts = entry.split_once("(up to ").map(|(a, b)| (a.trim(), b.trim()));
                let (name, top) =
                    parts.ok_or_else(|| format!("\"{entry}\" is not \"a (up to b)\""))?;
                let top = top.trim_end_matches(')');
                let rank =
                    order.rank(top).ok_or_else(|| format!("there is no layer with \"{top}\""))?;
                order.beside.push((name.to_owned(), rank + 1));
            }
        }
        Ok(order)
    }

    fn rank(&self, name: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.iter().any(|own| own == name))
    }

    fn all(&self) -> impl Iterator<Item = &String> {
        self.layers.iter().flatten().chain(self.beside.iter().map(|(name, _)| name))
    }

    /// Modules that are missing here, or in the library.
    pub(crate) fn compare<'n>(&self, modules: impl Iterator<Item = &'n str>) -> Vec<String> {
        let modules: Vec<&str> = modules.collect();
        let missing = modules.iter().filter(|name| !self.all().any(|own| own == *name));
        let missing =
            missing.map(|name| format!("ARCHITECTURE.md, \"Layers\", does not have `{name}`"));
        let gone = self.all().filter(|own| !modules.contains(&own.as_str()));
        let gone =
            gone.map(|own| format!("ARCHITECTURE.md, \"Layers\", has `{own}`, which is no module"));
        missing.chain(gone).collect()
    }

    /// What is wrong with a use between top-level modules.
    pub(crate) fn judge(&self, found: &Use) -> Option<String> {
        let Use { place, from, to, path } = found;
        let beside = self.beside.iter().find(|(name, _)| name == from);
        let (own, other) =
            (beside.map(|(_, rank)| *rank).or_else(|| self.rank(from))?, self.rank(to));
        let word = match other {
            Some(other) if other < own => return None,
            Some(other) if other == own && beside.is_none() => "which lies beside it",
            Some(_) => "which lies above it",
            None => "which nothing is to use",
        };
        Some(format!("{place}: `{from}` uses `{to}`, {word} ({path}; ARCHITECTURE.md, \"Layers\")"))
    }
}
