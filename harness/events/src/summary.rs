//! Computes the totals of a run ([`RunEnd`]) and its exit code ([`Exit`]).
//!
//! A skip is never counted as agreement.

use layoutproof_device::RunnerKind;

use crate::account::{Account, AccountState};
use crate::check_id::CheckDevice;
use crate::fault::add_faults;
use crate::{BoundCount, CheckRecord, LeftOutChecks, OutcomeKind, Proves, RunEnd, SCHEMA, SkipKind};

/// Totals of `checks`. The counts of leaves, bound resources and devices exclude the CPU model.
pub fn fold(checks: &[CheckRecord]) -> RunEnd {
    let mut end = RunEnd { schema: SCHEMA, ..RunEnd::default() };
    for check in checks {
        add(&mut end, check);
    }
    end
}

/// Adds one check to the totals of [`fold`].
pub fn add(end: &mut RunEnd, check: &CheckRecord) {
    let outcome = SimilarChecks {
        device: check.id.device.as_ref(),
        proves: check.proves,
        outcome: check.outcome.kind(),
        skip_kind: check.outcome.skip_kind(),
        is_untried: check.outcome.entry().is_some_and(|entry| entry.untried),
        checks: 1,
        leaves: check.leaves,
        leaves_not_probed: check.leaves_not_probed,
        bound: check.bound.as_ref(),
    };
    outcome.add_to(end);
    end.flaky = end.flaky.saturating_add(u32::from(check.is_flaky()));
    add_faults(&mut end.faults, check);
}

/// Adds a group of checks that a records file leaves out.
pub fn add_left_out(end: &mut RunEnd, group: &LeftOutChecks) {
    let outcome = SimilarChecks {
        device: group.device.as_ref(),
        proves: group.proves,
        outcome: group.outcome,
        skip_kind: group.skip_kind,
        // Records filters never leave out checks that differ.
        is_untried: false,
        checks: group.checks,
        leaves: group.leaves,
        leaves_not_probed: group.leaves_not_probed,
        bound: group.bound.as_ref(),
    };
    outcome.add_to(end);
}

/// One check, or several with the same outcome.
struct SimilarChecks<'a> {
    device: Option<&'a CheckDevice>,
    proves: Proves,
    outcome: OutcomeKind,
    skip_kind: Option<SkipKind>,
    /// True if the difference is excused only because this driver or compiler is untested.
    is_untried: bool,
    checks: u32,
    leaves: u32,
    leaves_not_probed: u64,
    bound: Option<&'a BoundCount>,
}

impl SimilarChecks<'_> {
    fn add_to(&self, end: &mut RunEnd) {
        let count = match self.outcome {
            OutcomeKind::Agree => &mut end.agree,
            OutcomeKind::Differ => &mut end.differ,
            OutcomeKind::Known => &mut end.known,
            OutcomeKind::Stale => &mut end.stale,
            OutcomeKind::Skipped => &mut end.skipped,
            OutcomeKind::Broken => &mut end.broken,
        };
        *count = count.saturating_add(self.checks);
        end.checks = end.checks.saturating_add(self.checks);

        match self.skip_kind {
            Some(SkipKind::NotApplicable) => end.not_applicable = end.not_applicable.saturating_add(self.checks),
            Some(SkipKind::UnfitDevice) | None => {}
        }
        if self.outcome == OutcomeKind::Known && self.is_untried {
            end.untried = end.untried.saturating_add(self.checks);
        }
        end.leaves_not_probed = end.leaves_not_probed.saturating_add(self.leaves_not_probed);
        // The model's answers follow from the shader by definition: it tests this program and
        // proves nothing about devices.
        let Some(device) = self.device.filter(|device| device.runner != RunnerKind::Model) else { return };
        let device = device.name_in_records();
        let read = self.bound.map_or(0, |bound| bound.read);
        if self.leaves > 0 {
            end.leaves = end.leaves.saturating_add(self.leaves);
            let proved = end.proves.entry(self.proves).or_default();
            *proved = proved.saturating_add(self.leaves);
        }
        if read > 0 {
            let bound = end.bound.entry(device.clone()).or_default();
            *bound = bound.saturating_add(read);
        }
        if self.leaves > 0 || read > 0 {
            if let Err(here) = end.devices.binary_search(&device) {
                end.devices.insert(here, device);
            }
        }
    }
}

