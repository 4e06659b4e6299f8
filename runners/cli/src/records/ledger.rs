//! Collects the records of a run while checks end.
//!
//! Records come in as checks end, in any order; each gets the place of its check, known differences are marked, and the
//! records file grows. At the end all of them come out in the order of the run.

use std::collections::{HashMap, VecDeque};

use anyhow::bail;
use layoutproof_core::report::summary::fold;
use layoutproof_core::results::known::shape::ShapeAt;
use layoutproof_core::results::known::{self, FixedEntry, KnownFailure};
use layoutproof_core::results::record::{CheckRecord, Outcome, RunEnd};
use layoutproof_device::DeviceInfo;

use crate::records::records_file::RecordsFile;

/// The records of a run, each in the place of its check.
#[derive(Debug)]
pub(crate) struct Ledger<'a> {
    /// By name, the places that no record has yet. A file that is named twice has two checks of a name.
    open: HashMap<String, VecDeque<usize>>,
    records: Vec<Option<CheckRecord>>,
    /// Places before this one are in the file, where it is in order.
    next: usize,
    /// True if the file so far is the beginning of the whole one.
    in_order: bool,
    /// True if records lose their rows once nobody here needs these any more.
    sheds_rows: bool,
    file: Option<RecordsFile>,
    known: &'a [KnownFailure],
    devices: &'a [DeviceInfo],
    /// The shapes of members by case, of files and of cases that no list names.
    shapes: HashMap<String, Vec<ShapeAt>>,
}

impl<'a> Ledger<'a> {
    /// A ledger with a place for the check of each name, in the order of the run.
    pub(crate) fn new(names: &[String], known: &'a [KnownFailure], devices: &'a [DeviceInfo]) -> Self {
        let mut open: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (place, name) in names.iter().enumerate() {
            open.entry(name.clone()).or_default().push_back(place);
        }
        Self {
            open,
            records: vec![None; names.len()],
            next: 0,
            in_order: true,
            sheds_rows: false,
            file: None,
            known,
            devices,
            shapes: HashMap::new(),
        }
    }

    /// What lists say of these shapes is about the cases and files that have them.
    pub(crate) fn know_shapes(&mut self, shapes: HashMap<String, Vec<ShapeAt>>) {
        self.shapes = shapes;
    }

    /// Marks a known difference.
    fn explain(&self, record: &mut CheckRecord) {
        known::explain(self.known, record, self.devices);
        if let Some(shapes) = self.shapes.get(&record.case) {
            known::shape::explain(self.known, record, self.devices, shapes);
        }
    }

    /// Takes over the records of an earlier run.
    ///
    /// # Errors
    /// A record of a check that this run has not.
    pub(crate) fn resume(&mut self, kept: Vec<CheckRecord>) -> anyhow::Result<()> {
        for record in kept {
            let name = record.name();
            if !self.put(record) {
                bail!("cannot resume: `{name}` is not part of this run, or was recorded twice");
            }
        }
        let prefix = self.records.iter().take_while(|record| record.is_some()).count();
        self.in_order = prefix == self.done();
        self.next = prefix;
        Ok(())
    }

    /// Writes the records to this file as they come; it has those already that are here now.
    pub(crate) fn write_to(&mut self, file: RecordsFile) {
        self.file = Some(file);
    }

    /// From now on, the rows of a check that agrees or was skipped are in the file alone once they are there, so that a run of
    /// many cases does not fill the memory. They stay where the file is written anew, or as a whole, at its end.
    pub(crate) fn shed_rows(&mut self) {
        self.sheds_rows = self.in_order && !self.file.as_ref().is_some_and(RecordsFile::is_written_at_end);
    }

    /// True if the check of this name is still to be done.
    pub(crate) fn lacks(&self, name: &str) -> bool {
        self.open.get(name).is_some_and(|places| !places.is_empty())
    }

    /// Number of checks that have a record.
    pub(crate) fn done(&self) -> usize {
        self.records.len() - self.open.values().map(VecDeque::len).sum::<usize>()
    }

    /// Number of checks that have none.
    pub(crate) fn not_done(&self) -> usize {
        self.records.len() - self.done()
    }

    /// The records so far.
    pub(crate) fn so_far(&self) -> Vec<CheckRecord> {
        self.records.iter().flatten().cloned().collect()
    }

