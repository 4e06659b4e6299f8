//! Reads Slang's reflection: the JSON that `slangc -reflection-json` writes.
//!
//! `bindings` reads the bindings of parameters, `layouts` the offsets of a block's members, `blocks`
//! whole blocks with their types. Formats
//! 1.0 and 1.1 are supported; unknown keys are ignored.
//!
//! Source: Slang user guide, Using the Reflection API; slangc 2026.14.1.

mod bindings;
mod blocks;
mod layouts;

use layoutproof_layout::shape::Count;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::ReadError;

pub use bindings::{ReflectedBinding, ReflectedPlaces, parameters, reflected_places};
pub use blocks::reflected_blocks;
pub use layouts::layout_numbers;

/// A number, or `unbounded`, or `unknown`, or what no version of slangc is known to write there.
#[derive(Deserialize)]
#[serde(untagged)]
enum Amount {
    Number(u32),
    Word(String),
    Other(IgnoredAny),
}

impl Amount {
    /// The number; `None` for a word.
    fn finite(&self) -> Option<u32> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Word(_) | Self::Other(_) => None,
        }
    }

    fn word(&self) -> &str {
        match self {
            Self::Word(word) => word,
            Self::Number(_) | Self::Other(_) => "no number",
        }
    }
}

/// The number in `amount`; `None` for a word or nothing.
fn finite(amount: Option<&Amount>) -> Option<u32> {
    amount.and_then(Amount::finite)
}

/// The count in `amount`, for the parameter `name`.
fn count(name: &str, amount: Option<&Amount>) -> Result<Option<Count>, ReadError> {
    match amount {
        None => Ok(None),
        Some(Amount::Number(count)) => Ok(Some(Count::Finite(*count))),
        Some(Amount::Word(word)) if word == "unbounded" => Ok(Some(Count::Unbounded)),
        Some(other) => Err(ReadError::NoNumber { parameter: name.to_owned(), word: other.word().to_owned() }),
    }
}
