//! Answers checks on devices.
//!
//! [`OneByOne`] is the plain way. [`Batching`](crate::batching::Batching) gives the same outcomes
//! with fewer and cheaper jobs.

use std::fmt;

use layoutproof_events::CheckRecord;

use crate::device_check::DeviceCheck;
use crate::drivers::DriverCompilation;
use crate::launch::Launch;
use crate::pool::{self, Workers};

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
            done(vec![(index, checks[index].answer_alone(DriverCompilation::Own, workers))]);
        };
        pool::run((0..checks.len()).collect(), launch, work, done);
    }
}
