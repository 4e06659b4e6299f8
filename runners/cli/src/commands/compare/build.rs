//! The builds that `compare` takes: a compiler of this machine, or the saved decisions of one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use layoutproof_compilers::cache::AnswerCache;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::family::Family;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::check::Source;
use layoutproof_core::results::frozen::manifest::{SCHEMA, case_set_digest, dotted_version, version_order};
use layoutproof_core::results::frozen::{CaseDecisions, FrozenToolchain, IntendedChanges, Manifest, decide};
use layoutproof_events::shell::shell_word;
use layoutproof_executor::interrupt;
use layoutproof_executor::launch::Launch;
use layoutproof_executor::pool;
use layoutproof_executor::tools::MachineTools;
use layoutproof_inputs::named_compiler::name_and_file;
use layoutproof_inputs::shader_file::reader_process::ReaderProcess;
use layoutproof_readers::toolchain::Toolchain;
use layoutproof_records::frozen_set::{FrozenSet, FrozenSetPlace, is_version, release_of};
use layoutproof_records::output_files::check_folder;
use layoutproof_report::build_changes::BuildSide;
use layoutproof_source::nearest_name::did_you_mean;

use crate::output::warn;
use crate::progress::counting;

#[derive(Clone, Debug)]
pub(crate) struct AskOptions {
    /// Time limit of a compiler for one source.
    pub limit: Duration,
    /// Where what compilers are given and make is kept.
    pub keep: Option<PathBuf>,
    pub cache: Option<Arc<AnswerCache>>,
}

pub(crate) enum Build {
    Here(Box<CompilerUnderTest>),
    /// The decisions of a compiler that ran earlier or elsewhere.
    Saved(Box<FrozenSet>),
}

/// The decisions of a build by toolchain, and its identity.
pub(crate) struct Decisions {
    pub manifest: Manifest,
    pub decided: BTreeMap<String, CaseDecisions>,
}

impl Build {
    /// The build that the user names: `dxc=PATH`, `dxc@1.9`, `dxc`, a compiler's file, or a folder of
    /// saved decisions. If a compiler of that name or version is missing and the program contains its
    /// decisions, prints a note and takes those. Prints an error and returns `None` if nothing was
    /// found.
    pub(crate) fn named(word: &str, options: &AskOptions) -> anyhow::Result<Option<Self>> {
        let path = Path::new(word);
        if path.is_dir() {
            let set = FrozenSet::at(path)?;
            let set = set.with_context(|| {
                let quoted = shell_word(word);
                format!("{word} holds no saved decisions: `layoutproof compare ... --save {quoted}` writes some")
            })?;
            return Ok(Some(Self::Saved(Box::new(set))));
        }
        if let (name, Some(file)) = name_and_file(word) {
            return Self::at(file, family_named(name)?, options);
        }
        if let Some((name, version)) = word.split_once('@') {
            return Self::of_version(family_named(name)?, version, options);
        }
        if let Some(family) = Family::named(word).or_else(|| Family::of_compiler(word)) {
            let name = if Family::of_compiler(word).is_some() { word } else { family.compiler() };
            return Self::of_compiler(name, family, options);
        }
        if path.is_file() {
            let family = Family::of_file(path)
                .map_err(|unknown| anyhow!("{word}: {unknown}: write {}={word}", names().join("=, ")))?;
            return Self::at(path, family, options);
        }
        if Compiler::known().any(|known| known.name == word) {
            bail!("`{word}` does not compile the cases' own text; these compilers do: {}", names().join(", "));
        }
        let meant = did_you_mean(word, names());
        bail!("`{word}` is no compiler, no file and no folder of saved decisions{meant}")
    }

    /// True if a word is meant as the name of a build, rightly or not.
    pub(crate) fn is_named_by(word: &str) -> bool {
        let is_compiler = Family::named(word).or_else(|| Family::of_compiler(word)).is_some();
        is_compiler || word.contains(['=', '@']) || Path::new(word).exists()
    }

    fn at(path: &Path, family: Family, options: &AskOptions) -> anyhow::Result<Option<Self>> {
        match Compiler::at(path, family) {
            Ok(compiler) => Self::here(compiler, family, options).map(Some),
            Err(error) => {
                warn(&format!("error: {error}\n"));
                Ok(None)
            }
        }
    }

