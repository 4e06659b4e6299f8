//! Reads `layoutproof.toml`, the file at a project's root that tells `layoutproof check` what to
//! compare.
//!
//! The file is data only: it names shaders, host files and compilers, and runs nothing. It cannot name a
//! program, since [`CompilerName`] has no path. It is searched in the working folder and its parents.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::ValueEnum;
use layoutproof_core::toml_table::{FileProblems, TomlTable, parse, string};
use layoutproof_hostcheck::{SizeContract, VectorTypeRow, VectorTypes};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::declare::MatrixArg;
use crate::files::{FileKind, read_text};
use crate::globs;
use crate::layout_selection::{LayoutSelection, target};
use crate::named_compiler::CompilerName;
use crate::refused_input::RefusedInput;
use crate::rule_set::rule_choice;

pub const PROJECT_FILE: &str = "layoutproof.toml";

/// The contents of the file.
#[derive(Clone, Debug, Default)]
pub struct ProjectFile {
    /// The file's path; empty without a file.
    pub path: PathBuf,
    /// The folder that patterns are relative to.
    pub folder: PathBuf,
    /// Patterns of host files.
    pub host: Vec<String>,
    /// Targets, compilers and rule sets for shaders that name none.
    pub layouts: LayoutSelection,
    /// True if a block without a host struct is an error.
    pub is_strict: bool,
    pub shaders: Vec<ProjectShaders>,
    /// Host types of blocks.
    pub mappings: Vec<ProjectMapping>,
    /// Intended differences.
    pub known: Vec<KnownMismatch>,
    /// The user's own vector and matrix types.
    pub vector_types: Vec<VectorTypeRow>,
}

/// `[[shader]]`: shaders with the same compile options.
#[derive(Clone, Debug, Default)]
pub struct ProjectShaders {
    /// Patterns of files.
    pub files: Vec<String>,
    /// Patterns of files that `files` matches and that do not belong to the entry.
    pub except: Vec<String>,
    /// The compiler's arguments.
    pub arguments: Option<String>,
    pub defines: Vec<String>,
    pub includes: Vec<String>,
    pub entry: Option<String>,
    /// The language, if the suffix does not tell it.
    pub language: Option<ShaderLanguage>,
    /// The order of matrices that declare none.
    pub matrix: Option<MatrixArg>,
    pub layouts: LayoutSelection,
}

/// `[[map]]`: the host type of a block.
#[derive(Clone, Debug, Default)]
pub struct ProjectMapping {
    pub block: String,
    /// Pattern of the shaders whose block it is; `None` for all shaders.
    pub shader: Option<String>,
    /// Macros with which the shader is compiled, as the project or its arguments write them; empty for any.
    pub defines: Vec<String>,
    /// Names of the host types, all of which are compared; empty if the entry only renames members.
    pub hosts: Vec<String>,
    /// The byte of the block at which the program puts the host struct.
    pub offset: Option<u32>,
    /// The contract between the host struct and the block.
    pub contract: Option<SizeContract>,
    /// Host member names by shader member names.
    pub members: BTreeMap<String, String>,
}

impl ProjectMapping {
    /// True if two entries are for the same blocks.
    fn names_same_blocks(&self, other: &Self) -> bool {
        (&self.block, &self.shader, &self.defines) == (&other.block, &other.shader, &other.defines)
    }
}

/// `[[known]]`: an intended difference.
#[derive(Clone, Debug, Default)]
pub struct KnownMismatch {
    pub block: String,
    /// Path of the member; `None` for all members.
    pub member: Option<String>,
    /// Kind of mismatch; `None` for all kinds.
    pub kind: Option<String>,
    /// Why it is intended.
    pub reason: String,
}

