//! Microsoft's HLSL compilers under Wine: FXC, whose DXBC runs on Vulkan devices through vkd3d, and
//! DXC 1.9, which `LineService` asks like a DXC of this system.
//!
//! [`Fxc`] compiles HLSL to DXBC, and translates that to SPIR-V in which the place of every
//! register is known. FXC's driver calls it. The offsets are FXC's own: vkd3d-compiler turns each
//! constant buffer into one array of `vec4`, and other buffers into words, so SPIR-V's layout rules
//! play no part. One Wine process compiles many sources, since its start takes longer than a
//! hundred probes.
//!
//! FXC's input language (measured with FXC 10.0.22621.2428 and vkd3d-compiler 1.2, spirv-val
//! 2023.1):
//!
//! - Profiles up to 5.1. `space` in `register`, `ConstantBuffer<T>` and `TextureBuffer<T>` need
//!   5.1.
//! - Refused: `[[vk::...]]`, `enum`, templates and `Load<T>`, `using`, `sizeof`, bit-fields,
//!   structs declared inside structs, `ParameterBlock`, 16-bit and 64-bit integers, `float16_t`.
//!   Accepted: `[shader("compute")]`.
//! - `half` in a buffer is refused. With `-Gec`, which 5.1 does not accept, it is `float`.
//!   `min16float` has four bytes.
//! - `double` is accepted, and `asuint(d, low, high)` splits it. vkd3d-compiler can neither
//!   calculate with it nor convert it.
//! - Resources at `t` registers, including structured and byte-address buffers, become texel
//!   buffers in vkd3d's SPIR-V. `texel_buffers` turns those that hold bytes into storage buffers.
//!   `GetDimensions` of such a buffer is refused.
//! - For a matrix in a structured buffer, `m[1][2]` is refused (X3512), `m[1].z` is accepted.
//! - The entry point of the SPIR-V is always `main`, and bindings are numbered;
//!   [`Executable::moved`] changes both. Resources that the entry point does not use have no
//!   variable.
//! - A global struct with a number and a texture crashes FXC in a 5.1 profile.

mod batch;
mod executable;
mod rewrite;
mod texel_buffers;

pub use batch::{D3dCompiler, D3dObject, D3dOutcome, D3dSource, Fxc, FxcProgram};
pub use executable::{Executable, NoExecutable, ResourcePlace};
pub use rewrite::SpirvSlot;
