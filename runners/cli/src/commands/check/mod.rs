//! `layoutproof check` and `init`: compare host structs with the blocks that they fill. Only
//! `--run` needs a GPU.
//!
//! [`layoutproof_pairs`] reads both sides and matches them; `prove` has devices read the matched blocks.

pub(crate) mod args;
pub(crate) mod init;
mod prove;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use glob::Pattern;
use layoutproof_events::shell::shell_word;
use layoutproof_events::summary::Exit;
use layoutproof_events::{Account, AccountEntry, AccountState, FoundKind, NotCompared};
use layoutproof_hostcheck::matching::{PartName, is_generic};
use layoutproof_hostcheck::{VectorTypeRow, VectorTypes, part_path};
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::files::{FileKind, read_text};
use layoutproof_inputs::globs;
use layoutproof_inputs::layout_selection::LayoutSelection;
use layoutproof_inputs::named_compiler::{NamedCompiler, named_compiler};
use layoutproof_inputs::project_file::{PROJECT_FILE, ProjectFile, ProjectShaders};
use layoutproof_inputs::refused_input::{FirstProblem, RefusedInput, advice_on, first_problem, reading_errors};
use layoutproof_inputs::shader_file::use_no_cache;
use layoutproof_pairs::comparisons::Comparisons;
use layoutproof_pairs::debug_worker::{DebugAnswer, WantedTypes, read_types};
use layoutproof_pairs::hidden_blocks::{HiddenBlocks, HiddenNote, hidden_blocks};
use layoutproof_pairs::host_text_shaders::HostTextShaders;
use layoutproof_pairs::input_kind::{CheckInput, no_shader_in};
use layoutproof_pairs::lock::{Lock, shader_name};
use layoutproof_pairs::other_layouts::note_other_layouts;
use layoutproof_pairs::pairing::{PairRules, Pairing, pair};
use layoutproof_pairs::partial_reading::{PartialReading, read_in_part};
use layoutproof_pairs::shader_blocks::{ShaderJob, TargetBlock, check_rules};
use layoutproof_pairs::{parallel, shader_blocks};
use layoutproof_records::output_files::{append_to_file, check_file, write_file};
use layoutproof_render::render;
use layoutproof_report::host_check::{
    Amount, HostCheck, MapEntry, UnreadInput, View, annotations, could_not_read, is_failing, job_summary, json, junit,
    map_entries, sarif_log, target_title, text, unread_findings,
};
use layoutproof_report::html::check_page;
use layoutproof_report::source_root::SourceRoot;
use layoutproof_show::front_ends::FrontEnd;
use layoutproof_show::name_conflicts::{ShaderBlock, name_conflicts};
use layoutproof_show::{Style, one_line};
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};
use layoutproof_source::nearest_name::did_you_mean;
use layoutproof_source::shader_language::alternatives;
use layoutproof_source::sources::{LinePlace, SourceMap};

use crate::args::placement::check_profile;
use crate::commands::check::args::{CheckArgs, CheckFormat};
use crate::commands::check::prove::Proof;
use crate::compilers::find_version;
use crate::help::PROGRAM;
use crate::output::{columns, print, print_json, print_refusal, warn, warn_of_error, warn_rendered};
use crate::shader_settings::ShaderSettings;
use crate::watch::{self, Watched};

/// Most files to name on the standard error that the text on the standard output names too.
const MOST_REPEATED: usize = 10;

/// Compares host structs with blocks.
///
/// # Errors
/// An input cannot be read, or the shaders or the project file have problems.
pub(crate) fn check(args: &CheckArgs, style: Style) -> anyhow::Result<Exit> {
    compare_hosts(args, style).inspect_err(|error| {
        let source = args.inputs.first().map_or(PROJECT_FILE.to_owned(), |path| path.display().to_string());
        let written = match args.format {
            CheckFormat::Json => {
                print_refusal(&source, Code::Unreadable, error);
                Ok(())
            }
            CheckFormat::Text => write_for_ci(args, &refused_check(&source, error)),
            CheckFormat::Junit | CheckFormat::Github | CheckFormat::Sarif => {
                write_answers(args, &refused_check(&source, error), style)
            }
        };
        // The refusal itself is the caller's error.
        if let Err(unwritten) = written {
            warn_of_error(&unwritten, style);
        }
    })
}

