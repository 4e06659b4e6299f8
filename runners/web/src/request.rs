//! The requests of the page.

use serde::{Deserialize, Serialize};

/// A text to show, with its options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct ExploreRequest {
    /// `hlsl`, `slang`, `glsl` or `wgsl`.
    pub language: String,
    pub text: String,
    /// Names of the columns, rule sets and compiler choices; the first is the reference. Empty for
    /// the targets that ship.
    pub columns: Vec<String>,
    /// Targets with conventions whose bindings are shown: `d3d12.dxc`, `vulkan.slang` ...
    pub bindings: Vec<String>,
    /// Macros, each `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// The entry point; empty for all entry points.
    pub entry: String,
    /// The order of matrices without a declared one.
    pub matrix: ExploreMatrix,
    /// True if `half` and minimum-precision types take 4 bytes.
    pub wide_half: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExploreMatrix {
    /// Columns are contiguous.
    #[default]
    Column,
    /// Rows are contiguous.
    Row,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopiedText {
    /// The byte maps as one picture.
    Svg,
    /// The declaration and the table of offsets, for an issue.
    Markdown,
    /// The answer of `layoutproof show --format json --padding`.
    Json,
    /// Structs of C++ with assertions, for the first column.
    Cpp,
    /// Structs of Rust with assertions, for the first column.
    Rust,
    /// Structs of C with assertions, for the first column.
    C,
    /// A case file about the text.
    Case,
}

impl CopiedText {
    pub const ALL: [Self; 7] = [Self::Svg, Self::Markdown, Self::Json, Self::Cpp, Self::Rust, Self::C, Self::Case];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Markdown => "markdown",
            Self::Json => "json",
            Self::Cpp => "cpp",
            Self::Rust => "rust",
            Self::C => "c",
            Self::Case => "case",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
