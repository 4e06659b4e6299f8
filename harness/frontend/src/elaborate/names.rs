//! Names that DXC refuses: words that it keeps for modifiers, which are errors, and a second declaration in the one scope
//! that HLSL has for globals, functions and members of constant buffers, which is a warning because it changes no layout.
//! slangc allows all of these.
//!
//! Source: DXC 1.7.2308, measured.

use std::collections::{HashMap, HashSet};

use layoutproof_layout::Span;
use layoutproof_preprocess::lexer::TokenKind;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::words::words;

use super::Elaborator;
use crate::ast::{BufferDeclaration, Identifier, Item, TypeKind};
use crate::module::SixteenBitWord;
use crate::parser::BracketedTokens;

/// Words that name nothing: `modifiers must appear before type`. The other modifiers may be names: `sample`, `precise`,
/// `globallycoherent`, `center`, `indices`, `vertices`, `primitives`, `payload`.
const KEYWORDS: [&str; 20] = words(
    "
    centroid column_major export groupshared in inout line lineadj linear nointerpolation noperspective out point
    row_major shared snorm triangle triangleadj uniform unorm
    ",
);

/// What a name of the global scope is. Functions may share one; other checks report two of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Variable,
    /// Of the constant buffer whose name is at this place.
    Member(Span),
    Function,
    Alias,
    Enumerator,
}

#[derive(Clone, Copy, Debug)]
struct GlobalName {
    kind: NameKind,
    span: Span,
}

impl NameKind {
    fn may_follow(self, earlier: Self) -> bool {
        match (self, earlier) {
            (Self::Member(buffer), Self::Member(other)) => buffer == other,
            (Self::Member(_) | Self::Variable | Self::Function | Self::Alias | Self::Enumerator, _) => self == earlier,
        }
    }
}

