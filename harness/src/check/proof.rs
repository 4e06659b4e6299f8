//! The shaders that prove a placement: a placed source and a producer in, one shader per program out.
//!
//! `rspirv` writes SPIR-V for Vulkan devices and the model, `naga` gets our WGSL for WebGPU. Either way set and binding
//! are those of our own rules, so agreement proves what a device does with them, and nothing about a compiler.

use std::sync::Arc;

use crate::bind::Target;
use crate::check::placed::Placed;
use crate::check::producer::Generator;
use crate::generate::binding::{spirv, wgsl};
use crate::probe::binding::{BindingPlan, Program, plan, programs};
use crate::runner::{DeviceInfo, RunnerKind, Shader};
use crate::verdict::Validation;

/// A placement with its shaders.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The placement.
    pub placed: Placed,
    /// Who writes the shaders.
    pub producer: Generator,
    /// What is read and what is not.
    pub plan: BindingPlan,
    /// The shaders.
    pub modules: Vec<ProofModule>,
}

/// The shader of one program.
#[derive(Clone, Debug)]
pub struct ProofModule {
    /// The program.
    pub program: Program,
    /// Its shader.
    pub shader: Shader,
    /// What the validator said of SPIR-V.
    pub validation: Validation,
}

/// Who writes shaders for a target's devices; `None` where there is no device.
pub fn producer_for(target: Target) -> Option<Generator> {
    match target {
        Target::Vulkan => Some(Generator::Rspirv),
        Target::Webgpu => Some(Generator::Naga),
        Target::D3d12 | Target::Metal => None,
    }
}

impl Proof {
    /// Writes the shaders; `None` where the convention refuses the source, nothing is bound, or no device of the target
    /// is known.
    pub fn new(placed: &Placed) -> Option<Self> {
        let producer = producer_for(placed.request.target)?;
        let bound = placed.bound.as_ref().ok().filter(|bound| !bound.bindings.is_empty())?;
        let plan = plan(&placed.source.module, &placed.request, bound);
        let plan = match producer {
            Generator::Rspirv => plan,
            Generator::Naga => plan.without(wgsl::not_expressible),
        };
        let module = |program: Program| {
            let (shader, reason) = match producer {
                Generator::Rspirv => (Shader::Spirv(spirv::module(&program)), "no spirv-val"),
                Generator::Naga => (Shader::Wgsl(wgsl::module(&program)), "wgpu validates WGSL itself"),
            };
            ProofModule { program, shader, validation: Validation::NotRun(reason.to_owned()) }
        };
        let modules = programs(&plan).into_iter().map(module).collect();
        Some(Self { placed: placed.clone(), producer, plan, modules })
    }

    /// Whether `device` takes the shaders.
    pub fn feeds(&self, device: &DeviceInfo) -> bool {
        match (self.producer, device.runner) {
            (Generator::Rspirv, RunnerKind::Ash | RunnerKind::Model) | (Generator::Naga, RunnerKind::Wgpu) => true,
            (Generator::Rspirv, RunnerKind::Wgpu | RunnerKind::Dxil)
            | (Generator::Naga, RunnerKind::Ash | RunnerKind::Model | RunnerKind::Dxil) => false,
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
