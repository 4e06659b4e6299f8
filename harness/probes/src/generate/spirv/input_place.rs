//! The input of a probe's code: 32-bit words that the host uploads, see [`crate::Wiring`].

use std::rc::Rc;

use layoutproof_layout::shape::Count;
use rspirv::spirv::{Decoration, StorageClass, Word};

use super::access::{OPEN, SpirvPlace};
use super::block::{SpirvField, SpirvNode};
use super::buffers::{bind, word_buffer};
use super::kind::ScalarKind;
use super::types::TypeEmitter;
use crate::shared_input::SharedWord;

/// Words of a vector of the input in a uniform buffer.
const LANES_OF_VECTOR: u32 = 4;

/// The place of the input words.
#[derive(Clone, Debug)]
pub(super) enum InputPlace {
    /// A storage buffer with an array of words.
    Words(SpirvPlace),
    /// A uniform buffer that cases share.
    Shared(SharedWords),
}

/// A case's view of the words that cases share.
#[derive(Clone, Debug)]
pub(super) struct SharedWords {
    /// An array of vectors of four, because arrays of smaller elements need a feature in uniform
    /// buffers. Drivers that check every load from a storage buffer compile these loads much
    /// faster.
    vectors: SpirvPlace,
    /// The loaded words, each once.
    loaded: Rc<Vec<Word>>,
    /// For each of the case's own word numbers, the replacement.
    places: Rc<Vec<SharedWord>>,
}

impl InputPlace {
    /// Declares a storage buffer at binding 2.
    pub(super) fn in_storage(types: &mut TypeEmitter) -> Self {
        let place = word_buffer(types, "input", 2);
        types.builder.decorate(place.pointer, Decoration::NonWritable, []);
        Self::Words(place)
    }

    /// Returns a case's view of a shared uniform buffer, before any word is loaded.
    pub(super) fn shared(vectors: SpirvPlace, places: Vec<SharedWord>) -> Self {
        Self::Shared(SharedWords { vectors, loaded: Rc::default(), places: Rc::new(places) })
    }

    /// Sets the loaded words.
    pub(super) fn with_loaded(self, loaded: &Rc<Vec<Word>>) -> Self {
        match self {
            Self::Words(place) => Self::Words(place),
            Self::Shared(words) => Self::Shared(SharedWords { loaded: Rc::clone(loaded), ..words }),
        }
    }

    /// Returns the word with this number.
    pub(super) fn load(&self, types: &mut TypeEmitter, word: u32) -> Word {
        match self {
            Self::Words(place) => types.load(place, &[0, word]),
            Self::Shared(SharedWords { loaded, places, .. }) => {
                let SharedWord { number, xor } = places[word as usize];
                let loaded = loaded[number as usize];
                if xor == 0 {
                    return loaded;
                }
                let (uint, xor) = (types.scalar(ScalarKind::WORD), types.constant(xor));
                types.builder.bitwise_xor(uint, None, loaded, xor).expect(OPEN)
            }
        }
    }

    /// Loads a word by a value that is its number in the buffer, counted from the result of
    /// [`Self::number`].
    pub(super) fn load_at(&self, types: &mut TypeEmitter, word: Word) -> Word {
        let uint = types.scalar(ScalarKind::WORD);
        let zero = types.constant(0);
        let (place, indices) = match self {
            Self::Words(place) => (place, vec![zero, word]),
            Self::Shared(SharedWords { vectors, .. }) => {
                let length = types.constant(LANES_OF_VECTOR);
                let vector = types.builder.u_div(uint, None, word, length).expect(OPEN);
                let lane = types.builder.u_mod(uint, None, word, length).expect(OPEN);
                (vectors, vec![zero, vector, lane])
            }
        };
        let pointer = types.point_to(place, indices, uint);
        types.builder.load(uint, None, pointer, None, []).expect(OPEN)
    }

    /// Returns the buffer's number for a word that starts a contiguous row.
    pub(super) fn number(&self, word: u32) -> u32 {
        match self {
            Self::Words(_) => word,
            Self::Shared(SharedWords { places, .. }) => places[word as usize].number,
        }
    }
}

/// Declares a uniform buffer at binding 2 with this many words.
pub(super) fn shared_buffer(types: &mut TypeEmitter, words: u32) -> SpirvPlace {
    let vector = SpirvNode::Vector { kind: ScalarKind::WORD, length: LANES_OF_VECTOR };
    let count = Count::Finite(words.div_ceil(LANES_OF_VECTOR));
    let node = SpirvNode::Array { element: Box::new(vector), count, stride: 4 * LANES_OF_VECTOR };
    let field = SpirvField { name: "words".into(), index: 0, offset: 0, node };
    let ty = types.emit(&SpirvNode::Struct { name: "input_block".into(), fields: vec![field] });
    types.builder.decorate(ty.id, Decoration::Block, []);

    let class = StorageClass::Uniform;
    let pointer = types.block_variable(class, ty.id, None);
    types.builder.name(pointer, "input");
    bind(types, pointer, 2);
    SpirvPlace { pointer, class, outer: Vec::new(), ty: Rc::new(ty) }
}

/// Loads this many words from a uniform buffer in the open function.
pub(super) fn load_words(types: &mut TypeEmitter, vectors: &SpirvPlace, words: u32) -> Vec<Word> {
    let uint = types.scalar(ScalarKind::WORD);
    let mut loaded = Vec::new();
    for number in 0..words.div_ceil(LANES_OF_VECTOR) {
        let vector = types.load(vectors, &[0, number]);
        let lanes = 0..LANES_OF_VECTOR.min(words - number * LANES_OF_VECTOR);
        loaded.extend(lanes.map(|lane| types.builder.composite_extract(uint, None, vector, [lane]).expect(OPEN)));
    }
    loaded
}
