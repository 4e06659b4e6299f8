//! Microsoft's HLSL compilers under Wine: FXC, whose DXBC runs on Vulkan devices through vkd3d, and DXC 1.9, which
//! `LineService` asks as if it were a DXC of this system.
//!
//! [`Fxc`] compiles HLSL to DXBC, and translates that to SPIR-V in which every register's place is known. FXC's driver calls
//! it. Offsets are FXC's own: vkd3d-compiler turns each constant buffer into one array of `vec4`, and other
//! buffers into words, so no layout rule of SPIR-V has a part. One process of Wine compiles many sources, since its start
//! takes longer than a hundred probes.
//!
//! What FXC accepts (measured with FXC 10.0.22621.2428 and vkd3d-compiler 1.2, spirv-val 2023.1):
//!
//! - Profiles end with 5.1. `space` in `register`, `ConstantBuffer<T>` and `TextureBuffer<T>` need 5.1.
//! - Refused: `[[vk::...]]`, `enum`, templates and `Load<T>`, `using`, `sizeof`, bit-fields, structs that are declared in
//!   structs, `ParameterBlock`, 16-bit and 64-bit integers, `float16_t`. `[shader("compute")]` is taken.
//! - `half` in a buffer is refused; with `-Gec`, which 5.1 does not take, it is `float`. `min16float` has four bytes.
//! - `double` is there, and `asuint(d, low, high)` splits it. vkd3d-compiler cannot calculate with it nor convert it.
//! - What is bound to `t` registers, structured and byte-address buffers too, becomes a texel buffer in vkd3d's SPIR-V:
//!   `texel_buffers` makes storage buffers of those that have bytes. `GetDimensions` of such a buffer is refused.
//! - Of a matrix in a structured buffer, `m[1][2]` is refused (X3512), `m[1].z` is taken.
//! - The entry point of the SPIR-V is always `main`, and bindings are numbered; [`Executable::moved`] changes both. What the
//!   entry point does not use has no variable.
//! - A global struct with a number and a texture kills FXC in a 5.1 profile.

mod batch;
mod executable;
mod fxc;
mod rewrite;
mod texel_buffers;

pub use batch::{D3dCompiler, D3dObject, D3dOutcome, D3dSource};
pub use executable::{Executable, ResourcePlace};
pub use fxc::{Fxc, FxcProgram};
pub use rewrite::SpirvSlot;
