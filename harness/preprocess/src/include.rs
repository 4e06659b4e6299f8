//! Finds included files by name, gives each text one id, and continues reading in it.
//!
//! Source: the search order of DXC and Slang. A name in quotes is looked up next to the including
//! file first, by DXC (1.7.2308) then next to each file that includes that one, from the inside out, and then in the `-I`
//! folders in order; a name in angle brackets only in these folders.

use std::collections::{HashMap, HashSet};

use bumpalo::Bump;
use layoutproof_layout::{FileId, Span};

use super::budget::DEEPEST_INCLUDE;
use super::directive::OpenSource;
use super::predefined::{self, MacroDialect};
use super::{Preprocessor, SourceProgress};
use crate::lexer::{Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::{ReadRefusal, SourceFile, SourceMap, Sources};

/// The texts that preprocessing adds to the source map.
#[derive(Debug)]
pub(super) struct Files<'a> {
    first: FileId,
    added: Vec<(String, &'a str)>,
    by_path: HashMap<String, FoundFile<'a>>,
    /// Files with `#pragma once`.
    once: HashSet<FileId>,
}

#[derive(Clone, Debug)]
pub(super) struct FoundFile<'a> {
    pub(super) file: FileId,
    pub(super) text: &'a str,
    pub(super) path: String,
}

/// The reason why a file could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileLookupError {
    /// The file does not exist at any of these paths.
    NotFound {
        looked_for: Vec<String>,
        /// A file that differs from one of them only in case.
        in_another_case: Option<String>,
    },
    /// The file exists but must not be read.
    Refused { path: String, reason: String, help: Option<String> },
}

impl FileLookupError {
    pub(super) fn not_found(looked_for: Vec<String>, sources: &dyn Sources) -> Self {
        let in_another_case = looked_for.iter().find_map(|path| sources.in_another_case(path));
        Self::NotFound { looked_for, in_another_case }
    }
}

impl<'a> Files<'a> {
    /// Creates an empty list; the first file gets the id `first`.
    pub(super) fn new(first: FileId) -> Self {
        Self { first, added: Vec::new(), by_path: HashMap::new(), once: HashSet::new() }
    }

    pub(super) fn add(&mut self, path: String, text: &'a str) -> FoundFile<'a> {
        let index = u32::try_from(self.added.len()).unwrap_or(u32::MAX);
        let file = FileId(self.first.0.saturating_add(index));
        self.added.push((path.clone(), text));
        FoundFile { file, text, path }
    }

    /// Registers a text of the source map under its path.
    pub(super) fn enter(&mut self, found: FoundFile<'a>) {
        self.by_path.insert(normal(&found.path), found);
    }

    pub(super) fn path(&self, file: FileId) -> Option<&str> {
        self.by_path.values().find(|found| found.file == file).map(|found| found.path.as_str())
    }

    pub(super) fn is_once(&self, file: FileId) -> bool {
        self.once.contains(&file)
    }

    pub(super) fn set_once(&mut self, file: FileId) {
        self.once.insert(file);
    }

    /// Forgets every `#pragma once`, because each file of a module reads its own includes.
    pub(super) fn forget_once(&mut self) {
        self.once.clear();
    }

    /// Finds the first existing file among `paths`. Reads each file at most once.
    ///
    /// # Errors
    /// [`FileLookupError`]. As in compilers, a file that must not be read hides files with the same
    /// name in later folders.
    pub(super) fn find(
        &mut self,
        paths: Vec<String>,
        sources: &dyn Sources,
        made: &'a Bump,
    ) -> Result<FoundFile<'a>, FileLookupError> {
        for path in &paths {
            if let Some(known) = self.by_path.get(&normal(path)) {
                return Ok(known.clone());
            }
            if let Some(text) = read_if_there(path, sources)? {
                let found = self.add(path.clone(), made.alloc_str(&text));
                self.enter(found.clone());
                return Ok(found);
            }
        }

        Err(FileLookupError::not_found(paths, sources))
    }

    /// Returns the texts in the order of their ids.
    pub(super) fn into_added(self) -> Vec<SourceFile> {
        self.added.into_iter().map(|(name, text)| SourceFile { name, text: text.to_owned() }).collect()
    }
}

/// Reads the file at `path`, or returns `None` if it does not exist.
pub(super) fn read_if_there(path: &str, sources: &dyn Sources) -> Result<Option<String>, FileLookupError> {
    match sources.read(path) {
        Ok(text) => Ok(Some(text)),
        Err(ReadRefusal::NotFound) => Ok(None),
        Err(ReadRefusal::Refused { reason, help }) => {
            Err(FileLookupError::Refused { path: path.to_owned(), reason, help })
        }
    }
}

/// Returns the path of `name` in the folder of the file `beside`.
pub(super) fn beside(beside: &str, name: &str) -> String {
    match beside.rfind('/') {
        Some(slash) if !is_absolute(name) => format!("{}/{name}", &beside[..slash]),
        Some(_) | None => name.to_owned(),
    }
}

