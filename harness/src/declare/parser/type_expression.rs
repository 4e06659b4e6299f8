//! Types as written: names with generic arguments, inline structs and enums, pointers, Slang's `float[2]`.

use super::cursor::{ParseResult, Parser};
use super::expression::ExpressionContext;
use super::generic_arguments_end;
use crate::declare::ast::{
    ArrayDimension, GenericArgument, Identifier, NamePath, PathPart, TypeExpression, TypeKind, TypeSuffix,
};
use crate::declare::lexer::TokenKind;

impl<'a> Parser<'_, 'a> {
    /// A type; a struct or enum may be declared in place.
    pub(in crate::declare) fn type_expression(&mut self) -> ParseResult<TypeExpression<'a>> {
        self.deeper(|parser| {
            let (start, packed) = (parser.span(), parser.source.order(parser.at));
            parser.skip_elaboration();
            let kind = match parser.token().text {
                "struct" | "class" => TypeKind::Struct(Box::new(parser.struct_declaration()?)),
                "enum" => TypeKind::Enum(Box::new(parser.enum_declaration()?)),
                _ => TypeKind::Path(parser.type_path()?),
            };
            // Behind the `}` of a declaration a `[` begins the attributes of the next one.
            let is_path = matches!(kind, TypeKind::Path(_));
            let suffixes =
                if is_path || !parser.is(TokenKind::LeftBracket) { parser.type_suffixes()? } else { Vec::new() };
            Ok(TypeExpression { kind, suffixes, packed, order: None, span: parser.span_from(start) })
        })
    }

    /// Moves behind the keyword of `struct S s`, `enum E e` and `typename T::Leg leg`, where it declares nothing.
    fn skip_elaboration(&mut self) {
        let names_type = match self.token().text {
            "typename" => true,
            "struct" | "class" | "enum" => {
                let end = generic_arguments_end(self.source, self.at + 2).unwrap_or(self.at + 2);
                let next = self.source.token(end);
                match next.kind {
                    TokenKind::Identifier => !matches!(next.text, "where"),
                    TokenKind::Greater
                    | TokenKind::Comma
                    | TokenKind::RightParenthesis
                    | TokenKind::Star
                    | TokenKind::ColonColon => true,
                    _ => false,
                }
            }
            _ => false,
        };

        if names_type && self.peek(1).kind == TokenKind::Identifier && !matches!(self.peek(1).text, "class" | "struct")
        {
            self.bump();
        }
    }

    /// A type with the modifiers in front of it.
    pub(super) fn modified_type(&mut self) -> ParseResult<TypeExpression<'a>> {
        let order = self.modifiers();
        Ok(TypeExpression { order, ..self.type_expression()? })
    }

    fn type_suffixes(&mut self) -> ParseResult<Vec<TypeSuffix<'a>>> {
        let mut suffixes = Vec::new();
        loop {
            match self.token().kind {
                TokenKind::Star => {
                    self.bump();
                    suffixes.push(TypeSuffix::Pointer);
                }
                TokenKind::LeftBracket => suffixes.push(TypeSuffix::Array(self.dimension()?)),
                TokenKind::Identifier if self.is_word("const") => {
                    self.bump();
                }
                _ => return Ok(suffixes),
            }
        }
    }

    /// `[n]` or `[]`.
    pub(super) fn dimension(&mut self) -> ParseResult<ArrayDimension<'a>> {
        let start = self.expect(TokenKind::LeftBracket, "`[`")?.span;
        let length =
            if self.is(TokenKind::RightBracket) { None } else { Some(self.expression(ExpressionContext::Free)?) };
        self.expect(TokenKind::RightBracket, "`]`")?;
        Ok(ArrayDimension { length, span: self.span_from(start) })
    }

    /// `N::Pair<float, 3>`, `unsigned int`.
    pub(in crate::declare) fn type_path(&mut self) -> ParseResult<NamePath<'a>> {
        let start = self.span();
        let is_rooted = self.eat(TokenKind::ColonColon);

        let mut parts = Vec::new();
        loop {
            let mut name = self.name("a type")?;
            if let Some(text) = self.signed(name) {
                name.text = text;
            }
            if name.text == "__packBranch" && self.is(TokenKind::LeftParenthesis) {
                // Slang's choice between types by the length of a pack.
                self.skip_brackets();
            }
            let arguments = if self.is(TokenKind::Less) { Some(self.deeper(Self::generic_arguments)?) } else { None };
            parts.push(PathPart { name, arguments });
            let more = matches!(self.token().kind, TokenKind::ColonColon | TokenKind::Dot)
                && self.peek(1).kind == TokenKind::Identifier;
            if !more {
                return Ok(NamePath { is_rooted, parts, span: self.span_from(start) });
            }
            self.bump();
        }
    }

    /// The one-word spelling of `unsigned int3` and its kin.
    fn signed(&mut self, name: Identifier<'a>) -> Option<&'static str> {
        let table = match name.text {
            "unsigned" => &UNSIGNED,
            "signed" => &SIGNED,
            _ => return None,
        };
        let next = self.token();
        let found = table.iter().find(|(word, _)| next.kind == TokenKind::Identifier && *word == next.text);
        if found.is_some() {
            self.bump();
        }
        Some(found.map_or(table[0].1, |(_, spelling)| *spelling))
    }

    /// `<float, 3>`; the caller has seen the `<`.
    pub(in crate::declare) fn generic_arguments(&mut self) -> ParseResult<Vec<GenericArgument<'a>>> {
        self.expect(TokenKind::Less, "`<`")?;
        let mut arguments = Vec::new();
        while !self.eat(TokenKind::Greater) {
            arguments.push(self.generic_argument()?);
            if !self.is(TokenKind::Greater) {
                self.expect(TokenKind::Comma, "`,` or `>`")?;
            }
        }
        Ok(arguments)
    }

    pub(super) fn generic_argument(&mut self) -> ParseResult<GenericArgument<'a>> {
        // `expand each T` is `T` for each argument of a pack, of which one is understood.
        while matches!(self.token().text, "expand" | "each") && self.peek(1).kind == TokenKind::Identifier {
            self.bump();
        }
        let start = self.at;
        let is_value = !self.is(TokenKind::Identifier) || matches!(self.token().text, "true" | "false");
        if is_value && !self.is(TokenKind::ColonColon) {
            return Ok(GenericArgument::Value(self.expression(ExpressionContext::Angles)?));
        }
        let order = self.modifiers();
        let simple = matches!(self.peek(1).kind, TokenKind::Plus | TokenKind::Minus | TokenKind::Slash)
            || (self.peek(1).kind == TokenKind::Star && starts_operand(self.peek(2).kind));
        if !simple {
            let ty = self.type_expression()?;
            let is_name = ty.suffixes.is_empty()
                && matches!(&ty.kind, TypeKind::Path(path) if path.parts.iter().all(|part| part.arguments.is_none()));
            if !is_name || matches!(self.token().kind, TokenKind::Comma | TokenKind::Greater) {
                return Ok(GenericArgument::Type(TypeExpression { order, ..ty }));
            }
        }

        // A name with an operator behind it is a value; only names were read, so reading them again costs little.
        self.at = start;
        Ok(GenericArgument::Value(self.expression(ExpressionContext::Angles)?))
    }
}

