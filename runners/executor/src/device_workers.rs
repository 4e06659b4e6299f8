//! The workers of one thread: one process per device, which runs its jobs one after the other.
//!
//! A job that kills or hangs its worker is rerun alone in a fresh worker. Only if that worker dies
//! too does the job end with an error. All other jobs still run, until a check or a device exhausts
//! its patience (the constants below). Every such trouble is a [`Fault`] of the check, also if the rerun
//! answers.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use layoutproof_device::{Batch, DeviceInfo, Job, Provider, ReadBack, Runner, RunnerError, RunnerKind};
use layoutproof_events::{Fault, FaultCause};
use layoutproof_model::Model;

use crate::device_apis;
use crate::drivers::DriverCompilation;
use crate::fault::WorkerFault;
use crate::launch::Launch;
use crate::protocol::{WorkerAnswer, WorkerRequest, out_of_turn};
use crate::sign_of_life;
use crate::worker::{Worker, WorkerDeath};

pub(crate) type JobResult = Result<ReadBack, RunnerError>;

/// The answers to the jobs of a check, and the faults on the way.
#[derive(Debug, Default)]
pub(crate) struct JobAnswers {
    /// One per job.
    pub(crate) results: Vec<JobResult>,
    pub(crate) faults: Vec<Fault>,
}

/// The answers to jobs that cover several checks.
#[derive(Debug)]
pub(crate) enum SharedAnswers {
    Whole(Vec<ReadBack>),
    /// A job failed. Without a fault, it was not run.
    Failed(Option<FaultCause>),
}

/// The reason why a worker answered no further job.
#[derive(Debug)]
struct Trouble {
    error: RunnerError,
    /// `None` if the user ended the run.
    fault: Option<FaultCause>,
}

impl From<WorkerDeath> for Trouble {
    fn from(death: WorkerDeath) -> Self {
        Self { fault: death.fault(), error: death.error() }
    }
}

impl From<RunnerError> for Trouble {
    fn from(error: RunnerError) -> Self {
        Self { fault: Some(fault_of(&error)), error }
    }
}

/// The fault that an error of the driver is.
fn fault_of(error: &RunnerError) -> FaultCause {
    let message = error.to_string();
    match error {
        RunnerError::DeviceLost(_) => FaultCause::DeviceLost { message },
        RunnerError::Timeout(_) => FaultCause::TimedOut { message },
        RunnerError::Api { .. }
        | RunnerError::ShaderRefused(_)
        | RunnerError::Unsupported(_)
        | RunnerError::NotRun(_) => FaultCause::CallFailed { message },
    }
}

/// After this many jobs that each ended a fresh worker, a check is broken: its other jobs would
/// show nothing new.
const CHECK_PATIENCE: u32 = 3;
/// After this many cases in a row with a job that ended a fresh worker, the device has to prove
/// that it is alive.
const DEVICE_PATIENCE: u32 = 6;
/// After this many failed attempts in a row to open a device, it counts as lost for the run.
const OPEN_PATIENCE: u32 = 4;

/// Workers by device. Each runs one job at a time.
#[derive(Debug)]
pub(crate) struct DeviceWorkers<'a> {
    open: HashMap<WorkerKey, Worker>,
    /// Workers that died here. Each is replaced by a fresh process, not by a spare one.
    troubled: HashSet<WorkerKey>,
    health: HashMap<DeviceKey, Health>,
    /// The driver settings for the present jobs.
    compilation: DriverCompilation,
    pub(crate) launch: &'a Launch,
}

impl Drop for DeviceWorkers<'_> {
    /// Leaves the workers to the next pool, or kills all of them before it waits for any.
    fn drop(&mut self) {
        match self.launch.spare_workers.as_ref().filter(|_| !std::thread::panicking()) {
            Some(spare) => self.open.drain().for_each(|(key, worker)| spare.give(key, worker)),
            None => self.open.values_mut().for_each(Worker::kill),
        }
    }
}

/// A device through one API.
pub(crate) type DeviceKey = (String, RunnerKind);

pub(crate) type WorkerKey = (DeviceKey, DriverCompilation);

/// The failures of one device.
#[derive(Debug, Default)]
struct Health {
    /// Number of cases in a row with a job that ended a fresh worker.
    fatal_cases: u32,
    /// The last of these cases.
    last_case: String,
    /// True once the device gives no sign of life.
    lost: bool,
    /// Number of failed attempts in a row to open the device.
    failed_opens: u32,
    /// The error of the last failure.
    last: Option<RunnerError>,
}

impl Health {
    fn blame(&mut self, case: &str, error: &RunnerError) {
        if self.fatal_cases == 0 || self.last_case != case {
            self.fatal_cases += 1;
            case.clone_into(&mut self.last_case);
        }
        self.last = Some(error.clone());
    }
}

