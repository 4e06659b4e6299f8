//! The texts of a commit, for `layoutproof diff HEAD -- FILE` and `layoutproof diff main...`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, bail};

/// A commit of the repository that contains the working folder.
#[derive(Clone, Debug)]
pub(super) struct Revision {
    /// As the user names it: `HEAD`, `main...`.
    pub(super) name: String,
    /// The repository's top folder.
    top: PathBuf,
    /// The files of the commit.
    files: BTreeSet<PathBuf>,
    /// The files of the working tree that differ from the commit.
    pub(super) changed: Vec<PathBuf>,
    /// The texts that they have in the commit, by their paths. A file that the commit lacks has none.
    pub(super) texts: Arc<BTreeMap<String, String>>,
}

impl Revision {
    /// The commit that a word names; `main...` is the one from which this branch left `main`. `None` if there is no such
    /// commit, no repository or no git.
    ///
    /// # Errors
    /// git fails on a commit that exists.
    pub(super) fn named(word: &str) -> anyhow::Result<Option<Self>> {
        let base = word.strip_suffix("...").unwrap_or(word);
        // git takes a word with a dash for an option.
        if base.is_empty() || base.starts_with('-') {
            return Ok(None);
        }
        let Some(mut commit) = line(&["rev-parse", "--verify", "--quiet", &format!("{base}^{{commit}}")]) else {
            return Ok(None);
        };
        if base != word {
            commit = line(&["merge-base", &commit, "HEAD"])
                .with_context(|| format!("{base} and HEAD have no commit in common"))?;
        }
        let top = line(&["rev-parse", "--show-toplevel"]).context("the repository has no working tree")?;
        let top = PathBuf::from(top).canonicalize()?;

        let files = names(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", &commit])?;
        let files = files.iter().map(|name| top.join(name)).collect();
        let mut changed = Vec::new();
        let mut texts = BTreeMap::new();
        for name in names(&["diff", "--name-only", "-z", "--no-renames", &commit, "--"])? {
            let path = top.join(&name);
            // Without the dashes, git takes a name with brackets for a pattern of paths.
            let old = output(&["show", &format!("{commit}:{name}"), "--"]).ok();
            if let Some(text) = old.and_then(|bytes| String::from_utf8(bytes).ok()) {
                texts.insert(path.display().to_string(), text);
            }
            changed.push(path);
        }
        Ok(Some(Self { name: word.to_owned(), top, files, changed, texts: Arc::new(texts) }))
    }

    /// The two commits of `main..topic`, or of `main...topic`: what changed on `topic` since it left `main`. `None` for
    /// another word.
    ///
    /// # Errors
    /// See [`Self::named`]; also if the two have no commit in common.
    pub(super) fn range(word: &str) -> anyhow::Result<Option<[Self; 2]>> {
        let Some((before, after)) = word.split_once("..").filter(|(_, after)| !["", "."].contains(after)) else {
            return Ok(None);
        };
        let Some(after_commit) = Self::named(after.trim_start_matches('.'))? else { return Ok(None) };
        let Some(before_commit) = Self::named(before)? else { return Ok(None) };
        let Some(after) = after.strip_prefix('.') else { return Ok(Some([before_commit, after_commit])) };
        let base = line(&["merge-base", before, after])
            .with_context(|| format!("{before} and {after} have no commit in common"))?;
        let base = Self::named(&base)?.context("git names a commit that is not there")?;
        Ok(Some([Self { name: format!("{before}...{after}"), ..base }, after_commit]))
    }

    /// True if the commit has the file.
    pub(super) fn has(&self, file: &Path) -> bool {
        file.canonicalize().is_ok_and(|path| self.files.contains(&path))
    }

    /// The files below the working folder that git tracks, by their paths there.
    ///
    /// # Errors
    /// git fails.
    pub(super) fn tracked() -> anyhow::Result<Vec<PathBuf>> {
        Ok(names(&["ls-files", "-z"])?.iter().map(PathBuf::from).collect())
    }

    /// True if the file differs from the commit.
    pub(super) fn has_changed(&self, file: &Path) -> bool {
        file.canonicalize().is_ok_and(|path| self.changed.contains(&path))
    }

    /// A changed file as the working folder names it.
    pub(super) fn relative(&self, file: &Path) -> PathBuf {
        let folder = std::env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_default();
        let below = file.strip_prefix(&folder).map(Path::to_owned);
        below.unwrap_or_else(|_| {
            let up = folder.strip_prefix(&self.top).map_or(0, |below| below.components().count());
            let from_top = file.strip_prefix(&self.top).unwrap_or(file);
            std::iter::repeat_n(OsStr::new(".."), up).collect::<PathBuf>().join(from_top)
        })
    }
}

/// The first line that git prints; `None` if it fails.
fn line(words: &[&str]) -> Option<String> {
    let text = String::from_utf8(output(words).ok()?).ok()?;
    Some(text.lines().next()?.to_owned())
}

/// The paths that git prints with `-z`. Those that are no text are no shaders.
fn names(words: &[&str]) -> anyhow::Result<Vec<String>> {
    let printed = output(words)?;
    let names = printed.split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
    Ok(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn output(words: &[&str]) -> anyhow::Result<Vec<u8>> {
    let answer = Command::new("git").args(words).stdin(Stdio::null()).output().context("git")?;
    if !answer.status.success() {
        bail!("git {}: {}", words.join(" "), String::from_utf8_lossy(&answer.stderr).trim());
    }
    Ok(answer.stdout)
}
