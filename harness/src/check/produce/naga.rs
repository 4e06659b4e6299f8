//! Makes a subject's shaders with naga from our WGSL, one module per entry point.
//!
//! `subject_shaders` calls this. Each module has our WGSL text and the SPIR-V that naga writes for
//! it. It also has naga's own offsets of the leaves in that SPIR-V, in naga's GLSL for OpenGL
//! drivers, and in naga's HLSL for Direct3D 12.

use std::collections::BTreeSet;

use layoutproof_device::Feature;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{BlockLayout, BlockRules, Component, ElementChoice, LaidOut, LaidOutShape, Leaf, Numbers};

use crate::check::produce::feature_split::Share;
use crate::check::produce::gap::Gap;
use crate::check::produce::shader_module::{CompiledOffsets, ModuleCode, ShaderModule};
use crate::check::produce::subject_shaders::{ShaderLayouts, SubjectShaders};
use crate::check::verdict::Validation;
use layoutproof_generators::wgsl::{self, UniformLayout};
use layoutproof_probes::{AddressSpace, Form, Interface, ProbeEntry, ProbePlan};
use layoutproof_readers::caught;
use layoutproof_readers::naga_glsl::glsl_offsets;
use layoutproof_readers::naga_hlsl::hlsl_offsets;
use layoutproof_readers::naga_offsets::{NagaError, NagaShader};
use layoutproof_readers::wgsl_probe::WgslProbe;

/// Limit on the leaves of a block that our WGSL probes one by one.
const MOST_LEAVES_IN_WGSL: usize = 512;

impl SubjectShaders {
    /// Adds modules for the part of `plan` that our WGSL supports. For a long block it probes
    /// members at even distances, since naga and wgpu read the whole declaration again for each
    /// module.
    pub(super) fn add_naga(&mut self, layouts: ShaderLayouts<'_>, plan: ProbePlan) {
        let mut plan = in_wgsl(plan).only(&FORMS_OF_NAGA.into());
        if self.elements == ElementChoice::Sample {
            let all: Vec<String> = plan.leaves.iter().map(|leaf| leaf.path.clone()).collect();
            plan = plan.at_even_distances(layouts.packed, MOST_LEAVES_IN_WGSL);
            let others = all.len() - plan.leaves.len();
            if others > 0 {
                let name = &layouts.packed.name;
                self.spared.push(format!("leaves not probed ({others} of `{name}` between others that are)").into());
                self.leaves_not_probed = self.leaves_not_probed.saturating_add(others as u64);
                let is_probed = |path: &String| plan.leaves.iter().any(|leaf| leaf.path == *path);
                self.spared_leaves
                    .extend(all.into_iter().filter(|path| !is_probed(path)).map(|path| (layouts.packed.view, path)));
            }
        }
        for part in plan.parts_for_drivers(layouts.packed) {
            self.add_part_of_naga(layouts, &part);
        }
    }

    fn add_part_of_naga(&mut self, layouts: ShaderLayouts<'_>, plan: &ProbePlan) {
        for entry in &plan.entries {
            if let Err(nothing) = self.add_entry_of_naga(layouts, plan, entry) {
                self.add_nothing(nothing);
                // naga's trouble with indices from memory must not cost the accesses by constant ones.
                let by_constants =
                    ProbePlan { entries: vec![entry.clone()], ..plan.clone() }.only(&BY_CONSTANTS.into());
                for entry in by_constants.entries.iter().filter(|fewer| fewer.forms.len() < entry.forms.len()) {
                    if let Err(nothing) = self.add_entry_of_naga(layouts, plan, entry) {
                        self.add_nothing(nothing);
                    }
                }
            }
        }
    }

