//! The conformance run: one trial per case, rule set, producer, device and API.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    layoutproof_cli::suite::main(Path::new(env!("CARGO_BIN_EXE_layoutproof")))
}
