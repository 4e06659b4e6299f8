//! Stores the entries of the cache as files: `ab/cdef….compilation` in the folder of entries, for
//! the key `abcdef…`.
//!
//! Many processes work here at once, without locks. An entry is written to a temporary file and
//! renamed, so it is either whole or absent; a damaged entry is removed when it is read. Each of
//! the 256 folders keeps to its own share of the limit: now and then a writer scans the folder that
//! it has just written to, and removes the least recently used entries. Keys are spread evenly, so
//! the shares amount to one limit for all, and no process ever has to scan the whole cache.
//!
//! A file has a mark, a checksum, and the content as a Zstandard frame. The checksum is SHA-256 of
//! the key and the frame, so that a file that was truncated, changed in one bit or moved to another
//! key's place is noticed.
//!
//! cacache, which npm's clients use, also keeps its entries whole among many processes, but it
//! knows no limit: it never removes an entry by itself, does not note when one was used, and its
//! index only grows.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use sha2::{Digest, Sha256};

use super::folder::CacheFolder;
use crate::regular_file::read;

/// Most bytes on disk of all entries.
pub(super) const LIMIT: u64 = 1 << 30;

/// The folder of entries, inside the cache folder.
const ENTRIES: &str = "answers";

/// Number of folders: one for each first byte of a key.
const FOLDERS: u64 = 256;

/// One in this many writes scans its folder.
const PRUNED: u8 = 16;

/// Part of its share that a full folder keeps, in percent.
const KEPT: u64 = 90;

/// An entry that was marked as used within this time is not marked again.
const RECENT: Duration = Duration::from_secs(60 * 60);

/// An unfinished file of this age was left behind by a killed process.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// Prefix of the names of unfinished files.
const UNFINISHED: &str = ".new-";

/// The first bytes of an entry. The digit is the version of the format.
const MARK: &[u8; 8] = b"lpcache1";

/// Bytes before the frame.
const HEAD: usize = MARK.len() + 32;

/// Longest content, in bytes. Listings of the largest probes have some hundred thousand bytes.
const LONGEST: usize = 16 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EntryKind {
    Compilation,
    Validation,
    FileDigest,
}

impl EntryKind {
    const ALL: [Self; 3] = [Self::Compilation, Self::Validation, Self::FileDigest];

    /// The suffix of the kind's files.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Compilation => "compilation",
            Self::Validation => "validation",
            Self::FileDigest => "digest",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Compilation => "compilations",
            Self::Validation => "validations",
            Self::FileDigest => "digests",
        }
    }
}

