//! Patterns of file names in a project file: `shaders/**/*.hlsl`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::bail;
use wildmatch::WildMatch;

use crate::select::files::entries;

/// Most files and folders that one pattern looks at.
const MOST_ENTRIES: usize = 100_000;

/// The files that a pattern stands for, below `folder`; a pattern without `*` and `?` is the file itself.
///
/// # Errors
/// A folder that cannot be read, and a pattern that looks at too many files.
pub(super) fn expand(folder: &Path, pattern: &str) -> anyhow::Result<Vec<PathBuf>> {
    if !pattern.contains(['*', '?']) {
        return Ok(vec![folder.join(pattern)]);
    }
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let mut search = GlobSearch { found: BTreeSet::new(), looked_at: 0, pattern };
    if !folder.as_os_str().is_empty() {
        search.below(folder, &parts)?;
        return Ok(search.found.into_iter().collect());
    }

    // Files of the working folder are named without it.
    let here = Path::new(".");
    search.below(here, &parts)?;
    let named = search.found.iter().map(|file| file.strip_prefix(here).unwrap_or(file).to_owned());
    Ok(named.collect())
}

struct GlobSearch<'a> {
    found: BTreeSet<PathBuf>,
    looked_at: usize,
    pattern: &'a str,
}

impl GlobSearch<'_> {
    fn below(&mut self, folder: &Path, parts: &[&str]) -> anyhow::Result<()> {
        let Some((part, rest)) = parts.split_first() else { return Ok(()) };
        let is_deep = *part == "**";
        if is_deep {
            self.below(folder, rest)?;
        }
        if !part.contains(['*', '?']) && !rest.is_empty() {
            return if folder.join(part).is_dir() { self.below(&folder.join(part), rest) } else { Ok(()) };
        }

        let pattern = WildMatch::new(part);
        for entry in entries(folder)? {
            self.looked_at += 1;
            if self.looked_at > MOST_ENTRIES {
                bail!("`{}` looks at more than {MOST_ENTRIES} files: name a smaller folder", self.pattern);
            }
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // A link to a folder can lead in circles.
            let is_folder = entry.is_dir() && !entry.is_symlink();
            match (is_deep, is_folder) {
                (true, true) if !name.starts_with('.') => self.below(&entry, parts)?,
                (false, true) if !rest.is_empty() && pattern.matches(&name) => self.below(&entry, rest)?,
                (false, false) if rest.is_empty() && pattern.matches(&name) => {
                    self.found.insert(entry);
                }
                _ => {}
            }
        }
        Ok(())
    }
}
