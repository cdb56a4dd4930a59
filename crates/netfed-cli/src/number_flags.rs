//! Numbers on the command line: what is none is answered by what was expected.

use std::any::TypeId;
use std::ffi::OsString;
use std::str::FromStr;

use clap::Command;

/// The command with all its flags that take numbers reading them by [`whole`] and [`real`]. They
/// also take a minus sign, so that the answer is about the number, not that there is no such flag.
pub(crate) fn with_numbers(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let kind = arg.get_value_parser().type_id();
        let arg = match kind {
            kind if kind == TypeId::of::<usize>() => arg.value_parser(whole::<usize>),
            kind if kind == TypeId::of::<u64>() => arg.value_parser(whole::<u64>),
            kind if kind == TypeId::of::<f64>() => arg.value_parser(real),
            _ => return arg,
        };
        arg.allow_negative_numbers(true)
    });
    command.mut_subcommands(with_numbers)
}

/// The words of the command line, a list that begins with a minus sign joined to its flag: `--sizes
/// -5,6` becomes `--sizes=-5,6`, so that it is not taken for a flag. A flag that follows a flag
/// stays one.
pub(crate) fn with_lists(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for word in words {
        let text = word.to_string_lossy();
        let list = text.starts_with('-') && !text.starts_with("--") && text.contains(',');
        let flag = joined.last_mut().filter(|last| {
            let last = last.to_string_lossy();
            last.starts_with("--") && last.len() > 2 && !last.contains('=')
        });
        match flag {
            Some(flag) if list => {
                flag.push("=");
                flag.push(&word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

fn whole<T: FromStr>(text: &str) -> Result<T, &'static str> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().map_err(|_| {
        if digits { "expected a smaller number" } else { "expected a whole number, 0 or more" }
    })
}

fn real(text: &str) -> Result<f64, &'static str> {
    text.trim().parse().map_err(|_| "expected a number")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use clap::CommandFactory;

    #[test]
    fn what_is_no_number_is_answered() {
        let command = with_numbers(Args::command());
        command.clone().debug_assert();
        for (line, part) in [
            ("graph build --out e.csv --k -1", "'-1' for '--k <COUNT>': expected a whole number"),
            ("graph build --out e.csv --k 2.5", "'2.5' for '--k <COUNT>': expected a whole number"),
            ("graph generate sbm --out e --sizes 5,x", "'x' for '--sizes <A,B,C>': expected"),
            ("graph generate sbm --out e --sizes -5,6", "'-5' for '--sizes <A,B,C>': expected"),
            ("tune --out t --graph-k 3,1e3", "'1e3' for '--graph-k <A,B,C>': expected"),
            ("fit --out r --max-iter -3", "'-3' for '--max-iter <COUNT>': expected"),
            ("fit --out r --lambda 0,1", "'0,1' for '--lambda <NUMBER>': expected a number"),
            (
                "federation init --out f --local --classes a,b",
                "'a' for '--classes <A,B,C>': expected a number",
            ),
            (
                "graph learn --silos s --out g --beta 1,",
                "'' for '--beta <A,B,C>': expected a number",
            ),
            ("fit --out r --seed 99999999999999999999", "expected a smaller number"),
            (
                "graph learn --silos s --lambda --out g",
                "a value is required for '--lambda <A,B,C>' but none was supplied",
            ),
            (
                "tune --lambda-grid -q --out t",
                "a value is required for '--lambda-grid <A,B,C>' but none was supplied",
            ),
        ] {
            let message =
                command.clone().try_get_matches_from(words(line)).unwrap_err().to_string();
            assert!(message.contains(part), "{line}: {message}");
        }
        for good in [
            "graph generate sbm --out e --sizes 5,6",
            "federation init --out f --local --beta -1",
            "tune --out t --lambda-grid -1",
            "tune --out t --lambda-grid -1,2",
            "tune --out t --lambda-grid=-1,2",
        ] {
            assert!(command.clone().try_get_matches_from(words(good)).is_ok(), "{good}");
        }
    }

    fn words(line: &str) -> Vec<OsString> {
        with_lists(["netfed"].into_iter().chain(line.split_whitespace()).map(OsString::from))
    }
}
