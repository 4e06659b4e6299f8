//! `layoutproof check` and `init`: compare host structs with the blocks that they fill. Only
//! `--run` needs a GPU.
//!
//! `input_kind` sorts the inputs, `shader_blocks` lays the blocks out with the options of the
//! project and the command line, `debug_worker` reads the host's types in a child process,
//! `pairing` matches blocks with types, and `prove` has devices read the matched blocks.

pub(crate) mod args;
mod debug_types;
pub(crate) mod debug_worker;
pub(crate) mod init;
mod input_kind;
mod pairing;
mod prove;
#[cfg(test)]
mod round_trip;
mod shader_blocks;

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use layoutproof_core::results::summary::Exit;
use layoutproof_hostcheck::{VectorTypes, part_path};
use layoutproof_report::host_check::{
    HostCheck, PairOutcome, UnmatchedBlock, annotations, json, junit, map_entries, text,
};
use layoutproof_report::html::check_page;
use layoutproof_show::Style;
use layoutproof_show::front_ends::FrontEnd;
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity, render};
use layoutproof_source::shader_language::alternatives;
use layoutproof_source::sources::SourceMap;

use crate::commands::check::args::{CheckArgs, CheckFormat};
use crate::commands::check::debug_worker::{DebugAnswer, read_types};
use crate::commands::check::input_kind::CheckInput;
use crate::commands::check::pairing::{PairRules, Pairing, pair};
use crate::commands::check::prove::Proof;
use crate::commands::check::shader_blocks::{ShaderJob, TargetBlock, check_rules};
use crate::help::PROGRAM;
use crate::output::{print, print_json, print_refusal, warn, warn_rendered};
use crate::project::globs;
use crate::project::project_file::{PROJECT_FILE, ProjectFile, ProjectShaders};
use crate::project::shader_settings::ShaderSettings;
use crate::records::output_files::{check_file, write_file};
use crate::select::refused_input::RefusedInput;

/// Compares host structs with blocks.
///
/// # Errors
/// An input cannot be read, or the shaders or the project file have problems.
pub(crate) fn check(args: &CheckArgs, style: Style) -> anyhow::Result<Exit> {
    compare_hosts(args, style).inspect_err(|error| match args.format {
        CheckFormat::Json => {
            let source = args.inputs.first().map_or(PROJECT_FILE.to_owned(), |path| path.display().to_string());
            print_refusal(&source, Code::Unreadable, error);
        }
        CheckFormat::Text | CheckFormat::Junit | CheckFormat::Github => {}
    })
}

fn compare_hosts(args: &CheckArgs, style: Style) -> anyhow::Result<Exit> {
    for name in &args.rules {
        check_rules(name)?;
    }
    args.html.as_deref().map_or(Ok(()), check_file)?;
    let project = ProjectFile::find(args.config.as_deref())?;
    if project.is_none() && args.inputs.is_empty() {
        bail!("no input is given, and no {PROJECT_FILE} is here or above; `layoutproof init` writes one");
    }
    let project = project.unwrap_or_default();

    let inputs = CheckInputs::collect(args, &project)?;
    let mut sources = SourceMap::default();
    let read = read_shaders(&inputs.shaders, &mut sources)?;
    let mut blocks = read.blocks;
    state_hosts(&mut blocks, args, &project)?;
    warn_rendered(&render(&read.warnings, &sources, style.colour));

    let hosts = read_hosts(&inputs.hosts, &blocks)?;
    let vector_types = VectorTypes::built_in().with_rows(&project.vector_types);
    let rules =
        PairRules { known: &project.known, vector_types: &vector_types, is_strict: args.strict || project.is_strict };
    let Pairing { check: mut checked, partners } = pair(&blocks, &hosts, rules);
    let proven = if args.run && !partners.is_empty() {
        Proof { args, blocks: &blocks, partners: &partners, rules }.carry_out(&mut checked)?
    } else {
        Exit::Agree
    };
    match args.format {
        CheckFormat::Text => print(&text(&checked, style)),
        CheckFormat::Json => print_json(&json(&checked)),
        CheckFormat::Junit => print(&junit(&checked)),
        CheckFormat::Github => print(&annotations(&checked)),
    }
    if let Some(path) = &args.html {
        write_file(path, &check_page(&checked, &typed_command()))?;
    }
    if args.write_map {
        write_map(&project, &map_entries(&checked))?;
    }
    for unmatched in checked.unmatched.iter().filter(|unmatched| unmatched.names_no_type()) {
        warn(&format!("error: block `{}`: {}\n", unmatched.block, unmatched.reason));
    }
    Ok(worse(exit_of(&checked), proven))
}

