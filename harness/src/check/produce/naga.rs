//! The shaders of a subject that naga compiles: one module per entry point, from our WGSL.
//!
//! `subject_shaders` asks for them. Each module has our WGSL text, the SPIR-V that naga makes of it, and naga's own
//! offsets of the leaves, there, in the GLSL that it writes for OpenGL drivers and in the HLSL for Direct3D 12.

use layoutproof_device::Feature;
use layoutproof_device::planted::{PlantedBug, is_planted};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::{BlockLayout, BlockRules, Component, ElementChoice, Leaf, Numbers};

use crate::check::produce::feature_split::Share;
use crate::check::produce::gap::Gap;
use crate::check::produce::shader_module::{CompiledOffsets, ModuleCode, ShaderModule};
use crate::check::produce::subject_shaders::{ShaderLayouts, SubjectShaders};
use crate::check::verdict::Validation;
use crate::generate::wgsl::{self, WgslModule};
use crate::inspect::naga_glsl::glsl_offsets;
use crate::inspect::naga_hlsl::hlsl_offsets;
use crate::inspect::naga_offsets::{NagaError, NagaShader};
use crate::probe::{AddressSpace, Form, Interface, ProbeEntry, ProbePlan};

/// Leaves of a block up to which our WGSL asks for each.
const MOST_LEAVES_IN_WGSL: usize = 512;

impl SubjectShaders {
    /// Adds the modules for what our WGSL can ask of `plan`; of a long block for members at even distances, as naga and
    /// wgpu read all of its declaration again for each module.
    pub(super) fn add_naga(&mut self, block: usize, layouts: ShaderLayouts<'_>, plan: ProbePlan) {
        let mut plan = in_wgsl(plan);
        if self.elements == ElementChoice::Sample {
            let all = plan.leaves.len();
            plan = plan.at_even_distances(layouts.packed, MOST_LEAVES_IN_WGSL);
            let others = all - plan.leaves.len();
            if others > 0 {
                let block = &layouts.packed.name;
                self.spared.push(format!("leaves not probed ({others} of `{block}` between others that are)"));
                self.leaves_not_probed = self.leaves_not_probed.saturating_add(others as u64);
            }
        }
        for part in plan.parts_for_drivers(layouts.packed) {
            self.add_part_of_naga(block, layouts, &part);
        }
    }

    fn add_part_of_naga(&mut self, block: usize, layouts: ShaderLayouts<'_>, plan: &ProbePlan) {
        for entry in &plan.entries {
            let NagaModule { wgsl, offsets, spirv, glsl_offsets, hlsl_offsets } =
                match compile(layouts.written, plan, entry) {
                    Ok(compiled) => compiled,
                    Err(nothing) => {
                        self.add_nothing(nothing);
                        continue;
                    }
                };

            let witness = |of_naga: Vec<Option<u32>>| {
                if is_planted(PlantedBug::NagaWitnessIsOurs) {
                    by_form(entry, &plan.leaves.iter().map(|leaf| Some(leaf.offset)).collect::<Vec<_>>())
                } else {
                    by_form(entry, &of_naga)
                }
            };
            let glsl_compiled = match glsl_offsets {
                Ok(offsets) => Some(witness(offsets)),
                Err(nothing) => {
                    self.add_nothing(nothing);
                    None
                }
            };

            let push = (entry.space == AddressSpace::PushConstant).then_some(Feature::PushConstants);
            self.modules.push(ShaderModule {
                share: Share::All,
                block,
                layout: layouts.packed.clone(),
                planted: layouts.planted(),
                plan: ProbePlan { entries: vec![entry.clone()], ..plan.clone() },
                source: None,
                code: ModuleCode::Naga { spirv, wgsl: wgsl.text },
                interface: Interface::default(),
                reported: Numbers::default(),
                block_rules: BlockRules::Relaxed,
                validation: Validation::NotRun("no spirv-val".to_owned()),
                requires: push.into_iter().collect(),
                binding_size: wgsl.binding_size,
                compiled: witness(offsets),
                glsl_compiled,
                hlsl_compiled: hlsl_offsets.map(witness),
                other_stage: None,
            });
        }
    }

    fn add_nothing(&mut self, nothing: NagaFailure) {
        match nothing {
            NagaFailure::Refused(gap) => self.gaps.push(gap),
            NagaFailure::Broken(sentence) => self.broken.push(sentence),
        }
    }
}

/// Why naga gave no code.
#[derive(Debug)]
enum NagaFailure {
    /// It does not take this, or our WGSL cannot say it.
    Refused(Gap),
    /// It panicked.
    Broken(String),
}

/// WGSL text for one entry point, with what naga makes of it.
#[derive(Debug)]
struct NagaModule {
    wgsl: WgslModule,
    /// Where naga puts the leaves, in bytes.
    offsets: Vec<Option<u32>>,
    spirv: Vec<u32>,
    /// Where its GLSL for OpenGL drivers has them, in bytes.
    glsl_offsets: Result<Vec<Option<u32>>, NagaFailure>,
    /// Where its HLSL for Direct3D 12 has them, in bytes; `None` where it writes none.
    hlsl_offsets: Option<Vec<Option<u32>>>,
}

/// The module for one entry point, or why there is none.
fn compile(layout: &BlockLayout, plan: &ProbePlan, entry: &ProbeEntry) -> Result<NagaModule, NagaFailure> {
    let wgsl =
        wgsl::module(layout, plan, entry).map_err(|error| NagaFailure::Refused(Gap::language(error.to_string())))?;
    let shader = ask_naga(entry, || NagaShader::read(&wgsl))?;
    let offsets = shader.offsets();
    let spirv = ask_naga(entry, || shader.spirv())?;
    let glsl_offsets = ask_naga(entry, || glsl_offsets(&shader));
    // A device of Direct3D 12 says itself why it takes nothing.
    let hlsl_offsets = ask_naga(entry, || hlsl_offsets(&shader)).ok();
    Ok(NagaModule { wgsl, offsets, spirv, glsl_offsets, hlsl_offsets })
}

/// An answer of naga about `entry`. naga's writers assert what its validator does not check; a panic is that compiler's
/// answer, not the run's end.
fn ask_naga<T>(
    entry: &ProbeEntry,
    ask: impl FnOnce() -> Result<T, NagaError> + std::panic::UnwindSafe,
) -> Result<T, NagaFailure> {
    match std::panic::catch_unwind(ask) {
        Ok(answer) => answer.map_err(|error| NagaFailure::Refused(Gap::tool(error.to_string()))),
        Err(_) => Err(NagaFailure::Broken(format!("naga panics on entry point `{}`", entry.name))),
    }
}

/// The forms that our WGSL has.
const FORMS_IN_WGSL: [Form; 3] = [Form::Leaf, Form::Vector, Form::Whole];

/// The part of a plan that our WGSL can ask.
pub(in crate::check) fn in_wgsl(plan: ProbePlan) -> ProbePlan {
    let mut plan = plan.without(not_in_wgsl).only(&FORMS_IN_WGSL.into());
    plan.entries.retain(wgsl::has);
    plan
}

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
fn by_form(entry: &ProbeEntry, offsets: &[Option<u32>]) -> CompiledOffsets {
    let leaves =
        |form: Form| (0_u32..).zip(offsets).map(move |(leaf, offset)| ((entry.name.clone(), form, leaf), *offset));
    entry.forms.iter().copied().flat_map(leaves).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::producer::{Generator, Producer};
    use crate::probe::{Direction, Stage};

    /// Like any compiler that crashes.
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
    }

    fn refusal() -> NagaError {
        NagaError::NoGlsl("no such thing".to_owned())
    }
}
