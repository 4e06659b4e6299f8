//! Parses tokens into declarations as written ([`super::ast`]), which `elaborate` then resolves.
//!
//! Resumes at `;` and `}`, so that one error does not hide others. Skips everything that cannot
//! change a layout: function bodies (kept as token ranges), interfaces, extensions. Recursion is
//! limited to [`cursor::DEEPEST`], and every loop iteration consumes a token, so the time is linear
//! in the text.

mod annotation;
mod cursor;
mod declarator;
mod expression;
mod generated_names;
mod item;
mod type_expression;

pub(super) use cursor::{BracketedTokens, Parser};
pub(super) use declarator::operator_name;
pub(super) use expression::{ExpressionContext, generic_arguments_end};
