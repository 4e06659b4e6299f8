//! The C preprocessor: includes files, follows directives and replaces macros before the parser sees the tokens.
//!
//! `files` finds included files and `include` opens them (`opened`), `modules` reads what Slang imports, `directive`
//! follows `#`-lines (`condition` and `evaluate` decide `#if`, `definition` reads `#define`, `pragma` reads `#pragma`),
//! `expand` replaces macros (`arguments` collects what a use is given, `substitute` fills it in), `predefined` lists
//! the macros of the compilers, `trace` remembers for diagnostics where tokens came from, `budget` holds the limits.
//! Each token keeps the place in the file that the user wrote: what an argument holds stands where it was written,
//! everything else from a definition stands where the macro is used.
//!
//! Not done here: reading from a file system (see [`layoutproof_source::sources::Sources`]).
//!
//! Sources: ISO C11, 6.10 "Preprocessing directives", with the GNU extensions that DXC 1.7.2308 takes (`,
//! ##__VA_ARGS__`, named variable arguments, `__COUNTER__`, `__has_include`).

mod arguments;
mod budget;
mod condition;
mod definition;
mod directive;
mod evaluate;
mod expand;
mod files;
mod include;
mod modules;
mod opened;
mod pragma;
mod predefined;
mod substitute;
mod trace;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use bumpalo::Bump;

use self::budget::PreprocessorBudget;
use self::definition::Macro;
use self::expand::PendingTokens;
use self::files::{Files, FoundFile};
pub use self::include::{IncludeSearch, IncludedFile};
use self::opened::OpenSource;
use self::predefined::MacroDialect;
pub(super) use self::trace::Trace;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{FileId, Span};

use super::lexer::{Token, TokenKind};
use super::problems::ProblemList;
use super::{DeclareOptions, DeclaredLanguage};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::sources::{SourceFile, SourceMap};

/// Tokens without directives, and what the directives said.
#[derive(Debug, Default)]
pub(super) struct PreparedTokens<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    /// From this token on matrices without a modifier have this order; ascending.
    pub(super) orders: Vec<(usize, Option<MatrixOrder>)>,
    /// The first token of each imported module; ascending.
    pub(super) imports: Vec<usize>,
    /// What the source, module 0, and the imported modules import, as numbers of modules.
    pub(super) visible: Vec<Vec<usize>>,
    /// The `#version` that makes slangc read Slang with the rules of GLSL.
    pub(super) version: Option<Span>,
}

/// Result of preprocessing.
#[derive(Debug)]
pub(super) struct PreprocessedSource<'a> {
    /// The tokens; `None` if some are missing, to avoid follow-up errors.
    pub(super) prepared: Option<PreparedTokens<'a>>,
    /// Where they came from.
    pub(super) trace: Trace,
    /// Texts that go behind those of the source map, in this order.
    pub(super) added: Vec<SourceFile>,
}

/// Resolves the directives and macros of the text at `span`; `made` holds the texts that are in no source yet.
pub(super) fn preprocess<'a>(
    sources: &'a SourceMap,
    span: Span,
    options: &'a DeclareOptions,
    made: &'a Bump,
    problems: &mut ProblemList,
) -> PreprocessedSource<'a> {
    let dialect = MacroDialect::of(options.language, &sources.file(span.file).name);
    let mut preprocessor = Preprocessor::new(sources.next_id(), options, dialect, made);
    preprocessor.read_source(sources, span);
    problems.absorb(preprocessor.problems);
    let complete = preprocessor.progress == SourceProgress::Complete;

    PreprocessedSource {
        prepared: complete.then_some(preprocessor.prepared),
        trace: preprocessor.trace,
        added: preprocessor.files.into_added(),
    }
}

/// True if a source is Slang, and not HLSL, by the language or else by the name of its file.
pub(super) fn is_slang(language: Option<DeclaredLanguage>, file: &str) -> bool {
    match MacroDialect::of(language, file) {
        MacroDialect::Slang => true,
        MacroDialect::Dxc | MacroDialect::Both => false,
    }
}

/// The state between two tokens.
#[derive(Debug)]
struct Preprocessor<'a> {
    options: &'a DeclareOptions,
    dialect: MacroDialect,
    made: &'a Bump,
    files: Files<'a>,
    /// Open files, the innermost last.
    open: Vec<OpenSource<'a>>,
    macros: HashMap<&'a str, Rc<Macro<'a>>>,
    /// Replacements that are being read again, the innermost last.
    frames: Vec<PendingTokens<'a>>,
    /// Macros whose replacement is being read: they are not replaced inside it.
    replacing: HashSet<&'a str>,
    /// Number of expansions around this one that have their own tokens and see no file.
    isolated: u32,
    /// True if the arguments of a macro are being collected, which end with their file.
    collecting: bool,
    /// True if the tokens of an `#if` are read, in which `defined` is an operator.
    in_condition: bool,
    counter: u32,
    /// The texts with the macros of the options and of the compiler.
    defines: Option<FoundFile<'a>>,
    predefined: Option<FoundFile<'a>>,
    budget: PreprocessorBudget,
    prepared: PreparedTokens<'a>,
    trace: Trace,
    problems: ProblemList,
    progress: SourceProgress,
}

/// The part of the source that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SourceProgress {
    /// All of it, as far as it was read.
    Complete,
    /// Tokens are missing or may be others.
    Incomplete,
    /// A limit was passed: nothing more is read.
    Stopped,
}

impl<'a> Preprocessor<'a> {
    fn new(first: FileId, options: &'a DeclareOptions, dialect: MacroDialect, made: &'a Bump) -> Self {
        Self {
            options,
            dialect,
            made,
            files: Files::new(first),
            open: Vec::new(),
            macros: HashMap::new(),
            frames: Vec::new(),
            replacing: HashSet::new(),
            isolated: 0,
            collecting: false,
            in_condition: false,
            counter: 0,
            defines: None,
            predefined: None,
            budget: PreprocessorBudget::default(),
            prepared: PreparedTokens::default(),
            trace: Trace::default(),
            problems: ProblemList::default(),
            progress: SourceProgress::Complete,
        }
    }

    fn run(&mut self) {
        while let Some(token) = self.next() {
            let kind = if token.kind == TokenKind::Kept { TokenKind::Identifier } else { token.kind };
            self.prepared.tokens.push(Token { kind, ..token });
            if self.prepared.tokens.len() > budget::TOKENS {
                let message = format!("the source has more than {} tokens", budget::TOKENS);
                self.give_up(token.span, message);
            }
        }
    }

    fn report(&mut self, problem: Diagnostic) {
        self.problems.report(problem);
    }

    /// Reports what makes the rest of the source unknown.
    fn report_incomplete(&mut self, problem: Diagnostic) {
        // Behind a limit everything ends early, which says nothing new.
        if self.progress == SourceProgress::Stopped {
            return;
        }
        self.progress = self.progress.max(SourceProgress::Incomplete);
        self.report(problem);
    }
}

#[cfg(test)]
mod tests;
