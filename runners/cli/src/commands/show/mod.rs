//! `layoutproof show` and `layoutproof diff`: print layouts without using a device.

pub(crate) mod args;
mod bindings;
pub(crate) mod compare;
mod compiled_columns;
mod compiler_bindings;
pub(crate) mod formats;
mod host_text;
mod named_types;
mod project_columns;
mod reflection;
mod revision;
mod show_rules;

use std::mem;
use std::path::PathBuf;

use anyhow::{anyhow, bail};
use layoutproof_events::shell::shell_word;
use layoutproof_events::summary::Exit;
use layoutproof_events::{AccountEntry, AccountState, FoundKind, NotCompared};
use layoutproof_hostcheck::matching::is_generic;
use layoutproof_inputs::inputs::{expanded, read_input};
use layoutproof_inputs::named_compiler::NamedCompiler;
use layoutproof_inputs::project_file::ProjectFile;
use layoutproof_inputs::spirv_macro::{ColumnsAsRead, columns_as_read};
use layoutproof_layout::{RuleChoice, ShaderTarget, Span, TargetChoice};
use layoutproof_readers::spirv::DeclaredVarying;
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_render::render;
use layoutproof_show::front_ends::Purpose;
use layoutproof_show::name_conflicts::{ShaderBlock, name_conflicts};
use layoutproof_show::semantic_interfaces::{SemanticStages, unmatched_semantics};
use layoutproof_show::show_json::Shown;
use layoutproof_show::shown_columns::BlockPresence;
use layoutproof_show::stage_interfaces::{ShaderVarying, unmatched_inputs};
use layoutproof_show::{
    InputContent, Placements, RuleSetLayouts, ShowInput, ShownRules, Style, accounts, bindings_text, one_line,
};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

use crate::args::placement::check_profile;
use crate::commands::show::args::ShowArgs;
use crate::commands::show::bindings::binding_requests;
use crate::commands::show::compiled_columns::{CompiledColumns, RequestedColumns};
use crate::commands::show::formats::{FormatKind, ShownInput};
use crate::commands::show::project_columns::ProjectColumns;
use crate::commands::show::reflection::show_reflection;
use crate::commands::show::show_rules::{selected_columns, shown_rules};
use crate::output::{print, refusal, text_columns, warn, warn_of_error, warn_rendered};
use crate::watch::{self, Watched};

/// Shows inputs again after each change.
pub(crate) fn watch(args: &ShowArgs) -> anyhow::Result<Exit> {
    let project = ProjectFile::find(args.config.as_deref())?;
    watch::watch(Watched {
        root: project.map_or_else(|| PathBuf::from("."), |project| project.folder),
        included: args.declare.include.iter().map(PathBuf::from).collect(),
        files: args.inputs.iter().map(PathBuf::from).collect(),
        patterns: Vec::new(),
    })
}

/// Shows inputs under one or more rule sets. If one of several inputs is refused, the others are
/// still shown.
pub(crate) fn show(args: &ShowArgs, style: Style) -> anyhow::Result<Exit> {
    host_text::check_options(args)?;
    let inputs = expanded(&args.inputs, &args.declare)?;
    if let Some(form) = args.format.reflection {
        let [input] = inputs.as_slice() else { bail!("reflection is written for one file: name one") };
        return show_reflection(args, input, form, style);
    }
    let project = ProjectColumns::project(args)?;
    if let [input] = inputs.as_slice() {
        let shown = show_one(args, input, false, project.as_ref(), style)?;
        // One file may have the shaders of both stages.
        warn_of_conflicts(&unmatched_semantics(&[(input.as_str(), &shown.semantics)]));
        return Ok(shown.exit);
    }
    let kind = args.format.kind;
    if !matches!(kind, FormatKind::Tables | FormatKind::Data) {
        bail!("host structs, LLVM types, pages and pictures are written for one file: name one");
    }

    let mut exit = Exit::Agree;
    let mut shown = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        print(&(args.format.heading)(input, index > 0, style));
        match show_one(args, input, index > 0, project.as_ref(), style) {
            Ok(own) => {
                if own.exit != Exit::Agree {
                    exit = Exit::CouldNotRun;
                }
                shown.push((input.as_str(), own));
            }
            Err(error) => {
                warn_of_error(&error, style);
                exit = Exit::CouldNotRun;
            }
        }
    }
    warn_of_conflicts(&conflicts(&shown));
    Ok(exit)
}

