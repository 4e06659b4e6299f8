//! Has a translator, such as SPIRV-Cross or naga, write the shaders of a subject again.
//!
//! A translator reads the SPIR-V that our generator writes with the subject's offsets. Its output is compiled to a form
//! that devices take, so the compiled witness is the byte that the translated code addresses. Each entry point is
//! translated by itself, because several languages have one in a text.

use layoutproof_bindings::SourceText;
use layoutproof_device::{ShaderForm, Stage};
use layoutproof_events::Reason;
use layoutproof_events::producer::{Generator, Producer};
use layoutproof_generators::spirv::{self, required_feature};
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{BlockLayout, LaidOut, LaidOutShape, Leaf, LeafStep, Numbers, find};
use layoutproof_probes::{AddressSpace, Form, Interface, ProbePlan};
use layoutproof_readers::spirv::{features_of, struct_names};
use layoutproof_readers::toolchain::{
    AppliedRules, CodeTarget, CompileOutcome, CompileRequest, CompiledShader, Compilers, Lack, SourceProfile,
    TextLanguage, Toolchain,
};

use crate::check::compiled::compile_probe::{folder_name, wide_types};
use crate::check::compiled::compiled_code::{CompiledCode, Unusable, own_buffers};
use crate::check::compiled::produce_compiled::{ends_compiler, has_matrix_of};
use crate::check::compiled::watched_compilers::WatchedCompilers;
use crate::check::produce::feature_split::Share;
use crate::check::produce::gap::Gap;
use crate::check::produce::naga::FORMS_OF_NAGA;
use crate::check::produce::settings::Settings;
use crate::check::produce::shader_module::{ModuleCode, ShaderModule, WIDE_NUMBERS};
use crate::check::produce::subject_shaders::{SubjectShaders, followed};
use crate::check::struct_packing::{packing_rule, unpacked_rules};
use crate::check::subject::Subject;
use crate::check::verdict::Validation;

/// The forms that the languages can express. Lengths of arrays come from the bound range; in MSL, translators take them
/// from a buffer of their own.
fn forms(output: ShaderForm) -> &'static [Form] {
    match output {
        ShaderForm::Spirv => &[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed, Form::Length],
        ShaderForm::Wgsl | ShaderForm::Dxil | ShaderForm::Dxbc | ShaderForm::ClangIr => &FORMS_OF_NAGA,
    }
}

/// Forms for the retry of an entry point that is refused or cannot be followed.
const BY_NAME: [Form; 1] = [Form::Leaf];

/// The memory that the languages have. WGSL's immediates are bound by the size of their struct, which is not that of our
/// block, and naga 30.0.1 panics while it writes large ones.
fn spaces(toolchain: &Toolchain) -> &'static [AddressSpace] {
    if toolchain.output == ShaderForm::Wgsl || toolchain.text_language() == Some(TextLanguage::Wgsl) {
        &[AddressSpace::Uniform, AddressSpace::Storage]
    } else {
        &[AddressSpace::Uniform, AddressSpace::Storage, AddressSpace::PushConstant]
    }
}

impl SubjectShaders {
    /// Translates our modules of `subject`.
    pub fn translated(
        subject: &Subject,
        toolchain: &'static Toolchain,
        compilers: &dyn Compilers,
        target: CodeTarget,
        settings: &Settings,
    ) -> Self {
        let forms = forms(toolchain.output).iter().copied().filter(|form| settings.forms.contains(form)).collect();
        let is_packed = toolchain.follows == AppliedRules::Packing;
        if is_packed && packing_rule(subject.rules).is_none() {
            let mut none = Self::empty(Producer::Compiler(toolchain), settings.elements);
            none.gaps.push(Gap::language(format!("{toolchain} has no packing by {}", subject.rules)));
            return none;
        }
        let planted_rules =
            if is_packed { unpacked_rules(subject.rules).cloned() } else { settings.planted_rules.clone() };
        let settings = Settings { forms, planted_rules, stages: Some([Stage::Compute].into()), ..settings.clone() };
        let mut produced = Self::new(subject, Generator::Rspirv, &settings);
        produced.producer = Producer::Compiler(toolchain);
        let ours = std::mem::take(&mut produced.modules);

        let compilers = WatchedCompilers::new(compilers);
        let translator = Translator { subject, toolchain, compilers: &compilers, target };
        for module in ours.iter().filter(|module| module.share == Share::All) {
            for entry in module.plan.entries.iter().filter(|entry| spaces(toolchain).contains(&entry.space)) {
                let known = produced.gaps.len();
                let plan = ProbePlan { entries: vec![entry.clone()], ..module.plan.clone() };
                produced.add_translation(&translator, module, plan);
                produced.gaps[known..].iter_mut().for_each(|gap| gap.view = Some(module.layout.view));
            }
        }
        produced.origin = compilers.origin();
        produced.tidy()
    }

