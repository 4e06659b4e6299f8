//! Evaluates the expression of an `#if` after macro expansion.
//!
//! Source: ISO C11, 6.10.1 "Conditional inclusion": 64-bit arithmetic; remaining names are 0. As in C++, `true` is 1.

use layoutproof_layout::Span;

use super::budget::DEEPEST;
use crate::lexer::{Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Evaluates `tokens`, which end at `end`.
pub(super) fn value(tokens: &[Token<'_>], end: Span) -> Result<i64, Diagnostic> {
    Evaluation { tokens, at: 0, end, depth: 0 }.whole().map(|value| value.bits)
}

/// A 64-bit value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ConditionValue {
    bits: i64,
    unsigned: bool,
}

impl ConditionValue {
    fn of(condition: bool) -> Self {
        Self { bits: i64::from(condition), unsigned: false }
    }
}

type ConditionResult = Result<ConditionValue, Diagnostic>;

#[derive(Clone, Copy, Debug)]
struct ConditionOperator<'a> {
    symbol: &'a str,
    precedence: u8,
    /// Number of tokens; `>>` has two.
    tokens: usize,
}

/// Evaluates the tokens of an expression.
#[derive(Debug)]
struct Evaluation<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    /// Place of the directive, used for errors at the end of the tokens.
    end: Span,
    depth: u32,
}

impl<'a> Evaluation<'_, 'a> {
    fn whole(&mut self) -> ConditionResult {
        let value = self.conditional(true)?;
        match self.tokens.get(self.at) {
            None => Ok(value),
            Some(token) if token.kind == TokenKind::LeftParenthesis && self.at > 0 => {
                let name = self.tokens[self.at - 1].text;
                Err(self.bad(format!("`{name}` is not a function-like macro here")))
            }
            Some(token) => Err(self.bad(format!("expected an operator, found `{}`", token.text))),
        }
    }

    fn bad(&self, message: String) -> Diagnostic {
        let span = self.tokens.get(self.at).map_or(self.end, |token| token.span);
        Diagnostic::error(Code::Preprocessor, span, message)
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|token| token.kind == kind);
        self.at += usize::from(found);
        found
    }

    /// `live` is true if the value matters. In an operand that does not matter, a division by zero is not a problem.
    fn conditional(&mut self, live: bool) -> ConditionResult {
        if self.depth >= DEEPEST {
            return Err(self.bad(format!("an expression nests more than {DEEPEST} levels deep")));
        }
        self.depth += 1;
        let condition = self.binary(0, live)?;
        let value = if self.eat(TokenKind::Question) {
            let holds = condition.bits != 0;
            let first = self.conditional(live && holds)?;
            if !self.eat(TokenKind::Colon) {
                return Err(self.bad("expected `:`".to_owned()));
            }
            let second = self.conditional(live && !holds)?;
            let chosen = if holds { first } else { second };
            ConditionValue { unsigned: first.unsigned || second.unsigned, ..chosen }
        } else {
            condition
        };

        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, least: u8, live: bool) -> ConditionResult {
        let mut left = self.unary(live)?;
        while let Some(operator) = self.operator().filter(|operator| operator.precedence >= least) {
            let place = self.at;
            self.at += operator.tokens;
            let decided = match operator.symbol {
                "&&" => left.bits == 0,
                "||" => left.bits != 0,
                _ => false,
            };
            let right = self.binary(operator.precedence + 1, live && !decided)?;

            left = match apply(operator.symbol, left, right) {
                Some(value) => value,
                None if !live => ConditionValue::of(false),
                None => {
                    self.at = place;
                    return Err(self.bad("division by zero".to_owned()));
                }
            };
        }

        Ok(left)
    }

    /// Reads the operator here.
    fn operator(&self) -> Option<ConditionOperator<'a>> {
        let token = self.tokens.get(self.at)?;
        let shifts = |next: &Token<'_>| next.kind == TokenKind::Greater && !next.spaced;
        let precedence = match token.kind {
            TokenKind::Or => 0,
            TokenKind::And => 1,
            TokenKind::Bar => 2,
            TokenKind::Caret => 3,
            TokenKind::Ampersand => 4,
            TokenKind::Equal | TokenKind::NotEqual => 5,
            TokenKind::Greater if self.tokens.get(self.at + 1).is_some_and(shifts) => {
                return Some(ConditionOperator { symbol: ">>", precedence: 7, tokens: 2 });
            }
            TokenKind::Less | TokenKind::Greater | TokenKind::LessEqual | TokenKind::GreaterEqual => 6,
            TokenKind::ShiftLeft => 7,
            TokenKind::Plus | TokenKind::Minus => 8,
            TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 9,
            _ => return None,
        };

        Some(ConditionOperator { symbol: token.text, precedence, tokens: 1 })
    }

    fn unary(&mut self, live: bool) -> ConditionResult {
        let start = self.at;
        let is_prefix = |kind| matches!(kind, TokenKind::Plus | TokenKind::Minus | TokenKind::Bang | TokenKind::Tilde);
        while self.tokens.get(self.at).is_some_and(|token| is_prefix(token.kind)) {
            self.at += 1;
        }
        let prefixes = &self.tokens[start..self.at];

        let operand = self.primary(live)?;
        Ok(prefixes.iter().rev().fold(operand, |value, prefix| match prefix.kind {
            TokenKind::Minus => ConditionValue { bits: value.bits.wrapping_neg(), ..value },
            TokenKind::Tilde => ConditionValue { bits: !value.bits, ..value },
            TokenKind::Bang => ConditionValue::of(value.bits == 0),
            _ => value,
        }))
    }

    fn primary(&mut self, live: bool) -> ConditionResult {
        let Some(token) = self.tokens.get(self.at) else {
            return Err(self.bad("expected an expression".to_owned()));
        };
        match token.kind {
            TokenKind::Integer => {
                let value =
                    integer(token.text).ok_or_else(|| self.bad(format!("`{}` is not a 64-bit integer", token.text)));
                self.at += 1;
                value
            }
            TokenKind::Identifier | TokenKind::Kept => {
                self.at += 1;
                Ok(ConditionValue::of(token.text == "true"))
            }
            TokenKind::LeftParenthesis => {
                self.at += 1;
                let value = self.conditional(live)?;
                if self.eat(TokenKind::RightParenthesis) { Ok(value) } else { Err(self.bad("expected `)`".to_owned())) }
            }
            _ => Err(self.bad(format!("`{}` is not an integer", token.text))),
        }
    }
}

