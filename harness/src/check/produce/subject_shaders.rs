//! The shaders of a subject by one producer, with the offsets that their code addresses.
//!
//! `rspirv` writes SPIR-V with our own offsets: one module per block and set of device features
//! that entry points need. If the block's types need features that devices may lack, it also writes
//! modules with only the leaves of each feature, to replace the full module. `naga` compiles WGSL
//! text, one module per entry point, because address spaces differ in what they allow.

use std::collections::BTreeSet;
use std::sync::Arc;

use layoutproof_device::{RecordStage, Shader};
use layoutproof_layout::tree::LeafStep;
use layoutproof_layout::{
    BlockKind, BlockLayout, DECLARED, ElementChoice, FileId, Leaf, MAX_LEAVES, Numbers, Reach, Refusal, StageData,
    ViewId, lay_out,
};

use crate::check::produce::feature_split::{Share, accesses, shares};
use crate::check::produce::gap::Gap;
use crate::check::produce::probe_axes::{reach, untyped_spaces};
use crate::check::produce::settings::Settings;
use crate::check::produce::shader_module::{CompiledOffsets, ModuleCode, ShaderModule};
use crate::check::subject::Subject;
use crate::check::verdict::Validation;
use layoutproof_events::Reason;
use layoutproof_events::producer::{Generator, Producer};
use layoutproof_generators::{spirv, wgsl};
use layoutproof_model::{CompiledError, compiled};
use layoutproof_probes::{
    AddressSpace, BufferRole, Form, Interface, ProbePlan, ProbeProblem, Stage, TooSmall, elements, forms_left_out,
    plan_in, too_small,
};
use layoutproof_readers::caught;
use layoutproof_readers::naga::read_wgsl;
use layoutproof_readers::toolchain::AnswerOrigin;
use layoutproof_readers::wgsl_witness::{WitnessDifference, differences};

#[derive(Clone, Debug)]
pub struct SubjectShaders {
    pub producer: Producer,
    /// One or more modules for each block that can be probed.
    pub modules: Vec<ShaderModule>,
    /// Numbers in the compiler's output for blocks that no shader probes.
    pub stated: Numbers,
    /// Why blocks, leaves or entry points have no shader.
    pub gaps: Vec<Gap>,
    /// Failures on the way to a shader, such as a compiler crash.
    pub broken: Vec<String>,
    /// Our own shaders that a compiler refuses although it takes the user's file.
    pub own_faults: Vec<Reason>,
    /// Leaves that only stand for others: a long block is probed at even distances. By block and path.
    pub spared_leaves: BTreeSet<(ViewId, String)>,
    pub elements: ElementChoice,
    /// The number of leaves in other elements, which no shader reads or writes.
    pub leaves_not_probed: u64,
    /// The parts that were left out because they would slow down the run, each as a lowercase
    /// fragment. The user can request all of them.
    pub spared: Vec<Reason>,
    /// Whether the answers of compilers and validator are fresh or cached.
    pub origin: AnswerOrigin,
}

/// The layouts of a shader and of its image. They differ only if a fault is planted.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShaderLayouts<'a> {
    pub(super) written: &'a BlockLayout,
    pub(super) packed: &'a BlockLayout,
}

impl ShaderLayouts<'_> {
    /// Returns the shader's layout if it differs from the image's.
    pub(super) fn planted(self) -> Option<BlockLayout> {
        (self.written != self.packed).then(|| self.written.clone())
    }
}

/// Returns true if `generator` writes the same shaders for both subjects. Rule sets often agree on
/// a source's layouts and then probe the same places.
pub fn share_shaders(one: &Subject, other: &Subject, generator: Generator, settings: &Settings) -> bool {
    let writes_alike = match generator {
        Generator::Rspirv => true,
        Generator::Naga => wgsl::chooses_offsets(one.rules) == wgsl::chooses_offsets(other.rules),
    };
    let accessed_alike = untyped_spaces(one, settings) == untyped_spaces(other, settings);
    // A refusal names its rule set, so refused blocks cannot share.
    let has_code_alike = |layout: &BlockLayout| {
        let twin = other.layout(layout.view);
        let probed_alike = || reach(one, layout, settings) == reach(other, twin, settings);
        layout.result.is_ok() && layout.places_alike(twin) && probed_alike()
    };
    writes_alike && accessed_alike && Arc::ptr_eq(&one.source, &other.source) && one.layouts.iter().all(has_code_alike)
}

