//! Tests that a struct of a Rust program has the layout of a shader's block: in a `#[test]`, without
//! the layoutproof program, a compiler or a GPU.
//!
//! ```
//! use layoutproof_assert::{Shader, assert_layout};
//!
//! #[repr(C)]
//! struct Light {
//!     position: [f32; 3],
//!     power: f32,
//! }
//!
//! #[repr(C)]
//! struct Scene {
//!     sun: Light,
//!     exposure: f32,
//!     _padding: [f32; 3],
//! }
//!
//! const SHADER: Shader = Shader::wgsl(
//!     "struct Light { position: vec3f, power: f32 }
//!      struct Scene { sun: Light, exposure: f32 }
//!      @group(0) @binding(0) var<uniform> scene: Scene;",
//! );
//!
//! # fn main() {
//! assert_layout!(Scene { sun, sun.position, sun.power, exposure }, SHADER.block("scene"));
//! # }
//! ```
//!
//! WGSL and GLSL fix all offsets. HLSL and Slang need a rule set, or the compiler that the program
//! ships with:
//!
//! ```
//! # use layoutproof_assert::{Shader, assert_layout};
//! #[repr(C)]
//! struct Frame {
//!     weights: [[f32; 4]; 2],
//!     bloom: f32,
//!     _padding: [f32; 3],
//! }
//!
//! const SHADER: Shader = Shader::hlsl("cbuffer Frame { float4 weights[2]; float threshold; };");
//!
//! # fn main() {
//! assert_layout!(Frame { weights, bloom => "threshold" }, SHADER.block("Frame").under("d3d12.dxc"));
//! assert_layout!(Frame { weights, .. }, SHADER.block("Frame").under("std140"));
//! # }
//! ```
//!
//! A macro cannot see the members of a struct, so the test lists them; `..` allows the block to have
//! more. A member must be at its place in the block, and must not be smaller than there; an array must
//! have the stride of its outermost dimension. Types, inner strides, and members of a listed struct that
//! are not listed themselves are not compared.
//! `half` has 2 bytes, and matrices without an order are column-major. Files are not included: give
//! the text that declares the block.
#![forbid(unsafe_code)]

mod read;

use std::fmt::Write as _;

pub use read::BlockError;

/// The text of a shader in one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shader<'a> {
    language: read::Language,
    text: &'a str,
}

impl<'a> Shader<'a> {
    pub const fn hlsl(text: &'a str) -> Self {
        Self { language: read::Language::Hlsl, text }
    }

    pub const fn slang(text: &'a str) -> Self {
        Self { language: read::Language::Slang, text }
    }

    pub const fn wgsl(text: &'a str) -> Self {
        Self { language: read::Language::Wgsl, text }
    }

    pub const fn glsl(text: &'a str) -> Self {
        Self { language: read::Language::Glsl, text }
    }

    /// The block of this name: a `cbuffer`, a buffer variable, or what `layoutproof show` calls it.
    pub const fn block(self, name: &'a str) -> ShaderBlock<'a> {
        ShaderBlock { shader: self, name, rules: None }
    }
}

/// A block of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderBlock<'a> {
    shader: Shader<'a>,
    name: &'a str,
    rules: Option<&'a str>,
}

impl<'a> ShaderBlock<'a> {
    /// The block under a rule set (`std140`, `hlsl-cbuffer`, as `layoutproof list --rules` lists
    /// them), or as a compiler lays it out (`d3d12.dxc`, `vulkan.dxc`, `vulkan/scalar.slangc`).
    #[must_use]
    pub const fn under(self, rules: &'a str) -> Self {
        Self { rules: Some(rules), ..self }
    }
}

/// A member of the host's struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostMember<'a> {
    /// Path in the block: `sun.position`.
    pub path: &'a str,
    /// Bytes from the start of the struct.
    pub offset: usize,
    /// In bytes.
    pub size: usize,
}

