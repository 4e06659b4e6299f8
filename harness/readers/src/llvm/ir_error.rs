//! Why LLVM assembly cannot be parsed or executed.

use std::num::TryFromIntError;

use layoutproof_device::ResourceClass;
use thiserror::Error;

use super::memory::RegisterSite;
use super::reader::Token;
use super::types::{Primitive, Type};

/// Why LLVM assembly cannot be parsed or executed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum IrError {
    /// Code that LLVM would not accept, or that no shader needs.
    #[error("{0}")]
    Malformed(&'static str),
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
    #[error("no `{0}`")]
    Missing(char),
    /// Something that has a name and is not supported or not there: an operator, a function.
    #[error("{what} `{name}`")]
    Unsupported { what: &'static str, name: String },
    #[error("the cast `{name}` of {from:?} to {to:?}")]
    Cast { name: String, from: Primitive, to: Primitive },
    /// A type that does not fit the place where it is used.
    #[error("{what} {ty:?}")]
    Type { what: &'static str, ty: Type },
    /// A literal or a name as the text writes it, and what is wrong with it.
    #[error("{name} {problem}")]
    Name { name: String, problem: &'static str },
    #[error("a constant that is made of %{0}")]
    ConstantOf(String),
    #[error("{over} {most} {unit}")]
    Limit { over: &'static str, most: u64, unit: &'static str },
    #[error("@{name} has {in_type} members in its type and {variables} variables")]
    Members { name: String, in_type: usize, variables: usize },
    #[error("resource {number} of {class:?} is not in `!dx.resources`")]
    Resource { class: ResourceClass, number: u32 },
    #[error("nothing is bound at {}{}, space{}", .0.class.letter(), .0.register, .0.space)]
    Unbound(RegisterSite),
    #[error("no block is called %{0}")]
    NoBlock(String),
    #[error("%{name} has no value from %{before}")]
    NoValue { name: String, before: String },
    #[error("no {0} components where they are needed")]
    Components(usize),
    #[error(transparent)]
    Number(#[from] TryFromIntError),
    #[error("{reason}: `{line}`")]
    InLine { reason: Box<IrError>, line: String },
}

impl IrError {
    pub(super) fn unexpected(expected: &'static str, found: Option<Token<'_>>) -> Self {
        Self::Unexpected { expected, found: format!("{found:?}") }
    }

    pub(super) fn unsupported(what: &'static str, name: &str) -> Self {
        Self::Unsupported { what, name: name.to_owned() }
    }

    /// `sign` is `%`, `@`, or empty if `name` includes its own.
    pub(super) fn name(sign: &str, name: &str, problem: &'static str) -> Self {
        Self::Name { name: format!("{sign}{name}"), problem }
    }

    pub(super) fn literal(text: &str, problem: &'static str) -> Self {
        Self::Name { name: format!("`{text}`"), problem }
    }

    pub(super) fn limit(over: &'static str, most: impl Into<u64>, unit: &'static str) -> Self {
        Self::Limit { over, most: most.into(), unit }
    }

    pub(super) fn in_line(self, line: &str) -> Self {
        Self::InLine { reason: Box::new(self), line: line.to_owned() }
    }
}

impl From<&'static str> for IrError {
    fn from(what: &'static str) -> Self {
        Self::Malformed(what)
    }
}