/// Limit on the leaves of a block that is probed through every form of access and in every stage.
const MOST_LEAVES_IN_EVERY_FORM: usize = 1024;

/// The forms of access to blocks with more leaves.
const FORMS_OF_LONG_BLOCKS: [Form; 2] = [Form::Leaf, Form::Length];

/// Why a block that stages hand to each other has no shader.
pub(crate) fn not_executed(data: StageData) -> String {
    format!("no probe executes this kind of memory ({data})")
}

/// Says where naga puts a member of a block of the user's WGSL, if not where WGSL has it. Our own module states each offset, so
/// naga would agree with it whatever it makes of the user's.
fn elsewhere_in_naga(subject: &Subject, layout: &BlockLayout) -> Option<String> {
    let text = subject.source.text.as_ref().filter(|_| subject.is_own_wgsl())?;
    // A separate process has read it before.
    let naga = caught(|| read_wgsl(&text.text, FileId::default()))?.ok()?;
    differences(std::slice::from_ref(layout), &naga).first().map(WitnessDifference::of_naga)
}

impl SubjectShaders {
    pub fn new(subject: &Subject, generator: Generator, settings: &Settings) -> Self {
        let mut shaders = Self::empty(Producer::Generator(generator), settings.elements);
        for layout in &subject.layouts {
            let known = shaders.gaps.len();
            shaders.add_block(subject, layout, generator, settings);
            shaders.gaps[known..].iter_mut().for_each(|gap| gap.view = Some(layout.view));
        }
        shaders.tidy()
    }

    /// Adds the modules of a block, or the reasons why there are none.
    fn add_block(&mut self, subject: &Subject, layout: &BlockLayout, generator: Generator, settings: &Settings) {
        if let Err(refusals) = &layout.result {
            self.gaps.extend(refusals.iter().map(|refusal| gap(subject.rules, refusal)));
            return;
        }

        if let Reach::Stage(data) = &layout.reach {
            return self.gaps.push(Gap::language(not_executed(*data)));
        }
        let leaves = self.leaves(layout);
        let settings = &self.spare(settings, layout, &leaves);
        let places = reach(subject, layout, settings);
        let untyped = untyped_spaces(subject, settings);
        let plan = plan_in(layout, &leaves, &places).only(&settings.forms).untyped_only_in(&untyped);
        self.gaps.extend(not_probed(&plan));
        if plan.leaves.is_empty() {
            return;
        }
        if generator == Generator::Rspirv {
            self.gaps.extend(no_room(layout, &places));
        }

        // A module with its own offsets has no declarations to lay out differently.
        let declared = subject.declaration(layout.view);
        let written = match settings.planted_rules.as_ref().zip(declared) {
            Some((rules, declared)) => lay_out(declared, rules, subject.source.options),
            None => layout.clone(),
        };
        let layouts = ShaderLayouts { written: &written, packed: layout };

        match generator {
            Generator::Rspirv => {
                self.add_shares(layouts, plan);
                self.add_second_element(layouts, &places, settings, &untyped);
            }
            Generator::Naga => match elsewhere_in_naga(subject, layout) {
                Some(reason) => self.gaps.push(Gap::tool(reason)),
                None => self.add_naga(layouts, plan),
            },
        }
    }

