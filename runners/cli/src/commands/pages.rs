//! `layoutproof dev completions` and `layoutproof dev man`: the files that a package installs next to the
//! program.

use std::io;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use layoutproof_events::summary::Exit;
use layoutproof_records::output_files::write_below;

use crate::output::print;
use crate::{completions, help};

/// `layoutproof dev completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `layoutproof dev man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder for the pages, one for each command.
    ///
    /// It is made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Prints a script by which a shell asks this program for completions.
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    print(&completions::script(args.shell)?);
    Ok(Exit::Agree)
}

/// Writes the manual pages of the program and of each command.
pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let mut program = help::visible_command().disable_help_subcommand(true);
    program.build();
    for command in with_commands(&program) {
        let name = command.get_display_name().unwrap_or(help::PROGRAM);
        write_below(&args.out, format!("{name}.1"), manual_page(&command)?)
            .with_context(|| format!("writing manual pages to {}", args.out.display()))?;
    }
    Ok(Exit::Agree)
}

/// A command, and all commands in it that are shown.
fn with_commands(command: &Command) -> Vec<Command> {
    let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    std::iter::once(command.clone()).chain(shown.flat_map(with_commands)).collect()
}

/// The words for each exit code, as the contract of the command line has them.
const EXIT_STATUS: [(Exit, &str); 5] = [
    (Exit::Agree, "What was compared agrees or differs by known bugs only; the output says what was not compared."),
    (Exit::Differ, "Something differs or broke, has several answers, or a known bug is gone."),
    (Exit::CouldNotRun, "The command could not do its work: its words or a file are wrong, or a program failed."),
    (Exit::Missing, "Something required is missing or was not reached: the message has the command to type."),
    (Exit::NothingSelected, "Nothing was selected, or nothing was proved."),
];

fn manual_page(command: &Command) -> io::Result<Vec<u8>> {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    let examples = help::examples(command.get_name());
    let inner: Vec<String> = with_commands(command).iter().skip(1).filter_map(page_name).collect();
    // The section EXAMPLES has them.
    let command = command.clone().override_usage(usage).after_help("").mut_args(as_in_manuals);
    let name = command.get_display_name().unwrap_or(help::PROGRAM).to_owned();
    let man = Man::new(command).title(name.to_uppercase()).manual("User Commands").source(help::PROGRAM);

    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let mut rest = Roff::new();
    rest.control("SH", ["EXIT STATUS"]);
    for (exit, words) in EXIT_STATUS {
        rest.control("TP", []).text([bold(exit.code().to_string())]).text([roman(words)]);
    }
    if !examples.is_empty() {
        rest.control("SH", ["EXAMPLES"]).control("EX", []);
        for line in examples {
            rest.text([roman(*line)]);
        }
        rest.control("EE", []);
    }
    rest.control("SH", ["SEE ALSO"]);
    let others = if inner.is_empty() { vec![help::PROGRAM.to_owned()] } else { inner };
    rest.text([roman(others.iter().map(|page| format!("{page}(1)")).collect::<Vec<_>>().join(", "))]);
    rest.to_writer(&mut page)?;
    Ok(page)
}

/// An option with its help, even if `-h` leaves it out, and with its values as a list.
fn as_in_manuals(arg: Arg) -> Arg {
    let arg = arg.hide_short_help(false);
    let long = arg.get_long_help().map(ToString::to_string).unwrap_or_default();
    match long.split_once(help::VALUES) {
        Some((help, _)) => arg.long_help(help.trim_end().to_owned()).hide_possible_values(false),
        None => arg,
    }
}

fn page_name(command: &Command) -> Option<String> {
    command.get_display_name().map(str::to_owned)
}
