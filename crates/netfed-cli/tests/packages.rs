//! Packages hold all that they are compiled from: nothing outside of a package is included.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use std::path::Path;

use common::rust_files;

/// What `include_str!` and `include_bytes!` name in a text.
fn included(text: &str) -> Vec<&str> {
    let starts = ["include_str!(", "include_bytes!("];
    let all = starts.iter().flat_map(|start| text.match_indices(start));
    all.map(|(at, start)| {
        let rest = &text[at + start.len()..];
        // Up to the end of the call, which may be one of `concat!(env!(…), …)`.
        let mut depth = 1;
        let end = rest.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        &rest[..end.unwrap_or(rest.len())]
    })
    .collect()
}

#[test]
fn nothing_outside_of_a_package_is_included() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut count = 0;
    for package in std::fs::read_dir(crates).unwrap() {
        for file in rust_files(&package.unwrap().path().join("src")) {
            let text = std::fs::read_to_string(&file).unwrap();
            for name in included(&text) {
                count += 1;
                assert!(
                    !name.contains(".."),
                    "{} includes {name}, which may be outside of its package; move it inside",
                    file.display()
                );
            }
        }
    }
    assert!(count >= 8, "what is included is found");
}

#[test]
fn what_is_included_is_understood() {
    let text = "a = include_str!(\"b.css\"); c(include_bytes!(concat!(env!(\"D\"), \"/../e\")))";
    assert_eq!(included(text), ["\"b.css\"", "concat!(env!(\"D\"), \"/../e\")"]);
}
