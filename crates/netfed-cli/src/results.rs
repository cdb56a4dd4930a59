//! Where the results of a command go, and what it says about them: flags that many commands share.

use std::path::PathBuf;

use serde_json::Value;

use crate::terminal::print;

/// Where results go, and what is said about them.
#[derive(clap::Args)]
pub(crate) struct Results {
    /// Folder for the results; it must not exist
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub(crate) out: PathBuf,
    /// Replace the results in a folder that exists
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Show no progress and no summary; warnings stay
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Print the summary as JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

impl Results {
    /// Prints the summary, for a program or for a person.
    pub(crate) fn tell(&self, summary: &Value, words: impl FnOnce() -> String) {
        if self.json {
            print(&format!("{summary:#}\n"));
        } else if !self.quiet {
            print(&words());
        }
    }
}
