//! One shader of a subject, with the offsets that its code addresses.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::{DeviceInfo, Feature, Job, RunnerKind, Shader, ShaderForm};
use layoutproof_events::Reason;
use layoutproof_layout::{BlockLayout, BlockRules, Numbers};

use crate::check::produce::feature_split::Share;
use crate::check::verdict::Validation;
use layoutproof_probes::{Form, Interface, ProbeEntry, ProbePlan, Stage};
use layoutproof_source::shader_language::ShaderLanguage;

/// Size in bytes of each leaf that naga's shaders probe.
const WORD: u32 = 4;

/// Byte offsets that code addresses, by entry point, form and leaf index.
pub type CompiledOffsets = BTreeMap<(String, Form, u32), Option<u32>>;

/// Code in the forms that runners accept.
#[derive(Clone, Debug, PartialEq)]
pub enum ModuleCode {
    /// SPIR-V words.
    Spirv(Vec<u32>),
    /// WGSL text, and the SPIR-V words that naga compiles from it.
    Naga { spirv: Vec<u32>, wgsl: String },
    /// WGSL text that naga refuses. Devices of other implementations get it, if it needs a feature that naga lacks.
    Wgsl(String),
    /// The evaluator follows the listing, devices take the container.
    Dxil { listing: String, container: Option<Vec<u8>> },
    /// DXBC, and the SPIR-V words that vkd3d translates it to. We follow the SPIR-V.
    Dxbc { spirv: Vec<u32>, container: Vec<u8> },
    /// Clang's IR for Direct3D.
    ClangIr(String),
}

impl ModuleCode {
    /// Returns the SPIR-V that a validator can check; `None` for code in other forms.
    pub fn spirv(&self) -> Option<&[u32]> {
        match self {
            Self::Spirv(words) | Self::Naga { spirv: words, .. } => Some(words),
            // For DXBC, a Direct3D 12 device runs the container and not the SPIR-V.
            Self::Wgsl(_) | Self::Dxil { .. } | Self::Dxbc { .. } | Self::ClangIr(_) => None,
        }
    }

    /// Adds the container for a Direct3D 12 device.
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

/// A compiler's source text for a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleSource {
    pub language: ShaderLanguage,
    /// The declarations followed by the probe.
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct ShaderModule {
    /// The part of the block in this module.
    pub share: Share,
    /// The layout that packs the image: the layout of the block, or of the array that
    /// [`elements`](layoutproof_probes::elements) makes from it.
    pub layout: BlockLayout,
    /// The layout used to write the shader instead, if a fault is planted.
    pub planted: Option<BlockLayout>,
    /// The leaves and the entry points of this module.
    pub plan: ProbePlan,
    /// The compiler's input; `None` if one of our generators wrote the code.
    pub source: Option<ModuleSource>,
    pub code: ModuleCode,
    /// How many accesses of the code promise an alignment at an address that cannot be followed.
    pub alignments_not_followed: u32,
    /// The container of the other stage, if the code is one stage of a draw on Direct3D 12.
    pub other_stage: Option<Vec<u8>>,
    /// The bindings of the code's buffers.
    pub interface: Interface,
    pub reported: Numbers,
    /// The Vulkan rules under which the module must be valid: the rules that a compiler's option
    /// promises, or the rules that our own generators' offsets need.
    pub block_rules: BlockRules,
    pub validation: Validation,
    pub requires: BTreeSet<Feature>,
    /// The smallest size in bytes that the language lets a host bind.
    pub binding_size: u32,
    /// The byte offsets that the code addresses, by entry point, form and leaf.
    pub compiled: CompiledOffsets,
    /// Bytes of the block outside of all leaves that a translator's code changes, by entry point.
    pub changed_by_code: BTreeSet<(String, i64)>,
    /// The offsets in naga's GLSL for OpenGL drivers; `None` if there is no GLSL.
    pub glsl_compiled: Option<CompiledOffsets>,
    /// naga's reason to write no GLSL.
    pub no_glsl: Option<Reason>,
    /// The same for naga's HLSL for Direct3D 12, made from our WGSL.
    pub hlsl_compiled: Option<CompiledOffsets>,
}

/// The numbers that WGSL has by an extension, or in naga alone.
pub(crate) const WIDE_NUMBERS: [Feature; 3] = [Feature::Float16, Feature::Float64, Feature::Int64];

impl ShaderModule {
    /// Returns the features that the entry points' spaces and stages need. All entry points of a
    /// module need the same ones.
    pub fn access(&self) -> BTreeSet<Feature> {
        self.plan.entries.iter().flat_map(ProbeEntry::requires).collect()
    }

