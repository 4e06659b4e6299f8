//! The arguments of `layoutproof show` and `diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use layoutproof_show::front_ends::FrontEnd;

use crate::args::DeclareArgs;
use crate::args::placement::PlacementArgs;
use crate::commands::show::formats::{LayoutFormat, format_parser};

/// Output formats of `layoutproof diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// A page with tables and byte maps.
    Html,
}

/// `layoutproof show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    #[arg(required = true, value_name = "FILE|CASE", help = format!(
        "Shader files ({}), patterns with * and ? for several, `-` for standard input, case files, or ids of built-in \
         cases",
        FrontEnd::suffixes().join(", "),
    ))]
    pub inputs: Vec<String>,
    /// Rule sets (`std140`, `hlsl-*`), or a compiler's own choice for each block (`native:dxc-dxil`, `native:slang-vulkan`
    /// ...). Default: the targets that programs in the file's language ship for; as JSON all bare rule sets. The assert
    /// formats take one, for .hlsl files `native:dxc-dxil` by default, as the LLVM formats do.
    #[arg(long, value_delimiter = ',', value_name = "NAME[,NAME...]")]
    pub rules: Vec<String>,
    /// Show every bare rule set that some compiler takes for such a block, not only the targets that ship.
    #[arg(long, conflicts_with = "rules")]
    pub all: bool,
    /// Take the columns of text, and how shaders are read for it, from this file instead of the `layoutproof.toml` of the
    /// project.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rules", "all", "target"])]
    pub config: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_parser = format_parser(), default_value = "text")]
    pub format: &'static dyn LayoutFormat,
    /// Say where padding is, what share of each block it takes, and which order of members saves bytes.
    #[arg(long)]
    pub padding: bool,
    /// Types of the host.
    #[command(flatten)]
    pub host: HostArgs,
    /// How the declaration is read.
    #[command(flatten)]
    pub declare: DeclareArgs,
    /// Where parameters are bound.
    #[command(flatten)]
    pub placement: PlacementArgs,
    /// Take the registers that this compiler gives, and mark where the rules of its convention say otherwise: `dxc`, with
    /// --target d3d12 and a file of HLSL. It compiles the entry point of --entry for the profile of --profile (`ps_6_6`).
    #[arg(long, requires = "target", value_name = "NAME", help_heading = "Placement of parameters")]
    pub compiler: Option<String>,
}

/// What the formats of host structs write, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Host structs")]
pub struct HostArgs {
    /// Write assertions only, about types of your own: each member lies where the shader reads it.
    #[arg(long)]
    pub asserts_only: bool,
    /// Your type for the block, or for a block or struct that is named: `engine::PerFrame`, `Light=engine::Light`.
    #[arg(long, value_name = "[NAME=]TYPE", requires = "asserts_only")]
    pub host: Vec<String>,
    /// Your name for a member: `cameraPos=cam_pos`, `lights.pos=position`; nothing behind = leaves the member out.
    #[arg(long, value_name = "MEMBER=FIELD", value_delimiter = ',', requires = "asserts_only")]
    pub map: Vec<String>,
    /// Your type for a vector or matrix that has no padding in it, by its name in HLSL: `float3=glm::vec3`,
    /// `float4x4=glm::mat4`. Any number of times.
    #[arg(long = "type", value_name = "TYPE=NAME", conflicts_with = "asserts_only")]
    pub types: Vec<String>,
    /// The namespace, or in Rust the module, of the types.
    #[arg(long, value_name = "NAME")]
    pub namespace: Option<String>,
    /// Only these blocks.
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub block: Vec<String>,
    /// Write the text to this file.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write nothing: exit with 1 if the file of --output is not what would be written.
    #[arg(long, requires = "output")]
    pub check: bool,
}

/// `layoutproof diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    #[arg(required = true, num_args = 2..=4, value_name = "INPUT|RULES", help = format!(
        "One input and two rule sets; or two inputs, each with a rule set after it unless it says its own offsets \
         ({}). An input is a shader file, a case file or the id of a built-in case; a rule set may be a compiler's own \
         choice, as `native:dxc-spirv`",
        FrontEnd::suffixes_with_offsets().join(", "),
    ))]
    pub words: Vec<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    pub format: DiffFormat,
    /// How the declaration is read.
    #[command(flatten)]
    pub declare: DeclareArgs,
}
