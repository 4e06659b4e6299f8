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
//! are not listed themselves are not compared. Files are not included: give the text that declares the
//! block.
//!
//! What the build passes to its compiler belongs to the shader: [`Shader::row_major`],
//! [`Shader::half_is_float`], [`Shader::defines`].
//!
//! The feature `glsl` adds `Shader::glsl`.
#![forbid(unsafe_code)]

mod difference;
#[cfg(feature = "glsl")]
mod glsl;
mod read;

pub use difference::{Difference, LayoutError};
pub use read::BlockError;

use layoutproof_source::shader_language::ShaderLanguage;

/// The text of a shader in one language, with the options that its compiler gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shader<'a> {
    language: ShaderLanguage,
    text: &'a str,
    is_row_major: bool,
    half_is_float: bool,
    defines: &'a [(&'a str, &'a str)],
}

impl<'a> Shader<'a> {
    pub const fn hlsl(text: &'a str) -> Self {
        Self::new(ShaderLanguage::Hlsl, text)
    }

    pub const fn slang(text: &'a str) -> Self {
        Self::new(ShaderLanguage::Slang, text)
    }

    pub const fn wgsl(text: &'a str) -> Self {
        Self::new(ShaderLanguage::Wgsl, text)
    }

    /// Needs the feature `glsl`, because a parser of GLSL is larger than the rest of this crate.
    #[cfg(feature = "glsl")]
    pub const fn glsl(text: &'a str) -> Self {
        Self::new(ShaderLanguage::Glsl, text)
    }

    const fn new(language: ShaderLanguage, text: &'a str) -> Self {
        Self { language, text, is_row_major: false, half_is_float: false, defines: &[] }
    }

    /// Matrices of HLSL and Slang that declare no order are row-major: dxc `-Zpr`, slangc
    /// `-matrix-layout-row-major`. By default they are column-major.
    ///
    /// ```
    /// # use layoutproof_assert::{Shader, assert_layout};
    /// /// Two rows; the last one ends before its padding.
    /// #[repr(C)]
    /// struct Frame {
    ///     turn: [[f32; 4]; 2],
    ///     bloom: f32,
    /// }
    ///
    /// const SHADER: Shader = Shader::hlsl("cbuffer Frame { float2x4 turn; float bloom; };").row_major();
    ///
    /// # fn main() {
    /// assert_layout!(Frame { turn, bloom }, SHADER.block("Frame").under("d3d12.dxc"));
    /// # }
    /// ```
    #[must_use]
    pub const fn row_major(self) -> Self {
        Self { is_row_major: true, ..self }
    }

    /// `half` and the types of minimum precision of HLSL have 4 bytes: dxc without
    /// `-enable-16bit-types`. By default they have 2.
    ///
    /// ```
    /// # use layoutproof_assert::{Shader, assert_layout};
    /// #[repr(C)]
    /// struct Frame {
    ///     exposure: f32,
    ///     bloom: f32,
    /// }
    ///
    /// const SHADER: Shader = Shader::hlsl("cbuffer Frame { half exposure; half bloom; };").half_is_float();
    ///
    /// # fn main() {
    /// assert_layout!(Frame { exposure, bloom }, SHADER.block("Frame").under("d3d12.dxc"));
    /// # }
    /// ```
    #[must_use]
    pub const fn half_is_float(self) -> Self {
        Self { half_is_float: true, ..self }
    }

