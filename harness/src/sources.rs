//! Source texts and places in them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A range of bytes in a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from the start of `self` to the end of `other`; `self` alone where `other` is in another file or
    /// before it, as with what macros and included files bring.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if other.file == self.file { Self { end: other.end.max(self.end), ..self } } else { self }
    }
}

/// One source text.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// Name as the user gave it.
    pub name: String,
    /// Text.
    pub text: String,
}

/// The texts of one elaboration; a [`FileId`] is an index into it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

/// Line and column, both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl SourceMap {
    /// The id that the next text gets.
    ///
    /// # Panics
    /// With 2^32 files.
    pub fn next_id(&self) -> FileId {
        FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 files fit in memory"))
    }

    /// Adds a text and returns its id.
    ///
    /// # Panics
    /// With 2^32 files.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = self.next_id();
        self.files.push(SourceFile { name: name.into(), text: text.into() });
        id
    }

    /// The file of an id.
    ///
    /// # Panics
    /// If `id` comes from another map.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The text of `span`.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Where `span` starts.
    pub fn position(&self, span: Span) -> Position {
        let text = &self.file(span.file).text;
        let before = text.get(..span.start as usize).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position {
            line: count(before.matches('\n').count() + 1),
            column: count(before[line_start..].chars().count() + 1),
        }
    }
}

/// Where included files come from; lets the core read files without touching a file system.
pub trait Sources: fmt::Debug + Send + Sync {
    /// The text of `path`, or `None` where there is no such file.
    fn read(&self, path: &str) -> Option<String>;
}

/// A [`Sources`] without any file.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSources;

impl Sources for NoSources {
    fn read(&self, _path: &str) -> Option<String> {
        None
    }
}
