//! The code of one entry point: loads and stores of every leaf through every form, straight line, no branches.
//!
//! Software rasterizers turn control flow around buffer accesses into a loop per lane, so there is none here.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rspirv::spirv::{StorageClass, Word};

use super::block::Kind;
use super::types::{Typed, TypedForm, Types};
use crate::record::Form;

/// A variable with the type that it holds.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) variable: Word,
    pub(super) class: StorageClass,
    pub(super) ty: Rc<Typed>,
}

/// What the interface of a probe consists of.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub(super) block: Place,
    pub(super) output: Place,
    pub(super) input: Place,
}

/// Writes the instructions of one entry point into the block that is open in the builder.
pub(super) struct Body<'a> {
    pub(super) types: &'a mut Types,
    pub(super) interface: Interface,
    /// The way to each leaf, in the order of the plan.
    pub(super) leaves: &'a [Vec<u32>],
}

pub(super) const OPEN: &str = "a block is open while a body is written";

/// A vector, array or struct that is stored at once needs leaves that the plan does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MissingLeaf;

impl Body<'_> {
    /// Stores the nonce from the input to the output.
    pub(super) fn store_nonce(&mut self) {
        let nonce = self.load_input(0);
        self.store_output(0, nonce);
    }

    /// Stores the bits of every leaf, read through `form`, to the output words from `first` on; the first word behind
    /// them.
    pub(super) fn read(&mut self, form: Form, first: u32) -> u32 {
        let values = match form {
            Form::Leaf => self.leaves.iter().map(|indices| self.load_block(indices)).collect(),
            Form::Vector => self.read_vectors(),
            Form::Whole => self.read_whole(),
        };
        let mut next = first;
        for (indices, value) in self.leaves.iter().zip::<Vec<Word>>(values) {
            let kind = self.kind(indices);
            for word in self.types.words_of(kind, value) {
                self.store_output(next, word);
                next += 1;
            }
        }
        next
    }

    fn read_vectors(&mut self) -> Vec<Word> {
        let mut loaded = BTreeMap::new();
        let mut values = Vec::new();
        for indices in self.leaves {
            let value = match in_vector(&self.interface.block.ty, indices) {
                None => self.load_block(indices),
                Some((vector, component)) => {
                    let value = *loaded.entry(vector).or_insert_with(|| self.load_block(vector));
                    self.extract(value, (indices, &[component]))
                }
            };
            values.push(value);
        }
        values
    }

    fn read_whole(&mut self) -> Vec<Word> {
        let whole = self.load_block(&[]);
        self.leaves.iter().map(|indices| self.extract(whole, (indices, indices))).collect()
    }

    /// Stores the input words from 1 on to the leaves through `form`.
    pub(super) fn write(&mut self, form: Form) -> Result<(), MissingLeaf> {
        let mut values = BTreeMap::new();
        let mut next = 1;
        for indices in self.leaves {
            let kind = self.kind(indices);
            let words: Vec<Word> = (next..next + kind.words()).map(|word| self.load_input(word)).collect();
            values.insert(indices.clone(), self.types.value_of(kind, &words));
            next += kind.words();
        }
        match form {
            Form::Leaf => values.iter().for_each(|(indices, value)| self.store_block(indices, *value)),
            Form::Vector => {
                let block = Rc::clone(&self.interface.block.ty);
                let targets =
                    self.leaves.iter().map(|leaf| in_vector(&block, leaf).map_or(&leaf[..], |(vector, _)| vector));
                for target in targets.collect::<BTreeSet<_>>() {
                    let value = self.construct(&mut target.to_vec(), &values)?;
                    self.store_block(target, value);
                }
            }
            Form::Whole => {
                let value = self.construct(&mut Vec::new(), &values)?;
                self.store_block(&[], value);
            }
        }
        Ok(())
    }

    /// Builds the value at `indices` from its leaves.
    fn construct(&mut self, indices: &mut Vec<u32>, values: &BTreeMap<Vec<u32>, Word>) -> Result<Word, MissingLeaf> {
        let ty = self.interface.block.ty.at(indices);
        let (id, count) = match ty.form {
            TypedForm::Scalar(_) => return values.get(indices).copied().ok_or(MissingLeaf),
            TypedForm::Vector { length } => (ty.id, length),
            TypedForm::Aggregate { count } => (ty.id, count.ok_or(MissingLeaf)?),
        };
        let mut parts = Vec::new();
        for index in 0..count {
            indices.push(index);
            parts.push(self.construct(indices, values)?);
            indices.pop();
        }
        Ok(self.types.builder.composite_construct(id, None, parts).expect(OPEN))
    }

    fn load_block(&mut self, indices: &[u32]) -> Word {
        let place = self.interface.block.clone();
        self.load(&place, indices)
    }

    fn store_block(&mut self, indices: &[u32], value: Word) {
        let place = self.interface.block.clone();
        self.store(&place, indices, value);
    }

    fn load_input(&mut self, word: u32) -> Word {
        let place = self.interface.input.clone();
        self.load(&place, &[0, word])
    }

    fn store_output(&mut self, word: u32, value: Word) {
        let place = self.interface.output.clone();
        self.store(&place, &[0, word], value);
    }

    fn load(&mut self, place: &Place, indices: &[u32]) -> Word {
        let pointer = self.point(place, indices);
        self.types.builder.load(place.ty.at(indices).id, None, pointer, None, []).expect(OPEN)
    }

    fn store(&mut self, place: &Place, indices: &[u32], value: Word) {
        let pointer = self.point(place, indices);
        self.types.builder.store(pointer, value, None, []).expect(OPEN);
    }

    fn point(&mut self, place: &Place, indices: &[u32]) -> Word {
        if indices.is_empty() {
            return place.variable;
        }
        let ty = self.types.pointer(place.class, place.ty.at(indices).id);
        let indices: Vec<Word> = indices.iter().map(|index| self.types.constant(*index)).collect();
        self.types.builder.access_chain(ty, None, place.variable, indices).expect(OPEN)
    }

    /// Extracts the leaf at `leaf` of the block from `value`, inside which it stands at `way`.
    fn extract(&mut self, value: Word, (leaf, way): (&[u32], &[u32])) -> Word {
        let ty = self.interface.block.ty.at(leaf).id;
        self.types.builder.composite_extract(ty, None, value, way.iter().copied()).expect(OPEN)
    }

    /// The scalar type of a leaf.
    fn kind(&self, leaf: &[u32]) -> Kind {
        match self.interface.block.ty.at(leaf).form {
            TypedForm::Scalar(kind) => kind,
            TypedForm::Vector { .. } | TypedForm::Aggregate { .. } => unreachable!("a leaf is a scalar"),
        }
    }
}

/// The vector or matrix column that holds the leaf at `indices`, and the leaf's component of it.
fn in_vector<'a>(block: &Typed, indices: &'a [u32]) -> Option<(&'a [u32], u32)> {
    let (component, vector) = indices.split_last()?;
    match block.at(vector).form {
        TypedForm::Vector { .. } => Some((vector, *component)),
        TypedForm::Scalar(_) | TypedForm::Aggregate { .. } => None,
    }
}
