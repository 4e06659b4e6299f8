//! The memory of an execution: private memory (a function's allocations and the module's
//! variables) and the buffers of a job.
//!
//! Addresses and handles have no bytes in private memory; they are stored separately, by the offset
//! at which the code stored them.

use std::collections::BTreeMap;

use layoutproof_device::ResourceClass;

use super::ir_error::IrError;
use super::machine::Survey;
use super::reader::MAX_PARTS;
use super::types::{NamedTypes, POINTER, Type};
use super::value::{AddressedObject, Pointer, Value};

const BYTE: u32 = 8;

/// Bytes of the largest scalar.
const LARGEST: u64 = 8;

#[derive(Debug)]
pub(super) struct Memory<'a> {
    types: &'a NamedTypes,
    pub(super) private: PrivateMemory,
    buffers: BoundBuffers<'a>,
    /// If set, the code is followed to collect resources: no buffer needs to be bound, and all
    /// reads give zeros.
    pub survey: Option<Survey>,
}

impl<'a> Memory<'a> {
    /// Empty private memory next to `buffers`. With `survey` the buffers are not accessed.
    pub(super) fn new(types: &'a NamedTypes, buffers: BoundBuffers<'a>, survey: Option<Survey>) -> Self {
        Self { types, private: PrivateMemory::new(), buffers, survey }
    }

    /// Loads a value of type `ty` from `pointer`.
    pub(super) fn load(&mut self, ty: &Type, pointer: Pointer) -> Result<Value, IrError> {
        match ty {
            Type::Primitive(primitive) => self.bits(pointer, bytes(primitive.width())),
            Type::Vector(count, element) => {
                let size = lane(element.width())?;
                let lanes = (0..i64::from(*count)).map(|at| self.bits(pointer.after(at * size), size.unsigned_abs()));
                Ok(Value::Parts(lanes.collect::<Result<_, _>>()?))
            }
            Type::Pointer | Type::Target(_) => {
                let object = private_object(pointer)?;
                Ok(self.private.link(object, pointer.offset))
            }
            Type::Array(..) | Type::Struct(_) | Type::Named(_) => {
                self.limit_parts(ty)?;
                let parts = self.parts(ty)?;
                let loaded = parts.iter().map(|(part, offset)| self.load(part, pointer.after(*offset)));
                Ok(Value::Parts(loaded.collect::<Result<_, _>>()?))
            }
            Type::Void => Err("a load of nothing".into()),
        }
    }

    /// Stores a value of type `ty` at `pointer`.
    ///
    /// # Errors
    /// As for [`Self::load`], and an undefined value that would go into a buffer.
    pub(super) fn store(&mut self, ty: &Type, value: Value, pointer: Pointer) -> Result<(), IrError> {
        match ty {
            Type::Primitive(primitive) => self.store_bits(pointer, bytes(primitive.width()), &value),
            Type::Vector(count, element) => {
                let size = lane(element.width())?;
                let lanes = value.parts(*count as usize)?;
                for (at, lane) in (0..).zip(&lanes) {
                    self.store_bits(pointer.after(at * size), size.unsigned_abs(), lane)?;
                }
                Ok(())
            }
            Type::Pointer | Type::Target(_) => {
                let object = private_object(pointer)?;
                self.private.store_link(object, pointer.offset, value);
                Ok(())
            }
            Type::Array(..) | Type::Struct(_) | Type::Named(_) => {
                let parts = self.parts(ty)?;
                let values = value.parts(parts.len())?;
                for ((part, offset), value) in parts.iter().zip(values) {
                    self.store(part, value, pointer.after(*offset))?;
                }
                Ok(())
            }
            Type::Void => Err("a store of nothing".into()),
        }
    }

    /// Copies `size` bytes.
    ///
    /// # Errors
    /// A buffer that is not bound, or undefined bytes that would go into one.
    pub(super) fn copy(&mut self, to: Pointer, from: Pointer, size: u64) -> Result<(), IrError> {
        if let (AddressedObject::Private(to_object), AddressedObject::Private(from_object)) = (to.object, from.object) {
            let target = ObjectRange { object: to_object, start: to.offset, size };
            self.private.copy(target, from_object, from.offset);
            return Ok(());
        }

        for at in 0..size {
            let at = i64::try_from(at)?;
            let byte = self.bits(from.after(at), 1)?;
            // Padding may be undefined.
            if byte != Value::Undefined {
                self.store_bits(to.after(at), 1, &byte)?;
            }
        }
        Ok(())
    }

