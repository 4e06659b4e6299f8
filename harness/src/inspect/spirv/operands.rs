//! Typed access to the operands of an instruction: ids and literals.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Word;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands<'a>(pub(crate) &'a Instruction);

impl Operands<'_> {
    pub(crate) fn id(self, index: usize) -> Option<Word> {
        match self.0.operands.get(index)? {
            Operand::IdRef(id) => Some(*id),
            _ => None,
        }
    }

    pub(crate) fn number(self, index: usize) -> Option<u32> {
        match self.0.operands.get(index)? {
            Operand::LiteralBit32(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn literal(self, index: usize) -> Option<u64> {
        match self.0.operands.get(index)? {
            Operand::LiteralBit32(number) => Some((*number).into()),
            Operand::LiteralBit64(number) => Some(*number),
            _ => None,
        }
    }
}
