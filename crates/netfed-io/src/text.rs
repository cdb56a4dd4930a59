//! Text from files as messages show it: in quotes, shortened, without unprintable characters.

use std::fmt;
use std::path::Path;

/// The most characters of file text that a message repeats.
const QUOTED_CHARS: usize = 40;

/// Puts text from a file in quotes, shortened, with unprintable characters escaped.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    if text.chars().nth(QUOTED_CHARS).is_some() {
        let start = text.chars().take(QUOTED_CHARS - 3);
        quoted.extend(start.flat_map(printable));
        quoted.push_str("...");
    } else {
        quoted.extend(text.chars().flat_map(printable));
    }
    quoted.push('"');
    quoted
}

/// One character as it may be shown on a terminal.
fn printable(c: char) -> impl Iterator<Item = char> {
    let invisible = c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{2069}' | '\u{feff}');
    let escaped = invisible.then(|| c.escape_default());
    let plain = (!invisible).then_some(c);
    escaped.into_iter().flatten().chain(plain)
}

/// The name of a file as messages give it: the path the user wrote.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string().chars().flat_map(printable).collect()
}

/// The reason a library gave, cut to its first line so that it fits a sentence.
pub(crate) fn reason(error: impl fmt::Display) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_end_matches(['.', ' ']).chars().flat_map(printable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_is_short_and_printable() {
        assert_eq!(quote("abc"), "\"abc\"");
        assert_eq!(quote("a\nb\u{1b}[0m"), "\"a\\nb\\u{1b}[0m\"");
        assert_eq!(quote("a\u{202e}b"), "\"a\\u{202e}b\"");
        let exact = "x".repeat(40);
        assert_eq!(quote(&exact), format!("\"{exact}\""));
        let long = quote(&"é".repeat(41));
        assert_eq!(long, format!("\"{}...\"", "é".repeat(37)));
    }

    #[test]
    fn a_reason_is_one_line_without_a_period() {
        assert_eq!(reason("it broke. \nbacktrace"), "it broke");
    }
}
