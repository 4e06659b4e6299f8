//! Messages about command lines that the parser refuses: what is wrong, and the nearest right word.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use layoutproof_source::nearest_name::{known_names, nearest_names};

use crate::help::PROGRAM;
use crate::invocation::old_names;

/// The most commands that a message names.
const MOST_COMMANDS: usize = 3;

/// The message about a refused command line; `None` for mistakes that the parser explains well
/// enough. `root` is the whole command line, `words` what the user typed, with the program's name first.
pub(crate) fn message(error: &clap::Error, root: &Command, words: &[OsString]) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(_) | None => None,
    };
    let place = CommandPlace::find(root, words);
    match error.kind() {
        ErrorKind::InvalidSubcommand => Some(place.unknown_command(text(ContextKind::InvalidSubcommand)?)),
        ErrorKind::UnknownArgument => Some(place.unknown_argument(text(ContextKind::InvalidArg)?)),
        ErrorKind::InvalidValue => {
            let Some(ContextValue::Strings(valid)) = error.get(ContextKind::ValidValue) else { return None };
            let (argument, value) = (text(ContextKind::InvalidArg)?, text(ContextKind::InvalidValue)?);
            Some(place.unknown_value(argument, value, valid)).filter(|_| !value.is_empty())
        }
        _ => None,
    }
}

/// The command that the user typed, as far as its words are commands.
struct CommandPlace<'a> {
    root: &'a Command,
    command: &'a Command,
    /// `layoutproof dev fuzz`.
    path: String,
}

impl<'a> CommandPlace<'a> {
    fn find(root: &'a Command, words: &[OsString]) -> Self {
        let mut place = Self { root, command: root, path: PROGRAM.to_owned() };
        let words = words.iter().skip(1).map(|word| word.to_string_lossy()).filter(|word| word != "help");
        // Options before the command are global ones, or the mistake.
        for word in words.skip_while(|word| place.command.find_subcommand(&**word).is_none()) {
            let Some(inner) = place.command.find_subcommand(&*word) else { break };
            place.command = inner;
            place.path = format!("{} {word}", place.path);
        }
        place
    }

    fn is_root(&self) -> bool {
        std::ptr::eq(self.command, self.root)
    }

    fn unknown_command(&self, word: &str) -> String {
        let mut names: Vec<&str> = shown(self.command).map(Command::get_name).collect();
        if !self.is_root() {
            return format!("`{}` has no command `{word}`{}", self.path, known_names(word, names, ""));
        }
        // The names of earlier releases lead to those of today.
        names.extend(old_names().map(|(old, _)| old));
        let near = nearest_names(word, names);
        let Some(near) = near.first() else {
            return format!("no command and no file is called `{word}`; `{PROGRAM} -h` lists the commands");
        };
        let now = old_names().find(|(old, _)| old == near).map_or(*near, |(_, now)| now);
        format!("no command is called `{word}`: did you mean `{PROGRAM} {now}`?")
    }

    fn unknown_argument(&self, word: &str) -> String {
        let help = format!("`{} -h` lists its options", self.path);
        if !word.starts_with('-') {
            return format!("`{}` takes no word more: `{word}`; {help}", self.path);
        }
        let name = word.split('=').next().unwrap_or(word);
        let with_option = || shown(self.root).filter(|command| command.get_arguments().any(|arg| is_called(arg, name)));
        if self.command.get_arguments().any(|arg| is_called(arg, name)) || (self.is_root() && self.path == PROGRAM) {
            return match with_option().next() {
                Some(command) => {
                    format!("`{name}` follows its command: `{PROGRAM} {} {name}`", command.get_name())
                }
                None => format!("there is no option `{name}`; `{PROGRAM} -h` lists the commands"),
            };
        }

        let message = format!("`{}` has no option `{name}`", self.path);
        let own: Vec<String> = self.command.get_arguments().filter(|arg| !arg.is_hide_set()).flat_map(flags).collect();
        if !nearest_names(name, own.iter().map(String::as_str)).is_empty() {
            return message + &known_names(name, own.iter().map(String::as_str), "");
        }
        let others: Vec<String> = with_option().take(MOST_COMMANDS).map(|it| format!("`{}`", it.get_name())).collect();
        match others.as_slice() {
            [] => format!("{message}; {help}"),
            [only] => format!("{message}: {only} has it"),
            [first @ .., last] => format!("{message}: {} and {last} have it", first.join(", ")),
        }
    }

    fn unknown_value(&self, argument: &str, value: &str, valid: &[String]) -> String {
        let name = argument.split(' ').next().unwrap_or(argument).trim_matches(['<', '>', '[', ']', '.']);
        let help = format!("`{} --help` lists them", self.path);
        let names = valid.iter().map(String::as_str);
        format!("`{value}` is no value of `{name}`{}", known_names(value, names, &help))
    }
}

/// The commands that the help lists.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set())
}

/// The spellings of an option.
fn flags(arg: &Arg) -> impl Iterator<Item = String> {
    let long = arg.get_long().into_iter().chain(arg.get_visible_aliases().into_iter().flatten());
    let short = arg.get_short().map(|letter| format!("-{letter}"));
    long.map(|name| format!("--{name}")).chain(short).collect::<Vec<_>>().into_iter()
}

fn is_called(arg: &Arg, flag: &str) -> bool {
    flags(arg).any(|own| own == flag)
}
