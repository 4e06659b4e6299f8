//! The shaders of a subject by one producer, with what their code addresses.
//!
//! `rspirv` writes one SPIR-V module per block with our own offsets, with all entry points that need the same features of
//! a device, and where the block's types need features that devices may lack, modules with the leaves of each feature
//! alone to stand in for it; `naga`
//! compiles WGSL text, one module per entry point, because address spaces differ in what they allow.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::check::reach::reach;
use crate::check::share::{Share, accesses, shares};
use crate::check::subject::Subject;
use crate::generate::wgsl::WgslModule;
use crate::generate::{spirv, wgsl};
use crate::layout::tree::LeafStep;
use crate::layout::{BlockLayout, Component, DECLARED, Leaf, Refusal, RuleSet, lay_out};
use crate::model::{CompiledError, compiled};
use crate::naga_glsl::glsl_offsets;
use crate::naga_offsets::{self, NagaError};
use crate::probe::{ProbeEntry, ProbePlan, elements, plan_in};
use crate::record::{Form, Proves, Space, Stage};
use crate::runner::{DeviceInfo, Feature, RunnerKind, Shader};
use crate::scalar::Scalar;
use crate::verdict::{Validation, Writer};

/// Who writes the shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Producer {
    /// Our own SPIR-V through rspirv.
    Rspirv,
    /// Our own WGSL, compiled by naga.
    Naga,
}

impl Producer {
    /// All producers.
    pub const ALL: [Self; 2] = [Self::Rspirv, Self::Naga];

    /// The name in trial names and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rspirv => "rspirv",
            Self::Naga => "naga",
        }
    }

    /// Whether this API takes what the producer makes. wgpu with our SPIR-V would be ash's path again; the model
    /// follows decorations, which naga's own code adds nothing to.
    pub fn feeds(self, runner: RunnerKind) -> bool {
        match (self, runner) {
            (Self::Rspirv, RunnerKind::Ash | RunnerKind::Model) | (Self::Naga, RunnerKind::Ash | RunnerKind::Wgpu) => {
                true
            }
            (Self::Rspirv, RunnerKind::Wgpu) | (Self::Naga, RunnerKind::Model) => false,
        }
    }

    /// Whose the offsets in the shaders are.
    pub fn writer(self) -> Writer {
        match self {
            Self::Rspirv => Writer::Generator,
            Self::Naga => Writer::Compiler,
        }
    }

    /// What agreement proves under `rules`: naga chooses offsets only under WGSL's own rules.
    pub fn proves(self, rules: &str) -> Proves {
        match self {
            Self::Naga if wgsl::chooses_offsets(rules) => Proves::Compiler,
            Self::Rspirv | Self::Naga => Proves::Decorations,
        }
    }
}

impl fmt::Display for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What shapes the shaders beside subject and producer.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Forms of access.
    pub forms: BTreeSet<Form>,
    /// Spaces in which every block is probed; `None` for the usual ones, and all of them for a core of subjects.
    pub spaces: Option<BTreeSet<Space>>,
    /// The same of stages.
    pub stages: Option<BTreeSet<Stage>>,
    /// Rule set under which shaders are generated instead of the one that is checked: a planted fault.
    pub planted_rules: Option<RuleSet>,
}

/// The shaders of a subject.
#[derive(Clone, Debug)]
pub struct Produced {
    /// Who wrote them.
    pub producer: Producer,
    /// One or more per block that can be probed.
    pub modules: Vec<ShaderModule>,
    /// Why blocks, leaves or entry points have no shader.
    pub gaps: Vec<String>,
}

/// One shader module.
#[derive(Clone, Debug)]
pub struct ShaderModule {
    /// What it holds of its block.
    pub share: Share,
    /// Index into [`Subject::layouts`].
    pub block: usize,
    /// The layout that the image is packed for: that of the block, or of the array that [`elements`] makes of it.
    pub layout: BlockLayout,
    /// The leaves and the entry points of this module.
    pub plan: ProbePlan,
    /// SPIR-V words.
    pub spirv: Vec<u32>,
    /// WGSL text that the SPIR-V comes from.
    pub wgsl: Option<String>,
    /// Options for the validator.
    pub validator_flags: Vec<&'static str>,
    /// What the validator said.
    pub validation: Validation,
    /// What a device must have.
    pub requires: BTreeSet<Feature>,
    /// Least bytes that the language lets a host bind.
    pub binding_size: u32,
    /// The byte offset that the code addresses, by entry point, form and leaf.
    pub compiled: Compiled,
    /// The same for the GLSL that naga writes for OpenGL drivers; `None` where there is none.
    pub glsl_compiled: Option<Compiled>,
}

