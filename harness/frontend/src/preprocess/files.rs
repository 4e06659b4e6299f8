//! Finds included files by name and assigns one id to each text.

use std::collections::{HashMap, HashSet};

use bumpalo::Bump;
use layoutproof_layout::FileId;

use layoutproof_source::sources::{ReadRefusal, SourceFile, Sources};

/// The texts that preprocessing adds to the source map.
#[derive(Debug)]
pub(super) struct Files<'a> {
    first: FileId,
    added: Vec<(String, &'a str)>,
    by_path: HashMap<String, FoundFile<'a>>,
    /// Files with `#pragma once`.
    once: HashSet<FileId>,
}

#[derive(Clone, Debug)]
pub(super) struct FoundFile<'a> {
    pub(super) file: FileId,
    pub(super) text: &'a str,
    pub(super) path: String,
}

/// The reason why a file could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileLookupError {
    /// The file does not exist at any of these paths.
    NotFound {
        looked_for: Vec<String>,
        /// A file that differs from one of them only in case.
        in_another_case: Option<String>,
    },
    /// The file exists but must not be read.
    Refused { path: String, reason: String, help: Option<String> },
}

impl FileLookupError {
    pub(super) fn not_found(looked_for: Vec<String>, sources: &dyn Sources) -> Self {
        let in_another_case = looked_for.iter().find_map(|path| sources.in_another_case(path));
        Self::NotFound { looked_for, in_another_case }
    }
}

impl<'a> Files<'a> {
    /// Creates an empty list; the first file gets the id `first`.
    pub(super) fn new(first: FileId) -> Self {
        Self { first, added: Vec::new(), by_path: HashMap::new(), once: HashSet::new() }
    }

    /// Adds a text.
    pub(super) fn add(&mut self, path: String, text: &'a str) -> FoundFile<'a> {
        let index = u32::try_from(self.added.len()).unwrap_or(u32::MAX);
        let file = FileId(self.first.0.saturating_add(index));
        self.added.push((path.clone(), text));
        FoundFile { file, text, path }
    }

    /// Registers a text of the source map under its path.
    pub(super) fn enter(&mut self, found: FoundFile<'a>) {
        self.by_path.insert(normal(&found.path), found);
    }

    /// Returns the path of a known file.
    pub(super) fn path(&self, file: FileId) -> Option<&str> {
        self.by_path.values().find(|found| found.file == file).map(|found| found.path.as_str())
    }

    /// Returns true if `file` contains `#pragma once`.
    pub(super) fn is_once(&self, file: FileId) -> bool {
        self.once.contains(&file)
    }

    /// Records `#pragma once` in `file`.
    pub(super) fn set_once(&mut self, file: FileId) {
        self.once.insert(file);
    }

    /// Forgets every `#pragma once`, because each file of a module reads its own includes.
    pub(super) fn forget_once(&mut self) {
        self.once.clear();
    }

    /// Finds the first existing file among `paths`. Reads each file at most once.
    ///
    /// # Errors
    /// [`FileLookupError`]. As in compilers, a file that must not be read hides files with the same
    /// name in later folders.
    pub(super) fn find(
        &mut self,
        paths: Vec<String>,
        sources: &dyn Sources,
        made: &'a Bump,
    ) -> Result<FoundFile<'a>, FileLookupError> {
        for path in &paths {
            if let Some(known) = self.by_path.get(&normal(path)) {
                return Ok(known.clone());
            }
            if let Some(text) = read_if_there(path, sources)? {
                let found = self.add(path.clone(), made.alloc_str(&text));
                self.enter(found.clone());
                return Ok(found);
            }
        }

        Err(FileLookupError::not_found(paths, sources))
    }

    /// Returns the texts in the order of their ids.
    pub(super) fn into_added(self) -> Vec<SourceFile> {
        self.added.into_iter().map(|(name, text)| SourceFile { name, text: text.to_owned() }).collect()
    }
}

/// Reads the file at `path`, or returns `None` if it does not exist.
///
/// # Errors
/// [`FileLookupError::Refused`].
pub(super) fn read_if_there(path: &str, sources: &dyn Sources) -> Result<Option<String>, FileLookupError> {
    match sources.read(path) {
        Ok(text) => Ok(Some(text)),
        Err(ReadRefusal::NotFound) => Ok(None),
        Err(ReadRefusal::Refused { reason, help }) => {
            Err(FileLookupError::Refused { path: path.to_owned(), reason, help })
        }
    }
}

/// Returns the path of `name` in the folder of the file `beside`.
pub(super) fn beside(beside: &str, name: &str) -> String {
    match beside.rfind('/') {
        Some(slash) if !is_absolute(name) => format!("{}/{name}", &beside[..slash]),
        Some(_) | None => name.to_owned(),
    }
}

/// Returns the path of `name` in `folder`.
pub(super) fn inside(folder: &str, name: &str) -> String {
    if is_absolute(name) || folder.is_empty() {
        return name.to_owned();
    }
    format!("{}/{name}", folder.trim_end_matches('/'))
}

fn is_absolute(name: &str) -> bool {
    name.starts_with('/') || name.as_bytes().get(1) == Some(&b':')
}

/// Removes `.` and `a/..` from `path`, so that each file has one name.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "")) => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_name() {
        assert_eq!(normal("./a/../b//c.h"), "b/c.h");
        assert_eq!(normal("../../a/b/../c.h"), "../../a/c.h");
        assert_eq!(normal("/a/./b"), "/a/b");
    }

    #[test]
    fn names_are_looked_for_beside_the_file_and_inside_folders() {
        assert_eq!(beside("x/y/main.hlsl", "../a.h"), "x/y/../a.h");
        assert_eq!(beside("main.hlsl", "a.h"), "a.h");
        assert_eq!(beside("x/main.hlsl", "/a.h"), "/a.h");
        assert_eq!(inside("include/", "a.h"), "include/a.h");
        assert_eq!(inside("include", "C:/a.h"), "C:/a.h");
    }
}
