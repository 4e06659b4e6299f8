//! Faults outside of the layout: in stores, buffers and the dispatch itself.
//!
//! [`Misreading`] changes a job's initial and final contents; [`Disturbance`] belongs to the
//! machine and changes its stores and indices.

use std::collections::BTreeMap;

use layoutproof_device::BufferAfter;
use layoutproof_readers::spirv::types::{MatrixLayout, SpirvType, SpirvTypes, SpirvVariable};
use rspirv::spirv::{StorageClass, Word};

use super::{Indices, Misreading, NeighbourSide, OUTPUT, RunFault, Stores, is_block, is_words};
use crate::memory::ModelMemory;

/// Bytes of a word.
const WORD: usize = 4;

impl Misreading {
    /// True if the dispatch does nothing.
    pub(crate) fn is_idle(self) -> bool {
        match self.run_fault() {
            Some(RunFault::Idle | RunFault::StaleOutput) => true,
            Some(_) | None => false,
        }
    }

    /// True if a first run must count the stores.
    pub(crate) fn counts_stores(self) -> bool {
        self.run_fault() == Some(RunFault::StoresLost(Stores::Last))
    }

    /// Changes the buffers before the module runs. The last of `memories` holds the push constants.
    pub(crate) fn before(self, types: &SpirvTypes, memories: &mut [ModelMemory]) {
        if self.run_fault() == Some(RunFault::EndOfVectorStale)
            && let (Some(start), Some(pushed)) = (end_of_vector(types), memories.last_mut())
        {
            pushed.bytes.iter_mut().skip(start as usize).for_each(|byte| *byte = !*byte);
        }

        let mut first: Option<Vec<u8>> = None;
        for memory in memories.iter_mut().filter(|memory| is_block(Some(memory.set), Some(memory.binding))) {
            match self.run_fault() {
                Some(RunFault::FirstElement) => {
                    memory.bytes.clone_from(first.get_or_insert_with(|| memory.bytes.clone()));
                }
                Some(RunFault::BlockZero) => memory.bytes.fill(0),
                Some(RunFault::RangeShort(bytes)) => {
                    memory.bytes.truncate(memory.bytes.len().saturating_sub(bytes as usize));
                }
                Some(_) | None => {}
            }
        }
    }

    /// Changes the buffers after the module ran. `found` is their initial content, `previous` the
    /// output of the previous dispatch.
    pub(crate) fn after(self, memories: &mut [ModelMemory], found: &[ModelMemory], previous: Option<&[u8]>) {
        for (memory, found) in memories.iter_mut().zip(found) {
            let is_output = (memory.set, memory.binding) == OUTPUT;

            match self.run_fault() {
                Some(RunFault::StaleOutput) if is_output => {
                    if let Some(same) = previous.filter(|previous| previous.len() == memory.bytes.len()) {
                        memory.bytes.copy_from_slice(same);
                    }
                }
                Some(RunFault::NonceOnly) => {
                    let kept = if is_output { WORD } else { 0 };
                    memory.bytes[kept..].copy_from_slice(&found.bytes[kept..]);
                }
                Some(RunFault::RangeShort(_)) => memory.bytes.extend(&found.bytes[memory.bytes.len()..]),
                Some(_) | None => {}
            }
        }
    }

    /// Changes the memory around the bound range of the block.
    pub(crate) fn around(self, set: u32, binding: u32, buffer: &mut BufferAfter) {
        if !is_block(Some(set), Some(binding)) {
            return;
        }
        match self.run_fault() {
            Some(RunFault::RangeTouched(NeighbourSide::Before)) => {
                buffer.before.iter_mut().rev().take(WORD).for_each(clear);
            }
            Some(RunFault::RangeTouched(NeighbourSide::Behind)) => buffer.after.iter_mut().take(WORD).for_each(clear),
            Some(_) | None => {}
        }
    }
}

/// The byte after the first 16 of the 64-bit vector that ends the push constants at 16 modulo 32,
/// by itself or in an array; `None` if they end otherwise.
fn end_of_vector(types: &SpirvTypes) -> Option<u32> {
    let block = types.variables.values().find(|variable| variable.class == StorageClass::PushConstant)?;
    let SpirvType::Struct(members) = types.get(block.pointee) else { return None };
    let last = members.last()?;
    let (mut ty, mut offset) = (last.ty, last.offset?);
    while let &SpirvType::Array { element, length, stride } = types.get(ty) {
        (ty, offset) = (element, offset + stride? * length.checked_sub(1)?);
    }
    let &SpirvType::Vector { component, length: 3.. } = types.get(ty) else { return None };
    let is_wide = matches!(types.get(component), SpirvType::Int { bits: 64, .. } | SpirvType::Float { bits: 64 });
    (is_wide && offset % 32 == 16).then_some(offset + 16)
}

/// The bytes of a column of the matrices in a type, which is a matrix or an array of them.
fn adjoining_columns(types: &SpirvTypes, mut ty: Word) -> Option<u32> {
    loop {
        match *types.get(ty) {
            SpirvType::Array { element, .. } => ty = element,
            SpirvType::Matrix { column, .. } => {
                let &SpirvType::Vector { component, length } = types.get(column) else { return None };
                let &SpirvType::Float { bits } = types.get(component) else { return None };
                return Some(bits / 8 * length);
            }
            _ => return None,
        }
    }
}

fn clear(byte: &mut u8) {
    *byte = 0;
}

