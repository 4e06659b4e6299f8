//! Answers many checks with few and cheap jobs.
//!
//! Three things save time, most of it in the drivers' compilers:
//!
//! - Checks of one device share modules (`shared_module`), because a pipeline costs a driver much
//!   more than a few more loads in it.
//! - Drivers that can compile fast rather than well do so ([`DriverCompilation::Fast`]).
//! - Equal jobs of one case run once. Rule sets that agree on a layout have equal jobs, and so do
//!   options of a compiler.
//!
//! None of them changes an outcome. A wrong answer to a shared or fast job proves nothing, so its
//! check is answered again as [`OneByOne`](crate::answer::OneByOne) does it, and that record counts. If the
//! two answers differ, the record says so: the check is flaky.
//! A right answer does not show the driver's own settings at work; a few probes that change from run
//! to run do (`spared`). Records say how they were answered in `fused`, `fast` and `thorough`.

mod shared_module;
mod spared;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use layoutproof_core::check::{Check, DeviceCheck, ProbeName, ProofCheck};
use layoutproof_device::Job;
use layoutproof_events::producer::Producer;
use layoutproof_events::{ChangedAnswer, CheckRecord, Fault, FaultCause, OutcomeKind, SharedAnswer};
use layoutproof_probes::ProbeEntry;

use self::shared_module::{JudgedModule, SharedModule, shares_modules};
use self::spared::{AccessKind, is_turn};
use crate::answer::{Answer, answer_alone, with_faults};
use crate::device_workers::{JobResult, SharedAnswers};
use crate::drivers::DriverCompilation;
use crate::launch::Launch;
use crate::pool::{self, Workers};

/// Most checks that one thread takes at once: enough to fill shared modules, few enough for all
/// threads to finish at about the same time.
const BUNDLE: usize = 256;

/// After this many shared modules of a bundle in a row that fail, the device gets no more of them:
/// each check shows by itself what is wrong.
const PATIENCE: u32 = 3;

type CheckProbes = BTreeMap<usize, BTreeSet<ProbeName>>;

/// Answers checks in batches.
#[derive(Debug, Default)]
pub struct Batching {
    /// The number of the run, which decides what is spared.
    turn: u64,
    /// The access kinds that were spared so far.
    covered: BTreeSet<AccessKind>,
}

impl Batching {
    /// Begins run number `turn`.
    pub fn new(turn: u64) -> Self {
        Self { turn, covered: BTreeSet::new() }
    }
}

impl Answer for Batching {
    fn answer(&mut self, checks: &[DeviceCheck], launch: &Launch, done: &mut dyn FnMut(Vec<(usize, CheckRecord)>)) {
        let spared = spared::choose(self.turn, checks, &mut self.covered);
        let batch = Batch { checks, turn: self.turn, spared };
        let work = |bundle: Vec<usize>, workers: &mut Workers<'_>, done: &mut dyn FnMut(_)| {
            batch.answer(&bundle, workers, &mut |answered| done(vec![answered]));
        };
        pool::run(bundles(checks), launch, work, done);
    }
}

/// Cuts the checks into runs of neighbours that can share something.
fn bundles(checks: &[DeviceCheck]) -> Vec<Vec<usize>> {
    let mut bundles: Vec<Vec<usize>> = Vec::new();
    for (index, check) in checks.iter().enumerate() {
        match bundles.last_mut() {
            Some(bundle) if bundle.len() < BUNDLE && are_alike(&checks[bundle[0]], check) => bundle.push(index),
            Some(_) | None => bundles.push(vec![index]),
        }
    }
    bundles
}

/// Returns true if two checks can share modules, or have equal jobs.
fn are_alike(one: &DeviceCheck, other: &DeviceCheck) -> bool {
    let (DeviceCheck::Bytes(one), DeviceCheck::Bytes(other)) = (one, other) else { return false };
    let producers = [one.produced.producer, other.produced.producer];
    let are_of_compilers = producers.iter().all(|producer| matches!(producer, Producer::Compiler(_)));
    let is_same_case = one.subject.source.id == other.subject.source.id;
    one.device == other.device
        && (producers[0] == producers[1] && (is_same_case || shares_modules(one)) || are_of_compilers && is_same_case)
}