impl<'a> DeviceWorkers<'a> {
    /// Starts no worker; a worker starts with its first job.
    pub(crate) fn new(launch: &'a Launch) -> Self {
        let compilation = DriverCompilation::Own;
        Self { open: HashMap::new(), troubled: HashSet::new(), health: HashMap::new(), compilation, launch }
    }

    /// Runs jobs of a case on a device; one result per job. `fatal_jobs` counts the jobs of the
    /// whole check that each ended a fresh worker.
    pub(crate) fn run(
        &mut self,
        device: &DeviceInfo,
        case: &str,
        compilation: DriverCompilation,
        jobs: &[Job],
        fatal_jobs: &AtomicU32,
    ) -> JobAnswers {
        if jobs.is_empty() {
            return JobAnswers::default();
        }
        let without_faults = |results| JobAnswers { results, faults: Vec::new() };
        self.compilation = compilation;

        self.launch.watcher.at(&format!("{}/{}  {case}", device.id, device.runner.as_str()));
        match (device.runner.provider(), &self.launch.fault) {
            (Provider::Model, None) => {
                let mut model = self.launch.misreading.map_or_else(Model::new, Model::with_misreading);
                without_faults(model.run(&Batch { jobs: jobs.to_vec() }))
            }
            (Provider::Evaluator, _) => {
                without_faults(match device_apis::of(device.runner).open(device, self.launch.job_limit) {
                    Ok(mut evaluator) => evaluator.run(&Batch { jobs: jobs.to_vec() }),
                    Err(error) => vec![Err(error); jobs.len()],
                })
            }
            (Provider::Driver | Provider::Model, fault) => {
                let planted = fault.as_ref().and_then(|fault| fault.planted(case));
                // The model reads no registers of Direct3D, so its devices get the planted misreading.
                let misreading = self.launch.misreading.filter(|_| device.direct3d.is_some());
                let rewired = misreading.map(|it| jobs.iter().map(|job| it.rewired(job)).collect::<Vec<_>>());
                self.run_in_workers(device, case, rewired.as_deref().unwrap_or(jobs), planted, fatal_jobs)
            }
        }
    }

    /// Runs jobs that each cover all these cases. If one of them fails, the failure does not show which
    /// case is at fault, so the caller has to run each case by itself.
    pub(crate) fn run_for_all(
        &mut self,
        device: &DeviceInfo,
        cases: &[&str],
        compilation: DriverCompilation,
        jobs: &[Job],
    ) -> SharedAnswers {
        self.compilation = compilation;
        let mut fault = None;
        if self.hopeless(device, 0, &mut fault).is_some() {
            return SharedAnswers::Failed(fault);
        }
        let planted = self.launch.fault.as_ref().and_then(|fault| cases.iter().find_map(|case| fault.planted(case)));
        let mut results = Vec::new();
        if let Some(trouble) = self.run_until_trouble(device, jobs, planted, &mut results) {
            return SharedAnswers::Failed(trouble.fault);
        }
        match results.into_iter().collect::<Result<Vec<_>, _>>() {
            Ok(answers) => SharedAnswers::Whole(answers),
            Err(error) => SharedAnswers::Failed(Some(fault_of(&error))),
        }
    }

    fn run_in_workers(
        &mut self,
        device: &DeviceInfo,
        case: &str,
        jobs: &[Job],
        planted: Option<WorkerFault>,
        fatal_jobs: &AtomicU32,
    ) -> JobAnswers {
        let mut results = Vec::with_capacity(jobs.len());
        let mut faults = Vec::new();
        while results.len() < jobs.len() {
            let mut fault = None;
            if let Some(error) = self.hopeless(device, fatal_jobs.load(Ordering::Relaxed), &mut fault) {
                faults.extend(fault.map(|cause| Fault { cause, absorbed: false }));
                results.resize(jobs.len(), Err(error));
                break;
            }
            let Some(first) = self.run_until_trouble(device, &jobs[results.len()..], planted, &mut results) else {
                break;
            };

            // Alone in a fresh worker, since the jobs before it may be to blame.
            let suspect = results.len()..=results.len();
            let again = self.run_until_trouble(device, &jobs[suspect], planted, &mut results);
            let absorbed = again.is_none();
            faults.extend(first.fault.map(|cause| Fault { cause, absorbed }));
            if let Some(Trouble { error, fault }) = again {
                faults.extend(fault.map(|cause| Fault { cause, absorbed }));
                self.health.entry(key_of(device)).or_default().blame(case, &error);
                fatal_jobs.fetch_add(1, Ordering::Relaxed);
                results.push(Err(error));
            }
        }
        JobAnswers { results, faults }
    }