pub(super) fn inside(folder: &str, name: &str) -> String {
    if is_absolute(name) || folder.is_empty() {
        return name.to_owned();
    }
    format!("{}/{name}", folder.trim_end_matches('/'))
}

fn is_absolute(name: &str) -> bool {
    name.starts_with('/') || name.as_bytes().get(1) == Some(&b':')
}

/// Removes `.` and `a/..` from `path`, so that each file has one name.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "")) => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The file name in an `#include`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct IncludeName {
    name: String,
    angles: bool,
}

/// Search locations for files included by a text in another language, which is not preprocessed here.
#[derive(Clone, Copy, Debug)]
pub struct IncludeSearch<'a> {
    /// The `-I` folders.
    pub folders: &'a [String],
    /// Access to the readable files.
    pub files: &'a dyn Sources,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludedFile {
    /// The path at which the search found it.
    pub path: String,
    pub text: String,
}

impl IncludeSearch<'_> {
    /// Finds the file for an `#include` at `span` in the file `including`. `written_name` is the text after the word.
    pub fn find(&self, written_name: &str, including: &str, span: Span) -> Result<IncludedFile, Diagnostic> {
        let Some(header) = written(written_name) else { return Err(no_header(span)) };
        let looked_for = places(&header, including, self.folders);
        for path in &looked_for {
            match read_if_there(path, self.files) {
                Ok(Some(text)) => return Ok(IncludedFile { path: path.clone(), text }),
                Ok(None) => {}
                Err(missing) => return Err(not_included(&header, missing, span)),
            }
        }
        Err(not_included(&header, FileLookupError::not_found(looked_for, self.files), span))
    }

    /// Returns a key that is equal for all names of a file.
    pub fn key(path: &str) -> String {
        normal(&path.replace('\\', "/"))
    }
}

impl<'a> Preprocessor<'a> {
    /// Reads the user's source and the modules that it imports.
    pub(super) fn read_source(&mut self, sources: &'a SourceMap, span: Span) {
        let whole = sources.file(span.file);
        let text = whole.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let path = whole.name.replace('\\', "/");
        self.files.enter(FoundFile { file: span.file, text: &whole.text, path: path.clone() });

        // Macros from the options and from the compiler are texts that are read before the source.
        let defines: String =
            self.options.defines.iter().map(|(name, value)| predefined::define_line(name, value)).collect();
        self.defines = Some(self.files.add("<defines>".to_owned(), self.made.alloc_str(&defines)));
        let predefined = self.made.alloc_str(&predefined::text(
            self.dialect,
            self.options.profile.as_deref(),
            self.options.spirv == Some(true),
        ));
        self.predefined = Some(self.files.add("<predefined>".to_owned(), predefined));

        self.open_alone(OpenSource::new(text, span.file, span.start, path));
        self.run();
        if self.dialect == MacroDialect::Slang {
            self.read_modules(span.file);
        }
    }

    pub(super) fn include(&mut self, span: Span, rest: Token<'a>) {
        let Some(header) = self.header(span, rest) else { return };
        if self.open.len() >= DEEPEST_INCLUDE {
            let message = format!("files include each other more than {DEEPEST_INCLUDE} levels deep");
            return self.give_up(span, message);
        }

        let found = match self.locate(&header) {
            Ok(found) => found,
            Err(FileLookupError::NotFound { in_another_case: Some(there), .. }) => {
                let found = self.files.find(vec![there.clone()], self.options.files.as_ref(), self.made);
                let Ok(found) = found else { return };
                let message = format!("`{}` is `{there}` in another case", header.name);
                let help = "Windows and macOS find the file under both names, Linux does not";
                self.report(Diagnostic::warning(Code::Preprocessor, span, message).with_help(help));
                found
            }
            Err(missing) => return self.report_incomplete(not_included(&header, missing, span)),
        };
        if self.files.is_once(found.file) || self.spend_file(found.text.len(), span).is_none() {
            return;
        }
        self.trace.included(found.file, span);
        self.open.push(OpenSource::new(found.text, found.file, 0, found.path));
    }

    /// Evaluates `__has_include("x")`.
    pub(super) fn has_include(&mut self, question: Token<'a>) -> bool {
        let mut tokens = Vec::new();
        while let Some(token) = self.raw() {
            let kind = token.kind;
            tokens.push(token);
            if kind == TokenKind::RightParenthesis {
                break;
            }
        }

        let header = match tokens.as_slice() {
            [open, name @ .., close]
                if open.kind == TokenKind::LeftParenthesis && close.kind == TokenKind::RightParenthesis =>
            {
                of_tokens(name)
            }
            _ => None,
        };

        let Some(header) = header else {
            let message = "`__has_include` needs a file name in quotes or angle brackets";
            self.report_incomplete(Diagnostic::error(Code::Preprocessor, question.span, message));
            return false;
        };
        match self.locate(&header) {
            Ok(_) => true,
            Err(FileLookupError::NotFound { .. }) => false,
            // A compiler can read this file and so takes another branch than layoutproof, which must not read it.
            Err(missing @ FileLookupError::Refused { .. }) => {
                self.report_incomplete(not_included(&header, missing, question.span));
                false
            }
        }
    }

