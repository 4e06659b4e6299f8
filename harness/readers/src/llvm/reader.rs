//! Reads one line of LLVM assembly from left to right: tokens, types, operands.
//!
//! The text of LLVM 3.7 and that of today differ only in their pointers (`float*`, `ptr`) and in
//! their labels of blocks, so one reader reads both.
//!
//! Source: LLVM Language Reference Manual, "Lexical Structure", "Constants", "Constant Expressions".

use std::collections::HashMap;

use logos::Logos;

use super::arithmetic::signed;
use super::ir_error::IrError;
use super::types::{NamedTypes, Primitive, StructType, Target, Type};

#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip r"[ \t\r]+")]
#[logos(skip(r";[^\n]*", allow_greedy = true))]
pub(super) enum Token<'a> {
    /// `%12`, `%dx.types.Handle`, `%"class.T"`: without the `%` and the quotes.
    #[regex(r"%[-a-zA-Z$._0-9]+", |lexer| &lexer.slice()[1..])]
    #[regex(r#"%"[^"]*""#, |lexer| lexer.slice()[1..].trim_matches('"'))]
    Local(&'a str),
    /// `@dx.op.rawBufferLoad.i32`, `@"$Globals.cb"`: without the `@` and the quotes.
    #[regex(r"@[-a-zA-Z$._0-9]+", |lexer| &lexer.slice()[1..])]
    #[regex(r#"@"[^"]*""#, |lexer| lexer.slice()[1..].trim_matches('"'))]
    Global(&'a str),
    /// `-3`.
    #[regex(r"-?[0-9]+")]
    Integer(&'a str),
    /// `1.000000e+00`, `0x3FF0000000000000`, `0xH3C00`.
    #[regex(r"-?[0-9]+\.[0-9]+(e[-+]?[0-9]+)?")]
    #[regex(r"0x[HKLM]?[0-9A-Fa-f]+")]
    Float(&'a str),
    /// `call`, `i32`, `undef`.
    #[regex(r"[a-zA-Z_][a-zA-Z0-9_.]*")]
    Word(&'a str),
    /// `"dx.Padding"`, `c"B\00"`: without the quotes; escapes are not decoded.
    #[regex(r#"c?"[^"]*""#, |lexer| lexer.slice().trim_start_matches('c').trim_matches('"'))]
    Text(&'a str),
    /// `!hlsl.cbs`, `!0`, `!`, `#0`: metadata and attributes, including the first character.
    #[regex(r"[!#][-a-zA-Z$._0-9]*")]
    Metadata(&'a str),
    /// `(` and similar characters.
    #[regex(r"[(){}\[\],=*:<>|]", |lexer| lexer.slice().chars().next())]
    Punctuation(char),
}

pub(super) fn tokens(line: &str) -> Result<Vec<Token<'_>>, IrError> {
    let mut lexer = Token::lexer(line);
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next() {
        tokens.push(token.map_err(|()| IrError::literal(lexer.slice(), "is not LLVM assembly"))?);
    }
    Ok(tokens)
}

/// Deepest nesting of types and constants in a line.
const MAX_DEPTH: u32 = 32;

/// Most components of a value: the largest matrix has 16, and probes use only a few of them at
/// once.
pub(super) const MAX_PARTS: u32 = 64;

/// Most components of a vector: those of the longest one of shader model 6.9.
const MAX_COMPONENTS: u32 = 1024;

#[derive(Debug)]
pub(super) struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    types: &'t NamedTypes,
    names: &'t mut LocalNames,
    depth: u32,
}

/// The names of a function's values, numbered in the order in which they first appear. Values are
/// found by number: hashing the names that an instruction uses took most of its time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LocalNames {
    names: Vec<String>,
    places: HashMap<String, usize>,
}

impl LocalNames {
    /// The number of a name. A new name gets the next one.
    pub(super) fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        self.places.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.names.len() - 1
    }

    pub(super) fn name(&self, place: usize) -> &str {
        &self.names[place]
    }

    pub(super) fn count(&self) -> usize {
        self.names.len()
    }
}

impl<'t, 'a> Reader<'t, 'a> {
    /// Reads `tokens`, and adds the names of values to `names`.
    pub(super) fn new(tokens: &'t [Token<'a>], types: &'t NamedTypes, names: &'t mut LocalNames) -> Self {
        Self { tokens, types, names, depth: 0 }
    }

    /// The name of the result, if the line starts with one: `%5 =`.
    pub(super) fn result(&mut self) -> Option<usize> {
        let [Token::Local(name), Token::Punctuation('='), rest @ ..] = self.tokens else { return None };
        self.tokens = rest;
        Some(self.names.place(name))
    }

    pub(super) fn types(&self) -> &'t NamedTypes {
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

    pub(super) fn expect(&mut self, sign: char) -> Result<(), IrError> {
        if self.accept_sign(sign) { Ok(()) } else { Err(IrError::Missing(sign)) }
    }

    /// The name of a parameter.
    pub(super) fn local(&mut self) -> Result<usize, IrError> {
        match self.next() {
            Some(Token::Local(name)) => Ok(self.names.place(name)),
            other => Err(IrError::unexpected("a parameter", other)),
        }
    }

    pub(super) fn word(&mut self) -> Result<&'a str, IrError> {
        match self.next() {
            Some(Token::Word(word)) => Ok(word),
            other => Err(IrError::unexpected("a word", other)),
        }
    }

    pub(super) fn count(&mut self) -> Result<u64, IrError> {
        match self.next() {
            Some(Token::Integer(digits)) => {
                digits.parse().map_err(|_| IrError::literal(digits, "is not a number of elements"))
            }
            other => Err(IrError::unexpected("a number", other)),
        }
    }

    /// Skips attributes (`inbounds`, `nuw`, `noundef`, `align 4`, `dereferenceable(4)`), up to a
    /// type or an operand.
    pub(super) fn skip_attributes(&mut self) -> Result<(), IrError> {
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

    /// Skips the words between `getelementptr` and its parenthesis: `inbounds nuw inrange(-8, 8)`.
    pub(super) fn skip_flags(&mut self) -> Result<(), IrError> {
        while let Some(Token::Word(word)) = self.peek() {
            self.next();
            if word == "inrange" {
                self.expect('(')?;
                self.skip_group()?;
            }
        }
        Ok(())
    }

    fn skip_group(&mut self) -> Result<(), IrError> {
        let mut open = 1_u32;
        while open > 0 {
            match self.next().ok_or("a parenthesis that is not closed")? {
                Token::Punctuation('(') => open += 1,
                Token::Punctuation(')') => open -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// Parses a nested part, one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, IrError>) -> Result<T, IrError> {
        if self.depth == MAX_DEPTH {
            return Err(IrError::limit("types and constants nested deeper than", MAX_DEPTH, "levels"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    pub(super) fn ty(&mut self) -> Result<Type, IrError> {
        let mut ty = self.nested(Self::ty_below)?;
        // `[3 x float]*`, `float addrspace(3)*`.
        loop {
            if self.accept_sign('*') {
                ty = Type::Pointer;
            } else if !self.skip_address_space()? {
                return Ok(ty);
            }
        }
    }

    /// Skips `addrspace(2)`. Returns true if it was there.
    fn skip_address_space(&mut self) -> Result<bool, IrError> {
        let found = self.accept(Token::Word("addrspace"));
        if found {
            self.expect('(')?;
            self.skip_group()?;
        }
        Ok(found)
    }

    fn ty_below(&mut self) -> Result<Type, IrError> {
        match self.next() {
            // Tokens are for LLVM's passes; no value has one.
            Some(Token::Word("void" | "token")) => Ok(Type::Void),
            Some(Token::Word("ptr")) => Ok(Type::Pointer),
            Some(Token::Word("target")) => self.target(),
            Some(Token::Word(word)) => {
                Primitive::named(word).map(Type::Primitive).ok_or_else(|| IrError::literal(word, "is no type"))
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
            other => Err(IrError::unexpected("a type", other)),
        }
    }

    /// `3 x float>`.
    fn vector(&mut self) -> Result<Type, IrError> {
        let count = u32::try_from(self.count()?).ok().filter(|count| (1..=MAX_COMPONENTS).contains(count));
        let count = count.ok_or(IrError::limit("a vector of none or more than", MAX_COMPONENTS, "components"))?;
        self.word()?;
        let Type::Primitive(element) = self.ty()? else { return Err("a vector of no scalars".into()) };
        self.expect('>')?;
        Ok(Type::Vector(count, element))
    }

    /// `float, [2 x i32] }`.
    pub(super) fn members(&mut self, packed: bool) -> Result<StructType, IrError> {
        let mut members = Vec::new();
        while !self.accept_sign('}') {
            members.push(self.ty()?);
            if !self.accept_sign(',') && self.peek() != Some(Token::Punctuation('}')) {
                return Err("members without a comma".into());
            }
        }
        Ok(StructType { packed, members })
    }

    /// `("dx.RawBuffer", %struct.T, 1, 0)`.
    fn target(&mut self) -> Result<Type, IrError> {
        self.expect('(')?;
        let Some(Token::Text(name)) = self.next() else { return Err("a target type without a name".into()) };
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

/// True if a type starts with this word. Integers of an unsupported width are types, too, not
/// attributes.
fn starts_type(word: &str) -> bool {
    let is_integer = word.strip_prefix('i').is_some_and(|width| width.parse::<u32>().is_ok());
    is_integer || matches!(word, "void" | "token" | "ptr" | "target") || Primitive::named(word).is_some()
}

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

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    /// Result of another instruction, by the number of its name.
    Local(usize),
    Global(String),
    Bits(u64),
    Undefined,
    /// `<i32 0, i32 1>`, `{ i32 1, i8 2 }`.
    Parts(Vec<Operand>),
    /// `getelementptr` as a constant.
    Address(Box<Address>),
}

/// An address that an instruction or a constant computes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Address {
    pub(super) base: Operand,
    /// Sum of the constant indices, in bytes; `None` if an index selects a member that the struct
    /// does not have.
    pub(super) fixed: Option<i64>,
    /// The other indices: index, width in bits, and bytes per step.
    pub(super) scaled: Vec<(Operand, u32, i64)>,
}

pub(super) type TypedOperand = (Type, Operand);

impl Reader<'_, '_> {
    pub(super) fn typed(&mut self) -> Result<TypedOperand, IrError> {
        let ty = self.ty()?;
        self.skip_attributes()?;
        let operand = self.operand(&ty)?;
        Ok((ty, operand))
    }

    /// An operand with its type; `None` for `void`.
    pub(super) fn typed_or_void(&mut self) -> Result<Option<TypedOperand>, IrError> {
        if self.accept(Token::Word("void")) { Ok(None) } else { self.typed().map(Some) }
    }

    pub(super) fn next_typed(&mut self) -> Result<TypedOperand, IrError> {
        self.expect(',')?;
        self.typed()
    }

    pub(super) fn operand(&mut self, ty: &Type) -> Result<Operand, IrError> {
        self.nested(|reader| reader.operand_below(ty))
    }

    fn operand_below(&mut self, ty: &Type) -> Result<Operand, IrError> {
        let scalar = || match ty {
            Type::Primitive(primitive) => Ok(*primitive),
            other => Err(IrError::Type { what: "a number of type", ty: other.clone() }),
        };
        match self.next() {
            Some(Token::Local(name)) => Ok(Operand::Local(self.names.place(name))),
            Some(Token::Global(name)) => Ok(Operand::Global(name.to_owned())),
            Some(Token::Word("undef" | "poison")) => Ok(Operand::Undefined),
            Some(Token::Word("true")) => Ok(Operand::Bits(1)),
            Some(Token::Word("false" | "null")) => Ok(Operand::Bits(0)),
            Some(Token::Word("zeroinitializer")) => self.zero(ty),
            Some(Token::Integer(digits)) => Ok(Operand::Bits(scalar()?.integer(digits)?)),
            Some(Token::Float(text)) => Ok(Operand::Bits(scalar()?.float(text)?)),
            Some(Token::Word("splat")) => {
                self.expect('(')?;
                let (_, part) = self.typed()?;
                self.expect(')')?;
                let Type::Vector(count, _) = ty else { return Err("a splat that is no vector".into()) };
                Ok(Operand::Parts(vec![part; *count as usize]))
            }
            Some(Token::Word("getelementptr")) => {
                self.skip_flags()?;
                self.expect('(')?;
                let address = self.address(Some(')'))?;
                Ok(Operand::Address(Box::new(address)))
            }
            // The address space of an address makes no difference here.
            Some(Token::Word("addrspacecast")) => {
                self.expect('(')?;
                let (_, operand) = self.typed()?;
                self.word()?;
                self.ty()?;
                self.expect(')')?;
                Ok(operand)
            }
            Some(Token::Punctuation('<')) => self.parts('>'),
            Some(Token::Punctuation('{')) => self.parts('}'),
            other => Err(IrError::unexpected("an operand", other)),
        }
    }

    /// The parts of a constant up to `end`: `i32 0, i32 1>`.
    fn parts(&mut self, end: char) -> Result<Operand, IrError> {
        let mut parts = Vec::new();
        while !self.accept_sign(end) {
            if parts.len() == MAX_PARTS as usize {
                return Err(IrError::limit("a constant of more than", MAX_PARTS, "parts"));
            }
            match self.typed()?.1 {
                part @ (Operand::Bits(_) | Operand::Undefined | Operand::Parts(_)) => parts.push(part),
                // LLVM does not allow this, and a part that names an aggregate could double it with
                // each line.
                Operand::Local(place) => return Err(IrError::ConstantOf(self.names.name(place).to_owned())),
                Operand::Global(_) | Operand::Address(_) => {
                    return Err("a constant that is made of an address".into());
                }
            }
            self.accept_sign(',');
        }
        Ok(Operand::Parts(parts))
    }

    /// The zero of a scalar, a vector, or a struct of scalars.
    fn zero(&self, ty: &Type) -> Result<Operand, IrError> {
        let count = match ty {
            Type::Primitive(_) => return Ok(Operand::Bits(0)),
            Type::Vector(count, _) => *count as usize,
            ty => match self.types.structure(ty)? {
                Some(own) if own.members.iter().all(|member| matches!(member, Type::Primitive(_))) => own.members.len(),
                _ => return Err(IrError::Type { what: "a zero of type", ty: ty.clone() }),
            },
        };
        Ok(Operand::Parts(vec![Operand::Bits(0); count]))
    }

    /// `%struct.T, ptr %5, i32 0, i32 %i`: until the character `end` in a constant, or as long as
    /// indices follow.
    pub(super) fn address(&mut self, end: Option<char>) -> Result<Address, IrError> {
        let mut ty = self.ty()?;
        let (_, base) = self.next_typed()?;
        let mut address = Address { base, fixed: Some(0), scaled: Vec::new() };

        let mut first = true;
        while self.accept_sign(',') {
            // `, !tbaa !5` follows an instruction.
            if let Some(Token::Metadata(_)) = self.peek() {
                break;
            }
            self.skip_attributes()?;
            let index = self.typed()?;
            let Some(below) = self.step(&mut address, ty, first, index)? else { break };
            (ty, first) = (below, false);
        }

        // After a member that the struct does not have, the types are unknown, so skip the rest.
        if address.fixed.is_none() {
            while self.peek().is_some() && end.is_some_and(|sign| self.peek() != Some(Token::Punctuation(sign))) {
                self.next();
            }
        }
        end.map_or(Ok(()), |sign| self.expect(sign))?;
        Ok(address)
    }

    /// Adds an index to an address and returns the type at the new address; `None` if a struct has
    /// no such member. The first index counts whole values of the type.
    fn step(
        &self,
        address: &mut Address,
        ty: Type,
        is_first: bool,
        index: TypedOperand,
    ) -> Result<Option<Type>, IrError> {
        let (Type::Primitive(index_type), index) = index else {
            return Err("an index that is no number".into());
        };
        if !is_first && matches!(ty, Type::Struct(_) | Type::Named(_)) {
            return self.member(address, &ty, &index);
        }

        let below = match ty {
            ty if is_first => ty,
            Type::Array(_, element) => *element,
            Type::Vector(_, element) => Type::Primitive(element),
            ty => return Err(IrError::Type { what: "an element of", ty }),
        };

        let size = i64::try_from(self.types().measure(&below)?.size)?;
        match index {
            Operand::Bits(bits) => address.add(signed(bits, index_type.width()).wrapping_mul(size)),
            index => address.scaled.push((index, index_type.width(), size)),
        }

        Ok(Some(below))
    }

    fn member(&self, address: &mut Address, ty: &Type, index: &Operand) -> Result<Option<Type>, IrError> {
        let Operand::Bits(index) = index else { return Err("a member that is chosen by a value".into()) };
        let own = self.types().structure(ty)?.ok_or("a member of no struct")?;
        let member = usize::try_from(*index).ok();
        let Some((below, offset)) = member.and_then(|member| own.members.get(member).zip(own.offsets.get(member)))
        else {
            address.fixed = None;
            return Ok(None);
        };
        address.add(i64::try_from(*offset)?);
        Ok(Some(below.clone()))
    }
}

impl Address {
    fn add(&mut self, bytes: i64) {
        self.fixed = self.fixed.map(|fixed| fixed.wrapping_add(bytes));
    }
}
