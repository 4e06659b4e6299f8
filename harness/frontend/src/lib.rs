//! Reads HLSL and Slang declarations into a [`crate::module::Module`], for cases and for users' own shader files.
//!
//! `lexer` makes tokens, `preprocess` includes files and replaces macros, and `parser` makes the
//! declarations as written (`ast`). `elaborate` looks up names, evaluates constants, specialises
//! generics and refuses declarations without a layout. `blocks` lists the blocks of bytes. This
//! module does not interpret function bodies, but records the names that they use.
//!
//! It does not compute offsets, sizes and strides (see [`layoutproof_layout`]), registers or bindings.
//!
//! Sources: HLSL as DXC accepts it, and Slang as slangc accepts it (DXC 1.7.2308, Slang 2026.12).
#![forbid(unsafe_code)]

mod ast;
mod attribute_names;
mod blocks;
mod elaborate;
pub mod glsl_text;
mod lexer;
pub mod module;
mod parser;
mod preprocess;
mod problems;

use std::sync::Arc;

use bumpalo::Bump;
use layoutproof_layout::Span;
use parser::{BracketedTokens, Parser};
pub use preprocess::{IncludeSearch, IncludedFile};
use preprocess::{PreprocessedSource, Trace, preprocess};
use problems::ProblemList;

use crate::module::Module;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::{NoSources, SourceFile, SourceMap, Sources};

/// Options for reading declarations, from the command line or from a case.
#[derive(Clone, Debug)]
pub struct DeclareOptions {
    /// Name of the entry point. By default, every function with a stage is one, or else `main`.
    pub entry: Option<String>,
    /// Names and replacements of macros. The name of a function-like macro includes its parameters: `F(x)`.
    pub defines: Vec<(String, String)>,
    /// Folders to search for included files, after the folder of the including file.
    pub include_paths: Vec<String>,
    /// Provides included files.
    pub files: Arc<dyn Sources>,
    /// Errors to downgrade to warnings: some compiler accepts them, although no document allows them.
    pub taken: Vec<Code>,
    /// The language, which decides the predefined macros. `None` derives it from the suffix of the file's name.
    pub language: Option<ShaderLanguage>,
    /// Shader profile (`ps_6_0`, `lib_6_3`), for DXC's `__SHADER_TARGET_` macros.
    pub profile: Option<String>,
}

impl DeclareOptions {
    /// True if a file of this name is Slang.
    pub fn is_slang(&self, file: &str) -> bool {
        preprocess::is_slang(self.language, file)
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
        }
    }
}

/// Reads the module that the text at `span` declares.
///
/// `span` is a whole file, or the part of a file with the declarations. Places in diagnostics are
/// places in the file. Adds included files to `sources`.
///
/// # Errors
/// All problems, including warnings, in the order of the text, if at least one is an error.
pub fn declare(sources: &mut SourceMap, span: Span, options: &DeclareOptions) -> Result<Module, Vec<Diagnostic>> {
    let SourceReading { module, mut problems, trace, added } = read(sources, span, options);
    problems.soften(&options.taken);
    for file in added {
        sources.add(file.name, file.text);
    }
    let has_errors = problems.has_errors();
    let explained = problems.finish().into_iter().map(|problem| trace.explain(problem, sources)).collect();
    match module {
        Some(module) if !has_errors => Ok(Module { warnings: explained, ..module }),
        Some(_) | None => Err(explained),
    }
}

/// Result of reading a source, before its included files are added to the source map.
struct SourceReading {
    /// `None` if tokens are missing.
    module: Option<Module>,
    problems: ProblemList,
    trace: Trace,
    added: Vec<SourceFile>,
}

fn read(sources: &SourceMap, span: Span, options: &DeclareOptions) -> SourceReading {
    let (mut problems, made) = (ProblemList::default(), Bump::new());
    let PreprocessedSource { prepared, trace, added } = preprocess(sources, span, options, &made, &mut problems);
    let Some(prepared) = prepared else { return SourceReading { module: None, problems, trace, added } };

    let end = Span { start: span.end, ..span };
    let is_slang = preprocess::is_slang(options.language, &sources.file(span.file).name);
    let version = prepared.version;
    let source = BracketedTokens::new(prepared, end, is_slang, &mut problems);
    if let Some(version) = source.glsl_version() {
        problems.report(is_glsl(version));
        return SourceReading { module: None, problems, trace, added };
    }
    let mut parser = Parser::new(&source, 0);
    let items = parser.file();
    problems.absorb(parser.problems);

    let mut modules = Vec::new();
    let mut rest = items.as_slice();
    for first in parser.items_before.iter().rev() {
        let (before, module) = rest.split_at((*first).min(rest.len()));
        modules.push(module);
        rest = before;
    }
    modules.push(rest);
    modules.reverse();
    let subject = elaborate::ElaborationInput { entry: options.entry.as_deref(), whole: span, is_slang };
    let mut elaborated = elaborate::elaborate(&source, &modules, subject);
    blocks::derive(&mut elaborated);

    problems.absorb(elaborated.problems);
    // With `#version`, anything not understood is probably GLSL. One problem reports that once.
    if let Some(version) = version.filter(|_| problems.has_errors()) {
        problems = ProblemList::default();
        problems.report(is_glsl(version));
    }
    SourceReading { module: Some(elaborated.module), problems, trace, added }
}

/// Creates the error for a Slang file that is GLSL because of its `#version`.
fn is_glsl(version: Span) -> Diagnostic {
    let message = "`#version` makes this GLSL, and slangc reads only its own dialect of GLSL";
    let problem = Diagnostic::error(Code::Unsupported, version, message);
    problem.with_help("use a suffix of GLSL (.comp, .frag, .glsl ...) to read the file through glslang")
}

#[cfg(test)]
mod tests;
