//! The shaders of a subject by one producer, with what their code addresses.
//!
//! `rspirv` writes one SPIR-V module per block with our own offsets, with all entry points that need the same features of
//! a device, and where the block's types need features that devices may lack, modules with the leaves of each feature
//! alone to stand in for it; `naga` compiles WGSL text, one module per entry point, because address spaces differ in what
//! they allow.

use std::collections::BTreeSet;
use std::sync::Arc;

use layoutproof_device::Shader;
use layoutproof_device::planted::{PlantedBug, is_planted};
use layoutproof_layout::tree::LeafStep;
use layoutproof_layout::{BlockLayout, DECLARED, ElementChoice, Leaf, MAX_LEAVES, Numbers, Refusal, lay_out};

use crate::check::produce::feature_split::{Share, accesses, shares};
use crate::check::produce::gap::Gap;
use crate::check::produce::probe_axes::reach;
use crate::check::produce::settings::Settings;
use crate::check::produce::shader_module::{CompiledOffsets, ModuleCode, ShaderModule};
use crate::check::producer::{Generator, Producer};
use crate::check::subject::Subject;
use crate::check::verdict::Validation;
use crate::generate::{spirv, wgsl};
use crate::inspect::toolchain::AnswerOrigin;
use crate::model::{CompiledError, compiled};
use crate::probe::{AddressSpace, Form, Interface, ProbePlan, Stage, elements, forms_left_out, plan_in};

/// The shaders of a subject.
#[derive(Clone, Debug)]
pub struct SubjectShaders {
    /// Their writer.
    pub producer: Producer,
    /// One or more per block that can be probed.
    pub modules: Vec<ShaderModule>,
    /// Why blocks, leaves or entry points have no shader.
    pub gaps: Vec<Gap>,
    /// Failures on the way to a shader, such as a compiler that crashed.
    pub broken: Vec<String>,
    /// The elements of arrays that were to be probed.
    pub elements: ElementChoice,
    /// Leaves in other elements, which no shader reads or writes.
    pub leaves_not_probed: u64,
    /// Parts that were left out because a run would take too long with them, a lowercase fragment each. All of them can be
    /// asked for.
    pub spared: Vec<String>,
    /// Where what compilers and the validator said of them comes from.
    pub origin: AnswerOrigin,
}

/// The two layouts of a shader and its image, which differ only where a fault is planted.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShaderLayouts<'a> {
    /// The layout that the shader is written for.
    pub(super) written: &'a BlockLayout,
    /// The layout that the image is packed for.
    pub(super) packed: &'a BlockLayout,
}

impl ShaderLayouts<'_> {
    /// The layout that the shader is written for, if it is not that of the image.
    pub(super) fn planted(self) -> Option<BlockLayout> {
        (self.written != self.packed).then(|| self.written.clone())
    }
}

/// Returns true if `generator` writes the same shaders for both: rule sets often agree on a source's layouts, and are then
/// probed in the same places.
pub fn share_shaders(one: &Subject, other: &Subject, generator: Generator, settings: &Settings) -> bool {
    let writes_alike = match generator {
        Generator::Rspirv => true,
        Generator::Naga => wgsl::chooses_offsets(one.rules) == wgsl::chooses_offsets(other.rules),
    };
    let probed_alike = |kind| reach(one, kind, settings) == reach(other, kind, settings);
    // What a rule set forbids is told with its name.
    let has_code_alike = |(one, other): (&BlockLayout, &BlockLayout)| {
        one.result.is_ok() && one.places_alike(other) && probed_alike(one.kind)
    };
    writes_alike
        && Arc::ptr_eq(&one.source, &other.source)
        && one.layouts.iter().zip(&other.layouts).all(has_code_alike)
}

/// Leaves up to which a block is probed through every form of access, and in every stage.
const MOST_LEAVES_IN_EVERY_FORM: usize = 1024;

/// The forms of access to blocks with more leaves.
const FORMS_OF_LONG_BLOCKS: [Form; 2] = [Form::Leaf, Form::Length];

