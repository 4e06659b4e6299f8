//! The settings of workers: program, drivers, planted faults, time limits.
//!
//! Commands build a [`Launch`] from their arguments; [`crate::pool`], [`crate::worker`] and
//! [`crate::device_listing`] read it.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use layoutproof_compilers::cache::AnswerCache;
use layoutproof_compilers::private_root::PrivateRoot;
use layoutproof_compilers::tools_folder::{ToolsFolder, Untrusted};
use layoutproof_device::devices::{CURRENT_LAVAPIPE, VISITOR};
use layoutproof_device::{DeviceInfo, JOB_LIMIT};
use layoutproof_model::Misreading;
use layoutproof_webgpu::{VISITOR_LIMIT, page_address};

use crate::current_lavapipe::CurrentLavapipe;
use crate::drivers::{FetchedDrivers, Setting};
use crate::fault::Fault;
use crate::interrupt::Interrupt;
use crate::spare_workers::SpareWorkers;
use crate::tools::MachineTools;
use crate::watch::{SilentWatcher, Watcher};

/// The least time that a worker may take to open a device or to list all devices.
const OPEN_LIMIT: Duration = Duration::from_secs(60);

/// The settings and time limits of workers.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The `layoutproof` command, which is also the worker program.
    pub program: PathBuf,
    /// Variables to set in every worker's environment.
    pub settings: Vec<Setting>,
    /// The drivers that a worker finds in addition to those of the system.
    pub drivers: FetchedDrivers,
    /// The fetched vkd3d, if workers load it.
    pub vkd3d: Option<PrivateRoot>,
    /// A sentence for the user about vkd3d: who can change it, or why it is not loaded.
    pub vkd3d_note: Option<String>,
    /// The fetched lavapipe that is newer than the distribution's, if its device takes part.
    pub lavapipe: Option<CurrentLavapipe>,
    /// The library of Dawn for Node, if it was fetched.
    pub dawn: Option<PathBuf>,
    /// The browsers that the run names, by their ids. A browser takes seconds to start.
    pub browsers: String,
    /// The address of the page for a browser that the user opens, if the run names it.
    pub page: Option<String>,
    /// The misreading planted in the model device.
    pub misreading: Option<Misreading>,
    /// The fault planted in workers. With a fault, the model runs in workers, too.
    pub fault: Option<Fault>,
    pub job_limit: Duration,
    /// Number of threads that hand out jobs; `None` for one per processor.
    pub threads: Option<NonZeroUsize>,
    /// Set once the user has interrupted the run.
    pub interrupt: Interrupt,
    /// Receives the progress.
    pub watcher: Arc<dyn Watcher>,
    /// Keeps idle workers for the next pool; `None` if each pool starts its own workers.
    pub spare_workers: Option<Arc<SpareWorkers>>,
    /// Answers of earlier runs, for which spirv-val does not run again; `None` to run it for every
    /// module.
    pub cache: Option<Arc<AnswerCache>>,
}

/// The library of Dawn for Node, which the set-up fetches for Tint.
const DAWN: &str = "tools/tint/dawn.node";

fn fetched_dawn(tools: &ToolsFolder) -> Result<Option<PathBuf>, Untrusted> {
    let library = tools.path().join(DAWN);
    if !library.is_file() {
        return Ok(None);
    }
    tools.inspect(DAWN)?;
    Ok(Some(library))
}

impl Launch {
    /// Workers of this command, without planted faults.
    ///
    /// # Errors
    /// A variable names the folder of fetched drivers by a relative path.
    pub fn of(program: PathBuf) -> anyhow::Result<Self> {
        Ok(Self::with_tools(program, &MachineTools::find()?))
    }

    fn with_tools(program: PathBuf, tools: &MachineTools) -> Self {
        let mut drivers = FetchedDrivers::find(tools);

        let (vkd3d, vkd3d_note) =
            match tools.folder().map_or(Ok(None), |tools| PrivateRoot::find(tools, PrivateRoot::VKD3D)) {
                Ok(vkd3d) => {
                    let warning = vkd3d.as_ref().and_then(|vkd3d| vkd3d.warning.clone());
                    (vkd3d, warning)
                }
                Err(untrusted) => (None, Some(untrusted.to_string())),
            };

        let dawn = match tools.folder().map_or(Ok(None), fetched_dawn) {
            Ok(dawn) => dawn,
            Err(untrusted) => {
                drivers.note(Some(untrusted.to_string()));
                None
            }
        };

        Self { program, drivers, vkd3d, vkd3d_note, dawn, ..Self::without_workers() }
    }

    /// Workers for a run that needs the devices with these ids. The lavapipe that is newer than the
    /// distribution's takes part only if it is one of them or the run `takes_all` devices, because it
    /// adds as much to a run as the other lavapipe.
    ///
    /// # Errors
    /// A variable names the folder of fetched drivers by a relative path.
    pub fn for_run(program: PathBuf, named: &[String], takes_all: bool) -> anyhow::Result<Self> {
        let tools = MachineTools::find()?;
        let mut launch = Self::with_tools(program, &tools);
        launch.browsers = named.join(",");
        if !takes_all && !named.iter().any(|id| id == CURRENT_LAVAPIPE) {
            return Ok(launch);
        }
        match CurrentLavapipe::find(&tools) {
            Ok(lavapipe) => {
                let warning = lavapipe.as_ref().and_then(|lavapipe| lavapipe.warning().map(str::to_owned));
                launch.drivers.note(warning);
                launch.lavapipe = lavapipe;
            }
            Err(untrusted) => launch.drivers.note(Some(untrusted.to_string())),
        }
        Ok(launch)
    }

    /// An address for the page of a browser that the user opens, if one of the named devices is in it.
    ///
    /// # Errors
    /// No port is free.
    pub fn page_for(named: &[String]) -> anyhow::Result<Option<String>> {
        let is_named = named.iter().any(|id| id.starts_with(VISITOR));
        is_named
            .then(page_address)
            .transpose()
            .context("no port of the loopback address is free for the browser's page")
    }

    /// The lavapipe that workers of this device load, if it is not one of the system's drivers.
    pub(crate) fn lavapipe_of(&self, device: &DeviceInfo) -> Option<&CurrentLavapipe> {
        self.lavapipe.as_ref().filter(|_| device.id == CURRENT_LAVAPIPE)
    }

    /// Time limit for a worker to open a device or to list all. It grows with the job limit, since
    /// a slow machine or driver is slow here, too.
    pub fn open_limit(&self) -> Duration {
        let user = self.page.as_ref().map(|_| VISITOR_LIMIT + OPEN_LIMIT);
        OPEN_LIMIT.max(self.job_limit).max(user.unwrap_or_default())
    }

    /// Number of threads that hand out jobs. A page has one worker.
    pub(crate) fn thread_count(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        if self.page.is_some() { 1 } else { self.threads.map_or_else(processors, usize::from) }
    }

    /// A launch for work that needs no device and starts no worker.
    pub fn without_workers() -> Self {
        Self {
            program: PathBuf::new(),
            settings: Vec::new(),
            drivers: FetchedDrivers::default(),
            vkd3d: None,
            vkd3d_note: None,
            dawn: None,
            browsers: String::new(),
            page: None,
            lavapipe: None,
            misreading: None,
            fault: None,
            job_limit: JOB_LIMIT,
            threads: None,
            interrupt: Interrupt::default(),
            watcher: Arc::new(SilentWatcher),
            spare_workers: None,
            cache: None,
        }
    }
}
