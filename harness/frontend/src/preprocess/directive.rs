//! Processes directives: conditions, definitions, errors, line numbers.
//!
//! Source: ISO C11, 6.10; `#warning`, `#elifdef` and `#elifndef` as in C23.

use std::rc::Rc;

use layoutproof_layout::Span;

use super::Preprocessor;
use super::condition::{BranchState, Condition};
use super::definition::{Macro, definable_name};
use super::predefined::MacroDialect;
use crate::lexer::{SourcePiece, SourcePieces, Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

impl<'a> Preprocessor<'a> {
    /// Processes a directive.
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
            "error" => self.report_incomplete(Diagnostic::error(Code::Preprocessor, span, said("#error", text))),
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
        self.open.last().is_some_and(super::opened::OpenSource::is_skipping)
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
                self.open_condition(Condition { span, state, has_else: false });
            }
            "elif" | "elifdef" | "elifndef" => {
                let Some(state) = self.next_branch(span, name) else { return true };
                // Conditions after a taken branch are not evaluated.
                let taken = state == BranchState::Waiting && self.asks(&name[2..], span, rest);
                self.set_state(if taken { BranchState::Taken } else { state });
            }
            "else" => {
                let Some(state) = self.next_branch(span, name) else { return true };
                self.set_state(if state == BranchState::Waiting { BranchState::Taken } else { state });
                if let Some(condition) = self.open.last_mut().and_then(|file| file.conditions.last_mut()) {
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

    fn open_condition(&mut self, condition: Condition) {
        if let Some(file) = self.open.last_mut() {
            file.conditions.push(condition);
        }
    }

    fn set_state(&mut self, state: BranchState) {
        if let Some(condition) = self.open.last_mut().and_then(|file| file.conditions.last_mut()) {
            condition.state = state;
        }
    }

    /// Returns the state of the innermost condition after the current branch.
    fn next_branch(&mut self, span: Span, name: &str) -> Option<BranchState> {
        let condition = self.open.last().and_then(|file| file.conditions.last()).copied();
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
            Ok(name) => self.macros.contains_key(name.text) == (question == "ifdef"),
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

    /// Leaves a file at its end.
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
