//! `layoutproof show --compiler dxc`: shows the registers that DXC assigns, next to those of our
//! rules for it.
//!
//! DXC assigns registers after optimisation, so its answer also holds where ours depends on the
//! optimiser. Where our answer is uncertain, `show` takes DXC's without the option, too.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use layoutproof_bindings::{Binding, BindingRequest, BoundModule, Convention, Declarations, Target, bind};
use layoutproof_compilers::binding_answers::{BindingAnswer, BindingCompiler};
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::user_files::ask_dxc_in;
use layoutproof_core::results::frozen::manifest::dotted_version;
use layoutproof_frontend::module::{EntryPoint, Module};
use layoutproof_inputs::declare::{DeclareArgs, MatrixArg, OnOff};
use layoutproof_inputs::named_compiler::NamedCompiler;
use layoutproof_inputs::shader_file::{limited_to, outside_of};
use layoutproof_inputs::shared_suffixes::language_of_file;
use layoutproof_layout::{Argument, Column, ShaderCompiler, Span};
use layoutproof_random::ProgramDialect;
use layoutproof_show::bindings_text::BindingsColumn;
use layoutproof_show::{InputContent, Placements, ShowInput};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceFile;

use crate::compilers;
use crate::output::warn;

/// Time limit for compiling the file.
const LIMIT: Duration = Duration::from_secs(60);

/// The newest shader model of the DXC build that our rules were measured with.
const SHADER_MODEL: &str = "6_6";

/// Replaces our registers with DXC's if `compiler` is DXC, and it is here, and the request is one
/// that it answers: an HLSL file for D3D12.
pub(crate) fn take_answer(
    compiler: &NamedCompiler,
    declare: &DeclareArgs,
    word: &str,
    (input, requests, texts): (&ShowInput, &[BindingRequest], &[SourceFile]),
    placements: &mut Placements,
) -> anyhow::Result<()> {
    let Some((source, request, path)) = question(declare, word, (input, requests)) else { return Ok(()) };
    let Some(dxc) = find(compiler)? else {
        warn(
            "note: no DXC of that build can be asked here, so these are the registers of layoutproof's rules for it (`layoutproof setup dxc` fetches DXC 1.7)\n",
        );
        return Ok(());
    };
    let arguments = arguments(declare, &source.module, request, &path)?;
    match registers(&dxc, &arguments, declare, (&path, texts))? {
        BindingAnswer::Placed(theirs) => {
            replace(placements, &dxc, source, request, theirs, ComparedRows::All);
            Ok(())
        }
        BindingAnswer::Refused(said) => {
            bail!("{} {} refuses {word}:\n{}", dxc.compiler().title(), arguments.join(" "), said.trim_end())
        }
    }
}

/// Replaces uncertain registers with DXC's, if it is here and accepts the file, and says so.
pub(crate) fn settle_uncertain(
    declare: &DeclareArgs,
    word: &str,
    (input, requests, texts): (&ShowInput, &[BindingRequest], &[SourceFile]),
    placements: &mut Placements,
) {
    let is_uncertain = placements.columns.iter().any(|column| !column.bound.uncertain.is_empty());
    let Some((source, request, path)) = question(declare, word, (input, requests)).filter(|_| is_uncertain) else {
        return;
    };
    let compiler = NamedCompiler::any(ShaderCompiler::Dxc);
    // Without a stage, DXC needs a profile.
    let Ok(arguments) = arguments(declare, &source.module, request, &path) else { return };
    let Ok(Some(dxc)) = find(&compiler) else { return };
    match registers(&dxc, &arguments, declare, (&path, texts)) {
        Ok(BindingAnswer::Placed(theirs)) => {
            replace(placements, &dxc, source, request, theirs, ComparedRows::Certain);
            warn(
                "note: layoutproof's rules leave registers uncertain here, so these are DXC's own (`--convention dxc` shows those \
                 of the rules)\n",
            );
        }
        Ok(BindingAnswer::Refused(said)) => {
            let first = said.lines().find(|line| line.contains("error")).unwrap_or_default();
            let (dxc, arguments) = (dxc.compiler().title(), arguments.join(" "));
            warn(&format!("note: uncertain registers stay so: {dxc} {arguments} refuses {word}: {first}\n"));
        }
        Err(how) => warn(&format!("note: uncertain registers stay so: {how:#}\n")),
    }
}

