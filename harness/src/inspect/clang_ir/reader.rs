//! One line of IR from left to right: words, signs and types; `operand` reads what they are about.

use super::types::{Struct, Target, Type, Types};
use crate::inspect::llvm::lexer::Token;
use crate::inspect::llvm::primitive::Primitive;

/// Deepest nesting of types and constants in a line.
const MAX_DEPTH: u32 = 32;

/// Most components of a value: the largest matrix has 16, and nobody needs more than a few of them at once.
pub(super) const MAX_PARTS: u32 = 64;

/// Reads the tokens of a line.
#[derive(Debug)]
pub(super) struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    types: &'t Types,
    depth: u32,
}

impl<'t, 'a> Reader<'t, 'a> {
    pub(super) fn new(tokens: &'t [Token<'a>], types: &'t Types) -> Self {
        Self { tokens, types, depth: 0 }
    }

    pub(super) fn types(&self) -> &'t Types {
        self.types
    }

    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.first().copied()
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    pub(super) fn accept(&mut self, token: Token<'_>) -> bool {
        let found = self.tokens.first() == Some(&token);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    pub(super) fn accept_sign(&mut self, sign: char) -> bool {
        self.accept(Token::Punctuation(sign))
    }

    pub(super) fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.accept_sign(sign) { Ok(()) } else { Err(format!("no `{sign}`")) }
    }

    pub(super) fn word(&mut self) -> Result<&'a str, String> {
        match self.next() {
            Some(Token::Word(word)) => Ok(word),
            other => Err(format!("{other:?} is no word")),
        }
    }

    pub(super) fn count(&mut self) -> Result<u64, String> {
        match self.next() {
            Some(Token::Integer(digits)) => digits.parse().map_err(|_| format!("`{digits}` is no count")),
            other => Err(format!("{other:?} is no count")),
        }
    }

    /// Passes over words that say how (`inbounds`, `nuw`, `noundef`, `align 4`, `dereferenceable(4)`), up to what is none.
    pub(super) fn skip_attributes(&mut self) -> Result<(), String> {
        while let Some(Token::Word(word)) = self.peek() {
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

    /// Passes over what stands between `getelementptr` and its parenthesis: `inbounds nuw inrange(-8, 8)`.
    pub(super) fn skip_flags(&mut self) -> Result<(), String> {
        while let Some(Token::Word(word)) = self.peek() {
            self.next();
            if word == "inrange" {
                self.expect('(')?;
                self.skip_group()?;
            }
        }
        Ok(())
    }

    /// Passes over the rest of a group in parentheses.
    fn skip_group(&mut self) -> Result<(), String> {
        let mut open = 1_u32;
        while open > 0 {
            match self.next().ok_or("a parenthesis that is not closed")? {
                Token::Punctuation('(') => open += 1,
                Token::Punctuation(')') => open -= 1,
                Token::Punctuation(_)
                | Token::Local(_)
                | Token::Global(_)
                | Token::Integer(_)
                | Token::Float(_)
                | Token::Word(_)
                | Token::Text(_)
                | Token::Metadata(_) => {}
            }
        }
        Ok(())
    }

    /// Reads what nests, one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth == MAX_DEPTH {
            return Err(format!("types and constants nested deeper than {MAX_DEPTH}"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    pub(super) fn ty(&mut self) -> Result<Type, String> {
        self.nested(Self::ty_below)
    }

    fn ty_below(&mut self) -> Result<Type, String> {
        match self.next() {
            Some(Token::Word("void")) => Ok(Type::Void),
            Some(Token::Word("ptr")) => {
                if self.accept(Token::Word("addrspace")) {
                    self.expect('(')?;
                    self.count()?;
                    self.expect(')')?;
                }
                Ok(Type::Pointer)
            }
            Some(Token::Word("target")) => self.target(),
            Some(Token::Word(word)) => {
                Primitive::named(word).map(Type::Primitive).ok_or_else(|| format!("`{word}` is no type"))
            }
            Some(Token::Local(name)) => Ok(Type::Named(name.to_owned())),
            Some(Token::Punctuation('[')) => {
                let count = self.count()?;
                self.word()?;
                let element = Box::new(self.ty()?);
                self.expect(']')?;
                Ok(Type::Array(count, element))
            }
            Some(Token::Punctuation('{')) => Ok(Type::Struct(self.members(false)?)),
            Some(Token::Punctuation('<')) if self.accept_sign('{') => {
                let members = self.members(true)?;
                self.expect('>')?;
                Ok(Type::Struct(members))
            }
            Some(Token::Punctuation('<')) => self.vector(),
            other => Err(format!("{other:?} is no type")),
        }
    }

    /// `3 x float>`.
    fn vector(&mut self) -> Result<Type, String> {
        let count = u32::try_from(self.count()?).ok().filter(|count| (1..=MAX_PARTS).contains(count));
        let count = count.ok_or_else(|| format!("a vector of none or more than {MAX_PARTS} components"))?;
        self.word()?;
        let Type::Primitive(element) = self.ty()? else { return Err("a vector of no scalars".to_owned()) };
        self.expect('>')?;
        Ok(Type::Vector(count, element))
    }

    /// `float, [2 x i32] }`.
    pub(super) fn members(&mut self, packed: bool) -> Result<Struct, String> {
        let mut members = Vec::new();
        while !self.accept_sign('}') {
            members.push(self.ty()?);
            if !self.accept_sign(',') && self.peek() != Some(Token::Punctuation('}')) {
                return Err("members without a comma".to_owned());
            }
        }
        Ok(Struct { packed, members })
    }

    /// `("dx.RawBuffer", %struct.T, 1, 0)`.
    fn target(&mut self) -> Result<Type, String> {
        self.expect('(')?;
        let Some(Token::Text(name)) = self.next() else { return Err("a target type without a name".to_owned()) };
        let mut target = Target { name: name.to_owned(), types: Vec::new(), numbers: Vec::new() };
        while !self.accept_sign(')') {
            self.expect(',')?;
            match self.peek() {
                Some(Token::Integer(_)) => target.numbers.push(self.count()?),
                _ => target.types.push(self.ty()?),
            }
        }
        Ok(Type::Target(target))
    }
}

/// Whether a type begins with this word.
fn starts_type(word: &str) -> bool {
    matches!(word, "void" | "ptr" | "target") || Primitive::named(word).is_some()
}

/// Whether an operand begins with this word.
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
