//! The calls to the library: open, version, compile, disassemble.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

use super::DxcLibraryError;
use super::com::{Abi, DxcGuid, DxcObject, DxcResult, WideUnit, check, wide};

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
pub struct DxcCompilation {
    /// True if DXC reports success; warnings are allowed.
    pub succeeded: bool,
    /// Errors and warnings, in the format of dxc.
    pub diagnostics: String,
    /// A DXIL container or a SPIR-V module; empty on failure.
    pub object: Vec<u8>,
}

/// A loaded `libdxcompiler`.
#[derive(Debug)]
pub struct DxcLibrary {
    library: Library,
    abi: Abi,
}

impl DxcLibrary {
    /// Loads the library. The [`Abi`] cannot be detected: a wrong one crashes at the first call.
    ///
    /// # Errors
    /// [`DxcLibraryError::Load`] if this machine cannot load the file as a library.
    pub fn open(path: &Path, abi: Abi) -> Result<Self, DxcLibraryError> {
        // SAFETY: DXC's initialisers do not depend on any state of this process.
        let library = unsafe { Library::new(path) };
        let library = library.map_err(|error| load_error(path, &error))?;
        Ok(Self { library, abi })
    }

    /// One line in the format of dxc's `--version`: `libdxcompiler: 1.7 (4006, 69e54e29)`, with the
    /// number of commits and the commit's hash.
    ///
    /// # Errors
    /// The library lacks an interface.
    pub fn version(&self) -> Result<String, DxcLibraryError> {
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

    /// Compiles `source` with dxc's arguments, which include the name of the source file.
    ///
    /// # Errors
    /// The library lacks an interface. An error in the source is not an error here, see
    /// [`DxcCompilation::succeeded`].
    pub fn compile(&self, source: &[u8], arguments: &[String]) -> Result<DxcCompilation, DxcLibraryError> {
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
    ///
    /// # Errors
    /// `object` is not a DXIL container.
    pub fn disassemble(&self, object: &[u8]) -> Result<String, DxcLibraryError> {
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
        let create = create.map_err(|error| load_error(Path::new("libdxcompiler"), &error))?;
        let mut object = ptr::null_mut();
        // SAFETY: two identifiers and a place for the answer, which all live until the call returns.
        check(CALL, unsafe { create(&class, &interface, &raw mut object) })?;
        // SAFETY: the call stored an object of this library.
        unsafe { DxcObject::adopt(CALL, object, self.abi) }
    }
}

fn load_error(path: &Path, error: &libloading::Error) -> DxcLibraryError {
    DxcLibraryError::Load { path: path.display().to_string(), reason: error.to_string() }
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
