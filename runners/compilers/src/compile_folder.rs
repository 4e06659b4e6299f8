//! The files of one compilation: the inputs of the compilers, and their outputs.
//!
//! Until a compiler starts, the files exist in memory only: an answer from the cache needs no
//! folder. `toolchains` fills it, drivers read from it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::child::OUTPUT_LIMIT;
use crate::output_file::{self, NoOutput};
use crate::regular_file::{self, ReadError};
use crate::scratch::ScratchFolder;

/// Most bytes of a compilation's files that are kept in memory.
const MOST_KEPT: usize = 8 << 20;

#[derive(Debug)]
pub(crate) struct CompileFolder {
    /// The user's folder, and the folder below it to leave the files in; `None` for a temporary folder.
    kept: Option<(PathBuf, PathBuf)>,
    /// The folder with the files, and its owner if it is temporary.
    made: Option<(PathBuf, Option<ScratchFolder>)>,
    files: BTreeMap<String, Vec<u8>>,
    /// True if `files` holds all files of the folder.
    is_known: bool,
}

impl CompileFolder {
    /// Starts without files. If `kept` names a folder of the user and one below it, the files stay there.
    pub(crate) fn new(kept: Option<(PathBuf, PathBuf)>) -> Self {
        Self { kept, made: None, files: BTreeMap::new(), is_known: true }
    }

    /// The content of all files; `None` if the folder has others.
    pub(crate) fn known_files(&self) -> Option<&BTreeMap<String, Vec<u8>>> {
        self.is_known.then_some(&self.files)
    }

    pub(crate) fn add(&mut self, name: &str, content: Vec<u8>) -> io::Result<()> {
        if let Some((folder, _)) = &self.made {
            write(folder, name, &content)?;
        }
        self.files.insert(name.to_owned(), content);
        Ok(())
    }

    /// Makes the folder with all its files, and returns its path.
    pub(crate) fn path(&mut self) -> io::Result<&Path> {
        if self.made.is_none() {
            let made = if let Some((root, name)) = &self.kept {
                (kept_folder(root, name).map_err(io::Error::other)?, None)
            } else {
                let scratch = ScratchFolder::new()?;
                (scratch.path().to_owned(), Some(scratch))
            };
            for (name, content) in &self.files {
                write(&made.0, name, content)?;
            }
            self.made = Some(made);
        }
        Ok(self.made.as_ref().map_or(Path::new(""), |(folder, _)| folder))
    }

    /// Reads a file that a compiler wrote, at most [`OUTPUT_LIMIT`] bytes.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        match &self.made {
            Some((folder, _)) => regular_file::read(&folder.join(name), OUTPUT_LIMIT),
            None => self.files.get(name).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound).into()),
        }
    }

    pub(crate) fn read_text(&self, name: &str) -> Result<String, ReadError> {
        let text = String::from_utf8(self.read(name)?);
        text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8 text").into())
    }

    /// Reads and returns all files that a compiler wrote. Returns `None` if they are too large or
    /// not all of them are files; from then on the content of the folder is unknown.
    pub(crate) fn take_up(&mut self) -> Option<BTreeMap<String, Vec<u8>>> {
        let written = self.written();
        match &written {
            Some(written) => self.files.extend(written.clone()),
            None => self.is_known = false,
        }
        written
    }

    /// True for a folder that only holds files that were added.
    fn is_given_folder(&self, name: &str, path: &Path) -> bool {
        let is_given = |entry: io::Result<fs::DirEntry>| {
            let file = entry.ok().and_then(|entry| entry.file_name().into_string().ok());
            file.is_some_and(|file| self.files.contains_key(&format!("{name}/{file}")))
        };
        let has_given = self.files.keys().any(|given| given.split_once('/').is_some_and(|(folder, _)| folder == name));
        has_given && fs::read_dir(path).is_ok_and(|mut entries| entries.all(is_given))
    }

    fn written(&self) -> Option<BTreeMap<String, Vec<u8>>> {
        let (mut written, mut bytes) = (BTreeMap::new(), 0);
        for entry in fs::read_dir(&self.made.as_ref()?.0).ok()? {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            if self.files.contains_key(&name) || self.is_given_folder(&name, &entry.path()) {
                continue;
            }
            let content = regular_file::read(&entry.path(), MOST_KEPT as u64).ok()?;
            bytes += content.len();
            if bytes > MOST_KEPT {
                return None;
            }
            written.insert(name, content);
        }
        Some(written)
    }
}

