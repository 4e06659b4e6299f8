//! Reads regular files only.
//!
//! A pipe or a terminal may never end, opening a device may have effects, and the files that the
//! kernel makes up (`/proc`, `/sys`) contain data that a shader has no reason to read. So this
//! module opens a file without blocking, checks the open file rather than its name, and limits the
//! bytes that it reads rather than the length that the file claims.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use memmap2::Mmap;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ReadError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is a folder, a pipe, a device or a socket.
    #[error("{0} is not a regular file")]
    NotRegular(&'static str),
    /// The kernel makes up its content on each read.
    #[error("it is made up by the kernel ({0}), not stored: copy it to a regular file if its content is meant")]
    MadeUp(&'static str),
    /// It is longer than files of its kind ever are.
    #[error("it has more than {limit} bytes, the most that is read of such a file")]
    TooLong { limit: u64 },
}

impl ReadError {
    pub fn is_not_found(&self) -> bool {
        match self {
            Self::Io(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
            Self::NotRegular(_) | Self::MadeUp(_) | Self::TooLong { .. } => false,
        }
    }
}

/// Reads a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    read_open(&open_regular(path)?, limit)
}

pub fn open_regular(path: &Path) -> Result<File, ReadError> {
    let file = open(path)?;
    let claimed = file.metadata()?;
    if !claimed.is_file() {
        return Err(ReadError::NotRegular(kind(&claimed)));
    }

    match made_up_by(&file)? {
        Some(system) => Err(ReadError::MadeUp(system)),
        None => Ok(file),
    }
}

/// Reads the rest of an open regular file, at most `limit` bytes.
pub fn read_open(file: &File, limit: u64) -> Result<Vec<u8>, ReadError> {
    let claimed = file.metadata()?;
    // The writer of a pipe may never write.
    if !claimed.is_file() {
        return Err(ReadError::NotRegular(kind(&claimed)));
    }

    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLong { limit });
    }
    // A file with content but without a length is not stored, whatever its file system.
    if claimed.len() == 0 && !bytes.is_empty() {
        return Err(ReadError::MadeUp("it has no length"));
    }
    Ok(bytes)
}

/// Reads a regular file of at most `limit` bytes as text. Bytes that are not UTF-8 are an error.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    let bytes = read(path, limit)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8 text").into())
}

/// Opens a file for reading. Does not wait for the writer of a pipe, and does not make a terminal
/// the controlling one.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Names the kind of a file that is not regular, for a message.
#[cfg(unix)]
fn kind(found: &std::fs::Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = found.file_type();
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "this"
    }
}

#[cfg(not(unix))]
fn kind(found: &std::fs::Metadata) -> &'static str {
    if found.is_dir() { "a folder" } else { "this" }
}

/// The file system of the file, if it is one whose files the kernel makes up.
///
/// Source: Linux, `include/uapi/linux/magic.h`. 9p, overlays and similar file systems store files,
/// so they are not listed here.
#[cfg(target_os = "linux")]
fn made_up_by(file: &File) -> io::Result<Option<&'static str>> {
    let magic = rustix::fs::fstatfs(file)?.f_type;
    // The type of the field depends on the architecture; the numbers have 32 bits.
    let name = match magic & 0xFFFF_FFFF {
        0x9fa0 => "procfs",
        0x6265_6572 => "sysfs",
        0x6462_6720 => "debugfs",
        0x7472_6163 => "tracefs",
        0x7363_6673 => "securityfs",
        0x6265_6570 => "configfs",
        0x27_e0eb | 0x6367_7270 => "cgroup",
        0x1cd1 => "devpts",
        0xcafe_4a11 => "bpf",
        0xde5e_81e4 => "efivarfs",
        0x6165_676c => "pstore",
        0xf97c_ff8c => "selinuxfs",
        0x4341_5d53 => "smackfs",
        0x4249_4e4d => "binfmt_misc",
        0x6573_5543 => "fusectl",
        0x6e73_6673 => "nsfs",
        0x1980_0202 => "mqueue",
        0x0bad_1dea => "futexfs",
        _ => return Ok(None),
    };
    Ok(Some(name))
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "on Linux the query of the file system may fail")]
fn made_up_by(_: &File) -> io::Result<Option<&'static str>> {
    Ok(None)
}

/// A file in memory, so that a program of a gigabyte can be read without loading it.
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
pub fn map_file(path: &Path) -> Result<MappedFile, ReadError> {
    let file = open_regular(path)?;
    // SAFETY: the mapping is private and read-only, and only bytes are read from it. Another
    // process that writes to the file changes bytes, which the parsers do not trust. One that
    // truncates the file kills this process, which is a worker.
    let map = unsafe { Mmap::map(&file) }?;
    Ok(MappedFile { map })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &Path, limit: u64) -> String {
        read(path, limit).expect_err("it must not be read").to_string()
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "four").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"four");
        assert_eq!(refusal(&path, 3), "it has more than 3 bytes, the most that is read of such a file");
        std::fs::write(&path, "").unwrap();
        assert_eq!(read(&path, 0).unwrap(), b"");
    }

    #[test]
    fn a_folder_is_none_and_a_missing_file_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(refusal(folder.path(), 9).contains("folder") || cfg!(not(unix)));
        assert!(read(&folder.path().join("none"), 9).unwrap_err().is_not_found());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_sockets_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        assert_eq!(refusal(&pipe, 9), "a pipe is not a regular file");
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        read(&socket, 9).unwrap_err();
        assert_eq!(refusal(Path::new("/dev/zero"), 9), "a device is not a regular file");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_the_kernel_makes_up_is_none() {
        for path in ["/proc/self/environ", "/proc/self/pagemap", "/proc/version"] {
            assert!(refusal(Path::new(path), 1 << 20).contains("(procfs)"), "{path}");
        }
    }
}