fn warn_of_conflicts(conflicts: &[String]) {
    for conflict in conflicts {
        warn(&format!("warning: {}\n", one_line(conflict)));
    }
}

/// What was shown of a file.
struct ShownFile {
    exit: Exit,
    layouts: Vec<RuleSetLayouts>,
    varyings: Vec<DeclaredVarying>,
    semantics: SemanticStages,
}

impl ShownFile {
    fn refused(exit: Exit) -> Self {
        Self { exit, layouts: Vec::new(), varyings: Vec::new(), semantics: SemanticStages::default() }
    }
}

/// A sentence for each name of blocks that the files lay out in different ways, and for each input without an output.
fn conflicts(shown: &[(&str, ShownFile)]) -> Vec<String> {
    let (mut blocks, mut varyings) = (Vec::new(), Vec::new());
    for (file, shown) in shown {
        varyings.extend(shown.varyings.iter().map(|varying| ShaderVarying { file, varying }));
        for layouts in &shown.layouts {
            let own = layouts
                .blocks
                .iter()
                .filter(|block| matches!(block.presence, BlockPresence::Present | BlockPresence::Unplaced));
            let column = layouts.name.to_string();
            blocks.extend(own.map(|block| ShaderBlock { file, column: column.clone(), layout: &block.layout }));
        }
    }
    let semantics: Vec<_> = shown.iter().map(|(file, shown)| (*file, &shown.semantics)).collect();
    let unmatched = unmatched_inputs(&varyings).into_iter().chain(unmatched_semantics(&semantics));
    name_conflicts(&blocks, is_generic).into_iter().chain(unmatched).collect()
}

