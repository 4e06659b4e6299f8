//! Reads the inputs of a command: words for cases, case files and users' shader files, and standard
//! input.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use layoutproof_core::check::Source;
use layoutproof_layout::{ShaderCompiler, Span};
use layoutproof_show::front_ends::Purpose;
use layoutproof_show::{InputContent, ShowInput};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::encoding::decode;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::{SourceFile, SourceMap};
use layoutproof_source::stable_hash::stable_hash;

use crate::all_cases::Cases;
use crate::declare::{DeclareArgs, OnOff};
use crate::files::{FileKind, read_text};
use crate::misnamed;
use crate::shader_file::ShaderFile;

/// The word for standard input.
pub const STANDARD_INPUT: &str = "-";

/// A word on the command line, classified.
#[derive(Clone, Debug)]
pub enum InputWord {
    Shader(ShaderFile),
    CaseFile(PathBuf),
    /// A filter on the ids of cases.
    Filter(String),
}

impl InputWord {
    /// Classifies a word by its extension. A file or standard input is also classified by the
    /// language of `--lang`. Anything else is a filter.
    pub fn of(word: &str, named: Option<ShaderLanguage>) -> Self {
        let path = PathBuf::from(word);
        if path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("toml")) {
            return Self::CaseFile(path);
        }
        let named = named.filter(|_| word == STANDARD_INPUT || path.is_file());
        ShaderFile::of(&path, named).map_or_else(|| Self::Filter(word.to_owned()), Self::Shader)
    }

    /// True for a shader file that fixes its offsets.
    pub fn fixes_offsets(&self) -> bool {
        matches!(self, Self::Shader(file) if file.fixes_offsets())
    }
}

/// Reads a file or a case. The inner error holds the problems of its text.
///
/// # Errors
/// The file cannot be read, or the word is no case.
pub fn read_input(
    word: &str,
    declare: &DeclareArgs,
    profile: Option<&str>,
    purpose: Purpose,
    sources: &mut SourceMap,
) -> anyhow::Result<Result<ShowInput, Vec<Diagnostic>>> {
    let declared = |source: Source| InputContent::Declared(Box::new(source.into_declarations()));
    let (language, content) = match InputWord::of(word, declare.lang) {
        InputWord::Shader(file) => (file.front_end.language(), file.read(declare, profile, purpose, sources)?),
        InputWord::CaseFile(path) => {
            let mut cases = Cases::load(&declare.cases)?;
            let id = cases.add_file(&path)?;
            (None, read_case(&cases, &id, sources).map(declared))
        }
        InputWord::Filter(filter) => {
            let cases = Cases::load(&declare.cases)?;
            let id = cases.only(&filter)?;
            (None, read_case(&cases, &id, sources).map(declared))
        }
    };
    let assumes_sixteen_bit = declare.sixteen_bit.is_none();
    let content = content.and_then(|content| match sixteen_bit_problem(&content, declare, profile, language) {
        Some(problem) => Err(vec![problem]),
        None => Ok(content),
    });
    Ok(content.map(|content| ShowInput { content, language, assumes_sixteen_bit }))
}

/// A 16-bit type that DXC knows only with an option that the user's arguments for it lack (DXC 1.7.2308: `unknown type name
/// 'uint16_t'`), or the option with a profile that has none (`enable-16bit-types is only allowed for shader model >= 6.2
/// and HLSL Language >= 2018`).
fn sixteen_bit_problem(
    content: &InputContent,
    declare: &DeclareArgs,
    profile: Option<&str>,
    language: Option<ShaderLanguage>,
) -> Option<Diagnostic> {
    let InputContent::Declared(source) = content else { return None };
    if declare.compiler != Some(ShaderCompiler::Dxc) || language != Some(ShaderLanguage::Hlsl) {
        return None;
    }
    let word = source.module.sixteen_bit_word.as_ref();
    let (span, message) = match declare.sixteen_bit? {
        OnOff::Off => (word?.span, format!("DXC knows `{}` only with -enable-16bit-types", word?.name)),
        OnOff::On => {
            let model = profile.filter(|profile| shader_model(profile).is_some_and(|model| model < (6, 2)))?;
            let span = word.map(|word| word.span).or(source.module.parameters.first().map(|first| first.span));
            (
                span.unwrap_or_default(),
                format!("DXC takes -enable-16bit-types only from shader model 6.2 on, not for {model}"),
            )
        }
    };
    let help = "the option needs shader model 6.2 or later; it also makes `half` 2 bytes";
    // DXC itself is not asked instead: its answer is this one.
    Some(Diagnostic::error(Code::CompilerLimit, span, message).with_help(help))
}

