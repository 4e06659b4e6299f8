//! Walks over tokens with matched brackets, so that skipping a bracket is free.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use layoutproof_layout::Span;
use layoutproof_layout::shape::MatrixOrder;

use super::generated_names::GeneratedNames;
use crate::ast::Identifier;
use layoutproof_preprocess::PreparedTokens;
use layoutproof_preprocess::lexer::{Token, TokenKind};
use layoutproof_preprocess::problems::ProblemList;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::words::words;

/// Maximum nesting of declarations, types and expressions. No real file nests deeper, and the stack
/// of a test thread is large enough.
pub(super) const DEEPEST: u32 = 64;

/// GLSL types that mean something else in HLSL.
const GLSL_SAMPLERS: [&str; 5] = ["sampler1D", "sampler2D", "sampler3D", "samplerCube", "sampler2DShadow"];

/// Maximum number of declarations in a source, including members. Far above any real source; it bounds the memory.
const MOST_DECLARATIONS: u32 = 1 << 16;

/// Words that begin a declaration in Slang but are names in HLSL. DXC 1.7.2308 accepts each of them
/// as the name of a type, a variable, a parameter and a function.
const SLANG_WORDS: [&str; 34] = words(
    "
    __exported __extension __extern_cpp __generic_value_param __global __import __include __init __subscript
    associatedtype borrow constexpr dyn dynamic_uniform extension func highp implementing import internal let lowp
    mediump module no_diff override param property reordercoherent require type_param typealias var visible
    ",
);

/// The tokens of a source, with matched brackets.
#[derive(Debug)]
pub(crate) struct BracketedTokens<'a> {
    tokens: Vec<Token<'a>>,
    /// For an opening bracket, the index of its closing bracket (or of the end, if it is unclosed).
    /// For other tokens, their own index.
    closers: Vec<usize>,
    orders: Vec<(usize, Option<MatrixOrder>)>,
    /// The first token of each imported module, ascending.
    imports: Vec<usize>,
    /// See [`PreparedTokens::visible`].
    visible: Vec<Vec<usize>>,
    /// See [`PreparedTokens::version`].
    version: Option<Span>,
    /// True if some bracket is unclosed. Reaching the end of the text is then not a new problem.
    unbalanced: bool,
    /// True if the source is Slang and not also HLSL.
    pub(super) is_slang: bool,
    /// Words with a meaning only in Slang that this source declares as type names.
    type_names: HashSet<&'a str>,
}

impl<'a> BracketedTokens<'a> {
    /// Matches the brackets of `prepared`. `end` is the place after the last token.
    pub(crate) fn new(prepared: PreparedTokens<'a>, end: Span, is_slang: bool, problems: &mut ProblemList) -> Self {
        let PreparedTokens { mut tokens, orders, imports, visible, version } = prepared;
        let (closers, unclosed) = match_brackets(&tokens);
        for opening in &unclosed {
            let Token { text, span, .. } = tokens[*opening];
            problems.report(Diagnostic::error(Code::Unterminated, span, format!("this `{text}` is never closed")));
        }
        tokens.push(Token { kind: TokenKind::End, text: "", span: end, spaced: true });
        let type_names = if is_slang { HashSet::new() } else { declared_types(&tokens) };
        let unbalanced = !unclosed.is_empty();
        Self { tokens, closers, orders, imports, visible, version, unbalanced, is_slang, type_names }
    }

    /// Returns the token at `index`, or the end token beyond the last one.
    pub(crate) fn token(&self, index: usize) -> Token<'a> {
        self.tokens[index.min(self.tokens.len() - 1)]
    }

    /// Returns true if this source declares `word`, a word of Slang, as a type name.
    pub(super) fn is_declared_type(&self, word: &str) -> bool {
        self.type_names.contains(word)
    }

    /// Returns the text of the tokens in `range`. Keeps the source's white space, and separates
    /// words that a macro put together.
    pub(crate) fn text(&self, range: Range<usize>) -> String {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let mut text = String::new();
        for token in range.map(|index| self.token(index)) {
            let ends = [text.bytes().last(), token.text.bytes().next()];
            let touch = ends.iter().all(|end| end.is_some_and(is_word));
            if !text.is_empty() && (token.spaced || touch) {
                text.push(' ');
            }
            text += token.text;
        }
        text
    }

    /// Returns true if slangc reads this source with the rules of GLSL.
    pub(crate) fn is_glsl_dialect(&self) -> bool {
        self.version.is_some()
    }

    /// Returns the place of `#version` if the words of the text, and not only that line, are those of GLSL.
    pub(crate) fn glsl_version(&self) -> Option<Span> {
        let is_glsl = |pair: &[Token<'a>]| {
            let word = pair[0].text;
            let is_layout = word == "layout" && pair[1].kind == TokenKind::LeftParenthesis;
            let is_name = pair[0].kind == TokenKind::Identifier;
            is_name && (is_layout || word.starts_with("gl_") || GLSL_SAMPLERS.contains(&word))
        };
        self.version.filter(|_| self.tokens.windows(2).any(is_glsl))
    }

    /// Returns the indices of the modules that module `number` imports; the source itself is 0.
    pub(crate) fn imports_of(&self, number: usize) -> Vec<usize> {
        self.visible.get(number).cloned().unwrap_or_default()
    }

    /// Returns the index of the closing bracket for the one at `index`.
    pub(crate) fn closer(&self, index: usize) -> usize {
        self.closers.get(index).copied().unwrap_or(index)
    }

    /// Returns the order that `#pragma pack_matrix` sets for a matrix at `index`.
    pub(super) fn order(&self, index: usize) -> Option<MatrixOrder> {
        let later = self.orders.partition_point(|(start, _)| *start <= index);
        later.checked_sub(1).and_then(|last| self.orders[last].1)
    }
}

