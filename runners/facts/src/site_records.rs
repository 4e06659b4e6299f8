//! Reads the records for a site.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::DateTime;
use layoutproof_records::merge::{MergedRuns, RecordedPart, merge};
use layoutproof_site::{RecordedFile, SiteRecords};

/// Merges the records of all files into one run.
///
/// # Errors
/// A file cannot be read, is not a records file, or contradicts itself or another one.
pub fn site_records(paths: &[PathBuf]) -> anyhow::Result<SiteRecords> {
    let mut parts = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        let part = RecordedPart::read(path)?;
        files.push(RecordedFile { name: file_name(path), written: day_of_writing(path), runs: part.runs.clone() });
        parts.push(part);
    }

    let MergedRuns { devices, records, end, mut notes, missing, cut, .. } = merge(parts)?;
    notes.extend(missing.into_iter().chain(cut));
    Ok(SiteRecords { files, devices, checks: records, left_out: end.left_out, notes })
}

/// Omits the folder: the site must not reveal folders of this machine.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn day_of_writing(path: &Path) -> Option<String> {
    fs::metadata(path).and_then(|facts| facts.modified()).ok().and_then(day)
}

/// For example `2026-11-23`, in UTC; `None` for a time outside chrono's calendar.
fn day(time: SystemTime) -> Option<String> {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    let stamp = DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)?;
    Some(stamp.date_naive().to_string())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    // `date -u -d @1795392000 +%F`
    #[test]
    fn a_time_is_shown_as_its_day() {
        let at = |seconds| day(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0).as_deref(), Some("1970-01-01"));
        assert_eq!(at(1_795_392_000).as_deref(), Some("2026-11-23"));
        assert_eq!(at(u64::MAX / 4), None);
    }
}
