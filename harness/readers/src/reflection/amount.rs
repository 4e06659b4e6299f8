//! A number in the JSON, or a word in place of one.

use layoutproof_layout::shape::Count;
use serde::Deserialize;

/// A number, or `unbounded`, or `unknown`.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Amount {
    Number(u32),
    Word(String),
}

impl Amount {
    /// The number; `None` for a word.
    pub(super) fn finite(&self) -> Option<u32> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Word(_) => None,
        }
    }
}

/// The count in `amount`, for the parameter `name`.
pub(super) fn count(name: &str, amount: Option<&Amount>) -> Result<Option<Count>, String> {
    match amount {
        None => Ok(None),
        Some(Amount::Number(count)) => Ok(Some(Count::Finite(*count))),
        Some(Amount::Word(word)) if word == "unbounded" => Ok(Some(Count::Unbounded)),
        Some(Amount::Word(word)) => Err(format!("parameter `{name}` takes `{word}`")),
    }
}
