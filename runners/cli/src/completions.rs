//! What a shell completes: commands and options, and the names of targets, compilers, rule sets, cases and bugs. The
//! script of `layoutproof dev completions` asks the program itself, so it is true of the version that is installed.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use anyhow::Context;
use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use layoutproof_built_in::CASES;
use layoutproof_facts::known_lists::known_lists;
use layoutproof_layout::native::natives;
use layoutproof_layout::table;
use layoutproof_readers::toolchain::toolchains;
use layoutproof_site::mechanisms;

use crate::compilers::ALL;
use crate::help;

/// The variable by which a shell asks for completions.
const VARIABLE: &str = "LAYOUTPROOF_COMPLETE";

/// Answers a shell that asks what the words of a command line may become. True if one asked.
pub fn answer() -> bool {
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(command).var(VARIABLE).try_complete(std::env::args_os(), here.as_deref());
    asked.unwrap_or_else(|error| error.exit())
}

/// The script that a shell reads at its start.
pub(crate) fn script(shell: Shell) -> anyhow::Result<String> {
    let shells = Shells::builtins();
    let completer = shells.completer(&shell.to_string()).context("a shell of the option is known")?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, help::PROGRAM, help::PROGRAM, help::PROGRAM, &mut script)?;
    String::from_utf8(script).context("writing the completions")
}

fn command() -> Command {
    with_names(help::visible_command())
}

fn with_names(command: Command) -> Command {
    command.mut_subcommands(with_names).mut_args(with_names_of)
}

/// The option with the names that it takes, by the word for its value.
fn with_names_of(arg: Arg) -> Arg {
    let values: Vec<String> = arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    let has = |word: &str| values.iter().any(|value| value.split(['|', ',', '[', '.']).any(|part| part == word));
    match arg.get_id().as_str() {
        "target" => arg.add(Names(targets).completer()),
        "compiler" | "producer" => arg.add(Names(compilers).completer()),
        "rules" => arg.add(Names(rule_sets).completer()),
        _ if has("ID") && has("COMPILER") => arg.add(Names(bugs).completer()),
        _ if has("CASE") || has("FILTER") => arg.add(ArgValueCompleter::new(files_and_cases)),
        _ => arg,
    }
}

/// The source of the names that an option takes, each with what it is.
struct Names(fn() -> BTreeMap<String, String>);

impl Names {
    fn completer(self) -> ArgValueCompleter {
        ArgValueCompleter::new(self)
    }
}

impl ValueCompleter for Names {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let start = current.to_string_lossy().to_lowercase();
        let fitting = self.0().into_iter().filter(|(name, _)| name.to_lowercase().starts_with(&start));
        fitting.map(|(name, what)| CompletionCandidate::new(name).help(Some(what.into()))).collect()
    }
}

fn targets() -> BTreeMap<String, String> {
    let choices = natives().iter().map(|native| native.column.choice());
    choices.map(|choice| (choice.to_string(), choice.target.title().to_owned())).collect()
}

/// Later toolchains of a compiler do not replace what the first one says.
fn compilers() -> BTreeMap<String, String> {
    let named = toolchains().iter().rev().map(|toolchain| (toolchain.compiler, toolchain.name_in_cases));
    let mut names: BTreeMap<String, String> = named
        .map(|(name, of)| (name.to_owned(), if name == of { String::new() } else { format!("a build of {of}") }))
        .collect();
    names.insert(ALL.to_owned(), "every compiler that is here".to_owned());
    names
}

fn rule_sets() -> BTreeMap<String, String> {
    let documented = table().iter().map(|rules| (rules.name, rules.summary));
    let native = natives().iter().map(|native| (native.name, native.summary));
    documented.chain(native).map(|(name, summary)| (name.to_owned(), summary.to_owned())).collect()
}

fn bugs() -> BTreeMap<String, String> {
    // A test reads the built-in lists.
    let lists = known_lists().unwrap_or_default();
    let bugs = mechanisms(&lists);
    let of_lists = lists.iter().map(|list| (list.name.clone(), list.title.clone()));
    bugs.iter().map(|bug| (bug.id.to_owned(), bug.title.clone())).chain(of_lists).collect()
}

/// Files first: a word that begins no file may be a case.
fn files_and_cases(current: &OsStr) -> Vec<CompletionCandidate> {
    let cases = Names(|| CASES.iter().map(|case| (case.name.to_owned(), String::new())).collect());
    PathCompleter::any().complete(current).into_iter().chain(cases.complete(current)).collect()
}