impl<'t> Elaborator<'t> {
    /// Reports names that DXC refuses. `items` are those of an HLSL source.
    pub(super) fn check_names(&mut self, items: &'t [Item<'t>]) {
        self.check_keywords();
        let mut globals = HashMap::new();
        self.check_globals(items, NameKind::Variable, &mut globals);
    }

    /// A keyword in the place of a name, in declarations and in bodies: behind a type, a comma, a `{` or the colon of a
    /// semantic, and before the end of a declarator.
    fn check_keywords(&mut self) {
        let mut at = 1;
        while self.source.token(at).kind != TokenKind::End {
            let (before, token, next) = (self.source.token(at - 1), self.source.token(at), self.source.token(at + 1));
            at += 1;
            if token.kind != TokenKind::Identifier || !KEYWORDS.contains(&token.text) {
                continue;
            }
            let is_declared = matches!(
                before.kind,
                TokenKind::Identifier | TokenKind::Greater | TokenKind::Comma | TokenKind::Colon | TokenKind::LeftBrace
            );
            let ends_declarator = matches!(
                next.kind,
                TokenKind::Semicolon
                    | TokenKind::Comma
                    | TokenKind::Assign
                    | TokenKind::LeftBracket
                    | TokenKind::LeftParenthesis
                    | TokenKind::LeftBrace
                    | TokenKind::RightParenthesis
                    | TokenKind::RightBrace
                    | TokenKind::Colon
            );
            if is_declared && ends_declarator {
                let message = format!("`{}` is a modifier in HLSL, which DXC takes for no name", token.text);
                let problem = Diagnostic::error(Code::UnexpectedToken, token.span, message);
                self.problems.report(problem.with_help("rename it; slangc takes it as a name"));
            }
        }
    }

    /// Members of constant buffers are globals of the whole source, also inside namespaces.
    fn check_globals(
        &mut self,
        items: &'t [Item<'t>],
        variables: NameKind,
        globals: &mut HashMap<&'t str, GlobalName>,
    ) {
        for item in items {
            match item {
                Item::Declaration(declaration) => {
                    let kind = if declaration.prefix.has("typedef") { NameKind::Alias } else { variables };
                    let declarators = declaration.declarators.iter().filter(|declarator| declarator.outer.is_empty());
                    declarators.for_each(|declarator| self.enter_global(declarator.name, kind, globals));
                    if let TypeKind::Enum(declared) = &declaration.ty.kind {
                        let enumerators = declared.enumerators.iter().filter(|_| declared.unscoped);
                        enumerators.for_each(|it| self.enter_global(it.name, NameKind::Enumerator, globals));
                    }
                }
                Item::Function(function) if function.outer.is_empty() => {
                    self.enter_global(function.name, NameKind::Function, globals);
                }
                Item::Buffer(buffer) => self.check_members_of(buffer, globals),
                Item::Namespace { items, .. } => self.check_buffers(items, globals),
                Item::Function(_)
                | Item::Alias { .. }
                | Item::Using { .. }
                | Item::Interface { .. }
                | Item::Unread { .. }
                | Item::Import { .. } => {}
            }
        }
    }

    fn check_members_of(&mut self, buffer: &'t BufferDeclaration<'t>, globals: &mut HashMap<&'t str, GlobalName>) {
        self.check_globals(&buffer.items, NameKind::Member(buffer.name.span), globals);
    }

    /// The constant buffers of a namespace.
    fn check_buffers(&mut self, items: &'t [Item<'t>], globals: &mut HashMap<&'t str, GlobalName>) {
        for item in items {
            match item {
                Item::Buffer(buffer) => self.check_members_of(buffer, globals),
                Item::Namespace { items, .. } => self.check_buffers(items, globals),
                _ => {}
            }
        }
    }

    fn enter_global(&mut self, name: Identifier<'t>, kind: NameKind, globals: &mut HashMap<&'t str, GlobalName>) {
        if name.text.is_empty() {
            return;
        }
        let Some(earlier) = globals.insert(name.text, GlobalName { kind, span: name.span }) else { return };
        if !kind.may_follow(earlier.kind) {
            let message = format!(
                "DXC refuses the file: `{}` is declared twice in the global scope, which members of constant buffers belong to",
                name.text
            );
            let warning = Diagnostic::warning(Code::CompilerLimit, name.span, message);
            let warning = warning.with_label(earlier.span, "first declared here");
            self.problems.report(warning.with_help("DXC 1.7.2308: `redefinition`; slangc takes both"));
        }
    }
}

/// The first token that names a type of 16 bits which DXC knows only with an option.
pub(super) fn sixteen_bit_word(source: &BracketedTokens<'_>) -> Option<SixteenBitWord> {
    let mut declared = HashSet::new();
    let mut used = Vec::new();
    let mut at = 0;
    while source.token(at).kind != TokenKind::End {
        let token = source.token(at);
        let before = at.checked_sub(1).map_or("", |before| source.token(before).text);
        let next = source.token(at + 1);
        at += 1;
        if token.kind != TokenKind::Identifier || !is_sixteen_bit(token.text) {
            continue;
        }
        let ends_declarator =
            matches!(next.kind, TokenKind::Semicolon | TokenKind::Assign | TokenKind::LeftBracket | TokenKind::Colon);
        if matches!(before, "struct" | "class" | "enum") || ends_declarator {
            declared.insert(token.text);
        } else if !matches!(before, "." | ":") {
            used.push(token);
        }
    }
    let first = used.into_iter().find(|token| !declared.contains(token.text))?;
    Some(SixteenBitWord { name: first.text.to_owned(), span: first.span })
}

/// True for `float16_t`, `int16_t` and `uint16_t`, also with dimensions: `float16_t3x4`.
fn is_sixteen_bit(word: &str) -> bool {
    let dimensions = ["float16_t", "int16_t", "uint16_t"].into_iter().find_map(|scalar| word.strip_prefix(scalar));
    let is_length = |byte: &u8| (b'1'..=b'4').contains(byte);
    match dimensions.map(str::as_bytes) {
        Some([]) => true,
        Some([length]) => is_length(length),
        Some([rows, b'x', columns]) => is_length(rows) && is_length(columns),
        Some(_) | None => false,
    }
}
