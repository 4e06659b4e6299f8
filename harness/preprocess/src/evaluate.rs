//! Evaluates the expression of an `#if` after macro expansion.
//!
//! Source: ISO C11, 6.10.1 "Conditional inclusion": 64-bit arithmetic; remaining names are 0. As in C++, `true` is 1.

use layoutproof_layout::Span;

use super::budget::DEEPEST;
use crate::lexer::{Token, TokenKind};
use crate::operator::{BinaryOperator, integer};
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

#[derive(Debug)]
struct Evaluation<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    /// Place of the directive, used for errors at the end of the tokens.
    end: Span,
    depth: u32,
}

impl Evaluation<'_, '_> {
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
        while let Some(token) = self.tokens.get(self.at) {
            let found = BinaryOperator::read(token, self.tokens.get(self.at + 1));
            let Some((operator, length)) = found.filter(|found| found.0.precedence() >= least) else { break };
            let place = self.at;
            self.at += length;
            let decided = match operator {
                BinaryOperator::And => left.bits == 0,
                BinaryOperator::Or => left.bits != 0,
                _ => false,
            };
            let right = self.binary(operator.precedence() + 1, live && !decided)?;

            left = match apply(operator, left, right) {
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
                let Some((value, is_unsigned)) = integer(token.text) else {
                    return Err(self.bad(format!("`{}` is not a 64-bit integer", token.text)));
                };
                self.at += 1;
                let unsigned = is_unsigned || i64::try_from(value).is_err();
                Ok(ConditionValue { bits: value.cast_signed(), unsigned })
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

/// Computes an operation. Returns `None` for a division by zero.
fn apply(operator: BinaryOperator, left: ConditionValue, right: ConditionValue) -> Option<ConditionValue> {
    use BinaryOperator as B;
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (wide_a, wide_b) = (a.cast_unsigned(), b.cast_unsigned());
    let less = if unsigned { wide_a < wide_b } else { a < b };
    let shift = u32::try_from(b & 63).unwrap_or(0);
    let bits = match operator {
        B::And => return Some(ConditionValue::of(a != 0 && b != 0)),
        B::Or => return Some(ConditionValue::of(a != 0 || b != 0)),
        B::Equal => return Some(ConditionValue::of(a == b)),
        B::NotEqual => return Some(ConditionValue::of(a != b)),
        B::Less => return Some(ConditionValue::of(less)),
        B::GreaterEqual => return Some(ConditionValue::of(!less)),
        B::Greater => return Some(ConditionValue::of(!less && a != b)),
        B::LessEqual => return Some(ConditionValue::of(less || a == b)),
        // The left side alone decides the type of a shift.
        B::ShiftLeft => return Some(ConditionValue { bits: a.wrapping_shl(shift), ..left }),
        B::ShiftRight if left.unsigned => {
            return Some(ConditionValue { bits: (wide_a >> shift).cast_signed(), ..left });
        }
        B::ShiftRight => return Some(ConditionValue { bits: a >> shift, ..left }),
        B::Add => a.wrapping_add(b),
        B::Subtract => a.wrapping_sub(b),
        B::Multiply => a.wrapping_mul(b),
        B::Divide if unsigned => wide_a.checked_div(wide_b)?.cast_signed(),
        B::Remainder if unsigned => wide_a.checked_rem(wide_b)?.cast_signed(),
        B::Divide => (b != 0).then(|| a.wrapping_div(b))?,
        B::Remainder => (b != 0).then(|| a.wrapping_rem(b))?,
        B::BitAnd => a & b,
        B::BitOr => a | b,
        B::BitXor => a ^ b,
        B::Least => a.min(b),
        B::Greatest => a.max(b),
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
        // DXC 1.7.2308 reads binary literals, too.
        assert_eq!(value("0b101 == 5"), Some(1));
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for refused in ["", "1 +", "1 2", "(1", "1.5", "\"a\"", "1 / 0", "F(1)", "1 ? 2", "99999999999999999999"] {
            assert_eq!(value(refused), None, "{refused}");
        }
    }
}
