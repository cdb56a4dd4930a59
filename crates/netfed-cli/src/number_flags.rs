//! Whole numbers on the command line: what is none is answered by what was expected.

use std::any::TypeId;
use std::str::FromStr;

use clap::Command;

/// The command with all its flags that take whole numbers reading them by [`whole`]. They, and lists of numbers, also take a
/// minus sign, so that the answer is about the number, not that there is no such flag.
pub(crate) fn with_whole_numbers(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let kind = arg.get_value_parser().type_id();
        let list = arg.get_value_delimiter().is_some();
        let arg = match kind {
            kind if kind == TypeId::of::<usize>() => arg.value_parser(whole::<usize>),
            kind if kind == TypeId::of::<u64>() => arg.value_parser(whole::<u64>),
            kind if kind == TypeId::of::<f64>() && list => arg,
            _ => return arg,
        };
        if list { arg.allow_hyphen_values(true) } else { arg.allow_negative_numbers(true) }
    });
    command.mut_subcommands(with_whole_numbers)
}

fn whole<T: FromStr>(text: &str) -> Result<T, &'static str> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().map_err(|_| match digits {
        true => "expected a smaller number",
        false => "expected a whole number, 0 or more",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use clap::CommandFactory;

    #[test]
    fn what_is_no_count_is_answered() {
        let command = with_whole_numbers(Args::command());
        command.clone().debug_assert();
        for (line, part) in [
            ("graph build --out e.csv --k -1", "'-1' for '--k <COUNT>': expected a whole number"),
            ("graph build --out e.csv --k 2.5", "'2.5' for '--k <COUNT>': expected a whole number"),
            ("graph generate sbm --out e --sizes 5,x", "'x' for '--sizes <A,B,C>': expected"),
            ("graph generate sbm --out e --sizes -5,6", "'-5' for '--sizes <A,B,C>': expected"),
            ("tune --out t --graph-k 3,1e3", "'1e3' for '--graph-k <A,B,C>': expected"),
            ("fit --out r --max-iter -3", "'-3' for '--max-iter <COUNT>': expected"),
            ("fit --out r --seed 99999999999999999999", "expected a smaller number"),
        ] {
            let words = std::iter::once("netfed").chain(line.split_whitespace());
            let message = command.clone().try_get_matches_from(words).unwrap_err().to_string();
            assert!(message.contains(part), "{line}: {message}");
        }
        let good = "netfed graph generate sbm --out e --sizes 5,6";
        assert!(command.try_get_matches_from(good.split_whitespace()).is_ok());
    }
}
