//! A check that is ready for its device.

use std::time::Instant;

use layoutproof_core::check::{Check, ProofCheck};
use layoutproof_device::{DeviceInfo, Job};
use layoutproof_events::CheckId;
use layoutproof_events::{CheckRecord, Fault};

use crate::drivers::DriverCompilation;
use crate::pool::Workers;

#[derive(Clone, Debug)]
pub enum DeviceCheck {
    /// The offsets of a block's leaves.
    Bytes(Check),
    /// The registers, sets or locations of parameters.
    Bindings(ProofCheck),
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

    /// Runs every job of the check by itself, and judges the answers.
    pub(crate) fn answer_alone(&self, compilation: DriverCompilation, workers: &mut Workers<'_>) -> CheckRecord {
        let started = Instant::now();
        match self {
            Self::Bytes(check) => {
                let jobs = check.jobs();
                let list: Vec<Job> = jobs.jobs().cloned().collect();
                let answers = workers.run(self.device(), self.case(), compilation, &list);
                workers.tell_accessed(jobs.accesses());
                let record = check.record(&jobs, &answers.results, started.elapsed());
                with_faults(record, answers.faults)
            }
            Self::Bindings(check) => {
                let jobs = check.jobs();
                let list: Vec<Job> = jobs.jobs().cloned().collect();
                let answers = workers.run(self.device(), self.case(), compilation, &list);
                let record = check.record(&jobs, &answers.results, started.elapsed());
                with_faults(record, answers.faults)
            }
        }
    }
}

/// Adds the faults of a device to those of the compiler, which the record has.
pub(crate) fn with_faults(mut record: CheckRecord, faults: Vec<Fault>) -> CheckRecord {
    record.faults.extend(faults);
    record
}
