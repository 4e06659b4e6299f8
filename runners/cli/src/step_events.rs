//! The events that a step of `dev hardware` reports to its parent process, next to its text output.
//!
//! The step appends lines of JSON to a file that an environment variable names; the other process reads
//! them while the step runs. A pipe would need a thread, and the step's output goes to its file as it
//! is, whatever bytes a driver prints there.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use layoutproof_show::style::one_line;
use serde::{Deserialize, Serialize};

/// Names the file of events. Only [`StepEvents::of`] sets it.
const VARIABLE: &str = "LAYOUTPROOF_STEP_EVENTS";

/// The file of events of this process, if it is a step.
static FILE: OnceLock<File> = OnceLock::new();

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepEvent {
    /// The current work.
    Progress(String),
    /// How it ended, in one line. The last one counts.
    Conclusion(String),
}

/// Makes this process report its events, if it is a step. The processes that it starts report none.
pub(crate) fn report_if_step() {
    let file = std::env::var_os(VARIABLE).and_then(|path| OpenOptions::new().append(true).open(path).ok());
    if let Some(file) = file {
        let _ = FILE.set(file);
    }
}

/// Reports what this step does now. Returns false if this process is no step, so that nothing was reported.
pub(crate) fn progress(line: &str) -> bool {
    report(&StepEvent::Progress(line.to_owned()))
}

/// Reports how this step ended, if this process is one.
pub(crate) fn conclude(sentence: &str) {
    report(&StepEvent::Conclusion(one_line(sentence.trim())));
}

fn report(event: &StepEvent) -> bool {
    let Some(mut file) = FILE.get() else { return false };
    let line = serde_json::to_string(event).expect("an event has texts only") + "\n";
    // The step's result counts; its events are only shown.
    let _ = file.write_all(line.as_bytes());
    true
}

/// The events of a step as its starter reads them.
#[derive(Debug)]
pub(crate) struct StepEvents {
    file: File,
    /// The start of a line that the step has not ended yet.
    begun: Vec<u8>,
}

impl StepEvents {
    /// Prepares a command whose process becomes a step, which reports to a new file at `path`.
    pub(crate) fn of(command: &mut Command, path: &Path) -> std::io::Result<Self> {
        File::create(path)?;
        command.env(VARIABLE, path);
        Ok(Self { file: File::open(path)?, begun: Vec::new() })
    }

    /// The events since the last call.
    pub(crate) fn read(&mut self) -> Vec<StepEvent> {
        // Events are only shown, so a read error is ignored.
        let _ = self.file.read_to_end(&mut self.begun);
        let complete = self.begun.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<u8> = self.begun.drain(..complete).collect();
        lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_once_they_are_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        let mut events = StepEvents::of(&mut Command::new("true"), &path).unwrap();
        let mut step = OpenOptions::new().append(true).open(&path).unwrap();
        let mut after = |text: &[u8]| {
            step.write_all(text).unwrap();
            events.read()
        };
        assert_eq!(after(b"{\"progress\":\"1/2"), []);
        assert_eq!(after(b"\"}\n\xff\n{\"conclusion\":"), [StepEvent::Progress("1/2".to_owned())]);
        assert_eq!(after(b"\"ok\"}\n"), [StepEvent::Conclusion("ok".to_owned())]);
    }
}
