//! Floors: the least number of leaves for which each device must return a result, so that missing
//! proof is a failure.
//!
//! A floor without cell keys counts the leaves of a device's checks. A floor with keys counts
//! leaves in coverage cells, once per access: every combination of the listed values must reach the
//! number, and counts are summed over keys that are not listed.

use layoutproof_device::RunnerKind;
use layoutproof_layout::FileId;
use wildmatch::WildMatch;

use crate::results::coverage::word;
use crate::toml_table::{FileProblems, TomlTable, parse};
use layoutproof_events::CheckDevice;
use layoutproof_events::{BoundCount, CellRow, CheckRecord, DeviceCells, LeftOutChecks, OutcomeKind, Proves};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

/// One `[[floor]]` entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floor {
    /// Device ids, each of which must reach the floor.
    pub devices: Vec<String>,
    /// API; never the CPU model, which proves nothing about devices.
    pub runner: String,
    pub proves: Proves,
    /// Values by cell key, in the order of [`CELL_KEYS`]; empty for keys that are summed over.
    pub cells: [Vec<String>; CELL_KEYS.len()],
    pub least: u32,
    pub counted: FloorUnit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloorUnit {
    Leaves,
    /// Resources that were read back from their bindings.
    Resources,
}

impl FloorUnit {
    /// The key of the number, which is also the unit's plural.
    fn as_str(self) -> &'static str {
        match self {
            Self::Leaves => "leaves",
            Self::Resources => "resources",
        }
    }
}

/// The keys of a coverage cell; `type` accepts patterns with `*` and `?`.
pub const CELL_KEYS: [&str; 7] = ["rules", "space", "stage", "direction", "form", "type", "after"];

pub fn read(file: FileId, sources: &SourceMap) -> Result<Vec<Floor>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut problems = FileProblems::new(file, Code::BadCase, &mut found);
    let root = parse(sources, &mut problems);
    let mut table = TomlTable::new(&root);
    let entries = table.tables("floor", &mut problems);
    let floors: Vec<Floor> = entries.into_iter().filter_map(|entry| floor(entry, &mut problems)).collect();
    table.finish(&mut problems);
    if floors.is_empty() && problems.is_empty() {
        problems.report(0..0, "the file has no [[floor]], so every run would reach it");
    }
    if found.is_empty() { Ok(floors) } else { Err(found) }
}

fn floor(mut entry: TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Option<Floor> {
    let devices = entry.strings("device", problems);
    if devices.is_empty() {
        problems.report(entry.range(), "`device` names one device or several");
    }

    let [runner, proves] = ["runner", "proves"].map(|key| entry.required_string(key, problems));

    let counted = if entry.entries().any(|(key, ..)| key == FloorUnit::Resources.as_str()) {
        FloorUnit::Resources
    } else {
        FloorUnit::Leaves
    };
    let least = entry.required(counted.as_str(), problems).and_then(|value| {
        let least = crate::toml_table::number(value, problems);
        if least == Some(0) {
            let word = counted.as_str();
            let message = format!("every run reaches a floor of 0 {word}: `{word}` must be at least 1");
            problems.report(value.span(), message);
        }
        least
    });

    let cells = CELL_KEYS.map(|key| entry.strings(key, problems));
    let is_driven = |runner: &str| RunnerKind::driven().any(|kind| kind.as_str() == runner);
    if runner.as_deref().is_some_and(|runner| !is_driven(runner)) {
        let words = RunnerKind::driven().map(|kind| format!("\"{}\"", kind.as_str())).collect::<Vec<_>>().join(", ");
        let message = format!("`runner` is one of {words}: the CPU model proves nothing about devices");
        problems.report(entry.range(), message);
    }

    let proves = proves.as_deref().and_then(|named| {
        let known = Proves::ALL.into_iter().find(|proves| proves.as_str() == named);
        if known.is_none() {
            let words = Proves::ALL.map(|proves| format!("\"{}\"", proves.as_str())).join(", ");
            problems.report(entry.range(), format!("`proves` is one of {words}"));
        }
        known
    });

    entry.finish(problems);
    Some(Floor { devices, runner: runner?, proves: proves?, cells, least: least?, counted })
}

/// The results of a run's devices, for comparison with its floors.
#[derive(Clone, Copy, Debug)]
pub struct FloorAnswers<'a> {
    pub checks: &'a [CheckRecord],
    /// Totals of checks without a record.
    pub left_out: &'a [LeftOutChecks],
    /// Coverage cells of all these checks.
    pub cells: &'a [DeviceCells],
}

/// The floors that a run did not reach, each as a sentence.
pub fn missed(floors: &[Floor], answers: FloorAnswers<'_>) -> Vec<String> {
    let judge = |floor: &Floor, device: &str| -> Vec<String> {
        if floor.cells.iter().all(Vec::is_empty) {
            return floor.missed_by("", device, answers.found_in_checks(floor, device)).into_iter().collect();
        }
        let is_meant = |cells: &&DeviceCells| cells.device == device && cells.runner.as_str() == floor.runner;
        let cells = answers.cells.iter().find(is_meant).map_or(&[][..], |device| &device.cells);
        let combinations = combinations(&floor.cells).into_iter();
        combinations
            .filter_map(|wanted| floor.missed_by(&wanted.words(), device, wanted.leaves(floor, cells)))
            .collect()
    };

    floors.iter().flat_map(|floor| floor.devices.iter().flat_map(|device| judge(floor, device))).collect()
}

