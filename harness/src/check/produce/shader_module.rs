//! One shader of a subject, with what its code addresses.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::{DeviceInfo, Feature, Job, RunnerKind, Shader};
use layoutproof_layout::{BlockLayout, BlockRules, Numbers};

use crate::check::produce::feature_split::Share;
use crate::check::verdict::Validation;
use crate::inspect::toolchain::Language;
use crate::probe::{Form, Interface, ProbeEntry, ProbePlan, Stage};

/// Bytes of each leaf that naga's shaders probe.
const WORD: u32 = 4;

/// Byte offsets that code addresses, by entry point, form and index of the leaf.
pub type CompiledOffsets = BTreeMap<(String, Form, u32), Option<u32>>;

/// Code in the forms in which runners take it.
#[derive(Clone, Debug, PartialEq)]
pub enum ModuleCode {
    /// SPIR-V words.
    Spirv(Vec<u32>),
    /// WGSL text, and the SPIR-V words that naga makes of it.
    Naga {
        /// The words.
        spirv: Vec<u32>,
        /// The text.
        wgsl: String,
    },
    /// WGSL text that naga refuses; no device gets it.
    Wgsl(String),
    /// DXIL.
    Dxil {
        /// Its listing, which the evaluator follows.
        listing: String,
        /// The container, where it is for a device.
        container: Option<Vec<u8>>,
    },
    /// DXBC, and the SPIR-V words that vkd3d makes of it, which are followed.
    Dxbc {
        /// The words.
        spirv: Vec<u32>,
        /// The container.
        container: Vec<u8>,
    },
    /// Clang's IR for Direct3D.
    ClangIr(String),
}

impl ModuleCode {
    /// The SPIR-V that a validator can check; `None` for code in other forms.
    pub fn spirv(&self) -> Option<&[u32]> {
        match self {
            Self::Spirv(words) | Self::Naga { spirv: words, .. } => Some(words),
            // What a device of Direct3D 12 gets is not the SPIR-V.
            Self::Wgsl(_) | Self::Dxil { .. } | Self::Dxbc { .. } | Self::ClangIr(_) => None,
        }
    }

    /// The same code with the container that a device of Direct3D 12 gets.
    #[must_use]
    pub fn with_container(self, container: Option<Vec<u8>>) -> Self {
        match (self, container) {
            (Self::Dxil { listing, .. }, container) => Self::Dxil { listing, container },
            (Self::Spirv(spirv) | Self::Dxbc { spirv, .. }, Some(container)) => Self::Dxbc { spirv, container },
            (code @ (Self::Spirv(_) | Self::Naga { .. } | Self::Wgsl(_) | Self::Dxbc { .. } | Self::ClangIr(_)), _) => {
                code
            }
        }
    }
}

/// The text that a compiler made a module of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleSource {
    /// Its language.
    pub language: Language,
    /// The declarations with the probe behind them.
    pub text: String,
}

/// One shader module.
#[derive(Clone, Debug)]
pub struct ShaderModule {
    /// The part of its block that it holds.
    pub share: Share,
    /// Index into [`Subject::layouts`](crate::check::Subject::layouts).
    pub block: usize,
    /// The layout that the image is packed for: that of the block, or of the array that
    /// [`elements`](crate::probe::elements) makes of it.
    pub layout: BlockLayout,
    /// The layout that the shader was written for instead, where a fault is planted.
    pub planted: Option<BlockLayout>,
    /// The leaves and the entry points of this module.
    pub plan: ProbePlan,
    /// What a compiler was given; `None` where a generator of ours wrote the code.
    pub source: Option<ModuleSource>,
    /// The code.
    pub code: ModuleCode,
    /// Container of the other stage, where the code is one stage of a draw on Direct3D 12.
    pub other_stage: Option<Vec<u8>>,
    /// Where the code has its buffers.
    pub interface: Interface,
    /// The compiler's report of the block.
    pub reported: Numbers,
    /// The rules of Vulkan under which the module must be valid: what a compiler's option promises, and what our own
    /// generators' offsets need.
    pub block_rules: BlockRules,
    /// The validator's answer.
    pub validation: Validation,
    /// Features that a device must have.
    pub requires: BTreeSet<Feature>,
    /// Least bytes that the language lets a host bind.
    pub binding_size: u32,
    /// The byte offset that the code addresses, by entry point, form and leaf.
    pub compiled: CompiledOffsets,
    /// The same for the GLSL that naga writes for OpenGL drivers; `None` where there is none.
    pub glsl_compiled: Option<CompiledOffsets>,
    /// The same for the HLSL that naga writes for Direct3D 12, of our WGSL.
    pub hlsl_compiled: Option<CompiledOffsets>,
}

