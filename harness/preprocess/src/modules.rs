//! Slang's modules: reads the files that `import` and `__include` name, after the source.
//!
//! A module comes after the one that imports it and after the modules named earlier. Its further
//! files (`__include`) follow directly after its first. Each file starts with only the macros of
//! the compiler and of the options. A statement is removed once its file is read.
//!
//! Sources: Slang user guide, "Modules and Access Control"; the order in the reflection of slangc 2026.14.1.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use layoutproof_layout::{FileId, Span};

use super::directive::OpenSource;
use super::include::{FileLookupError, FoundFile, beside, inside, refused};
use super::{Preprocessor, predefined};
use crate::lexer::{Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Files still to be read.
#[derive(Debug, Default)]
struct PendingFiles<'a> {
    seen: HashSet<FileId>,
    /// Further files of the current module.
    parts: VecDeque<RequestedFile<'a>>,
    modules: VecDeque<RequestedFile<'a>>,
    /// The first file of each module read so far, the source's own first.
    first_files: Vec<FileId>,
    imports: Vec<ImportOfModule>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ImportOfModule {
    importer: usize,
    file: FileId,
    /// True if importers of the importer also get this module (`__exported import`, `public import`).
    is_exported: bool,
}

/// A file that a statement names.
#[derive(Debug)]
struct RequestedFile<'a> {
    found: FoundFile<'a>,
    /// The place of the statement.
    span: Span,
}

impl<'a> PendingFiles<'a> {
    fn next(&mut self) -> Option<RequestedFile<'a>> {
        self.parts.pop_front().or_else(|| self.modules.pop_front())
    }

    /// For each module, returns the indices of the modules whose names it sees: its imports, and
    /// those that they re-export.
    fn visible(&self) -> Vec<Vec<usize>> {
        let of_module = |importer: usize, only_exported: bool| {
            let own = self.imports.iter().filter(move |import| import.importer == importer);
            let exported = own.filter(move |import| import.is_exported || !only_exported);
            exported.filter_map(|import| self.first_files.iter().position(|file| *file == import.file))
        };
        (0..self.first_files.len())
            .map(|module| {
                let mut seen: Vec<usize> = Vec::new();
                let mut pending: VecDeque<usize> = of_module(module, false).collect();
                while let Some(next) = pending.pop_front() {
                    if next != module && !seen.contains(&next) {
                        seen.push(next);
                        pending.extend(of_module(next, true));
                    }
                }
                seen
            })
            .collect()
    }
}

/// `import a.b;` among the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ImportStatement {
    /// Index of its first token, which may be a modifier.
    start: usize,
    /// Index of `import` or a similar keyword.
    keyword: usize,
    /// Index of its `;`.
    end: usize,
    is_exported: bool,
}

impl<'a> Preprocessor<'a> {
    /// Opens a source with only the macros of the compiler and of the options defined.
    pub(super) fn open_alone(&mut self, opened: OpenSource<'a>) {
        self.macros.clear();
        self.files.forget_once();
        self.counter = 0;
        let defined: Vec<_> = [&self.defines, &self.predefined].into_iter().flatten().cloned().collect();
        self.open.push(opened);
        self.open.extend(defined.into_iter().map(|found| OpenSource::new(found.text, found.file, 0, found.path)));
        self.macros.extend(predefined::dynamic(self.dialect).map(|made| (made.name, made.into())));
    }

    /// Reads the modules that the tokens of `file` import, and the modules that these import.
    pub(super) fn read_modules(&mut self, file: FileId) {
        let mut wanted =
            PendingFiles { seen: HashSet::from([file]), first_files: vec![file], ..PendingFiles::default() };
        let mut start = 0;
        loop {
            for statement in statements(&self.prepared.tokens, start) {
                self.request(statement, &mut wanted);
            }

            let is_part = !wanted.parts.is_empty();
            let Some(RequestedFile { found, span }) = wanted.next() else { break };
            start = self.prepared.tokens.len();
            if !is_part {
                self.prepared.imports.push(start);
                wanted.first_files.push(found.file);
            }

            if self.spend_file(found.text.len(), span).is_none() {
                return;
            }
            self.trace.included(found.file, span);
            self.prepared.orders.push((start, None));
            self.open_alone(OpenSource::new(found.text, found.file, 0, found.path));
            self.run();
        }
        self.prepared.visible = wanted.visible();
    }

