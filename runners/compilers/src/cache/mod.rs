//! Keeps the answers of compilers and of spirv-val on disk, so that each question runs a program
//! once.
//!
//! The key of an answer covers everything that decides it: the question, the content of the
//! programs and libraries that answer it (`identity`), and what they answer now to a question that
//! never changes (`canary`, which `traced` runs). Answers that may depend on unknown files are
//! never kept. `folder` finds the folder, and rejects one that another user can change. `store`
//! reads, writes and removes entries there, from many processes at once. If the folder or a file in
//! it is broken, the program runs again: a cache never fails a run.

mod canary;
mod folder;
mod identity;
mod store;
#[cfg(target_os = "linux")]
mod traced;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use layoutproof_readers::toolchain::AnswerOrigin;
use serde::{Deserialize, Serialize};

pub(crate) use canary::{Canary, CanaryQuestion};
pub use folder::{CacheFolder, NoCacheFolder};
pub(crate) use identity::{DecidingFiles, ProgramFiles};
use identity::{NoIdentity, ProgramIdentity, file_digest};
pub(crate) use store::EntryKind;
pub use store::{CacheContent, KindContent};
use store::{CacheKey, EntryStore, KeyParts, LIMIT};

/// Answers of compilers and of spirv-val on disk. Many threads and processes may use it at once.
#[derive(Debug)]
pub struct AnswerCache {
    folder: CacheFolder,
    store: EntryStore,
    identities: Mutex<BTreeMap<ProgramFiles, Arc<IdentityCell>>>,
    histories: Mutex<BTreeMap<EntryKind, AnswerHistory>>,
    /// Sentences about programs whose answers are not kept.
    uncached: Mutex<BTreeSet<String>>,
}

/// The identity of a program, made on first use. The inner value is `None` if the program has
/// no identity.
type IdentityCell = OnceLock<Option<Arc<ProgramIdentity>>>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramQuestion<'a> {
    /// `Compilation` or `Validation`.
    pub(crate) kind: EntryKind,
    pub(crate) program: &'a ProgramFiles,
    pub(crate) arguments: &'a [String],
    /// The files in its working folder, by name.
    pub(crate) files: &'a BTreeMap<String, Vec<u8>>,
    pub(crate) input: &'a [u8],
}

/// The place of an answer in a cache, whether the answer is already there or not.
#[derive(Clone, Debug)]
pub(crate) struct CacheSlot<'a> {
    cache: &'a AnswerCache,
    kind: EntryKind,
    key: CacheKey,
    identity: Arc<ProgramIdentity>,
}

/// The answer of a program that ended by itself: everything it printed and wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnswerOfProgram {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The files that it wrote to its working folder, by name.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUse {
    pub compilations: ProgramUse,
    pub validations: ProgramUse,
}

/// Numbers of the answers that a run needed, and of those that came from the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramUse {
    pub needed: u32,
    pub cached: u32,
}

/// The answers that this process has used. Answers that it asked for itself do not count as cached,
/// even if another thread later finds them in the cache. A run therefore reports the same numbers
/// whichever thread is first.
#[derive(Debug, Default)]
struct AnswerHistory {
    /// Questions that this process asked a program.
    asked: BTreeSet<CacheKey>,
    /// Questions that an earlier process asked.
    recalled: BTreeSet<CacheKey>,
    /// Number of questions without a key.
    without_key: usize,
}

