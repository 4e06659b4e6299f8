//! `layoutproof.lock`: what a reviewer has accepted, so that nothing changes unseen.
//!
//! The file is text with one sorted line per fact, so that version control merges it line by line. A
//! line has a kind, the names of its subject and a value, separated by tabs. The names are escaped and
//! only compared, never parsed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use layoutproof_inputs::files::entries;
use layoutproof_inputs::project_file::ProjectFile;
use layoutproof_records::output_files::write_file;
use layoutproof_report::host_check::{HostCheck, target_title};
use layoutproof_show::counted;
use layoutproof_show::front_ends::FrontEnd;
use layoutproof_source::shader_language::ShaderLanguage;
use sha2::{Digest, Sha256};

use crate::shader_blocks::TargetBlock;

const LOCK_FILE: &str = "layoutproof.lock";

/// The first line.
const SCHEMA: &str = "schema\t1";

/// The kind of fact that a line states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FactKind {
    /// Digest of a compiled shader.
    Blob,
    /// Size of a block and digest of the places of its members.
    Layout,
    /// Host struct of a block.
    Pair,
    /// Digest of the source of a compiled shader.
    Source,
    /// A block without a host struct.
    Unmatched,
}

impl FactKind {
    const ALL: [Self; 5] = [Self::Blob, Self::Layout, Self::Pair, Self::Source, Self::Unmatched];

    fn as_str(self) -> &'static str {
        match self {
            Self::Blob => "blob",
            Self::Layout => "layout",
            Self::Pair => "pair",
            Self::Source => "source",
            Self::Unmatched => "unmatched",
        }
    }
}

/// A line without its value: the kind, the shader, and the other names.
type FactKey = (FactKind, String, Vec<String>);

/// The value of a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FactValue {
    /// The size of a layout, as sentences show it, and the digest of the places of its members.
    Layout { size: String, digest: String },
    /// A name or a digest.
    Word(String),
}

impl FactValue {
    /// Reads the value of a line of this kind.
    fn of(kind: FactKind, text: &str) -> Option<Self> {
        if kind != FactKind::Layout {
            return Some(Self::Word(text.to_owned()));
        }
        let (size, digest) = text.rsplit_once(' ')?;
        Some(Self::Layout { size: size.to_owned(), digest: digest.to_owned() })
    }

    /// The part that sentences about a change have.
    fn shown(&self) -> &str {
        match self {
            Self::Layout { size, .. } => size,
            Self::Word(word) => word,
        }
    }
}

impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout { size, digest } => write!(f, "{size} {digest}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// The facts of a check or of a lock file. One block may have several values, if the project compiles
/// its shader in several ways.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    facts: BTreeMap<FactKey, BTreeSet<FactValue>>,
}

impl Lock {
    /// The path of the lock file: next to the project file, or in the working folder.
    pub fn path(project: &ProjectFile) -> PathBuf {
        project.folder.join(LOCK_FILE)
    }

