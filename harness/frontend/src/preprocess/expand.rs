//! Expands macros: replaces each name until no macro is left, except inside its own replacement.
//!
//! Source: ISO C11, 6.10.3.4 "Rescanning and further replacement".

use std::rc::Rc;

use super::arguments::MacroArguments;
use super::budget::DEEPEST;
use super::definition::{Macro, Replacement};
use super::{Preprocessor, SourceProgress};
use crate::lexer::{SourcePiece, Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Tokens to read before anything else.
#[derive(Debug)]
pub(super) struct PendingTokens<'a> {
    tokens: std::vec::IntoIter<Token<'a>>,
    /// The macro whose replacement they are.
    of: Option<&'a str>,
}

/// Result of trying to expand a name.
enum NameExpansion<'a> {
    /// The name stays.
    Kept(Token<'a>),
    /// Its replacement is read next.
    Replaced,
}

impl<'a> Preprocessor<'a> {
    /// Returns the next token after macro expansion.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let token = self.raw()?;
            if token.kind != TokenKind::Identifier {
                return Some(token);
            }
            if self.in_condition {
                if let Some(answer) = self.question(token) {
                    return Some(answer);
                }
            }

            match self.name(token) {
                Ok(NameExpansion::Kept(token)) => return Some(token),
                Ok(NameExpansion::Replaced) => {}
                Err(problem) => {
                    self.report_incomplete(problem);
                    return Some(token);
                }
            }
        }
    }

    /// Returns the next token as written.
    pub(super) fn raw(&mut self) -> Option<Token<'a>> {
        if self.progress == SourceProgress::Stopped {
            return None;
        }
        while let Some(frame) = self.frames.last_mut() {
            if let Some(token) = frame.tokens.next() {
                return Some(token);
            }
            if let Some(name) = self.frames.pop().and_then(|frame| frame.of) {
                self.replacing.remove(name);
            }
        }
        if self.isolated > 0 { None } else { self.file_token() }
    }

    /// Puts a token back.
    pub(super) fn unread(&mut self, token: Token<'a>) {
        self.frames.push(PendingTokens { tokens: vec![token].into_iter(), of: None });
    }

    /// Expands the macros in `tokens`, as if nothing followed.
    pub(super) fn expand_alone(&mut self, tokens: Vec<Token<'a>>) -> Vec<Token<'a>> {
        if self.isolated >= DEEPEST {
            if let Some(first) = tokens.first() {
                self.give_up(first.span, format!("macros nest more than {DEEPEST} levels deep"));
            }
            return Vec::new();
        }
        let outer = std::mem::replace(&mut self.frames, vec![PendingTokens { tokens: tokens.into_iter(), of: None }]);
        self.isolated += 1;
        let expanded = std::iter::from_fn(|| self.next()).collect();
        self.isolated -= 1;
        self.frames = outer;
        expanded
    }

    /// Returns the next token of the open files, after processing the directives before it.
    fn file_token(&mut self) -> Option<Token<'a>> {
        while let Some(file) = self.open.last_mut() {
            let skipping = file.is_skipping();
            match file.pieces.next() {
                None if self.collecting => return None,
                None => self.close_file(),
                Some(SourcePiece::Directive(directive)) => self.directive(directive),
                // Skipped text may contain anything, not only valid tokens.
                Some(SourcePiece::Token(_) | SourcePiece::Problem(_)) if skipping => {}
                Some(SourcePiece::Token(token)) => return Some(token),
                Some(SourcePiece::Problem(problem)) => self.report(problem),
            }
            if self.progress == SourceProgress::Stopped {
                return None;
            }
        }

        None
    }

    fn name(&mut self, token: Token<'a>) -> Result<NameExpansion<'a>, Diagnostic> {
        let Some(definition) = self.macros.get(token.text).map(Rc::clone) else {
            return Ok(NameExpansion::Kept(token));
        };
        if self.replacing.contains(token.text) {
            return Ok(NameExpansion::Kept(Token { kind: TokenKind::Kept, ..token }));
        }
        let tokens = match &definition.replacement {
            Replacement::Parts(parts) => {
                let arguments = match definition.parameters {
                    Some(_) => match self.arguments(token, &definition)? {
                        Some(arguments) => arguments,
                        None => return Ok(NameExpansion::Kept(token)),
                    },
                    None => MacroArguments::default(),
                };
                self.spend_tokens(1, token.span);
                self.trace.used(token.span, definition.span);
                self.substitute(token, &definition, parts, arguments).unwrap_or_default()
            }
            Replacement::Line | Replacement::File | Replacement::Counter | Replacement::Unknown => {
                vec![self.built_in(token, &definition)?]
            }
        };

        self.replacing.insert(definition.name);
        self.frames.push(PendingTokens { tokens: tokens.into_iter(), of: Some(definition.name) });
        Ok(NameExpansion::Replaced)
    }

    fn built_in(&mut self, token: Token<'a>, definition: &Macro<'a>) -> Result<Token<'a>, Diagnostic> {
        let (kind, text) = match definition.replacement {
            Replacement::Line => {
                let line = self.open.last_mut().map_or(0, |file| file.line(token.span));
                (TokenKind::Integer, line.to_string())
            }
            Replacement::File => {
                let name = self.open.last().map_or("", |file| file.name());
                (TokenKind::Text, format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
            }
            Replacement::Counter => {
                self.counter += 1;
                (TokenKind::Integer, (self.counter - 1).to_string())
            }
            Replacement::Unknown | Replacement::Parts(_) => {
                let message = format!("`{}` depends on how the file is compiled", token.text);
                let help = format!("set the shader profile, or define the macro: -D {}=...", token.text);
                return Err(Diagnostic::error(Code::Preprocessor, token.span, message).with_help(help));
            }
        };

        if self.spend_tokens(1, token.span).and_then(|()| self.spend_bytes(text.len(), token.span)).is_none() {
            return Ok(token);
        }
        Ok(Token { kind, text: self.made.alloc_str(&text), ..token })
    }
}
