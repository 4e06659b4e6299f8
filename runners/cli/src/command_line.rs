//! Defines the command line of `layoutproof`: its commands and global options.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::args::{Colour, ReportArgs, RunArgs};
use crate::commands::accesses::AccessesArgs;
use crate::commands::bench::BenchArgs;
use crate::commands::bugs::BugsArgs;
use crate::commands::cache::CacheCommandArgs;
use crate::commands::check::args::{CheckArgs, InitArgs};
use crate::commands::compare::CompareArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::explorer::ExplorerArgs;
use crate::commands::export::ExportArgs;
use crate::commands::fuzz::args::FuzzArgs;
use crate::commands::hardware::HardwareArgs;
use crate::commands::list::ListArgs;
use crate::commands::lsp::LspArgs;
use crate::commands::pages::{CompletionsArgs, ManArgs};
use crate::commands::runs::RunsArgs;
use crate::commands::setup::SetupArgs;
use crate::commands::show::args::{DiffArgs, ShowArgs};
use crate::commands::vectors::VectorsArgs;

/// Shows where shader parameters live, and proves it on devices.
///
/// Lays declarations out, uploads packed bytes to every GPU found, reads back where each value really was, and names
/// who is wrong.
#[derive(Debug, Parser)]
#[command(name = "layoutproof", version, propagate_version = true)]
pub struct Cli {
    /// Use colours: auto, always or never.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Colour::Auto, hide_possible_values = true)]
    pub color: Colour,
    /// Draw with ASCII characters only.
    #[arg(long, global = true)]
    pub ascii: bool,
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show offsets, bindings, padding and host code of shader parameters.
    ///
    /// Needs no GPU. `layoutproof FILE` does the same.
    Show(Box<ShowArgs>),
    /// Compare the structs of a program with the shader blocks that they fill.
    ///
    /// The structs come from the program's debug information. Needs no GPU.
    Check(Box<CheckArgs>),
    /// Write a first layoutproof.toml for `check`.
    ///
    /// Looks for shaders and programs in the folder, and says what it leaves out.
    Init(InitArgs),
    /// Compare two layouts, member by member, or files with a commit of git.
    ///
    /// Exit code 0: they are the same; 1: they differ.
    Diff(DiffArgs),
    /// Follow every load and store of your shaders to the member that it touches.
    ///
    /// Names alignments that addresses cannot keep, indices beyond the end, and memory that two types read
    /// differently. Needs no GPU.
    Accesses(Box<AccessesArgs>),
    /// Prove layouts on devices: of a shader file, or of all cases.
    ///
    /// Uploads packed bytes, reads back where each value really was, and names who is wrong.
    Run(Box<RunArgs>),
    /// Report saved runs: text, pages, JUnit, CSV.
    ///
    /// Reads the records of `run --json`, of one run or several. Needs no GPU.
    Report(ReportArgs),
    /// Tell the history of saved runs: the first bad driver, flaky checks.
    ///
    /// Reads the records of a folder, to which CI adds each run. Needs no GPU.
    Runs(RunsArgs),
    /// List the built-in cases, or with --rules the rule sets.
    List(ListArgs),
    /// Open the site with its explorer in a browser.
    ///
    /// Serves them on this machine alone, at an address that no one can guess. Needs no GPU and no network.
    Explorer(ExplorerArgs),
    /// Serve an editor: offsets while you write (LSP).
    ///
    /// Hover, inlay hints, differences from the host structs of your project, and edits. The book has the settings of
    /// editors.
    Lsp(LspArgs),
    /// Show what a compiler build or a driver changed.
    ///
    /// Two builds: offsets, bindings and accepted sources, in all cases or in your files. Two runs: their records. Needs no
    /// GPU.
    Compare(Box<CompareArgs>),
    /// List known bugs of compilers and drivers, describe one, or write an issue.
    ///
    /// Says which of them are here. Needs no GPU.
    Bugs(BugsArgs),
    /// Show which drivers, compilers and tools are here, and how to get the others.
    Doctor(DoctorArgs),
    /// Install missing drivers, validators and compilers (Linux).
    Setup(SetupArgs),
    /// Commands for the development of layoutproof itself.
    Dev(DevArgs),
    /// A process that runs batches for a run (internal).
    #[command(hide = true)]
    Worker,
    /// A process that lets third-party code read one file (internal).
    #[command(hide = true)]
    ReadWorker,
    /// A process that reads the debug information of one file (internal).
    #[command(hide = true)]
    DebugWorker,
    /// Another program with the limits of a process that reads one file (internal).
    #[command(hide = true)]
    RunLimited(RunLimitedArgs),
    /// DXC, of which only the library is there (internal).
    #[command(hide = true, disable_help_flag = true, disable_version_flag = true)]
    DxcLibrary(RawArgs),
    /// A process that holds Slang's library and compiles for a run (internal).
    #[command(hide = true, disable_help_flag = true, disable_version_flag = true)]
    SlangLibrary(RawArgs),
    /// The SPIR-V that the naga inside makes of a WGSL file (internal).
    #[command(hide = true, disable_help_flag = true, disable_version_flag = true)]
    NagaSpirv(RawArgs),
    /// How this machine's OpenGL driver lays out the blocks of a shader (internal).
    #[command(hide = true)]
    OpenglLayouts(OpenglArgs),
}

/// `layoutproof opengl-layouts`.
#[derive(Debug, Args)]
pub struct OpenglArgs {
    /// The shader, as this program writes it for itself.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// `layoutproof dev`.
#[derive(Debug, Args)]
pub struct DevArgs {
    #[command(subcommand)]
    pub command: DevCommand,
}

/// What a newcomer does not need.
#[derive(Debug, Subcommand)]
pub enum DevCommand {
    /// Send random or all small declarations through every compiler.
    ///
    /// Whatever differs is made small and written down.
    Fuzz(FuzzArgs),
    /// Measure how long the built-in cases take on each Vulkan device.
    ///
    /// Meant for release builds and quiet machines.
    Bench(BenchArgs),
    /// Check this machine's GPUs with all cases and random programs.
    ///
    /// Writes a folder of results. Needs no network and no other program: for the kit that `ci/kit` packs.
    Hardware(HardwareArgs),
    /// Write cases as tests of Google's Amber or LLVM's offload test suite.
    ///
    /// Needs no GPU.
    Export(ExportArgs),
    /// Write the cases as test vectors for other programs.
    ///
    /// JSON with its schema, in packages for Rust, npm and Python.
    Vectors(VectorsArgs),
    /// Show or clear the cache of answers from compilers and spirv-val.
    Cache(CacheCommandArgs),
    /// Print the completions of a shell.
    Completions(CompletionsArgs),
    /// Write the manual pages.
    Man(ManArgs),
}

/// Words for a command that reads them itself.
#[derive(Debug, Args)]
pub struct RawArgs {
    /// The words.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// `layoutproof run-limited`.
#[derive(Debug, Args)]
pub struct RunLimitedArgs {
    /// The program with its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub words: Vec<OsString>,
}
