//! The layers of the library (ARCHITECTURE.md, "Layers"): what a module uses lies below it, and in
//! no folder do modules use each other in a circle. Test code does not count.

#![allow(clippy::panic, clippy::unwrap_used, missing_docs, reason = "a failed test may panic")]

mod order;
mod source;
mod tree;

use order::Order;
use std::collections::BTreeMap;
use std::path::Path;
use tree::Tree;

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn use_goes_down() {
    let text = std::fs::read_to_string(Path::new(CRATE).join("../../ARCHITECTURE.md")).unwrap();
    let order = Order::read(&text).unwrap();
    let mut files = BTreeMap::new();
    read(&Path::new(CRATE).join("src"), "", &mut files);
    let tree = Tree::new(&files);
    let mut broken = order.compare(tree.top());
    broken.extend(tree.unknown());
    broken.extend(tree.uses().filter_map(|found| order.judge(&found)));
    broken.extend(tree.circles());
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// All files below a folder, by their paths.
fn read(folder: &Path, name: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let own = path.file_name().unwrap().to_string_lossy().into_owned();
        let name = if name.is_empty() { own } else { format!("{name}/{own}") };
        if path.is_dir() {
            read(&path, &name, files);
        } else if name.ends_with(".rs") {
            files.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

const DOCUMENT: &str =
    "# A\n\n## Layers\n\n```text\nlow\nmiddle, other\nhigh\nbeside: aside (up to low)\n```\n";

/// What is wrong with a library of these files beside a `lib.rs` that declares and re-exports.
fn judged(files: &[(&str, &str)]) -> Vec<String> {
    let lib = "mod aside;\nmod high;\nmod low;\nmod middle;\nmod other;\npub use high::Tall;\n";
    let mut all = BTreeMap::from([("lib.rs".to_owned(), lib.to_owned())]);
    for name in ["aside", "high", "low", "middle", "other"] {
        all.insert(format!("{name}/mod.rs"), String::new());
    }
    all.extend(files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    let (order, tree) = (Order::read(DOCUMENT).unwrap(), Tree::new(&all));
    let mut broken = order.compare(tree.top());
    broken.extend(tree.unknown());
    broken.extend(tree.uses().filter_map(|found| order.judge(&found)));
    broken.extend(tree.circles());
    broken
}

#[test]
fn what_goes_down_is_fine() {
    let high = "use crate::low::Short;\nuse crate::{\n    middle::{self, Thing as Other},\n};\nfn f() { crate::other::g() }\n";
    assert_eq!(judged(&[("high/mod.rs", high)]), Vec::<String>::new());
    // Neither words nor tests count.
    let low = "//! crate::high\n/* use crate::high; */ const A: &str = \"crate::high\"; const B: char = '\"';\nfn f<'a>(a: &'a str) {}\n#[cfg(test)]\nmod tests {\n    use crate::high::Tall;\n}\n#[cfg(test)]\nmod cases;\n";
    let cases = ("low/cases.rs", "use crate::high::Tall;\n");
    assert_eq!(judged(&[("low/mod.rs", low), cases]), Vec::<String>::new());
}

#[test]
fn what_goes_up_or_aside_is_named_with_its_line() {
    let up = judged(&[("low/part.rs", "\nuse super::super::middle::{A, B};\n")]);
    assert_eq!(up.len(), 2, "{up:?}");
    assert!(up[0].starts_with("low/part.rs:2: `low` uses `middle`, which lies above it"), "{up:?}");
    let named = judged(&[("middle/mod.rs", "fn f(a: &crate::Tall) {}\n")]);
    assert!(named[0].starts_with("middle/mod.rs:1: `middle` uses `high`"), "{named:?}");
    let across = judged(&[("other/mod.rs", "use crate::middle;\n")]);
    assert!(across[0].contains("which lies beside it"), "{across:?}");
    let aside = judged(&[
        ("aside/mod.rs", "use crate::middle;\n"),
        ("high/mod.rs", "use crate::aside::Law;\n"),
    ]);
    assert!(
        aside[0].starts_with("aside/mod.rs:1") && aside[1].starts_with("high/mod.rs:1"),
        "{aside:?}"
    );
    let former = judged(&[("high/mod.rs", "use crate::former::Name;\n")]);
    assert!(former[0].contains("no module has `crate::former`"), "{former:?}");
}

#[test]
fn circles_within_a_folder_are_named() {
    let files = [
        ("high/a.rs", "use super::B;\n"),
        ("high/b.rs", "use super::c::C;\n"),
        ("high/c.rs", "\n\nfn f() { super::a::g() }\n"),
        ("high/mod.rs", "mod a;\nmod b;\nmod c;\npub use b::B;\n"),
    ];
    let broken = judged(&files);
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert!(broken[0].contains("high: a → b → c → a"), "{broken:?}");
}

#[test]
fn the_document_has_all_modules() {
    let order = Order::read(DOCUMENT).unwrap();
    let missing = order.compare(["low", "middle", "other", "high", "aside", "new"].into_iter());
    assert!(missing.len() == 1 && missing[0].contains("`new`"), "{missing:?}");
    let gone = order.compare(["low", "middle", "high", "aside"].into_iter());
    assert!(gone.len() == 1 && gone[0].contains("`other`"), "{gone:?}");
    assert!(Order::read("# Nothing\n").is_err());
}