/// The part of a fault that affects stores and indices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disturbance {
    fault: Option<RunFault>,
    /// Number of stores to the block in the whole run, if it was counted.
    total: Option<u32>,
    /// Number of stores to the block so far.
    pub(crate) stores: u32,
    /// The first value of each index read from memory, by access chain and operand.
    first_indices: BTreeMap<(Word, usize), u32>,
}

impl Disturbance {
    /// `total` is the number of stores to the block, if [`Misreading::counts_stores`] requires it.
    pub(crate) fn new(misreading: Option<Misreading>, total: Option<u32>) -> Self {
        Self { fault: misreading.and_then(Misreading::run_fault), total, stores: 0, first_indices: BTreeMap::new() }
    }

    /// The actual place of a store to byte `offset` of `memory`; `None` if the store is lost.
    /// Counts the stores to the block.
    pub(crate) fn place_of_store(&mut self, memory: &ModelMemory, offset: u64) -> Option<u64> {
        if !is_block(Some(memory.set), Some(memory.binding)) {
            return Some(offset);
        }
        self.stores += 1;

        let lost = match self.fault {
            Some(RunFault::StoresLost(Stores::First)) => self.stores == 1,
            Some(RunFault::StoresLost(Stores::Last)) => self.total == Some(self.stores),
            Some(RunFault::StoresLost(Stores::EverySecond)) => self.stores.is_multiple_of(2),
            Some(_) | None => false,
        };

        match self.fault {
            _ if lost => None,
            Some(RunFault::StoresShifted(bytes)) => Some(offset.saturating_add(bytes.into())),
            Some(_) | None => Some(offset),
        }
    }

    /// The low bits of the address that the device accesses for an address with these low bits.
    pub(crate) fn low_bits_of_address(&self, low: u64) -> u64 {
        match self.fault {
            Some(RunFault::AddressRounded(unit)) => low - low % u64::from(unit),
            Some(_) | None => low,
        }
    }

    /// The actual index into `memory` if the module uses `index`, which came from memory at this
    /// operand of the access chain.
    pub(crate) fn index_from_memory(&mut self, memory: &ModelMemory, chain: Word, operand: usize, index: u32) -> u32 {
        if !is_block(Some(memory.set), Some(memory.binding)) {
            return index;
        }
        match self.fault {
            Some(RunFault::IndicesWrong(Indices::Zero)) => 0,
            Some(RunFault::IndicesWrong(Indices::OfFirstLane)) => {
                *self.first_indices.entry((chain, operand)).or_insert(index)
            }
            Some(_) | None => index,
        }
    }

    /// The number of bytes that the device leaves out before it counts the elements of `array`.
    pub(crate) fn bytes_not_counted(&self, types: &SpirvTypes, array: Word) -> u32 {
        if self.fault != Some(RunFault::LengthFromFirstMember) {
            return 0;
        }
        let &SpirvType::RuntimeArray { element, .. } = types.get(array) else { return 0 };
        let SpirvType::Struct(members) = types.get(element) else { return 0 };
        members.first().and_then(|member| member.offset).unwrap_or(0)
    }

    /// True if an element of a local array of type `array` reads as zero at an index that is no
    /// constant.
    pub(crate) fn is_zero_in_copies(&self, types: &SpirvTypes, array: Word) -> bool {
        if self.fault != Some(RunFault::LocalArrayOfOneZero) {
            return false;
        }
        let &SpirvType::Array { element, length: 1, .. } = types.get(array) else { return false };
        matches!(types.get(element), SpirvType::Int { bits: 32.., .. } | SpirvType::Float { .. })
    }

    /// True if a block in workgroup memory shares its bytes with the others.
    pub(crate) fn shares_workgroup_memory(&self, variable: &SpirvVariable) -> bool {
        self.fault != Some(RunFault::WorkgroupApart) || is_words(variable)
    }

    /// True if untyped access chains follow the declared type of the memory.
    pub(crate) fn follows_declared_types(&self) -> bool {
        self.fault == Some(RunFault::DeclaredTypesFollowed)
    }

    /// The layout of the matrices in a value of type `ty` behind an untyped pointer, where the module
    /// says `declared`.
    pub(crate) fn matrix_behind_untyped(
        &self,
        types: &SpirvTypes,
        ty: Word,
        declared: Option<MatrixLayout>,
    ) -> Option<MatrixLayout> {
        if self.fault != Some(RunFault::UntypedMatricesTight) {
            return declared;
        }
        declared.map(|declared| match adjoining_columns(types, ty) {
            Some(stride) => MatrixLayout { stride, row_major: false },
            None => declared,
        })
    }

    /// True if arrays have the default lengths of specialization constants.
    pub(crate) fn ignores_specialization(&self) -> bool {
        self.fault == Some(RunFault::SpecializationIgnored)
    }

    /// The length that the device reports for an array of `length` elements.
    pub(crate) fn length(&self, length: u64) -> u64 {
        match self.fault {
            Some(RunFault::LengthPlusOne) => length + 1,
            Some(_) | None => length,
        }
    }

    /// Clears the word next to a store to the bytes from `start` to `end`, if the fault does so.
    pub(crate) fn after_store(&self, memory: &mut ModelMemory, start: u64, end: u64) {
        if !is_block(Some(memory.set), Some(memory.binding)) {
            return;
        }
        match self.fault {
            Some(RunFault::WordTouched(NeighbourSide::Before)) => {
                if let Some(offset) = start.checked_sub(WORD as u64) {
                    memory.clear_word(offset);
                }
            }
            Some(RunFault::WordTouched(NeighbourSide::Behind)) => memory.clear_word(end),
            Some(_) | None => {}
        }
    }
}