    fn here(compiler: Compiler, family: Family, options: &AskOptions) -> anyhow::Result<Self> {
        CompilerUnderTest::new(compiler, family, options).map(|compiler| Self::Here(Box::new(compiler)))
    }

    /// The compiler of this name, or its decisions in the program.
    fn of_compiler(name: &str, family: Family, options: &AskOptions) -> anyhow::Result<Option<Self>> {
        let search = Compiler::named(name, MachineTools::find()?.folder());
        if let Ok(compiler) = search.compiler {
            search.notes.iter().for_each(|note| warn(&format!("note: {note}\n")));
            return Self::here(compiler, family, options).map(Some);
        }
        if let Some(set) = FrozenSet::in_place_of(name)? {
            warn(&format!("note: `{name}` was not found; using its recorded decisions in {}\n", set.place));
            return Ok(Some(Self::Saved(Box::new(set))));
        }
        search.notes.iter().for_each(|note| warn(&format!("note: {note}\n")));
        warn(&format!("error: compiler `{name}` was not found; `layoutproof doctor` says how to get it\n"));
        Ok(None)
    }

    /// The newest build of this version: one that is installed, else its decisions in the program.
    fn of_version(family: Family, version: &str, options: &AskOptions) -> anyhow::Result<Option<Self>> {
        let tools = MachineTools::find()?;
        let mut newest: Option<Compiler> = None;
        let mut others = Vec::new();
        for known in Compiler::known().filter(|known| Family::of_compiler(known.name) == Some(family)) {
            let Ok(compiler) = Compiler::named(known.name, tools.folder()).compiler else { continue };
            let own = dotted_version(compiler.version());
            if !is_version(family, &own, version) {
                others.push(own);
                continue;
            }
            let order = |compiler: &Compiler| version_order(&dotted_version(compiler.version()));
            if newest.as_ref().is_none_or(|newest| order(newest) < order(&compiler)) {
                newest = Some(compiler);
            }
        }
        if let Some(compiler) = newest {
            return Self::here(compiler, family, options).map(Some);
        }

        let sets = FrozenSet::newest_first(family)?;
        let found = sets.iter().find(|set| is_version(family, &set.manifest.version, version));
        if let Some(set) = found {
            warn(&format!(
                "note: {}@{version} is not installed; using its recorded decisions in {}\n",
                family.compiler(),
                set.place
            ));
            return Ok(Some(Self::Saved(Box::new(set.clone()))));
        }
        others.extend(sets.into_iter().map(|set| set.manifest.version));
        others.sort_by_cached_key(|version| version_order(version));
        others.dedup();
        let known = if others.is_empty() { String::new() } else { format!("; known here: {}", others.join(", ")) };
        warn(&format!("error: {}@{version} was not found{known}\n", family.compiler()));
        Ok(None)
    }

    pub(crate) fn family(&self) -> anyhow::Result<Family> {
        match self {
            Self::Here(asked) => Ok(asked.family),
            Self::Saved(set) => {
                let family = Family::named(&set.manifest.family);
                family.with_context(|| format!("{}: unknown family `{}`", set.place, set.manifest.family))
            }
        }
    }

    /// The build for people; `word` is how the user named it.
    pub(crate) fn side(&self, word: &str) -> BuildSide {
        let (says, version, place) = match self {
            Self::Here(own) => {
                let version = dotted_version(own.compiler.version());
                (own.compiler.version().to_owned(), version, own.compiler.file().display().to_string())
            }
            Self::Saved(set) => (set.manifest.says.clone(), set.manifest.version.clone(), set.place.to_string()),
        };
        let release = self.family().ok().and_then(|family| release_of(family, &version));
        let says = release.map_or(says.clone(), |release| format!("{says}, release {release}"));
        BuildSide { word: word.to_owned(), says, place }
    }

    pub(crate) fn decide(self, sources: &[Arc<Source>]) -> anyhow::Result<Decisions> {
        match self {
            Self::Here(asked) => {
                let decided = asked.decide(sources);
                Ok(Decisions { manifest: asked.manifest(&decided)?, decided })
            }
            Self::Saved(set) => Ok(Decisions { manifest: set.manifest, decided: set.decided }),
        }
    }
}

