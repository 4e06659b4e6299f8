//! The command that runs or shows one check again.

use std::fmt;

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
        write!(f, "layoutproof {command} {input}")?;
        options.iter().try_for_each(|option| write!(f, " {option}"))?;
        f.write_str(end)
    }
}

impl Default for RerunCommand {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<String> for RerunCommand {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<RerunCommand> for String {
    fn from(command: RerunCommand) -> Self {
        command.to_string()
    }
}
