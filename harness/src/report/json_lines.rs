//! Records files: one JSON value a line.
//!
//! Lines out and in. Reading passes over keys that it does not know, so that an older layoutproof reads a newer file.

use thiserror::Error;

use crate::record::{CheckRecord, Line, RunEnd, RunHeader, SCHEMA};

/// Why a records file cannot be read.
#[derive(Debug, Error)]
pub enum RecordsError {
    /// A line is no record.
    #[error("line {line}: no record: {reason}")]
    BadLine {
        /// Line, from 1.
        line: usize,
        /// What the parser says.
        reason: serde_json::Error,
    },
    /// A line has a format that this version does not know.
    #[error("line {line}: schema {found}, but this version reads up to {SCHEMA}")]
    Schema {
        /// Line, from 1.
        line: usize,
        /// The line's schema.
        found: u32,
    },
}

/// The records of one run, or of several that are shown together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// One per run.
    pub runs: Vec<RunHeader>,
    /// All checks.
    pub checks: Vec<CheckRecord>,
    /// One per run that came to its end; fewer than `runs` if one was cut short.
    pub ends: Vec<RunEnd>,
}

/// One record as a line of JSON, newline included.
///
/// # Panics
/// Never: records hold nothing that JSON cannot express.
pub fn write(line: &Line) -> String {
    let json = serde_json::to_string(line).expect("keys of records are strings and numbers are integers");
    json + "\n"
}

/// All records of `text`; empty lines count but hold none.
///
/// # Errors
/// The first line that is no record or that has a newer schema.
pub fn read(text: &str) -> Result<Records, RecordsError> {
    let mut records = Records::default();
    let lines = text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
    for (index, text) in lines {
        let line = index + 1;
        match serde_json::from_str(text).map_err(|reason| RecordsError::BadLine { line, reason })? {
            Line::Run(run) => {
                check_schema(line, run.schema)?;
                records.runs.push(run);
            }
            Line::Check(check) => {
                check_schema(line, check.schema)?;
                records.checks.push(*check);
            }
            Line::End(end) => {
                check_schema(line, end.schema)?;
                records.ends.push(end);
            }
        }
    }
    Ok(records)
}

/// The records of a run that may have been killed while it wrote, and whether it was: a last line without its end that is
/// no record is left out.
///
/// # Errors
/// As [`read`], of the lines before.
pub fn read_torn(text: &str) -> Result<(Records, bool), RecordsError> {
    let last = text.rfind('\n').map_or(0, |newline| newline + 1);
    let torn = last < text.len() && serde_json::from_str::<Line>(&text[last..]).is_err();
    Ok((read(if torn { &text[..last] } else { text })?, torn))
}

fn check_schema(line: usize, found: u32) -> Result<(), RecordsError> {
    if found > SCHEMA { Err(RecordsError::Schema { line, found }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: &str = r#"{"type":"end","schema":1,"checks":3,"agree":3,"differ":0,"known":0,"stale":0,"skipped":0,"broken":0,"leaves":9,"devices":["lavapipe via ash"],"proves":{"compiler":9}}"#;

    #[test]
    fn a_line_is_read_and_written_to_the_letter() {
        let records = read(END).unwrap();
        assert_eq!(records.ends[0].checks, 3);
        assert_eq!(write(&Line::End(records.ends[0].clone())), format!("{END}\n"));
    }

    #[test]
    fn unknown_keys_are_passed_over() {
        let newer = END.replace(r#""checks":3"#, r#""checks":3,"later":{"a":[1]}"#);
        assert_eq!(read(&newer).unwrap(), read(END).unwrap());
    }

    /// However a line is cut, what stands before it is there.
    #[test]
    fn a_torn_line_is_left_out() {
        let whole = format!("{END}\n{END}\n");
        for length in END.len() + 1..whole.len() {
            let (records, torn) = read_torn(&whole[..length]).unwrap();
            let lines = if torn || length == END.len() + 1 { 1 } else { 2 };
            assert_eq!((records.ends.len(), torn), (lines, length != END.len() + 1 && length + 1 != whole.len()));
        }
        assert_eq!(read_torn(&whole).unwrap(), (read(&whole).unwrap(), false));
        assert!(read_torn(&format!("{}\n{END}\n", &END[..9])).is_err(), "only the last line can be torn");
    }

    #[test]
    fn errors_name_the_line() {
        for (bad, expected) in [
            (r#"{"type":"end","schema":1"#, "line 3: no record: EOF"),
            (r#"{"type":"other"}"#, "line 3: no record: unknown variant `other`"),
            (&END.replace(r#""schema":1"#, r#""schema":2"#), "line 3: schema 2, but this version reads up to 1"),
        ] {
            let error = read(&format!("{END}\n\n{bad}\n")).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
