//! Collects the records of a run while its checks end.
//!
//! Records arrive in any order. Each takes the place of its check, known differences are marked,
//! and the records file grows. At the end, the records come out in the order of the run.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use anyhow::bail;
use layoutproof_core::results::coverage::AnsweredLeaves;
use layoutproof_core::results::known::{self, FixedEntry, KnownFailure};
use layoutproof_device::DeviceInfo;
use layoutproof_events::CheckId;
use layoutproof_events::summary::fold;
use layoutproof_events::{CheckRecord, DeviceCells, Outcome, OutcomeKind, RunEnd};

use crate::records_file::RecordsFile;
use crate::shapes::Shapes;

/// How long a finished record may wait for the records before it. A killed run then loses no more.
const WAIT: Duration = Duration::from_secs(2);

/// The records of a run, each in the place of its check.
#[derive(Debug)]
pub struct Ledger<'a> {
    /// The free places of each check. A file that the user names twice has two checks of one id.
    open: HashMap<CheckId, VecDeque<usize>>,
    records: Vec<Option<CheckRecord>>,
    /// The records before this place are in the file, if `in_order`.
    next: usize,
    /// True if the file has each record once, as it will be at the end.
    in_order: bool,
    /// The places of the records in the file, in the order of its lines, if `in_order`.
    order: Vec<usize>,
    /// Places from `next` on whose records are in the file already.
    ahead: HashSet<usize>,
    /// When finished records were last written although earlier ones are missing.
    wrote_ahead: Instant,
    /// True if records lose their rows once these are no longer needed here.
    sheds_rows: bool,
    /// Counts the leaves of checks that lost their rows; `None` if some checks never had them here.
    leaves: Option<AnsweredLeaves>,
    file: Option<RecordsFile>,
    known: &'a [KnownFailure],
    devices: &'a [DeviceInfo],
    /// The shapes of members, by the id of a case or a file.
    shapes: Shapes,
}

impl<'a> Ledger<'a> {
    /// Creates a ledger with a place for each check, in the order of the run.
    pub fn new(checks: &[CheckId], known: &'a [KnownFailure], devices: &'a [DeviceInfo]) -> Self {
        let mut open: HashMap<CheckId, VecDeque<usize>> = HashMap::new();
        for (place, check) in checks.iter().enumerate() {
            open.entry(check.clone()).or_default().push_back(place);
        }
        Self {
            open,
            records: vec![None; checks.len()],
            next: 0,
            in_order: true,
            order: Vec::new(),
            ahead: HashSet::new(),
            wrote_ahead: Instant::now(),
            sheds_rows: false,
            leaves: None,
            file: None,
            known,
            devices,
            shapes: Shapes::default(),
        }
    }

    /// Sets the shapes by which entries of lists match.
    pub fn know_shapes(&mut self, shapes: Shapes) {
        self.shapes = shapes;
    }

    /// Marks the record if its difference is known.
    fn explain(&self, record: &mut CheckRecord) {
        known::explain(self.known, record, self.devices);
        self.shapes.explain(self.known, record, self.devices);
    }

    /// Adopts the records of an earlier run.
    ///
    /// # Errors
    /// A record's check is not part of this run.
    pub fn resume(&mut self, kept: Vec<CheckRecord>) -> anyhow::Result<()> {
        for record in kept {
            let check = record.id.clone();
            if !self.put(record) {
                bail!("cannot resume: `{check}` is not part of this run, or was recorded twice");
            }
        }
        let prefix = self.records.iter().take_while(|record| record.is_some()).count();
        self.in_order = prefix == self.done();
        self.next = prefix;
        self.order = (0..prefix).collect();
        Ok(())
    }

    /// Counts the devices' answers by these kinds of leaves. Returns false if the rows of a resumed check are missing,
    /// so that no count is possible.
    pub fn count_leaves(&mut self, leaves: AnsweredLeaves) -> bool {
        let has_rows = self.records.iter().flatten().all(|record| record.leaves == 0 || !record.rows.is_empty());
        self.leaves = has_rows.then_some(leaves);
        has_rows
    }

    /// Writes future records to this file, which already has the present ones.
    pub fn write_to(&mut self, file: RecordsFile) {
        self.file = Some(file);
    }

    /// From now on, drops the rows of agreeing and skipped checks once they are in the file, so
    /// that a run of many cases does not fill the memory. Keeps them if the file is rewritten or
    /// first written at the end.
    pub fn shed_rows(&mut self) {
        self.sheds_rows = self.in_order && !self.file.as_ref().is_some_and(RecordsFile::is_written_at_end);
    }

    /// True if the check still has no record.
    pub fn lacks(&self, check: &CheckId) -> bool {
        self.open.get(check).is_some_and(|places| !places.is_empty())
    }

    pub fn done(&self) -> usize {
        self.records.len() - self.open.values().map(VecDeque::len).sum::<usize>()
    }

    pub fn not_done(&self) -> usize {
        self.records.len() - self.done()
    }

    pub fn so_far(&self) -> Vec<CheckRecord> {
        self.records.iter().flatten().cloned().collect()
    }

    /// The outcome of a record, considering known differences.
    pub fn outcome(&self, record: &CheckRecord) -> OutcomeKind {
        match record.outcome.kind() {
            OutcomeKind::Differ | OutcomeKind::Broken => {
                let mut record = record.clone();
                self.explain(&mut record);
                record.outcome.kind()
            }
            OutcomeKind::Agree | OutcomeKind::Known | OutcomeKind::Stale | OutcomeKind::Skipped => {
                record.outcome.kind()
            }
        }
    }

