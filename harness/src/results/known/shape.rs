//! Known differences of random declarations, users' files and new cases. These have no stable
//! names, so an entry describes a shape of members, the form of access, and the case that pins the
//! difference.
//!
//! A record becomes known if entries explain every row that differs. Entries about versions of a
//! driver cover the built-in cases, too: such a fault shows in every case of its shape. On another
//! driver, a difference of that shape only gets the words that it resembles the known one.

use layoutproof_device::DeviceInfo;

use super::entry::KnownFailure;
use super::shape_entry::names;
pub use super::shape_entry::{ShapeAt, ShapeEntry};
use crate::check::verdict::{CodeOrigin, Validation, Writer, differing};
use layoutproof_events::{CheckRecord, Culprit, KnownEntry, OutcomeKind};

/// Marks the record of such a declaration as known if entries explain every row that differs. For
/// an invalid module or a check that broke, an entry with that culprit or message must name a shape
/// that the declaration has anywhere.
pub fn explain(known: &[KnownFailure], check: &mut CheckRecord, devices: &[DeviceInfo], shapes: &[ShapeAt]) {
    explain_by(known.iter(), check, devices, shapes);
}

/// Like [`explain`], for a case that lists may name: only by entries about versions of a driver.
pub fn explain_by_driver(known: &[KnownFailure], check: &mut CheckRecord, devices: &[DeviceInfo], shapes: &[ShapeAt]) {
    explain_by(known.iter().filter(|entry| entry.is_about_drivers()), check, devices, shapes);
}

/// Names the entry about another device whose difference this one, which no entry explains,
/// resembles.
pub fn resemble(known: &[KnownFailure], check: &mut CheckRecord, shapes: &[ShapeAt]) {
    if (check.outcome.kind(), check.outcome.culprit()) != (OutcomeKind::Differ, Some(Culprit::Device)) {
        return;
    }
    let is_near = |entry: &&KnownFailure| {
        entry.is_about_devices() && entry.culprit() == Some(Culprit::Device.as_str()) && entry.matches_elsewhere(check)
    };
    let entries: Vec<&KnownFailure> = known.iter().filter(is_near).collect();
    let of_shapes: Vec<_> = entries.iter().filter_map(|entry| Some((*entry, entry.shape.as_ref()?))).collect();
    let of_case = entries.iter().find(|entry| entry.shape.is_none() && entry.names_cases() && entry.explains(check));
    let found = of_case.map(|entry| entry.entry()).or_else(|| behind_every_row(&of_shapes, check, shapes));
    if let Some(story) = check.outcome.story_mut() {
        story.resembles = found;
    }
}

fn explain_by<'a>(
    known: impl Iterator<Item = &'a KnownFailure>,
    check: &mut CheckRecord,
    devices: &[DeviceInfo],
    shapes: &[ShapeAt],
) {
    let entries = known.filter_map(|entry| Some((entry, entry.shape.as_ref()?)));
    let entries: Vec<_> = entries.filter(|(entry, _)| entry.matches(check, devices)).collect();

    let found = match (check.outcome.kind(), check.outcome.culprit()) {
        (OutcomeKind::Broken, _) | (OutcomeKind::Differ, Some(Culprit::Module)) => {
            let has = |shape: &ShapeEntry| shapes.iter().any(|(_, other)| *other == shape.shape);
            let speaks = |entry: &KnownFailure| entry.says.is_some() == (check.outcome.kind() == OutcomeKind::Broken);
            let is_behind =
                |(entry, shape): &&(&KnownFailure, &ShapeEntry)| speaks(entry) && entry.explains(check) && has(shape);
            entries.iter().find(is_behind).map(|(entry, _)| entry.entry())
        }
        (OutcomeKind::Differ, _) => behind_every_difference(&entries, check, shapes),
        (OutcomeKind::Agree | OutcomeKind::Known | OutcomeKind::Stale | OutcomeKind::Skipped, _) => None,
    };

    if let Some(entry) = found {
        check.excuse(entry);
    }
}

/// The entry for the first difference, if there is one for each: first the device features that the
/// module needs beyond those promised, then its rows.
fn behind_every_difference(
    entries: &[(&KnownFailure, &ShapeEntry)],
    check: &CheckRecord,
    shapes: &[ShapeAt],
) -> Option<KnownEntry> {
    let (of_modules, of_rows): (Vec<_>, Vec<_>) =
        entries.iter().copied().partition(|(entry, _)| entry.validation.is_some());
    let Validation::ValidOnlyWith { .. } = check.validation else {
        return behind_every_row(&of_rows, check, shapes);
    };

    let has = |shape: &ShapeEntry| shapes.iter().any(|(_, other)| *other == shape.shape);
    let (of_module, _) = of_modules.iter().find(|(entry, shape)| entry.is_about_module(check) && has(shape))?;

    let code = CodeOrigin { proves: check.proves, writer: Writer::Compiler };
    let is_explained = differing(&check.rows, code).is_empty() || behind_every_row(&of_rows, check, shapes).is_some();
    is_explained.then(|| of_module.entry())
}