/// Appends entries to the project file, or to a new one in the working folder.
fn write_map(project: &ProjectFile, entries: &str) -> anyhow::Result<()> {
    if entries.is_empty() {
        warn("note: no block has a best proposal, so nothing was written\n");
        return Ok(());
    }
    let is_new = project.path.as_os_str().is_empty();
    let path = if is_new { Path::new(PROJECT_FILE) } else { &project.path };
    let start = if is_new { "schema = 1\n" } else { "" };
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(format!("{start}{entries}").as_bytes())?;
    warn(&format!("note: wrote {} entries to {}\n", entries.matches("[[map]]").count(), path.display()));
    Ok(())
}

/// The command as the user typed it, with the program's usual name.
fn typed_command() -> String {
    let words = std::env::args_os().skip(1).map(|word| shell_word(&word.to_string_lossy()));
    std::iter::once(PROGRAM.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a shell.
fn shell_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./,=:@+".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The exit code that takes precedence: 2 over 3 over 1 over 4.
fn worse(left: Exit, right: Exit) -> Exit {
    let order = [Exit::CouldNotRun, Exit::Missing, Exit::Differ, Exit::NothingSelected];
    order.into_iter().find(|exit| [left, right].contains(exit)).unwrap_or(Exit::Agree)
}

/// The exit code is 2 if the user names a type that no host file defines, otherwise 1 for a
/// difference, otherwise 4 if nothing was compared.
fn exit_of(check: &HostCheck) -> Exit {
    if check.unmatched.iter().any(UnmatchedBlock::names_no_type) {
        return Exit::CouldNotRun;
    }
    let differs = check.pairs.iter().any(|pair| pair.outcome() == PairOutcome::Differ);
    let is_refused = check.unmatched.iter().any(|unmatched| check.is_strict || unmatched.reason.is_error());
    if differs || is_refused || !check.complaints.is_empty() {
        Exit::Differ
    } else if check.pairs.is_empty() {
        Exit::NothingSelected
    } else {
        Exit::Agree
    }
}

/// The inputs of a check.
#[derive(Debug, Default)]
struct CheckInputs {
    shaders: Vec<ShaderJob>,
    hosts: Vec<PathBuf>,
}

impl CheckInputs {
    /// The inputs that the user names. The project supplies shaders if the user names none, and
    /// likewise host files.
    fn collect(args: &CheckArgs, project: &ProjectFile) -> anyhow::Result<Self> {
        let mut inputs = Self::default();
        for path in &args.inputs {
            match CheckInput::of(path, args.declare.lang)? {
                CheckInput::Shader(path) => inputs.add_named_shader(&path, args, project)?,
                CheckInput::Host(path) => inputs.hosts.push(path),
            }
        }
        if inputs.shaders.is_empty() {
            for shaders in &project.shaders {
                inputs.add_project_shaders(shaders, args, project)?;
            }
        }
        if inputs.hosts.is_empty() {
            for pattern in &project.host {
                let found = globs::expand(&project.folder, pattern)?;
                if found.is_empty() {
                    bail!("{}: no host file matches `{pattern}`", project.path.display());
                }
                inputs.hosts.extend(found);
            }
        }

        match (inputs.shaders.is_empty(), inputs.hosts.is_empty()) {
            (true, _) => bail!("no shader is given: name {} files", alternatives(&FrontEnd::suffixes())),
            (false, true) => bail!("no host file is given: name objects, libraries, programs or a .pdb"),
            (false, false) => Ok(inputs),
        }
    }

    /// Adds a shader once per entry of the project that compiles it. Without such an entry, adds it
    /// with the command line's settings.
    fn add_named_shader(&mut self, path: &Path, args: &CheckArgs, project: &ProjectFile) -> anyhow::Result<()> {
        let entries = project.entries_of(path);
        for shaders in &entries {
            let settings = ShaderSettings::of_project(shaders, args.args.as_deref(), &args.declare, project)?;
            self.shaders.push(job(path.to_owned(), settings, args));
        }
        if entries.is_empty() {
            let settings = ShaderSettings::named(args.args.as_deref(), &args.declare, project)?;
            self.shaders.push(job(path.to_owned(), settings, args));
        }
        Ok(())
    }

    fn add_project_shaders(
        &mut self,
        shaders: &ProjectShaders,
        args: &CheckArgs,
        project: &ProjectFile,
    ) -> anyhow::Result<()> {
        for pattern in &shaders.files {
            let found = globs::expand(&project.folder, pattern)?;
            if found.is_empty() {
                bail!("{}: no shader matches `{pattern}`", project.path.display());
            }
            let settings = ShaderSettings::of_project(shaders, args.args.as_deref(), &args.declare, project)?;
            self.shaders.extend(found.into_iter().map(|path| job(path, settings.clone(), args)));
        }
        Ok(())
    }
}

/// A shader with its settings, for the targets of the command line.
fn job(path: PathBuf, settings: ShaderSettings, args: &CheckArgs) -> ShaderJob {
    ShaderJob {
        path,
        declare: settings.declare,
        profile: settings.profile,
        named_rules: args.rules.clone(),
        usual_rules: settings.rules,
        targets: args.target.clone(),
    }
}

/// The blocks of all shaders.
fn read_shaders(shaders: &[ShaderJob], sources: &mut SourceMap) -> anyhow::Result<shader_blocks::ShaderBlocks> {
    let mut all = shader_blocks::ShaderBlocks::default();
    let mut problems: Vec<Diagnostic> = Vec::new();
    let mut without_blocks: Vec<Diagnostic> = Vec::new();
    for job in shaders {
        match shader_blocks::read(job, sources)? {
            Ok(read) => {
                all.blocks.extend(read.blocks);
                all.warnings.extend(read.warnings);
            }
            Err(found) if found.iter().all(|problem| problem.code == Code::NothingDeclared) => {
                without_blocks.extend(found);
            }
            Err(found) => problems.extend(found),
        }
    }
    // In a project with many shaders, some without a buffer are fine. If none has one, there is
    // nothing to check.
    if all.blocks.is_empty() {
        problems.append(&mut without_blocks);
    }
    if problems.is_empty() {
        let as_warning = |problem: Diagnostic| Diagnostic { severity: Severity::Warning, ..problem };
        all.warnings.extend(without_blocks.into_iter().map(as_warning));
        return Ok(all);
    }
    bail!(RefusedInput { diagnostics: problems, sources: std::mem::take(sources) })
}

/// Assigns to the blocks what the command line and the project say about their host types.
fn state_hosts(blocks: &mut [TargetBlock], args: &CheckArgs, project: &ProjectFile) -> anyhow::Result<()> {
    for mapping in &args.map {
        let mut is_found = false;
        for stated in blocks.iter_mut().flat_map(|block| stated_names(block, &mapping.block)) {
            *stated = Some(mapping.host.clone());
            is_found = true;
        }
        if !is_found {
            bail!("--map names the block `{}`, which no shader has", mapping.block);
        }
    }
    for block in blocks {
        for mapping in project.mappings_of(Path::new(&block.shader)) {
            for stated in stated_names(block, &mapping.block).into_iter().filter(|stated| stated.is_none()) {
                stated.clone_from(&mapping.host);
            }
            if mapping.block == block.layout.name {
                block.host_start = block.host_start.or(mapping.offset);
                for (shader, host) in &mapping.members {
                    block.renames.entry(shader.clone()).or_insert_with(|| host.clone());
                }
            }
        }
    }
    Ok(())
}

/// The fields that hold the stated host type, of the block or of its elements (`Counted.spheres`)
/// with this name.
fn stated_names<'a>(block: &'a mut TargetBlock, name: &str) -> Vec<&'a mut Option<String>> {
    let name = name.trim_end_matches("[]");
    let own = &block.layout.name;
    let is_part = |member: &str| !member.is_empty() && part_path(own, member) == name;
    let parts = block.names.parts.iter_mut().filter(|part| is_part(&part.member));
    let parts = parts.map(|part| &mut part.stated);
    let whole = Some(&mut block.names.stated).filter(|_| *own == name);
    whole.into_iter().chain(parts).collect()
}

/// Reads the types of all host files that may match the blocks.
fn read_hosts(hosts: &[PathBuf], blocks: &[TargetBlock]) -> anyhow::Result<Vec<DebugAnswer>> {
    let mut answers = Vec::new();
    for host in hosts {
        let answer = read_types(host, blocks)?;
        for problem in &answer.problems {
            warn(&format!("warning: {problem}\n"));
        }
        if let Some(absence) = &answer.absence {
            warn(&format!("warning: {}: {absence}\n", host.display()));
        }
        answers.push(answer);
    }
    Ok(answers)
}
