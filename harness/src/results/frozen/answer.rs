//! A compiler's answers: per source and question, whether it accepts the source, and every place
//! that it chose.

use std::collections::BTreeMap;
use std::fmt;

use strum::{Display, EnumString, IntoStaticStr};

/// A kind of fact about a path, in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Fact {
    /// Bytes from the start of the block, from DXC's listing or SPIR-V's decorations.
    Offset,
    /// Bytes, from the same sources.
    Size,
    /// Bytes between elements of the outermost dimension, from the same sources.
    Stride,
    /// Bytes between a matrix's vectors, from the same sources.
    MatrixStride,
    /// Which vectors of a matrix are contiguous, from the same sources: `row` or `column`.
    Order,
    /// Bytes from the start of the block at which the code accesses the leaf.
    Code,
    /// Register with its space, or descriptor set and binding, in the compiled module.
    Bound,
    /// The same, from the compiler's reflection.
    Reflected,
    /// Why the rest of the compiled module cannot be read.
    Unread,
}

impl Fact {
    /// The word in texts and in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// True if the value is one word, so that several facts fit on a line.
    pub fn is_word(self) -> bool {
        !matches!(self, Self::Bound | Self::Reflected | Self::Unread)
    }
}

/// A compiler's choices, by path (block or parameter first) and kind of fact. A path is one word.
pub type Facts = BTreeMap<(String, Fact), String>;

/// A question to a compiler about one source, in the order of a set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FrozenQuestion {
    /// A probe of the leaves of this block: `S`, or `S[1]` for its second element.
    Block(String),
    /// This entry point of a user's file.
    Entry(String),
    /// The source as a whole.
    Program,
}

/// As sets have it.
impl fmt::Display for FrozenQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block(block) => write!(f, "block {block}"),
            Self::Entry(entry) => write!(f, "entry {entry}"),
            Self::Program => f.write_str("program"),
        }
    }
}

/// A compiler's answer to one question about one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrozenAnswer {
    /// The compiler accepted the source and chose these places.
    Accepted(Facts),
    /// The compiler rejected the source; its first error, on one line.
    Refused(String),
    /// The compiler crashed, timed out or produced output that could not be parsed; one line.
    Broken(String),
}

/// A compiler's answers about one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseAnswers {
    /// Digest of the source and its compile options. Only answers with equal digests are compared.
    pub digest: String,
    pub answers: BTreeMap<FrozenQuestion, FrozenAnswer>,
}

/// All decisions of a compiler with one target and layout option, by id of the source.
pub type CaseDecisions = BTreeMap<String, CaseAnswers>;

/// The text with all whitespace, including line breaks, reduced to single spaces.
pub(super) fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
