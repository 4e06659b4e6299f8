//! The conformance run: one trial per case, rule set, producer, device and API.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/known");
    layoutproof_cli::suite::main(Path::new(env!("CARGO_BIN_EXE_layoutproof")), &known)
}
