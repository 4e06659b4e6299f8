//! `layoutproof show --format slang-json|slang-yaml`: shows a program's layout as Slang's reflection
//! does.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use layoutproof_bindings::reflect::{NOT_IN_JSON, ParameterUses, slang_json, yaml, yaml_of_json};
use layoutproof_bindings::{BindingRequest, Convention, Declarations, Target, slang};
use layoutproof_events::summary::Exit;
use layoutproof_events::{Account, AccountEntry};
use layoutproof_frontend::module::Module;
use layoutproof_inputs::inputs::read_input;
use layoutproof_inputs::shader_file::compiler_reading::{CompilerReading, RefusedFile};
use layoutproof_layout::native::Native;
use layoutproof_layout::resource::DataLayout;
use layoutproof_layout::shape::{MatrixOrder, Member, StructType, Type};
use layoutproof_layout::{BlockKind, Span};
use layoutproof_render::render;
use layoutproof_show::front_ends::Purpose;
use layoutproof_show::{InputContent, ShowInput, Style, accounts, one_line};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::args::placement::NamedConvention;
use crate::commands::show::args::ShowArgs;
use crate::commands::show::host_text::deliver;
use crate::output::{warn, warn_rendered};

/// Advice for a file that only slangc reads.
const ONLY_PLAIN: &str = "slangc can read it instead: `--format slang-json` or `slang-yaml` without other options";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReflectionForm {
    /// The tree of the Slang user guide's reflection chapter.
    Yaml,
    /// What `slangc -reflection-json` prints.
    Json,
}

pub(crate) fn show_reflection(args: &ShowArgs, word: &str, form: ReflectionForm, style: Style) -> anyhow::Result<Exit> {
    if args.padding || args.all || !args.rules.is_empty() || !args.compiler.is_empty() {
        bail!("reflection follows Slang's rules: leave --rules, --all, --padding and --compiler out");
    }
    let mut sources = SourceMap::default();
    let refuse = |found: &[Diagnostic], sources: &SourceMap| {
        warn_rendered(&render(found, sources, style.colour));
        Ok(Exit::CouldNotRun)
    };
    let source = match read(args, word, &mut sources)? {
        Ok(source) => source,
        Err(found) => match reflected(args, word, form, &found, &sources)? {
            Ok(json) => return deliver(&args.host, &json),
            Err(found) => return refuse(&found, &sources),
        },
    };

    let request = request(args, &source)?;
    let program = match slang::layout(&source.module, &request) {
        Ok(program) => program,
        Err(found) => return refuse(&found, &sources),
    };
    let used = ParameterUses::new(&source.module, &request);
    let text = match form {
        ReflectionForm::Yaml => yaml(&program, &used, source.options.matrix),
        ReflectionForm::Json => slang_json(&program, &used, &source.module.generated_names),
    };
    let exit = deliver(&args.host, &text)?;

    let mut warnings: Vec<Diagnostic> = source.module.warnings.iter().chain(&program.warnings).cloned().collect();
    if request.target == Target::Vulkan {
        warnings.extend(beyond_slangs_reflection(&source.module, &request.options));
    }
    warn_rendered(&render(&warnings, &sources, style.colour));
    // The formats are those of other programs, which know no account.
    let views = accounts::besides_blocks(&source.module, word, &sources).into_iter().filter(AccountEntry::is_open);
    let account = Account { entries: views.collect() };
    for gap in account.gaps() {
        warn(&format!("note: not in the reflection: {}\n", one_line(&gap)));
    }
    Ok(exit)
}

/// A warning for each declaration that slangc's code places differently from its reflection, which
/// is what these formats show: members with `[[vk::offset]]`, and buffers with their own data layout.
/// Uniform parameters under `-fvk-use-dx-layout` are the exception: for them these formats show the
/// layout of the code.
///
/// Source: Slang 2026.14.1, decorations and reflection of the same program.
fn beyond_slangs_reflection(module: &Module, options: &[String]) -> Vec<Diagnostic> {
    let (mut structs, mut known) = (Vec::new(), HashSet::new());
    for block in &module.blocks {
        add_structs(&block.element, &mut structs, &mut known);
    }
    let members = structs.iter().flat_map(|ty| &ty.members);
    let placed = members.filter(|member| member.annotations.attribute(Some("vk"), "offset").is_some());
    let warning = |member: &Member| {
        let offset = member.annotations.vk_offset().map(|offset| format!(" {offset}")).unwrap_or_default();
        let message = format!(
            "slangc's code reads `{}` at its [[vk::offset]]{offset}, which slangc's reflection ignores",
            member.name
        );
        differs(member.span, message)
    };
    let mut warnings: Vec<Diagnostic> = placed.map(warning).collect();

    for block in module.blocks.iter().filter(|block| block.kind == BlockKind::StructuredElement) {
        let own = block.data_layout.filter(|layout| *layout != DataLayout::DefaultDataLayout);
        if let Some(own) = own {
            let message = format!(
                "slangc's code lays out the elements of `{}` by {own:?}, which slangc's reflection ignores",
                block.name
            );
            warnings.push(differs(block.span, message));
        }
    }

    let has_dx_layout = options.iter().any(|option| option.trim() == "-fvk-use-dx-layout");
    for block in module.blocks.iter().filter(|block| has_dx_layout && block.kind == BlockKind::EntryUniforms) {
        let message =
            "slangc reflects these uniform parameters as a constant buffer, but its code reads them as std430";
        let problem = Diagnostic::warning(Code::UncertainLayout, block.span, message);
        warnings.push(problem.with_help("this format shows the layout of slangc's code"));
    }
    warnings
}

