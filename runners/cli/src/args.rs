//! What the user typed: the commands, what several of them take, and what a run takes. The other commands' arguments are
//! beside the commands.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use layoutproof::layout::LayoutOptions;
use layoutproof::scalar::SixteenBit;
use layoutproof::shape::MatrixOrder;

use crate::bench::BenchArgs;
use crate::export::ExportArgs;
use crate::fault::Fault;
use crate::final_report::OutputArgs;
use crate::freeze::FreezeArgs;
use crate::information::ListArgs;
use crate::inputs::ShaderLanguage;
use crate::mutants::MutantsArgs;
use crate::part::PartArgs;
use crate::placement::PlacementArgs;
use crate::reflect::ReflectArgs;
use crate::regress::RegressArgs;
use crate::report::ReportArgs;
use crate::show_args::{DiffArgs, ShowArgs};

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

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// If standard output is a terminal that can, and `NO_COLOR` is not set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check cases or shader files on every device found.
    Run(Box<RunArgs>),
    /// Report again what runs have recorded, several of them as one. No GPU needed.
    Report(ReportArgs),
    /// Show where a rule set puts each member. No GPU needed.
    Show(ShowArgs),
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
    /// List the compilers that are there, with their versions.
    Compilers(FormatArgs),
    /// Say what is there and what is missing: drivers, validators, compilers, and how to get them.
    Doctor,
    /// Store what a compiler decides about every case: what it takes, where members are, where parameters are bound. No GPU
    /// needed.
    Freeze(FreezeArgs),
    /// Say what a build of a compiler decides otherwise than a frozen one, leaf by leaf. No GPU needed.
    Regress(RegressArgs),
    /// Plant one wrong rule or one misreading device at a time, and list the cases that notice. No GPU needed.
    Mutants(MutantsArgs),
    /// Compare random declarations, or all small ones, through every compiler that is there.
    Fuzz(FuzzArgs),
    /// Measure what fused probes gain on each Vulkan device. Meant for release builds and quiet machines.
    Bench(BenchArgs),
    /// A process that runs batches for a run (internal).
    #[command(hide = true)]
    Worker,
    /// A process that lets third-party code read one file (internal).
    #[command(hide = true)]
    ReadWorker,
    /// Another program with the limits of a process that reads one file (internal).
    #[command(hide = true)]
    RunLimited(RunLimitedArgs),
}

/// `layoutproof run-limited`.
#[derive(Debug, Args)]
pub struct RunLimitedArgs {
    /// The program with its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub words: Vec<OsString>,
}

/// How a declaration is read.
#[derive(Clone, Debug, Args)]
pub struct DeclareArgs {
    /// Language of the files, whatever their suffixes are; `-` reads standard input in this language.
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub lang: Option<ShaderLanguage>,
    /// Order of matrices that declare none.
    #[arg(long, value_enum, default_value_t = MatrixArg::Column)]
    pub matrix: MatrixArg,
    /// Whether `half` and minimum-precision types take 2 bytes (as with dxc -enable-16bit-types).
    #[arg(long = "16bit", value_enum, default_value_t = Switch::On)]
    pub sixteen_bit: Switch,
    /// Define a macro; `NAME(x)=VALUE` has parameters.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for included files in this folder, too, behind the folder of the including file.
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include: Vec<String>,
    /// Entry point, where the file has several.
    #[arg(long)]
    pub entry: Option<String>,
    /// Read cases from this file or folder too; a case of the same id replaces the built-in one.
    #[arg(long, value_name = "PATH")]
    pub cases: Vec<PathBuf>,
}

/// Order of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MatrixArg {
    /// Rows are contiguous.
    Row,
    /// Columns are contiguous.
    Column,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

impl DeclareArgs {
    /// The options for files; cases bring their own.
    pub fn layout_options(&self) -> LayoutOptions {
        LayoutOptions {
            matrix: match self.matrix {
                MatrixArg::Row => MatrixOrder::Row,
                MatrixArg::Column => MatrixOrder::Column,
            },
            sixteen_bit: match self.sixteen_bit {
                Switch::On => SixteenBit::On,
                Switch::Off => SixteenBit::Off,
            },
        }
    }
}