/// The host's struct, as the macro describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostStruct<'a> {
    pub name: &'a str,
    /// In bytes.
    pub size: usize,
    pub members: &'a [HostMember<'a>],
    /// True if the block may have members that are not listed.
    pub is_partial: bool,
}

/// Compares a struct with a block.
///
/// # Errors
/// All differences in words, or why the block cannot be laid out.
pub fn compare(host: HostStruct<'_>, block: ShaderBlock<'_>) -> Result<(), String> {
    let layout = read::layout(block).map_err(|error| error.to_string())?;
    let mut problems = String::new();
    for member in host.members {
        let Some(row) = layout.rows.iter().find(|row| row.path == member.path) else {
            let meant = read::did_you_mean(member.path, layout.rows.iter().map(|row| row.path.as_str()));
            let _ = writeln!(problems, "  {}: the block has no such member{meant}", member.path);
            continue;
        };
        if u32::try_from(member.offset) != Ok(row.offset) {
            let _ = writeln!(
                problems,
                "  {}: byte {} in the struct, byte {} in the block ({})",
                member.path, member.offset, row.offset, row.type_name
            );
        }
        let elements = row.array_stride.zip(row.size).filter(|(stride, _)| *stride > 0);
        let is_apart = |(stride, size): &(u32, u32)| {
            // The block has no room after the last element, where an array of the host may have it.
            member.size != (stride * size.div_ceil(*stride)) as usize && member.size != *size as usize
        };
        if let Some((stride, size)) = elements.filter(is_apart) {
            let own = member.size / size.div_ceil(stride) as usize;
            let _ = writeln!(
                problems,
                "  {}: its elements are {own} bytes apart in the struct, {stride} bytes in the block ({})",
                member.path, row.type_name
            );
        } else if let Some(size) = row.size.filter(|size| member.size < *size as usize) {
            let _ = writeln!(
                problems,
                "  {}: {} bytes in the struct, {size} bytes in the block ({})",
                member.path, member.size, row.type_name
            );
        }
    }

    // A listed struct stands for its members: those that are not listed themselves are not compared.
    let is_listed = |path: &str| {
        host.members.iter().any(|member| {
            let rest = path.strip_prefix(member.path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    };
    let holds_listed = |path: &str| host.members.iter().any(|member| member.path.starts_with(&format!("{path}.")));
    if !host.is_partial {
        for row in layout.rows.iter().filter(|row| !is_listed(&row.path) && !holds_listed(&row.path)) {
            let _ = writeln!(problems, "  {}: not listed; list it, or end the list with `..`", row.path);
        }
    }
    if let Some(size) = layout.size.filter(|size| host.size < *size as usize) {
        let _ = writeln!(problems, "  the struct has {} bytes, the block {size}", host.size);
    }

    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("`{}` does not have the layout of `{}` ({}):\n{problems}", host.name, block.name, layout.title))
}

/// Panics if a struct does not have the layout of a block.
///
/// `assert_layout!(Struct { member, other => "name in the shader", .. }, block)`: see the crate.
#[macro_export]
macro_rules! assert_layout {
    ($host:ty { $($members:tt)* }, $block:expr $(,)?) => {
        $crate::assert_layout!(@members $host, $block, [] $($members)*)
    };
    (@members $host:ty, $block:expr, [$($done:expr,)*] ..) => {
        $crate::assert_layout!(@compare $host, $block, true, [$($done,)*])
    };
    (@members $host:ty, $block:expr, [$($done:expr,)*]) => {
        $crate::assert_layout!(@compare $host, $block, false, [$($done,)*])
    };
    (@members $host:ty, $block:expr, [$($done:expr,)*] $first:ident $(. $rest:ident)* => $path:literal $(, $($more:tt)*)?) => {
        $crate::assert_layout!(@members $host, $block, [$($done,)* $crate::host_member!($host, $path, $first $(. $rest)*),] $($($more)*)?)
    };
    (@members $host:ty, $block:expr, [$($done:expr,)*] $first:ident $(. $rest:ident)* $(, $($more:tt)*)?) => {
        $crate::assert_layout!(
            @members $host, $block,
            [$($done,)* $crate::host_member!($host, concat!(stringify!($first) $(, ".", stringify!($rest))*), $first $(. $rest)*),]
            $($($more)*)?
        )
    };
    (@compare $host:ty, $block:expr, $is_partial:literal, [$($member:expr,)*]) => {
        if let Err(problems) = $crate::compare(
            $crate::HostStruct {
                name: stringify!($host),
                size: ::core::mem::size_of::<$host>(),
                members: &[$($member),*],
                is_partial: $is_partial,
            },
            $block,
        ) {
            panic!("{problems}");
        }
    };
}

/// A member for [`assert_layout`].
#[doc(hidden)]
#[macro_export]
macro_rules! host_member {
    ($host:ty, $path:expr, $first:ident $(. $rest:ident)*) => {{
        fn size<T, M>(_: fn(&T) -> &M) -> usize {
            ::core::mem::size_of::<M>()
        }
        $crate::HostMember {
            path: $path,
            offset: ::core::mem::offset_of!($host, $first $(. $rest)*),
            size: size(|value: &$host| &value.$first $(. $rest)*),
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Packed {
        a: [f32; 3],
        b: [f32; 2],
        c: f32,
    }

    #[repr(C)]
    struct Two {
        a: f32,
        b: f32,
    }

    const HLSL: Shader<'_> = Shader::hlsl("cbuffer S { float3 a; float b[2]; float c; };");

    fn problems(block: ShaderBlock<'_>) -> String {
        let member = |path, offset, size| HostMember { path, offset, size };
        let members = [member("a", 0, 12), member("b", 12, 8), member("c", 20, 4)];
        let host = HostStruct { name: "Packed", size: 24, members: &members, is_partial: false };
        compare(host, block).unwrap_err()
    }

    /// Offsets of `hlsl-cbuffer` by DXC 1.7.2308: `cases/arrays/scalar_packs_behind_the_last_element.toml`.
    #[test]
    fn the_error_has_every_difference() {
        assert_eq!(
            problems(HLSL.block("S").under("d3d12.dxc")),
            "`Packed` does not have the layout of `S` (D3D12 · DXC):\n\
             \x20 b: byte 12 in the struct, byte 16 in the block (float[2])\n\
             \x20 b: its elements are 4 bytes apart in the struct, 16 bytes in the block (float[2])\n\
             \x20 c: byte 20 in the struct, byte 36 in the block (float)\n\
             \x20 the struct has 24 bytes, the block 40\n"
        );
    }

    /// `scalar` by glslang 12.0.0: the same case.
    #[test]
    fn equal_layouts_pass() {
        assert_layout!(Packed { a, b, c }, HLSL.block("S").under("scalar"));
        assert_layout!(Packed { a, .. }, HLSL.block("S").under("scalar"));
        let glsl = Shader::glsl("layout(std430, binding = 0) buffer S { float a; float b; } s; void main() {}");
        assert_layout!(Two { a, b }, glsl.block("s"));
        let slang = Shader::slang("ConstantBuffer<Two> two; struct Two { float a; float b; };");
        assert_layout!(Two { a, b }, slang.block("two").under("vulkan/scalar.slangc"));
    }

    #[test]
    fn the_error_says_why_nothing_is_compared() {
        for (block, expected) in [
            (HLSL.block("S"), "HLSL needs rules"),
            (HLSL.block("T").under("std140"), "no block is called `T`; there are `S`"),
            (HLSL.block("S").under("std14"), "no rule set is called `std14`: did you mean `std140`?"),
            (Shader::hlsl("cbuffer S { floot a; };").block("S").under("std140"), "floot"),
            (Shader::wgsl("struct S { a: f32 }").block("S").under("std140"), "WGSL fixes its own offsets"),
        ] {
            let problems = problems(block);
            assert!(problems.contains(expected), "{expected}: {problems}");
        }
    }
}