#[derive(Debug)]
pub(super) struct EntryStore {
    entries: PathBuf,
    limit: u64,
    /// The reason of the first failed write, as a fragment. From then on nothing is written.
    failure: OnceLock<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheContent {
    /// By kind: `compilations`, `validations`, `digests`, and `unfinished` for incomplete files.
    pub kinds: BTreeMap<&'static str, KindContent>,
    /// Upper limit, in bytes on disk.
    pub limit: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindContent {
    pub entries: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

impl CacheContent {
    /// The sum over all kinds.
    pub fn total(&self) -> KindContent {
        let sum = |field: fn(&KindContent) -> u64| self.kinds.values().map(field).sum();
        KindContent { entries: sum(|kind| kind.entries), bytes: sum(|kind| kind.bytes) }
    }
}

struct EntryFile {
    path: PathBuf,
    kind: Option<EntryKind>,
    /// Bytes on disk.
    bytes: u64,
    /// Time of the last write or use.
    used: SystemTime,
}

impl EntryStore {
    /// The entries in this folder, limited to `limit` bytes on disk.
    pub(super) fn new(folder: &CacheFolder, limit: u64) -> Self {
        Self { entries: folder.path().join(ENTRIES), limit, failure: OnceLock::new() }
    }

    /// The content under a key. Removes a damaged entry, and returns `None` for it.
    pub(super) fn get(&self, key: &CacheKey, kind: EntryKind) -> Option<Vec<u8>> {
        let path = self.path(key, kind);
        let bytes = match read(&path, LONGEST as u64) {
            Ok(bytes) => bytes,
            Err(error) if error.is_not_found() => return None,
            Err(_) => {
                remove(&path);
                return None;
            }
        };

        let content = decode(key, &bytes);
        match content {
            Some(_) => mark_as_used(&path),
            None => remove(&path),
        }
        content
    }

    /// Keeps a content under a key. After a failed write, nothing more is written.
    pub(super) fn put(&self, key: &CacheKey, kind: EntryKind, content: &[u8]) {
        if content.len() > LONGEST || self.failure.get().is_some() {
            return;
        }

        let path = self.path(key, kind);
        let folder = path.parent().unwrap_or(&self.entries);
        match write(folder, &path, &encode(key, content)) {
            Ok(()) if key.0[1].is_multiple_of(PRUNED) => self.prune(folder),
            Ok(()) => {}
            Err(error) => {
                self.failure.get_or_init(|| format!("{}: {error}", folder.display()));
            }
        }
    }

    /// The reason why entries were not written, as a fragment; `None` if all were written.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Removes an entry with unusable content.
    pub(super) fn forget(&self, key: &CacheKey, kind: EntryKind) {
        remove(&self.path(key, kind));
    }

    pub(super) fn content(&self) -> CacheContent {
        let mut content = CacheContent { limit: self.limit, ..CacheContent::default() };
        for file in self.all_files() {
            let of_kind = content.kinds.entry(file.kind.map_or("unfinished", EntryKind::plural)).or_default();
            of_kind.entries += 1;
            of_kind.bytes += file.bytes;
        }
        content
    }

    /// Removes everything, and returns what it removed. Folders stay, because another process may
    /// be writing there.
    pub(super) fn clear(&self) -> io::Result<CacheContent> {
        let content = self.content();
        for file in self.all_files() {
            match fs::remove_file(&file.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(content)
    }

    fn path(&self, key: &CacheKey, kind: EntryKind) -> PathBuf {
        let digits = key.to_string();
        let (folder, name) = digits.split_at(2);
        self.entries.join(folder).join(format!("{name}.{}", kind.as_str()))
    }

    /// Brings a folder of entries back below its share of the limit, and removes abandoned files.
    fn prune(&self, folder: &Path) {
        let share = self.limit / FOLDERS;
        let now = SystemTime::now();
        let (unfinished, mut files): (Vec<_>, Vec<_>) =
            files_in(folder).into_iter().partition(|file| file.kind.is_none());
        for file in unfinished {
            if now.duration_since(file.used).is_ok_and(|age| age > ABANDONED) {
                remove(&file.path);
            }
        }

        let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
        if bytes <= share {
            return;
        }
        files.sort_by_key(|file| file.used);
        for file in files {
            if bytes <= share * KEPT / 100 {
                break;
            }
            remove(&file.path);
            bytes -= file.bytes;
        }
    }

    fn all_files(&self) -> Vec<EntryFile> {
        let folders = fs::read_dir(&self.entries).into_iter().flatten().filter_map(Result::ok);
        folders.flat_map(|folder| files_in(&folder.path())).collect()
    }
}

/// The files of a folder of entries; empty if it cannot be read.
fn files_in(folder: &Path) -> Vec<EntryFile> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let file = |entry: fs::DirEntry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        let path = entry.path();
        let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
        let kind = EntryKind::ALL.into_iter().find(|kind| kind.as_str() == suffix);
        let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Some(EntryFile { kind, bytes: bytes_on_disk(&metadata), used, path })
    };
    entries.filter_map(file).collect()
}

#[cfg(unix)]
fn bytes_on_disk(metadata: &fs::Metadata) -> u64 {
    // POSIX.1-2024, `sys/stat.h`, leaves the unit to the system; Linux and macOS count blocks of 512 bytes.
    std::os::unix::fs::MetadataExt::blocks(metadata) * 512
}

#[cfg(not(unix))]
fn bytes_on_disk(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}

/// Writes a temporary file and renames it.
fn write(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = || tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder);
    let mut file = match beside() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder)?;
            beside()?
        }
        other => other?,
    };
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

/// Marks an entry as used, unless it was marked lately.
fn mark_as_used(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    let now = SystemTime::now();
    let used = file.metadata().and_then(|metadata| metadata.modified());
    let is_recent = used.is_ok_and(|used| now.duration_since(used).is_ok_and(|age| age < RECENT));
    if !is_recent {
        // If times cannot be written, entries are removed in the order in which they were written.
        let _ = file.set_modified(now);
    }
}

/// Removes a file, which may be gone already. If this fails, the next scan tries again.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

/// The key of an answer, and the SHA-256 of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CacheKey(pub(super) [u8; 32]);

impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Collects the parts of a key. Each part follows its length, so that two different lists of parts
/// never have the same bytes.
#[derive(Clone, Debug)]
pub(crate) struct KeyParts(Sha256);

impl KeyParts {
    /// Starts a key; `kind` is its first part.
    pub(crate) fn of_kind(kind: &str) -> Self {
        let mut parts = Self(Sha256::new());
        parts.add(kind.as_bytes());
        parts
    }

    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Adds a list, preceded by its length.
    pub(crate) fn add_list<'a>(&mut self, list: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.0.update((list.len() as u64).to_le_bytes());
        list.for_each(|part| self.add(part));
    }

    pub(crate) fn key(self) -> CacheKey {
        CacheKey(self.0.finalize().into())
    }
}

