//! The calls to `libdxcompiler`: open, version, compile, disassemble.
//!
//! COM is declared by hand. Generated bindings (of the `windows` crate, or hassle-rs) have one
//! layout of the method tables and strings of 16-bit units; libraries for Linux have had two layouts
//! ([`Abi`]), and their strings have 32-bit units.
//!
//! An object is a pointer to a pointer to a table of functions, and a call picks a slot of that
//! table. Source: `dxcapi.h` and `WinAdapter.h` of `DirectXShaderCompiler`.

use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};

use libloading::Library;

/// An error of the library, or of a call to it. Errors in a source do not belong here.
#[derive(Debug, thiserror::Error)]
pub(super) enum DxcLibraryError {
    /// The library is missing, or lacks DXC's entry point.
    #[error("cannot load {}: {error}", path.display())]
    Load { path: PathBuf, error: libloading::Error },
    #[error("{call} returned HRESULT {code:#010x}")]
    Refused { call: &'static str, code: DxcResult },
    #[error("{call} succeeded without returning an object")]
    Nothing { call: &'static str },
    #[error("more arguments than DXC can count")]
    TooManyArguments,
}

/// The layout of the method table in a DXC library, on platforms without Windows' own COM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Abi {
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
struct DxcGuid(u32, u16, u16, [u8; 8]);

/// The unit of DXC's wide strings: `wchar_t`.
#[cfg(windows)]
type WideUnit = u16;
/// The unit of DXC's wide strings: `wchar_t`.
#[cfg(not(windows))]
type WideUnit = u32;

fn wide(text: &str) -> Vec<WideUnit> {
    #[cfg(windows)]
    let units = text.encode_utf16();
    #[cfg(not(windows))]
    let units = text.chars().map(u32::from);
    units.chain([0]).collect()
}

/// Result of a COM call; negative values are failures.
type DxcResult = i32;

fn check(call: &'static str, code: DxcResult) -> Result<(), DxcLibraryError> {
    if code < 0 { Err(DxcLibraryError::Refused { call, code }) } else { Ok(()) }
}

/// One reference to a COM object, released on drop. Does not outlive the library of the object.
#[derive(Debug)]
struct DxcObject<'library> {
    pointer: NonNull<c_void>,
    abi: Abi,
    library: PhantomData<&'library Library>,
}

impl DxcObject<'_> {
    /// Takes ownership of the reference that `call` stored in `pointer`.
    ///
    /// # Safety
    /// `pointer` is null or a COM object with the layout of `abi`, from a library that outlives the
    /// result.
    unsafe fn adopt(call: &'static str, pointer: *mut c_void, abi: Abi) -> Result<Self, DxcLibraryError> {
        let pointer = NonNull::new(pointer).ok_or(DxcLibraryError::Nothing { call })?;
        Ok(Self { pointer, abi, library: PhantomData })
    }

    /// Like [`DxcObject::adopt`], for an object of the same library.
    ///
    /// # Safety
    /// `pointer` is null or a COM object of the library of `self`.
    unsafe fn sibling(&self, call: &'static str, pointer: *mut c_void) -> Result<Self, DxcLibraryError> {
        // SAFETY: the caller guarantees it.
        unsafe { Self::adopt(call, pointer, self.abi) }
    }

    fn as_ptr(&self) -> *mut c_void {
        self.pointer.as_ptr()
    }

