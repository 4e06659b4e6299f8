//! The arguments of `layoutproof run`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{anyhow, bail};
use clap::{Args, FromArgMatches, ValueEnum};
use layoutproof_device::RunnerKind;
use layoutproof_events::RecordsFilter;
use layoutproof_executor::fault::Fault;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::inputs::InputWord;
use layoutproof_model::{BINDING_MISREADINGS, MISREADINGS};
use layoutproof_probes::{AddressSpace, Form};
use layoutproof_readers::toolchain::translators;
use layoutproof_show::front_ends::FrontEnd;

use super::{CacheArgs, OutputArgs, OwnArgs, PartArgs, PlacementArgs};

/// What the records file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RecordsArg {
    /// Every check; of checks that agree only the counts.
    Outcomes,
    /// Every check with all numbers.
    Full,
    /// What differs, is stale, broken, or skipped for a reason of this machine or of a compiler.
    ///
    /// Known differences and checks that agreed only when they were run again are also written.
    Failures,
}

impl RecordsArg {
    pub fn filter(self) -> RecordsFilter {
        match self {
            Self::Outcomes => RecordsFilter::Outcomes,
            Self::Full => RecordsFilter::Full,
            Self::Failures => RecordsFilter::Failures,
        }
    }
}

/// `layoutproof run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that the user types or leaves out")]
pub struct RunArgs {
    /// Shader files, or cases by id. Default: all cases.
    ///
    /// A part of an id, or a pattern with * and ?, selects every case that matches.
    #[arg(value_name = "FILTER|FILE")]
    pub inputs: Vec<String>,
    /// For experts: only these rule sets.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", long_help = format!(
        "For experts: only these rule sets.\n\n\
         Files that say their own offsets ({}) are checked under `declared`.",
        FrontEnd::suffixes_with_offsets().join(", "),
    ))]
    pub rules: Vec<String>,
    /// Check files under every bare rule set.
    ///
    /// With shaders of our own. By default, files are checked by the compilers and for the targets that programs
    /// in their language ship for, as `show` displays them.
    #[arg(long, conflicts_with_all = ["rules", "target"])]
    pub all: bool,
    /// Only shaders of these compilers: `dxc`, `dxc=PATH`, `all`, ...
    ///
    /// A build of one is `dxc=PATH`; `all` means every one that was found; `rspirv` and `naga` are built in;
    /// `dxc-spirv-dx` is a compiler with its target and options. By default, a run of all cases uses all of them
    /// and runs each compiled shader on one driver.
    #[arg(long = "compiler", alias = "producer", value_delimiter = ',', value_name = "NAME[=PATH],...")]
    pub producer: Vec<String>,
    /// Translate our SPIR-V with these translators: `spirv-cross`, `naga:wgsl`, ...
    ///
    /// The offsets that the case or file declares are expected; the translated shader says where its code reads. A name is
    /// a translator with its output or option, or a program for all of them: naga, spirv-cross, spirv-opt; slangc and tint
    /// translate the declarations themselves. A file of HLSL or Slang has the offsets of its compilers for Vulkan.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", conflicts_with_all = ["producer", "no_compiler"])]
    pub through: Vec<String>,
    /// Translate our SPIR-V with every translator that was found.
    #[arg(long, conflicts_with_all = ["through", "producer", "no_compiler"])]
    pub every_translator: bool,
    /// Also read parameters where the compilers of the targets bind them.
    ///
    /// Options about bindings imply it.
    #[arg(long, requires = "target")]
    pub bindings: bool,
    /// Use no compiler: `rspirv` and `naga` alone make shaders.
    #[arg(long, conflicts_with = "producer")]
    pub no_compiler: bool,
    /// Run compiled shaders on every driver that takes them, and use `lavapipe-current`.
    ///
    /// Without it, they run on one driver each if no compiler is named, and the lavapipe that is newer than the
    /// distribution's takes part only where --device names it.
    #[arg(long)]
    pub every_device: bool,
    /// Keep sources and compiled shaders below this folder.
    ///
    /// Compilers are then asked, whatever is cached.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Time limit in seconds of a compiler for one source.
    ///
    /// A compiler that takes longer is ended, and its check is broken.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub compile_limit: u64,
    /// The cache of answers.
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Only these devices.
    #[arg(long, value_delimiter = ',', value_name = "ID,...")]
    pub device: Vec<String>,
    /// Only through these APIs; `dxil` is our evaluator of D3D12's code, `model` our model of a device.
    #[arg(long = "api", alias = "runner", value_delimiter = ',', value_name = RunnerKind::NAMES)]
    pub runner: Vec<String>,
    /// Only these forms of access.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", long_help = format!(
        "Only these forms of access.\n\nForms: {}.", Form::ALL.map(Form::as_str).join(", "),
    ))]
    pub form: Vec<String>,
    /// Probe every block in these address spaces only, or in `all`.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", long_help = format!(
        "Probe every block in these address spaces only, or in `all`.\n\n\
         Spaces: {}. By default, a block of a file is probed in the space that its declaration is for, a case in the \
         first three, and a core of the cases in the next three as well. Only a declared shader record is probed in \
         a shader record.",
        AddressSpace::ALL.map(AddressSpace::as_str).join(", "),
    ))]
    pub space: Vec<String>,
    /// Probe every element of every array.
    ///
    /// And with naga every member of blocks of more than 512 leaves. By default, the first, second, middle and
    /// last element of each dimension are probed, and of such blocks members at even distances; the others are
    /// counted.
    #[arg(long)]
    pub every_element: bool,
    /// Probe every block in these shader stages only.
    ///
    /// By default, only a core of the checks draws.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "compute,vertex,fragment,raygeneration,callable,miss,closesthit,anyhit,intersection"
    )]
    pub stage: Vec<String>,
    /// Which part of the run.
    #[command(flatten)]
    pub part: PartArgs,
    /// Fail with exit code 3 unless this device or compiler takes part.
    #[arg(long, value_name = "NAME")]
    pub require: Vec<String>,
    /// Fail with exit code 3 if a check is skipped for such a reason.
    ///
    /// The reason contains this text; "" forbids every skip.
    #[arg(long, value_name = "TEXT")]
    pub forbid_skip: Option<String>,
    /// More known differences: a list, or a folder of lists.
    ///
    /// They are added to the built-in ones.
    #[arg(long, value_name = "PATH")]
    pub known: Vec<PathBuf>,
    /// Leave the built-in known differences out.
    #[arg(long)]
    pub no_known: bool,
    /// Fewest leaves that each device must answer for.
    ///
    /// The numbers of several files add up.
    #[arg(long, value_name = "FILE")]
    pub floors: Vec<PathBuf>,
    /// Time limit in seconds of one job on a device. Default: 60.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<Duration>,
    /// Number of threads. Default: one for each processor.
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Stop at the first check that differs or breaks.
    ///
    /// A known difference does not count.
    #[arg(long, conflicts_with = "retries")]
    pub fail_fast: bool,
    /// Accept up to N faults that a repeated job did not have.
    ///
    /// If a driver or compiler dies, loses the device or gives no answer, the job is repeated. The run fails with
    /// more such faults than N, although the repeated jobs answered. An answer that changes on repeat always
    /// fails the run.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub allow_restarts: u32,
    /// Rerun failed checks up to N times.
    ///
    /// A check that then agrees counts as agreeing, but the run fails if its answer changed, or if it had more
    /// faults than --allow-restarts accepts.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub retries: u32,
    /// Show no progress.
    #[arg(long)]
    pub no_progress: bool,
    /// Print progress at least every SECONDS seconds.
    ///
    /// Applies if no bar is drawn. Default: 30 for cases, 1.5 for files.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "no_progress")]
    pub progress: Option<Duration>,
    /// Resume a run that was cut short, from its records.
    ///
    /// Checks in these records are not run again. Without --json, the file itself is completed.
    #[arg(long, value_name = "RECORDS")]
    pub resume: Option<PathBuf>,
    /// What the file of --json holds. Default: `outcomes` for cases, `full` for files.
    ///
    /// With `outcomes`, checks that agree have no numbers, and the file is a tenth as large. With `failures`, it has totals
    /// for them; such a file cannot be resumed. A run that is resumed goes on in the form of its records.
    #[arg(long, value_enum)]
    pub records: Option<RecordsArg>,
    /// A name for this machine in the records, by which `runs` and `compare` tell it from others.
    ///
    /// Two machines with the same GPU and driver have one history otherwise. Records hold no name that is not given here.
    #[arg(long, value_name = "NAME")]
    pub machine: Option<String>,
    /// Give every check its own shader modules.
    ///
    /// They are compiled with the driver's own settings. Otherwise, checks share modules on Vulkan devices, and
    /// lavapipe compiles fast rather than well; one probe of every kind of access, and whatever fails, runs
    /// unshared in any case, and records say which.
    #[arg(long)]
    pub no_fuse: bool,
    /// Number of this run among others.
    ///
    /// It decides which probes run unshared, and which driver runs a compiled shader if no compiler is named,
    /// so that every probe and driver has its turn.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub rotation: u64,
    /// How a user's own module is executed.
    #[command(flatten)]
    pub own: OwnArgs,
    /// Where reports go.
    #[command(flatten)]
    pub outputs: OutputArgs,
    /// Plant a misreading in the model device.
    #[arg(long, value_name = "NAME,...", long_help = format!(
        "Plant a misreading in the model device.\n\nTo see the verdict name the device. Misreadings: {}.",
        MISREADINGS.iter().chain(BINDING_MISREADINGS).map(|misreading| misreading.name).collect::<Vec<_>>().join(", "),
    ))]
    pub plant_misreading: Option<String>,
    /// Plant a fault in worker processes, to see the run survive it.
    ///
    /// The fault is crash, hang, garbage (every byte of an answer is wrong), oom or print, in all jobs of the
    /// cases that a filter matches (crash@arrays/), in every Nth job of each worker (hang#7), or where the
    /// devices of an API are listed (crash:ash). The model then runs in a worker, too.
    #[arg(long, value_name = "FAULT", conflicts_with = "plant_misreading")]
    pub plant_fault: Option<Fault>,
    /// Generate shaders under this rule set instead.
    ///
    /// Instead of the rule set that is checked, to see the verdict name the module.
    #[arg(long, value_name = "NAME,...")]
    pub plant_rules: Option<String>,
    /// How the declaration is read.
    #[command(flatten)]
    pub declare: DeclareArgs,
    /// Targets: whose layouts and bindings are checked.
    #[command(flatten)]
    pub placement: PlacementArgs,
}

