//! The texts of a commit, for `layoutproof diff HEAD -- FILE` and `layoutproof diff main...`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, bail};
use layoutproof_inputs::replaced_texts::ReplacedTexts;

/// A commit of the repository that contains the working folder.
#[derive(Clone, Debug)]
pub(super) struct Revision {
    /// As the user names it: `HEAD`, `main...`.
    pub(super) name: String,
    /// The repository's top folder.
    top: PathBuf,
    /// The files of the commit.
    files: BTreeSet<PathBuf>,
    /// The files that differ between the working tree and the commit. A renamed one has its new path.
    pub(super) changed: Vec<PathBuf>,
    /// The paths that renamed files have in the commit, by their new ones.
    renamed: BTreeMap<PathBuf, PathBuf>,
    /// The texts that they have in the commit.
    pub(super) texts: Arc<ReplacedTexts>,
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
        let mut renamed = BTreeMap::new();
        let mut texts = ReplacedTexts::default();
        let printed = names(&["diff", "--name-status", "-z", "--find-renames", &commit, "--"])?;
        let mut printed = printed.iter();
        while let (Some(status), Some(name)) = (printed.next(), printed.next()) {
            let new_name = if status.starts_with('R') { printed.next() } else { None };
            let path = top.join(name);
            // Without the dashes, git takes a name with brackets for a pattern of paths.
            let old = output(&["show", &format!("{commit}:{name}"), "--"]).ok();
            match old.map(String::from_utf8) {
                Some(Ok(text)) => texts.insert(path.display().to_string(), text),
                // The file that is here now is not the commit's.
                None | Some(Err(_)) => texts.hide(path.display().to_string()),
            }
            if let Some(new) = new_name {
                texts.hide(top.join(new).display().to_string());
                renamed.insert(top.join(new), path);
            }
            changed.push(top.join(new_name.unwrap_or(name)));
        }
        Ok(Some(Self { name: word.to_owned(), top, files, changed, renamed, texts: Arc::new(texts) }))
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

    /// The path that the file has in the commit; `None` if the commit lacks it.
    pub(super) fn path_of(&self, file: &Path) -> Option<PathBuf> {
        let path = file.canonicalize().ok()?;
        match self.renamed.get(&path) {
            Some(old) => Some(self.relative(old)),
            None => self.files.contains(&path).then(|| file.to_owned()),
        }
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
