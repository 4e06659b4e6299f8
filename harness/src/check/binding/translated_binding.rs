//! Compares the places of a translator's resources with those of the module that it reads.
//!
//! The module is that of the proof on Vulkan devices: buffers, images, samplers and combined ones, each read once, at the sets
//! and bindings of the placement. The places of the output are those that its language writes: sets and bindings again,
//! registers of Direct3D, or the numbers of Metal's buffers, textures, samplers and arguments. No device takes part.

use std::collections::BTreeSet;

use layoutproof_bindings::place::places_text;
use layoutproof_bindings::{BindingPlace, Target};
use layoutproof_device::{ImageKind, Shader, ShaderForm};
use layoutproof_events::check_id::CheckId;
use layoutproof_events::producer::Producer;
use layoutproof_events::{
    CheckRecord, CommandOption, Outcome, Proves, Reason, Reasons, RecordValue, RerunCommand, Row, Story, Witnesses,
};
use layoutproof_generators::binding::spirv;
use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Quantity};
use layoutproof_probes::binding::{BindingProgram, BindingSite, BoundKind, ENTRY, Pass, ProbedBinding};
use layoutproof_readers::dxil::resource_bindings;
use layoutproof_readers::metal::numbered_arguments;
use layoutproof_readers::module_reader::wgsl_bindings;
use layoutproof_readers::spirv::bound_variables;
use layoutproof_readers::toolchain::{
    AppliedRules, CompileOutcome, CompileRequest, Compilers, TextLanguage, Toolchain,
};

use crate::check::binding::binding_check::BindingCheck;
use crate::check::binding::binding_shaders::Proof;
use crate::check::verdict::{CodeOrigin, Validation, Verdict, Writer, judge};

/// A placement whose module a translator writes again.
#[derive(Clone, Debug)]
pub struct TranslatedBinding {
    placed: BindingCheck,
    toolchain: &'static Toolchain,
}

/// A resource of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FoundResource {
    /// Empty if the output has none.
    name: String,
    place: BindingPlace,
}

/// Why a program has no places.
enum NoPlaces {
    Missing(Reason),
    /// The translator crashed or failed in a similar way.
    Broken(Reason),
}

impl TranslatedBinding {
    /// `None` unless the placement is one for Vulkan, and the translator keeps what modules decorate.
    pub fn new(placed: &BindingCheck, toolchain: &'static Toolchain) -> Option<Self> {
        let is_translated = placed.request.target == Target::Vulkan && toolchain.follows == AppliedRules::Decorations;
        is_translated.then(|| Self { placed: placed.clone(), toolchain })
    }

    pub fn id(&self) -> CheckId {
        CheckId { producer: Producer::Compiler(self.toolchain).into(), ..self.placed.id() }
    }

    /// Translates the module, and compares the places.
    pub fn record(&self, compilers: &dyn Compilers) -> CheckRecord {
        let mut rows: Vec<Row> = Vec::new();
        let (mut missing, mut broken) = (BTreeSet::new(), BTreeSet::new());
        let proof = Proof::new(&self.placed);
        let programs = proof.iter().flat_map(|proof| &proof.modules).filter(|it| it.program.pass == Pass::Compute);
        for module in programs {
            // Programs with a share of the parameters are for devices with few of them.
            let bound = module.program.bound.iter().filter(|probed| set_and_binding(probed).is_some());
            let mut left = bound.filter(|probed| !rows.iter().any(|row| row.path == probed.path)).peekable();
            if left.peek().is_none() {
                continue;
            }
            match self.resources(&module.program, compilers) {
                Ok(found) => rows.extend(self.rows(&module.program, found)),
                Err(NoPlaces::Missing(reason)) => drop(missing.insert(reason)),
                Err(NoPlaces::Broken(reason)) => drop(broken.insert(reason)),
            }
        }

        let validation = Validation::NotRun("no device takes part".to_owned());
        let code = CodeOrigin { proves: Proves::Compiler, writer: Writer::Compiler };
        let outcome = match judge(&rows, &validation, code) {
            Verdict::Differs { culprit, sentence } => {
                let story = Some(Box::new(self.story(&sentence)));
                Outcome::Differs { culprit, broke: Reasons::new(broken), story }
            }
            Verdict::Agrees => match Reasons::new(broken) {
                Some(reasons) => {
                    let story = Some(Box::new(self.story("the translator gives no answer")));
                    Outcome::Broken { reasons, culprit: None, story }
                }
                None if rows.is_empty() => {
                    let reasons = Reasons::new(missing.iter().cloned());
                    Outcome::Skipped { reasons: reasons.unwrap_or_else(|| "no resource to compare".into()), kind: None }
                }
                None => Outcome::Agrees,
            },
        };
        let not_checked = missing.into_iter().collect();
        CheckRecord { rows, not_checked, ..CheckRecord::new(self.id(), code.proves, validation, outcome) }
    }