    /// Macros with their values, as `-D NAME=VALUE` defines them. WGSL has none. In GLSL they follow
    /// `#version`, so that errors count their lines.
    ///
    /// ```
    /// # use layoutproof_assert::{Shader, assert_layout};
    /// #[repr(C)]
    /// struct Lights {
    ///     colors: [[f32; 4]; 8],
    /// }
    ///
    /// const SHADER: Shader = Shader::hlsl("cbuffer Lights { float4 colors[COUNT]; };").defines(&[("COUNT", "8")]);
    ///
    /// # fn main() {
    /// assert_layout!(Lights { colors }, SHADER.block("Lights").under("d3d12.dxc"));
    /// # }
    /// ```
    #[must_use]
    pub const fn defines(self, defines: &'a [(&'a str, &'a str)]) -> Self {
        Self { defines, ..self }
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
/// ```
/// use layoutproof_assert::{Difference, HostMember, HostStruct, LayoutError, Shader, compare};
///
/// let members = [HostMember { path: "bloom", offset: 4, size: 4 }];
/// let host = HostStruct { name: "Frame", size: 8, members: &members, is_partial: true };
/// let shader = Shader::hlsl("cbuffer Frame { float4 tint; float bloom; };");
///
/// let Err(LayoutError::Differs { differences, .. }) = compare(host, shader.block("Frame").under("std140")) else {
///     panic!("`bloom` is at another byte");
/// };
/// assert!(matches!(&differences[0], Difference::Offset { path, host: 4, block: 16, .. } if path == "bloom"));
/// ```
///
/// # Errors
/// All differences, or why the block cannot be laid out.
pub fn compare(host: HostStruct<'_>, block: ShaderBlock<'_>) -> Result<(), LayoutError> {
    let layout = read::layout(block)?;
    let mut differences = Vec::new();
    for member in host.members {
        let path = member.path.to_owned();
        let Some(row) = layout.rows.iter().find(|row| row.path == member.path) else {
            let meant = read::did_you_mean(member.path, layout.rows.iter().map(|row| row.path.as_str()));
            differences.push(Difference::NoSuchMember { path, meant });
            continue;
        };
        let type_name = &row.type_name;
        if u32::try_from(member.offset) != Ok(row.offset) {
            differences.push(Difference::Offset {
                path: path.clone(),
                host: member.offset,
                block: row.offset,
                type_name: type_name.clone(),
            });
        }
        let elements = row.array_stride.zip(row.size).filter(|(stride, _)| *stride > 0);
        let is_apart = |(stride, size): &(u32, u32)| {
            // The block has no room after the last element, where an array of the host may have it.
            member.size != (stride * size.div_ceil(*stride)) as usize && member.size != *size as usize
        };
        if let Some((stride, size)) = elements.filter(is_apart) {
            let host = member.size / size.div_ceil(stride) as usize;
            differences.push(Difference::Stride { path, host, block: stride, type_name: type_name.clone() });
        } else if let Some(size) = row.size.filter(|size| member.size < *size as usize) {
            differences.push(Difference::Size { path, host: member.size, block: size, type_name: type_name.clone() });
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
        let missing = layout.rows.iter().filter(|row| !is_listed(&row.path) && !holds_listed(&row.path));
        differences.extend(missing.map(|row| Difference::NotListed { path: row.path.clone() }));
    }
    if let Some(size) = layout.size.filter(|size| host.size < *size as usize) {
        differences.push(Difference::StructSize { host: host.size, block: size });
    }

    if differences.is_empty() {
        return Ok(());
    }
    let (host, block) = (host.name.to_owned(), block.name.to_owned());
    Err(LayoutError::Differs { host, block, rules: layout.title, differences })
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
        if let Err(error) = $crate::compare(
            $crate::HostStruct {
                name: stringify!($host),
                size: ::core::mem::size_of::<$host>(),
                members: &[$($member),*],
                is_partial: $is_partial,
            },
            $block,
        ) {
            panic!("{error}");
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

    fn error(block: ShaderBlock<'_>) -> LayoutError {
        let member = |path, offset, size| HostMember { path, offset, size };
        let members = [member("a", 0, 12), member("b", 12, 8), member("c", 20, 4)];
        let host = HostStruct { name: "Packed", size: 24, members: &members, is_partial: false };
        compare(host, block).unwrap_err()
    }

    /// Offsets of `hlsl-cbuffer` by DXC 1.7.2308: `cases/arrays/scalar_packs_behind_the_last_element.toml`.
    #[test]
    fn the_error_has_every_difference() {
        assert_eq!(
            error(HLSL.block("S").under("d3d12.dxc")).to_string(),
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
            (
                Shader::wgsl("struct S { a: f32 }").row_major().block("S"),
                "WGSL has no such option: leave out `.row_major()`",
            ),
            (
                Shader::slang("").half_is_float().block("S").under("scalar"),
                "Slang has no such option: leave out `.half_is_float()`",
            ),
            (Shader::wgsl("").defines(&[("N", "1")]).block("S"), "WGSL has no such option: leave out `.defines()`"),
        ] {
            let error = error(block);
            assert!(matches!(error, LayoutError::Block(_)), "{error:?}");
            let text = error.to_string();
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }

    fn offsets(block: ShaderBlock<'_>) -> Vec<u32> {
        read::layout(block).unwrap().rows.iter().map(|row| row.offset).collect()
    }

    /// DXC 1.7.2308 with `-Zpr`: `cases/matrices/default_rows_without_annotation.toml`; without
    /// `-enable-16bit-types`: `cases/min_precision/arrays_do_not_change_the_kind.toml`.
    #[test]
    fn options_move_members() {
        let matrix = Shader::hlsl("cbuffer S { float a; float3x2 m; float b; };").row_major();
        assert_eq!(offsets(matrix.block("S").under("hlsl-cbuffer")), [0, 16, 56]);
        let promoted = Shader::hlsl("cbuffer S { min16float a[2]; min16float b; float c; };").half_is_float();
        assert_eq!(offsets(promoted.block("S").under("hlsl-cbuffer")), [0, 32, 48]);
    }

    #[test]
    fn macros_are_defined_after_the_version() {
        let text = "#version 450\nlayout(std430, binding = 0) buffer S { float a[COUNT]; float b; } s;\nvoid main() {}";
        // 4 bytes for each element: OpenGL 4.6 (Core Profile), 7.6.2.2, rule 4 under std430.
        assert_eq!(offsets(Shader::glsl(text).defines(&[("COUNT", "3")]).block("s")), [0, 12]);
        let slang =
            Shader::slang("struct S { float a[COUNT]; float b; }; ConstantBuffer<S> s;").defines(&[("COUNT", "3")]);
        assert_eq!(offsets(slang.block("s").under("scalar")), [0, 12]);
    }

    /// naga drops the order of matrices in GLSL, so a text that declares one must not be laid out.
    #[test]
    fn row_major_glsl_is_refused() {
        for text in [
            "layout(std140, row_major, binding = 0) uniform S { mat2x3 m; float a; } s; void main() {}",
            "layout(std140, binding = 0) uniform S { layout(row_major) mat2x3 m; float a; } s; void main() {}",
        ] {
            assert!(read::layout(Shader::glsl(text).block("s")).is_err(), "{text}");
        }
    }
}
