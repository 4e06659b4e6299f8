//! The `layoutproof` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    match layoutproof_cli::command_line() {
        Ok(cli) => layoutproof_cli::main(&cli),
        Err(code) => code,
    }
}
