//! The records of a fuzz run as JSON lines, as `layoutproof run` writes its own.
//!
//! Checks that shrinking makes are not recorded: each is the same declaration again, made smaller.

use std::path::Path;

use layoutproof_core::report::summary;
use layoutproof_core::results::record::{CheckRecord, RunEnd, SCHEMA};
use layoutproof_core::stable_hash::stable_hash;

use super::Fuzz;
use super::draws::Draws;
use crate::records::records_file::{self, RecordsFile, RecordsTarget};

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
    pub(super) fn begin(path: &Path, fuzz: &Fuzz, draws: &Draws) -> anyhow::Result<Self> {
        let cases = usize::try_from(draws.numbers.end - draws.numbers.start).unwrap_or(usize::MAX);
        let inputs = format!("{:016x}", stable_hash(&format!("{:?}", fuzz.known)));
        let header = records_file::header(
            &fuzz.devices,
            fuzz.compilers.builds(&fuzz.toolchains),
            cases,
            inputs,
            &fuzz.launch.drivers,
        );
        let failed_listings = fuzz.failed_listings.clone();
        let end = RunEnd { schema: SCHEMA, failed_listings, ..RunEnd::default() };
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