/// The shader model of a profile: `(6, 2)` of `cs_6_2`.
fn shader_model(profile: &str) -> Option<(u32, u32)> {
    let mut parts = profile.rsplit('_');
    let minor = parts.next()?.parse().ok()?;
    Some((parts.next()?.parse().ok()?, minor))
}

fn read_case(cases: &Cases, id: &str, sources: &mut SourceMap) -> Result<Source, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let Some(case) = cases.read(&[id.to_owned()], sources, &mut problems).pop() else { return Err(problems) };
    let source = Source::of_case(&case, sources)?;
    source.ok_or_else(|| {
        let message = format!("case {id} expects its declarations to be refused: there is nothing to show");
        vec![Diagnostic::error(Code::BadCase, case.declare, message)]
    })
}

/// Refuses a filter that is a file of an unknown language, a folder, or standard input.
///
/// # Errors
/// A message that says how to name the language or the files.
pub fn check_filter(word: &str) -> anyhow::Result<()> {
    let path = Path::new(word);
    if word == STANDARD_INPUT {
        bail!("standard input has no suffix: name its language with --lang {}", ShaderLanguage::names());
    }
    if path.is_file() {
        bail!("{}", misnamed::file_of_unknown_language(word));
    }
    // Without a slash it may be a part of the ids of cases, unless it is full of shaders.
    if path.is_dir() && (word.ends_with(['/', '\\']) || misnamed::usual_suffix(path).is_some()) {
        bail!("{}", misnamed::folder(word));
    }
    Ok(())
}

/// Replaces each pattern by the files that it matches, or else by the cases.
///
/// # Errors
/// A pattern is malformed or matches nothing, or a folder or the cases cannot be read.
pub fn expanded(words: &[String], declare: &DeclareArgs) -> anyhow::Result<Vec<String>> {
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

/// A line with the name and the hash of the text, for each file.
pub fn hashes(files: &[SourceFile]) -> String {
    files.iter().map(|file| hash_line(&file.name, &file.text)).collect()
}

pub fn hash_line(name: &str, text: &str) -> String {
    format!("{name} {:016x}\n", stable_hash(text))
}

/// Reads standard input, which may be as long as a shader file.
fn read_standard_input() -> anyhow::Result<String> {
    let limit = FileKind::Shader.limit();
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
    let length = read.map_err(|error| anyhow!("reading standard input: {error}"))?;
    if u64::try_from(length).unwrap_or(u64::MAX) > limit {
        bail!("reading standard input: more than {limit} bytes");
    }
    decode(bytes).context("reading standard input")
}

/// Adds a whole shader file, or with `-` standard input, to the map.
///
/// # Errors
/// See [`read_text`]; also if standard input is too long.
pub fn add_text(path: &Path, sources: &mut SourceMap) -> anyhow::Result<Span> {
    let text =
        if path == Path::new(STANDARD_INPUT) { read_standard_input()? } else { read_text(path, FileKind::Shader)? };
    let end = u32::try_from(text.len()).map_err(|_| anyhow!("{} is beyond 4 GiB", path.display()))?;
    Ok(Span { file: sources.add(path.display().to_string(), text), start: 0, end })
}