impl SubjectShaders {
    /// Writes the shaders of `subject` by a generator of ours.
    pub fn new(subject: &Subject, generator: Generator, settings: &Settings) -> Self {
        let mut shaders = Self::empty(Producer::Generator(generator), settings.elements);
        for (block, layout) in subject.layouts.iter().enumerate() {
            if let Err(refusals) = &layout.result {
                shaders.gaps.extend(refusals.iter().map(|refusal| gap(subject.rules, refusal)));
                continue;
            }

            let leaves = shaders.leaves(layout);
            let settings = &shaders.spare(settings, layout, &leaves);
            let places = reach(subject, layout.kind, settings);
            let plan = plan_in(layout, &leaves, &places).only(&settings.forms);
            shaders.gaps.extend(not_probed(&plan));
            if plan.leaves.is_empty() {
                continue;
            }

            // A module that says its own offsets has no declarations to lay out otherwise.
            let declared = subject.source.module.blocks.get(block);
            let written = match settings.planted_rules.as_ref().zip(declared) {
                Some((rules, declared)) => lay_out(declared, rules, subject.source.options),
                None => layout.clone(),
            };
            let layouts = ShaderLayouts { written: &written, packed: layout };

            match generator {
                Generator::Rspirv => {
                    shaders.add_shares(block, layouts, plan);
                    shaders.add_second_element(block, layouts, &places, settings);
                }
                Generator::Naga => shaders.add_naga(block, layouts, plan),
            }
        }
        shaders.tidy()
    }

    pub(in crate::check) fn empty(producer: Producer, elements: ElementChoice) -> Self {
        let (modules, gaps, broken, spared) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let origin = AnswerOrigin::Asked;
        Self { producer, modules, gaps, broken, elements, leaves_not_probed: 0, spared, origin }
    }

    /// The leaves of a block in the chosen elements of its arrays; the others are counted.
    pub(in crate::check) fn leaves(&mut self, layout: &BlockLayout) -> Vec<Leaf> {
        let leaves = layout.leaves_in(self.elements);
        let others = layout.leaf_count().saturating_sub(leaves.len() as u64);
        if others > 0 {
            self.spared.push(match self.elements {
                ElementChoice::Sample => format!("leaves not probed ({others} in other elements of arrays)"),
                ElementChoice::Every => format!("leaves not probed ({others} behind the first {MAX_LEAVES})"),
            });
        }
        self.leaves_not_probed = self.leaves_not_probed.saturating_add(others);
        leaves
    }

    /// The settings for a block of which these leaves are probed: what takes long is spared unless it is asked for by name.
    fn spare(&mut self, settings: &Settings, layout: &BlockLayout, leaves: &[Leaf]) -> Settings {
        let mut settings = settings.clone();
        if leaves.len() > MOST_LEAVES_IN_EVERY_FORM {
            let of_block = format!("of `{}`, which has {} leaves to probe", layout.name, leaves.len());
            if settings.forms == Form::ALL.into() {
                settings.forms = FORMS_OF_LONG_BLOCKS.into();
                self.spared.push(format!("forms not probed (all but leaf {of_block})"));
            }
            if settings.stages.is_none() {
                settings.stages = Some([Stage::Compute].into());
                self.spared.push(format!("stages not probed (vertex and fragment {of_block})"));
            }
        }

        if settings.forms.contains(&Form::Copied) {
            let forms = forms_left_out(layout, leaves);
            self.spared.extend(forms.map(|forms| format!("forms not probed ({forms})")));
        }
        settings
    }

    /// With each reason once.
    pub(in crate::check) fn tidy(mut self) -> Self {
        self.gaps.sort();
        self.gaps.dedup();
        self.broken.sort();
        self.broken.dedup();
        self
    }

    /// Adds the modules of a plan and those that stand in for them.
    fn add_shares(&mut self, block: usize, layouts: ShaderLayouts<'_>, plan: ProbePlan) {
        let parts = plan.parts_for_drivers(layouts.packed).into_iter();
        let shares = parts.flat_map(|part| accesses(&part)).flat_map(|plan| shares(&plan));
        for (share, plan) in shares.filter(|(_, plan)| !plan.entries.is_empty()) {
            self.add_rspirv(block, layouts, share, plan);
        }
    }

