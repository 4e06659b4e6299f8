//! Reads the checks that `ci/known-evidence` extracted from the records of a run: they show known
//! differences that no frozen decision shows.

use anyhow::Context;
use layoutproof_built_in::KNOWN_EVIDENCE;
use layoutproof_core::results::record::CheckRecord;
use layoutproof_site::{KnownEvidence, KnownList};
use serde::Deserialize;

/// A line of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptCheck {
    /// For example `ci/known/dxc.toml`.
    list: String,
    /// The reason of the entry.
    reason: String,
    /// The producer and the device, with versions.
    origin: String,
    check: CheckRecord,
}

/// The checks whose entries still exist.
///
/// # Errors
/// A line cannot be parsed.
pub(super) fn kept_evidence(lists: &[KnownList]) -> anyhow::Result<Vec<KnownEvidence>> {
    let mut found = Vec::new();
    for KeptCheck { list, reason, origin, check } in kept_checks()? {
        let mut entries = lists.iter().flat_map(|known| &known.entries);
        let entry = entries.find(|entry| (entry.file.as_str(), entry.reason.as_str()) == (&list, &reason));
        found.extend(entry.map(|entry| KnownEvidence {
            file: list,
            line: entry.line,
            origin: format!("{origin}, in a run that was recorded"),
            record: check,
        }));
    }
    Ok(found)
}

fn kept_checks() -> anyhow::Result<Vec<KeptCheck>> {
    let lines = KNOWN_EVIDENCE.lines().zip(1..);
    let check = |(line, number): (&str, u32)| {
        serde_json::from_str(line).with_context(|| format!("ci/known-evidence.jsonl:{number}"))
    };
    lines.map(check).collect()
}

#[cfg(test)]
mod tests {
    use super::super::known_lists::known_lists;
    use super::*;

    #[test]
    fn every_kept_check_shows_an_entry_that_is_there() {
        let lists = known_lists().unwrap();
        let kept = kept_checks().unwrap();
        let lost: Vec<&str> = kept
            .iter()
            .filter(|kept| {
                let mut entries = lists.iter().flat_map(|list| &list.entries);
                !entries.any(|entry| (&entry.file, &entry.reason) == (&kept.list, &kept.reason))
            })
            .map(|kept| kept.reason.as_str())
            .collect();
        assert_eq!(lost, Vec::<&str>::new(), "run `ci/known-evidence RECORDS` with the records of a whole run");
        assert_eq!(kept_evidence(&lists).unwrap().len(), kept.len());
    }
}
