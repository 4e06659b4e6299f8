//! Defines the command line of `layoutproof`: its commands and global options.

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand};

use crate::args::{Colour, CompletionsArgs, FormatArgs, ManArgs, ReportArgs, RunArgs};
use crate::commands::bench::BenchArgs;
use crate::commands::bugs::BugsArgs;
use crate::commands::cache::CacheCommandArgs;
use crate::commands::check::args::{CheckArgs, InitArgs};
use crate::commands::compare::CompareArgs;
use crate::commands::export::ExportArgs;
use crate::commands::freeze::FreezeArgs;
use crate::commands::fuzz::args::FuzzArgs;
use crate::commands::list_commands::ListArgs;
use crate::commands::reflect::ReflectArgs;
use crate::commands::regress::RegressArgs;
use crate::commands::setup::SetupArgs;
use crate::commands::show::args::{DiffArgs, ShowArgs};
use crate::commands::site::SiteArgs;
use crate::commands::upstream::UpstreamArgs;

/// Proves where shader parameters live: lays declarations out, uploads packed bytes to every GPU found, reads back
/// where each value really was, and names who is wrong.
#[derive(Debug, Parser)]
#[command(name = "layoutproof", version, propagate_version = true)]
pub struct Cli {
    /// When to colour the output.
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
    /// Draw with ASCII characters only.
    #[arg(long, global = true)]
    pub ascii: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check cases or shader files on every device found.
    Run(Box<RunArgs>),
    /// Report again what runs have recorded, several of them as one. No GPU needed.
    Report(ReportArgs),
    /// Show where a rule set puts each member. No GPU needed.
    Show(Box<ShowArgs>),
    /// Compare structs of a program, as its debug information describes them, with the shader blocks that they fill. No GPU
    /// needed.
    Check(Box<CheckArgs>),
    /// Write a first layoutproof.toml, which says what `check` compares, by looking at a folder.
    Init(InitArgs),
    /// Compare the layouts of two rule sets, member by member.
    Diff(DiffArgs),
    /// Show a whole program's layout as Slang's reflection does: types, offsets per unit, entry points. No GPU needed.
    Reflect(ReflectArgs),
    /// Write a case as a stand-alone test of another suite: Google's Amber or LLVM's offload test suite. No GPU needed.
    Export(ExportArgs),
    /// List the cases, or with --rules the rule sets.
    List(ListArgs),
    /// List the devices that a run would use.
    Devices(FormatArgs),
    /// List the compilers that were found, with their versions.
    Compilers(FormatArgs),
    /// Say what was found and what is missing: drivers, validators, compilers, and how to get them.
    Doctor,
    /// Install what is missing here: software drivers, validators, compilers. Linux only.
    Setup(SetupArgs),
    /// Write pages for a web server: rule sets, surprises, what compilers get wrong, cases, records of runs. No GPU needed.
    Site(SiteArgs),
    /// Say how much is kept of what compilers and spirv-val answered, or remove it.
    Cache(CacheCommandArgs),
    /// Print the completions of a shell.
    Completions(CompletionsArgs),
    /// Write the manual pages.
    Man(ManArgs),
    /// Show what a compiler build changed, in your files or in all cases. No GPU needed.
    Compare(Box<CompareArgs>),
    /// Store what a compiler decides about every case (now `compare --save`).
    #[command(hide = true)]
    Freeze(FreezeArgs),
    /// Compare what a compiler decides now with what was frozen, leaf by leaf (now `compare`).
    #[command(hide = true)]
    Regress(RegressArgs),
    /// List known bugs of compilers and drivers, and which are here. No GPU needed.
    Bugs(BugsArgs),
    /// Write the text of an issue about a known difference (now `bugs ID --issue`).
    #[command(hide = true)]
    Upstream(UpstreamArgs),
    /// Compare random declarations, or all small ones, through every compiler that was found.
    Fuzz(FuzzArgs),
    /// Measure how long the built-in cases take on each Vulkan device. Meant for release builds and quiet machines.
    Bench(BenchArgs),
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