fn show_one(
    args: &ShowArgs,
    word: &str,
    is_below_another: bool,
    project: Option<&ProjectFile>,
    style: Style,
) -> anyhow::Result<ShownFile> {
    let mut sources = SourceMap::default();
    let of_project = project.map(|project| ProjectColumns::of(project, word, &args.declare)).transpose()?.flatten();
    let rules = match &of_project {
        Some(columns) => columns.rules.clone(),
        None => shown_rules(args, word).map_err(|error| not_read(args, word, Code::UnknownRules, error))?,
    };
    let declare = of_project.as_ref().map_or(&args.declare, |columns| &columns.declare);
    let profile = args.placement.profile.as_deref();
    let profile = profile.or_else(|| of_project.as_ref().and_then(|columns| columns.profile.as_deref()));
    check_profile(profile).map_err(|error| not_read(args, word, Code::Unsupported, error))?;
    let named_types = args.host.named_types();
    let with_types =
        if named_types.is_empty() { None } else { Some(named_types::with_types(word, declare, &named_types)?) };
    let declare = with_types.as_ref().map_or(declare, |with_types| &with_types.declare);
    let is_opengl = |choice: &TargetChoice| choice.target == ShaderTarget::Opengl;
    let purpose = match args.placement.target.as_slice() {
        [] => Purpose::Display,
        targets if targets.iter().any(is_opengl) => Purpose::OpenGlBindings,
        _ => Purpose::Bindings,
    };
    let read = read_input(word, declare, profile, purpose, &mut sources);
    let (mut input, mut compiled) = match read.map_err(|error| not_read(args, word, Code::Unreadable, error))? {
        Ok(input) => (input, None),
        Err(found) => {
            let requested = RequestedColumns { args, word, declare, profile, rules: &rules };
            match CompiledColumns::of(requested, &found, &sources)? {
                Ok(CompiledColumns { input, layouts, placements, note, lacks_one }) => {
                    (input, Some((layouts, placements, note, lacks_one)))
                }
                Err(found) => {
                    return match with_types.as_ref().and_then(|types| types.error(&found)) {
                        Some(error) => Err(not_read(args, word, Code::UnknownType, error)),
                        None => Ok(ShownFile::refused(refuse(args, word, &found, &sources, style))),
                    };
                }
            }
        }
    };

    if let InputContent::LaidOut(file) = &mut input.content {
        if !args.placement.target.is_empty() && args.placement.target.iter().all(is_opengl) {
            file.leave_to_driver(Span::default());
        }
    }
    let is_in_part = !args.host.block.is_empty() || with_types.is_some();
    if let Some(named_types::WithTypes { names, .. }) = &with_types {
        named_types::keep(&mut input, names)?;
    } else if is_in_part {
        input.keep_blocks(&args.host.block).map_err(|error| anyhow!(error))?;
        for layouts in compiled.iter_mut().flat_map(|(layouts, ..)| layouts) {
            layouts.blocks.retain(|shown| args.host.block.contains(&shown.layout.name));
        }
    }
    let rules = match &input.content {
        InputContent::Declared(source) if args.rules.is_empty() && args.placement.selects_columns() => {
            selected_columns(args, input.shipped_language(source))?
        }
        InputContent::Declared(_) | InputContent::LaidOut(_) => rules,
    };
    let requests = if compiled.is_some() || is_in_part { Vec::new() } else { binding_requests(&input, word, args)? };
    let own_targets: Vec<ShaderTarget> = args.placement.target.iter().map(|choice| choice.target).collect();
    let mut placements = match (&input.content, &mut compiled) {
        (InputContent::LaidOut(_), _) if is_in_part => Placements::default(),
        (_, Some((_, placements, ..))) => mem::take(placements),
        (InputContent::LaidOut(_), None) => input.declared_placements(&own_targets, declare.entry.as_deref())?,
        (InputContent::Declared(_), None) => input.placements(&requests),
    };
    let question = (&input, requests.as_slice(), sources.files());
    match args.compiler.as_slice() {
        [compiler] => compiler_bindings::take_answer(compiler, declare, word, question, &mut placements)?,
        // A named convention means its rules.
        [] if args.placement.convention.is_empty() => {
            compiler_bindings::settle_uncertain(declare, word, question, &mut placements);
        }
        _ => {}
    }
    let is_named = matches!(rules, ShownRules::Named(_));
    let are_selected = is_named || matches!(rules, ShownRules::Columns(_));
    let shows_layouts = requests.is_empty() || are_selected || args.all;
    let note = match (&of_project, args.compiler.as_slice()) {
        (Some(columns), _) => columns.note.clone(),
        (None, [compiler, ..]) => note_of_language(&input, word, compiler),
        (None, []) => String::new(),
    };
    let mut unread_columns = Vec::new();
    let (layouts, note, lacks_column) = match compiled {
        Some((layouts, _, note, lacks_one)) => (layouts, note, lacks_one),
        None if shows_layouts && input.has_blocks() => {
            let own = (word, declare, profile);
            let ColumnsAsRead { layouts, left_out } = columns_as_read(own, purpose, &rules, &mut input, &mut sources)?;
            let lacks_named = are_selected && !left_out.is_empty();
            unread_columns = left_out;
            (layouts, note, lacks_named)
        }
        None if requests.is_empty() && placements.columns.is_empty() => {
            (Vec::new(), "no block, so no layout · bindings: --target\n".to_owned(), false)
        }
        None => (Vec::new(), note, false),
    };
    let fixes_layout = matches!(input.content, InputContent::LaidOut(_));
    let forbidden = if is_named || fixes_layout { input.refusals(&layouts) } else { Vec::new() };

    let mut refused = placements.refused.clone();
    let kind = args.format.kind;
    if kind.is_program_file() || !refused.is_empty() {
        refused.extend(forbidden.iter().cloned());
    }

    // Tables have what is known all the same.
    let refuses_all = kind != FormatKind::Tables || layouts.is_empty();
    if !refused.is_empty() && refuses_all {
        if kind == FormatKind::Tables && !placements.columns.is_empty() {
            print(&bindings_text::table(&placements.columns, style, text_columns()));
        }
        return Ok(ShownFile { layouts, ..ShownFile::refused(refuse(args, word, &refused, &sources, style)) });
    }

    let mut warnings = input.warnings(&layouts);
    // Layouts and bindings have some in common.
    let of_bindings: Vec<Diagnostic> = placements.warnings().filter(|warning| !warnings.contains(warning)).collect();
    warnings.extend(of_bindings);

    let mut account = accounts::of_input(&input, word, &layouts, &placements.columns, &sources);
    if is_in_part {
        account.entries.retain(|entry| entry.kind == FoundKind::Block);
    }
    account.entries.extend(unread_columns.iter().map(|column| unread_column(word, column)));
    let text = (args.format.text)(&ShownInput {
        args,
        account: &account,
        is_below_another,
        word,
        input: &input,
        layouts: &layouts,
        has_selected_layouts: are_selected,
        requests: &requests,
        placements: &placements,
        note: &note,
        forbidden: &forbidden,
        warnings: &warnings,
        sources: &sources,
        style,
    })?;
    let exit = host_text::deliver(&args.host, &text)?;
    if kind.is_program_file() {
        warn(&note_of_other_targets(args, &input, &layouts));
    }
    if kind == FormatKind::Tables && !account.is_complete() {
        print(&format!("{}\n", one_line(&account.sentence_of("laid out"))));
    }
    warn_rendered(&render(&[forbidden.as_slice(), &warnings].concat(), &sources, style.colour));
    if !refused.is_empty() {
        return Ok(ShownFile { layouts, ..ShownFile::refused(refuse(args, word, &refused, &sources, style)) });
    }
    let exit = if forbidden.is_empty() && !lacks_column { exit } else { Exit::CouldNotRun };
    let (varyings, semantics) = match input.content {
        InputContent::LaidOut(file) => {
            (file.bindings.map(|bindings| bindings.varyings).unwrap_or_default(), SemanticStages::default())
        }
        InputContent::Declared(source) => (Vec::new(), SemanticStages::of_module(&source.module)),
    };
    Ok(ShownFile { exit, layouts, varyings, semantics })
}

