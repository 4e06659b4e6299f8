//! The records file of a run. It grows by a line as each check ends, so a killed run loses nothing.
//!
//! Lines are written in the order of the run. A record that is finished long before an earlier one is
//! written out of order, and put in its place at the end, so the same run writes the same bytes, except
//! for times, however its threads were scheduled. The file is locked while it is written,
//! even while it is being replaced.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::iter;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use fs4::FileExt;
use layoutproof_compilers::spirv_val::SpirvVal;
use layoutproof_compilers::{output_file, regular_file};
use layoutproof_device::DeviceInfo;
use layoutproof_events::{CheckRecord, Event, Host, RecordsFilter, RunEnd, RunHeader, SCHEMA, ToolBuild};
use layoutproof_executor::drivers::FetchedDrivers;
use layoutproof_readers::version::{NAGA_VERSION, RSPIRV_VERSION};
use layoutproof_report::json_lines::JsonLines;
use layoutproof_report::reporter::{FinishedRun, Reporter};
use same_file::Handle;

use crate::compression::{FrameTexts, UnpackLimits};
use crate::home::Home;
use crate::lock::Warn;
use crate::output_files::check_file;
use crate::{compression, lock, recorded};
use layoutproof_inputs::files::FileKind;

/// The header line for the records of a run on these devices, with these builds of compilers by
/// name, of `cases` cases. `inputs` is the hash of everything that the run reads; `drivers` are
/// those that workers find in addition to the system's; `arguments` those that decide which checks
/// exist.
pub fn header(
    devices: &[DeviceInfo],
    builds: BTreeMap<String, ToolBuild>,
    cases: usize,
    inputs: String,
    drivers: &FetchedDrivers,
    arguments: BTreeMap<String, Vec<String>>,
) -> RunHeader {
    let validator = SpirvVal::find();
    let newer = validator.as_ref().and_then(SpirvVal::newer_version).map(|version| ("spirv-val-current", version));
    let validator = validator.as_ref().map_or("missing", SpirvVal::version);
    let built_in = [("spirv-val", validator), ("naga", NAGA_VERSION), ("rspirv", RSPIRV_VERSION)];
    let mut tools = builds;
    let builds = built_in.into_iter().chain(newer);
    tools.extend(builds.map(|(tool, version)| (tool.to_owned(), ToolBuild::of_version(version))));

    let home = Home::here();
    RunHeader {
        schema: SCHEMA,
        layoutproof: env!("CARGO_PKG_VERSION").to_owned(),
        host: Host::here(None),
        devices: devices.to_vec(),
        tools,
        environment: drivers.recorded().into_iter().map(|(name, value)| (name, home.hidden(value))).collect(),
        cases: u32::try_from(cases).unwrap_or(u32::MAX),
        records: RecordsFilter::Full,
        arguments: arguments
            .into_iter()
            .map(|(option, values)| (option, values.into_iter().map(|value| home.hidden(value)).collect()))
            .collect(),
        outputs: Vec::new(),
        inputs,
    }
}

/// An output for records that is open and locked, but still unchanged.
#[derive(Debug)]
pub struct RecordsTarget {
    path: PathBuf,
    opened: OpenedTarget,
}

#[derive(Debug)]
enum OpenedTarget {
    Regular(File),
    /// A terminal or a pipe, which has no lock.
    Stream,
    Failed(io::Error),
}

impl RecordsTarget {
    /// Opens and locks a file to write records to.
    ///
    /// # Errors
    /// Another process is writing the file. Other problems are reported when the file is ended.
    pub fn open(path: &Path, warn: Warn) -> anyhow::Result<Self> {
        let opened = match fs::metadata(path) {
            Ok(there) if !there.is_file() => OpenedTarget::Stream,
            Ok(_) | Err(_) => lock::open(path, warn)?.map_or_else(OpenedTarget::Failed, OpenedTarget::Regular),
        };
        Ok(Self { path: path.to_path_buf(), opened })
    }

