//! The `layoutproof` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    if layoutproof::completions::answer() {
        return ExitCode::SUCCESS;
    }
    match layoutproof::command_line() {
        Ok(cli) => layoutproof::main(&cli),
        Err(code) => code,
    }
}
