//! COM by hand: identifiers, reference-counted objects and calls by slot.
//!
//! An object is a pointer to a pointer to a table of functions, and a call picks a slot of that
//! table. The slot of a method depends on the [`Abi`].

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use super::DxcLibraryError;

/// The layout of the method table in a DXC library, on platforms without Windows' own COM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Abi {
    /// Up to DXC 1.7.2207: a virtual destructor occupies two slots after `ReleaseObject`.
    Old,
    /// From DXC 1.7.2212 on, and on Windows always.
    #[default]
    New,
}

impl Abi {
    /// Index in the table of method number `slot` of its interface, counting the three methods of
    /// `IUnknown`.
    fn index(self, slot: usize) -> usize {
        const METHODS_OF_UNKNOWN: usize = 3;
        match self {
            Self::Old if slot >= METHODS_OF_UNKNOWN => slot + 2,
            Self::Old | Self::New => slot,
        }
    }
}

/// A `GUID`, the name of a class or an interface.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct DxcGuid(pub(super) u32, pub(super) u16, pub(super) u16, pub(super) [u8; 8]);

/// The unit of DXC's wide strings: `wchar_t`.
#[cfg(windows)]
pub(super) type WideUnit = u16;
/// The unit of DXC's wide strings: `wchar_t`.
#[cfg(not(windows))]
pub(super) type WideUnit = u32;

/// `text` as a wide string with its final zero.
pub(super) fn wide(text: &str) -> Vec<WideUnit> {
    #[cfg(windows)]
    let units = text.encode_utf16();
    #[cfg(not(windows))]
    let units = text.chars().map(u32::from);
    units.chain([0]).collect()
}

/// Result of a COM call; negative values are failures.
pub(super) type DxcResult = i32;

/// Turns a failing `code` into an error.
pub(super) fn check(call: &'static str, code: DxcResult) -> Result<(), DxcLibraryError> {
    if code < 0 { Err(DxcLibraryError::Refused { call, code }) } else { Ok(()) }
}

/// One reference to a COM object, released on drop. Does not outlive the library of the object.
#[derive(Debug)]
pub(super) struct DxcObject<'library> {
    pointer: NonNull<c_void>,
    abi: Abi,
    library: PhantomData<&'library libloading::Library>,
}

impl DxcObject<'_> {
    /// Takes ownership of the reference that `call` stored in `pointer`.
    ///
    /// # Safety
    /// `pointer` is null or a COM object with the layout of `abi`, from a library that outlives the
    /// result.
    pub(super) unsafe fn adopt(call: &'static str, pointer: *mut c_void, abi: Abi) -> Result<Self, DxcLibraryError> {
        let pointer = NonNull::new(pointer).ok_or(DxcLibraryError::Nothing { call })?;
        Ok(Self { pointer, abi, library: PhantomData })
    }

    /// Like [`DxcObject::adopt`], for an object of the same library.
    ///
    /// # Safety
    /// `pointer` is null or a COM object of the library of `self`.
    pub(super) unsafe fn sibling(&self, call: &'static str, pointer: *mut c_void) -> Result<Self, DxcLibraryError> {
        // SAFETY: the caller guarantees it.
        unsafe { Self::adopt(call, pointer, self.abi) }
    }

    /// The object as a DXC argument.
    pub(super) fn as_ptr(&self) -> *mut c_void {
        self.pointer.as_ptr()
    }

    /// The function in `slot` of the object's interface. Slots 0 to 2 belong to `IUnknown`.
    ///
    /// # Safety
    /// The object's interface has this slot, and `F` is the type of its function.
    pub(super) unsafe fn method<F: Copy>(&self, slot: usize) -> F {
        const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
        // SAFETY: every COM object starts with the pointer to its table.
        let table = unsafe { self.pointer.cast::<*const *const c_void>().read() };
        let place = table.wrapping_add(self.abi.index(slot));
        // SAFETY: the caller guarantees that the table has this slot.
        let function = unsafe { place.read() };
        // SAFETY: the caller guarantees that the function has type `F`; the sizes are asserted to
        // be equal.
        unsafe { std::mem::transmute_copy::<*const c_void, F>(&function) }
    }

    /// The same object under another interface.
    pub(super) fn query(&self, call: &'static str, interface: DxcGuid) -> Result<Self, DxcLibraryError> {
        type QueryInterface = unsafe extern "system" fn(*mut c_void, &DxcGuid, *mut *mut c_void) -> DxcResult;
        let mut found = ptr::null_mut();
        // SAFETY: slot 0 is `QueryInterface` in both tables.
        let query = unsafe { self.method::<QueryInterface>(0) };
        // SAFETY: the arguments are this object, an identifier and a place for the answer.
        check(call, unsafe { query(self.as_ptr(), &interface, &raw mut found) })?;
        // SAFETY: the answer is an object of the same library.
        unsafe { self.sibling(call, found) }
    }
}

impl Drop for DxcObject<'_> {
    fn drop(&mut self) {
        type ReleaseObject = unsafe extern "system" fn(*mut c_void) -> u32;
        // SAFETY: slot 2 is `ReleaseObject` in both tables.
        let release = unsafe { self.method::<ReleaseObject>(2) };
        // SAFETY: this value owns one reference and is not used again.
        unsafe { release(self.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_destructor_shifts_every_method_behind_release() {
        let rows = [(0, 0, 0), (2, 2, 2), (3, 5, 3), (4, 6, 4)];
        for (slot, old, new) in rows {
            assert_eq!((Abi::Old.index(slot), Abi::New.index(slot)), (old, new), "slot {slot}");
        }
    }

    #[test]
    fn wide_strings_end_with_zero() {
        assert_eq!(wide("-T"), [WideUnit::from(b'-'), WideUnit::from(b'T'), 0]);
    }
}
