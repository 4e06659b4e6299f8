//! The only module that reads files: those that users name, and those that such files name.
//!
//! It reads only regular files, see [`layoutproof_compilers::regular_file`], up to a limit for each
//! kind.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use layoutproof_compilers::regular_file::{self, ReadError};
use layoutproof_source::encoding::decode;

use crate::misnamed::near_file;

/// Kinds of files; each has a maximum length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A shader, a module or what a shader includes.
    Shader,
    /// A case, a list of cases, of known differences, of floors or of accepted changes.
    List,
    /// A file of a frozen set.
    Frozen,
    /// The records of runs.
    Records,
}

impl FileKind {
    /// Maximum length in bytes.
    pub fn limit(self) -> u64 {
        match self {
            Self::Shader | Self::Frozen => 64 << 20,
            Self::List => 16 << 20,
            Self::Records => 4 << 30,
        }
    }
}

/// Maximum nesting of folders in a search.
const DEEPEST_FOLDER: usize = 64;

/// Maximum number of files and folders that one search visits.
const MOST_ENTRIES: usize = 100_000;

/// Reads a file.
///
/// # Errors
/// The path, with the reason.
pub fn read(path: &Path, kind: FileKind) -> anyhow::Result<Vec<u8>> {
    regular_file::read(path, kind.limit()).map_err(|error| {
        let meant = if error.is_not_found() { near_file(path) } else { String::new() };
        anyhow!("reading {}: {error}{meant}", path.display())
    })
}

/// Reads a text file.
///
/// # Errors
/// See [`read`]; also if the bytes are not text of this kind, with their place.
pub fn read_text(path: &Path, kind: FileKind) -> anyhow::Result<String> {
    text(path, kind, read(path, kind)?)
}

/// Like [`read_text`], or `None` if the file does not exist.
///
/// # Errors
/// See [`read_text`].
pub fn read_text_if_there(path: &Path, kind: FileKind) -> anyhow::Result<Option<String>> {
    read_if_there(path, kind)?.map(|bytes| text(path, kind, bytes)).transpose()
}

/// Like [`read`], or `None` if the file does not exist.
///
/// # Errors
/// See [`read`].
pub fn read_if_there(path: &Path, kind: FileKind) -> anyhow::Result<Option<Vec<u8>>> {
    match regular_file::read(path, kind.limit()) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(anyhow!("reading {}: {error}", path.display())),
    }
}

fn text(path: &Path, kind: FileKind, bytes: Vec<u8>) -> anyhow::Result<String> {
    match kind {
        FileKind::Shader => decode(bytes).with_context(|| format!("reading {}", path.display())),
        FileKind::List | FileKind::Frozen | FileKind::Records => {
            String::from_utf8(bytes).map_err(|_| anyhow!("reading {}: not UTF-8 text", path.display()))
        }
    }
}

/// The entries of a folder, by name.
///
/// # Errors
/// The path, with the reason.
pub fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>());
    let mut entries = entries.map_err(|error| anyhow!("reading {}: {error}", folder.display()))?;
    entries.sort();
    Ok(entries)
}

/// The path itself, or for a folder all `.toml` files at all depths, by path.
///
/// Searches each folder once, whichever links lead to it. Visits folders before links to folders,
/// so that files in the tree keep their own paths.
///
/// # Errors
/// A folder cannot be read, is nested too deep, or holds too many files.
pub fn toml_files_below(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !root.is_dir() {
        return Ok(vec![root.to_path_buf()]);
    }
    let mut files = Vec::new();
    let mut searched = BTreeSet::new();
    // Each with the number of folders between it and the root.
    let mut folders = vec![(root.to_path_buf(), 0)];
    let mut links = VecDeque::new();
    while let Some((folder, depth)) = folders.pop().or_else(|| links.pop_front()) {
        let path = folder.display();
        let real = folder.canonicalize().map_err(|error| anyhow!("reading {path}: {error}"))?;
        if !searched.insert(real) {
            continue;
        }
        if depth > DEEPEST_FOLDER {
            bail!("reading {path}: folders are nested more than {DEEPEST_FOLDER} deep: name the folder with the cases");
        }

        for entry in entries(&folder)? {
            if entry.is_symlink() && entry.is_dir() {
                links.push_back((entry, depth + 1));
            } else if entry.is_dir() {
                folders.push((entry, depth + 1));
            } else if entry.extension().is_some_and(|extension| extension == "toml") {
                files.push(entry);
            }
        }
        if files.len() + folders.len() + links.len() + searched.len() > MOST_ENTRIES {
            bail!(
                "reading {}: more than {MOST_ENTRIES} files and folders: name the folder with the cases",
                root.display()
            );
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a file that another one includes.
///
/// # Errors
/// A [`ReadError`], for a message at the place of the `#include`.
pub fn read_included(path: &Path) -> Result<String, ReadError> {
    let bytes = regular_file::read(path, FileKind::Shader.limit())?;
    decode(bytes).map_err(|bad| io::Error::new(io::ErrorKind::InvalidData, bad).into())
}
