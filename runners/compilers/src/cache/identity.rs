//! The identity of a program: SHA-256 of all files that decide its answers.
//!
//! These are the program, the libraries that the system's loader links to it, the libraries that it
//! opens while it runs, and the programs that it starts. If not all of them are known (a user's
//! script, a launcher, a program for a foreign system), the program has no identity and its answers
//! are not kept. The version that the program prints and its answer to a fixed question
//! (`canary`) are part of its identity, since other things than files may decide its answers.
//!
//! The cache reads each file once. It remembers the digest by path, size, inode and change time;
//! only root can set the change time.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use object::read::elf::{ElfFile32, ElfFile64, FileHeader, ProgramHeader};
use object::{FileKind, ReadCache, ReadRef};
use sha2::{Digest, Sha256};

use super::canary::{Canary, CanaryAnswer};
use super::store::{CacheKey, EntryKind, EntryStore, KeyParts};
use crate::child::{ProcessEnd, run};
use crate::search_path::on_path;
use layoutproof_source::words::words;

/// Time limit for the loader to list libraries.
const LOADER_LIMIT: Duration = Duration::from_secs(10);

/// Most files of one program. Compilers have a few dozen.
const MOST_FILES: usize = 1000;

/// Prefixes of the variables that compilers and their loaders read.
const VARIABLES: [&str; 17] = words(
    "
    CCC_ CLANG COMPILER_PATH CPATH CPLUS_INCLUDE C_INCLUDE DAWN DXC GLSLANG LANG LC_ LD_ NODE_ SLANG SPIRV VK_ WINE
    ",
);

/// Our own code that shapes a cached answer: it replaces a compiler's program, reads a compiler's
/// output, or carries it between processes.
const OUR_PART: [&str; 8] = [
    include_str!("../child.rs"),
    include_str!("../dxc_library/calls.rs"),
    include_str!("../dxc_library/mod.rs"),
    include_str!("../service.rs"),
    include_str!("../slang_library.rs"),
    include_str!("../spirv_val.rs"),
    include_str!("../user_files.rs"),
    include_str!("mod.rs"),
];

/// The digest of a file that changed more recently than this is not remembered: the file may change
/// again within one tick of the clock that stamps files.
const SETTLED: Duration = Duration::from_secs(2);

/// The files that are known to decide a program's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProgramFiles {
    /// The program; `None` for `layoutproof` itself, whose code is part of every identity.
    pub(crate) program: Option<PathBuf>,
    /// True if all programs that it starts, if it is a script, are among the files. Other scripts
    /// may start any program, so they have no identity.
    pub(crate) is_known_script: bool,
    pub(crate) library: Option<PathBuf>,
    /// More files, and folders with everything in them.
    pub(crate) others: Vec<PathBuf>,
    /// Prefixes of the names of libraries that it opens at run time, from its folder or the `lib`
    /// folder next to it.
    pub(crate) opened: &'static [&'static str],
    /// Programs on the `PATH` that it starts if it is a script.
    pub(crate) started_by_script: &'static [&'static str],
    /// Arguments and variables of every start.
    pub(crate) words: Vec<OsString>,
    /// The version that it printed to this process.
    pub(crate) version: String,
    /// The fixed question to it; `None` under Wine, whose server outlives each program, and for a program that
    /// its fetched files decide.
    pub(crate) canary: Option<Canary>,
}

/// The reason why a program has no identity.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoIdentity {
    #[error("not all files that decide its answers are known")]
    UnknownFiles,
    /// It starts another program.
    #[error("{} starts {}, so another program may answer the next time", program.display(), started.display())]
    Launcher { program: PathBuf, started: PathBuf },
    #[error("{}: what it starts cannot be seen: {error}", program.display())]
    NotTraced { program: PathBuf, error: io::Error },
}

/// Files that decide a compiler's answers and that only its driver knows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DecidingFiles {
    /// Prefixes of the names of libraries that it opens at run time, from its folder or the `lib`
    /// folder next to it.
    pub(crate) opened: &'static [&'static str],
    /// Programs on the `PATH` that it starts if the set-up's program is a script.
    pub(crate) started_by_script: &'static [&'static str],
}

