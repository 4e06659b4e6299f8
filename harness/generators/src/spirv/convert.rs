//! Converts between leaves of any type and the 32-bit words of the probe's buffers.
//!
//! The conversion changes no bit: narrow numbers are padded with zeros, wide ones become two words,
//! the low one first. A bool only passes its truth value, as 0 or 1.

use rspirv::spirv::Word;

use super::access::OPEN;
use super::kind::{ScalarKind, ScalarMeaning};
use super::types::TypeEmitter;

impl TypeEmitter {
    /// Returns the words of a value of type `kind`.
    pub(super) fn words_of(&mut self, kind: ScalarKind, value: Word) -> Vec<Word> {
        let word = self.scalar(ScalarKind::WORD);
        match (kind.numeric, kind.bits) {
            (ScalarMeaning::Bool, _) => {
                let truth = self.truth_of(kind, value);
                let [yes, no] = [1, 0].map(|value| self.constant(value));
                vec![self.builder.select(word, None, truth, yes, no).expect(OPEN)]
            }
            (ScalarMeaning::Uint, 32) => vec![value],
            (ScalarMeaning::Int | ScalarMeaning::Float, 32) => {
                vec![self.builder.bitcast(word, None, value).expect(OPEN)]
            }
            (ScalarMeaning::Uint | ScalarMeaning::Int | ScalarMeaning::Float, 64) => {
                let pair = self.vector(ScalarKind::WORD, 2);
                let both = self.builder.bitcast(pair, None, value).expect(OPEN);
                let half = |index| self.builder.composite_extract(word, None, both, [index]).expect(OPEN);
                [0, 1].map(half).to_vec()
            }
            (ScalarMeaning::Uint | ScalarMeaning::Int | ScalarMeaning::Float, _) => {
                let bits = self.scalar(unsigned(kind));
                let value = match kind.numeric {
                    ScalarMeaning::Float => self.builder.bitcast(bits, None, value).expect(OPEN),
                    ScalarMeaning::Uint | ScalarMeaning::Int | ScalarMeaning::Bool => value,
                };
                vec![self.builder.u_convert(word, None, value).expect(OPEN)]
            }
        }
    }

    /// Returns the value of type `kind` in `words`, of which there are [`ScalarKind::words`].
    pub(super) fn value_of(&mut self, kind: ScalarKind, words: &[Word]) -> Word {
        let ty = self.scalar(kind);
        match (kind.numeric, kind.bits) {
            (ScalarMeaning::Bool, _) => {
                let truth = self.truth_of(ScalarKind::WORD, words[0]);
                let [yes, no] = [1, 0].map(|value| self.small_constant(kind, value));
                self.builder.select(ty, None, truth, yes, no).expect(OPEN)
            }
            (ScalarMeaning::Uint, 32) => words[0],
            (ScalarMeaning::Int | ScalarMeaning::Float, 32) => self.builder.bitcast(ty, None, words[0]).expect(OPEN),
            (ScalarMeaning::Uint | ScalarMeaning::Int | ScalarMeaning::Float, 64) => {
                let pair = self.vector(ScalarKind::WORD, 2);
                let both = self.builder.composite_construct(pair, None, words.iter().copied()).expect(OPEN);
                self.builder.bitcast(ty, None, both).expect(OPEN)
            }
            (ScalarMeaning::Uint | ScalarMeaning::Int | ScalarMeaning::Float, _) => {
                let bits = self.scalar(unsigned(kind));
                let value = self.builder.u_convert(bits, None, words[0]).expect(OPEN);
                match kind.numeric {
                    ScalarMeaning::Uint | ScalarMeaning::Bool => value,
                    ScalarMeaning::Int | ScalarMeaning::Float => self.builder.bitcast(ty, None, value).expect(OPEN),
                }
            }
        }
    }

    /// Emits the test that a number is not zero.
    fn truth_of(&mut self, kind: ScalarKind, value: Word) -> Word {
        let zero = self.small_constant(kind, 0);
        let bool_type = self.builder.type_bool();
        self.builder.i_not_equal(bool_type, None, value, zero).expect(OPEN)
    }
}

/// The unsigned integer of the same width.
fn unsigned(kind: ScalarKind) -> ScalarKind {
    ScalarKind { numeric: ScalarMeaning::Uint, ..kind }
}