impl ShaderModule {
    /// The features that the spaces and stages of the module's entry points need, which are the same for all of them.
    pub fn access(&self) -> BTreeSet<Feature> {
        self.plan.entries.iter().flat_map(ProbeEntry::requires).collect()
    }

    /// The form in which a runner takes the module.
    pub fn shader(&self, runner: RunnerKind) -> Shader {
        match &self.code {
            ModuleCode::Spirv(words) => Shader::Spirv(words.clone()),
            ModuleCode::Wgsl(text) => Shader::Wgsl(text.clone()),
            ModuleCode::ClangIr(text) => Shader::ClangIr(text.clone()),

            ModuleCode::Naga { spirv, wgsl } => match runner {
                RunnerKind::Wgpu => Shader::Wgsl(wgsl.clone()),
                RunnerKind::Ash | RunnerKind::Model | RunnerKind::Dxil | RunnerKind::D3d12 => {
                    Shader::Spirv(spirv.clone())
                }
            },
            ModuleCode::Dxil { listing, container } => match (runner, container) {
                (RunnerKind::D3d12, Some(container)) => Shader::Dxil(container.clone()),
                (RunnerKind::D3d12, None)
                | (RunnerKind::Ash | RunnerKind::Wgpu | RunnerKind::Model | RunnerKind::Dxil, _) => {
                    Shader::DxilListing(listing.clone())
                }
            },
            ModuleCode::Dxbc { spirv, container } => match runner {
                RunnerKind::D3d12 => Shader::Dxbc(container.clone()),
                RunnerKind::Ash | RunnerKind::Wgpu | RunnerKind::Model | RunnerKind::Dxil => {
                    Shader::Spirv(spirv.clone())
                }
            },
        }
    }

    /// The job as a device gets it: a draw on Direct3D 12 has a shader for each stage.
    #[must_use]
    pub fn with_other_stage(&self, mut job: Job, stage: Stage) -> Job {
        let (Some(draw), Some(container)) = (&mut job.draw, &self.other_stage) else { return job };
        let other = Shader::Dxil(container.clone());
        draw.fragment_shader = Some(match stage {
            Stage::Fragment => std::mem::replace(&mut job.shader, other),
            Stage::Vertex | Stage::Compute => other,
        });
        job
    }

    /// The offsets that the code addresses in the language in which `device` gets it; `None` where the module has no such
    /// code.
    pub fn compiled_for(&self, device: &DeviceInfo) -> Option<&CompiledOffsets> {
        match &self.hlsl_compiled {
            _ if device.is_opengl() => self.glsl_compiled.as_ref(),
            Some(hlsl) if device.takes_naga_hlsl() => Some(hlsl),
            Some(_) | None => Some(&self.compiled),
        }
    }

    /// The least bytes that must be bound for `entry`: OpenGL leaves undefined what lies behind the bound range, and
    /// GLSL's block can be longer than WGSL's.
    pub fn least_binding(&self, device: &DeviceInfo, entry: &str) -> u32 {
        let glsl = self.glsl_compiled.as_ref().filter(|_| device.is_opengl());
        let own = glsl.into_iter().flatten().filter(|((name, _, _), _)| name == entry);
        let last = own.filter_map(|(_, offset)| *offset).max();
        last.map_or(self.binding_size, |last| self.binding_size.max(last.saturating_add(WORD)))
    }
}
