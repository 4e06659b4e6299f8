//! Declarations of a WGSL module as written. Bodies of functions are ranges of tokens.

use std::ops::Range;

use layoutproof_layout::Span;
use layoutproof_preprocess::operator::BinaryOperator;

/// The declarations and directives of a module, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Syntax<'a> {
    pub declarations: Vec<Declaration<'a>>,
    /// Extensions that `enable` names.
    pub enabled: Vec<&'a str>,
    /// Language features that `requires` names.
    pub required: Vec<&'a str>,
    pub asserts: Vec<Expression<'a>>,
}

#[derive(Debug)]
pub(super) struct Declaration<'a> {
    pub name: &'a str,
    /// The name.
    pub span: Span,
    pub attributes: Vec<AttributeSyntax<'a>>,
    pub kind: DeclarationKind<'a>,
}

#[derive(Debug)]
pub(super) enum DeclarationKind<'a> {
    Alias(Expression<'a>),
    Struct(Vec<MemberSyntax<'a>>),
    Const {
        ty: Option<Expression<'a>>,
        value: Expression<'a>,
    },
    /// Its value is set when a pipeline is made.
    Override,
    Variable {
        /// `uniform` or `storage, read_write`; empty for a texture or sampler.
        space: Vec<&'a str>,
        ty: Option<Expression<'a>>,
        /// From `var` to the type.
        span: Span,
    },
    Function {
        parameters: Vec<MemberSyntax<'a>>,
        result: Option<ResultSyntax<'a>>,
        body: Range<usize>,
    },
}

/// The type that a function returns.
#[derive(Debug)]
pub(super) struct ResultSyntax<'a> {
    pub attributes: Vec<AttributeSyntax<'a>>,
    pub ty: Expression<'a>,
}

/// A member of a struct, or a parameter of a function.
#[derive(Debug)]
pub(super) struct MemberSyntax<'a> {
    pub name: &'a str,
    /// The name and the type.
    pub span: Span,
    pub attributes: Vec<AttributeSyntax<'a>>,
    pub ty: Expression<'a>,
}

#[derive(Debug)]
pub(super) struct AttributeSyntax<'a> {
    pub name: &'a str,
    pub arguments: Vec<Expression<'a>>,
    pub span: Span,
}

impl AttributeSyntax<'_> {
    pub(super) fn find<'s>(all: &'s [Self], name: &str) -> Option<&'s Self> {
        all.iter().find(|attribute| attribute.name == name)
    }
}

/// An expression or a type. Chains of operators and of accesses are lists, so that only brackets
/// nest.
#[derive(Debug)]
pub(super) struct Expression<'a> {
    pub span: Span,
    pub kind: ExpressionKind<'a>,
}

#[derive(Debug)]
pub(super) enum ExpressionKind<'a> {
    /// A literal with its suffix.
    Number(&'a str),
    /// `array<f32, 4>`; without a template list, no arguments.
    Name { name: &'a str, template: Vec<Expression<'a>> },
    /// A call, or a value of a type: `vec2f(1, 2)`.
    Call { callee: Box<Expression<'a>>, arguments: Vec<Expression<'a>> },
    /// `a.b[1]`.
    Access { base: Box<Expression<'a>>, steps: Vec<AccessStep<'a>> },
    /// The operators in the order of the text, as in `-~a`.
    Unary { operators: Vec<char>, operand: Box<Expression<'a>> },
    /// Operands of operators of one precedence, left to right.
    Binary { first: Box<Expression<'a>>, rest: Vec<(BinaryOperator, Expression<'a>)> },
}

#[derive(Debug)]
pub(super) enum AccessStep<'a> {
    Member(&'a str),
    Index(Expression<'a>),
}