    fn add_entry_of_naga(
        &mut self,
        layouts: ShaderLayouts<'_>,
        plan: &ProbePlan,
        entry: &ProbeEntry,
    ) -> Result<(), NagaFailure> {
        let compiled = compile(layouts.written, plan, entry);
        if let (Err(NagaFailure::Refused(_)), Some((wgsl, offsets))) =
            (&compiled, in_standard_layout(layouts.written, plan, entry))
        {
            self.modules.push(ShaderModule {
                requires: needed(&wgsl, Some(Feature::UniformBufferStandardLayout)),
                ..module_of_wgsl(
                    layouts,
                    plan,
                    entry,
                    ModuleCode::Wgsl(wgsl.text),
                    wgsl.binding_size,
                    by_form(entry, &offsets),
                )
            });
            return Ok(());
        }
        let NagaModule { wgsl, offsets, spirv, glsl_offsets, hlsl_offsets } = compiled?;

        let witness = |of_naga: Vec<Option<u32>>| by_form(entry, &of_naga);
        let (glsl_compiled, no_glsl) = match glsl_offsets {
            Ok(offsets) => (Some(witness(offsets)), None),
            // Only OpenGL devices miss it.
            Err(NagaFailure::Refused(gap)) => (None, Some(gap.reason)),
            Err(broken) => {
                self.add_nothing(broken);
                (None, None)
            }
        };

        let push = (entry.space == AddressSpace::PushConstant).then_some(Feature::PushConstants);
        let requires = needed(&wgsl, push);
        let code = ModuleCode::Naga { spirv, wgsl: wgsl.text };
        self.modules.push(ShaderModule {
            requires,
            glsl_compiled,
            no_glsl,
            hlsl_compiled: hlsl_offsets.map(witness),
            ..module_of_wgsl(layouts, plan, entry, code, wgsl.binding_size, witness(offsets))
        });
        Ok(())
    }

    fn add_nothing(&mut self, nothing: NagaFailure) {
        match nothing {
            NagaFailure::Refused(gap) => self.gaps.push(gap),
            NagaFailure::Broken(sentence) => self.broken.push(sentence),
        }
    }
}

/// The features that a text needs beside this one. Vulkan counts the buffers of halves with the halves, as naga's SPIR-V does.
fn needed(wgsl: &WgslProbe, other: Option<Feature>) -> BTreeSet<Feature> {
    let halves = [Feature::Float16, Feature::StorageBuffer16, Feature::UniformBuffer16];
    other.into_iter().chain(halves.into_iter().filter(|_| wgsl.has_halves)).collect()
}

/// A module for one entry point, without anything that devices need.
fn module_of_wgsl(
    layouts: ShaderLayouts<'_>,
    plan: &ProbePlan,
    entry: &ProbeEntry,
    code: ModuleCode,
    binding_size: u32,
    compiled: CompiledOffsets,
) -> ShaderModule {
    ShaderModule {
        share: Share::All,
        layout: layouts.packed.clone(),
        planted: layouts.planted(),
        plan: ProbePlan { entries: vec![entry.clone()], ..plan.clone() },
        source: None,
        alignments_not_followed: 0,
        code,
        interface: Interface::default(),
        reported: Numbers::default(),
        block_rules: BlockRules::Relaxed,
        validation: Validation::NotRun("no spirv-val".to_owned()),
        requires: BTreeSet::new(),
        binding_size,
        compiled,
        changed_by_code: BTreeSet::new(),
        glsl_compiled: None,
        no_glsl: None,
        hlsl_compiled: None,
        other_stage: None,
    }
}

/// The text for a uniform block that WGSL has only with `uniform_buffer_standard_layout`, and the offsets that naga gives the
/// same block in a storage buffer. naga 30 does not have the feature, so no code of naga is in the module.
fn in_standard_layout(
    layout: &BlockLayout,
    plan: &ProbePlan,
    entry: &ProbeEntry,
) -> Option<(WgslProbe, Vec<Option<u32>>)> {
    let is_constrained = wgsl::module(layout, plan, entry, UniformLayout::Constrained).is_ok();
    if entry.space != AddressSpace::Uniform || is_constrained {
        return None;
    }
    let wgsl = wgsl::module(layout, plan, entry, UniformLayout::Standard).ok()?;
    let stored = ProbeEntry { space: AddressSpace::Storage, ..entry.clone() };
    let stored = wgsl::module(layout, plan, &stored, UniformLayout::Constrained).ok()?;
    let shader = ask_naga(entry, || NagaShader::read(&stored)).ok()?;
    Some((wgsl, shader.offsets()))
}

