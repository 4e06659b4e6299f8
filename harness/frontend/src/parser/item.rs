//! Parses a list of declarations: finds the kind of each one, and resumes after an error.

use std::ops::Range;

use layoutproof_layout::Span;

use super::cursor::{ParseResult, Parser, SkippedKind};
use super::expression::ExpressionContext;
use super::generic_arguments_end;
use crate::ast::{
    ArgumentSyntax, BufferDeclaration, BufferKeyword, DeclarationSyntax, Declarator, EnumDeclaration, EnumeratorSyntax,
    FunctionDeclaration, FunctionParameter, Identifier, Item, NamePath, PathPart, PlacementSyntax, Prefix,
    StructDeclaration, TypeExpression, TypeKind,
};
use layoutproof_preprocess::lexer::TokenKind;
use layoutproof_source::diagnostics::{Code, Diagnostic};

impl<'a> Parser<'_, 'a> {
    /// Parses the declarations of a whole source.
    pub(crate) fn file(&mut self) -> Vec<Item<'a>> {
        let mut items = self.items();
        while self.is(TokenKind::RightBrace) {
            let problem = self.unexpected("a declaration");
            self.report(problem);
            self.bump();
            items.extend(self.items());
        }
        // Modules without a declaration may come last.
        self.note_imports(items.len());
        self.report_skipped();
        items
    }

    /// Reports one warning for each kind of skipped declaration, at the first one.
    fn report_skipped(&mut self) {
        for (kind, places) in std::mem::take(&mut self.skipped) {
            let Some(first) = places.first() else { continue };
            let message = match places.len() {
                1 => format!("skipped: {}", kind.reason()),
                count => format!("skipped: {} ({count} of them)", kind.reason()),
            };
            self.problems.report(Diagnostic::warning(Code::Skipped, *first, message));
        }
    }

    /// Parses declarations up to a `}` or the end.
    pub(super) fn items(&mut self) -> Vec<Item<'a>> {
        let mut items = Vec::new();
        while !matches!(self.token().kind, TokenKind::End | TokenKind::RightBrace) {
            let start = self.at;
            self.note_imports(items.len());
            match self.item(&mut items) {
                Ok(()) => {}
                Err(problem) => {
                    self.report(problem);
                    self.names.lose_count();
                    self.recover();
                }
            }
            if self.at == start {
                self.bump();
            }
            self.count_declaration(start);
        }

        items
    }

    fn item(&mut self, out: &mut Vec<Item<'a>>) -> ParseResult<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let start = self.span();
        let prefix = self.prefix()?;
        let token = self.token();
        // A Slang keyword is an ordinary name in HLSL. Only the following token distinguishes them.
        let named = self.peek(1).kind == TokenKind::Identifier;
        let item = match token.text {
            word if self.source.is_declared_type(word) => self.typed_item(prefix),
            "namespace" if token.kind == TokenKind::Identifier => self.namespace(),
            "cbuffer" if named => self.buffer(prefix, BufferKeyword::Cbuffer).map(Item::Buffer),
            "tbuffer" if named => self.buffer(prefix, BufferKeyword::Tbuffer).map(Item::Buffer),
            "struct" | "class" if self.is_forward_declaration(&prefix) => return Ok(()),
            "struct" | "class" if prefix.generics.is_some() && self.names_arguments() => self.specialisation(prefix),
            "struct" if prefix.has("extern") || prefix.has("export") || self.wraps_type() => {
                self.link_time_struct(prefix)
            }
            "typedef" => self.typedef(),
            "typealias" if named => self.alias(prefix.has("public")),
            "using" => self.using(prefix.has("public")),
            "var" | "let" if named => self.slang_variable(prefix),
            "interface" if named => self.interface(&prefix),
            "type_param" if named => self.type_parameter(prefix.has("public")),
            "__generic_value_param" if named => {
                self.skipped(SkippedKind::GenericValue, start);
                return Ok(());
            }
            "func" if named => {
                self.bump();
                self.slang_function(prefix).map(Item::Function)
            }
            "__init" | "__subscript" => {
                self.bump();
                if self.is(TokenKind::LeftParenthesis) {
                    drop(self.function_parameters(Self::parameter)?);
                } else {
                    self.names.lose_count();
                }
                self.recover();
                return Ok(());
            }
            "property" | "associatedtype" => {
                self.recover();
                return Ok(());
            }
            word if self.is_technique(word) => {
                self.bump();
                self.eat(TokenKind::Identifier);
                self.skip_annotation();
                self.skipped(SkippedKind::Technique, start);
                return Ok(());
            }
            "extension" | "__extension" => {
                self.skipped(SkippedKind::Extension, start);
                return Ok(());
            }
            "import" | "__import" | "module" | "implementing" | "__include" => return self.module_item(out, start),
            _ => self.typed_item(prefix),
        };
        out.push(item?);
        Ok(())
    }

    /// Skips `struct S;` or `template<> struct S<float>;`. Returns true if there was one.
    fn is_forward_declaration(&mut self, prefix: &Prefix<'a>) -> bool {
        let arguments = generic_arguments_end(self.source, self.at + 2).filter(|_| prefix.generics.is_some());
        let end = arguments.unwrap_or(self.at + 2);
        let forward = self.peek(1).kind == TokenKind::Identifier && self.source.token(end).kind == TokenKind::Semicolon;
        if forward {
            self.at = end + 1;
        }
        forward
    }

    /// Returns true at `struct S<`. After `template<...>`, arguments follow.
    fn names_arguments(&self) -> bool {
        self.peek(1).kind == TokenKind::Identifier && self.peek(2).kind == TokenKind::Less
    }

    /// `template<> struct S<float> { ... };`
    fn specialisation(&mut self, prefix: Prefix<'a>) -> ParseResult<Item<'a>> {
        let start = self.span();
        let kind = TypeKind::Struct(Box::new(self.specialised_struct()?));
        let span = self.span_from(start);
        self.eat(TokenKind::Semicolon);
        let ty = TypeExpression { kind, suffixes: Vec::new(), packed: None, order: None, span };
        Ok(Item::Declaration(DeclarationSyntax { prefix, ty, declarators: Vec::new(), span }))
    }

    fn namespace(&mut self) -> ParseResult<Item<'a>> {
        self.bump();
        let mut path = Vec::new();
        while self.is(TokenKind::Identifier) {
            path.push(self.name("the name of a namespace")?);
            if !(self.eat(TokenKind::ColonColon) || self.eat(TokenKind::Dot)) {
                break;
            }
        }
        let items = self.block()?;
        self.eat(TokenKind::Semicolon);
        Ok(Item::Namespace { path, items })
    }

    /// `typedef float3 A, B[2];`: a declaration whose names are types.
    fn typedef(&mut self) -> ParseResult<Item<'a>> {
        let start = self.bump().span;
        let mut prefix = self.prefix()?;
        prefix.modifiers.push(Identifier { text: "typedef", span: start });
        self.typed_item(prefix)
    }

    /// `typealias A = T;`, Slang's `typealias A<T, let N : int> = T[N];`
    fn alias(&mut self, is_public: bool) -> ParseResult<Item<'a>> {
        self.bump();
        let name = self.name("the name of a type")?;
        let generics = if self.is(TokenKind::Less) { Some(self.generic_parameters()?) } else { None };
        if self.is_word("where") {
            self.skip_to(|kind| matches!(kind, TokenKind::Assign | TokenKind::Semicolon));
        }
        self.expect(TokenKind::Assign, "`=`")?;
        let ty = self.modified_type()?;
        // `IA & IB`: an interface that combines both; one of them is enough as a type.
        while self.eat(TokenKind::Ampersand) {
            self.modified_type()?;
        }
        self.semicolon()?;
        Ok(Item::Alias { name, generics, ty, is_public })
    }

    /// `using A = T;`, `using namespace N;`, `using N::S;`
    fn using(&mut self, is_public: bool) -> ParseResult<Item<'a>> {
        if self.peek(1).kind == TokenKind::Identifier && self.peek(2).kind == TokenKind::Assign {
            return self.alias(is_public);
        }
        self.bump();
        self.eat_word("namespace");
        let path = self.type_path()?;
        self.semicolon()?;
        Ok(Item::Using { path })
    }

    /// Slang's `var x : float = 1;` and `let x : int = 1;`. Without a type, it is at most a
    /// constant, never a parameter.
    fn slang_variable(&mut self, mut prefix: Prefix<'a>) -> ParseResult<Item<'a>> {
        let start = self.span();
        let word = self.name("`var` or `let`")?;
        if word.text == "let" {
            prefix.modifiers.push(word);
        }
        let name = self.name("a name")?;
        let ty = if self.eat(TokenKind::Colon) {
            self.type_expression()?
        } else {
            prefix.modifiers.push(Identifier { text: "static", span: word.span });
            inferred(word.span)
        };

        let placement = self.placement()?;
        let is_initialised = self.eat(TokenKind::Assign);
        let from = self.position();
        let initialiser = if is_initialised { Some(self.initialiser()) } else { None };
        let tokens = from..self.position();
        self.semicolon()?;
        let declarator = Declarator {
            name,
            outer: Vec::new(),
            pointers: 0,
            dimensions: Vec::new(),
            placement,
            initialiser,
            initialised: tokens,
        };

        let span = self.span_from(start);
        Ok(Item::Declaration(DeclarationSyntax { prefix, ty, declarators: vec![declarator], span }))
    }

    fn interface(&mut self, prefix: &Prefix<'a>) -> ParseResult<Item<'a>> {
        self.bump();
        let name = self.name("the name of an interface")?;
        self.skip_to(|kind| matches!(kind, TokenKind::LeftBrace | TokenKind::Semicolon));
        self.count_omitted_names();
        self.recover();
        let sized = prefix.attributes.iter().find(|attribute| attribute.is("anyValueSize", true));
        let any_value_size = sized.and_then(|attribute| match attribute.arguments.first() {
            Some(ArgumentSyntax::Value(size, _)) => Some(size.clone()),
            Some(ArgumentSyntax::Text(_) | ArgumentSyntax::Other(_)) | None => None,
        });
        Ok(Item::Interface { name, any_value_size, is_public: prefix.has("public") })
    }

    /// `type_param T : I;`
    fn type_parameter(&mut self, is_public: bool) -> ParseResult<Item<'a>> {
        self.bump();
        let name = self.name("the name of a type parameter")?;
        Ok(self.unread(name, "a type that the application chooses when it specialises the program", is_public))
    }

    /// Returns true at `struct S : I = T;`.
    fn wraps_type(&self) -> bool {
        let ends = |kind| matches!(kind, TokenKind::LeftBrace | TokenKind::Semicolon | TokenKind::End);
        let rest = (self.at..).map(|index| self.source.token(index).kind).take_while(|kind| !ends(*kind));
        self.peek(1).kind == TokenKind::Identifier
            && self.peek(2).kind == TokenKind::Colon
            && rest.take(LONGEST_HEAD).any(|kind| kind == TokenKind::Assign)
    }

    /// `extern struct S : I;` and `export struct S : I = T;`, whose members are in another module.
    fn link_time_struct(&mut self, prefix: Prefix<'a>) -> ParseResult<Item<'a>> {
        let (start, name) = (self.at, self.peek(1));
        self.skip_to(|kind| matches!(kind, TokenKind::LeftBrace | TokenKind::Semicolon | TokenKind::Assign));
        if self.is(TokenKind::LeftBrace) || name.kind != TokenKind::Identifier {
            self.at = start;
            return self.typed_item(prefix);
        }
        let (name, is_public) = (Identifier { text: name.text, span: name.span }, prefix.has("public"));
        Ok(self.unread(name, "a type that is chosen when modules are linked", is_public))
    }

    /// Skips a type that is an error only where it is used.
    fn unread(&mut self, name: Identifier<'a>, what: &'static str, is_public: bool) -> Item<'a> {
        self.recover();
        let message = format!("skipped: `{}` is {what}", name.text);
        self.problems.report(Diagnostic::warning(Code::Skipped, name.span, message));
        Item::Unread { name, what, is_public }
    }

    /// Returns true at a technique of an effect, or at a group of techniques. FXC accepts the word
    /// in any case, DXC 1.7.2308 only in lower case.
    fn is_technique(&self, word: &str) -> bool {
        const WORDS: [&str; 4] = ["fxgroup", "technique", "technique10", "technique11"];
        let opens = |ahead: usize| {
            self.peek(ahead).kind == TokenKind::LeftBrace || self.annotation_end(self.at + ahead).is_some()
        };
        let is_open = opens(1) || (self.peek(1).kind == TokenKind::Identifier && opens(2));
        is_open && WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
    }

    /// Skips a declaration that cannot change a layout. [`Parser::report_skipped`] reports it once per kind.
    fn skipped(&mut self, kind: SkippedKind, start: Span) {
        let place = self.span_from(start);
        self.skipped.entry(kind).or_default().push(place);
        self.skip_to(|kind| matches!(kind, TokenKind::LeftBrace | TokenKind::Semicolon));
        if kind == SkippedKind::Extension {
            self.count_omitted_names();
        }
        self.recover();
    }

    /// `import a.b;`, `module m;`, `__include "part.slang";`
    fn module_item(&mut self, out: &mut Vec<Item<'a>>, start: Span) -> ParseResult<()> {
        let keyword = self.bump();
        let mut name = String::new();
        while !matches!(self.token().kind, TokenKind::Semicolon | TokenKind::End | TokenKind::RightBrace) {
            name += self.bump().text.trim_matches('"');
        }

        self.semicolon()?;
        match keyword.text {
            "import" | "__import" => out.push(Item::Import { name }),
            "__include" | "implementing" => {
                let message = format!("the other files of this module are not read: `{name}`");
                self.problems.report(Diagnostic::warning(Code::Skipped, self.span_from(start), message));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Maximum number of tokens between `struct` and its `{`.
const LONGEST_HEAD: usize = 256;

/// The type of a variable that declares none, wide enough for every integer.
fn inferred<'a>(span: Span) -> TypeExpression<'a> {
    let part = PathPart { name: Identifier { text: "int64_t", span }, arguments: None };
    let kind = TypeKind::Path(NamePath { is_rooted: false, parts: vec![part], span });
    TypeExpression { kind, suffixes: Vec::new(), packed: None, order: None, span }
}

impl<'a> Parser<'_, 'a> {
    /// `struct S<T> : Base { ... }`, up to and including the `}`.
    pub(super) fn struct_declaration(&mut self) -> ParseResult<StructDeclaration<'a>> {
        self.bump();
        while self.is(TokenKind::LeftBracket) {
            // `struct [raypayload] Payload`.
            self.skip_brackets();
        }
        let name = self.optional_name()?;
        let generics = if self.is(TokenKind::Less) { Some(self.generic_parameters()?) } else { None };
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
        if self.is(TokenKind::Identifier) { self.name("a name") } else { Ok(self.omitted_name()) }
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
        let is_instance =
            self.source.is_slang && self.is(TokenKind::Identifier) && self.peek(1).kind == TokenKind::Semicolon;
        let instance = if is_instance { Some(self.name("the name of an instance")?) } else { None };
        self.eat(TokenKind::Semicolon);
        Ok(BufferDeclaration { kind, prefix, name, placement, items, instance })
    }
}

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
        if parameters.is_err() {
            self.names.lose_count();
        }
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
            Declarator { name: self.omitted_name(), ..self.unnamed() }
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