    /// Finds the file that a statement names. Warns of a missing file, and leaves the statement to the parser.
    fn request(&mut self, statement: ImportStatement, wanted: &mut PendingFiles<'a>) {
        let tokens = &self.prepared.tokens[statement.keyword..statement.end];
        let (keyword, span) = (tokens[0].text, tokens[0].span);
        // An included file states itself which module it belongs to.
        let is_known_part = keyword == "implementing" && self.trace.is_included(span.file);
        if !is_known_part {
            let names = match &tokens[1..] {
                [only] if only.kind == TokenKind::Text => module_files(only.text.trim_matches('"'), true),
                name => module_files(&name.iter().map(|token| token.text).collect::<String>(), false),
            };
            // A statement in an included file refers to a module next to that file (slangc 2026.14.1).
            let path = self.files.path(span.file).unwrap_or_default().to_owned();
            let found = match self.module_file(&path, &names) {
                Ok(found) if keyword != "implementing" => found,
                Ok(_) | Err(FileLookupError::NotFound { .. }) => return self.warn_of_unread(keyword, span),
                Err(FileLookupError::Refused { path, reason, help }) => {
                    return self.report_incomplete(refused(span, &path, &reason, help));
                }
            };
            if keyword != "__include" {
                let importer = wanted.first_files.len() - 1;
                let import = ImportOfModule { importer, file: found.file, is_exported: statement.is_exported };
                wanted.imports.push(import);
            }
            if wanted.seen.insert(found.file) {
                let queue = if keyword == "__include" { &mut wanted.parts } else { &mut wanted.modules };
                queue.push_back(RequestedFile { found, span });
            }
        }

        for token in &mut self.prepared.tokens[statement.start..statement.end] {
            *token = Token { kind: TokenKind::Semicolon, text: ";", ..*token };
        }
    }

    fn module_file(&mut self, path: &str, names: &[String]) -> Result<FoundFile<'a>, FileLookupError> {
        let folders = &self.options.include_paths;
        let places = names.iter().flat_map(|name| {
            let inside_folders = folders.iter().map(move |folder| inside(folder, name));
            std::iter::once(beside(path, name)).chain(inside_folders)
        });
        self.files.find(places.collect(), self.options.files.as_ref(), self.made)
    }

    /// Warns of a missing module. The parser itself warns of `__include` and `implementing`.
    fn warn_of_unread(&mut self, keyword: &str, span: Span) {
        if matches!(keyword, "import" | "__import") {
            let message = "cannot find the file of this module, so its declarations are unknown";
            let help = "put the module next to the importing file or in a folder given with -I";
            self.report(Diagnostic::warning(Code::Skipped, span, message).with_help(help));
        }
    }
}

/// Returns the module statements between declarations, from token `start` on.
fn statements(tokens: &[Token<'_>], start: usize) -> Vec<ImportStatement> {
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    for (index, token) in tokens.iter().enumerate().skip(start) {
        match token.kind {
            TokenKind::LeftBrace => depth += 1,
            TokenKind::RightBrace => depth = depth.saturating_sub(1),
            TokenKind::Identifier if depth == 0 && is_keyword(token.text) => {
                let name = |token: &&Token<'_>| {
                    matches!(token.kind, TokenKind::Identifier | TokenKind::Dot | TokenKind::Text | TokenKind::Minus)
                };
                let end = index + 1 + tokens[index + 1..].iter().take_while(name).count();
                if end > index + 1 && tokens.get(end).is_some_and(|token| token.kind == TokenKind::Semicolon) {
                    let is_exported = index > 0 && matches!(tokens[index - 1].text, "__exported" | "public");
                    found.push(ImportStatement {
                        start: index - usize::from(is_exported),
                        keyword: index,
                        end,
                        is_exported,
                    });
                }
            }
            _ => {}
        }
    }

    found
}

fn is_keyword(word: &str) -> bool {
    matches!(word, "import" | "__import" | "__include" | "implementing")
}

/// Returns the possible file names of a module: `a.b_c` is `a/b_c.slang` or `a/b-c.slang`. A name in quotes
/// is a path, with the same alternatives unless it ends in `.slang`, in any case (Slang 2026.14.1).
pub fn module_files(name: &str, is_quoted: bool) -> Vec<String> {
    let name = name.replace(if is_quoted { '\\' } else { '.' }, "/");
    let has_suffix = Path::new(&name).extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("slang"));
    if is_quoted && has_suffix {
        return vec![name];
    }
    let path = format!("{name}.slang");
    let dashed = Some(path.replace('_', "-")).filter(|dashed| *dashed != path);
    std::iter::once(path).chain(dashed).collect()
}
