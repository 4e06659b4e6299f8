//! The `layoutproof` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use layoutproof_cli::Cli;

fn main() -> ExitCode {
    layoutproof_cli::main(&Cli::parse())
}