/// A warning that slangc's code uses a different layout at `span` than the one shown.
fn differs(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::warning(Code::UncertainLayout, span, message)
        .with_help("this format shows slangc's reflection; --format text shows the layout of its code")
}

/// Adds the structs of a type, except those in `known`.
fn add_structs<'t>(ty: &'t Type, structs: &mut Vec<&'t StructType>, known: &mut HashSet<*const StructType>) {
    let Type::Struct(structure) = ty.dimensions().0 else { return };
    let mut structure = Some(structure);
    while let Some(here) = structure.filter(|here| known.insert(Arc::as_ptr(here))) {
        structs.push(here);
        here.members.iter().for_each(|member| add_structs(&member.ty, structs, known));
        structure = here.base.as_ref();
    }
}

/// Reads a case, or a file, which may have entry points only. The inner error holds the problems of
/// its text.
fn read(
    args: &ShowArgs,
    word: &str,
    sources: &mut SourceMap,
) -> anyhow::Result<Result<Box<Declarations>, Vec<Diagnostic>>> {
    let profile = args.placement.profile.as_deref();
    Ok(match read_input(word, &args.declare, profile, Purpose::Reflection, sources)? {
        Ok(ShowInput { content: InputContent::Declared(source), .. }) => Ok(source),
        Ok(ShowInput { content: InputContent::LaidOut(_), .. }) => {
            bail!("{word} declares its own layout: reflection is for HLSL and Slang only")
        }
        Err(found) => Err(found),
    })
}

/// What slangc itself writes for a file that our reader refuses, after a note that says so. The inner error holds the
/// problems of the file.
fn reflected(
    args: &ShowArgs,
    word: &str,
    form: ReflectionForm,
    problems: &[Diagnostic],
    sources: &SourceMap,
) -> anyhow::Result<Result<String, Vec<Diagnostic>>> {
    let (path, declare, profile) = (Path::new(word), &args.declare, args.placement.profile.as_deref());
    let file = RefusedFile { path, declare, profile, problems, sources, first_file: 0 };
    if !file.may_be_read() {
        return Ok(Err(problems.to_vec()));
    }
    let is_slangc = |named: &NamedConvention| named.convention == Convention::Slang && named.version.is_none();
    let is_plain = args.placement.convention.iter().all(is_slangc) && args.placement.option.is_empty();
    if !is_plain {
        return Ok(Err(file.problems_with(ONLY_PLAIN)));
    }
    let [column] = args.placement.columns(Some(ShaderLanguage::Slang))?[..] else {
        bail!("reflection needs exactly one target: --target d3d12")
    };
    let read = match CompilerReading::of(file, Native::of_column(column).map(|native| native.name))? {
        Ok(read) => read,
        Err(found) => return Ok(Err(found)),
    };
    for note in &read.notes {
        warn(&format!("note: {note}\n"));
    }
    let json = read.columns.into_iter().find_map(|column| column.reflection).map(|reflection| reflection.json);
    let Some(json) = json else { return Ok(Err(file.problems_with(ONLY_PLAIN))) };
    Ok(Ok(match form {
        ReflectionForm::Json => json,
        ReflectionForm::Yaml => {
            let target = Target::of(column.target).context("slangc's JSON is not read for this target")?;
            format!("# From the JSON of {}, without {NOT_IN_JSON}.\n{}", read.compilers, yaml_of_json(&json, target)?)
        }
    }))
}

/// The single binding request, with the matrix order of the file or case.
fn request(args: &ShowArgs, source: &Declarations) -> anyhow::Result<BindingRequest> {
    // Slang's rules apply, whatever the language.
    let mut requests = args.placement.requests(&source.invocation, Some(ShaderLanguage::Slang))?;
    let (Some(mut request), true) = (requests.pop(), requests.is_empty()) else {
        bail!("reflection needs exactly one target: --target d3d12")
    };

    match request.convention {
        Convention::Slang | Convention::SlangDocumented => {}
        Convention::Dxc | Convention::Clang => {
            bail!("{} has no such reflection: leave --convention out", request.convention)
        }
    }

    if !request.options.iter().any(|option| option.starts_with("-matrix-layout")) {
        let order = match source.options.matrix {
            MatrixOrder::Row => "-matrix-layout-row-major",
            MatrixOrder::Column => "-matrix-layout-column-major",
        };
        request.options.push(order.to_owned());
    }
    Ok(request)
}
