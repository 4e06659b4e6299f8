//! The witnesses of a row: the number that each gives, and which of them are marked wrong.

use layoutproof_events::{CheckRecord, Culprit, RecordValue, Row, Witness, Witnesses};
use layoutproof_probes::Direction;
use layoutproof_show::style::{Style, Tone};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Equals the reference.
    Right,
    /// Differs from the reference: `!`.
    Wrong,
    /// An answer that is not an offset in this block: `?`.
    Missing,
    /// No number: `·`.
    Silent,
}

/// Describes in the legend of a byte map how a witness used the bytes.
pub(crate) fn deed(witness: Witness, directions: &[Option<Direction>]) -> &'static str {
    let writes = directions.contains(&Some(Direction::Write));
    let reads = directions.iter().any(|direction| *direction != Some(Direction::Write));
    match witness {
        Witness::Expected => "expected",
        Witness::Computed => "computed by our rules",
        Witness::Reported => "reported by the compiler",
        Witness::Compiled => "addressed by the compiled code",
        Witness::Observed if writes && reads => "read or written by the device",
        Witness::Observed if writes => "written by the device",
        Witness::Observed => "read by the device",
    }
}

/// The columns that `record` needs. The compiler's report gets one only if it differs from the
/// compiled code.
pub(crate) fn columns(record: &CheckRecord) -> Vec<Witness> {
    let report_differs = record
        .rows
        .iter()
        .any(|row| row.witnesses.reported.is_some() && row.witnesses.reported != row.witnesses.compiled);
    Witness::ALL.into_iter().filter(|witness| *witness != Witness::Reported || report_differs).collect()
}

/// The number to compare the others with: the case's, or ours if the case gives none or is the
/// culprit.
pub(crate) fn reference(row: &Row, culprit: Option<Culprit>) -> Option<&RecordValue> {
    let Witnesses { expected, computed, compiled, .. } = &row.witnesses;
    let (first, second) = match culprit {
        Some(Culprit::Case) => (computed, expected),
        Some(
            Culprit::CaseOrRules
            | Culprit::Rules
            | Culprit::Compiler
            | Culprit::Report
            | Culprit::Module
            | Culprit::Device
            | Culprit::Unclear,
        )
        | None => (expected, computed),
    };
    first.as_ref().or(second.as_ref()).or(compiled.as_ref())
}

/// The mark of `witness` in `row`. If it is unclear whether the case or our rule is wrong, both are
/// marked.
pub(crate) fn mark(row: &Row, witness: Witness, culprit: Option<Culprit>) -> Mark {
    let Some(value) = row.witnesses.of(witness) else {
        let answered = witness == Witness::Observed && row.note.is_some();
        return if answered { Mark::Missing } else { Mark::Silent };
    };

    let Witnesses { expected, computed, .. } = &row.witnesses;
    let tie = culprit == Some(Culprit::CaseOrRules) && expected.is_some() && computed.is_some();
    if tie && expected != computed {
        let takes_a_side = [expected, computed].contains(&&Some(value.clone()));
        let is_party = matches!(witness, Witness::Expected | Witness::Computed);
        return if takes_a_side && !is_party { Mark::Right } else { Mark::Wrong };
    }
    if Some(value) == reference(row, culprit) { Mark::Right } else { Mark::Wrong }
}

/// True if any witness of `row` is wrong or gave an answer that is not a number.
pub(crate) fn is_wrong(row: &Row, culprit: Option<Culprit>) -> bool {
    let marks = Witness::ALL.into_iter().map(|witness| mark(row, witness, culprit));
    marks.into_iter().any(|mark| matches!(mark, Mark::Wrong | Mark::Missing))
}

pub(crate) fn number(value: Option<&RecordValue>) -> Option<u32> {
    value.and_then(RecordValue::number)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WitnessField {
    pub mark: Mark,
    /// The number or binding; empty for a silent witness.
    pub text: String,
}

impl WitnessField {
    pub(crate) fn new(row: &Row, witness: Witness, culprit: Option<Culprit>) -> Self {
        let text = match row.witnesses.of(witness) {
            Some(RecordValue::Number(number)) => number.to_string(),
            Some(RecordValue::Text(text)) => layoutproof_show::style::one_line(text),
            None => String::new(),
        };
        Self { mark: mark(row, witness, culprit), text }
    }

    /// The field of a witness that gives no number.
    pub(crate) fn silent() -> Self {
        Self { mark: Mark::Silent, text: String::new() }
    }

    pub(crate) fn text(&self, style: Style) -> String {
        match self.mark {
            Mark::Right => self.text.clone(),
            Mark::Wrong => format!("! {}", self.text),
            Mark::Missing => "?".to_owned(),
            Mark::Silent => style.dot().to_owned(),
        }
    }

    pub(crate) fn tone(&self) -> Tone {
        match self.mark {
            Mark::Right => Tone::Plain,
            Mark::Wrong | Mark::Missing => Tone::Disagree,
            Mark::Silent => Tone::Dim,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::Quantity;

    fn row(values: [Option<u32>; 5]) -> Row {
        let [expected, computed, reported, compiled, observed] = values.map(|value| value.map(RecordValue::Number));
        Row::new("S.c", Quantity::Offset, Witnesses { expected, computed, reported, compiled, observed })
    }

    fn marks(row: &Row, culprit: Culprit) -> String {
        let letter = |witness| match mark(row, witness, Some(culprit)) {
            Mark::Right => '=',
            Mark::Wrong => '!',
            Mark::Missing => '?',
            Mark::Silent => '.',
        };
        Witness::ALL.into_iter().map(letter).collect()
    }

    #[test]
    fn who_is_marked_follows_the_culprit() {
        for (values, culprit, expected) in [
            ([Some(36), Some(36), None, Some(48), Some(48)], Culprit::Compiler, "==.!!"),
            ([Some(36), Some(36), None, Some(36), Some(40)], Culprit::Device, "==.=!"),
            ([Some(36), Some(48), None, Some(48), Some(48)], Culprit::Case, "!=.=="),
            ([Some(36), Some(48), None, Some(36), Some(36)], Culprit::Rules, "=!.=="),
            ([Some(36), Some(48), None, None, Some(48)], Culprit::CaseOrRules, "!!..="),
            ([Some(36), Some(48), None, None, Some(40)], Culprit::CaseOrRules, "!!..!"),
            ([None, Some(36), Some(48), Some(36), None], Culprit::Report, ".=!=."),
        ] {
            assert_eq!(marks(&row(values), culprit), expected, "{values:?} {culprit:?}");
        }
    }

    #[test]
    fn an_answer_that_is_no_offset_is_missing_and_not_silent() {
        let mut row = row([Some(36), Some(36), None, Some(36), None]);
        assert!(!is_wrong(&row, None));
        row.note = Some("read 0x00000000, no word of the image".into());
        assert_eq!(marks(&row, Culprit::Device), "==.=?");
        assert!(is_wrong(&row, None));
    }
}
