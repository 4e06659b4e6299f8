//! Decides `@if`, `@elif` and `@else`, and takes a module apart into its declarations.
//!
//! Source: WESL's specification, `ConditionalTranslation`: an attribute decides about one node, which is a declaration,
//! an import, a member, a parameter, a statement or a clause of a `switch`; from wesl 0.4.2 on also several declarations
//! in braces.

use std::collections::BTreeMap;
use std::ops::Range;

use layoutproof_layout::Span;
use layoutproof_source::diagnostics::{Code, Diagnostic};

use super::{LinkSearch, Piece};
use crate::tokens::TokenKind;

/// What a list of nodes holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Module,
    /// Members of a struct, parameters of a function.
    List,
    Statements,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    If(bool),
    Elif(bool),
    Else,
}

pub(super) struct Cutter<'a> {
    pieces: &'a [Piece],
    search: &'a LinkSearch<'a>,
    /// The index of the bracket that closes each opening one.
    closing: Vec<usize>,
    kept: Vec<Piece>,
    /// Names in conditions outside of bodies that the user does not set, with a place.
    unset: BTreeMap<String, Span>,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(pieces: &'a [Piece], search: &'a LinkSearch<'a>) -> Result<Self, Diagnostic> {
        let mut closing = vec![0; pieces.len()];
        let mut open: Vec<usize> = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            match piece.kind {
                TokenKind::Sign('(' | '[' | '{') | TokenKind::TemplateStart => open.push(index),
                TokenKind::Sign(')' | ']' | '}') | TokenKind::TemplateEnd => match open.pop() {
                    Some(start) if is_pair(pieces[start].kind, piece.kind) => closing[start] = index,
                    Some(start) => return Err(bad(&pieces[start], "this bracket is not closed")),
                    None => return Err(bad(piece, "this bracket closes none")),
                },
                TokenKind::Word | TokenKind::Number | TokenKind::Sign(_) => {}
            }
        }
        match open.last() {
            Some(start) => Err(bad(&pieces[*start], "this bracket is not closed")),
            None => Ok(Self { pieces, search, closing, kept: Vec::new(), unset: BTreeMap::new() }),
        }
    }

    /// The imports, directives and declarations that the conditions keep, without the conditions.
    pub(super) fn module(&mut self) -> Result<Vec<Vec<Piece>>, Diagnostic> {
        let mut nodes = Vec::new();
        self.nodes(0..self.pieces.len(), Place::Module, &mut |kept| nodes.push(std::mem::take(kept)))?;
        Ok(nodes)
    }

    pub(super) fn into_unset(self) -> BTreeMap<String, Span> {
        self.unset
    }

    /// Keeps the nodes of a range whose conditions hold, and calls `each` after each of them.
    fn nodes(
        &mut self,
        range: Range<usize>,
        place: Place,
        each: &mut dyn FnMut(&mut Vec<Piece>),
    ) -> Result<(), Diagnostic> {
        // Whether a node of the chain that ends here is kept.
        let mut chain = None;
        let mut at = range.start;
        while at < range.end {
            let mut attributes = Vec::new();
            let mut condition = None;
            while self.pieces[at].is_sign('@') && at + 1 < range.end {
                let start = at;
                let name = &self.pieces[at + 1];
                at += 2;
                let arguments = if self.pieces.get(at).is_some_and(|piece| piece.is_sign('(')) {
                    let inside = at + 1..self.closing[at];
                    at = inside.end + 1;
                    inside
                } else {
                    at..at
                };
                match name.text.as_str() {
                    "if" => condition = Some((start, Condition::If(self.value(arguments, name, place)?))),
                    "elif" => condition = Some((start, Condition::Elif(self.value(arguments, name, place)?))),
                    "else" => condition = Some((start, Condition::Else)),
                    _ => attributes.push(start..at),
                }
                if at >= range.end {
                    return Err(bad(name, "this attribute is for nothing"));
                }
            }
            let end = self.end_of_node(at, range.end, place);
            let keeps = match (condition, chain) {
                (None, _) => {
                    chain = None;
                    true
                }
                (Some((_, Condition::If(holds))), _) => {
                    chain = Some(holds);
                    holds
                }
                (Some((_, Condition::Elif(holds))), Some(kept)) => {
                    chain = Some(kept || holds);
                    holds && !kept
                }
                (Some((_, Condition::Else)), Some(kept)) => {
                    chain = None;
                    !kept
                }
                (Some((start, Condition::Elif(_) | Condition::Else)), None) => {
                    return Err(bad(&self.pieces[start + 1], "no `@if` is before this"));
                }
            };
            let is_block = place == Place::Module && self.pieces[at].is_sign('{');
            if keeps && is_block {
                self.nodes(at + 1..end - 1, place, each)?;
            } else if keeps {
                for attribute in attributes {
                    self.kept.extend_from_slice(&self.pieces[attribute]);
                }
                self.keep(at..end, place)?;
                each(&mut self.kept);
            }
            at = end;
        }
        Ok(())
    }

    /// Keeps a node but for what conditions inside of it exclude.
    fn keep(&mut self, node: Range<usize>, place: Place) -> Result<(), Diagnostic> {
        let keyword = self.pieces[node.start].text.as_str();
        let (is_function, is_struct) = (keyword == "fn", keyword == "struct");
        let mut at = node.start;
        let mut parameters = is_function && place == Place::Module;
        while at < node.end {
            let inside = match self.pieces[at].kind {
                TokenKind::Sign('(') if parameters => {
                    parameters = false;
                    Some(Place::List)
                }
                TokenKind::Sign('{') => match place {
                    Place::Module if is_struct => Some(Place::List),
                    Place::Module if is_function => Some(Place::Statements),
                    Place::Statements => Some(Place::Statements),
                    Place::Module | Place::List => None,
                },
                _ => None,
            };
            self.kept.push(self.pieces[at].clone());
            at += 1;
            if let Some(inside) = inside {
                let end = self.closing[at - 1];
                self.nodes(at..end, inside, &mut |_| ())?;
                at = end;
            }
        }
        Ok(())
    }

    /// One past the last token of the node at `at`.
    fn end_of_node(&self, at: usize, end: usize, place: Place) -> usize {
        let word = self.pieces[at].text.as_str();
        let has_block = match place {
            Place::Module => matches!(word, "fn" | "struct" | "{"),
            Place::Statements => {
                matches!(word, "{" | "if" | "for" | "while" | "loop" | "switch" | "case" | "default" | "continuing")
            }
            Place::List => false,
        };
        let separator = if place == Place::List { ',' } else { ';' };
        let mut next = at;
        while next < end {
            let piece = &self.pieces[next];
            match piece.kind {
                TokenKind::Sign('{') if has_block => {
                    next = self.closing[next] + 1;
                    let follows = |sign: char| self.pieces[next..end].first().is_some_and(|piece| piece.is_sign(sign));
                    if self.pieces[next..end].first().is_some_and(|piece| piece.is_word("else")) {
                        continue;
                    }
                    return if place == Place::Module && follows(';') { next + 1 } else { next };
                }
                TokenKind::Sign('(' | '[' | '{') | TokenKind::TemplateStart => next = self.closing[next],
                TokenKind::Sign(sign) if sign == separator && !has_block => return next + 1,
                _ => {}
            }
            next += 1;
        }
        end
    }

    /// The value of a condition.
    fn value(&mut self, range: Range<usize>, attribute: &Piece, place: Place) -> Result<bool, Diagnostic> {
        let pieces = &self.pieces[range];
        let mut condition = ConditionReader { pieces, next: 0, search: self.search, unset: Vec::new() };
        let value = condition.any().filter(|_| condition.next == pieces.len());
        if place != Place::Statements {
            for piece in condition.unset {
                self.unset.entry(piece.text.clone()).or_insert(piece.span);
            }
        }
        value.ok_or_else(|| {
            let found = pieces.get(condition.next).unwrap_or(attribute);
            bad(found, "a condition has names, `!`, `&&`, `||` and parentheses alone")
        })
    }
}

