//! Directives, and the open file that they are in: conditions, definitions, errors, line numbers, pragmas.
//!
//! Source: ISO C11, 6.10; `#warning`, `#elifdef` and `#elifndef` as in C23.

use std::collections::BTreeSet;
use std::rc::Rc;

use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{FileId, Span};

use super::Preprocessor;
use super::definition::{Macro, definable_name};
use super::evaluate::value;
use super::predefined::{MacroDialect, SPIRV};
use crate::lexer::{SourcePiece, SourcePieces, Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// An open file: its pieces, its conditions, its line numbers.
#[derive(Debug)]
pub(super) struct OpenSource<'a> {
    pub(super) file: FileId,
    pub(super) pieces: SourcePieces<'a>,
    /// Name with the folder that `#include` searches first.
    pub(super) path: String,
    /// Unclosed conditions.
    pub(super) conditions: Vec<Condition<'a>>,
    lines: LineCounter<'a>,
    /// File name and line number set by `#line`.
    presumed: Option<PresumedLine>,
}

/// File name and line number set by `#line`.
#[derive(Debug)]
struct PresumedLine {
    name: Option<String>,
    /// Difference from the real number.
    shift: i64,
}

impl<'a> OpenSource<'a> {
    /// Opens `text`, which begins at byte `start` of the file.
    pub(super) fn new(text: &'a str, file: FileId, start: u32, path: String) -> Self {
        let lines = LineCounter { text, start, at: 0, line: 1 };
        Self { file, pieces: SourcePieces::new(text, file, start), path, conditions: Vec::new(), lines, presumed: None }
    }

    /// Returns true if a condition excludes the text here.
    pub(super) fn is_skipping(&self) -> bool {
        self.conditions.last().is_some_and(|condition| condition.state != BranchState::Taken)
    }

    /// Returns the line at which `span` starts, adjusted by `#line`; from 1.
    pub(super) fn line(&mut self, span: Span) -> i64 {
        self.lines.line_of(span) + self.presumed.as_ref().map_or(0, |presumed| presumed.shift)
    }

    /// Returns the name, adjusted by `#line`.
    pub(super) fn name(&self) -> &str {
        self.presumed.as_ref().and_then(|presumed| presumed.name.as_deref()).unwrap_or(&self.path)
    }

    /// `#line default`: returns to the real name and numbers.
    pub(super) fn presume_nothing(&mut self) {
        self.presumed = None;
    }

    /// `#line`: gives the line after the one of `span` the number `next`.
    pub(super) fn presume(&mut self, span: Span, next: i64, name: Option<String>) {
        let shift = next - self.lines.line_of(span) - 1;
        let name = name.or_else(|| self.presumed.take().and_then(|presumed| presumed.name));
        self.presumed = Some(PresumedLine { name, shift });
    }
}

/// Counts lines while the text is read, so that a file full of `__LINE__` is scanned once.
#[derive(Debug)]
struct LineCounter<'a> {
    text: &'a str,
    start: u32,
    at: usize,
    line: i64,
}

impl LineCounter<'_> {
    /// Returns the line at which `span` starts, or the last returned line if that is later.
    fn line_of(&mut self, span: Span) -> i64 {
        let to = (span.start.saturating_sub(self.start) as usize).min(self.text.len());
        if to > self.at {
            let newlines = self.text.as_bytes()[self.at..to].split(|byte| *byte == b'\n').count() - 1;
            self.line += i64::try_from(newlines).unwrap_or(i64::MAX);
            self.at = to;
        }
        self.line
    }
}

/// A condition without its `#endif` yet.
#[derive(Clone, Debug)]
pub(super) struct Condition<'a> {
    /// The place of its `#if`.
    pub(super) span: Span,
    pub(super) state: BranchState,
    pub(super) has_else: bool,
    /// The macros without a definition that its last `#if` or `#elif` asks for.
    pub(super) undefined: BTreeSet<&'a str>,
}

/// Tells which branch of a condition is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BranchState {
    /// The current one.
    Taken,
    /// Possibly a later one.
    Waiting,
    /// None of the remaining ones.
    Done,
}

/// Pragmas that only affect the messages of a compiler or of an engine's importer.
const SILENT: [&str; 4] = ["warning", "message", "clang", "dxc"];

