//! Parses tokens into declarations as written ([`super::ast`]), which `elaborate` then resolves.
//!
//! Recovers at `;` and `}` so that one mistake hides no other. Skips what cannot change a layout: function bodies (kept
//! as token ranges), interfaces, extensions. Nothing recurses deeper than [`cursor::DEEPEST`], and every loop consumes
//! a token per round, so that time is linear in the text.

mod aggregate;
mod annotation;
mod cursor;
mod declarator;
mod expression;
mod function;
mod item;
mod type_expression;

pub(super) use cursor::{BracketedTokens, Parser};
pub(super) use declarator::operator_name;
pub(super) use expression::{ExpressionContext, generic_arguments_end};
