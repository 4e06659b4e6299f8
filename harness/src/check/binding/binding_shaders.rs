//! Writes the shaders that prove a placement, one per program.
//!
//! `rspirv` writes SPIR-V for Vulkan devices and the model, `naga` gets our WGSL for WebGPU. Either way set and binding
//! are those of our own rules, so agreement proves what a device does with them, and nothing about a compiler.

use std::sync::Arc;

use layoutproof_device::{DeviceInfo, RunnerKind, Shader};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockLayout, LayoutOptions, LayoutUnit, find, lay_out};

use crate::bindings::{BindingRequest, BoundModule, Convention, Target};
use crate::check::binding::binding_check::BindingCheck;
use crate::check::producer::{Generator, Producer};
use crate::check::verdict::Validation;
use crate::generate::binding::{hlsl, spirv, wgsl};
use crate::inspect::toolchain::{
    CodeTarget, CompileOutcome, CompileRequest, CompiledShader, Compilers, SourceText, Toolchain, toolchains,
};
use crate::probe::binding::{BindingPlan, BindingProgram, ENTRY, ProbedBinding, ProgramExtent, plan, programs};
use crate::results::record::REFUSED_BY;

/// A placement with its shaders.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The placement.
    pub placed: BindingCheck,
    /// The writer of the shaders.
    pub producer: Producer,
    /// The bindings that are read, and those that are not.
    pub plan: BindingPlan,
    /// The shaders.
    pub modules: Vec<ProofModule>,
}

/// The shader of one program.
#[derive(Clone, Debug)]
pub struct ProofModule {
    /// The program.
    pub program: BindingProgram,
    /// Its shader.
    pub shader: Shader,
    /// The validator's answer for SPIR-V.
    pub validation: Validation,
    /// Source text for a compiler; `None` for a shader of our own.
    pub source: Option<String>,
    /// The reason why the compiler made no shader.
    pub refused: Option<String>,
}

/// The generator of shaders for a target's devices; `None` where there is no device.
pub fn producer_for(target: Target) -> Option<Generator> {
    match target {
        Target::Vulkan => Some(Generator::Rspirv),
        Target::Webgpu => Some(Generator::Naga),
        Target::D3d12 | Target::Metal => None,
    }
}

/// The compiler that binds registers by a convention of ours, and makes DXIL.
fn toolchain_for(placed: &BindingCheck) -> Option<&'static Toolchain> {
    let BindingRequest { target, convention, version, profile, .. } = &placed.request;
    let name = match (target, convention) {
        (Target::D3d12, Convention::Dxc) => "dxc-dxil",
        // Slang binds otherwise below shader model 5.1.
        (Target::D3d12, Convention::Slang) if profile.as_deref() == Some("sm_6_6") => "slang-d3d12",
        // Clang's packages have no back end for DXIL, and nobody compiles what a document says.
        (Target::D3d12, Convention::Clang | Convention::Slang | Convention::SlangDocumented)
        | (Target::Vulkan | Target::Webgpu | Target::Metal, _) => return None,
    };
    // The versions that a case asks for by name are not the one that is here.
    toolchains().iter().find(|toolchain| toolchain.name == name).filter(|_| version.is_none())
}

/// The reason for the first parameter that a plan leaves unread; `None` if it reads all.
fn unread(bound: &BoundModule, plan: &BindingPlan) -> Option<String> {
    let is_read = |row: usize| plan.probed.iter().any(|probed| probed.row == row);
    let is_resource = |unit: LayoutUnit| !matches!(unit, LayoutUnit::Space | LayoutUnit::Bytes);
    let rows = bound.bindings.iter().enumerate().filter(|(_, binding)| is_resource(binding.unit));
    let (row, binding) = rows.into_iter().find(|(row, _)| !is_read(*row))?;
    let skipped = plan.skipped.iter().find(|skipped| skipped.row == row);
    let reason = skipped.map_or("it has no place that is read", |skipped| &skipped.reason);
    Some(format!("beside `{}`, which is not used: {reason}", binding.path))
}