/// Why naga gave no code.
#[derive(Debug)]
enum NagaFailure {
    /// naga does not accept this, or our WGSL cannot express it.
    Refused(Gap),
    Broken(String),
}

/// The WGSL text for one entry point, and naga's results for it.
#[derive(Debug)]
struct NagaModule {
    wgsl: WgslProbe,
    /// naga's offsets of the leaves, in bytes.
    offsets: Vec<Option<u32>>,
    spirv: Vec<u32>,
    /// The leaves' offsets in naga's GLSL for OpenGL drivers, in bytes.
    glsl_offsets: Result<Vec<Option<u32>>, NagaFailure>,
    /// The leaves' offsets in naga's HLSL for Direct3D 12, in bytes; `None` if naga writes no HLSL.
    hlsl_offsets: Option<Vec<Option<u32>>>,
}

/// Compiles the module for one entry point, or returns the reason why there is none.
fn compile(layout: &BlockLayout, plan: &ProbePlan, entry: &ProbeEntry) -> Result<NagaModule, NagaFailure> {
    let indexes = entry.space == AddressSpace::Uniform && entry.forms.contains(&Form::Indexed);
    if indexes && layout.result.as_ref().is_ok_and(has_matrix_in_inner_struct) {
        return Err(NagaFailure::Refused(Gap::tool(NO_INDEX)));
    }
    let wgsl = wgsl::module(layout, plan, entry, UniformLayout::Constrained)
        .map_err(|error| NagaFailure::Refused(Gap::language(error.to_string())))?;
    let shader = ask_naga(entry, || NagaShader::read(&wgsl))?;
    let offsets = shader.offsets();
    let spirv = ask_naga(entry, || shader.spirv())?;
    let glsl_offsets = ask_naga(entry, || glsl_offsets(&shader));
    // Without HLSL, the Direct3D 12 device itself reports why it cannot run the module.
    let hlsl_offsets = ask_naga(entry, || hlsl_offsets(&shader)).ok();
    Ok(NagaModule { wgsl, offsets, spirv, glsl_offsets, hlsl_offsets })
}

const NO_INDEX: &str = "naga 30.0.1 panics at an index from memory into a matrix of two rows, in a struct inside the struct of a \
                        uniform block";

/// Returns true if naga may panic at an index from memory into a matrix of two rows in a struct inside the
/// struct of the block. It splits such matrices into columns among the block's own members; in an array, it
/// leaves the struct alone if the block has no such matrix itself.
fn has_matrix_in_inner_struct(block: &LaidOut) -> bool {
    let LaidOutShape::Struct(members) = &block.shape else { return false };
    let is_split = members.iter().any(|member| is_matrix_of_two_rows(&member.layout));
    members.iter().any(|member| match &member.layout.shape {
        LaidOutShape::Struct(_) => wgsl::holds_matrix_of_two_rows(&member.layout),
        LaidOutShape::Array { .. } => {
            is_split && !is_matrix_of_two_rows(&member.layout) && wgsl::holds_matrix_of_two_rows(&member.layout)
        }
        LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Matrix { .. }
        | LaidOutShape::Pointer { .. }
        | LaidOutShape::Resource => false,
    })
}

/// Returns true for a matrix of two rows in WGSL's sense, and for an array of them.
fn is_matrix_of_two_rows(part: &LaidOut) -> bool {
    match &part.shape {
        LaidOutShape::Matrix { rows, order: MatrixOrder::Column, .. } => *rows == 2,
        LaidOutShape::Matrix { columns, order: MatrixOrder::Row, .. } => *columns == 2,
        LaidOutShape::Array { element, .. } => is_matrix_of_two_rows(element),
        LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Struct(_)
        | LaidOutShape::Pointer { .. }
        | LaidOutShape::Resource => false,
    }
}