impl<'a> Preprocessor<'a> {
    pub(super) fn directive(&mut self, directive: Token<'a>) {
        let trimmed = directive.text.trim_start();
        let length = trimmed.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(trimmed.len());
        let (name, text) = trimmed.split_at(length);
        let rest = Token { text, ..directive };
        let span = first_line(directive);
        if self.conditional(name, rest) || self.is_skipping() {
            return;
        }
        match name {
            "" if is_empty(rest) => {}
            "define" => self.define(span, rest),
            "undef" => self.undef(span, rest),
            "include" => self.include(span, rest),
            "pragma" => self.pragma(span, rest),
            "line" => self.line_directive(span, rest),
            // The version of the language, which changes no layout.
            "lang" | "language" if self.dialect != MacroDialect::Dxc => {}
            // GLSL's, which slangc ignores.
            "extension" if self.dialect == MacroDialect::Slang => {}
            "error" => {
                let problem = Diagnostic::error(Code::Preprocessor, span, said("#error", text));
                let missing = self.missing_macros();
                self.report_incomplete(problem.with_missing_macros(&missing));
            }
            "warning" => self.report(Diagnostic::warning(Code::Preprocessor, span, said("#warning", text))),
            "version" if self.dialect == MacroDialect::Slang => {
                self.prepared.version.get_or_insert(span);
            }
            _ => {
                let message = format!("unknown preprocessor directive `#{name}`");
                self.report_incomplete(Diagnostic::error(Code::Preprocessor, span, message));
            }
        }
    }

    fn is_skipping(&self) -> bool {
        self.open.last().is_some_and(OpenSource::is_skipping)
    }

    /// Processes a directive that matters even in skipped lines. Returns `false` for any other.
    fn conditional(&mut self, name: &str, rest: Token<'a>) -> bool {
        let span = first_line(rest);
        match name {
            "if" | "ifdef" | "ifndef" => {
                let state = if self.is_skipping() {
                    BranchState::Done
                } else if self.asks(name, span, rest) {
                    BranchState::Taken
                } else {
                    BranchState::Waiting
                };
                let undefined = std::mem::take(&mut self.undefined);
                if let Some(file) = self.open.last_mut() {
                    file.conditions.push(Condition { span, state, has_else: false, undefined });
                }
            }
            "elif" | "elifdef" | "elifndef" => {
                let Some(state) = self.next_branch(span, name) else { return true };
                // Conditions after a taken branch are not evaluated.
                let taken = state == BranchState::Waiting && self.asks(&name[2..], span, rest);
                let undefined = std::mem::take(&mut self.undefined);
                if let Some(condition) = self.condition() {
                    condition.state = if taken { BranchState::Taken } else { state };
                    condition.undefined = undefined;
                }
            }
            "else" => {
                let Some(state) = self.next_branch(span, name) else { return true };
                if let Some(condition) = self.condition() {
                    condition.state = if state == BranchState::Waiting { BranchState::Taken } else { state };
                    condition.has_else = true;
                }
            }
            "endif" => {
                if self.open.last_mut().and_then(|file| file.conditions.pop()).is_none() {
                    self.report(Diagnostic::error(Code::Preprocessor, span, "`#endif` without `#if`"));
                }
            }
            _ => return false,
        }
        true
    }