    /// Reads a lock file.
    ///
    /// # Errors
    /// The file is missing, or a line is not of this format, such as a mark of a merge conflict.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        if !path.exists() {
            bail!("{} does not exist: `check --write-lock` writes it", path.display());
        }
        let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let mut lines = text.lines();
        if lines.next() != Some(SCHEMA) {
            bail!("{}:1: this program reads lock files that begin with `schema 1`", path.display());
        }
        let mut lock = Self::default();
        for (number, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
            let fact = line.split_once('\t').and_then(|(word, rest)| {
                let kind = FactKind::ALL.into_iter().find(|kind| kind.as_str() == word)?;
                let (names, value) = rest.rsplit_once('\t')?;
                let mut names = names.split('\t').map(str::to_owned);
                Some(((kind, names.next()?, names.collect()), FactValue::of(kind, value)?))
            });
            let Some((key, value)) = fact else {
                let place = format!("{}:{}", path.display(), number + 2);
                bail!("{place}: not a line of a lock file: `{line}`; `check --write-lock` writes it again");
            };
            lock.facts.entry(key).or_default().insert(value);
        }
        Ok(lock)
    }

    /// The facts of a check of these shaders.
    ///
    /// # Errors
    /// A compiled shader or its source cannot be read.
    pub fn of_check(
        check: &HostCheck,
        blocks: &[TargetBlock],
        shaders: &[&Path],
        project: &ProjectFile,
    ) -> anyhow::Result<Self> {
        let mut lock = Self::default();
        let name = |shader: &str| shader_name(Path::new(shader), project);
        for block in blocks {
            let Ok(root) = &block.layout.result else { continue };
            let mut rows = block.layout.rows();
            for row in &mut rows {
                row.uncertain = None;
            }
            let rows = serde_json::to_vec(&rows).context("writing the members of a block")?;
            let size = root.size.finite().map_or_else(|| "runtime-sized".to_owned(), |size| format!("{size} bytes"));
            let names = [&block.layout.name, &block.target];
            lock.add(FactKind::Layout, &name(&block.shader), names, FactValue::Layout { size, digest: digest(&rows) });
        }
        for pair in &check.pairs {
            let host = FactValue::Word(escaped(&pair.host));
            lock.add(FactKind::Pair, &name(&pair.shader), [&pair.shader_name(), &pair.target], host);
        }
        for unmatched in &check.unmatched {
            let none = FactValue::Word("-".to_owned());
            lock.add(FactKind::Unmatched, &name(&unmatched.shader), [&unmatched.block, &unmatched.target], none);
        }
        for shader in shaders {
            if let Some(FrontEnd::Module(_)) = FrontEnd::of(None::<ShaderLanguage>, shader) {
                let blob = shader_name(shader, project);
                lock.add(FactKind::Blob, &blob, [], FactValue::Word(digest_of(shader)?));
                for source in sources_of(shader) {
                    let digest = FactValue::Word(digest_of(&source)?);
                    lock.add(FactKind::Source, &blob, [&shader_name(&source, project)], digest);
                }
            }
        }
        Ok(lock)
    }

    fn add<const N: usize>(&mut self, kind: FactKind, shader: &str, names: [&String; N], value: FactValue) {
        let names = names.into_iter().map(|name| escaped(name)).collect();
        self.facts.entry((kind, shader.to_owned(), names)).or_default().insert(value);
    }

    /// The numbers of layouts, pairs and compiled shaders, for people.
    pub fn summary(&self) -> String {
        let count = |kind: FactKind| self.facts.keys().filter(|(own, ..)| *own == kind).count() as u64;
        let kinds = [(FactKind::Layout, "layout"), (FactKind::Pair, "pair"), (FactKind::Blob, "compiled shader")];
        let present = kinds.into_iter().filter(|(kind, _)| *kind == FactKind::Layout || count(*kind) > 0);
        present.map(|(kind, word)| counted(count(kind), word)).collect::<Vec<_>>().join(", ")
    }

    /// Writes the file.
    ///
    /// # Errors
    /// The path, with the reason.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let mut text = format!("{SCHEMA}\n");
        for ((kind, shader, names), values) in &self.facts {
            for value in values {
                let mut words = vec![kind.as_str(), shader];
                words.extend(names.iter().map(String::as_str));
                writeln!(text, "{}\t{value}", words.join("\t")).expect("a String takes every write");
            }
        }
        write_file(path, &text)
    }

    /// The changes since `accepted` was written, as sentences. `is_checked` tells whether this
    /// check says anything about a shader.
    pub fn changes_since(&self, accepted: &Self, is_checked: impl Fn(&str) -> bool) -> Vec<String> {
        let nothing = BTreeSet::new();
        let keys: BTreeSet<&FactKey> = self.facts.keys().chain(accepted.facts.keys()).collect();
        let mut changes = Vec::new();
        for key in keys {
            let (kind, shader, names) = key;
            let new = self.facts.get(key).unwrap_or(&nothing);
            let old = accepted.facts.get(key).unwrap_or(&nothing);
            if new == old || !is_checked(shader) {
                continue;
            }
            let shown = |values: &BTreeSet<FactValue>| {
                let values: BTreeSet<&str> = values.iter().map(FactValue::shown).collect();
                values.into_iter().collect::<Vec<_>>().join(", ")
            };
            let (was, is) = (shown(old), shown(new));
            let block = match names.as_slice() {
                [block, target] => format!("`{block}` of {shader} for {}", target_title(target, shader)),
                _ => shader.clone(),
            };
            let change = match (kind, old.is_empty(), new.is_empty()) {
                (FactKind::Unmatched, true, _) => format!("{block} is a new block without a host struct"),
                (FactKind::Pair, false, true) if self.has_layout_of(key) => {
                    format!("{block} is no longer compared with `{was}`")
                }
                (FactKind::Pair, false, true) => format!("{block} is gone, which `{was}` filled"),
                (FactKind::Pair, false, false) => format!("{block} is compared with `{is}`, not with `{was}`"),
                (FactKind::Layout, false, true) if accepted.has_pair_of(key) => continue,
                (FactKind::Layout, false, true) => format!("{block} is gone"),
                (FactKind::Layout, false, false) if was == is => {
                    format!("{block} has another layout of the same size, {is}")
                }
                (FactKind::Layout, false, false) => format!("{block} has another layout: {is} instead of {was}"),
                (FactKind::Blob, false, false) => format!("{shader} has other contents"),
                (FactKind::Blob, false, true) => format!("{shader} is gone"),
                (FactKind::Source, false, false) if !self.has_other_blob(accepted, shader) => {
                    format!("{shader} is older than its source {}", names.join(", "))
                }
                // A new pair, layout or blob needs no review; a block that has a host struct now is better.
                _ => continue,
            };
            changes.push(change);
        }
        changes
    }

    /// True if the block of a pair is there.
    fn has_layout_of(&self, (_, shader, names): &FactKey) -> bool {
        self.facts.keys().any(|(kind, of, own)| *kind == FactKind::Layout && of == shader && is_of_block(names, own))
    }

    /// True if the block of a layout has a host struct.
    fn has_pair_of(&self, (_, shader, names): &FactKey) -> bool {
        self.facts.keys().any(|(kind, of, own)| *kind == FactKind::Pair && of == shader && is_of_block(own, names))
    }

    /// True if a compiled shader has other bytes than accepted.
    fn has_other_blob(&self, accepted: &Self, shader: &str) -> bool {
        let key = (FactKind::Blob, shader.to_owned(), Vec::new());
        self.facts.get(&key) != accepted.facts.get(&key)
    }
}

