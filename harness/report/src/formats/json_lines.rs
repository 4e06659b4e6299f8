//! Reads and writes records files: one JSON value per line.
//!
//! Reading skips unknown keys, so an older layoutproof can read a newer file.

use serde::Deserialize;
use thiserror::Error;

use crate::reporter::{Destination, Reporter};
use layoutproof_events::{CheckRecord, Contradiction, Event, RunEnd, RunHeader, SCHEMA, SavedLine};

/// A records file that cannot be read.
#[derive(Debug, Error)]
pub enum RecordsError {
    /// A line is not a record.
    #[error("line {line}: no record: {reason}")]
    BadLine {
        /// From 1.
        line: usize,
        /// The parser's error.
        reason: serde_json::Error,
    },
    /// A line holds what cannot be together.
    #[error("line {line}: {reason}")]
    Contradiction {
        /// From 1.
        line: usize,
        reason: Box<Contradiction>,
    },
    /// A line has a schema that this version does not know.
    #[error("line {line}: schema {found}, but this version reads up to {SCHEMA}")]
    Schema {
        /// From 1.
        line: usize,
        found: u32,
    },
}

/// The records of one run, or of several that are shown together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// One per run.
    pub runs: Vec<RunHeader>,
    pub checks: Vec<CheckRecord>,
    /// One per run that finished; fewer than `runs` if one was interrupted.
    pub ends: Vec<RunEnd>,
}

/// The records as lines of JSON, one per event.
#[derive(Clone, Copy, Debug)]
pub struct JsonLines;

impl Reporter for JsonLines {
    fn destination(&self) -> Destination {
        Destination::Records {
            name: "json",
            help: "Write the records as JSON lines",
            details: "A run writes each record as its check ends. A name that ends in `.zst` is compressed.",
        }
    }

    fn on_event(&self, event: &Event<'_>) -> String {
        let json = serde_json::to_string(event).expect("keys of records are strings and numbers are integers");
        json + "\n"
    }
}

/// All records of `text`; empty lines count but hold none.
///
/// # Errors
/// The first line that is not a record or that has a newer schema.
pub fn read(text: &str) -> Result<Records, RecordsError> {
    let mut records = Records::default();
    for line in lines(text, 0) {
        match line?.event {
            Event::RunStarted(run) => records.runs.push(run.into_owned()),
            Event::CheckFinished(check) => records.checks.push(check.into_owned()),
            Event::RunFinished(end) => records.ends.push(end.into_owned()),
        }
    }
    Ok(records)
}

#[derive(Clone, Debug, PartialEq)]
pub struct NumberedLine {
    /// From 1.
    pub number: usize,
    pub event: Event<'static>,
}

/// The records of `text` in order, without empty lines. A line that is not a record is an error, as
/// for [`read`]. `before` is the number of the file's lines before these.
pub fn lines(text: &str, before: usize) -> impl Iterator<Item = Result<NumberedLine, RecordsError>> {
    let lines = text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
    lines.map(move |(index, text)| {
        let number = before + index + 1;
        let line: SavedLine = serde_json::from_str(text).map_err(|reason| unreadable(number, text, reason))?;
        check_schema(number, line.schema())?;
        let event =
            line.try_into().map_err(|reason| RecordsError::Contradiction { line: number, reason: Box::new(reason) })?;
        Ok(NumberedLine { number, event })
    })
}

/// The complete lines of a run that may have been killed while writing: drops an unfinished last
/// line that is not a record.
pub fn without_torn_line(text: &str) -> &str {
    let last = text.rfind('\n').map_or(0, |newline| newline + 1);
    let is_torn = last < text.len() && serde_json::from_str::<SavedLine>(&text[last..]).is_err();
    if is_torn { &text[..last] } else { text }
}

/// If a later version wrote the line with other keys, the error names its schema instead.
fn unreadable(line: usize, text: &str, reason: serde_json::Error) -> RecordsError {
    /// The only key that is in the lines of every schema.
    #[derive(Deserialize)]
    struct AnySchema {
        schema: u32,
    }

    match serde_json::from_str(text) {
        Ok(AnySchema { schema }) if schema > SCHEMA => RecordsError::Schema { line, found: schema },
        Ok(AnySchema { .. }) | Err(_) => RecordsError::BadLine { line, reason },
    }
}

fn check_schema(line: usize, found: u32) -> Result<(), RecordsError> {
    if found > SCHEMA { Err(RecordsError::Schema { line, found }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    const END: &str = r#"{"type":"end","schema":1,"checks":3,"agree":3,"differ":0,"known":0,"stale":0,"skipped":0,"broken":0,"leaves":9,"devices":["lavapipe via ash"],"proves":{"compiler":9}}"#;

    #[test]
    fn a_line_is_read_and_written_to_the_letter() {
        let records = read(END).unwrap();
        assert_eq!(records.ends[0].checks, 3);
        assert_eq!(JsonLines.on_event(&Event::RunFinished(Cow::Borrowed(&records.ends[0]))), format!("{END}\n"));
    }

    #[test]
    fn unknown_keys_are_passed_over() {
        let newer = END.replace(r#""checks":3"#, r#""checks":3,"later":{"a":[1]}"#);
        assert_eq!(read(&newer).unwrap(), read(END).unwrap());
    }

    /// Wherever a line is cut, all lines before it stay.
    #[test]
    fn a_torn_line_is_left_out() {
        let whole = format!("{END}\n{END}\n");
        for length in END.len() + 1..whole.len() {
            let rest = without_torn_line(&whole[..length]);
            let torn = rest.len() < length;
            let lines = if torn || length == END.len() + 1 { 1 } else { 2 };
            let ends = read(rest).unwrap().ends.len();
            assert_eq!((ends, torn), (lines, length != END.len() + 1 && length + 1 != whole.len()));
        }
        assert_eq!(without_torn_line(&whole), whole);
        let first = format!("{}\n{END}\n", &END[..9]);
        assert_eq!(without_torn_line(&first), first, "only the last line can be torn");
    }

    #[test]
    fn errors_name_the_line() {
        for (bad, expected) in [
            (r#"{"type":"end","schema":1"#, "line 3: no record: EOF"),
            (r#"{"type":"other"}"#, "line 3: no record: unknown variant `other`"),
            (&END.replace(r#""schema":1"#, r#""schema":2"#), "line 3: schema 2, but this version reads up to 1"),
            (r#"{"type":"campaign","schema":3}"#, "line 3: schema 3, but this version reads up to 1"),
            (r#"{"type":"end","schema":1}"#, "line 3: no record: missing field"),
        ] {
            let error = read(&format!("{END}\n\n{bad}\n")).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
