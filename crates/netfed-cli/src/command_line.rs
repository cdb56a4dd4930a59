//! From the words of a command line to flags, and from a result to an exit status.

use std::ffi::OsString;

use clap::Parser;

use crate::failure::Failure;
use crate::number_flags::{with_lists, with_numbers};
use crate::progress::say;

/// The flags in the words of a command line; or an exit status, after the answer to `--help`,
/// `--version` or a usage error has been printed.
pub fn parse<T: Parser>(words: impl IntoIterator<Item = OsString>) -> Result<T, u8> {
    let matches = with_numbers(T::command()).try_get_matches_from(with_lists(words));
    matches.and_then(|matches| T::from_arg_matches(&matches)).map_err(|answer| {
        // A closed pipe is not an error.
        let _ = answer.print();
        u8::try_from(answer.exit_code()).unwrap_or(2)
    })
}

/// The exit status; a failure is said on standard error.
pub fn status(done: Result<u8, Failure>) -> u8 {
    done.unwrap_or_else(|failure| {
        say(&failure.to_string());
        failure.exit
    })
}
