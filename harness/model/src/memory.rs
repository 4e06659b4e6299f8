//! The model's buffers: typed loads and stores that follow the module's offsets and strides.
//!
//! Reads out of bounds return 0, and writes out of bounds have no effect, as on a device with
//! robust buffer access.

use rspirv::spirv::{StorageClass, Word};

use super::descriptors::NOWHERE;
use super::model_error::ModelError;
use super::value::{MemoryPlace, ModelValue};
use layoutproof_readers::spirv::types::{SpirvType, SpirvTypes};

/// Bytes of workgroup memory: those that Vulkan guarantees (`maxComputeSharedMemorySize`).
const WORKGROUP_BYTES: usize = 1 << 14;

/// A bound buffer, the push constants, or the blocks in workgroup memory.
#[derive(Clone, Debug)]
pub(super) struct ModelMemory {
    pub(super) set: u32,
    pub(super) binding: u32,
    /// The low bits of its address.
    pub(super) first: u32,
    /// The bound range.
    pub(super) bytes: Vec<u8>,
}

impl MemoryPlace {
    /// The start of a buffer.
    pub(super) fn start() -> Self {
        Self { offset: 0, matrix: None, component_stride: None }
    }

    /// The place of element `index`.
    pub(super) fn plus(self, index: u32, stride: u32) -> Self {
        Self { offset: self.offset.saturating_add(u64::from(index) * u64::from(stride)), ..self }
    }
}

/// The type and place of part `index` of a value of type `ty` in memory.
pub(super) fn part(
    types: &SpirvTypes,
    ty: Word,
    at: MemoryPlace,
    index: u32,
) -> Result<(Word, MemoryPlace), ModelError> {
    match types.get(ty) {
        SpirvType::Vector { component, .. } => {
            let stride = at.component_stride.map_or_else(|| width(types, *component), Ok)?;
            Ok((*component, MemoryPlace { component_stride: None, ..at.plus(index, stride) }))
        }
        SpirvType::Matrix { column, .. } => {
            let layout = at.matrix.ok_or("a matrix without MatrixStride")?;
            if layout.row_major {
                // The components of a column are one stride apart; the columns themselves are
                // adjacent.
                let component = column_component(types, *column).ok_or("a matrix of no vectors")?;
                let size = width(types, component)?;
                Ok((*column, MemoryPlace { component_stride: Some(layout.stride), ..at.plus(index, size) }))
            } else {
                Ok((*column, at.plus(index, layout.stride)))
            }
        }
        SpirvType::Array { element, stride, .. } | SpirvType::RuntimeArray { element, stride } => {
            let stride = stride.ok_or("an array without ArrayStride")?;
            Ok((*element, at.plus(index, stride)))
        }
        SpirvType::Struct(members) => {
            let member = members.get(index as usize).ok_or(ModelError::NoPartOf { part: "member", index, ty })?;
            let offset = member.offset.ok_or(ModelError::NoOffset { index, ty })?;
            Ok((member.ty, MemoryPlace { matrix: member.matrix, ..at.plus(1, offset) }))
        }
        _ => Err(ModelError::Id { id: ty, problem: "has no parts" }),
    }
}

fn column_component(types: &SpirvTypes, column: Word) -> Option<Word> {
    match types.get(column) {
        SpirvType::Vector { component, .. } => Some(*component),
        _ => None,
    }
}

/// Size of a scalar, in bytes.
fn width(types: &SpirvTypes, scalar: Word) -> Result<u32, ModelError> {
    match types.get(scalar) {
        SpirvType::Int { bits, .. } | SpirvType::Float { bits } if matches!(bits, 8 | 16 | 32 | 64) => Ok(bits / 8),
        SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, .. }
        | SpirvType::UntypedPointer { class: StorageClass::PhysicalStorageBuffer } => Ok(8),
        _ => Err(ModelError::Id { id: scalar, problem: "has no bytes in a buffer" }),
    }
}

impl ModelMemory {
    pub(super) fn workgroup() -> Self {
        Self { set: NOWHERE, binding: NOWHERE, first: 0, bytes: vec![0; WORKGROUP_BYTES] }
    }

    pub(super) fn load(&self, types: &SpirvTypes, ty: Word, at: MemoryPlace) -> Result<ModelValue, ModelError> {
        let Some(count) = types.part_count(ty) else {
            return Ok(ModelValue::Bits(self.load_scalar(width(types, ty)?, at.offset)));
        };
        let parts = (0..count).map(|index| {
            let (ty, at) = part(types, ty, at, index)?;
            self.load(types, ty, at)
        });
        Ok(ModelValue::parts(parts.collect::<Result<_, _>>()?))
    }

    /// Writes a value of type `ty`. Returns the byte after its last scalar.
    pub(super) fn store(
        &mut self,
        types: &SpirvTypes,
        ty: Word,
        at: MemoryPlace,
        value: &ModelValue,
    ) -> Result<u64, ModelError> {
        let Some(count) = types.part_count(ty) else {
            let width = width(types, ty)?;
            self.store_scalar(width, at.offset, value.bits()?);
            return Ok(at.offset.saturating_add(width.into()));
        };

        let mut end = at.offset;
        for index in 0..count {
            let (part_ty, part_at) = part(types, ty, at, index)?;
            end = end.max(self.store(types, part_ty, part_at, value.at(&[index])?)?);
        }
        Ok(end)
    }

    fn range(&self, width: u32, offset: u64) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(width as usize)?;
        (end <= self.bytes.len()).then_some(start..end)
    }

    fn load_scalar(&self, width: u32, offset: u64) -> u64 {
        let Some(range) = self.range(width, offset) else { return 0 };
        self.bytes[range].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }

    fn store_scalar(&mut self, width: u32, offset: u64, bits: u64) {
        if let Some(range) = self.range(width, offset) {
            let length = range.len();
            self.bytes[range].copy_from_slice(&bits.to_le_bytes()[..length]);
        }
    }

    /// Clears the 4 bytes at `offset` if they are in bounds.
    pub(super) fn clear_word(&mut self, offset: u64) {
        self.store_scalar(4, offset, 0);
    }
}