    fn resources(&self, program: &BindingProgram, compilers: &dyn Compilers) -> Result<Vec<FoundResource>, NoPlaces> {
        if let Some(reason) = self.not_comparable(program) {
            return Err(NoPlaces::Missing(reason.into()));
        }
        let Self { placed, toolchain } = self;
        let name = format!("{}/{}/{toolchain}", placed.source.id, placed.request.name()).replace(':', "-");
        let request = CompileRequest {
            name: &name,
            words: &spirv::module(&with_plain_names(program)),
            entry: ENTRY,
            ..CompileRequest::of_text(toolchain, "")
        };
        let made = match compilers.compile(&request).outcome {
            CompileOutcome::Compiled(made) => made,
            CompileOutcome::Rejected(message) => {
                let compiler = toolchain.to_string();
                return Err(NoPlaces::Missing(Reason::RefusedBy { compiler, message, option: None }));
            }
            CompileOutcome::Failed(sentence) => return Err(NoPlaces::Broken(sentence.into())),
        };
        read(&made.shader, compilers).map_err(|sentence| NoPlaces::Broken(sentence.into()))
    }

    /// Why the numbers of the program's resources are not those of the output's language.
    fn not_comparable(&self, program: &BindingProgram) -> Option<&'static str> {
        let language = self.toolchain.text_language();
        let is_of_naga = |text| self.toolchain.compiler == "naga" && language == Some(text);
        let places = || program.bound.iter().filter_map(|probed| Some((probed, set_and_binding(probed)?)));
        let has_sets = !is_of_naga(TextLanguage::Glsl) && language != Some(TextLanguage::Msl);
        if !has_sets && !self.has_argument_buffers() && places().any(|(_, (set, _))| set > 0) {
            return Some("the language has no sets, so resources of several sets share numbers");
        }
        let has_blocks = places().any(|(probed, _)| matches!(probed.kind, BoundKind::Uniform));
        if has_blocks && self.toolchain.flags.contains(&"--flatten-ubo") {
            return Some("flattened uniform blocks are loose constants, which have no register");
        }
        let has_samplers = places().any(|(probed, _)| matches!(probed.kind, BoundKind::Sampler { .. }));
        if has_samplers && is_of_naga(TextLanguage::Glsl) {
            return Some("the language has no samplers without images");
        }
        if has_samplers && is_of_naga(TextLanguage::Hlsl) {
            return Some("naga's HLSL takes samplers from a heap, by an index");
        }
        // In Vulkan, an array is one binding.
        let counts_elements = language.is_some_and(TextLanguage::counts_elements);
        let reaches_next = places().any(|(array, (set, first))| {
            let taken = first.saturating_add(1)..first.saturating_add(array.elements);
            places().any(|(_, place)| place.0 == set && taken.contains(&place.1))
        });
        (counts_elements && reaches_next)
            .then_some("in the language, the elements of an array take the numbers after it")
    }

    fn has_argument_buffers(&self) -> bool {
        self.toolchain.flags.contains(&"--msl-argument-buffers")
    }

    fn splits_combined(&self) -> bool {
        self.toolchain.text_language() == Some(TextLanguage::Hlsl)
            || self.toolchain.flags.contains(&"--split-combined-image-sampler")
    }

    /// The places that a parameter has in the output.
    fn wanted(&self, probed: &ProbedBinding) -> Vec<BindingPlace> {
        let Some((set, index)) = set_and_binding(probed) else { return Vec::new() };
        let space = if self.toolchain.output == ShaderForm::ClangIr { 0 } else { set };
        let units = match self.toolchain.output {
            ShaderForm::Dxil | ShaderForm::Dxbc => registers(probed.kind),
            ShaderForm::ClangIr if self.has_argument_buffers() => &[LayoutUnit::MetalArgument][..],
            ShaderForm::ClangIr => numbers_of_metal(probed.kind),
            // Vulkan lets an image and a sampler share the binding of a combined one, to which spirv-opt and HLSL's two
            // registers lead.
            ShaderForm::Spirv if self.splits_combined() && is_combined(probed.kind) => {
                &[LayoutUnit::Binding, LayoutUnit::Binding]
            }
            ShaderForm::Spirv | ShaderForm::Wgsl => &[LayoutUnit::Binding],
        };
        units.iter().map(|unit| BindingPlace { unit: *unit, space, index, count: Count::Finite(1) }).collect()
    }

    /// A row for each parameter with a set and a binding. One whose place has another parameter's name, or several resources,
    /// is elsewhere.
    fn rows(&self, program: &BindingProgram, mut found: Vec<FoundResource>) -> Vec<Row> {
        let named = with_plain_names(program);
        let names: BTreeSet<&str> = named.bound.iter().map(|probed| probed.path.as_str()).collect();
        let wanted: Vec<Vec<BindingPlace>> = program.bound.iter().map(|probed| self.wanted(probed)).collect();
        let mut taken: Vec<Vec<BindingPlace>> = Vec::new();
        for (own, wanted) in named.bound.iter().map(|probed| probed.path.as_str()).zip(&wanted) {
            let mut of_parameter = Vec::new();
            for place in wanted {
                let may_be_own = |name: &str| name == own || !names.contains(name);
                let at_place = found.iter().position(|it| it.place == *place && may_be_own(&it.name));
                let by_name = || found.iter().position(|it| it.place.unit == place.unit && it.name == own);
                // Members of two argument buffers may have one number, which the output lists once.
                match at_place.or_else(by_name) {
                    Some(index) if place.unit == LayoutUnit::MetalArgument => of_parameter.push(found[index].place),
                    Some(index) => of_parameter.push(found.swap_remove(index).place),
                    None => {}
                }
            }
            taken.push(of_parameter);
        }

        let mut rows: Vec<Row> = Vec::new();
        for ((probed, wanted), mut taken) in program.bound.iter().zip(wanted).zip(taken) {
            if wanted.is_empty() {
                continue;
            }
            let is_other = |place: &BindingPlace| place.unit != LayoutUnit::MetalArgument && taken.contains(place);
            let others: Vec<BindingPlace> = found.iter().map(|other| other.place).filter(is_other).collect();
            taken.extend(others);
            let text = |places: &[BindingPlace]| Some(RecordValue::Text(places_text(places)));
            let witnesses = Witnesses { computed: text(&wanted), compiled: text(&taken), ..Witnesses::default() };
            if !rows.iter().any(|row| row.path == probed.path && row.witnesses == witnesses) {
                rows.push(Row::new(&probed.path, Quantity::Binding, witnesses));
            }
        }
        rows
    }

    fn story(&self, sentence: &str) -> Story {
        let request = &self.placed.request;
        let options = vec![
            CommandOption::new("--target", request.target),
            CommandOption::new("--convention", request.convention),
            CommandOption::new("--through", self.toolchain),
        ];
        let again = RerunCommand::Run { input: self.placed.source.id.clone(), options };
        Story { again, ..self.placed.story(sentence) }
    }
}

