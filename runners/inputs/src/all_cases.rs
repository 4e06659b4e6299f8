//! The cases that a command may choose from, and all of their expectations as sources, for the commands
//! that evaluate the cases themselves: `list --coverage` and `compare`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use layoutproof_built_in::CASES;
use layoutproof_core::case::{Case, matches_filter};
use layoutproof_core::check::{Settings, Source, Subject};
use layoutproof_events::shell::shell_word;
use layoutproof_layout::{ElementChoice, find};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::nearest_name::nearest_name;
use layoutproof_source::sources::{SourceFile, SourceMap};

use crate::files::{FileKind, read_text, toml_files_below};
use crate::inputs::{check_filter, hash_line};
use crate::misnamed;
use crate::refused_input::RefusedInput;

/// All cases that a command may choose from: their files by id.
#[derive(Debug)]
pub struct Cases {
    files: BTreeMap<String, SourceFile>,
}

impl Cases {
    /// The built-in cases, with those of `added` (files or folders) added or replaced.
    ///
    /// # Errors
    /// A path cannot be read.
    pub fn load(added: &[PathBuf]) -> anyhow::Result<Self> {
        let built_in = CASES.iter().map(|case| {
            let file = SourceFile { name: format!("cases/{}.toml", case.name), text: case.text.to_owned() };
            (case.name.to_owned(), file)
        });
        let mut files: BTreeMap<_, _> = built_in.collect();
        for path in added {
            for file in toml_files_below(path)? {
                let text = read_text(&file, FileKind::List)?;
                files.insert(id_below(path, &file), SourceFile { name: file.display().to_string(), text });
            }
        }
        Ok(Self { files })
    }

    /// Adds one case file and returns its id. If the file's text equals that of another case,
    /// returns that case's id instead: lists may know differences of it.
    ///
    /// # Errors
    /// See [`read_text`].
    pub fn add_file(&mut self, path: &Path) -> anyhow::Result<String> {
        let text = read_text(path, FileKind::List)?;
        if let Some((id, _)) = self.files.iter().find(|(_, file)| file.text == text) {
            return Ok(id.clone());
        }
        let name = path.display().to_string();
        self.files.insert(name.clone(), SourceFile { name: name.clone(), text });
        Ok(name)
    }

    /// Ids that match one of the filters; all ids if `filters` is empty.
    pub fn matching(&self, filters: &[String]) -> Vec<String> {
        let matches = |id: &str| filters.iter().any(|filter| matches_filter(id, filter));
        self.files.keys().filter(|id| filters.is_empty() || matches(id)).cloned().collect()
    }

    /// The id `word`, or the only id that it matches.
    ///
    /// # Errors
    /// The word is a file of an unknown language, no case matches it, or several do.
    pub fn only(&self, word: &str) -> anyhow::Result<String> {
        check_filter(word)?;
        let id = word.replace("::", "/");
        if self.files.contains_key(&id) {
            return Ok(id);
        }

        let found = self.matching(&[word.to_owned()]);
        match found.as_slice() {
            [only] => Ok(only.clone()),
            [] if Path::new(word).is_dir() => bail!("{}", misnamed::folder(word)),
            [] => bail!("no file and no case is called `{word}`{}", self.suggestion(word)),
            [first, second, ..] => bail!(
                "`{word}` matches {} cases: name one, as `{first}` or `{second}`; `layoutproof list {}` lists them",
                found.len(),
                shell_word(word)
            ),
        }
    }

