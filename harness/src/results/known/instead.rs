//! The wrong numbers that an entry excuses.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_events::{CheckRecord, NOWHERE, RecordValue, Row, Witness};
use layoutproof_layout::Quantity;

use crate::toml_table::{FileProblems, TomlTable, TomlValue, number};

/// What compilers and devices say in place of the right numbers: by case, then by the number's name.
///
/// A check with any other wrong number is not excused, so a new fault in a check that is known to differ
/// stays visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instead(Arc<BTreeMap<String, WrongNumbers>>);

pub(super) type WrongNumbers = BTreeMap<String, Vec<RecordValue>>;

impl Instead {
    /// Reads the entry's tables `[known.instead."CASE"]`; `None` if it has none.
    pub(super) fn read(entry: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Option<Self> {
        let cases = TomlTable::of(entry.value("instead")?, problems)?;
        let mut by_case = BTreeMap::new();
        for (case, _, numbers) in cases.entries() {
            let Some(numbers) = TomlTable::of(numbers, problems) else { continue };
            let mut of_case = WrongNumbers::new();
            for (name, _, value) in numbers.entries() {
                let values = value.get_ref().as_array().map_or_else(|| vec![value], |array| array.iter().collect());
                let values = values.into_iter().filter_map(|value| read_value(value, problems));
                of_case.insert(name.to_owned(), values.collect());
            }
            by_case.insert(case.to_owned(), of_case);
        }
        Some(Self(Arc::new(by_case)))
    }

    /// The wrong numbers of these checks.
    pub(super) fn of<'a>(checks: impl IntoIterator<Item = &'a CheckRecord>) -> Self {
        let mut by_case: BTreeMap<String, WrongNumbers> = BTreeMap::new();
        for check in checks {
            for row in &check.rows {
                for value in wrong_values(row) {
                    let values = by_case.entry(check.id.case.clone()).or_default().entry(name(row)).or_default();
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            }
        }
        Self(Arc::new(by_case))
    }

    /// The values by case and name, in the order of lists.
    pub(super) fn by_case(&self) -> impl Iterator<Item = (&str, &WrongNumbers)> {
        self.0.iter().map(|(case, numbers)| (case.as_str(), numbers))
    }

    /// True if the entry has every wrong number of the check.
    pub(super) fn has_all(&self, check: &CheckRecord) -> bool {
        let of_case = self.0.get(&check.id.case);
        check.rows.iter().all(|row| {
            let listed = of_case.and_then(|numbers| numbers.get(&name(row)));
            wrong_values(row).iter().all(|value| listed.is_some_and(|listed| listed.contains(value)))
        })
    }
}

fn read_value(value: &TomlValue<'_>, problems: &mut FileProblems<'_>) -> Option<RecordValue> {
    match value.get_ref().as_str() {
        Some(text) => Some(RecordValue::Text(text.to_owned())),
        None => number(value, problems).map(RecordValue::Number),
    }
}

/// The name of a row's number in lists: its path, with the quantity unless that is an offset.
pub(super) fn name(row: &Row) -> String {
    match row.what {
        Quantity::Offset => row.path.clone(),
        what => format!("{} {}", row.path, what),
    }
}

/// The values that contradict the case or, without a number there, our rules. If a leaf was read and the
/// answer is no byte of the block, that is the value [`NOWHERE`].
pub(super) fn wrong_values(row: &Row) -> Vec<RecordValue> {
    let right = right_value(row);
    let given = Witness::ALL.into_iter().filter_map(|witness| row.witnesses.of(witness));
    let mut values: Vec<RecordValue> = given.filter(|value| Some(*value) != right).cloned().collect();
    if row.is_probed() && row.witnesses.observed.is_none() {
        values.push(RecordValue::Text(NOWHERE.to_owned()));
    }
    values
}

/// The case's value or, without one, that of our rules.
pub(super) fn right_value(row: &Row) -> Option<&RecordValue> {
    row.witnesses.expected.as_ref().or(row.witnesses.computed.as_ref())
}
