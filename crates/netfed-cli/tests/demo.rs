//! `netfed demo`: it may be run again, and what it shows can be typed.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use std::process::Command;

use common::{Place, command, stderr, stdout};

#[test]
fn the_commands_that_are_shown_can_be_typed() {
    let place = Place::new();
    let demo = |words: &[&str]| {
        let all = ["demo", "--no-open", "--spreadsheet", "--out", "my demo"];
        command().current_dir(place.path("")).args(all).args(words).output().unwrap()
    };
    assert_eq!(demo(&[]).status.code(), Some(0));
    let refused = demo(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("my demo exists already"), "{}", stderr(&refused));
    let again = demo(&["--force"]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));

    let said = stdout(&again);
    let shown: Vec<&str> = said.lines().filter(|line| line.starts_with("netfed ")).collect();
    assert_eq!(shown.len(), 9);
    let binary = assert_cmd::cargo::cargo_bin!("netfed");
    let path = std::env::join_paths([binary.parent().unwrap(), "/usr/bin".as_ref()]).unwrap();
    for line in shown {
        assert!(line.ends_with("--force --spreadsheet"), "{line}");
        let typed = ["-c", line];
        let mut shell = Command::new("/bin/sh");
        let done =
            shell.args(typed).env("PATH", &path).current_dir(place.path("")).output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{line}: {}", stderr(&done));
    }
}
