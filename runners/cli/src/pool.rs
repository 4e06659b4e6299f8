//! Work on devices: as many threads as processors, each with worker processes of its own, one per device.
//!
//! A job that kills or hangs its worker is run again alone in a fresh worker, and only if that dies too is the job's
//! result an error. Everything else is run.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::channel;

use layoutproof::dxil::Evaluator;
use layoutproof::model::{Misreading, Model};
use layoutproof::runner::{Batch, DeviceInfo, Job, ReadBack, Runner, RunnerError, RunnerKind};

use crate::drivers::Compilation;
use crate::protocol::{Answer, Request};
use crate::worker::{Death, JOB_LIMIT, Worker};

/// What one job comes to.
pub(crate) type JobResult = Result<ReadBack, RunnerError>;

/// What workers are.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The `layoutproof` command, which is also the worker.
    pub program: PathBuf,
    /// The fault that is planted in the model device.
    pub misreading: Option<Misreading>,
}

/// Gives every task to a thread with workers, and every result to `done` on this thread, as they come.
///
/// Tasks are taken in order, but threads finish as they like.
pub(crate) fn run<T: Send, R: Send>(
    tasks: Vec<T>,
    launch: &Launch,
    work: impl Fn(T, &mut Workers<'_>) -> R + Sync,
    mut done: impl FnMut(R),
) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(tasks.len());
    let queue = Mutex::new(VecDeque::from(tasks));
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, queue, work) = (sender.clone(), &queue, &work);
            scope.spawn(move || {
                let mut workers = Workers { open: HashMap::new(), compilation: Compilation::Own, launch };
                while let Some(task) = queue.lock().ok().and_then(|mut queue| queue.pop_front()) {
                    if sender.send(work(task, &mut workers)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        receiver.iter().for_each(&mut done);
    });
}

/// A thread's workers, by device.
#[derive(Debug)]
pub(crate) struct Workers<'a> {
    open: HashMap<Place, Worker>,
    /// How drivers compile what is run next.
    pub compilation: Compilation,
    launch: &'a Launch,
}

/// A device through one API, with its settings.
type Place = (String, RunnerKind, Compilation);

impl Workers<'_> {
    /// Runs jobs on a device; one result per job.
    pub(crate) fn run(&mut self, device: &DeviceInfo, jobs: &[Job]) -> Vec<JobResult> {
        match device.runner {
            RunnerKind::Model => {
                let mut model = self.launch.misreading.map_or_else(Model::new, Model::with_misreading);
                model.run(&Batch { jobs: jobs.to_vec() })
            }
            RunnerKind::Dxil => Evaluator::new().run(&Batch { jobs: jobs.to_vec() }),
            RunnerKind::Ash | RunnerKind::Wgpu => self.run_in_workers(device, jobs),
        }
    }

    fn run_in_workers(&mut self, device: &DeviceInfo, jobs: &[Job]) -> Vec<JobResult> {
        let mut results = Vec::with_capacity(jobs.len());
        while results.len() < jobs.len() {
            let rest = &jobs[results.len()..];
            if self.run_until_trouble(device, rest, &mut results).is_some() {
                self.forget(device);
                let suspect = &jobs[results.len()..=results.len()];
                if let Some(error) = self.run_until_trouble(device, suspect, &mut results) {
                    self.forget(device);
                    results.push(Err(error));
                }
            }
        }
        results
    }

    /// Runs jobs until one ends its worker or loses the device; that job has no result yet.
    fn run_until_trouble(
        &mut self,
        device: &DeviceInfo,
        jobs: &[Job],
        results: &mut Vec<JobResult>,
    ) -> Option<RunnerError> {
        let worker = match self.worker(device) {
            Ok(worker) => worker,
            Err(error) => return Some(error),
        };
        if let Err(death) = worker.ask(&Request::Run(Batch { jobs: jobs.to_vec() })) {
            return Some(death.error());
        }
        for _ in jobs {
            match worker.answer(JOB_LIMIT) {
                Ok(Answer::Job(Err(error @ (RunnerError::DeviceLost(_) | RunnerError::Timeout(_))))) => {
                    return Some(error);
                }
                Ok(Answer::Job(result)) => results.push(result),
                Ok(Answer::Hello(_) | Answer::Devices(..) | Answer::Opened(_)) => return Some(out_of_turn()),
                Err(death) => return Some(death.error()),
            }
        }
        None
    }

    fn worker(&mut self, device: &DeviceInfo) -> Result<&mut Worker, RunnerError> {
        let key = self.key(device);
        if !self.open.contains_key(&key) {
            self.open.insert(key.clone(), start(device, self.launch, self.compilation)?);
        }
        Ok(self.open.get_mut(&key).expect("the worker was inserted if it was missing"))
    }

    fn forget(&mut self, device: &DeviceInfo) {
        self.open.remove(&self.key(device));
    }

    fn key(&self, device: &DeviceInfo) -> Place {
        (device.id.clone(), device.runner, self.compilation)
    }
}

fn start(device: &DeviceInfo, launch: &Launch, compilation: Compilation) -> Result<Worker, RunnerError> {
    let failed = |reason: std::io::Error| RunnerError::Api { call: "worker".to_owned(), reason: reason.to_string() };
    let mut worker = Worker::start_with(&launch.program, &compilation.settings()).map_err(failed)?;
    worker.ask(&Request::Open(Box::new(device.clone()))).map_err(Death::error)?;
    match worker.answer(JOB_LIMIT).map_err(Death::error)? {
        Answer::Opened(opened) => opened.map(|()| worker),
        Answer::Hello(_) | Answer::Devices(..) | Answer::Job(_) => Err(out_of_turn()),
    }
}

fn out_of_turn() -> RunnerError {
    RunnerError::DeviceLost("the worker answered something that was not asked".to_owned())
}

/// Devices of every API, and what the APIs had to say; found in a process of its own, because drivers may crash.
pub(crate) fn enumerate(program: &Path) -> (Vec<DeviceInfo>, Vec<String>) {
    let listed = Worker::start(program).map_err(|error| error.to_string()).and_then(|mut worker| {
        let asked = worker.ask(&Request::Enumerate).and_then(|()| worker.answer(JOB_LIMIT));
        match asked {
            Ok(Answer::Devices(devices, notes)) => Ok((devices, notes)),
            Ok(Answer::Hello(_) | Answer::Opened(_) | Answer::Job(_)) => Err(out_of_turn().to_string()),
            Err(death) => Err(death.error().to_string()),
        }
    });
    listed.unwrap_or_else(|error| (Vec::new(), vec![format!("listing devices failed: {error}")]))
}
