//! Builds rows of a compiler's decisions about a case, next to the case's own numbers and those of
//! our rules.
//!
//! The decisions come from a frozen set, or from a compiler that ran just now.

use layoutproof_core::check::Subject;
use layoutproof_core::results::frozen::{Fact, Facts};
use layoutproof_events::{RecordValue, Row, Witnesses};
use layoutproof_layout::Quantity;

/// Adds a row for each decided number that our rules compute too.
pub fn add_rows(facts: &Facts, subject: &Subject, rows: &mut Vec<Row>) {
    let computed = subject.computed();
    for ((path, fact), value) in facts {
        let (quantity, is_code) = match fact {
            Fact::Offset => (Quantity::Offset, false),
            Fact::Code => (Quantity::Offset, true),
            Fact::Size => (Quantity::Size, false),
            Fact::Stride => (Quantity::ArrayStride, false),
            Fact::MatrixStride => (Quantity::MatrixStride, false),
            Fact::Order | Fact::Bound | Fact::Reflected | Fact::Unread => continue,
        };
        let numbers = value.parse::<u32>().ok().zip(computed.get(quantity, path));
        let Some((value, computed)) = numbers else { continue };

        let row = row_of(rows, subject, NumberPlace { quantity, path, computed });
        let said = if is_code { &mut row.witnesses.compiled } else { &mut row.witnesses.reported };
        *said = Some(RecordValue::Number(value));
    }
}

/// A number of our rules.
#[derive(Clone, Copy, Debug)]
pub struct NumberPlace<'a> {
    pub quantity: Quantity,
    pub path: &'a str,
    pub computed: u32,
}

/// The row of a number; adds it if it is missing.
pub fn row_of<'r>(rows: &'r mut Vec<Row>, subject: &Subject, number: NumberPlace<'_>) -> &'r mut Row {
    let NumberPlace { quantity, path, computed } = number;
    let known = rows.iter().position(|row| row.path == path && row.what == quantity);
    let place = known.unwrap_or(rows.len());
    if known.is_none() {
        let witnesses = Witnesses {
            expected: subject.expected.get(quantity, path).map(RecordValue::Number),
            computed: Some(RecordValue::Number(computed)),
            ..Witnesses::default()
        };
        rows.push(Row::new(path, quantity, witnesses));
    }
    &mut rows[place]
}

/// True if a compiler's number differs from the case's, or from that of our rules if the case has
/// none.
pub fn differs(row: &Row) -> bool {
    let Witnesses { expected, computed, reported, compiled, .. } = &row.witnesses;
    let right = expected.as_ref().or(computed.as_ref());
    [reported, compiled].into_iter().flatten().any(|said| Some(said) != right)
}
