//! The identity of a program: SHA-256 of all files that decide its answers.
//!
//! These are the program, the libraries that the system's loader links to it, the libraries that it
//! opens while it runs, and the programs that it starts. If not all of them are known (a user's
//! script, a program for a foreign system), the program has no identity and its answers are not
//! kept.
//!
//! The cache reads each file once. It remembers the digest by path, size, inode and change time;
//! only root can set the change time.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::key::{CacheKey, KeyParts};
use super::linked_libraries::{LoaderFile, interpreter_of, linked_libraries};
use super::program_files::{ProgramFiles, ScriptKind};
use super::store::{CacheEntryKind, EntryStore};
use crate::search_path::on_path;

/// Most files of one program. Compilers have a few dozen.
const MOST_FILES: usize = 1000;

/// Prefixes of the variables that compilers and their loaders read.
const VARIABLES: [&str; 17] = [
    "CCC_",
    "CLANG",
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE",
    "C_INCLUDE",
    "DAWN",
    "DXC",
    "GLSLANG",
    "LANG",
    "LC_",
    "LD_",
    "NODE_",
    "SLANG",
    "SPIRV",
    "VK_",
    "WINE",
];

/// Our own code that shapes a cached answer: it replaces a compiler's program, reads a compiler's
/// output, or carries it between processes.
const OUR_PART: [&str; 20] = [
    include_str!("../child.rs"),
    include_str!("../compile_service.rs"),
    include_str!("../dxc_library/com.rs"),
    include_str!("../dxc_library/command.rs"),
    include_str!("../dxc_library/mod.rs"),
    include_str!("../dxc_library/service.rs"),
    include_str!("../dxc_library/session.rs"),
    include_str!("../library_service/frame.rs"),
    include_str!("../library_service/mod.rs"),
    include_str!("../library_service/serve.rs"),
    include_str!("../library_service/service.rs"),
    include_str!("../line_service/server.rs"),
    include_str!("../line_service/service.rs"),
    include_str!("../line_service/session.rs"),
    include_str!("../slang_library/command.rs"),
    include_str!("../slang_library/mod.rs"),
    include_str!("../slang_library/service.rs"),
    include_str!("../slang_library/session.rs"),
    include_str!("../spirv_val.rs"),
    include_str!("answers.rs"),
];

/// The digest of a file that changed more recently than this is not remembered: the file may change
/// again within one tick of the clock that stamps files.
const SETTLED: Duration = Duration::from_secs(2);

/// The identity of a program.
#[derive(Clone, Debug)]
pub(super) struct ProgramIdentity {
    /// SHA-256 of all parts.
    digest: CacheKey,
    /// The state of each file when it was read.
    files: Vec<FileState>,
}

/// The state of a file at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileState {
    /// Path without links.
    path: PathBuf,
    device: u64,
    inode: u64,
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: i128,
    /// Nanoseconds since 1970. The system sets it at each change of content, name or owner.
    changed: i128,
}

impl ProgramIdentity {
    /// Hashes the files, or takes their digests from `store`. `None` if not all deciding files are
    /// known.
    pub(super) fn of(program: &ProgramFiles, store: &EntryStore) -> Option<Self> {
        let mut parts = KeyParts::of_kind("program");
        parts.add_list(OUR_PART.iter().map(|text| text.as_bytes()));
        parts.add_list(program.words.iter().map(|word| word.as_encoded_bytes()));
        let variables = variables();
        parts.add_list(variables.iter().map(|variable| variable.as_encoded_bytes()));

        let mut files = Vec::new();
        for path in all_files(program)? {
            let file = FileState::of(&path).ok()?;
            let digest = file.digest(store).ok()?;
            parts.add(file.path.as_os_str().as_encoded_bytes());
            parts.add(&digest);
            files.push(file);
        }
        Some(Self { digest: parts.key(), files })
    }

    /// The digest of all deciding files.
    pub(super) fn bytes(&self) -> &[u8; 32] {
        self.digest.bytes()
    }

