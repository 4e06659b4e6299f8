//! One line of IR from left to right: types, operands, the words around them.

use super::operand::{Address, Operand};
use super::types::{Struct, Target, Type, Types};
use crate::llvm::lexer::Token;
use crate::llvm::primitive::Primitive;

/// Deepest nesting of types and constants in a line.
const MAX_DEPTH: u32 = 32;

/// Most components of a value: the largest matrix has 16, and nobody needs more than a few of them at once.
pub(super) const MAX_PARTS: u32 = 64;

/// An operand with its type.
pub(super) type Typed = (Type, Operand);

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
    fn skip_flags(&mut self) -> Result<(), String> {
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
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
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

    pub(super) fn typed(&mut self) -> Result<Typed, String> {
        let ty = self.ty()?;
        self.skip_attributes()?;
        let operand = self.operand(&ty)?;
        Ok((ty, operand))
    }

    /// The same, or `void`.
    pub(super) fn typed_or_void(&mut self) -> Result<Option<Typed>, String> {
        if self.accept(Token::Word("void")) { Ok(None) } else { self.typed().map(Some) }
    }

    pub(super) fn next_typed(&mut self) -> Result<Typed, String> {
        self.expect(',')?;
        self.typed()
    }

    pub(super) fn operand(&mut self, ty: &Type) -> Result<Operand, String> {
        self.nested(|reader| reader.operand_below(ty))
    }

    fn operand_below(&mut self, ty: &Type) -> Result<Operand, String> {
        let scalar = || match ty {
            Type::Primitive(primitive) => Ok(*primitive),
            other => Err(format!("a number of type {other:?}")),
        };
        match self.next() {
            Some(Token::Local(name)) => Ok(Operand::Local(name.to_owned())),
            Some(Token::Global(name)) => Ok(Operand::Global(name.to_owned())),
            Some(Token::Word("undef" | "poison")) => Ok(Operand::Undefined),
            Some(Token::Word("true")) => Ok(Operand::Bits(1)),
            Some(Token::Word("false" | "null")) => Ok(Operand::Bits(0)),
            Some(Token::Word("zeroinitializer")) => zero(ty),
            Some(Token::Integer(digits)) => Ok(Operand::Bits(scalar()?.integer(digits)?)),
            Some(Token::Float(text)) => Ok(Operand::Bits(scalar()?.float(text)?)),
            Some(Token::Word("splat")) => {
                self.expect('(')?;
                let (_, part) = self.typed()?;
                self.expect(')')?;
                let Type::Vector(count, _) = ty else { return Err("a splat that is no vector".to_owned()) };
                Ok(Operand::Parts(vec![part; *count as usize]))
            }
            Some(Token::Word("getelementptr")) => {
                self.skip_flags()?;
                self.expect('(')?;
                let address = self.address(Some(')'))?;
                Ok(Operand::Address(Box::new(address)))
            }
            // Which address space an address is in changes nothing here.
            Some(Token::Word("addrspacecast")) => {
                self.expect('(')?;
                let (_, operand) = self.typed()?;
                self.word()?;
                self.ty()?;
                self.expect(')')?;
                Ok(operand)
            }
            Some(Token::Punctuation('<')) => self.parts(),
            other => Err(format!("{other:?} is no operand")),
        }
    }

    /// `i32 0, i32 1>`.
    fn parts(&mut self) -> Result<Operand, String> {
        let mut parts = Vec::new();
        while !self.accept_sign('>') {
            if parts.len() == MAX_PARTS as usize {
                return Err(format!("a vector of more than {MAX_PARTS} components"));
            }
            match self.typed()?.1 {
                part @ (Operand::Bits(_) | Operand::Undefined) => parts.push(part),
                other => return Err(format!("a vector that is made of {other:?}")),
            }
            self.accept_sign(',');
        }
        Ok(Operand::Parts(parts))
    }

    /// `%struct.T, ptr %5, i32 0, i32 %i`, up to the sign `end` of a constant or to what is no index.
    pub(super) fn address(&mut self, end: Option<char>) -> Result<Address, String> {
        let mut ty = self.ty()?;
        let (_, base) = self.next_typed()?;
        let mut address = Address { base, fixed: Some(0), scaled: Vec::new() };
        let mut first = true;
        while self.accept_sign(',') {
            // `, !tbaa !5` stands behind an instruction.
            if let Some(Token::Metadata(_)) = self.peek() {
                break;
            }
            self.skip_attributes()?;
            let index = self.typed()?;
            let Some(below) = self.step(&mut address, (ty, first), index)? else { break };
            (ty, first) = (below, false);
        }
        if address.fixed.is_none() {
            while self.peek().is_some() && end.is_some_and(|sign| self.peek() != Some(Token::Punctuation(sign))) {
                self.next();
            }
        }
        end.map_or(Ok(()), |sign| self.expect(sign))?;
        Ok(address)
    }

    /// Adds an index to an address and tells what is there; nothing where a struct has no such member.
    fn step(
        &self,
        address: &mut Address,
        (ty, first): (Type, bool),
        (of_index, index): Typed,
    ) -> Result<Option<Type>, String> {
        let Type::Primitive(of_index) = of_index else { return Err("an index that is no number".to_owned()) };
        if !first && has_members(&ty) {
            let Operand::Bits(member) = index else { return Err("a member that is chosen by a value".to_owned()) };
            let own = self.types.structure(&ty)?.ok_or("a member of no struct")?;
            let found =
                usize::try_from(member).ok().and_then(|member| own.members.get(member).zip(own.offsets.get(member)));
            let Some((below, offset)) = found else {
                address.fixed = None;
                return Ok(None);
            };
            let offset = i64::try_from(*offset).map_err(|error| error.to_string())?;
            address.fixed = address.fixed.map(|fixed| fixed.wrapping_add(offset));
            return Ok(Some(below.clone()));
        }
        let below = if first {
            ty
        } else {
            match ty {
                Type::Array(_, element) => *element,
                Type::Vector(_, element) => Type::Primitive(element),
                other => return Err(format!("an element of {other:?}")),
            }
        };
        let size = i64::try_from(self.types.measure(&below)?.size).map_err(|error| error.to_string())?;
        match index {
            Operand::Bits(bits) => {
                let offset = signed(bits, of_index.width()).wrapping_mul(size);
                address.fixed = address.fixed.map(|fixed| fixed.wrapping_add(offset));
            }
            index => address.scaled.push((index, of_index.width(), size)),
        }
        Ok(Some(below))
    }
}

/// Whether indices into the type choose members.
fn has_members(ty: &Type) -> bool {
    match ty {
        Type::Struct(_) | Type::Named(_) => true,
        Type::Void | Type::Primitive(_) | Type::Pointer | Type::Vector(..) | Type::Array(..) | Type::Target(_) => false,
    }
}

/// `bits` of `width` with their sign.
pub(super) fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    (bits << unused).cast_signed() >> unused
}

fn zero(ty: &Type) -> Result<Operand, String> {
    match ty {
        Type::Primitive(_) => Ok(Operand::Bits(0)),
        Type::Vector(count, _) => Ok(Operand::Parts(vec![Operand::Bits(0); *count as usize])),
        other => Err(format!("a zero of type {other:?}")),
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
