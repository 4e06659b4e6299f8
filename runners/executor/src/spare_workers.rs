//! Workers that outlive the pool they were started for, because opening a device takes longer than a few jobs.
//!
//! A run of many small parts has them in its [`Launch`](crate::launch::Launch).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::device_workers::WorkerKey;
use crate::worker::Worker;

/// Workers that have a device open, and no job.
#[derive(Debug, Default)]
pub struct SpareWorkers(Mutex<HashMap<WorkerKey, Vec<Worker>>>);

impl SpareWorkers {
    /// One with this device open.
    pub(crate) fn take(&self, key: &WorkerKey) -> Option<Worker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(key)?.pop()
    }

    /// Keeps a worker that has answered all it was asked.
    pub(crate) fn give(&self, key: WorkerKey, worker: Worker) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().push(worker);
    }
}

impl Drop for SpareWorkers {
    /// Ends all of them before any is waited for.
    fn drop(&mut self) {
        let workers = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        workers.values_mut().flatten().for_each(Worker::kill);
    }
}