impl Decisions {
    pub(crate) fn as_set(&self, folder: &Path) -> FrozenSet {
        FrozenSet {
            place: FrozenSetPlace::Folder(folder.to_path_buf()),
            manifest: self.manifest.clone(),
            decided: self.decided.clone(),
            accepted: IntendedChanges::default(),
        }
    }
}

/// The family that the user names before `=` or `@`: by its own name or by a compiler's.
fn family_named(name: &str) -> anyhow::Result<Family> {
    let family = Family::of_compiler(name).or_else(|| Family::named(name));
    family.with_context(|| {
        let meant = did_you_mean(name, names());
        format!("no compiler of HLSL or Slang is called `{name}`{meant}: known are {}", names().join(", "))
    })
}

/// The compilers that have a family.
fn names() -> Vec<&'static str> {
    Family::all().map(Family::compiler).collect()
}

pub(crate) struct CompilerUnderTest {
    family: Family,
    compiler: Compiler,
    toolchains: Toolchains,
}

impl CompilerUnderTest {
    /// Prepares a compiler. Installs a handler for signals, which cleans up the compilers' temporary
    /// folders.
    pub(crate) fn new(compiler: Compiler, family: Family, options: &AskOptions) -> anyhow::Result<Self> {
        options.keep.as_deref().map_or(Ok(()), check_folder)?;
        interrupt::end_without_traces()?;
        let compiler = compiler.of_family(family).with_limit(options.limit);
        let toolchains = Toolchains::only(compiler.clone(), family).keep(options.keep.clone());
        let toolchains = toolchains.with_reader(Arc::new(ReaderProcess::of_this_program()?));
        Ok(Self { family, compiler, toolchains: toolchains.with_cache(options.cache.clone()) })
    }

    /// The toolchains with decisions. One whose option is about raw loads alone has none about declared
    /// blocks.
    fn targets(&self) -> Vec<&'static Toolchain> {
        let mut targets = self.toolchains.named(self.family.compiler());
        targets.retain(|toolchain| !toolchain.loads_matrices_by_rows());
        targets
    }

    /// The compiler's decisions about the sources, by toolchain. Compiles on all processors.
    pub(crate) fn decide(&self, sources: &[Arc<Source>]) -> BTreeMap<String, CaseDecisions> {
        let toolchains = self.targets();
        let mut decided: BTreeMap<String, CaseDecisions> =
            toolchains.iter().map(|toolchain| (toolchain.name.to_owned(), CaseDecisions::new())).collect();
        let of = |source| toolchains.iter().map(move |toolchain| (source, *toolchain));
        let tasks: Vec<(&Arc<Source>, &'static Toolchain)> = sources.iter().flat_map(of).collect();
        // No task needs a device.
        let launch = Launch::without_workers();
        let work = |(source, toolchain): (&Arc<Source>, &'static Toolchain),
                    _: &mut pool::Workers<'_>,
                    done: &mut dyn FnMut(_)| {
            done((toolchain.name, source.id.clone(), decide(source, toolchain, &self.toolchains)));
        };
        let bar =
            counting(format!("{} {}", self.compiler.name(), dotted_version(self.compiler.version())), tasks.len());
        pool::run(tasks, &launch, work, |(toolchain, id, answers)| {
            decided.entry(toolchain.to_owned()).or_default().insert(id, answers);
            bar.inc(1);
        });
        bar.finish_and_clear();
        decided
    }

    /// The compiler's identity and the command lines that were used.
    pub(crate) fn manifest(&self, decided: &BTreeMap<String, CaseDecisions>) -> anyhow::Result<Manifest> {
        let file = self.compiler.file();
        let toolchains = self.targets().into_iter().map(|toolchain| FrozenToolchain {
            name: toolchain.name.to_owned(),
            command: Toolchains::command_line(self.family.compiler(), toolchain),
        });
        Ok(Manifest {
            schema: SCHEMA,
            family: self.family.as_str().to_owned(),
            version: dotted_version(self.compiler.version()),
            says: self.compiler.version().to_owned(),
            digest: self.compiler.digest().with_context(|| format!("reading {}", file.display()))?,
            cases: case_set_digest(decided),
            layoutproof: env!("CARGO_PKG_VERSION").to_owned(),
            toolchains: toolchains.collect(),
        })
    }
}
