//! What the user typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use layoutproof::layout::LayoutOptions;
use layoutproof::scalar::SixteenBit;
use layoutproof::shape::MatrixOrder;

use crate::freeze::FreezeArgs;
use crate::placement::PlacementArgs;
use crate::regress::RegressArgs;

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
    /// Show where a rule set puts each member. No GPU needed.
    Show(ShowArgs),
    /// Compare the layouts of two rule sets, member by member.
    Diff(DiffArgs),
    /// Show a whole program's layout as Slang's reflection does: types, offsets per unit, entry points. No GPU needed.
    Reflect(ReflectArgs),
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
    /// A process that runs batches for a run (internal).
    #[command(hide = true)]
    Worker(WorkerArgs),
}

/// How a declaration is read.
#[derive(Clone, Debug, Args)]
pub struct DeclareArgs {
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

/// The output format alone.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
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

/// Output formats of `layoutproof reflect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReflectFormat {
    /// The tree of the Slang user guide's reflection chapter.
    Yaml,
    /// What `slangc -reflection-json` prints.
    SlangJson,
}

/// `layoutproof reflect`.
#[derive(Debug, Args)]
pub struct ReflectArgs {
    /// A shader file (.hlsl, .slang), a case file or the id of a built-in case.
    pub input: String,
    /// Output format.
    #[arg(long, value_enum, default_value_t = ReflectFormat::Yaml)]
    pub format: ReflectFormat,
    /// How the declaration is read.
    #[command(flatten)]
    pub declare: DeclareArgs,
    /// For which API, by whose rules.
    #[command(flatten)]
    pub placement: PlacementArgs,
}

/// `layoutproof list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// List the rule sets instead: what each is, where it comes from, one worked example.
    #[arg(long, conflicts_with = "coverage")]
    pub rules: bool,
    /// Count instead what the cases ask of devices: leaves by type, predecessor, rule set, space, stage, direction, form
    /// and kind of proof. No GPU needed.
    #[arg(long)]
    pub coverage: bool,
    /// Output format of --coverage.
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "coverage")]
    pub format: Format,
    /// Only cases whose id contains this text, or matches it as a pattern with * and ?.
    pub filter: Vec<String>,
    /// Read cases from this file or folder too.
    #[arg(long, value_name = "PATH")]
    pub cases: Vec<PathBuf>,
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
    /// Only these devices.
    #[arg(long, value_delimiter = ',', value_name = "ID[,ID...]")]
    pub device: Vec<String>,
    /// Only through these APIs.
    #[arg(long, value_delimiter = ',', value_name = "ash,wgpu,dxil,model")]
    pub runner: Vec<String>,
    /// Only these forms of access.
    #[arg(long, value_delimiter = ',', value_name = "leaf,vector,whole,parameter,indexed,divergent,copied,length")]
    pub form: Vec<String>,
    /// Probe every block in these spaces, and in no others; by default, a core of the checks alone has the last three.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "uniform,storage,push-constant,uniform-element,storage-element,address"
    )]
    pub space: Vec<String>,
    /// Probe every block in these stages, and in no others; by default, a core of the checks alone is drawn.
    #[arg(long, value_delimiter = ',', value_name = "compute,vertex,fragment")]
    pub stage: Vec<String>,
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
    /// The least number of leaves that each device must answer for.
    #[arg(long, value_name = "FILE")]
    pub floors: Option<PathBuf>,
    /// Write the records as JSON lines.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a junit.xml report, as CI systems read it.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// One line per check; twice, the annotated struct as well.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Plant a misreading in the model device, to see the verdict name the device.
    #[arg(long, value_name = "NAME")]
    pub plant_misreading: Option<String>,
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

/// `layoutproof mutants`.
#[derive(Debug, Args)]
pub struct MutantsArgs {
    /// Only the mutants of these rule sets, each on a line of its own, and no devices.
    #[arg(long, value_delimiter = ',', value_name = "NAME[,NAME...]")]
    pub rules: Vec<String>,
    /// Every rule mutant on a line of its own, and all cases that notice a misreading device rather than the first few.
    #[arg(long)]
    pub all: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Read cases from this file or folder too; a case of the same id replaces the built-in one.
    #[arg(long, value_name = "PATH")]
    pub cases: Vec<PathBuf>,
}

/// `layoutproof worker`.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// Where the parent listens.
    #[arg(long)]
    pub connect: std::net::SocketAddr,
}
