//! Parses declarations of variables and members: a type, then names with dimensions, placements and initialisers.

use super::cursor::{ParseResult, Parser};
use super::expression::ExpressionContext;
use super::generic_arguments_end;
use crate::ast::{
    ArrayDimension, DeclarationSyntax, Declarator, FunctionDeclaration, Identifier, Initialiser, Item, Prefix, TypeKind,
};
use layoutproof_preprocess::lexer::TokenKind;
use layoutproof_source::words::words;

/// Names of the operators that a struct may declare and an expression may call (HLSL 2021).
const OPERATORS: [&str; 20] = words(
    "
    operator() operator[] operator* operator/ operator% operator+ operator- operator<< operator>> operator<
    operator> operator<= operator>= operator== operator!= operator& operator^ operator| operator&& operator||
    ",
);

/// Returns the name of the function that the operator `symbol` calls.
pub(crate) fn operator_name(symbol: &str) -> Option<&'static str> {
    OPERATORS.into_iter().find(|name| name.strip_prefix("operator") == Some(symbol))
}

impl<'a> Parser<'_, 'a> {
    /// Parses a type with declarators, or a function. Both begin with a type.
    pub(super) fn typed_item(&mut self, mut prefix: Prefix<'a>) -> ParseResult<Item<'a>> {
        let start = self.span();
        let ty = self.type_expression()?;
        if matches!(ty.kind, TypeKind::Path(_)) {
            while self.is_modifier_behind_type() {
                prefix.modifiers.push(self.name("a modifier")?);
            }
        }
        if self.ends_type_declaration(&ty.kind) {
            let declarators = Vec::new();
            return Ok(Item::Declaration(DeclarationSyntax { prefix, ty, declarators, span: self.span_from(start) }));
        }
        let declarators = if self.is(TokenKind::Semicolon) { Vec::new() } else { self.declarators()? };
        if let [Declarator { name, outer, .. }] = declarators.as_slice() {
            if self.starts_function() {
                let function = self.function(prefix, *name, Some(ty))?;
                return Ok(Item::Function(FunctionDeclaration { outer: outer.clone(), ..function }));
            }
        }

        // slangc 2026.14.1 allows the `;` after a `typedef` to be missing.
        if self.source.is_slang && prefix.has("typedef") {
            self.eat(TokenKind::Semicolon);
        } else {
            self.semicolon()?;
        }
        Ok(Item::Declaration(DeclarationSyntax { prefix, ty, declarators, span: self.span_from(start) }))
    }

    /// Returns true at a modifier that DXC 1.7.2308 also accepts after a type: `uint inline f()`.
    fn is_modifier_behind_type(&self) -> bool {
        let is_modifier = matches!(self.token().text, "const" | "extern" | "inline" | "static");
        is_modifier && matches!(self.peek(1).kind, TokenKind::Identifier | TokenKind::Star)
    }

    /// Returns true if a struct or enum declaration ends here. Slang needs no `;` after the `}`.
    fn ends_type_declaration(&self, kind: &TypeKind<'a>) -> bool {
        let declares_name = match self.token().kind {
            TokenKind::Identifier => {
                matches!(
                    self.peek(1).kind,
                    TokenKind::Semicolon | TokenKind::Comma | TokenKind::Colon | TokenKind::Assign
                ) || self.is_array_declarator()
            }
            TokenKind::Semicolon | TokenKind::Star => true,
            _ => false,
        };

        match kind {
            TypeKind::Struct(_) | TypeKind::Enum(_) => !declares_name,
            TypeKind::Path(_) => false,
        }
    }

    /// Returns true at `name[2]`, but not at a `float[2]` that begins the next declaration.
    fn is_array_declarator(&self) -> bool {
        let mut at = self.at + 1;
        while self.source.token(at).kind == TokenKind::LeftBracket {
            at = self.source.closer(at) + 1;
        }
        at > self.at + 1 && self.source.token(at).kind != TokenKind::Identifier
    }

    fn starts_function(&self) -> bool {
        matches!(self.token().kind, TokenKind::LeftParenthesis | TokenKind::Less)
    }

    pub(crate) fn declarators(&mut self) -> ParseResult<Vec<Declarator<'a>>> {
        let mut declarators = vec![self.declarator()?];
        while self.eat(TokenKind::Comma) {
            declarators.push(self.declarator()?);
        }
        Ok(declarators)
    }

    /// Parses one declared name and everything that belongs to it. A bit-field may be unnamed.
    pub(super) fn declarator(&mut self) -> ParseResult<Declarator<'a>> {
        let mut pointers = 0;
        while self.eat(TokenKind::Star) {
            pointers += 1;
        }

        let outer = self.qualifiers()?;
        let name = self.declarator_name()?;
        let dimensions = self.dimensions()?;
        let placement = self.placement()?;
        self.skip_annotation();
        let is_initialised = self.eat(TokenKind::Assign);
        let start = self.position();
        let initialiser = if is_initialised { Some(self.initialiser()) } else { None };
        let tokens = start..self.position();
        if self.is(TokenKind::LeftBrace) {
            // `SamplerState s { Filter = ...; };`: states of the effect framework do not affect a layout.
            self.skip_brackets();
        }
        Ok(Declarator { name, outer, pointers, dimensions, placement, initialiser, initialised: tokens })
    }

    /// `N::S<T>::` before the name of a declaration that is defined outside; the arguments are those of the template.
    fn qualifiers(&mut self) -> ParseResult<Vec<Identifier<'a>>> {
        let mut outer = Vec::new();
        while self.is(TokenKind::Identifier) {
            let behind = generic_arguments_end(self.source, self.at + 1).unwrap_or(self.at + 1);
            if self.source.token(behind).kind != TokenKind::ColonColon {
                break;
            }
            outer.push(self.name("a name")?);
            self.at = behind + 1;
        }
        Ok(outer)
    }

    fn declarator_name(&mut self) -> ParseResult<Identifier<'a>> {
        if self.is(TokenKind::Colon) {
            return Ok(self.omitted_name());
        }

        let mut name = self.name("a name")?;
        if name.text == "operator" {
            let start = self.position();
            // The `()` of `operator()` comes before the parentheses of its parameters.
            if self.is(TokenKind::LeftParenthesis) {
                self.skip_brackets();
            }
            self.skip_to(|kind| matches!(kind, TokenKind::LeftParenthesis | TokenKind::Semicolon));
            let symbol: String = (start..self.position()).map(|at| self.source.token(at).text).collect();
            name.text = operator_name(&symbol).unwrap_or(name.text);
        }
        Ok(name)
    }

    pub(super) fn dimensions(&mut self) -> ParseResult<Vec<ArrayDimension<'a>>> {
        let mut dimensions = Vec::new();
        while self.is(TokenKind::LeftBracket) {
            dimensions.push(self.dimension()?);
        }
        Ok(dimensions)
    }

    /// Reads the initialiser after `=`. It never fails, because most initialisers do not affect a layout.
    pub(super) fn initialiser(&mut self) -> Initialiser<'a> {
        if self.is(TokenKind::LeftBrace) {
            return Initialiser::List(self.list_length());
        }
        let ends = |kind| matches!(kind, TokenKind::Comma | TokenKind::Semicolon | TokenKind::RightParenthesis);
        let start = self.at;
        match self.expression(ExpressionContext::Free) {
            Ok(expression) if ends(self.token().kind) => return Initialiser::Value(expression),
            Ok(_) => {}
            // The error may be inside brackets.
            Err(_) => self.at = start,
        }
        self.skip_to(ends);
        Initialiser::Other
    }

    /// Counts the elements of the list that opens here.
    fn list_length(&mut self) -> u32 {
        self.bump();
        let mut elements = 0;
        while !matches!(self.token().kind, TokenKind::RightBrace | TokenKind::Semicolon | TokenKind::End) {
            elements += 1;
            self.skip_to(|kind| matches!(kind, TokenKind::Comma | TokenKind::Semicolon));
            self.eat(TokenKind::Comma);
        }
        self.eat(TokenKind::RightBrace);
        elements
    }
}
