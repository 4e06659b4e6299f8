//! Writes the shaders that prove a placement, one per program.
//!
//! `rspirv` writes SPIR-V for Vulkan devices and the model; naga compiles our WGSL for WebGPU. Both
//! use the sets and bindings that our own rules compute, so agreement says how a device treats them
//! and says nothing about a compiler.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_device::{DeviceInfo, RegisterRange, ResourceClass, Shader, ShaderForm};
use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockKind, BlockLayout, LayoutOptions, LayoutUnit, find, lay_out};

use crate::check::binding::binding_check::BindingCheck;
use crate::check::verdict::Validation;
use layoutproof_bindings::SourceText;
use layoutproof_bindings::{Binding, BindingRequest, BoundModule, Convention, Target};
use layoutproof_events::Reason;
use layoutproof_events::check_id::CheckId;
use layoutproof_events::producer::{Generator, Producer};
use layoutproof_frontend::module::{EntryPoint, Module, ParameterKind};
use layoutproof_generators::binding::hlsl::ProgramDeclarations;
use layoutproof_generators::binding::{spirv, wgsl};
use layoutproof_probes::Stage;
use layoutproof_probes::binding::{BindingPlan, BindingProgram, ENTRY, ProgramExtent, plan, programs};
use layoutproof_readers::registers::class_of;
use layoutproof_readers::toolchain::{
    AnswerOrigin, CodeTarget, CompileOutcome, CompileRequest, CompiledShader, Compilers, SourceProfile, Toolchain,
    toolchains,
};

/// A placement with its shaders.
#[derive(Clone, Debug)]
pub struct Proof {
    pub placed: BindingCheck,
    pub producer: Producer,
    /// The bindings that the shaders read, and the ones that they skip.
    pub plan: BindingPlan,
    pub modules: Vec<ProofModule>,
    /// Whether the answers of compilers and validator are fresh or cached.
    pub origin: AnswerOrigin,
}

/// The shader of one program.
#[derive(Clone, Debug)]
pub struct ProofModule {
    pub program: BindingProgram,
    pub shader: Shader,
    /// The validator's result for SPIR-V.
    pub validation: Validation,
    /// The source text for a compiler; `None` for a shader that we write ourselves.
    pub source: Option<String>,
    /// A readable listing of the compiler's container.
    pub listing: Option<String>,
    /// The reason why the compiler made no shader.
    pub refused: Option<Reason>,
    /// The registers that the code may use according to our rules. Only shaders for Direct3D 12
    /// have any.
    pub ranges: Vec<RegisterRange>,
}

/// Returns the generator that writes shaders for a target's devices; `None` if no device supports
/// the target.
pub fn producer_for(target: Target) -> Option<Generator> {
    match target {
        Target::Vulkan => Some(Generator::Rspirv),
        Target::Webgpu => Some(Generator::Naga),
        Target::D3d12 | Target::Metal => None,
    }
}

/// Returns the compiler that binds registers by the placement's convention and emits DXIL.
fn toolchain_for(placed: &BindingCheck) -> Option<&'static Toolchain> {
    let BindingRequest { target, convention, version, .. } = &placed.request;
    let name = match (target, convention) {
        (Target::D3d12, Convention::Dxc) => "dxc-dxil",
        // slangc writes HLSL that names all registers, so DXC compiles it for any shader model.
        (Target::D3d12, Convention::Slang) => "slang-d3d12",
        // Clang's packages have no DXIL back end, and no compiler implements the documented Slang
        // rules.
        (Target::D3d12, Convention::Clang | Convention::SlangDocumented)
        | (Target::Vulkan | Target::Webgpu | Target::Metal, _) => return None,
    };
    // A case that names a version does not mean the installed compiler.
    toolchains().iter().find(|toolchain| toolchain.name == name).filter(|_| version.is_none())
}

/// Returns true if a convention binds parameters that no code uses.
fn binds_unused(convention: Convention) -> bool {
    match convention {
        Convention::Slang | Convention::SlangDocumented => true,
        Convention::Dxc | Convention::Clang => false,
    }
}

