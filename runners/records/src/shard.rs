//! One of several parts of a run.
//!
//! A stable hash of the case's id selects the shard, or the times of an earlier run. So every machine computes the same
//! shards, and a case's checks, which share shaders, stay together.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use layoutproof_events::{CheckRecord, RunHeader};
use layoutproof_source::stable_hash::stable_hash;

/// One of several parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Which one, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl Shard {
    /// True if the case of this id is in the shard.
    pub fn takes(self, case: &str) -> bool {
        // Use the upper half: the lower bits of the hash depend only on the lower bits of the
        // letters.
        (stable_hash(case) >> 32) % u64::from(self.of) == u64::from(self.number - 1)
    }

    /// The shard's share of these numbers. The shards divide them in order, and their lengths
    /// differ by at most one.
    pub fn share_of(self, numbers: &Range<u64>) -> Range<u64> {
        let length = u128::from(numbers.end.saturating_sub(numbers.start));
        let before = |shards: u32| {
            let share = length * u128::from(shards) / u128::from(self.of);
            // A share is never longer than the whole.
            numbers.start + u64::try_from(share).unwrap_or(u64::MAX - numbers.start)
        };
        before(self.number - 1)..before(self.number)
    }
}

/// The time in milliseconds that each case took in an earlier run, for shards that take the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseTimes(BTreeMap<String, u64>);

impl CaseTimes {
    /// The time of each case in records, on all devices together.
    ///
    /// # Errors
    /// There is no record.
    pub fn of(checks: &[CheckRecord]) -> anyhow::Result<Self> {
        let mut times: BTreeMap<String, u64> = BTreeMap::new();
        for check in checks {
            let time = times.entry(check.id.case.clone()).or_default();
            // A check takes some time, however short.
            *time = time.saturating_add(check.ms).saturating_add(1);
        }
        anyhow::ensure!(!times.is_empty(), "the records have no check, and so no times");
        Ok(Self(times))
    }

    /// What records of a run have in place of the times: shards by other times are not its other shards.
    pub fn digest(&self) -> String {
        let lines: Vec<String> = self.0.iter().map(|(case, ms)| format!("{ms} {case}")).collect();
        format!("{:016x}", stable_hash(&lines.join("\n")))
    }

    /// The cases with whether each is in the shard: the longest goes to the shard with the least to do, then the next longest.
    pub fn cases_of(&self, shard: Shard) -> BTreeMap<&str, bool> {
        let mut by_time: Vec<(&str, u64)> = self.0.iter().map(|(case, ms)| (case.as_str(), *ms)).collect();
        by_time.sort_by_key(|(case, ms)| (Reverse(*ms), *case));
        // No case is left for more shards than there are cases.
        let shards = shard.of.min(u32::try_from(by_time.len()).unwrap_or(u32::MAX));
        let mut loads: BinaryHeap<Reverse<(u64, u32)>> = (1..=shards).map(|number| Reverse((0, number))).collect();
        let mut cases = BTreeMap::new();
        for (case, ms) in by_time {
            let Some(Reverse((load, number))) = loads.pop() else { break };
            cases.insert(case, number == shard.number);
            loads.push(Reverse((load.saturating_add(ms), number)));
        }
        cases
    }
}

/// The text is no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a shard is written I/N, from 1/N to N/N, or auto")]
pub struct BadShard;

impl FromStr for Shard {
    type Err = BadShard;

    fn from_str(text: &str) -> Result<Self, BadShard> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            Some(_) | None => Err(BadShard),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// The argument that holds the shard of a run.
const SHARD: &str = "shard";
/// The argument that holds the digest of the times by which a run was divided.
const TIMES: &str = "times";

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
    let undivided = |mut run: CollectedRun| {
        run.header.arguments.remove(TIMES);
        run.header
    };
    whole.into_iter().map(undivided).collect()
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
    use layoutproof_events::{Host, RecordsFilter};
    use layoutproof_model::Model;

    use super::*;

    /// Every id is in exactly one shard, and the shards have similar sizes.
    #[test]
    fn shards_are_together_everything_once() {
        let ids: Vec<String> = (0..3000).map(|index| format!("folder/case_{index}")).collect();
        for of in [1, 2, 3, 7] {
            let shards = (1..=of).map(|number| Shard { number, of });
            let counts: Vec<usize> = shards.map(|it| ids.iter().filter(|id| it.takes(id)).count()).collect();
            assert_eq!(counts.iter().sum::<usize>(), ids.len());
            let share = ids.len() / of as usize;
            assert!(counts.iter().all(|count| count.abs_diff(share) < share / 5 + 1), "{counts:?}");
        }
    }

    /// Cases that take 1 to 60 ms: each is in one shard, and no shard takes much longer than the mean.
    #[test]
    fn shards_by_times_take_the_same_time() {
        let times = CaseTimes((1..=60).map(|ms| (format!("case_{ms}"), ms)).collect());
        for of in [1, 2, 7, 59, 100] {
            let shards: Vec<u64> = (1..=of)
                .map(|number| {
                    let cases = times.cases_of(Shard { number, of });
                    cases.iter().filter(|(_, is_own)| **is_own).map(|(case, _)| times.0[*case]).sum()
                })
                .collect();
            assert_eq!(shards.iter().sum::<u64>(), 60 * 61 / 2, "{shards:?}");
            let mean = 60 * 61 / 2 / u64::from(of.min(60));
            assert!(shards.iter().all(|ms| *ms <= mean.max(60) * 11 / 10), "{of}: {shards:?}");
        }
        assert_ne!(times.digest(), CaseTimes([("case_1".to_owned(), 2)].into()).digest());
    }

    #[test]
    fn shares_of_numbers_follow_one_another() {
        for (numbers, of) in [(7..107, 3), (0..2, 3), (5..5, 2), (0..u64::MAX, 7)] {
            let shares: Vec<_> = (1..=of).map(|number| Shard { number, of }.share_of(&numbers)).collect();
            assert_eq!((shares[0].start, shares[of as usize - 1].end), (numbers.start, numbers.end));
            assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start), "{shares:?}");
            let lengths = shares.iter().map(|share| share.end - share.start);
            assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1, "{shares:?}");
        }
    }

    /// The hash of `foobar` is 0x85944171f73967e8 (FNV reference vectors); its upper half is 2241085809, which is
    /// 4 modulo 7 and 0 modulo 3.
    #[test]
    fn shards_stay_what_they_are() {
        assert!(Shard { number: 1, of: 3 }.takes("foobar"));
        assert!(Shard { number: 5, of: 7 }.takes("foobar"));
    }

    #[test]
    fn a_shard_counts_from_one() {
        assert_eq!("2/3".parse(), Ok(Shard { number: 2, of: 3 }));
        for text in ["0/3", "4/3", "1/0", "2", "a/b", "", "1/3/5", "-1/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    /// The header of a shard that ran on these devices.
    fn header(shard: Option<&str>, devices: &[&str]) -> RunHeader {
        let device = |id: &&str| DeviceInfo { id: (*id).to_owned(), ..Model::new().device().clone() };
        RunHeader {
            schema: 1,
            layoutproof: "0.1.0".to_owned(),
            host: Host::default(),
            devices: devices.iter().map(device).collect(),
            tools: BTreeMap::new(),
            environment: BTreeMap::new(),
            cases: 5,
            records: RecordsFilter::Full,
            arguments: shard.iter().map(|shard| (SHARD.to_owned(), vec![(*shard).to_owned()])).collect(),
            outputs: Vec::new(),
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
