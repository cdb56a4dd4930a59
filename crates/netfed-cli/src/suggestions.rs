//! Commands that are suggested: they must run as they are, with the flags as they were given.

use netfed::LossKind;

use crate::given::Given;

/// A word of a command line that can be copied into a shell.
pub(crate) fn shell(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn named(flag: &str, value: Option<&str>) -> String {
    value.map_or(String::new(), |value| format!(" {flag} {}", shell(value)))
}

/// The flags that name the data and their nodes; none without data.
pub(crate) fn nodes(given: &Given) -> String {
    let Some(data) = &given.files.data else { return String::new() };
    let data = data.display().to_string();
    named("--data", Some(&data)) + &named("--node-column", given.columns.node_column.as_deref())
}

/// The flags of the columns and of the models.
pub(crate) fn models(given: &Given) -> String {
    let features = given.columns.features.as_ref().map(|names| names.join(","));
    let mut flags = named("--target", given.columns.target.as_deref())
        + &named("--features", features.as_deref())
        + &named("--loss", given.spec.loss.map(LossKind::name));
    for (flag, there) in
        [("intercept", given.spec.intercept), ("standardize", given.spec.standardize)]
    {
        if there == Some(true) {
            flags.push_str(&format!(" --{flag}"));
        }
    }
    for (flag, value) in [("ridge", given.spec.ridge), ("huber-delta", given.spec.huber_delta)] {
        if let Some(value) = value {
            flags.push_str(&format!(" --{flag} {value}"));
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_is_said_again() {
        let mut given = Given::default();
        given.files.data = Some("my points.csv".into());
        given.columns.node_column = Some("it's".into());
        given.columns.features = Some(vec!["a".into(), "b c".into()]);
        given.spec = "intercept=true standardize=false ridge=0.5".parse().unwrap();
        assert_eq!(nodes(&given), " --data 'my points.csv' --node-column 'it'\\''s'");
        assert_eq!(models(&given), " --features 'a,b c' --intercept --ridge 0.5");
        assert_eq!(nodes(&Given::default()) + &models(&Given::default()), "");
    }
}
