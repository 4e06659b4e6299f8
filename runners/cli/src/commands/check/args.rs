//! The arguments of `layoutproof check` and `init`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::layout_selection::target;
use layoutproof_layout::TargetChoice;
use layoutproof_show::front_ends::FrontEnd;
use thiserror::Error;

use crate::args::CacheArgs;

/// Output formats of `layoutproof check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// Annotations for GitHub Actions, at the host's lines.
    Github,
    /// `JUnit` XML.
    Junit,
    /// SARIF, for code scanning and editors.
    Sarif,
}

/// `layoutproof check`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct CheckArgs {
    /// Shaders and programs with debug information.
    #[arg(value_name = "SHADER|HOST", long_help = format!(
        "Shaders and programs with debug information.\n\n\
         Shaders ({}), and objects, libraries, programs and .pdb files, in any order. Default: what `layoutproof.toml` \
         says.",
        FrontEnd::suffixes().join(", "),
    ))]
    pub inputs: Vec<PathBuf>,
    /// Rule sets, for experts: `std140`, `native:dxc-dxil`.
    ///
    /// `native:` names take a compiler's own choice for each block.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub rules: Vec<String>,
    /// The targets whose offsets the host structs must have.
    ///
    /// d3d12, vulkan, webgpu, metal; vulkan/scalar, vulkan/dx, vulkan/gl, vulkan/c. Default: what `--args`,
    /// `layoutproof.toml` or a comment in the shader says, else the language's usual one.
    #[arg(long, value_parser = target, value_delimiter = ',', value_name = "TARGET,...")]
    pub target: Vec<TargetChoice>,
    /// Treat blocks without a host struct, and memory that cannot be compared, as errors.
    #[arg(long)]
    pub strict: bool,
    /// Let devices read each block, too.
    ///
    /// Says which host member arrives in which of the shader's.
    #[arg(long)]
    pub run: bool,
    /// Only these devices, as for `run`.
    #[arg(long, requires = "run", value_delimiter = ',', value_name = "ID,...")]
    pub device: Vec<String>,
    /// The compilers of these targets: dxc, slangc, `dxc=PATH`.
    ///
    /// With --run they make the shaders that devices run, else our own SPIR-V with the offsets that are compared.
    #[arg(long, value_delimiter = ',', value_name = "NAME[=PATH],...")]
    pub compiler: Vec<String>,
    /// The cache of answers.
    #[command(flatten)]
    pub cache: CacheArgs,
    /// The host type of a block.
    #[arg(long, value_name = "BLOCK=TYPE")]
    pub map: Vec<BlockMapping>,
    /// Append the proposed host types to `layoutproof.toml`.
    #[arg(long)]
    pub write_map: bool,
    /// Compare with `layoutproof.lock`.
    ///
    /// What is no longer as it was accepted is an error.
    #[arg(long)]
    pub lock: bool,
    /// Write `layoutproof.lock`: accept everything as it is.
    ///
    /// Blocks, pairs, layouts and compiled shaders.
    #[arg(long, conflicts_with = "lock")]
    pub write_lock: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,
    /// Write a page for browsers.
    ///
    /// Each block beside its host struct, with byte maps of both sides.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Show all members of all pairs.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print only the sentence that sums up the check.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Check again whenever a shader, a program or `layoutproof.toml` changes.
    #[arg(long)]
    pub watch: bool,
    /// Read this file instead of the project's `layoutproof.toml`.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// How shaders are read.
    #[command(flatten)]
    pub declare: DeclareArgs,
}

/// `--map BLOCK=TYPE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockMapping {
    /// Name of the block.
    pub block: String,
    /// Name of the host type.
    pub host: String,
}

/// A word is no [`BlockMapping`].
#[derive(Clone, Copy, Debug, Error)]
#[error("a mapping is written BLOCK=TYPE")]
pub struct NoMapping;

impl FromStr for BlockMapping {
    type Err = NoMapping;

    fn from_str(text: &str) -> Result<Self, NoMapping> {
        match text.split_once('=') {
            Some((block, host)) if !block.is_empty() && !host.is_empty() => {
                Ok(Self { block: block.to_owned(), host: host.to_owned() })
            }
            Some(_) | None => Err(NoMapping),
        }
    }
}

/// `layoutproof init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Folder to look at, in which the file is written.
    #[arg(default_value = ".")]
    pub folder: PathBuf,
}
