//! Parts that pages of several commands have.

use maud::{Markup, html};

/// Sentences, as a section of their own; a command at the end of one is set apart.
pub(crate) fn sentences(title: &str, lines: &[String]) -> Markup {
    html! {
        section {
            h2 { (title) }
            @for line in lines {
                @match line.split_once(": netfed ") {
                    Some((words, command)) => p { (words) ": " code { "netfed " (command) } },
                    None => p { (line) },
                }
            }
        }
    }
}

/// Warnings, where there are any.
pub(crate) fn warnings(list: &[String]) -> Markup {
    html! {
        @if !list.is_empty() {
            section.warnings { h2 { "Warnings" } ul { @for w in list { li { (w) "." } } } }
        }
    }
}
