//! Splices the files that a GLSL file includes into one text for glslang, which then opens no file itself.
//!
//! A [`GlslText`] maps each of its lines to the user's files. The rest of preprocessing is up to
//! glslang: this module evaluates no conditions and expands no macros. It splices in a file that is
//! included under a condition whether or not the condition holds. A missing file becomes an
//! `#error` line, which matters only if glslang reaches it.
//!
//! Source: the extension `GL_GOOGLE_include_directive`. A name in quotes is looked up next to the
//! including file first, then in the `-I` folders; a name in angle brackets only in these folders.

use std::collections::HashMap;
use std::ops::Range;

use layoutproof_layout::{FileId, Span};

use crate::{IncludeSearch, IncludedFile};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use layoutproof_source::text_limits::directives;
use layoutproof_source::top_level::undefined_macros;

/// Maximum nesting depth of included files.
const DEEPEST: usize = 64;

/// Maximum number of inclusions in total.
const MOST_INCLUSIONS: usize = 4096;

/// Maximum size of the whole text in bytes.
const MOST_BYTES: usize = 1 << 24;

/// Text of the `#error` that replaces an unreadable included file.
const NOT_READ: &str = "layoutproof did not read this file";

/// The extension for `#include`. glslang 12 does not know it, and this module does its only job.
const INCLUDE_EXTENSION: &str = "GL_ARB_shading_language_include";

/// A text without inclusions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlslText {
    pub text: String,
    pieces: Vec<CopiedPiece>,
    missing: Vec<MissingFile>,
}

/// The contents of a `#version` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlslVersion<'a> {
    /// `450`.
    pub number: u32,
    /// `es`, `core`, `compatibility`.
    pub profile: Option<&'a str>,
}

/// A range of the text that was copied from a user's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CopiedPiece {
    /// First byte in [`GlslText::text`].
    start: usize,
    file: FileId,
    /// First byte in the file.
    start_in_file: usize,
}

/// An included file that could not be read.
#[derive(Clone, Debug, PartialEq)]
struct MissingFile {
    /// Line in the text, from 1.
    line: usize,
    problem: Diagnostic,
}

impl GlslText {
    /// Reads the file `main` and everything that it includes. Adds the included files to `sources`.
    pub fn read(main: FileId, search: &IncludeSearch<'_>, sources: &mut SourceMap) -> Result<Self, Diagnostic> {
        let mut flattening = IncludeFlattener {
            search,
            read: HashMap::from([(IncludeSearch::key(&sources.file(main).name), main)]),
            sources,
            open: Vec::new(),
            once: Vec::new(),
            inclusions: 0,
            flat: Self::default(),
        };
        flattening.put_in(main)?;
        Ok(flattening.flat)
    }

    /// Another text of the same length, whose bytes have the same places.
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        Self { text, ..self.clone() }
    }

    pub fn version(&self) -> Option<(GlslVersion<'_>, Range<usize>)> {
        directives(&self.text).find_map(|range| {
            let (name, rest) = name_and_rest(&self.text[range.clone()]);
            if name != "version" {
                return None;
            }
            let mut words = rest.split_whitespace();
            let number = words.next()?.parse().ok()?;
            Some((GlslVersion { number, profile: words.next().filter(|word| !word.starts_with('/')) }, range))
        })
    }

    /// Maps a byte of the text to its place in the user's files.
    pub fn place(&self, byte: usize) -> Span {
        let index = self.pieces.partition_point(|piece| piece.start <= byte).saturating_sub(1);
        let Some(piece) = self.pieces.get(index) else { return Span::default() };
        let start = u32::try_from(piece.start_in_file + byte.saturating_sub(piece.start)).unwrap_or(u32::MAX);
        Span { file: piece.file, start, end: start }
    }

    /// Moves a problem from the text to its place in the user's files.
    pub fn in_files(&self, mut problem: Diagnostic) -> Diagnostic {
        for label in &mut problem.labels {
            label.span = self.place(label.span.start as usize);
        }
        problem
    }

    /// Turns glslang's errors (line from 1, message) into diagnostics, which name macros that neither the text nor
    /// `macros` defines. If a file is missing, only that is reported, because the other errors follow from it.
    pub fn problems<'a>(&self, errors: impl Iterator<Item = (usize, &'a str)>, macros: &[String]) -> Vec<Diagnostic> {
        let is_given = |name: &&str| macros.iter().any(|word| word.split(['=', '(']).next() == Some(*name));
        let (mut problems, mut missing) = (Vec::new(), Vec::new());
        for (line, message) in errors {
            let file = self.missing.iter().find(|missing| missing.line == line && message.contains(NOT_READ));
            match file {
                Some(file) => missing.push(file.problem.clone()),
                None => {
                    let start = self.start_of_line(line);
                    let end = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
                    let mut names = undefined_macros(&self.text, start..end, ShaderLanguage::Glsl);
                    names.retain(|name| !is_given(name));
                    let problem = Diagnostic::error(Code::BadModule, self.place(start), message);
                    problems.push(problem.with_missing_macros(&names));
                }
            }
        }
        if missing.is_empty() { problems } else { missing }
    }

    /// Returns the first non-blank byte in a line.
    fn start_of_line(&self, line: usize) -> usize {
        let mut start = 0;
        for (index, text) in self.text.split_inclusive('\n').enumerate() {
            if index + 1 == line {
                return start + text.len() - text.trim_start().len();
            }
            start += text.len();
        }
        start
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive<'a> {
    /// `#include`, with the text after it.
    Include(&'a str),
    /// `#pragma once`, which glslang does not know.
    Once,
    /// The extension [`INCLUDE_EXTENSION`].
    AllowInclude,
    Other,
}

impl<'a> Directive<'a> {
    fn of(text: &'a str) -> Self {
        let (name, rest) = name_and_rest(text);
        match name {
            "include" => Self::Include(rest),
            "pragma" if rest.trim() == "once" => Self::Once,
            "extension" if rest.trim_start().starts_with(INCLUDE_EXTENSION) => Self::AllowInclude,
            _ => Self::Other,
        }
    }
}

/// Splits a directive into the word after `#` and the rest.
fn name_and_rest(directive: &str) -> (&str, &str) {
    let text = directive.trim_start_matches('#').trim_start();
    text.split_at(text.find(|part: char| !part.is_alphanumeric()).unwrap_or(text.len()))
}

/// A text under construction.
struct IncludeFlattener<'a> {
    search: &'a IncludeSearch<'a>,
    sources: &'a mut SourceMap,
    /// Files by their paths.
    read: HashMap<String, FileId>,
    /// The files that are being spliced in, innermost last.
    open: Vec<FileId>,
    /// Files with `#pragma once` that are already in the text.
    once: Vec<FileId>,
    inclusions: usize,
    flat: GlslText,
}

