//! The records file of a run: it grows by a line as each check ends, so that a run that is killed has lost nothing of it.
//!
//! Lines are written in the order of the run, each as soon as all before it are there. So a file that was cut short is
//! the beginning of the whole one, and the same run writes the same bytes, times aside, however its threads took turns.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use layoutproof::record::{CheckRecord, Line, RunEnd, RunHeader, SCHEMA};
use layoutproof::report::json_lines;
use layoutproof::runner::DeviceInfo;
use layoutproof_compilers::spirv_val::SpirvVal;

use crate::arguments;
use crate::drivers::FetchedDrivers;

/// The first line of the records of a run on these devices, with these builds of compilers by name, of so many cases;
/// `inputs` is the hash of all that it reads, `drivers` are those that workers find beside the system's.
pub(crate) fn header(
    (devices, builds): (&[DeviceInfo], BTreeMap<String, String>),
    cases: usize,
    inputs: String,
    drivers: &FetchedDrivers,
) -> RunHeader {
    let validator = SpirvVal::find().map_or("missing".to_owned(), |validator| validator.version().to_owned());
    let built_in =
        [("spirv-val", validator.as_str()), ("naga", env!("NAGA_VERSION")), ("rspirv", env!("RSPIRV_VERSION"))];
    let mut tools = builds;
    tools.extend(built_in.map(|(tool, version)| (tool.to_owned(), version.to_owned())));
    RunHeader {
        schema: SCHEMA,
        layoutproof: env!("CARGO_PKG_VERSION").to_owned(),
        devices: devices.to_vec(),
        tools,
        environment: drivers.recorded(),
        cases: u32::try_from(cases).unwrap_or(u32::MAX),
        arguments: arguments::of_run(std::env::args_os()),
        inputs,
    }
}

/// A records file that is being written.
#[derive(Debug)]
pub(crate) struct RecordsFile {
    path: PathBuf,
    header: RunHeader,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Header and records so far are in it.
    Growing(File),
    /// A terminal or a pipe, where nothing can be mended later: it is written at the end.
    AtEnd,
    /// What went wrong; the run goes on, and says so at its end.
    Failed(io::Error),
}

impl RecordsFile {
    /// Begins a file with the header and with records that are there already.
    pub(crate) fn begin(path: &Path, header: RunHeader, kept: &[CheckRecord]) -> Self {
        let state = match fs::metadata(path) {
            Ok(there) if !there.is_file() => State::AtEnd,
            Ok(_) | Err(_) => begun(path, &header, kept).map_or_else(State::Failed, State::Growing),
        };
        Self { path: path.to_path_buf(), header, state }
    }

    /// Adds the record of a check that is done.
    pub(crate) fn add(&mut self, record: &CheckRecord) {
        if let State::Growing(file) = &mut self.state {
            // One write a line: what a kill tears is the last line at most.
            let line = json_lines::write(&Line::Check(Box::new(record.clone())));
            if let Err(error) = file.write_all(line.as_bytes()) {
                self.state = State::Failed(error);
            }
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The first thing that went wrong, now or before.
    pub(crate) fn end(self, end: &RunEnd) -> anyhow::Result<()> {
        let done = match self.state {
            State::Growing(mut file) => file.write_all(json_lines::write(&Line::End(end.clone())).as_bytes()),
            State::AtEnd => Ok(()),
            State::Failed(error) => Err(error),
        };
        done.with_context(|| format!("writing {}", self.path.display()))
    }

    /// Writes the whole file anew, where what was written so far is not what the run came to.
    ///
    /// # Errors
    /// As [`RecordsFile::end`].
    pub(crate) fn rewrite(self, records: &[CheckRecord], end: &RunEnd) -> anyhow::Result<()> {
        let done = match self.state {
            State::Growing(_) => replace(&self.path, &self.header, records, Some(end)),
            State::AtEnd => File::create(&self.path)
                .and_then(|file| write(file, std::slice::from_ref(&self.header), records, Some(end))),
            State::Failed(error) => Err(error),
        };
        done.with_context(|| format!("writing {}", self.path.display()))
    }

    /// Whether nothing is written before the end.
    pub(crate) fn is_written_at_end(&self) -> bool {
        match self.state {
            State::AtEnd => true,
            State::Growing(_) | State::Failed(_) => false,
        }
    }
}

fn begun(path: &Path, header: &RunHeader, kept: &[CheckRecord]) -> io::Result<File> {
    if kept.is_empty() {
        write(File::create(path)?, std::slice::from_ref(header), kept, None)?;
    } else {
        replace(path, header, kept, None)?;
    }
    OpenOptions::new().append(true).open(path)
}

/// Puts a whole file in the place of another: whenever the run is killed, one of the two is there.
fn replace(path: &Path, header: &RunHeader, records: &[CheckRecord], end: Option<&RunEnd>) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut name = target.clone().into_os_string();
    name.push(".part");
    write(File::create(&name)?, std::slice::from_ref(header), records, end)?;
    fs::rename(&name, &target)
}

/// Writes a whole file of records, perhaps of several runs.
///
/// # Errors
/// What kept it from being written.
pub(crate) fn write_whole(
    path: &Path,
    headers: &[RunHeader],
    records: &[CheckRecord],
    end: &RunEnd,
) -> anyhow::Result<()> {
    let written = File::create(path).and_then(|file| write(file, headers, records, Some(end)));
    written.with_context(|| format!("writing {}", path.display()))
}

fn write(file: File, headers: &[RunHeader], records: &[CheckRecord], end: Option<&RunEnd>) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    let mut line = |line: &Line| file.write_all(json_lines::write(line).as_bytes());
    for header in headers {
        line(&Line::Run(header.clone()))?;
    }
    for record in records {
        line(&Line::Check(Box::new(record.clone())))?;
    }
    if let Some(end) = end {
        line(&Line::End(end.clone()))?;
    }
    file.flush()
}
