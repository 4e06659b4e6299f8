//! Loads from and stores to private memory and buffers, for the instructions of `machine` and the
//! calls of `intrinsic`.

use super::memory::{ClangMemory, ObjectRange};
use super::reader::MAX_PARTS;
use super::survey::Survey;
use super::types::{ClangType, NamedTypes};
use super::value::{AddressedObject, ClangPointer, ClangValue};
use crate::llvm::buffers::BoundBuffers;

const BYTE: u32 = 8;

/// Bytes of the largest scalar.
const LARGEST: u64 = 8;

/// All memory that an address can point into.
#[derive(Debug)]
pub(super) struct AddressedMemory<'a> {
    types: &'a NamedTypes,
    pub(super) private: ClangMemory,
    buffers: BoundBuffers<'a>,
    /// If set, the code is followed to collect resources: no buffer needs to be bound, and all
    /// reads give zeros.
    pub survey: Option<Survey>,
}

impl<'a> AddressedMemory<'a> {
    /// Empty private memory next to `buffers`. With `survey` the buffers are not accessed.
    pub(super) fn new(types: &'a NamedTypes, buffers: BoundBuffers<'a>, survey: Option<Survey>) -> Self {
        Self { types, private: ClangMemory::new(), buffers, survey }
    }

    /// Loads a value of type `ty` from `pointer`.
    ///
    /// # Errors
    /// A type that has no bytes or too many parts, or a buffer that is not bound.
    pub(super) fn load(&mut self, ty: &ClangType, pointer: ClangPointer) -> Result<ClangValue, String> {
        match ty {
            ClangType::Primitive(primitive) => self.bits(pointer, bytes(primitive.width())),
            ClangType::Vector(count, element) => {
                let size = lane(element.width())?;
                let lanes = (0..i64::from(*count)).map(|at| self.bits(behind(pointer, at * size), size.unsigned_abs()));
                Ok(ClangValue::Parts(lanes.collect::<Result<_, _>>()?))
            }
            ClangType::Pointer | ClangType::Target(_) => {
                let object = private_object(pointer)?;
                Ok(self.private.link(object, pointer.offset))
            }
            ClangType::Array(..) | ClangType::Struct(_) | ClangType::Named(_) => {
                self.limit_parts(ty)?;
                let parts = self.parts(ty)?;
                let loaded = parts.iter().map(|(part, offset)| self.load(part, behind(pointer, *offset)));
                Ok(ClangValue::Parts(loaded.collect::<Result<_, _>>()?))
            }
            ClangType::Void => Err("a load of nothing".to_owned()),
        }
    }

    /// Stores a value of type `ty` at `pointer`.
    ///
    /// # Errors
    /// As for [`Self::load`], and an undefined value that would go into a buffer.
    pub(super) fn store(&mut self, ty: &ClangType, value: ClangValue, pointer: ClangPointer) -> Result<(), String> {
        match ty {
            ClangType::Primitive(primitive) => self.store_bits(pointer, bytes(primitive.width()), &value),
            ClangType::Vector(count, element) => {
                let size = lane(element.width())?;
                let lanes = value.parts(*count as usize)?;
                for (at, lane) in (0..).zip(&lanes) {
                    self.store_bits(behind(pointer, at * size), size.unsigned_abs(), lane)?;
                }
                Ok(())
            }
            ClangType::Pointer | ClangType::Target(_) => {
                let object = private_object(pointer)?;
                self.private.store_link(object, pointer.offset, value);
                Ok(())
            }
            ClangType::Array(..) | ClangType::Struct(_) | ClangType::Named(_) => {
                let parts = self.parts(ty)?;
                let values = value.parts(parts.len())?;
                for ((part, offset), value) in parts.iter().zip(values) {
                    self.store(part, value, behind(pointer, *offset))?;
                }
                Ok(())
            }
            ClangType::Void => Err("a store of nothing".to_owned()),
        }
    }

