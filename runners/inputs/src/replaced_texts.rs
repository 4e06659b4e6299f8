//! Texts in place of those of files: of a commit, of an editor's buffer, of a string in a program.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// What is read in place of files, by their names as the user and other files write them, or by their real paths.
#[derive(Clone, Debug, Default)]
pub struct ReplacedTexts {
    /// `None` for a file that is read as if it were not there.
    texts: BTreeMap<String, Option<String>>,
}

impl ReplacedTexts {
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub fn insert(&mut self, name: String, text: String) {
        self.texts.insert(name, Some(text));
    }

    /// Reads the file at this real path as if it were not there.
    pub fn hide(&mut self, name: String) {
        self.texts.insert(name, None);
    }

    /// The text for a file, `Some(None)` if it counts as missing; `None` if the file is read itself.
    pub fn get(&self, path: &str) -> Option<Option<&str>> {
        if self.is_empty() {
            return None;
        }
        let found = self.texts.get(path).or_else(|| self.texts.get(real_path(Path::new(path))?.to_str()?));
        found.map(Option::as_deref)
    }
}

impl FromIterator<(String, String)> for ReplacedTexts {
    fn from_iter<Texts: IntoIterator<Item = (String, String)>>(texts: Texts) -> Self {
        Self { texts: texts.into_iter().map(|(name, text)| (name, Some(text))).collect() }
    }
}

/// The path with all links resolved, also that of a file whose folders, or which itself, are no longer there.
pub(crate) fn real_path(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let absolute = std::path::absolute(path).ok()?;
    let mut parts = absolute.components();
    let real = match parts.next_back()? {
        Component::Normal(name) => real_path(parts.as_path())?.join(name),
        Component::ParentDir => real_path(parts.as_path())?.parent()?.to_owned(),
        Component::CurDir => real_path(parts.as_path())?,
        Component::RootDir | Component::Prefix(_) => return None,
    };
    Some(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_gone_has_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let name = |file: &str| real.join(file).display().to_string();
        let mut texts: ReplacedTexts = [(name("gone/a.hlsli"), "a".to_owned())].into_iter().collect();
        texts.hide(name("new.hlsli"));
        assert_eq!(texts.get(&name("gone/a.hlsli")), Some(Some("a")));
        assert_eq!(texts.get(&name("gone/../other/../gone/./a.hlsli")), Some(Some("a")));
        assert_eq!(texts.get(&name("new.hlsli")), Some(None));
        assert_eq!(texts.get(&name("a.hlsli")), None);
    }
}
