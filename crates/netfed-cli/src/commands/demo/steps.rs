//! The commands of the demo, in the order in which a user would type them.

use std::path::Path;

/// A command, and why it is there.
pub(super) struct Step {
    /// What it is for; none where the step before has said it.
    pub(super) why: Option<&'static str>,
    /// The words of the command line, without `netfed`.
    pub(super) words: Vec<String>,
}

const TRAIN: &str = "--data {}/train.csv --node-column station --target max \
                     --features max_before,min_before --intercept";

/// The commands with their reasons; `{}` is the folder of the demo, `TRAIN` the flags of the data.
const STEPS: [(&str, &str); 9] = [
    (
        "Stations that are near each other become neighbors.",
        "graph build --discrepancy distance --coordinates {}/stations.csv --rule mst-knn --out {}/edges.csv",
    ),
    (
        "How much should neighbors agree? λ by cross-validation.",
        "tune TRAIN --graph {}/edges.csv --out {}/tuned",
    ),
    (
        "One model per station, coupled over the graph.",
        "fit --config {}/tuned/config.toml --out {}/coupled",
    ),
    (
        "Does coupling pay? Compared on days that are held out at random.",
        "compare --config {}/tuned/config.toml --methods gtv --out {}/compared",
    ),
    (
        "And on the days after? Every station alone, one model for all, …",
        "fit --config {}/tuned/config.toml --lambda 0 --quiet --out {}/alone",
    ),
    ("", "fit TRAIN --flavor centralized --quiet --out {}/pooled"),
    (
        "… and the errors of all three.",
        "evaluate --run {}/alone --data {}/test.csv --quiet --out {}/alone.csv",
    ),
    ("", "evaluate --run {}/pooled --data {}/test.csv --quiet --out {}/pooled.csv"),
    ("", "evaluate --run {}/coupled --data {}/test.csv --quiet --out {}/coupled.csv"),
];

/// The commands for a folder.
pub(super) fn steps(out: &Path, force: bool) -> Vec<Step> {
    let folder = out.display().to_string();
    let folder = folder.trim_end_matches('/');
    let step = |&(why, line): &(&'static str, &str)| {
        let line = line.replace("TRAIN", TRAIN);
        let words = line.split_whitespace().map(|word| word.replace("{}", folder));
        let words = words.chain(force.then(|| "--force".to_owned()));
        Step { why: Some(why).filter(|why| !why.is_empty()), words: words.collect() }
    };
    STEPS.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use clap::CommandFactory;

    #[test]
    fn every_step_is_a_command_line_also_in_a_folder_with_a_space() {
        for step in steps(Path::new("my demo/"), true) {
            let words = std::iter::once("netfed".to_owned()).chain(step.words.clone());
            assert!(Args::command().try_get_matches_from(words).is_ok(), "{:?}", step.words);
            assert!(step.words.iter().any(|word| word.starts_with("my demo/")));
            assert_eq!(step.words.last().map(String::as_str), Some("--force"));
        }
    }
}