/// Text or JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// The output format alone.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `layoutproof run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Cases by id (a part of it, or a pattern with * and ?), or shader files; default: all cases.
    #[arg(value_name = "FILTER|FILE")]
    pub inputs: Vec<String>,
    /// Only these rule sets; for a file, the rule sets to check it under (default: all bare ones). Files that say their own
    /// offsets (.wgsl, .glsl, .spv) are checked under `declared`.
    #[arg(long, value_delimiter = ',', value_name = "NAME[,NAME...]")]
    pub rules: Vec<String>,
    /// Only these shader producers: `rspirv` and `naga`, which need nothing; compilers (`dxc`, `slangc`, ...), one of their
    /// targets and options (`dxc-spirv-dx`, ...), or `all` that are there.
    #[arg(long, visible_alias = "compiler", value_delimiter = ',', value_name = "NAME[,NAME...]")]
    pub producer: Vec<String>,
    /// Keep what compilers are given and what they make below this folder.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Longest time in seconds that a compiler gets for one source; one that takes longer is ended, and its check is broken.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub compile_limit: u64,
    /// Only these devices.
    #[arg(long, value_delimiter = ',', value_name = "ID[,ID...]")]
    pub device: Vec<String>,
    /// Only through these APIs.
    #[arg(long, value_delimiter = ',', value_name = "ash,wgpu,dxil,model")]
    pub runner: Vec<String>,
    /// Only these forms of access.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "leaf,vector,whole,parameter,indexed,divergent,copied,length,byte-address,private,workgroup"
    )]
    pub form: Vec<String>,
    /// Probe every block in these spaces, and in no others, or in `all`. By default a block of a file is probed in the space
    /// that its declaration is for, a case in the first three, and a core of the cases in the last three as well.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "all,uniform,storage,push-constant,uniform-element,storage-element,address"
    )]
    pub space: Vec<String>,
    /// Probe every element of every array. By default the first, the second, the middle and the last of each dimension are
    /// probed; the others are counted.
    #[arg(long)]
    pub every_element: bool,
    /// Probe every block in these stages, and in no others; by default, a core of the checks alone is drawn.
    #[arg(long, value_delimiter = ',', value_name = "compute,vertex,fragment")]
    pub stage: Vec<String>,
    /// Which part of the run.
    #[command(flatten)]
    pub part: PartArgs,
    /// Fail with exit code 3 unless this device takes part.
    #[arg(long, value_name = "ID")]
    pub require: Vec<String>,
    /// Fail with exit code 3 if a check is skipped for a reason that contains this text ("" forbids every skip).
    #[arg(long, value_name = "TEXT")]
    pub forbid_skip: Option<String>,
    /// Known differences beside the built-in ones: a list, or a folder of lists.
    #[arg(long, value_name = "PATH")]
    pub known: Vec<PathBuf>,
    /// Leave the built-in known differences out.
    #[arg(long)]
    pub no_known: bool,
    /// The least number of leaves that each device must answer for; files add up.
    #[arg(long, value_name = "FILE")]
    pub floors: Vec<PathBuf>,
    /// How long one job may take on a device, in seconds; 60 where nothing is said.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<Duration>,
    /// Go on with a run that was cut short: the checks in these records are not run again. Without --json, the file itself
    /// is completed.
    #[arg(long, value_name = "RECORDS")]
    pub resume: Option<PathBuf>,
    /// Give every check shaders of its own, compiled with the driver's own settings. Otherwise checks share modules on
    /// Vulkan devices and lavapipe compiles fast rather than well; a share of the checks, and what fails, goes without all
    /// the same, and records say which.
    #[arg(long)]
    pub no_fuse: bool,
    /// Number of this run among others: which share of the checks has shaders of its own, compiled with the driver's own
    /// settings. After 8 numbers in a row every check had.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub rotation: u64,
    /// Where reports go.
    #[command(flatten)]
    pub outputs: OutputArgs,
    /// Plant a misreading in the model device, to see the verdict name the device.
    #[arg(long, value_name = "NAME")]
    pub plant_misreading: Option<String>,
    /// Plant a fault in worker processes, to see the run survive it: crash, hang, garbage (every byte of an answer is wrong),
    /// oom or print, in all jobs of the cases that a filter matches (crash@arrays/), in every so-manyth job of each
    /// worker (hang#7), or where the devices of an API are listed (crash:ash). The model then runs in a worker, too.
    #[arg(long, value_name = "FAULT", conflicts_with = "plant_misreading")]
    pub plant_fault: Option<Fault>,
    /// Generate shaders under this rule set instead of the one that is checked, to see the verdict name the module.
    #[arg(long, value_name = "NAME")]
    pub plant_rules: Option<String>,
    /// How the declaration is read.
    #[command(flatten)]
    pub declare: DeclareArgs,
    /// Where parameters are bound: of a file this alone is then checked, unless rule sets are named too.
    #[command(flatten)]
    pub placement: PlacementArgs,
}

/// `layoutproof fuzz`.
#[derive(Debug, Args)]
pub struct FuzzArgs {
    /// The same seed draws the same declarations.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// How many declarations.
    #[arg(long, default_value_t = 200, value_name = "M")]
    pub count: u64,
    /// Number of the first one, so that machines can share a seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub from: u64,
    /// Instead of random ones, all declarations of up to K members over a fixed set of types.
    #[arg(long, value_name = "K", conflicts_with = "count")]
    pub exhaustive: Option<u32>,
    /// Only these compilers, or single toolchains of theirs; default: all that are there.
    #[arg(long, value_delimiter = ',', value_name = "NAME[,NAME...]")]
    pub compiler: Vec<String>,
    /// Longest time in seconds that a compiler gets for one source; one that takes longer is ended, and its check is broken.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub compile_limit: u64,
    /// Only these devices.
    #[arg(long, value_delimiter = ',', value_name = "ID[,ID...]")]
    pub device: Vec<String>,
    /// Run every declaration on every device, not on one of them in turn.
    #[arg(long)]
    pub every_device: bool,
    /// Known differences beside the built-in ones: a list, or a folder of lists.
    #[arg(long, value_name = "PATH")]
    pub known: Vec<PathBuf>,
    /// Where differences are written: a case file, a report, and what the compiler was given and made.
    #[arg(long, default_value = "fuzz-found", value_name = "DIR")]
    pub out: PathBuf,
    /// Write the records of all checks as JSON lines, as `run` does; `report` reads them.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Plant a wrong rule, to see it found and made small: `std140@slang:array-alignment=4`.
    #[arg(long, value_name = "RULES:PARAMETER=VALUE")]
    pub plant_mutant: Option<String>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("no job takes no time".to_owned()) } else { Ok(duration) }
}
