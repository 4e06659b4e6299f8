//! Merges the records of several files into one run, for `layoutproof report`.
//!
//! Each check occurs once, in the order of a single run; the shards of a run become that run.
//! Reports missing shards, and refuses records that contradict each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::bail;
use layoutproof_core::results::known;
use layoutproof_device::DeviceInfo;
use layoutproof_events::summary::{add_left_out, fold};
use layoutproof_events::{CheckDevice, CheckId};
use layoutproof_events::{CheckRecord, RecordsFilter, RunEnd, RunHeader, add_cells, add_count};
use layoutproof_executor::plan::CASES_AT_ONCE;

use crate::recorded::{self, RecordedRuns};
use crate::recorded_sources::add_sources;
use crate::shard::Shard;
use crate::shard::{missing_shards, split, undivided};
use layoutproof_events::shell::shell_word;
use layoutproof_inputs::files::{self, FileKind};
use layoutproof_inputs::inputs::InputWord;

/// The content of one file.
#[derive(Clone, Debug)]
pub struct RecordedPart {
    pub name: String,
    /// One run; several if the file was merged from runs that are not shards of one.
    pub runs: Vec<RunHeader>,
    pub checks: Vec<CheckRecord>,
    /// The last line, whose totals are ignored; `None` if the run was cut short.
    pub end: Option<RunEnd>,
}

#[derive(Clone, Debug)]
pub struct MergedRuns {
    /// One run, if all files are shards of it.
    pub runs: Vec<RunHeader>,
    /// The distinct devices of each API.
    pub devices: Vec<DeviceInfo>,
    /// The records, in the order of a run.
    pub records: Vec<CheckRecord>,
    /// Their totals.
    pub end: RunEnd,
    /// Notes for the reader about differing devices and tools.
    pub notes: Vec<String>,
    /// A message for each missing shard.
    pub missing: Vec<String>,
    /// A message for each file whose run was killed.
    pub cut: Vec<String>,
}

/// Merges the parts.
///
/// # Errors
/// Two records of one check differ, shards belong to different runs, or a file of failures is not
/// alone.
pub fn merge(mut parts: Vec<RecordedPart>) -> anyhow::Result<MergedRuns> {
    let have_cells = parts.iter().all(|part| !part.filter().is_full());
    if parts.iter().any(|part| part.filter() == RecordsFilter::Outcomes) {
        parts.iter_mut().for_each(RecordedPart::leave_out_rows);
    }
    let runs: Vec<RunHeader> = parts.iter().flat_map(|part| part.runs.iter().cloned()).collect();
    check_shards(&parts)?;
    let missing = missing_shards(&runs);
    check_filters(&parts)?;
    let cut = parts.iter().filter(|part| part.end.is_none());
    let cut: Vec<String> = cut.map(RecordedPart::cut_sentence).collect();

    let mut end = RunEnd::default();
    for part in parts.iter().filter_map(|part| part.end.as_ref()) {
        end.not_done = end.not_done.saturating_add(part.not_done);
        end.fail_fast |= part.fail_fast;
        end.allowed_restarts = end.allowed_restarts.saturating_add(part.allowed_restarts);
        // The records have the faults of their checks.
        let of_listings = part.faults.iter().filter(|fault| fault.checks.is_empty());
        of_listings.cloned().for_each(|fault| add_count(&mut end.faults, fault));
        end.ms = end.ms.saturating_add(part.ms);
        end.seen.extend(part.seen.iter().cloned());
        end.cache = match (end.cache, &part.cache) {
            (Some(sum), Some(of_part)) => Some(Box::new(sum.plus(**of_part))),
            (Some(sum), None) => Some(sum),
            (None, of_part) => of_part.clone(),
        };
        // A file that leaves checks out is the only file, see `check_filters`.
        end.left_out.clone_from(&part.left_out);
        end.left_out_cases.clone_from(&part.left_out_cases);
        add_cells(&mut end.cells, &part.cells);
        add_sources(&mut end.sources, &part.sources);
        if let Some(account) = &part.account {
            let entries = &mut end.account.get_or_insert_default().entries;
            // Records of one file may be given twice, such as those of two machines.
            let new: Vec<_> = account.entries.iter().filter(|entry| !entries.contains(entry)).cloned().collect();
            entries.extend(new);
        }
        for failure in &part.failed_listings {
            // Several machines may fail in the same way.
            if !end.failed_listings.contains(failure) {
                end.failed_listings.push(failure.clone());
            }
        }
    }

    let (devices, mut notes) = devices(&runs);
    notes.extend(tools(&runs));
    let recorded: usize = parts.iter().map(|part| part.checks.len()).sum();
    let mut records = each_once(parts)?;
    // Cells count the leaves of all checks of a part, so they cannot be added if a check is in two parts.
    if !have_cells || records.len() < recorded {
        end.cells.clear();
    }
    let order = RunOrder::of(&runs, &devices, &records);
    records.sort_by_cached_key(|record| order.place(record));

    if missing.is_empty() && cut.is_empty() && end.not_done == 0 {
        known::mark_seen(&end.seen, &mut records);
        end.seen.clear();
    }
    let RunEnd {
        not_done,
        fail_fast,
        allowed_restarts,
        faults,
        ms,
        seen,
        failed_listings,
        left_out,
        left_out_cases,
        cells,
        sources,
        cache,
        account,
        ..
    } = end;
    let mut totals = fold(&records);
    for group in &left_out {
        add_left_out(&mut totals, group);
    }
    for fault in faults {
        add_count(&mut totals.faults, fault);
    }
    let end = RunEnd {
        not_done,
        fail_fast,
        allowed_restarts,
        ms,
        seen,
        failed_listings,
        left_out,
        left_out_cases,
        cells,
        sources,
        cache,
        account,
        ..totals
    };

    let runs = if missing.is_empty() { undivided(&runs) } else { distinct(runs) };
    Ok(MergedRuns { runs, devices, records, end, notes, missing, cut })
}