fn starts_operand(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Identifier | TokenKind::Integer | TokenKind::LeftParenthesis)
}

const UNSIGNED: [(&str, &str); 23] = [
    ("int", "uint"),
    ("int1", "uint1"),
    ("int2", "uint2"),
    ("int3", "uint3"),
    ("int4", "uint4"),
    ("int1x1", "uint1x1"),
    ("int1x2", "uint1x2"),
    ("int1x3", "uint1x3"),
    ("int1x4", "uint1x4"),
    ("int2x1", "uint2x1"),
    ("int2x2", "uint2x2"),
    ("int2x3", "uint2x3"),
    ("int2x4", "uint2x4"),
    ("int3x1", "uint3x1"),
    ("int3x2", "uint3x2"),
    ("int3x3", "uint3x3"),
    ("int3x4", "uint3x4"),
    ("int4x1", "uint4x1"),
    ("int4x2", "uint4x2"),
    ("int4x3", "uint4x3"),
    ("int4x4", "uint4x4"),
    ("int16_t", "uint16_t"),
    ("int64_t", "uint64_t"),
];

const SIGNED: [(&str, &str); 23] = [
    ("int", "int"),
    ("int1", "int1"),
    ("int2", "int2"),
    ("int3", "int3"),
    ("int4", "int4"),
    ("int1x1", "int1x1"),
    ("int1x2", "int1x2"),
    ("int1x3", "int1x3"),
    ("int1x4", "int1x4"),
    ("int2x1", "int2x1"),
    ("int2x2", "int2x2"),
    ("int2x3", "int2x3"),
    ("int2x4", "int2x4"),
    ("int3x1", "int3x1"),
    ("int3x2", "int3x2"),
    ("int3x3", "int3x3"),
    ("int3x4", "int3x4"),
    ("int4x1", "int4x1"),
    ("int4x2", "int4x2"),
    ("int4x3", "int4x3"),
    ("int4x4", "int4x4"),
    ("int16_t", "int16_t"),
    ("int64_t", "int64_t"),
];
