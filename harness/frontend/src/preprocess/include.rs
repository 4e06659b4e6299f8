//! `#include`: finds the file and continues reading in it.
//!
//! Source: the search order of DXC and Slang. A name in quotes is looked up next to the including
//! file first, then in the `-I` folders in order; a name in angle brackets only in these folders.

use layoutproof_layout::Span;

use super::budget::DEEPEST_INCLUDE;
use super::files::{FileLookupError, FoundFile, beside, inside, normal, read_if_there};
use super::opened::OpenSource;
use super::predefined::{self, MacroDialect};
use super::{Preprocessor, SourceProgress};
use crate::lexer::{Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::{SourceMap, Sources};

/// The file name in an `#include`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct IncludeName {
    name: String,
    /// True for a name in angle brackets.
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
    ///
    /// # Errors
    /// There is no name in quotes or angle brackets, or the file does not exist or must not be read.
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
        let predefined = self.made.alloc_str(&predefined::text(self.dialect, self.options.profile.as_deref()));
        self.predefined = Some(self.files.add("<predefined>".to_owned(), predefined));

        self.open_alone(OpenSource::new(text, span.file, span.start, path));
        self.run();
        if self.dialect == MacroDialect::Slang {
            self.read_modules(span.file);
        }
    }

    /// Processes an `#include`.
    pub(super) fn include(&mut self, span: Span, rest: Token<'a>) {
        let Some(header) = self.header(span, rest) else { return };
        if self.open.len() >= DEEPEST_INCLUDE {
            let message = format!("files include each other more than {DEEPEST_INCLUDE} levels deep");
            return self.give_up(span, message);
        }

        let found = match self.locate(&header) {
            Ok(found) => found,
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
        let including = self.open.last().map_or("", |file| file.path.as_str());
        let places = places(header, including, &self.options.include_paths);
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
            let help = match in_another_case {
                Some(there) => format!("there is `{there}`, written in another case"),
                None => format!("tried {}; add a folder with -I", looked_for.join(", ")),
            };
            problem(format!("included file `{}` not found", header.name)).with_help(help)
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