impl RecordedPart {
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let bytes = files::read(path, FileKind::Records)?;
        let RecordedRuns { runs, checks, end } = recorded::read(&name, &bytes)?;
        if runs.is_empty() {
            bail!("{name} has no first line, so these are not the records of a run");
        }
        Ok(Self { name, runs, checks, end })
    }

    /// What the file holds of each of its runs.
    fn filter(&self) -> RecordsFilter {
        self.runs.first().map(|run| run.records).unwrap_or_default()
    }

    /// True if the file leaves out the checks that agreed.
    pub fn is_filtered(&self) -> bool {
        !self.filter().has_every_check()
    }

    /// Makes it a part whose plain checks have no rows, unless it leaves them out as a whole.
    fn leave_out_rows(&mut self) {
        if self.is_filtered() {
            return;
        }
        self.runs.iter_mut().for_each(|run| run.records = RecordsFilter::Outcomes);
        self.checks.iter_mut().filter(|check| !check.needs_rows()).for_each(|check| check.rows.clear());
    }

    fn cut_sentence(&self) -> String {
        let name = &self.name;
        if self.is_filtered() {
            format!("{name}: the run was cut short, and it kept no agreeing checks (--records failures): run it again")
        } else {
            format!("{name}: the run was cut short; `layoutproof run --resume {}` resumes it", shell_word(name))
        }
    }
}

/// Refuses a file of failures next to others: if one of them leaves out a check, the two cannot be
/// compared.
fn check_filters(parts: &[RecordedPart]) -> anyhow::Result<()> {
    let Some(filtered) = parts.iter().find(|part| part.is_filtered()) else { return Ok(()) };
    if parts.len() > 1 {
        bail!(
            "{} leaves out the checks that agreed (--records failures), so it cannot be merged with other records: \
             report it alone",
            filtered.name
        );
    }
    Ok(())
}

/// The distinct headers: a file that is named twice counts once.
fn distinct(runs: Vec<RunHeader>) -> Vec<RunHeader> {
    let mut once: Vec<RunHeader> = Vec::new();
    for run in runs {
        if !once.contains(&run) {
            once.push(run);
        }
    }
    once
}

struct FirstRecord {
    file: usize,
    /// Index among all records.
    record: usize,
}

