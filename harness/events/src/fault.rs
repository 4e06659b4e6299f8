//! Faults: what a driver, a worker process or a compiler did wrong while a check was answered.
//!
//! A job that fails is repeated, and so is a wrong answer that may not be the check's own fault. The
//! outcome of the check is that of the repeat, and the fault stays with the check: a fault that a repeat
//! hides is *absorbed*, and a check of which an answer changed is *flaky*. The totals of a run count both.

use std::collections::BTreeSet;
use std::fmt;

use layoutproof_device::{RunnerError, RunnerKind};
use layoutproof_layout::Quantity;
use layoutproof_probes::{AddressSpace, Direction, Form};
use serde::{Deserialize, Serialize};
use strum::{EnumDiscriminants, IntoStaticStr};

use crate::check_id::{CheckDevice, CheckId};
use crate::row::{NOWHERE, RecordValue, Row};
use crate::{CheckRecord, Reason, Reasons};

/// A fault during a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    #[serde(flatten)]
    pub cause: FaultCause,
    /// True if the repeat had no fault, so that the outcome of the check does not show it.
    pub absorbed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, EnumDiscriminants)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[strum_discriminants(
    name(FaultKind),
    doc = "A fault without its data, to count.",
    derive(Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr),
    serde(rename_all = "kebab-case"),
    strum(serialize_all = "kebab-case")
)]
pub enum FaultCause {
    /// The process that holds the driver ended before it answered.
    WorkerDied { how: String },
    /// The device gave no answer in time.
    TimedOut { message: String },
    /// The driver reported that the device is lost.
    DeviceLost { message: String },
    /// The device could not be opened.
    NotOpened { message: String },
    /// A call of the device's API failed.
    CallFailed { message: String },
    /// The devices of an API could not be listed.
    ListingFailed { message: String },
    /// The compiler died, gave no answer in time or failed without a diagnostic.
    CompilerFailed { message: String },
    /// A wrong answer that the repeat did not confirm.
    AnswerChanged { answers: Vec<ChangedAnswer> },
}

/// Two answers to the same question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ChangedAnswer {
    /// A number of a row.
    Row {
        path: String,
        what: Quantity,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        space: Option<AddressSpace>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        direction: Option<Direction>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        form: Option<Form>,
        /// `nowhere` if the device read or wrote no byte of the block, `None` if the first answer had no such
        /// problem.
        first: Option<RecordValue>,
        /// The same for the repeat.
        repeat: Option<RecordValue>,
    },
    /// The answer of a shared module about a probe.
    Shared {
        /// The entry point.
        probe: String,
        /// Number of checks that the answer is about; one of them had the wrong answer.
        checks: u32,
        first: SharedAnswer,
        repeat: SharedAnswer,
    },
}

/// The answer about one probe in a module that many checks share. The module stores hashes, which say no
/// more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SharedAnswer {
    Wrong,
    Right,
}

impl FaultCause {
    pub fn kind(&self) -> FaultKind {
        self.into()
    }
}

impl fmt::Display for FaultCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorkerDied { how } => f.write_str(how),
            Self::TimedOut { message }
            | Self::DeviceLost { message }
            | Self::NotOpened { message }
            | Self::CallFailed { message }
            | Self::ListingFailed { message }
            | Self::CompilerFailed { message } => f.write_str(message),
            Self::AnswerChanged { answers } => {
                let answers: Vec<String> = answers.iter().map(ToString::to_string).collect();
                f.write_str(&answers.join("; "))
            }
        }
    }
}

impl fmt::Display for ChangedAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row { path, what, space, direction, form, first, repeat } => {
                write!(f, "{path} {what}")?;
                let direction = direction.map(|direction| match direction {
                    Direction::Read => "read",
                    Direction::Write => "write",
                });
                let access = [space.map(AddressSpace::as_str), direction, form.map(Form::as_str)];
                let access: Vec<&str> = access.into_iter().flatten().collect();
                if !access.is_empty() {
                    write!(f, " ({})", access.join(" "))?;
                }
                let value =
                    |value: &Option<RecordValue>| value.as_ref().map_or("nothing".to_owned(), ToString::to_string);
                write!(f, ": first {}, on repeat {}", value(first), value(repeat))
            }
            Self::Shared { probe, checks, first, repeat } => {
                let (first, repeat): (&str, &str) = (first.into(), repeat.into());
                write!(f, "{probe}: first {first}, on repeat {repeat}, in an answer about {checks} checks")
            }
        }
    }
}

