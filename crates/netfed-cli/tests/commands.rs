//! No command imports another command: what two of them share has a place of its own.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use std::path::Path;

use common::rust_files;

const COMMANDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/commands");

/// The place of a file in the tree of modules, from `commands` on.
fn module(file: &Path) -> Vec<String> {
    let path = file.strip_prefix(COMMANDS).unwrap().with_extension("");
    path.iter().map(|part| part.to_str().unwrap().to_owned()).filter(|part| part != "mod").collect()
}

/// The declarations `use …;` of a text, without comments and line breaks.
fn imports(text: &str) -> Vec<String> {
    let code: Vec<&str> = text.lines().map(|l| l.split("//").next().unwrap().trim()).collect();
    let code = code.join(" ");
    let declared = code.split(';').filter_map(|part| part.rsplit_once("use "));
    declared.map(|(_, tree)| tree.split_whitespace().collect()).collect()
}

/// The full paths of a tree such as `a::{b, c::{d, e}}`.
fn paths(tree: &str) -> Vec<String> {
    let Some((start, rest)) = tree.split_once('{') else { return vec![tree.to_owned()] };
    let inner = &rest[..rest.rfind('}').unwrap_or(rest.len())];
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in inner.chars() {
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth += i32::from(c == '{') - i32::from(c == '}');
                parts.last_mut().unwrap().push(c);
            }
        }
    }
    let whole = |part: String| paths(&part).into_iter().map(|p| format!("{start}{p}"));
    parts.into_iter().filter(|part| !part.is_empty()).flat_map(whole).collect()
}

/// The command that a path leads to, seen from a module of another one.
fn command_of(path: &str, module: &[String], inside_tests: bool) -> Option<String> {
    if let Some(rest) = path.strip_prefix("crate::commands::") {
        return rest.split("::").next().map(str::to_owned);
    }
    let ups = path.split("::").take_while(|part| *part == "super").count();
    // A module of tests is one level deeper than its file.
    let depth = module.len() + usize::from(inside_tests);
    (ups == depth).then(|| path.split("::").nth(ups).unwrap_or("").to_owned())
}

#[test]
fn no_command_imports_another_one() {
    let all = rust_files(Path::new(COMMANDS));
    assert!(all.len() > 50, "the commands are found");
    let mut faults = Vec::new();
    for file in all {
        let text = std::fs::read_to_string(&file).unwrap();
        let module = module(&file);
        let Some(own) = module.first() else { continue };
        let (code, tests) = text.split_once("#[cfg(test)]\nmod tests").unwrap_or((&text, ""));
        for (part, inside_tests) in [(code, false), (tests, true)] {
            for path in imports(part).iter().flat_map(|tree| paths(tree)) {
                let other = command_of(&path, &module, inside_tests);
                if other.as_ref().is_some_and(|other| other != own) {
                    faults.push(format!("{}: {path}", file.display()));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "a command imports another command; move what both use out of src/commands:\n{}",
        faults.join("\n")
    );
}

#[test]
fn imports_are_understood() {
    let text = "use std::fmt;\n// use not::this;\n\
                pub(crate) use crate::commands::{\n    a::{b, c},\n    d, // e\n};\n";
    let found: Vec<String> = imports(text).iter().flat_map(|tree| paths(tree)).collect();
    let expected =
        ["std::fmt", "crate::commands::a::b", "crate::commands::a::c", "crate::commands::d"];
    assert_eq!(found, expected);
    let module = ["path".to_owned(), "page".to_owned()];
    let command = |path: &str| command_of(path, &module, false);
    assert_eq!(command("crate::commands::tune::words"), Some("tune".to_owned()));
    assert_eq!(command("super::super::tune::words"), Some("tune".to_owned()));
    assert_eq!(command("super::tune"), None);
    assert_eq!(command("crate::terminal::print"), None);
}