/// Checks that are answered together.
struct Batch<'a> {
    checks: &'a [DeviceCheck],
    turn: u64,
    /// Probes with jobs of their own, compiled with the driver's own settings.
    spared: CheckProbes,
}

/// Jobs of a case that were run, with their results.
struct JobsDone<'a> {
    case: &'a str,
    jobs: Vec<Job>,
    /// For each job: true if its probe is spared.
    spared: Vec<bool>,
    results: Vec<JobResult>,
    /// Their faults, until the first check with these jobs takes them.
    faults: Vec<Fault>,
}

/// The answer to a check with shared or fast jobs.
struct FirstAnswer {
    record: CheckRecord,
    /// False if the answer is wrong and may not be the check's own fault.
    is_final: bool,
}

/// What the shared modules of a bundle say about its checks.
#[derive(Default)]
struct SharedOutcome {
    /// The probes that they answer rightly.
    answered: CheckProbes,
    faults: Vec<SharedFault>,
}

/// The run of a shared module. Without a failure's cause, the module was not run.
enum SharedRun {
    Judged {
        first: JudgedModule,
        /// `None` if every answer was right.
        repeat: Option<Result<JudgedModule, Option<FaultCause>>>,
    },
    Failed(Option<FaultCause>),
}

/// A shared module, or one of its answers, that says nothing about its checks.
struct SharedFault {
    /// The probes that it is about.
    probes: CheckProbes,
    kind: SharedFaultKind,
    /// True once a job of one of these checks had the same fault, so that an outcome shows it.
    is_shown: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum SharedFaultKind {
    /// The module gave no answer.
    Failed(FaultCause),
    /// The answer is wrong each time. If the checks' own jobs show that, too, it is no fault.
    Wrong,
    /// The answer differs when the module runs again, whatever the checks' own jobs show.
    Changed { first: SharedAnswer, repeat: SharedAnswer },
}

impl<'a> Batch<'a> {
    fn answer(&self, bundle: &[usize], workers: &mut Workers<'_>, done: &mut dyn FnMut((usize, CheckRecord))) {
        let mut shared = self.answer_shared(bundle, workers);
        let mut jobs_done: Vec<JobsDone<'a>> = Vec::new();
        for &index in bundle {
            if workers.is_interrupted() {
                return;
            }
            let check = &self.checks[index];
            let first = match check {
                DeviceCheck::Bytes(bytes) => {
                    let answered = shared.answered.get(&index);
                    Some(self.answer_rest(index, bytes, answered, &mut jobs_done, workers))
                }
                DeviceCheck::Bindings(bindings) => self.answer_fast(check, bindings, workers),
            };
            let alone = |workers: &mut Workers<'_>| answer_alone(check, DriverCompilation::Own, workers);
            let record = match first {
                None => alone(workers),
                Some(FirstAnswer { record, is_final: true }) => record,
                Some(FirstAnswer { record, is_final: false }) => alone(workers).after(record),
            };
            let record = match check {
                DeviceCheck::Bytes(bytes) => shared.with_faults(index, bytes, record),
                DeviceCheck::Bindings(_) => record,
            };
            done((index, record));
        }
    }

    /// Runs the modules that checks of a bundle can share.
    fn answer_shared(&self, bundle: &[usize], workers: &mut Workers<'_>) -> SharedOutcome {
        let checks = bundle.iter().filter_map(|index| match &self.checks[*index] {
            DeviceCheck::Bytes(check) if shares_modules(check) => Some((*index, check)),
            DeviceCheck::Bytes(_) | DeviceCheck::Bindings(_) => None,
        });
        let checks: Vec<(usize, &Check)> = checks.collect();
        let mut outcome = SharedOutcome::default();
        let Some((_, Check { device, .. })) = checks.first() else { return outcome };

        let modules = SharedModule::all(&checks, &self.spared);
        let failures_in_a_row = AtomicU32::new(0);
        let runs = workers.share_out(&modules, |workers, module| {
            if failures_in_a_row.load(Ordering::Relaxed) >= PATIENCE {
                return SharedRun::Failed(None);
            }
            let cases: Vec<&str> = module.checks().map(|index| self.checks[index].case()).collect();
            let compilation = DriverCompilation::fastest(device);
            let mut run = || match workers.run_for_all(device, &cases, compilation, module.jobs()) {
                SharedAnswers::Whole(answers) => Ok(module.judged(&answers)),
                SharedAnswers::Failed(failure) => Err(failure),
            };
            match run() {
                Ok(first) => {
                    failures_in_a_row.store(0, Ordering::Relaxed);
                    let repeat = (!first.wrong.is_empty()).then(run);
                    SharedRun::Judged { first, repeat }
                }
                Err(failure) => {
                    failures_in_a_row.fetch_add(1, Ordering::Relaxed);
                    SharedRun::Failed(failure)
                }
            }
        });
        for (module, run) in modules.iter().zip(runs) {
            match run {
                SharedRun::Judged { first, repeat } => {
                    workers.tell_accessed(module.accesses());
                    outcome.add(module, first, repeat);
                }
                SharedRun::Failed(failure) => outcome.add_failure(module, failure),
            }
        }
        outcome
    }