/// The module, request and path of a question that DXC answers: one request for D3D12, of an HLSL file.
fn question<'q>(
    declare: &DeclareArgs,
    word: &str,
    (input, requests): (&'q ShowInput, &'q [BindingRequest]),
) -> Option<(&'q Declarations, &'q BindingRequest, PathBuf)> {
    let ([request], InputContent::Declared(source)) = (requests, &input.content) else { return None };
    let path = PathBuf::from(word);
    let is_file = !source.is_case && language_of_file(declare.lang, &path) == Some(ShaderLanguage::Hlsl);
    let is_answered = (request.target, request.convention) == (Target::D3d12, Convention::Dxc);
    (is_answered && is_file && path.is_file()).then_some((&**source, request, path))
}

fn find(compiler: &NamedCompiler) -> anyhow::Result<Option<BindingCompiler>> {
    let found = compilers::find(&[compiler.word()], LIMIT.as_secs(), None)?;
    // The search finds the other builds of DXC, too.
    let name = compiler.name.to_string();
    let is_meant = |found: &&Compiler| match (&compiler.file, &compiler.name.version) {
        (Some(_), Some(version)) => dotted_version(found.version()) == *version,
        (Some(_), None) => found.name() == ShaderCompiler::Dxc.as_str(),
        (None, _) => found.name() == name,
    };
    let dxc = found.compilers().iter().find(is_meant);
    // A build for Windows runs under Wine, which the limits for users' files do not allow.
    Ok(dxc.cloned().and_then(|dxc| match &compiler.file {
        Some(_) => Some(BindingCompiler::new(dxc, ProgramDialect::Dxc)),
        None => BindingCompiler::of(dxc),
    }))
}

fn registers(
    dxc: &BindingCompiler,
    arguments: &[String],
    declare: &DeclareArgs,
    (path, texts): (&Path, &[SourceFile]),
) -> anyhow::Result<BindingAnswer<Vec<Binding>>> {
    let shown = path.display();
    if let Some(name) = outside_of(path, declare, texts) {
        bail!(
            "{shown} names {name}, outside of the project, and nothing on this system keeps dxc from opening that: -I \
             with its folder allows it"
        );
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let limited = limited_to(path, declare);
    let answer = ask_dxc_in(dxc.compiler(), folder, &words, limited, LIMIT).context("starting dxc")?;
    dxc.listed_registers(answer).map_err(|how| anyhow!("dxc returned no result for {shown}: {how}"))
}

/// The rows of our rules that are compared with DXC's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ComparedRows {
    All,
    Certain,
}

/// Puts DXC's registers in place of ours, with those of ours that differ.
fn replace(
    placements: &mut Placements,
    dxc: &BindingCompiler,
    source: &Declarations,
    request: &BindingRequest,
    theirs: Vec<Binding>,
    rows: ComparedRows,
) {
    let bound = match bind(&source.module, request) {
        Ok(ours) => compared(theirs, &ours, &source.module, rows),
        Err(refused) => {
            let warning = |refusal: Diagnostic| {
                let message = format!("DXC accepts this; layoutproof's rules refuse it: {}", refusal.message);
                Diagnostic::warning(Code::CompilerDiffers, refusal.span(), message)
            };
            let warnings = refused.into_iter().map(warning).collect();
            BoundModule { bindings: theirs, warnings, ..BoundModule::default() }
        }
    };
    placements.refused.clear();
    let entry = placements.columns.pop().and_then(|column| column.entry);
    let version = dotted_version(dxc.compiler().version());
    let column = Column { version: Some(&version), ..request.column() };
    let overlaps = bound.overlaps(false);
    let mut shown = BindingsColumn::new(column, bound, entry, overlaps);
    shown.name += " itself";
    shown.declare(&source.module, false);
    placements.columns = vec![shown];
}

