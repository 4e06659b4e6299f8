//! COM by hand: identifiers, reference-counted objects and calls by slot.
//!
//! An object is a pointer to a pointer to a table of functions, and a call picks a slot of that
//! table. The functions use Microsoft's calling convention, also on Linux: vkd3d declares that for
//! x86-64.

use std::ffi::c_void;
use std::ptr::NonNull;

use layoutproof_device::RunnerError;

use crate::failure::{HResult, check};

/// The type of a method: its arguments after the object, and its result.
#[cfg(target_arch = "x86_64")]
macro_rules! method_type {
    (($($argument:ty),* $(,)?) $(-> $result:ty)?) => {
        unsafe extern "win64" fn(*mut std::ffi::c_void $(, $argument)*) $(-> $result)?
    };
}

/// The type of a method: its arguments after the object, and its result.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! method_type {
    (($($argument:ty),* $(,)?) $(-> $result:ty)?) => {
        unsafe extern "system" fn(*mut std::ffi::c_void $(, $argument)*) $(-> $result)?
    };
}

/// The type of a function that a library exports.
#[cfg(target_arch = "x86_64")]
macro_rules! function_type {
    (($($argument:ty),* $(,)?) $(-> $result:ty)?) => { unsafe extern "win64" fn($($argument),*) $(-> $result)? };
}

/// The type of a function that a library exports.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! function_type {
    (($($argument:ty),* $(,)?) $(-> $result:ty)?) => { unsafe extern "system" fn($($argument),*) $(-> $result)? };
}

pub(crate) use {function_type, method_type};

/// A `GUID`, the name of an interface.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guid(pub(crate) u32, pub(crate) u16, pub(crate) u16, pub(crate) [u8; 8]);

/// Receives the object that a method makes.
pub(crate) type OutPointer = *mut *mut c_void;

/// One reference to a COM object, released on drop. Its library stays loaded until the process
/// ends.
#[derive(Debug)]
pub(crate) struct ComObject(NonNull<c_void>);

impl ComObject {
    /// Takes ownership of the reference that `call` stored in `pointer`.
    ///
    /// # Safety
    /// `pointer` is null or a COM object.
    pub(crate) unsafe fn adopt(call: &str, pointer: *mut c_void) -> Result<Self, RunnerError> {
        let nothing = || RunnerError::Api {
            call: call.to_owned(),
            reason: "it succeeded without returning an object".to_owned(),
        };
        NonNull::new(pointer).map(Self).ok_or_else(nothing)
    }

    /// The object as an argument of methods.
    pub(crate) fn as_ptr(&self) -> *mut c_void {
        self.0.as_ptr()
    }

    /// The function in `slot` of the object's interface. Slots 0 to 2 belong to `IUnknown`.
    ///
    /// # Safety
    /// The object's interface has this slot, and `F` is the type of its function.
    pub(crate) unsafe fn method<F: Copy>(&self, slot: usize) -> F {
        const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
        // SAFETY: every COM object starts with the pointer to its table.
        let table = unsafe { self.0.cast::<*const *const c_void>().read() };
        // SAFETY: the caller guarantees that the table has this slot.
        let function = unsafe { table.wrapping_add(slot).read() };
        // SAFETY: the caller guarantees that the function has type `F`; the sizes are asserted to
        // be equal.
        unsafe { std::mem::transmute_copy::<*const c_void, F>(&function) }
    }

    /// The object that `make` stores through its argument.
    ///
    /// # Safety
    /// If `make` succeeds, it stores null or a COM object.
    pub(crate) unsafe fn made(call: &str, make: impl FnOnce(OutPointer) -> HResult) -> Result<Self, RunnerError> {
        let mut pointer = std::ptr::null_mut();
        check(call, make(&raw mut pointer))?;
        // SAFETY: the caller guarantees the stored value.
        unsafe { Self::adopt(call, pointer) }
    }
}

impl Drop for ComObject {
    fn drop(&mut self) {
        // SAFETY: slot 2 of every interface is `Release`.
        let release = unsafe { self.method::<method_type!(() -> u32)>(2) };
        // SAFETY: this value owns one reference and is not used again.
        unsafe { release(self.as_ptr()) };
    }
}
