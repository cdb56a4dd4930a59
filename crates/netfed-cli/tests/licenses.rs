//! Every dependency comes from the package registry, under a license that allows what netfed does
//! with it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

use std::process::Command;

/// The same list as in deny.toml.
const ALLOWED: [&str; 13] = [
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "MIT",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "CC0-1.0",
    "BSL-1.0",
    "MPL-2.0",
    "CDLA-Permissive-2.0",
];

/// An SPDX expression is fine if one side of an OR and both sides of an AND are.
fn allowed(expression: &str) -> bool {
    let e = expression.trim();
    let inner = e.strip_prefix('(').and_then(|r| r.strip_suffix(')')).filter(|i| !i.contains('('));
    if let Some(inner) = inner {
        return allowed(inner);
    }
    let split_outside = |word: &str| -> Option<(String, String)> {
        let mut depth = 0;
        for (at, c) in e.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ if depth == 0 && e[at..].starts_with(word) => {
                    return Some((e[..at].into(), e[at + word.len()..].into()));
                }
                _ => {}
            }
        }
        None
    };
    if let Some((a, b)) = split_outside(" AND ") {
        return allowed(&a) && allowed(&b);
    }
    if let Some((a, b)) = split_outside(" OR ").or_else(|| split_outside("/")) {
        return allowed(&a) || allowed(&b);
    }
    ALLOWED.contains(&e)
}

#[test]
fn expressions() {
    assert!(
        allowed("MIT OR Apache-2.0")
            && allowed("Unlicense/MIT")
            && allowed("(MIT OR GPL-3.0) AND Unicode-3.0")
    );
    assert!(!allowed("GPL-3.0") && !allowed("MIT AND GPL-3.0"));
}

#[test]
fn every_dependency_may_be_used() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--workspace",
            "--locked",
            "--offline",
            "--prefix",
            "none",
            "--format",
            "{p}|{l}",
        ])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).unwrap();
    let lines: std::collections::BTreeSet<&str> =
        listed.lines().filter(|l| !l.is_empty()).map(|l| l.trim_end_matches(" (*)")).collect();
    assert!(lines.len() > 50, "the dependencies are listed");
    for line in lines {
        let (package, license) = line.split_once('|').unwrap();
        assert!(allowed(license), "{package} has the license {license}");
        assert!(
            !package.contains("(http") && !package.contains("(git"),
            "{package} is not from the registry"
        );
    }
}
