//! The arguments of `layoutproof report`.
//!
//! They are not next to the command because the command line uses them, and the command reads
//! records, which repeat the command line.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use layoutproof_inputs::declare::DeclareArgs;

use crate::args::{OutputArgs, ReportFiles, RunArgs};
use crate::command_line::Command;

/// `layoutproof report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Records of `run --json`: of one run or of several.
    #[arg(required_unless_present = "site", value_name = "RECORDS")]
    pub files: Vec<PathBuf>,
    /// Fewest leaves that each device must answer for.
    ///
    /// In all runs together. The numbers of several files add up.
    #[arg(long, value_name = "FILE")]
    pub floors: Vec<PathBuf>,
    /// Write the checks that the devices got wrong, and totals of all others.
    ///
    /// A small file without shaders and environment variables, as in `ci/devices` of the repository. A name that
    /// ends in `.zst` is compressed.
    #[arg(long, value_name = "FILE")]
    pub device_results: Option<PathBuf>,
    /// Print one group of failures instead.
    ///
    /// The first failure in full, and every other with the same cause. Reports number the groups from 1.
    #[arg(long, value_name = "N")]
    pub group: Option<usize>,
    /// Write pages for a web server to this folder instead.
    ///
    /// Rule sets, surprises, compiler bugs, cases, and the records if there are some. The folder is made if it
    /// is not there, and must be empty.
    #[arg(long, value_name = "DIR", conflicts_with_all = ReportFiles::options_with(&["floors", "group", "device_results", "save_known"]))]
    pub site: Option<PathBuf>,
    /// Add the explorer that `ci/explorer` wrote to this folder.
    #[arg(long, value_name = "DIR", requires = "site")]
    pub explorer: Option<PathBuf>,
    /// Make this check again, and write what shows it to a folder.
    ///
    /// Its shader, its buffers and the command to repeat it. A failure names its check.
    #[arg(long, value_name = "CHECK", conflicts_with_all = ["group", "floors", "site"])]
    pub repro: Option<String>,
    /// The folder for --repro.
    ///
    /// It is made if it is not there, and must be empty.
    #[arg(long, value_name = "DIR", requires = "repro", default_value = "repro")]
    pub out: PathBuf,
    #[command(flatten)]
    pub typed: RecordedArgs,
    #[command(flatten)]
    pub outputs: OutputArgs,
}

/// What `--repro` and `--floors` need of the recorded command and do not take from a records file: programs and paths.
#[derive(Debug, Args)]
pub struct RecordedArgs {
    /// For --repro: the --compiler of the recorded run, if it was a build.
    #[arg(long = "compiler", requires = "repro", value_delimiter = ',', value_name = "NAME[=PATH],...")]
    pub producer: Vec<String>,
    /// For --repro and --floors: the --args of the recorded run.
    #[arg(long, value_name = "ARGUMENTS", allow_hyphen_values = true)]
    pub args: Option<String>,
    /// For --repro and --floors: the folders of included files of the recorded run.
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include: Vec<String>,
    /// For --repro and --floors: the --cases of the recorded run.
    #[arg(long, value_name = "PATH")]
    pub cases: Vec<PathBuf>,
    /// For --repro and --floors: the --known of the recorded run.
    #[arg(long, value_name = "PATH")]
    pub known: Vec<PathBuf>,
}

impl RecordedArgs {
    /// Completes the selection of a recorded run.
    pub(crate) fn complete(&self, selected: RunArgs) -> anyhow::Result<RunArgs> {
        let Self { args, include, cases, known, .. } = self;
        let (args, include, cases) = (args.clone(), include.clone(), cases.clone());
        let declare = DeclareArgs { args, include, cases, ..selected.declare };
        let mut command = Command::Run(Box::new(RunArgs { known: known.clone(), declare, ..selected }));
        command.complete_columns()?;
        match command {
            Command::Run(args) => Ok(*args),
            _ => bail!("the records come from another command"),
        }
    }
}