/// A check of nothing, for the formats that CI services read.
fn refused_check(source: &str, error: &anyhow::Error) -> HostCheck {
    let problems = error.downcast_ref::<RefusedInput>().map(RefusedInput::errors).unwrap_or_default();
    let unread = |FirstProblem { text: problem, cause, place, .. }| {
        let file = place.as_ref().map_or(source, |place: &LinePlace| &place.file).to_owned();
        UnreadInput { cause, place, ..UnreadInput::new(file, problem) }
    };
    let mut unread: Vec<UnreadInput> = problems.into_iter().map(unread).collect();
    if unread.is_empty() {
        unread.push(UnreadInput::new(source.to_owned(), format!("{error:#}")));
    }
    HostCheck { unread, ..HostCheck::default() }
}

/// Checks again after each change.
pub(crate) fn watch(args: &CheckArgs) -> anyhow::Result<Exit> {
    let project = ProjectFile::find(args.config.as_deref())?;
    let root = project.as_ref().map_or_else(|| PathBuf::from("."), |project| project.folder.clone());
    let hosts = project.iter().flat_map(|project| &project.host).map(|host| root.join(host));
    let (patterns, hosts): (Vec<PathBuf>, Vec<PathBuf>) =
        hosts.partition(|host| host.to_string_lossy().contains(['*', '?', '[']));
    let patterns = patterns.iter().map(|host| Ok(Pattern::new(&std::path::absolute(host)?.to_string_lossy())?));
    watch::watch(Watched {
        included: args.declare.include.iter().map(PathBuf::from).collect(),
        files: args.inputs.iter().cloned().chain(hosts).collect(),
        patterns: patterns.collect::<anyhow::Result<_>>()?,
        root,
    })
}

fn compare_hosts(args: &CheckArgs, style: Style) -> anyhow::Result<Exit> {
    for name in &args.rules {
        check_rules(name)?;
    }
    args.html.as_deref().map_or(Ok(()), check_file)?;
    if args.cache.no_cache {
        use_no_cache();
    }
    let project = ProjectFile::find(args.config.as_deref())?;
    if project.is_none() && args.inputs.is_empty() {
        bail!("no input is given, and no {PROJECT_FILE} is here or above; `layoutproof init` writes one");
    }
    let project = project.unwrap_or_default();

    let lock_path = Lock::path(&project);
    let accepted = if args.lock { Some(Lock::read(&lock_path)?) } else { None };

    let mut unread = UnreadInputs::default();
    let inputs = CheckInputs::collect(args, &project, &mut unread)?;
    let mut sources = SourceMap::default();
    let mut read = read_shaders(&inputs.shaders, &mut sources, &mut unread)?;
    read.others.extend(inputs.unfinished());
    let blocks = state_hosts(read.blocks, args, &project)?;
    warn_rendered(&render(&without_repeats(read.warnings, &sources), &sources, style.colour));

    let shared = blocks.iter().map(|TargetBlock { shader, target, layout, .. }| ShaderBlock {
        file: shader,
        column: target.clone(),
        layout,
    });
    let conflicts = name_conflicts(&shared.collect::<Vec<_>>(), is_generic);
    for conflict in &conflicts {
        warn(&format!("warning: {}\n", one_line(conflict)));
    }

    let hosts = read_hosts(&inputs.hosts, &blocks, &project.vector_types, &mut unread)?;
    let vector_types = VectorTypes::built_in().with_rows(&project.vector_types);
    let rules = PairRules {
        known: &project.known,
        comparisons: &Comparisons::new(&vector_types, &blocks),
        is_strict: args.strict || project.is_strict,
    };
    let mut pairing = pair(&blocks, &hosts, rules);
    note_other_layouts(&mut pairing, &blocks, rules, || true);
    let Pairing { check: mut checked, partners } = pairing;
    checked.unread = unread.inputs;
    checked.conflicts = conflicts;
    checked.account = account(&checked, read.others);
    if accepted.is_some() || args.write_lock {
        let shaders: Vec<&Path> = inputs.shaders.iter().map(|job| job.path.as_path()).collect();
        let lock = Lock::of_check(&checked, &blocks, &shaders, &project)?;
        match accepted {
            Some(accepted) => {
                let is_checked = checked_shaders(args, &checked, &shaders, &project);
                checked.lock_changes = lock.changes_since(&accepted, is_checked);
            }
            None => write_lock(&lock, &lock_path, &checked)?,
        }
    }
    let proven = if args.run && !partners.is_empty() {
        Proof { args, blocks: &blocks, partners: &partners, rules }.carry_out(&mut checked)?
    } else {
        Exit::Agree
    };
    write_answers(args, &checked, style)?;
    if args.write_map {
        write_map(&project, map_entries(&checked))?;
    }
    warn_of_unread(args, &checked, &inputs);
    Ok(exit_of(&checked).worse(proven))
}

