//! File name patterns in a project file, such as `shaders/**/*.hlsl`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::bail;
use wildmatch::WildMatch;

use crate::files::entries;

/// Maximum number of files and folders that one pattern visits.
const MOST_ENTRIES: usize = 100_000;

/// The files below `folder` that a pattern matches. A pattern without `*` and `?` is returned as a
/// path.
///
/// # Errors
/// A folder cannot be read, or the pattern visits too many files.
pub fn expand(folder: &Path, pattern: &str) -> anyhow::Result<Vec<PathBuf>> {
    if !pattern.contains(['*', '?']) {
        return Ok(vec![folder.join(pattern)]);
    }
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let mut search = GlobSearch { found: BTreeSet::new(), looked_at: 0, pattern };
    if !folder.as_os_str().is_empty() {
        search.below(folder, &parts)?;
        return Ok(search.found.into_iter().collect());
    }

    // Paths in the working folder have no `./` prefix.
    let here = Path::new(".");
    search.below(here, &parts)?;
    let named = search.found.iter().map(|file| file.strip_prefix(here).unwrap_or(file).to_owned());
    Ok(named.collect())
}

/// True if a pattern matches this file; its path is relative to the pattern's folder.
pub fn names(pattern: &str, file: &Path) -> bool {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let components: Vec<String> = file.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    is_match(&parts, &components)
}

/// True if the parts of a pattern match the components of a path.
///
/// A table of what the last parts and components match, because trying each way through several `**`
/// takes exponential time.
fn is_match(parts: &[&str], components: &[String]) -> bool {
    // Below: the components from each place on, matched by the parts after the current one.
    let mut below = vec![false; components.len() + 1];
    below[components.len()] = true;
    for part in parts.iter().rev() {
        let mut here = vec![false; components.len() + 1];
        let pattern = WildMatch::new(part);
        for (place, component) in components.iter().enumerate().rev() {
            here[place] = if *part == "**" {
                let is_last = place + 1 == components.len();
                below[place] || (!is_last && !component.starts_with('.') && here[place + 1])
            } else {
                pattern.matches(component) && below[place + 1]
            };
        }
        below = here;
    }
    below[0]
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
            // Do not follow a link to a folder: it can lead in circles.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 parts `**` have more ways through 40 folders than a computer can try.
    #[test]
    fn a_pattern_with_many_wildcards_is_matched_at_once() {
        let file = ["a"; 40].join("/") + "/x.hlsl";
        let pattern = |end: &str| ["**/a"; 20].join("/") + end;
        assert!(names(&pattern("/**/x.hlsl"), Path::new(&file)));
        assert!(!names(&pattern("/**/y.hlsl"), Path::new(&file)));
    }

    #[test]
    fn a_pattern_names_the_files_that_it_finds() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["a.hlsl", "shaders/a.hlsl", "shaders/deep/er/b.hlsl", "shaders/.git/c.hlsl", "other/a.slang"];
        for file in files {
            std::fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        for pattern in
            ["*.hlsl", "shaders/**/*.hlsl", "**/*.hlsl", "*/a.*", "shaders/a.hlsl", "shaders/**", "**/er/?.hlsl"]
        {
            let found = expand(folder.path(), pattern).unwrap();
            let named = files.map(|file| names(pattern, Path::new(file)));
            assert_eq!(files.map(|file| found.contains(&folder.path().join(file))), named, "{pattern}");
        }
    }
}
