//! A compiler's answers: per source and question, whether it takes the source, and every place that it chose.

use std::collections::BTreeMap;
use std::fmt;

/// A kind of statement about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// Bytes from the start of the block, as reported: by DXC's listing, or by the decorations of SPIR-V.
    Offset,
    /// Bytes, as reported.
    Size,
    /// Bytes between elements of the outermost dimension, as reported.
    Stride,
    /// Bytes between a matrix's vectors, as reported.
    MatrixStride,
    /// Which of a matrix's vectors are contiguous, as reported: `row` or `column`.
    Order,
    /// Bytes from the start of the block, as the code addresses the leaf.
    Code,
    /// Register with its space, or descriptor set and binding, in what the compiler made.
    Bound,
    /// The same as the compiler's reflection says it.
    Reflected,
    /// Why what the compiler made cannot be read any further.
    Unread,
}

impl Fact {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; 9] = [
        Self::Offset,
        Self::Size,
        Self::Stride,
        Self::MatrixStride,
        Self::Order,
        Self::Code,
        Self::Bound,
        Self::Reflected,
        Self::Unread,
    ];

    /// The word in texts and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Offset => "offset",
            Self::Size => "size",
            Self::Stride => "stride",
            Self::MatrixStride => "matrix-stride",
            Self::Order => "order",
            Self::Code => "code",
            Self::Bound => "bound",
            Self::Reflected => "reflected",
            Self::Unread => "unread",
        }
    }

    /// Returns true if the value is one word, so that several may stand on a line.
    pub fn is_word(self) -> bool {
        match self {
            Self::Offset | Self::Size | Self::Stride | Self::MatrixStride | Self::Order | Self::Code => true,
            Self::Bound | Self::Reflected | Self::Unread => false,
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a compiler chose, by path (block or parameter first) and what is said about it. A path is one word.
pub type Facts = BTreeMap<(String, Fact), String>;

/// The answer of a compiler to one question about one source.
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
    /// Digest of the source and of what it is compiled with: answers are compared only where it is the same.
    pub digest: String,
    /// By question: `program` is the source as a whole, `block S` a probe of the leaves of `S`, `block S[1]` one of its
    /// second element.
    pub answers: BTreeMap<String, FrozenAnswer>,
}

/// Everything that a compiler with one target and layout option decided, by id of the source.
pub type CaseDecisions = BTreeMap<String, CaseAnswers>;

/// A text on one line.
pub(super) fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