    /// Returns the innermost condition of the file.
    fn condition(&mut self) -> Option<&mut Condition<'a>> {
        self.open.last_mut().and_then(|file| file.conditions.last_mut())
    }

    /// Returns the macros that the innermost condition asks for and that still have no definition: a guard
    /// against a second inclusion asks for nothing. Only the first `#error` of a condition gets them, so that
    /// many of them after a long condition take no longer than the file.
    fn missing_macros(&mut self) -> Vec<&'a str> {
        let condition = self.open.iter_mut().rev().find_map(|file| file.conditions.last_mut());
        let names = condition.map(|condition| std::mem::take(&mut condition.undefined)).unwrap_or_default();
        names.into_iter().filter(|name| !self.macros.contains_key(name)).collect()
    }

    /// Returns the state of the innermost condition after the current branch.
    fn next_branch(&mut self, span: Span, name: &str) -> Option<BranchState> {
        let condition = self.open.last().and_then(|file| file.conditions.last());
        let problem = match condition {
            None => format!("`#{name}` without `#if`"),
            Some(condition) if condition.has_else => format!("`#{name}` after `#else`"),
            Some(Condition { state: BranchState::Waiting, .. }) => return Some(BranchState::Waiting),
            Some(_) => return Some(BranchState::Done),
        };
        self.report_incomplete(Diagnostic::error(Code::Preprocessor, span, problem));
        None
    }

    /// Evaluates `if EXPRESSION`, `ifdef NAME` or `ifndef NAME`.
    fn asks(&mut self, question: &str, span: Span, rest: Token<'a>) -> bool {
        let tokens = self.tokens(rest);
        if question == "if" {
            return self.holds(span, tokens);
        }
        match definable_name(span, &tokens) {
            Ok(name) => self.has_macro(name) == (question == "ifdef"),
            Err(problem) => {
                self.report_incomplete(problem);
                false
            }
        }
    }

    /// Returns the tokens of a directive after its name.
    pub(super) fn tokens(&mut self, rest: Token<'a>) -> Vec<Token<'a>> {
        let mut tokens = Vec::new();
        for piece in SourcePieces::of_directive(rest) {
            match piece {
                SourcePiece::Token(token) | SourcePiece::Directive(token) => tokens.push(token),
                SourcePiece::Problem(problem) => self.report(problem),
            }
        }
        tokens
    }

    fn define(&mut self, span: Span, rest: Token<'a>) {
        let tokens = self.tokens(rest);
        let made = match Macro::read(span, &tokens) {
            Ok(made) => made,
            Err(problem) => return self.report_incomplete(problem),
        };
        // Macros from the command line replace those of the compiler without a warning.
        let predefined = self.predefined.as_ref().map(|found| found.file);
        let users = |old: &&Rc<Macro<'_>>| old.is_written() && predefined != Some(old.span.file);
        if let Some(old) = self.macros.get(made.name).filter(users).filter(|old| !old.says_the_same(&made)) {
            let message = format!("`{}` is redefined with a different meaning", made.name);
            let problem = Diagnostic::warning(Code::Preprocessor, made.span, message);
            self.problems.report(problem.with_label(old.span, "defined before"));
        }
        self.macros.insert(made.name, Rc::new(made));
    }

    fn undef(&mut self, span: Span, rest: Token<'a>) {
        let tokens = self.tokens(rest);
        match definable_name(span, &tokens) {
            Ok(name) => {
                self.macros.remove(name.text);
            }
            Err(problem) => self.report_incomplete(problem),
        }
    }

    /// `#line 12 "a.hlsl"`: sets the values of `__LINE__` and `__FILE__`.
    fn line_directive(&mut self, span: Span, rest: Token<'a>) {
        let tokens = self.tokens(rest);
        let expanded = self.expand_alone(tokens);
        // Slang's `#line default` returns to the lines of the file itself.
        if expanded.first().is_some_and(|word| word.text == "default") {
            if let Some(file) = self.open.last_mut() {
                file.presume_nothing();
            }
            return;
        }
        let number = expanded.first().and_then(|number| number.text.parse::<u32>().ok());
        let name = expanded.get(1).map(|name| (name.kind, name.text));
        let (Some(number), None | Some((TokenKind::Text, _))) = (number, name) else {
            let message = "expected a line number and the name of a file in quotes";
            return self.report(Diagnostic::error(Code::Preprocessor, span, message));
        };
        let name = name.map(|(_, text)| text.trim_matches('"').to_owned());
        if let Some(file) = self.open.last_mut() {
            file.presume(span, i64::from(number), name);
        }
    }

    pub(super) fn pragma(&mut self, span: Span, rest: Token<'a>) {
        let tokens = self.tokens(rest);
        let words: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        match words.as_slice() {
            ["once"] => {
                if let Some(file) = self.open.last() {
                    self.files.set_once(file.file);
                }
            }
            ["pack_matrix", "(", order, ")"] => match pack_order(order) {
                Ok(order) => self.prepared.orders.push((self.prepared.tokens.len(), order)),
                Err(()) => self.report(Diagnostic::error(
                    Code::Preprocessor,
                    span,
                    format!("`{order}` is not a matrix order: use `row_major`, `column_major` or `default`"),
                )),
            },
            ["pack_matrix", ..] => {
                let message = "expected `#pragma pack_matrix(order)`";
                self.report(Diagnostic::error(Code::Preprocessor, span, message));
            }
            [word, ..] if SILENT.contains(word) => {}
            _ => self.report(Diagnostic::warning(Code::Preprocessor, span, "this directive is ignored")),
        }
    }

    /// Evaluates the expression of an `#if`. Reports an invalid one; everything after it is then uncertain.
    pub(super) fn holds(&mut self, directive: Span, tokens: Vec<Token<'a>>) -> bool {
        self.in_condition = true;
        let expanded = self.expand_alone(tokens);
        self.in_condition = false;
        expanded.iter().filter(|token| token.kind == TokenKind::Identifier).for_each(|name| self.warn_of_spirv(*name));
        match value(&expanded, directive) {
            Ok(value) => value != 0,
            Err(problem) => {
                self.report_incomplete(problem);
                false
            }
        }
    }

    /// Evaluates `defined X` or `__has_include("x")`.
    pub(super) fn question(&mut self, token: Token<'a>) -> Option<Token<'a>> {
        let holds = match token.text {
            "defined" => self.is_defined(token),
            "__has_include" => self.has_include(token),
            _ => return None,
        };
        let text = if holds { "1" } else { "0" };
        Some(Token { kind: TokenKind::Integer, text, ..token })
    }

    fn is_defined(&mut self, question: Token<'a>) -> bool {
        let first = self.raw();
        let bracketed = first.is_some_and(|token| token.kind == TokenKind::LeftParenthesis);
        let name = if bracketed { self.raw() } else { first };
        let closed = !bracketed || self.raw().is_some_and(|token| token.kind == TokenKind::RightParenthesis);
        match name {
            Some(name) if name.kind == TokenKind::Identifier && closed => self.has_macro(name),
            Some(_) | None => {
                let message = "`defined` needs the name of a macro";
                self.report_incomplete(Diagnostic::error(Code::Preprocessor, question.span, message));
                false
            }
        }
    }

    fn has_macro(&mut self, name: Token<'a>) -> bool {
        let is_defined = self.macros.contains_key(name.text);
        if !is_defined {
            self.undefined.insert(name.text);
            self.warn_of_spirv(name);
        }
        is_defined
    }

    /// Warns once of a question for `__spirv__` if no target decides it.
    fn warn_of_spirv(&mut self, name: Token<'a>) {
        let is_open = self.dialect == MacroDialect::Dxc && self.options.spirv.is_none();
        if name.text == SPIRV && is_open && !std::mem::replace(&mut self.asks_for_spirv, true) {
            let message = "`__spirv__` is not defined here, as for Direct3D; DXC and Clang define it for SPIR-V";
            let help = "for Vulkan: `--target vulkan`, or `-D __spirv__` for all targets";
            self.report(Diagnostic::warning(Code::UncertainLayout, name.span, message).with_help(help));
        }
    }

    pub(super) fn close_file(&mut self) {
        let Some(file) = self.open.pop() else { return };
        for condition in file.conditions {
            let message = "this condition has no `#endif` in its file";
            self.report_incomplete(Diagnostic::error(Code::Unterminated, condition.span, message));
        }
    }
}

/// Returns the place of a directive without its continuation lines.
fn first_line(directive: Token<'_>) -> Span {
    let length = u32::try_from(directive.text.len()).unwrap_or(u32::MAX);
    let before = directive.span.end.saturating_sub(length).saturating_sub(directive.span.start);
    let line = directive.text.find(['\n', '\r']).unwrap_or(directive.text.len());
    let end = directive.span.start.saturating_add(before).saturating_add(u32::try_from(line).unwrap_or(u32::MAX));
    Span { end, ..directive.span }
}

/// Returns true if only comments are left in a directive.
fn is_empty(rest: Token<'_>) -> bool {
    SourcePieces::of_directive(rest).next().is_none()
}

/// Formats `#error: its text`.
fn said(directive: &str, text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { directive.to_owned() } else { format!("{directive}: {text}") }
}

fn pack_order(word: &str) -> Result<Option<MatrixOrder>, ()> {
    match word {
        "default" => Ok(None),
        _ => MatrixOrder::of_modifier(word).map(Some).ok_or(()),
    }
}
