//! Handles the records of a run as its checks end: reruns failed checks with `--retries`, completes
//! the command that repeats a check, prints failures at once, and stops the run at the first
//! failure with `--fail-fast`.

use std::collections::BTreeMap;

use layoutproof_core::results::record::CheckRecord;
use layoutproof_executor::interrupt::Interrupt;
use layoutproof_report::{is_failure, terminal};
use layoutproof_show::Style;

use super::arguments::with_typed;
use super::ledger::Ledger;
use crate::progress::Progress;

/// Number of failures that are printed during the run; the report has all of them.
const TOLD: usize = 20;

/// Handles the records of a run.
pub(crate) struct RecordKeeper<'a, 'l> {
    pub(crate) ledger: &'a mut Ledger<'l>,
    /// Prints the failures.
    pub(crate) progress: &'a Progress,
    pub(crate) style: Style,
    /// The arguments that the user typed.
    pub(crate) arguments: BTreeMap<String, Vec<String>>,
    /// Set at the first failure, with `--fail-fast`.
    pub(crate) stop_at_failure: Option<&'a Interrupt>,
    /// Number of failures so far.
    pub(crate) failures: usize,
}

impl RecordKeeper<'_, '_> {
    /// Runs `checks`, and reruns failed ones up to `retries` times. `execute` receives checks and
    /// the number of the attempt, from 0. It passes the records of each batch to its last argument,
    /// each with the index of its check.
    pub(crate) fn carry_out<C: Clone>(
        &mut self,
        checks: &[C],
        retries: u32,
        mut execute: impl FnMut(&[C], u32, &mut dyn FnMut(Vec<(usize, CheckRecord)>)),
    ) {
        let mut failed: BTreeMap<usize, CheckRecord> = BTreeMap::new();
        execute(checks, 0, &mut |batch| {
            for (index, record) in batch {
                self.progress.check_ended();
                if retries > 0 && is_failure(self.ledger.outcome(&record)) {
                    failed.insert(index, record);
                } else {
                    self.keep(record);
                }
            }
            self.ledger.flush();
        });

        for attempt in 1..=retries {
            if failed.is_empty() {
                break;
            }
            let places: Vec<usize> = failed.keys().copied().collect();
            let again: Vec<C> = places.iter().map(|place| checks[*place].clone()).collect();
            execute(&again, attempt, &mut |batch| {
                for (index, record) in batch {
                    let record = CheckRecord { retries: attempt, ..record };
                    if is_failure(self.ledger.outcome(&record)) {
                        failed.insert(places[index], record);
                    } else {
                        failed.remove(&places[index]);
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

    /// Keeps a final record.
    pub(crate) fn keep(&mut self, mut record: CheckRecord) {
        if let Some(story) = record.outcome.story_mut() {
            story.again = with_typed(&story.again, &self.arguments);
        }

        // The report lists the parts that a differing check left out.
        let told = CheckRecord { not_checked: Vec::new(), rows: Vec::new(), ..record.clone() };
        let line = terminal::check_line(&told, Style { colour: false, ..self.style });
        if !is_failure(self.ledger.add(record)) {
            return;
        }
        self.failures += 1;
        self.progress.failed(self.failures);
        if self.failures <= TOLD {
            self.progress.say(&line);
        } else if self.failures == TOLD + 1 {
            self.progress.say("      note: more checks fail; the report at the end has all of them\n");
        }
        if let Some(interrupt) = self.stop_at_failure {
            interrupt.set();
        }
    }
}