    /// True if no file has changed since the identity was made. Answers given in between are this
    /// program's.
    pub(super) fn is_unchanged(&self) -> bool {
        self.files.iter().all(|file| FileState::of(&file.path).is_ok_and(|now| now == *file))
    }
}

impl FileState {
    fn of(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(io::Error::other("no regular file"));
        }
        Self::of_metadata(path, &metadata)
    }

    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "other systems cannot recognise a file and return an error")]
    fn of_metadata(path: PathBuf, metadata: &Metadata) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;

        let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Ok(Self {
            path,
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.size(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    /// Without change times a file cannot be recognised, so nothing has an identity on such a
    /// system.
    #[cfg(not(unix))]
    fn of_metadata(_: PathBuf, _: &Metadata) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// SHA-256 of the content.
    ///
    /// # Errors
    /// The file cannot be read, or changes during the read.
    fn digest(&self, store: &EntryStore) -> io::Result<[u8; 32]> {
        let key = self.key();
        let known = store.get(&key, CacheEntryKind::FileDigest);
        if let Some(digest) = known.and_then(|content| content.try_into().ok()) {
            return Ok(digest);
        }

        let mut content = Sha256::new();
        io::copy(&mut File::open(&self.path)?, &mut content)?;
        let digest: [u8; 32] = content.finalize().into();
        if Self::of(&self.path)? != *self {
            return Err(io::Error::other("it changes while it is read"));
        }
        if self.is_settled() {
            store.put(&key, CacheEntryKind::FileDigest, &digest);
        }
        Ok(digest)
    }

    fn key(&self) -> CacheKey {
        let mut parts = KeyParts::of_kind("file");
        parts.add(self.path.as_os_str().as_encoded_bytes());
        for number in [self.device, self.inode, self.bytes] {
            parts.add(&number.to_le_bytes());
        }
        for time in [self.modified, self.changed] {
            parts.add(&time.to_le_bytes());
        }
        parts.key()
    }

    fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let age = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX) - self.changed;
        age > i128::try_from(SETTLED.as_nanos()).unwrap_or(i128::MAX)
    }
}

/// SHA-256 of a file, in hexadecimal digits, from `store` if it is known there.
///
/// # Errors
/// The file cannot be read, or changes during the read.
pub(super) fn file_digest(path: &Path, store: &EntryStore) -> io::Result<String> {
    let digest = FileState::of(path)?.digest(store)?;
    Ok(CacheKey::of_digest(digest).to_string())
}

/// The variables of this process that compilers read, as `NAME=VALUE`, sorted.
fn variables() -> BTreeSet<OsString> {
    let is_looked_at = |name: &OsString| {
        let name = name.to_string_lossy();
        VARIABLES.iter().any(|beginning| name.starts_with(beginning))
    };
    let all = std::env::vars_os().filter(|(name, _)| is_looked_at(name));
    all.map(|(name, value)| [name, "=".into(), value].into_iter().collect()).collect()
}

/// All deciding files, sorted; `None` if not all are known.
fn all_files(program: &ProgramFiles) -> Option<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    let own = std::env::current_exe().ok()?;
    let own_loader = || interpreter_of(&own).ok();

    if let Some(path) = &program.program {
        if add_program(path, program.script, &mut files)? == ProgramForm::Script {
            for name in program.started_by_script {
                add_program(&on_path(name)?, ScriptKind::Unknown, &mut files)?;
            }
        }
    }
    if let Some(library) = &program.library {
        add_library(library, own_loader, &mut files)?;
    }
    for place in &program.others {
        add_all_in(place, &mut files)?;
    }

    let file = program.library.as_ref().or(program.program.as_ref())?;
    for library in opened_libraries(file, program.opened)? {
        add_library(&library, own_loader, &mut files)?;
    }
    (files.len() <= MOST_FILES).then_some(files)
}

/// The kind of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProgramForm {
    Native,
    Script,
}