/// The bytes of the file that holds `content` under `key`.
fn encode(key: &CacheKey, content: &[u8]) -> Vec<u8> {
    let frame = compress_to_vec(content, CompressionLevel::Fastest);
    [&MARK[..], &checksum(key, &frame), &frame].concat()
}

/// The content of a file under `key`; `None` if it is damaged.
fn decode(key: &CacheKey, bytes: &[u8]) -> Option<Vec<u8>> {
    let (head, frame) = bytes.split_at_checked(HEAD)?;
    let (mark, sum) = head.split_at(MARK.len());
    if mark != MARK || sum != checksum(key, frame) {
        return None;
    }

    let mut content = Vec::new();
    let mut decoder = StreamingDecoder::new(frame).ok()?.take(LONGEST as u64 + 1);
    decoder.read_to_end(&mut content).ok()?;
    (content.len() <= LONGEST).then_some(content)
}

fn checksum(key: &CacheKey, frame: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(key.0).chain_update(frame).finalize().into()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// A store with 16 KiB for each folder of entries.
    fn store() -> (tempfile::TempDir, EntryStore) {
        let place = tempfile::tempdir().unwrap();
        let folder = CacheFolder::at(&place.path().join("cache")).unwrap();
        let store = EntryStore::new(&folder, FOLDERS * (16 << 10));
        (place, store)
    }

    fn key(number: u32) -> CacheKey {
        let mut parts = KeyParts::of_kind("test");
        parts.add(&number.to_le_bytes());
        parts.key()
    }

    /// Bytes that cannot be compressed.
    fn noise(length: usize) -> Vec<u8> {
        (0..length as u64).map(|index| index.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[5]).collect()
    }

    fn put(store: &EntryStore, number: u32, content: &[u8]) {
        store.put(&key(number), EntryKind::Compilation, content);
    }

    fn get(store: &EntryStore, number: u32) -> Option<Vec<u8>> {
        store.get(&key(number), EntryKind::Compilation)
    }

    #[test]
    fn what_was_put_is_found_by_its_key_and_kind() {
        let (_place, store) = store();
        put(&store, 1, b"one");
        assert_eq!(get(&store, 1).as_deref(), Some(&b"one"[..]));
        assert_eq!(get(&store, 2), None);
        assert_eq!(store.get(&key(1), EntryKind::Validation), None);
        assert_eq!(store.failure(), None);
    }

    #[test]
    fn a_damaged_entry_is_none_and_goes() {
        let (_place, store) = store();
        let path = store.path(&key(1), EntryKind::Compilation);
        let damages: [fn(&mut Vec<u8>); 4] =
            [|file| file.truncate(20), |file| file.clear(), |file| file[50] ^= 4, |file| file.push(0)];
        for damage in damages {
            put(&store, 1, &noise(100));
            let mut file = fs::read(&path).unwrap();
            damage(&mut file);
            fs::write(&path, file).unwrap();
            assert_eq!(get(&store, 1), None);
            assert!(!path.exists());
        }

        // An intact entry under the wrong key.
        put(&store, 1, b"one");
        put(&store, 2, b"two");
        fs::copy(store.path(&key(2), EntryKind::Compilation), &path).unwrap();
        assert_eq!(get(&store, 1), None);
        assert!(!path.exists() && get(&store, 2).is_some());
    }

    /// Nothing writes to the pipe, so reading it as a file would block for ever. A link may lead
    /// anywhere.
    #[test]
    fn a_pipe_or_a_folder_in_an_entrys_place_is_none() {
        let (_place, store) = store();
        put(&store, 1, b"one");
        let path = store.path(&key(1), EntryKind::Compilation);
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(get(&store, 1), None);
        assert!(!path.exists());

        fs::create_dir(&path).unwrap();
        assert_eq!(get(&store, 1), None);
        // It cannot be overwritten either, and `failure` reports that.
        put(&store, 1, b"one");
        assert_eq!(get(&store, 1), None);
        assert!(store.failure().is_some());
    }

    #[test]
    fn what_was_used_last_stays() {
        let (_place, store) = store();
        // All in the folder of the first entry, each of one or two blocks.
        let numbers: Vec<u32> = (0..).filter(|number| key(*number).0[0] == key(0).0[0]).take(8).collect();
        let folder = store.path(&key(0), EntryKind::Compilation).parent().unwrap().to_owned();
        for (age, number) in numbers.iter().rev().enumerate() {
            put(&store, *number, &noise(3000));
            let file = File::open(store.path(&key(*number), EntryKind::Compilation)).unwrap();
            let hours = Duration::from_secs(60 * 60 * (2 + age as u64));
            file.set_modified(SystemTime::now() - hours).unwrap();
        }
        // The first entry was used last, so it is the newest now.
        assert!(get(&store, numbers[0]).is_some());
        store.prune(&folder);

        let bytes: u64 = files_in(&folder).iter().map(|file| file.bytes).sum();
        assert!(bytes <= 16 << 10, "{bytes}");
        let is_there = |number: &u32| store.path(&key(*number), EntryKind::Compilation).exists();
        assert!(is_there(&numbers[0]) && is_there(&numbers[7]) && !is_there(&numbers[1]));
    }

    #[test]
    fn the_store_stays_below_its_limit_by_itself() {
        let (_place, store) = store();
        let first = (0..).filter(|number| key(*number).0[0] == 7).take(100).collect::<Vec<u32>>();
        for number in first {
            put(&store, number, &noise(3000));
        }
        let CacheContent { kinds, .. } = store.content();
        let KindContent { entries, bytes } = kinds["compilations"];
        // Four kilobytes each; about every sixteenth write scans the folder.
        assert!((1..60).contains(&entries) && bytes < 60 * 4096, "{entries} entries, {bytes} bytes");
    }

    #[test]
    fn what_a_killed_process_left_goes_with_time() {
        let (_place, store) = store();
        put(&store, 1, b"one");
        let folder = store.path(&key(1), EntryKind::Compilation).parent().unwrap().to_owned();
        for (name, hours) in [(".new-old", 2), (".new-young", 0)] {
            let file = File::create(folder.join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(60 * 60 * hours)).unwrap();
        }
        store.prune(&folder);
        assert!(!folder.join(".new-old").exists() && folder.join(".new-young").exists());
        assert!(get(&store, 1).is_some());
        assert_eq!(store.content().kinds["unfinished"].entries, 1);
    }

    #[test]
    fn everything_goes_when_it_is_cleared() {
        let (_place, store) = store();
        assert_eq!(store.clear().unwrap().kinds, BTreeMap::new());
        for number in 0..20 {
            put(&store, number, b"one");
        }
        assert_eq!(store.clear().unwrap().kinds["compilations"].entries, 20);
        assert_eq!(store.content().kinds, BTreeMap::new());
        put(&store, 1, b"one");
        assert!(get(&store, 1).is_some());
    }

    #[test]
    fn many_writers_and_readers_share_it() {
        let (place, _) = store();
        let folder = CacheFolder::at(&place.path().join("cache")).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    // The limit is small, so that entries disappear while other threads read them.
                    let store = EntryStore::new(&folder, FOLDERS * 8192);
                    for number in (0..300).chain(0..300) {
                        let content = noise(number as usize * 10);
                        assert!(get(&store, number).is_none_or(|found| found == content), "entry {number}");
                        put(&store, number, &content);
                    }
                    assert_eq!(store.failure(), None);
                });
            }
        });
    }

    /// Root can write everywhere, so a file in the folder's place serves as a folder that cannot be
    /// written.
    #[test]
    fn a_folder_that_takes_nothing_is_told_once_and_left_alone() {
        let (_place, store) = store();
        fs::write(&store.entries, "").unwrap();
        put(&store, 1, b"one");
        let told = store.failure().unwrap();
        assert!(told.contains("/answers/"), "{told}");
        fs::remove_file(&store.entries).unwrap();
        put(&store, 1, b"one");
        assert_eq!((get(&store, 1), store.failure()), (None, Some(told)));
    }

    fn key_of(lists: &[&[&str]]) -> CacheKey {
        let mut parts = KeyParts::of_kind("test");
        for list in lists {
            parts.add_list(list.iter().map(|part| part.as_bytes()));
        }
        parts.key()
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let keys =
            [key_of(&[&["ab", "c"]]), key_of(&[&["a", "bc"]]), key_of(&[&["ab"], &["c"]]), key_of(&[&["abc"], &[]])];
        for (index, key) in keys.iter().enumerate() {
            assert!(keys[..index].iter().all(|other| other != key), "{index}");
        }
        assert_eq!(key_of(&[&["a"]]), key_of(&[&["a"]]));
    }

    /// SHA-256 of no bytes, from FIPS 180-4.
    #[test]
    fn a_key_is_written_in_hexadecimal_digits() {
        let empty = CacheKey(Sha256::new().finalize().into());
        assert_eq!(empty.to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn a_content_comes_back_under_its_key_alone() {
        for content in [Vec::new(), b"listing".to_vec(), vec![7; 100_000]] {
            let file = encode(&key(1), &content);
            assert_eq!(decode(&key(1), &file), Some(content));
            assert_eq!(decode(&key(2), &file), None);
        }
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_noticed() {
        let file = encode(&key(1), b"offset 16, offset 32, offset 48");
        for length in 0..file.len() {
            assert_eq!(decode(&key(1), &file[..length]), None, "cut to {length} bytes");
        }
        for bit in 0..file.len() * 8 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&key(1), &damaged), None, "bit {bit}");
        }
    }
}