/// What the shaders have: their blocks with or without a host struct, `others`, and the files that could not be read.
fn account(checked: &HostCheck, others: Vec<AccountEntry>) -> Account {
    let mut entries = Vec::new();
    for pair in &checked.pairs {
        let (name, target) = (pair.shader_name(), Some(target_title(&pair.target, &pair.shader)));
        let (kind, file, state) = (FoundKind::Block, pair.shader.clone(), AccountState::Compared);
        entries.push(AccountEntry { kind, name, file, line: None, target, state });
    }
    for unmatched in &checked.unmatched {
        let (name, target) = (unmatched.block.clone(), Some(target_title(&unmatched.target, &unmatched.shader)));
        let file = unmatched.shader.clone();
        let line = unmatched.place.as_ref().filter(|place| place.file == file).and_then(|place| place.line);
        let state = AccountState::not_compared(NotCompared::NoHost { message: unmatched.reason.to_string() });
        entries.push(AccountEntry { kind: FoundKind::Block, name, file, line, target, state });
    }
    for unread in &checked.unread {
        let (kind, file) = (FoundKind::File, unread.file.clone());
        let state = AccountState::not_compared(NotCompared::Unread { message: unread.problem.clone() });
        entries.push(AccountEntry { kind, name: file.clone(), file, line: None, target: None, state });
    }
    // Several entries of a project may compile one file.
    for other in others {
        if !entries.contains(&other) {
            entries.push(other);
        }
    }
    Account { entries }
}

/// Prints the check in its format, and writes the files that are wanted besides.
fn write_answers(args: &CheckArgs, checked: &HostCheck, style: Style) -> anyhow::Result<()> {
    match args.format {
        CheckFormat::Text => {
            let amount = match (args.quiet, args.verbose) {
                (true, _) => Amount::Headline,
                (_, true) => Amount::All,
                (false, false) => Amount::Differences,
            };
            print(&text(checked, View { style, columns: columns(), amount }));
        }
        CheckFormat::Json => print_json(&json(checked)),
        CheckFormat::Junit => print(&junit(checked)),
        CheckFormat::Sarif => print(&sarif_log(checked, &SourceRoot::find())),
        CheckFormat::Github => print(&annotations(checked, &SourceRoot::find())),
    }
    write_for_ci(args, checked)?;
    if let Some(path) = &args.html {
        write_file(path, &check_page(checked, &typed_command()))?;
    }
    Ok(())
}

/// Writes what GitHub shows of a job, next to the text.
fn write_for_ci(args: &CheckArgs, checked: &HostCheck) -> anyhow::Result<()> {
    let is_text = args.format == CheckFormat::Text;
    if is_text && std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        print(&annotations(checked, &SourceRoot::find()));
    }
    match std::env::var_os("GITHUB_STEP_SUMMARY") {
        Some(path) if is_text || args.format == CheckFormat::Github => {
            append_to_file(Path::new(&path), &job_summary(checked))
        }
        Some(_) | None => Ok(()),
    }
}