impl ProjectFile {
    /// Reads the file that the user names, or the nearest one; `None` if none exists.
    ///
    /// # Errors
    /// [`RefusedInput`] with every problem of the file, or an error if it cannot be read.
    pub fn find(named: Option<&Path>) -> anyhow::Result<Option<Self>> {
        let path = match named {
            Some(path) => Some(path.to_owned()),
            None => nearest()?,
        };
        path.map(|path| Self::read(&path)).transpose()
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let mut sources = SourceMap::default();
        let file = sources.add(path.display().to_string(), read_text(path, FileKind::List)?);
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        let mut problems = FileProblems::new(file, Code::BadProject, &mut diagnostics);
        let root = parse(&sources, &mut problems);

        let mut table = TomlTable::new(&root);
        if table.number("schema", &mut problems).is_some_and(|schema| schema != 1) {
            problems.report(0..0, "this program reads schema 1");
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut project = Self { path: path.to_owned(), folder, ..Self::default() };
        project.host = table.strings("host", &mut problems);
        project.layouts = layouts(&mut table, &mut problems);
        project.is_strict = table.boolean("strict", &mut problems).unwrap_or(false);
        for shaders in table.tables("shader", &mut problems) {
            project.shaders.push(read_shaders(shaders, &mut problems));
        }
        for mapping in table.tables("map", &mut problems) {
            let place = mapping.range();
            let Some(mapping) = read_mapping(mapping, &mut problems) else { continue };
            let is_same = |other: &&ProjectMapping| other.names_same_blocks(&mapping);
            if project.mappings.iter().any(|other| is_same(&other)) {
                problems.report(place, format!("block `{}` has an entry already", mapping.block));
            }
            project.mappings.push(mapping);
        }
        for known in table.tables("known", &mut problems) {
            project.known.extend(read_known(known, &mut problems));
        }
        for row in table.tables("type", &mut problems) {
            project.vector_types.extend(read_vector_type(row, &mut problems));
        }
        table.finish(&mut problems);

        drop(root);
        if diagnostics.is_empty() { Ok(project) } else { bail!(RefusedInput { diagnostics, sources }) }
    }
}

impl ProjectFile {
    /// The entries whose patterns match a shader. A shader that is compiled in several ways has
    /// several.
    pub fn entries_of(&self, shader: &Path) -> Vec<&ProjectShaders> {
        let Some(relative) = self.relative(shader) else { return Vec::new() };
        let matches = |patterns: &[String]| patterns.iter().any(|pattern| globs::names(pattern, &relative));
        let names = |shaders: &&ProjectShaders| matches(&shaders.files) && !matches(&shaders.except);
        self.shaders.iter().filter(names).collect()
    }

    /// True if an entry matches a shader that does not belong to it.
    pub fn excepts(&self, shaders: &ProjectShaders, shader: &Path) -> bool {
        let relative = if shaders.except.is_empty() { None } else { self.relative(shader) };
        relative.is_some_and(|relative| shaders.except.iter().any(|pattern| globs::names(pattern, &relative)))
    }

    /// The entries for blocks of a shader that is compiled with these macros. Those that name the shader come before those for
    /// all, and among them those that name more macros.
    pub fn mappings_of(&self, shader: &Path, defines: &[String]) -> Vec<&ProjectMapping> {
        let relative = self.relative(shader);
        let names_it = |mapping: &&ProjectMapping| {
            mapping
                .shader
                .as_ref()
                .is_some_and(|pattern| relative.as_ref().is_some_and(|relative| globs::names(pattern, relative)))
        };
        let own = self.mappings.iter().filter(names_it);
        let mut found: Vec<&ProjectMapping> =
            own.chain(self.mappings.iter().filter(|mapping| mapping.shader.is_none())).collect();
        found.retain(|mapping| mapping.defines.iter().all(|define| defines.contains(define)));
        found.sort_by_key(|mapping| (mapping.shader.is_none(), Reverse(mapping.defines.len())));
        found
    }

    /// The path of a folder for included files that the project names, in `include` or as `-I` in `args`. It must lie in
    /// the project, or below one of the folders that the user types: a stranger's project must not show the
    /// user's files.
    ///
    /// # Errors
    /// It lies elsewhere.
    pub fn include_folder(&self, named: &str, typed: &[String]) -> anyhow::Result<String> {
        let folder = self.folder.join(named);
        let allowed = typed.iter().filter_map(|folder| Path::new(folder).canonicalize().ok()).chain(self.root());
        match folder.canonicalize() {
            Ok(real) if !allowed.into_iter().any(|root| real.starts_with(root)) => {
                let (file, real) = (self.path.display(), real.display());
                bail!(
                    "{file}: `{named}` is outside of the project, so its files are not included: -I {real} allows it"
                );
            }
            Ok(_) | Err(_) => Ok(folder.display().to_string()),
        }
    }

    /// Checks that a shader which the project names lies in it: the words of another file are the user's.
    ///
    /// # Errors
    /// It lies elsewhere.
    pub fn own_shader(&self, shader: &Path) -> anyhow::Result<()> {
        let is_inside = |real: PathBuf| self.root().is_some_and(|root| real.starts_with(root));
        if shader.canonicalize().is_ok_and(|real| !is_inside(real)) {
            let (file, shader) = (self.path.display(), shader.display());
            bail!("{file}: `{shader}` is outside of the project, so it is not read: name it on the command line");
        }
        Ok(())
    }

    /// The folder that counts as the project, with all links resolved: the working tree of version control with the
    /// file, unless that holds the user's home folder too.
    fn root(&self) -> Option<PathBuf> {
        let here = Path::new(".");
        let folder = if self.folder.as_os_str().is_empty() { here } else { &self.folder };
        let own = folder.canonicalize().ok()?;
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        let tree = own.ancestors().find(|folder| folder.join(".git").exists());
        let tree = tree.filter(|tree| !home.is_some_and(|home| home.starts_with(tree)));
        Some(tree.unwrap_or(&own).to_path_buf())
    }