    /// What a record comes to once known differences are marked.
    pub(crate) fn outcome(&self, record: &CheckRecord) -> Outcome {
        match record.outcome {
            Outcome::Differ | Outcome::Broken => {
                let mut record = record.clone();
                self.explain(&mut record);
                record.outcome
            }
            Outcome::Agree | Outcome::Known | Outcome::Stale | Outcome::Skipped => record.outcome,
        }
    }

    /// Takes the record of a check that is done, and returns what it came to.
    pub(crate) fn add(&mut self, mut record: CheckRecord) -> Outcome {
        self.explain(&mut record);
        let outcome = record.outcome;
        if let (false, Some(file)) = (self.in_order, &mut self.file) {
            file.add(&record);
        }

        let taken = self.put(record);
        debug_assert!(taken, "a check is run once, and only where it lacks a record");
        while let (true, Some(Some(record))) = (self.in_order, self.records.get_mut(self.next)) {
            if let Some(file) = &mut self.file {
                file.add(record);
            }
            if self.sheds_rows && matches!(record.outcome, Outcome::Agree | Outcome::Skipped) {
                drop_rows(record);
            }
            self.next += 1;
        }
        outcome
    }

    /// Sees to it that a kill does not lose what was added so far.
    pub(crate) fn flush(&mut self) {
        if let Some(file) = &mut self.file {
            file.flush();
        }
    }

    fn put(&mut self, record: CheckRecord) -> bool {
        let place = self.open.get_mut(&record.name()).and_then(VecDeque::pop_front);
        place.is_some_and(|place| self.records[place].replace(record).is_none())
    }

    /// Ends the run, the file excepted.
    pub(crate) fn close(mut self) -> ClosedLedger {
        let not_done = self.not_done();
        let behind_a_gap = self.records.iter().skip(self.next).flatten();
        if let (true, Some(file)) = (self.in_order, &mut self.file) {
            behind_a_gap.for_each(|record| file.add(record));
        }

        let mut records: Vec<CheckRecord> = self.records.into_iter().flatten().collect();
        // What is missing may be what differs.
        let stale = not_done == 0 && known::mark_stale(self.known, &mut records, self.devices);
        let seen = known::seen_in_shard(self.known, &records, self.devices);
        let fixed = if not_done == 0 { known::fixed_here(self.known, &records, self.devices) } else { Vec::new() };
        let end = RunEnd { not_done: u32::try_from(not_done).unwrap_or(u32::MAX), seen, ..fold(&records) };
        let written = match (self.in_order && !stale, self.sheds_rows) {
            (true, _) => WrittenState::Whole,
            (false, true) => WrittenState::Unmarked,
            (false, false) => WrittenState::Other,
        };
        ClosedLedger { records, end, fixed, file: OpenFile { file: self.file, state: written } }
    }
}

/// The records of a run that is over.
#[derive(Debug)]
pub(crate) struct ClosedLedger {
    /// In the order of the run.
    pub records: Vec<CheckRecord>,
    /// Their totals.
    pub end: RunEnd,
    /// Entries of a narrowed run of which no check differs.
    pub fixed: Vec<FixedEntry>,
    /// The records file, which has no end yet.
    pub file: OpenFile,
}

/// The records file of a run that is over, if there is one.
#[derive(Debug)]
pub(crate) struct OpenFile {
    file: Option<RecordsFile>,
    state: WrittenState,
}

/// Whether the lines of a file are what the run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrittenState {
    /// They are.
    Whole,
    /// They have the rows, but checks of stale entries are not marked in them.
    Unmarked,
    /// They have another order, or checks are not marked; the ledger has the rows.
    Other,
}

impl OpenFile {
    /// Ends the file.
    ///
    /// # Errors
    /// The file, with the reason why it could not be written.
    pub(crate) fn end(self, records: &[CheckRecord], end: &RunEnd) -> anyhow::Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        match self.state {
            _ if file.is_written_at_end() => file.rewrite(records, end),
            WrittenState::Whole => file.end(end),
            WrittenState::Unmarked => file.mark(records, end),
            WrittenState::Other => file.rewrite(records, end),
        }
    }
}

/// Removes the rows, and copies what is left: that was allocated between them, and would keep their pages from going back to
/// the system.
fn drop_rows(record: &mut CheckRecord) {
    record.rows = Vec::new();
    *record = record.clone();
}

/// The same record before anything was said of the run as a whole.
pub(crate) fn before_the_end(mut record: CheckRecord) -> CheckRecord {
    if record.outcome == Outcome::Stale {
        record.outcome = Outcome::Agree;
        record.known = None;
    }
    record
}
