//! What differs from run to run, and only that, is masked before answers are kept or compared.
//!
//! | rule | where | why |
//! | --- | --- | --- |
//! | [`place`] | everywhere | results name the folder that they come from, here one with a random name |
//! | [`seconds`] | `"seconds"` in JSON | time that was needed |
//! | [`seconds_column`] | the column `seconds` in CSV | time that was needed |
//! | [`durations`] | pages, standard output | the same in words: `12 ms`, `1 min 5 s` |
//! | [`time_column`] | tables on standard output that end with the column `time` | the same, and the width of the table, which follows from it |
//! | [`version`] | `"version"` in JSON, `version …` in pages | a release changes it, and nothing else |
//! | [`ports`] | after `127.0.0.1:` | free ports, other ones in every run |
//! | [`days`] | standard output | a certificate is valid for 365 days, of which 364 are whole a second later |
//! | [`progress`] | standard error | lines that come every few seconds, on slow machines only |
//! | [`is_secret`] | names of files | keys, certificates and signatures are random |

use std::path::Path;

/// The folder of a case, by the names that it goes by.
pub(crate) struct Place {
    names: Vec<String>,
}

impl Place {
    pub(crate) fn new(folder: &Path) -> Place {
        let mut names = vec![folder.to_path_buf()];
        names.extend(folder.canonicalize());
        let mut names: Vec<String> = names.iter().map(|n| n.to_str().unwrap().to_owned()).collect();
        // A longer name may contain a shorter one.
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        Place { names }
    }
}

/// A file that a command wrote, by its ending.
pub(crate) fn file(name: &str, text: &str, at: &Place) -> String {
    let text = place(text, at);
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => version(&durations(&text)),
        "json" => version(&seconds(&text)),
        "csv" => seconds_column(&text),
        "toml" => ports(&text),
        _ => text,
    }
}

/// What a command said on standard output.
pub(crate) fn output(text: &str, at: &Place) -> String {
    days(&ports(&version(&seconds(&durations(&time_column(&place(text, at)))))))
}

fn days(text: &str) -> String {
    text.replace(", valid for 364 more days", ", valid for 365 more days")
}

/// What a command said on standard error.
pub(crate) fn errors(text: &str, at: &Place) -> String {
    ports(&progress(&place(text, at)))
}

/// Files that are random from the first byte to the last; that they are there is kept.
pub(crate) fn is_secret(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "crt" | "key" | "sig")
}

fn place(text: &str, at: &Place) -> String {
    at.names.iter().fold(text.to_owned(), |text, name| text.replace(name, "<place>"))
}

/// Changes all lines, and keeps how they end.
fn lines(text: &str, change: impl FnMut(&str) -> String) -> String {
    text.split('\n').map(change).collect::<Vec<_>>().join("\n")
}

fn seconds(text: &str) -> String {
    let key = "\"seconds\": ";
    lines(text, |line| match line.split_once(key) {
        Some((before, rest)) if before.trim().is_empty() => {
            let comma = if rest.ends_with(',') { "," } else { "" };
            format!("{before}{key}<time>{comma}")
        }
        _ => line.to_owned(),
    })
}

fn seconds_column(text: &str) -> String {
    let header = text.lines().next().unwrap_or_default();
    let Some(column) = header.split(',').position(|name| name == "seconds") else {
        return text.to_owned();
    };
    let mut first = true;
    lines(text, |line| {
        let mut cells: Vec<&str> = line.split(',').collect();
        if !std::mem::take(&mut first) && cells.len() > column {
            cells[column] = "<time>";
        }
        cells.join(",")
    })
}

/// The length of a duration in words at the beginning of a text; 0 if there is none.
fn duration(text: &str) -> usize {
    let mut end = ["< ", "&lt; "].iter().find(|p| text.starts_with(**p)).map_or(0, |p| p.len());
    let mut parts = 0;
    loop {
        let rest = &text[end..];
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let unit = ["ms", "min", "s", "h"].into_iter().find(|unit| {
            let after = rest[digits..].strip_prefix(' ').and_then(|r| r.strip_prefix(unit));
            digits > 0 && after.is_some_and(|r| !r.starts_with(char::is_alphanumeric))
        });
        let Some(unit) = unit else { break };
        (end, parts) = (end + digits + 1 + unit.len(), parts + 1);
        // "1 min 5 s"
        if !text[end..].starts_with(' ') {
            return end;
        }
        end += 1;
    }
    // The space after the last part is not part of it.
    if parts > 0 { end - 1 } else { 0 }
}

