//! The binary `netfed-papers`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(netfed_papers::run(std::env::args_os()))
}