    /// The end of a message about an unknown file or case: the nearest file, id or title, or how to
    /// list the cases.
    pub fn suggestion(&self, word: &str) -> String {
        let near = misnamed::near_file(Path::new(word));
        if !near.is_empty() {
            return near;
        }
        if let Some(id) = self.titled(word) {
            return format!(": did you mean `{id}`?");
        }
        let word = word.replace("::", "/");
        // Compare like with like: a folder, a name alone, or both.
        let part = |id: &'_ str| match (word.strip_suffix('/'), id.rsplit_once('/')) {
            (Some(_), Some((folder, _))) => id[..=folder.len()].to_owned(),
            (None, Some((_, name))) if !word.contains('/') => name.to_owned(),
            _ => id.to_owned(),
        };
        let names: BTreeSet<String> = self.files.keys().map(|id| part(id)).collect();
        match nearest_name(&word, names.iter().map(String::as_str)) {
            Some(meant) => format!(": did you mean `{meant}`?"),
            None => "; `layoutproof list` lists the cases".to_owned(),
        }
    }

    /// The id of the case whose summary begins with this text.
    fn titled(&self, text: &str) -> Option<String> {
        let is_title = text.contains(' ');
        let ids: Vec<String> = self.files.keys().filter(|_| is_title).cloned().collect();
        let cases = self.read(&ids, &mut SourceMap::default(), &mut Vec::new());
        let text = text.to_lowercase();
        cases.into_iter().find(|case| case.summary.to_lowercase().starts_with(&text)).map(|case| case.id)
    }

    /// A line with the id and the hash of the text, for each of these ids.
    pub fn hashes(&self, ids: &[String]) -> String {
        ids.iter().filter_map(|id| Some(hash_line(id, &self.files.get(id)?.text))).collect()
    }

    /// Parses the cases of these ids; adds all of their problems to `problems`.
    pub fn read(&self, ids: &[String], sources: &mut SourceMap, problems: &mut Vec<Diagnostic>) -> Vec<Case> {
        let mut cases = Vec::new();
        for (id, SourceFile { name, text }) in ids.iter().filter_map(|id| self.files.get_key_value(id)) {
            match Case::read(id, sources.add(name, text), sources) {
                Ok(case) => cases.push(case),
                Err(found) => problems.extend(found),
            }
        }
        cases
    }
}

fn id_below(root: &Path, file: &Path) -> String {
    let relative = file.strip_prefix(root).ok().filter(|relative| !relative.as_os_str().is_empty());
    let path = relative.map_or_else(|| PathBuf::from(file.file_name().unwrap_or_default()), Path::to_path_buf);
    path.with_extension("").iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The cases that match the filters, or all, except those whose declarations must be refused. Also
/// reads the cases of `added`.
///
/// # Errors
/// A path cannot be read, or a case has problems.
pub fn sources(added: &[PathBuf], filters: &[String]) -> anyhow::Result<Vec<Arc<Source>>> {
    let cases = Cases::load(added)?;
    read_ids(&cases, &cases.matching(filters), &mut SourceMap::default(), |_, _| None)
}

/// The cases with these ids, those whose declarations must be refused as unparsed text. Adds their texts
/// to `texts`.
///
/// # Errors
/// A case has problems.
pub fn sources_of(cases: &Cases, ids: &[String], texts: &mut SourceMap) -> anyhow::Result<Vec<Arc<Source>>> {
    read_ids(cases, ids, texts, |case, texts| Some(Source::unread(case, texts)))
}

fn read_ids(
    cases: &Cases,
    ids: &[String],
    texts: &mut SourceMap,
    refused: impl Fn(&Case, &SourceMap) -> Option<Source>,
) -> anyhow::Result<Vec<Arc<Source>>> {
    let mut diagnostics = Vec::new();
    let mut read = Vec::new();
    for case in cases.read(ids, texts, &mut diagnostics) {
        match Source::of_case(&case, texts) {
            Ok(source) => read.extend(source.or_else(|| refused(&case, texts)).map(Arc::new)),
            Err(found) => diagnostics.extend(found),
        }
    }
    if diagnostics.is_empty() {
        Ok(read)
    } else {
        Err(RefusedInput { diagnostics, sources: std::mem::take(texts) }.into())
    }
}

/// The cases, each under the rule sets that it has expectations for.
pub fn subjects(cases: &[Arc<Source>]) -> impl Iterator<Item = Subject> {
    let expected = cases.iter().flat_map(|source| source.expect.iter().map(move |it| (source, find(&it.rules))));
    expected.filter_map(|(source, rules)| Some(Subject::new(Arc::clone(source), rules?)))
}

/// Settings without a fault: every form of access, the usual spaces and stages, and a sample of
/// array elements.
pub fn all_forms() -> Settings {
    Settings::usual(ElementChoice::Sample)
}
