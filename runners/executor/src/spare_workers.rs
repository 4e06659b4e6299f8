//! Workers that outlive their pool, because opening a device takes longer than a few jobs.
//!
//! A run of many small parts keeps them in its [`Launch`](crate::launch::Launch).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::device_workers::WorkerKey;
use crate::worker::Worker;

/// Idle workers with an open device.
#[derive(Debug, Default)]
pub struct SpareWorkers(Mutex<HashMap<WorkerKey, Vec<Worker>>>);

impl SpareWorkers {
    /// Takes a worker that has this device open.
    pub(crate) fn take(&self, key: &WorkerKey) -> Option<Worker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(key)?.pop()
    }

    /// Keeps a worker that has answered all its requests.
    pub(crate) fn give(&self, key: WorkerKey, worker: Worker) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().push(worker);
    }
}

impl Drop for SpareWorkers {
    /// Kills all workers before it waits for any.
    fn drop(&mut self) {
        let workers = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        workers.values_mut().flatten().for_each(Worker::kill);
    }
}
