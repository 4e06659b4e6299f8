//! Parses types as written: names with generic arguments, inline structs and enums, pointers, Slang's `float[2]`.

use super::cursor::{ParseResult, Parser};
use super::expression::ExpressionContext;
use super::generic_arguments_end;
use crate::ast::{
    ArrayDimension, GenericArgument, Identifier, NamePath, PathPart, TypeExpression, TypeKind, TypeSuffix,
};
use layoutproof_preprocess::lexer::TokenKind;

impl<'a> Parser<'_, 'a> {
    /// Parses a type, which may declare a struct or enum in place.
    pub(crate) fn type_expression(&mut self) -> ParseResult<TypeExpression<'a>> {
        self.deeper(|parser| {
            let (start, packed) = (parser.span(), parser.source.order(parser.at));
            parser.skip_elaboration();
            let kind = match parser.token().text {
                "struct" | "class" => TypeKind::Struct(Box::new(parser.struct_declaration()?)),
                "enum" => TypeKind::Enum(Box::new(parser.enum_declaration()?)),
                _ => TypeKind::Path(parser.type_path()?),
            };
            // After the `}` of a declaration, a `[` begins the attributes of the next one. Slang
            // needs no `;` there, so `const` may also begin the next declaration.
            let is_path = matches!(kind, TypeKind::Path(_));
            let begins_next = parser.is(TokenKind::LeftBracket) || (parser.source.is_slang && parser.is_word("const"));
            let suffixes = if is_path || !begins_next { parser.type_suffixes()? } else { Vec::new() };
            Ok(TypeExpression { kind, suffixes, packed, order: None, span: parser.span_from(start) })
        })
    }

    /// Skips the keyword in `struct S s`, `enum E e` and `typename T::Leg leg`, where it declares nothing.
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
    pub(crate) fn type_path(&mut self) -> ParseResult<NamePath<'a>> {
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

    /// Returns the one-word spelling of `unsigned int3` and similar types.
    fn signed(&mut self, name: Identifier<'a>) -> Option<&'static str> {
        let (tables, alone) = match name.text {
            "unsigned" => (UNSIGNED, "uint"),
            "signed" => (SIGNED, "int"),
            _ => return None,
        };
        let next = self.token();
        let mut pairs = tables.iter().copied().flatten();
        let found = pairs.find(|(word, _)| next.kind == TokenKind::Identifier && *word == next.text);
        if found.is_some() {
            self.bump();
        }
        Some(found.map_or(alone, |(_, spelling)| *spelling))
    }

    /// `<float, 3>`, starting at the `<`.
    pub(crate) fn generic_arguments(&mut self) -> ParseResult<Vec<GenericArgument<'a>>> {
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
        // `expand each T` is `T` for each argument of a pack. Only packs with one argument are supported.
        while matches!(self.token().text, "expand" | "each") && self.peek(1).kind == TokenKind::Identifier {
            self.bump();
        }
        let start = self.at;
        let is_value = !self.is(TokenKind::Identifier) || matches!(self.token().text, "true" | "false");
        if is_value && !self.is(TokenKind::ColonColon) {
            return Ok(GenericArgument::Value(self.expression(ExpressionContext::Angles)?));
        }
        let order = self.modifiers();
        if !self.is_operand() {
            let ty = self.type_expression()?;
            let plain = ty.suffixes.is_empty() && is_plain(&ty.kind);
            if !plain || matches!(self.token().kind, TokenKind::Comma | TokenKind::Greater) {
                return Ok(GenericArgument::Type(TypeExpression { order, ..ty }));
            }
        }

        // A name followed by an operator is a value. Only names were read so far, so reading them again is cheap.
        self.at = start;
        Ok(GenericArgument::Value(self.expression(ExpressionContext::Angles)?))
    }

    /// Returns true at `N` or `N::M` followed by an operator, which is not a type.
    fn is_operand(&self) -> bool {
        let separates = |at: usize| matches!(self.source.token(at).kind, TokenKind::ColonColon | TokenKind::Dot);
        let mut end = self.at + usize::from(self.is(TokenKind::ColonColon)) + 1;
        while separates(end) && self.source.token(end + 1).kind == TokenKind::Identifier {
            end += 2;
        }
        match self.source.token(end).kind {
            TokenKind::Plus | TokenKind::Minus | TokenKind::Slash => true,
            TokenKind::Star => starts_operand(self.source.token(end + 1).kind),
            _ => false,
        }
    }
}

/// Returns true for names without generic arguments.
fn is_plain(kind: &TypeKind<'_>) -> bool {
    match kind {
        TypeKind::Path(path) => path.parts.iter().all(|part| part.arguments.is_none()),
        TypeKind::Struct(_) | TypeKind::Enum(_) => false,
    }
}

fn starts_operand(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Identifier | TokenKind::Integer | TokenKind::LeftParenthesis)
}

/// Pairs each spelling of `$from` (scalar, vectors and matrices) with that of `$to`.
macro_rules! spellings {
    ($from:literal => $to:literal) => {
        spellings!($from => $to; "" "1" "2" "3" "4" "1x1" "1x2" "1x3" "1x4" "2x1" "2x2" "2x3" "2x4" "3x1" "3x2" "3x3"
            "3x4" "4x1" "4x2" "4x3" "4x4")
    };
    ($from:literal => $to:literal; $($shape:literal)*) => {
        &[$((concat!($from, $shape), concat!($to, $shape))),*]
    };
}

/// Spellings after `unsigned`, each with the resulting type.
const UNSIGNED: &[&[(&str, &str)]] = &[
    spellings!("int" => "uint"),
    spellings!("dword" => "uint"),
    spellings!("int16_t" => "uint16_t"),
    spellings!("int32_t" => "uint32_t"),
    spellings!("int64_t" => "uint64_t"),
    spellings!("min16int" => "min16uint"),
    spellings!("uint" => "uint"),
];

/// Spellings after `signed`.
const SIGNED: &[&[(&str, &str)]] = &[
    spellings!("int" => "int"),
    spellings!("int16_t" => "int16_t"),
    spellings!("int32_t" => "int32_t"),
    spellings!("int64_t" => "int64_t"),
    spellings!("min16int" => "min16int"),
];
