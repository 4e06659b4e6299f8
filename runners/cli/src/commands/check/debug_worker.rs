//! Reads debug information in a child process, on a memory map.
//!
//! [`read_types`] starts such a process; [`serve`] runs in it. Debug information is the worst kind
//! of foreign data for a program: large, nested, and parsed by third-party code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use layoutproof_compilers::mapped_file::{MappedFile, map_file};
use layoutproof_debuginfo::{DebugFile, IndexedKind, RecordKind, Sibling, SiblingBytes, SiblingFiles};
use layoutproof_hostcheck::ProgramStruct;
use layoutproof_hostcheck::matching::{BlockNames, is_candidate, nearest};
use serde::{Deserialize, Serialize};

use super::debug_types::convert;
use crate::select::shader_file::reader_process::{ReaderLimits, ReaderProcess, limit_memory, serve_request};

/// Reading a program of a gigabyte takes seconds, so two minutes mean that something went wrong.
const LIMITS: ReaderLimits = ReaderLimits { time: Duration::from_secs(120), memory_gib: 8 };

/// The internal command that runs [`serve`].
pub(crate) const COMMAND: &str = "debug-worker";

/// A request to read one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct DebugRequest {
    file: PathBuf,
    blocks: Vec<BlockNames>,
}

/// The types of one file that may match the blocks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DebugAnswer {
    /// The reason if the file has no types at all.
    pub absence: Option<String>,
    /// Matching types with a definition.
    pub structs: Vec<ProgramStruct>,
    /// Matching names that are only declared.
    pub declared: Vec<String>,
    /// For each block, the most similar names.
    pub nearest: Vec<Vec<String>>,
    /// Messages about unreadable parts.
    pub problems: Vec<String>,
}

/// Reads the types of `file` that may match `blocks`.
///
/// # Errors
/// The file cannot be read, or the process died.
pub(crate) fn read_types(file: &Path, blocks: &[BlockNames]) -> anyhow::Result<DebugAnswer> {
    let reader = ReaderProcess::of_command(COMMAND, LIMITS)?;
    let request = DebugRequest { file: file.to_owned(), blocks: blocks.to_vec() };
    match reader.answer::<_, Result<DebugAnswer, String>>(&request) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => bail!("{error}"),
        Err(end) => bail!("reading {}: the reader of debug information {end}", file.display()),
    }
}

/// Answers the request on standard input.
///
/// # Errors
/// The request is missing, or the answer cannot be written.
pub(crate) fn serve() -> anyhow::Result<()> {
    serve_request(LIMITS, |request: DebugRequest| Ok(answer(&request)))
}

fn answer(request: &DebugRequest) -> Result<DebugAnswer, String> {
    let name = request.file.display().to_string();
    let map = map_file(&request.file).map_err(|error| format!("reading {name}: {error}"))?;
    // Only now, because the map must not count.
    limit_memory(LIMITS.memory_gib).map_err(|error| error.to_string())?;

    let siblings = FilesBeside { file: request.file.clone() };
    let file = DebugFile::new(&name, map.as_ref(), &siblings);
    let index = file.index().map_err(|error| error.to_string())?;
    let mut answer = DebugAnswer {
        absence: index.absence().map(ToString::to_string),
        problems: index.problems().iter().map(ToString::to_string).collect(),
        ..DebugAnswer::default()
    };

    let is_struct = |kind: IndexedKind| kind != IndexedKind::Record(RecordKind::Enum);
    let names = || index.names().filter(|name| is_struct(name.kind)).map(|name| name.name);
    answer.nearest = request.blocks.iter().map(|block| nearest(block, names())).collect();

    let found = file
        .read(&index, |name| is_struct(name.kind) && is_candidate(&request.blocks, name.name))
        .map_err(|error| error.to_string())?;
    let working_folder = std::env::current_dir().unwrap_or_default();
    let by_variable = index.names().filter(|name| name.kind == IndexedKind::ByVariable).map(|name| name.name);
    let by_variable: BTreeSet<&str> = by_variable.collect();
    for named in &found.named {
        match convert(&found, named, &name, &working_folder, by_variable.contains(named.name.as_str())) {
            Some(program) => answer.structs.push(program),
            None if named.layouts.is_empty() => answer.declared.push(named.name.clone()),
            None => {}
        }
    }
    answer.problems.extend(found.problems.iter().map(ToString::to_string));
    Ok(answer)
}

/// Opens files next to the one that is read: split or stripped debug information.
#[derive(Clone, Debug)]
struct FilesBeside {
    file: PathBuf,
}

impl FilesBeside {
    /// The possible paths of a sibling, best first.
    fn candidates(&self, sibling: &Sibling<'_>) -> Vec<PathBuf> {
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let file_name = self.file.file_name().unwrap_or_default();
        let appended = |suffix: &str| {
            let mut name = file_name.to_owned();
            name.push(suffix);
            folder.join(name)
        };
        // The last part of a path from another machine, which may use backslashes.
        let last = |path: &str| folder.join(path.rsplit(['/', '\\']).next().unwrap_or(path));
        match sibling {
            Sibling::Dwo { folder: compiled_in, name } => vec![Path::new(compiled_in).join(name), last(name)],
            Sibling::Dwp => vec![appended(".dwp")],
            Sibling::DebugLink { name } => vec![folder.join(name), folder.join(".debug").join(name)],
            Sibling::Pdb { path } => vec![PathBuf::from(path), last(path)],
            Sibling::Dsym => {
                vec![appended(".dSYM").join("Contents/Resources/DWARF").join(file_name)]
            }
        }
    }
}

impl SiblingFiles for FilesBeside {
    fn open_sibling(&self, sibling: &Sibling<'_>) -> Option<SiblingBytes> {
        let mut candidates = self.candidates(sibling).into_iter();
        let map: MappedFile = candidates.find_map(|path| map_file(&path).ok())?;
        Some(Box::new(map))
    }
}
