//! Lists of checks that may be wrong or flaky until a day: `layoutproof runs DIR --quarantine FILE`.
//!
//! ```toml
//! [[quarantine]]
//! check = "arrays::*::lavapipe::*"   # a pattern for names of checks
//! until = "2027-03-01"               # the last day on which the entry holds
//! reason = "https://example.org/issues/123"
//! ```

use chrono::NaiveDate;
use layoutproof_events::CheckId;
use layoutproof_layout::FileId;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;
use wildmatch::WildMatch;

use crate::toml_table::{FileProblems, TomlTable, parse};

#[derive(Clone, Debug)]
pub struct QuarantineEntry {
    check: WildMatch,
    pub until: NaiveDate,
    pub reason: String,
}

impl QuarantineEntry {
    pub fn matches(&self, check: &CheckId) -> bool {
        self.check.matches(&check.to_string())
    }

    /// The pattern, as the list has it.
    pub fn pattern(&self) -> String {
        self.check.to_string()
    }
}

pub fn read(file: FileId, sources: &SourceMap) -> Result<Vec<QuarantineEntry>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut problems = FileProblems::new(file, Code::BadCase, &mut found);
    let root = parse(sources, &mut problems);
    let mut table = TomlTable::new(&root);
    let entries = table.tables("quarantine", &mut problems);
    let entries = entries.into_iter().filter_map(|entry| read_entry(entry, &mut problems)).collect();
    table.finish(&mut problems);
    if found.is_empty() { Ok(entries) } else { Err(found) }
}

fn read_entry(mut entry: TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Option<QuarantineEntry> {
    let [check, until, reason] = ["check", "until", "reason"].map(|key| entry.required_string(key, problems));
    let day = until.as_deref().and_then(|until| {
        let day = NaiveDate::parse_from_str(until, "%Y-%m-%d").ok();
        if day.is_none() {
            problems.report(entry.range(), format!("`until` is a day such as \"2027-03-01\", not `{until}`"));
        }
        day
    });
    entry.finish(problems);
    Some(QuarantineEntry { check: WildMatch::new(&check?), until: day?, reason: reason? })
}