/// Calls naga for `entry`. naga's writers assert things that its validator does not check, so a
/// panic counts as that compiler's answer and does not end the run.
fn ask_naga<T>(
    entry: &ProbeEntry,
    ask: impl FnOnce() -> Result<T, NagaError> + std::panic::UnwindSafe,
) -> Result<T, NagaFailure> {
    match caught(ask) {
        // A block that a driver would lay out in some way that we do not know is no refusal.
        Some(Err(error @ NagaError::UnknownGlsl(_))) => Err(NagaFailure::Broken(error.to_string())),
        Some(answer) => answer.map_err(|error| NagaFailure::Refused(Gap::tool(error.to_string()))),
        None => Err(NagaFailure::Broken(format!("naga panics on entry point `{}`", entry.name))),
    }
}

const FORMS_IN_WGSL: [Form; 5] = [Form::Leaf, Form::Vector, Form::Whole, Form::Indexed, Form::Length];

/// Those whose offsets naga's types give. A length depends on the bound range, so only code that we follow has one.
pub(crate) const FORMS_OF_NAGA: [Form; 4] = [Form::Leaf, Form::Vector, Form::Whole, Form::Indexed];

/// Those that index with constants.
const BY_CONSTANTS: [Form; 3] = [Form::Leaf, Form::Vector, Form::Whole];

/// Keeps the part of a plan that our WGSL supports.
pub(crate) fn in_wgsl(plan: ProbePlan) -> ProbePlan {
    let mut plan = plan.without(not_in_wgsl).only(&FORMS_IN_WGSL.into());
    plan.entries.retain(wgsl::has);
    plan
}

/// Explains why our WGSL cannot have a leaf like this one.
fn not_in_wgsl(leaf: &Leaf) -> Option<String> {
    let Component { scalar, size } = leaf.component;
    match scalar {
        Scalar::Bool => Some("a `bool` in memory that a host can see".to_owned()),
        Scalar::Float16 | Scalar::Half if size == 2 => None,
        _ if size != 4 => Some(format!("{size} bytes wide")),
        _ => None,
    }
}

/// Repeats naga's offsets of the leaves for every form of `entry`.
fn by_form(entry: &ProbeEntry, offsets: &[Option<u32>]) -> CompiledOffsets {
    let leaves =
        |form: Form| (0_u32..).zip(offsets).map(move |(leaf, offset)| ((entry.name.clone(), form, leaf), *offset));
    entry.forms.iter().copied().flat_map(leaves).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_events::producer::{Generator, Producer};
    use layoutproof_probes::{Direction, Stage};

    /// Treats a panic like a crash of any other compiler.
    #[test]
    fn a_panic_of_naga_breaks_the_check() {
        let entry = ProbeEntry {
            name: "read_uniform".to_owned(),
            space: AddressSpace::Uniform,
            stage: Stage::Compute,
            direction: Direction::Read,
            forms: [Form::Leaf].into(),
        };
        let mut produced = SubjectShaders::empty(Producer::Generator(Generator::Naga), ElementChoice::Sample);
        let answers = [ask_naga(&entry, || panic!("as naga's writers do")), ask_naga(&entry, || Err(refusal()))];
        for nothing in answers.into_iter().filter_map(Result::<(), NagaFailure>::err) {
            produced.add_nothing(nothing);
        }
        assert_eq!(produced.broken, ["naga panics on entry point `read_uniform`"]);
        assert_eq!(produced.gaps, [Gap::tool(refusal().to_string())]);

        let unknown = || Err(NagaError::UnknownGlsl("layout(shared) uniform Block {".to_owned()));
        assert!(matches!(ask_naga::<()>(&entry, unknown), Err(NagaFailure::Broken(_))));
    }

    fn refusal() -> NagaError {
        NagaError::NoGlsl("no such thing".to_owned())
    }
}