impl IncludeFlattener<'_> {
    /// Appends a file and everything that it includes.
    fn put_in(&mut self, file: FileId) -> Result<(), Diagnostic> {
        let text = self.sources.file(file).text.clone();
        self.open.push(file);

        let mut copied = 0;
        for range in directives(&text) {
            let directive = Directive::of(&text[range.clone()]);
            if directive == Directive::Other {
                continue;
            }
            self.copy(file, &text, copied..range.start)?;
            copied = range.end;
            match directive {
                Directive::Include(written) => self.include(written, span_of(file, &range))?,
                Directive::Once => self.once.push(file),
                Directive::AllowInclude | Directive::Other => {}
            }
        }
        self.copy(file, &text, copied..text.len())?;

        self.open.pop();
        Ok(())
    }

    fn copy(&mut self, file: FileId, text: &str, range: Range<usize>) -> Result<(), Diagnostic> {
        let flat = &mut self.flat;
        flat.pieces.push(CopiedPiece { start: flat.text.len(), file, start_in_file: range.start });
        flat.text.push_str(&text[range.clone()]);
        if flat.text.len() > MOST_BYTES {
            let message = format!("with all included files, the text has more than {MOST_BYTES} bytes");
            return Err(Diagnostic::error(Code::LimitExceeded, span_of(file, &range), message));
        }
        Ok(())
    }

    fn include(&mut self, written: &str, directive: Span) -> Result<(), Diagnostic> {
        self.inclusions += 1;
        if self.inclusions > MOST_INCLUSIONS {
            let message = format!("files are included more than {MOST_INCLUSIONS} times");
            return Err(Diagnostic::error(Code::LimitExceeded, directive, message));
        }

        let including = self.open.last().map_or("", |file| self.sources.file(*file).name.as_str());
        let file = match self.search.find(written, &including.replace('\\', "/"), directive) {
            Ok(included) => self.file_of(included),
            Err(problem) => return self.leave_out(problem),
        };
        if self.once.contains(&file) {
            return Ok(());
        }
        if self.open.contains(&file) {
            return self.include_again(file, directive);
        }
        if self.open.len() >= DEEPEST {
            let message = format!("files include each other more than {DEEPEST} levels deep");
            return Err(Diagnostic::error(Code::TooDeep, directive, message));
        }
        self.put_in(file)
    }

    /// Processes the `#include` of a file that is already open. With an include guard, it is empty the second time.
    fn include_again(&mut self, file: FileId, directive: Span) -> Result<(), Diagnostic> {
        let text = &self.sources.file(file).text;
        let first = directives(text).next().map(|first| name_and_rest(&text[first]).0);
        if first == Some("ifndef") {
            return Ok(());
        }
        let message = format!("`{}` includes itself, and no `#ifndef` guards it", self.sources.file(file).name);
        Err(Diagnostic::error(Code::Preprocessor, directive, message))
    }

    /// Writes an `#error` in place of a file, in case glslang reaches the line.
    fn leave_out(&mut self, problem: Diagnostic) -> Result<(), Diagnostic> {
        let line = self.flat.text.matches('\n').count() + 1;
        self.flat.missing.push(MissingFile { line, problem });
        let Some(file) = self.open.last().copied() else { return Ok(()) };
        let words = format!("#error {NOT_READ}");
        self.copy(file, &words, 0..words.len())
    }

    /// Returns the id of a file that was found.
    fn file_of(&mut self, included: IncludedFile) -> FileId {
        let IncludedFile { path, text } = included;
        let sources = &mut *self.sources;
        *self.read.entry(IncludeSearch::key(&path)).or_insert_with(|| sources.add(path, text))
    }
}

