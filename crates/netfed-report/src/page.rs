//! A page around any body: complete in itself, it loads nothing, runs no script, and follows the
//! reader's color scheme.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::chart;

/// The style sheet of the page.
pub(crate) const STYLE: &str = include_str!("style.css");
/// Forbids everything but the style sheet inside the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page, with the style sheet of all pages.
pub fn page(title: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    }
    .into_string()
}

/// A patch of a cluster's color, beside its number.
pub fn swatch(color: Option<usize>) -> Markup {
    html! { span class={ "swatch " (chart::color_class(color)) } {} }
}