/// Makes the folder to keep files in. A compiler would write through a link in it.
fn kept_folder(root: &Path, name: &Path) -> Result<PathBuf, NoOutput> {
    let folder = output_file::folder_below(root, name)?;
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.is_symlink() {
            return Err(NoOutput::Link(fs::read_link(path)?));
        }
    }
    Ok(folder)
}

fn write(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap_or(folder))?;
    fs::write(path, content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &BTreeMap<String, Vec<u8>>) -> Vec<&str> {
        files.keys().map(String::as_str).collect()
    }

    #[test]
    fn files_are_in_memory_until_a_folder_is_needed() {
        let mut files = CompileFolder::new(None);
        files.add("probe.hlsl", b"source".to_vec()).unwrap();
        files.add("headers/hlsl.h", b"header".to_vec()).unwrap();
        assert_eq!(files.read("probe.hlsl").unwrap(), b"source");
        assert!(files.read("probe.spv").unwrap_err().is_not_found());

        let folder = files.path().unwrap().to_owned();
        assert_eq!(fs::read(folder.join("headers/hlsl.h")).unwrap(), b"header");
        files.add("more", b"more".to_vec()).unwrap();
        assert_eq!(fs::read(folder.join("more")).unwrap(), b"more");
        fs::write(folder.join("probe.spv"), "words").unwrap();
        assert_eq!(files.read_text("probe.spv").unwrap(), "words");
        drop(files);
        assert!(!folder.exists());
    }

    #[test]
    fn what_a_compiler_wrote_is_taken_up() {
        let mut files = CompileFolder::new(None);
        files.add("probe.hlsl", b"source".to_vec()).unwrap();
        let folder = files.path().unwrap().to_owned();
        fs::write(folder.join("probe.spv"), "words").unwrap();
        assert_eq!(files.take_up().as_ref().map(names), Some(vec!["probe.spv"]));
        assert_eq!(files.known_files().map(names), Some(vec!["probe.hlsl", "probe.spv"]));

        fs::create_dir(folder.join("more")).unwrap();
        assert_eq!(files.take_up(), None);
        assert_eq!(files.known_files(), None);
    }

    #[test]
    fn a_folder_that_was_given_may_hold_nothing_else() {
        let mut files = CompileFolder::new(None);
        files.add("headers/hlsl.h", b"header".to_vec()).unwrap();
        let folder = files.path().unwrap().to_owned();
        fs::write(folder.join("probe.ll"), "words").unwrap();
        assert_eq!(files.take_up().as_ref().map(names), Some(vec!["probe.ll"]));

        fs::write(folder.join("headers/more.h"), "").unwrap();
        assert_eq!(files.take_up(), None);
    }

    #[test]
    fn much_is_not_kept() {
        let mut files = CompileFolder::new(None);
        let folder = files.path().unwrap().to_owned();
        for name in ["a", "b"] {
            fs::write(folder.join(name), vec![0; MOST_KEPT / 2 + 1]).unwrap();
        }
        assert_eq!(files.take_up(), None);
    }

    /// Nothing writes to the pipe, so reading it as a file would block for ever.
    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_a_module_is_refused() {
        let mut files = CompileFolder::new(None);
        let pipe = files.path().unwrap().join("probe.spv");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(files.read("probe.spv").unwrap_err().to_string(), "a pipe is not a regular file");
        assert_eq!(files.take_up(), None);
    }
}
