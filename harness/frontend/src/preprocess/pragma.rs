//! `#pragma`: handles the matrix order and `once`, and skips all others.

use layoutproof_layout::Span;
use layoutproof_layout::shape::MatrixOrder;

use super::Preprocessor;
use crate::lexer::Token;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Pragmas that only affect the messages of a compiler or of an engine's importer.
const SILENT: [&str; 4] = ["warning", "message", "clang", "dxc"];

impl<'a> Preprocessor<'a> {
    /// Processes a pragma.
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
}

fn pack_order(word: &str) -> Result<Option<MatrixOrder>, ()> {
    match word {
        "default" => Ok(None),
        _ => MatrixOrder::of_modifier(word).map(Some).ok_or(()),
    }
}
