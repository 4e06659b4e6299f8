//! Parses one line of IR from left to right: words, punctuation and types. `operand` adds operands.

use super::types::{ClangStruct, ClangType, NamedTypes, Target};
use crate::llvm::lexer::LlvmToken;
use crate::llvm::primitive::Primitive;

/// Deepest nesting of types and constants in a line.
const MAX_DEPTH: u32 = 32;

/// Most components of a value: the largest matrix has 16, and probes use only a few of them at
/// once.
pub(super) const MAX_PARTS: u32 = 64;

/// Reads the tokens of a line.
#[derive(Debug)]
pub(super) struct IrReader<'t, 'a> {
    tokens: &'t [LlvmToken<'a>],
    types: &'t NamedTypes,
    depth: u32,
}

impl<'t, 'a> IrReader<'t, 'a> {
    pub(super) fn new(tokens: &'t [LlvmToken<'a>], types: &'t NamedTypes) -> Self {
        Self { tokens, types, depth: 0 }
    }

    pub(super) fn types(&self) -> &'t NamedTypes {
        self.types
    }

    pub(super) fn peek(&self) -> Option<LlvmToken<'a>> {
        self.tokens.first().copied()
    }

    pub(super) fn next(&mut self) -> Option<LlvmToken<'a>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    pub(super) fn accept(&mut self, token: LlvmToken<'_>) -> bool {
        let found = self.tokens.first() == Some(&token);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    pub(super) fn accept_sign(&mut self, sign: char) -> bool {
        self.accept(LlvmToken::Punctuation(sign))
    }

    pub(super) fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.accept_sign(sign) { Ok(()) } else { Err(format!("no `{sign}`")) }
    }

    pub(super) fn word(&mut self) -> Result<&'a str, String> {
        match self.next() {
            Some(LlvmToken::Word(word)) => Ok(word),
            other => Err(format!("expected a word, found {other:?}")),
        }
    }

    pub(super) fn count(&mut self) -> Result<u64, String> {
        match self.next() {
            Some(LlvmToken::Integer(digits)) => {
                digits.parse().map_err(|_| format!("`{digits}` is not a number of elements"))
            }
            other => Err(format!("expected a number, found {other:?}")),
        }
    }

    /// Skips attributes (`inbounds`, `nuw`, `noundef`, `align 4`, `dereferenceable(4)`), up to a
    /// type or an operand.
    pub(super) fn skip_attributes(&mut self) -> Result<(), String> {
        while let Some(LlvmToken::Word(word)) = self.peek() {
            if starts_type(word) || starts_operand(word) {
                break;
            }
            self.next();
            if self.accept_sign('(') {
                self.skip_group()?;
            } else if word == "align" {
                self.count()?;
            }
        }
        Ok(())
    }

    /// Skips the words between `getelementptr` and its parenthesis: `inbounds nuw inrange(-8, 8)`.
    pub(super) fn skip_flags(&mut self) -> Result<(), String> {
        while let Some(LlvmToken::Word(word)) = self.peek() {
            self.next();
            if word == "inrange" {
                self.expect('(')?;
                self.skip_group()?;
            }
        }
        Ok(())
    }

    /// Skips the rest of a group in parentheses.
    fn skip_group(&mut self) -> Result<(), String> {
        let mut open = 1_u32;
        while open > 0 {
            match self.next().ok_or("a parenthesis that is not closed")? {
                LlvmToken::Punctuation('(') => open += 1,
                LlvmToken::Punctuation(')') => open -= 1,
                LlvmToken::Punctuation(_)
                | LlvmToken::Local(_)
                | LlvmToken::Global(_)
                | LlvmToken::Integer(_)
                | LlvmToken::Float(_)
                | LlvmToken::Word(_)
                | LlvmToken::Text(_)
                | LlvmToken::Metadata(_) => {}
            }
        }
        Ok(())
    }

    /// Parses a nested part, one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth == MAX_DEPTH {
            return Err(format!("types and constants nested deeper than {MAX_DEPTH}"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    pub(super) fn ty(&mut self) -> Result<ClangType, String> {
        self.nested(Self::ty_below)
    }

    fn ty_below(&mut self) -> Result<ClangType, String> {
        match self.next() {
            Some(LlvmToken::Word("void")) => Ok(ClangType::Void),
            Some(LlvmToken::Word("ptr")) => {
                if self.accept(LlvmToken::Word("addrspace")) {
                    self.expect('(')?;
                    self.count()?;
                    self.expect(')')?;
                }
                Ok(ClangType::Pointer)
            }
            Some(LlvmToken::Word("target")) => self.target(),
            Some(LlvmToken::Word(word)) => {
                Primitive::named(word).map(ClangType::Primitive).ok_or_else(|| format!("`{word}` is no type"))
            }
            Some(LlvmToken::Local(name)) => Ok(ClangType::Named(name.to_owned())),
            Some(LlvmToken::Punctuation('[')) => {
                let count = self.count()?;
                self.word()?;
                let element = Box::new(self.ty()?);
                self.expect(']')?;
                Ok(ClangType::Array(count, element))
            }
            Some(LlvmToken::Punctuation('{')) => Ok(ClangType::Struct(self.members(false)?)),
            Some(LlvmToken::Punctuation('<')) if self.accept_sign('{') => {
                let members = self.members(true)?;
                self.expect('>')?;
                Ok(ClangType::Struct(members))
            }
            Some(LlvmToken::Punctuation('<')) => self.vector(),
            other => Err(format!("expected a type, found {other:?}")),
        }
    }

    /// `3 x float>`.
    fn vector(&mut self) -> Result<ClangType, String> {
        let count = u32::try_from(self.count()?).ok().filter(|count| (1..=MAX_PARTS).contains(count));
        let count = count.ok_or_else(|| format!("a vector of none or more than {MAX_PARTS} components"))?;
        self.word()?;
        let ClangType::Primitive(element) = self.ty()? else { return Err("a vector of no scalars".to_owned()) };
        self.expect('>')?;
        Ok(ClangType::Vector(count, element))
    }

    /// `float, [2 x i32] }`.
    pub(super) fn members(&mut self, packed: bool) -> Result<ClangStruct, String> {
        let mut members = Vec::new();
        while !self.accept_sign('}') {
            members.push(self.ty()?);
            if !self.accept_sign(',') && self.peek() != Some(LlvmToken::Punctuation('}')) {
                return Err("members without a comma".to_owned());
            }
        }
        Ok(ClangStruct { packed, members })
    }

    /// `("dx.RawBuffer", %struct.T, 1, 0)`.
    fn target(&mut self) -> Result<ClangType, String> {
        self.expect('(')?;
        let Some(LlvmToken::Text(name)) = self.next() else { return Err("a target type without a name".to_owned()) };
        let mut target = Target { name: name.to_owned(), types: Vec::new(), numbers: Vec::new() };
        while !self.accept_sign(')') {
            self.expect(',')?;
            match self.peek() {
                Some(LlvmToken::Integer(_)) => target.numbers.push(self.count()?),
                _ => target.types.push(self.ty()?),
            }
        }
        Ok(ClangType::Target(target))
    }
}

/// True if a type starts with this word.
fn starts_type(word: &str) -> bool {
    matches!(word, "void" | "ptr" | "target") || Primitive::named(word).is_some()
}

/// True if an operand starts with this word.
fn starts_operand(word: &str) -> bool {
    matches!(
        word,
        "undef"
            | "poison"
            | "true"
            | "false"
            | "null"
            | "zeroinitializer"
            | "splat"
            | "getelementptr"
            | "addrspacecast"
    )
}
