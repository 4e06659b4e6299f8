//! The C preprocessor: a source and the files that it includes in, tokens without directives and macros out.
//!
//! `files` finds included files and `include` opens them (`opened`), `modules` reads what Slang imports, `directive`
//! follows `#`-lines (`condition` and `evaluate` decide `#if`, `definition` reads `#define`, `pragma` reads `#pragma`),
//! `expand` replaces macros (`arguments` collects what a use is given, `substitute` fills it in), `predefined` lists the
//! macros of the compilers, `trace` remembers for diagnostics where tokens came from, `budget` holds the limits. Each
//! token keeps the place in the file that the user wrote: what an argument holds stands where it was written, everything
//! else from a definition stands where the macro is used.
//!
//! Not done here: reading from a file system (see [`crate::input::sources::Sources`]).
//!
//! Sources: ISO C11, 6.10 "Preprocessing directives", with the GNU extensions that DXC 1.7.2308 takes (`, ##__VA_ARGS__`,
//! named variable arguments, `__COUNTER__`, `__has_include`).

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

use self::budget::Budget;
use self::definition::Macro;
use self::expand::Frame;
use self::files::{Files, Found};
pub use self::include::{IncludeSearch, Included};
use self::opened::Opened;
use self::predefined::Dialect;
pub(super) use self::trace::Trace;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{FileId, Span};

use super::lexer::{Token, TokenKind};
use super::problems::Problems;
use super::{DeclareOptions, DeclaredLanguage};
use crate::input::diagnostics::Diagnostic;
use crate::input::sources::{SourceFile, SourceMap};

/// Tokens without directives, and what the directives said.
#[derive(Debug, Default)]
pub(super) struct Prepared<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    /// From this token on matrices without a modifier have this order; ascending.
    pub(super) orders: Vec<(usize, Option<MatrixOrder>)>,
    /// The first token of the first imported module.
    pub(super) imported_at: Option<usize>,
}

/// What preprocessing gives.
#[derive(Debug)]
pub(super) struct Preprocessed<'a> {
    /// The tokens; `None` where some are missing, so that what follows from that would be no news.
    pub(super) prepared: Option<Prepared<'a>>,
    /// Where they came from.
    pub(super) trace: Trace,
    /// Texts that go behind those of the source map, in this order.
    pub(super) added: Vec<SourceFile>,
}

/// Resolves the directives and macros of the text at `span`; `made` holds the texts that are in no source yet.
pub(super) fn preprocess<'a>(
    (sources, span): (&'a SourceMap, Span),
    options: &'a DeclareOptions,
    made: &'a Bump,
    problems: &mut Problems,
) -> Preprocessed<'a> {
    let dialect = Dialect::of(options.language, &sources.file(span.file).name);
    let mut preprocessor = Preprocessor::new(sources.next_id(), (options, dialect), made);
    preprocessor.read_source(sources, span);
    problems.absorb(preprocessor.problems);
    let complete = preprocessor.progress == Progress::Complete;
    Preprocessed {
        prepared: complete.then_some(preprocessor.prepared),
        trace: preprocessor.trace,
        added: preprocessor.files.into_added(),
    }
}

/// Whether a source is Slang, and no HLSL, by the language or else by the name of its file.
pub(super) fn is_slang(language: Option<DeclaredLanguage>, file: &str) -> bool {
    match Dialect::of(language, file) {
        Dialect::Slang => true,
        Dialect::Dxc | Dialect::Both => false,
    }
}

/// The state between two tokens.
#[derive(Debug)]
struct Preprocessor<'a> {
    options: &'a DeclareOptions,
    dialect: Dialect,
    made: &'a Bump,
    files: Files<'a>,
    /// Open files, the innermost last.
    open: Vec<Opened<'a>>,
    macros: HashMap<&'a str, Rc<Macro<'a>>>,
    /// Replacements that are being read again, the innermost last.
    frames: Vec<Frame<'a>>,
    /// Macros whose replacement is being read: they are not replaced inside it.
    replacing: HashSet<&'a str>,
    /// Number of expansions around this one that have their own tokens and see no file.
    isolated: u32,
    /// Whether the arguments of a macro are being collected, which end with their file.
    collecting: bool,
    /// Whether the tokens of an `#if` are read, in which `defined` is an operator.
    in_condition: bool,
    counter: u32,
    /// The texts with the macros of the options and of the compiler.
    defines: Option<Found<'a>>,
    predefined: Option<Found<'a>>,
    budget: Budget,
    prepared: Prepared<'a>,
    trace: Trace,
    problems: Problems,
    progress: Progress,
}

/// How much of the source is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    /// All of it, as far as it was read.
    Complete,
    /// Tokens are missing or may be others.
    Incomplete,
    /// A limit was passed: nothing more is read.
    Stopped,
}

impl<'a> Preprocessor<'a> {
    fn new(first: FileId, (options, dialect): (&'a DeclareOptions, Dialect), made: &'a Bump) -> Self {
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
            budget: Budget::default(),
            prepared: Prepared::default(),
            trace: Trace::default(),
            problems: Problems::default(),
            progress: Progress::Complete,
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
        if self.progress == Progress::Stopped {
            return;
        }
        self.progress = self.progress.max(Progress::Incomplete);
        self.report(problem);
    }
}

#[cfg(test)]
mod tests;
