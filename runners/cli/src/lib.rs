//! The `layoutproof` command: arguments in, reports and exit codes out.
//!
//! [`main`] is the whole command; the conformance tests use [`suite`]. Everything that is decided is decided in the
//! core crate; here arguments are read, processes started, files read and written, and text printed.
#![forbid(unsafe_code)]

mod args;
mod arguments;
pub mod bench;
mod chosen;
mod compilers;
mod demands;
mod divisions;
mod drivers;
mod execute;
mod export;
pub mod fault;
mod files;
pub mod final_report;
mod floors;
mod freeze;
mod frozen_set;
mod fuzz;
mod included;
mod information;
mod inputs;
mod interrupt;
mod laid_out;
mod ledger;
mod lists;
mod merge;
mod mutants;
mod output;
pub mod part;
pub mod placement;
mod pool;
mod proofs;
mod protocol;
mod records_file;
mod reflect;
mod regress;
mod report;
mod resume;
mod rotation;
mod run;
mod screen;
mod selection;
mod serve;
mod shader_cache;
mod show;
mod show_args;
mod show_bindings;
mod sign_of_life;
pub mod suite;
mod wanted;
mod worker;

use std::process::ExitCode;

use layoutproof::report::summary::Exit;

pub use args::Cli;
use args::Command;
use output::{warn, warn_rendered};
use selection::Refused;

/// Does what the user typed.
pub fn main(cli: &Cli) -> ExitCode {
    let style = output::style(cli.color, cli.ascii);
    let done = match &cli.command {
        Command::Run(args) => run::run(args, style),
        Command::Report(args) => report::report(args, style),
        Command::Show(args) => show::show(args, style),
        Command::Diff(args) => show::compare(args, style),
        Command::Reflect(args) => reflect::reflect(args, style),
        Command::Export(args) => export::export(args),
        Command::List(args) => information::list(args, style),
        Command::Devices(args) => information::devices(args, style),
        Command::Compilers(args) => Ok(information::compilers(args, style)),
        Command::Doctor => information::doctor(style),
        Command::Freeze(args) => freeze::freeze(args),
        Command::Regress(args) => regress::regress(args, style),
        Command::Mutants(args) => mutants::try_all(args, style),
        Command::Fuzz(args) => fuzz::fuzz(args, style),
        Command::Bench(args) => bench::bench(args, style),
        Command::Worker(args) => serve::serve(args.connect).map(|()| Exit::Agree),
    };
    let exit = done.unwrap_or_else(|error| {
        match error.downcast_ref::<Refused>() {
            Some(refused) => warn_rendered(&refused.text(style.colour)),
            None => warn(&format!("error: {error:#}\n")),
        }
        Exit::CouldNotRun
    });
    ExitCode::from(exit.code())
}