    /// No shaders: where a device can run none, or before they are made.
    pub fn empty(producer: Producer, elements: ElementChoice) -> Self {
        Self {
            producer,
            modules: Vec::new(),
            stated: Numbers::default(),
            gaps: Vec::new(),
            broken: Vec::new(),
            own_faults: Vec::new(),
            spared_leaves: BTreeSet::new(),
            elements,
            leaves_not_probed: 0,
            spared: Vec::new(),
            origin: AnswerOrigin::Asked,
        }
    }

    /// Returns the leaves of a block in the chosen array elements, and counts the others.
    pub(crate) fn leaves(&mut self, layout: &BlockLayout) -> Vec<Leaf> {
        let leaves = layout.leaves_in(self.elements);
        let others = layout.leaf_count().saturating_sub(leaves.len() as u64);
        if others > 0 {
            self.spared.push(match self.elements {
                ElementChoice::Sample => format!("leaves not probed ({others} in other elements of arrays)").into(),
                ElementChoice::Every => format!("leaves not probed ({others} after the first {MAX_LEAVES})").into(),
            });
        }
        self.leaves_not_probed = self.leaves_not_probed.saturating_add(others);
        leaves
    }

    /// Returns the settings for a block with these leaves. It drops the slow parts that the user
    /// did not request by name.
    fn spare(&mut self, settings: &Settings, layout: &BlockLayout, leaves: &[Leaf]) -> Settings {
        let mut settings = settings.clone();
        if leaves.len() > MOST_LEAVES_IN_EVERY_FORM {
            let of_block = format!("of `{}`, which has {} leaves to probe", layout.name, leaves.len());
            if settings.forms == Form::ALL.into() {
                settings.forms = FORMS_OF_LONG_BLOCKS.into();
                self.spared.push(format!("forms not probed (all but leaf {of_block})").into());
            }
            if settings.stages.is_none() {
                let usual = [Stage::Compute, Stage::RayGeneration, Stage::Record(RecordStage::Callable)];
                settings.stages = Some(usual.into());
                self.spared.push(
                    format!("stages not probed (all but compute, ray generation and callable {of_block})").into(),
                );
            }
        }

        if settings.forms.contains(&Form::Copied) {
            let forms = forms_left_out(layout, leaves);
            self.spared.extend(forms.map(|forms| format!("forms not probed ({forms})").into()));
        }
        settings
    }

    /// Sorts and removes duplicate reasons.
    pub(crate) fn tidy(mut self) -> Self {
        self.gaps.sort();
        self.gaps.dedup();
        self.broken.sort();
        self.broken.dedup();
        self.own_faults.sort();
        self.own_faults.dedup();
        self
    }

    /// Adds the modules of a plan and the modules that replace them.
    fn add_shares(&mut self, layouts: ShaderLayouts<'_>, plan: ProbePlan) {
        let parts = plan.parts_for_drivers(layouts.packed).into_iter();
        let shares = parts.flat_map(|part| accesses(&part)).flat_map(|plan| shares(&plan));
        for (share, plan) in shares.filter(|(_, plan)| !plan.entries.is_empty()) {
            self.add_rspirv(layouts, share, plan);
        }
    }

    /// Adds the modules for the second element of a structured buffer or behind a pointer, which reveal the
    /// stride.
    fn add_second_element(
        &mut self,
        layouts: ShaderLayouts<'_>,
        places: &BTreeSet<(AddressSpace, Stage)>,
        settings: &Settings,
        untyped: &BTreeSet<AddressSpace>,
    ) {
        let pair = elements(layouts.written).zip(elements(layouts.packed));
        let Some((written, packed)) = pair else { return };

        let plan = plan_of_second_element(&packed, &packed.leaves_in(settings.elements), places);
        let plan = plan.only(&[Form::Leaf, Form::Length, Form::Untyped, Form::UntypedLength].into());
        let plan = plan.only(&settings.forms).untyped_only_in(untyped);
        self.add_shares(ShaderLayouts { written: &written, packed: &packed }, plan);
    }

