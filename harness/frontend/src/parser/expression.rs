//! Parses constant expressions with C's operators and precedences into postfix order.
//!
//! Anything that is not an integer constant (floats, calls, members of values) becomes
//! [`Operation::Opaque`]. It is an error only where a constant is required.

use layoutproof_layout::Span;

use super::cursor::{BracketedTokens, ParseResult, Parser};
use crate::ast::{BinaryOperator, Expression, Identifier, NamePath, Operation, PathPart, UnaryOperator};
use layoutproof_preprocess::lexer::{Token, TokenKind};
use layoutproof_preprocess::operator;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Maximum length of generic arguments inside an expression (tokens), which keeps parsing linear.
const GENERIC_ARGUMENT_TOKENS: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionContext {
    /// `>` compares.
    Free,
    /// Between `<` and `>`: `>` ends the expression.
    Angles,
}

type Operations<'a> = Vec<(Operation<'a>, Span)>;

type Prefixed<'a> = (Operation<'a>, Span);

impl<'a> Parser<'_, 'a> {
    /// Parses an expression without a top-level comma.
    pub(crate) fn expression(&mut self, place: ExpressionContext) -> ParseResult<Expression<'a>> {
        let start = self.span();
        let mut operations = Vec::new();
        self.conditional(place, &mut operations)?;
        Ok(Expression { operations, span: self.span_from(start) })
    }

    fn conditional(&mut self, place: ExpressionContext, out: &mut Operations<'a>) -> ParseResult<()> {
        self.binary(place, 0, out)?;
        if !self.is(TokenKind::Question) {
            return Ok(());
        }
        let question = self.bump().span;
        self.deeper(|parser| {
            parser.conditional(ExpressionContext::Free, out)?;
            parser.expect(TokenKind::Colon, "`:`")?;
            parser.conditional(place, out)
        })?;
        out.push((Operation::Select, question));
        Ok(())
    }

    fn binary(&mut self, place: ExpressionContext, least: u8, out: &mut Operations<'a>) -> ParseResult<()> {
        self.unary(out)?;
        while let Some((operator, tokens)) = self.binary_operator(place) {
            if operator.precedence() < least {
                break;
            }
            let span = self.span();
            self.at += tokens;
            self.binary(place, operator.precedence() + 1, out)?;
            out.push((Operation::Binary(operator), span));
        }
        Ok(())
    }

    /// Reads the binary operator here. Also returns its number of tokens.
    fn binary_operator(&self, place: ExpressionContext) -> Option<(BinaryOperator, usize)> {
        let token = self.token();
        let closes = token.kind == TokenKind::Greater && place == ExpressionContext::Angles;
        BinaryOperator::read(&token, Some(&self.peek(1))).filter(|_| !closes)
    }

    /// Keeps prefix operators in a list instead of on the stack, because a file may contain any number of them.
    fn unary(&mut self, out: &mut Operations<'a>) -> ParseResult<()> {
        let mut waiting: Vec<Prefixed<'a>> = Vec::new();
        while let Some(prefixed) = self.prefix_operator() {
            waiting.push(prefixed);
        }
        self.primary(out)?;
        out.extend(waiting.into_iter().rev());
        Ok(())
    }

    fn prefix_operator(&mut self) -> Option<Prefixed<'a>> {
        let span = self.span();
        let operator = match self.token().kind {
            TokenKind::Plus => UnaryOperator::Plus,
            TokenKind::Minus => UnaryOperator::Minus,
            TokenKind::Tilde => UnaryOperator::Complement,
            TokenKind::Bang => UnaryOperator::Not,
            TokenKind::LeftParenthesis => return self.cast(),
            _ => return None,
        };
        self.bump();
        Some((Operation::Unary(operator), span))
    }

    /// `(int)`, if an operand follows.
    fn cast(&mut self) -> Option<Prefixed<'a>> {
        let name = self.peek(1);
        let is_cast = name.kind == TokenKind::Identifier
            && self.peek(2).kind == TokenKind::RightParenthesis
            && matches!(self.peek(3).kind, TokenKind::Identifier | TokenKind::Integer | TokenKind::LeftParenthesis);
        is_cast.then(|| {
            self.at += 3;
            (Operation::Cast(single(name)), name.span)
        })
    }

    fn primary(&mut self, out: &mut Operations<'a>) -> ParseResult<()> {
        let token = self.token();
        match token.kind {
            TokenKind::Integer => {
                self.bump();
                out.push((integer(token)?, token.span));
                Ok(())
            }
            TokenKind::Float | TokenKind::Text => {
                self.bump();
                out.push((Operation::Opaque, token.span));
                Ok(())
            }
            TokenKind::LeftParenthesis => {
                self.bump();
                self.deeper(|parser| parser.conditional(ExpressionContext::Free, out))?;
                self.expect(TokenKind::RightParenthesis, "`)`")?;
                self.postfix(out);
                Ok(())
            }
            TokenKind::Identifier | TokenKind::ColonColon => self.name_or_call(out),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn name_or_call(&mut self, out: &mut Operations<'a>) -> ParseResult<()> {
        let token = self.token();
        if let Some(value) = boolean(token.text) {
            self.bump();
            out.push((Operation::Boolean(value), token.span));
            return Ok(());
        }
        if token.text == "sizeof" {
            self.bump();
            let is_name =
                self.peek(1).kind == TokenKind::Identifier && self.peek(2).kind == TokenKind::RightParenthesis;
            let operand = is_name.then(|| self.peek(1)).map(|name| Identifier { text: name.text, span: name.span });
            if self.is(TokenKind::LeftParenthesis) {
                self.skip_brackets();
            } else {
                self.value_path()?;
            }
            out.push((Operation::SizeOf(operand), token.span));
            return Ok(());
        }

        let path = self.value_path()?;
        let span = path.span;
        if let (Some(operator), TokenKind::LeftParenthesis) = (choice(token.text), self.token().kind) {
            if self.choose(operator, span, out) {
                return Ok(());
            }
        }
        if self.is(TokenKind::LeftParenthesis) && path.parts.len() == 1 {
            self.conversion(path, out);
            return Ok(());
        }
        out.push((Operation::Name(path), span));
        self.postfix(out);
        Ok(())
    }

    /// `min(a, b)` and `max(a, b)`. Consumes nothing and returns `false` for any other arguments.
    fn choose(&mut self, operator: BinaryOperator, span: Span, out: &mut Operations<'a>) -> bool {
        let (start, operations) = (self.at, out.len());
        self.bump();
        let both = self.deeper(|parser| {
            parser.conditional(ExpressionContext::Free, out)?;
            parser.expect(TokenKind::Comma, "`,`")?;
            parser.conditional(ExpressionContext::Free, out)?;
            parser.expect(TokenKind::RightParenthesis, "`)`")
        });

        if both.is_err() {
            self.at = start;
            out.truncate(operations);
            return false;
        }
        out.push((Operation::Binary(operator), span));
        self.postfix(out);
        true
    }

    /// `int(x)` converts. Any other call is opaque, and so is a list of several arguments.
    fn conversion(&mut self, path: NamePath<'a>, out: &mut Operations<'a>) {
        let (start, operations, span) = (self.at, out.len(), path.span);
        self.bump();
        let one = self.deeper(|parser| parser.conditional(ExpressionContext::Free, out));
        if one.is_ok() && self.eat(TokenKind::RightParenthesis) {
            out.push((Operation::Cast(path), span));
        } else {
            self.at = start;
            self.skip_brackets();
            out.truncate(operations);
            out.push((Operation::Opaque, span));
        }
        self.postfix(out);
    }

    /// Members, indices and calls after a value, which never give an integer constant.
    fn postfix(&mut self, out: &mut Operations<'a>) {
        let start = self.at;
        loop {
            match self.token().kind {
                TokenKind::LeftBracket | TokenKind::LeftParenthesis => {
                    self.skip_brackets();
                }
                TokenKind::Dot | TokenKind::Arrow => {
                    self.bump();
                    self.eat(TokenKind::Identifier);
                }
                _ => break,
            }
        }

        if self.at > start {
            out.push((Operation::Unary(UnaryOperator::Part), self.source.token(start).span));
        }
    }

    /// `N`, `E::A`, `E.A`, `Pair<int, 3>::N`.
    fn value_path(&mut self) -> ParseResult<NamePath<'a>> {
        let start = self.span();
        let is_rooted = self.eat(TokenKind::ColonColon);
        let mut parts = Vec::new();
        loop {
            let name = self.name("a name")?;
            // `A < B` compares. It is a name with arguments only if `::` follows the `>`.
            let qualifies = |end| self.source.token(end).kind == TokenKind::ColonColon;
            let is_qualifier = arguments_end(self.source, self.at, is_operator).is_some_and(qualifies);
            let arguments = if is_qualifier { Some(self.deeper(Self::generic_arguments)?) } else { None };
            parts.push(PathPart { name, arguments });

            if !matches!(self.token().kind, TokenKind::ColonColon | TokenKind::Dot)
                || self.peek(1).kind != TokenKind::Identifier
            {
                return Ok(NamePath { is_rooted, parts, span: self.span_from(start) });
            }
            self.bump();
        }
    }
}

