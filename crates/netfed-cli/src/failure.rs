//! Why a command failed, with its exit status: 2 bad usage or input, 1 anything else.

use std::fmt::Display;

use netfed_io::ErrorKind;

/// A failure: one sentence for the user, and an exit status.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub struct Failure {
    sentence: String,
    pub(crate) exit: u8,
}

impl Failure {
    /// Something is wrong with what the user gave.
    pub fn input(sentence: String) -> Failure {
        Failure { sentence, exit: 2 }
    }

    /// Something is wrong at a place in what the user gave.
    pub fn at(place: &str, problem: impl Display) -> Failure {
        let mut sentence = format!("{place}: {problem}");
        if !sentence.ends_with('?') {
            sentence.push('.');
        }
        Failure::input(sentence)
    }

    /// Something else went wrong.
    pub fn other(sentence: String) -> Failure {
        Failure { sentence, exit: 1 }
    }
}

impl From<netfed_io::Error> for Failure {
    fn from(error: netfed_io::Error) -> Failure {
        match error.kind() {
            ErrorKind::Input => Failure::input(error.to_string()),
            _ => Failure::other(error.to_string()),
        }
    }
}

impl From<netfed::Error> for Failure {
    fn from(error: netfed::Error) -> Failure {
        let mut sentence = match &error {
            netfed::Error::Stopped => {
                return Failure::other("interrupted; nothing was written.".into());
            }
            netfed::Error::Setting { problem } => as_flags(problem),
            _ => error.to_string(),
        };
        if !sentence.ends_with('?') {
            sentence.push('.');
        }
        Failure::input(sentence)
    }
}

/// The library names settings between backquotes; here they are flags.
fn as_flags(problem: &str) -> String {
    let parts = problem.split('`').enumerate();
    parts.map(|(k, part)| if k % 2 == 1 { format!("--{part}") } else { part.into() }).collect()
}

impl From<netfed_net::Error> for Failure {
    fn from(error: netfed_net::Error) -> Failure {
        use netfed_net::Error;
        let sentence = error.to_string();
        let sentence = sentence.trim_end_matches('.').to_owned() + ".";
        match error {
            Error::Away { .. } => Failure { sentence, exit: 3 },
            Error::Invalid(_) => Failure::input(sentence),
            Error::Settings(error) => error.into(),
            Error::File { .. } | Error::Engine(_) | Error::Diverged { .. } => {
                Failure::other(sentence)
            }
        }
    }
}
