//! Blocks in workgroup memory: fills the memory from a storage buffer, and copies it back.
//!
//! A device cannot upload workgroup memory, so the shader copies the block's bytes as words, through
//! a variable that shares its bytes with the block. All variables with explicit layout start at the
//! same byte, and `Aliased` says so.
//!
//! Source: `SPV_KHR_workgroup_memory_explicit_layout`.

use std::rc::Rc;

use layoutproof_layout::shape::Count;
use rspirv::spirv::{Decoration, StorageClass};

use super::access::SpirvPlace;
use super::buffers::{word_block, word_buffer};
use super::types::TypeEmitter;
use layoutproof_probes::{Direction, WORKGROUP_WORDS};

/// The words of workgroup memory, and the storage buffer that they come from.
#[derive(Clone, Debug)]
pub(super) struct SharedWords {
    buffer: SpirvPlace,
    pub(super) words: SpirvPlace,
    count: u32,
}

impl SharedWords {
    /// Declares both variables. Entry points that only read get a read-only buffer.
    pub(super) fn declare(types: &mut TypeEmitter, direction: Direction, count: u32) -> Self {
        let buffer = word_buffer(types, "block_words", 0);
        match direction {
            Direction::Read => types.builder.decorate(buffer.pointer, Decoration::NonWritable, []),
            Direction::Write => {}
        }

        let ty = word_block(types, "shared_words", Count::Finite(count));
        let class = StorageClass::Workgroup;
        let pointer = types.block_variable(class, ty.id, None);
        types.builder.name(pointer, WORKGROUP_WORDS);
        types.builder.decorate(pointer, Decoration::Aliased, []);
        let words = SpirvPlace::typed(pointer, class, Rc::new(ty));
        Self { buffer, words, count }
    }
}

impl TypeEmitter {
    /// Copies the words of the buffer to workgroup memory, in the open function.
    pub(super) fn fill_workgroup(&mut self, shared: &SharedWords) {
        self.copy_words(&shared.buffer, &shared.words, shared.count);
        self.wait_for_workgroup();
    }

    /// Copies the words of workgroup memory to the buffer, in the open function.
    pub(super) fn copy_back(&mut self, shared: &SharedWords) {
        self.wait_for_workgroup();
        self.copy_words(&shared.words, &shared.buffer, shared.count);
    }

    fn copy_words(&mut self, from: &SpirvPlace, to: &SpirvPlace, count: u32) {
        for word in 0..count {
            let value = self.load(from, &[0, word]);
            self.store(to, &[0, word], value);
        }
    }
}
