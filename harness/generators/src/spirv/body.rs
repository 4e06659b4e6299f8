//! Writes the code of one entry point: loads and stores of every leaf through every form, as
//! straight-line code without branches. Forms other than leaf, vector and whole are in `forms`.
//!
//! Software rasterizers turn control flow around buffer accesses into a loop per lane, so the code
//! has none.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rspirv::spirv::Word;

use super::access::{OPEN, SpirvPlace};
use super::block::Way;
use super::heap::HeapPlace;
use super::input_place::InputPlace;
use super::kind::ScalarKind;
use super::types::{EmittedType, TypeEmitter, TypedForm};
use super::workgroup::SharedWords;
use layoutproof_probes::{AnswerPlace, AnswerSlot, Form, HASH_FACTOR, Wiring};

/// The interface of a probe: the places that the code of one entry point reads and writes.
#[derive(Clone, Debug)]
pub(super) struct SpirvInterface {
    pub(super) block: SpirvPlace,
    /// The type of the pointer to a block at an address, which is in the block's variable.
    pub(super) address: Option<Word>,
    /// The way to a block in the descriptor heap, which is the block's variable.
    pub(super) heap: Option<HeapPlace>,
    pub(super) output: SpirvPlace,
    pub(super) input: InputPlace,
    /// The block in the other layout, for [`Form::Copied`].
    pub(super) copy: Option<CopyPlace>,
    /// The variable for a copy of the block, for [`Form::Private`].
    pub(super) private: Option<SpirvPlace>,
    /// The local variable for a copy of the block, for [`Form::Function`].
    pub(super) local: Option<SpirvPlace>,
    /// The variable for a copy of the block, for [`Form::Workgroup`] and [`Form::Sized`].
    pub(super) workgroup: Option<SpirvPlace>,
    /// The variable with the invocation's index, for [`Form::Divergent`].
    pub(super) lane: Option<Word>,
    /// The words of workgroup memory, for a block that is there.
    pub(super) shared: Option<SharedWords>,
    /// The function that takes the block, for [`Form::Parameter`].
    pub(super) function: Option<Word>,
}

/// The block in the other layout.
#[derive(Clone, Debug)]
pub(super) struct CopyPlace {
    pub(super) place: SpirvPlace,
    /// The indices to each leaf, in the order of the plan.
    pub(super) leaves: Rc<Vec<Vec<u32>>>,
}

/// What the code does with the words that it reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum AnswerMode {
    /// Stores each one to its own word of the output.
    Stored,
    /// Adds them to this hash, in the order in which they are read.
    Hashed(Word),
}

/// Writes the instructions of one entry point into the builder's open block.
pub(super) struct BodyWriter<'a> {
    pub(super) types: &'a mut TypeEmitter,
    pub(super) interface: SpirvInterface,
    /// The indices of each leaf, in the order of the plan.
    pub(super) leaves: &'a [Way],
    pub(super) wiring: &'a Wiring,
    pub(super) answers: AnswerMode,
}

/// Storing a vector, array or struct at once failed, because it needs leaves that the plan does not
/// have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MissingLeaf;