    /// Opens and locks an existing file, and returns its bytes.
    pub fn open_to_go_on(path: &Path, warn: Warn) -> anyhow::Result<(Self, Vec<u8>)> {
        let reading = || format!("reading {}", path.display());
        fs::metadata(path).with_context(reading)?;
        let target = Self::open(path, warn)?;
        let limit = FileKind::Records.limit();
        let bytes = match &target.opened {
            OpenedTarget::Regular(file) => regular_file::read_open(file, limit),
            OpenedTarget::Stream | OpenedTarget::Failed(_) => regular_file::read(path, limit),
        };
        Ok((target, bytes.with_context(reading)?))
    }

    /// Begins the file with the header and with existing records.
    pub fn begin(self, header: RunHeader, kept: &[CheckRecord]) -> RecordsFile {
        let Self { path, opened } = self;
        let state = match opened {
            OpenedTarget::Stream => RecordsFileState::AtEnd,
            OpenedTarget::Failed(error) => RecordsFileState::Failed(error),
            OpenedTarget::Regular(file) => GrowingFile::begin(file, &path, &header, kept)
                .map_or_else(RecordsFileState::Failed, RecordsFileState::Growing),
        };
        RecordsFile { path, header, state }
    }

    /// Writes a complete file of records, possibly of several runs.
    pub fn write_whole(self, run: &FinishedRun<'_>) -> anyhow::Result<()> {
        let Self { path, opened } = self;
        let is_compressed = compression::is_meant_by(&path);
        let written = match opened {
            OpenedTarget::Regular(mut file) => {
                emptied(&mut file).and_then(|()| write(&file, is_compressed, run.events()))
            }
            OpenedTarget::Stream => File::create(&path).and_then(|file| write(&file, is_compressed, run.events())),
            OpenedTarget::Failed(error) => Err(error),
        };
        written.with_context(|| format!("writing {}", path.display()))
    }
}

#[derive(Debug)]
pub struct RecordsFile {
    path: PathBuf,
    header: RunHeader,
    state: RecordsFileState,
}

#[derive(Debug)]
enum RecordsFileState {
    /// The file has the header and the records so far.
    Growing(GrowingFile),
    /// A terminal or a pipe, which cannot be corrected later: it is written at the end.
    AtEnd,
    /// Writing failed; the run goes on and reports the error at its end.
    Failed(io::Error),
}

/// A locked file, and the locked file that it replaced.
#[derive(Debug)]
struct GrowingFile {
    file: File,
    is_compressed: bool,
    /// Lines for the next frame of a compressed file.
    pending: String,
    home: Home,
    /// Kept open for its lock: a process that opened this file before it was replaced must not find
    /// it unlocked.
    _replaced: Option<File>,
}

impl GrowingFile {
    fn begin(mut file: File, path: &Path, header: &RunHeader, kept: &[CheckRecord]) -> io::Result<Self> {
        let is_compressed = compression::is_meant_by(path);
        let growing = |file, replaced| Self {
            file,
            is_compressed,
            pending: String::new(),
            home: Home::here(),
            _replaced: replaced,
        };
        let started = iter::once(Event::RunStarted(Cow::Borrowed(header)));
        if kept.is_empty() {
            emptied(&mut file)?;
            write(&file, is_compressed, started)?;
            Ok(growing(file, None))
        } else {
            let kept = kept.iter().filter_map(|record| record.kept_by(header.records));
            let finished = kept.map(Event::CheckFinished);
            let whole = replace(path, started.chain(finished))?;
            Ok(growing(whole, Some(file)))
        }
    }

    /// Adds a line: to the file, in one write, or to the next frame.
    fn add(&mut self, event: &Event<'_>) -> io::Result<()> {
        let line = self.home.hidden(JsonLines.on_event(event));
        if self.is_compressed {
            self.pending += &line;
            return Ok(());
        }
        // A kill can tear at most the last line.
        self.file.write_all(line.as_bytes())
    }

