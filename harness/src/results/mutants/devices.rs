//! Device mutants: the checks in which a misreading device is detected and named.
//!
//! Checks run on the model device, so no GPU is needed. A check kills a misreading if it agrees
//! without it, differs with it, and then names the device as the culprit. A check that names
//! another culprit is reported separately.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use layoutproof_device::{Batch, Runner};

use super::mutant_table::{DeviceLine, Killers};
use crate::check::{Check, CheckId, Jobs, Proof, ProofCheck, ProofJobs, Subject, SubjectShaders};
use crate::results::record::{CheckRecord, Culprit, Outcome};
use layoutproof_model::{Misreading, Model};

/// A check on the model device that agrees without a fault.
#[derive(Clone, Debug)]
pub struct ModelCheck {
    asked: MutantJobs,
    batch: Batch,
}

/// A check with its jobs for the model device.
#[derive(Clone, Debug)]
enum MutantJobs {
    /// A check of block layouts.
    Bytes(Check, Jobs),
    /// A check of bindings.
    Bindings(ProofCheck, ProofJobs),
}

impl ModelCheck {
    /// `None` if the check does not agree, or needs no device.
    pub fn new(subject: Arc<Subject>, produced: SubjectShaders) -> Option<Self> {
        let check = Check { subject, produced: Arc::new(produced), device: Model::new().device().clone() };
        let jobs = check.jobs();
        let batch = Batch { jobs: jobs.jobs().cloned().collect() };
        Self { asked: MutantJobs::Bytes(check, jobs), batch }.agreeing()
    }

    /// The same for a check of bindings; also `None` if the model cannot run its shaders.
    pub fn of_proof(proof: Proof) -> Option<Self> {
        let model = Model::new();
        let check = ProofCheck { device: model.device().clone(), proof: Arc::new(proof) };
        if !check.proof.feeds(&check.device) {
            return None;
        }
        let jobs = check.jobs();
        let batch = Batch { jobs: jobs.jobs().cloned().collect() };
        Self { asked: MutantJobs::Bindings(check, jobs), batch }.agreeing()
    }

    fn agreeing(self) -> Option<Self> {
        (self.record(Model::new()).outcome == Outcome::Agrees).then_some(self)
    }

    fn record(&self, mut model: Model) -> CheckRecord {
        let results = model.run(&self.batch);
        match &self.asked {
            MutantJobs::Bytes(check, jobs) => check.record(jobs, &results, Duration::ZERO),
            MutantJobs::Bindings(check, jobs) => check.record(jobs, &results, Duration::ZERO),
        }
    }

    fn case(&self) -> &str {
        match &self.asked {
            MutantJobs::Bytes(check, _) => &check.subject.source.id,
            MutantJobs::Bindings(check, _) => &check.proof.placed.source.id,
        }
    }

    fn id(&self) -> CheckId {
        match &self.asked {
            MutantJobs::Bytes(check, _) => check.id(),
            MutantJobs::Bindings(check, _) => check.id(),
        }
    }
}

/// Checks on the model device, shared by several threads. A check is made when the first misreading
/// needs it, because the first few detect most misreadings.
#[derive(Debug)]
pub struct ModelChecks<M> {
    made: Vec<OnceLock<Option<ModelCheck>>>,
    make: M,
}

impl<M: Fn(usize) -> Option<ModelCheck>> ModelChecks<M> {
    /// Prepares `count` checks. `make` creates the check with a given index, or returns `None` if
    /// it is not usable.
    pub fn new(count: usize, make: M) -> Self {
        Self { made: (0..count).map(|_| OnceLock::new()).collect(), make }
    }

    fn get(&self, index: usize) -> Option<&ModelCheck> {
        self.made[index].get_or_init(|| (self.make)(index)).as_ref()
    }
}

/// Tries a misreading on the checks, until `enough` cases have killed it.
pub fn try_misreading(
    misreading: Misreading,
    checks: &ModelChecks<impl Fn(usize) -> Option<ModelCheck>>,
    enough: Option<usize>,
) -> DeviceLine {
    let mut killers = Killers::default();
    let mut misnamed = Vec::new();

    for index in 0..checks.made.len() {
        if enough.is_some_and(|enough| killers.cases.len() >= enough) {
            killers.stopped = true;
            break;
        }
        let Some(check) = checks.get(index) else { continue };
        // The checks of a case are adjacent, and one of them is enough.
        let case = check.case();
        if killers.cases.last().is_some_and(|last| last == case) {
            continue;
        }

        let record = check.record(Model::with_misreading(misreading));
        match record.outcome {
            Outcome::Differs { culprit: Culprit::Device, .. } => killers.cases.push(case.to_owned()),
            Outcome::Differs { culprit, .. } => misnamed.push(format!("{} names {}", check.id(), culprit.as_str())),
            Outcome::Broken { .. } => misnamed.push(format!("{} breaks", check.id())),
            Outcome::Agrees | Outcome::Known { .. } | Outcome::Stale(_) | Outcome::Skipped { .. } => {}
        }
    }

    DeviceLine { name: misreading.name.to_owned(), what: misreading.summary.to_owned(), killers, misnamed }
}
