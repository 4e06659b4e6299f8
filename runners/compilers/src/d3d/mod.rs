//! Microsoft's HLSL compilers under Wine: FXC, whose DXBC runs on Vulkan devices through vkd3d, and DXC 1.9.
//!
//! HLSL text in; the container, its listing and, for FXC, SPIR-V out, with the place of every register in it. Offsets in
//! constant buffers are FXC's own: vkd3d-compiler turns each buffer into one array of `vec4`, so no layout rule of SPIR-V
//! has a part. One process of Wine compiles many sources, since its start takes longer than a hundred probes.
//!
//! What FXC asks of the text (measured with FXC 10.0.22621.2428 and vkd3d-compiler 1.2):
//!
//! - Shader models 5.0 and 5.1: no 16-bit and 64-bit integers, no templates; `half` is `float`, `min16float` takes four
//!   bytes. `double` is there, and `asuint(d, low, high)` splits it. A register's `space` needs a 5.1 profile.
//! - Both buffers of a probe must be `RWByteAddressBuffer` or constant buffers. What is bound to `t` registers, structured
//!   and byte-address buffers too, becomes a texel buffer of `r32ui` in SPIR-V.
//! - The entry point of the SPIR-V is always `main`. What the entry point does not use has no variable.

mod batch;
mod executable;
mod fxc;
mod session;

pub use batch::{D3dCompiler, Object, Source};
pub use executable::{Executable, Place};
pub use fxc::{Fxc, Made};

/// What became of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compiled<T> {
    /// What was made of it.
    Made(T),
    /// The compiler refused it, in its own words.
    Refused(String),
    /// The compiler crashed or hung, or could not be run; in a sentence.
    Broken(String),
}
