//! Private memory: a function's allocations and the module's variables, byte by byte.
//!
//! Addresses and handles have no bytes here; they are stored separately, by the offset at which the
//! code stored them.

use std::collections::BTreeMap;

use super::types::POINTER;
use super::value::ClangValue;

/// Most bytes of private memory: room for the variables of every call in a large probe.
const MAX_PRIVATE: u64 = 1 << 24;

/// The objects of private memory.
#[derive(Debug)]
pub(super) struct ClangMemory {
    objects: Vec<Contents>,
    left: u64,
}

/// The contents of an object.
#[derive(Clone, Debug, Default)]
struct Contents {
    /// `None` for bytes that were never stored.
    bytes: Vec<Option<u8>>,
    /// Addresses and handles, by their first byte.
    links: BTreeMap<u64, ClangValue>,
}

/// A range of bytes of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectRange {
    /// Index of the object.
    pub object: usize,
    /// First byte, from the start of the object; may be outside of it.
    pub start: i64,
    /// Number of bytes.
    pub size: u64,
}

impl ClangMemory {
    pub(super) fn new() -> Self {
        Self { objects: Vec::new(), left: MAX_PRIVATE }
    }

    /// Allocates an object of `size` bytes and returns its index.
    ///
    /// # Errors
    /// More memory than the limit.
    pub(super) fn allocate(&mut self, size: u64) -> Result<usize, String> {
        let left = self.left.checked_sub(size);
        self.left = left.ok_or_else(|| format!("more than {MAX_PRIVATE} bytes of private memory"))?;
        let length = usize::try_from(size).map_err(|error| error.to_string())?;
        self.objects.push(Contents { bytes: vec![None; length], links: BTreeMap::new() });
        Ok(self.objects.len() - 1)
    }

    /// The bits of a range. If any part of it was never stored, the whole value is undefined. Bytes
    /// beyond the object are undefined in LLVM too and read as zeros here, which match no byte of a
    /// buffer.
    pub(super) fn bits(&self, range: ObjectRange) -> ClangValue {
        let ObjectRange { object, start, size } = range;
        let contents = &self.objects[object];
        let mut bits = 0;
        for at in (0..size).rev() {
            let place = start.checked_add_unsigned(at).and_then(|at| usize::try_from(at).ok());
            match place.map(|place| contents.bytes.get(place)) {
                Some(Some(Some(byte))) => bits = bits << 8 | u64::from(*byte),
                Some(Some(None)) => return ClangValue::Undefined,
                Some(None) | None => bits <<= 8,
            }
        }
        ClangValue::Bits(bits)
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
    pub(super) fn link(&self, object: usize, start: i64) -> ClangValue {
        let place = u64::try_from(start).ok();
        place.and_then(|place| self.objects[object].links.get(&place)).cloned().unwrap_or(ClangValue::Undefined)
    }

    pub(super) fn store_link(&mut self, object: usize, start: i64, link: ClangValue) {
        self.store_bits(ObjectRange { object, start, size: POINTER }, None);
        if let Ok(place) = u64::try_from(start) {
            self.objects[object].links.insert(place, link);
        }
    }

    /// Copies bytes, addresses and handles between objects.
    pub(super) fn copy(&mut self, to: ObjectRange, from: usize, start: i64) {
        let ObjectRange { object, start: first, size } = to;

        let links: Vec<(u64, ClangValue)> = (0..size)
            .filter_map(|at| {
                let place = u64::try_from(start.checked_add_unsigned(at)?).ok()?;
                Some((at, self.objects[from].links.get(&place)?.clone()))
            })
            .collect();
        let bytes: Vec<ClangValue> = (0..size).map(|at| self.bits(byte_of(from, start, at))).collect();

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
    use super::super::value::{AddressedObject, ClangPointer};
    use super::*;

    #[test]
    fn a_store_over_an_address_forgets_it_and_a_copy_takes_it_along() {
        let range = |object, start, size| ObjectRange { object, start, size };
        let mut memory = ClangMemory::new();
        let (first, second) = (memory.allocate(16).unwrap(), memory.allocate(16).unwrap());
        let link = ClangValue::Pointer(ClangPointer { object: AddressedObject::Private(second), offset: 3 });
        memory.store_link(first, 4, link.clone());
        memory.store_bits(range(first, 8, 4), Some(0x0403_0201));
        memory.copy(range(second, 2, 8), first, 4);
        assert_eq!(memory.link(second, 2), link);
        assert_eq!(memory.bits(range(second, 6, 2)), ClangValue::Bits(0x0201));
        // This overwrites the last byte of the address.
        memory.store_bits(range(first, 7, 1), Some(0));
        assert_eq!(memory.link(first, 4), ClangValue::Undefined);
        assert_eq!(memory.link(second, 2), link);
    }

    #[test]
    fn what_nothing_was_stored_to_is_undefined_and_what_is_beyond_is_zeros() {
        let range = |object, start, size| ObjectRange { object, start, size };
        let mut memory = ClangMemory::new();
        let object = memory.allocate(4).unwrap();
        memory.store_bits(range(object, 0, 2), Some(0xFFFF));
        assert_eq!(memory.bits(range(object, 0, 4)), ClangValue::Undefined);
        assert_eq!(memory.bits(range(object, 4, 4)), ClangValue::Bits(0));
        assert_eq!(memory.bits(range(object, -4, 4)), ClangValue::Bits(0));
        assert!(memory.allocate(MAX_PRIVATE).is_err());
    }
}