/// The account of a column in which the file declares other blocks.
fn unread_column(word: &str, layouts: &RuleSetLayouts) -> AccountEntry {
    let target = layouts.choice.and_then(RuleChoice::column).map(|column| column.target);
    let option = target.map(|target| format!(": --target {target} shows them")).unwrap_or_default();
    let message = format!("the file declares other blocks there by `__spirv__`{option}");
    AccountEntry {
        kind: FoundKind::Target,
        name: layouts.name.to_string(),
        file: word.to_owned(),
        line: None,
        target: None,
        state: AccountState::not_compared(NotCompared::NoLayout { message }),
    }
}

/// A line for a user who names a compiler of a language that fixes the offsets; empty for other inputs.
fn note_of_language(input: &ShowInput, word: &str, compiler: &NamedCompiler) -> String {
    match (&input.content, input.language) {
        (InputContent::LaidOut(_), Some(language)) => {
            let is_its_own = |toolchain: &Toolchain| {
                toolchain.column().is_some_and(|column| column.compiler == Some(compiler.name.compiler))
            };
            let reads = |toolchain: &Toolchain| is_its_own(toolchain) && toolchain.language() == Some(language);
            let is_read = toolchains().iter().any(reads);
            let (language, compiler) = (language.title(), compiler.word());
            if is_read {
                let word = shell_word(word);
                format!(
                    "  {language} itself gives these offsets, whatever the compiler: `layoutproof run {word} --compiler \
                     {compiler}` compares what its code reads\n"
                )
            } else {
                format!(
                    "  {language} itself gives these offsets, whatever the compiler; {compiler} does not read {language}\n"
                )
            }
        }
        _ => String::new(),
    }
}

/// A line about the targets with other bytes than the host structs of a user who names no target; empty if there is none.
fn note_of_other_targets(args: &ShowArgs, input: &ShowInput, layouts: &[RuleSetLayouts]) -> String {
    let is_named = !args.rules.is_empty() || args.placement.selects_columns();
    let [own] = layouts else { return String::new() };
    let columns = input.layouts(&ShownRules::Shipping);
    let others = columns.iter().filter(|column| !is_named && column.differs_from(own));
    let others: Vec<String> = others.map(|column| column.name.to_string()).collect();
    if others.is_empty() {
        return String::new();
    }
    format!("note: other targets have other bytes, such as {}: name yours with --target\n", others.join(", "))
}

fn refuse(args: &ShowArgs, word: &str, found: &[Diagnostic], sources: &SourceMap, style: Style) -> Exit {
    warn_rendered(&render(found, sources, style.colour));
    print(&(args.format.refusal)(&Shown::refused(word, found, sources)));
    Exit::CouldNotRun
}

/// Prints the error as the format has it for programs; the caller prints it for people.
fn not_read(args: &ShowArgs, word: &str, code: Code, error: anyhow::Error) -> anyhow::Error {
    print(&(args.format.refusal)(&refusal(word, code, &error)));
    error
}
