//! Runs the commands of a case in a folder of their own and collects what they say and write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::answer::{Answer, Answers, fnv};
use crate::commands::Case;
use crate::common::{command, data};
use crate::mask::{self, Place};

/// Bundled data that are given to every case, and their names there.
const BUNDLED: [(&str, &str); 6] = [
    ("graphs/networkx.gexf", "bundled.gexf"),
    ("graphs/networkx.graphml", "bundled.graphml"),
    ("reference/d_star/edges.csv", "star-edges.csv"),
    ("reference/d_star/points.csv.gz", "star.csv.gz"),
    ("selection/linear/edges.csv", "selection-edges.csv"),
    ("selection/linear/points.csv.gz", "selection.csv.gz"),
];

/// Longer texts are kept as a hash, so that copies of bundled data do not fill the folder.
const LONGEST: usize = 64 << 10;

/// Settings of the surroundings that change what is said.
const SURROUNDINGS: [&str; 4] = ["COLUMNS", "RUST_LOG", "RUST_BACKTRACE", "CLICOLOR_FORCE"];

/// Twelve ports for a case. Those of other cases, of other runs and of other tests are elsewhere;
/// federations come first.
fn port(case: usize) -> u32 {
    2_000 + (std::process::id() % 50) * 200 + 12 * u32::try_from(case % 16).unwrap()
}

/// Files by their paths, with slashes.
type Files = BTreeMap<String, Vec<u8>>;

/// All files below a folder.
pub(crate) fn files_below(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(folder.join(&inner)).unwrap() {
            let entry = entry.unwrap();
            let path = inner.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else {
                let name = path.to_str().unwrap().replace('\\', "/");
                files.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}

/// The words of a line; those in double quotes are one.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (k, part) in line.split('"').enumerate() {
        match k % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Runs all commands of a case, the k-th one.
pub(crate) fn run(case: &Case, k: usize) -> Answers {
    let dir = tempfile::tempdir().unwrap();
    for (from, name) in BUNDLED {
        std::fs::copy(data(from), dir.path().join(name)).unwrap();
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data");
    for (name, bytes) in files_below(&own) {
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    let place = Place::new(dir.path());
    let mut before = files_below(dir.path());
    let mut said = Answer::empty("said.txt");
    // The last command that wrote a file answers for it.
    let mut written: BTreeMap<String, usize> = BTreeMap::new();
    for (step, line) in case.steps.iter().enumerate() {
        let output = output(dir.path(), &line.replace("{port}", &port(k).to_string()));
        said.add(&text_of(line, &output, &place), step);
        let after = files_below(dir.path());
        let new = after.iter().filter(|(name, bytes)| before.get(*name) != Some(*bytes));
        written.extend(new.map(|(name, _)| (name.clone(), step)));
        before = after;
    }
    let commands = case.steps.iter().map(|line| format!("netfed {line}")).collect();
    let mut files = vec![said];
    files.extend(answers(&before, &written, &place));
    Answers { case: case.name, commands, files }
}

/// What a command says.
fn output(folder: &Path, line: &str) -> Output {
    let mut command = command();
    SURROUNDINGS.iter().for_each(|name| {
        command.env_remove(name);
    });
    command.current_dir(folder).args(words(line)).stdin(Stdio::null()).output().unwrap()
}

/// A command, its exit status, and what it said on both ways.
fn text_of(line: &str, output: &Output, place: &Place) -> String {
    let status = output.status.code().map_or("none".to_owned(), |code| code.to_string());
    let said = mask::output(&String::from_utf8_lossy(&output.stdout), place);
    let errors = mask::errors(&String::from_utf8_lossy(&output.stderr), place);
    let mut text = format!("$ netfed {line}\n{said}");
    if !errors.is_empty() {
        text.push_str(&format!("-- standard error\n{errors}"));
    }
    text.push_str(&format!("-- exit status {status}\n\n"));
    text
}

/// The files that were written: texts as they are, of all others a hash.
fn answers(files: &Files, written: &BTreeMap<String, usize>, place: &Place) -> Vec<Answer> {
    let mut answers = Vec::new();
    let mut hashes = Answer::empty("hashes.txt");
    for (name, step) in written {
        // What is made and taken away again leaves nothing behind.
        let Some(bytes) = files.get(name) else { continue };
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        match (std::str::from_utf8(bytes), ending) {
            _ if mask::is_secret(name) => hashes.add(&format!("{name} differs by chance\n"), *step),
            (Ok(text), "html" | "svg") => {
                let hash = fnv(mask::file(name, text, place).as_bytes());
                hashes.add(&format!("{name} {hash:016x}\n"), *step);
            }
            (Ok(text), _) if ending != "safetensors" && text.len() <= LONGEST => {
                answers.push(Answer::of(name, mask::file(name, text, place), *step));
            }
            _ => hashes.add(&format!("{name} {:016x}\n", fnv(bytes)), *step),
        }
    }
    if !hashes.text.is_empty() {
        answers.push(hashes);
    }
    answers
}

#[test]
fn words_in_quotes_stay_together() {
    assert_eq!(
        words("relax --model \"tree depth=3\" --out a"),
        ["relax", "--model", "tree depth=3", "--out", "a"]
    );
}
