//! Ranges in source texts, so that a layout can refer to a member's declaration.

use serde::{Deserialize, Serialize};

/// The number of a source file within one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A range of bytes in a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from the start of `self` to the end of `other`. Returns `self` if `other` is in
    /// another file or before it, as happens with macros and included files.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if other.file == self.file { Self { end: other.end.max(self.end), ..self } } else { self }
    }
}