/// Each check once. Two records of one check must have equal answers; their faults are those of both.
fn each_once(parts: Vec<RecordedPart>) -> anyhow::Result<Vec<CheckRecord>> {
    let mut known: HashMap<CheckId, FirstRecord> = HashMap::new();
    let mut records: Vec<CheckRecord> = Vec::new();
    let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();

    for (file, part) in parts.into_iter().enumerate() {
        for record in part.checks {
            let Some(first) = known.get(&record.id) else {
                known.insert(record.id.clone(), FirstRecord { file, record: records.len() });
                records.push(record);
                continue;
            };

            let earlier = &mut records[first.record];
            if answer_of(&record) != answer_of(earlier) {
                let [here, there] =
                    [&*earlier, &record].map(|record| format!("{:?}", record.outcome.kind()).to_lowercase());
                let (one, other) = (&names[first.file], &names[file]);
                bail!(
                    "{one} and {other} contradict each other about `{}`: {here} and {there}; `layoutproof compare` and \
                     `runs` take runs of several machines and drivers",
                    record.id
                );
            }
            let others = record.faults.into_iter().filter(|fault| !earlier.faults.contains(fault)).collect::<Vec<_>>();
            earlier.faults.extend(others);
        }
    }
    Ok(records)
}

/// A record without what depends on the run and not on the answer: its time, its use of the cache,
/// and which jobs it shared with other checks.
fn answer_of(record: &CheckRecord) -> CheckRecord {
    let mut answer =
        CheckRecord { ms: 0, cached: false, fast: false, thorough: Vec::new(), faults: Vec::new(), ..record.clone() };
    answer.rows.iter_mut().for_each(|row| row.fused = false);
    answer
}

/// Refuses shards of one division that belong to different runs.
fn check_shards(parts: &[RecordedPart]) -> anyhow::Result<()> {
    let all = parts.iter().flat_map(|part| part.runs.iter().map(move |run| (part, split(run))));
    let shards: Vec<_> = all.filter_map(|(part, (whole, shard))| Some((part, whole, shard?))).collect();

    for (index, (part, whole, shard)) in shards.iter().enumerate() {
        let same = |(_, other, of): &&(&RecordedPart, RunHeader, Shard)| {
            other.arguments == whole.arguments && of.of == shard.of
        };
        let Some((first, other, _)) = shards[..index].iter().find(same) else { continue };
        if (&whole.layoutproof, &whole.inputs) != (&other.layoutproof, &other.inputs) {
            let differ = if whole.inputs == other.inputs { "versions of layoutproof" } else { "cases, files or lists" };
            bail!("{} and {} are shards of different runs: they have different {differ}", first.name, part.name);
        }
    }
    Ok(())
}

/// The distinct devices of each API, and a note for each whose driver differs between runs.
fn devices(runs: &[RunHeader]) -> (Vec<DeviceInfo>, Vec<String>) {
    let mut devices: Vec<DeviceInfo> = Vec::new();
    let mut notes = Vec::new();
    for device in runs.iter().flat_map(|run| &run.devices) {
        let same = |known: &&DeviceInfo| (&known.id, known.runner) == (&device.id, device.runner);
        match devices.iter().find(same) {
            None => devices.push(device.clone()),
            Some(known) if known.driver == device.driver => {}
            Some(known) => {
                let (id, runner) = (&device.id, device.runner.title());
                notes.push(format!(
                    "{id} via {runner} does not have the same driver in all runs: {}, {}",
                    known.driver, device.driver
                ));
            }
        }
    }
    (devices, notes)
}

/// A note for each tool or compiler whose build differs between runs.
fn tools(runs: &[RunHeader]) -> Vec<String> {
    let mut builds: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (tool, build) in runs.iter().flat_map(|run| &run.tools) {
        builds.entry(tool).or_default().insert(build.to_string());
    }
    let told = |(tool, builds): (&str, BTreeSet<String>)| {
        let builds: Vec<String> = builds.into_iter().collect();
        (builds.len() > 1).then(|| format!("{tool} is not the same build in all runs: {}", builds.join("; ")))
    };
    builds.into_iter().filter_map(told).collect()
}

/// The order of a run: first checks of bytes by portion of the cases, device, producer and case;
/// then placements on devices; then checks without a device.
struct RunOrder<'a> {
    devices: HashMap<CheckDevice, usize>,
    /// Files that the user named; cases come after them, by id.
    files: Vec<&'a str>,
    /// The portion of each case whose bytes are checked.
    portions: HashMap<String, usize>,
}

impl<'a> RunOrder<'a> {
    fn of(runs: &'a [RunHeader], devices: &[DeviceInfo], records: &[CheckRecord]) -> Self {
        let places = devices.iter().enumerate();
        let words = runs.iter().filter_map(|run| run.arguments.get("inputs")).flatten();
        let is_file = |word: &&str| matches!(InputWord::of(word, None), InputWord::Shader(_));
        let mut order = Self {
            devices: places.map(|(place, device)| (device.into(), place)).collect(),
            files: words.map(String::as_str).filter(is_file).collect(),
            portions: HashMap::new(),
        };
        let of_bytes = records.iter().filter(|record| order.kind(record) == RecordKind::Bytes);
        let cases: BTreeSet<(usize, &str)> =
            of_bytes.map(|record| (order.place_of_file(record), record.id.case.as_str())).collect();
        let places = cases.into_iter().enumerate();
        order.portions = places.map(|(place, (_, case))| (case.to_owned(), place / CASES_AT_ONCE)).collect();
        order
    }