    /// Writes the pending lines as a frame.
    fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let text = std::mem::take(&mut self.pending);
        self.file.write_all(&compression::frame(&text))
    }
}

impl RecordsFile {
    /// Adds the record of a finished check, unless the file leaves it out. Returns true if the file has it.
    pub fn add(&mut self, record: &CheckRecord) -> bool {
        let Some(record) = record.kept_by(self.header.records) else { return false };
        if let RecordsFileState::Growing(growing) = &mut self.state {
            if let Err(error) = growing.add(&Event::CheckFinished(record)) {
                self.state = RecordsFileState::Failed(error);
            }
        }
        true
    }

    /// Writes the lines that were added since the last call, at the end of a batch of checks.
    pub fn flush(&mut self) {
        if let RecordsFileState::Growing(growing) = &mut self.state {
            if let Err(error) = growing.flush() {
                self.state = RecordsFileState::Failed(error);
            }
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The first error, now or before.
    pub fn end(self, end: &RunEnd) -> anyhow::Result<()> {
        let done = match self.state {
            RecordsFileState::Growing(mut growing) => {
                growing.add(&Event::RunFinished(Cow::Borrowed(end))).and_then(|()| growing.flush())
            }
            RecordsFileState::AtEnd => Ok(()),
            RecordsFileState::Failed(error) => Err(error),
        };
        done.with_context(|| format!("writing {}", self.path.display()))
    }

    /// Puts the lines in the order of these places, one for each line, and ends the file.
    pub fn reorder(mut self, places: &[usize], end: &RunEnd) -> anyhow::Result<()> {
        self.flush();
        let done = match self.state {
            RecordsFileState::Growing(growing) => {
                let reordered = reordered(&self.path, places, end);
                // Release this lock only after the new file is in place.
                drop(growing);
                reordered
            }
            RecordsFileState::AtEnd => Ok(()),
            RecordsFileState::Failed(error) => Err(error),
        };
        done.with_context(|| format!("writing {}", self.path.display()))
    }

    /// Rewrites the file with the outcomes of `records`. These are the checks in the file, whose lines have
    /// these places, but with marks, and possibly without rows.
    pub fn mark(mut self, places: &[usize], records: &[CheckRecord], end: &RunEnd) -> anyhow::Result<()> {
        self.flush();
        if let RecordsFileState::AtEnd | RecordsFileState::Failed(_) = self.state {
            return self.rewrite(records, end);
        }
        let reading = || format!("reading {}", self.path.display());
        let bytes = regular_file::read(&self.path, FileKind::Records.limit()).with_context(reading)?;
        let written = recorded::read(&self.path.display().to_string(), &bytes)?.checks;
        if written.len() != records.len() {
            bail!("{}: it has {} checks, but {} were written", self.path.display(), written.len(), records.len());
        }
        let mut written: Vec<(usize, CheckRecord)> = places.iter().copied().zip(written).collect();
        written.sort_by_key(|(place, _)| *place);
        let marked = written
            .into_iter()
            .zip(records)
            .map(|((_, written), record)| CheckRecord { outcome: record.outcome.clone(), ..written });
        self.rewrite(&marked.collect::<Vec<_>>(), end)
    }

    /// Rewrites the file, if the lines so far differ from the final records.
    pub fn rewrite(self, records: &[CheckRecord], end: &RunEnd) -> anyhow::Result<()> {
        let run = FinishedRun { runs: std::slice::from_ref(&self.header), ..FinishedRun::of(records, end) };
        let done = match self.state {
            RecordsFileState::Growing(growing) => {
                let whole = replace(&self.path, run.events());
                // Release this lock only after the new file is in place.
                drop(growing);
                whole.map(drop)
            }
            RecordsFileState::AtEnd => File::create(&self.path).and_then(|file| {
                let is_compressed = compression::is_meant_by(&self.path);
                write(&file, is_compressed, run.events())
            }),
            RecordsFileState::Failed(error) => Err(error),
        };
        done.with_context(|| format!("writing {}", self.path.display()))
    }

    pub fn is_written_at_end(&self) -> bool {
        matches!(self.state, RecordsFileState::AtEnd)
    }
}

/// Checks that the records of an earlier run can be read and extended.
pub fn check_to_go_on(path: &Path) -> anyhow::Result<()> {
    regular_file::open_regular(path).with_context(|| format!("reading {}", path.display()))?;
    check_file(path)
}

/// True if two paths are equal, or lead to the same regular file.
pub fn is_one_file(one: &Path, other: &Path) -> bool {
    let handle = |path: &Path| Handle::from_file(regular_file::open_regular(path).ok()?).ok();
    one == other || handle(one).zip(handle(other)).is_some_and(|(one, other)| one == other)
}

/// Replaces a file with one whose lines are in the order of these places, one for each line of a check.
fn reordered(path: &Path, places: &[usize], end: &RunEnd) -> io::Result<()> {
    let read = regular_file::read(path, FileKind::Records.limit()).map_err(io::Error::other)?;
    let texts = FrameTexts::new(&read, UnpackLimits::default()).collect::<anyhow::Result<Vec<_>>>();
    let text = String::from_utf8(texts.map_err(io::Error::other)?.concat()).map_err(io::Error::other)?;
    let mut lines = text.split_inclusive('\n');
    let header = lines.next().unwrap_or_default();
    let mut checks: Vec<(usize, &str)> = places.iter().copied().zip(lines).collect();
    checks.sort_by_key(|(place, _)| *place);
    let end = Home::here().hidden(JsonLines.on_event(&Event::RunFinished(Cow::Borrowed(end))));
    let lines = iter::once(header).chain(checks.into_iter().map(|(_, line)| line)).chain([end.as_str()]);
    replace_with(path, |file, is_compressed| write_texts(file, is_compressed, lines.map(Cow::Borrowed))).map(drop)
}

fn emptied(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0)).map(drop)
}

