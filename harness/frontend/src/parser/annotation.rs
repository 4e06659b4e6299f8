//! Parses the parts around declarations: attributes, modifiers, `layout(...)`, semantics, `register`, `packoffset`.

use layoutproof_layout::shape::MatrixOrder;

use super::cursor::{ParseResult, Parser};
use super::expression::ExpressionContext;
use crate::ast::{
    ArgumentSyntax, AttributeSyntax, GenericParameter, LayoutSyntax, PackOffsetSyntax, PlacementSyntax, Prefix,
    RegisterSyntax,
};
use crate::attribute_names::spelling;
use layoutproof_preprocess::lexer::TokenKind;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::words::words;

/// Maximum length of an annotation (tokens), which keeps parsing linear.
const ANNOTATION_TOKENS: usize = 1 << 10;

/// Words that may precede a type without affecting its name.
const MODIFIERS: [&str; 54] = words(
    "
    __exported __extern_cpp __global borrow center centroid column_major const constexpr dyn dynamic_uniform export
    extern globallycoherent groupshared highp in indices inline inout internal line lineadj linear lowp mediump
    no_diff nointerpolation noperspective out override param payload pervertex point precise primitives private
    protected public reordercoherent require row_major sample shared snorm static triangle triangleadj uniform unorm
    vertices visible volatile
    ",
);

