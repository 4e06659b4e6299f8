//! Compiles a user's file as it is, to tell a compiler that refuses the file from one that refuses only the shader in
//! which we read its blocks.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use layoutproof_bindings::SourceText;
use layoutproof_device::{Shader, ShaderModel, Stage};
use layoutproof_events::Reason;
use layoutproof_frontend::module::{EntryPoint, Step};
use layoutproof_layout::Argument;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::Type;
use layoutproof_layout::{BlockKind, LayoutOptions, StageData};
use layoutproof_readers::llvm;
use layoutproof_readers::toolchain::{
    CodeTarget, CompileOutcome, CompileRequest, CompiledShader, Input, SourceProfile,
};

use crate::check::compiled::compile_probe::CompileJob;

/// Most entry points of a file that are compiled.
const MOST_ENTRIES: usize = 4;

/// The types that DXC has only with its option for them.
const TYPES_OF_16_BITS: [&str; 2] = ["float16_t", "int16_t"];

/// The first shader model in which DXC has that option.
const SIXTEEN_BIT_MODEL: ShaderModel = ShaderModel { major: 6, minor: 2 };

/// The option of DXC for types of 16 bits.
const SIXTEEN_BIT_TYPES: &str = "-enable-16bit-types";

/// What a compiler says about the file as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OwnFileAnswer {
    /// There is no such file, or we have no command line for it.
    NotAsked,
    Taken,
    /// The compiler's own words, and the option with which it takes the file.
    Refused {
        message: String,
        option: Option<String>,
    },
}

/// The file of a subject, compiled at most once for a toolchain.
#[derive(Debug, Default)]
pub(super) struct OwnFile(OnceCell<OwnFileAnswer>);

/// One compilation of the file.
struct OwnRequest {
    text: String,
    entry: String,
    stage: Stage,
    /// The stage, where [`Stage`] does not have it.
    extra: Vec<String>,
}

impl OwnFile {
    pub(super) fn answer(&self, asked: &CompileJob<'_>) -> OwnFileAnswer {
        self.0.get_or_init(|| answer(asked)).clone()
    }

    /// The refusal of a file that names types of 16 bits without DXC's option for them. Probes have that option, so that
    /// they would compile nevertheless.
    pub(super) fn refused_without_option(&self, asked: &CompileJob<'_>) -> Option<Reason> {
        let is_without = own_options(asked).sixteen_bit == SixteenBit::Off;
        if asked.toolchain.input != Input::Hlsl
            || !is_without
            || !TYPES_OF_16_BITS.iter().any(|ty| asked.text.text.contains(ty))
        {
            return None;
        }
        match self.answer(asked) {
            OwnFileAnswer::Refused { message, option } => {
                Some(Reason::RefusedBy { compiler: asked.toolchain.name.to_owned(), message, option })
            }
            OwnFileAnswer::NotAsked | OwnFileAnswer::Taken => None,
        }
    }
}

/// True if the file names types of 16 bits that the device lacks, so that a probe for it has no option for them.
pub(super) fn names_types_that_the_device_lacks(asked: &CompileJob<'_>) -> bool {
    let [own, probe] = [asked.subject.source.options, asked.options()].map(|options| options.sixteen_bit);
    (own, probe) == (SixteenBit::On, SixteenBit::Off) && TYPES_OF_16_BITS.iter().any(|ty| asked.text.text.contains(ty))
}

/// The sizes that the compiler's output for the text as it is states for this kind of data, each once.
///
/// # Errors
/// The compiler's refusal, or output that cannot be read.
pub(super) fn stage_sizes(asked: &CompileJob<'_>, data: StageData) -> Result<Vec<u32>, Reason> {
    let mut sizes = BTreeSet::new();
    for own in requests(asked) {
        let listing = match compile(asked, &own, own_options(asked)) {
            CompileOutcome::Compiled(CompiledShader { shader: Shader::DxilListing(listing), .. }) => listing,
            CompileOutcome::Compiled(_) => continue,
            CompileOutcome::Rejected(message) => {
                return Err(Reason::RefusedBy { compiler: asked.toolchain.name.to_owned(), message, option: None });
            }
            CompileOutcome::Failed(sentence) => return Err(sentence.into()),
        };
        let found = llvm::stage_sizes(&listing).map_err(|error| Reason::from(error.to_string()))?;
        sizes.extend(found.into_iter().filter(|(of, _)| *of == data).map(|(_, size)| size));
    }
    Ok(sizes.into_iter().collect())
}