fn set_and_binding(probed: &ProbedBinding) -> Option<(u32, u32)> {
    match probed.site {
        BindingSite::Descriptor { set, binding, .. } => Some((set, binding)),
        BindingSite::PushConstants
        | BindingSite::Constant { .. }
        | BindingSite::Varying { .. }
        | BindingSite::Target { .. } => None,
    }
}

fn is_combined(kind: BoundKind) -> bool {
    matches!(kind, BoundKind::Image { kind: ImageKind::Combined, .. })
}

/// The program with names that every language takes as they are; naga appends `_` to a name that ends with a digit.
fn with_plain_names(program: &BindingProgram) -> BindingProgram {
    let mut named = program.clone();
    for (index, probed) in named.bound.iter_mut().enumerate() {
        probed.path = format!("parameter{index}x");
    }
    named
}

/// The classes of registers of a resource of Vulkan.
fn registers(kind: BoundKind) -> &'static [LayoutUnit] {
    match kind {
        BoundKind::Uniform => &[LayoutUnit::ConstantBuffer],
        BoundKind::Storage { writable: false } => &[LayoutUnit::ShaderResource],
        BoundKind::Storage { writable: true } => &[LayoutUnit::UnorderedAccess],
        BoundKind::Image { kind, .. } => match kind {
            ImageKind::Sampled | ImageKind::UniformTexels => &[LayoutUnit::ShaderResource],
            ImageKind::Storage | ImageKind::StorageTexels => &[LayoutUnit::UnorderedAccess],
            ImageKind::Combined => &[LayoutUnit::ShaderResource, LayoutUnit::Sampler],
        },
        BoundKind::Sampler { .. } => &[LayoutUnit::Sampler],
        BoundKind::PushConstants | BoundKind::Constant | BoundKind::Varying | BoundKind::Target => &[],
    }
}