struct ConditionReader<'a> {
    pieces: &'a [Piece],
    next: usize,
    search: &'a LinkSearch<'a>,
    unset: Vec<&'a Piece>,
}

impl ConditionReader<'_> {
    fn any(&mut self) -> Option<bool> {
        let mut value = self.all()?;
        while self.takes_two('|') {
            value |= self.all()?;
        }
        Some(value)
    }

    fn all(&mut self) -> Option<bool> {
        let mut value = self.one()?;
        while self.takes_two('&') {
            value &= self.one()?;
        }
        Some(value)
    }

    fn one(&mut self) -> Option<bool> {
        let signs = self.pieces[self.next..].iter().take_while(|piece| piece.is_sign('!')).count();
        self.next += signs;
        Some(self.operand()? != (signs % 2 == 1))
    }

    fn operand(&mut self) -> Option<bool> {
        let piece = self.pieces.get(self.next)?;
        self.next += 1;
        match piece.kind {
            TokenKind::Sign('(') => {
                let value = self.any()?;
                let closes = self.pieces.get(self.next).is_some_and(|piece| piece.is_sign(')'));
                self.next += usize::from(closes);
                closes.then_some(value)
            }
            TokenKind::Word => Some(match (piece.text.as_str(), self.search.value(&piece.text)) {
                ("true", _) => true,
                ("false", _) | (_, Some("false")) => false,
                (_, Some(_)) => true,
                (_, None) => {
                    self.unset.push(piece);
                    false
                }
            }),
            TokenKind::Number | TokenKind::Sign(_) | TokenKind::TemplateStart | TokenKind::TemplateEnd => {
                self.next -= 1;
                None
            }
        }
    }

    fn takes_two(&mut self, sign: char) -> bool {
        let is_it = matches!(&self.pieces[self.next..], [first, second, ..]
            if first.is_sign(sign) && second.is_sign(sign));
        self.next += if is_it { 2 } else { 0 };
        is_it
    }
}

fn is_pair(open: TokenKind, close: TokenKind) -> bool {
    matches!(
        (open, close),
        (TokenKind::Sign('('), TokenKind::Sign(')'))
            | (TokenKind::Sign('['), TokenKind::Sign(']'))
            | (TokenKind::Sign('{'), TokenKind::Sign('}'))
            | (TokenKind::TemplateStart, TokenKind::TemplateEnd)
    )
}

fn bad(piece: &Piece, message: &str) -> Diagnostic {
    Diagnostic::error(Code::BadModule, piece.span, format!("`{}`: {message}", piece.text))
}

/// The index of the bracket that closes the one at `start`.
pub(super) fn closing(pieces: &[Piece], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, piece) in pieces.iter().enumerate().skip(start) {
        match piece.kind {
            TokenKind::Sign('(' | '[' | '{') => depth += 1,
            TokenKind::Sign(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}