    /// Answers the probes of a check that no shared module has answered.
    fn answer_rest(
        &self,
        index: usize,
        check: &'a Check,
        shared: Option<&BTreeSet<ProbeName>>,
        done: &mut Vec<JobsDone<'a>>,
        workers: &mut Workers<'_>,
    ) -> FirstAnswer {
        let started = Instant::now();
        let none = BTreeSet::new();
        let spared = self.spared.get(&index).unwrap_or(&none);

        let jobs = check.jobs().without(shared.unwrap_or(&none));
        let (list, is_spared): (Vec<Job>, _) = (jobs.jobs().cloned().collect(), jobs.are_of(spared));
        // NOTE(driver): Mesa 26.2.6's lavapipe dies of SIGSEGV in some launches of rays if its vectors have 128 bits.
        let traces = list.iter().any(|job| job.trace.is_some());
        let compilation = if traces { DriverCompilation::Own } else { DriverCompilation::fastest(&check.device) };
        let case = check.subject.source.id.as_str();
        let is_same = |it: &JobsDone<'_>| it.case == case && it.jobs == list && it.spared == is_spared;
        let place = done.iter().position(is_same).unwrap_or_else(|| {
            let mut results = Vec::with_capacity(list.len());
            let mut faults = Vec::new();
            for run in is_spared.chunk_by(|one, other| one == other) {
                let compilation = if run[0] { DriverCompilation::Own } else { compilation };
                let jobs = &list[results.len()..results.len() + run.len()];
                let answers = workers.run(&check.device, case, compilation, jobs);
                results.extend(answers.results);
                faults.extend(answers.faults);
            }
            workers.tell_accessed(jobs.accesses());
            done.push(JobsDone { case, jobs: list, spared: is_spared, results, faults });
            done.len() - 1
        });

        let record = check.record(&jobs, &done[place].results, started.elapsed());
        let record = with_faults(record, std::mem::take(&mut done[place].faults));
        let is_fast = compilation == DriverCompilation::Fast;
        if is_wrong(&record) && (is_fast || shared.is_some()) {
            return FirstAnswer { record, is_final: false };
        }
        let fast = is_fast && record.outcome.kind() != OutcomeKind::Skipped;
        // Without anything shared or fast, every probe of a check is thorough, and none is listed.
        let listed = if is_fast || shares_modules(check) { spared } else { &none };
        let thorough: BTreeSet<String> = listed.iter().map(|(_, entry)| entry.clone()).collect();
        let record = CheckRecord { fast, thorough: thorough.into_iter().collect(), ..record };
        FirstAnswer { record, is_final: true }
    }

