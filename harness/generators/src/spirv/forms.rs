//! Writes the code of the indirect forms: indices from memory, lanes, function parameters, copies,
//! lengths.

use std::collections::BTreeMap;
use std::rc::Rc;

use rspirv::spirv::{MemorySemantics, Scope, StorageClass, Word};

use super::access::{Chain, OPEN, SpirvPlace};
use super::block::Way;
use super::body::{AnswerMode, BodyWriter, CopyPlace, MissingLeaf};
use super::kind::ScalarKind;
use super::types::{TypeEmitter, TypedForm};
use layoutproof_probes::{AnswerPlace, Chunk, Form};

const INTERFACE: &str = "the interface of an entry has what its forms need";

impl BodyWriter<'_> {
    pub(super) fn read_indexed(&mut self) {
        let wiring = self.wiring;
        let mut numbers = BTreeMap::new();
        let block = self.interface.block.clone();
        for slot in wiring.slots.iter().filter(|slot| slot.form == Form::Indexed) {
            let pointer = self.point_indexed(&block, slot.leaf, &mut numbers);
            let value = self.load_leaf(&block, slot.leaf, pointer);
            self.store_answer(slot, value);
        }
    }

    /// Copies the block to `place`, whose type has no layout, and reads each leaf from there.
    pub(super) fn read_copy(&mut self, form: Form, place: Option<SpirvPlace>) -> Result<(), MissingLeaf> {
        let place = place.expect(INTERFACE);
        self.copy_block(form, &place)?;
        if place.class == StorageClass::Workgroup {
            self.types.wait_for_workgroup();
        }
        self.read_from_copy(form, &place);
        Ok(())
    }

    /// Copies the block to `place`, whose type has no layout.
    pub(super) fn copy_block(&mut self, form: Form, place: &SpirvPlace) -> Result<(), MissingLeaf> {
        if form == Form::Sized {
            // No value can be built of an array whose length the pipeline sets.
            for leaf in self.leaves {
                let value = self.load_block(&leaf.indices);
                self.types.store(place, &leaf.indices, value);
            }
            return Ok(());
        }

        let whole = self.load_block(&[]);
        let values = self.leaves.iter().map(|leaf| {
            let value = self.extract(whole, &leaf.indices, &leaf.indices);
            (leaf.indices.clone(), value)
        });
        let values = values.collect();
        let value = self.construct(&place.ty, &mut Vec::new(), &values)?;
        self.types.store(place, &[], value);
        Ok(())
    }

    /// Reads each leaf from the copy of the block at `place`.
    pub(super) fn read_from_copy(&mut self, form: Form, place: &SpirvPlace) {
        let wiring = self.wiring;
        let mut numbers = BTreeMap::new();
        for slot in wiring.slots.iter().filter(|slot| slot.form == form) {
            let pointer = self.point_indexed(place, slot.leaf, &mut numbers);
            let value = self.load_leaf(place, slot.leaf, pointer);
            self.store_answer(slot, value);
        }
    }

    pub(super) fn write_indexed(&mut self) {
        let wiring = self.wiring;
        let values = self.load_values();
        let mut numbers = BTreeMap::new();
        let block = self.interface.block.clone();
        for slot in &wiring.slots {
            let pointer = self.point_indexed(&block, slot.leaf, &mut numbers);
            let (access, alignment) = block.access(self.kind(slot.leaf).size());
            self.types.builder.store(pointer, values[slot.leaf as usize], access, alignment).expect(OPEN);
        }
    }

    /// Loads a leaf of the value at `place` through a pointer to the leaf.
    fn load_leaf(&mut self, place: &SpirvPlace, leaf: u32, pointer: Word) -> Word {
        let kind = self.kind(leaf);
        let ty = self.types.scalar(kind);
        let (access, alignment) = place.access(kind.size());
        self.types.builder.load(ty, None, pointer, access, alignment).expect(OPEN)
    }

    /// Stores the element count of the array that ends the block.
    pub(super) fn read_length(&mut self, form: Form) {
        let wiring = self.wiring;
        for slot in wiring.slots.iter().filter(|slot| slot.form == form) {
            let member = self.leaves[slot.leaf as usize].indices[0];
            let block = self.interface.block.clone();
            let uint = self.types.scalar(ScalarKind::WORD);
            let builder = &mut self.types.builder;
            let length = if block.chain == Chain::Untyped {
                builder.untyped_array_length_khr(uint, None, block.ty.id, block.pointer, member)
            } else {
                builder.array_length(uint, None, block.pointer, member)
            };
            let length = length.expect(OPEN);
            if let [AnswerPlace::Word(word)] = slot.places[..] {
                self.store_output(word, length);
            }
        }
    }

    /// Returns a pointer to a leaf of the value at `place`, with indices from the input's table of
    /// numbers. `numbers` holds the ones that are already loaded.
    fn point_indexed(&mut self, place: &SpirvPlace, leaf: u32, numbers: &mut BTreeMap<u32, Word>) -> Word {
        let Way { indices, words } = &self.leaves[leaf as usize];
        // In a copy, the columns of a matrix use constant indices. SwiftShader 5.0 misreads arrays
        // of matrices even so.
        let copies = [StorageClass::Private, StorageClass::Function, StorageClass::Workgroup];
        let is_copy = copies.contains(&place.class);
        let of_matrix = |step: usize| is_copy && place.ty.at(&indices[..step]).is_matrix;
        let ids = indices.iter().zip(words).enumerate().map(|(step, (index, word))| match word {
            None => self.types.constant(*index),
            Some(_) if of_matrix(step) => self.types.constant(*index),
            Some(_) => *numbers.entry(*index).or_insert_with(|| self.load_input(self.wiring.table + index)),
        });
        let ids = ids.collect();
        let ty = self.types.scalar(self.kind(leaf));
        self.types.point_to(place, ids, ty)
    }

    /// Loads each member of the block at once.
    pub(super) fn read_members(&mut self) -> Vec<Word> {
        let mut loaded = BTreeMap::new();
        let leaves = self.leaves;
        let values = leaves.iter().map(|Way { indices, .. }| {
            let (member, rest) = indices.split_at(self.sized_part(indices));
            let value = *loaded.entry(member).or_insert_with(|| self.load_block(member));
            self.extract(value, indices, rest)
        });
        values.collect()
    }

    /// Stores each member of the block at once.
    pub(super) fn write_members(&mut self) -> Result<(), MissingLeaf> {
        let values = self.values_by_way();
        let leaves = self.leaves;
        let members = leaves.iter().map(|Way { indices, .. }| &indices[..self.sized_part(indices)]);
        self.store_parts_at(&members.collect(), &values)
    }

    /// Returns the number of indices to the largest part on the way to a leaf, below the block itself,
    /// that has a size.
    fn sized_part(&self, indices: &[u32]) -> usize {
        let block = &self.interface.block.ty;
        let is_unsized = |length: &usize| block.at(&indices[..*length]).form == TypedForm::Aggregate { count: None };
        1 + (1..indices.len()).take_while(is_unsized).count()
    }

    pub(super) fn read_divergent(&mut self) {
        let wiring = self.wiring;
        let uint = self.types.scalar(ScalarKind::WORD);
        let lane = self.interface.lane.expect(INTERFACE);
        let lane = self.types.builder.load(uint, None, lane, None, []).expect(OPEN);
        for chunk in &wiring.chunks {
            self.read_chunk(chunk, lane);
        }
    }

    /// Reads one leaf in each lane, at the indices that the lane takes from the input.
    fn read_chunk(&mut self, chunk: &Chunk, lane: Word) {
        let first = chunk.leaves[0];
        let Way { indices, words } = &self.leaves[first as usize];
        let input = self.interface.input.number(chunk.input);
        let tuple: Vec<Word> = (0..chunk.depth)
            .map(|place| {
                let word = self.lane_word(input + place, chunk.depth, lane);
                self.interface.input.load_at(self.types, word)
            })
            .collect();

        let ids = indices.iter().zip(words).map(|(index, word)| match word {
            None => self.types.constant(*index),
            Some(word) => tuple[*word as usize],
        });
        let ids = ids.collect();

        let kind = self.kind(first);
        let ty = self.types.scalar(kind);
        let block = self.interface.block.clone();
        let pointer = self.types.point_to(&block, ids, ty);
        let value = self.load_leaf(&block, first, pointer);

        for (place, bits) in (chunk.output..).zip(self.types.words_of(kind, value)) {
            match self.answers {
                AnswerMode::Stored => {
                    let word = self.lane_word(place, kind.words(), lane);
                    self.store_output_at(word, bits);
                }
                AnswerMode::Hashed(hash) => self.answers = AnswerMode::Hashed(self.hash_step(hash, bits)),
            }
        }
    }

    /// Returns the number of the lane's own word, where lane 0 has `first` and each next lane has a
    /// word `step` further.
    fn lane_word(&mut self, first: u32, step: u32, lane: Word) -> Word {
        let uint = self.types.scalar(ScalarKind::WORD);
        let [first, step] = [first, step].map(|number| self.types.constant(number));
        let distance = self.types.builder.i_mul(uint, None, lane, step).expect(OPEN);
        self.types.builder.i_add(uint, None, first, distance).expect(OPEN)
    }

    pub(super) fn store_output_at(&mut self, word: Word, bits: Word) {
        let uint = self.types.scalar(ScalarKind::WORD);
        let ids = vec![self.types.constant(0), word];
        let output = self.interface.output.clone();
        let pointer = self.types.point_to(&output, ids, uint);
        self.types.builder.store(pointer, bits, None, []).expect(OPEN);
    }

    /// Passes the whole block to the function that stores its parts, or adds them to the hash.
    pub(super) fn call_with_block(&mut self) {
        let function = self.interface.function.expect(INTERFACE);
        let whole = self.load_block(&[]);

        match self.answers {
            AnswerMode::Stored => {
                let void = self.types.builder.type_void();
                self.types.builder.function_call(void, None, function, [whole]).expect(OPEN);
            }
            AnswerMode::Hashed(hash) => {
                let uint = self.types.scalar(ScalarKind::WORD);
                let hash = self.types.builder.function_call(uint, None, function, [whole, hash]).expect(OPEN);
                self.answers = AnswerMode::Hashed(hash);
            }
        }
    }

    /// Copies the whole block to the other layout.
    pub(super) fn copy_out(&mut self) -> Result<(), MissingLeaf> {
        let CopyPlace { place, leaves } = self.interface.copy.clone().expect(INTERFACE);
        let whole = self.load_block(&[]);
        let values = self.leaves.iter().map(|leaf| self.extract(whole, &leaf.indices, &leaf.indices));
        let values = leaves.iter().cloned().zip(values).collect();
        let value = self.construct(&place.ty, &mut Vec::new(), &values)?;
        self.types.store(&place, &[], value);
        Ok(())
    }

    /// Copies the whole block from the other layout.
    pub(super) fn copy_in(&mut self) -> Result<(), MissingLeaf> {
        let CopyPlace { place, leaves } = self.interface.copy.clone().expect(INTERFACE);
        let whole = self.types.load(&place, &[]);
        let values = self
            .leaves
            .iter()
            .zip(leaves.iter())
            .map(|(leaf, other)| (leaf.indices.clone(), self.extract(whole, &leaf.indices, other)));
        let values = values.collect();

        let block = Rc::clone(&self.interface.block.ty);
        let value = self.construct(&block, &mut Vec::new(), &values)?;
        let target = self.interface.block.clone();
        self.types.store(&target, &[], value);
        Ok(())
    }
}

impl TypeEmitter {
    /// Emits a barrier for the workgroup and its memory.
    pub(super) fn wait_for_workgroup(&mut self) {
        let scope = self.constant(Scope::Workgroup as u32);
        let semantics = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::WORKGROUP_MEMORY;
        let semantics = self.constant(semantics.bits());
        self.builder.control_barrier(scope, scope, semantics).expect(OPEN);
    }
}