/// Adds a program and its linked libraries. Returns `None` if not all deciding files are known.
fn add_program(path: &Path, script: ScriptKind, files: &mut BTreeSet<PathBuf>) -> Option<ProgramForm> {
    let path = path.canonicalize().ok()?;
    let form = match interpreter_of(&path).ok()? {
        LoaderFile::Program { interpreter } => {
            let libraries = interpreter.map(|loader| linked_libraries(&loader, &path));
            files.extend(libraries.unwrap_or(Some(Vec::new()))?);
            ProgramForm::Native
        }
        LoaderFile::Other if script == ScriptKind::Known && begins_with(&path, b"#!") => ProgramForm::Script,
        LoaderFile::Other => return None,
    };
    files.insert(path);
    Some(form)
}

/// Adds a library and the libraries that the loading program's loader links to it. A library of a
/// foreign system links to libraries in that system's folders, which are among the other files.
fn add_library(path: &Path, own_loader: impl Fn() -> Option<LoaderFile>, files: &mut BTreeSet<PathBuf>) -> Option<()> {
    let path = path.canonicalize().ok()?;
    if begins_with(&path, b"\x7fELF") {
        let Some(LoaderFile::Program { interpreter: Some(loader) }) = own_loader() else { return None };
        files.extend(linked_libraries(&loader, &path)?);
    }
    files.insert(path);
    Some(())
}

/// Adds a file, or all files below a folder. A missing file decides nothing.
fn add_all_in(place: &Path, files: &mut BTreeSet<PathBuf>) -> Option<()> {
    let metadata = match fs::metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(()),
        other => other.ok()?,
    };
    if metadata.is_file() {
        files.insert(place.canonicalize().ok()?);
    } else if metadata.is_dir() {
        for entry in fs::read_dir(place).ok()? {
            if files.len() > MOST_FILES {
                return None;
            }
            add_all_in(&entry.ok()?.path(), files)?;
        }
    }
    Some(())
}

/// The libraries with these name prefixes, in the folder of `file` and in the `lib` folder next to
/// it.
fn opened_libraries(file: &Path, beginnings: &[&str]) -> Option<Vec<PathBuf>> {
    if beginnings.is_empty() {
        return Some(Vec::new());
    }
    let file = file.canonicalize().ok()?;
    let folder = file.parent()?;
    let beside = folder.parent().map(|above| above.join("lib"));

    let mut libraries = Vec::new();
    for folder in [Some(folder.to_owned()), beside].into_iter().flatten() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.ok()?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let is_file = fs::metadata(&path).as_ref().is_ok_and(Metadata::is_file);
            if is_file && beginnings.iter().any(|beginning| name.starts_with(beginning)) {
                libraries.push(path);
            }
        }
    }
    Some(libraries)
}