/// The entry for the first row that differs, if there is one for each.
fn behind_every_row(
    entries: &[(&KnownFailure, &ShapeEntry)],
    check: &CheckRecord,
    shapes: &[ShapeAt],
) -> Option<KnownEntry> {
    let code = CodeOrigin { proves: check.proves, writer: Writer::Compiler };
    let mut first = None;

    for (index, culprit) in differing(&check.rows, code) {
        let row = &check.rows[index];
        let is_behind = |(entry, shape): &&(&KnownFailure, &ShapeEntry)| {
            entry.says.is_none()
                && entry.space.is_none_or(|space| row.access.is_some_and(|access| access.space == space))
                && entry.culprit.as_deref().is_none_or(|name| names(name, row, culprit))
                && shape.holds(row, check, shapes)
        };
        let (entry, _) = entries.iter().find(is_behind)?;
        first.get_or_insert(entry.entry());
    }

    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::known::MemberShape;
    use layoutproof_device::Feature;
    use layoutproof_events::{Outcome, RecordValue, Story, StoryBlock};
    use layoutproof_layout::Quantity;
    use layoutproof_probes::Direction;
    use layoutproof_source::sources::SourceMap;

    const ENTRY: &str = "
[[known]]
shape = \"eight-byte-matrix\"
form = \"indexed\"
culprit = \"compiler\"
pinned_by = \"sixty_four_bit/matrix_of_double_columns\"
reason = \"an index from memory counts registers\"
";

    fn entries(text: &str) -> Result<Vec<KnownFailure>, String> {
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let listed = |problems: Vec<layoutproof_source::diagnostics::Diagnostic>| {
            problems.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("\n")
        };
        crate::results::known::read(file, &sources).map_err(listed)
    }

    /// A check in which rows of these paths are read elsewhere through an index from memory.
    fn differing_at(paths: &[&str]) -> CheckRecord {
        let rows: Vec<_> = paths
            .iter()
            .map(|path| {
                serde_json::json!({
                    "path": path, "what": "offset", "space": "uniform", "direction": "read", "form": "indexed",
                    "expected": null, "computed": 32, "reported": null, "compiled": 16, "observed": 16
                })
            })
            .collect();
        let record = serde_json::json!({
            "schema": 1, "case": "fuzz/1", "rules": "hlsl-cbuffer", "producer": "dxc-dxil", "device": "evaluator",
            "runner": "dxil", "proves": "native", "outcome": "differ", "culprit": "compiler", "validation": "valid",
            "skip_reason": null, "ms": 1, "leaves": 1, "rows": rows
        });
        serde_json::from_value(record).unwrap()
    }

    /// The same difference on a driver that an entry is about, and on another one.
    #[test]
    fn a_fault_of_a_driver_is_known_there_and_named_elsewhere() {
        let entry = "[[known]]\nshape = \"array-of-one-number\"\nspace = \"uniform\"\nform = \"indexed\"\n\
                     device = \"nvidia-*\"\ndriver = \"= 580.1\"\nculprit = \"device\"\n\
                     pinned_by = \"arrays/a\"\nreason = \"reads zero\"\n";
        let shapes = [("B.m".to_owned(), MemberShape::ArrayOfOneNumber)];
        let mut differing = differing_at(&["B.m[0]"]);
        differing.rows[0].witnesses.compiled = Some(RecordValue::Number(32));
        differing.outcome =
            Outcome::Differs { culprit: Culprit::Device, broke: None, story: Some(Box::new(Story::default())) };
        differing.id = "arrays/other::std140::rspirv::nvidia-x::ash".parse().unwrap();
        let device = |driver: &str| DeviceInfo {
            id: "nvidia-x".to_owned(),
            driver: driver.to_owned(),
            runner: layoutproof_device::RunnerKind::Ash,
            ..layoutproof_device::Runner::device(&layoutproof_model::Model::new()).clone()
        };
        for (driver, space, outcome, resembles) in [
            ("NVIDIA 580.1", "uniform", OutcomeKind::Known, false),
            ("NVIDIA 581", "uniform", OutcomeKind::Differ, true),
            ("NVIDIA 580.1", "storage", OutcomeKind::Differ, false),
        ] {
            let known = entries(&entry.replace("\"uniform\"", &format!("{space:?}"))).unwrap();
            let mut check = differing.clone();
            explain_by_driver(&known, &mut check, &[device(driver)], &shapes);
            resemble(&known, &mut check, &shapes);
            assert_eq!(check.outcome.kind(), outcome, "{driver} {space}");
            let named = check.outcome.story().and_then(|story| story.resembles.clone());
            assert_eq!(named.is_some_and(|entry| entry.reason == "reads zero"), resembles, "{driver} {space}");
        }
    }

    #[test]
    fn every_row_needs_an_entry() {
        let known = entries(ENTRY).unwrap();
        let shapes =
            [("B.m1.m0".to_owned(), MemberShape::EightByteMatrix), ("B.m2".to_owned(), MemberShape::FlatMatrix)];
        for (paths, outcome) in [
            (&["B.m1[1].m0[0][1]"][..], OutcomeKind::Known),
            (&["B[1].m1.m0[0][1]", "B.m1.m0[1][0]"], OutcomeKind::Known),
            (&["B.m1[1].m0[0][1]", "B.m1[1].m1"], OutcomeKind::Differ),
            (&["B.m1.m00[0][1]"], OutcomeKind::Differ),
            (&["B.m2[0][1]"], OutcomeKind::Differ),
        ] {
            let mut check = differing_at(paths);
            explain(&known, &mut check, &[], &shapes);
            assert_eq!(check.outcome.kind(), outcome, "{paths:?}");
        }
    }

    /// The rows of [`differing_at`] are 16 bytes from the right place.
    #[test]
    fn a_number_farther_away_is_another_difference() {
        let shapes = [("B.m1".to_owned(), MemberShape::EightByteMatrix)];
        for (within, outcome) in [(16, OutcomeKind::Known), (15, OutcomeKind::Differ)] {
            let known = entries(&format!("{ENTRY}within = {within}\n")).unwrap();
            let mut check = differing_at(&["B.m1[0][1]"]);
            explain(&known, &mut check, &[], &shapes);
            assert_eq!(check.outcome.kind(), outcome, "{within}");
        }
    }

    #[test]
    fn another_form_or_culprit_is_another_difference() {
        let shapes = [("B.m1".to_owned(), MemberShape::EightByteMatrix)];
        for (from, to) in [("indexed", "leaf"), ("compiler", "device")] {
            let known = entries(&ENTRY.replace(from, to)).unwrap();
            let mut check = differing_at(&["B.m1[0][1]"]);
            explain(&known, &mut check, &[], &shapes);
            assert_eq!(check.outcome.kind(), OutcomeKind::Differ, "{from} {to}");
        }
    }

    /// A write that misses its place changes other bytes of the block or of its surroundings.
    #[test]
    fn bytes_that_a_known_write_changes_need_no_entry_of_their_own() {
        let shapes = [("B.m1".to_owned(), MemberShape::EightByteMatrix)];
        let known = entries(ENTRY).unwrap();
        for (direction, path, outcome) in [
            (Direction::Write, "B.m1[0][1]", OutcomeKind::Known),
            (Direction::Write, "B.m2", OutcomeKind::Differ),
            (Direction::Read, "B.m1[0][1]", OutcomeKind::Differ),
        ] {
            let mut check = differing_at(&[path, "B"]);
            for row in &mut check.rows {
                row.access.iter_mut().for_each(|access| access.direction = direction);
            }
            let guard = &mut check.rows[1];
            guard.what = Quantity::Guard;
            guard.access.iter_mut().for_each(|access| access.form = None);
            explain(&known, &mut check, &[], &shapes);
            assert_eq!(check.outcome.kind(), outcome, "{direction:?} {path}");
        }
    }

    /// If a listing has no number for an element, the code differs from the rules, not from the
    /// listing.
    #[test]
    fn a_report_stands_for_what_is_not_reported() {
        let shapes = [("B.m1".to_owned(), MemberShape::EightByteMatrix)];
        let known = entries(&ENTRY.replace("compiler", "report")).unwrap();
        let mut unreported = differing_at(&["B.m1[0][1]"]);
        let mut reported = unreported.clone();
        reported.rows[0].witnesses.reported = Some(RecordValue::Number(48));
        for (check, outcome) in [(&mut unreported, OutcomeKind::Known), (&mut reported, OutcomeKind::Differ)] {
            explain(&known, check, &[], &shapes);
            assert_eq!(check.outcome.kind(), outcome);
        }
    }

    /// Members after such a member may be moved too, members before it may not.
    #[test]
    fn an_entry_that_moves_is_about_all_behind() {
        let known = entries(&ENTRY.replace("form = \"indexed\"", "moves = true")).unwrap();
        let shapes = [("B.m1".to_owned(), MemberShape::EightByteMatrix)];
        for (first, outcome) in [(32, OutcomeKind::Known), (28, OutcomeKind::Differ)] {
            let mut check = differing_at(&["B.m0", "B.m1[0][1]", "B.m2"]);
            check.rows[0].witnesses.computed = Some(RecordValue::Number(first));
            explain(&known, &mut check, &[], &shapes);
            assert_eq!(check.outcome.kind(), outcome, "{first}");
        }
    }

    /// Bit-fields have no rows, and still move the members after them.
    #[test]
    fn an_entry_that_moves_needs_no_row_of_the_member() {
        let known = entries(&ENTRY.replace("form = \"indexed\"", "moves = true")).unwrap();
        let shapes = [("B.m1".to_owned(), MemberShape::EightByteMatrix)];
        let bits = serde_json::json!({
            "path": "m1.m0", "type": "uint", "offset": 32, "size": 4, "alignment": 4, "array_stride": null,
            "matrix_stride": null, "matrix_order": null, "bit_offset": 0, "bit_width": 1
        });
        let blocks = vec![StoryBlock {
            name: "B".to_owned(),
            size: Some(64),
            members: vec![serde_json::from_value(bits).unwrap()],
        }];
        for (offset, outcome) in [(36, OutcomeKind::Known), (28, OutcomeKind::Differ)] {
            let mut check = differing_at(&["B.m2"]);
            check.rows[0].witnesses.computed = Some(RecordValue::Number(offset));
            let story = Some(Box::new(Story { blocks: blocks.clone(), ..Story::default() }));
            check.outcome = Outcome::Differs { culprit: Culprit::Compiler, broke: None, story };
            explain(&known, &mut check, &[], &shapes);
            assert_eq!(check.outcome.kind(), outcome, "{offset}");
        }
    }

    /// Only an entry with culprit `module` explains an invalid module.
    #[test]
    fn an_invalid_module_needs_an_entry_of_its_own() {
        let shapes = [("B.m1".to_owned(), MemberShape::EightByteMatrix)];
        for (culprit, expected) in [("module", OutcomeKind::Known), ("compiler", OutcomeKind::Differ)] {
            let known = entries(&ENTRY.replace("compiler", culprit)).unwrap();
            let outcome = Outcome::Differs { culprit: Culprit::Module, broke: None, story: None };
            let mut check = CheckRecord { outcome, ..differing_at(&[]) };
            explain(&known, &mut check, &[], &shapes);
            assert_eq!(check.outcome.kind(), expected, "{culprit}");
        }
    }

    /// A module that needs more than promised needs a separate entry, in addition to those for rows
    /// that differ.
    #[test]
    fn a_module_beyond_its_promise_is_one_difference_more() {
        let shapes = [("B.m1".to_owned(), MemberShape::EightByteMatrix)];
        let own = ENTRY.replace("form = \"indexed\"", "validation = \"valid only with *\"");
        let both = format!("{ENTRY}{own}");
        for (text, paths, outcome) in [
            (own.as_str(), &[][..], OutcomeKind::Known),
            (ENTRY, &[], OutcomeKind::Differ),
            (own.as_str(), &["B.m1[0][1]"], OutcomeKind::Differ),
            (both.as_str(), &["B.m1[0][1]"], OutcomeKind::Known),
        ] {
            let known = entries(text).unwrap();
            let (feature, message) = (Feature::ScalarBlockLayout, "error: no".to_owned());
            let validation = Validation::ValidOnlyWith { feature, message };
            let mut check = CheckRecord { validation, ..differing_at(paths) };
            explain(&known, &mut check, &[], &shapes);
            assert_eq!(check.outcome.kind(), outcome, "{paths:?} {text}");
        }
    }

    /// Cases have names, so entries with shapes do not cover them.
    #[test]
    fn cases_are_another_matter() {
        let mut checks = [differing_at(&["B.m1[0][1]"])];
        checks[0].id.case = "matrices/a".to_owned();
        crate::results::known::apply(&entries(ENTRY).unwrap(), &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), OutcomeKind::Differ);
    }

    #[test]
    fn what_is_missing_or_unknown_is_named() {
        let all = "unknown shape `round`; known are flat-matrix, ";
        for (from, to, problem) in [
            ("eight-byte-matrix", "round", all),
            ("\"indexed\"", "\"sideways\"", "unknown form `sideways`"),
            ("pinned_by", "#", "an entry with a shape names the case that pins it (`pinned_by`)"),
        ] {
            let found = entries(&ENTRY.replace(from, to)).unwrap_err();
            assert!(found.starts_with(problem), "{found}");
        }
    }
}