impl CheckRecord {
    /// True if an answer changed on repeat.
    pub fn is_flaky(&self) -> bool {
        self.faults.iter().any(|fault| fault.cause.kind() == FaultKind::AnswerChanged)
    }

    /// The record of a repeat, with the faults of the first record and the answers that changed.
    #[must_use]
    pub fn after(mut self, first: Self) -> Self {
        let changed = changed_answers(&first, &self);
        let repeat_failed = self.has_failed_to_run();
        let mut errors = first.outcome.reasons().into_iter().flat_map(Reasons::iter).filter_map(Reason::runner_error);
        let failed = errors.find(|error| has_no_fault(error));
        let unmarked = failed
            .filter(|_| first.faults.is_empty() && !repeat_failed)
            .map(|error| Fault { cause: FaultCause::CallFailed { message: error.to_string() }, absorbed: true });
        let earlier =
            first.faults.into_iter().map(|fault| Fault { absorbed: fault.absorbed || !repeat_failed, ..fault });
        let changed = (!changed.is_empty()).then(|| Fault::changed(changed));
        self.faults = earlier.chain(unmarked).chain(std::mem::take(&mut self.faults)).chain(changed).collect();
        self
    }

    /// True if a job of the check has no answer: its device or runner failed.
    pub fn has_failed_to_run(&self) -> bool {
        self.outcome.reasons().is_some_and(|reasons| reasons.iter().any(|it| it.runner_error().is_some()))
    }
}

impl Fault {
    /// Answers that changed on repeat.
    pub fn changed(answers: Vec<ChangedAnswer>) -> Self {
        Self { cause: FaultCause::AnswerChanged { answers }, absorbed: true }
    }
}

/// True if the job that failed so is in no list of faults. Others are: those of checks with equal jobs have them in the
/// first of these checks alone.
fn has_no_fault(error: &RunnerError) -> bool {
    match error {
        RunnerError::Api { .. } | RunnerError::ShaderRefused(_) | RunnerError::Unsupported(_) => true,
        RunnerError::DeviceLost(_) | RunnerError::Timeout(_) | RunnerError::NotRun(_) => false,
    }
}

/// The numbers that are wrong in one of two records and right in the other. Two wrong numbers of one row may
/// differ: what a device returns for bytes outside of a block is not defined.
fn changed_answers(first: &CheckRecord, repeat: &CheckRecord) -> Vec<ChangedAnswer> {
    fn key(row: &Row) -> (&str, Quantity, Option<crate::row::Access>) {
        (&row.path, row.what, row.access)
    }
    let wrong_only_in = |one: &CheckRecord, other: &CheckRecord| -> Vec<(Row, Option<RecordValue>)> {
        // Without an answer, a row says nothing about the device.
        if other.has_failed_to_run() {
            return Vec::new();
        }
        let wrong = one.rows.iter().filter(|row| row.is_misread());
        let unconfirmed = wrong.filter_map(|row| {
            let counterparts = other.rows.iter().filter(|counterpart| key(counterpart) == key(row));
            let mut counterparts = counterparts.peekable();
            let observed = counterparts.peek().and_then(|counterpart| counterpart.witnesses.observed.clone());
            counterparts.all(|counterpart| !counterpart.is_misread()).then(|| (row.clone(), observed))
        });
        unconfirmed.collect()
    };
    let answer = |row: Row, first, repeat| ChangedAnswer::Row {
        path: row.path,
        what: row.what,
        space: row.access.map(|access| access.space),
        direction: row.access.map(|access| access.direction),
        form: row.access.and_then(|access| access.form),
        first,
        repeat,
    };
    let wrong =
        |row: &Row| Some(row.witnesses.observed.clone().unwrap_or_else(|| RecordValue::Text(NOWHERE.to_owned())));
    let at_first = wrong_only_in(first, repeat).into_iter().map(|(row, right)| {
        let wrong = wrong(&row);
        answer(row, wrong, right)
    });
    let on_repeat = wrong_only_in(repeat, first).into_iter().map(|(row, right)| {
        let wrong = wrong(&row);
        answer(row, right, wrong)
    });
    at_first.chain(on_repeat).collect()
}