/// True if the file starts with these bytes.
fn begins_with(path: &Path, bytes: &[u8]) -> bool {
    let mut begin = Vec::new();
    let file = File::open(path);
    file.is_ok_and(|file| file.take(bytes.len() as u64).read_to_end(&mut begin).is_ok()) && begin == bytes
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::folder::CacheFolder;
    use super::super::store::LIMIT;
    use super::*;

    fn store() -> (tempfile::TempDir, EntryStore) {
        let place = tempfile::tempdir().unwrap();
        let folder = CacheFolder::at(&place.path().join("cache")).unwrap();
        let store = EntryStore::new(&folder, LIMIT);
        (place, store)
    }

    fn identity(files: &ProgramFiles, store: &EntryStore) -> Option<[u8; 32]> {
        ProgramIdentity::of(files, store).map(|identity| *identity.bytes())
    }

    /// A program of the system, in a separate folder, so that it can be replaced.
    fn program(place: &Path) -> ProgramFiles {
        let path = place.join("compiler");
        fs::copy("/bin/true", &path).unwrap();
        ProgramFiles { program: Some(path), ..ProgramFiles::default() }
    }

    #[test]
    fn an_identity_is_that_of_the_content() {
        let (place, store) = store();
        let files = program(place.path());
        let path = files.program.clone().unwrap();
        let first = identity(&files, &store).unwrap();
        assert_eq!(identity(&files, &store), Some(first));

        // Another build at the same path, of the same length and time of modification.
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        let second = identity(&files, &store).unwrap();
        assert_ne!(second, first);

        // The first build again, moved into place as package managers do.
        fs::copy("/bin/true", place.path().join("new")).unwrap();
        fs::rename(place.path().join("new"), &path).unwrap();
        assert_eq!(identity(&files, &store), Some(first));
    }

    #[test]
    fn a_program_that_changes_under_way_is_noticed() {
        let (place, store) = store();
        let files = program(place.path());
        let identity = ProgramIdentity::of(&files, &store).unwrap();
        assert!(identity.is_unchanged());
        let path = files.program.unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        assert!(!identity.is_unchanged());
        fs::remove_file(&path).unwrap();
        assert!(!identity.is_unchanged());
    }

    #[test]
    fn what_a_program_opens_and_is_told_decides_too() {
        let (place, store) = store();
        let plain = program(place.path());
        let folder = place.path().join("others");
        fs::create_dir_all(folder.join("deep")).unwrap();
        fs::write(place.path().join("libslang-a.so"), "a").unwrap();

        let opens = ProgramFiles { opened: &["libslang"], ..plain.clone() };
        let told = ProgramFiles { words: vec!["--abi".into()], ..plain.clone() };
        let others = ProgramFiles { others: vec![folder.clone()], ..plain.clone() };
        let before: Vec<_> = [&opens, &told].map(|files| identity(files, &store)).into();
        for (index, one) in before.iter().enumerate() {
            assert!(one.is_some() && *one != identity(&plain, &store), "{index}");
            assert!(!before[..index].contains(one), "{index}");
        }

        let empty = identity(&others, &store);
        fs::write(folder.join("deep/header"), "int").unwrap();
        assert_ne!(identity(&others, &store), empty);
        fs::write(place.path().join("libslang-a.so"), "b").unwrap();
        assert_ne!(identity(&opens, &store), before[0]);
    }

    #[test]
    fn a_script_has_an_identity_only_if_all_that_it_starts_is_known() {
        let (place, store) = store();
        let path = place.path().join("script");
        fs::write(&path, "#!/bin/sh\nexec dxc \"$@\"\n").unwrap();
        let script = ProgramFiles { program: Some(path.clone()), ..ProgramFiles::default() };
        assert_eq!(identity(&script, &store), None);
        let known = ProgramFiles { script: ScriptKind::Known, ..script };
        let starts = ProgramFiles { started_by_script: &["sh"], ..known.clone() };
        assert!(identity(&known, &store).is_some());
        assert_ne!(identity(&starts, &store), identity(&known, &store));
        assert_eq!(identity(&ProgramFiles { started_by_script: &["no-such-program"], ..known.clone() }, &store), None);
        fs::write(&path, "MZ, a program of another system").unwrap();
        assert_eq!(identity(&known, &store), None);
    }

    #[test]
    fn a_digest_is_remembered_once_a_file_is_settled() {
        let (place, store) = store();
        let path = place.path().join("library");
        fs::write(&path, "content").unwrap();
        let young = FileState::of(&path).unwrap();
        young.digest(&store).unwrap();
        assert_eq!(store.get(&young.key(), CacheEntryKind::FileDigest), None);

        // A file of the system is old.
        let old = FileState::of(Path::new("/bin/true")).unwrap();
        let digest = old.digest(&store).unwrap();
        assert_eq!(store.get(&old.key(), CacheEntryKind::FileDigest).as_deref(), Some(&digest[..]));
        // The store returns the remembered digest, so the file is not read again.
        store.put(&old.key(), CacheEntryKind::FileDigest, &[7; 32]);
        assert_eq!(old.digest(&store).unwrap(), [7; 32]);
    }

    /// All our source files that start compilers in their own processes, or replace one.
    #[test]
    fn our_part_is_complete() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for folder in ["dxc_library", "library_service", "slang_library"] {
            for entry in fs::read_dir(source.join(folder)).unwrap() {
                let text = fs::read_to_string(entry.as_ref().unwrap().path()).unwrap();
                assert!(OUR_PART.contains(&text.as_str()), "{}", entry.unwrap().path().display());
            }
        }
    }
}
