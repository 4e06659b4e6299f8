//! The languages of shader files, by their names and extensions.

use std::path::Path;

use crate::declaration_words::DeclarationWords;
use layoutproof_frontend::DeclaredLanguage;

/// A language of shader files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShaderLanguage {
    /// HLSL as DXC reads it.
    Hlsl,
    /// Slang.
    Slang,
    /// GLSL.
    Glsl,
    /// WGSL.
    Wgsl,
}

/// File extensions by stage, which are glslang's names of the stages; the most common come first.
pub const STAGES: [&str; 14] = [
    "comp", "vert", "frag", "geom", "tesc", "tese", "mesh", "task", "rgen", "rint", "rahit", "rchit", "rmiss", "rcall",
];

impl ShaderLanguage {
    pub const ALL: [Self; 4] = [Self::Hlsl, Self::Slang, Self::Glsl, Self::Wgsl];

    /// Its name, which is the usual extension of its files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hlsl => "hlsl",
            Self::Slang => "slang",
            Self::Glsl => "glsl",
            Self::Wgsl => "wgsl",
        }
    }

    /// The language with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == name)
    }

    /// The language in which reports write its members.
    pub fn words(self) -> DeclarationWords {
        match self {
            Self::Glsl => DeclarationWords::Glsl,
            Self::Wgsl => DeclarationWords::Wgsl,
            Self::Hlsl | Self::Slang => DeclarationWords::Hlsl,
        }
    }

    /// The language of files with this extension, in lowercase and without its full stop.
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

    /// `named`, or else the language for the extension of `path`.
    pub fn of(named: Option<Self>, path: &Path) -> Option<Self> {
        let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
        named.or_else(|| Self::of_suffix(suffix.as_deref()?))
    }

    /// The corresponding language of declarations, if our own parser reads it.
    pub fn declared(self) -> Option<DeclaredLanguage> {
        match self {
            Self::Hlsl => Some(DeclaredLanguage::Hlsl),
            Self::Slang => Some(DeclaredLanguage::Slang),
            Self::Glsl | Self::Wgsl => None,
        }
    }
}
