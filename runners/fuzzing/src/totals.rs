//! The accumulated results of a run.

use std::collections::BTreeMap;

use layoutproof_events::producer::Producer;
use layoutproof_events::summary::add;
use layoutproof_events::{CheckRecord, OutcomeKind, ReasonKind, RunEnd};
use layoutproof_executor::batching::Batching;
use layoutproof_random::declaration::{CellTally, RandomDeclaration};
use layoutproof_records::participants::Participants;
use layoutproof_report::fuzz_tables::Tally;

use crate::records::FuzzRecords;
use crate::shrink::ShrunkDifference;

#[derive(Debug, Default)]
pub struct Totals {
    pub tallies: BTreeMap<String, Tally>,
    pub skips: BTreeMap<String, u64>,
    pub end: RunEnd,
    pub participants: Participants,
    pub cells: CellTally,
    pub differences: Vec<ShrunkDifference>,
    pub(crate) batching: Batching,
    pub written: Option<FuzzRecords>,
}

impl Totals {
    pub fn new(participants: Participants, written: Option<FuzzRecords>) -> Self {
        Self { participants, written, ..Self::default() }
    }

    /// Counts the check in the cells of its declaration, if both the compiler and a device returned
    /// results.
    pub(crate) fn count_cells(&mut self, record: &CheckRecord, declaration: &RandomDeclaration) {
        match (record.outcome.kind(), record.id.producer.producer()) {
            (
                OutcomeKind::Agree | OutcomeKind::Known | OutcomeKind::Stale | OutcomeKind::Differ,
                Some(Producer::Compiler(toolchain)),
            ) => self.cells.add(toolchain.compiler, declaration),
            (OutcomeKind::Skipped | OutcomeKind::Broken, _) | (_, None | Some(Producer::Generator(_))) => {}
        }
    }

    pub(crate) fn count(&mut self, record: &CheckRecord) {
        add(&mut self.end, record);
        self.participants.add(record);
        if let Some(written) = &mut self.written {
            written.add(record);
        }
        let tally = self.tallies.entry(record.id.producer.to_string()).or_default();
        tally.leaves += u64::from(record.leaves);
        match record.outcome.kind() {
            OutcomeKind::Agree => tally.agree += 1,
            OutcomeKind::Known | OutcomeKind::Stale => tally.known += 1,
            OutcomeKind::Differ => tally.differ += 1,
            OutcomeKind::Broken => tally.broken += 1,
            OutcomeKind::Skipped => {
                tally.skipped += 1;
                let reason = ReasonKind::of(record.outcome.reasons());
                *self.skips.entry(reason.to_string()).or_default() += 1;
            }
        }
    }
}