    /// Answers a check of bindings; `None` if it is to run with the driver's own settings.
    fn answer_fast(
        &self,
        check: &DeviceCheck,
        bindings: &ProofCheck,
        workers: &mut Workers<'_>,
    ) -> Option<FirstAnswer> {
        let fastest = DriverCompilation::fastest(&bindings.device);
        if fastest == DriverCompilation::Own || is_turn(self.turn, bindings) {
            return None;
        }
        let record = answer_alone(check, fastest, workers);
        let fast = record.outcome.kind() != OutcomeKind::Skipped;
        let is_final = !is_wrong(&record);
        Some(FirstAnswer { record: CheckRecord { fast, ..record }, is_final })
    }
}

impl SharedOutcome {
    /// Adds the answers of a module.
    fn add(
        &mut self,
        module: &SharedModule,
        first: JudgedModule,
        repeat: Option<Result<JudgedModule, Option<FaultCause>>>,
    ) {
        for (index, probes) in first.right {
            self.answered.entry(index).or_default().extend(probes);
        }
        let mut add = |probes, kind| self.faults.push(SharedFault { probes, kind, is_shown: false });
        match repeat {
            None => {}
            Some(Ok(repeat)) => {
                let is_among = |probes: &CheckProbes, wrong: &[CheckProbes]| wrong.iter().any(|it| is_part(probes, it));
                for probes in repeat.wrong.iter().filter(|probes| !is_among(probes, &first.wrong)) {
                    let kind = SharedFaultKind::Changed { first: SharedAnswer::Right, repeat: SharedAnswer::Wrong };
                    add(probes.clone(), kind);
                }
                for probes in first.wrong {
                    let kind = if is_among(&probes, &repeat.wrong) {
                        SharedFaultKind::Wrong
                    } else {
                        SharedFaultKind::Changed { first: SharedAnswer::Wrong, repeat: SharedAnswer::Right }
                    };
                    add(probes, kind);
                }
            }
            Some(Err(failure)) => {
                first.wrong.into_iter().for_each(|probes| add(probes, SharedFaultKind::Wrong));
                self.add_failure(module, failure);
            }
        }
    }

    fn add_failure(&mut self, module: &SharedModule, failure: Option<FaultCause>) {
        let kind = failure.map(SharedFaultKind::Failed);
        self.faults.extend(kind.map(|kind| SharedFault { probes: module.all_probes(), kind, is_shown: false }));
    }

    /// Adds the faults of shared modules to the record of a check. Each goes to the last of its checks, since
    /// the own jobs of every check may show it. A wrong answer that one of them shows is no fault: the device
    /// is always wrong there.
    fn with_faults(&mut self, index: usize, check: &Check, mut record: CheckRecord) -> CheckRecord {
        let misread: Vec<_> = record.rows.iter().filter(|row| row.is_misread()).filter_map(|row| row.access).collect();
        let is_confirmed = |entry: &ProbeEntry| {
            let ProbeEntry { space, stage, direction, .. } = *entry;
            misread.iter().any(|access| (access.space, access.stage, access.direction) == (space, stage, direction))
        };
        let has_failed = record.has_failed_to_run();
        let entry = |(module, name): &ProbeName| {
            let entries = &check.produced.modules[*module].plan.entries;
            entries.iter().find(|entry| entry.name == *name)
        };

        let mut changed = Vec::new();
        for SharedFault { probes, kind, is_shown } in &mut self.faults {
            let Some(own) = probes.get(&index) else { continue };
            let is_last = probes.last_key_value().is_some_and(|(last, _)| *last == index);
            let (first, repeat) = match kind {
                SharedFaultKind::Failed(cause) => {
                    *is_shown |= has_failed;
                    if is_last {
                        record.faults.push(Fault { cause: cause.clone(), absorbed: !*is_shown });
                    }
                    continue;
                }
                SharedFaultKind::Wrong => {
                    *is_shown |= has_failed || own.iter().filter_map(entry).any(is_confirmed);
                    (SharedAnswer::Wrong, SharedAnswer::Right)
                }
                SharedFaultKind::Changed { first, repeat } => (*first, *repeat),
            };
            if let (true, false, Some((_, probe))) = (is_last, *is_shown, own.first()) {
                let probe = probe.clone();
                let checks = u32::try_from(probes.len()).unwrap_or(u32::MAX);
                changed.push(ChangedAnswer::Shared { probe, checks, first, repeat });
            }
        }
        if !changed.is_empty() {
            record.faults.push(Fault::changed(changed));
        }
        record
    }
}

/// True if all of these probes are among the others.
fn is_part(probes: &CheckProbes, others: &CheckProbes) -> bool {
    probes.iter().all(|(check, probes)| others.get(check).is_some_and(|others| probes.is_subset(others)))
}

fn is_wrong(record: &CheckRecord) -> bool {
    matches!(record.outcome.kind(), OutcomeKind::Differ | OutcomeKind::Broken)
}
