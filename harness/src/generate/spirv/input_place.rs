//! The input of a probe's code: 32-bit words that the host uploads, see [`crate::probe::Wiring`].

use layoutproof_layout::shape::Count;
use rspirv::spirv::{Decoration, Word};

use super::access::{OPEN, SpirvPlace};
use super::block::{SpirvField, SpirvNode};
use super::buffers::word_buffer;
use super::kind::ScalarKind;
use super::types::TypeEmitter;

/// Words of a vector of the input in a uniform buffer.
const LANES_OF_VECTOR: u32 = 4;

/// Where the words of the input are.
#[derive(Clone, Debug)]
pub(super) enum InputPlace {
    /// In a storage buffer, an array of words.
    Words(SpirvPlace),
    /// In a uniform buffer, an array of vectors of four, because arrays of anything smaller need a feature there. Drivers that
    /// check every load from a storage buffer compile these much faster.
    Vectors(SpirvPlace),
}

impl InputPlace {
    /// Declares a storage buffer at binding 2.
    pub(super) fn in_storage(types: &mut TypeEmitter) -> Self {
        let place = word_buffer(types, "input", 2);
        types.builder.decorate(place.pointer, Decoration::NonWritable, []);
        Self::Words(place)
    }

    /// The type of a region of so many words in a uniform buffer.
    pub(super) fn region_of_vectors(words: u32) -> SpirvNode {
        let vector = SpirvNode::Vector { kind: ScalarKind::WORD, length: LANES_OF_VECTOR };
        let count = Count::Finite(words.div_ceil(LANES_OF_VECTOR));
        let node = SpirvNode::Array { element: Box::new(vector), count, stride: 4 * LANES_OF_VECTOR };
        let field = SpirvField { name: "words".into(), index: 0, offset: 0, node };
        SpirvNode::Struct { name: "words".into(), fields: vec![field] }
    }

    /// Loads the word of this number.
    pub(super) fn load(&self, types: &mut TypeEmitter, word: u32) -> Word {
        match self {
            Self::Words(place) => types.load(place, &[0, word]),
            Self::Vectors(place) => types.load(place, &[0, word / LANES_OF_VECTOR, word % LANES_OF_VECTOR]),
        }
    }

    /// Loads the word whose number is a value.
    pub(super) fn load_at(&self, types: &mut TypeEmitter, word: Word) -> Word {
        let uint = types.scalar(ScalarKind::WORD);
        let zero = types.constant(0);
        let (place, indices) = match self {
            Self::Words(place) => (place, vec![zero, word]),
            Self::Vectors(place) => {
                let length = types.constant(LANES_OF_VECTOR);
                let vector = types.builder.u_div(uint, None, word, length).expect(OPEN);
                let lane = types.builder.u_mod(uint, None, word, length).expect(OPEN);
                (place, vec![zero, vector, lane])
            }
        };
        let pointer = types.point_to(place, indices, uint);
        types.builder.load(uint, None, pointer, None, []).expect(OPEN)
    }
}