    /// Returns the reason not to run another job on the device, if there is one. `fatal_jobs`
    /// counts the check's jobs that each ended a fresh worker. `fault` is that of a device that gives no sign of life.
    fn hopeless(
        &mut self,
        device: &DeviceInfo,
        fatal_jobs: u32,
        fault: &mut Option<FaultCause>,
    ) -> Option<RunnerError> {
        if self.launch.interrupt.is_set() {
            return Some(WorkerDeath::Interrupted.error());
        }
        let not_run = |reason: String| Some(RunnerError::NotRun(reason));
        let health = self.health.entry(key_of(device)).or_default();
        if let Some(last) = health.last.clone().filter(|_| health.failed_opens >= OPEN_PATIENCE) {
            return Some(last);
        }

        if health.fatal_cases >= DEVICE_PATIENCE && !health.lost {
            let planted = self.launch.fault.as_ref().and_then(|fault| fault.planted("no case"));
            let sign = [sign_of_life::job(device.runner)];
            let lost = self.run_until_trouble(device, &sign, planted, &mut Vec::new());
            self.health.entry(key_of(device)).or_default().lost = lost.is_some();
            *fault = lost.and_then(|trouble| trouble.fault);
        }
        let health = self.health.entry(key_of(device)).or_default();
        if let Some(last) = health.last.as_ref().filter(|_| health.lost) {
            return not_run(format!("the device no longer responds; the last error: {last}"));
        }

        if fatal_jobs >= CHECK_PATIENCE {
            return not_run(format!("{CHECK_PATIENCE} earlier jobs of the check have each ended a fresh worker"));
        }
        None
    }

    fn run_until_trouble(
        &mut self,
        device: &DeviceInfo,
        jobs: &[Job],
        planted: Option<WorkerFault>,
        results: &mut Vec<JobResult>,
    ) -> Option<Trouble> {
        let before = results.len();
        let limit = self.launch.job_limit;
        let trouble = match self.worker(device) {
            Ok(worker) => answers(worker, jobs, planted, limit, results).err(),
            Err(trouble) => Some(trouble),
        };

        if results.len() > before {
            self.health.entry(key_of(device)).or_default().fatal_cases = 0;
        }
        if trouble.is_some() {
            let key = (key_of(device), self.compilation);
            self.open.remove(&key);
            self.troubled.insert(key);
        }
        trouble
    }

    fn worker(&mut self, device: &DeviceInfo) -> Result<&mut Worker, Trouble> {
        let key = (key_of(device), self.compilation);
        self.open.retain(|_, worker| !worker.is_worn_out());
        if !self.open.contains_key(&key) {
            let spare = self.launch.spare_workers.as_ref().filter(|_| !self.troubled.contains(&key));
            if let Some(worker) = spare.and_then(|spare| spare.take(&key)).filter(|worker| !worker.is_worn_out()) {
                return Ok(self.open.entry(key).or_insert(worker));
            }

            let health = self.health.entry(key_of(device)).or_default();
            let worker = start(device, self.launch, self.compilation).inspect_err(|trouble| {
                health.failed_opens += 1;
                health.last = Some(trouble.error.clone());
            })?;
            health.failed_opens = 0;
            self.open.insert(key.clone(), worker);
        }
        Ok(self.open.get_mut(&key).expect("the worker was inserted if it was missing"))
    }
}

/// Runs jobs in a worker, and adds the results to `results` as they arrive.
///
/// # Errors
/// The worker ended, or the device is lost, before every job was answered.
fn answers(
    worker: &mut Worker,
    jobs: &[Job],
    planted: Option<WorkerFault>,
    limit: Duration,
    results: &mut Vec<JobResult>,
) -> Result<(), Trouble> {
    worker.ask(&WorkerRequest::Run(Batch { jobs: jobs.to_vec() }, planted))?;

    for _ in jobs {
        match worker.answer(limit)? {
            WorkerAnswer::Job(Err(error @ (RunnerError::DeviceLost(_) | RunnerError::Timeout(_)))) => {
                return Err(error.into());
            }
            WorkerAnswer::Job(result) => results.push(result),
            WorkerAnswer::Devices(_) | WorkerAnswer::Opened(_) => return Err(out_of_turn().into()),
        }
    }
    Ok(())
}

fn key_of(device: &DeviceInfo) -> DeviceKey {
    (device.id.clone(), device.runner)
}

/// # Errors
/// The device cannot be opened. A worker that dies or hangs here had this fault, not a device that is not opened.
fn start(device: &DeviceInfo, launch: &Launch, compilation: DriverCompilation) -> Result<Worker, Trouble> {
    let not_opened =
        |error: RunnerError| Trouble { fault: Some(FaultCause::NotOpened { message: error.to_string() }), error };
    let failed = |reason: std::io::Error| RunnerError::Api { call: "worker".to_owned(), reason: reason.to_string() };
    let mut worker = Worker::start(launch, device.runner, launch.lavapipe_of(device), &compilation.settings())
        .map_err(|error| not_opened(failed(error)))?;
    let answer =
        worker.ask_and_wait(&WorkerRequest::Open(Box::new(device.clone()), launch.job_limit), launch.open_limit());
    match answer? {
        WorkerAnswer::Opened(opened) => opened.map(|()| worker).map_err(not_opened),
        WorkerAnswer::Devices(_) | WorkerAnswer::Job(_) => Err(out_of_turn().into()),
    }
}
