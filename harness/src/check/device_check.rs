//! A check that is ready for its device, of either kind.

use std::time::Duration;

use layoutproof_device::{DeviceInfo, Job, ReadBack, RunnerError};
use layoutproof_events::{CheckId, CheckRecord};

use crate::check::{Check, Jobs, ProofCheck, ProofJobs};

#[derive(Clone, Debug)]
pub enum DeviceCheck {
    /// The offsets of a block's leaves.
    Bytes(Check),
    /// The registers, sets or locations of parameters.
    Bindings(ProofCheck),
}

/// All jobs of a check that its device can run.
#[derive(Debug)]
pub enum CheckJobs {
    Bytes(Jobs),
    Bindings(ProofJobs),
}

impl DeviceCheck {
    pub fn id(&self) -> CheckId {
        match self {
            Self::Bytes(check) => check.id(),
            Self::Bindings(check) => check.id(),
        }
    }

    pub fn device(&self) -> &DeviceInfo {
        match self {
            Self::Bytes(check) => &check.device,
            Self::Bindings(check) => &check.device,
        }
    }

    /// The id of the case or file.
    pub fn case(&self) -> &str {
        match self {
            Self::Bytes(check) => &check.subject.source.id,
            Self::Bindings(check) => &check.proof.placed.source.id,
        }
    }

    pub fn jobs(&self) -> CheckJobs {
        match self {
            Self::Bytes(check) => CheckJobs::Bytes(check.jobs()),
            Self::Bindings(check) => CheckJobs::Bindings(check.jobs()),
        }
    }

    /// Judges the results of all jobs, which are in the order of the jobs.
    ///
    /// # Panics
    /// If the jobs are those of a check of the other kind.
    pub fn record(&self, jobs: &CheckJobs, results: &[Result<ReadBack, RunnerError>], took: Duration) -> CheckRecord {
        match (self, jobs) {
            (Self::Bytes(check), CheckJobs::Bytes(jobs)) => check.record(jobs, results, took),
            (Self::Bindings(check), CheckJobs::Bindings(jobs)) => check.record(jobs, results, took),
            (Self::Bytes(_), CheckJobs::Bindings(_)) | (Self::Bindings(_), CheckJobs::Bytes(_)) => {
                unreachable!("jobs belong to their check")
            }
        }
    }
}

impl CheckJobs {
    /// The jobs in the order in which the device runs them.
    pub fn list(&self) -> Vec<Job> {
        match self {
            Self::Bytes(jobs) => jobs.jobs().cloned().collect(),
            Self::Bindings(jobs) => jobs.jobs().cloned().collect(),
        }
    }

    /// Counts the accesses to leaves, each form once.
    pub fn accesses(&self) -> usize {
        match self {
            Self::Bytes(jobs) => jobs.accesses(),
            Self::Bindings(_) => 0,
        }
    }
}