/// True if code that the file itself has mentions the block, so that a compiler that takes the file can read it.
pub(super) fn is_read_by_own_code(asked: &CompileJob<'_>) -> bool {
    let module = &asked.subject.source.module;
    let block = asked.declaration();
    let last = |name: &str| name.rsplit("::").next().unwrap_or(name).to_owned();
    let mut names: BTreeSet<String> = [last(&block.name)].into();
    let is_named = module.parameters.iter().any(|parameter| {
        parameter.name == block.name && parameter.kind == layoutproof_frontend::module::ParameterKind::Variable
    });
    // The members of a `cbuffer`, of loose globals and of entry parameters are names of their own.
    if let (false, Type::Struct(structure)) = (is_named || block.kind == BlockKind::Pointee, &block.element) {
        names.extend(structure.members.iter().map(|member| last(&member.name)));
    }
    let is_mention = |step: Option<&Step>| match step {
        Some(Step::Name(name)) => names.contains(&last(name)),
        Some(Step::Parameter(_)) => block.kind == BlockKind::EntryUniforms,
        Some(Step::This | Step::Index(_) | Step::DynamicIndex) | None => false,
    };
    let mut uses = module.functions.iter().flat_map(|function| &function.uses);
    !module.entry_points.is_empty() && uses.any(|found| is_mention(found.path.first()))
}

fn answer(asked: &CompileJob<'_>) -> OwnFileAnswer {
    let source = &asked.subject.source;
    let has_command_line = match asked.toolchain.input {
        Input::Hlsl | Input::Slang => true,
        Input::ClangHlsl | Input::OldHlsl | Input::Glsl | Input::Wgsl | Input::Spirv => false,
    };
    if source.is_case || !has_command_line {
        return OwnFileAnswer::NotAsked;
    }
    let requests = requests(asked);
    let options = own_options(asked);
    let Some(message) = first_refusal(asked, &requests, options) else { return OwnFileAnswer::Taken };

    let wide = LayoutOptions { sixteen_bit: SixteenBit::On, ..options };
    let is_option = asked.toolchain.input == Input::Hlsl && options.sixteen_bit == SixteenBit::Off;
    let helps = is_option && first_refusal(asked, &requests, wide).is_none();
    OwnFileAnswer::Refused { message, option: helps.then(|| SIXTEEN_BIT_TYPES.to_owned()) }
}

/// The options with which the user compiles the file, whatever the device has: what is only assumed is none of them.
fn own_options(asked: &CompileJob<'_>) -> LayoutOptions {
    let source = &asked.subject.source;
    let sixteen_bit = if source.assumes_sixteen_bit { SixteenBit::Off } else { source.options.sixteen_bit };
    LayoutOptions { sixteen_bit, ..asked.options() }
}

/// The words of the compiler about the first request that it refuses; `None` if it takes all.
fn first_refusal(asked: &CompileJob<'_>, requests: &[OwnRequest], options: LayoutOptions) -> Option<String> {
    requests.iter().find_map(|own| match compile(asked, own, options) {
        CompileOutcome::Rejected(message) => Some(message),
        // A crash says nothing about the file.
        CompileOutcome::Compiled(_) | CompileOutcome::Failed(_) => None,
    })
}