impl RunArgs {
    /// The names of the translators that make the run's shaders; empty if compilers and generators make them.
    pub(crate) fn translators(&self) -> Vec<String> {
        let all = || translators().iter().map(|translator| translator.name.to_owned());
        if self.every_translator { all().collect() } else { self.through.clone() }
    }

    /// True if a word names a user's shader file.
    pub(crate) fn names_files(&self) -> bool {
        self.inputs.iter().any(|word| matches!(InputWord::of(word, self.declare.lang), InputWord::Shader(_)))
    }

    /// What the records file holds. A file's records have every number, because they say where its members are.
    pub(crate) fn records_filter(&self) -> RecordsFilter {
        match self.records {
            Some(records) => records.filter(),
            None if self.names_files() => RecordsFilter::Full,
            None => RecordsFilter::Outcomes,
        }
    }

    /// The arguments of a plain `layoutproof run`.
    pub(crate) fn of_plain_run() -> Self {
        let command = Self::augment_args(clap::Command::new("run"));
        Self::from_arg_matches(&command.get_matches_from(["run"])).expect("a run needs no arguments")
    }
}

fn seconds(text: &str) -> anyhow::Result<Duration> {
    let seconds: f64 = text.parse().map_err(|_| anyhow!("`{text}` is not a number of seconds"))?;
    let duration = Duration::try_from_secs_f64(seconds)?;
    if duration.is_zero() {
        bail!("the limit must be more than 0 seconds");
    }
    Ok(duration)
}
