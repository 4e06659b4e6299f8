//! The values of one function call, and a view of an instruction with them.

use rspirv::dr::{Function, Instruction};
use rspirv::spirv::Word;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::value::ModelValue;
use layoutproof_readers::spirv::Operands;

/// The values of one function call.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) values: FxHashMap<Word, ModelValue>,
}

impl Frame {
    /// A frame for a call of this function, with room for all its values.
    pub(super) fn of(function: &Function) -> Self {
        let instructions = function.blocks.iter().map(|block| block.instructions.len()).sum();
        Self { values: FxHashMap::with_capacity_and_hasher(instructions, FxBuildHasher) }
    }
}

/// An instruction with the values in scope.
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