fn compile(asked: &CompileJob<'_>, own: &OwnRequest, options: LayoutOptions) -> CompileOutcome {
    let for_device = match asked.target {
        CodeTarget::Newest => String::new(),
        CodeTarget::Direct3d { model, .. } => format!("-{model}"),
    };
    let sixteen_bit = if options.sixteen_bit == SixteenBit::On { "16bit" } else { "no16bit" };
    let (id, toolchain) = (&asked.subject.source.id, asked.toolchain);
    // The target says how the probes are compiled: it keeps types of 16 bits from devices without them. DXC 1.7.2308:
    // `enable-16bit-types is only allowed for shader model >= 6.2`.
    let target = match asked.target {
        CodeTarget::Newest => CodeTarget::Newest,
        CodeTarget::Direct3d { model, .. } => {
            let sixteen_bit = options.sixteen_bit;
            let model = if sixteen_bit == SixteenBit::On { model.max(SIXTEEN_BIT_MODEL) } else { model };
            CodeTarget::Direct3d { model, sixteen_bit }
        }
    };
    let request = CompileRequest {
        name: &format!("{id}/{toolchain}{for_device}/own_{}_{sixteen_bit}", own.entry),
        toolchain,
        source: SourceText { text: own.text.clone(), ..asked.text.clone() },
        words: &[],
        entry: &own.entry,
        stage: own.stage,
        has_workgroup_blocks: false,
        options,
        target,
        profile: SourceProfile::Newest,
        extra: own.extra.clone(),
    };
    asked.compilers.compile(&request).outcome
}

/// The compilations that cover the file's entry points. A file without any gets one that does nothing.
fn requests(asked: &CompileJob<'_>) -> Vec<OwnRequest> {
    let source = &asked.subject.source;
    let is_meant = |entry: &&EntryPoint| source.invocation.entry.as_ref().is_none_or(|name| *name == entry.name);
    let entries: Vec<&EntryPoint> = source.module.entry_points.iter().filter(is_meant).collect();
    let text = || asked.text.text.clone();
    let is_library = entries.iter().any(|entry| stage_word(entry).is_some_and(is_traced));
    if is_library && asked.toolchain.input == Input::Hlsl {
        // All functions with a stage are compiled.
        let (entry, stage) = (entries[0].name.clone(), Stage::RayGeneration);
        return vec![OwnRequest { text: text(), entry, stage, extra: Vec::new() }];
    }

    let request = |entry: &&EntryPoint| {
        let word = stage_word(entry)?;
        let (stage, extra) = match word {
            "compute" => (Stage::Compute, Vec::new()),
            "vertex" => (Stage::Vertex, Vec::new()),
            "pixel" | "fragment" => (Stage::Fragment, Vec::new()),
            other => (Stage::Compute, stage_arguments(asked, other)?),
        };
        Some(OwnRequest { text: text(), entry: entry.name.clone(), stage, extra })
    };
    let found: Option<Vec<OwnRequest>> = entries.iter().take(MOST_ENTRIES).map(request).collect();
    match found.filter(|found| !found.is_empty()) {
        Some(found) => found,
        None => {
            let name = source.reserved.entry("nothing");
            let attribute = if asked.toolchain.input == Input::Slang { "[shader(\"compute\")] " } else { "" };
            let text = format!("{}\n{attribute}[numthreads(1, 1, 1)] void {name}() {{}}\n", asked.text.text);
            vec![OwnRequest { text, entry: name, stage: Stage::Compute, extra: Vec::new() }]
        }
    }
}

/// The stage of an entry point in the words of `[shader]`; `None` if nothing says it.
fn stage_word(entry: &EntryPoint) -> Option<&str> {
    let attribute = entry.annotations.attribute(None, "shader").and_then(|attribute| attribute.arguments.first());
    match attribute {
        Some(Argument::Text(stage)) => Some(stage),
        Some(Argument::Integer(_) | Argument::Other(_)) | None => entry.implied_stage(),
    }
}

fn is_traced(stage: &str) -> bool {
    matches!(
        stage,
        "raygeneration" | "raygen" | "intersection" | "anyhit" | "closesthit" | "miss" | "callable" | "node"
    )
}

/// The arguments for a stage in which no probe runs; `None` for an unknown word.
fn stage_arguments(asked: &CompileJob<'_>, stage: &str) -> Option<Vec<String>> {
    if asked.toolchain.input == Input::Slang {
        return Some(vec!["-stage".to_owned(), stage.to_owned()]);
    }
    let profile = match stage {
        "geometry" => "gs",
        "hull" => "hs",
        "domain" => "ds",
        "mesh" => "ms",
        "amplification" => "as",
        _ => return None,
    };
    let ShaderModel { major, minor } = match asked.target {
        CodeTarget::Newest => ShaderModel { major: 6, minor: 6 },
        CodeTarget::Direct3d { model, .. } => model,
    };
    Some(vec!["-T".to_owned(), format!("{profile}_{major}_{minor}")])
}