    /// Adds the record of a finished check, and returns its outcome.
    pub fn add(&mut self, mut record: CheckRecord) -> OutcomeKind {
        self.explain(&mut record);
        let outcome = record.outcome.kind();
        if let (false, Some(file)) = (self.in_order, &mut self.file) {
            file.add(&record);
        }

        let taken = self.put(record);
        assert!(taken, "a check is run once, and only where it lacks a record");
        while self.in_order && matches!(self.records.get(self.next), Some(Some(_))) {
            if !self.ahead.remove(&self.next) {
                self.write(self.next);
            }
            self.next += 1;
        }
        outcome
    }

    /// Writes the record of a place to the file, and drops its rows if they are no longer needed.
    fn write(&mut self, place: usize) {
        let Some(Some(record)) = self.records.get_mut(place) else { return };
        if self.file.as_mut().is_some_and(|file| file.add(record)) {
            self.order.push(place);
        }
        if self.sheds_rows && matches!(record.outcome.kind(), OutcomeKind::Agree | OutcomeKind::Skipped) {
            if let Some(leaves) = &mut self.leaves {
                leaves.add(record);
            }
            drop_rows(record);
        }
    }

    /// Writes pending records, so that a kill does not lose them. A record that has waited for earlier
    /// ones is written out of order; the end of the run puts it in its place.
    pub fn flush(&mut self) {
        if self.in_order && self.wrote_ahead.elapsed() >= WAIT {
            self.write_ahead();
            self.wrote_ahead = Instant::now();
        }
        if let Some(file) = &mut self.file {
            file.flush();
        }
    }

    /// Writes the finished records that come after a missing one.
    fn write_ahead(&mut self) {
        for place in self.next..self.records.len() {
            if self.records[place].is_some() && self.ahead.insert(place) {
                self.write(place);
            }
        }
    }

    fn put(&mut self, record: CheckRecord) -> bool {
        let place = self.open.get_mut(&record.id).and_then(VecDeque::pop_front);
        place.is_some_and(|place| self.records[place].replace(record).is_none())
    }

    /// Ends the run, but not the file.
    pub fn close(mut self) -> ClosedLedger {
        let not_done = self.not_done();
        if self.in_order {
            self.write_ahead();
        }

        let mut records: Vec<CheckRecord> = self.records.into_iter().flatten().collect();
        let cells = self.leaves.map(|mut leaves| {
            for record in &records {
                leaves.add(record);
            }
            leaves.by_device()
        });
        // Entries are stale only if every check ran: a missing check might differ.
        let stale = not_done == 0 && known::mark_stale(self.known, &mut records, self.devices);
        let seen = known::seen_in_shard(self.known, &records, self.devices);
        let fixed = if not_done == 0 { known::fixed_here(self.known, &records, self.devices) } else { Vec::new() };
        let end = RunEnd { not_done: u32::try_from(not_done).unwrap_or(u32::MAX), seen, ..fold(&records) };
        let written = match (self.in_order && !stale, self.sheds_rows) {
            // `--resume` takes records in any order.
            (true, _) if not_done > 0 || self.order.is_sorted() => WrittenState::Whole,
            (true, _) => WrittenState::Shuffled(self.order),
            (false, true) => WrittenState::Unmarked(self.order),
            (false, false) => WrittenState::Other,
        };
        ClosedLedger {
            records,
            end,
            fixed,
            cells: cells.unwrap_or_default(),
            file: OpenFile { file: self.file, state: written },
        }
    }
}

/// The records of a finished run.
#[derive(Debug)]
pub struct ClosedLedger {
    /// The records, in the order of the run.
    pub records: Vec<CheckRecord>,
    /// Their totals.
    pub end: RunEnd,
    /// Entries of a narrowed run that no longer match a difference.
    pub fixed: Vec<FixedEntry>,
    /// The leaves that devices answered, if the ledger was to count them.
    pub cells: Vec<DeviceCells>,
    /// The records file, without its end line.
    pub file: OpenFile,
}

/// The records file of a finished run, if it has one.
#[derive(Debug)]
pub struct OpenFile {
    file: Option<RecordsFile>,
    state: WrittenState,
}

/// How the lines of a file differ from the final records.
#[derive(Clone, Debug, PartialEq, Eq)]
enum WrittenState {
    /// They are the same.
    Whole,
    /// They have another order: the places of the records by line.
    Shuffled(Vec<usize>),
    /// They have the rows, but no marks for checks of stale entries, and perhaps another order.
    Unmarked(Vec<usize>),
    /// The ledger has the rows, and the file is rewritten.
    Other,
}

impl OpenFile {
    pub fn end(self, records: &[CheckRecord], end: &RunEnd) -> anyhow::Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        match self.state {
            _ if file.is_written_at_end() => file.rewrite(records, end),
            WrittenState::Whole => file.end(end),
            WrittenState::Shuffled(order) => file.reorder(&order, end),
            WrittenState::Unmarked(order) => file.mark(&order, records, end),
            WrittenState::Other => file.rewrite(records, end),
        }
    }
}

/// Removes the rows and copies the rest of the record. The rest was allocated between the rows, and
/// would keep their pages from returning to the system.
fn drop_rows(record: &mut CheckRecord) {
    record.rows = Vec::new();
    *record = record.clone();
}

/// The record as it was before stale entries were marked.
pub fn before_the_end(mut record: CheckRecord) -> CheckRecord {
    if let Outcome::Stale(_) = record.outcome {
        record.outcome = Outcome::Agrees;
    }
    record
}
