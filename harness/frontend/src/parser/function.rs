//! Parses functions and methods. Parameters matter for entry points; bodies are kept as token ranges.

use std::ops::Range;

use super::cursor::{ParseResult, Parser};
use crate::ast::{
    Declarator, FunctionDeclaration, FunctionParameter, Identifier, PlacementSyntax, Prefix, TypeExpression,
};
use layoutproof_preprocess::lexer::TokenKind;

impl<'a> Parser<'_, 'a> {
    /// Parses the rest of a function, starting at its generic parameters or its `(`.
    pub(super) fn function(
        &mut self,
        mut prefix: Prefix<'a>,
        name: Identifier<'a>,
        result: Option<TypeExpression<'a>>,
    ) -> ParseResult<FunctionDeclaration<'a>> {
        if self.is(TokenKind::Less) && prefix.generics.is_some() {
            // `template<> float f<int>(int x)`: the arguments of a specialisation.
            self.generic_arguments()?;
        } else if self.is(TokenKind::Less) {
            prefix.generics = Some(self.generic_parameters()?);
        }

        let parameters = self.function_parameters(Self::parameter)?;
        let result_semantic = self.placement()?.semantic;
        self.skip_annotation();
        let body = self.function_body()?;
        let outer = Vec::new();
        Ok(FunctionDeclaration { prefix, name, outer, result, result_semantic, parameters, body })
    }

    /// Parses the body. First skips `const`, `where ...`, `-> T` or `throws E`, which have no effect on layouts.
    fn function_body(&mut self) -> ParseResult<Option<Range<usize>>> {
        self.skip_to(|kind| matches!(kind, TokenKind::LeftBrace | TokenKind::Semicolon));
        if self.is(TokenKind::LeftBrace) {
            let body = self.skip_brackets();
            self.eat(TokenKind::Semicolon);
            return Ok(Some(body));
        }
        self.expect(TokenKind::Semicolon, "`;` or a body")?;
        Ok(None)
    }

    /// Slang's `func f<T>(x : int, float y) -> T where T : I { ... }`, starting at its name.
    pub(super) fn slang_function(&mut self, mut prefix: Prefix<'a>) -> ParseResult<FunctionDeclaration<'a>> {
        let name = self.name("the name of a function")?;
        if self.is(TokenKind::Less) {
            prefix.generics = Some(self.generic_parameters()?);
        }

        let mut parameters = self.function_parameters(Self::slang_parameter)?;
        let ends = |kind| matches!(kind, TokenKind::Arrow | TokenKind::LeftBrace | TokenKind::Semicolon);
        self.skip_to(ends);
        let mut result = None;
        if self.eat(TokenKind::Arrow) {
            match self.type_expression() {
                Ok(ty) => result = Some(ty),
                Err(problem) => parameters = Err(problem),
            }
        }

        let body = self.function_body()?;
        let outer = Vec::new();
        Ok(FunctionDeclaration { prefix, name, outer, result, result_semantic: None, parameters, body })
    }

    /// Parses the parameters between parentheses. Also moves after the closing one on an error, if
    /// both parentheses exist.
    fn function_parameters(
        &mut self,
        parameter: fn(&mut Self) -> ParseResult<FunctionParameter<'a>>,
    ) -> ParseResult<ParseResult<Vec<FunctionParameter<'a>>>> {
        if !self.is(TokenKind::LeftParenthesis) {
            return Err(self.unexpected("`(`"));
        }
        let open = self.at;
        let parameters = self.parameter_list(parameter);
        self.at = open;
        self.skip_brackets();
        Ok(parameters)
    }

    fn parameter_list(
        &mut self,
        parameter: fn(&mut Self) -> ParseResult<FunctionParameter<'a>>,
    ) -> ParseResult<Vec<FunctionParameter<'a>>> {
        self.bump();
        let mut parameters = Vec::new();
        if self.is_word("void") && self.peek(1).kind == TokenKind::RightParenthesis {
            return Ok(parameters);
        }
        while !self.is(TokenKind::RightParenthesis) {
            parameters.push(parameter(self)?);
            if !self.is(TokenKind::RightParenthesis) {
                self.expect(TokenKind::Comma, "`,` or `)`")?;
            }
        }
        Ok(parameters)
    }

    fn parameter(&mut self) -> ParseResult<FunctionParameter<'a>> {
        let start = self.position();
        let prefix = self.prefix()?;
        let ty = self.type_expression()?;
        let declarator = if matches!(self.token().kind, TokenKind::Comma | TokenKind::RightParenthesis) {
            self.unnamed()
        } else {
            self.declarator()?
        };
        Ok(FunctionParameter { prefix, ty, declarator, tokens: start..self.position() })
    }

    /// `x : int` or `int x`: a `func` accepts both.
    fn slang_parameter(&mut self) -> ParseResult<FunctionParameter<'a>> {
        let start = self.position();
        let prefix = self.prefix()?;
        if self.peek(1).kind != TokenKind::Colon {
            self.at = start;
            return self.parameter();
        }

        let name = self.name("a parameter")?;
        self.bump();
        let ty = self.type_expression()?;
        let placement = self.placement()?;
        let is_initialised = self.eat(TokenKind::Assign);
        let from = self.position();
        let initialiser = if is_initialised { Some(self.initialiser()) } else { None };
        let value = from..self.position();
        let declarator = Declarator { name, placement, initialiser, initialised: value, ..self.unnamed() };
        Ok(FunctionParameter { prefix, ty, declarator, tokens: start..self.position() })
    }

    fn unnamed(&self) -> Declarator<'a> {
        Declarator {
            name: self.no_name(),
            outer: Vec::new(),
            pointers: 0,
            dimensions: Vec::new(),
            placement: PlacementSyntax::default(),
            initialiser: None,
            initialised: 0..0,
        }
    }
}
