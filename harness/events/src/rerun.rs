//! The command that runs or shows one check again.

use std::fmt;

use layoutproof_source::shell::shell_word;
use serde::{Deserialize, Serialize};

/// A command for one check. Records hold its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum RerunCommand {
    /// `layoutproof run INPUT ... -vv`
    Run { input: String, options: Vec<CommandOption> },
    /// `layoutproof show INPUT ...`
    Show { input: String, options: Vec<CommandOption> },
    /// Another command, or one of a saved record.
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
        let words = shlex::split(&text).filter(|words| words.first().is_some_and(|program| program == "layoutproof"));
        let quoted = words.iter().flatten().map(|word| shell_word(word));
        Self::Text(quoted.collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_of_the_command() {
        let options = vec![CommandOption::new("--rules", "std140")];
        let run = RerunCommand::Run { input: "$(touch X).hlsl".to_owned(), options };
        let text = run.to_string();
        assert_eq!(text, "layoutproof run '$(touch X).hlsl' --rules std140 -vv");
        assert_eq!(RerunCommand::from(text.clone()).to_string(), text);
    }

    #[test]
    fn a_saved_command_is_literal() {
        for (saved, shown) in [
            ("layoutproof run a; touch X", "layoutproof run 'a;' touch X"),
            ("layoutproof show $(touch X)", "layoutproof show '$(touch' 'X)'"),
            ("layoutproof run a\nlayoutproof run b", "layoutproof run a layoutproof run b"),
            ("touch X", ""),
            ("layoutproof run 'a", ""),
        ] {
            assert_eq!(RerunCommand::from(saved.to_owned()).to_string(), shown);
        }
    }
}

impl From<RerunCommand> for String {
    fn from(command: RerunCommand) -> Self {
        command.to_string()
    }
}
