//! Reads debug information in a process of its own, on a memory map.
//!
//! [`read_types`] asks such a process; [`serve`] is what runs there. Debug information is a program's worst case of foreign
//! data: large, nested, and read by code that is not ours.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use layoutproof_compilers::mapped_file::{MappedFile, map_file};
use layoutproof_core::host::ProgramStruct;
use layoutproof_core::host::matching::{BlockNames, is_candidate, nearest};
use layoutproof_debuginfo::{DebugFile, IndexedKind, RecordKind, Sibling, SiblingBytes, SiblingFiles};
use serde::{Deserialize, Serialize};

use super::debug_types::convert;
use crate::select::shader_file::reader_process::{ReaderLimits, ReaderProcess, limit_memory, serve_request};

/// A program of a gigabyte takes seconds; what takes minutes has gone wrong.
const LIMITS: ReaderLimits = ReaderLimits { time: Duration::from_secs(120), memory_gib: 8 };

/// The internal command that [`serve`] carries out.
pub(crate) const COMMAND: &str = "debug-worker";

/// A question about one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct DebugRequest {
    file: PathBuf,
    blocks: Vec<BlockNames>,
}

/// The types of one file that may belong to the blocks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DebugAnswer {
    /// Why there are no types at all, if there are none.
    pub absence: Option<String>,
    /// Types with a definition.
    pub structs: Vec<ProgramStruct>,
    /// Names that may belong to a block, but that are only declared.
    pub declared: Vec<String>,
    /// For each block the nearest names.
    pub nearest: Vec<Vec<String>>,
    /// What could not be read, in words.
    pub problems: Vec<String>,
}

/// Reads the types of `file` that may belong to `blocks`.
///
/// # Errors
/// A file that cannot be read, and how the process ended.
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
/// If there is no request, or nobody takes the answer.
pub(crate) fn serve() -> anyhow::Result<()> {
    serve_request(LIMITS, |request: DebugRequest| Ok(answer(&request)))
}

fn answer(request: &DebugRequest) -> Result<DebugAnswer, String> {
    let name = request.file.display().to_string();
    let map = map_file(&request.file).map_err(|error| format!("reading {name}: {error}"))?;
    // Behind the map, which does not count.
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
    for named in &found.named {
        match convert(&found, named, &name, &working_folder) {
            Some(program) => answer.structs.push(program),
            None if named.layouts.is_empty() => answer.declared.push(named.name.clone()),
            None => {}
        }
    }
    answer.problems.extend(found.problems.iter().map(ToString::to_string));
    Ok(answer)
}

/// Opens files beside the one that is read: debug information that was split off or stripped.
#[derive(Clone, Debug)]
struct FilesBeside {
    file: PathBuf,
}

impl FilesBeside {
    /// Where a sibling may be, best first.
    fn candidates(&self, sibling: &Sibling<'_>) -> Vec<PathBuf> {
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let file_name = self.file.file_name().unwrap_or_default();
        let appended = |suffix: &str| {
            let mut name = file_name.to_owned();
            name.push(suffix);
            folder.join(name)
        };
        // The last part of a path of another machine, which may have backslashes.
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
