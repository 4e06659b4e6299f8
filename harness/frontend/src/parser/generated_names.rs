//! Numbers the names that slangc makes up for parameters, structs and enums without one.
//!
//! slangc 2026.14.1 names them `SLANG_anonymous_N`, and its reflection prints these names. It counts through a module
//! in the order of its declarations. Prototypes, methods, interfaces and extensions count; bodies of functions do not,
//! because slangc parses each of them apart.

use std::collections::HashMap;

use layoutproof_layout::Span;
use layoutproof_preprocess::lexer::TokenKind;

use super::cursor::Parser;
use crate::ast::Identifier;

#[derive(Debug, Default)]
pub(crate) struct GeneratedNames {
    /// The number of each name, by the place where the source omits it.
    pub(crate) numbers: HashMap<Span, u32>,
    next: u32,
    /// True after a declaration that was not understood: the later numbers of the module are unknown.
    lost: bool,
}

impl GeneratedNames {
    pub(super) fn begin_module(&mut self) {
        (self.next, self.lost) = (0, false);
    }

    pub(super) fn lose_count(&mut self) {
        self.lost = true;
    }
}

impl<'a> Parser<'_, 'a> {
    /// Returns the empty name of a declaration that slangc names.
    pub(super) fn omitted_name(&mut self) -> Identifier<'a> {
        let name = self.no_name();
        // Names that one use of a macro omits share a place.
        let is_new = !self.names.numbers.contains_key(&name.span);
        if is_new && !self.names.lost {
            self.names.numbers.insert(name.span, self.names.next);
        } else {
            self.names.numbers.remove(&name.span);
        }
        self.names.next += 1;
        name
    }

    /// Counts the names that the declarations of the `{ ... }` here omit, without consuming it.
    pub(super) fn count_omitted_names(&mut self) {
        if !self.is(TokenKind::LeftBrace) {
            return;
        }
        let names = std::mem::take(&mut self.names);
        let mut inside = Parser::new(self.source, self.at);
        (inside.names, inside.depth) = (names, self.depth);
        if inside.block().is_err() || inside.problems.has_errors() {
            inside.names.lose_count();
        }
        self.names = inside.names;
    }
}
