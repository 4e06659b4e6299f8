//! Source texts and places in them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use layoutproof_layout::{FileId, Span};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::plain_text::escape_controls;

#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// Name as the user gave it.
    pub name: String,
    pub text: String,
}

/// The texts of one elaboration. A [`FileId`] is an index into it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// One per file.
    checkpoints: Vec<Checkpoints>,
}

/// Positions at regular intervals in a text, so that finding a place costs the same everywhere,
/// even in a very long line.
#[derive(Clone, Debug, Default)]
struct Checkpoints(OnceLock<Vec<Checkpoint>>);

/// Always equal: checkpoints follow from the text, which is compared separately.
impl PartialEq for Checkpoints {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Number of lines and characters before a byte of a text.
#[derive(Clone, Copy, Debug, Default)]
struct Checkpoint {
    /// Newlines before the byte.
    lines: usize,
    /// Characters between the start of the line and the byte.
    characters: usize,
}

/// Distance between checkpoints, in bytes.
const CHECKPOINT_BYTES: usize = 4096;

impl Checkpoint {
    /// Returns the checkpoint that follows after `bytes`.
    fn behind(self, bytes: &[u8]) -> Self {
        let is_character = |byte: &&u8| (**byte & 0b1100_0000) != 0b1000_0000;
        let count = |line: &[u8]| line.iter().filter(is_character).count();
        match bytes.iter().rposition(|byte| *byte == b'\n') {
            None => Self { characters: self.characters + count(bytes), ..self },
            Some(last) => Self {
                lines: self.lines + bytes.split(|byte| *byte == b'\n').count() - 1,
                characters: count(&bytes[last + 1..]),
            },
        }
    }
}

impl Checkpoints {
    /// Counts the lines and characters before byte `at` of `text`.
    fn before(&self, text: &str, at: usize) -> Checkpoint {
        let bytes = text.as_bytes();
        let at = at.min(bytes.len());
        let all = self.0.get_or_init(|| {
            let next = |checkpoint: &mut Checkpoint, chunk: &[u8]| {
                let here = *checkpoint;
                *checkpoint = here.behind(chunk);
                Some(here)
            };
            bytes.chunks(CHECKPOINT_BYTES).scan(Checkpoint::default(), next).collect()
        });
        let index = at / CHECKPOINT_BYTES;
        match all.get(index) {
            Some(checkpoint) => checkpoint.behind(&bytes[index * CHECKPOINT_BYTES..at]),
            // The end of a text that fills its last interval exactly.
            None => all.last().copied().unwrap_or_default().behind(&bytes[(index.max(1) - 1) * CHECKPOINT_BYTES..at]),
        }
    }
}

/// Line and column, both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// A file with a line, for people: `cases/a/b.toml:9`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinePlace {
    /// As the user, a compiler or debug information writes it.
    pub file: String,
    /// From 1; `None` if it is not known, or if the place is the whole file.
    pub line: Option<u32>,
}

impl LinePlace {
    pub fn of_file(name: &str) -> Self {
        Self { file: name.to_owned(), line: None }
    }
}

impl fmt::Display for LinePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        self.line.iter().try_for_each(|line| write!(f, ":{line}"))
    }
}

impl SourceMap {
    /// Returns the id that the next text gets.
    ///
    /// # Panics
    /// If there are already 2^32 files.
    pub fn next_id(&self) -> FileId {
        FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 files fit in memory"))
    }

    /// Adds a text and returns its id.
    ///
    /// # Panics
    /// If there are already 2^32 files.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = self.next_id();
        self.files.push(SourceFile { name: name.into(), text: text.into() });
        self.checkpoints.push(Checkpoints::default());
        id
    }

    /// Adds all files of another map, and returns the id that its first file gets.
    pub fn append(&mut self, other: Self) -> FileId {
        let first = self.next_id();
        self.files.extend(other.files);
        self.checkpoints.extend(other.checkpoints);
        first
    }

    /// Returns the file with this id.
    ///
    /// # Panics
    /// If `id` comes from another map.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Returns all files, in the order in which they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The start of `span` for people: `file:line:column`.
    pub fn place(&self, span: Span) -> String {
        let Position { line, column } = self.position(span);
        format!("{}:{line}:{column}", escape_controls(&self.file(span.file).name))
    }

    pub fn position(&self, span: Span) -> Position {
        let text = &self.file(span.file).text;
        let before = self.checkpoints[span.file.0 as usize].before(text, span.start as usize);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: count(before.lines + 1), column: count(before.characters + 1) }
    }
}

/// Provides included files, so that the core reads files without touching a file system.
pub trait Sources: fmt::Debug + Send + Sync {
    /// Reads the file at `path`.
    fn read(&self, path: &str) -> Result<String, ReadRefusal>;

    /// The path of a readable file that differs from `path` only in case.
    /// Windows and macOS open such a file, Linux does not.
    fn in_another_case(&self, _path: &str) -> Option<String> {
        None
    }
}

/// The reason why a file cannot be included.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadRefusal {
    /// The file does not exist in this folder. It may be in another one.
    #[error("not found")]
    NotFound,
    /// The file exists but must not be read.
    #[error("{reason}")]
    Refused {
        /// Lowercase fragment that fits after the name of the file.
        reason: String,
        /// Advice on what to do next.
        help: Option<String>,
    },
}

/// A [`Sources`] without any file.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSources;

impl Sources for NoSources {
    fn read(&self, _path: &str) -> Result<String, ReadRefusal> {
        Err(ReadRefusal::NotFound)
    }
}

/// Texts by path.
impl Sources for BTreeMap<String, String> {
    fn read(&self, path: &str) -> Result<String, ReadRefusal> {
        self.get(path).cloned().ok_or(ReadRefusal::NotFound)
    }

    fn in_another_case(&self, path: &str) -> Option<String> {
        self.keys().find(|name| name.eq_ignore_ascii_case(path)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the same position by counting from the start of the text.
    fn counted(text: &str, at: usize) -> Position {
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let count = |n: usize| u32::try_from(n).expect("a short text");
        Position {
            line: count(before.matches('\n').count() + 1),
            column: count(before[line_start..].chars().count() + 1),
        }
    }

    #[test]
    fn places_are_found_from_the_checkpoint_before_them() {
        let long = "ä".repeat(CHECKPOINT_BYTES);
        let lines = "x\nyä\n".repeat(CHECKPOINT_BYTES);
        let exact = "z".repeat(2 * CHECKPOINT_BYTES);
        for text in ["", "a", "a\n", &format!("{lines}{long}a{lines}"), &exact] {
            let mut sources = SourceMap::default();
            let file = sources.add("a.hlsl", text);
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at) && (at % 97 < 3 || at % 4096 < 2)) {
                let start = u32::try_from(at).expect("a short text");
                assert_eq!(sources.position(Span { file, start, end: start }), counted(text, at), "byte {at}");
            }
        }
    }
}
