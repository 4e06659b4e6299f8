//! Maps regular files into memory, so that a program of a gigabyte can be read without loading it.

use std::fmt;
use std::path::Path;

use memmap2::Mmap;

use crate::regular_file::{ReadError, open_regular};

pub struct MappedFile {
    map: Mmap,
}

impl fmt::Debug for MappedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappedFile").field("bytes", &self.map.len()).finish()
    }
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

/// Maps a regular file.
///
/// Only a process that exists for this file may call this: if another process truncates the file
/// meanwhile, this process dies.
///
/// # Errors
/// [`ReadError`], never `TooLong`.
pub fn map_file(path: &Path) -> Result<MappedFile, ReadError> {
    let file = open_regular(path)?;
    // SAFETY: the mapping is private and read-only, and only bytes are read from it. Another
    // process that writes to the file changes bytes, which the parsers do not trust. One that
    // truncates the file kills this process, which is a worker.
    let map = unsafe { Mmap::map(&file) }?;
    Ok(MappedFile { map })
}