/// DXC's rows, with the rows of our rules where they differ.
fn compared(mut theirs: Vec<Binding>, rules: &BoundModule, module: &Module, rows: ComparedRows) -> BoundModule {
    let ours = &rules.bindings;
    let declared = |path: &str| {
        let parameter = module.parameters.iter().find(|parameter| parameter.name == path);
        let own = || ours.iter().find(|row| row.path == path).map(|row| row.span);
        parameter.map(|parameter| parameter.span).or_else(own).unwrap_or_default()
    };
    for row in &mut theirs {
        row.span = declared(&row.path);
    }

    let mut bound = BoundModule::default();
    let mut paths: Vec<&str> = Vec::new();
    for row in theirs.iter().chain(ours) {
        if !paths.contains(&row.path.as_str()) {
            paths.push(&row.path);
        }
    }
    let places = |rows: &[Binding], path: &str| -> Vec<Binding> {
        let own = rows.iter().filter(|row| row.path == path);
        own.map(|row| Binding { span: Span::default(), ..row.clone() }).collect()
    };
    for path in paths {
        let (their, our) = (places(&theirs, path), places(ours, path));
        if their == our || (rows == ComparedRows::Certain && rules.uncertain.contains_key(path)) {
            continue;
        }
        let span = declared(path);
        let message = match (their.first(), our.first()) {
            (Some(their), Some(our)) => {
                format!("DXC gives `{path}` {}, layoutproof's rules {}", place(their), place(our))
            }
            (Some(their), None) => {
                format!("DXC gives `{path}` {}; by layoutproof's rules it is not used", place(their))
            }
            (None, Some(our)) => {
                format!("DXC drops `{path}`, which nothing needs; layoutproof's rules give it {}", place(our))
            }
            (None, None) => continue,
        };
        bound.warnings.push(Diagnostic::warning(Code::CompilerDiffers, span, message));
        bound.differing.insert(path.to_owned(), our);
    }
    bound.bindings = theirs;
    bound
}

fn place(binding: &Binding) -> String {
    let Binding { unit, space, index, .. } = binding;
    if *space == 0 { format!("{unit}{index}") } else { format!("{unit}{index} in space {space}") }
}

/// DXC's arguments for a file. DXC runs in the folder of the file.
fn arguments(
    declare: &DeclareArgs,
    module: &Module,
    request: &BindingRequest,
    path: &Path,
) -> anyhow::Result<Vec<String>> {
    let entry = match &declare.entry {
        Some(name) => module.entry_points.iter().find(|entry| entry.name == *name),
        None => module.entry_points.first(),
    };
    let name = declare.entry.clone().or_else(|| entry.map(|entry| entry.name.clone()));
    let profile = profile(request.profile.as_deref(), entry)?;
    let mut arguments = vec!["-T".to_owned(), profile.clone()];
    if !profile.starts_with("lib") {
        let name = name.context("--compiler dxc compiles an entry point: name one with --entry")?;
        arguments.extend(["-E".to_owned(), name]);
    }
    for define in &declare.define {
        arguments.extend(["-D".to_owned(), define.clone()]);
    }
    for folder in &declare.include {
        let folder = std::path::absolute(folder).with_context(|| format!("-I {folder}"))?;
        arguments.extend(["-I".to_owned(), folder.to_string_lossy().into_owned()]);
    }
    if declare.matrix == Some(MatrixArg::Row) {
        arguments.push("-Zpr".to_owned());
    }
    if declare.sixteen_bit == Some(OnOff::On) {
        arguments.push("-enable-16bit-types".to_owned());
    }
    for option in &request.options {
        arguments.extend(option.split_whitespace().map(str::to_owned));
    }
    let file = path.file_name().context("the file has no name")?;
    arguments.push(file.to_string_lossy().into_owned());
    Ok(arguments)
}

/// The user's profile, with the stage of the entry point if the profile has none.
fn profile(named: Option<&str>, entry: Option<&EntryPoint>) -> anyhow::Result<String> {
    let model = match named {
        Some(named) => match named.strip_prefix("sm_") {
            Some(model) => model,
            None => return Ok(named.to_owned()),
        },
        None => SHADER_MODEL,
    };
    let stage = entry.and_then(stage).with_context(|| {
        format!(
            "--compiler dxc: the stage of the entry point is unknown: name it with --profile, for example ps_{model}"
        )
    })?;
    Ok(format!("{stage}_{model}"))
}

/// The stage from the attributes or the result of an entry point.
fn stage(entry: &EntryPoint) -> Option<&'static str> {
    let named = |attribute: &layoutproof_layout::Attribute| match attribute.arguments.first() {
        Some(Argument::Text(name)) => Some(name.clone()),
        _ => None,
    };
    let name = entry.annotations.attribute(None, "shader").and_then(named);
    let name = name.or_else(|| entry.implied_stage().map(str::to_owned))?;
    Some(match name.as_str() {
        "vertex" => "vs",
        "pixel" => "ps",
        "compute" => "cs",
        "geometry" => "gs",
        "hull" => "hs",
        "domain" => "ds",
        "mesh" => "ms",
        "amplification" => "as",
        _ => "lib",
    })
}