    /// Returns the named file, as written or after macro expansion.
    fn header(&mut self, span: Span, rest: Token<'a>) -> Option<IncludeName> {
        let header = written(rest.text).or_else(|| {
            let tokens = self.tokens(rest);
            of_tokens(&self.expand_alone(tokens))
        });
        if header.is_none() && self.progress != SourceProgress::Stopped {
            self.report_incomplete(no_header(span));
        }
        header
    }

    fn locate(&mut self, header: &IncludeName) -> Result<FoundFile<'a>, FileLookupError> {
        let mut including = self.open.iter().rev().map(|file| file.path.as_str());
        let mut places = places(header, including.next().unwrap_or_default(), &self.options.include_paths);
        if self.dialect != MacroDialect::Slang && !header.angles {
            let mut outer: Vec<String> = including.map(|file| beside(file, &header.name)).collect();
            outer.dedup();
            outer.retain(|place| *place != places[0]);
            places.splice(1..1, outer);
        }
        self.files.find(places, self.options.files.as_ref(), self.made)
    }
}

/// Creates the error at `span` for a missing file name.
fn no_header(span: Span) -> Diagnostic {
    Diagnostic::error(Code::Preprocessor, span, "expected a file name in quotes or angle brackets")
}

/// Creates the error at `span` for a named file that is not read.
fn not_included(header: &IncludeName, missing: FileLookupError, span: Span) -> Diagnostic {
    let problem = |message: String| Diagnostic::error(Code::Preprocessor, span, message);
    match missing {
        FileLookupError::NotFound { looked_for, in_another_case } => {
            let not_found = problem(format!("included file `{}` not found", header.name));
            match in_another_case {
                Some(there) => not_found.with_help(format!("there is `{there}`, written in another case")),
                None => not_found
                    .with_help(format!("tried {}; add a folder with -I", looked_for.join(", ")))
                    .with_missing_file(&header.name),
            }
        }
        FileLookupError::Refused { path, reason, help } => refused(span, &path, &reason, help),
    }
}

/// Creates the error at `span` for a named file that must not be read.
pub(super) fn refused(span: Span, path: &str, reason: &str, help: Option<String>) -> Diagnostic {
    let problem = Diagnostic::error(Code::Preprocessor, span, format!("cannot read `{path}`: {reason}"));
    Diagnostic { help, ..problem }
}

/// Returns the possible paths of a file, in search order.
fn places(header: &IncludeName, including: &str, folders: &[String]) -> Vec<String> {
    let near = (!header.angles).then(|| beside(including, &header.name));
    let mut places: Vec<String> = near.into_iter().collect();
    places.extend(folders.iter().map(|folder| inside(folder, &header.name)));
    places
}

/// Parses `"name"` or `<name>`. A backslash is a Windows path separator, not an escape.
fn written(text: &str) -> Option<IncludeName> {
    let text = text.trim_start();
    let (closing, angles) = match text.as_bytes().first()? {
        b'"' => ('"', false),
        b'<' => ('>', true),
        _ => return None,
    };
    let name = text[1..].split_once(closing)?.0;
    (!name.is_empty() && !name.contains('\n')).then(|| IncludeName { name: name.replace('\\', "/"), angles })
}

/// Same as [`written`], from tokens.
fn of_tokens(tokens: &[Token<'_>]) -> Option<IncludeName> {
    match tokens {
        [only] if only.kind == TokenKind::Text => written(only.text),
        [first, .., last] if first.kind == TokenKind::Less && last.kind == TokenKind::Greater => {
            let text: String = tokens.iter().map(|token| token.text).collect();
            written(&text)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_name() {
        assert_eq!(normal("./a/../b//c.h"), "b/c.h");
        assert_eq!(normal("../../a/b/../c.h"), "../../a/c.h");
        assert_eq!(normal("/a/./b"), "/a/b");
    }

    #[test]
    fn names_are_looked_for_beside_the_file_and_inside_folders() {
        assert_eq!(beside("x/y/main.hlsl", "../a.h"), "x/y/../a.h");
        assert_eq!(beside("main.hlsl", "a.h"), "a.h");
        assert_eq!(beside("x/main.hlsl", "/a.h"), "/a.h");
        assert_eq!(inside("include/", "a.h"), "include/a.h");
        assert_eq!(inside("include", "C:/a.h"), "C:/a.h");
    }
}