impl<'a> Parser<'_, 'a> {
    /// Parses attributes, modifiers, `layout(...)` and `template<...>`, in any order.
    pub(crate) fn prefix(&mut self) -> ParseResult<Prefix<'a>> {
        let mut prefix = Prefix::default();
        loop {
            let token = self.token();
            match (token.kind, token.text) {
                (TokenKind::LeftBracket, _) => self.attributes(&mut prefix.attributes)?,
                (TokenKind::Identifier, "layout") if self.peek(1).kind == TokenKind::LeftParenthesis => {
                    self.layout(&mut prefix.layout)?;
                }
                (TokenKind::Identifier, "template" | "__generic") if self.peek(1).kind == TokenKind::Less => {
                    self.bump();
                    prefix.generics = Some(self.generic_parameters()?);
                }
                (TokenKind::Identifier, word) if self.is_modifier(word) => {
                    prefix.modifiers.push(self.name("a modifier")?);
                }
                (TokenKind::Identifier, word) if self.is_compiler_modifier(word) => {
                    self.bump();
                    self.skip_brackets();
                }
                _ => return Ok(prefix),
            }
        }
    }

    fn is_modifier(&self, word: &str) -> bool {
        MODIFIERS.contains(&word) && !self.source.is_declared_type(word)
    }

    /// Returns true at `__glsl_extension(...)` and similar words, which affect only the compilation of functions.
    fn is_compiler_modifier(&self, word: &str) -> bool {
        let declares = matches!(word, "__init" | "__subscript" | "__packBranch");
        word.starts_with("__") && !declares && self.peek(1).kind == TokenKind::LeftParenthesis
    }

    /// Skips the modifiers of a type without a declaration (between `<` and `>`). Returns the
    /// matrix order, the only modifier with an effect on such a type; the last one counts.
    pub(super) fn modifiers(&mut self) -> Option<MatrixOrder> {
        let mut order = None;
        while self.is(TokenKind::Identifier) && self.is_modifier(self.token().text) {
            order = MatrixOrder::of_modifier(self.bump().text).or(order);
        }
        order
    }

    /// `[numthreads(8, 8, 1)]`, `[[vk::binding(1), vk::push_constant]]`.
    fn attributes(&mut self, out: &mut Vec<AttributeSyntax<'a>>) -> ParseResult<()> {
        self.bump();
        let double = self.eat(TokenKind::LeftBracket);

        while !self.is(TokenKind::RightBracket) {
            out.push(self.attribute()?);
            // Slang allows the comma to be missing.
            let goes_on = self.is(TokenKind::RightBracket) || (double && self.is(TokenKind::Identifier));
            if !goes_on {
                self.expect(TokenKind::Comma, "`,` or `]`")?;
            }
        }

        self.bump();
        if double {
            self.expect(TokenKind::RightBracket, "`]]`")?;
        }
        Ok(())
    }

    fn attribute(&mut self) -> ParseResult<AttributeSyntax<'a>> {
        let start = self.span();
        let mut name = self.name("an attribute")?;
        let mut namespace: Option<String> = None;
        while self.eat(TokenKind::ColonColon) {
            namespace = Some(namespace.map_or_else(|| name.text.to_owned(), |outer| format!("{outer}::{}", name.text)));
            name = self.name("an attribute")?;
        }
        let (mut arguments, mut tokens) = (Vec::new(), 0..0);
        if self.is(TokenKind::LeftParenthesis) {
            tokens.start = self.at + 1;
            arguments = self.attribute_arguments()?;
            tokens.end = self.at - 1;
        }
        let span = self.span_from(start);
        let mut attribute = AttributeSyntax { namespace, name: name.text, arguments, tokens, span };
        if !self.source.is_slang {
            self.respell(&mut attribute);
        }
        Ok(attribute)
    }

    /// Gives an HLSL attribute the spelling that this crate looks for.
    fn respell(&mut self, attribute: &mut AttributeSyntax<'a>) {
        let is_vulkan = attribute.namespace.as_deref().is_some_and(|namespace| namespace.eq_ignore_ascii_case("vk"));
        let namespace = if is_vulkan { Some("vk".to_owned()) } else { attribute.namespace.clone() };
        let spelling = spelling(namespace.as_deref(), attribute.name);
        let is_respelled = spelling != attribute.name || namespace != attribute.namespace;
        if is_vulkan && is_respelled && !attribute.arguments.is_empty() {
            // For `[[vk::Binding(1)]]`, DXC 1.7.2308 reports "'Binding' attribute takes at least 1 argument".
            let message = format!("DXC accepts arguments only with the spelling `vk::{spelling}`");
            self.problems.report(Diagnostic::error(Code::BadAttribute, attribute.span, message));
        }
        (attribute.namespace, attribute.name) = (namespace, spelling);
    }

    fn attribute_arguments(&mut self) -> ParseResult<Vec<ArgumentSyntax<'a>>> {
        self.bump();
        let mut arguments = Vec::new();
        while !self.eat(TokenKind::RightParenthesis) {
            arguments.push(self.attribute_argument());
            if !self.is(TokenKind::RightParenthesis) {
                self.expect(TokenKind::Comma, "`,` or `)`")?;
            }
        }
        Ok(arguments)
    }

    fn attribute_argument(&mut self) -> ArgumentSyntax<'a> {
        let (start, token) = (self.at, self.token());
        let ends = |kind| matches!(kind, TokenKind::Comma | TokenKind::RightParenthesis);
        if token.kind == TokenKind::Text && ends(self.peek(1).kind) {
            self.bump();
            return ArgumentSyntax::Text(token.text.trim_matches('"'));
        }

        match self.expression(ExpressionContext::Free) {
            Ok(expression) if ends(self.token().kind) => ArgumentSyntax::Value(expression, self.text_from(start)),
            Ok(_) | Err(_) => {
                self.skip_to(|kind| ends(kind) || kind == TokenKind::Semicolon);
                ArgumentSyntax::Other(self.text_from(start))
            }
        }
    }

    /// Moves to the next token outside brackets that satisfies `ends`, or to the end of the enclosing block.
    pub(super) fn skip_to(&mut self, ends: impl Fn(TokenKind) -> bool) {
        loop {
            match self.token().kind {
                kind if ends(kind) => return,
                TokenKind::End | TokenKind::RightBrace => return,
                TokenKind::LeftParenthesis | TokenKind::LeftBracket | TokenKind::LeftBrace => {
                    self.skip_brackets();
                }
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Returns the text of the tokens since `start`, with one space between tokens.
    fn text_from(&self, start: usize) -> String {
        (start..self.at).map(|index| self.source.token(index).text).collect::<Vec<_>>().join(" ")
    }

    /// `layout(binding = 1, set = 0)`.
    fn layout(&mut self, out: &mut Vec<LayoutSyntax<'a>>) -> ParseResult<()> {
        self.bump();
        self.bump();
        while !self.eat(TokenKind::RightParenthesis) {
            let name = self.name("a layout qualifier")?;
            let value =
                if self.eat(TokenKind::Assign) { Some(self.expression(ExpressionContext::Free)?) } else { None };
            out.push(LayoutSyntax { name, value });
            if !self.is(TokenKind::RightParenthesis) {
                self.expect(TokenKind::Comma, "`,` or `)`")?;
            }
        }
        Ok(())
    }

    /// `<typename T, int N = 4>` or Slang's `<T : IFoo, let N : int>`.
    pub(super) fn generic_parameters(&mut self) -> ParseResult<Vec<GenericParameter<'a>>> {
        self.expect(TokenKind::Less, "`<`")?;
        let mut parameters = Vec::new();
        while !self.eat(TokenKind::Greater) {
            parameters.push(self.generic_parameter()?);
            if !self.is(TokenKind::Greater) {
                self.expect(TokenKind::Comma, "`,` or `>`")?;
            }
        }
        Ok(parameters)
    }

    fn generic_parameter(&mut self) -> ParseResult<GenericParameter<'a>> {
        let word = self.token().text;
        let is_type_word = matches!(word, "typename" | "class");
        // `int N` has two names in a row; Slang's `T` and `T : IFoo` do not.
        let names_value = matches!(self.peek(1).kind, TokenKind::Identifier | TokenKind::ColonColon);
        let is_pack_of_values = word == "each" && names_value && self.peek(2).kind == TokenKind::Identifier;
        let is_value = word == "let" || is_pack_of_values || (!is_type_word && word != "each" && names_value);
        if is_pack_of_values {
            self.bump();
        }
        if is_type_word || word == "let" {
            self.bump();
        } else if is_value {
            // `unsigned int N` and `N::E e` consist of more words.
            self.type_path()?;
        }
        // A pack accepts any number of arguments, but a struct with one is refused if it is used with another number.
        let is_pack = self.is_word("each") && self.peek(1).kind == TokenKind::Identifier;
        if is_pack {
            self.bump();
        }
        let name = self.name("a generic parameter")?;
        if self.eat(TokenKind::Colon) {
            self.type_path()?;
            while self.eat(TokenKind::Ampersand) {
                self.type_path()?;
            }
        }
        let default = if self.eat(TokenKind::Assign) { Some(self.generic_argument()?) } else { None };
        Ok(GenericParameter { name, is_value, is_pack: is_pack || is_pack_of_values, default })
    }

    /// Parses everything after the `:` of a declarator, a buffer or a function.
    pub(super) fn placement(&mut self) -> ParseResult<PlacementSyntax<'a>> {
        let mut placement = PlacementSyntax::default();
        while self.eat(TokenKind::Colon) {
            let opens = self.peek(1).kind == TokenKind::LeftParenthesis;
            match (self.token().kind, self.token().text) {
                (TokenKind::Identifier, "register") if opens => placement.registers.push(self.register()?),
                (TokenKind::Identifier, "packoffset") if opens => placement.packoffsets.push(self.packoffset()?),
                // Access to a member of a ray payload.
                (TokenKind::Identifier, "read" | "write") if opens => {
                    self.bump();
                    self.skip_brackets();
                }
                // A lone word is a semantic, as in DXC and Slang, even if a constant has that name.
                (TokenKind::Identifier, _) if self.ends_placement(1) || self.annotation_end(self.at + 1).is_some() => {
                    placement.semantic = Some(self.bump().text);
                }
                _ => placement.bit_width = Some(self.expression(ExpressionContext::Free)?),
            }
        }
        Ok(placement)
    }

    /// Returns true if no operator of an expression follows.
    fn ends_placement(&self, ahead: usize) -> bool {
        matches!(
            self.peek(ahead).kind,
            TokenKind::Semicolon
                | TokenKind::Comma
                | TokenKind::Colon
                | TokenKind::Assign
                | TokenKind::LeftBrace
                | TokenKind::RightBrace
                | TokenKind::RightParenthesis
                | TokenKind::LeftBracket
                | TokenKind::Identifier
                | TokenKind::End
        )
    }

    fn register(&mut self) -> ParseResult<RegisterSyntax<'a>> {
        let start = self.bump().span;
        self.bump();
        let (mut words, mut indexed) = (Vec::new(), false);

        while !self.eat(TokenKind::RightParenthesis) {
            words.push(self.name("a register")?);
            if self.is(TokenKind::LeftBracket) {
                self.skip_brackets();
                indexed = true;
            }
            if !self.is(TokenKind::RightParenthesis) {
                self.expect(TokenKind::Comma, "`,` or `)`")?;
            }
        }

        Ok(RegisterSyntax { words, indexed, span: self.span_from(start) })
    }

    fn packoffset(&mut self) -> ParseResult<PackOffsetSyntax<'a>> {
        let start = self.bump().span;
        let inside = self.skip_brackets();
        let span = self.span_from(start);
        let texts: Vec<&str> = inside.map(|index| self.source.token(index).text).collect();
        match texts.as_slice() {
            [register] => Ok(PackOffsetSyntax { register, component: None, span }),
            [register, ".", component] => Ok(PackOffsetSyntax { register, component: Some(component), span }),
            _ => Err(Diagnostic::error(Code::BadPackoffset, span, "expected a register such as `c2` or `c2.y`")),
        }
    }

    /// Skips `< string UIName = "Tint"; >`, an effect's annotation for its editor.
    pub(super) fn skip_annotation(&mut self) {
        if let Some(end) = self.annotation_end(self.at) {
            self.at = end;
        }
    }

    /// Returns the token after the annotation that opens at `at`: declarations between `<` and `>`,
    /// each with its `;`. An empty `< >` also counts, unless parameters follow.
    pub(super) fn annotation_end(&self, at: usize) -> Option<usize> {
        if self.source.token(at).kind != TokenKind::Less {
            return None;
        }
        let mut next = at + 1;
        for _ in 0..ANNOTATION_TOKENS {
            let before = self.source.token(next - 1).kind;
            match self.source.token(next).kind {
                TokenKind::Greater if before == TokenKind::Semicolon => return Some(next + 1),
                TokenKind::Greater => {
                    let calls = self.source.token(next + 1).kind == TokenKind::LeftParenthesis;
                    return (before == TokenKind::Less && !calls).then_some(next + 1);
                }
                TokenKind::RightBrace | TokenKind::RightParenthesis | TokenKind::End => return None,
                _ => next = self.source.closer(next) + 1,
            }
        }

        None
    }

    /// Skips the constraints after `where`, which have no effect on layouts.
    pub(super) fn skip_where(&mut self) {
        if self.is_word("where") {
            self.skip_to(|kind| matches!(kind, TokenKind::LeftBrace | TokenKind::Semicolon));
        }
    }
}
