//! One number of a difference, as each witness gives it.

use layoutproof_layout::Quantity;

use layoutproof_events::{RecordValue, Row};

/// One number of a difference, in bytes; `None` if a witness gives none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferenceRow {
    /// Path, block name first.
    pub path: String,
    pub what: Quantity,
    /// From a case, if there is one.
    pub expected: Option<u32>,
    /// From our rules.
    pub computed: Option<u32>,
    /// From the compiler's reflection, listing or decorations.
    pub reported: Option<u32>,
    /// The offset that the compiler's code addresses.
    pub compiled: Option<u32>,
    /// The offset that a device read.
    pub observed: Option<u32>,
}

impl From<&Row> for DifferenceRow {
    /// Converts a row. Bindings are dropped, because they are not numbers.
    fn from(row: &Row) -> Self {
        let number = |value: &Option<RecordValue>| match value {
            Some(RecordValue::Number(number)) => Some(*number),
            Some(RecordValue::Text(_)) | None => None,
        };
        Self {
            path: row.path.clone(),
            what: row.what,
            expected: number(&row.witnesses.expected),
            computed: number(&row.witnesses.computed),
            reported: number(&row.witnesses.reported),
            compiled: number(&row.witnesses.compiled),
            observed: number(&row.witnesses.observed),
        }
    }
}

impl DifferenceRow {
    /// The numbers in the order of the report's columns.
    pub fn numbers(&self) -> [Option<u32>; 5] {
        [self.expected, self.computed, self.reported, self.compiled, self.observed]
    }

    /// True if two witnesses disagree.
    pub fn differs(&self) -> bool {
        let mut said = self.numbers().into_iter().flatten();
        let first = said.next();
        said.any(|number| Some(number) != first)
    }
}