fn span_of(file: FileId, range: &Range<usize>) -> Span {
    let byte = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    Span { file, start: byte(range.start), end: byte(range.end) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Flattens `main.glsl`, which contains `main`, next to other files.
    fn read(main: &str, files: &[(&str, &str)]) -> (Result<GlslText, Diagnostic>, SourceMap) {
        let mut sources = SourceMap::default();
        let file = sources.add("shaders/main.glsl", main);
        let files: BTreeMap<String, String> =
            files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let search = IncludeSearch { folders: &["common".to_owned()], files: &files };
        (GlslText::read(file, &search, &mut sources), sources)
    }

    #[test]
    fn included_files_stand_in_their_places() {
        let files = &[("shaders/a.h", "A\n#include <b.h>\n"), ("common/b.h", "B")];
        let (text, sources) = read("#version 450\n#include \"a.h\"\nmain\n// #include \"c.h\"\n", files);
        let text = text.unwrap();
        assert_eq!(text.text, "#version 450\nA\nB\n\nmain\n// #include \"c.h\"\n");

        let place = |word: &str| {
            let span = text.place(text.text.find(word).unwrap());
            (sources.file(span.file).name.as_str(), sources.position(span).line)
        };
        assert_eq!(place("version"), ("shaders/main.glsl", 1));
        assert_eq!(place("A"), ("shaders/a.h", 1));
        assert_eq!(place("B"), ("common/b.h", 1));
        assert_eq!(place("main"), ("shaders/main.glsl", 3));
    }

    #[test]
    fn a_file_is_put_in_once_where_it_says_so() {
        let files = &[("shaders/a.h", "#pragma once\nA\n"), ("shaders/b.h", "B\n")];
        let (text, _) = read("#include \"a.h\"\n#include \"a.h\"\n#include \"b.h\"\n#include \"b.h\"\n", files);
        assert_eq!(text.unwrap().text.split_whitespace().collect::<String>(), "ABB");
    }

    #[test]
    fn files_that_include_each_other_end() {
        let guarded = &[("shaders/a.h", "#ifndef A\n#define A\n#include \"a.h\"\nA\n#endif\n")];
        assert!(read("#include \"a.h\"\n", guarded).0.is_ok());
        let endless =
            &[("shaders/a.h", "#include \"./../shaders/a.h\"\n"), ("shaders/./../shaders/a.h", "#include \"a.h\"\n")];
        let problem = read("#include \"a.h\"\n", endless).0.unwrap_err();
        assert!(problem.message.contains("includes itself, and no `#ifndef` guards it"), "{}", problem.message);

        // Each file includes the next one several times.
        let twice = &[
            ("shaders/0.h", "#include \"1.h\"\n#include \"1.h\"\n#include \"1.h\"\n#include \"1.h\"\n"),
            ("shaders/1.h", "#include \"2.h\"\n#include \"2.h\"\n#include \"2.h\"\n#include \"2.h\"\n"),
            ("shaders/2.h", "#include \"3.h\"\n#include \"3.h\"\n#include \"3.h\"\n#include \"3.h\"\n"),
            ("shaders/3.h", "#include \"4.h\"\n#include \"4.h\"\n#include \"4.h\"\n#include \"4.h\"\n"),
            ("shaders/4.h", "#include \"5.h\"\n#include \"5.h\"\n#include \"5.h\"\n#include \"5.h\"\n"),
            ("shaders/5.h", "#include \"6.h\"\n#include \"6.h\"\n#include \"6.h\"\n#include \"6.h\"\n"),
            ("shaders/6.h", "\n"),
        ];
        let problem = read("#include \"0.h\"\n", twice).0.unwrap_err();
        assert_eq!(problem.code, Code::LimitExceeded);
    }

    #[test]
    fn a_file_that_is_missing_is_an_error_where_it_is_read() {
        let (text, sources) = read("#version 450\n#ifdef X\n#include \"no.h\"\n#endif\n", &[]);
        let text = text.unwrap();
        let line = text.text.lines().position(|line| line.contains(NOT_READ)).unwrap() + 1;
        assert_eq!(line, 3);

        // For an `#error`, glslang reports the text after it. The missing `#endif` only follows from that error.
        let message = format!("'#error' : {NOT_READ}");
        let problems = text.problems([(line, message.as_str()), (4, "'' : missing #endif")].into_iter(), &[]);
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        assert_eq!(problem.message, "included file `no.h` not found");
        assert_eq!(sources.position(problem.span()).line, 3);
    }
}
