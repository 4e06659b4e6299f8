//! The cache as its users see it: questions to programs, and what these answered.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use super::folder::CacheFolder;
use super::identity::{ProgramIdentity, file_digest};
use super::key::{CacheKey, KeyParts};
use super::program_files::ProgramFiles;
use super::self_contained::is_self_contained;
use super::store::{CacheContent, CacheEntryKind, EntryStore, LIMIT};

/// Answers of compilers and of spirv-val on the disk. Used from many threads, and beside other processes.
#[derive(Debug)]
pub struct AnswerCache {
    folder: CacheFolder,
    store: EntryStore,
    identities: Mutex<BTreeMap<ProgramFiles, Arc<IdentityCell>>>,
    compilations: AnswerCounter,
    validations: AnswerCounter,
}

/// The identity of a program, once it was asked for; `None` inside where it has none.
type IdentityCell = OnceLock<Option<Arc<ProgramIdentity>>>;

/// Whom a question is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    /// A compiler.
    Compilation,
    /// spirv-val.
    Validation,
}

/// A question to a program: all that it is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramQuestion<'a> {
    pub(crate) kind: AnswerKind,
    pub(crate) program: &'a ProgramFiles,
    pub(crate) arguments: &'a [String],
    /// The files in the folder where it works, by name.
    pub(crate) files: &'a BTreeMap<String, Vec<u8>>,
    /// Its standard input.
    pub(crate) input: &'a [u8],
}

/// Where a cache has the answer to a question, or will have it.
#[derive(Clone, Debug)]
pub(crate) struct CacheSlot<'a> {
    store: &'a EntryStore,
    kind: AnswerKind,
    key: CacheKey,
    identity: Arc<ProgramIdentity>,
}

/// The answer of a program that came to its end by itself: all that it said and wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnswerOfProgram {
    /// The exit status.
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The files that it wrote to the folder where it works, by name.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// What a cache was to a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUse {
    /// Answers of compilers.
    pub compilations: ProgramUse,
    /// Answers of spirv-val.
    pub validations: ProgramUse,
}

/// How often programs were needed, and how often the cache answered for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramUse {
    /// Answers that were needed.
    pub needed: u32,
    /// Those of them that came from the cache.
    pub cached: u32,
}

#[derive(Debug, Default)]
struct AnswerCounter {
    needed: AtomicU32,
    cached: AtomicU32,
}