/// Names the types that are not there and the files that could not be read.
fn warn_of_unread(args: &CheckArgs, checked: &HostCheck, inputs: &CheckInputs) {
    for unmatched in checked.unmatched.iter().filter(|unmatched| unmatched.names_no_type()) {
        warn(&format!("error: block `{}`: {}\n", unmatched.block, unmatched.reason));
    }
    let is_listed = args.format == CheckFormat::Text && !args.quiet;
    match checked.unread.len() {
        many if many > MOST_REPEATED && is_listed => warn(&format!("error: {many} files could not be read\n")),
        _ => {
            for finding in unread_findings(checked) {
                let also = finding.also().map_or_else(String::new, |also| format!("; also {also}"));
                warn(&format!("error: {}{also}\n", finding.sentence()));
            }
        }
    }
    let shaders: BTreeSet<String> = inputs.shaders.iter().map(|job| job.path.display().to_string()).collect();
    if args.inputs.is_empty() && checked.unread.iter().any(|unread| shaders.contains(&unread.file)) {
        warn(&format!("note: list shaders that are never compiled on their own under `except` in {PROJECT_FILE}\n"));
    }
}

fn write_lock(lock: &Lock, path: &Path, checked: &HostCheck) -> anyhow::Result<()> {
    if checked.unread.is_empty() {
        lock.write(path)?;
        warn(&format!("note: wrote {} to {}\n", lock.summary(), path.display()));
    } else {
        warn(&format!("warning: {} is not written, because not all files could be read\n", path.display()));
    }
    Ok(())
}

/// Tells whether this check says something about a shader of the lock file: all shaders of a project, or
/// those that the user names, without those that could not be read.
fn checked_shaders(
    args: &CheckArgs,
    check: &HostCheck,
    shaders: &[&Path],
    project: &ProjectFile,
) -> impl Fn(&str) -> bool + use<> {
    let unread: BTreeSet<String> =
        check.unread.iter().map(|unread| shader_name(Path::new(&unread.file), project)).collect();
    let named: BTreeSet<String> = shaders.iter().map(|shader| shader_name(shader, project)).collect();
    let is_whole = args.inputs.is_empty();
    move |shader| !unread.contains(shader) && (is_whole || named.contains(shader))
}

/// Appends entries to the project file, or to a new one in the working folder.
fn write_map(project: &ProjectFile, entries: Vec<MapEntry>) -> anyhow::Result<()> {
    if entries.is_empty() {
        warn("note: no block has a best proposal that would agree, so nothing was written\n");
        return Ok(());
    }
    let is_new = project.path.as_os_str().is_empty();
    let path = if is_new { Path::new(PROJECT_FILE) } else { &project.path };
    let start = if is_new { "schema = 1\n".to_owned() } else { read_text(path, FileKind::List)? };
    let written =
        if let [_] = entries.as_slice() { "1 entry".to_owned() } else { format!("{} entries", entries.len()) };
    let mut text = start;
    for entry in entries {
        // Patterns of the file count from its folder.
        let relative = |shader: String| project.relative(Path::new(&shader)).map_or(shader, |path| slashed(&path));
        text += &MapEntry { shader: entry.shader.map(relative), ..entry }.to_string();
    }
    write_file(path, &text)?;
    warn(&format!("note: wrote {written} to {}\n", path.display()));
    Ok(())
}

