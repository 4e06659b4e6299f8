//! The values that the model computes with: scalars as bits, composites, pointers, and the targets
//! of pointers.

use std::rc::Rc;

use rspirv::spirv::Word;

use super::model_error::ModelError;
use layoutproof_readers::spirv::types::{MatrixLayout, SpirvTypes};

#[derive(Clone, Debug)]
pub(super) enum ModelValue {
    /// A scalar's bits; a bool is 0 or 1.
    Bits(u64),
    /// Components, columns, elements or members.
    Parts(Rc<Vec<ModelValue>>),
    /// A logical pointer.
    Pointer(ModelPointer),
}

/// A place and the type of its content.
#[derive(Clone, Debug)]
pub(super) struct ModelPointer {
    pub(super) pointee: Word,
    pub(super) place: PointerTarget,
}

impl ModelPointer {
    /// The pointer to a value of type `ty` at the same place.
    pub(super) fn retyped(self, ty: Word) -> Result<Self, ModelError> {
        match self.place {
            PointerTarget::Memory { .. } | PointerTarget::Array { .. } => Ok(Self { pointee: ty, ..self }),
            PointerTarget::Handle(_) | PointerTarget::Cell { .. } => {
                Err(ModelError::not_modelled("an untyped pointer into memory without a layout", &""))
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum PointerTarget {
    /// Bytes of a buffer.
    Memory { buffer: usize, at: MemoryPlace },
    /// An array of descriptors, before an element is selected.
    Array { set: u32, binding: u32 },
    /// An image, a sampler or both.
    Handle(ModelDescriptor),
    /// Part of a variable without a layout, with the indices from the whole to the part.
    Cell { cell: usize, way: Vec<u32> },
}

/// The resource that a descriptor refers to.
#[derive(Clone, Copy, Debug)]
pub(super) enum ModelDescriptor {
    /// A buffer, by its index among the memories.
    Memory(usize),
    /// An image, by its index.
    Image(usize),
    /// A combined image and sampler; the sampler sees level 0.
    Combined(usize),
    /// A sampler, by the mip level that it sees.
    Sampler(u32),
}

/// A place in a buffer, with the matrix layout of the enclosing member.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryPlace {
    /// Bytes from the start of the bound range.
    pub(super) offset: u64,
    pub(super) matrix: Option<MatrixLayout>,
    /// Bytes between the components of a vector that is a column of a row-major matrix; `None` if
    /// they are adjacent.
    pub(super) component_stride: Option<u32>,
}

impl ModelValue {
    pub(super) fn parts(parts: Vec<ModelValue>) -> Self {
        Self::Parts(Rc::new(parts))
    }

    /// Returns the value if it has the shape of the type `ty`. The model checks every value that it
    /// builds or keeps, so that no value nests deeper than types do.
    pub(super) fn checked(self, types: &SpirvTypes, ty: Word) -> Result<Self, ModelError> {
        if self.has_shape(types, ty) { Ok(self) } else { Err(ModelError::Misfit(ty)) }
    }

    fn has_shape(&self, types: &SpirvTypes, ty: Word) -> bool {
        match (self, types.part_count(ty)) {
            (Self::Parts(parts), Some(count)) => {
                parts.len() == count as usize
                    && (0..)
                        .zip(parts.iter())
                        .all(|(index, part)| types.part(ty, index).is_some_and(|ty| part.has_shape(types, ty)))
            }
            (Self::Bits(_) | Self::Pointer(_), None) => true,
            (Self::Parts(_), None) | (Self::Bits(_) | Self::Pointer(_), Some(_)) => false,
        }
    }

    pub(super) fn bits(&self) -> Result<u64, ModelError> {
        match self {
            Self::Bits(bits) => Ok(*bits),
            Self::Parts(_) | Self::Pointer(_) => Err(ModelError::Needed("a scalar")),
        }
    }

    /// The part at the end of `way`.
    pub(super) fn at(&self, way: &[u32]) -> Result<&ModelValue, ModelError> {
        way.iter().try_fold(self, |value, index| match value {
            Self::Parts(parts) => parts.get(*index as usize).ok_or(ModelError::NoPart(*index)),
            Self::Bits(_) | Self::Pointer(_) => Err(ModelError::Needed("a composite")),
        })
    }

    /// Replaces the part at the end of `way`.
    pub(super) fn set(&mut self, way: &[u32], new: ModelValue) -> Result<(), ModelError> {
        let mut here = self;
        for index in way {
            let Self::Parts(parts) = here else { return Err(ModelError::Needed("a composite")) };
            let parts = Rc::make_mut(parts);
            here = parts.get_mut(*index as usize).ok_or(ModelError::NoPart(*index))?;
        }
        *here = new;
        Ok(())
    }
}
