//! Functions and methods: their parameters matter if they are entry points, their bodies are kept as token ranges.

use super::cursor::{ParseResult, Parser};
use crate::declare::ast::{
    Declarator, FunctionDeclaration, FunctionParameter, Identifier, PlacementSyntax, Prefix, TypeExpression,
};
use crate::declare::lexer::TokenKind;

impl<'a> Parser<'_, 'a> {
    /// The rest of a function, from its generic parameters or its `(` on.
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

        let parameters = self.function_parameters()?;
        let result_semantic = self.placement()?.semantic;
        self.skip_annotation();
        // `const`, `where ...`, `-> T`, `throws E`: nothing that a layout depends on.
        self.skip_to(|kind| matches!(kind, TokenKind::LeftBrace | TokenKind::Semicolon));
        let body = if self.is(TokenKind::LeftBrace) {
            let body = self.skip_brackets();
            self.eat(TokenKind::Semicolon);
            Some(body)
        } else {
            self.expect(TokenKind::Semicolon, "`;` or a body")?;
            None
        };

        let outer = Vec::new();
        Ok(FunctionDeclaration { prefix, name, outer, result, result_semantic, parameters, body })
    }

    /// The parameters between parentheses; behind them in any case, if only the parentheses are there.
    fn function_parameters(&mut self) -> ParseResult<ParseResult<Vec<FunctionParameter<'a>>>> {
        if !self.is(TokenKind::LeftParenthesis) {
            return Err(self.unexpected("`(`"));
        }
        let open = self.at;
        let parameters = self.parameter_list();
        self.at = open;
        self.skip_brackets();
        Ok(parameters)
    }

    fn parameter_list(&mut self) -> ParseResult<Vec<FunctionParameter<'a>>> {
        self.bump();
        let mut parameters = Vec::new();
        if self.is_word("void") && self.peek(1).kind == TokenKind::RightParenthesis {
            return Ok(parameters);
        }
        while !self.is(TokenKind::RightParenthesis) {
            parameters.push(self.parameter()?);
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
