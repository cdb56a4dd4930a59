//! The command line as a function: exit statuses, several runs in one process.

mod common;

use std::ffi::OsString;
use std::sync::Mutex;

use common::{Place, stderr};

/// What holds for all files is the process's: one run at a time.
static ONE: Mutex<()> = Mutex::new(());

/// Runs the words of a line in this process; paths in it are taken from `place`.
fn run(place: &Place, line: &str) -> u8 {
    let word = |word: &str| match word.strip_prefix('@') {
        Some(name) => place.path(name).into_os_string(),
        None => OsString::from(word),
    };
    let _one = ONE.lock();
    netfed_cli::run(line.split_whitespace().map(word))
}

#[test]
fn every_end_is_an_exit_status() {
    let place = Place::with_small_data();
    assert_eq!(run(&place, "netfed --version"), 0);
    assert_eq!(run(&place, "netfed fit --help"), 0);
    assert_eq!(run(&place, "netfed fit --no-such-flag"), 2);
    assert_eq!(run(&place, "netfed fit --data @gone.csv --graph @gone.csv --lambda 1 --out @x"), 2);
}

/// What one run says about files and threads does not stay for the next.
#[test]
fn runs_follow_one_another() {
    let place = Place::with_small_data();
    place.write("odd.csv", "source,target\n=a,b\nb,c\n");
    let convert = "netfed graph convert @odd.csv";
    assert_eq!(run(&place, &format!("{convert} @marked.csv --spreadsheet")), 0);
    assert_eq!(run(&place, &format!("{convert} @plain.csv")), 0);
    assert!(place.read("marked.csv").contains("'=a") && !place.read("plain.csv").contains("'=a"));
    let fit = "netfed fit --data @points.csv --graph @edges.csv --lambda 0.1 --quiet";
    assert_eq!(run(&place, &format!("{fit} --out @one --threads 1")), 0);
    assert_eq!(run(&place, &format!("{fit} --out @two --threads 2")), 0);
    assert_eq!(place.read("one/parameters.csv"), place.read("two/parameters.csv"));
}

#[test]
fn the_experiments_have_moved() {
    let place = Place::new();
    for (line, expected) in [
        ("reproduce", "cargo run --release -p netfed-papers -- NAME --out DIR."),
        (
            "reproduce nfl-table3 --full --out weather",
            "cargo run --release -p netfed-papers -- nfl-table3 --full --out weather.",
        ),
    ] {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).trim_end().ends_with(expected), "{}", stderr(&output));
    }
}