    /// Adds the translation of one entry point, if need be with fewer forms, or the reason why there is none.
    fn add_translation(&mut self, translator: &Translator<'_>, ours: &ShaderModule, plan: ProbePlan) {
        let fewer = plan.clone().only(&BY_NAME.into());
        let has_fewer = fewer.entries.iter().any(|entry| entry.forms != plan.entries[0].forms);
        match translator.module(ours, plan) {
            Ok(module) => self.modules.push(module),
            Err(NoModule::Broken(sentence)) => self.broken.push(sentence),
            Err(NoModule::Missing(gap)) => match has_fewer.then(|| translator.module(ours, fewer)) {
                Some(Ok(module)) => {
                    self.modules.push(module);
                    self.gaps.push(Gap { reason: Reason::NotInEveryForm(Box::new(gap.reason)), ..gap });
                }
                Some(Err(NoModule::Broken(sentence))) => self.broken.push(sentence),
                Some(Err(NoModule::Missing(gap))) => self.gaps.push(gap),
                None => self.gaps.push(gap),
            },
        }
    }
}

/// True if a vector with this leaf begins and ends in different registers.
fn crosses(root: &LaidOut, leaf: &Leaf) -> bool {
    let Some((last, before)) = leaf.steps.split_last() else { return false };
    let holder = before.iter().try_fold(root, |part, step| part.at_step(step));
    let place = match (holder.map(|holder| &holder.shape), last) {
        (_, LeafStep::Component(index)) => *index,
        (Some(LaidOutShape::Matrix { order, .. }), LeafStep::Cell { row, column }) => {
            order.vector_and_element(*row, *column).1
        }
        _ => 0,
    };
    let size = leaf.component.size;
    (leaf.offset - place * size) / REGISTER != (leaf.offset + size - 1) / REGISTER
}

/// In bytes.
const REGISTER: u32 = 16;

/// Why there is no translated module.
enum NoModule {
    Missing(Gap),
    /// The translator crashed or failed in a similar way.
    Broken(String),
}

impl From<Unusable> for NoModule {
    fn from(unusable: Unusable) -> Self {
        Self::Missing(Gap::tool(unusable.to_string()))
    }
}

struct Translator<'a> {
    subject: &'a Subject,
    toolchain: &'static Toolchain,
    compilers: &'a dyn Compilers,
    target: CodeTarget,
}

