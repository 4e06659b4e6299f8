//! Device mutants: in which checks a misreading device is noticed, and named.
//!
//! Checks run on the model device, so nothing is needed. A check kills a misreading if it agrees without it, and with it
//! differs and names the device as the culprit. A check that names somebody else is a finding of its own.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::Killers;
use crate::check::{Check, Jobs, Produced, Subject};
use crate::model::{Misreading, Model};
use crate::record::{CheckRecord, Culprit, Outcome};
use crate::runner::{Batch, Job, Runner};

/// A misreading and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceLine {
    /// Name of the misreading.
    pub name: String,
    /// What the device does.
    pub what: String,
    /// Cases in which the verdict names the device.
    pub killers: Killers,
    /// Checks that differ and name somebody else, with the name; or that broke.
    pub misnamed: Vec<String>,
}

impl DeviceLine {
    /// Whether no case notices, or a verdict names the wrong one.
    pub fn survives(&self) -> bool {
        self.killers.is_empty() || !self.misnamed.is_empty()
    }
}

/// A check on the model device that agrees without a fault.
#[derive(Clone, Debug)]
pub struct ModelCheck {
    check: Check,
    jobs: Jobs,
    batch: Batch,
}

impl ModelCheck {
    /// `None` where the check does not agree, or asks the device nothing.
    pub fn new(subject: Arc<Subject>, produced: Produced) -> Option<Self> {
        let check = Check { subject, produced: Arc::new(produced), device: Model::new().device().clone() };
        let jobs = check.jobs();
        let wanted: Vec<Job> = jobs.jobs().cloned().collect();
        let prepared = Self { check, jobs, batch: Batch { jobs: wanted } };
        (prepared.record(Model::new()).outcome == Outcome::Agree).then_some(prepared)
    }

    fn record(&self, mut model: Model) -> CheckRecord {
        let results = model.run(&self.batch);
        self.check.record(&self.jobs, &results, Duration::ZERO)
    }
}

/// Tries a misreading on the checks, until `enough` cases have killed it.
pub fn try_misreading(misreading: Misreading, checks: &[ModelCheck], enough: Option<usize>) -> DeviceLine {
    let mut killers = Killers::default();
    let mut misnamed = Vec::new();
    for check in checks {
        if enough.is_some_and(|enough| killers.cases.len() >= enough) {
            killers.stopped = true;
            break;
        }
        let case = &check.check.subject.source.id;
        if killers.cases.last() == Some(case) {
            continue;
        }
        let record = check.record(Model::with_misreading(misreading));
        match (record.outcome, record.culprit) {
            (Outcome::Differ, Some(Culprit::Device)) => killers.cases.push(case.clone()),
            (Outcome::Differ, culprit) => {
                let name = culprit.map_or("nobody", Culprit::as_str);
                misnamed.push(format!("{} names {name}", check.check.name()));
            }
            (Outcome::Broken, _) => misnamed.push(format!("{} breaks", check.check.name())),
            (Outcome::Agree | Outcome::Known | Outcome::Stale | Outcome::Skipped, _) => {}
        }
    }
    DeviceLine { name: misreading.name.to_owned(), what: misreading.summary.to_owned(), killers, misnamed }
}
