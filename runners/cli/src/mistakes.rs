//! Messages about command lines that the parser refuses: what is wrong, and the nearest right word.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use layoutproof_bindings::Target;
use layoutproof_readers::toolchain::toolchains;
use layoutproof_source::nearest_name::{known_names, nearest_names};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::help::PROGRAM;

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
        ErrorKind::UnknownArgument => {
            let argument = text(ContextKind::InvalidArg)?;
            // Of `-Zpr`, the parser names only `-Z`.
            let is_letter = argument.len() == 2 && argument != "--";
            let mut typed = words.iter().map(|word| word.to_string_lossy());
            let whole = typed.find(|word| word.starts_with(argument));
            let value = match whole.as_ref().and_then(|word| word.split_once('=')) {
                Some((_, value)) => Some(value.to_owned()),
                None => typed.next().map(Into::into),
            };
            let word = whole.filter(|_| is_letter).unwrap_or(argument.into());
            Some(place.unknown_argument(&word, value.as_deref()))
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let value = text(ContextKind::InvalidValue).filter(|value| !value.is_empty())?;
            let valid = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(valid)) => valid.as_slice(),
                Some(_) | None => &[],
            };
            place.unknown_value(text(ContextKind::InvalidArg)?, value, valid)
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
        let names: Vec<&str> = shown(self.command).map(Command::get_name).collect();
        if !self.is_root() {
            return format!("`{}` has no command `{word}`{}", self.path, known_names(word, names, ""));
        }
        let inner: Vec<(&str, &str)> = shown(self.command)
            .flat_map(|outer| shown(outer).map(move |inner| (outer.get_name(), inner.get_name())))
            .collect();
        let near = nearest_names(word, names.into_iter().chain(inner.iter().map(|(_, name)| *name)));
        let Some(near) = near.first() else {
            return format!(
                "no command, file or case is called `{word}`; `{PROGRAM} -h` lists the commands, `{PROGRAM} list` the cases"
            );
        };
        let outer =
            inner.iter().find(|(_, name)| name == near).map_or_else(String::new, |(outer, _)| format!("{outer} "));
        format!("no command is called `{word}`: did you mean `{PROGRAM} {outer}{near}`?")
    }

    /// `value` is what follows the word, if anything.
    fn unknown_argument(&self, word: &str, value: Option<&str>) -> String {
        let help = format!("`{} -h` lists its options", self.path);
        if !word.starts_with('-') {
            return format!("`{}` takes no further argument: `{word}`; {help}", self.path);
        }
        let name = word.split('=').next().unwrap_or(word);
        let with_option = || shown(self.root).filter(|command| has_option(command, name));
        if has_option(self.command, name) {
            return format!("`{name}` comes after the command: `{} {name}`", self.path);
        }
        if self.is_root() {
            return match with_option().next() {
                Some(first) => format!("`{name}` is an option of `{PROGRAM} {}`", first.get_name()),
                None => format!("there is no option `{name}`; `{PROGRAM} -h` lists the commands"),
            };
        }

        let message = format!("`{}` has no option `{name}`", self.path);
        if let Some(own) = self.own_spelling(word, value) {
            return format!("{message}: write `{own}`");
        }
        let own: Vec<String> = self.command.get_arguments().filter(|arg| !arg.is_hide_set()).flat_map(flags).collect();
        // Every letter is near to every other.
        let near = if name.len() > 2 { nearest_names(name, own.iter().map(String::as_str)) } else { Vec::new() };
        let others: Vec<String> = with_option().take(MOST_COMMANDS).map(|it| format!("`{}`", it.get_name())).collect();
        match others.as_slice() {
            [] if !near.is_empty() => format!("{message}: did you mean `{}`?", near[0]),
            [] => format!("{message}; {help}"),
            [only] => format!("{message}: {only} has it"),
            [first @ .., last] => format!("{message}: {} and {last} have it", first.join(", ")),
        }
    }

    /// The option of this command that does what an option of another program does: `--args "-Zpr"` for DXC's.
    fn own_spelling(&self, word: &str, value: Option<&str>) -> Option<String> {
        let own = match word {
            "--json" | "--html" | "--csv" | "--markdown" | "--junit" | "--sarif" => {
                format!("--format {}", word.trim_start_matches('-'))
            }
            // `run` and `report` write each format to a file of its own.
            "--format" => format!("--{} FILE", value?),
            "-o" | "--out" => "--output FILE".to_owned(),
            "--no-color" | "--no-colour" => "--color never".to_owned(),
            "--bindings" if self.path.ends_with("show") => "--target TARGET".to_owned(),
            _ if word.starts_with("--") => {
                let rules = layoutproof_layout::find(&word[2..])?;
                format!("--rules {}", rules.name)
            }
            "-e" => "--entry NAME".to_owned(),
            // Options of DXC and slangc: `-Zpr`, `-spirv`, `-fvk-use-dx-layout`. Ours have one letter: `-vv`.
            _ => {
                let letter: String = word.chars().take(2).collect();
                let is_ours = shown(self.root).any(|command| has_option(command, &letter));
                (word.chars().count() > 2 && !is_ours).then(|| format!("--args \"{word}\""))?
            }
        };
        let option = own.split(' ').next().unwrap_or_default();
        has_option(self.command, option).then_some(own)
    }

    /// The message about a value that is not among the valid ones, or that belongs to another option.
    fn unknown_value(&self, argument: &str, value: &str, valid: &[String]) -> Option<String> {
        let name = argument.split(' ').next().unwrap_or(argument);
        let taker = if name.starts_with('-') { name } else { &self.path };
        let message = format!("`{taker}` does not take `{value}`");
        if let Some((kind, option)) = kind_of_word(value).filter(|(_, option)| *option != name) {
            if has_option(self.command, option) {
                return Some(format!("{message}, which is a {kind}: `{option} {value}`"));
            }
        }
        let listing = format!("it takes {}", valid.join(", "));
        let names = valid.iter().map(String::as_str);
        (!valid.is_empty()).then(|| message + &known_names(value, names, &listing))
    }
}

/// What a word names, and the option that takes it.
fn kind_of_word(word: &str) -> Option<(&'static str, &'static str)> {
    if layoutproof_layout::find(word).is_some() {
        Some(("rule set", "--rules"))
    } else if ShaderLanguage::named(word).is_some() {
        Some(("language", "--lang"))
    } else if toolchains().iter().any(|toolchain| toolchain.compiler == word) {
        Some(("compiler", "--compiler"))
    } else if Target::ALL.iter().any(|target| target.as_str() == word) {
        Some(("target", "--target"))
    } else {
        None
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

fn has_option(command: &Command, flag: &str) -> bool {
    command.get_arguments().flat_map(flags).any(|own| own == flag)
}