impl BodyWriter<'_> {
    /// Stores the nonce from the input to the output.
    pub(super) fn store_nonce(&mut self) {
        let nonce = self.load_input(0);
        self.store_output(0, nonce);
    }

    /// Stores the bits of the leaves, read through `form`.
    pub(super) fn read(&mut self, form: Form) -> Result<(), MissingLeaf> {
        match form {
            Form::Leaf | Form::Untyped => {
                let values = self.leaves.iter().map(|leaf| self.load_block(&leaf.indices)).collect();
                self.store_answers(form, values);
            }
            Form::Vector | Form::UntypedVector => {
                let values = self.read_vectors();
                self.store_answers(form, values);
            }
            Form::Whole | Form::UntypedWhole => {
                let whole = self.load_block(&[]);
                self.store_parts(form, whole);
            }
            Form::Parameter => self.call_with_block(),
            Form::Indexed => self.read_indexed(),
            Form::Divergent => self.read_divergent(),
            Form::Copied => self.copy_out()?,
            Form::Length | Form::UntypedLength => self.read_length(form),
            Form::Retyped => {
                let values = self.read_members();
                self.store_answers(form, values);
            }
            // Only the code of compilers is probed: SPIR-V has no byte-address buffers, and we write no links.
            Form::ByteAddress | Form::Linked => {}
            Form::Private => self.read_copy(form, self.interface.private.clone())?,
            Form::Function => self.read_copy(form, self.interface.local.clone())?,
            Form::Workgroup | Form::Sized => self.read_copy(form, self.interface.workgroup.clone())?,
        }
        Ok(())
    }

    /// Stores the leaves of a value of the block's type as answers of `form`.
    pub(super) fn store_parts(&mut self, form: Form, whole: Word) {
        let values = self.leaves.iter().map(|leaf| self.extract(whole, &leaf.indices, &leaf.indices)).collect();
        self.store_answers(form, values);
    }

    /// Stores the values of all leaves at the answer places of `form`.
    fn store_answers(&mut self, form: Form, values: Vec<Word>) {
        let slots = self.wiring.slots.iter().filter(|slot| slot.form == form);
        slots.zip(values).for_each(|(slot, value)| self.store_answer(slot, value));
    }

    /// Stores the value of a leaf at its answer's place, or adds it to the hash.
    pub(super) fn store_answer(&mut self, slot: &AnswerSlot, value: Word) {
        let [AnswerPlace::Word(first)] = slot.places[..] else { return };
        let kind = self.kind(slot.leaf);
        for (word, bits) in (first..).zip(self.types.words_of(kind, value)) {
            match self.answers {
                AnswerMode::Stored => self.store_output(word, bits),
                AnswerMode::Hashed(hash) => self.answers = AnswerMode::Hashed(self.hash_step(hash, bits)),
            }
        }
    }

    /// Writes the step of a hash; the host computes it as [`layoutproof_probes::RegionJob`] does.
    pub(super) fn hash_step(&mut self, hash: Word, bits: Word) -> Word {
        let (uint, factor) = (self.types.scalar(ScalarKind::WORD), self.types.constant(HASH_FACTOR));
        let builder = &mut self.types.builder;
        let mixed = builder.bitwise_xor(uint, None, hash, bits).expect(OPEN);
        builder.i_mul(uint, None, mixed, factor).expect(OPEN)
    }

    /// Loads each vector once, and extracts its leaves from the loaded value.
    fn read_vectors(&mut self) -> Vec<Word> {
        let mut loaded = BTreeMap::new();
        let mut values = Vec::new();
        for Way { indices, .. } in self.leaves {
            let value = match in_vector(&self.interface.block.ty, indices) {
                None => self.load_block(indices),
                Some((vector, component)) => {
                    let value = *loaded.entry(vector).or_insert_with(|| self.load_block(vector));
                    self.extract(value, indices, &[component])
                }
            };
            values.push(value);
        }
        values
    }

    /// Stores the values from the input to the leaves through `form`.
    pub(super) fn write(&mut self, form: Form) -> Result<(), MissingLeaf> {
        match form {
            Form::Leaf | Form::Untyped => {
                let values = self.load_values();
                self.leaves.iter().zip(values).for_each(|(leaf, value)| self.store_block(&leaf.indices, value));
            }
            Form::Vector | Form::UntypedVector => {
                let values = self.values_by_way();
                let block = Rc::clone(&self.interface.block.ty);
                let targets = self
                    .leaves
                    .iter()
                    .map(|Way { indices, .. }| in_vector(&block, indices).map_or(&indices[..], |(vector, _)| vector));
                self.store_parts_at(&targets.collect(), &values)?;
            }
            Form::Retyped => self.write_members()?,
            Form::Whole | Form::Parameter | Form::UntypedWhole => {
                let values = self.values_by_way();
                let block = Rc::clone(&self.interface.block.ty);
                let value = self.construct(&block, &mut Vec::new(), &values)?;
                self.store_block(&[], value);
            }
            Form::Indexed | Form::Divergent => self.write_indexed(),
            Form::Copied => self.copy_in()?,
            // The shader cannot write a length, and no plan writes through the other forms.
            Form::Length
            | Form::ByteAddress
            | Form::Linked
            | Form::Private
            | Form::Function
            | Form::Workgroup
            | Form::Sized
            | Form::UntypedLength => {}
        }
        Ok(())
    }

    /// Loads the values of all leaves from the input, in the leaves' types.
    pub(super) fn load_values(&mut self) -> Vec<Word> {
        let mut next = 1;
        let values = (0..).zip(self.leaves).map(|(leaf, _)| {
            let kind = self.kind(leaf);
            let words: Vec<Word> = (next..next + kind.words()).map(|word| self.load_input(word)).collect();
            next += kind.words();
            self.types.value_of(kind, &words)
        });
        values.collect()
    }

    /// Builds the parts of the block at each of `targets` from its leaves, and stores them.
    pub(super) fn store_parts_at(
        &mut self,
        targets: &BTreeSet<&[u32]>,
        values: &BTreeMap<Vec<u32>, Word>,
    ) -> Result<(), MissingLeaf> {
        let block = Rc::clone(&self.interface.block.ty);
        for target in targets {
            let value = self.construct(&block, &mut target.to_vec(), values)?;
            self.store_block(target, value);
        }
        Ok(())
    }

    pub(super) fn values_by_way(&mut self) -> BTreeMap<Vec<u32>, Word> {
        let values = self.load_values();
        self.leaves.iter().map(|leaf| leaf.indices.clone()).zip(values).collect()
    }

    /// Builds the value at `indices` of a block from its leaves.
    pub(super) fn construct(
        &mut self,
        block: &EmittedType,
        indices: &mut Vec<u32>,
        values: &BTreeMap<Vec<u32>, Word>,
    ) -> Result<Word, MissingLeaf> {
        let ty = block.at(indices);
        let (id, count) = match ty.form {
            TypedForm::Scalar(_) => return values.get(indices).copied().ok_or(MissingLeaf),
            TypedForm::Vector { length } => (ty.id, length),
            TypedForm::Aggregate { count } => (ty.id, count.ok_or(MissingLeaf)?),
        };

        let mut parts = Vec::new();
        for index in 0..count {
            indices.push(index);
            parts.push(self.construct(block, indices, values)?);
            indices.pop();
        }

        Ok(self.types.builder.composite_construct(id, None, parts).expect(OPEN))
    }

    pub(super) fn load_block(&mut self, indices: &[u32]) -> Word {
        let place = self.interface.block.clone();
        self.types.load(&place, indices)
    }

    fn store_block(&mut self, indices: &[u32], value: Word) {
        let place = self.interface.block.clone();
        self.types.store(&place, indices, value);
    }

    pub(super) fn load_input(&mut self, word: u32) -> Word {
        self.interface.input.load(self.types, word)
    }

    pub(super) fn store_output(&mut self, word: u32, value: Word) {
        let place = self.interface.output.clone();
        self.types.store(&place, &[0, word], value);
    }

    /// Extracts the block's leaf at `leaf` from `value`, where its indices are `way`.
    pub(super) fn extract(&mut self, value: Word, leaf: &[u32], way: &[u32]) -> Word {
        if way.is_empty() {
            return value;
        }
        let ty = self.interface.block.ty.at(leaf).id;
        self.types.builder.composite_extract(ty, None, value, way.iter().copied()).expect(OPEN)
    }

    /// Returns the scalar type of a leaf.
    pub(super) fn kind(&self, leaf: u32) -> ScalarKind {
        match self.interface.block.ty.at(&self.leaves[leaf as usize].indices).form {
            TypedForm::Scalar(kind) => kind,
            TypedForm::Vector { .. } | TypedForm::Aggregate { .. } => unreachable!("a leaf is a scalar"),
        }
    }
}

/// Returns the vector or matrix column that contains the leaf at `indices`, and the leaf's
/// component in it.
fn in_vector<'a>(block: &EmittedType, indices: &'a [u32]) -> Option<(&'a [u32], u32)> {
    let (component, vector) = indices.split_last()?;
    match block.at(vector).form {
        TypedForm::Vector { .. } => Some((vector, *component)),
        TypedForm::Scalar(_) | TypedForm::Aggregate { .. } => None,
    }
}
