//! The house: functions of at most 60 lines, files of at most 400, comments of at most 100 columns,
//! `if` and `else` instead of a `match` on a bool, a command line that is a small part of the
//! whole.
//!
//! The lists below name what is not so yet. Whoever mends it takes it off its list: a name that is
//! no longer needed there is a fault, too. `cargo test -p netfed-cli --test house -- --nocapture`
//! prints the counts.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failed test may panic"
)]

mod common;

#[path = "house/exceptions.rs"]
mod exceptions;

use std::collections::BTreeSet;
use std::path::Path;

use common::rust_files;
use exceptions::{BOOL_MATCHES, LONG_FILES, LONG_FUNCTIONS, WIDE_COMMENTS};

const LINES_OF_A_FUNCTION: usize = 60;
const LINES_OF_A_FILE: usize = 400;
const COLUMNS: usize = 100;
/// What lies at the top of the crate `netfed`: files and folders.
const ENTRIES: usize = 24;

/// A file of the workspace: its path from the folder of the crates on, and its text.
struct Source {
    path: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let mut files: Vec<_> = Vec::new();
    for package in std::fs::read_dir(&crates).unwrap() {
        for part in ["src", "tests", "benches", "examples"] {
            let folder = package.as_ref().unwrap().path().join(part);
            files.extend(folder.is_dir().then(|| rust_files(&folder)).into_iter().flatten());
        }
    }
    let source = |file: &Path| Source {
        path: file.strip_prefix(&crates).unwrap().to_str().unwrap().replace('\\', "/"),
        text: std::fs::read_to_string(file).unwrap(),
    };
    files.iter().map(|file| source(file)).collect()
}

/// Name and number of lines of every function. The code is formatted: a function ends with a brace
/// that stands below its first word.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |(at, line): &(usize, &&str)| {
            let brace = line.strip_prefix(indent).is_some_and(|rest| rest.starts_with('}'));
            let declared = line.ends_with(';')
                && line.strip_prefix(indent).is_some_and(|rest| !rest.starts_with(' '));
            *at > first && brace
                || *at == first && line.ends_with(['}', ';'])
                || *at > first && declared && line.starts_with(&format!("{indent})"))
        };
        let last = lines.iter().enumerate().skip(first).find(ends);
        found.push((name, last.map_or(lines.len(), |(at, _)| at) - first + 1));
    }
    found
}

/// The name of the function that begins on a line.
fn function_name(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let before = code.find("fn ")?;
    let words = ["pub", "pub(crate)", "pub(super)", "const", "async", "extern", "\"C\""];
    if !code[..before].split_whitespace().all(|word| words.contains(&word)) {
        return None;
    }
    let name = &code[before + 3..];
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

/// A line of prose in a comment that is too wide. Tables and formulas, which are indented, cannot
/// be cut.
fn is_wide_prose(line: &str) -> bool {
    let Some(text) = line.trim_start().strip_prefix("//") else { return false };
    let text = text.strip_prefix(['/', '!']).unwrap_or(text);
    let text = text.strip_prefix(' ').unwrap_or(text);
    line.chars().count() > COLUMNS && !text.starts_with(['|', ' '])
}

/// Whether a line is an arm of a `match` on a bool.
fn is_bool_arm(line: &str) -> bool {
    let line = line.trim_start();
    ["true", "false"].iter().any(|value| {
        let rest = line.strip_prefix(value);
        rest.is_some_and(|rest| rest.starts_with(" =>") || rest.starts_with(" if "))
    })
}

/// Faults that no list names, and names on a list that nothing needs.
fn compare(what: &str, found: &BTreeSet<String>, excepted: &[&str]) {
    let covers =
        |name: &str, fault: &str| fault == name || name.ends_with('/') && fault.starts_with(name);
    let new: Vec<&String> =
        found.iter().filter(|fault| !excepted.iter().any(|name| covers(name, fault))).collect();
    assert!(new.is_empty(), "{what}:\n{new:#?}");
    let mended: Vec<&&str> =
        excepted.iter().filter(|name| !found.iter().any(|fault| covers(name, fault))).collect();
    assert!(mended.is_empty(), "{what}: take these off the list, they are mended:\n{mended:#?}");
}

#[test]
fn functions_are_short() {
    let mut found = BTreeSet::new();
    for Source { path, text } in sources() {
        let long = functions(&text).into_iter().filter(|(_, lines)| *lines > LINES_OF_A_FUNCTION);
        found.extend(long.map(|(name, _)| format!("{path}: {name}")));
    }
    compare(
        "functions of more than 60 lines; split them by their concepts",
        &found,
        LONG_FUNCTIONS,
    );
}

#[test]
fn files_are_short() {
    let all = sources().into_iter();
    let long = all.filter(|s| s.text.lines().count() > LINES_OF_A_FILE).map(|s| s.path);
    compare("files of more than 400 lines; one file, one concept", &long.collect(), LONG_FILES);
}

#[test]
fn comments_fit_into_100_columns() {
    let wide = sources().into_iter().filter(|s| s.text.lines().any(is_wide_prose)).map(|s| s.path);
    compare("comments of more than 100 columns", &wide.collect(), WIDE_COMMENTS);
}

#[test]
fn no_match_is_on_a_bool() {
    let arms = sources().into_iter().filter(|s| s.text.lines().any(is_bool_arm)).map(|s| s.path);
    compare("a match on a bool; say if and else", &arms.collect(), BOOL_MATCHES);
}

#[test]
fn the_library_is_the_house_and_the_command_line_its_porch() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut lines = Vec::new();
    for Source { path, text } in sources() {
        let Some((package, _)) = path.split_once("/src/") else { continue };
        let count = text.lines().filter(|line| !line.trim().is_empty()).count();
        lines.push((package.to_owned(), count));
    }
    let of =
        |package: &str| lines.iter().filter(|(p, _)| p == package).map(|(_, n)| n).sum::<usize>();
    let all: usize = lines.iter().map(|(_, n)| n).sum();
    let packages: BTreeSet<&String> = lines.iter().map(|(package, _)| package).collect();
    for package in packages {
        println!("{package}: {} lines, {} of 100", of(package), 100 * of(package) / all);
    }
    let entries = std::fs::read_dir(crates.join("netfed/src")).unwrap().count();
    println!("entries at the top of netfed: {entries}");
    assert!(4 * of("netfed-cli") < all, "the command line is a quarter of all lines");
    assert!(entries <= ENTRIES, "{entries} entries at the top of the crate netfed; join some");
}

#[test]
fn code_is_understood() {
    let text = "impl A {\n    fn a(&self);\n    pub(crate) const fn b() {}\n    fn c(\n        x: u8,\n    ) {\n        d();\n    }\n}\n\nfn e() -> u8 {\n    1\n}\n";
    assert_eq!(functions(text), [("a", 1), ("b", 1), ("c", 5), ("e", 3)]);
    assert_eq!(function_name("    // a fn that is none"), None);
    assert!(is_bool_arm("    true => 1,") && is_bool_arm("false if x => 2,"));
    assert!(!is_bool_arm("(true, _) => 1,") && !is_bool_arm("true_name => 1,"));
    let wide = "x".repeat(100);
    assert!(is_wide_prose(&format!("    /// {wide}")) && is_wide_prose(&format!("// {wide}")));
    assert!(!is_wide_prose(&format!("//! | {wide} |")) && !is_wide_prose(&format!("//!   {wide}")));
}
