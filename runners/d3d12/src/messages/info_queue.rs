//! The messages of Direct3D's debug layer, which each device keeps in a queue.
//!
//! Source: Windows SDK, `d3d12sdklayers.h`.

use std::ffi::{CStr, c_char};
use std::ptr;

use libloading::Library;

use super::DriverWords;
use crate::com::{ComObject, Guid, OutPointer, function_type, method_type};
use crate::device::Direct3dDevice;
use crate::failure::HResult;

static DEBUG: Guid = Guid(0x3444_88b7, 0x6846, 0x474b, [0xb9, 0x89, 0xf0, 0x27, 0x44, 0x82, 0x45, 0xe0]);
static INFO_QUEUE: Guid = Guid(0x0742_a90b, 0xc387, 0x483f, [0xb9, 0x46, 0x30, 0xa7, 0xe4, 0xe6, 0x14, 0x58]);

/// Names of `D3D12_MESSAGE_SEVERITY` by number, the worst first. Messages below a warning are
/// ignored.
const SEVERITIES: [&str; 3] = ["corruption", "error", "warning"];

/// `D3D12_MESSAGE`.
#[repr(C)]
struct LayerMessage {
    category: u32,
    severity: u32,
    id: u32,
    text: *const c_char,
    size: usize,
}

/// Turns the debug layer on if it is installed. This must happen before the first device is made.
pub(crate) fn begin(library: &Library) {
    type GetDebugInterface = function_type!((*const Guid, OutPointer) -> HResult);
    // SAFETY: the function has this type in `d3d12.h`.
    let Ok(get) = (unsafe { library.get::<GetDebugInterface>(b"D3D12GetDebugInterface\0") }) else { return };
    // SAFETY: the arguments are an interface and a pointer for the result.
    let get = |place| unsafe { get(&raw const DEBUG, place) };
    // SAFETY: if the call succeeds, it stores the interface.
    let Ok(debug) = (unsafe { ComObject::made("D3D12GetDebugInterface", get) }) else { return };

    // SAFETY: slot 3 of `ID3D12Debug` is `EnableDebugLayer`.
    let enable = unsafe { debug.method::<method_type!(())>(3) };
    // SAFETY: there is no device yet.
    unsafe { enable(debug.as_ptr()) };
}

/// The queue of a device; `None` without the debug layer.
#[derive(Debug)]
pub(crate) struct DriverLog(Option<ComObject>);

impl DriverLog {
    /// The queue of `device`.
    pub(crate) fn of(device: &Direct3dDevice) -> Self {
        Self(device.interface(&INFO_QUEUE).ok())
    }

    /// The messages since the last call.
    pub(crate) fn take(&self) -> DriverWords {
        let Some(queue) = &self.0 else { return DriverWords::default() };
        // SAFETY: slot 8 of `ID3D12InfoQueue` is `GetNumStoredMessages`.
        let count = unsafe { queue.method::<method_type!(() -> u64)>(8) };
        // SAFETY: the queue is alive.
        let count = unsafe { count(queue.as_ptr()) };
        let messages = (0..count).filter_map(|index| message(queue, index)).collect();

        // SAFETY: slot 4 of `ID3D12InfoQueue` is `ClearStoredMessages`.
        let clear = unsafe { queue.method::<method_type!(())>(4) };
        // SAFETY: the queue is alive.
        unsafe { clear(queue.as_ptr()) };
        DriverWords { messages, details: Vec::new() }
    }
}

/// A message of the queue: `warning 820: ...`; `None` if it is below a warning.
fn message(queue: &ComObject, index: u64) -> Option<String> {
    type GetMessage = method_type!((u64, *mut LayerMessage, *mut usize) -> HResult);
    // SAFETY: slot 5 of `ID3D12InfoQueue` is `GetMessage`.
    let get = unsafe { queue.method::<GetMessage>(5) };
    let mut size = 0;
    // SAFETY: without a buffer the call returns the length of the message in bytes.
    if unsafe { get(queue.as_ptr(), index, ptr::null_mut(), &raw mut size) } < 0 {
        return None;
    }

    // Eight-byte words have the alignment of the structure.
    let mut place = vec![0_u64; size.div_ceil(size_of::<u64>()).max(size_of::<LayerMessage>())];
    let at = place.as_mut_ptr().cast::<LayerMessage>();
    // SAFETY: the buffer has this many bytes.
    if unsafe { get(queue.as_ptr(), index, at, &raw mut size) } < 0 {
        return None;
    }
    // SAFETY: the call stored a message there.
    let message = unsafe { at.read() };
    if message.text.is_null() {
        return None;
    }

    let severity = SEVERITIES.get(usize::try_from(message.severity).ok()?)?;
    // SAFETY: the text follows the structure in the same buffer, with a final zero.
    let text = unsafe { CStr::from_ptr(message.text) };
    Some(format!("{severity} {}: {}", message.id, text.to_string_lossy().trim_end()))
}