/// Returns the words of Slang that the source declares with `struct`, `enum` or `typedef`, as HLSL allows.
fn declared_types<'a>(tokens: &[Token<'a>]) -> HashSet<&'a str> {
    let mut declared = HashSet::new();
    let mut in_typedef = false;
    for (at, token) in tokens.iter().enumerate() {
        let before = tokens.get(at.wrapping_sub(1)).map_or("", |before| before.text);
        let ends_typedef = in_typedef && tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Semicolon);
        in_typedef = token.text == "typedef" || (in_typedef && token.kind != TokenKind::Semicolon);
        let is_declared = matches!(before, "struct" | "class" | "enum") || ends_typedef;
        if is_declared && SLANG_WORDS.contains(&token.text) {
            declared.insert(token.text);
        }
    }
    declared
}

/// Returns the closing bracket for each token, and the unclosed brackets. A `}` closes everything opened after its `{`.
fn match_brackets(tokens: &[Token<'_>]) -> (Vec<usize>, Vec<usize>) {
    let mut closers: Vec<usize> = (0..=tokens.len()).collect();
    let (mut open, mut unclosed, mut open_braces) = (Vec::new(), Vec::new(), 0_usize);
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::LeftBrace | TokenKind::LeftParenthesis | TokenKind::LeftBracket => {
                open_braces += usize::from(token.kind == TokenKind::LeftBrace);
                open.push(index);
            }
            TokenKind::RightParenthesis => close(&mut open, tokens, &mut closers, TokenKind::LeftParenthesis, index),
            TokenKind::RightBracket => close(&mut open, tokens, &mut closers, TokenKind::LeftBracket, index),
            TokenKind::RightBrace if open_braces > 0 => {
                open_braces -= 1;
                while let Some(opening) = open.pop() {
                    closers[opening] = index;
                    if tokens[opening].kind == TokenKind::LeftBrace {
                        break;
                    }
                    unclosed.push(opening);
                }
            }
            _ => {}
        }
    }

    for opening in &open {
        closers[*opening] = tokens.len();
    }

    unclosed.extend(open);
    (closers, unclosed)
}

fn close(open: &mut Vec<usize>, tokens: &[Token<'_>], closers: &mut [usize], kind: TokenKind, index: usize) {
    if open.last().is_some_and(|opening| tokens[*opening].kind == kind) {
        if let Some(opening) = open.pop() {
            closers[opening] = index;
        }
    }
}

/// Result of a parsing method. An error ends the declaration; it is reported where parsing resumes.
pub(crate) type ParseResult<T> = Result<T, Diagnostic>;

/// Parses from a position in a source.
#[derive(Debug)]
pub(crate) struct Parser<'s, 'a> {
    pub(super) source: &'s BracketedTokens<'a>,
    pub(super) at: usize,
    pub(super) depth: u32,
    /// Number of declarations, including members.
    declarations: u32,
    /// For each imported module, the number of declarations before its first one.
    pub(crate) items_before: Vec<usize>,
    /// Places of skipped declarations, by kind.
    pub(super) skipped: BTreeMap<SkippedKind, Vec<Span>>,
    pub(crate) names: GeneratedNames,
    pub(crate) problems: ProblemList,
}

/// A kind of declaration that the parser skips, because no layout depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SkippedKind {
    Extension,
    GenericValue,
    Technique,
}

impl SkippedKind {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Extension => "an extension adds no members",
            Self::GenericValue => "a value that the application chooses when it specialises the program",
            Self::Technique => "a technique declares no parameters",
        }
    }
}

impl<'s, 'a> Parser<'s, 'a> {
    pub(crate) fn new(source: &'s BracketedTokens<'a>, at: usize) -> Self {
        Self {
            source,
            at,
            depth: 0,
            declarations: 0,
            items_before: Vec::new(),
            skipped: BTreeMap::new(),
            names: GeneratedNames::default(),
            problems: ProblemList::default(),
        }
    }

