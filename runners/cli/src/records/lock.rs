//! Locks on records files: one process writes a file, from before its first line until behind its last.
//!
//! The lock is the operating system's, on the open file, so it ends with the process however that ends. It says nothing to
//! processes that do not ask for it.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use anyhow::{Context, bail};
use fs4::{FileExt, TryLockError};
use layoutproof_compilers::regular_file;
use same_file::Handle;

use crate::output::warn;
use crate::select::files::FileKind;

/// Opens a regular file to read and write it, made where there is none, and locks it. Nothing in it is changed.
///
/// # Errors
/// Another process has the lock. What keeps the file from being opened is the inner error: for the caller to tell at its
/// own time.
pub(crate) fn open(path: &Path) -> anyhow::Result<io::Result<File>> {
    loop {
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = match opened {
            Ok(file) => file,
            Err(error) => return Ok(Err(error)),
        };
        take(FileExt::try_lock(&file), path)?;
        // Whoever had the lock may have put another file in the place of this one since it was opened.
        match is_at(&file, path) {
            Ok(true) => return Ok(Ok(file)),
            Ok(false) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// Reads a whole records file that no other process writes meanwhile.
///
/// # Errors
/// Another process writes it, or it cannot be read.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let reading = || format!("reading {}", path.display());
    let file = regular_file::open_regular(path).with_context(reading)?;
    take(FileExt::try_lock_shared(&file), path)?;
    regular_file::read_open(&file, FileKind::Records.limit()).with_context(reading)
}

fn take(locked: Result<(), TryLockError>, path: &Path) -> anyhow::Result<()> {
    let place = path.display();
    match locked {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            bail!("{place} is being written by another layoutproof: wait until that ends, or name another file")
        }
        // Some file systems of networks have no locks.
        Err(TryLockError::Error(error)) => {
            warn(&format!("note: {place} cannot be locked ({error}): no other run may write it now\n"));
            Ok(())
        }
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    Ok(Handle::from_file(file.try_clone()?)? == Handle::from_path(path)?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_has_one_writer_until_it_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        fs::write(&path, "as it was").unwrap();
        let first = open(&path).unwrap().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "as it was");
        for refused in [open(&path).unwrap_err(), read(&path).unwrap_err()] {
            assert!(refused.to_string().contains("is being written by another layoutproof"), "{refused}");
        }
        drop(first);
        assert_eq!(read(&path).unwrap(), b"as it was");
        assert!(open(&path).unwrap().is_ok());
        assert!(open(&folder.path().join("no/such/folder")).unwrap().is_err());
    }
}
