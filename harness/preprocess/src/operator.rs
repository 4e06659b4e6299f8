//! C's binary operators and integer literals, for `#if`, constant expressions and function bodies.

use crate::lexer::{Token, TokenKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    /// `min(a, b)`.
    Least,
    /// `max(a, b)`.
    Greatest,
}

impl BinaryOperator {
    /// Reads the operator that begins with `token`. Also returns its number of tokens: `>>` has two, because it also
    /// closes two lists of generic arguments.
    pub fn read(token: &Token<'_>, next: Option<&Token<'_>>) -> Option<(Self, usize)> {
        let is_shift = |next: &Token<'_>| next.kind == TokenKind::Greater && !next.spaced;
        if token.kind == TokenKind::Greater && next.is_some_and(is_shift) {
            return Some((Self::ShiftRight, 2));
        }
        Some((Self::of_symbol(token.text)?, 1))
    }

    pub fn of_symbol(symbol: &str) -> Option<Self> {
        Some(match symbol {
            "||" => Self::Or,
            "&&" => Self::And,
            "|" => Self::BitOr,
            "^" => Self::BitXor,
            "&" => Self::BitAnd,
            "==" => Self::Equal,
            "!=" => Self::NotEqual,
            "<" => Self::Less,
            ">" => Self::Greater,
            "<=" => Self::LessEqual,
            ">=" => Self::GreaterEqual,
            "<<" => Self::ShiftLeft,
            ">>" => Self::ShiftRight,
            "+" => Self::Add,
            "-" => Self::Subtract,
            "*" => Self::Multiply,
            "/" => Self::Divide,
            "%" => Self::Remainder,
            _ => return None,
        })
    }

    /// Returns the precedence, which is higher for operators that bind closer.
    pub fn precedence(self) -> u8 {
        match self {
            Self::Or => 0,
            Self::And => 1,
            Self::BitOr => 2,
            Self::BitXor => 3,
            Self::BitAnd => 4,
            Self::Equal | Self::NotEqual => 5,
            Self::Less | Self::Greater | Self::LessEqual | Self::GreaterEqual => 6,
            Self::ShiftLeft | Self::ShiftRight => 7,
            Self::Add | Self::Subtract => 8,
            Self::Multiply | Self::Divide | Self::Remainder | Self::Least | Self::Greatest => 9,
        }
    }

    #[must_use]
    pub fn is_condition(self) -> bool {
        let is_comparison = matches!(self.precedence(), 5 | 6);
        matches!(self, Self::Or | Self::And) || is_comparison
    }
}

/// Reads an integer literal: decimal, octal, hexadecimal or binary. Also returns true if its suffix makes it unsigned.
pub fn integer(text: &str) -> Option<(u64, bool)> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let is_unsigned = text[digits.len()..].contains(['u', 'U']);
    let value = match digits.get(..2) {
        Some("0x" | "0X") => u64::from_str_radix(&digits[2..], 16),
        Some("0b" | "0B") => u64::from_str_radix(&digits[2..], 2),
        Some(octal) if octal.starts_with('0') => u64::from_str_radix(digits, 8),
        _ => digits.parse(),
    };
    Some((value.ok()?, is_unsigned))
}
