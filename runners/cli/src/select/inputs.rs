//! Reads the inputs of a command: built-in cases, case files, users' shader files.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use layoutproof_built_in::CASES;
use layoutproof_core::case::{Case, matches_filter};

use layoutproof_layout::Span;
use layoutproof_random::stable_hash::stable_hash;
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::encoding::decode;
use layoutproof_source::nearest_name::nearest_name;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::{SourceFile, SourceMap};

use crate::args::RunArgs;
use crate::select::files::{FileKind, read_text, toml_files_below};
use crate::select::shader_file::ShaderFile;

/// The word for standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// A word on the command line, classified.
#[derive(Clone, Debug)]
pub(crate) enum InputWord {
    Shader(ShaderFile),
    CaseFile(PathBuf),
    /// A filter on the ids of cases.
    Filter(String),
}

impl InputWord {
    /// Classifies a word by its extension. A file or standard input is also classified by the
    /// language of `--lang`. Anything else is a filter.
    pub(crate) fn of(word: &str, named: Option<ShaderLanguage>) -> Self {
        let path = PathBuf::from(word);
        if path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("toml")) {
            return Self::CaseFile(path);
        }
        let named = named.filter(|_| word == STANDARD_INPUT || path.is_file());
        ShaderFile::of(&path, named).map_or_else(|| Self::Filter(word.to_owned()), Self::Shader)
    }

    /// True for a shader file that fixes its offsets.
    pub(crate) fn fixes_offsets(&self) -> bool {
        matches!(self, Self::Shader(file) if file.fixes_offsets())
    }
}

/// True if a word of these arguments names a user's shader file.
pub(crate) fn names_files(args: &RunArgs) -> bool {
    args.inputs.iter().any(|word| matches!(InputWord::of(word, args.declare.lang), InputWord::Shader(_)))
}

/// Refuses a filter that is a file of an unknown language, a folder, or standard input.
///
/// # Errors
/// A message that says how to name the language or the files.
pub(crate) fn check_filter(word: &str) -> anyhow::Result<()> {
    let path = Path::new(word);
    if word == STANDARD_INPUT {
        bail!("standard input has no suffix: name its language with --lang {}", ShaderLanguage::names());
    }
    if path.is_file() {
        bail!("the suffix of {word} names no language: name it with --lang {}", ShaderLanguage::names());
    }
    if path.is_dir() && word.ends_with(['/', '\\']) {
        bail!("{word} is a folder: name files, as `{word}*.hlsl`");
    }
    Ok(())
}

/// All cases that a command may choose from, by id.
pub(crate) struct Cases {
    texts: BTreeMap<String, (String, String)>,
}

impl Cases {
    /// The built-in cases, with those of `added` (files or folders) added or replaced.
    ///
    /// # Errors
    /// A path cannot be read.
    pub(crate) fn load(added: &[PathBuf]) -> anyhow::Result<Self> {
        let named = |id: &str| format!("cases/{id}.toml");
        let mut texts: BTreeMap<_, _> =
            CASES.iter().map(|case| (case.name.to_owned(), (named(case.name), case.text.to_owned()))).collect();
        for path in added {
            for file in toml_files_below(path)? {
                let id = id_below(path, &file);
                texts.insert(id, (file.display().to_string(), read_text(&file, FileKind::List)?));
            }
        }
        Ok(Self { texts })
    }

    /// Adds one case file and returns its id. If the file's text equals that of another case,
    /// returns that case's id instead: lists may know differences of it.
    ///
    /// # Errors
    /// See [`read_text`].
    pub(crate) fn add_file(&mut self, path: &Path) -> anyhow::Result<String> {
        let text = read_text(path, FileKind::List)?;
        if let Some((id, _)) = self.texts.iter().find(|(_, (_, known))| *known == text) {
            return Ok(id.clone());
        }
        let name = path.display().to_string();
        self.texts.insert(name.clone(), (name.clone(), text));
        Ok(name)
    }

