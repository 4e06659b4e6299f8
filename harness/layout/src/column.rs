//! The words in which people speak of a layout: a target, a compiler, and its layout option.
//!
//! A [`Column`] names one of them. Columns of `show`, cells of reports, known differences and pages
//! all have its [`Display`](fmt::Display) as their title, and it has one parser. The table of
//! [`native`](crate::native) says which rule sets a column has; bindings and toolchains state their
//! column themselves.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use thiserror::Error;

// One row per word makes the enum, its list, its name on the command line and its title, so that none
// is missing.
macro_rules! words {
    (
        $(#[$doc:meta])* $type:ident;
        $($(#[$variant_doc:meta])* $variant:ident = $name:literal, $title:literal $(, also $($alias:literal)|+)?;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $type { $($(#[$variant_doc])* $variant,)* }

        impl $type {
            /// All of them, in the order of listings.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the command line and in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The name in titles.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// Finds it by its name, or by another name that people use, in any letter case.
            pub fn named(word: &str) -> Option<Self> {
                match word.to_ascii_lowercase().as_str() {
                    $($name $($(| $alias)+)? => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// What shaders are compiled for.
    ShaderTarget;
    D3d12 = "d3d12", "D3D12", also "dxil" | "d3d" | "dx12" | "dx" | "directx" | "direct3d" | "direct3d12";
    Vulkan = "vulkan", "Vulkan", also "vk" | "spirv" | "spir-v";
    Webgpu = "webgpu", "WebGPU", also "wgpu" | "wgsl";
    Metal = "metal", "Metal", also "mtl" | "msl";
    /// OpenGL has the offsets of Vulkan GLSL, where a block states its layout.
    Opengl = "opengl", "OpenGL", also "gl" | "glsl";
    Cuda = "cuda", "CUDA";
    Cpu = "cpu", "CPU";
}

words! {
    /// A compiler, in all of its builds.
    ShaderCompiler;
    Dxc = "dxc", "DXC";
    Slang = "slangc", "Slang", also "slang";
    /// The Slang user guide, Parameter Layout Rules, which slangc does not always follow.
    SlangDocumented = "slang-documented", "Slang (documented)";
    Clang = "clang-dxc", "Clang", also "clang";
    Fxc = "fxc", "FXC";
    Glslang = "glslang", "glslang", also "glslangValidator" | "glslc";
    Naga = "naga", "naga";
    Tint = "tint", "Tint";
}

words! {
    /// A layout option of a compiler.
    LayoutVariant;
    /// `-fvk-use-scalar-layout`, in slangc also `-force-glsl-scalar-layout`.
    Scalar = "scalar", "scalar";
    /// `-fvk-use-dx-layout`.
    Dx = "dx", "dx";
    /// `-fvk-use-gl-layout`.
    Gl = "gl", "gl";
    /// `-fvk-use-c-layout`.
    C = "c", "c";
}

/// A target with the layout option of its compiler: `vulkan`, `vulkan/scalar`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TargetChoice {
    pub target: ShaderTarget,
    pub variant: Option<LayoutVariant>,
}

/// A target, the compiler that writes code for it, and its layout option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Column<'a> {
    pub target: ShaderTarget,
    /// `None` where the target's own language fixes the layout, as in GLSL and WGSL.
    pub compiler: Option<ShaderCompiler>,
    /// The build of the compiler; `None` for the one that the rules were measured with first.
    pub version: Option<&'a str>,
    pub variant: Option<LayoutVariant>,
}

/// Why a word names no target, compiler or column.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ColumnError {
    #[error("unknown target `{0}`")]
    Target(String),
    #[error("target `{target}` has no layout `{variant}`; known are {}", variants())]
    Variant { target: ShaderTarget, variant: String },
    #[error("only vulkan has layouts to choose from, as `vulkan/scalar`; {0} has one")]
    NoVariants(ShaderTarget),
    #[error("unknown compiler `{0}`")]
    Compiler(String),
}

fn variants() -> String {
    LayoutVariant::ALL.iter().map(|variant| variant.as_str()).collect::<Vec<_>>().join(", ")
}

/// Splits `dxc@1.9` into a compiler and the version of its build.
pub fn compiler_and_version(word: &str) -> Result<(ShaderCompiler, Option<&str>), ColumnError> {
    let (name, version) = word.split_once('@').map_or((word, None), |(name, version)| (name, Some(version)));
    match ShaderCompiler::named(name).filter(|_| version != Some("")) {
        Some(compiler) => Ok((compiler, version)),
        None => Err(ColumnError::Compiler(word.to_owned())),
    }
}

impl TargetChoice {
    /// The target without a layout option.
    pub const fn plain(target: ShaderTarget) -> Self {
        Self { target, variant: None }
    }
}

impl FromStr for TargetChoice {
    type Err = ColumnError;

    fn from_str(word: &str) -> Result<Self, ColumnError> {
        let (name, variant) = word.split_once('/').map_or((word, None), |(name, variant)| (name, Some(variant)));
        let target = ShaderTarget::named(name).ok_or_else(|| ColumnError::Target(name.to_owned()))?;
        let Some(variant) = variant else { return Ok(Self::plain(target)) };
        if target != ShaderTarget::Vulkan {
            return Err(ColumnError::NoVariants(target));
        }
        match LayoutVariant::named(variant) {
            Some(variant) => Ok(Self { target, variant: Some(variant) }),
            None => Err(ColumnError::Variant { target, variant: variant.to_owned() }),
        }
    }
}

/// `vulkan/scalar`.
impl fmt::Display for TargetChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.target.as_str())?;
        self.variant.iter().try_for_each(|variant| write!(f, "/{}", variant.as_str()))
    }
}

impl Serialize for TargetChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for ShaderCompiler {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Display for ShaderTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for ShaderCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'a> Column<'a> {
    /// A compiler for a target, in its first measured build and without a layout option.
    pub const fn new(target: ShaderTarget, compiler: ShaderCompiler) -> Self {
        Self { target, compiler: Some(compiler), version: None, variant: None }
    }

    /// True if the compiler defines `__spirv__` while it reads HLSL for this target: DXC and Clang do for SPIR-V, slangc
    /// 2026.14.1 does not.
    pub fn defines_spirv(self) -> bool {
        let is_slang = matches!(self.compiler, Some(ShaderCompiler::Slang | ShaderCompiler::SlangDocumented));
        self.target == ShaderTarget::Vulkan && !is_slang
    }

    /// What the target's own language says.
    pub const fn of_language(target: ShaderTarget) -> Self {
        Self { target, compiler: None, version: None, variant: None }
    }

    /// The same with a layout option.
    #[must_use]
    pub const fn with(self, variant: LayoutVariant) -> Self {
        Self { variant: Some(variant), ..self }
    }

    /// The same from this version of the compiler on.
    #[must_use]
    pub const fn from_version(self, version: &'a str) -> Self {
        Self { version: Some(version), ..self }
    }

    /// The target and the layout option.
    pub const fn choice(&self) -> TargetChoice {
        TargetChoice { target: self.target, variant: self.variant }
    }

    /// The title in two parts, for headings in two lines: the target, and the compiler with its version
    /// and option, if the column has a compiler.
    pub fn title_parts(&self) -> (String, Option<String>) {
        let version = self.version.map(|version| format!(" {version}")).unwrap_or_default();
        let variant = self.variant.map(|variant| format!(" ({})", variant.title())).unwrap_or_default();
        match self.compiler {
            Some(compiler) => (self.target.title().to_owned(), Some(format!("{}{version}{variant}", compiler.title()))),
            None => (format!("{}{version}{variant}", self.target.title()), None),
        }
    }

    /// Parses one word: `vulkan.dxc`, `vulkan/scalar.slangc`, `vulkan.dxc@1.9`. Without a compiler it is a
    /// [`TargetChoice`].
    pub fn parse(word: &'a str) -> Result<Self, ColumnError> {
        let (target, compiler) = word.split_once('.').map_or((word, None), |(target, rest)| (target, Some(rest)));
        let TargetChoice { target, variant } = target.parse()?;
        let compiler = compiler.map(compiler_and_version).transpose()?;
        let version = compiler.and_then(|(_, version)| version);
        Ok(Self { target, compiler: compiler.map(|(compiler, _)| compiler), version, variant })
    }
}

/// The title: `D3D12 · DXC`, `Vulkan · DXC 1.9`, `Vulkan · Slang (scalar)`, `WebGPU`.
impl fmt::Display for Column<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (target, compiler) = self.title_parts();
        f.write_str(&target)?;
        compiler.iter().try_for_each(|compiler| write!(f, " · {compiler}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_a_column_and_a_title_shows_it() {
        for (word, title) in [
            ("d3d12.dxc", "D3D12 · DXC"),
            ("vulkan.dxc@1.9", "Vulkan · DXC 1.9"),
            ("vulkan/scalar.slangc", "Vulkan · Slang (scalar)"),
            ("vulkan/dx.slang", "Vulkan · Slang (dx)"),
            ("spirv.dxc", "Vulkan · DXC"),
            ("webgpu", "WebGPU"),
            ("metal.slang-documented", "Metal · Slang (documented)"),
        ] {
            assert_eq!(Column::parse(word).unwrap().to_string(), title, "{word}");
        }
        for (word, problem) in [
            ("d3d11", "unknown target `d3d11`"),
            ("vulkan/std140", "target `vulkan` has no layout `std140`; known are scalar, dx, gl, c"),
            ("d3d12/scalar", "only vulkan has layouts to choose from, as `vulkan/scalar`; d3d12 has one"),
            ("vulkan.gcc", "unknown compiler `gcc`"),
            ("vulkan.dxc@", "unknown compiler `dxc@`"),
        ] {
            assert_eq!(Column::parse(word).unwrap_err().to_string(), problem, "{word}");
        }
    }
}
