//! Answers checks on devices.
//!
//! [`OneByOne`] is the plain way. [`Batching`](crate::batching::Batching) gives the same outcomes
//! with fewer and cheaper jobs.

use std::fmt;
use std::time::Instant;

use layoutproof_events::{CheckRecord, Fault};

use crate::drivers::DriverCompilation;
use crate::launch::Launch;
use crate::pool::{self, Workers};
use layoutproof_core::check::DeviceCheck;

/// Answers checks on their devices.
pub trait Answer: fmt::Debug {
    /// Runs checks, and passes the records of each finished part to `done`, each with the index of
    /// its check in `checks`. Parts finish in any order.
    fn answer(&mut self, checks: &[DeviceCheck], launch: &Launch, done: &mut dyn FnMut(Vec<(usize, CheckRecord)>));

    /// The records of checks with their indices, in the order of the checks. An interrupt leaves
    /// some out.
    fn records(&mut self, checks: &[DeviceCheck], launch: &Launch) -> Vec<(usize, CheckRecord)> {
        let mut records = Vec::with_capacity(checks.len());
        self.answer(checks, launch, &mut |part| records.extend(part));
        records.sort_by_key(|(index, _)| *index);
        records
    }
}

/// One job, one answer: every check runs by itself, with the driver's own settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneByOne;

impl Answer for OneByOne {
    fn answer(&mut self, checks: &[DeviceCheck], launch: &Launch, done: &mut dyn FnMut(Vec<(usize, CheckRecord)>)) {
        let work = |index: usize, workers: &mut Workers<'_>, done: &mut dyn FnMut(_)| {
            done(vec![(index, answer_alone(&checks[index], DriverCompilation::Own, workers))]);
        };
        pool::run((0..checks.len()).collect(), launch, work, done);
    }
}

/// Runs every job of a check by itself, and judges the answers.
pub(crate) fn answer_alone(
    check: &DeviceCheck,
    compilation: DriverCompilation,
    workers: &mut Workers<'_>,
) -> CheckRecord {
    let started = Instant::now();
    let jobs = check.jobs();
    let answers = workers.run(check.device(), check.case(), compilation, &jobs.list());
    workers.tell_accessed(jobs.accesses());
    with_faults(check.record(&jobs, &answers.results, started.elapsed()), answers.faults)
}

/// Adds the faults of a device to those of the compiler, which the record has.
pub(crate) fn with_faults(mut record: CheckRecord, faults: Vec<Fault>) -> CheckRecord {
    record.faults.extend(faults);
    record
}