#[derive(Clone, Debug)]
pub(super) struct ProgramIdentity {
    digest: CacheKey,
    /// The state of each file when it was read.
    files: Vec<FileState>,
}

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
    /// Hashes the files, or takes their digests from `store`.
    pub(super) fn of(program: &ProgramFiles, store: &EntryStore) -> Result<Self, NoIdentity> {
        let mut parts = KeyParts::of_kind("program");
        parts.add_list(OUR_PART.iter().map(|text| text.as_bytes()));
        parts.add_list(program.words.iter().map(|word| word.as_encoded_bytes()));
        let variables = variables();
        parts.add_list(variables.iter().map(|variable| variable.as_encoded_bytes()));
        parts.add(program.version.as_bytes());

        let mut paths = all_files(program).ok_or(NoIdentity::UnknownFiles)?;
        if let Some(canary) = &program.canary {
            let digest = add_executed(canary, program.is_known_script, &mut paths)?;
            parts.add(&digest.0);
        }

        let mut files = Vec::new();
        for path in paths {
            let (file, digest) = FileState::of(&path)
                .and_then(|file| file.digest(store).map(|digest| (file, digest)))
                .map_err(|_| NoIdentity::UnknownFiles)?;
            parts.add(file.path.as_os_str().as_encoded_bytes());
            parts.add(&digest);
            files.push(file);
        }
        Ok(Self { digest: parts.key(), files })
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.digest.0
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
    fn digest(&self, store: &EntryStore) -> io::Result<[u8; 32]> {
        let key = self.key();
        let known = store.get(&key, EntryKind::FileDigest);
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
            store.put(&key, EntryKind::FileDigest, &digest);
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
pub(super) fn file_digest(path: &Path, store: &EntryStore) -> io::Result<String> {
    let digest = FileState::of(path)?.digest(store)?;
    Ok(CacheKey(digest).to_string())
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
        if add_program(path, program.is_known_script, &mut files)? {
            for name in program.started_by_script {
                add_program(&on_path(name)?, false, &mut files)?;
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

/// Asks the fixed question, adds the files that the program executed for it, and returns the digest
/// of the answer.
fn add_executed(canary: &Canary, is_known_script: bool, files: &mut BTreeSet<PathBuf>) -> Result<CacheKey, NoIdentity> {
    let not_traced = |error| NoIdentity::NotTraced { program: canary.program.clone(), error };
    let itself = canary.program.canonicalize().map_err(not_traced)?;
    let CanaryAnswer { digest, started, mapped } = canary.ask().map_err(not_traced)?;
    // A launcher may choose another program for other arguments or at another time.
    if let (false, Some(started)) = (is_known_script, started.first()) {
        return Err(NoIdentity::Launcher { program: canary.program.clone(), started: started.clone() });
    }
    // Code that a program makes while it runs is in no file.
    let is_file = |path: &PathBuf| {
        let path = path.as_os_str().as_encoded_bytes();
        !path.starts_with(b"/memfd:") && !path.starts_with(b"/dev/")
    };
    files.extend(started.into_iter().chain(mapped).filter(|path| *path != itself && is_file(path)));
    Ok(digest)
}

/// Adds a program and its linked libraries, and returns true for a script. `None` if not all deciding
/// files are known.
fn add_program(path: &Path, is_known_script: bool, files: &mut BTreeSet<PathBuf>) -> Option<bool> {
    let path = path.canonicalize().ok()?;
    let is_script = match interpreter_of(&path).ok()? {
        LoaderFile::Program { interpreter } => {
            let libraries = interpreter.map(|loader| linked_libraries(&loader, &path));
            files.extend(libraries.unwrap_or(Some(Vec::new()))?);
            false
        }
        LoaderFile::Other if is_known_script && begins_with(&path, b"#!") => true,
        LoaderFile::Other => return None,
    };
    files.insert(path);
    Some(is_script)
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

/// A file as the Linux loader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum LoaderFile {
    /// A program or library for this kind of system.
    Program {
        /// The loader that the program names; `None` if it links no libraries.
        interpreter: Option<PathBuf>,
    },
    /// A script, or a file of another system.
    Other,
}

fn interpreter_of(program: &Path) -> io::Result<LoaderFile> {
    let file = std::fs::File::open(program)?;
    let cache = ReadCache::new(file);
    let interpreter = match FileKind::parse(&cache) {
        Ok(FileKind::Elf64) => ElfFile64::<object::Endianness, _>::parse(&cache)
            .and_then(|elf| interpreter(elf.elf_header(), elf.endian(), &cache)),
        Ok(FileKind::Elf32) => ElfFile32::<object::Endianness, _>::parse(&cache)
            .and_then(|elf| interpreter(elf.elf_header(), elf.endian(), &cache)),
        Ok(_) | Err(_) => return Ok(LoaderFile::Other),
    };
    interpreter.map(|interpreter| LoaderFile::Program { interpreter }).map_err(io::Error::other)
}

fn interpreter<'data, Header: FileHeader>(
    header: &Header,
    endian: Header::Endian,
    data: impl ReadRef<'data>,
) -> object::Result<Option<PathBuf>> {
    for segment in header.program_headers(endian, data)? {
        if let Some(path) = segment.interpreter(endian, data)? {
            return Ok(Some(PathBuf::from(String::from_utf8_lossy(path).into_owned())));
        }
    }
    Ok(None)
}

/// The libraries that `loader` links to a file, and the loader itself. `None` if the loader does
/// not list them or misses one.
///
/// Source: glibc's `ld.so(8)`, `--list`; musl's `ldso/dynlink.c` has the same option.
fn linked_libraries(loader: &Path, file: &Path) -> Option<Vec<PathBuf>> {
    // Never starts a file from the working folder.
    if !loader.is_absolute() {
        return None;
    }
    let listed = run(Command::new(loader).arg("--list").arg(file), LOADER_LIMIT).ok()?;
    if listed.end == ProcessEnd::Exited(0) { libraries_in(&listed.stdout) } else { None }
}

/// Parses the loader's list.
///
/// Source: glibc 2.36, lines like `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f…)`,
/// `linux-vdso.so.1 (0x…)`, `libx.so => not found` and `statically linked`, each after a tab.
fn libraries_in(listed: &str) -> Option<Vec<PathBuf>> {
    let mut libraries = Vec::new();
    for line in listed.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line == "statically linked" {
            continue;
        }
        let library = line.split_once(" => ").map_or(line, |(_, path)| path);
        let (path, _) = library.rsplit_once(" (0x")?;
        // The kernel's vdso is not a file.
        if path.starts_with('/') {
            libraries.push(PathBuf::from(path).canonicalize().ok()?);
        } else if !path.starts_with("linux-vdso") && !path.starts_with("linux-gate") {
            return None;
        }
    }
    Some(libraries)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::{CacheFolder, store::LIMIT};
    use super::*;

    fn store() -> (tempfile::TempDir, EntryStore) {
        let place = tempfile::tempdir().unwrap();
        let folder = CacheFolder::at(&place.path().join("cache")).unwrap();
        let store = EntryStore::new(&folder, LIMIT);
        (place, store)
    }

    fn identity(files: &ProgramFiles, store: &EntryStore) -> Option<[u8; 32]> {
        ProgramIdentity::of(files, store).ok().map(|identity| *identity.bytes())
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
        let known = ProgramFiles { is_known_script: true, ..script };
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
        assert_eq!(store.get(&young.key(), EntryKind::FileDigest), None);

        // A file of the system is old.
        let old = FileState::of(Path::new("/bin/true")).unwrap();
        let digest = old.digest(&store).unwrap();
        assert_eq!(store.get(&old.key(), EntryKind::FileDigest).as_deref(), Some(&digest[..]));
        // The store returns the remembered digest, so the file is not read again.
        store.put(&old.key(), EntryKind::FileDigest, &[7; 32]);
        assert_eq!(old.digest(&store).unwrap(), [7; 32]);
    }

    #[test]
    fn our_part_has_all_of_the_code_that_calls_dxc() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dxc_library");
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let text = fs::read_to_string(entry.path()).unwrap();
            assert!(OUR_PART.contains(&text.as_str()), "{}", entry.path().display());
        }
    }

    /// A dynamically linked shell links at least the C library.
    #[test]
    fn a_program_of_the_system_lists_its_libraries() {
        let shell = Path::new("/bin/sh").canonicalize().unwrap();
        let LoaderFile::Program { interpreter } = interpreter_of(&shell).unwrap() else { panic!("a script") };
        if let Some(loader) = interpreter {
            let libraries = linked_libraries(&loader, &shell).unwrap();
            assert!(libraries.iter().any(|path| path.display().to_string().contains("libc")), "{libraries:?}");
            assert!(libraries.contains(&loader.canonicalize().unwrap()), "{libraries:?}");
        }
    }

    #[test]
    fn a_list_that_is_not_understood_is_none() {
        // The output of glibc 2.36 for glslangValidator 12.0.0, shortened, and for a program that
        // lacks a library.
        let listed = "\tlinux-vdso.so.1 (0x00007fd1d6e6f000)\n\t/bin/sh (0x00007fd1d6e71000)\n";
        assert_eq!(libraries_in(listed), Some(vec![PathBuf::from("/bin/sh").canonicalize().unwrap()]));
        assert_eq!(libraries_in("\tstatically linked\n"), Some(Vec::new()));
        assert_eq!(libraries_in("\tlibx.so => not found\n"), None);
        assert_eq!(libraries_in("\tlibx.so => /no/such/libx.so (0x00007fd1d6e71000)\n"), None);
        assert_eq!(libraries_in("usage: sh\n"), None);
    }

    #[test]
    fn scripts_and_other_systems_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [("script", &b"#!/bin/sh\n"[..]), ("dll", b"MZ"), ("empty", b"")] {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            assert_eq!(interpreter_of(&path).unwrap(), LoaderFile::Other, "{name}");
        }
        assert!(interpreter_of(&folder.path().join("absent")).is_err());
    }
}
