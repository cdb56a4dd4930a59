//! The modules of a library, what they use of each other, and circles among them.

use crate::source::{Named, code, paths, without_tests};
use std::collections::{BTreeMap, BTreeSet};

type Path = Vec<String>;

/// A use of one top-level module by another.
pub(crate) struct Use {
    /// File and line.
    pub(crate) place: String,
    pub(crate) from: String,
    pub(crate) to: String,
    /// What is named there.
    pub(crate) path: String,
}

struct Module {
    file: String,
    named: Vec<Named>,
}

pub(crate) struct Tree {
    modules: BTreeMap<Path, Module>,
}

impl Tree {
    /// From the texts of all files.
    pub(crate) fn new(files: &BTreeMap<String, String>) -> Tree {
        let (mut modules, mut tests) = (BTreeMap::new(), BTreeSet::new());
        for (file, text) in files {
            let path = path_of(file);
            let (code, own_tests) = without_tests(&code(text));
            for name in own_tests {
                tests.insert(path.iter().cloned().chain([name]).collect::<Path>());
            }
            modules.insert(path, Module { file: file.clone(), named: paths(&code) });
        }
        modules.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
        Tree { modules }
    }

    /// The names of the top-level modules.
    pub(crate) fn top(&self) -> impl Iterator<Item = &str> {
        self.modules.keys().filter(|path| path.len() == 1).map(|path| path[0].as_str())
    }

    /// A path as seen from the root; none for those of other crates.
    fn absolute(&self, here: &Path, path: &[String]) -> Option<Path> {
        let below = |base: &[String], rest: &[String]| Some([base, rest].concat());
        match path.first()?.as_str() {
            "crate" => below(&[], &path[1..]),
            "self" => below(here, &path[1..]),
            "super" => {
                let ups = path.iter().take_while(|segment| *segment == "super").count();
                below(&here[..here.len().checked_sub(ups)?], &path[ups..])
            }
            first => {
                let child = [here.as_slice(), &[first.to_owned()]].concat();
                self.modules.contains_key(&child).then(|| [here, path].concat())
            }
        }
    }

    /// The module that has what a path names, through whatever re-exports.
    fn owner(&self, path: &[String], depth: usize) -> Path {
        let known = (0..=path.len()).rev().find(|&k| self.modules.contains_key(&path[..k]));
        let known = known.unwrap_or(0);
        let (module, rest) = path.split_at(known);
        if let Some(name) = rest.first()
            && depth < 9
        {
            let named = self.modules[module].named.iter().filter(|n| n.is_use && n.name == *name);
            for target in named.filter_map(|n| self.absolute(&module.to_vec(), &n.path)) {
                if target != path {
                    return self.owner(&[&target, &rest[1..]].concat(), depth + 1);
                }
            }
        }
        module.to_vec()
    }

    /// All names of this library in a module, with the modules that have them.
    fn named(&self) -> impl Iterator<Item = (&Path, &Module, &Named, Path)> {
        self.modules.iter().flat_map(move |(here, module)| {
            module.named.iter().filter_map(move |named| {
                let path = self.absolute(here, &named.path)?;
                Some((here, module, named, self.owner(&path, 0)))
            })
        })
    }

    /// Names that no module has.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let lost = self.named().filter(|(here, _, named, owner)| {
            !here.is_empty() && owner.is_empty() && named.path.len() > 1
        });
        lost.map(|(_, module, named, _)| {
            let path = named.path[..2].join("::");
            format!("{}:{}: no module has `{path}`", module.file, named.line)
        })
        .collect()
    }

    /// The uses between top-level modules.
    pub(crate) fn uses(&self) -> impl Iterator<Item = Use> {
        self.named().filter_map(|(here, module, named, owner)| {
            let (from, to) = (here.first()?, owner.first()?);
            (from != to).then(|| Use {
                place: format!("{}:{}", module.file, named.line),
                from: from.clone(),
                to: to.clone(),
                path: named.path.join("::"),
            })
        })
    }

    /// Circles among the modules of every folder, one sentence for each folder that has one.
    pub(crate) fn circles(&self) -> Vec<String> {
        let mut folders: BTreeMap<Path, BTreeMap<String, BTreeMap<String, String>>> =
            BTreeMap::new();
        for (here, module, named, owner) in self.named() {
            let common = here.iter().zip(&owner).take_while(|(a, b)| a == b).count();
            if common > 0 && common < here.len() && common < owner.len() {
                let of_folder = folders.entry(here[..common].to_vec()).or_default();
                let of_module = of_folder.entry(here[common].clone()).or_default();
                let place = format!("{}:{}", module.file, named.line);
                of_module.entry(owner[common].clone()).or_insert(place);
            }
        }
        let circle = |(folder, uses): (Path, BTreeMap<_, _>)| {
            let circle = uses.keys().find_map(|start| circle_through(&uses, start))?;
            let places: Vec<&str> = circle
                .windows(2)
                .map(|pair: &[String]| uses[&pair[0]][&pair[1]].as_str())
                .collect();
            Some(format!("{}: {} ({})", folder.join("/"), circle.join(" → "), places.join(", ")))
        };
        folders.into_iter().filter_map(circle).collect()
    }
}

/// A shortest way from a module back to itself.
fn circle_through(
    uses: &BTreeMap<String, BTreeMap<String, String>>,
    start: &String,
) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.clone()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in uses.get(&way[way.len() - 1]).into_iter().flat_map(BTreeMap::keys) {
                let way: Vec<String> = way.iter().chain([next]).cloned().collect();
                if next == start {
                    return Some(way);
                }
                if seen.insert(next.clone()) {
                    longer.push(way);
                }
            }
        }
        ways = longer;
    }
    None
}

/// `a/b.rs` and `a/b/mod.rs` are the module a::b.
fn path_of(file: &str) -> Path {
    let mut path: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|name| name == "mod" || name == "lib") {
        path.pop();
    }
    path
}
