//! What checks cover: cells of type, predecessor, rule set, space, stage, direction, form and kind of proof, with the
//! number of leaves in each.
//!
//! [`kind`] says of which type a leaf is and what lies before it. [`planned`] counts what the shaders of a check would
//! ask, [`answered`] what a device answered; floors are set on the second. A leaf counts once per access.

pub mod kind;

use std::collections::BTreeMap;

use kind::{After, LeafKind, kinds};
use layoutproof_device::RunnerKind;
use layoutproof_layout::{Quantity, join};
use serde::Serialize;

use crate::check::{Producer, Subject, SubjectShaders};
use crate::probe::{AddressSpace, Direction, Form, Stage};
use crate::results::record::{CellRow, CheckRecord, DeviceCells, Outcome, Proves, RecordValue, Row};

/// What is counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CoverageCell {
    /// Rule set.
    pub rules: String,
    /// Type of the member that the leaf is in: `float3`, `row float2x3[]`.
    #[serde(rename = "type")]
    pub ty: String,
    /// What lies before that member.
    pub after: After,
    /// Where the block lives.
    pub space: AddressSpace,
    /// In which stage the shader runs.
    pub stage: Stage,
    /// Which way bytes go.
    pub direction: Direction,
    /// How the shader reaches the leaf.
    pub form: Form,
    /// What agreement proves.
    pub proves: Proves,
}

/// Leaves by cell.
pub type CoverageCells = BTreeMap<CoverageCell, u32>;

/// The kind of every leaf of the blocks of a subject, by path with the block's name.
pub type Kinds = BTreeMap<String, LeafKind>;

/// The kinds of the leaves of each case under each rule set.
pub type SubjectKinds = BTreeMap<(String, String), Kinds>;

/// The kinds of a subject's leaves.
pub fn subject_kinds(subject: &Subject) -> Kinds {
    let blocks = subject
        .layouts
        .iter()
        .flat_map(|layout| kinds(layout).into_iter().map(move |(path, kind)| (join(&layout.name, &path), kind)));
    blocks.collect()
}

/// Adds what the shaders of a subject ask of a device.
pub fn planned(subject: &Subject, produced: &SubjectShaders, cells: &mut CoverageCells) {
    let kinds = subject_kinds(subject);
    // What compilers prove is the device's business, too.
    let Producer::Generator(generator) = produced.producer else { return };
    let proves = generator.proves(subject.rules);
    for module in &produced.modules {
        let block = &subject.layouts[module.block].name;
        for leaf in &module.plan.leaves {
            let Some(kind) = kinds.get(&join(block, &leaf.path)) else { continue };
            for entry in &module.plan.entries {
                // A length is not a leaf.
                for form in entry.forms.iter().filter(|form| **form != Form::Length) {
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

/// Adds what a device answered in a check that agrees; nothing for other checks and for the CPU model.
pub fn answered(record: &CheckRecord, kinds: &Kinds, cells: &mut CoverageCells) {
    let agrees = matches!(record.outcome, Outcome::Agree | Outcome::Known);
    if !agrees || record.runner == RunnerKind::Model {
        return;
    }
    for row in &record.rows {
        if let (Some(access), Some(kind)) = (access(row), kinds.get(&row.path)) {
            count(cells, cell(&record.rules, kind, access, record.proves));
        }
    }
}

/// What each device answered in these checks. `kinds` are those of each case under each rule set.
pub fn answered_by_device(checks: &[CheckRecord], kinds: &SubjectKinds) -> Vec<DeviceCells> {
    let none = Kinds::new();
    let mut by_device: BTreeMap<(&str, RunnerKind), CoverageCells> = BTreeMap::new();
    for check in checks {
        let of_device = by_device.entry((check.device.as_str(), check.runner)).or_default();
        answered(check, kinds.get(&(check.case.clone(), check.rules.clone())).unwrap_or(&none), of_device);
    }

    let answered = by_device.into_iter().filter(|(_, cells)| !cells.is_empty());
    let named =
        answered.map(|((device, runner), cells)| DeviceCells { device: device.to_owned(), runner, cells: rows(cells) });
    named.collect()
}

/// The cells, those in one row that differ in type and predecessor alone.
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

/// How a shader reaches a leaf.
#[derive(Clone, Copy)]
struct CoverageAccess {
    space: AddressSpace,
    stage: Stage,
    direction: Direction,
    form: Form,
}

/// How a device reached the leaf of a row; `None` for rows that no device answered with an offset.
fn access(row: &Row) -> Option<CoverageAccess> {
    match row.observed {
        Some(RecordValue::Number(_)) if row.what == Quantity::Offset => {
            Some(CoverageAccess { space: row.space?, stage: row.stage, direction: row.direction?, form: row.form? })
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

/// The word for a value in records: `push-constant`, `read`, `decorations`; empty for what is written as no word.
pub fn word(value: &impl Serialize) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}
