//! HLSL and Slang declarations: text in, [`crate::module::Module`] out.
//!
//! `lexer` makes tokens, `directives` replaces definitions, `parser` makes the declarations as written (`ast`),
//! `elaborate` follows names, evaluates constants, specialises generics and checks what has no layout, `blocks` says
//! which blocks of bytes there are. Function bodies are not understood; what they mention is kept.
//!
//! Not decided here: offsets, sizes and strides (see [`crate::layout`]), registers and bindings.
//!
//! Sources: the HLSL of DXC and the Slang language, as their compilers take them (DXC 1.7.2308, Slang 2026.12).

mod ast;
mod blocks;
mod directives;
mod elaborate;
mod lexer;
mod parser;
mod problems;

use parser::{Parser, Source};
use problems::Problems;

use crate::diagnostics::Diagnostic;
use crate::module::Module;
use crate::sources::{SourceMap, Span};

/// What the command line or the case says about how declarations are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclareOptions {
    /// The entry point; without it every function with a stage, or else `main`, is one.
    pub entry: Option<String>,
    /// Object-like macros, name and replacement.
    pub defines: Vec<(String, String)>,
}

/// The module that the text at `span` declares.
///
/// `span` is a whole file, or the part of a file that holds declarations; places in diagnostics are places in the file.
///
/// # Errors
/// Every problem, warnings among them, in the order of the text, if one of them is an error.
pub fn declare(sources: &SourceMap, span: Span, options: &DeclareOptions) -> Result<Module, Vec<Diagnostic>> {
    let text = &sources.file(span.file).text;
    let text = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let mut problems = Problems::default();
    let tokens = lexer::lex(text, span.file, span.start, &mut problems);
    let prepared = directives::prepare(tokens, &options.defines, &mut problems);
    let end = Span { start: span.end, ..span };
    let source = Source::new(prepared, end, &mut problems);
    let mut parser = Parser::new(&source, 0);
    let items = parser.file();
    problems.absorb(parser.problems);
    let mut elaborated = elaborate::elaborate(&source, &items, (options.entry.as_deref(), span));
    blocks::derive(&mut elaborated);
    problems.absorb(elaborated.problems);
    if problems.has_errors() {
        return Err(problems.finish());
    }
    Ok(Module { warnings: problems.finish(), ..elaborated.module })
}

#[cfg(test)]
mod tests;
