//! Finds the missing shards of a run, and merges the headers of shards.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_events::RunHeader;

use crate::shard::Shard;

/// The argument that holds the shard of a run.
const SHARD: &str = "shard";

/// The header of the whole run, and the shard of this run.
pub(crate) fn split(run: &RunHeader) -> (RunHeader, Option<Shard>) {
    let mut whole = run.clone();
    let shard = whole.arguments.remove(SHARD).and_then(|values| values.first()?.parse().ok());
    (whole, shard)
}

/// The available shards of one run.
#[derive(Debug, Default)]
struct Division {
    /// Shards without a case, which use no device.
    empty: BTreeSet<u32>,
    by_device: BTreeMap<String, BTreeSet<u32>>,
}

/// The arguments of a divided run, and the number of shards.
type DividedRun = (BTreeMap<String, Vec<String>>, u32);

/// A message for each shard that no header has. If other devices have the shard, the message names
/// the device.
pub(crate) fn missing_shards(runs: &[RunHeader]) -> Vec<String> {
    let mut divisions: BTreeMap<DividedRun, Division> = BTreeMap::new();
    let is_whole = |run: &RunHeader| runs.iter().any(|other| other.arguments == run.arguments);

    for (run, shard) in runs.iter().map(split).filter(|(run, _)| !is_whole(run)) {
        let Some(Shard { number, of }) = shard else { continue };
        let division = divisions.entry((run.arguments, of)).or_default();
        if run.devices.is_empty() {
            division.empty.insert(number);
        }
        for device in &run.devices {
            let place = format!("{} via {}", device.id, device.runner.title());
            division.by_device.entry(place).or_default().insert(number);
        }
    }

    divisions.iter().flat_map(|((_, of), division)| division.missing(*of)).collect()
}

impl Division {
    fn missing(&self, of: u32) -> Vec<String> {
        let lacking = |numbers: &BTreeSet<u32>, what: &str| -> Vec<String> {
            let lacking = (1..=of).filter(|number| !numbers.contains(number) && !self.empty.contains(number));
            lacking.map(|number| format!("shard {number}/{of}{what} is missing")).collect()
        };

        // Report shards that every device lacks once, not once per device.
        let mut sets = self.by_device.values();
        match sets.next() {
            None => lacking(&BTreeSet::new(), ""),
            Some(first) if sets.all(|numbers| numbers == first) => lacking(first, ""),
            Some(_) => {
                let of_device = |(place, numbers): (&String, &BTreeSet<u32>)| lacking(numbers, &format!(" of {place}"));
                self.by_device.iter().flat_map(of_device).collect()
            }
        }
    }
}

/// The headers of whole runs, with the shards of each run merged.
pub(crate) fn undivided(runs: &[RunHeader]) -> Vec<RunHeader> {
    let mut whole: Vec<CollectedRun> = Vec::new();
    for (run, shard) in runs.iter().map(split) {
        match whole.iter_mut().find(|known| known.is_of(&run)) {
            Some(known) => known.add(run, shard),
            None => whole.push(CollectedRun { shards: BTreeSet::from([shard]), header: run }),
        }
    }
    whole.into_iter().map(|run| run.header).collect()
}

/// A run whose shards are merged one by one.
struct CollectedRun {
    /// The header of the whole run, with the number of cases so far.
    header: RunHeader,
    /// The shards so far; `None` is an undivided run.
    shards: BTreeSet<Option<Shard>>,
}

impl CollectedRun {
    /// True if a header belongs to the same run. A shard without a case uses no device, so its list
    /// of devices is empty.
    fn is_of(&self, run: &RunHeader) -> bool {
        let known = &self.header;
        (&known.arguments, &known.inputs, &known.layoutproof) == (&run.arguments, &run.inputs, &run.layoutproof)
            && (known.devices.is_empty() || run.devices.is_empty() || known.devices == run.devices)
    }

    fn add(&mut self, run: RunHeader, shard: Option<Shard>) {
        let known = &mut self.header;
        if self.shards.insert(shard) {
            known.cases = known.cases.saturating_add(run.cases);
        }
        if known.devices.is_empty() {
            known.devices = run.devices;
        }
    }
}

#[cfg(test)]
mod tests {
    use layoutproof_device::{DeviceInfo, Runner};
    use layoutproof_events::RecordsFilter;
    use layoutproof_model::Model;

    use super::*;

    /// The header of a shard that ran on these devices.
    fn header(shard: Option<&str>, devices: &[&str]) -> RunHeader {
        let device = |id: &&str| DeviceInfo { id: (*id).to_owned(), ..Model::new().device().clone() };
        RunHeader {
            schema: 1,
            layoutproof: "0.1.0".to_owned(),
            devices: devices.iter().map(device).collect(),
            tools: BTreeMap::new(),
            environment: BTreeMap::new(),
            cases: 5,
            records: RecordsFilter::All,
            arguments: shard.iter().map(|shard| (SHARD.to_owned(), vec![(*shard).to_owned()])).collect(),
            inputs: String::new(),
        }
    }

    fn missing(shards: &[(&str, &[&str])]) -> String {
        let headers: Vec<_> = shards.iter().map(|(shard, devices)| header(Some(shard), devices)).collect();
        missing_shards(&headers).join("; ")
    }

    #[test]
    fn every_device_has_every_shard() {
        assert_eq!(missing(&[("1/2", &["a"]), ("2/2", &["a"])]), "");
        assert_eq!(missing(&[("1/3", &["a"]), ("3/3", &["a"])]), "shard 2/3 is missing");
        assert_eq!(missing(&[("1/2", &["a", "b"]), ("2/2", &["a"])]), "shard 2/2 of b via model is missing");
        assert_eq!(missing(&[("1/2", &[]), ("2/2", &["a"])]), "");
        assert_eq!(missing(&[("1/2", &[])]), "shard 2/2 is missing");
        assert_eq!(missing(&[("1/2", &["a"]), ("2/3", &["a"])]).matches("is missing").count(), 3);
    }

    #[test]
    fn shards_become_their_run() {
        let shards = ["1/2", "2/2", "2/2"].map(|shard| header(Some(shard), &["a"]));
        assert_eq!(undivided(&shards), [RunHeader { cases: 10, ..header(None, &["a"]) }]);
        assert!(missing_shards(&[header(Some("1/2"), &["a"]), header(None, &["a"])]).is_empty());
    }
}
