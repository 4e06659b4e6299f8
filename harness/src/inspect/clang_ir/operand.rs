//! What instructions work on: words of a line in, operands with their types out.

use super::reader::{MAX_PARTS, Reader};
use super::types::Type;
use crate::inspect::llvm::arithmetic::signed;
use crate::inspect::llvm::lexer::Token;

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    /// Result of another instruction.
    Local(String),
    /// A variable of the module.
    Global(String),
    /// A constant's bits.
    Bits(u64),
    Undefined,
    /// `<i32 0, i32 1>`.
    Parts(Vec<Operand>),
    /// `getelementptr` as a constant.
    Address(Box<Address>),
}

/// An address that an instruction or a constant computes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Address {
    /// Where it starts.
    pub(super) base: Operand,
    /// Bytes that the constant indices come to; `None` where one asks for a member that the struct does not have.
    pub(super) fixed: Option<i64>,
    /// The other indices: a width in bits and the bytes that each counts.
    pub(super) scaled: Vec<(Operand, u32, i64)>,
}

/// An operand with its type.
pub(super) type Typed = (Type, Operand);

impl Reader<'_, '_> {
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

    /// Adds an index to an address and tells what is there; nothing where a struct has no such member. The first index counts
    /// whole values of the type itself.
    fn step(
        &self,
        address: &mut Address,
        (ty, first): (Type, bool),
        (of_index, index): Typed,
    ) -> Result<Option<Type>, String> {
        let Type::Primitive(of_index) = of_index else { return Err("an index that is no number".to_owned()) };
        if !first && has_members(&ty) {
            return self.member(address, &ty, &index);
        }
        let below = match ty {
            ty if first => ty,
            Type::Array(_, element) => *element,
            Type::Vector(_, element) => Type::Primitive(element),
            other => return Err(format!("an element of {other:?}")),
        };
        let size = i64::try_from(self.types().measure(&below)?.size).map_err(|error| error.to_string())?;
        match index {
            Operand::Bits(bits) => address.add(signed(bits, of_index.width()).wrapping_mul(size)),
            index => address.scaled.push((index, of_index.width(), size)),
        }
        Ok(Some(below))
    }

    fn member(&self, address: &mut Address, ty: &Type, index: &Operand) -> Result<Option<Type>, String> {
        let Operand::Bits(index) = index else { return Err("a member that is chosen by a value".to_owned()) };
        let own = self.types().structure(ty)?.ok_or("a member of no struct")?;
        let member = usize::try_from(*index).ok();
        let Some((below, offset)) = member.and_then(|member| own.members.get(member).zip(own.offsets.get(member)))
        else {
            address.fixed = None;
            return Ok(None);
        };
        address.add(i64::try_from(*offset).map_err(|error| error.to_string())?);
        Ok(Some(below.clone()))
    }
}

impl Address {
    fn add(&mut self, bytes: i64) {
        self.fixed = self.fixed.map(|fixed| fixed.wrapping_add(bytes));
    }
}

/// Whether indices into the type choose members.
fn has_members(ty: &Type) -> bool {
    match ty {
        Type::Struct(_) | Type::Named(_) => true,
        Type::Void | Type::Primitive(_) | Type::Pointer | Type::Vector(..) | Type::Array(..) | Type::Target(_) => false,
    }
}

fn zero(ty: &Type) -> Result<Operand, String> {
    match ty {
        Type::Primitive(_) => Ok(Operand::Bits(0)),
        Type::Vector(count, _) => Ok(Operand::Parts(vec![Operand::Bits(0); *count as usize])),
        other => Err(format!("a zero of type {other:?}")),
    }
}