    /// Rejects aggregates with more scalars than any probe uses at once. The size of the type
    /// bounds their number.
    fn limit_parts(&self, ty: &Type) -> Result<(), IrError> {
        let most = u64::from(MAX_PARTS) * LARGEST;
        let size = self.types.measure(ty)?.size;
        if size > most { Err(IrError::limit("an aggregate of more than", most, "bytes at once")) } else { Ok(()) }
    }

    /// The parts of an aggregate with their offsets.
    fn parts(&self, ty: &Type) -> Result<Vec<(Type, i64)>, IrError> {
        if let Type::Array(count, element) = ty {
            let size = i64::try_from(self.types.measure(element)?.size)?;
            let count = i64::try_from(*count).ok().filter(|count| *count <= i64::from(MAX_PARTS));
            let count = count.ok_or(IrError::limit("an array of more than", MAX_PARTS, "elements at once"))?;
            return Ok((0..count).map(|at| (Type::clone(element), at.wrapping_mul(size))).collect());
        }

        let own = self.types.structure(ty)?.ok_or("parts of no aggregate")?;
        own.members.iter().zip(&own.offsets).map(|(member, at)| Ok((member.clone(), i64::try_from(*at)?))).collect()
    }

    /// The bits of `size` bytes, at most 8.
    pub(super) fn bits(&mut self, pointer: Pointer, size: u64) -> Result<Value, IrError> {
        match pointer.object {
            AddressedObject::Private(object) => {
                Ok(self.private.bits(ObjectRange { object, start: pointer.offset, size }))
            }
            AddressedObject::Resource(place) => {
                if let Some(survey) = &mut self.survey {
                    survey.sites.insert(place);
                    return Ok(Value::Bits(0));
                }
                // A negative offset becomes one far beyond the end of the buffer.
                self.buffers.load(place, pointer.offset.cast_unsigned(), size).map(Value::Bits)
            }
            AddressedObject::Nowhere => Ok(Value::Bits(0)),
        }
    }

    /// The bound buffer with this number, whatever its class: Metal numbers all of them together.
    pub(super) fn site_of_register(&self, register: u32) -> Option<RegisterSite> {
        let any = RegisterSite { class: ResourceClass::UnorderedAccess, space: 0, register };
        if self.survey.is_some() {
            return Some(any);
        }
        let is_it = |site: &RegisterSite| (site.space, site.register) == (any.space, any.register);
        self.buffers.0.iter().map(|buffer| buffer.site).find(is_it)
    }

    /// Bytes of the buffer that is bound at `site`; in a survey, zero.
    pub(super) fn bound_bytes(&mut self, site: RegisterSite) -> Result<u64, IrError> {
        if let Some(survey) = &mut self.survey {
            survey.sites.insert(site);
            return Ok(0);
        }
        self.buffers.size(site)
    }

