//! Parses the operands of instructions, with their types.

use super::reader::{IrReader, MAX_PARTS};
use super::types::ClangType;
use crate::llvm::arithmetic::signed;
use crate::llvm::lexer::LlvmToken;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ClangOperand {
    /// Result of another instruction.
    Local(String),
    /// A variable of the module.
    Global(String),
    /// A constant's bits.
    Bits(u64),
    Undefined,
    /// `<i32 0, i32 1>`.
    Parts(Vec<ClangOperand>),
    /// `getelementptr` as a constant.
    Address(Box<Address>),
}

/// An address that an instruction or a constant computes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Address {
    /// The base address.
    pub(super) base: ClangOperand,
    /// Sum of the constant indices, in bytes; `None` if an index selects a member that the struct
    /// does not have.
    pub(super) fixed: Option<i64>,
    /// The other indices: index, width in bits, and bytes per step.
    pub(super) scaled: Vec<(ClangOperand, u32, i64)>,
}

/// An operand with its type.
pub(super) type TypedOperand = (ClangType, ClangOperand);

impl IrReader<'_, '_> {
    pub(super) fn typed(&mut self) -> Result<TypedOperand, String> {
        let ty = self.ty()?;
        self.skip_attributes()?;
        let operand = self.operand(&ty)?;
        Ok((ty, operand))
    }

    /// An operand with its type; `None` for `void`.
    pub(super) fn typed_or_void(&mut self) -> Result<Option<TypedOperand>, String> {
        if self.accept(LlvmToken::Word("void")) { Ok(None) } else { self.typed().map(Some) }
    }

    pub(super) fn next_typed(&mut self) -> Result<TypedOperand, String> {
        self.expect(',')?;
        self.typed()
    }

    pub(super) fn operand(&mut self, ty: &ClangType) -> Result<ClangOperand, String> {
        self.nested(|reader| reader.operand_below(ty))
    }

    fn operand_below(&mut self, ty: &ClangType) -> Result<ClangOperand, String> {
        let scalar = || match ty {
            ClangType::Primitive(primitive) => Ok(*primitive),
            other => Err(format!("a number of type {other:?}")),
        };
        match self.next() {
            Some(LlvmToken::Local(name)) => Ok(ClangOperand::Local(name.to_owned())),
            Some(LlvmToken::Global(name)) => Ok(ClangOperand::Global(name.to_owned())),
            Some(LlvmToken::Word("undef" | "poison")) => Ok(ClangOperand::Undefined),
            Some(LlvmToken::Word("true")) => Ok(ClangOperand::Bits(1)),
            Some(LlvmToken::Word("false" | "null")) => Ok(ClangOperand::Bits(0)),
            Some(LlvmToken::Word("zeroinitializer")) => zero(ty),
            Some(LlvmToken::Integer(digits)) => Ok(ClangOperand::Bits(scalar()?.integer(digits)?)),
            Some(LlvmToken::Float(text)) => Ok(ClangOperand::Bits(scalar()?.float(text)?)),
            Some(LlvmToken::Word("splat")) => {
                self.expect('(')?;
                let (_, part) = self.typed()?;
                self.expect(')')?;
                let ClangType::Vector(count, _) = ty else { return Err("a splat that is no vector".to_owned()) };
                Ok(ClangOperand::Parts(vec![part; *count as usize]))
            }
            Some(LlvmToken::Word("getelementptr")) => {
                self.skip_flags()?;
                self.expect('(')?;
                let address = self.address(Some(')'))?;
                Ok(ClangOperand::Address(Box::new(address)))
            }
            // The address space of an address makes no difference here.
            Some(LlvmToken::Word("addrspacecast")) => {
                self.expect('(')?;
                let (_, operand) = self.typed()?;
                self.word()?;
                self.ty()?;
                self.expect(')')?;
                Ok(operand)
            }
            Some(LlvmToken::Punctuation('<')) => self.parts(),
            other => Err(format!("expected an operand, found {other:?}")),
        }
    }

    /// `i32 0, i32 1>`.
    fn parts(&mut self) -> Result<ClangOperand, String> {
        let mut parts = Vec::new();
        while !self.accept_sign('>') {
            if parts.len() == MAX_PARTS as usize {
                return Err(format!("a vector of more than {MAX_PARTS} components"));
            }
            match self.typed()?.1 {
                part @ (ClangOperand::Bits(_) | ClangOperand::Undefined) => parts.push(part),
                other => return Err(format!("a vector that is made of {other:?}")),
            }
            self.accept_sign(',');
        }
        Ok(ClangOperand::Parts(parts))
    }

    /// `%struct.T, ptr %5, i32 0, i32 %i`: until the character `end` in a constant, or as long as
    /// indices follow.
    pub(super) fn address(&mut self, end: Option<char>) -> Result<Address, String> {
        let mut ty = self.ty()?;
        let (_, base) = self.next_typed()?;
        let mut address = Address { base, fixed: Some(0), scaled: Vec::new() };

        let mut first = true;
        while self.accept_sign(',') {
            // `, !tbaa !5` follows an instruction.
            if let Some(LlvmToken::Metadata(_)) = self.peek() {
                break;
            }
            self.skip_attributes()?;
            let index = self.typed()?;
            let Some(below) = self.step(&mut address, ty, first, index)? else { break };
            (ty, first) = (below, false);
        }

        // After a member that the struct does not have, the types are unknown, so skip the rest.
        if address.fixed.is_none() {
            while self.peek().is_some() && end.is_some_and(|sign| self.peek() != Some(LlvmToken::Punctuation(sign))) {
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
        ty: ClangType,
        is_first: bool,
        index: TypedOperand,
    ) -> Result<Option<ClangType>, String> {
        let (ClangType::Primitive(index_type), index) = index else {
            return Err("an index that is no number".to_owned());
        };
        if !is_first && has_members(&ty) {
            return self.member(address, &ty, &index);
        }

        let below = match ty {
            ty if is_first => ty,
            ClangType::Array(_, element) => *element,
            ClangType::Vector(_, element) => ClangType::Primitive(element),
            other => return Err(format!("an element of {other:?}")),
        };

        let size = i64::try_from(self.types().measure(&below)?.size).map_err(|error| error.to_string())?;
        match index {
            ClangOperand::Bits(bits) => address.add(signed(bits, index_type.width()).wrapping_mul(size)),
            index => address.scaled.push((index, index_type.width(), size)),
        }

        Ok(Some(below))
    }

    fn member(&self, address: &mut Address, ty: &ClangType, index: &ClangOperand) -> Result<Option<ClangType>, String> {
        let ClangOperand::Bits(index) = index else { return Err("a member that is chosen by a value".to_owned()) };
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

/// True if indices into the type select members.
fn has_members(ty: &ClangType) -> bool {
    match ty {
        ClangType::Struct(_) | ClangType::Named(_) => true,
        ClangType::Void
        | ClangType::Primitive(_)
        | ClangType::Pointer
        | ClangType::Vector(..)
        | ClangType::Array(..)
        | ClangType::Target(_) => false,
    }
}

fn zero(ty: &ClangType) -> Result<ClangOperand, String> {
    match ty {
        ClangType::Primitive(_) => Ok(ClangOperand::Bits(0)),
        ClangType::Vector(count, _) => Ok(ClangOperand::Parts(vec![ClangOperand::Bits(0); *count as usize])),
        other => Err(format!("a zero of type {other:?}")),
    }
}