/// Returns the entry point whose uniform parameters a program can take over. It must be the only
/// one with such parameters, since the blocks of several entry points follow one another. A program
/// could not declare the parameters of a generic one.
fn entry_with_parameters(module: &Module, convention: Convention) -> Option<&EntryPoint> {
    let mut entries = module.entry_points.iter().filter(|entry| !entry.uniform_parameters().is_empty());
    let first = entries.next().filter(|entry| convention == Convention::Slang && entry.generics.is_empty());
    if entries.next().is_some() { None } else { first }
}

fn globals_apart<'a>(module: &'a Module, bound: &BoundModule) -> Vec<&'a str> {
    let globals = module.parameters.iter().filter(|parameter| parameter.kind == ParameterKind::Global);
    let names = globals.map(|parameter| parameter.name.as_str());
    names.filter(|name| bound.bindings.iter().any(|binding| binding.path == **name)).collect()
}

/// Returns true if a root signature can declare the registers of a parameter. Library targets may
/// leave them open.
///
/// Source: Direct3D 12 reference, `D3D12_DESCRIPTOR_RANGE`.
fn is_declarable(binding: &Binding) -> bool {
    /// The first of the spaces reserved for drivers.
    const RESERVED_SPACES: u32 = 0xFFFF_FFF0;
    let last = match binding.count {
        Count::Finite(count) => binding.index.checked_add(count.saturating_sub(1)),
        Count::Unbounded => Some(binding.index),
    };
    binding.space < RESERVED_SPACES && last.is_some_and(|last| last < u32::MAX)
}

/// A bound parameter that a plan does not read.
struct UnreadBinding<'a> {
    binding: &'a Binding,
    /// The cause, as a lowercase fragment.
    cause: String,
}

impl UnreadBinding<'_> {
    /// Explains why the plan does not read the other parameters either.
    fn reason(&self) -> String {
        format!("beside `{}`, which is not used: {}", self.binding.path, self.cause)
    }
}

/// Lists the bound parameters that a plan does not read.
fn unread<'a>(bound: &'a BoundModule, plan: &BindingPlan) -> Vec<UnreadBinding<'a>> {
    let is_read = |row: usize| plan.probed.iter().any(|probed| probed.row == row);
    let is_resource = |unit: LayoutUnit| !matches!(unit, LayoutUnit::Space | LayoutUnit::Bytes);
    let rows = bound.bindings.iter().enumerate().filter(|(_, binding)| is_resource(binding.unit));
    let unread = rows.filter(|(row, _)| !is_read(*row)).map(|(row, binding)| {
        let skipped = plan.skipped.iter().find(|skipped| skipped.row == row);
        let cause = skipped.map_or("it has no place that is read", |skipped| skipped.reason.as_str());
        UnreadBinding { binding, cause: cause.to_owned() }
    });
    unread.collect()
}

/// Returns the strides of structured buffers, keyed by first register.
fn structured_strides(placed: &BindingCheck, options: LayoutOptions) -> BTreeMap<(ResourceClass, u32, u32), u32> {
    let mut strides = BTreeMap::new();
    let Some(rules) = find("hlsl-structured") else { return strides };
    let blocks = placed.source.module.blocks.iter().filter(|block| block.kind == BlockKind::StructuredElement);
    for block in blocks {
        let Some(stride) = lay_out(block, rules, options).stride else { continue };
        let bindings = placed.bound.iter().flat_map(|bound| &bound.bindings);
        for binding in bindings.filter(|binding| binding.path == block.name) {
            if let Some(class) = class_of(binding.unit) {
                strides.insert((class, binding.space, binding.index), stride);
            }
        }
    }
    strides
}

/// Returns the register ranges of the parameters without duplicates.
fn register_ranges<'a>(bindings: impl Iterator<Item = &'a Binding>) -> Vec<RegisterRange> {
    let range = |binding: &Binding| {
        let count = match binding.count {
            Count::Finite(count) => Some(count),
            Count::Unbounded => None,
        };
        let (class, space, first) = (class_of(binding.unit)?, binding.space, binding.index);
        Some(RegisterRange { class, space, first, count, stride: 0 })
    };
    let mut ranges: Vec<RegisterRange> = bindings.filter_map(range).collect();

    // Parameters may share registers.
    ranges.sort_by_key(|range| (range.class, range.space, range.first, range.count.is_some(), range.count));
    ranges.dedup_by_key(|range| (range.class, range.space, range.first));
    ranges
}