impl FloorAnswers<'_> {
    fn found_in_checks(&self, floor: &Floor, device: &str) -> u32 {
        let is_of_floor = |of: Option<&CheckDevice>, proves: Proves| {
            let is_meant = |of: &CheckDevice| of.id == device && of.runner.as_str() == floor.runner;
            of.is_some_and(is_meant) && proves == floor.proves
        };
        let found = |leaves: u32, bound: Option<&BoundCount>| match floor.counted {
            FloorUnit::Leaves => leaves,
            FloorUnit::Resources => bound.map_or(0, |bound| bound.read),
        };

        let agreeing =
            self.checks.iter().filter(|check| matches!(check.outcome.kind(), OutcomeKind::Agree | OutcomeKind::Known));
        let counted = agreeing.filter(|check| is_of_floor(check.id.device.as_ref(), check.proves));
        let with_record: u32 = counted.map(|check| found(check.leaves, check.bound.as_ref())).sum();

        let agreeing = self.left_out.iter().filter(|checks| checks.outcome == OutcomeKind::Agree);
        let counted = agreeing.filter(|checks| is_of_floor(checks.device.as_ref(), checks.proves));
        with_record + counted.map(|checks| found(checks.leaves, checks.bound.as_ref())).sum::<u32>()
    }
}

impl Floor {
    /// True if the floor counts leaves by their types and accesses, which only the rows of checks say.
    pub fn counts_by_cell(&self) -> bool {
        self.cells.iter().any(|values| !values.is_empty())
    }

    fn missed_by(&self, cell: &str, device: &str, found: u32) -> Option<String> {
        let Self { runner, proves, least, counted, .. } = self;
        let (proof, what) = (word(proves), counted.as_str());
        let api =
            RunnerKind::ALL.iter().find(|kind| kind.as_str() == runner).map_or(runner.as_str(), |kind| kind.title());
        (found < *least).then(|| {
            format!("{device} via {api} answered for {found} {what} that prove `{proof}`{cell}, the floor is {least}")
        })
    }
}

/// One value or none for each of [`CELL_KEYS`].
#[derive(Clone, Debug)]
struct Combination<'a>([Option<&'a str>; CELL_KEYS.len()]);

fn combinations(lists: &[Vec<String>; CELL_KEYS.len()]) -> Vec<Combination<'_>> {
    let mut all = vec![Combination([None; CELL_KEYS.len()])];
    for (key, values) in lists.iter().enumerate().filter(|(_, values)| !values.is_empty()) {
        let extended = all.iter().flat_map(|one| {
            values.iter().map(move |value| {
                let mut one = one.clone();
                one.0[key] = Some(value);
                one
            })
        });
        all = extended.collect();
    }
    all
}

