//! Locks on records files: a file has one writer, from before its first line until after its last.
//!
//! The operating system holds the lock on the open file, so it ends with the process, however that
//! ends. Processes that do not ask for the lock are unaffected.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use anyhow::{Context, bail};
use fs4::{FileExt, TryLockError};
use layoutproof_compilers::output_file::{self, NoOutput};
use layoutproof_compilers::regular_file;
use same_file::Handle;

use layoutproof_inputs::files::FileKind;

/// Shows a note to the user.
pub type Warn = fn(&str);

/// Opens a regular file for reading and writing, creates it if necessary, and locks it. Does not
/// change its content. Calls `warn` if the file system has no locks.
///
/// # Errors
/// Another process has the lock, or the file is a link. The inner error is a failure to open the file, which the caller
/// reports later.
pub fn open(path: &Path, warn: Warn) -> anyhow::Result<io::Result<File>> {
    loop {
        let mut options = OpenOptions::new();
        let file = match output_file::open(path, options.read(true).write(true).create(true).truncate(false)) {
            Ok(file) => file,
            Err(NoOutput::Io(error)) => return Ok(Err(error)),
            Err(refused) => return Err(refused).with_context(|| format!("writing {}", path.display())),
        };
        take(FileExt::try_lock(&file), path, warn)?;
        // The previous owner of the lock may have replaced the file since it was opened.
        match is_at(&file, path) {
            Ok(true) => return Ok(Ok(file)),
            Ok(false) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// Reads a whole records file. No other process can write it meanwhile, unless the file system has no
/// locks, which `warn` shows.
///
/// # Errors
/// Another process is writing the file, or it cannot be read.
pub fn read(path: &Path, warn: Warn) -> anyhow::Result<Vec<u8>> {
    let reading = || format!("reading {}", path.display());
    let file = regular_file::open_regular(path).with_context(reading)?;
    take(FileExt::try_lock_shared(&file), path, warn)?;
    regular_file::read_open(&file, FileKind::Records.limit()).with_context(reading)
}

fn take(locked: Result<(), TryLockError>, path: &Path, warn: Warn) -> anyhow::Result<()> {
    let place = path.display();
    match locked {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            bail!("{place} is being written by another layoutproof: wait until that ends, or name another file")
        }
        // Some network file systems have no locks.
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

    const IGNORE: Warn = |_| {};

    #[test]
    fn a_file_has_one_writer_until_it_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        fs::write(&path, "as it was").unwrap();
        let first = open(&path, IGNORE).unwrap().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "as it was");
        for refused in [open(&path, IGNORE).unwrap_err(), read(&path, IGNORE).unwrap_err()] {
            assert!(refused.to_string().contains("is being written by another layoutproof"), "{refused}");
        }
        drop(first);
        assert_eq!(read(&path, IGNORE).unwrap(), b"as it was");
        assert!(open(&path, IGNORE).unwrap().is_ok());
        assert!(open(&folder.path().join("no/such/folder"), IGNORE).unwrap().is_err());
    }
}