    /// The function in `slot` of the object's interface. Slots 0 to 2 belong to `IUnknown`.
    ///
    /// # Safety
    /// The object's interface has this slot, and `F` is the type of its function.
    unsafe fn method<F: Copy>(&self, slot: usize) -> F {
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
    fn query(&self, call: &'static str, interface: DxcGuid) -> Result<Self, DxcLibraryError> {
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

const CLASS_COMPILER: DxcGuid = DxcGuid(0x73e2_2d93, 0xe6ce, 0x47f3, [0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0]);
const CLASS_UTILS: DxcGuid = DxcGuid(0x6245_d6af, 0x66e0, 0x48fd, [0x80, 0xb4, 0x4d, 0x27, 0x17, 0x96, 0x74, 0x8c]);
const COMPILER3: DxcGuid = DxcGuid(0x228b_4687, 0x5a6a, 0x4730, [0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54]);
const UTILS: DxcGuid = DxcGuid(0x4605_c4cb, 0x2019, 0x492a, [0xad, 0xa4, 0x65, 0xf2, 0x0b, 0xb7, 0xd6, 0x7f]);
const RESULT: DxcGuid = DxcGuid(0x5834_6cda, 0xdde7, 0x4497, [0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59]);
const BLOB: DxcGuid = DxcGuid(0x8ba5_fb08, 0x5195, 0x40e2, [0xac, 0x58, 0x0d, 0x98, 0x9c, 0x3a, 0x01, 0x02]);
const VERSION_INFO: DxcGuid = DxcGuid(0xb04f_5b50, 0x2059, 0x4f12, [0xa8, 0xff, 0xa1, 0xe0, 0xcd, 0xe1, 0xcc, 0x7e]);
const VERSION_INFO2: DxcGuid = DxcGuid(0xfb69_04c4, 0x42f0, 0x4b62, [0x9c, 0x46, 0x98, 0x3a, 0xf7, 0xda, 0x7c, 0x83]);

/// UTF-8, in the encoding field of `DxcBuffer`.
const CODE_PAGE_UTF8: u32 = 65001;

/// The parts of a result (`DXC_OUT_KIND`).
#[derive(Clone, Copy)]
enum DxcOutput {
    Object = 1,
    Errors = 2,
    Disassembly = 5,
}

/// `DxcBuffer`: a range of bytes, and for text its encoding.
#[repr(C)]
struct DxcBuffer {
    pointer: *const c_void,
    size: usize,
    encoding: u32,
}

impl DxcBuffer {
    fn new(bytes: &[u8], encoding: u32) -> Self {
        Self { pointer: bytes.as_ptr().cast(), size: bytes.len(), encoding }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct DxcCompilation {
    /// True if DXC reports success; warnings are allowed.
    pub(super) succeeded: bool,
    /// Errors and warnings, in the format of dxc.
    pub(super) diagnostics: String,
    /// A DXIL container or a SPIR-V module; empty on failure.
    pub(super) object: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct DxcLibrary {
    library: Library,
    abi: Abi,
}

impl DxcLibrary {
    /// Loads the library. The [`Abi`] cannot be detected: a wrong one crashes at the first call.
    pub(super) fn open(path: &Path, abi: Abi) -> Result<Self, DxcLibraryError> {
        // SAFETY: DXC's initialisers do not depend on any state of this process.
        let library = unsafe { Library::new(path) };
        let library = library.map_err(|error| DxcLibraryError::Load { path: path.to_owned(), error })?;
        Ok(Self { library, abi })
    }

    /// One line in the format of dxc's `--version`: `libdxcompiler: 1.7 (4006, 69e54e29)`, with the
    /// number of commits and the commit's hash.
    pub(super) fn version(&self) -> Result<String, DxcLibraryError> {
        type DxcGetVersion = unsafe extern "system" fn(*mut c_void, *mut u32, *mut u32) -> DxcResult;
        const CALL: &str = "IDxcVersionInfo::GetVersion";

        let info = self.create(CLASS_COMPILER, VERSION_INFO)?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: slot 3 of `IDxcVersionInfo` is `GetVersion`.
        let get = unsafe { info.method::<DxcGetVersion>(3) };
        // SAFETY: both places live until the call returns.
        check(CALL, unsafe { get(info.as_ptr(), &raw mut major, &raw mut minor) })?;
        let commit = commit(&info.query("IDxcVersionInfo2", VERSION_INFO2)?)?;
        Ok(format!("libdxcompiler: {major}.{minor} ({commit})"))
    }

    /// Compiles `source` with dxc's arguments, which include the name of the source file. An error
    /// in the source is not an error here, see [`DxcCompilation::succeeded`].
    pub(super) fn compile(&self, source: &[u8], arguments: &[String]) -> Result<DxcCompilation, DxcLibraryError> {
        type DxcCompile = unsafe extern "system" fn(
            *mut c_void,
            *const DxcBuffer,
            *const *const WideUnit,
            u32,
            *mut c_void,
            &DxcGuid,
            *mut *mut c_void,
        ) -> DxcResult;
        const CALL: &str = "IDxcCompiler3::Compile";

        let compiler = self.create(CLASS_COMPILER, COMPILER3)?;
        let includes = self.include_handler()?;

        let texts: Vec<Vec<WideUnit>> = arguments.iter().map(|text| wide(text)).collect();
        let pointers: Vec<*const WideUnit> = texts.iter().map(Vec::as_ptr).collect();
        let count = u32::try_from(pointers.len()).map_err(|_| DxcLibraryError::TooManyArguments)?;
        let buffer = DxcBuffer::new(source, CODE_PAGE_UTF8);

        let mut result = ptr::null_mut();
        // SAFETY: slot 3 of `IDxcCompiler3` is `Compile`.
        let compile = unsafe { compiler.method::<DxcCompile>(3) };
        // SAFETY: source, arguments and include handler live until the call returns; `count` counts `pointers`.
        let code = unsafe {
            compile(
                compiler.as_ptr(),
                &raw const buffer,
                pointers.as_ptr(),
                count,
                includes.as_ptr(),
                &RESULT,
                &raw mut result,
            )
        };
        check(CALL, code)?;
        // SAFETY: `Compile` stored an object of this library.
        let result = unsafe { DxcObject::adopt(CALL, result, self.abi) }?;

        let succeeded = status(&result)? >= 0;
        let diagnostics = text(&output(&result, DxcOutput::Errors)?);
        let object = if succeeded { output(&result, DxcOutput::Object)? } else { Vec::new() };
        Ok(DxcCompilation { succeeded, diagnostics, object })
    }

    /// The listing of a DXIL container, in the form that `dxc -Fc` writes.
    pub(super) fn disassemble(&self, object: &[u8]) -> Result<String, DxcLibraryError> {
        type Disassemble =
            unsafe extern "system" fn(*mut c_void, *const DxcBuffer, &DxcGuid, *mut *mut c_void) -> DxcResult;
        const CALL: &str = "IDxcCompiler3::Disassemble";

        let compiler = self.create(CLASS_COMPILER, COMPILER3)?;
        let buffer = DxcBuffer::new(object, 0);
        let mut result = ptr::null_mut();
        // SAFETY: slot 4 of `IDxcCompiler3` is `Disassemble`.
        let disassemble = unsafe { compiler.method::<Disassemble>(4) };
        // SAFETY: the object's bytes live until the call returns.
        check(CALL, unsafe { disassemble(compiler.as_ptr(), &raw const buffer, &RESULT, &raw mut result) })?;
        // SAFETY: `Disassemble` stored an object of this library.
        let result = unsafe { DxcObject::adopt(CALL, result, self.abi) }?;

        check(CALL, status(&result)?)?;
        Ok(text(&output(&result, DxcOutput::Disassembly)?))
    }

    /// The object that resolves `#include` and `-I`.
    fn include_handler(&self) -> Result<DxcObject<'_>, DxcLibraryError> {
        type CreateIncludeHandler = unsafe extern "system" fn(*mut c_void, *mut *mut c_void) -> DxcResult;
        const CALL: &str = "IDxcUtils::CreateDefaultIncludeHandler";

        let utils = self.create(CLASS_UTILS, UTILS)?;
        let mut handler = ptr::null_mut();
        // SAFETY: slot 9 of `IDxcUtils` is `CreateDefaultIncludeHandler`.
        let create = unsafe { utils.method::<CreateIncludeHandler>(9) };
        // SAFETY: the place for the answer lives until the call returns.
        check(CALL, unsafe { create(utils.as_ptr(), &raw mut handler) })?;
        // SAFETY: the call stored an object of this library.
        unsafe { DxcObject::adopt(CALL, handler, self.abi) }
    }

    fn create(&self, class: DxcGuid, interface: DxcGuid) -> Result<DxcObject<'_>, DxcLibraryError> {
        type CreateInstance = unsafe extern "system" fn(&DxcGuid, &DxcGuid, *mut *mut c_void) -> DxcResult;
        const CALL: &str = "DxcCreateInstance";

        // SAFETY: `dxcapi.h` declares `DxcCreateInstance` with this type.
        let create = unsafe { self.library.get::<CreateInstance>(b"DxcCreateInstance\0") };
        let create = create.map_err(|error| DxcLibraryError::Load { path: "libdxcompiler".into(), error })?;
        let mut object = ptr::null_mut();
        // SAFETY: two identifiers and a place for the answer, which all live until the call returns.
        check(CALL, unsafe { create(&class, &interface, &raw mut object) })?;
        // SAFETY: the call stored an object of this library.
        unsafe { DxcObject::adopt(CALL, object, self.abi) }
    }
}

/// Commit number and hash of an `IDxcVersionInfo2`'s build: `4006, 69e54e29`.
fn commit(info: &DxcObject<'_>) -> Result<String, DxcLibraryError> {
    type GetCommitInfo = unsafe extern "system" fn(*mut c_void, *mut u32, *mut *const c_char) -> DxcResult;
    const CALL: &str = "IDxcVersionInfo2::GetCommitInfo";

    let (mut count, mut hash) = (0, ptr::null());
    // SAFETY: slot 5 of `IDxcVersionInfo2` is `GetCommitInfo`.
    let get = unsafe { info.method::<GetCommitInfo>(5) };
    // SAFETY: both places live until the call returns.
    check(CALL, unsafe { get(info.as_ptr(), &raw mut count, &raw mut hash) })?;

    if hash.is_null() {
        return Err(DxcLibraryError::Nothing { call: CALL });
    }
    // SAFETY: DXC stores a string with a final zero. The caller should free its few bytes, but this
    // process ends soon.
    let hash = unsafe { CStr::from_ptr(hash) }.to_string_lossy();
    Ok(format!("{count}, {hash}"))
}

/// The `HRESULT` of a compilation result.
fn status(result: &DxcObject<'_>) -> Result<DxcResult, DxcLibraryError> {
    type GetStatus = unsafe extern "system" fn(*mut c_void, *mut DxcResult) -> DxcResult;
    let mut status = 0;
    // SAFETY: slot 3 of `IDxcResult` is `GetStatus`.
    let get = unsafe { result.method::<GetStatus>(3) };
    // SAFETY: the place for the answer lives until the call returns.
    check("IDxcResult::GetStatus", unsafe { get(result.as_ptr(), &raw mut status) })?;
    Ok(status)
}

/// One output of a compilation result; empty if the result lacks it.
fn output(result: &DxcObject<'_>, kind: DxcOutput) -> Result<Vec<u8>, DxcLibraryError> {
    type HasOutput = unsafe extern "system" fn(*mut c_void, i32) -> i32;
    type GetOutput =
        unsafe extern "system" fn(*mut c_void, i32, &DxcGuid, *mut *mut c_void, *mut *mut c_void) -> DxcResult;
    const CALL: &str = "IDxcResult::GetOutput";

    // SAFETY: slot 6 of `IDxcResult` is `HasOutput`.
    let has = unsafe { result.method::<HasOutput>(6) };
    // SAFETY: the call takes a number and stores nothing.
    if unsafe { has(result.as_ptr(), kind as i32) } == 0 {
        return Ok(Vec::new());
    }

    let mut blob = ptr::null_mut();
    // SAFETY: slot 7 of `IDxcResult` is `GetOutput`.
    let get = unsafe { result.method::<GetOutput>(7) };
    // SAFETY: a null pointer declines the output's name.
    check(CALL, unsafe { get(result.as_ptr(), kind as i32, &BLOB, &raw mut blob, ptr::null_mut()) })?;
    // SAFETY: the call stored an object of the library that `result` comes from.
    let blob = unsafe { result.sibling(CALL, blob) }?;
    Ok(bytes(&blob))
}

/// A copy of an `IDxcBlob`'s bytes.
fn bytes(blob: &DxcObject<'_>) -> Vec<u8> {
    type GetBufferPointer = unsafe extern "system" fn(*mut c_void) -> *const u8;
    type GetBufferSize = unsafe extern "system" fn(*mut c_void) -> usize;

    // SAFETY: slot 3 of `IDxcBlob` is `GetBufferPointer`.
    let pointer = unsafe { blob.method::<GetBufferPointer>(3) };
    // SAFETY: slot 4 of `IDxcBlob` is `GetBufferSize`.
    let size = unsafe { blob.method::<GetBufferSize>(4) };
    // SAFETY: the call takes only the blob.
    let pointer = unsafe { pointer(blob.as_ptr()) };
    // SAFETY: the call takes only the blob.
    let size = unsafe { size(blob.as_ptr()) };

    if pointer.is_null() || size == 0 {
        return Vec::new();
    }
    // SAFETY: a blob's bytes live as long as the blob, and no code writes them.
    unsafe { std::slice::from_raw_parts(pointer, size) }.to_vec()
}

/// The text of a blob, whose last byte may be zero.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
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