/// Parses a C literal: decimal, octal or hexadecimal.
fn integer(text: &str) -> Option<ConditionValue> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16),
        None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8),
        None => digits.parse(),
    };
    let value = value.ok()?;
    let unsigned = text[digits.len()..].contains(['u', 'U']) || i64::try_from(value).is_err();
    Some(ConditionValue { bits: value.cast_signed(), unsigned })
}

/// Computes an operation. Returns `None` for a division by zero.
fn apply(operator: &str, left: ConditionValue, right: ConditionValue) -> Option<ConditionValue> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (wide_a, wide_b) = (a.cast_unsigned(), b.cast_unsigned());
    let less = if unsigned { wide_a < wide_b } else { a < b };
    let shift = |bits: i64| u32::try_from(bits & 63).unwrap_or(0);
    let bits = match operator {
        "&&" => return Some(ConditionValue::of(a != 0 && b != 0)),
        "||" => return Some(ConditionValue::of(a != 0 || b != 0)),
        "==" => return Some(ConditionValue::of(a == b)),
        "!=" => return Some(ConditionValue::of(a != b)),
        "<" => return Some(ConditionValue::of(less)),
        ">=" => return Some(ConditionValue::of(!less)),
        ">" => return Some(ConditionValue::of(!less && a != b)),
        "<=" => return Some(ConditionValue::of(less || a == b)),
        "<<" => return Some(ConditionValue { bits: a.wrapping_shl(shift(b)), ..left }),
        ">>" if left.unsigned => return Some(ConditionValue { bits: (wide_a >> shift(b)).cast_signed(), ..left }),
        ">>" => return Some(ConditionValue { bits: a >> shift(b), ..left }),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" if unsigned => wide_a.checked_div(wide_b)?.cast_signed(),
        "%" if unsigned => wide_a.checked_rem(wide_b)?.cast_signed(),
        "/" => (b != 0).then(|| a.wrapping_div(b))?,
        "%" => (b != 0).then(|| a.wrapping_rem(b))?,
        "&" => a & b,
        "|" => a | b,
        _ => a ^ b,
    };

    Some(ConditionValue { bits, unsigned })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::{SourcePiece, SourcePieces};
    use layoutproof_layout::FileId;

    fn value(source: &str) -> Option<i64> {
        let token = |piece| match piece {
            SourcePiece::Token(token) => token,
            SourcePiece::Directive(_) | SourcePiece::Problem(_) => panic!("{source}"),
        };
        let tokens: Vec<_> = SourcePieces::new(source, FileId(0), 0).map(token).collect();
        super::value(&tokens, Span::default()).ok()
    }

    /// Values as `gcc -E` 12.2 decides these comparisons.
    #[test]
    fn expressions_are_those_of_c() {
        assert_eq!(value("1 + 2 * 3 - 4 / 2 % 3"), Some(5));
        assert_eq!(value("(1 << 4 | 3) >> 1 == 9 && !(2 > 3)"), Some(1));
        assert_eq!(value("-1 > 0u"), Some(1));
        assert_eq!(value("-1 > 0"), Some(0));
        assert_eq!(value("0x10 + 010 + ~0"), Some(23));
        assert_eq!(value("1 ? 2 : 1 / 0"), Some(2));
        assert_eq!(value("0 && 1 / 0 || 1 || 1 % 0"), Some(1));
        assert_eq!(value("- - 3 - -2"), Some(5));
        assert_eq!(value("0 ? 1 : 0 ? 2 : 3"), Some(3));
        assert_eq!(value("UNKNOWN == 0 && true"), Some(1));
        assert_eq!(value("8 >> 1 > 3"), Some(1));
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for refused in ["", "1 +", "1 2", "(1", "1.5", "\"a\"", "1 / 0", "F(1)", "1 ? 2", "99999999999999999999"] {
            assert_eq!(value(refused), None, "{refused}");
        }
    }
}
