//! Emits pointers into memory, and the loads and stores through them.

use std::rc::Rc;

use rspirv::dr::Operand;
use rspirv::spirv::{MemoryAccess, StorageClass, Word};

use super::types::{EmittedType, TypeEmitter};

pub(super) const OPEN: &str = "a block is open while a body is written";

/// How access chains lead from a pointer to a part of what it points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    Typed,
    /// By arithmetic on a pointer to the elements of an array without a length behind an address (`p[1]`).
    Elements,
    /// They name the type and return untyped pointers. The pointer itself may have another type or none.
    Untyped,
}

/// A pointer with the type by which the code reads what it points to.
#[derive(Clone, Debug)]
pub(super) struct SpirvPlace {
    /// A variable, or the loaded pointer for [`StorageClass::PhysicalStorageBuffer`].
    pub(super) pointer: Word,
    pub(super) class: StorageClass,
    /// The indices from the pointee to the type: an element of an array of buffers, or a region.
    pub(super) outer: Vec<u32>,
    pub(super) ty: Rc<EmittedType>,
    pub(super) chain: Chain,
}

impl SpirvPlace {
    /// The place of a variable of type `ty`.
    pub(super) fn typed(pointer: Word, class: StorageClass, ty: Rc<EmittedType>) -> Self {
        Self { pointer, class, outer: Vec::new(), ty, chain: Chain::Typed }
    }

    /// Returns the operands for a load or store of a value whose largest scalar has `scalar` bytes.
    /// Access through an address must name its alignment, and this is the only alignment that every
    /// rule set keeps.
    pub(super) fn access(&self, scalar: u32) -> (Option<MemoryAccess>, Option<Operand>) {
        if self.class == StorageClass::PhysicalStorageBuffer {
            (Some(MemoryAccess::ALIGNED), Some(Operand::LiteralBit32(scalar)))
        } else {
            (None, None)
        }
    }
}

impl TypeEmitter {
    /// Loads the part of `place` at `indices`.
    pub(super) fn load(&mut self, place: &SpirvPlace, indices: &[u32]) -> Word {
        let pointer = self.point(place, indices);
        let ty = place.ty.at(indices);
        let (access, alignment) = place.access(ty.largest_scalar());
        self.builder.load(ty.id, None, pointer, access, alignment).expect(OPEN)
    }

    /// Stores to the part of `place` at `indices`.
    pub(super) fn store(&mut self, place: &SpirvPlace, indices: &[u32], value: Word) {
        let pointer = self.point(place, indices);
        let (access, alignment) = place.access(place.ty.at(indices).largest_scalar());
        self.builder.store(pointer, value, access, alignment).expect(OPEN);
    }

    /// Returns a pointer to the part of `place` at `indices`.
    fn point(&mut self, place: &SpirvPlace, indices: &[u32]) -> Word {
        if indices.is_empty() && place.outer.is_empty() {
            return place.pointer;
        }
        let ids: Vec<Word> = indices.iter().map(|index| self.constant(*index)).collect();
        self.point_to(place, ids, place.ty.at(indices).id)
    }

    /// Returns a pointer to the part of type `part` at the index values `indices`.
    pub(super) fn point_to(&mut self, place: &SpirvPlace, indices: Vec<Word>, part: Word) -> Word {
        if let ([_, element, rest @ ..], Chain::Elements) = (&indices[..], place.chain) {
            let ty = self.pointer(place.class, part);
            return self.builder.ptr_access_chain(ty, None, place.pointer, *element, rest.to_vec()).expect(OPEN);
        }
        let outer: Vec<Word> = place.outer.iter().map(|index| self.constant(*index)).collect();
        let indices = outer.into_iter().chain(indices);
        if place.chain == Chain::Untyped {
            let ty = self.untyped_pointer(place.class);
            self.builder.untyped_access_chain_khr(ty, None, place.ty.id, place.pointer, indices).expect(OPEN)
        } else {
            let ty = self.pointer(place.class, part);
            self.builder.access_chain(ty, None, place.pointer, indices).expect(OPEN)
        }
    }
}
