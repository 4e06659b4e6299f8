//! The settings with which workers are started: program, drivers, planted faults, time limits.
//!
//! Commands make a [`Launch`] of their arguments; [`crate::pool`], [`crate::worker`] and [`crate::device_listing`] read it.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use layoutproof_compilers::cache::AnswerCache;
use layoutproof_compilers::vkd3d::FetchedVkd3d;
use layoutproof_core::model::Misreading;
use layoutproof_device::JOB_LIMIT;

use crate::drivers::{FetchedDrivers, Setting};
use crate::fault::Fault;
use crate::interrupt::Interrupt;
use crate::spare_workers::SpareWorkers;
use crate::tools::MachineTools;
use crate::watch::{SilentWatcher, Watcher};

/// How long a worker may take at least to open a device or to list all.
const OPEN_LIMIT: Duration = Duration::from_secs(60);

/// How workers are started, and how long they may take.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The `layoutproof` command, which is also the worker.
    pub program: PathBuf,
    /// Variables that every worker finds in its environment.
    pub settings: Vec<Setting>,
    /// The drivers that it finds beside those of the system.
    pub drivers: FetchedDrivers,
    /// The vkd3d that was fetched, if there is one that is loaded.
    pub vkd3d: Option<FetchedVkd3d>,
    /// A sentence for the user about it: who can change it, or why it is not loaded.
    pub vkd3d_note: Option<String>,
    /// The misreading that is planted in the model device.
    pub misreading: Option<Misreading>,
    /// The fault that is planted in workers; then the model has workers, too.
    pub fault: Option<Fault>,
    /// How long one job may take.
    pub job_limit: Duration,
    /// How many threads hand out jobs; `None` for as many as there are processors.
    pub threads: Option<NonZeroUsize>,
    /// Set once the user has interrupted the run.
    pub interrupt: Interrupt,
    /// Receives the progress.
    pub watcher: Arc<dyn Watcher>,
    /// Keeps workers that have no job for the next pool; `None` where each pool starts workers of its own.
    pub spare_workers: Option<Arc<SpareWorkers>>,
    /// Answers of earlier runs, which spirv-val is not asked for again; `None` where it is asked for all.
    pub cache: Option<Arc<AnswerCache>>,
}

impl Launch {
    /// Workers of this command, with nothing planted.
    ///
    /// # Errors
    /// A variable names the folder of fetched drivers by a path that is not absolute.
    pub fn of(program: PathBuf) -> anyhow::Result<Self> {
        let tools = MachineTools::find()?;
        let drivers = FetchedDrivers::find(&tools);

        let (vkd3d, vkd3d_note) = match tools.folder().map_or(Ok(None), FetchedVkd3d::find) {
            Ok(vkd3d) => {
                let warning = vkd3d.as_ref().and_then(|vkd3d| vkd3d.warning.clone());
                (vkd3d, warning)
            }
            Err(untrusted) => (None, Some(untrusted.to_string())),
        };

        Ok(Self { program, drivers, vkd3d, vkd3d_note, ..Self::without_workers() })
    }

    /// How long a worker may take to open a device or to list all: longer where the user gives every job more time, since
    /// the machine or the driver is as slow then.
    pub fn open_limit(&self) -> Duration {
        OPEN_LIMIT.max(self.job_limit)
    }

    /// For work that needs no device, so that no worker is started.
    pub fn without_workers() -> Self {
        Self {
            program: PathBuf::new(),
            settings: Vec::new(),
            drivers: FetchedDrivers::default(),
            vkd3d: None,
            vkd3d_note: None,
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
