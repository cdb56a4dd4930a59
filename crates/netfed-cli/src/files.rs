//! Flags about all files, of every command.

use netfed_io::Options;

/// Flags of every command.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct Files {
    /// Read packed files (.gz, Parquet) of which a table unpacks to at most this many MiB [default:
    /// 256, or 64 times the size of the file]
    #[arg(long, value_name = "MIB", global = true, help_heading = "Files")]
    max_unpacked: Option<u64>,
    /// CSV files are for a spreadsheet: text that it could take for a formula is written with '
    /// before it, and read without
    #[arg(long, global = true, help_heading = "Files")]
    spreadsheet: bool,
}

impl Files {
    /// Makes this what all files are read and written by.
    pub fn apply(self) {
        let Files { max_unpacked, spreadsheet } = self;
        Options { max_unpacked, spreadsheet }.apply();
    }
}

/// Words of the command line that pass this on to another process.
pub(crate) fn words() -> Vec<String> {
    let Options { max_unpacked, spreadsheet } = Options::current();
    let limit = max_unpacked.map(|mib| format!("--max-unpacked={mib}"));
    let spreadsheet = spreadsheet.then(|| "--spreadsheet".to_owned());
    limit.into_iter().chain(spreadsheet).collect()
}