    /// Returns the code in the form that a runner accepts.
    pub fn shader(&self, runner: RunnerKind) -> Shader {
        match &self.code {
            ModuleCode::Spirv(words) => Shader::Spirv(words.clone()),
            ModuleCode::Wgsl(text) => Shader::Wgsl(text.clone()),
            ModuleCode::ClangIr(text) => Shader::ClangIr(text.clone()),

            ModuleCode::Naga { wgsl, .. } if runner.accepts(ShaderForm::Wgsl) => Shader::Wgsl(wgsl.clone()),
            // Drivers take containers, the evaluator reads the listing.
            ModuleCode::Dxil { container: Some(container), .. } if runner.is_driven() => {
                Shader::Dxil(container.clone())
            }
            ModuleCode::Dxil { listing, .. } => Shader::DxilListing(listing.clone()),
            ModuleCode::Dxbc { container, .. } if runner.accepts(ShaderForm::Dxbc) => Shader::Dxbc(container.clone()),
            ModuleCode::Naga { spirv, .. } | ModuleCode::Dxbc { spirv, .. } => Shader::Spirv(spirv.clone()),
        }
    }

    /// Returns true if the code is only WGSL, with features that the device lacks.
    pub fn is_foreign_to(&self, device: &DeviceInfo) -> bool {
        // naga brings wide numbers to Vulkan devices, and no features of the language.
        let is_language = |feature: &Feature| !WIDE_NUMBERS.contains(feature);
        let takes_features = device.runner.accepts(ShaderForm::Wgsl) || !self.requires.iter().any(is_language);
        let has_features = takes_features && self.requires.is_subset(&device.features);
        matches!(self.code, ModuleCode::Wgsl(_)) && !self.requires.is_empty() && !has_features
    }

    /// Adds the other stage of a draw: a draw on Direct3D 12 has a shader for each stage.
    #[must_use]
    pub fn with_other_stage(&self, mut job: Job, stage: Stage) -> Job {
        let (Some(draw), Some(container)) = (&mut job.draw, &self.other_stage) else { return job };
        let other = Shader::Dxil(container.clone());
        draw.fragment_shader = Some(match stage {
            Stage::Fragment => std::mem::replace(&mut job.shader, other),
            _ => other,
        });
        job
    }

    /// Returns the offsets that the code addresses in the language that `device` gets; `None` if
    /// the module has no code in that language.
    pub fn compiled_for(&self, device: &DeviceInfo) -> Option<&CompiledOffsets> {
        match &self.hlsl_compiled {
            _ if device.is_opengl() => self.glsl_compiled.as_ref(),
            Some(hlsl) if device.takes_naga_hlsl() => Some(hlsl),
            Some(_) | None => Some(&self.compiled),
        }
    }

    /// Returns the smallest size in bytes to bind for `entry`. OpenGL leaves reads after the bound
    /// range undefined, and the GLSL block can be longer than the WGSL one.
    pub fn least_binding(&self, device: &DeviceInfo, entry: &str) -> u32 {
        let glsl = self.glsl_compiled.as_ref().filter(|_| device.is_opengl());
        let own = glsl.into_iter().flatten().filter(|((name, _, _), _)| name == entry);
        let last = own.filter_map(|(_, offset)| *offset).max();
        last.map_or(self.binding_size, |last| self.binding_size.max(last.saturating_add(WORD)))
    }
}
