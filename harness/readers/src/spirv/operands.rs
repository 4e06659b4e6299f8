//! Typed access to the operands of an instruction: ids and literals.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Word;

#[derive(Clone, Copy, Debug)]
pub struct Operands<'a>(pub &'a Instruction);

impl Operands<'_> {
    pub fn id(self, index: usize) -> Option<Word> {
        match self.0.operands.get(index)? {
            Operand::IdRef(id) => Some(*id),
            _ => None,
        }
    }

    pub fn number(self, index: usize) -> Option<u32> {
        match self.0.operands.get(index)? {
            Operand::LiteralBit32(number) => Some(*number),
            _ => None,
        }
    }

    pub fn literal(self, index: usize) -> Option<u64> {
        match self.0.operands.get(index)? {
            Operand::LiteralBit32(number) => Some((*number).into()),
            Operand::LiteralBit64(number) => Some(*number),
            _ => None,
        }
    }
}
