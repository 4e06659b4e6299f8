//! Temporary folders for compilers. They are all inside one folder of this process, so that none
//! stays behind, however the process ends.
//!
//! At an orderly end, each folder is removed when it is dropped. A process that a signal ends calls
//! [`remove_scratch_folders`]. The folder of a killed process stays until the next process that
//! needs one finds its lock free (on Unix). The lock holds a mark with the user and the folder's name:
//! a folder without it is of another program, whatever its name.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::Duration;

use tempfile::TempDir;

/// Name of the file that a process keeps locked while it uses its folder.
const LOCK: &str = "lock";

/// The first line of that file.
const MARK: &str = "A temporary folder of layoutproof, which removes it.";

/// Prefix of the names of the processes' folders; the process id follows.
const PREFIX: &str = "layoutproof-";

/// A process that ends at once tries to remove its folder this many times, since other threads and
/// compilers may still write to it.
const ATTEMPTS: u32 = 50;

/// The folder of this process while it is in use. A signal handler has no other way to find it.
static OF_THIS_PROCESS: Mutex<Weak<ProcessFolder>> = Mutex::new(Weak::new());

/// A temporary folder, removed on drop.
#[derive(Debug)]
pub(crate) struct ScratchFolder {
    folder: TempDir,
    /// Dropped after `folder`, which is inside it.
    _process_folder: Arc<ProcessFolder>,
}

impl ScratchFolder {
    pub(crate) fn new() -> io::Result<Self> {
        let mut current = OF_THIS_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        let process_folder = current.upgrade().map_or_else(|| ProcessFolder::new().map(Arc::new), Ok)?;
        *current = Arc::downgrade(&process_folder);
        Ok(Self { folder: tempfile::tempdir_in(process_folder.folder.path())?, _process_folder: process_folder })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes all temporary folders of this process. The process has to end afterwards, because a
/// thread that asks for another folder blocks for ever.
pub fn remove_scratch_folders() {
    let current = OF_THIS_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(process_folder) = current.upgrade() {
        for _ in 0..ATTEMPTS {
            match fs::remove_dir_all(process_folder.folder.path()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => std::thread::sleep(Duration::from_millis(2)),
                Ok(()) | Err(_) => break,
            }
        }
    }
    std::mem::forget(current);
}

/// The folder that holds all other temporary folders of this process.
#[derive(Debug)]
struct ProcessFolder {
    folder: TempDir,
    /// Locked until this process ends.
    _lock: File,
}

impl ProcessFolder {
    fn new() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        let place = std::env::temp_dir();
        SWEPT.call_once(|| sweep(&place));
        Self::new_in(&place)
    }

    fn new_in(place: &Path) -> io::Result<Self> {
        // Locked before it moves into the folder, because a folder with a free lock counts as
        // abandoned.
        let mut lock = tempfile::NamedTempFile::new_in(place)?;
        lock_file(lock.as_file())?;
        let folder = tempfile::Builder::new().prefix(&format!("{PREFIX}{}-", std::process::id())).tempdir_in(place)?;
        lock.write_all(mark(folder.path()).as_bytes())?;
        let lock = lock.persist(folder.path().join(LOCK))?;
        Ok(Self { folder, _lock: lock })
    }
}

/// The content of the lock in a folder of this user.
fn mark(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().display();
    format!("{MARK}\nuser {}\nfolder {name}\n", user())
}

#[cfg(unix)]
fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn user() -> u32 {
    0
}

/// Opens the lock of a folder, if it is a file with this user's mark for this folder.
#[cfg(unix)]
fn open_marked(folder: &Path) -> io::Result<File> {
    use std::io::Read;
    use std::os::unix::fs::OpenOptionsExt;

    // Neither a link nor a pipe.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let lock = fs::OpenOptions::new().read(true).custom_flags(flags).open(folder.join(LOCK))?;
    let expected = mark(folder);
    let mut found = Vec::new();
    (&lock).take(expected.len() as u64 + 1).read_to_end(&mut found)?;
    if found == expected.as_bytes() { Ok(lock) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Removes the folders in `place` that belong to this user's dead processes.
#[cfg(unix)]
fn sweep(place: &Path) {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir(place).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        let folder = entry.path();
        // For a link, these are the metadata of the link itself.
        let is_own = entry.metadata().is_ok_and(|entry| entry.is_dir() && entry.uid() == user());
        if is_own && open_marked(&folder).is_ok_and(|lock| lock_file(&lock).is_ok()) {
            // A folder that cannot be removed does not stop this run.
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

#[cfg(not(unix))]
fn sweep(_: &Path) {}

/// Locks a file for as long as it is open.
#[cfg(unix)]
fn lock_file(file: &File) -> io::Result<()> {
    Ok(rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive)?)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix another process may hold the lock")]
fn lock_file(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn names(place: &Path) -> Vec<String> {
        let entries = fs::read_dir(place).expect("the folder is there");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("it can be read").file_name().display().to_string();
        entries.map(name).collect()
    }

    #[test]
    fn folders_go_with_their_last_user() {
        let place = tempfile::tempdir().unwrap();
        let folder = ProcessFolder::new_in(place.path()).unwrap();
        let [name] = &names(place.path())[..] else { panic!("{:?}", names(place.path())) };
        assert!(name.starts_with(&format!("layoutproof-{}-", std::process::id())), "{name}");
        drop(folder);
        assert!(names(place.path()).is_empty());

        let (first, second) = (ScratchFolder::new().unwrap(), ScratchFolder::new().unwrap());
        let parent = first.path().parent().unwrap().to_owned();
        assert_eq!(second.path().parent(), Some(parent.as_path()));
        drop(first);
        assert!(second.path().is_dir());
    }

    #[test]
    fn what_dead_processes_left_is_swept() {
        let place = tempfile::tempdir().unwrap();
        let living = ProcessFolder::new_in(place.path()).unwrap();
        let dead = place.path().join("layoutproof-1-dead");
        fs::create_dir_all(dead.join("deep")).unwrap();
        fs::write(dead.join(LOCK), mark(&dead)).unwrap();
        fs::write(place.path().join("other"), "").unwrap();
        sweep(place.path());
        assert!(living.folder.path().is_dir() && !dead.exists());
        assert_eq!(names(place.path()).len(), 2);
    }

    /// A folder of the user, a copy of one of ours, and one whose lock is a link to a mark.
    #[test]
    fn what_others_made_stays() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        for name in
            ["layoutproof-notes", "layoutproof-1-copy", "layoutproof-1-link", "layoutproof-1-old", "layoutproof-none"]
        {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("layoutproof-notes").join(LOCK), "mine").unwrap();
        fs::write(at("layoutproof-1-copy").join(LOCK), mark(&at("layoutproof-1-dead"))).unwrap();
        fs::write(at("layoutproof-1-old").join(LOCK), "").unwrap();
        fs::write(at("mark"), mark(&at("layoutproof-1-link"))).unwrap();
        std::os::unix::fs::symlink(at("mark"), at("layoutproof-1-link").join(LOCK)).unwrap();
        sweep(place.path());
        assert_eq!(names(place.path()).len(), 6);
    }
}
