//! The names that a module imports, and the paths that they stand for.
//!
//! Source: WESL's specification, Imports: `import super::a::{b, c::d as e};`. `naga_oil` writes the same after `#import`,
//! without `;`, with paths of files in quotes, and up to 0.10 with the items after a space.

use std::collections::BTreeMap;

use layoutproof_layout::Span;
use layoutproof_source::diagnostics::{Code, Diagnostic};

use super::Piece;

/// The paths of the names that a module imports, as segments.
#[derive(Clone, Debug, Default)]
pub(super) struct Imports {
    by_name: BTreeMap<String, Vec<String>>,
}

impl Imports {
    pub(super) fn path_of(&self, name: &str) -> Option<&[String]> {
        self.by_name.get(name).map(Vec::as_slice)
    }

    /// The modules that are imported whole, if they are modules.
    pub(super) fn paths(&self) -> impl Iterator<Item = &[String]> {
        self.by_name.values().map(Vec::as_slice)
    }

    /// Adds what a statement of WESL imports: its tokens after `import`.
    pub(super) fn add_statement(&mut self, pieces: &[Piece], span: Span) -> Result<(), Diagnostic> {
        let mut words: Vec<&str> = Vec::new();
        for piece in pieces {
            match words.last_mut() {
                Some(last) if *last == ":" && piece.is_sign(':') => *last = "::",
                _ => words.push(&piece.text),
            }
        }
        if words.pop() != Some(";") {
            return Err(bad_import(span));
        }
        self.add_words(&words, span)
    }

    /// Adds what these words import.
    pub(super) fn add_words(&mut self, words: &[&str], span: Span) -> Result<(), Diagnostic> {
        let mut reader = ImportReader { words, next: 0, depth: 0, imports: self };
        let items = match reader.content(&[]) {
            Some(ImportContent::Path(path)) if reader.next < words.len() => reader.items(&path),
            Some(_) => Some(()),
            None => None,
        };
        match items {
            Some(()) if reader.next == words.len() => Ok(()),
            _ => Err(bad_import(span)),
        }
    }

    fn add(&mut self, name: &str, path: Vec<String>) {
        self.by_name.insert(name.to_owned(), path);
    }
}

/// Most lists in lists: a limit of ours on the depth of the stack.
const DEEPEST: u32 = 64;

/// What an import ends with.
enum ImportContent {
    /// A single name without `as`.
    Path(Vec<String>),
    /// A list, or a name with `as`.
    Other,
}

struct ImportReader<'a, 'i> {
    words: &'a [&'a str],
    next: usize,
    /// Lists that are open.
    depth: u32,
    imports: &'i mut Imports,
}

impl<'a> ImportReader<'a, '_> {
    /// A path with what follows it.
    fn content(&mut self, prefix: &[String]) -> Option<ImportContent> {
        let mut path = prefix.to_vec();
        loop {
            let word = self.word()?;
            if word == "{" {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return None;
                }
                while !self.takes("}") {
                    self.content(&path)?;
                    if !self.takes(",") && self.words.get(self.next) != Some(&"}") {
                        return None;
                    }
                }
                self.depth -= 1;
                return Some(ImportContent::Other);
            }
            if !is_segment(word) {
                return None;
            }
            path.push(word.trim_matches('"').to_owned());
            if self.takes("::") {
                continue;
            }
            if self.takes("as") {
                let name = self.word().filter(|name| is_segment(name))?;
                self.imports.add(name, path);
                return Some(ImportContent::Other);
            }
            self.imports.add(path.last()?, path.clone());
            return Some(ImportContent::Path(path));
        }
    }

    /// The items of a module after a space: `#import bevy_pbr::mesh_types Mesh, FLAGS as F`.
    fn items(&mut self, module: &[String]) -> Option<()> {
        loop {
            self.content(module)?;
            if !self.takes(",") {
                return Some(());
            }
        }
    }

    fn word(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.next)?;
        self.next += 1;
        Some(word)
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_it = self.words.get(self.next) == Some(&word);
        self.next += usize::from(is_it);
        is_it
    }
}

fn is_segment(word: &str) -> bool {
    word.starts_with('"') || word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The way out for texts of other preprocessors.
pub(super) const OTHER_PREPROCESSORS: &str =
    "other preprocessors are not followed: write the texts that the program makes with its own to files";

fn bad_import(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadModule, span, "an import of naga_oil or WESL has the form `a::b::{c, d as e}`")
        .with_help(OTHER_PREPROCESSORS)
}