impl Proof {
    /// Writes the shaders. Returns `None` if the convention refuses the source, nothing is bound,
    /// or we have no devices for the target.
    pub fn new(placed: &BindingCheck) -> Option<Self> {
        let producer = producer_for(placed.request.target)?;
        let bound = placed.bound.as_ref().ok().filter(|bound| !bound.bindings.is_empty())?;
        let plan = plan(&placed.source.module, &placed.request, bound);
        let plan = match producer {
            Generator::Rspirv => plan,
            Generator::Naga => plan.without(wgsl::not_expressible),
        };

        let module = |program: BindingProgram| {
            let (shader, reason) = match producer {
                Generator::Rspirv => (Shader::Spirv(spirv::module(&program)), "no spirv-val"),
                Generator::Naga => (Shader::Wgsl(wgsl::module(&program)), "wgpu validates WGSL itself"),
            };
            let validation = Validation::NotRun(reason.to_owned());
            ProofModule { program, shader, validation, source: None, listing: None, refused: None, ranges: Vec::new() }
        };

        let modules = programs(&plan).into_iter().map(module).collect();
        let (placed, producer) = (placed.clone(), Producer::Generator(producer));
        Some(Self { placed, producer, plan, modules, origin: AnswerOrigin::Asked })
    }

    /// Prepares the proof of Direct3D 12 registers; [`Self::compiled`] compiles its shaders. The
    /// compiler binds the declarations itself, and the root signature comes from our rules.
    ///
    /// Returns `None` in the same cases as [`Self::new`], and where no compiler emits DXIL under
    /// this convention.
    ///
    /// # Panics
    ///
    /// Never: `std430` is a rule set, and tests check that.
    pub fn of_registers(placed: &BindingCheck) -> Option<Self> {
        let toolchain = toolchain_for(placed)?;
        let bound = placed.bound.as_ref().ok().filter(|bound| !bound.bindings.is_empty())?;
        let source = &placed.source;
        let text = source.text.as_ref()?;
        let rules = find("std430").expect("std430 is a rule set");
        let layouts: Vec<BlockLayout> =
            source.module.blocks.iter().map(|block| lay_out(block, rules, source.options)).collect();

        let convention = placed.request.convention;
        let entry = entry_with_parameters(&source.module, convention);
        let apart = globals_apart(&source.module, bound);
        let declarations = ProgramDeclarations {
            text: &text.text,
            reserved: &source.reserved,
            module: &source.module,
            layouts: &layouts,
            entry,
            apart: &apart,
        };
        let plan = plan(&source.module, &placed.request, bound);
        let mut plan = plan.without(|probed| declarations.not_readable(probed));
        if binds_unused(convention) {
            // vkd3d has no texture buffers. They go into separate programs so that the rest still
            // runs.
            plan.set_texture_buffers_apart();
        }

        // The compiler does not bind an unused parameter, which may shift the parameters after it.
        let used = if binds_unused(convention) { Vec::new() } else { unread(bound, &plan) };
        let is_usable =
            |unread: &&UnreadBinding<'_>| is_declarable(unread.binding) && declarations.is_usable(&unread.binding.path);
        let unusable = used.iter().find(|unread| !is_usable(unread));
        let plan = match unusable.map(UnreadBinding::reason) {
            Some(reason) => plan.without(|_| Some(reason.clone())),
            None => plan,
        };
        let used: Vec<&Binding> = used.into_iter().map(|unread| unread.binding).collect();
        let used_paths: Vec<&str> = used.iter().map(|binding| binding.path.as_str()).collect();

        // A parameter of another program keeps its binding here only if this program uses it too,
        // in the same order.
        let used_before = |program: &BindingProgram| {
            if binds_unused(convention) { Vec::new() } else { program.uses_of_all_unless_read() }
        };
        let module = |program: BindingProgram| ProofModule {
            source: Some(declarations.source(&program, &used_before(&program), &used_paths)),
            ranges: {
                let read = program.bound.iter().map(|probed| &bound.bindings[probed.row]);
                register_ranges(read.chain(used.iter().copied()))
            },
            program,
            shader: Shader::Dxil(Vec::new()),
            validation: Validation::NotRun("Direct3D 12 uses the container".to_owned()),
            listing: None,
            refused: None,
        };

        // A program with only some of the parameters would bind them differently, unless the
        // convention binds unused parameters as well.
        let is_complete = |program: &BindingProgram| {
            program.extent == ProgramExtent::Whole || program.bound.iter().all(|probed| probed.apart)
        };
        let modules = programs(&plan).into_iter().filter(is_complete).map(module).collect();
        let (placed, producer) = (placed.clone(), Producer::Compiler(toolchain));
        Some(Self { placed, producer, plan, modules, origin: AnswerOrigin::Asked })
    }