    /// Copies `size` bytes.
    ///
    /// # Errors
    /// A buffer that is not bound, or undefined bytes that would go into one.
    pub(super) fn copy(&mut self, to: ClangPointer, from: ClangPointer, size: u64) -> Result<(), String> {
        if let (AddressedObject::Private(to_object), AddressedObject::Private(from_object)) = (to.object, from.object) {
            let target = ObjectRange { object: to_object, start: to.offset, size };
            self.private.copy(target, from_object, from.offset);
            return Ok(());
        }

        for at in 0..size {
            let at = i64::try_from(at).map_err(|error| error.to_string())?;
            let byte = self.bits(behind(from, at), 1)?;
            // Padding may be undefined.
            if byte != ClangValue::Undefined {
                self.store_bits(behind(to, at), 1, &byte)?;
            }
        }
        Ok(())
    }

    /// Rejects aggregates with more scalars than any probe uses at once. The size of the type
    /// bounds their number.
    ///
    /// # Errors
    /// An aggregate that is too large.
    fn limit_parts(&self, ty: &ClangType) -> Result<(), String> {
        let most = u64::from(MAX_PARTS) * LARGEST;
        let size = self.types.measure(ty)?.size;
        if size > most { Err(format!("an aggregate of more than {most} bytes at once")) } else { Ok(()) }
    }

    /// The parts of an aggregate with their offsets.
    fn parts(&self, ty: &ClangType) -> Result<Vec<(ClangType, i64)>, String> {
        if let ClangType::Array(count, element) = ty {
            let size = i64::try_from(self.types.measure(element)?.size).map_err(|error| error.to_string())?;
            let count = i64::try_from(*count).ok().filter(|count| *count <= i64::from(MAX_PARTS));
            let count = count.ok_or_else(|| format!("an array of more than {MAX_PARTS} elements at once"))?;
            return Ok((0..count).map(|at| (ClangType::clone(element), at.wrapping_mul(size))).collect());
        }

        let own = self.types.structure(ty)?.ok_or("parts of no aggregate")?;
        let offset = |offset: &u64| i64::try_from(*offset).map_err(|error| error.to_string());
        own.members.iter().zip(&own.offsets).map(|(member, at)| Ok((member.clone(), offset(at)?))).collect()
    }

    fn bits(&mut self, pointer: ClangPointer, size: u64) -> Result<ClangValue, String> {
        match pointer.object {
            AddressedObject::Private(object) => {
                Ok(self.private.bits(ObjectRange { object, start: pointer.offset, size }))
            }
            AddressedObject::Resource(place) => {
                if let Some(survey) = &mut self.survey {
                    survey.sites.insert(place);
                    return Ok(ClangValue::Bits(0));
                }
                // A negative offset becomes one far beyond the end of the buffer.
                self.buffers.load(place, pointer.offset.cast_unsigned(), size).map(ClangValue::Bits)
            }
            AddressedObject::Nowhere => Ok(ClangValue::Bits(0)),
        }
    }

    fn store_bits(&mut self, pointer: ClangPointer, size: u64, value: &ClangValue) -> Result<(), String> {
        match pointer.object {
            AddressedObject::Private(object) => {
                let bits = if *value == ClangValue::Undefined { None } else { Some(value.bits()?) };
                self.private.store_bits(ObjectRange { object, start: pointer.offset, size }, bits);
                Ok(())
            }
            AddressedObject::Resource(place) => {
                // A survey also rejects undefined values, so that it stops where an execution
                // would.
                let bits = value.bits()?;
                if let Some(survey) = &mut self.survey {
                    survey.sites.insert(place);
                    return Ok(());
                }
                self.buffers.store(place, pointer.offset.cast_unsigned(), size, bits)
            }
            AddressedObject::Nowhere => Ok(()),
        }
    }
}

/// The private object at a place that holds an address or a resource; these have no bytes in
/// buffers.
fn private_object(pointer: ClangPointer) -> Result<usize, String> {
    match pointer.object {
        AddressedObject::Private(object) => Ok(object),
        AddressedObject::Resource(_) | AddressedObject::Nowhere => {
            Err("an address or a resource in a buffer".to_owned())
        }
    }
}

fn behind(pointer: ClangPointer, bytes: i64) -> ClangPointer {
    ClangPointer { offset: pointer.offset.wrapping_add(bytes), ..pointer }
}

fn bytes(width: u32) -> u64 {
    u64::from(width.div_ceil(BYTE))
}

/// Bytes of a vector's component.
fn lane(width: u32) -> Result<i64, String> {
    if width.is_multiple_of(BYTE) {
        Ok(i64::from(width / BYTE))
    } else {
        Err(format!("a vector of {width} bits each in memory"))
    }
}
