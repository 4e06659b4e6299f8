//! The `layoutproof` command: arguments in, reports and exit codes out.
//!
//! [`main`] is the whole command; the conformance tests use [`suite`]. Everything that is decided is decided in the
//! core crate; here arguments are read, processes started, files read and written, and text printed.
#![forbid(unsafe_code)]

mod args;
mod drivers;
mod execute;
mod freeze;
mod frozen_set;
mod information;
mod inputs;
mod laid_out;
mod lists;
mod mutants;
mod output;
pub mod placement;
mod pool;
mod proofs;
mod protocol;
mod reflect;
mod regress;
mod run;
mod selection;
mod show;
mod show_bindings;
pub mod suite;
mod wanted;
mod worker;

use std::process::ExitCode;

use layoutproof::report::summary::Exit;

pub use args::Cli;
use args::Command;
use output::warn;
use selection::Refused;

/// Does what the user typed.
pub fn main(cli: &Cli) -> ExitCode {
    let style = output::style(cli.color, cli.ascii);
    let done = match &cli.command {
        Command::Run(args) => run::run(args, style),
        Command::Show(args) => show::show(args, style),
        Command::Diff(args) => show::compare(args, style),
        Command::Reflect(args) => reflect::reflect(args, style),
        Command::List(args) => information::list(args, style),
        Command::Devices(args) => information::devices(args, style),
        Command::Compilers(args) => Ok(information::compilers(args, style)),
        Command::Doctor => information::doctor(style),
        Command::Freeze(args) => freeze::freeze(args),
        Command::Regress(args) => regress::regress(args, style),
        Command::Mutants(args) => mutants::try_all(args, style),
        Command::Worker(args) => worker::serve(args.connect).map(|()| Exit::Agree).map_err(anyhow::Error::from),
    };
    let exit = done.unwrap_or_else(|error| {
        match error.downcast_ref::<Refused>() {
            Some(refused) => warn(&refused.text(style.colour)),
            None => warn(&format!("error: {error:#}\n")),
        }
        Exit::CouldNotRun
    });
    ExitCode::from(exit.code())
}