impl Combination<'_> {
    fn words(&self) -> String {
        let named = CELL_KEYS.iter().zip(self.0).filter_map(|(key, value)| Some(format!(" {key} `{}`", value?)));
        format!(" in{}", named.collect::<Vec<_>>().join(","))
    }

    fn leaves(&self, floor: &Floor, rows: &[CellRow]) -> u32 {
        let [rules, space, stage, direction, form, ty, after] = self.0;
        let ty = ty.map(WildMatch::new);
        let is_row = |row: &&CellRow| {
            row.proves == floor.proves
                && rules.is_none_or(|rules| rules == row.rules)
                && space.is_none_or(|space| space == word(&row.space))
                && stage.is_none_or(|stage| stage == row.stage.as_str())
                && direction.is_none_or(|direction| direction == word(&row.direction))
                && form.is_none_or(|form| form == word(&row.form))
        };
        let of_type = rows.iter().filter(is_row).flat_map(|row| &row.leaves);
        let of_type = of_type.filter(|(found, _)| ty.as_ref().is_none_or(|ty| ty.matches(found)));
        let leaves = of_type.flat_map(|(_, leaves)| leaves);
        leaves.filter(|(found, _)| after.is_none_or(|after| after == found.as_str())).map(|(_, leaves)| *leaves).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::check::verdict::Validation;
    use crate::results::coverage::{AnsweredLeaves, Kinds};
    use layoutproof_events::CheckId;
    use layoutproof_events::{Access, Culprit, Outcome, RecordValue, Row, Witnesses};
    use layoutproof_layout::Quantity;
    use layoutproof_probes::leaf_kind::{After, LeafKind};
    use layoutproof_probes::{AddressSpace, Direction, Form, Stage};

    const CELLS: &str = r#"
[[floor]]
device = ["lavapipe", "swiftshader"]
runner = "ash"
proves = "decorations"
rules = "std140"
direction = ["read", "write"]
type = "float?"
after = "scalar"
leaves = 2
"#;

    fn floors(text: &str) -> Result<Vec<Floor>, Vec<Diagnostic>> {
        let mut sources = SourceMap::default();
        let file = sources.add("floors.toml", text);
        read(file, &sources)
    }

    fn row(path: &str, direction: Direction) -> Row {
        let access = Access { space: AddressSpace::Storage, stage: Stage::Compute, direction, form: Some(Form::Leaf) };
        let witnesses = Witnesses { observed: Some(RecordValue::Number(0)), ..Witnesses::default() };
        Row { access: Some(access), ..Row::new(path, Quantity::Offset, witnesses) }
    }

    /// A check of `S { float a; float2 b; }` in which `a` and `b.x` are read and `b.x` and `b.y` are written.
    fn check(device: &str) -> CheckRecord {
        let rows = [("S.a", Direction::Read), ("S.b.x", Direction::Read), ("S.b.x", Direction::Write)];
        let rows = rows.into_iter().chain([("S.b.y", Direction::Write)]);
        let id = format!("a::b::std140::rspirv::{device}::ash").parse().unwrap();
        CheckRecord {
            leaves: 3,
            rows: rows.map(|(path, direction)| row(path, direction)).collect(),
            ..CheckRecord::new(id, Proves::Decorations, Validation::Valid, Outcome::Agrees)
        }
    }

    fn through(runner: RunnerKind, device: &str) -> CheckDevice {
        CheckDevice { id: device.to_owned(), runner }
    }

    fn missed_by(text: &str, checks: &[CheckRecord]) -> Vec<String> {
        let kind = |ty: &str, after| LeafKind { ty: ty.to_owned(), after };
        let kinds = [("S.a", kind("float", After::Start)), ("S.b.x", kind("float2", After::Scalar))];
        let kinds = kinds.into_iter().chain([("S.b.y", kind("float2", After::Scalar))]);
        let kinds: Kinds = kinds.map(|(path, kind)| (path.to_owned(), kind)).collect();
        let mut leaves = AnsweredLeaves::new([(("a/b".to_owned(), "std140".to_owned()), kinds)].into());
        for check in checks {
            leaves.add(check);
        }
        let cells = leaves.by_device();
        missed(&floors(text).unwrap(), FloorAnswers { checks, left_out: &[], cells: &cells })
    }

    #[test]
    fn a_floor_may_count_resources() {
        let text = "[[floor]]\ndevice = \"vkd3d\"\nrunner = \"d3d12\"\nproves = \"translated\"\nresources = 3\n";
        let read = |read| CheckRecord {
            id: CheckId { device: Some(through(RunnerKind::D3d12, "vkd3d")), ..check("vkd3d").id },
            proves: Proves::Translated,
            bound: Some(BoundCount { read, not_read: BTreeMap::new() }),
            ..check("vkd3d")
        };
        assert_eq!(missed_by(text, &[read(1), read(2)]), Vec::<String>::new());
        let sentence = "vkd3d via D3D12 answered for 2 resources that prove `translated`, the floor is 3";
        assert_eq!(missed_by(text, &[read(2)]), [sentence]);
    }

    #[test]
    fn every_combination_must_reach_the_floor_on_every_device() {
        let sentence = |device: &str, direction: &str, found: u32| {
            format!(
                "{device} via Vulkan answered for {found} leaves that prove `decorations` in rules `std140`, direction \
                 `{direction}`, type `float?`, after `scalar`, the floor is 2"
            )
        };
        let missed = missed_by(CELLS, &[check("lavapipe")]);
        let expected =
            [sentence("lavapipe", "read", 1), sentence("swiftshader", "read", 0), sentence("swiftshader", "write", 0)];
        assert_eq!(missed, expected);
    }

    #[test]
    fn a_floor_without_cell_keys_counts_the_leaves_of_checks() {
        let text = |leaves: u32| {
            format!("[[floor]]\ndevice = \"lavapipe\"\nrunner = \"ash\"\nproves = \"decorations\"\nleaves = {leaves}\n")
        };
        assert_eq!(missed_by(&text(3), &[check("lavapipe")]), Vec::<String>::new());
        let missed = missed_by(&text(4), &[check("lavapipe")]);
        assert_eq!(missed, ["lavapipe via Vulkan answered for 3 leaves that prove `decorations`, the floor is 4"]);
    }

    #[test]
    fn checks_that_differ_and_the_model_prove_nothing() {
        let differs = Outcome::Differs { culprit: Culprit::Device, broke: None, story: None };
        let differs = CheckRecord { outcome: differs, ..check("lavapipe") };
        let mut model = check("lavapipe");
        model.id.device = Some(through(RunnerKind::Model, "lavapipe"));
        assert_eq!(missed_by(CELLS, &[differs, model]).len(), 4);
    }

    #[test]
    fn unknown_keys_and_missing_devices_are_reported() {
        let found = floors(&CELLS.replace("after", "before").replace("device = [\"lavapipe\", \"swiftshader\"]", ""));
        let messages: Vec<String> = found.unwrap_err().into_iter().map(|problem| problem.message).collect();
        assert!(messages.iter().any(|message| message == "`device` names one device or several"), "{messages:?}");
        assert!(messages.iter().any(|message| message.starts_with("unknown key `before`")), "{messages:?}");
    }
}
