//! The binary `netfed`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(netfed_cli::run(std::env::args_os()))
}
