//! Expands patterns in inputs: `shaders/*.hlsl` for files, if the shell did not expand it, and
//! `arrays/*` for cases.

use std::path::Path;

use anyhow::{Context, bail};

use crate::args::DeclareArgs;
use crate::select::inputs::Cases;

/// Replaces each pattern by the files that it matches, or else by the cases.
///
/// # Errors
/// A pattern is malformed or matches nothing, or a folder or the cases cannot be read.
pub(crate) fn expanded(words: &[String], declare: &DeclareArgs) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for word in words {
        if !word.contains(['*', '?', '[']) || Path::new(word).exists() {
            found.push(word.clone());
            continue;
        }

        let mut matched = files(word)?;
        if matched.is_empty() {
            matched = Cases::load(&declare.cases)?.matching(std::slice::from_ref(word));
        }
        if matched.is_empty() {
            bail!("no file and no case matches `{word}`");
        }
        found.extend(matched);
    }
    Ok(found)
}

/// The files that a pattern matches, by name.
fn files(pattern: &str) -> anyhow::Result<Vec<String>> {
    let paths = glob::glob(pattern).with_context(|| format!("`{pattern}` is not a file pattern"))?;
    let mut files = Vec::new();
    for path in paths {
        let path = path.with_context(|| format!("looking for files that `{pattern}` matches"))?;
        if path.is_file() {
            files.push(path.display().to_string());
        }
    }
    Ok(files)
}
