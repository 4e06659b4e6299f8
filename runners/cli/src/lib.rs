//! The `layoutproof` command: parses the arguments, starts processes, reads and writes files,
//! prints reports.
//!
//! [`main`] runs the whole command; the conformance tests call [`suite`]. The verdicts come from the core crate.
#![forbid(unsafe_code)]

mod answer_cache;
pub mod args;
mod command_line;
pub mod commands;
mod compilers;
mod help;
mod not_started;
mod output;
mod progress;
mod project;
mod records;
mod select;
mod shader_cache;
pub mod suite;

use std::process::ExitCode;

use clap::FromArgMatches;
use layoutproof_compilers::{dxc_library, naga_command, slang_library};
use layoutproof_core::results::summary::Exit;

pub use command_line::Cli;
use command_line::Command;
use commands::check::{debug_worker, init};
use commands::{
    bench, bugs, cache, check, compare, export, freeze, fuzz, list_commands, pages, reflect, regress, report, run,
    setup, show, site, upstream,
};
use layoutproof_compilers::process_tree;
use layoutproof_executor::serve;
use not_started::NotStarted;
use output::warn;
use select::shader_file::reader_process;

/// Parses the command line.
///
/// # Errors
/// The exit code if there is nothing left to do: help, the version or a usage error was printed.
pub fn command_line() -> Result<Cli, ExitCode> {
    let parsed = help::command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|usage| {
        output::print_usage(&usage);
        let code = u8::try_from(usage.exit_code()).unwrap_or(Exit::CouldNotRun.code());
        match output::finish() {
            Ok(()) => ExitCode::from(code),
            Err(error) => {
                warn(&format!("error: {error:#}\n"));
                ExitCode::from(Exit::CouldNotRun.code())
            }
        }
    })
}

/// Runs the command.
pub fn main(cli: &Cli) -> ExitCode {
    if let Err(error) = process_tree::bind_to_this_process() {
        warn(&format!("note: child processes may outlive this one: no job object could be created ({error})\n"));
    }

    let style = output::style(cli.color, cli.ascii);
    let done = match &cli.command {
        Command::Run(args) => run::run(args, style),
        Command::Report(args) => report::report(args, style),
        Command::Show(args) => show::show(args, style),
        Command::Check(args) => check::check(args, style),
        Command::Init(args) => init::init(args),
        Command::Diff(args) => show::compare::compare(args, style),
        Command::Reflect(args) => reflect::reflect(args, style),
        Command::Export(args) => export::export(args),
        Command::List(args) => list_commands::list(args, style),
        Command::Devices(args) => list_commands::devices(args, style),
        Command::Compilers(args) => list_commands::compilers(args, style),
        Command::Doctor => list_commands::doctor(style),
        Command::Setup(args) => setup::setup(args),
        Command::Site(args) => site::site(args),
        Command::Cache(args) => cache::cache(args),
        Command::Completions(args) => pages::completions(args),
        Command::Man(args) => pages::man(args),
        Command::Compare(args) => compare::compare(args, style),
        Command::Freeze(args) => freeze::freeze(args),
        Command::Regress(args) => regress::regress(args, style),
        Command::Bugs(args) => bugs::bugs(args, style),
        Command::Upstream(args) => upstream::upstream(args),
        Command::Fuzz(args) => fuzz::fuzz(args, style),
        Command::Bench(args) => bench::bench(args),
        Command::Worker => serve::serve().map(|()| Exit::Agree),
        Command::ReadWorker => reader_process::serve().map(|()| Exit::Agree),
        Command::DebugWorker => debug_worker::serve().map(|()| Exit::Agree),
        Command::RunLimited(args) => reader_process::run_limited(&args.words),
        // These three print in the compiler's own format and use its exit codes.
        Command::DxcLibrary(args) => dxc_library::compile_and_exit(&args.words),
        Command::SlangLibrary(args) => return slang_library::serve_requests(&args.words),
        Command::NagaSpirv(args) => return naga_command::compile_file(&args.words),
    };
    // A report that cannot be written is an error even if the command succeeded.
    let printed = output::finish();
    let exit = done.and_then(|exit| printed.map(|()| exit)).unwrap_or_else(|error| {
        output::warn_of_error(&error, style);
        error.downcast_ref::<NotStarted>().map_or(Exit::CouldNotRun, |not_started| not_started.exit)
    });
    ExitCode::from(exit.code())
}