impl Translator<'_> {
    /// Translates the part of our module that has the one entry point of `plan`.
    fn module(&self, ours: &ShaderModule, plan: ProbePlan) -> Result<ShaderModule, NoModule> {
        let Self { toolchain, compilers, .. } = *self;
        let root = ours.layout.result.as_ref();
        if !toolchain.has(Lack::MatricesByRows) && root.is_ok_and(|root| has_matrix_of(root, MatrixOrder::Row)) {
            return Err(NoModule::Missing(Gap::tool(format!("{toolchain} does not write matrices by rows"))));
        }
        let may_cross = toolchain.has(Lack::CrossingVectors) || plan.entries[0].space == AddressSpace::Storage;
        if let (false, Ok(root)) = (may_cross, root)
            && plan.leaves.iter().any(|leaf| crosses(root, leaf))
        {
            let words = "SPIRV-Cross 1.4.357 ends at a vector that crosses 16 bytes in a block that it flattens";
            return Err(NoModule::Missing(Gap::tool(words)));
        }
        if let Some(reason) = ends_compiler(toolchain, &ours.layout) {
            return Err(NoModule::Missing(Gap::tool(reason)));
        }
        let written = ours.planted.as_ref().unwrap_or(&ours.layout);
        let original =
            spirv::produce(written, &plan).map_err(|error| NoModule::Missing(Gap::language(error.to_string())))?;
        let made = self.translate(&ours.layout, &plan, &original.words)?;

        let entry = &plan.entries[0];
        let buffers = own_buffers(toolchain, &self.subject.source.reserved);
        let read = CompiledCode::new(&made.shader, &buffers, entry, compilers.reader())?;
        if let (ModuleCode::Wgsl(_), Validation::Invalid(message)) = (&read.code, &read.validation) {
            return Err(self.refusal(format!("in the text, {message}")));
        }
        let (bound, kept) = (read.interface.block, Interface::default().block);
        if entry.space != AddressSpace::PushConstant && bound != kept {
            return Err(NoModule::Broken(format!(
                "{toolchain} binds `{}` to set {} binding {}, the module to set {} binding {}",
                ours.layout.name, bound.0, bound.1, kept.0, kept.1
            )));
        }
        let (compiled, changed_by_code) = followed(&ours.layout, &plan, &read.followed(), read.interface)
            .map_err(|error| Unusable::NotFollowed(format!("code not followed: {error}")))?;

        let mut requires = original.requires();
        match toolchain.output {
            ShaderForm::Spirv => {}
            ShaderForm::Wgsl => requires.retain(|feature| WIDE_NUMBERS.contains(feature)),
            ShaderForm::Dxil | ShaderForm::Dxbc | ShaderForm::ClangIr => requires.clear(),
        }
        if let ModuleCode::Spirv(words) = &read.code {
            let used = features_of(words).map_err(|error| Unusable::NotFollowed(error.to_string()))?;
            requires.extend(used);
        }
        requires.extend(wide_types(self.target, &ours.layout));
        let is_packed = toolchain.follows == AppliedRules::Packing;
        let packed = find(self.subject.rules).map(|rules| rules.block_rules).filter(|_| is_packed);
        requires.extend(packed.and_then(|rules| required_feature(rules, entry.space)));

        let is_for_direct3d = matches!(self.target, CodeTarget::Direct3d { .. });
        if is_for_direct3d && made.container.is_none() {
            return Err(Unusable::NotFollowed(format!("{toolchain} made no container")).into());
        }
        let code = if is_for_direct3d { read.code.with_container(made.container) } else { read.code };
        Ok(ShaderModule {
            share: Share::All,
            layout: ours.layout.clone(),
            planted: ours.planted.clone().filter(|_| !is_packed),
            source: None,
            code,
            alignments_not_followed: 0,
            other_stage: None,
            interface: read.interface,
            reported: Numbers::default(),
            block_rules: packed.unwrap_or(ours.block_rules),
            validation: read.validation,
            requires,
            binding_size: read.binding_size,
            compiled,
            changed_by_code,
            glsl_compiled: None,
            no_glsl: None,
            hlsl_compiled: None,
            plan,
        })
    }

    fn translate(&self, layout: &BlockLayout, plan: &ProbePlan, words: &[u32]) -> Result<CompiledShader, NoModule> {
        let Self { subject, toolchain, .. } = *self;
        let entry = &plan.entries[0];
        let block = folder_name(layout, plan);
        let name =
            format!("{}/{}/{block}_{}", subject.source.id, toolchain.option(subject.rules), entry.space.as_str());
        let request = CompileRequest {
            toolchain,
            // Windows has no colons in names of folders.
            name: &name.replace(':', "-"),
            source: SourceText::default(),
            words,
            entry: &entry.name,
            stage: entry.stage,
            has_workgroup_blocks: false,
            options: self.target.options(subject.source.options),
            target: self.target,
            profile: SourceProfile::Newest,
            extra: self.packing(words),
        };
        match self.compilers.compile(&request).outcome {
            CompileOutcome::Compiled(made) => Ok(made),
            CompileOutcome::Rejected(message) => Err(self.refusal(message)),
            CompileOutcome::Failed(sentence) => Err(NoModule::Broken(sentence)),
        }
    }

    /// The options that pack each struct of the module by the subject's rule set, those of members first; none for
    /// other translators.
    fn packing(&self, words: &[u32]) -> Vec<String> {
        let Some(rule) = packing_rule(self.subject.rules).filter(|_| self.toolchain.follows == AppliedRules::Packing)
        else {
            return Vec::new();
        };
        let names = struct_names(words).unwrap_or_default();
        names.iter().map(|name| format!("--struct-packing={name}:{rule}")).collect()
    }

    fn refusal(&self, message: String) -> NoModule {
        let compiler = self.toolchain.to_string();
        NoModule::Missing(Gap::tool(Reason::RefusedBy { compiler, message, option: None }))
    }
}