/// Requirements, other than agreement, that a run did not meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shortfalls {
    /// A bad case, a bad flag, a refused file, or a read or write that failed.
    pub could_not_run: bool,
    /// No device, a required device or compiler that is missing, a participant that returned no
    /// result, a floor that is not met, or a forbidden skip.
    pub missing: bool,
}

/// Exit codes of all commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All checks agree or are known differences.
    Agree = 0,
    /// A check differs, is stale, is broken or is flaky, or more faults were absorbed than the user allows.
    Differ = 1,
    /// The command could not run.
    CouldNotRun = 2,
    /// Something required is missing.
    Missing = 3,
    /// Nothing was selected, or nothing was proved: no check agrees or is a known difference,
    /// except on untested drivers and of untested compilers.
    NothingSelected = 4,
}

impl Exit {
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The code of two parts of a command: 2 beats 3, 3 beats 1, 1 beats 4.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let order = [Self::CouldNotRun, Self::Missing, Self::Differ, Self::NothingSelected];
        order.into_iter().find(|exit| [self, other].contains(exit)).unwrap_or(Self::Agree)
    }
}

/// True if no check agrees and every known difference is on an untested driver or of an untested
/// compiler. An entry for these excuses differences, but proves nothing.
pub fn proves_nothing(end: &RunEnd) -> bool {
    end.agree == 0 && end.known <= end.untried
}

/// True if the run has no check, and a driver gave the layout of a block.
fn has_answer_of_driver(end: &RunEnd) -> bool {
    let compared = |account: &Account| account.entries.iter().any(|entry| entry.state == AccountState::Compared);
    end.checks == 0 && end.account.as_deref().is_some_and(compared)
}