    /// Adds the modules for the second element of a structured buffer, which show the stride.
    fn add_second_element(
        &mut self,
        block: usize,
        layouts: ShaderLayouts<'_>,
        places: &BTreeSet<(AddressSpace, Stage)>,
        settings: &Settings,
    ) {
        let pair = elements(layouts.written).zip(elements(layouts.packed));
        let Some((written, packed)) = pair.filter(|_| !is_planted(PlantedBug::SecondElementForgotten)) else { return };

        let plan = plan_of_second_element(&packed, &packed.leaves_in(settings.elements), places);
        let plan = plan.only(&[Form::Leaf, Form::Length].into()).only(&settings.forms);
        self.add_shares(block, ShaderLayouts { written: &written, packed: &packed }, plan);
    }

    /// Adds the module of one plan, or why there is none.
    fn add_rspirv(&mut self, block: usize, layouts: ShaderLayouts<'_>, share: Share, plan: ProbePlan) {
        let module = match spirv::produce(layouts.written, &plan) {
            Ok(module) => module,
            Err(error) => return self.gaps.push(Gap::language(error.to_string())),
        };
        let compiled = match addressed(layouts.packed, &plan, &module.shader(), Interface::default()) {
            Ok(compiled) => compiled,
            Err(error) => return self.gaps.push(Gap::tool(error.to_string())),
        };

        self.modules.push(ShaderModule {
            share,
            block,
            layout: layouts.packed.clone(),
            planted: layouts.planted(),
            block_rules: module.block_rules(),
            requires: module.requires(),
            source: None,
            code: ModuleCode::Spirv(module.words),
            interface: Interface::default(),
            reported: Numbers::default(),
            validation: Validation::NotRun("no spirv-val".to_owned()),
            binding_size: 0,
            compiled,
            glsl_compiled: None,
            hlsl_compiled: None,
            other_stage: None,
            plan,
        });
    }
}

/// Why a block has no layout, and so no shader.
pub(in crate::check) fn gap(rules: &str, refusal: &Refusal) -> Gap {
    Gap::language(match rules {
        DECLARED => format!("`{}` has no layout in the module: {}", refusal.path, refusal.message),
        rules => format!("{rules} forbids it: {}", refusal.message),
    })
}

/// The leaves that a plan leaves out, by the reason.
pub(in crate::check) fn not_probed(plan: &ProbePlan) -> impl Iterator<Item = Gap> {
    plan.not_probed.iter().map(|leaf| Gap::language(format!("leaves not probed ({})", leaf.reason)))
}

/// The plan of an array of structured-buffer elements, of these leaves of it: where its second element is, read leaf by
/// leaf, shows the stride, and so does the number of elements. The first element has the block's own plan.
pub(crate) fn plan_of_second_element(
    array: &BlockLayout,
    leaves: &[Leaf],
    places: &BTreeSet<(AddressSpace, Stage)>,
) -> ProbePlan {
    let here = places.intersection(&[(AddressSpace::Storage, Stage::Compute)].into()).copied().collect();
    let plan = plan_in(array, leaves, &here);
    plan.without(|leaf| {
        let second = leaf.steps.first() == Some(&LeafStep::Element(1));
        (!second).then(|| "in the plan of the block".to_owned())
    })
}

/// Runs a module's code on the model device, and returns the offsets that it addresses.
pub(in crate::check) fn addressed(
    layout: &BlockLayout,
    plan: &ProbePlan,
    shader: &Shader,
    interface: Interface,
) -> Result<CompiledOffsets, CompiledError> {
    let mut offsets = CompiledOffsets::new();

    for (probe, observed) in compiled(layout, plan, shader, interface)? {
        for observation in observed.observations {
            let key = (probe.entry.name.clone(), observation.form, observation.leaf);
            offsets.entry(key).or_insert(observation.offset);
        }
    }

    Ok(offsets)
}
