//! Collects the answers of one device to one check before they become a record.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::{ReadBack, RunnerError};
use layoutproof_layout::{Quantity, ViewId};

use layoutproof_events::{Reason, Reasons, Row};
use layoutproof_probes::{BoundRange, Form, Observation, ProbeEntry};

/// Limit on the problems that the note of one guard row lists after the first.
const MAX_PROBLEMS: usize = 2;

/// Limit on the driver messages in a record.
const MOST_MESSAGES: usize = 20;

#[derive(Debug, Default)]
pub(super) struct CheckAnswers {
    pub(super) rows: Vec<Row>,
    /// The guarded offsets, by module, entry point, leaf and form.
    guarded: BTreeMap<(usize, String, u32, Form), Option<u32>>,
    /// Leaf paths that start with the block's name.
    pub(super) leaves: BTreeSet<String>,
    pub(super) broken: Vec<Failure>,
    pub(super) lacking: BTreeSet<Reason>,
    /// The same by block.
    pub(super) lacking_of: BTreeMap<ViewId, BTreeSet<Reason>>,
}

impl CheckAnswers {
    /// Starts with the rows that need no device.
    pub(super) fn new(rows: Vec<Row>) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Adds a row. A row of the exact range is kept only where it differs from the guarded one.
    pub(super) fn add(&mut self, module: usize, entry: &ProbeEntry, observation: &Observation, mut row: Row) {
        let Observation { leaf, form, range, offset, .. } = observation;
        if row.what == Quantity::Offset {
            self.leaves.insert(row.path.clone());
        }

        let key = (module, entry.name.clone(), *leaf, *form);
        match self.guarded.get(&key) {
            Some(guarded) if guarded == offset => return,
            Some(_) => {
                let note = row.note.take().unwrap_or_default();
                row.note = Some(format!("with the exact range, not with guards after it {note}").trim_end().to_owned());
            }
            None if *range == BoundRange::Guarded => drop(self.guarded.insert(key, *offset)),
            None => {}
        }
        self.rows.push(row);
    }

    /// Adds a problem that a device with correct behaviour never shows. Each block, space, stage
    /// and direction has one row, and its note lists the first few problems.
    pub(super) fn add_problem(&mut self, row: Row) {
        let same =
            |other: &&mut Row| other.what == Quantity::Guard && (&other.path, other.access) == (&row.path, row.access);

        match self.rows.iter_mut().find(same) {
            None => self.rows.push(row),
            Some(first) => {
                let (note, more) = (first.note.get_or_insert_default(), row.note.unwrap_or_default());
                if !note.contains(&more) && note.matches("; ").count() < MAX_PROBLEMS {
                    note.push_str("; ");
                    note.push_str(&more);
                }
            }
        }
    }
}

/// A probe that gave no result.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// The probe's entry point.
    pub(super) probe: String,
    pub(super) error: RunnerError,
}

/// The reasons why a check broke; `None` if it did not. Probes with the same error share one reason,
/// which starts with their names. `earlier` are errors from before any probe existed.
pub(super) fn broke(failures: &[Failure], earlier: &[String], own_faults: &[Reason]) -> Option<Reasons> {
    let mut alike: Vec<(&RunnerError, Vec<String>)> = Vec::new();
    for Failure { probe, error } in failures {
        match alike.iter_mut().find(|(known, _)| *known == error) {
            Some((_, probes)) if probes.contains(probe) => {}
            Some((_, probes)) => probes.push(probe.clone()),
            None => alike.push((error, vec![probe.clone()])),
        }
    }

    let of_probes = alike.into_iter().map(|(error, probes)| Reason::ProbesBroke { probes, error: error.clone() });
    Reasons::new(of_probes.chain(earlier.iter().cloned().map(Reason::Other)).chain(own_faults.iter().cloned()))
}

/// Collects the drivers' messages from the jobs, each once, in order of first appearance.
pub(super) fn driver_messages(results: &[Result<ReadBack, RunnerError>]) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for message in results.iter().flatten().flat_map(|read_back| &read_back.messages) {
        if messages.len() < MOST_MESSAGES && !messages.contains(message) {
            messages.push(message.clone());
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_events::{Access, RecordValue, Witnesses};
    use layoutproof_probes::{AddressSpace, Direction, Stage};

    /// A device may treat the end of a range differently where no guard follows.
    #[test]
    fn the_exact_range_has_a_row_where_it_differs() {
        let entry = ProbeEntry {
            name: "read_uniform".to_owned(),
            space: AddressSpace::Uniform,
            stage: Stage::Compute,
            direction: Direction::Read,
            forms: vec![Form::Leaf],
        };
        let observation = |range, offset| Observation {
            leaf: 0,
            space: AddressSpace::Uniform,
            direction: Direction::Read,
            form: Form::Leaf,
            range,
            offset: Some(offset),
            note: None,
        };
        let row = |offset| {
            let four = Some(RecordValue::Number(4));
            let observed = Some(RecordValue::Number(offset));
            let witnesses = Witnesses { computed: four.clone(), compiled: four, observed, ..Witnesses::default() };
            let (space, direction, form) = (AddressSpace::Uniform, Direction::Read, Some(Form::Leaf));
            let access = Some(Access { space, stage: Stage::Compute, direction, form });
            Row { access, ..Row::new("S.a", Quantity::Offset, witnesses) }
        };
        for (exact, rows) in [(4, 1), (0, 2)] {
            let mut answers = CheckAnswers::default();
            for (range, offset) in [(BoundRange::Guarded, 4), (BoundRange::Exact, exact)] {
                answers.add(0, &entry, &observation(range, offset), row(offset));
            }
            assert_eq!(answers.rows.len(), rows, "{exact}");
            let last = answers.rows.pop().expect("the guarded range has a row");
            assert_eq!(last.witnesses.observed, Some(RecordValue::Number(exact)));
            assert_eq!(last.note.is_some(), rows == 2, "{:?}", last.note);
        }
    }

    #[test]
    fn probes_that_broke_alike_are_named_together() {
        let (timeout, lost) = (RunnerError::Timeout(100), RunnerError::DeviceLost("a; b".to_owned()));
        let failures = [("read", &timeout), ("read", &timeout), ("write", &lost), ("push", &timeout)];
        let failures = failures.map(|(probe, error)| Failure { probe: probe.to_owned(), error: error.clone() });
        let text =
            |failures: &[Failure], earlier: &[String]| broke(failures, earlier, &[]).map(|reasons| reasons.to_string());
        let expected = format!("read, push: {timeout}; write: device lost: a; b; dxc crashed");
        assert_eq!(text(&failures, &["dxc crashed".to_owned()]), Some(expected));
        assert_eq!(text(&[], &[]), None);
    }
}
