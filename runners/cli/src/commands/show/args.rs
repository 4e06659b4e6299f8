//! The arguments of `layoutproof show` and `diff`.

use clap::{Args, ValueEnum};

use crate::args::DeclareArgs;
use crate::args::placement::PlacementArgs;

/// Output formats of `layoutproof show`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// Structs of Rust with assertions of their offsets and sizes.
    RustAsserts,
    /// Structs of C++ with assertions of their offsets and sizes.
    CppAsserts,
    /// LLVM types with explicit padding, as Clang makes them.
    Llvm,
    /// LLVM types with `target("dx.Layout", ...)` or `target("spirv.Layout", ...)`, and for a cbuffer the struct of its
    /// registers, as in the proposals for Clang.
    #[value(alias = "llvm-seed")]
    LlvmLayout,
}

/// `layoutproof show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A shader file (.hlsl, .slang, .wgsl, .glsl, .spv), a case file or the id of a built-in case.
    pub input: String,
    /// Rule sets; default: all bare ones. The assert formats take one, or a compiler's own choice for each block
    /// (`native:dxc-dxil`, `native:slang-vulkan` ...; the former by default for .hlsl files, for the LLVM formats too).
    #[arg(long, value_delimiter = ',', value_name = "NAME[,NAME...]")]
    pub rules: Vec<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub format: ShowFormat,
    /// Say where padding is, what share of each block it takes, and which order of members saves bytes.
    #[arg(long)]
    pub padding: bool,
    /// How the declaration is read.
    #[command(flatten)]
    pub declare: DeclareArgs,
    /// Where parameters are bound.
    #[command(flatten)]
    pub placement: PlacementArgs,
}

/// `layoutproof diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// A shader file, a case file or the id of a built-in case.
    pub input: String,
    /// First rule set.
    pub left: String,
    /// Second rule set.
    pub right: String,
    /// How the declaration is read.
    #[command(flatten)]
    pub declare: DeclareArgs,
}
