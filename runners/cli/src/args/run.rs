//! The arguments of `layoutproof run`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, FromArgMatches, ValueEnum};
use layoutproof_core::results::record::RecordsFilter;
use layoutproof_device::RunnerKind;
use layoutproof_executor::fault::Fault;
use layoutproof_show::front_ends::FrontEnd;

use super::{CacheArgs, DeclareArgs, OutputArgs, PartArgs, PlacementArgs};

/// Which checks the records file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RecordsArg {
    /// Every check.
    All,
    /// What differs (known or not), is stale, broken, or skipped for a reason of this machine or of a compiler, and what agreed
    /// only when it was run again. Of the others the last line has totals.
    Failures,
}

impl RecordsArg {
    /// The filter of the file.
    pub fn filter(self) -> RecordsFilter {
        match self {
            Self::All => RecordsFilter::All,
            Self::Failures => RecordsFilter::Failures,
        }
    }
}

/// `layoutproof run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that the user types or leaves out")]
pub struct RunArgs {
    /// Cases by id (a part of it, or a pattern with * and ?), or shader files; default: all cases.
    #[arg(value_name = "FILTER|FILE")]
    pub inputs: Vec<String>,
    #[arg(long, value_delimiter = ',', value_name = "NAME[,NAME...]", help = format!(
        "Only these rule sets; for a file, the rule sets to check it under. Files that say their own offsets ({}) are \
         checked under `declared`",
        FrontEnd::suffixes_with_offsets().join(", "),
    ))]
    pub rules: Vec<String>,
    /// Check files under every bare rule set, with shaders of our own; by default, by the compilers and for the targets that
    /// programs in their language ship for, as `show` displays them.
    #[arg(long, conflicts_with_all = ["rules", "target"])]
    pub all: bool,
    /// Only these shader producers: `rspirv` and `naga`, which need nothing; compilers (`dxc`, `slangc`, ...), one of their
    /// targets and options (`dxc-spirv-dx`, ...), or `all` that were found. By default all take part in a run of cases that
    /// names no producer, device, API or form either, and a compiler's module then runs on one driver; otherwise those that
    /// need nothing.
    #[arg(long, visible_alias = "compiler", value_delimiter = ',', value_name = "NAME[,NAME...]")]
    pub producer: Vec<String>,
    /// Ask no compiler: `rspirv` and `naga` alone make shaders.
    #[arg(long, conflicts_with = "producer")]
    pub no_compiler: bool,
    /// Run what compilers make on every driver that takes it, also where no compiler is named.
    #[arg(long)]
    pub every_device: bool,
    /// Keep what compilers are given and what they make below this folder; they are then asked, whatever is cached.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Time limit in seconds of a compiler for one source; one that takes longer is ended, and its check is broken.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub compile_limit: u64,
    /// Whether compilers are asked again.
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Only these devices.
    #[arg(long, value_delimiter = ',', value_name = "ID[,ID...]")]
    pub device: Vec<String>,
    /// Only through these APIs.
    #[arg(long, value_delimiter = ',', value_name = RunnerKind::NAMES)]
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
    /// Probe every element of every array, and with naga every member of blocks of more than 512 leaves. By default the
    /// first, the second, the middle and the last element of each dimension are probed, and of such blocks members at even
    /// distances; the others are counted.
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
    /// Check on so many threads at once; default: as many as the machine has processors.
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Stop at the first check that differs or breaks and is not known.
    #[arg(long, conflicts_with = "retries")]
    pub fail_fast: bool,
    /// Run checks that failed again, so many times at most. One that agrees then counts as agreeing, and the report names
    /// it: something is not reliable.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub retries: u32,
    /// Show no progress.
    #[arg(long)]
    pub no_progress: bool,
    /// Resume a run that was cut short: the checks in these records are not run again. Without --json, the file itself
    /// is completed.
    #[arg(long, value_name = "RECORDS")]
    pub resume: Option<PathBuf>,
    /// Which checks the file of --json holds: all, or failures and totals of the rest, which is a small part of the size. Such
    /// a file cannot be resumed.
    #[arg(long, value_enum, default_value_t = RecordsArg::All, requires = "json", conflicts_with_all = ["shard", "caselist"])]
    pub records: RecordsArg,
    /// Give every check shaders of its own, compiled with the driver's own settings. Otherwise checks share modules on
    /// Vulkan devices and lavapipe compiles fast rather than well; one probe of every kind of access, and what fails, goes
    /// without all the same, and records say which.
    #[arg(long)]
    pub no_fuse: bool,
    /// Number of this run among others: which probes have shaders of their own, compiled with the driver's own settings, and
    /// which driver runs a compiler's module where no compiler is named. Of a kind of access another probe has its turn in each
    /// run.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub rotation: u64,
    /// Where reports go.
    #[command(flatten)]
    pub outputs: OutputArgs,
    /// Plant a misreading in the model device, to see the verdict name the device.
    #[arg(long, value_name = "NAME")]
    pub plant_misreading: Option<String>,
    /// Plant a fault in worker processes, to see the run survive it: crash, hang, garbage (every byte of an answer is wrong),
    /// oom or print, in all jobs of the cases that a filter matches (crash@arrays/), in every Nth job of each
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

impl RunArgs {
    /// The arguments of a plain `layoutproof run`.
    pub(crate) fn of_plain_run() -> Self {
        let command = Self::augment_args(clap::Command::new("run"));
        Self::from_arg_matches(&command.get_matches_from(["run"])).expect("a run needs no arguments")
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("the limit must be more than 0 seconds".to_owned()) } else { Ok(duration) }
}
