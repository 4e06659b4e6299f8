//! Counts what checks cover: the number of leaves per cell of type, predecessor, rule set, space,
//! stage, direction, form and kind of proof.
//!
//! [`layoutproof_probes::leaf_kind`] finds a leaf's type and predecessor. [`planned`] counts the leaves that a check's
//! shaders would access, [`answered`] those for which a device returned a result; floors apply to
//! the second. A leaf counts once per access.

use std::collections::BTreeMap;

use layoutproof_device::RunnerKind;
use layoutproof_layout::{Quantity, join};
use layoutproof_probes::leaf_kind::{After, LeafKind, kinds};
use serde::Serialize;

use crate::check::{Subject, SubjectShaders};
use layoutproof_events::CheckDevice;
use layoutproof_events::producer::Producer;
use layoutproof_events::{Access, CellRow, CheckRecord, DeviceCells, OutcomeKind, Proves, RecordValue, Row};
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CoverageCell {
    pub rules: String,
    /// Type of the member that contains the leaf: `float3`, `row float2x3[]`.
    #[serde(rename = "type")]
    pub ty: String,
    /// The predecessor of that member.
    pub after: After,
    pub space: AddressSpace,
    pub stage: Stage,
    pub direction: Direction,
    pub form: Form,
    pub proves: Proves,
}

/// Number of leaves by cell.
pub type CoverageCells = BTreeMap<CoverageCell, u32>;

/// The kind of every leaf of a subject's blocks, by path with the block's name.
pub type Kinds = BTreeMap<String, LeafKind>;

/// The kinds of the leaves of each case under each rule set.
pub type SubjectKinds = BTreeMap<(String, String), Kinds>;

pub fn subject_kinds(subject: &Subject) -> Kinds {
    let blocks = subject
        .layouts
        .iter()
        .flat_map(|layout| kinds(layout).into_iter().map(move |(path, kind)| (join(&layout.name, &path), kind)));
    blocks.collect()
}

pub fn planned(subject: &Subject, produced: &SubjectShaders, cells: &mut CoverageCells) {
    let kinds = subject_kinds(subject);
    // For compilers, the kind of proof also depends on the device.
    let Producer::Generator(generator) = produced.producer else { return };
    let proves = generator.proves(subject.rules);
    for module in &produced.modules {
        let block = &module.layout.name;
        for leaf in &module.plan.leaves {
            let Some(kind) = kinds.get(&join(block, &leaf.path)) else { continue };
            for entry in &module.plan.entries {
                // A length is not a leaf.
                for form in entry.forms.iter().filter(|form| !form.is_length()) {
                    let access = CoverageAccess {
                        space: entry.space,
                        stage: entry.stage,
                        direction: entry.direction,
                        form: *form,
                    };
                    count(cells, cell(subject.rules, kind, access, proves));
                }
            }
        }
    }
}

/// Adds the leaves for which a device returned a result, if the check agrees. Other checks and the
/// CPU model add nothing.
pub fn answered(record: &CheckRecord, kinds: &Kinds, cells: &mut CoverageCells) {
    let agrees = matches!(record.outcome.kind(), OutcomeKind::Agree | OutcomeKind::Known);
    let is_model = record.id.device.as_ref().is_some_and(|device| device.runner == RunnerKind::Model);
    if !agrees || is_model {
        return;
    }
    for row in &record.rows {
        if let (Some(access), Some(kind)) = (access(row), kinds.get(&row.path)) {
            count(cells, cell(record.id.rules.as_str(), kind, access, record.proves));
        }
    }
}

/// The leaves for which each device returned a result, counted check by check.
#[derive(Clone, Debug, Default)]
pub struct AnsweredLeaves {
    kinds: SubjectKinds,
    by_device: BTreeMap<CheckDevice, CoverageCells>,
}

impl AnsweredLeaves {
    /// `kinds` are those of each case under each rule set.
    pub fn new(kinds: SubjectKinds) -> Self {
        Self { kinds, by_device: BTreeMap::new() }
    }

    /// Adds the leaves of a check by its rows.
    pub fn add(&mut self, check: &CheckRecord) {
        let Some(device) = &check.id.device else { return };
        let Some(kinds) = self.kinds.get(&(check.id.case.clone(), check.id.rules.to_string())) else { return };
        answered(check, kinds, self.by_device.entry(device.clone()).or_default());
    }

    /// The devices that answered.
    pub fn by_device(self) -> Vec<DeviceCells> {
        let answered = self.by_device.into_iter().filter(|(_, cells)| !cells.is_empty());
        let named =
            answered.map(|(CheckDevice { id, runner }, cells)| DeviceCells { device: id, runner, cells: rows(cells) });
        named.collect()
    }
}

/// Groups the cells: those that differ only in type and predecessor share a row.
fn rows(cells: CoverageCells) -> Vec<CellRow> {
    let mut rows: BTreeMap<CoverageCell, CellRow> = BTreeMap::new();
    for (cell, leaves) in cells {
        let CoverageCell { rules, ty, after, space, stage, direction, form, proves } = cell.clone();
        let key = CoverageCell { ty: String::new(), after: After::Start, ..cell };
        let new = CellRow { rules, space, stage, direction, form, proves, leaves: BTreeMap::new() };
        rows.entry(key).or_insert(new).leaves.entry(ty).or_default().insert(after, leaves);
    }
    rows.into_values().collect()
}

/// The access of a shader to a leaf.
#[derive(Clone, Copy)]
struct CoverageAccess {
    space: AddressSpace,
    stage: Stage,
    direction: Direction,
    form: Form,
}

/// The access of a device to the leaf of a row; `None` for rows without an offset from a device.
fn access(row: &Row) -> Option<CoverageAccess> {
    match row.witnesses.observed {
        Some(RecordValue::Number(_)) if row.what == Quantity::Offset => {
            let Access { space, stage, direction, form } = row.access?;
            Some(CoverageAccess { space, stage, direction, form: form? })
        }
        Some(RecordValue::Number(_) | RecordValue::Text(_)) | None => None,
    }
}

fn cell(rules: &str, kind: &LeafKind, access: CoverageAccess, proves: Proves) -> CoverageCell {
    let LeafKind { ty, after } = kind.clone();
    let CoverageAccess { space, stage, direction, form } = access;
    CoverageCell { rules: rules.to_owned(), ty, after, space, stage, direction, form, proves }
}

fn count(cells: &mut CoverageCells, cell: CoverageCell) {
    let leaves = cells.entry(cell).or_default();
    *leaves = leaves.saturating_add(1);
}

/// The word for a value in records: `push-constant`, `read`, `decorations`; empty for a value that
/// is not written as a word.
pub fn word(value: &impl Serialize) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}
