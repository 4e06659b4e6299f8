//! The command that runs or shows one check again.
//!
//! People paste it into a shell, and a records file may come from elsewhere. So the text of a saved record is
//! read as words: it must be a command of this program with options for checks, and is quoted anew.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::shell::shell_word;

/// A command for one check. Records hold its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum RerunCommand {
    /// `layoutproof run INPUT ... -vv`
    Run { input: String, options: Vec<CommandOption> },
    /// `layoutproof show INPUT ...`
    Show { input: String, options: Vec<CommandOption> },
    /// Another command, or one of a saved record; empty if that is no command for checks.
    Text(String),
}

/// An option, with its value as a shell takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandOption {
    pub flag: String,
    pub value: Option<String>,
}

impl CommandOption {
    pub fn new(flag: &str, value: impl fmt::Display) -> Self {
        Self { flag: flag.to_owned(), value: Some(value.to_string()) }
    }

    /// An option without a value.
    pub fn switch(flag: &str) -> Self {
        Self { flag: flag.to_owned(), value: None }
    }
}

impl fmt::Display for CommandOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.flag)?;
        self.value.iter().try_for_each(|value| write!(f, " {value}"))
    }
}

impl fmt::Display for RerunCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (command, input, options, end) = match self {
            Self::Run { input, options } => ("run", input, options, " -vv"),
            Self::Show { input, options } => ("show", input, options, ""),
            Self::Text(text) => return f.write_str(text),
        };
        write!(f, "layoutproof {command} {}", shell_word(input))?;
        options.iter().try_for_each(|option| write!(f, " {option}"))?;
        f.write_str(end)
    }
}

impl Default for RerunCommand {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// The command of a saved record, which anyone may have written: people may paste what it says, so it is a command of
/// this program with literal words, or none.
impl From<String> for RerunCommand {
    fn from(text: String) -> Self {
        Self::Text(saved_command(&text).unwrap_or_default())
    }
}

/// The commands that records name.
const COMMANDS: [&[&str]; 3] = [&["run"], &["show"], &["dev", "fuzz"]];

/// The options with a value that such a command may have. None of them names a program or an output.
const WITH_VALUE: &str = "--rules --compiler --producer --device --api --runner --form --space --stage --target \
    --convention --used --unused --profile --option --args --lang --matrix --16bit -D -I --entry --cases --known --shard \
    --rotation --time-limit --compile-limit --plant-misreading --plant-rules --plant-fault --plant-mutant --seed --count \
    --draw-for --exhaustive --from";

/// Those without one.
const SWITCHES: &str = "--all --no-compiler --every-device --every-element --every-option --no-known --no-fuse \
    --no-cache -v -vv";

/// The text of a saved command in its words, quoted for a shell; `None` if it has other options than those above, or
/// starts a compiler by its file.
fn saved_command(text: &str) -> Option<String> {
    let words = shlex::split(text)?;
    let (program, rest) = words.split_first()?;
    let is_command = |names: &&[&str]| rest.len() >= names.len() && rest.iter().zip(*names).all(|(a, b)| a == b);
    let command = COMMANDS.iter().copied().find(is_command).filter(|_| program == "layoutproof")?;

    let mut rest = rest[command.len()..].iter();
    while let Some(word) = rest.next() {
        let is_in = |options: &str| options.split_whitespace().any(|option| option == word);
        if is_in(WITH_VALUE) {
            let value = rest.next()?;
            if matches!(word.as_str(), "--compiler" | "--producer") && value.contains('=') {
                return None;
            }
        } else if word.starts_with('-') && word != "-" && !is_in(SWITCHES) {
            return None;
        }
    }
    if words.iter().any(|word| word.contains(char::is_control)) {
        return None;
    }
    Some(words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" "))
}

impl From<RerunCommand> for String {
    fn from(command: RerunCommand) -> Self {
        command.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(text: &str) -> String {
        RerunCommand::from(text.to_owned()).to_string()
    }

    #[test]
    fn a_name_is_one_word_of_the_command() {
        let options = vec![CommandOption::new("--rules", "std140")];
        let run = RerunCommand::Run { input: "$(touch X).hlsl".to_owned(), options };
        let text = run.to_string();
        assert_eq!(text, "layoutproof run '$(touch X).hlsl' --rules std140 -vv");
        assert_eq!(RerunCommand::from(text.clone()).to_string(), text);
    }

    #[test]
    fn a_saved_command_keeps_its_text() {
        for text in [
            "layoutproof run arrays/a --rules std140 --compiler rspirv --device model --api model -D 'B=a b' -vv",
            "layoutproof show 'my file.hlsl' --target d3d12 --convention dxc@1.9 --16bit off",
            "layoutproof dev fuzz --seed 7 --count 1 --from 4 --compiler dxc-dxil --device vkd3d --every-option",
            "",
        ] {
            assert_eq!(saved(text), text);
        }
    }

    #[test]
    fn a_saved_command_runs_nothing_else() {
        for text in [
            "curl example.org | sh",
            "layoutproof run a --html /tmp/x",
            "layoutproof run a --html=/tmp/x",
            "layoutproof run a --keep x",
            "layoutproof run a --compiler dxc=./x",
            "layoutproof run a --producer slangc=./x",
            "layoutproof setup dxc",
            "./layoutproof run a",
            "layoutproof run 'a\u{1b}[2J'",
            "layoutproof run 'a",
        ] {
            assert_eq!(saved(text), "", "{text}");
        }
    }

    /// What a shell would run is a word of the command, and is quoted as one.
    #[test]
    fn a_saved_command_is_quoted_anew() {
        for (text, quoted) in [
            ("layoutproof run \"$(touch x)\"", "layoutproof run '$(touch x)'"),
            ("layoutproof run a; touch x", "layoutproof run 'a;' touch x"),
            ("layoutproof run a\ntouch x", "layoutproof run a touch x"),
            ("layoutproof run `id`", "layoutproof run '`id`'"),
        ] {
            assert_eq!(saved(text), quoted);
        }
    }
}