fn durations(text: &str) -> String {
    const BEFORE: [&str; 5] = [", after ", ", ", " in ", ">", "\n"];
    let (mut masked, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        let at_start = masked.is_empty() || BEFORE.iter().any(|b| masked.ends_with(b));
        let length = if at_start { duration(rest) } else { 0 };
        if length > 0 {
            masked.push_str("<time>");
            rest = &rest[length..];
        } else {
            masked.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    masked
}

fn time_column(text: &str) -> String {
    if !text.lines().any(|line| line.starts_with(" method ") && line.trim_end().ends_with(" time"))
    {
        return text.to_owned();
    }
    let mut inside = false;
    lines(text, |line| {
        let is_rule = line.starts_with('─') || line.starts_with('═');
        inside = is_rule || (inside && line.starts_with(' '));
        match () {
            () if is_rule => line.chars().take(3).collect(),
            () if inside => without_time(line.trim_end()).to_owned(),
            () => line.to_owned(),
        }
    })
}

/// A row without its last cell, a duration or the word for it.
fn without_time(row: &str) -> &str {
    if let Some(row) = row.strip_suffix(" time") {
        return row.trim_end();
    }
    let starts = row.char_indices().map(|(at, _)| at).filter(|at| row[..*at].ends_with("  "));
    let found = starts.into_iter().find(|at| {
        let length = duration(&row[*at..]);
        length > 0 && at + length == row.len()
    });
    found.map_or(row, |at| row[..at].trim_end())
}

fn version(text: &str) -> String {
    let own = env!("CARGO_PKG_VERSION");
    let json = text.replace(&format!("\"version\": \"{own}\""), "\"version\": \"<version>\"");
    json.replace(&format!("· version {own}</p>"), "· version <version></p>")
}

fn ports(text: &str) -> String {
    let mut parts = text.split("127.0.0.1:");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        masked.push_str("127.0.0.1:<port>");
        masked.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    masked
}

fn progress(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !is_progress(line)).collect()
}

fn is_progress(line: &str) -> bool {
    let Some(said) = line.strip_prefix("netfed: ") else { return false };
    let words: Vec<&str> = said.split_whitespace().take(4).collect();
    let number = |word: &str| word.parse::<u64>().is_ok();
    match words[..] {
        // netfed: iteration 20, relative gap 3.1e-3
        ["iteration" | "round" | "sweep", k, ..] => number(k.trim_end_matches(',')),
        // netfed: 3 of 15 runs, …
        [k, "of", n, _] => number(k) && number(n),
        // netfed: 2 peers running; north1: …
        [k, "peer" | "peers", "running;", _] => number(k),
        _ => false,
    }
}

#[test]
fn times_in_words_are_masked_where_they_are_said() {
    assert_eq!(durations("done, 12 ms (fast)\n"), "done, <time> (fast)\n");
    assert_eq!(durations("6 values in 1.2 s, 8 clusters"), "6 values in <time>, 8 clusters");
    assert_eq!(durations("<dd>&lt; 1 ms</dd>"), "<dd><time></dd>");
    assert_eq!(durations("it took, after 1 min 5 s."), "it took, after <time>.");
    assert_eq!(durations("wait (after 60 s)"), "wait (after 60 s)");
    assert_eq!(durations("é, 9 members, 13 edges"), "é, 9 members, 13 edges");
}

#[test]
fn times_in_files_are_masked() {
    assert_eq!(
        seconds("{\n  \"seconds\": 0.1,\n  \"x\": 2\n}"),
        "{\n  \"seconds\": <time>,\n  \"x\": 2\n}"
    );
    assert_eq!(seconds_column("a,seconds,b\n1,2,3\n"), "a,seconds,b\n1,<time>,3\n");
    assert_eq!(seconds_column("a,b\n1,2\n"), "a,b\n1,2\n");
}

#[test]
fn a_table_does_not_show_how_long_its_times_are() {
    let wide = "────────\n method   rounds     time \n════════\n gtv          60   < 1 ms \n────────\n a, b\n";
    let slim = "──────\n method   rounds   time \n══════\n gtv          60   3 s \n──────\n a, b\n";
    assert_eq!(time_column(wide), "───\n method   rounds\n═══\n gtv          60\n───\n a, b\n");
    assert_eq!(time_column(wide), time_column(slim));
}

#[test]
fn ports_versions_and_progress_are_masked() {
    assert_eq!(ports("quic/127.0.0.1:3100\""), "quic/127.0.0.1:<port>\"");
    let own = env!("CARGO_PKG_VERSION");
    assert_eq!(version(&format!("\"version\": \"{own}\"")), "\"version\": \"<version>\"");
    assert_eq!(
        progress("netfed: 3 of 15 runs, λ = 1\nnetfed: warning: a.\n"),
        "netfed: warning: a.\n"
    );
    assert_eq!(progress("netfed: iteration 20, relative gap 1\n"), "");
    assert_eq!(
        progress("netfed: 2 peers running; a: b\nnetfed: 9 peers started\n"),
        "netfed: 9 peers started\n"
    );
}