    /// Stores the low `size` bytes of a scalar.
    pub(super) fn store_bits(&mut self, pointer: Pointer, size: u64, value: &Value) -> Result<(), IrError> {
        match pointer.object {
            AddressedObject::Private(object) => {
                let bits = if *value == Value::Undefined { None } else { Some(value.bits()?) };
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
fn private_object(pointer: Pointer) -> Result<usize, IrError> {
    match pointer.object {
        AddressedObject::Private(object) => Ok(object),
        _ => Err("an address or a resource in a buffer".into()),
    }
}

fn bytes(width: u32) -> u64 {
    u64::from(width.div_ceil(BYTE))
}

/// Bytes of a vector's component.
fn lane(width: u32) -> Result<i64, IrError> {
    if width.is_multiple_of(BYTE) {
        Ok(i64::from(width / BYTE))
    } else {
        Err("a vector of parts of bytes in memory".into())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegisterSite {
    pub class: ResourceClass,
    pub space: u32,
    pub register: u32,
}

impl RegisterSite {
    /// The register of the other class in which a shader may declare the same storage buffer.
    fn other_storage(self) -> Option<Self> {
        let class = match self.class {
            ResourceClass::ShaderResource => ResourceClass::UnorderedAccess,
            ResourceClass::UnorderedAccess => ResourceClass::ShaderResource,
            ResourceClass::ConstantBuffer | ResourceClass::Sampler => return None,
        };
        Some(Self { class, ..self })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct BoundBuffer {
    pub(crate) site: RegisterSite,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct BoundBuffers<'a>(pub(crate) &'a mut [BoundBuffer]);

impl BoundBuffers<'_> {
    /// Loads `size` bytes, at most 8, from byte `start` as a little-endian number. Bytes beyond the
    /// buffer are zeros, as in Direct3D 12.
    pub(crate) fn load(&self, place: RegisterSite, start: u64, size: u64) -> Result<u64, IrError> {
        let buffer = &self.0[self.bound(place)?];
        let byte = |at: u64| usize::try_from(at).ok().and_then(|at| buffer.bytes.get(at)).copied().unwrap_or(0);
        Ok((0..size).rev().fold(0, |bits, at| bits << 8 | u64::from(byte(start.saturating_add(at)))))
    }

    /// Stores the low `size` bytes of `bits` at `start`. Bytes beyond the buffer are lost.
    pub(crate) fn store(&mut self, place: RegisterSite, start: u64, size: u64, bits: u64) -> Result<(), IrError> {
        let index = self.bound(place)?;
        for (at, byte) in (start..start.saturating_add(size)).zip(bits.to_le_bytes()) {
            let stored = usize::try_from(at).ok().and_then(|at| self.0[index].bytes.get_mut(at));
            if let Some(stored) = stored {
                *stored = byte;
            }
        }
        Ok(())
    }

    /// Bytes of the buffer at `site`.
    pub(crate) fn size(&self, site: RegisterSite) -> Result<u64, IrError> {
        Ok(self.0[self.bound(site)?].bytes.len() as u64)
    }

    fn bound(&self, site: RegisterSite) -> Result<usize, IrError> {
        let find = |site| self.0.iter().position(|buffer| buffer.site == site);
        let found = find(site).or_else(|| find(site.other_storage()?));
        found.ok_or(IrError::Unbound(site))
    }
}

/// Most bytes of private memory: room for the variables of every call in a large probe.
const MAX_PRIVATE: u64 = 1 << 24;

#[derive(Debug)]
pub(super) struct PrivateMemory {
    objects: Vec<Contents>,
    left: u64,
}

#[derive(Clone, Debug, Default)]
struct Contents {
    /// `None` for bytes that were never stored.
    bytes: Vec<Option<u8>>,
    /// Addresses and handles, by their first byte.
    links: BTreeMap<u64, Value>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectRange {
    pub object: usize,
    /// First byte, from the start of the object; may be outside of it.
    pub start: i64,
    /// Number of bytes.
    pub size: u64,
}

impl PrivateMemory {
    pub(super) fn new() -> Self {
        Self { objects: Vec::new(), left: MAX_PRIVATE }
    }

    /// Allocates an object of `size` bytes and returns its index.
    pub(super) fn allocate(&mut self, size: u64) -> Result<usize, IrError> {
        let left = self.left.checked_sub(size);
        self.left = left.ok_or(IrError::limit("more than", MAX_PRIVATE, "bytes of private memory"))?;
        let length = usize::try_from(size)?;
        self.objects.push(Contents { bytes: vec![None; length], links: BTreeMap::new() });
        Ok(self.objects.len() - 1)
    }

    /// The bits of a range. If any part of it was never stored, the whole value is undefined. Bytes
    /// beyond the object are undefined in LLVM too and read as zeros here, which match no byte of a
    /// buffer.
    pub(super) fn bits(&self, range: ObjectRange) -> Value {
        let ObjectRange { object, start, size } = range;
        let contents = &self.objects[object];
        let mut bits = 0;
        for at in (0..size).rev() {
            let place = start.checked_add_unsigned(at).and_then(|at| usize::try_from(at).ok());
            match place.map(|place| contents.bytes.get(place)) {
                Some(Some(Some(byte))) => bits = bits << 8 | u64::from(*byte),
                Some(Some(None)) => return Value::Undefined,
                Some(None) | None => bits <<= 8,
            }
        }
        Value::Bits(bits)
    }

    pub(super) fn store_bits(&mut self, range: ObjectRange, bits: Option<u64>) {
        self.forget_links(range);
        let ObjectRange { object, start, size } = range;
        let bytes = bits.map(u64::to_le_bytes);
        for at in 0..size {
            let byte = bytes.map(|bytes| bytes.get(usize::try_from(at).unwrap_or(usize::MAX)).copied().unwrap_or(0));
            self.set(object, start.checked_add_unsigned(at), byte);
        }
    }

    /// Stores one byte. A byte outside of the object is lost.
    fn set(&mut self, object: usize, at: Option<i64>, byte: Option<u8>) {
        let place = at.and_then(|at| usize::try_from(at).ok());
        if let Some(place) = place.and_then(|place| self.objects[object].bytes.get_mut(place)) {
            *place = byte;
        }
    }

    /// The address or handle at an offset.
    pub(super) fn link(&self, object: usize, start: i64) -> Value {
        let place = u64::try_from(start).ok();
        place.and_then(|place| self.objects[object].links.get(&place)).cloned().unwrap_or(Value::Undefined)
    }

    pub(super) fn store_link(&mut self, object: usize, start: i64, link: Value) {
        self.store_bits(ObjectRange { object, start, size: POINTER }, None);
        if let Ok(place) = u64::try_from(start) {
            self.objects[object].links.insert(place, link);
        }
    }

    /// Copies bytes, addresses and handles between objects.
    pub(super) fn copy(&mut self, to: ObjectRange, from: usize, start: i64) {
        let ObjectRange { object, start: first, size } = to;

        let links: Vec<(u64, Value)> = (0..size)
            .filter_map(|at| {
                let place = u64::try_from(start.checked_add_unsigned(at)?).ok()?;
                Some((at, self.objects[from].links.get(&place)?.clone()))
            })
            .collect();
        let bytes: Vec<Value> = (0..size).map(|at| self.bits(byte_of(from, start, at))).collect();

        for (at, byte) in (0..size).zip(bytes) {
            self.store_bits(byte_of(object, first, at), byte.bits().ok());
        }
        for (at, link) in links {
            self.store_link(object, first.wrapping_add_unsigned(at), link);
        }
    }

    /// Removes the addresses and handles that a range touches.
    fn forget_links(&mut self, range: ObjectRange) {
        let ObjectRange { object, start, size } = range;
        let links = &mut self.objects[object].links;
        if links.is_empty() {
            return;
        }
        let first = u64::try_from(start.saturating_sub_unsigned(POINTER - 1)).unwrap_or(0);
        let end = u64::try_from(start.saturating_add_unsigned(size)).unwrap_or(0);
        let mut touched = if first < end { links.split_off(&first) } else { BTreeMap::new() };
        links.append(&mut touched.split_off(&end));
    }
}

/// The byte `at` bytes after `start`.
fn byte_of(object: usize, start: i64, at: u64) -> ObjectRange {
    ObjectRange { object, start: start.wrapping_add_unsigned(at), size: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_over_an_address_forgets_it_and_a_copy_takes_it_along() {
        let range = |object, start, size| ObjectRange { object, start, size };
        let mut memory = PrivateMemory::new();
        let (first, second) = (memory.allocate(16).unwrap(), memory.allocate(16).unwrap());
        let link = Value::Pointer(Pointer { object: AddressedObject::Private(second), offset: 3 });
        memory.store_link(first, 4, link.clone());
        memory.store_bits(range(first, 8, 4), Some(0x0403_0201));
        memory.copy(range(second, 2, 8), first, 4);
        assert_eq!(memory.link(second, 2), link);
        assert_eq!(memory.bits(range(second, 6, 2)), Value::Bits(0x0201));
        // This overwrites the last byte of the address.
        memory.store_bits(range(first, 7, 1), Some(0));
        assert_eq!(memory.link(first, 4), Value::Undefined);
        assert_eq!(memory.link(second, 2), link);
    }

    #[test]
    fn what_nothing_was_stored_to_is_undefined_and_what_is_beyond_is_zeros() {
        let range = |object, start, size| ObjectRange { object, start, size };
        let mut memory = PrivateMemory::new();
        let object = memory.allocate(4).unwrap();
        memory.store_bits(range(object, 0, 2), Some(0xFFFF));
        assert_eq!(memory.bits(range(object, 0, 4)), Value::Undefined);
        assert_eq!(memory.bits(range(object, 4, 4)), Value::Bits(0));
        assert_eq!(memory.bits(range(object, -4, 4)), Value::Bits(0));
        assert!(memory.allocate(MAX_PRIVATE).is_err());
    }
}
