//! The arguments of `layoutproof show` and `diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::layout_selection::target;
use layoutproof_inputs::named_compiler::{NamedCompiler, named_compiler};
use layoutproof_layout::TargetChoice;
use layoutproof_show::front_ends::FrontEnd;

use crate::args::placement::PlacementArgs;
use crate::commands::show::formats::{LayoutFormat, format_parser};

/// Output formats of `layoutproof diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// The members that differ, for a pull request.
    Markdown,
    /// A page with tables and byte maps.
    Html,
}

impl DiffFormat {
    /// True if the answers about several files are one text.
    pub fn holds_many(self) -> bool {
        matches!(self, Self::Text | Self::Markdown)
    }
}

/// `layoutproof show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Shader files or built-in cases.
    #[arg(required = true, value_name = "FILE|CASE", long_help = format!(
        "Shader files or built-in cases.\n\n\
         Files ({}), patterns with * and ? for several, `-` for standard input, case files, or ids of built-in cases.",
        FrontEnd::suffixes().join(", "),
    ))]
    pub inputs: Vec<String>,
    /// Rule sets, for experts: `std140`, `hlsl-*`, `native:dxc-dxil`.
    ///
    /// `native:` names take a compiler's own choice for each block. Default: the targets that programs in the
    /// file's language ship for; as JSON, all bare rule sets. The assert formats take one, for .hlsl files
    /// `native:dxc-dxil` by default, as the LLVM formats do.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub rules: Vec<String>,
    /// Show every rule set that some compiler takes for such a block.
    ///
    /// Not only the targets that ship.
    #[arg(long, conflicts_with = "rules")]
    pub all: bool,
    /// Read this file instead of the project's `layoutproof.toml`.
    ///
    /// It has the columns of text, and how shaders are read for it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rules", "all", "target"])]
    pub config: Option<PathBuf>,
    /// Show again whenever a shader or `layoutproof.toml` changes.
    #[arg(long)]
    pub watch: bool,
    /// Output format: text, json, html, cpp-asserts, ...
    #[arg(long, value_parser = format_parser(), ignore_case = true, default_value = "text")]
    pub format: &'static LayoutFormat,
    /// Show padding, and an order of members that saves bytes.
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
    /// Only these compilers: dxc, slangc, `dxc@1.9`, `dxc=PATH`.
    ///
    /// `dxc@1.9` names a version, `dxc=PATH` a build. DXC itself gives the registers of an HLSL file for
    /// --target d3d12, if it is here; where the rules of layoutproof say otherwise is marked.
    #[arg(
        long,
        value_parser = named_compiler,
        value_delimiter = ',',
        conflicts_with = "convention",
        value_name = "NAME[=PATH]",
        help_heading = "Targets and bindings"
    )]
    pub compiler: Vec<NamedCompiler>,
}

/// What the formats of host structs write, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Host structs")]
pub struct HostArgs {
    /// Write only assertions, about types of your own.
    ///
    /// Each member must lie where the shader reads it.
    #[arg(long)]
    pub asserts_only: bool,
    /// Your type for the block: `engine::PerFrame`.
    ///
    /// For a block or struct that is named: `Light=engine::Light`.
    #[arg(long, value_name = "[NAME=]TYPE", requires = "asserts_only")]
    pub host: Vec<String>,
    /// Your name for a member: `cameraPos=cam_pos`.
    ///
    /// Also `lights.pos=position`; nothing after = leaves the member out.
    #[arg(long, value_name = "MEMBER=FIELD", value_delimiter = ',', requires = "asserts_only")]
    pub map: Vec<String>,
    /// Only this struct of the file: `Light`; or your type for a vector or matrix: `float3=glm::vec3`.
    ///
    /// A struct is laid out as if it were in a constant buffer and in a structured buffer, in GLSL by std140 and std430.
    /// A vector or matrix goes by its name in any shader language, for a type that has no padding in it. Any number of times.
    #[arg(long = "type", value_name = "STRUCT|TYPE=NAME", conflicts_with = "asserts_only")]
    pub types: Vec<String>,
    /// Namespace of the types, or module in Rust.
    #[arg(long, value_name = "NAME")]
    pub namespace: Option<String>,
    /// Only these blocks, without bindings.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub block: Vec<String>,
    /// Write the text to this file.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Exit with 1 unless the file of --output is up to date.
    ///
    /// Writes nothing.
    #[arg(long, requires = "output")]
    pub check: bool,
}

impl HostArgs {
    /// The structs of `--type`.
    pub fn named_types(&self) -> Vec<&str> {
        self.types.iter().filter(|text| !text.contains('=')).map(String::as_str).collect()
    }

    /// The user's own types for vectors and matrices of `--type`.
    pub fn vector_types(&self) -> impl Iterator<Item = &String> {
        self.types.iter().filter(|text| text.contains('='))
    }
}

/// `layoutproof diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// One input and two targets, two inputs, or commits of git and files.
    #[arg(required = true, num_args = 1.., value_name = "INPUT|TARGET", long_help = format!(
        "One input and two targets, two inputs, or commits of git and files.\n\n\
         Two inputs without a target are compared under every target of both; of two folders, the shaders of one name. \
         An input that says its own offsets ({}) needs no target. An input is a shader file, a case file or the id of \
         a built-in case; a target is d3d12, vulkan, vulkan/scalar ..., with a compiler as vulkan.slangc, or for \
         experts a rule set. A file that is named twice is compared without and with the macros of -D; beside \
         them, those of --args are on both sides.\n\n\
         `HEAD FILE...` compares files with their texts in a commit of git, `HEAD~1 HEAD FILE...` or `HEAD~1..HEAD FILE...` those \
         of two commits, `main...` all shaders that changed since this branch left `main`, `main...topic` those that changed on \
         another branch.",
        FrontEnd::suffixes_with_offsets().join(", "),
    ))]
    pub words: Vec<String>,
    /// Compare under these targets: the same as naming them after the inputs.
    #[arg(long, value_parser = target, value_delimiter = ',', value_name = "TARGET[,TARGET]")]
    pub target: Vec<TargetChoice>,
    /// True if the last words are the targets of `--target` or `--args`.
    #[arg(skip)]
    pub has_target_option: bool,
    /// Output format.
    #[arg(long, value_enum, ignore_case = true, default_value_t = DiffFormat::Text)]
    pub format: DiffFormat,
    /// How the declaration is read.
    #[command(flatten)]
    pub declare: DeclareArgs,
}
