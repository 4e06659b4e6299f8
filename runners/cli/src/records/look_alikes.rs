//! Names the known bugs that failures of new cases look like, so that their authors can add the case to
//! the list in place of an analysis.
//!
//! A list covers the cases that it names. A new case is in no list yet, but its members may have the
//! shape that a bug is about, see [`known::shape`].

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_core::results::known::{self, KnownFailure, shapes_of_block};
use layoutproof_device::DeviceInfo;
use layoutproof_events::{CheckRecord, KnownEntry, Outcome};
use layoutproof_facts::known_lists::known_lists;
use layoutproof_site::{Mechanism, mechanisms};

use crate::select::selection::Selection;

/// A line for each case and bug: `arrays/new looks like `dxc/...`: add this id to ...`.
pub(crate) fn look_alikes(
    records: &[CheckRecord],
    known: &[KnownFailure],
    devices: &[DeviceInfo],
    selection: &Selection,
) -> anyhow::Result<String> {
    let mut entries: BTreeMap<(&str, KnownEntry), BTreeSet<&str>> = BTreeMap::new();
    for record in records {
        if let Some(entry) = shape_entry_of(record, known, devices, selection) {
            entries.entry((&record.id.case, entry)).or_default().insert(record.id.producer.as_str());
        }
    }
    if entries.is_empty() {
        return Ok(String::new());
    }

    let lists = known_lists()?;
    let bugs = mechanisms(&lists);
    let lines = entries.iter().filter_map(|((case, entry), producers)| {
        let bug = bugs.iter().find(|bug| entry.bug.as_deref() == Some(bug.id))?;
        Some(line(case, bug, producers))
    });
    Ok(lines.collect())
}

/// The entry whose shape explains the failure of a case; `None` if a list names the case, or none
/// explains it.
fn shape_entry_of(
    record: &CheckRecord,
    known: &[KnownFailure],
    devices: &[DeviceInfo],
    selection: &Selection,
) -> Option<KnownEntry> {
    // Entries about versions of a driver cover all cases with their shape.
    let is_of_shape = |entry: &KnownEntry| {
        let mut shapes = known.iter().filter(|own| own.shape.is_some() && !own.is_about_drivers());
        shapes.any(|own| (&own.file, own.line) == (&entry.file, entry.line))
    };
    let is_open = match &record.outcome {
        Outcome::Known { entry, .. } if is_of_shape(entry) => false,
        Outcome::Differs { .. } | Outcome::Broken { .. } => true,
        Outcome::Known { .. } | Outcome::Agrees | Outcome::Stale(_) | Outcome::Skipped { .. } => return None,
    };

    let subject = selection.subjects.iter().find(|subject| subject.source.id == record.id.case)?;
    let source = &subject.source;
    let mut record = record.clone();
    if is_open {
        let of_blocks = source.module.blocks.iter().flat_map(|block| shapes_of_block(block, source.options));
        known::shape::explain(known, &mut record, devices, &of_blocks.collect::<Vec<_>>());
    }
    match record.outcome {
        Outcome::Known { entry, .. } if source.is_case => Some(entry),
        _ => None,
    }
}

/// What to do about one case.
fn line(case: &str, bug: &Mechanism<'_>, producers: &BTreeSet<&str>) -> String {
    let covers = |entry: &&&KnownFailure| {
        entry.names_cases() && producers.iter().all(|producer| entry.is_about_producer(producer))
    };
    let todo = match bug.entries.iter().find(covers) {
        Some(entry) => format!("add this id to `case` of the entry at {}:{}", entry.file, entry.line),
        None => format!(
            "add an entry with `bug = \"{}\"`, this id and its reason to ci/known/{}.toml",
            bug.id, bug.list.name
        ),
    };
    format!("{} looks like `{}`:\n  {todo}\n", listed_id(case), bug.id)
}

/// The id that a case gets in the folder `cases`, if it was named as a file there.
fn listed_id(case: &str) -> &str {
    let below = case.rsplit_once("cases/").map_or(case, |(_, below)| below);
    below.strip_suffix(".toml").unwrap_or(case)
}
