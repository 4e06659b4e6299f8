//! Reads the layouts of buffers that a container of compiled HLSL (`.dxil`, `.cso`, `.dxbc`)
//! states.
//!
//! [`ContainerReflection::find`] examines the container. FXC's has a part `RDEF`, which `rdef`
//! reads. DXC's reflection is LLVM bitcode, which only DXC can list; [`listed_blocks`] reads that
//! listing. Neither form states strides, so `reflected` derives them from sizes, and rejects a
//! block whose members then do not add up to the size that the container states. These modules do
//! not read the code; see `llvm` and `fxc`.

mod dxil_listing;
mod parts;
mod rdef;
mod reflected;

pub use dxil_listing::listed_blocks;
pub use parts::{CONTAINER_MAGIC, ContainerReflection};

/// The little-endian number at byte `at`.
fn word_at(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}
