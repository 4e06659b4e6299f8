//! Reads HLSL and Slang declarations into a [`crate::module::Module`], for cases and for users' own shader files.
//!
//! [`layoutproof_preprocess`] makes tokens, includes files and replaces macros. `parser` makes the
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
pub mod module;
mod parser;

use bumpalo::Bump;
use layoutproof_layout::Span;
use layoutproof_preprocess::problems::ProblemList;
pub use layoutproof_preprocess::{DeclareOptions, IncludeSearch, IncludedFile, glsl_text, module_files};
use layoutproof_preprocess::{PreprocessedSource, Trace, is_slang, preprocess};
use parser::{BracketedTokens, Parser};

use crate::module::Module;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::{SourceFile, SourceMap};

/// Reads the module that the text at `span` declares.
///
/// `span` is a whole file, or the part of a file with the declarations. Places in diagnostics are
/// places in the file. Adds included files to `sources`.
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
    let is_slang = is_slang(options.language, &sources.file(span.file).name);
    let version = prepared.version;
    let source = BracketedTokens::new(prepared, end, is_slang, &mut problems);
    if let Some(version) = source.glsl_version() {
        problems.report(is_glsl(version));
        return SourceReading { module: None, problems, trace, added };
    }
    let mut parser = Parser::new(&source, 0);
    let items = parser.file();
    problems.absorb(parser.problems);
    let generated_names = parser.names.numbers;

    let mut modules = Vec::new();
    let mut rest = items.as_slice();
    for first in parser.items_before.iter().rev() {
        let (before, module) = rest.split_at((*first).min(rest.len()));
        modules.push(module);
        rest = before;
    }
    modules.push(rest);
    modules.reverse();
    let (entry, views) = (options.entry.as_deref(), options.views);
    let subject = elaborate::ElaborationInput { entry, whole: span, is_slang, views };
    let mut elaborated = elaborate::elaborate(&source, &modules, subject);
    elaborated.module.generated_names = generated_names;
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