    /// If imported modules begin at the next token, records that `items` declarations come before them.
    pub(super) fn note_imports(&mut self, items: usize) {
        let begun = self.source.imports.partition_point(|first| *first <= self.at);
        if begun > self.items_before.len() {
            self.names.begin_module();
        }
        self.items_before.resize(begun.max(self.items_before.len()), items);
    }

    /// Returns the index of the next token.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn token(&self) -> Token<'a> {
        self.source.token(self.at)
    }

    pub(super) fn peek(&self, ahead: usize) -> Token<'a> {
        self.source.token(self.at + ahead)
    }

    pub(super) fn span(&self) -> Span {
        self.token().span
    }

    /// Returns the place from `start` to the last consumed token.
    pub(super) fn span_from(&self, start: Span) -> Span {
        let last = self.source.token(self.at.saturating_sub(1)).span;
        start.to(last)
    }

    pub(super) fn is(&self, kind: TokenKind) -> bool {
        self.token().kind == kind
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.is(TokenKind::Identifier) && self.token().text == word
    }

    pub(super) fn bump(&mut self) -> Token<'a> {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.is(kind);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> ParseResult<Token<'a>> {
        if self.is(kind) { Ok(self.bump()) } else { Err(self.unexpected(what)) }
    }

    pub(super) fn name(&mut self, what: &str) -> ParseResult<Identifier<'a>> {
        let token = self.expect(TokenKind::Identifier, what)?;
        Ok(Identifier { text: token.text, span: token.span })
    }

    /// Returns an empty name at the next token.
    pub(super) fn no_name(&self) -> Identifier<'a> {
        Identifier { text: "", span: self.span() }
    }

    /// Consumes a `;`. The error for a missing one points after the last token, because the next
    /// token may be lines below.
    pub(super) fn semicolon(&mut self) -> ParseResult<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let problem = self.unexpected("`;`");
        let last = self.source.token(self.at.saturating_sub(1)).span;
        let place = if self.at > 0 { Span { start: last.end, ..last } } else { last };
        Err(Diagnostic::error(problem.code, place, problem.message))
    }

    /// Creates the error "expected `what`, found the next token".
    pub(super) fn unexpected(&self, what: &str) -> Diagnostic {
        let token = self.token();
        let found = match token.kind {
            TokenKind::End => "the end".to_owned(),
            _ => format!("`{}`", token.text),
        };
        Diagnostic::error(Code::UnexpectedToken, token.span, format!("expected {what}, found {found}"))
    }

    /// Reports the problem that stopped a declaration. Omits an unexpected end of the text if a
    /// bracket is unclosed, which is already reported.
    pub(super) fn report(&mut self, problem: Diagnostic) {
        if !(self.source.unbalanced && self.is(TokenKind::End)) {
            self.problems.report(problem);
        }
    }

    /// Counts the declaration that began at token `start`. Beyond the limit, skips the rest of the source.
    pub(super) fn count_declaration(&mut self, start: usize) {
        self.declarations += 1;
        if self.declarations == MOST_DECLARATIONS {
            let message = format!("more than {MOST_DECLARATIONS} declarations");
            self.problems.report(Diagnostic::error(Code::TooLarge, self.source.token(start).span, message));
            self.at = self.source.tokens.len() - 1;
        }
    }

    /// Runs `parse` one level deeper.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        if self.depth >= DEEPEST {
            let message = format!("nested more than {DEEPEST} levels deep");
            return Err(Diagnostic::error(Code::TooDeep, self.span(), message));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Skips the bracket that opens here. Returns the indices of the tokens inside it.
    pub(super) fn skip_brackets(&mut self) -> Range<usize> {
        let opening = self.token().kind;
        let inside = self.at + 1..self.source.closer(self.at);
        self.at = inside.end;
        // An unclosed bracket ends with the enclosing block, whose `}` must not be consumed.
        if opening == TokenKind::LeftBrace || !self.is(TokenKind::RightBrace) {
            self.bump();
        }
        inside
    }

    /// Skips the next `;` or `{ ... }`, but stops before a `}` that closes an enclosing block.
    pub(super) fn recover(&mut self) {
        loop {
            match self.token().kind {
                TokenKind::End | TokenKind::RightBrace => return,
                TokenKind::Semicolon => {
                    self.bump();
                    return;
                }
                TokenKind::LeftBrace => {
                    self.skip_brackets();
                    self.eat(TokenKind::Semicolon);
                    return;
                }
                TokenKind::LeftParenthesis | TokenKind::LeftBracket => {
                    self.skip_brackets();
                }
                _ => {
                    self.bump();
                }
            }
        }
    }
}