    /// Compiles the shaders for `device`.
    #[must_use]
    pub fn compiled(mut self, compilers: &dyn Compilers, device: &DeviceInfo) -> Self {
        let Producer::Compiler(toolchain) = self.producer else { return self };
        let target = CodeTarget::of(device);
        let options = target.options(self.placed.source.options);

        let strides = structured_strides(&self.placed, options);
        for (number, module) in self.modules.iter_mut().enumerate() {
            for range in &mut module.ranges {
                range.stride = strides.get(&(range.class, range.space, range.first)).copied().unwrap_or(0);
            }
            let (Some(text), Some(own)) = (module.source.clone(), &self.placed.source.text) else { continue };

            let asked = self.placed.request.options.iter();
            let request = CompileRequest {
                toolchain,
                name: &format!("{}/{}/{toolchain}/{number}", self.placed.source.id, self.placed.request.name()),
                source: SourceText { text, ..own.clone() },
                words: &[],
                entry: &self.placed.source.reserved.entry(ENTRY),
                stage: Stage::Compute,
                has_workgroup_blocks: false,
                options,
                target,
                profile: SourceProfile::of_case(self.placed.request.profile.as_deref()),
                extra: asked.flat_map(|option| option.split_whitespace().map(str::to_owned)).collect(),
            };

            let compilation = compilers.compile(&request);
            self.origin = self.origin.and(compilation.origin);
            match compilation.outcome {
                CompileOutcome::Compiled(CompiledShader { shader, container: Some(container), .. }) => {
                    module.shader = Shader::Dxil(container);
                    if let Shader::DxilListing(listing) = shader {
                        module.listing = Some(listing);
                    }
                }
                CompileOutcome::Compiled(_) => {
                    module.refused = Some(format!("{toolchain} made no container").into());
                }
                CompileOutcome::Rejected(message) => {
                    module.refused = Some(Reason::RefusedBy { compiler: toolchain.to_string(), message, option: None });
                }
                CompileOutcome::Failed(sentence) => module.refused = Some(sentence.into()),
            }
        }
        self
    }

    /// Returns true if `device` accepts the shaders.
    pub fn feeds(&self, device: &DeviceInfo) -> bool {
        match self.producer {
            Producer::Generator(Generator::Rspirv) => device.runner.accepts(ShaderForm::Spirv),
            Producer::Generator(Generator::Naga) => device.runner.accepts(ShaderForm::Wgsl),
            // It makes containers, which the evaluator does not read.
            Producer::Compiler(_) => device.runner.is_driven() && device.runner.accepts(ShaderForm::Dxil),
        }
    }
}

/// A placement on one device.
#[derive(Clone, Debug)]
pub struct ProofCheck {
    pub proof: Arc<Proof>,
    pub device: DeviceInfo,
}

impl ProofCheck {
    pub fn id(&self) -> CheckId {
        let producer = self.proof.producer.into();
        CheckId { producer, device: Some((&self.device).into()), ..self.proof.placed.id() }
    }
}
