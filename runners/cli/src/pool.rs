//! Batches on devices: as many threads as processors, each with worker processes of its own, one per device.
//!
//! A batch that kills or hangs its worker is gone through job by job: the job that the worker died on is run again
//! alone in a fresh worker, and only if that dies too is the job's result an error. Everything else is run.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use layoutproof::runner::{Batch, DeviceInfo, Job, ReadBack, RunnerError};

use crate::protocol::{Answer, Request};
use crate::worker::{Death, JOB_LIMIT, Worker};

/// What one job comes to.
pub(crate) type JobResult = Result<ReadBack, RunnerError>;

/// Jobs for one device; `id` comes back with the results.
#[derive(Debug)]
pub(crate) struct Task {
    /// The caller's number.
    pub id: usize,
    /// Where to run.
    pub device: DeviceInfo,
    /// What to run.
    pub jobs: Vec<Job>,
}

/// The results of a task, one per job.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The task's number.
    pub id: usize,
    /// One result per job.
    pub results: Vec<JobResult>,
    /// Time that the task took.
    pub took: Duration,
}

/// Runs all tasks and sends each one's results as they come.
pub(crate) fn run(tasks: Vec<Task>, finished: &Sender<Finished>) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(tasks.len());
    let queue = Mutex::new(VecDeque::from(tasks));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let finished = finished.clone();
            let queue = &queue;
            scope.spawn(move || {
                let mut workers = Workers::default();
                while let Some(task) = queue.lock().ok().and_then(|mut queue| queue.pop_front()) {
                    let started = Instant::now();
                    let results = workers.run(&task.device, &task.jobs);
                    let done = Finished { id: task.id, results, took: started.elapsed() };
                    if finished.send(done).is_err() {
                        break;
                    }
                }
            });
        }
    });
}

/// A thread's workers, by device.
#[derive(Debug, Default)]
struct Workers {
    open: HashMap<(String, &'static str), Worker>,
}

impl Workers {
    fn run(&mut self, device: &DeviceInfo, jobs: &[Job]) -> Vec<JobResult> {
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
        let key = key(device);
        if !self.open.contains_key(&key) {
            self.open.insert(key.clone(), start(device)?);
        }
        Ok(self.open.get_mut(&key).expect("the worker was inserted if it was missing"))
    }

    fn forget(&mut self, device: &DeviceInfo) {
        self.open.remove(&key(device));
    }
}

fn key(device: &DeviceInfo) -> (String, &'static str) {
    (device.id.clone(), device.runner.as_str())
}

fn start(device: &DeviceInfo) -> Result<Worker, RunnerError> {
    let failed = |reason: std::io::Error| RunnerError::Api { call: "worker".to_owned(), reason: reason.to_string() };
    let mut worker = Worker::start().map_err(failed)?;
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
pub(crate) fn enumerate() -> (Vec<DeviceInfo>, Vec<String>) {
    let listed = Worker::start().map_err(|error| error.to_string()).and_then(|mut worker| {
        let asked = worker.ask(&Request::Enumerate).and_then(|()| worker.answer(JOB_LIMIT));
        match asked {
            Ok(Answer::Devices(devices, notes)) => Ok((devices, notes)),
            Ok(Answer::Hello(_) | Answer::Opened(_) | Answer::Job(_)) => Err(out_of_turn().to_string()),
            Err(death) => Err(death.error().to_string()),
        }
    });
    listed.unwrap_or_else(|error| (Vec::new(), vec![format!("listing devices failed: {error}")]))
}