    /// Adds the module of one plan, or the reason why there is none.
    fn add_rspirv(&mut self, layouts: ShaderLayouts<'_>, share: Share, plan: ProbePlan) {
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
            layout: layouts.packed.clone(),
            planted: layouts.planted(),
            block_rules: module.block_rules(),
            requires: module.requires(),
            source: None,
            alignments_not_followed: 0,
            code: ModuleCode::Spirv(module.words),
            interface: Interface::default(),
            reported: Numbers::default(),
            validation: Validation::NotRun("no spirv-val".to_owned()),
            binding_size: 0,
            compiled,
            changed_by_code: BTreeSet::new(),
            glsl_compiled: None,
            no_glsl: None,
            hlsl_compiled: None,
            other_stage: None,
            plan,
        });
    }
}

/// Explains why a block has no layout and thus no shader.
pub(crate) fn gap(rules: &str, refusal: &Refusal) -> Gap {
    Gap::language(match rules {
        DECLARED => Reason::Other(format!("`{}` has no layout in the module: {}", refusal.path, refusal.message)),
        rules => Reason::Forbidden { rules: rules.to_owned(), message: refusal.message.clone() },
    })
}

/// Returns a gap for each leaf that a plan leaves out.
pub(crate) fn not_probed(plan: &ProbePlan) -> impl Iterator<Item = Gap> {
    plan.not_probed.iter().map(|leaf| Gap::language(format!("leaves not probed ({})", leaf.reason)))
}

/// Returns a gap for each of the spaces that is too small for the block.
pub(crate) fn no_room(layout: &BlockLayout, places: &BTreeSet<(AddressSpace, Stage)>) -> impl Iterator<Item = Gap> {
    too_small(layout, places)
        .into_iter()
        .map(|TooSmall { space, has, needed }| Gap::language(Reason::SpaceTooSmall { space, has, needed }))
}

/// Plans the probes of a structured buffer's second element, or of the one behind a pointer (`p[1]`), in an
/// array of elements with these leaves. Reading the second element leaf by leaf reveals the stride, and so
/// does the element count. The block's own plan covers the first element.
pub(crate) fn plan_of_second_element(
    array: &BlockLayout,
    leaves: &[Leaf],
    places: &BTreeSet<(AddressSpace, Stage)>,
) -> ProbePlan {
    let spaces: &[AddressSpace] = match array.kind {
        BlockKind::Pointee => &[AddressSpace::Address],
        _ => &[AddressSpace::Storage, AddressSpace::Address],
    };
    let is_here = |(space, stage): &&(AddressSpace, Stage)| spaces.contains(space) && stage.is_compute();
    let here = places.iter().filter(is_here).copied().collect();
    let plan = plan_in(array, leaves, &here);
    plan.without(|leaf| {
        let second = leaf.steps.first() == Some(&LeafStep::Element(1));
        (!second).then(|| "in the plan of the block".to_owned())
    })
}

/// Runs a module's code on the model device and returns the offsets that it addresses.
pub(crate) fn addressed(
    layout: &BlockLayout,
    plan: &ProbePlan,
    shader: &Shader,
    interface: Interface,
) -> Result<CompiledOffsets, CompiledError> {
    Ok(followed(layout, plan, shader, interface)?.0)
}

/// The same, and the bytes of the block outside of all leaves that the code changes, by entry point.
pub(crate) fn followed(
    layout: &BlockLayout,
    plan: &ProbePlan,
    shader: &Shader,
    interface: Interface,
) -> Result<(CompiledOffsets, BTreeSet<(String, i64)>), CompiledError> {
    let mut offsets = CompiledOffsets::new();
    let mut changed = BTreeSet::new();
    for (probe, observed) in compiled(layout, plan, shader, interface)? {
        for observation in observed.observations {
            let key = (probe.entry.name.clone(), observation.form, observation.leaf);
            offsets.entry(key).or_insert(observation.offset);
        }
        for problem in observed.problems {
            if let ProbeProblem::Changed { role: BufferRole::Block, offset, .. } = problem {
                changed.insert((probe.entry.name.clone(), offset));
            }
        }
    }
    Ok((offsets, changed))
}
