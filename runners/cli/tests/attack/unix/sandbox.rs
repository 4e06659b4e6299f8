//! A temporary folder for one attack, with checks that no process and no temporary file is left
//! over.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a process may take to notice that its parent is gone.
const LEAVING: Duration = Duration::from_secs(20);

/// Folder for temporary files, below the sandbox.
pub(crate) const TEMPORARY: &str = "tmp";

/// The user's home, below the sandbox.
pub(crate) const HOME: &str = "home";

/// A folder that is removed with its contents.
#[derive(Debug)]
pub(crate) struct Sandbox {
    place: TempDir,
}

impl Sandbox {
    /// A folder with a home and a place for temporary files.
    pub(crate) fn new() -> Self {
        let sandbox = Self { place: tempfile::Builder::new().prefix("attack").tempdir().unwrap() };
        for name in [TEMPORARY, HOME] {
            fs::create_dir(sandbox.path(name)).unwrap();
        }
        sandbox
    }

    /// The path of a file in the sandbox.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Writes a file and its parent folders.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Writes an executable shell script.
    pub(crate) fn write_script(&self, name: &str, text: &str) {
        self.write(name, format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(self.path(name), Permissions::from_mode(0o755)).unwrap();
    }

    /// The text of a file; empty if it does not exist.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read(self.path(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// Waits until no process works in this folder any more.
    ///
    /// # Errors
    /// The number of remaining processes after a while.
    pub(crate) fn wait_for_processes(&self) -> Result<(), String> {
        let started = Instant::now();
        loop {
            let left = self.processes();
            if left.is_empty() {
                return Ok(());
            }
            if started.elapsed() > LEAVING {
                return Err(format!("{} processes are left behind: {left:?}", left.len()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ids of the processes whose working folder is this one or below; empty except on Linux.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let here = self.place.path().canonicalize().unwrap();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let works_here =
            |process: &Path| fs::read_link(process.join("cwd")).is_ok_and(|folder| folder.starts_with(&here));
        let ids = processes.filter(|process| works_here(&process.path()));
        ids.filter_map(|process| process.file_name().to_str()?.parse().ok()).collect()
    }

    /// Asserts that no temporary file is left over.
    ///
    /// # Errors
    /// The names of the remaining files.
    pub(crate) fn has_no_temporary_files(&self) -> Result<(), String> {
        let left: Vec<_> =
            fs::read_dir(self.path(TEMPORARY)).unwrap().flatten().map(|entry| entry.file_name()).collect();
        if left.is_empty() { Ok(()) } else { Err(format!("temporary files are left behind: {left:?}")) }
    }

    /// Moves the folder to this place instead of removing it, and returns its place.
    pub(crate) fn keep(self, target: &Path) -> PathBuf {
        let _ = fs::remove_dir_all(target);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        let kept = self.place.keep();
        // Temporary files may lie on another disk.
        if fs::rename(&kept, target).is_ok() { target.to_path_buf() } else { kept }
    }
}
