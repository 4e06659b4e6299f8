//! Parses the declarations of a WGSL module, and skips the bodies of functions.
//!
//! Source: WebGPU Shading Language, 2.1 to 12 and its grammar (3.10).

use std::ops::Range;

use layoutproof_layout::Span;
use layoutproof_preprocess::operator::BinaryOperator;
use layoutproof_source::diagnostics::{Code, Diagnostic};

use crate::syntax::{
    AccessStep, AttributeSyntax, Declaration, DeclarationKind, Expression, ExpressionKind, MemberSyntax, ResultSyntax,
    Syntax,
};
use crate::tokens::{Token, TokenKind};
use crate::words::KEYWORDS;

/// Deepest nesting of brackets and template lists in an expression or type.
const DEEPEST: usize = 100;

type Parsed<T> = Result<T, Diagnostic>;

pub(super) struct Parser<'t, 'a> {
    tokens: &'t [Token<'a>],
    next: usize,
    depth: usize,
    end: Span,
}

impl<'t, 'a> Parser<'t, 'a> {
    pub(super) fn new(tokens: &'t [Token<'a>], end: Span) -> Self {
        Self { tokens, next: 0, depth: 0, end }
    }

    pub(super) fn module(mut self) -> Parsed<Syntax<'a>> {
        let mut syntax = Syntax::default();
        while self.next < self.tokens.len() {
            let attributes = self.attributes()?;
            let start = self.span();
            let Some(word) = self.word() else {
                if attributes.is_empty() && self.take(';') {
                    continue;
                }
                return Err(self.expected("a declaration"));
            };
            match word {
                "enable" => self.names(&mut syntax.enabled)?,
                "requires" => self.names(&mut syntax.required)?,
                "diagnostic" => self.skip_past(';')?,
                "const_assert" => {
                    syntax.asserts.push(self.expression()?);
                    self.need(';')?;
                }
                _ => {
                    let declaration = self.declaration(word, start, attributes)?;
                    syntax.declarations.push(declaration);
                }
            }
        }
        Ok(syntax)
    }

    fn declaration(
        &mut self,
        keyword: &str,
        start: Span,
        attributes: Vec<AttributeSyntax<'a>>,
    ) -> Parsed<Declaration<'a>> {
        let space = match keyword {
            "var" => self.address_space()?,
            "alias" | "struct" | "const" | "override" | "fn" => Vec::new(),
            "import" | "super" | "package" => {
                let message = format!("`{keyword}` is a statement of WESL, not WGSL");
                let help = "link the modules with WESL's linker first, and pass the resulting WGSL";
                return Err(Diagnostic::error(Code::BadModule, start, message).with_help(help));
            }
            other => {
                let message = format!("expected a declaration, found `{other}`");
                return Err(Diagnostic::error(Code::BadModule, start, message));
            }
        };
        let span = self.span();
        let name = self.name()?;
        let kind = match keyword {
            "alias" => {
                self.need('=')?;
                let ty = self.expression()?;
                self.need(';')?;
                DeclarationKind::Alias(ty)
            }
            "struct" => DeclarationKind::Struct(self.members()?),
            "fn" => self.function()?,
            _ => {
                let ty = self.take(':').then(|| self.expression()).transpose()?;
                let end = self.before();
                let value = self.take('=').then(|| self.expression()).transpose()?;
                self.need(';')?;
                match (keyword, value) {
                    ("const", Some(value)) => DeclarationKind::Const { ty, value },
                    ("const", None) => {
                        let message = format!("the constant `{name}` has no value");
                        return Err(Diagnostic::error(Code::BadModule, span, message));
                    }
                    ("override", _) => DeclarationKind::Override,
                    _ => DeclarationKind::Variable { space, ty, span: start.to(end) },
                }
            }
        };
        Ok(Declaration { name, span, attributes, kind })
    }

    /// The words between `<` and `>` after `var`.
    fn address_space(&mut self) -> Parsed<Vec<&'a str>> {
        let mut words = Vec::new();
        if self.peek().is_some_and(|token| token.kind == TokenKind::TemplateStart) {
            self.next += 1;
            while !self.take_template_end() {
                words.push(self.name()?);
                if !self.take(',') && !self.is_at_template_end() {
                    return Err(self.expected("`,` or `>`"));
                }
            }
        }
        Ok(words)
    }

    fn members(&mut self) -> Parsed<Vec<MemberSyntax<'a>>> {
        let mut members = Vec::new();
        self.need('{')?;
        while !self.take('}') {
            let attributes = self.attributes()?;
            let start = self.span();
            let name = self.name()?;
            self.need(':')?;
            let ty = self.expression()?;
            members.push(MemberSyntax { name, span: start.to(ty.span), attributes, ty });
            if !self.take(',') && !self.peek().is_some_and(|token| token.is_sign('}')) {
                return Err(self.expected("`,` or `}`"));
            }
        }
        Ok(members)
    }

    fn function(&mut self) -> Parsed<DeclarationKind<'a>> {
        self.need('(')?;
        let mut parameters = Vec::new();
        while !self.take(')') {
            let attributes = self.attributes()?;
            let name = self.name()?;
            let start = self.before();
            self.need(':')?;
            let ty = self.expression()?;
            parameters.push(MemberSyntax { name, span: start.to(ty.span), attributes, ty });
            if !self.take(',') && !self.peek().is_some_and(|token| token.is_sign(')')) {
                return Err(self.expected("`,` or `)`"));
            }
        }
        let result = if self.take('-') {
            self.need('>')?;
            Some(ResultSyntax { attributes: self.attributes()?, ty: self.expression()? })
        } else {
            None
        };
        let body = self.next;
        self.need('{')?;
        let mut open = 1_usize;
        while open > 0 {
            match self.peek().ok_or_else(|| self.expected("`}`"))?.kind {
                TokenKind::Sign('{') => open += 1,
                TokenKind::Sign('}') => open -= 1,
                _ => {}
            }
            self.next += 1;
        }
        Ok(DeclarationKind::Function { parameters, result, body: body..self.next })
    }

    fn attributes(&mut self) -> Parsed<Vec<AttributeSyntax<'a>>> {
        let mut attributes = Vec::new();
        while self.take('@') {
            let start = self.before();
            // `@const` and `@diagnostic` are attributes.
            let name = self.word().ok_or_else(|| self.expected("a name"))?;
            if matches!(name, "if" | "elif" | "else") {
                let message = format!("`@{name}` is a condition of WESL, not WGSL");
                let help = "translate the module with WESL's linker first, and pass the resulting WGSL";
                return Err(Diagnostic::error(Code::BadModule, start.to(self.before()), message).with_help(help));
            }
            let arguments = if self.take('(') { self.list(')')? } else { Vec::new() };
            attributes.push(AttributeSyntax { name, arguments, span: start.to(self.before()) });
        }
        Ok(attributes)
    }

    /// Names up to a `;`.
    fn names(&mut self, names: &mut Vec<&'a str>) -> Parsed<()> {
        while !self.take(';') {
            names.push(self.name()?);
            if !self.take(',') && !self.peek().is_some_and(|token| token.is_sign(';')) {
                return Err(self.expected("`;`"));
            }
        }
        Ok(())
    }

    fn skip_past(&mut self, sign: char) -> Parsed<()> {
        while !self.take(sign) {
            self.peek().ok_or_else(|| self.expected(&format!("`{sign}`")))?;
            self.next += 1;
        }
        Ok(())
    }

    fn expression(&mut self) -> Parsed<Expression<'a>> {
        if self.depth == DEEPEST {
            let message = format!("brackets nest more than {DEEPEST} levels deep");
            return Err(Diagnostic::error(Code::TooDeep, self.span(), message));
        }
        self.depth += 1;
        let parsed = self.chain(0);
        self.depth -= 1;
        parsed
    }

    /// An operand, and those after operators of at least this precedence.
    fn chain(&mut self, least: u8) -> Parsed<Expression<'a>> {
        let mut left = self.unary()?;
        let mut level_of_left = None;
        while let Some((level, operator)) = self.operator(least) {
            let right = self.chain(level + 1)?;
            let span = left.span.to(right.span);
            left = match left.kind {
                ExpressionKind::Binary { first, mut rest } if level_of_left == Some(level) => {
                    rest.push((operator, right));
                    Expression { span, kind: ExpressionKind::Binary { first, rest } }
                }
                _ => Expression {
                    span,
                    kind: ExpressionKind::Binary { first: Box::new(left), rest: vec![(operator, right)] },
                },
            };
            level_of_left = Some(level);
        }
        Ok(left)
    }

    /// The next operator if it has at least this precedence. C's order is WGSL's, which demands parentheses
    /// where the order between `&`, `|`, `^`, shifts and comparisons would matter.
    fn operator(&mut self, least: u8) -> Option<(u8, BinaryOperator)> {
        let mut symbol = String::new();
        let mut end = None;
        for token in self.tokens[self.next..].iter().take(2) {
            match token.kind {
                TokenKind::Sign(sign) if end.is_none_or(|end| end == token.span.start) => symbol.push(sign),
                _ => break,
            }
            end = Some(token.span.end);
        }
        // `<=` before `<`, but in `a - -b` and `a|!b` two operators are adjacent.
        while !symbol.is_empty() {
            if let Some(operator) = BinaryOperator::of_symbol(&symbol) {
                let precedence = operator.precedence();
                return (precedence >= least).then(|| {
                    self.next += symbol.len();
                    (precedence, operator)
                });
            }
            symbol.pop();
        }
        None
    }

    fn unary(&mut self) -> Parsed<Expression<'a>> {
        let start = self.span();
        let mut operators = Vec::new();
        while let Some(TokenKind::Sign(sign @ ('-' | '!' | '~' | '*' | '&'))) = self.peek().map(|token| token.kind) {
            operators.push(sign);
            self.next += 1;
        }
        let operand = self.postfix()?;
        if operators.is_empty() {
            return Ok(operand);
        }
        let span = start.to(operand.span);
        Ok(Expression { span, kind: ExpressionKind::Unary { operators, operand: Box::new(operand) } })
    }

    fn postfix(&mut self) -> Parsed<Expression<'a>> {
        let base = self.primary()?;
        let mut steps = Vec::new();
        loop {
            if self.take('.') {
                steps.push(AccessStep::Member(self.name()?));
            } else if self.take('[') {
                steps.push(AccessStep::Index(self.expression()?));
                self.need(']')?;
            } else {
                break;
            }
        }
        if steps.is_empty() {
            return Ok(base);
        }
        let span = base.span.to(self.before());
        Ok(Expression { span, kind: ExpressionKind::Access { base: Box::new(base), steps } })
    }

    pub(super) fn primary(&mut self) -> Parsed<Expression<'a>> {
        let start = self.span();
        if self.take('(') {
            let inner = self.expression()?;
            self.need(')')?;
            return Ok(Expression { span: start.to(self.before()), ..inner });
        }
        if let Some(Token { kind: TokenKind::Number, text, .. }) = self.peek() {
            self.next += 1;
            return Ok(Expression { span: start, kind: ExpressionKind::Number(text) });
        }

        let Some(name) = self.word() else { return Err(self.expected("an expression or a type")) };
        let mut template = Vec::new();
        if self.peek().is_some_and(|token| token.kind == TokenKind::TemplateStart) {
            self.next += 1;
            while !self.take_template_end() {
                template.push(self.expression()?);
                if !self.take(',') && !self.is_at_template_end() {
                    return Err(self.expected("`,` or `>`"));
                }
            }
        }
        let callee = Expression { span: start.to(self.before()), kind: ExpressionKind::Name { name, template } };
        if !self.take('(') {
            return Ok(callee);
        }
        let arguments = self.list(')')?;
        let span = start.to(self.before());
        Ok(Expression { span, kind: ExpressionKind::Call { callee: Box::new(callee), arguments } })
    }

    /// Expressions up to a closing bracket.
    fn list(&mut self, end: char) -> Parsed<Vec<Expression<'a>>> {
        let mut list = Vec::new();
        while !self.take(end) {
            list.push(self.expression()?);
            if !self.take(',') && !self.peek().is_some_and(|token| token.is_sign(end)) {
                return Err(self.expected(&format!("`,` or `{end}`")));
            }
        }
        Ok(list)
    }

    fn peek(&self) -> Option<&'t Token<'a>> {
        self.tokens.get(self.next)
    }

    /// The next token's place, or the end of the text.
    fn span(&self) -> Span {
        self.peek().map_or(self.end, |token| token.span)
    }

    /// The previous token's place.
    fn before(&self) -> Span {
        self.next.checked_sub(1).map_or(self.end, |index| self.tokens[index].span)
    }

    fn take(&mut self, sign: char) -> bool {
        let is_it = self.peek().is_some_and(|token| token.is_sign(sign));
        self.next += usize::from(is_it);
        is_it
    }

    fn is_at_template_end(&self) -> bool {
        self.peek().is_some_and(|token| token.kind == TokenKind::TemplateEnd)
    }

    fn take_template_end(&mut self) -> bool {
        let is_it = self.is_at_template_end();
        self.next += usize::from(is_it);
        is_it
    }

    fn need(&mut self, sign: char) -> Parsed<()> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    fn word(&mut self) -> Option<&'a str> {
        let token = self.peek().filter(|token| token.kind == TokenKind::Word)?;
        self.next += 1;
        Some(token.text)
    }

    fn name(&mut self) -> Parsed<&'a str> {
        let is_keyword = self.peek().is_some_and(|token| KEYWORDS.contains(&token.text));
        let name = if is_keyword { None } else { self.word() };
        name.ok_or_else(|| self.expected("a name"))
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = self.peek().map_or_else(|| "the end of the text".to_owned(), |token| format!("`{}`", token.text));
        Diagnostic::error(Code::BadModule, self.span(), format!("expected {what}, found {found}"))
    }
}

pub(super) fn tokens_of<'t, 'a>(tokens: &'t [Token<'a>], range: &Range<usize>) -> &'t [Token<'a>] {
    tokens.get(range.clone()).unwrap_or_default()
}
