//! The conformance run: one trial per case, rule set, producer, device and API.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    // In an archive of cargo-nextest, the command is elsewhere than it was built.
    let moved = std::env::var_os("NEXTEST_BIN_EXE_layoutproof").map(PathBuf::from);
    layoutproof::suite::main(&moved.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_layoutproof"))))
}
