//! The input of a probe's code: 32-bit words that the host uploads, see [`layoutproof_probes::Wiring`].

use rspirv::spirv::{Decoration, Word};

use super::access::{OPEN, SpirvPlace};
use super::buffers::word_buffer;
use super::kind::ScalarKind;
use super::types::TypeEmitter;

/// The place of the input words, in a storage buffer.
#[derive(Clone, Debug)]
pub(super) struct InputPlace {
    words: SpirvPlace,
    /// The number of the first word in the buffer.
    first: u32,
}

impl InputPlace {
    /// Declares a storage buffer at binding 2.
    pub(super) fn new(types: &mut TypeEmitter) -> Self {
        let words = word_buffer(types, "input", 2);
        types.builder.decorate(words.pointer, Decoration::NonWritable, []);
        Self { words, first: 0 }
    }

    /// The words from this byte on.
    pub(super) fn starting_at(&self, byte: u32) -> Self {
        Self { first: byte / 4, ..self.clone() }
    }

    /// Returns the word with this number.
    pub(super) fn load(&self, types: &mut TypeEmitter, word: u32) -> Word {
        types.load(&self.words, &[0, self.number(word)])
    }

    /// Loads a word by a value that is its number in the buffer, counted from the result of
    /// [`Self::number`].
    pub(super) fn load_at(&self, types: &mut TypeEmitter, word: Word) -> Word {
        let uint = types.scalar(ScalarKind::WORD);
        let zero = types.constant(0);
        let pointer = types.point_to(&self.words, vec![zero, word], uint);
        types.builder.load(uint, None, pointer, None, []).expect(OPEN)
    }

    /// Returns the buffer's number for a word.
    pub(super) fn number(&self, word: u32) -> u32 {
        self.first + word
    }
}
