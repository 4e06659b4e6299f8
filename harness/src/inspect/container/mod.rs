//! Where the members of buffers are, as a container of compiled HLSL (`.dxil`, `.cso`, `.dxbc`) says itself.
//!
//! [`ContainerReflection::find`] looks into the container: FXC's has a part `RDEF`, which `rdef` reads; DXC's reflection is LLVM
//! bitcode, which DXC itself has to list, and [`listed_blocks`] reads that listing. Neither form states strides, so
//! `reflected` works them out from sizes, and refuses a block whose members then do not take the bytes that the container
//! states. What the code loads is another matter: see `dxil` and `fxc`.

mod dxil_listing;
mod llvm_structs;
mod parts;
mod rdef;
mod reflected;
mod word;

pub use dxil_listing::listed_blocks;
pub use parts::{CONTAINER_MAGIC, ContainerReflection};
