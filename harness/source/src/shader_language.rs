//! The languages that people write shaders in, by their names and the extensions of files.

use std::path::Path;

/// A language that people write shaders in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShaderLanguage {
    Hlsl,
    Slang,
    Glsl,
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

    /// Its name in prose.
    pub fn title(self) -> &'static str {
        match self {
            Self::Hlsl => "HLSL",
            Self::Slang => "Slang",
            Self::Glsl => "GLSL",
            Self::Wgsl => "WGSL",
        }
    }

    /// True if a text in it fixes all offsets. Otherwise they depend on the compiler and its
    /// options, and rule sets lay the declarations out.
    pub fn fixes_offsets(self) -> bool {
        match self {
            Self::Hlsl | Self::Slang => false,
            Self::Glsl | Self::Wgsl => true,
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
}
