//! The library that implements Direct3D 12, and its exported functions.
//!
//! It is `d3d12.dll` and `dxgi.dll` on Windows, and vkd3d's `libvkd3d-utils.so.1` elsewhere. A
//! loaded library is never unloaded: drivers keep threads, which would run into unloaded code.

use std::ffi::c_void;
use std::sync::OnceLock;

use layoutproof_device::RunnerError;
use libloading::Library;

use crate::com::{Guid, OutPointer, function_type};
use crate::failure::HResult;
use crate::messages;
use crate::structures::RootSignatureDesc;

pub(crate) const NAME: &str = if cfg!(windows) { "d3d12.dll" } else { "libvkd3d-utils.so.1" };

type CreateDevice = function_type!((*mut c_void, u32, *const Guid, OutPointer) -> HResult);
type SerializeRootSignature = function_type!((*const RootSignatureDesc, u32, OutPointer, OutPointer) -> HResult);

/// The functions that this crate uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Functions {
    /// `D3D12CreateDevice`.
    pub(crate) create_device: CreateDevice,
    /// `D3D12SerializeRootSignature`.
    pub(crate) serialize_root_signature: SerializeRootSignature,
}

impl Functions {
    /// Loads the functions of this machine's library.
    pub(crate) fn load() -> Result<Self, RunnerError> {
        static LOADED: OnceLock<Result<Functions, RunnerError>> = OnceLock::new();
        LOADED.get_or_init(Self::of_library).clone()
    }

    fn of_library() -> Result<Self, RunnerError> {
        let library = open(NAME)?;
        messages::begin(library);
        let missing = |name: &str| failed(NAME, format!("{NAME} has no `{name}`"));
        // SAFETY: the function has this type in `d3d12.h`, and also in vkd3d.
        let create_device = unsafe { library.get::<CreateDevice>(b"D3D12CreateDevice\0") };
        // SAFETY: as above.
        let serialize = unsafe { library.get::<SerializeRootSignature>(b"D3D12SerializeRootSignature\0") };
        Ok(Self {
            create_device: *create_device.map_err(|_| missing("D3D12CreateDevice"))?,
            serialize_root_signature: *serialize.map_err(|_| missing("D3D12SerializeRootSignature"))?,
        })
    }
}

/// Loads a library until the process ends.
pub(crate) fn open(name: &str) -> Result<&'static Library, RunnerError> {
    let library = load(name).map_err(|error| failed(name, format!("{name} cannot be loaded: {error}")))?;
    Ok(Box::leak(Box::new(library)))
}

fn failed(library: &str, reason: String) -> RunnerError {
    RunnerError::Api { call: library.to_owned(), reason }
}

/// Loads only from the system's folder, since the libraries of Windows are nowhere else.
#[cfg(windows)]
fn load(name: &str) -> Result<Library, libloading::Error> {
    use libloading::os::windows::{LOAD_LIBRARY_SEARCH_SYSTEM32, Library as WindowsLibrary};
    // SAFETY: the initialisers of Windows' own libraries have no requirements.
    unsafe { WindowsLibrary::load_with_flags(name, LOAD_LIBRARY_SEARCH_SYSTEM32) }.map(Library::from)
}

/// Loads with the dynamic linker's search.
#[cfg(not(windows))]
fn load(name: &str) -> Result<Library, libloading::Error> {
    // SAFETY: vkd3d's initialisers have no requirements.
    unsafe { Library::new(name) }
}