/// Replaces a file with a complete one, so that a kill always leaves one of the two. The new file
/// is locked before it takes its place, and stays open for writing.
fn replace<'a>(path: &Path, events: impl Iterator<Item = Event<'a>>) -> io::Result<File> {
    replace_with(path, |file, is_compressed| write(file, is_compressed, events))
}

/// Replaces a file with what `write` writes.
fn replace_with(path: &Path, write: impl FnOnce(&File, bool) -> io::Result<()>) -> io::Result<File> {
    // `/dev/stdout` may be a file.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let new = output_file::begin(&target)?;
    // If locking failed for the old file, because the file system has no locks, it fails here too.
    drop(FileExt::try_lock(new.as_file()));
    write(new.as_file(), compression::is_meant_by(&target))?;
    Ok(new.persist(&target)?)
}

/// Bytes of text per frame, if the whole file is written at once.
const WHOLE_FRAME: usize = 1 << 20;

fn write<'a>(file: &File, is_compressed: bool, events: impl Iterator<Item = Event<'a>>) -> io::Result<()> {
    let home = Home::here();
    write_texts(file, is_compressed, events.map(|event| Cow::Owned(home.hidden(JsonLines.on_event(&event)))))
}

fn write_texts<'t>(file: &File, is_compressed: bool, texts: impl Iterator<Item = Cow<'t, str>>) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    let mut pending = String::new();
    for text in texts {
        pending += &text;
        if !is_compressed {
            file.write_all(std::mem::take(&mut pending).as_bytes())?;
        } else if pending.len() >= WHOLE_FRAME {
            file.write_all(&compression::frame(&std::mem::take(&mut pending)))?;
        }
    }
    if !pending.is_empty() {
        file.write_all(&compression::frame(&pending))?;
    }
    file.flush()
}
