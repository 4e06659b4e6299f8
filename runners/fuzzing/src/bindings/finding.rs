//! A program on which compilers, rules and devices disagree: shrinks it and writes it down.

use std::path::{Path, PathBuf};

use layoutproof_bindings::Target;
use layoutproof_compilers::binding_answers::BindingDisagreement;
use layoutproof_device::RunnerKind;
use layoutproof_events::CheckDevice;
use layoutproof_events::{CheckRecord, OutcomeKind};
use layoutproof_random::shrink::{self, SHRINK_CALLS, Shrunk};
use layoutproof_random::{RandomProgram, nth_program};
use layoutproof_records::output_files::write_below;
use layoutproof_report::terminal::failure_report;
use layoutproof_show::Style;

use super::program_checks::word;
use super::{BindingFuzz, DrawnProgram};

#[derive(Clone, Debug)]
pub enum FindingKind {
    /// A compiler binds differently than our rules for it, or returns no result.
    Answer {
        compiler: &'static str,
        /// The target of the compilation.
        target: Target,
        /// Differ or broken.
        outcome: OutcomeKind,
        /// A description of both sides.
        told: String,
    },
    /// A device reads from other places than our rules compute, or returns no result.
    Check {
        /// The target of the rules.
        target: Target,
        /// The device's record.
        record: Box<CheckRecord>,
    },
}

/// The parts that two findings of the same defect share.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FindingKey {
    who: String,
    target: Target,
    runner: Option<RunnerKind>,
    outcome: OutcomeKind,
}

/// A program that shows a defect.
#[derive(Clone, Debug)]
pub struct BindingFinding {
    /// The program, as drawn or shrunk.
    pub drawn: DrawnProgram,
    pub kind: FindingKind,
}

impl FindingKind {
    fn key(&self) -> FindingKey {
        match self {
            Self::Answer { compiler, target, outcome, .. } => {
                FindingKey { who: (*compiler).to_owned(), target: *target, runner: None, outcome: *outcome }
            }
            Self::Check { target, record } => FindingKey {
                who: format!("{} on {}", record.id.producer, device(record).id),
                target: *target,
                runner: Some(device(record).runner),
                outcome: record.outcome.kind(),
            },
        }
    }

    /// True if both may show the same defect.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    fn text(&self) -> String {
        match self {
            Self::Answer { told, .. } => told.clone(),
            Self::Check { record, .. } => failure_report(std::slice::from_ref(record.as_ref()), None, Style::PLAIN),
        }
    }
}

fn device(record: &CheckRecord) -> &CheckDevice {
    record.id.device.as_ref().expect("programs are checked on devices only")
}

impl BindingFinding {
    pub fn sentence(&self) -> String {
        let FindingKey { who, target, outcome, .. } = self.kind.key();
        let what = if outcome == OutcomeKind::Broken { "breaks" } else { "differs" };
        let (number, dialect) = (self.drawn.number, word(self.drawn.dialect));
        format!(
            "number {number} for {dialect}: {who} {what} for {target}\n{}\n{}",
            self.kind.text().trim_end(),
            self.drawn.program.text()
        )
    }

    /// Writes the program and a report; returns the folder.
    pub fn write(&self, out: &Path) -> anyhow::Result<PathBuf> {
        let FindingKey { who, target, .. } = self.kind.key();
        let words = format!("{who} {target}").replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "-");
        let folder = PathBuf::from(format!("{}-{}-{words}", self.drawn.number, word(self.drawn.dialect)));
        for (name, text) in [("program.hlsl", self.drawn.program.text()), ("report.txt", self.sentence())] {
            write_below(out, folder.join(name), text)?;
        }
        Ok(out.join(folder))
    }
}

/// Shrinks the program while it shows the same disagreement.
pub(crate) fn shrink(fuzz: &BindingFuzz, found: BindingFinding) -> BindingFinding {
    let BindingFinding { drawn, kind } = found;
    let mut kind_of_smallest = kind.clone();
    let mut differs = |tried: &RandomProgram| {
        let again = fuzz.again(&DrawnProgram { program: tried.clone(), ..drawn.clone() }, &kind);
        let is_found = again.is_some();
        if let Some(again) = again {
            kind_of_smallest = again;
        }
        is_found
    };

    let tree = nth_program(drawn.dialect, fuzz.seed, drawn.number);
    let Shrunk { smallest, .. } = shrink::shrink(tree, SHRINK_CALLS, &mut differs);
    BindingFinding { drawn: DrawnProgram { program: smallest, ..drawn }, kind: kind_of_smallest }
}

impl BindingFuzz {
    /// Checks another program for the same disagreement.
    fn again(&self, drawn: &DrawnProgram, kind: &FindingKind) -> Option<FindingKind> {
        if self.launch.interrupt.is_set() {
            return None;
        }
        let found = match kind {
            FindingKind::Answer { compiler, target, .. } => {
                let asked = self.compilers.iter().find(|asked| asked.compiler().name() == *compiler)?;
                let (outcome, told) = match asked.compare(*target, &drawn.program) {
                    Ok(_) => return None,
                    Err(BindingDisagreement::Differs(told)) => (OutcomeKind::Differ, told),
                    Err(BindingDisagreement::Broken(told)) => (OutcomeKind::Broken, told),
                };
                FindingKind::Answer { compiler, target: *target, outcome, told }
            }
            FindingKind::Check { target, record } => {
                let mut checks = self.proofs(drawn, |device| record.id.is_on(device)).ok()?;
                checks.retain(|check| check.proof.placed.request.target == *target);
                let mut records = self.records(&checks).into_iter().map(|(_, record)| record);
                let record = records.find(|other| {
                    (&other.id.producer, other.outcome.kind()) == (&record.id.producer, record.outcome.kind())
                })?;
                FindingKind::Check { target: *target, record: Box::new(record) }
            }
        };
        // A compiler that the end of the run has ended says nothing of the program.
        (found.is_like(kind) && !self.launch.interrupt.is_set()).then_some(found)
    }
}