/// Bytes of each leaf that naga's shaders probe.
const WORD: u32 = 4;

/// Byte offsets that code addresses, by entry point, form and index of the leaf.
pub type Compiled = BTreeMap<(String, Form, u32), Option<u32>>;

impl ShaderModule {
    /// What the spaces and stages of the module's entry points need, which is the same for all of them.
    pub fn access(&self) -> BTreeSet<Feature> {
        self.plan.entries.iter().flat_map(ProbeEntry::requires).collect()
    }

    /// The form in which a runner takes the module.
    pub fn shader(&self, runner: RunnerKind) -> Shader {
        match (runner, &self.wgsl) {
            (RunnerKind::Wgpu, Some(text)) => Shader::Wgsl(text.clone()),
            (RunnerKind::Ash | RunnerKind::Wgpu | RunnerKind::Model, _) => Shader::Spirv(self.spirv.clone()),
        }
    }

    /// What the code addresses in the language in which `device` gets it; `None` where the module has no such code.
    pub fn compiled_for(&self, device: &DeviceInfo) -> Option<&Compiled> {
        if device.is_opengl() { self.glsl_compiled.as_ref() } else { Some(&self.compiled) }
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

impl Produced {
    /// Writes the shaders of `subject`.
    pub fn new(subject: &Subject, producer: Producer, settings: &Settings) -> Self {
        let mut shaders = Self { producer, modules: Vec::new(), gaps: Vec::new() };
        let places = reach(subject, settings);
        for (block, layout) in subject.layouts.iter().enumerate() {
            if let Err(refusals) = &layout.result {
                shaders.gaps.extend(refusals.iter().map(|refusal| gap(subject.rules, refusal)));
                continue;
            }
            let plan = plan_in(layout, &layout.leaves(), &places).only(&settings.forms);
            shaders.gaps.extend(plan.not_probed.iter().map(|gap| format!("leaves not probed ({})", gap.reason)));
            if plan.leaves.is_empty() {
                continue;
            }
            // A module that says its own offsets has no declarations to lay out otherwise.
            let declared = subject.source.module.blocks.get(block);
            let written = match settings.planted_rules.as_ref().zip(declared) {
                Some((rules, declared)) => lay_out(declared, rules, subject.source.options),
                None => layout.clone(),
            };
            match producer {
                Producer::Rspirv => {
                    shaders.add_shares(block, (&written, layout), &plan);
                    if let Some((written, layout)) = elements(&written).zip(elements(layout)) {
                        let plan = plan_of_second_element(&layout, &places).only(&settings.forms);
                        shaders.add_shares(block, (&written, &layout), &plan);
                    }
                }
                Producer::Naga => {
                    let plan = plan.without(not_in_wgsl).only(&FORMS_IN_WGSL.into());
                    shaders.add_naga(block, (&written, layout), &plan);
                }
            }
        }
        shaders.gaps.sort();
        shaders.gaps.dedup();
        shaders
    }

    /// Adds the modules of a plan and those that stand in for them.
    fn add_shares(&mut self, block: usize, layouts: (&BlockLayout, &BlockLayout), plan: &ProbePlan) {
        let shares = accesses(plan).into_iter().flat_map(|plan| shares(&plan));
        for (share, plan) in shares.filter(|(_, plan)| !plan.entries.is_empty()) {
            self.add_rspirv(block, layouts, (share, plan));
        }
    }

    /// `layout` is what the shader is written for, `image_of` what the image is packed for: the same without a planted
    /// fault.
    fn add_rspirv(
        &mut self,
        block: usize,
        (layout, image_of): (&BlockLayout, &BlockLayout),
        (share, plan): (Share, ProbePlan),
    ) {
        let module = match spirv::produce(layout, &plan) {
            Ok(module) => module,
            Err(error) => return self.gaps.push(error.to_string()),
        };
        let compiled = match addressed(image_of, &plan, &module.shader()) {
            Ok(compiled) => compiled,
            Err(error) => return self.gaps.push(error.to_string()),
        };
        self.modules.push(ShaderModule {
            share,
            block,
            layout: image_of.clone(),
            validator_flags: module.spirv_val_flags(),
            requires: module.requires(),
            spirv: module.words,
            wgsl: None,
            validation: Validation::NotRun("no spirv-val".to_owned()),
            binding_size: 0,
            compiled,
            glsl_compiled: None,
            plan,
        });
    }

    fn add_naga(&mut self, block: usize, (layout, image_of): (&BlockLayout, &BlockLayout), plan: &ProbePlan) {
        for entry in plan.entries.iter().filter(|entry| wgsl::has(entry)) {
            let NagaModule { wgsl, offsets, spirv } = match compile(layout, plan, entry) {
                Ok(compiled) => compiled,
                Err(gap) => {
                    self.gaps.push(gap);
                    continue;
                }
            };
            let glsl_compiled = match ask_naga(entry, || glsl_offsets(&wgsl)) {
                Ok(offsets) => Some(by_form(entry, &offsets)),
                Err(gap) => {
                    self.gaps.push(gap);
                    None
                }
            };
            let push = (entry.space == Space::PushConstant).then_some(Feature::PushConstants);
            self.modules.push(ShaderModule {
                share: Share::All,
                block,
                layout: image_of.clone(),
                plan: ProbePlan { entries: vec![entry.clone()], ..plan.clone() },
                spirv,
                validator_flags: Vec::new(),
                validation: Validation::NotRun("no spirv-val".to_owned()),
                requires: push.into_iter().collect(),
                binding_size: wgsl.binding_size,
                compiled: by_form(entry, &offsets),
                glsl_compiled,
                wgsl: Some(wgsl.text),
            });
        }
    }
}

/// Why a block has no layout, and so no shader.
fn gap(rules: &str, refusal: &Refusal) -> String {
    match rules {
        DECLARED => format!("`{}` has no layout in the module: {}", refusal.path, refusal.message),
        rules => format!("{rules} forbids it: {}", refusal.message),
    }
}

/// WGSL text for one entry point, with what naga makes of it.
#[derive(Debug)]
struct NagaModule {
    wgsl: WgslModule,
    /// Where naga puts the leaves, in bytes.
    offsets: Vec<Option<u32>>,
    spirv: Vec<u32>,
}

/// The module for one entry point, or why there is none.
fn compile(layout: &BlockLayout, plan: &ProbePlan, entry: &ProbeEntry) -> Result<NagaModule, String> {
    let wgsl = wgsl::module(layout, plan, entry).map_err(|error| error.to_string())?;
    let (offsets, spirv) =
        ask_naga(entry, || Ok((naga_offsets::compiled_offsets(&wgsl)?, naga_offsets::spirv(&wgsl)?)))?;
    Ok(NagaModule { wgsl, offsets, spirv })
}

/// An answer of naga about `entry`. naga's writers assert what its validator does not check; a panic is that compiler's
/// answer, not the run's end.
fn ask_naga<T>(
    entry: &ProbeEntry,
    ask: impl FnOnce() -> Result<T, NagaError> + std::panic::UnwindSafe,
) -> Result<T, String> {
    match std::panic::catch_unwind(ask) {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(_) => Err(format!("naga panics: on entry point `{}`", entry.name)),
    }
}

/// The plan of an array of structured-buffer elements: where its second element is, read leaf by leaf, shows the stride,
/// and so does the number of elements. The first element has the block's own plan.
fn plan_of_second_element(array: &BlockLayout, places: &BTreeSet<(Space, Stage)>) -> ProbePlan {
    let here = places.intersection(&[(Space::Storage, Stage::Compute)].into()).copied().collect();
    let plan = plan_in(array, &array.leaves(), &here);
    let plan = plan.without(|leaf| {
        let second = leaf.steps.first() == Some(&LeafStep::Element(1));
        (!second).then(|| "in the plan of the block".to_owned())
    });
    plan.only(&[Form::Leaf, Form::Length].into())
}

/// The forms that our WGSL has.
const FORMS_IN_WGSL: [Form; 3] = [Form::Leaf, Form::Vector, Form::Whole];

/// Why our WGSL has no leaf like this one.
fn not_in_wgsl(leaf: &Leaf) -> Option<String> {
    let Component { scalar, size } = leaf.component;
    match scalar {
        Scalar::Bool => Some("a `bool` in memory that a host can see".to_owned()),
        _ if size != 4 => Some(format!("{size} bytes wide")),
        _ => None,
    }
}

/// The offsets of the leaves, which naga's code addresses in every form of `entry`.
fn by_form(entry: &ProbeEntry, offsets: &[Option<u32>]) -> Compiled {
    let leaves =
        |form: Form| (0_u32..).zip(offsets).map(move |(leaf, offset)| ((entry.name.clone(), form, leaf), *offset));
    entry.forms.iter().copied().flat_map(leaves).collect()
}

/// What the module's code addresses, by running it on the model device.
fn addressed(layout: &BlockLayout, plan: &ProbePlan, shader: &Shader) -> Result<Compiled, CompiledError> {
    let mut offsets = Compiled::new();
    for (probe, observed) in compiled(layout, plan, shader)? {
        for observation in observed.observations {
            let key = (probe.entry.name.clone(), observation.form, observation.leaf);
            offsets.entry(key).or_insert(observation.offset);
        }
    }
    Ok(offsets)
}
