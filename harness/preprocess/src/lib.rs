//! The C preprocessor: includes files, processes directives and expands macros before the parser sees the tokens.
//!
//! `lexer` splits texts into tokens. `include` finds and opens included files, and `modules` reads the
//! modules that Slang imports. `directive` processes `#`-lines: `evaluate` decides `#if`, and
//! `definition` reads `#define`. `expand` replaces macros. `predefined` lists the macros of the
//! compilers, `trace` records the origin of tokens for diagnostics, and `budget` holds the limits.
//! `glsl_text` only splices included files, for glslang.
//!
//! Each token keeps its place in the user's file. Tokens from an argument have the place of the
//! argument, all other tokens of an expansion the place where the macro is used.
//!
//! This crate does not access a file system (see [`layoutproof_source::sources::Sources`]).
//!
//! Sources: ISO C11, 6.10 "Preprocessing directives", with the GNU extensions that DXC 1.7.2308
//! accepts (`, ##__VA_ARGS__`, named variable arguments, `__COUNTER__`, `__has_include`).
#![forbid(unsafe_code)]

mod budget;
mod definition;
mod directive;
mod evaluate;
mod expand;
pub mod glsl_text;
mod include;
pub mod lexer;
mod modules;
pub mod operator;
mod predefined;
pub mod problems;
mod trace;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use bumpalo::Bump;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{FileId, Span};

use budget::PreprocessorBudget;
use definition::Macro;
use directive::OpenSource;
use expand::PendingTokens;
use include::{Files, FoundFile};
pub use include::{IncludeSearch, IncludedFile};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::{NoSources, SourceFile, SourceMap, Sources};
use lexer::{Token, TokenKind};
pub use modules::module_files;
use predefined::MacroDialect;
use problems::ProblemList;
pub use trace::Trace;

/// Options for reading declarations, from the command line or from a case.
#[derive(Clone, Debug)]
pub struct DeclareOptions {
    /// Name of the entry point. By default, every function with a stage is one, or else `main`.
    pub entry: Option<String>,
    /// Names and replacements of macros. The name of a function-like macro includes its parameters: `F(x)`.
    pub defines: Vec<(String, String)>,
    /// Folders to search for included files, after the folder of the including file.
    pub include_paths: Vec<String>,
    pub files: Arc<dyn Sources>,
    /// Errors to downgrade to warnings: some compiler accepts them, although no document allows them.
    pub taken: Vec<Code>,
    /// The language, which decides the predefined macros. `None` derives it from the suffix of the file's name.
    pub language: Option<ShaderLanguage>,
    /// Shader profile (`ps_6_0`, `lib_6_3`), for DXC's `__SHADER_TARGET_` macros.
    pub profile: Option<String>,
    /// Whether the compiler writes SPIR-V, so that DXC and Clang define `__spirv__`. `None` if one reading is for several
    /// targets: a text that asks for the macro is warned of.
    pub spirv: Option<bool>,
    /// True if memory that bodies reach without a declared block is a block: buffers of descriptor heaps, typed loads of
    /// buffers of bytes, what Slang's pointers in members point to. Host programs fill it; no probe reads it.
    pub views: bool,
}

impl DeclareOptions {
    pub fn is_slang(&self, file: &str) -> bool {
        is_slang(self.language, file)
    }
}

impl Default for DeclareOptions {
    fn default() -> Self {
        Self {
            entry: None,
            defines: Vec::new(),
            include_paths: Vec::new(),
            files: Arc::new(NoSources),
            taken: Vec::new(),
            language: None,
            profile: None,
            spirv: None,
            views: false,
        }
    }
}

/// Tokens without directives, and the information from the directives.
#[derive(Debug, Default)]
pub struct PreparedTokens<'a> {
    pub tokens: Vec<Token<'a>>,
    /// From each token on, the order of matrices without a modifier; ascending.
    pub orders: Vec<(usize, Option<MatrixOrder>)>,
    /// The first token of each imported module; ascending.
    pub imports: Vec<usize>,
    /// For the source (module 0) and each imported module, the indices of the modules that it imports.
    pub visible: Vec<Vec<usize>>,
    /// The `#version` that makes slangc read Slang with the rules of GLSL.
    pub version: Option<Span>,
}

#[derive(Debug)]
pub struct PreprocessedSource<'a> {
    /// The tokens. `None` if some are missing, to avoid follow-up errors.
    pub prepared: Option<PreparedTokens<'a>>,
    /// The origin of the tokens.
    pub trace: Trace,
    /// Texts to append to the source map, in this order.
    pub added: Vec<SourceFile>,
}

/// Resolves the directives and macros of the text at `span`. `made` holds texts that are not part of any source.
pub fn preprocess<'a>(
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

/// Returns true if a source is Slang and not also HLSL, by the language or else by its file name.
pub fn is_slang(language: Option<ShaderLanguage>, file: &str) -> bool {
    matches!(MacroDialect::of(language, file), MacroDialect::Slang)
}

/// The state between two tokens.
#[derive(Debug)]
struct Preprocessor<'a> {
    options: &'a DeclareOptions,
    dialect: MacroDialect,
    made: &'a Bump,
    files: Files<'a>,
    /// Open files, innermost last.
    open: Vec<OpenSource<'a>>,
    macros: HashMap<&'a str, Rc<Macro<'a>>>,
    /// Replacements being rescanned, innermost last.
    frames: Vec<PendingTokens<'a>>,
    /// Macros whose replacement is being read. They are not expanded inside it.
    replacing: HashSet<&'a str>,
    /// Number of enclosing expansions that have their own tokens and read no file.
    isolated: u32,
    /// True while collecting the arguments of a macro, which end with their file.
    collecting: bool,
    /// True while reading the tokens of an `#if`, where `defined` is an operator.
    in_condition: bool,
    /// The macros without a definition that the condition being read asks for.
    undefined: BTreeSet<&'a str>,
    /// True once a condition has asked for `__spirv__`, which no target decides.
    asks_for_spirv: bool,
    counter: u32,
    /// Texts with the macros from the options and from the compiler.
    defines: Option<FoundFile<'a>>,
    predefined: Option<FoundFile<'a>>,
    budget: PreprocessorBudget,
    prepared: PreparedTokens<'a>,
    trace: Trace,
    problems: ProblemList,
    progress: SourceProgress,
}

/// Tells how much of the source is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SourceProgress {
    /// Everything read so far.
    Complete,
    /// Tokens are missing or may be different.
    Incomplete,
    /// A limit was exceeded, so reading stopped.
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
            undefined: BTreeSet::new(),
            asks_for_spirv: false,
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

    /// Reports a problem that makes the rest of the source unknown.
    fn report_incomplete(&mut self, problem: Diagnostic) {
        // After an exceeded limit everything ends early, which is not a new problem.
        if self.progress == SourceProgress::Stopped {
            return;
        }
        self.progress = self.progress.max(SourceProgress::Incomplete);
        self.report(problem);
    }
}

#[cfg(test)]
mod tests;
