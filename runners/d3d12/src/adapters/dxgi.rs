//! DXGI's adapters: GPUs, plus WARP if DXGI does not list it among them.

use std::ffi::c_void;

use layoutproof_device::RunnerError;
use layoutproof_device::devices::{NativeApi, device_id};

use super::AdapterNames;
use crate::com::{ComObject, Guid, OutPointer, function_type, method_type};
use crate::device::Direct3dDevice;
use crate::failure::HResult;
use crate::library::{self, Functions};

static FACTORY4: Guid = Guid(0x1bc6_ea02, 0xef36, 0x464f, [0xbf, 0x0c, 0x21, 0xca, 0x39, 0xe5, 0x16, 0x8a]);
static ADAPTER1: Guid = Guid(0x2903_8f61, 0x3839, 0x4626, [0x91, 0xfd, 0x08, 0x68, 0x79, 0x01, 0x1a, 0x05]);
static DXGI_DEVICE: Guid = Guid(0x54ec_77fa, 0x1377, 0x44e6, [0x8c, 0x32, 0x88, 0xfd, 0x5f, 0x44, 0xc8, 0x4c]);

/// `DXGI_ADAPTER_FLAG_SOFTWARE`.
const SOFTWARE: u32 = 2;

pub(super) type Adapter = ComObject;

/// `DXGI_ADAPTER_DESC1`.
#[repr(C)]
struct AdapterDesc {
    description: [u16; 128],
    vendor: u32,
    device: u32,
    subsystem: u32,
    revision: u32,
    memory: [usize; 3],
    luid: [u32; 2],
    flags: u32,
}

pub(super) fn list_adapters() -> Result<Vec<(Adapter, AdapterNames)>, RunnerError> {
    type CreateFactory = function_type!((*const Guid, OutPointer) -> HResult);
    let library = library::open("dxgi.dll")?;
    // SAFETY: the function has this type in `dxgi.h`.
    let create = unsafe { library.get::<CreateFactory>(b"CreateDXGIFactory1\0") };
    let create = create
        .map_err(|error| RunnerError::Api { call: "CreateDXGIFactory1".to_owned(), reason: error.to_string() })?;
    // SAFETY: the arguments are an interface and a pointer for the result.
    let create = |place| unsafe { create(&raw const FACTORY4, place) };
    // SAFETY: the call stores a factory.
    let factory = unsafe { ComObject::made("CreateDXGIFactory1", create) }?;

    let translator = wine_version().map(|version| format!("vkd3d of Wine {version}"));
    let mut adapters = Vec::new();
    for number in 0.. {
        let Some(adapter) = adapter(&factory, number) else { break };
        let names = names(&adapter, translator.clone());
        adapters.push((adapter, names));
    }

    let is_listed = adapters.iter().any(|(_, names)| names.id == "warp");
    if let Some(adapter) = warp(&factory).filter(|_| !is_listed) {
        let names = names(&adapter, translator);
        adapters.push((adapter, names));
    }
    Ok(adapters)
}

pub(super) fn open_adapter(functions: Functions, adapter: &Adapter) -> Result<Direct3dDevice, RunnerError> {
    // SAFETY: it is an adapter of DXGI.
    unsafe { Direct3dDevice::open(functions, adapter.as_ptr()) }
}

fn adapter(factory: &ComObject, number: u32) -> Option<ComObject> {
    // SAFETY: slot 12 of `IDXGIFactory4` is `EnumAdapters1`.
    let enumerate = unsafe { factory.method::<method_type!((u32, OutPointer) -> HResult)>(12) };
    // SAFETY: the arguments are a number and a pointer for the result.
    let enumerate = |place| unsafe { enumerate(factory.as_ptr(), number, place) };
    // SAFETY: the call stores an adapter.
    unsafe { ComObject::made("EnumAdapters1", enumerate) }.ok()
}

