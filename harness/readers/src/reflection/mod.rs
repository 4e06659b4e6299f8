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

use crate::ReadError;

pub use bindings::{ReflectedBinding, ReflectedPlaces, parameters, reflected_places};
pub use blocks::reflected_blocks;
pub use layouts::layout_numbers;

/// A number, or `unbounded`, or `unknown`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Amount {
    Number(u32),
    Word(String),
}

impl Amount {
    /// The number; `None` for a word.
    fn finite(&self) -> Option<u32> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Word(_) => None,
        }
    }
}

/// The count in `amount`, for the parameter `name`.
fn count(name: &str, amount: Option<&Amount>) -> Result<Option<Count>, ReadError> {
    match amount {
        None => Ok(None),
        Some(Amount::Number(count)) => Ok(Some(Count::Finite(*count))),
        Some(Amount::Word(word)) if word == "unbounded" => Ok(Some(Count::Unbounded)),
        Some(Amount::Word(word)) => {
            Err(ReadError::Parameter { parameter: name.to_owned(), problem: "takes", word: word.clone() })
        }
    }
}
