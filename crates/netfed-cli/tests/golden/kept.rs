//! The folder of the kept answers: written, compared, and what to say about differences.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::answer::{Answer, Answers};
use crate::compare::{exact, first_difference, machine};
use crate::run::files_below;

/// So much of a long line is shown.
const SHOWN: usize = 160;

/// A kept file that is not what the commands write now.
pub(crate) struct Difference {
    /// The command, or what there is instead.
    command: String,
    file: String,
    what: String,
}

/// Where the answers are kept.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/answers")
}

/// The file that says where the answers were written.
const MACHINE: &str = "machine.txt";

/// Keeps these answers and no other.
pub(crate) fn write(all: &[Answers]) {
    let folder = folder();
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(MACHINE), machine()).unwrap();
    for answers in all {
        for answer in &answers.files {
            let path = folder.join(answers.case).join(&answer.name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, &answer.text).unwrap();
        }
    }
}

/// All differences between the kept answers and these.
pub(crate) fn differences(all: &[Answers]) -> Vec<Difference> {
    let folder = folder();
    let mut kept = if folder.exists() { files_below(&folder) } else { BTreeMap::new() };
    let exact = exact(&kept.remove(MACHINE).unwrap_or_default());
    let mut differences = Vec::new();
    for answers in all {
        for answer in &answers.files {
            let file = format!("{}/{}", answers.case, answer.name);
            let found =
                kept.remove(&file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            differences.extend(difference((answers, answer), file, found, exact));
        }
    }
    differences.extend(kept.into_keys().map(|file| Difference {
        command: "no command".to_owned(),
        file,
        what: "  It is kept, but nothing writes it any more.".to_owned(),
    }));
    differences
}

/// The difference between an answer and the one that is kept.
fn difference(
    (answers, answer): (&Answers, &Answer),
    file: String,
    kept: Option<String>,
    exact: bool,
) -> Option<Difference> {
    let of = |line: usize| answers.commands[answer.command(line)].clone();
    let Some(kept) = kept else {
        let what = "  It is new: no answer is kept.".to_owned();
        return Some(Difference { command: of(0), file, what });
    };
    // A hash says nothing about how near numbers are.
    if !exact && answer.name == "hashes.txt" {
        return None;
    }
    let (line, kept, found) = first_difference(&kept, &answer.text, exact)?;
    let (kept, found) = shown(kept, found);
    let what = format!("  line {}\n    kept:  {kept}\n    found: {found}", line + 1);
    Some(Difference { command: of(line), file, what })
}

/// Two lines, cut to where they begin to differ.
fn shown(kept: Option<&str>, found: Option<&str>) -> (String, String) {
    let same = match (kept, found) {
        (Some(a), Some(b)) => a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count(),
        _ => 0,
    };
    let skipped = if same > SHOWN / 2 { same - SHOWN / 4 } else { 0 };
    let show = |line: Option<&str>| {
        let Some(line) = line else { return "(the file has ended)".to_owned() };
        let before = if skipped > 0 { "…" } else { "" };
        let part: String = line.chars().skip(skipped).take(SHOWN).collect();
        let after = if line.chars().count() > skipped + SHOWN { "…" } else { "" };
        format!("{before}{part}{after}")
    };
    (show(kept), show(found))
}

/// All differences in words, by command.
pub(crate) fn report(differences: &[Difference]) -> String {
    let mut text = format!("{} kept answers differ.\n", differences.len());
    let mut commands: Vec<&str> = Vec::new();
    for d in differences {
        if !commands.contains(&d.command.as_str()) {
            commands.push(&d.command);
        }
    }
    for command in commands {
        text.push_str(&format!("\n{command}\n"));
        for d in differences.iter().filter(|d| d.command == command) {
            text.push_str(&format!("  {}\n  {}\n", d.file, d.what.replace('\n', "\n  ")));
        }
    }
    text.push_str(
        "\nIf the change is meant, say GOLDEN=write cargo test -p netfed-cli --test golden, and read the diff of crates/netfed-cli/tests/golden/answers.\n",
    );
    text
}

#[test]
fn a_long_line_is_shown_where_it_differs() {
    let long = "x".repeat(500);
    let (kept, found) = shown(Some(&format!("{long}1")), Some(&format!("{long}2")));
    assert!(kept.starts_with('…') && kept.ends_with("x1"), "{kept}");
    assert!(found.ends_with("x2"), "{found}");
    assert_eq!(shown(None, Some("a")), ("(the file has ended)".to_owned(), "a".to_owned()));
}