impl AnswerCache {
    /// The cache in this folder.
    pub fn new(folder: CacheFolder) -> Self {
        Self {
            store: EntryStore::new(&folder, LIMIT),
            folder,
            identities: Mutex::default(),
            compilations: AnswerCounter::default(),
            validations: AnswerCounter::default(),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// How much it holds.
    pub fn content(&self) -> CacheContent {
        self.store.content()
    }

    /// Removes everything, and returns what it was.
    ///
    /// # Errors
    /// The first file that cannot be removed.
    pub fn clear(&self) -> io::Result<CacheContent> {
        self.store.clear()
    }

    /// What it has been to this process.
    pub fn usage(&self) -> CacheUse {
        CacheUse { compilations: self.compilations.count(), validations: self.validations.count() }
    }

    /// A sentence if answers could not be written, so that the next run has to ask for them again.
    pub fn note(&self) -> Option<String> {
        let reason = self.store.failure()?;
        Some(format!("what compilers and spirv-val said is not cached: {reason}"))
    }

    /// SHA-256 of a file, in hexadecimal digits. It is remembered by path, size, inode and change time.
    ///
    /// # Errors
    /// The file cannot be read, or changes meanwhile.
    pub fn file_digest(&self, path: &Path) -> io::Result<String> {
        file_digest(path, &self.store)
    }

    /// Where the answer to a question is, or would be. `None` if something may decide it that is not known.
    pub(crate) fn slot(&self, question: &ProgramQuestion<'_>) -> Option<CacheSlot<'_>> {
        let ProgramQuestion { kind, program, arguments, files, input } = *question;
        if kind == AnswerKind::Compilation && !is_self_contained(files.values().map(Vec::as_slice), arguments) {
            return None;
        }

        let identity = self.identity(program)?;
        let mut parts = KeyParts::of_kind(kind.entry().as_str());
        parts.add(identity.bytes());
        parts.add_list(arguments.iter().map(String::as_bytes));
        parts.add_list(files.keys().map(String::as_bytes));
        parts.add_list(files.values().map(Vec::as_slice));
        parts.add(input);
        Some(CacheSlot { store: &self.store, kind, key: parts.key(), identity })
    }

    /// Counts an answer that was needed.
    pub(crate) fn count(&self, kind: AnswerKind, is_cached: bool) {
        let counter = match kind {
            AnswerKind::Compilation => &self.compilations,
            AnswerKind::Validation => &self.validations,
        };
        counter.needed.fetch_add(1, Ordering::Relaxed);
        counter.cached.fetch_add(u32::from(is_cached), Ordering::Relaxed);
    }

    fn identity(&self, program: &ProgramFiles) -> Option<Arc<ProgramIdentity>> {
        let cell = {
            let mut cells = self.identities.lock().unwrap_or_else(PoisonError::into_inner);
            match cells.get(program) {
                Some(cell) => Arc::clone(cell),
                None => Arc::clone(cells.entry(program.clone()).or_default()),
            }
        };
        // A large program takes a while, in which only its own questions wait.
        cell.get_or_init(|| ProgramIdentity::of(program, &self.store).map(Arc::new)).clone()
    }
}

impl CacheSlot<'_> {
    /// The answer that is kept here.
    pub(crate) fn recall(&self) -> Option<AnswerOfProgram> {
        let content = self.store.get(&self.key, self.kind.entry())?;
        postcard::from_bytes(&content).ok()
    }

    /// Keeps the answer to the question, if the program is still the one that was to be asked.
    pub(crate) fn keep(&self, answer: &AnswerOfProgram) {
        if let (true, Ok(content)) = (self.identity.is_unchanged(), postcard::to_stdvec(answer)) {
            self.store.put(&self.key, self.kind.entry(), &content);
        }
    }

    /// Removes an answer that is of no use.
    pub(crate) fn forget(&self) {
        self.store.forget(&self.key, self.kind.entry());
    }
}

impl AnswerKind {
    fn entry(self) -> CacheEntryKind {
        match self {
            Self::Compilation => CacheEntryKind::Compilation,
            Self::Validation => CacheEntryKind::Validation,
        }
    }
}

impl AnswerCounter {
    fn count(&self) -> ProgramUse {
        ProgramUse { needed: self.needed.load(Ordering::Relaxed), cached: self.cached.load(Ordering::Relaxed) }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;

    use super::*;

    fn cache() -> (tempfile::TempDir, AnswerCache) {
        let place = tempfile::tempdir().unwrap();
        let cache = AnswerCache::new(CacheFolder::at(&place.path().join("cache")).unwrap());
        (place, cache)
    }

    fn files(text: &str) -> BTreeMap<String, Vec<u8>> {
        [("probe.hlsl".to_owned(), text.as_bytes().to_vec())].into()
    }

    #[test]
    fn everything_that_is_asked_is_in_the_key() {
        let (_place, cache) = cache();
        let program = ProgramFiles { program: Some("/bin/true".into()), ..ProgramFiles::default() };
        let other = ProgramFiles { program: Some("/bin/false".into()), ..ProgramFiles::default() };
        let arguments = ["-T".to_owned(), "cs_6_6".to_owned()];
        let (text, empty) = (files("float a;"), files(""));
        let kind = AnswerKind::Compilation;
        let first = ProgramQuestion { kind, program: &program, arguments: &arguments, files: &text, input: b"" };
        let questions = [
            first,
            ProgramQuestion { kind: AnswerKind::Validation, ..first },
            ProgramQuestion { program: &other, ..first },
            ProgramQuestion { arguments: &arguments[..1], ..first },
            ProgramQuestion { files: &empty, ..first },
            ProgramQuestion { input: b"words", ..first },
        ];
        let keys: Vec<CacheKey> = questions.iter().map(|question| cache.slot(question).unwrap().key).collect();
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{index}");
        }
        assert_eq!(cache.slot(&first).unwrap().key, keys[0]);

        let includes = files("#include \"a\"");
        assert!(cache.slot(&ProgramQuestion { files: &includes, ..first }).is_none());
    }

    #[test]
    fn an_answer_is_kept_unless_its_program_changes() {
        let (place, cache) = cache();
        let path = place.path().join("compiler");
        fs::copy("/bin/true", &path).unwrap();
        let program = ProgramFiles { program: Some(path.clone()), ..ProgramFiles::default() };
        let text = files("float a;");
        let kind = AnswerKind::Compilation;
        let question = ProgramQuestion { kind, program: &program, arguments: &[], files: &text, input: b"" };
        let answer = AnswerOfProgram {
            status: 1,
            stderr: "no".to_owned(),
            files: files("listing"),
            ..AnswerOfProgram::default()
        };

        let slot_of_answer = cache.slot(&question).unwrap();
        assert_eq!(slot_of_answer.recall(), None);
        slot_of_answer.keep(&answer);
        assert_eq!(slot_of_answer.recall(), Some(answer.clone()));
        slot_of_answer.forget();
        assert_eq!(slot_of_answer.recall(), None);

        // Somebody installs another build while this one is asked.
        fs::copy("/bin/false", &path).unwrap();
        slot_of_answer.keep(&answer);
        assert_eq!(slot_of_answer.recall(), None);
    }
}
