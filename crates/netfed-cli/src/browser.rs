//! Shows a page to the person at this machine, where there is one.

use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};

/// Opens a page in the browser, if somebody sits at a terminal and there is a display. Without a
/// browser nothing happens.
pub(crate) fn open(page: &Path) {
    if std::io::stdout().is_terminal() && has_display() {
        let mut words = opener();
        let program = words.remove(0);
        let silent = || Stdio::null();
        let mut command = Command::new(program);
        command.args(words).arg(page).stdin(silent()).stdout(silent()).stderr(silent());
        let _ = command.spawn();
    }
}

/// The program that opens a file with what is meant for it.
fn opener() -> Vec<&'static str> {
    if cfg!(target_os = "macos") {
        vec!["open"]
    } else if cfg!(windows) {
        vec!["cmd", "/C", "start", ""]
    } else {
        vec!["xdg-open"]
    }
}

/// Whether there is a screen to show something on.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", windows)) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}