    /// Ids that match one of the filters; all ids if `filters` is empty.
    pub(crate) fn matching(&self, filters: &[String]) -> Vec<String> {
        let matches = |id: &str| filters.iter().any(|filter| matches_filter(id, filter));
        self.texts.keys().filter(|id| filters.is_empty() || matches(id)).cloned().collect()
    }

    /// The id `word`, or the only id that it matches.
    ///
    /// # Errors
    /// The word is a file of an unknown language, no case matches it, or several do.
    pub(crate) fn only(&self, word: &str) -> anyhow::Result<String> {
        check_filter(word)?;
        let id = word.replace("::", "/");
        if self.texts.contains_key(&id) {
            return Ok(id);
        }

        let found = self.matching(&[word.to_owned()]);
        match found.as_slice() {
            [only] => Ok(only.clone()),
            [] => bail!("no file and no case is called `{word}`{}", self.suggestion(word)),
            [first, second, ..] => bail!(
                "`{word}` matches {} cases: name one, as `{first}` or `{second}`; `layoutproof list {word}` lists them",
                found.len()
            ),
        }
    }

    /// The end of a message about an unknown case: the nearest id, or how to list all.
    pub(crate) fn suggestion(&self, word: &str) -> String {
        let word = word.replace("::", "/");
        let last = |id: &str| id.rsplit('/').next().unwrap_or(id).len();
        let names = self.texts.keys().map(|id| if word.contains('/') { id } else { &id[id.len() - last(id)..] });
        match nearest_name(&word, names) {
            Some(meant) => format!(": did you mean `{meant}`?"),
            None => "; `layoutproof list` lists the cases".to_owned(),
        }
    }

    /// A line with the id and the hash of the text, for each of these ids.
    pub(crate) fn hashes(&self, ids: &[String]) -> String {
        let texts = ids.iter().filter_map(|id| Some((id, &self.texts.get(id)?.1)));
        texts.map(|(id, text)| hashed(id, text)).collect()
    }

    /// Parses the cases of these ids; adds all of their problems to `problems`.
    pub(crate) fn read(&self, ids: &[String], sources: &mut SourceMap, problems: &mut Vec<Diagnostic>) -> Vec<Case> {
        let mut cases = Vec::new();
        for (id, (name, text)) in ids.iter().filter_map(|id| self.texts.get_key_value(id)) {
            let file = sources.add(name, text);
            match Case::read(id, file, sources) {
                Ok(case) => cases.push(case),
                Err(found) => problems.extend(found),
            }
        }
        cases
    }
}

/// A line with the name and the hash of the text, for each file.
pub(crate) fn hashes(files: &[SourceFile]) -> String {
    files.iter().map(|file| hashed(&file.name, &file.text)).collect()
}

fn hashed(name: &str, text: &str) -> String {
    format!("{name} {:016x}\n", stable_hash(text))
}

fn id_below(root: &Path, file: &Path) -> String {
    let relative = file.strip_prefix(root).ok().filter(|relative| !relative.as_os_str().is_empty());
    let path = relative.map_or_else(|| PathBuf::from(file.file_name().unwrap_or_default()), Path::to_path_buf);
    path.with_extension("").iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Reads standard input, which may be as long as a shader file.
fn read_standard_input() -> anyhow::Result<String> {
    let limit = FileKind::Shader.limit();
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
    let length = read.map_err(|error| anyhow::anyhow!("reading standard input: {error}"))?;
    if u64::try_from(length).unwrap_or(u64::MAX) > limit {
        anyhow::bail!("reading standard input: more than {limit} bytes");
    }
    decode(bytes).context("reading standard input")
}

/// Adds a whole shader file, or with `-` standard input, to the map.
///
/// # Errors
/// See [`read_text`]; also if standard input is too long.
pub(crate) fn add_text(path: &Path, sources: &mut SourceMap) -> anyhow::Result<Span> {
    let text =
        if path == Path::new(STANDARD_INPUT) { read_standard_input()? } else { read_text(path, FileKind::Shader)? };
    let end = u32::try_from(text.len()).map_err(|_| anyhow::anyhow!("{} is beyond 4 GiB", path.display()))?;
    Ok(Span { file: sources.add(path.display().to_string(), text), start: 0, end })
}