/// The exit code of a run: 2 beats 3, 3 beats 1, 1 beats 4. What a run found and did not compare hides no difference.
/// A run whose checks were all skipped proves nothing.
pub fn exit_of_run(end: &RunEnd, shortfalls: Shortfalls) -> Exit {
    if shortfalls.could_not_run || end.account.as_ref().is_some_and(|account| account.has_unread_file()) {
        Exit::CouldNotRun
    } else if shortfalls.missing {
        Exit::Missing
    } else if end.has_failed() {
        Exit::Differ
    } else if end.account.as_ref().is_some_and(|account| !account.is_complete()) {
        Exit::Missing
    } else if proves_nothing(end) && !has_answer_of_driver(end) {
        Exit::NothingSelected
    } else {
        Exit::Agree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{AccountEntry, FoundKind, NotCompared};
    use crate::fault::{FaultCount, FaultKind, FaultPlace};
    use std::collections::BTreeSet;

    const NONE: Shortfalls = Shortfalls { could_not_run: false, missing: false };

    fn exit(end: &RunEnd, shortfalls: Shortfalls) -> u8 {
        exit_of_run(end, shortfalls).code()
    }

    #[test]
    fn zero_where_all_agree_are_known_or_are_skipped() {
        assert_eq!(exit(&RunEnd { checks: 4, agree: 2, known: 1, skipped: 1, ..RunEnd::default() }, NONE), 0);
        assert_eq!(exit(&RunEnd { checks: 2, known: 1, skipped: 1, ..RunEnd::default() }, NONE), 0);
    }

    #[test]
    fn a_skip_is_no_agreement() {
        let text = r#"{"schema": 1, "case": "a/b", "rules": "std140", "producer": "rspirv", "device": "lavapipe",
            "runner": "ash", "proves": "decorations", "outcome": "skipped", "culprit": null, "validation": "valid",
            "skip_reason": "device lacks shaderFloat64", "ms": 1, "leaves": 0, "rows": []}"#;
        let end = fold(&[serde_json::from_str(text).unwrap()]);
        assert_eq!((end.checks, end.agree, end.skipped), (1, 0, 1));
        assert_eq!(exit(&end, NONE), 4);
    }

    #[test]
    fn four_where_nothing_was_proved() {
        let skipped = RunEnd { checks: 3, skipped: 3, ..RunEnd::default() };
        assert_eq!(exit(&skipped, NONE), 4);
        assert_eq!(exit(&RunEnd { not_applicable: 3, ..skipped.clone() }, NONE), 4);
        assert_eq!(exit(&RunEnd { checks: 4, differ: 1, ..skipped }, NONE), 1);
    }

    #[test]
    fn differences_that_nobody_has_looked_at_prove_nothing() {
        let text = r#"{"schema": 1, "case": "a/b", "rules": "std140", "producer": "dxc-dxil", "device": "vkd3d",
            "runner": "d3d12", "proves": "translated", "outcome": "known", "culprit": "device", "validation": "valid",
            "skip_reason": null, "known": {"file": "vkd3d.toml", "line": 4, "reason": "look", "untried": true}, "ms": 1,
            "leaves": 1, "rows": []}"#;
        let untried = fold(&[serde_json::from_str(text).unwrap()]);
        assert_eq!((untried.known, untried.untried), (1, 1));
        assert_eq!(exit(&untried, NONE), 4);

        // Next to a result that proves something, a known difference of an untested driver does not
        // change the exit code.
        assert_eq!(exit(&RunEnd { known: 2, ..untried.clone() }, NONE), 0);
        assert_eq!(exit(&RunEnd { agree: 1, ..untried.clone() }, NONE), 0);
        assert_eq!(exit(&RunEnd { differ: 1, ..untried }, NONE), 1);
    }

    #[test]
    fn one_where_something_differs_is_stale_or_is_broken() {
        let one = RunEnd { checks: 9, agree: 8, ..RunEnd::default() };
        assert_eq!(exit(&RunEnd { differ: 1, ..one.clone() }, NONE), 1);
        assert_eq!(exit(&RunEnd { stale: 1, ..one.clone() }, NONE), 1);
        assert_eq!(exit(&RunEnd { broken: 1, ..one }, NONE), 1);
    }

    #[test]
    fn two_where_it_could_not_run_and_two_beats_three() {
        let differs = RunEnd { checks: 1, differ: 1, ..RunEnd::default() };
        assert_eq!(exit(&differs, Shortfalls { could_not_run: true, missing: true }), 2);
    }

    #[test]
    fn three_where_something_is_missing_and_three_beats_one() {
        let differs = RunEnd { checks: 1, differ: 1, ..RunEnd::default() };
        assert_eq!(exit(&differs, Shortfalls { missing: true, ..NONE }), 3);
        assert_eq!(exit(&RunEnd::default(), Shortfalls { missing: true, ..NONE }), 3);
    }

    #[test]
    fn three_where_something_was_not_compared_and_nothing_differs() {
        let entry = AccountEntry {
            kind: FoundKind::Block,
            name: "S".to_owned(),
            file: "a.hlsl".to_owned(),
            line: None,
            target: None,
            state: AccountState::not_compared(NotCompared::NoDevice),
        };
        let agrees = RunEnd {
            checks: 1,
            agree: 1,
            account: Some(Box::new(Account { entries: vec![entry] })),
            ..RunEnd::default()
        };
        assert_eq!(exit(&agrees, NONE), 3);
        assert_eq!(exit(&RunEnd { differ: 1, ..agrees }, NONE), 1);
    }

    /// A device that opened at the second attempt had no job before that.
    #[test]
    fn a_late_device_fails_nothing() {
        let end = |kind| {
            let place = FaultPlace::Listing { runner: RunnerKind::WebGpu };
            let (first, checks) = (String::new(), BTreeSet::new());
            let fault = FaultCount { kind, place, count: 2, absorbed: 2, first, checks };
            RunEnd { checks: 1, agree: 1, faults: vec![fault], ..RunEnd::default() }
        };
        assert_eq!(exit(&end(FaultKind::NotOpened), NONE), 0);
        assert_eq!(exit(&end(FaultKind::WorkerDied), NONE), 1);
    }

    #[test]
    fn four_where_nothing_was_selected() {
        assert_eq!(exit(&RunEnd::default(), NONE), 4);
    }
}
