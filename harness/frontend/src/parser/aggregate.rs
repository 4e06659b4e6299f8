//! Parses structs, enums and `cbuffer`/`tbuffer` blocks.

use super::cursor::{ParseResult, Parser};
use super::expression::ExpressionContext;
use crate::ast::{
    BufferDeclaration, BufferKeyword, EnumDeclaration, EnumeratorSyntax, GenericParameter, Identifier, Item, Prefix,
    StructDeclaration, TypeExpression,
};
use layoutproof_preprocess::lexer::TokenKind;

impl<'a> Parser<'_, 'a> {
    /// `struct S<T> : Base { ... }`, up to and including the `}`.
    pub(super) fn struct_declaration(&mut self) -> ParseResult<StructDeclaration<'a>> {
        self.bump();
        while self.is(TokenKind::LeftBracket) {
            // `struct [raypayload] Payload`.
            self.skip_brackets();
        }
        let name = self.optional_name()?;
        let generics = self.optional_generics()?;
        let bases = self.bases()?;
        self.skip_where();
        let items = self.block()?;
        Ok(StructDeclaration { name, generics, specialised: None, bases, items })
    }

    /// `struct S<float, N> : Base { ... }` after `template<...>`: a specialisation of `S`.
    pub(super) fn specialised_struct(&mut self) -> ParseResult<StructDeclaration<'a>> {
        self.bump();
        let name = self.name("the name of a template")?;
        let specialised = Some(self.generic_arguments()?);
        let bases = self.bases()?;
        let items = self.block()?;
        Ok(StructDeclaration { name, generics: None, specialised, bases, items })
    }

    fn optional_name(&mut self) -> ParseResult<Identifier<'a>> {
        if self.is(TokenKind::Identifier) { self.name("a name") } else { Ok(self.no_name()) }
    }

    fn optional_generics(&mut self) -> ParseResult<Option<Vec<GenericParameter<'a>>>> {
        if self.is(TokenKind::Less) { self.generic_parameters().map(Some) } else { Ok(None) }
    }

    fn bases(&mut self) -> ParseResult<Vec<TypeExpression<'a>>> {
        let mut bases = Vec::new();
        if self.eat(TokenKind::Colon) {
            loop {
                bases.push(self.modified_type()?);
                // `IA & IB`: an interface that combines both.
                while self.eat(TokenKind::Ampersand) {
                    bases.push(self.modified_type()?);
                }
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        Ok(bases)
    }

    /// `{ ... }` with declarations.
    pub(super) fn block(&mut self) -> ParseResult<Vec<Item<'a>>> {
        self.expect(TokenKind::LeftBrace, "`{`")?;
        let items = self.deeper(|parser| Ok(parser.items()))?;
        self.expect(TokenKind::RightBrace, "`}`")?;
        Ok(items)
    }

    /// `enum class E : uint { A, B = 4 }`, up to and including the `}`.
    pub(super) fn enum_declaration(&mut self) -> ParseResult<EnumDeclaration<'a>> {
        self.bump();
        let unscoped = !(self.eat_word("class") || self.eat_word("struct"));
        let name = self.optional_name()?;
        let underlying = if self.eat(TokenKind::Colon) { Some(self.type_expression()?) } else { None };
        self.expect(TokenKind::LeftBrace, "`{`")?;

        let mut enumerators = Vec::new();
        while !self.eat(TokenKind::RightBrace) {
            enumerators.push(self.enumerator()?);
            if !self.is(TokenKind::RightBrace) {
                self.expect(TokenKind::Comma, "`,` or `}`")?;
            }
        }

        Ok(EnumDeclaration { name, unscoped, underlying, enumerators })
    }

    fn enumerator(&mut self) -> ParseResult<EnumeratorSyntax<'a>> {
        let name = self.name("an enumerator")?;
        let value = if self.eat(TokenKind::Assign) { Some(self.expression(ExpressionContext::Free)?) } else { None };
        Ok(EnumeratorSyntax { name, value })
    }

    /// `cbuffer S : register(b0) { ... }`, starting at its keyword.
    pub(super) fn buffer(&mut self, prefix: Prefix<'a>, kind: BufferKeyword) -> ParseResult<BufferDeclaration<'a>> {
        self.bump();
        let name = self.name("the name of a buffer")?;
        let placement = self.placement()?;
        let items = self.block()?;
        self.eat(TokenKind::Semicolon);
        Ok(BufferDeclaration { kind, prefix, name, placement, items })
    }
}
