//! The `layoutproof` command: parses the arguments, starts processes, reads and writes files,
//! prints reports.
//!
//! [`main`] runs the whole command; the conformance tests take the cases of [`plain_run`]. The verdicts come from the core crate.
#![forbid(unsafe_code)]

mod answer_cache;
pub mod args;
mod command_line;
pub mod commands;
mod compilers;
pub mod completions;
mod help;
mod invocation;
mod mistakes;
mod not_started;
mod output;
pub mod plain_run;
mod progress;
mod records;
mod select;
mod shader_settings;
mod step_events;
mod watch;

use std::process::ExitCode;

use clap::FromArgMatches;
use layoutproof_compilers::{dxc_library, naga_command, slang_library};
use layoutproof_events::summary::Exit;

pub use command_line::Cli;
use command_line::{Command, DevCommand};
use commands::check::init;
use commands::{
    accesses, bench, bugs, cache, check, compare, doctor, explorer, export, fuzz, hardware, list, lsp, pages, report,
    run, runs, setup, show, vectors,
};
use invocation::with_command;
use layoutproof_compilers::{own_streams, process_tree};
use layoutproof_executor::serve;
use layoutproof_inputs::shader_file::reader_process;
use layoutproof_pairs::debug_worker;
use not_started::NotStarted;
use output::warn;
use select::driver_blocks;

/// Parses the command line.
///
/// # Errors
/// The exit code if there is nothing left to do: help, the version or a usage error was printed.
pub fn command_line() -> Result<Cli, ExitCode> {
    let command = help::command();
    let words = with_command(std::env::args_os(), &command);
    let parsed = command.clone().try_get_matches_from(&words).and_then(|matches| Cli::from_arg_matches(&matches));
    let mut cli = parsed.map_err(|usage| {
        match mistakes::message(&usage, &command, &words) {
            Some(message) => warn(&format!("error: {message}\n")),
            None => output::print_usage(&usage),
        }
        let code = u8::try_from(usage.exit_code()).unwrap_or(Exit::CouldNotRun.code());
        match output::finish() {
            Ok(()) => ExitCode::from(code),
            Err(error) => {
                warn(&format!("error: {error:#}\n"));
                ExitCode::from(Exit::CouldNotRun.code())
            }
        }
    })?;
    cli.command.complete_columns().map_err(|error| {
        warn(&format!("error: {error:#}\n"));
        ExitCode::from(exit_of(&error).code())
    })?;
    Ok(cli)
}

fn exit_of(error: &anyhow::Error) -> Exit {
    error.downcast_ref::<NotStarted>().map_or(Exit::CouldNotRun, |not_started| not_started.exit)
}

pub fn main(cli: &Cli) -> ExitCode {
    own_streams::report_full_files();
    if let Err(error) = process_tree::bind_to_this_process() {
        warn(&format!("note: child processes may outlive this one: no job object could be created ({error})\n"));
    }

    if matches!(cli.command, Command::Run(_) | Command::Report(_) | Command::Doctor(_) | Command::Dev(_)) {
        step_events::report_if_step();
    }
    let style = output::style(cli.color, cli.ascii);
    let done = match &cli.command {
        Command::Show(args) if args.watch => show::watch(args),
        Command::Show(args) => show::show(args, style),
        Command::Check(args) if args.watch => check::watch(args),
        Command::Check(args) => check::check(args, style),
        Command::Init(args) => init::init(args),
        Command::Diff(args) => show::compare::compare(args, style),
        Command::Accesses(args) => accesses::accesses(args, style),
        Command::Run(args) => run::run(args, style),
        Command::Report(args) => report::report(args, style),
        Command::Runs(args) => runs::runs(args, style),
        Command::List(args) => list::list(args, style),
        Command::Explorer(args) => explorer::explorer(args),
        Command::Lsp(args) => lsp::lsp(args),
        Command::Compare(args) => compare::compare(args, style),
        Command::Bugs(args) => bugs::bugs(args, style),
        Command::Doctor(args) => doctor::doctor(args, style),
        Command::Setup(args) => setup::setup(args),
        Command::Dev(args) => match &args.command {
            DevCommand::Fuzz(args) => fuzz::fuzz(args, style),
            DevCommand::Bench(args) => bench::bench(args),
            DevCommand::Hardware(args) => hardware::hardware(args),
            DevCommand::Export(args) => export::export(args),
            DevCommand::Vectors(args) => vectors::vectors(args),
            DevCommand::Cache(args) => cache::cache(args),
            DevCommand::Completions(args) => pages::completions(args),
            DevCommand::Man(args) => pages::man(args),
        },
        Command::Worker => serve::serve().map(|()| Exit::Agree),
        Command::ReadWorker => reader_process::serve().map(|()| Exit::Agree),
        Command::DebugWorker => debug_worker::serve().map(|()| Exit::Agree),
        Command::RunLimited(args) => reader_process::run_limited(&args.words),
        Command::OpenglLayouts(args) => driver_blocks::serve(&args.file).map(|()| Exit::Agree),
        // These three print in the compiler's own format and use its exit codes.
        Command::DxcLibrary(args) => dxc_library::compile_and_exit(&args.words),
        Command::SlangLibrary(args) => return slang_library::serve_requests(&args.words),
        Command::NagaSpirv(args) => return naga_command::compile_file(&args.words),
    };
    // A report that cannot be written is an error even if the command succeeded.
    let printed = output::finish();
    process_tree::end_orphans();
    let exit = done.and_then(|exit| printed.map(|()| exit)).unwrap_or_else(|error| {
        output::warn_of_error(&error, style);
        exit_of(&error)
    });
    ExitCode::from(exit.code())
}