fn slashed(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The command as the user typed it, with the program's usual name.
fn typed_command() -> String {
    let words = std::env::args_os().skip(1).map(|word| shell_word(&word.to_string_lossy()).into_owned());
    std::iter::once(PROGRAM.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The exit code is 2 if an input could not be read or the user names a type that no host file defines, otherwise 1 for a
/// difference, otherwise 4 if nothing was compared.
fn exit_of(check: &HostCheck) -> Exit {
    if could_not_read(check) {
        return Exit::CouldNotRun;
    }
    if is_failing(check) {
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
    /// The texts of programs with the lines of shaders that they complete when they run.
    unfinished: Vec<(PathBuf, u32)>,
}

impl CheckInputs {
    /// The inputs that the user names. The project supplies shaders if the user names none, and
    /// likewise host files.
    ///
    /// # Errors
    /// No input of one kind is left, or the project has a problem.
    fn collect(args: &CheckArgs, project: &ProjectFile, unread: &mut UnreadInputs) -> anyhow::Result<Self> {
        let mut inputs = Self::default();
        for path in &args.inputs {
            match CheckInput::of(path, args.declare.lang) {
                Ok(CheckInput::Shader(path) | CheckInput::HostText(path)) => {
                    inputs.add_named_shader(&path, args, project, unread)?;
                }
                Ok(CheckInput::Host(path)) => inputs.hosts.push(path),
                Err(error) => unread.add(path, error),
            }
        }
        // The project must not replace inputs that the user names.
        unread.end_if(inputs.shaders.is_empty())?;
        if inputs.shaders.is_empty() {
            for shaders in &project.shaders {
                inputs.add_project_shaders(shaders, args, project, unread)?;
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

        unread.end_if(inputs.shaders.is_empty() || inputs.hosts.is_empty())?;
        match (inputs.shaders.is_empty(), inputs.hosts.is_empty()) {
            (true, _) => bail!("no shader is given: name {} files", alternatives(&FrontEnd::suffixes())),
            (false, true) => bail!("no host file is given: name objects, libraries, programs or a .pdb"),
            (false, false) => Ok(inputs),
        }
    }

    /// Adds a shader once per entry of the project that compiles it. Without such an entry, adds it
    /// with the command line's settings.
    fn add_named_shader(
        &mut self,
        path: &Path,
        args: &CheckArgs,
        project: &ProjectFile,
        unread: &mut UnreadInputs,
    ) -> anyhow::Result<()> {
        let entries = project.entries_of(path);
        for shaders in &entries {
            let settings = ShaderSettings::of_project(shaders, args.declare.args.as_deref(), &args.declare, project)?;
            self.add(job(path.to_owned(), settings, args)?, unread);
        }
        if entries.is_empty() {
            let settings = ShaderSettings::named(args.declare.args.as_deref(), &args.declare, project)?;
            self.add(job(path.to_owned(), settings, args)?, unread);
        }
        Ok(())
    }

    fn add_project_shaders(
        &mut self,
        shaders: &ProjectShaders,
        args: &CheckArgs,
        project: &ProjectFile,
        unread: &mut UnreadInputs,
    ) -> anyhow::Result<()> {
        for pattern in &shaders.files {
            let found = globs::expand(&project.folder, pattern)?;
            if found.is_empty() {
                bail!("{}: no shader matches `{pattern}`", project.path.display());
            }
            let settings = ShaderSettings::of_project(shaders, args.declare.args.as_deref(), &args.declare, project)?;
            let own = found.into_iter().filter(|path| !project.excepts(shaders, path));
            for path in own {
                project.own_shader(&path)?;
                self.add(job(path, settings.clone(), args)?, unread);
            }
        }
        Ok(())
    }

    /// Adds a shader, or those in the text of a program. A shader that several programs include is added once.
    fn add(&mut self, job: ShaderJob, unread: &mut UnreadInputs) {
        let found = match HostTextShaders::of_file(&job) {
            Ok(Some(found)) => found,
            Ok(None) => return self.shaders.push(job),
            Err(error) => return unread.add(&job.path, error),
        };
        if found.is_empty() {
            return unread.add(&job.path, no_shader_in(&job.path));
        }
        for (path, reason) in found.unread {
            unread.add(&path, anyhow!("{}: {reason}", path.display()));
        }
        for line in found.unfinished {
            let place = job.path.display();
            warn(&format!("note: {place}:{line}: the program completes this shader when it runs, so it is not read\n"));
            self.unfinished.push((job.path.clone(), line));
        }
        for shader in found.jobs {
            let is_new =
                !shader.declare.texts.is_empty() || !self.shaders.iter().any(|other| other.path == shader.path);
            if is_new {
                self.shaders.push(shader);
            }
        }
    }

    /// The shaders that programs complete when they run.
    fn unfinished(&self) -> impl Iterator<Item = AccountEntry> {
        self.unfinished.iter().map(|(path, line)| {
            let file = path.display().to_string();
            let message = "the program completes this shader when it runs".to_owned();
            let state = AccountState::not_compared(NotCompared::Unread { message });
            let (kind, name) = (FoundKind::File, format!("{file}:{line}"));
            AccountEntry { kind, name, file, line: Some(*line), target: None, state }
        })
    }
}

/// A shader with its settings, for the targets of the command line.
fn job(path: PathBuf, settings: ShaderSettings, args: &CheckArgs) -> anyhow::Result<ShaderJob> {
    // Compilers that only make shaders for devices need not lay out HLSL.
    let selects = !args.run || !args.target.is_empty();
    let named = args.compiler.iter().filter(|_| selects).map(|word| named_compiler(word));
    let mut compilers: Vec<NamedCompiler> =
        named.collect::<Result<_, _>>().map_err(|error| anyhow!("--compiler: {error}"))?;
    compilers.iter_mut().try_for_each(find_version)?;
    check_profile(settings.arguments.profile.as_deref()).with_context(|| path.display().to_string())?;
    let names = compilers.iter().map(|named| named.name.clone()).collect();
    let mut named = LayoutSelection { rules: args.rules.clone(), targets: args.target.clone(), compilers: names };
    named.complete(&settings.arguments);
    // The text is read for them, as `__spirv__` depends on the target.
    let mut targets = named.shader_targets();
    if targets.is_empty() && named.compilers.is_empty() {
        targets = settings.declare.targets;
    }
    Ok(ShaderJob {
        path,
        declare: DeclareArgs { compilers, targets, ..settings.declare },
        profile: settings.arguments.profile,
        named,
        usual: settings.layouts,
    })
}

/// The inputs that could not be read, so far.
#[derive(Debug, Default)]
struct UnreadInputs {
    inputs: Vec<UnreadInput>,
    /// The first error, for the case that nothing is left to compare.
    first: Option<anyhow::Error>,
}

impl UnreadInputs {
    fn add(&mut self, path: &Path, error: anyhow::Error) {
        self.inputs.push(UnreadInput::new(path.display().to_string(), format!("{error:#}")));
        self.first.get_or_insert(error);
    }

    /// Ends the check with the first error if nothing is left to compare.
    fn end_if(&mut self, is_nothing_left: bool) -> anyhow::Result<()> {
        match self.first.take_if(|_| is_nothing_left) {
            Some(error) => {
                for unread in self.inputs.iter().skip(1) {
                    warn(&format!("error: {}\n", unread.reason()));
                }
                Err(error)
            }
            None => Ok(()),
        }
    }
}

/// The blocks of all shaders that can be read.
///
/// # Errors
/// No shader has a block. If some could not be read, their problems are the error.
fn read_shaders(
    shaders: &[ShaderJob],
    sources: &mut SourceMap,
    unread: &mut UnreadInputs,
) -> anyhow::Result<shader_blocks::ShaderBlocks> {
    let mut all = shader_blocks::ShaderBlocks::default();
    let mut problems: Vec<Diagnostic> = Vec::new();
    let mut refused: Vec<UnreadInput> = Vec::new();
    let mut without_blocks: Vec<Diagnostic> = Vec::new();
    let read_alone = |job: &ShaderJob| {
        let mut own = SourceMap::default();
        let read = shader_blocks::read(job, &mut own);
        let (mut part, mut hidden) = (Ok(None), Ok(HiddenBlocks::default()));
        match &read {
            Ok(Err(problems)) if reading_errors(problems).next().is_none() => hidden = hidden_blocks(job, &[], &own),
            Ok(Err(problems)) => part = read_in_part(job, problems, &own),
            Ok(Ok(read)) => hidden = hidden_blocks(job, &read.blocks, &own),
            Err(_) => {}
        }
        (read, own, part, hidden)
    };
    let read = parallel::for_all(shaders, read_alone)?;
    let mut hidden_notes: Vec<HiddenNote> = Vec::new();
    for (job, (read, own, part, hidden)) in shaders.iter().zip(read) {
        let first = sources.append(own);
        let hidden = hidden?;
        hidden_notes.extend(hidden.notes);
        all.others.extend(hidden.others);
        let moved = |found: Vec<Diagnostic>| found.into_iter().map(move |problem| problem.in_files_from(first));
        match read.map(|read| read.map_err(|problems| moved(problems).collect::<Vec<_>>())) {
            Err(error) => unread.add(&job.path, error),
            Ok(Ok(read)) => {
                for note in &read.notes {
                    warn(&format!("note: {note}\n"));
                }
                let file = job.path.display().to_string();
                refused.extend(read.left_out.into_iter().map(|reason| UnreadInput::new(file.clone(), reason)));
                all.blocks.extend(read.blocks);
                all.others.extend(read.others);
                all.warnings.extend(moved(read.warnings));
            }
            Ok(Err(found)) if reading_errors(&found).next().is_none() => {
                without_blocks.extend(found.into_iter().filter(|problem| problem.code == Code::NothingDeclared));
            }
            Ok(Err(found)) => {
                let file = job.path.display().to_string();
                let FirstProblem { text: problem, cause, place, .. } = first_problem(&file, &found, sources);
                let mut unread = UnreadInput { file, problem, cause, place, advice: advice_on(&found), blocks_read: 0 };
                if let Some(PartialReading { read, sources: own, macros }) = part? {
                    let first = sources.append(own);
                    unread.advice.macros.extend(macros);
                    let names: BTreeSet<&str> = read.blocks.iter().map(|block| block.layout.name.as_str()).collect();
                    unread.blocks_read = names.len();
                    all.blocks.extend(read.blocks);
                    all.others.extend(read.others);
                    all.warnings.extend(read.warnings.into_iter().map(|warning| warning.in_files_from(first)));
                }
                refused.push(unread);
                problems.extend(found);
            }
        }
    }

    let shown: BTreeSet<&str> = all.blocks.iter().map(|block| block.layout.name.as_str()).collect();
    for note in hidden_notes.iter().filter(|note| !note.is_shown_elsewhere(&shown)) {
        warn(&format!("note: {}\n", note.text));
    }

    // In a project with many shaders, some without a buffer are fine. If none has one, there is
    // nothing to check.
    if all.blocks.is_empty() {
        if problems.is_empty() && without_blocks.len() > 1 {
            bail!("none of the {} shaders has a buffer, so there is nothing to compare", without_blocks.len());
        }
        problems.append(&mut without_blocks);
        if !problems.is_empty() {
            bail!(RefusedInput { diagnostics: problems, sources: std::mem::take(sources) })
        }
        unread.end_if(true)?;
    }
    unread.inputs.extend(refused);
    if let [_] = without_blocks.as_slice() {
        let as_warning = |problem: Diagnostic| Diagnostic { severity: Severity::Warning, ..problem };
        all.warnings.extend(without_blocks.into_iter().map(as_warning));
    } else if !without_blocks.is_empty() {
        let files: Vec<&str> =
            without_blocks.iter().map(|problem| sources.file(problem.span().file).name.as_str()).collect();
        let named = files.iter().take(3).copied().collect::<Vec<_>>().join(", ");
        let more = if files.len() > 3 { format!(" and {} more", files.len() - 3) } else { String::new() };
        warn(&format!("warning: {} shaders have no buffer: {named}{more}\n", files.len()));
    }
    Ok(all)
}

/// The warnings, each once for a file that several shaders include.
fn without_repeats(mut warnings: Vec<Diagnostic>, sources: &SourceMap) -> Vec<Diagnostic> {
    let mut known = BTreeSet::new();
    warnings.retain(|warning| match warning.labels.first() {
        Some(label) => {
            known.insert((sources.file(label.span.file).name.clone(), label.span.start, warning.message.clone()))
        }
        None => true,
    });
    warnings
}

/// The blocks with what the command line, comments and the project say about their host types, in this
/// order of precedence. A block is compared with each type that is stated for it.
fn state_hosts(blocks: Vec<TargetBlock>, args: &CheckArgs, project: &ProjectFile) -> anyhow::Result<Vec<TargetBlock>> {
    let mut stated = Vec::new();
    let mut found = BTreeSet::new();
    let names: BTreeSet<String> = blocks.iter().map(|block| block.layout.name.clone()).collect();
    // A name that no block has may be that of its type, as of a block in GLSL that has another name in the shader.
    let is_name_of = |block: &TargetBlock, name: &str| {
        let name = name.trim_end_matches("[]");
        block.layout.name == name || (!names.contains(name) && block.names.element.as_deref() == Some(name))
    };
    for mut block in blocks {
        let mut hosts: Vec<String> = Vec::new();
        for mapping in &args.map {
            let is_own = is_name_of(&block, &mapping.block);
            hosts.extend(Some(&mapping.host).filter(|_| is_own).cloned());
            let parts = parts_named(&mut block, &mapping.block);
            if is_own || !parts.is_empty() {
                found.insert(&mapping.block);
            }
            for part in parts {
                part.stated = Some(mapping.host.trim_end_matches("[]").to_owned());
            }
        }
        if hosts.is_empty() {
            hosts.extend(block.names.stated.clone());
        }
        for mapping in project.mappings_of(Path::new(&block.shader), &block.compiled.defines) {
            if is_name_of(&block, &mapping.block) {
                if hosts.is_empty() {
                    hosts.clone_from(&mapping.hosts);
                }
                block.host_start = block.host_start.or(mapping.offset);
                block.contract = block.contract.or(mapping.contract);
                for (shader, host) in &mapping.members {
                    block.renames.entry(shader.clone()).or_insert_with(|| host.clone());
                }
            }
            for part in parts_named(&mut block, &mapping.block) {
                if mapping.contract.is_some() || mapping.offset.is_some() || mapping.hosts.len() > 1 {
                    bail!(
                        "`{}` is a part of a block: `contract`, `offset` and several hosts are for a whole block",
                        mapping.block
                    );
                }
                part.stated = part.stated.take().or_else(|| mapping.hosts.first().cloned());
            }
        }
        match hosts.as_slice() {
            [] => stated.push(block),
            hosts => {
                for host in hosts {
                    stated.push(block.clone().with_host(host)?);
                }
            }
        }
    }
    match args.map.iter().find(|mapping| !found.contains(&mapping.block)) {
        Some(unknown) => {
            let meant = did_you_mean(&unknown.block, names.iter().map(String::as_str));
            bail!("--map names the block `{}`, which no shader has{meant}", unknown.block)
        }
        None => Ok(stated),
    }
}

/// The parts of a block with this name, such as the elements `Counted.spheres[]`.
fn parts_named<'a>(block: &'a mut TargetBlock, name: &str) -> Vec<&'a mut PartName> {
    let name = name.trim_end_matches("[]");
    let own = &block.layout.name;
    let is_part = |member: &str| !member.is_empty() && part_path(own, member) == name;
    block.names.parts.iter_mut().filter(|part| is_part(&part.member)).collect()
}

/// Reads the types of all host files that may match the blocks.
///
/// # Errors
/// No host file can be read.
fn read_hosts(
    hosts: &[PathBuf],
    blocks: &[TargetBlock],
    vector_types: &[VectorTypeRow],
    unread: &mut UnreadInputs,
) -> anyhow::Result<Vec<DebugAnswer>> {
    let mut answers = Vec::new();
    let wanted = WantedTypes::new(blocks, vector_types);
    let read = parallel::for_all(hosts, |host| read_types(host, &wanted))?;
    for (host, answer) in hosts.iter().zip(read) {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                unread.add(host, error);
                continue;
            }
        };
        // Types may be missing because of the damage.
        if answer.absence.is_some() && !answer.problems.is_empty() {
            unread.add(host, anyhow!(answer.problems.join("; ")));
            continue;
        }
        for problem in &answer.problems {
            warn(&format!("warning: {problem}\n"));
        }
        if let Some(absence) = &answer.absence {
            warn(&format!("warning: {}: {absence}\n", host.display()));
        }
        answers.push(answer);
    }
    unread.end_if(answers.is_empty())?;
    Ok(answers)
}
