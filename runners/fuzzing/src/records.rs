//! Writes the records of a fuzz run as JSON lines, in the format of `layoutproof run`.
//!
//! Checks made while shrinking are not recorded: they repeat a declaration in smaller forms.

use std::collections::BTreeMap;

use layoutproof_core::results::known::KnownFailure;
use layoutproof_device::DeviceInfo;
use layoutproof_events::summary;
use layoutproof_events::{CheckRecord, RunEnd, SCHEMA, ToolBuild};
use layoutproof_executor::drivers::FetchedDrivers;
use layoutproof_records::records_file::{self, RecordsFile, RecordsTarget};
use layoutproof_source::stable_hash::stable_hash;

#[derive(Debug)]
pub struct FuzzRecords {
    file: RecordsFile,
    end: RunEnd,
    /// All records, if the file is one that must be written at the end, such as a pipe.
    kept: Vec<CheckRecord>,
}

/// The contents of the header line, besides the arguments.
#[derive(Debug)]
pub struct FuzzHeaderFacts<'a> {
    pub devices: &'a [DeviceInfo],
    /// Version and digest of each participating compiler.
    pub builds: BTreeMap<String, ToolBuild>,
    /// Number of declarations or programs.
    pub draws: u64,
    pub known: &'a [KnownFailure],
    /// Drivers that `setup` fetched.
    pub drivers: &'a FetchedDrivers,
    /// A message for each API whose devices could not be listed.
    pub failed_listings: &'a [String],
}

impl FuzzRecords {
    pub fn begin(target: RecordsTarget, facts: FuzzHeaderFacts<'_>, arguments: BTreeMap<String, Vec<String>>) -> Self {
        let FuzzHeaderFacts { devices, builds, draws, known, drivers, failed_listings } = facts;
        let draws = usize::try_from(draws).unwrap_or(usize::MAX);
        let inputs = format!("{:016x}", stable_hash(&format!("{known:?}")));
        let header = records_file::header(devices, builds, draws, inputs, drivers, arguments);
        let end = RunEnd { schema: SCHEMA, failed_listings: failed_listings.to_vec(), ..RunEnd::default() };
        Self { file: target.begin(header, &[]), end, kept: Vec::new() }
    }

    pub(crate) fn add(&mut self, record: &CheckRecord) {
        summary::add(&mut self.end, record);
        if self.file.is_written_at_end() {
            self.kept.push(record.clone());
        } else {
            self.file.add(record);
        }
    }

    pub fn end(self) -> anyhow::Result<()> {
        if self.file.is_written_at_end() { self.file.rewrite(&self.kept, &self.end) } else { self.file.end(&self.end) }
    }
}