/// Who had a fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FaultPlace {
    Device {
        device: String,
        runner: RunnerKind,
    },
    /// The listing of an API's devices.
    Listing {
        runner: RunnerKind,
    },
    Compiler {
        compiler: String,
    },
}

impl fmt::Display for FaultPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device { device, runner } => CheckDevice { id: device.clone(), runner: *runner }.fmt(f),
            Self::Listing { runner } => f.write_str(runner.title()),
            Self::Compiler { compiler } => f.write_str(compiler),
        }
    }
}

/// The faults of one kind in one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultCount {
    pub kind: FaultKind,
    #[serde(flatten)]
    pub place: FaultPlace,
    /// For changed answers, the number of answers.
    pub count: u32,
    /// Those that a repeat hid, so that no outcome shows them.
    pub absorbed: u32,
    /// The message of the first.
    pub first: String,
    /// The checks during which they happened; empty for a listing.
    pub checks: BTreeSet<CheckId>,
}

impl FaultCount {
    /// `3 workers died on lavapipe via Vulkan`.
    pub fn sentence(&self, count: u32) -> String {
        let one = count == 1;
        let words = match self.kind {
            FaultKind::WorkerDied if one => "worker died on",
            FaultKind::WorkerDied => "workers died on",
            FaultKind::TimedOut if one => "job had no answer in time on",
            FaultKind::TimedOut => "jobs had no answer in time on",
            FaultKind::DeviceLost if one => "job lost the device",
            FaultKind::DeviceLost => "jobs lost the device",
            FaultKind::NotOpened if one => "worker could not open",
            FaultKind::NotOpened => "workers could not open",
            FaultKind::CallFailed if one => "job failed on",
            FaultKind::CallFailed => "jobs failed on",
            FaultKind::ListingFailed if one => "listing of devices failed for",
            FaultKind::ListingFailed => "listings of devices failed for",
            FaultKind::CompilerFailed if one => "compilation failed without an answer in",
            FaultKind::CompilerFailed => "compilations failed without an answer in",
            FaultKind::AnswerChanged if one => "answer differed on repeat on",
            FaultKind::AnswerChanged => "answers differed on repeat on",
        };
        format!("{count} {words} {}", self.place)
    }
}

/// Adds the faults of a check to these totals.
pub(crate) fn add_faults(totals: &mut Vec<FaultCount>, check: &CheckRecord) {
    for Fault { cause, absorbed } in &check.faults {
        let place = match (cause, &check.id.device) {
            (FaultCause::CompilerFailed { .. }, _) | (_, None) => {
                FaultPlace::Compiler { compiler: check.id.producer.to_string() }
            }
            (_, Some(CheckDevice { id, runner })) => FaultPlace::Device { device: id.clone(), runner: *runner },
        };
        let count = match cause {
            FaultCause::AnswerChanged { answers } => u32::try_from(answers.len()).unwrap_or(u32::MAX),
            _ => 1,
        };
        add_count(
            totals,
            FaultCount {
                kind: cause.kind(),
                place,
                count,
                absorbed: if *absorbed { count } else { 0 },
                first: cause.to_string(),
                checks: BTreeSet::from([check.id.clone()]),
            },
        );
    }
}

/// Adds faults to these totals, which stay sorted by place and kind.
pub fn add_count(totals: &mut Vec<FaultCount>, more: FaultCount) {
    match totals.binary_search_by(|known| (&known.place, known.kind).cmp(&(&more.place, more.kind))) {
        Ok(known) => {
            let known = &mut totals[known];
            known.count = known.count.saturating_add(more.count);
            known.absorbed = known.absorbed.saturating_add(more.absorbed);
            known.checks.extend(more.checks);
        }
        Err(here) => totals.insert(here, more),
    }
}