/// The classes of Metal's numbers of a resource of Vulkan.
fn numbers_of_metal(kind: BoundKind) -> &'static [LayoutUnit] {
    match kind {
        BoundKind::Uniform | BoundKind::Storage { .. } => &[LayoutUnit::MetalBuffer],
        BoundKind::Image { kind: ImageKind::Combined, .. } => &[LayoutUnit::MetalTexture, LayoutUnit::MetalSampler],
        BoundKind::Image { .. } => &[LayoutUnit::MetalTexture],
        BoundKind::Sampler { .. } => &[LayoutUnit::MetalSampler],
        BoundKind::PushConstants | BoundKind::Constant | BoundKind::Varying | BoundKind::Target => &[],
    }
}

/// The resources of a translator's output.
fn read(shader: &Shader, compilers: &dyn Compilers) -> Result<Vec<FoundResource>, String> {
    let found = |name: String, unit, space, index| {
        let place = BindingPlace { unit, space, index, count: Count::Finite(1) };
        FoundResource { name, place }
    };
    match shader {
        Shader::Spirv(words) => {
            let all = bound_variables(words).map_err(|error| error.to_string())?;
            Ok(all.into_iter().map(|it| found(it.name, LayoutUnit::Binding, it.set, it.binding)).collect())
        }
        Shader::Wgsl(text) => {
            let all = wgsl_bindings(compilers.reader(), text).map_err(|failure| failure.to_string())?;
            let all = all.map_err(|error| error.to_string())?;
            Ok(all.into_iter().map(|it| found(it.name, LayoutUnit::Binding, it.set, it.binding)).collect())
        }
        Shader::DxilListing(listing) => {
            let all = resource_bindings(listing).map_err(|error| error.to_string())?;
            Ok(all.into_iter().map(|it| found(it.name, it.unit, it.space, it.index)).collect())
        }
        Shader::ClangIr(ir) => {
            Ok(numbered_arguments(ir).into_iter().map(|(unit, index)| found(String::new(), unit, 0, index)).collect())
        }
        Shader::Dxil(_) | Shader::Dxbc(_) => Err("a container, which has no list of resources here".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use layoutproof_bindings::{BindingRequest, Convention};
    use layoutproof_device::{ImageView, TexelType};
    use layoutproof_probes::binding::{ProgramExtent, ToolBindings};
    use layoutproof_readers::toolchain::translators;

    use super::*;
    use crate::check::source::Source;

    const IMAGE: BoundKind =
        BoundKind::Image { kind: ImageKind::Sampled, view: ImageView::D2, texel: TexelType::Float };

    fn check(toolchain: &str) -> TranslatedBinding {
        let placed =
            BindingCheck::new(Arc::new(Source::of_module("a")), BindingRequest::new(Target::Vulkan, Convention::Dxc));
        let toolchain = translators().iter().find(|known| known.name == toolchain).unwrap();
        TranslatedBinding::new(&placed, toolchain).unwrap()
    }

    fn parameter(path: &str, kind: BoundKind, set: u32, binding: u32) -> ProbedBinding {
        let site = BindingSite::Descriptor { set, binding, element: 0 };
        ProbedBinding { row: 0, path: path.to_owned(), kind, site, elements: 1, apart: false }
    }

    fn program(bound: Vec<ProbedBinding>) -> BindingProgram {
        let extent = ProgramExtent::Whole;
        BindingProgram { pass: Pass::Compute, extent, bound, reads: Vec::new(), tools: ToolBindings::default() }
    }

    fn resource(name: &str, unit: LayoutUnit, space: u32, index: u32) -> FoundResource {
        FoundResource { name: name.to_owned(), place: BindingPlace { unit, space, index, count: Count::Finite(1) } }
    }

    fn compiled(check: &TranslatedBinding, program: &BindingProgram, found: Vec<FoundResource>) -> Vec<String> {
        let rows = check.rows(program, found);
        rows.iter().map(|row| row.witnesses.compiled.as_ref().unwrap().to_string()).collect()
    }

    #[test]
    fn a_resource_is_found_by_its_place_and_by_its_name() {
        let (check, both) =
            (check("spirv-opt:O"), program(vec![parameter("s.t", IMAGE, 0, 1), parameter("u", IMAGE, 0, 2)]));
        let at = |name, index| resource(name, LayoutUnit::Binding, 0, index);
        for (found, expected) in [
            (vec![at("", 1), at("", 2)], ["set 0 binding 1", "set 0 binding 2"]),
            (vec![at("parameter0x", 2), at("parameter1x", 1)], ["set 0 binding 2", "set 0 binding 1"]),
            (vec![at("parameter0x", 7), at("parameter1x", 2)], ["set 0 binding 7", "set 0 binding 2"]),
            (vec![at("", 2)], ["not bound", "set 0 binding 2"]),
            (vec![at("", 1), at("", 1), at("", 2)], ["set 0 binding 1, set 0 binding 1", "set 0 binding 2"]),
        ] {
            assert_eq!(compiled(&check, &both, found), expected);
        }
    }

    #[test]
    fn a_combined_sampler_has_two_registers() {
        let combined = BoundKind::Image { kind: ImageKind::Combined, view: ImageView::D2, texel: TexelType::Float };
        let (check, one) = (check("spirv-cross:hlsl"), program(vec![parameter("c", combined, 1, 3)]));
        let texture = resource("parameter0x", LayoutUnit::ShaderResource, 1, 3);
        let sampler = |index| resource("_parameter0x_sampler", LayoutUnit::Sampler, 1, index);
        assert_eq!(compiled(&check, &one, vec![texture.clone(), sampler(3)]), ["t3 space1, s3 space1"]);
        assert_eq!(compiled(&check, &one, vec![texture, sampler(4)]), ["t3 space1"]);
    }

    #[test]
    fn numbers_that_a_language_does_not_have_are_not_compared() {
        let array = ProbedBinding { elements: 2, ..parameter("a", IMAGE, 0, 1) };
        let arrays = program(vec![array, parameter("b", IMAGE, 0, 2)]);
        let sets = program(vec![parameter("a", IMAGE, 1, 0)]);
        for (toolchain, program, is_compared) in [
            ("spirv-cross:glsl", &arrays, true),
            ("spirv-cross:hlsl", &arrays, false),
            ("spirv-cross:hlsl", &sets, true),
            ("spirv-cross:msl", &sets, false),
            ("spirv-cross:msl:arguments", &sets, true),
            ("naga:glsl", &sets, false),
        ] {
            assert_eq!(check(toolchain).not_comparable(program).is_none(), is_compared, "{toolchain}");
        }
    }
}