fn single(token: Token<'_>) -> NamePath<'_> {
    let name = Identifier { text: token.text, span: token.span };
    NamePath { is_rooted: false, parts: vec![PathPart { name, arguments: None }], span: token.span }
}

/// Returns the operator for the built-in function `word`.
fn choice(word: &str) -> Option<BinaryOperator> {
    match word {
        "min" => Some(BinaryOperator::Least),
        "max" => Some(BinaryOperator::Greatest),
        _ => None,
    }
}

fn boolean(word: &str) -> Option<bool> {
    match word {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn integer(token: Token<'_>) -> ParseResult<Operation<'_>> {
    let bad = || Diagnostic::error(Code::BadConstant, token.span, format!("`{}` is not a 64-bit integer", token.text));
    let (value, unsigned) = operator::integer(token.text).ok_or_else(bad)?;
    Ok(Operation::Integer { value, unsigned })
}

/// Returns the index after the `>` that closes the generic arguments at `at`, if they are arguments and short enough.
pub(crate) fn generic_arguments_end(source: &BracketedTokens<'_>, at: usize) -> Option<usize> {
    arguments_end(source, at, |_| false)
}

/// Operators in an argument that is a value: `Sum<N - 1>::value`.
fn is_operator(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Plus | TokenKind::Minus | TokenKind::Slash | TokenKind::Percent)
}

/// Same as [`generic_arguments_end`], but the arguments may also contain tokens that satisfy `allowed`.
fn arguments_end(source: &BracketedTokens<'_>, at: usize, allowed: impl Fn(TokenKind) -> bool) -> Option<usize> {
    if source.token(at).kind != TokenKind::Less {
        return None;
    }
    let mut depth = 0_usize;
    for index in at..at + GENERIC_ARGUMENT_TOKENS {
        match source.token(index).kind {
            TokenKind::Less => depth += 1,
            TokenKind::Greater if depth == 1 => return Some(index + 1),
            TokenKind::Greater => depth -= 1,
            TokenKind::Identifier
            | TokenKind::Integer
            | TokenKind::Comma
            | TokenKind::ColonColon
            | TokenKind::Star
            | TokenKind::LeftBracket
            | TokenKind::RightBracket => {}
            kind if allowed(kind) => {}
            _ => return None,
        }
    }

    None
}
