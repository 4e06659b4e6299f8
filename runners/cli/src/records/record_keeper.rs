//! Handles the records of a run as its checks end: reruns failed checks with `--retries`, completes
//! the command that repeats a check, prints failures at once, and stops the run at the first
//! failure with `--fail-fast`.

use std::collections::BTreeMap;

use layoutproof_core::check::DeviceCheck;
use layoutproof_events::CheckRecord;
use layoutproof_executor::answer::{Answer, OneByOne};
use layoutproof_executor::launch::Launch;
use layoutproof_executor::plan::PlannedCheck;
use layoutproof_records::ledger::Ledger;
use layoutproof_report::{is_failure, terminal};
use layoutproof_show::Style;

use super::arguments::add_typed;
use crate::progress::Progress;

/// Number of failures that are printed during the run; the report has all of them.
const TOLD: usize = 20;

pub(crate) struct RecordKeeper<'a, 'l> {
    pub(crate) ledger: &'a mut Ledger<'l>,
    /// Prints the failures.
    pub(crate) progress: &'a Progress,
    pub(crate) style: Style,
    /// The arguments that the user typed.
    pub(crate) arguments: BTreeMap<String, Vec<String>>,
    pub(crate) launch: &'a Launch,
    /// Number of reruns of a failed check.
    pub(crate) retries: u32,
    /// True if the first failure stops the run.
    pub(crate) fail_fast: bool,
    /// True if the user wants the failures alone, which the report has.
    pub(crate) quiet: bool,
    pub(crate) failures: usize,
}

impl RecordKeeper<'_, '_> {
    /// The checks that still have no record: all of them, unless the run resumes another or has only
    /// a part of the checks.
    pub(crate) fn lacking<'p>(&self, planned: &[PlannedCheck<'p>]) -> Vec<PlannedCheck<'p>> {
        planned.iter().filter(|check| self.ledger.lacks(&check.id())).cloned().collect()
    }

    /// Has devices answer `checks`, and keeps the records. Failed checks are answered again, one by
    /// one.
    pub(crate) fn answer_and_keep(&mut self, checks: &[DeviceCheck], answer: &mut dyn Answer) {
        let mut failed: BTreeMap<usize, CheckRecord> = BTreeMap::new();
        answer.answer(checks, self.launch, &mut |batch| {
            for (index, record) in batch {
                self.progress.check_ended();
                if self.retries > 0 && is_failure(self.ledger.outcome(&record)) {
                    failed.insert(index, record);
                } else {
                    self.keep(record);
                }
            }
            self.ledger.flush();
        });

        // Each attempt starts its own workers: the state of the old ones may be the cause.
        let fresh = Launch { spare_workers: None, ..self.launch.clone() };
        for attempt in 1..=self.retries {
            if failed.is_empty() {
                break;
            }
            let places: Vec<usize> = failed.keys().copied().collect();
            let again: Vec<DeviceCheck> = places.iter().map(|place| checks[*place].clone()).collect();
            OneByOne.answer(&again, &fresh, &mut |batch| {
                for (index, record) in batch {
                    let record = CheckRecord { retries: attempt, ..record };
                    let record = match failed.remove(&places[index]) {
                        Some(first) => record.after(first),
                        None => record,
                    };
                    if is_failure(self.ledger.outcome(&record)) {
                        failed.insert(places[index], record);
                    } else {
                        self.keep(record);
                    }
                }
                self.ledger.flush();
            });
        }
        for record in failed.into_values() {
            self.keep(record);
        }
    }

    pub(crate) fn keep(&mut self, mut record: CheckRecord) {
        if let Some(story) = record.outcome.story_mut() {
            add_typed(&mut story.again, &self.arguments);
        }

        // The report lists the parts that a differing check left out.
        let told = CheckRecord { not_checked: Vec::new(), rows: Vec::new(), ..record.clone() };
        let line = terminal::check_line(&told, Style { colour: false, ..self.style });
        let is_flaky = record.is_flaky();
        if !is_failure(self.ledger.add(record)) && !is_flaky {
            return;
        }
        self.failures += 1;
        self.progress.failed(self.failures);
        if self.failures <= TOLD && !self.quiet {
            self.progress.say(&line);
        } else if self.failures == TOLD + 1 && !self.quiet {
            self.progress.say("      note: more checks fail; the report at the end has all of them\n");
        }
        if self.fail_fast {
            self.launch.interrupt.set();
        }
    }
}