    /// The path relative to the project's folder; `None` outside of the folder.
    pub fn relative(&self, path: &Path) -> Option<PathBuf> {
        let here = Path::new(".");
        let folder = if self.folder.as_os_str().is_empty() { here } else { &self.folder };
        let path = path.canonicalize().ok()?;
        path.strip_prefix(folder.canonicalize().ok()?).ok().map(Path::to_owned)
    }
}

/// The file in the working folder or its nearest parent.
fn nearest() -> anyhow::Result<Option<PathBuf>> {
    let folder = std::env::current_dir()?;
    for (depth, above) in folder.ancestors().enumerate() {
        if above.join(PROJECT_FILE).is_file() {
            let up: PathBuf = std::iter::repeat_n("..", depth).collect();
            return Ok(Some(up.join(PROJECT_FILE)));
        }
    }
    Ok(None)
}

fn rules(table: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Vec<String> {
    let place = table.value("rules").map(toml_span);
    let names = table.strings("rules", problems);
    for name in &names {
        if let (Err(error), Some(place)) = (rule_choice(name), &place) {
            problems.report(place.clone(), error.to_string());
        }
    }
    names
}

/// Reads `target`, `compiler` and `rules`.
fn layouts(table: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> LayoutSelection {
    LayoutSelection {
        rules: rules(table, problems),
        targets: parsed(table, "target", target, problems),
        compilers: parsed(table, "compiler", str::parse::<CompilerName>, problems),
    }
}

/// Reads the words of a key.
fn parsed<T>(
    table: &mut TomlTable<'_, '_>,
    key: &'static str,
    parse: impl Fn(&str) -> anyhow::Result<T>,
    problems: &mut FileProblems<'_>,
) -> Vec<T> {
    let place = table.value(key).map(toml_span);
    let mut found = Vec::new();
    let words = table.strings(key, problems);
    // One string may have several, as on the command line.
    for word in words.iter().flat_map(|words| words.split(',')).map(str::trim) {
        match parse(word) {
            Ok(value) => found.push(value),
            Err(error) => problems.report(place.clone().unwrap_or_default(), format!("`{word}`: {error}")),
        }
    }
    found
}

fn toml_span(value: &layoutproof_core::toml_table::TomlValue<'_>) -> std::ops::Range<usize> {
    value.span()
}

fn read_shaders(mut table: TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> ProjectShaders {
    let place = table.range();
    let mut shaders = ProjectShaders {
        files: table.strings("files", problems),
        except: table.strings("except", problems),
        arguments: table.string("args", problems),
        defines: table.strings("defines", problems),
        includes: table.strings("include", problems),
        entry: table.string("entry", problems),
        language: None,
        matrix: None,
        layouts: layouts(&mut table, problems),
    };
    if shaders.files.is_empty() {
        problems.report(place, "`files` is missing");
    }
    if let Some(value) = table.value("language") {
        let name = string(value, problems).unwrap_or_default();
        shaders.language = ShaderLanguage::named(&name);
        if shaders.language.is_none() {
            problems.report(value.span(), format!("expected {}", ShaderLanguage::names()));
        }
    }
    if let Some(value) = table.value("matrix") {
        let word = string(value, problems).unwrap_or_default();
        shaders.matrix = MatrixArg::from_str(&word, false).ok();
        if shaders.matrix.is_none() {
            problems.report(value.span(), "expected \"row\" or \"column\"");
        }
    }
    table.finish(problems);
    shaders
}

fn read_mapping(mut table: TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Option<ProjectMapping> {
    let block = table.required_string("block", problems);
    let (hosts, shader) = (table.strings("host", problems), table.string("shader", problems));
    let (defines, offset) = (table.strings("defines", problems), table.number("offset", problems));
    let mut contract = None;
    if let Some(value) = table.value("contract") {
        let word = string(value, problems).unwrap_or_default();
        contract = SizeContract::ALL.into_iter().find(|contract| contract.as_str() == word);
        if contract.is_none() {
            problems.report(value.span(), "expected \"equal\", \"prefix\" or \"stride\"");
        }
    }
    let mut members = BTreeMap::new();
    if let Some(renamed) = table.value("members").and_then(|value| TomlTable::of(value, problems)) {
        for (shader, _, value) in renamed.entries() {
            members.extend(string(value, problems).map(|host| (shader.to_owned(), host)));
        }
    }
    table.finish(problems);
    Some(ProjectMapping { block: block?, shader, defines, hosts, offset, contract, members })
}

fn read_known(mut table: TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Option<KnownMismatch> {
    let block = table.required_string("block", problems);
    let reason = table.required_string("reason", problems);
    let (member, kind) = (table.string("member", problems), table.string("kind", problems));
    table.finish(problems);
    Some(KnownMismatch { block: block?, member, kind, reason: reason? })
}

fn read_vector_type(mut table: TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Option<VectorTypeRow> {
    let place = table.range();
    let row = VectorTypeRow {
        library: table.string("library", problems),
        pattern: table.required_string("pattern", problems)?,
        component: table.string("component", problems),
        rows: table.number("rows", problems),
        columns: table.number("columns", problems),
        square: table.boolean("square", problems).unwrap_or(false),
    };
    table.finish(problems);
    if let Some(problem) = VectorTypes::built_in().problem(&row) {
        problems.report(place, problem);
    }
    Some(row)
}
