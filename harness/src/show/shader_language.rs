//! The languages of shader files, by their names and suffixes.

use std::path::Path;

use crate::declare::DeclaredLanguage;
use crate::report::declaration_words::DeclarationWords;

/// A language of shader files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShaderLanguage {
    /// HLSL, as DXC reads it.
    Hlsl,
    /// Slang.
    Slang,
    /// GLSL.
    Glsl,
    /// WGSL.
    Wgsl,
}

/// Suffixes of files by stage, which are glslang's names of the stages; the first are the most common.
pub const STAGES: [&str; 14] = [
    "comp", "vert", "frag", "geom", "tesc", "tese", "mesh", "task", "rgen", "rint", "rahit", "rchit", "rmiss", "rcall",
];

impl ShaderLanguage {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Hlsl, Self::Slang, Self::Glsl, Self::Wgsl];

    /// Its name, which is the usual suffix of its files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hlsl => "hlsl",
            Self::Slang => "slang",
            Self::Glsl => "glsl",
            Self::Wgsl => "wgsl",
        }
    }

    /// The language of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == name)
    }

    /// The words in which its members are declared.
    pub fn words(self) -> DeclarationWords {
        match self {
            Self::Glsl => DeclarationWords::Glsl,
            Self::Wgsl => DeclarationWords::Wgsl,
            Self::Hlsl | Self::Slang => DeclarationWords::Hlsl,
        }
    }

    /// The language of files with this suffix, in lowercase and without its full stop.
    fn of_suffix(suffix: &str) -> Option<Self> {
        match suffix {
            "hlsl" | "hlsli" | "fx" | "fxh" => Some(Self::Hlsl),
            "slang" => Some(Self::Slang),
            "wgsl" => Some(Self::Wgsl),
            "glsl" => Some(Self::Glsl),
            _ if STAGES.contains(&suffix) => Some(Self::Glsl),
            _ => None,
        }
    }

    /// The language that `named` says, or else the suffix of `path`.
    pub fn of(named: Option<Self>, path: &Path) -> Option<Self> {
        let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
        named.or_else(|| Self::of_suffix(suffix.as_deref()?))
    }

    /// The language of declarations that this is, for those that are declared here.
    pub fn declared(self) -> Option<DeclaredLanguage> {
        match self {
            Self::Hlsl => Some(DeclaredLanguage::Hlsl),
            Self::Slang => Some(DeclaredLanguage::Slang),
            Self::Glsl | Self::Wgsl => None,
        }
    }
}
