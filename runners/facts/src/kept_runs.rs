//! Reads the results of devices that the program contains.

use anyhow::{Context, bail, ensure};
use layoutproof_built_in::DEVICE_RUNS;
use layoutproof_core::results::known;
use layoutproof_core::results::known::KnownFailure;
use layoutproof_events::RunEnd;
use layoutproof_site::{KeptRun, KnownList};

use layoutproof_records::recorded::{self, RecordedRuns};

/// The kept runs, with the known differences of `lists`: a device is often seen before its faults are
/// understood.
///
/// # Errors
/// A file contradicts itself, or is not of one run.
pub fn kept_runs(lists: &[KnownList]) -> anyhow::Result<Vec<KeptRun>> {
    let known: Vec<KnownFailure> = lists.iter().flat_map(|list| list.entries.iter().cloned()).collect();
    let mut kept = Vec::new();
    for file in DEVICE_RUNS {
        let path = format!("ci/devices/{}.jsonl.zst", file.name);
        let RecordedRuns { runs, mut checks, end } = recorded::read(&path, file.bytes)?;
        let mut runs = runs.into_iter();
        let (Some(run), None) = (runs.next(), runs.next()) else { bail!("{path} is not of one run") };
        for check in &mut checks {
            known::explain(&known, check, &run.devices);
        }
        let end: RunEnd = end.with_context(|| format!("{path} is of a run that was cut short"))?;
        let (name, date) = file.name.rsplit_once('.').unwrap_or_default();
        ensure!(is_day(date), "{path}: the name lacks the day of the run, as in nvidia-h200.2026-11-26.jsonl.zst");
        kept.push(KeptRun { name: name.to_owned(), date: date.to_owned(), run, checks, end });
    }
    Ok(kept)
}

/// True for a day such as `2026-11-26`.
fn is_day(text: &str) -> bool {
    let is_dash = |at: usize| [4, 7].contains(&at);
    let is_right = |(at, byte): (usize, u8)| if is_dash(at) { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(is_right)
}

#[cfg(test)]
mod tests {
    use layoutproof_site::seen_on;

    use super::*;
    use crate::known_lists::known_lists;

    const README: &str = include_str!("../../../README.md");

    #[test]
    fn the_readme_names_every_device() {
        let runs = kept_runs(&known_lists().unwrap()).unwrap();
        let [others @ .., last] = &seen_on(&runs)[..] else { panic!("no device") };
        let sentence = format!("Every case has been run on {} and {last};", others.join(", "));
        assert!(README.contains(&sentence), "README.md lacks `{sentence}`");
    }

    #[test]
    fn the_faults_of_a_device_are_known_today() {
        let runs = kept_runs(&known_lists().unwrap()).unwrap();
        let gpu = runs.iter().find(|run| run.name == "nvidia-h200").unwrap();
        let vulkan = &gpu.devices()[0];
        assert_eq!(vulkan.info.name, "NVIDIA H200");
        assert_eq!((vulkan.counts.differ, vulkan.counts.broken), (0, 0));
        assert!(vulkan.wrong.iter().any(|check| check.outcome.entry().is_some_and(|it| it.file.contains("nvidia"))));
    }
}