fn warp(factory: &ComObject) -> Option<ComObject> {
    // SAFETY: slot 27 of `IDXGIFactory4` is `EnumWarpAdapter`.
    let enumerate = unsafe { factory.method::<method_type!((*const Guid, OutPointer) -> HResult)>(27) };
    // SAFETY: the arguments are an interface and a pointer for the result.
    let enumerate = |place| unsafe { enumerate(factory.as_ptr(), &raw const ADAPTER1, place) };
    // SAFETY: the call stores an adapter.
    unsafe { ComObject::made("EnumWarpAdapter", enumerate) }.ok()
}

fn names(adapter: &ComObject, translator: Option<String>) -> AdapterNames {
    let (name, is_software) = describe(adapter);
    let driver = match (&translator, driver_version(adapter)) {
        (Some(translator), _) => translator.clone(),
        (None, Some(version)) => version,
        (None, None) => "unknown driver version".to_owned(),
    };
    // Wine invents names of hardware.
    let hardware = !is_software && translator.is_none();
    let id = device_id(&name, NativeApi::Direct3d12);
    let id = if translator.is_some() { format!("wine-{id}") } else { id };
    AdapterNames { id, name, driver, translator, hardware }
}

/// Name of an adapter, and true if it is software.
fn describe(adapter: &ComObject) -> (String, bool) {
    let mut desc = AdapterDesc {
        description: [0; 128],
        vendor: 0,
        device: 0,
        subsystem: 0,
        revision: 0,
        memory: [0; 3],
        luid: [0; 2],
        flags: 0,
    };

    // SAFETY: slot 10 of `IDXGIAdapter1` is `GetDesc1`.
    let get = unsafe { adapter.method::<method_type!((*mut AdapterDesc) -> HResult)>(10) };
    // SAFETY: the description lives until the call returns.
    let code = unsafe { get(adapter.as_ptr(), &raw mut desc) };

    let end = desc.description.iter().position(|unit| *unit == 0).unwrap_or(desc.description.len());
    let name = String::from_utf16_lossy(&desc.description[..end]).trim().to_owned();
    let is_software = desc.flags & SOFTWARE != 0;
    if code < 0 || name.is_empty() { ("unnamed adapter".to_owned(), is_software) } else { (name, is_software) }
}

/// Version of the user-mode driver: `32.0.15.6094`, for WARP `1.0.17.0`.
fn driver_version(adapter: &ComObject) -> Option<String> {
    let mut version = 0_u64;
    // SAFETY: slot 9 of `IDXGIAdapter1` is `CheckInterfaceSupport`.
    let check = unsafe { adapter.method::<method_type!((*const Guid, *mut u64) -> HResult)>(9) };
    // SAFETY: the result lives until the call returns.
    let code = unsafe { check(adapter.as_ptr(), &raw const DXGI_DEVICE, &raw mut version) };
    let part = |shift: u32| version >> shift & 0xffff;
    (code >= 0).then(|| format!("{}.{}.{}.{}", part(48), part(32), part(16), part(0)))
}

/// Wine's version; Direct3D 12 is implemented by vkd3d then. `None` on Windows itself.
pub(crate) fn wine_version() -> Option<String> {
    type GetWineVersion = unsafe extern "C" fn() -> *const std::ffi::c_char;
    let library = library::open("ntdll.dll").ok()?;
    // SAFETY: if the function exists, it has this type.
    let get = unsafe { library.get::<GetWineVersion>(b"wine_get_version\0") }.ok()?;
    // SAFETY: the function takes no arguments.
    let version = unsafe { get() };
    // SAFETY: the function returns a static string.
    let version = unsafe { std::ffi::CStr::from_ptr(version) };
    Some(version.to_string_lossy().into_owned())
}

#[expect(dead_code, reason = "the size of the description is asserted")]
const SIZE: () = assert!(size_of::<AdapterDesc>() == if size_of::<*const c_void>() == 8 { 312 } else { 292 });