impl AnswerCache {
    pub fn new(folder: CacheFolder) -> Self {
        Self {
            store: EntryStore::new(&folder, LIMIT),
            folder,
            identities: Mutex::default(),
            histories: Mutex::default(),
            uncached: Mutex::default(),
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn content(&self) -> CacheContent {
        self.store.content()
    }

    /// Removes everything, and returns what it removed.
    pub fn clear(&self) -> io::Result<CacheContent> {
        self.store.clear()
    }

    /// This process's use of the cache so far.
    pub fn usage(&self) -> CacheUse {
        let histories = self.histories();
        let count = |kind| histories.get(&kind).map(AnswerHistory::count).unwrap_or_default();
        CacheUse { compilations: count(EntryKind::Compilation), validations: count(EntryKind::Validation) }
    }

    /// Sentences for the user if answers were not kept, so that the next run has to ask again.
    pub fn notes(&self) -> Vec<String> {
        let failure = self.store.failure();
        let failure = failure.map(|reason| format!("answers of compilers and spirv-val are not cached: {reason}"));
        let uncached = self.uncached.lock().unwrap_or_else(PoisonError::into_inner);
        failure.into_iter().chain(uncached.iter().cloned()).collect()
    }

    /// SHA-256 of a file, in hexadecimal digits. The cache remembers it by path, size, inode and
    /// change time.
    ///
    /// # Errors
    /// The file cannot be read, or changes during the read.
    pub fn file_digest(&self, path: &Path) -> io::Result<String> {
        file_digest(path, &self.store)
    }

    /// The place of the answer to a question. `None` if the answer may depend on unknown files.
    pub(crate) fn slot(&self, question: &ProgramQuestion<'_>) -> Option<CacheSlot<'_>> {
        let ProgramQuestion { kind, arguments, files, .. } = *question;
        if kind == EntryKind::Compilation && !is_self_contained(files.values().map(Vec::as_slice), arguments) {
            return None;
        }
        self.slot_of_whole(question)
    }

    /// [`Self::slot`] for a question that the caller knows to name no other file.
    pub(crate) fn slot_of_whole(&self, question: &ProgramQuestion<'_>) -> Option<CacheSlot<'_>> {
        let ProgramQuestion { kind, program, arguments, files, input } = *question;
        let identity = self.identity(program)?;
        let mut parts = KeyParts::of_kind(kind.as_str());
        parts.add(identity.bytes());
        parts.add_list(arguments.iter().map(String::as_bytes));
        parts.add_list(files.keys().map(String::as_bytes));
        parts.add_list(files.values().map(Vec::as_slice));
        parts.add(input);
        Some(CacheSlot { cache: self, kind, key: parts.key(), identity })
    }

    /// Records that a program is running for this question. `slot` is the place for its answer.
    pub(crate) fn note_asked(&self, kind: EntryKind, slot: Option<&CacheSlot<'_>>) {
        let mut histories = self.histories();
        let history = histories.entry(kind).or_default();
        match slot {
            Some(slot) => drop(history.asked.insert(slot.key)),
            None => history.without_key += 1,
        }
    }

    fn histories(&self) -> MutexGuard<'_, BTreeMap<EntryKind, AnswerHistory>> {
        self.histories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn identity(&self, program: &ProgramFiles) -> Option<Arc<ProgramIdentity>> {
        let cell = {
            let mut cells = self.identities.lock().unwrap_or_else(PoisonError::into_inner);
            match cells.get(program) {
                Some(cell) => Arc::clone(cell),
                None => Arc::clone(cells.entry(program.clone()).or_default()),
            }
        };
        // Hashing a large program takes a while. Only the questions to this program wait for it.
        cell.get_or_init(|| match ProgramIdentity::of(program, &self.store) {
            Ok(identity) => Some(Arc::new(identity)),
            Err(NoIdentity::UnknownFiles) => None,
            Err(reason @ (NoIdentity::Launcher { .. } | NoIdentity::NotTraced { .. })) => {
                let mut uncached = self.uncached.lock().unwrap_or_else(PoisonError::into_inner);
                uncached.insert(format!("answers are not cached: {reason}"));
                None
            }
        })
        .clone()
    }
}

impl CacheSlot<'_> {
    /// The answer in this slot, if there is one; `Asked` if this process asked for it before.
    pub(crate) fn recall(&self) -> Option<(AnswerOfProgram, AnswerOrigin)> {
        let content = self.cache.store.get(&self.key, self.kind)?;
        let answer = postcard::from_bytes(&content).ok()?;

        let mut histories = self.cache.histories();
        let history = histories.entry(self.kind).or_default();
        if history.asked.contains(&self.key) {
            return Some((answer, AnswerOrigin::Asked));
        }
        history.recalled.insert(self.key);
        Some((answer, AnswerOrigin::Cached))
    }

    /// Keeps the answer, if the program has not changed since the question.
    pub(crate) fn keep(&self, answer: &AnswerOfProgram) {
        if let (true, Ok(content)) = (self.identity.is_unchanged(), postcard::to_stdvec(answer)) {
            self.cache.store.put(&self.key, self.kind, &content);
        }
    }

    /// Removes an unusable answer.
    pub(crate) fn forget(&self) {
        self.cache.store.forget(&self.key, self.kind);
    }
}

impl AnswerHistory {
    fn count(&self) -> ProgramUse {
        let needed = self.asked.union(&self.recalled).count() + self.without_key;
        let cached = self.recalled.difference(&self.asked).count();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        ProgramUse { needed: number(needed), cached: number(cached) }
    }
}

/// Parts of the words with which HLSL, Slang, GLSL and WGSL name other files: `#include`,
/// `__include`, `__has_include`, `#import`, `import`, `__import`, `#embed`, `implementing`.
///
/// Source: Slang's Language Reference, "Modules"; HLSL and GLSL: ISO/IEC 9899:2024, 6.10.
const NAMING: [&str; 4] = ["include", "import", "embed", "implementing"];

/// True if neither the texts nor the arguments can name an unknown file.
///
/// Included and imported files decide the answer, too, and only the compiler knows which files
/// these are. A source that may name another file therefore has no key. Search folders matter only
/// to such sources. The words are searched for in the whole text: a comment that mentions an
/// include only costs an unneeded run of the compiler.
fn is_self_contained<'a>(texts: impl IntoIterator<Item = &'a [u8]>, arguments: &[String]) -> bool {
    let folders = arguments.iter().map(|argument| argument == "-I");
    let is_folder = std::iter::once(false).chain(folders);
    let is_plain = |(is_folder, argument): (bool, &String)| is_folder || names_no_file(argument);
    texts.into_iter().all(names_nothing) && is_folder.zip(arguments).all(is_plain)
}

fn names_nothing(text: &[u8]) -> bool {
    // A backslash before the end of a line may split a word, and old dialects of C spell it `??/`.
    let text = String::from_utf8_lossy(text).replace("??/", "\\");
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    !NAMING.iter().any(|word| joined.contains(word))
}

/// True if an argument names no file, or only files next to the source, whose paths have no folder.
/// The value of a macro alone names no file.
fn names_no_file(argument: &str) -> bool {
    let has_folder = argument.contains(['/', '\\']) && !argument.starts_with("-D");
    !has_folder && !argument.starts_with('@') && names_nothing(argument.as_bytes())
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

    fn probe(text: &str) -> BTreeMap<String, Vec<u8>> {
        [("probe.hlsl".to_owned(), text.as_bytes().to_vec())].into()
    }

    #[test]
    fn everything_that_is_asked_is_in_the_key() {
        let (_place, cache) = cache();
        let program = ProgramFiles { program: Some("/bin/true".into()), ..ProgramFiles::default() };
        let other = ProgramFiles { program: Some("/bin/false".into()), ..ProgramFiles::default() };
        let arguments = ["-T".to_owned(), "cs_6_6".to_owned()];
        let (text, empty) = (probe("float a;"), probe(""));
        let kind = EntryKind::Compilation;
        let first = ProgramQuestion { kind, program: &program, arguments: &arguments, files: &text, input: b"" };
        let questions = [
            first,
            ProgramQuestion { kind: EntryKind::Validation, ..first },
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

        let includes = probe("#include \"a\"");
        assert!(cache.slot(&ProgramQuestion { files: &includes, ..first }).is_none());
    }

    #[test]
    fn an_answer_is_kept_unless_its_program_changes() {
        let (place, cache) = cache();
        let path = place.path().join("compiler");
        fs::copy("/bin/true", &path).unwrap();
        let program = ProgramFiles { program: Some(path.clone()), ..ProgramFiles::default() };
        let text = probe("float a;");
        let kind = EntryKind::Compilation;
        let question = ProgramQuestion { kind, program: &program, arguments: &[], files: &text, input: b"" };
        let answer = AnswerOfProgram {
            status: 1,
            stderr: "no".to_owned(),
            files: probe("listing"),
            ..AnswerOfProgram::default()
        };

        let slot_of_answer = cache.slot(&question).unwrap();
        assert_eq!(slot_of_answer.recall(), None);
        slot_of_answer.keep(&answer);
        let recalled = |origin| Some((answer.clone(), origin));
        assert_eq!(slot_of_answer.recall(), recalled(AnswerOrigin::Cached));
        assert_eq!(cache.usage().compilations, ProgramUse { needed: 1, cached: 1 });
        // Whichever thread asks, it is this run's own answer.
        cache.note_asked(kind, Some(&slot_of_answer));
        assert_eq!(slot_of_answer.recall(), recalled(AnswerOrigin::Asked));
        assert_eq!(cache.usage().compilations, ProgramUse { needed: 1, cached: 0 });
        slot_of_answer.forget();
        assert_eq!(slot_of_answer.recall(), None);

        // Another build is installed while this one runs.
        fs::copy("/bin/false", &path).unwrap();
        slot_of_answer.keep(&answer);
        assert_eq!(slot_of_answer.recall(), None);
    }

    fn holds(text: &str, arguments: &[&str]) -> bool {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        is_self_contained([text.as_bytes()], &arguments)
    }

    #[test]
    fn sources_that_name_files_are_found() {
        assert!(holds(
            "cbuffer S { float3 a; };",
            &["-T", "cs_6_6", "-DA=1/2", "-I", "/shaders/include", "probe.hlsl"]
        ));
        for text in [
            "#include \"a.hlsli\"",
            "#  include <a>",
            "#inc\\\nlude \"a\"",
            "#inc\\\r\nlude \"a\"",
            "#inc??/\nlude \"a\"",
            "import a;",
            "__include a;",
            "#if __has_include(\"a\")",
            "#embed \"a\"",
            "implementing a;",
            "// imports nothing",
        ] {
            assert!(!holds(text, &[]), "{text}");
        }
        for argument in ["-DNEEDS=import", "-include", "@more", "/a/b", "../a", "-I/a"] {
            assert!(!holds("", &[argument]), "{argument}");
        }
    }
}