/// True if the names of a pair, such as `Particles.particles[]` and a target, are about a block.
fn is_of_block(pair: &[String], block: &[String]) -> bool {
    let ([part, target], [whole, of]) = (pair, block) else { return false };
    let rest = part.strip_prefix(whole.as_str()).filter(|_| target == of);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The name of a shader in the file: its path relative to the project, with slashes, escaped.
pub fn shader_name(path: &Path, project: &ProjectFile) -> String {
    let path = project.relative(path).unwrap_or_else(|| path.to_owned());
    escaped(&path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"))
}

/// A name without tabs and line ends.
fn escaped(name: &str) -> String {
    name.escape_debug().collect()
}

fn digest_of(path: &Path) -> anyhow::Result<String> {
    Ok(digest(&fs::read(path).with_context(|| format!("reading {}", path.display()))?))
}

/// The first 64 bits of the SHA-256: enough to see a change, and short in a review.
fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    let start = hash.first_chunk().expect("a digest of SHA-256 has 32 bytes");
    format!("{:016x}", u64::from_be_bytes(*start))
}

/// The sources next to a compiled shader: `a.frag` for `a.frag.spv`, and `a.hlsl` for `a.spv`.
fn sources_of(blob: &Path) -> Vec<PathBuf> {
    let whole = blob.with_extension("");
    let folder = blob.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_source = |file: &PathBuf| {
        let file_name = file.file_name();
        ShaderLanguage::of(None, file).is_some()
            && (file_name == whole.file_name() || file.with_extension("").file_name() == whole.file_name())
    };
    entries(folder).unwrap_or_default().into_iter().filter(is_source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiled_shader_that_is_older_than_its_source_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let project = ProjectFile { folder: folder.path().to_owned(), ..ProjectFile::default() };
        let blob = folder.path().join("a.frag.spv");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("a.frag", "the source");
        write("b.frag", "another source");
        write("a.frag.spv", "the module");
        let lock = || Lock::of_check(&HostCheck::default(), &[], &[&blob], &project).unwrap();
        let accepted = lock();
        let changes = || lock().changes_since(&accepted, |_| true);

        write("b.frag", "another version of another source");
        assert_eq!(changes(), [""; 0]);
        write("a.frag", "another version of the source");
        assert_eq!(changes(), ["a.frag.spv is older than its source a.frag"]);
        write("a.frag.spv", "another module");
        assert_eq!(changes(), ["a.frag.spv has other contents"]);

        let path = folder.path().join(LOCK_FILE);
        lock().write(&path).unwrap();
        assert_eq!(Lock::read(&path).unwrap(), lock());
        fs::write(&path, "schema\t2\n").unwrap();
        assert!(Lock::read(&path).unwrap_err().to_string().contains(":1: "));
    }
}
