//! The flags of a fit: those of this program, and one for every setting of the library
//! ([`FIELDS`]), in one order.

use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use netfed::spec::{self, FIELDS, Field, Kind};

use super::own::{Columns, InputFiles, Machine};
use super::{Given, KEYS};
use crate::failure::Failure;

/// The flags as they were said.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags {
    pub(crate) files: InputFiles,
    pub(crate) columns: Columns,
    machine: Machine,
    /// Settings of the library by name.
    settings: Vec<(&'static str, String)>,
}

impl Flags {
    /// What was said, read.
    pub(crate) fn read(&self) -> Result<Given, Failure> {
        let mut settings = spec::Given::default();
        for (key, text) in &self.settings {
            settings.set(key, text)?;
        }
        let (files, columns) = (self.files.clone(), self.columns.clone());
        Ok(Given { files, columns, spec: settings, machine: self.machine })
    }

    /// What was said about one setting.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|(known, _)| *known == key).map(|(_, text)| text.as_str())
    }

    /// The same without what was said about one setting.
    pub(crate) fn without(&self, key: &str) -> Flags {
        let mut flags = self.clone();
        flags.settings.retain(|(known, _)| *known != key);
        flags
    }
}

/// The flags of this program.
fn own() -> Command {
    let empty = Command::new("own").next_display_order(None);
    Machine::augment_args(Columns::augment_args(InputFiles::augment_args(empty)))
}

/// The flag of a setting.
fn flag(field: &Field) -> Arg {
    let arg = Arg::new(field.name)
        .long(field.key)
        .aliases(field.aliases.iter().copied())
        .value_name(field.value_name)
        .help_heading(field.heading)
        .help(field.help());
    match field.kind {
        Kind::Switch => arg
            .num_args(0..=1)
            .default_missing_value("true")
            .require_equals(true)
            .value_parser(value_parser!(bool)),
        Kind::Number => arg.allow_negative_numbers(true).value_parser(value_parser!(f64)),
        Kind::Count => arg.value_parser(value_parser!(u64)),
        _ => arg.value_parser(ValueParser::string()),
    }
}

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        let own = own();
        let arg = |key: &&str| {
            let ours = own.get_arguments().find(|arg| arg.get_long() == Some(key)).cloned();
            ours.or_else(|| FIELDS.iter().find(|field| field.key == *key).map(flag))
        };
        command.args(KEYS.iter().filter_map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::augment_args(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Flags, clap::Error> {
        let own = own();
        let ours = |field: &Field| own.get_arguments().any(|arg| arg.get_long() == Some(field.key));
        let said = |field: &Field| {
            let text = matches.get_raw(field.name)?.next()?;
            Some((field.key, text.to_string_lossy().into_owned()))
        };
        Ok(Flags {
            files: InputFiles::from_arg_matches(matches)?,
            columns: Columns::from_arg_matches(matches)?,
            machine: Machine::from_arg_matches(matches)?,
            settings: FIELDS.iter().filter(|field| !ours(field)).filter_map(said).collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Flags::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_place() {
        for field in FIELDS {
            assert!(KEYS.contains(&field.key), "{} is missing in KEYS", field.key);
        }
        for arg in own().get_arguments() {
            let key = arg.get_long().unwrap();
            assert!(KEYS.contains(&key), "{key} is missing in KEYS");
        }
        let known = FIELDS.len() + own().get_arguments().count();
        let both = ["penalty-matrix", "availability"].len();
        assert_eq!(KEYS.len(), known - both);
    }

    #[test]
    fn flags_become_settings() {
        let command = Flags::augment_args(Command::new("t"));
        let words = "t --flavour clustered --intercept --huber-delta 2 --loss huber --seed 3";
        let matches = command.try_get_matches_from(words.split(' ')).unwrap();
        let flags = Flags::from_arg_matches(&matches).unwrap();
        let given = flags.read().unwrap();
        assert_eq!(
            given.spec.to_string(),
            "intercept=true flavor=clustered loss=huber huber-delta=2 seed=3"
        );
        assert_eq!((flags.text("seed"), flags.without("seed").text("seed")), (Some("3"), None));
    }
}
