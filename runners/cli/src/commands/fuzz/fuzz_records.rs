//! The records of a fuzz run as JSON lines, as `layoutproof run` writes its own.
//!
//! Checks that shrinking makes are not recorded: each is the same declaration again, made smaller.

use std::path::Path;

use layoutproof_core::report::summary;
use layoutproof_core::results::record::{CheckRecord, RunEnd, RunHeader, SCHEMA};

use crate::records::records_file::{RecordsFile, RecordsTarget};

/// A records file that grows with the run.
#[derive(Debug)]
pub(super) struct FuzzRecords {
    file: RecordsFile,
    end: RunEnd,
    /// All records, where a file such as a pipe is written at the end.
    kept: Vec<CheckRecord>,
}

impl FuzzRecords {
    /// Begins the file with the header of the run.
    ///
    /// # Errors
    /// Another process writes it.
    pub(super) fn begin(path: &Path, header: RunHeader, failed_listings: &[String]) -> anyhow::Result<Self> {
        let end = RunEnd { schema: SCHEMA, failed_listings: failed_listings.to_vec(), ..RunEnd::default() };
        Ok(Self { file: RecordsTarget::open(path)?.begin(header, &[]), end, kept: Vec::new() })
    }

    /// Adds the record of a check.
    pub(super) fn add(&mut self, record: &CheckRecord) {
        summary::add(&mut self.end, record);
        if self.file.is_written_at_end() {
            self.kept.push(record.clone());
        } else {
            self.file.add(record);
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The reason why it could not be written, now or before.
    pub(super) fn end(self) -> anyhow::Result<()> {
        if self.file.is_written_at_end() { self.file.rewrite(&self.kept, &self.end) } else { self.file.end(&self.end) }
    }
}
