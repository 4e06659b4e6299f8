//! The values of one function call, and an instruction that uses them.

use std::collections::BTreeMap;

use rspirv::dr::Instruction;
use rspirv::spirv::Word;

use super::value::ModelValue;
use crate::inspect::spirv::Operands;

/// The values of one function call.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) values: BTreeMap<Word, ModelValue>,
}

/// An instruction with the values that it sees.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) frame: &'a Frame,
    pub(super) instruction: &'a Instruction,
}

impl Call<'_> {
    /// The literal operands from `first` on.
    pub(super) fn literals(self, first: usize) -> Vec<u32> {
        (first..self.instruction.operands.len()).filter_map(|index| Operands(self.instruction).number(index)).collect()
    }
}