impl Proof {
    /// Writes the shaders; `None` where the convention refuses the source, nothing is bound, or no device of the target
    /// is known.
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
            ProofModule { program, shader, validation, source: None, refused: None }
        };

        let modules = programs(&plan).into_iter().map(module).collect();
        Some(Self { placed: placed.clone(), producer: Producer::Generator(producer), plan, modules })
    }

    /// The proof of registers of Direct3D 12, whose shaders are still to be compiled: the compiler binds the declarations
    /// itself, and the root signature is made of our answer. `None` as for [`Self::new`], and where no compiler that binds
    /// so makes DXIL.
    ///
    /// # Panics
    /// Never: `std430` is a rule set, which tests check.
    pub fn of_registers(placed: &BindingCheck) -> Option<Self> {
        let toolchain = toolchain_for(placed)?;
        let bound = placed.bound.as_ref().ok().filter(|bound| !bound.bindings.is_empty())?;
        let source = &placed.source;
        let text = source.text.as_ref()?;
        let rules = find("std430").expect("std430 is a rule set");
        let layouts: Vec<BlockLayout> =
            source.module.blocks.iter().map(|block| lay_out(block, rules, source.options)).collect();

        let plan = plan(&source.module, &placed.request, bound);
        let plan = plan.without(|probed| hlsl::not_readable(&source.module, &layouts, probed));
        let plan = match unread(bound, &plan) {
            // A parameter that is not used is not bound, and may have stood before others.
            Some(reason) => plan.without(|_| Some(reason.clone())),
            None => plan,
        };

        let module = |program: BindingProgram| ProofModule {
            source: Some(hlsl::source(&text.text, &source.module, &layouts, &program)),
            program,
            shader: Shader::Dxil(Vec::new()),
            validation: Validation::NotRun("Direct3D 12 takes the container".to_owned()),
            refused: None,
        };

        let whole = programs(&plan).into_iter().filter(|program| program.extent == ProgramExtent::Whole);
        let modules = whole.map(module).collect();
        Some(Self { placed: placed.clone(), producer: Producer::Compiler(toolchain), plan, modules })
    }

    /// The same with the shaders that the compiler makes for `device`.
    #[must_use]
    pub fn compiled(mut self, compilers: &dyn Compilers, device: &DeviceInfo) -> Self {
        let Producer::Compiler(toolchain) = self.producer else { return self };
        let target = CodeTarget::of(device);
        let options = match target {
            CodeTarget::Direct3d { sixteen_bit: SixteenBit::Off, .. } => {
                LayoutOptions { sixteen_bit: SixteenBit::Off, ..self.placed.source.options }
            }
            CodeTarget::Newest | CodeTarget::Direct3d { .. } => self.placed.source.options,
        };

        for (number, module) in self.modules.iter_mut().enumerate() {
            let (Some(text), Some(own)) = (module.source.take(), &self.placed.source.text) else { continue };

            let asked = self.placed.request.options.iter();
            let request = CompileRequest {
                toolchain,
                name: &format!("{}/{}/{toolchain}/{number}", self.placed.source.id, self.placed.request.name()),
                source: SourceText { text, ..own.clone() },
                entry: ENTRY,
                options,
                target,
                extra: asked.flat_map(|option| option.split_whitespace().map(str::to_owned)).collect(),
            };

            match compilers.compile(&request) {
                CompileOutcome::Compiled(CompiledShader { container: Some(container), .. }) => {
                    module.shader = Shader::Dxil(container);
                }
                CompileOutcome::Compiled(_) => module.refused = Some(format!("{toolchain} made no container")),
                CompileOutcome::Rejected(words) => module.refused = Some(format!("{REFUSED_BY}{toolchain}: {words}")),
                CompileOutcome::Failed(sentence) => module.refused = Some(sentence),
            }
        }
        self
    }

    /// Registers of each parameter that a program binds; `None` for no end.
    pub(super) fn register_counts(&self, program: &BindingProgram) -> Vec<Option<u32>> {
        let bindings = self.placed.bound.as_ref().map_or(&[][..], |bound| bound.bindings.as_slice());
        let count = |probed: &ProbedBinding| match bindings.get(probed.row).map(|binding| binding.count) {
            Some(Count::Finite(count)) => Some(count),
            Some(Count::Unbounded) => None,
            None => Some(probed.elements),
        };
        program.bound.iter().map(count).collect()
    }

    /// Returns true if `device` takes the shaders.
    pub fn feeds(&self, device: &DeviceInfo) -> bool {
        let generator = match self.producer {
            Producer::Generator(generator) => generator,
            Producer::Compiler(_) => return device.runner == RunnerKind::D3d12,
        };
        match (generator, device.runner) {
            (Generator::Rspirv, RunnerKind::Ash | RunnerKind::Model) | (Generator::Naga, RunnerKind::Wgpu) => true,
            (Generator::Rspirv, RunnerKind::Wgpu | RunnerKind::Dxil | RunnerKind::D3d12)
            | (Generator::Naga, RunnerKind::Ash | RunnerKind::Model | RunnerKind::Dxil | RunnerKind::D3d12) => false,
        }
    }
}

/// A placement on one device.
#[derive(Clone, Debug)]
pub struct ProofCheck {
    /// The placement with its shaders.
    pub proof: Arc<Proof>,
    /// The device.
    pub device: DeviceInfo,
}

impl ProofCheck {
    /// `folder::case::TARGET.CONVENTION::producer::device::runner`.
    pub fn name(&self) -> String {
        let Self { proof, device } = self;
        let case = proof.placed.source.id.replace('/', "::");
        let asked = proof.placed.request.name();
        format!("{case}::{asked}::{}::{}::{}", proof.producer, device.id, device.runner.as_str())
    }
}