    fn kind(&self, record: &CheckRecord) -> RecordKind {
        match (self.device(record), record.bound.is_some()) {
            (Some(_), false) => RecordKind::Bytes,
            (Some(_), true) => RecordKind::Placement,
            (None, _) => RecordKind::WithoutDevice,
        }
    }

    fn device(&self, record: &CheckRecord) -> Option<usize> {
        self.devices.get(record.id.device.as_ref()?).copied()
    }

    /// The position of the record's file; for a case, a position after all files.
    fn place_of_file(&self, record: &CheckRecord) -> usize {
        self.files.iter().position(|file| *file == record.id.case).unwrap_or(usize::MAX)
    }

    /// Rule sets and conventions of one case keep their order, because one file has all of them.
    fn place(&self, record: &CheckRecord) -> impl Ord + use<> {
        let kind = self.kind(record);
        let of_kind = match kind {
            RecordKind::Bytes => {
                let portion = self.portions.get(&record.id.case).copied();
                Some((portion, self.device(record), record.id.producer.producer()))
            }
            RecordKind::Placement | RecordKind::WithoutDevice => None,
        };
        (kind, of_kind, self.place_of_file(record), record.id.case.clone())
    }
}

/// The kind of check, in the order of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RecordKind {
    Bytes,
    Placement,
    WithoutDevice,
}

#[cfg(test)]
mod tests {
    use layoutproof_device::Runner as _;
    use layoutproof_events::{Row, Witnesses};
    use layoutproof_layout::Quantity;
    use layoutproof_model::Model;

    use super::*;

    fn record(producer: &str, number: usize) -> CheckRecord {
        let line = serde_json::json!({
            "schema": 1, "case": format!("a/{number:04}"), "rules": "std140", "producer": producer, "device": "model",
            "runner": "model", "proves": "decorations", "outcome": "agree", "culprit": null, "validation": "valid",
            "skip_reason": null, "ms": 1, "leaves": 1, "rows": []
        });
        serde_json::from_value(line).unwrap()
    }

    #[test]
    fn equal_answers_of_other_batches_are_one_answer() {
        let with = |change: &dyn Fn(&mut CheckRecord)| {
            let mut record = record("naga", 0);
            record.rows = vec![Row::new("S.a", Quantity::Offset, Witnesses::default())];
            change(&mut record);
            let name = "a.jsonl".to_owned();
            RecordedPart { name, runs: Vec::new(), checks: vec![record], end: None }
        };
        let merged = |other: RecordedPart| each_once(vec![with(&|_| {}), other]).map(|records| records.len());
        assert_eq!(merged(with(&|record| record.rows[0].fused = true)).unwrap(), 1);
        assert_eq!(merged(with(&|record| record.fast = true)).unwrap(), 1);
        assert_eq!(merged(with(&|record| record.thorough = vec!["main".to_owned()])).unwrap(), 1);
        assert!(merged(with(&|record| record.rows.clear())).is_err());
        assert!(merged(with(&|record| record.leaves = 2)).is_err());
    }

    /// A run sends 640 cases through all producers before the next ones.
    #[test]
    fn records_of_a_portion_stand_together() {
        let devices = [Model::new().device().clone()];
        let numbers = (0..650).rev();
        let mut records: Vec<CheckRecord> =
            numbers.flat_map(|number| ["naga", "rspirv"].map(|producer| record(producer, number))).collect();
        let order = RunOrder::of(&[], &devices, &records);
        records.sort_by_cached_key(|record| order.place(record));

        let runs = records.chunk_by(|one, other| one.id.producer == other.id.producer);
        let runs: Vec<_> = runs.map(|run| (run[0].id.producer.as_str(), run[0].id.case.as_str(), run.len())).collect();
        let portion = |case, length| [("rspirv", case, length), ("naga", case, length)];
        assert_eq!(runs, [portion("a/0000", 640), portion("a/0640", 10)].concat());
    }
}
