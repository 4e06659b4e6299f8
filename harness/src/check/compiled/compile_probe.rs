//! Compiles one block's probe and recovers the offsets that its code uses.
//!
//! The compiler gets the user's declarations followed by a probe. A [`CompileJob`] yields a module
//! with the offsets that its code addresses, or the reason why there is no module. A plan that
//! fails is tried again with fewer forms of access.

use std::collections::BTreeSet;

use layoutproof_device::{Feature, Shader};
use layoutproof_layout::resource::{Access, ResourceKind};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Member;
use layoutproof_layout::{
    Block, BlockKind, BlockLayout, BlockRules, DECLARED, ElementChoice, FileId, LaidOutShape, LayoutOptions, Leaf,
    Numbers, find, lay_out,
};
use thiserror::Error;

use crate::check::compiled::authority::{is_authority, is_expected};
use crate::check::compiled::compiled_code::{
    CompiledCode, OwnBuffers, Unusable, fxc_interface, own_buffers, own_registers,
};
use crate::check::compiled::produce_compiled::holds_long_vector;
use crate::check::produce::feature_split::Share;
use crate::check::produce::gap::{Gap, GapCause};
use crate::check::produce::shader_module::{CompiledOffsets, ModuleCode, ModuleSource, ShaderModule};
use crate::check::produce::subject_shaders::addressed;
use crate::check::subject::Subject;
use crate::check::verdict::Validation;
use layoutproof_bindings::SourceText;
use layoutproof_device::ShaderForm;
use layoutproof_events::Reason;
use layoutproof_frontend::module::EntryPoint;
use layoutproof_generators::ProduceError;
use layoutproof_generators::glsl::{self, NotInGlsl};
use layoutproof_generators::hlsl::{self, Dialect, HlslSource, redeclared};
use layoutproof_generators::spirv::{self, required_feature};
use layoutproof_generators::wgsl::{self, NotExpressible, UniformLayout};
use layoutproof_probes::reserved::Reserved;
use layoutproof_probes::{
    AddressSpace, BETWEEN_ALIGNMENT, Direction, Form, Interface, PointerHolder, ProbeEntry, ProbePlan, SelfLink, Stage,
    Wiring, address_alignment, elements, is_array_of_elements, self_link, workgroup_words,
};
use layoutproof_readers::ReadError;
use layoutproof_readers::module_reader::ModuleReader;
use layoutproof_readers::reported::reported;
use layoutproof_readers::spirv::{AddressAlignments, AlignmentPromises, alignment_promises, features_of};
use layoutproof_readers::toolchain::{
    CodeTarget, CompileOutcome, CompileRequest, CompiledShader, Compilers, Input, Report, SourceProfile, Toolchain,
};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_wgsl::WgslModule;

/// Forms for the retries of a failed plan, in order.
const FEWER_FORMS: [&[Form]; 3] =
    [&[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed], &[Form::Leaf, Form::Vector, Form::Whole], &[Form::Leaf]];

#[derive(Debug, Error)]
pub(crate) enum NoProbe {
    #[error("the file declares `{0}`, which the probe calls")]
    Declared(String),
    #[error(transparent)]
    Hlsl(#[from] ProduceError),
    #[error(transparent)]
    Glsl(#[from] NotInGlsl),
    #[error(transparent)]
    Wgsl(#[from] NotExpressible),
}

/// The result of one compilation.
pub(super) enum Attempt {
    /// A module whose code can be followed.
    Followed(Box<ShaderModule>),
    /// A module whose code cannot be followed, with the reason. No device runs it, but its validity
    /// counts.
    NotFollowed(Box<ShaderModule>, String),
    /// No module, for this reason.
    Refused(Gap),
    /// The compiler crashed or failed in a similar way.
    Broken(String),
}

impl Attempt {
    /// Returns true if the attempt gave code that can run.
    pub(super) fn is_followed(&self) -> bool {
        matches!(self, Self::Followed(_))
    }
}

/// One block of a subject, with the compiler that gets its probes.
pub(crate) struct CompileJob<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) toolchain: &'static Toolchain,
    pub(crate) compilers: &'a dyn Compilers,
    pub(crate) text: &'a SourceText,
    pub(crate) block: &'a BlockLayout,
    pub(crate) target: CodeTarget,
}

impl CompileJob<'_> {
    /// Returns true if the block's own declaration lets shaders write to it.
    pub(super) fn is_writable(&self) -> bool {
        let module = &self.subject.source.module;
        if let Some(pointer) = self.declaration().pointer() {
            return !pointer.is_read_only;
        }
        let mut parameters = module.parameters.iter();
        let declared = parameters.find(|parameter| parameter.name == self.block.name);
        let resource = declared.and_then(|parameter| parameter.ty.resource());
        resource.is_some_and(|resource| resource.kind == ResourceKind::StructuredBuffer(Access::ReadWrite))
    }

    /// Renames the plan's entry points so that they do not clash with the user's text.
    pub(crate) fn named(&self, mut plan: ProbePlan) -> ProbePlan {
        plan.entries.iter_mut().for_each(|entry| entry.name = self.reserved().entry(&entry.name));
        plan
    }

    /// Compiles the plan with fewer and fewer forms until its code can be followed. Returns the
    /// last attempt and the ones before it.
    ///
    /// A compiler's trouble with other forms must not cost the accesses by plain name, so the last
    /// attempt has only those.
    pub(super) fn attempts(&self, layout: &BlockLayout, plan: &ProbePlan) -> (Attempt, Vec<Attempt>) {
        let mut forms = plan.entries[0].forms.clone();
        let mut best = self.attempt(layout, plan.clone(), "");
        let mut failed = Vec::new();

        for fewer in FEWER_FORMS {
            if best.is_followed() {
                break;
            }
            let plan = plan.clone().only(&fewer.iter().copied().collect());
            let left = plan.entries.first().map(|entry| entry.forms.clone()).unwrap_or_default();
            if left.is_empty() || left == forms {
                continue;
            }

            let names: Vec<&str> = left.iter().map(|form| form.as_str()).collect();
            let again = self.attempt(layout, plan, &format!("_{}", names.join("_")));
            failed.push(std::mem::replace(&mut best, again));
            forms = left;
        }

        (best, failed)
    }

    /// Returns the gap for a refusal with these words. The cause is the language if the case
    /// expects this compiler to refuse it.
    fn refusal(&self, words: &str) -> Gap {
        let version = self.compilers.version(self.toolchain).unwrap_or_default();
        let rejects = &self.subject.source.rejects;
        let is_expected = rejects.iter().any(|told| is_expected(told, self.toolchain, version, words));
        let reason =
            Reason::RefusedBy { compiler: self.toolchain.to_string(), message: words.to_owned(), option: None };
        if is_expected { Gap::language(reason) } else { Gap::tool(reason) }
    }

    /// Returns a sentence if the compiler refused declarations although this very version gave the
    /// case's numbers. Such a refusal must not count as a skip.
    pub(super) fn contradicts_authority(&self, gap: &Gap) -> Option<String> {
        let version = self.compilers.version(self.toolchain)?;
        // With two compilers in a row it is unknown which one refused: slangc accepts pointers in
        // HLSL, and DXC then refuses them.
        if !gap.is_refusal() || gap.cause == GapCause::Language || self.toolchain.text.is_some() {
            return None;
        }
        let mut authorities = self.subject.authorities.iter();
        let authority = authorities.find(|authority| is_authority(authority, self.toolchain, version))?;
        Some(format!("{}, but the case has its numbers from {authority}", gap.reason))
    }

    /// Compiles the plan once and follows the code.
    fn attempt(&self, layout: &BlockLayout, plan: ProbePlan, marked: &str) -> Attempt {
        match self.compile(layout, &plan, marked) {
            Ok(CompileOutcome::Compiled(made)) => {
                self.module(layout, plan, &made).unwrap_or_else(|unusable| match unusable {
                    Unusable::Unread(error) => {
                        Attempt::Broken(format!("{} produced output that could not be parsed: {error}", self.toolchain))
                    }
                    unusable @ (Unusable::NotFollowed(_) | Unusable::Code(_)) => {
                        Attempt::Refused(Gap::tool(unusable.to_string()))
                    }
                })
            }
            Ok(CompileOutcome::Rejected(words)) => Attempt::Refused(self.refusal(&words)),
            Ok(CompileOutcome::Failed(sentence)) => Attempt::Broken(sentence),
            Err(none) => Attempt::Refused(Gap::language(none.to_string())),
        }
    }

    /// Compiles the declarations with a probe of this plan. `marked` is a suffix for the folder
    /// name that separates a second plan from the first.
    pub(crate) fn compile(
        &self,
        layout: &BlockLayout,
        plan: &ProbePlan,
        marked: &str,
    ) -> Result<CompileOutcome, NoProbe> {
        if let Some(called) = Dialect::of(self.toolchain.input).and_then(|_| redeclared(&self.subject.source.module)) {
            return Err(NoProbe::Declared(called.to_owned()));
        }
        let entry = &plan.entries[0];
        let text = self.probe(layout, plan)?;

        let for_device = match self.target {
            CodeTarget::Newest => String::new(),
            CodeTarget::Direct3d { model, .. } => format!("-{model}"),
        };
        let name = format!(
            "{}/{}{for_device}/{}{marked}",
            self.subject.source.id,
            self.toolchain.option(self.subject.rules),
            folder_name(layout, plan)
        );

        let request = CompileRequest {
            name: &name,
            toolchain: self.toolchain,
            source: SourceText { text, ..self.text.clone() },
            words: &[],
            entry: &entry.name,
            stage: entry.stage,
            has_workgroup_blocks: entry.space == AddressSpace::Workgroup,
            options: self.options(),
            target: self.target,
            profile: SourceProfile::Newest,
            extra: self.profile_of_long_vectors(),
        };
        Ok(self.compilers.compile(&request).outcome)
    }

    fn probe(&self, layout: &BlockLayout, plan: &ProbePlan) -> Result<String, NoProbe> {
        let entry = &plan.entries[0];
        if self.language() == Some(ShaderLanguage::Wgsl) {
            let text = match self.subject.rules {
                DECLARED => {
                    let atomics = self.atomics(layout);
                    wgsl::user_module::probe(&self.text.text, self.reserved(), layout, &atomics, plan, entry)
                }
                _ => wgsl::module(layout, plan, entry, UniformLayout::Constrained).map(|module| module.text),
            };
            return Ok(text?);
        }

        let wiring = Wiring::new(layout, plan, entry);
        if let Some(dialect) = Dialect::of(self.toolchain.input) {
            let parameters = self.parameters();
            let reserved = self.reserved();
            let registers = own_registers(self.toolchain, reserved);
            let written = HlslSource { declarations: &self.text.text, dialect, reserved, registers, parameters };
            return Ok(hlsl::probe(&written, layout, plan, &wiring)?);
        }

        let block = self.declaration();
        let elements = is_array_of_elements(layout);
        let (rules, options) = (self.subject.rules, self.subject.source.options);
        let address_alignment = address_alignment(layout, plan);
        let shared_words = workgroup_words(layout, plan).unwrap_or_default();
        let declared = glsl::GlslDeclaration {
            block,
            elements,
            rules,
            space: entry.space,
            address_alignment,
            shared_words,
            options,
        };
        Ok(glsl::probe(&declared, plan, &wiring)?)
    }

    /// Returns DXC's arguments for a block with long vectors, which only a later profile has.
    fn profile_of_long_vectors(&self) -> Vec<String> {
        let is_needed = self.toolchain.input == Input::Hlsl && holds_long_vector(&self.declaration().element);
        let arguments: &[&str] = if is_needed { &["-T", "cs_6_9"] } else { &[] };
        arguments.iter().copied().map(str::to_owned).collect()
    }

    /// Returns the declaration of the block.
    pub(super) fn declaration(&self) -> &Block {
        self.subject.declaration(self.block.view).expect("a compiler's own text declares the block")
    }

    /// Returns the paths of the atomics in a block of the user's own WGSL, without indices.
    fn atomics(&self, layout: &BlockLayout) -> BTreeSet<String> {
        // A text that cannot be read has no blocks either.
        WgslModule::read(&self.text.text, FileId::default())
            .map(|module| module.atomics(&layout.name))
            .unwrap_or_default()
    }

    /// Adds what holds the addresses on the way to the block, as the compiler lays it out. Our GLSL declares its own pointer.
    fn with_holders(&self, interface: Interface) -> Interface {
        let is_ours = self.language() == Some(ShaderLanguage::Glsl);
        // A text in WGSL is laid out without declarations of ours.
        let declared = self.subject.declaration(self.block.view).filter(|_| !is_ours);
        let way = declared.and_then(|declared| self.subject.way_to(declared)).unwrap_or_default();
        let holders: Option<Vec<_>> = way.into_iter().map(|(block, member)| self.holder(block, member)).collect();
        match holders.as_deref() {
            Some([first, rest @ ..]) => {
                Interface { record: *first, pushed: *first, between: rest.first().copied(), ..interface }
            }
            Some([]) | None => interface,
        }
    }

    /// Returns the place of a pointer among the members of a block.
    fn holder(&self, block: &Block, member: &Member) -> Option<PointerHolder> {
        let rules = self.toolchain.rules_for(block).into_iter().next()?;
        let laid_out = lay_out(block, rules, self.options()).result.ok()?;
        let LaidOutShape::Struct(members) = &laid_out.shape else { return None };
        let at = members.iter().find(|found| found.name == member.name)?.offset;
        Some(PointerHolder { at, size: laid_out.size.finite()?.next_multiple_of(4) })
    }

    /// Returns the buffers that the probe declares for itself.
    fn own_buffers(&self) -> OwnBuffers {
        match (self.subject.rules, self.language()) {
            (DECLARED, Some(ShaderLanguage::Wgsl)) => {
                let interface = wgsl::user_module::buffers(&self.text.text).unwrap_or_default();
                OwnBuffers { interface, prefix: self.reserved().prefix().to_owned() }
            }
            _ => own_buffers(self.toolchain, self.reserved()),
        }
    }

    /// The names and numbers that the user's text leaves free for the probe.
    fn reserved(&self) -> &Reserved {
        &self.subject.source.reserved
    }

    /// Returns the parameters of the probe's entry point. If the block is one of the source's entry
    /// point parameters, these are that entry point's uniform parameters.
    fn parameters(&self) -> String {
        let entry_points = &self.subject.source.module.entry_points;
        let own = self.declaration().entry_point.and_then(|index| entry_points.get(index));
        own.map(EntryPoint::uniform_parameters).unwrap_or_default()
    }

    /// Matrix order and 16-bit types. A device without 16-bit types overrides the source's setting.
    pub(super) fn options(&self) -> LayoutOptions {
        self.target.options(self.subject.source.options)
    }

    pub(super) fn language(&self) -> Option<ShaderLanguage> {
        self.toolchain.language()
    }

    /// Follows the compiler's code and returns its module, or the reason why there is none.
    fn module(&self, layout: &BlockLayout, plan: ProbePlan, made: &CompiledShader) -> Result<Attempt, Unusable> {
        // A byte-address buffer has no element for the compiler to report.
        let is_by_address = plan.entries.iter().any(|entry| entry.forms.contains(&Form::ByteAddress));
        let reported = if is_by_address { Numbers::default() } else { reported(made, layout)? };

        let compiled_code =
            CompiledCode::new(&made.shader, &self.own_buffers(), &plan.entries[0], self.compilers.reader())?;
        let shader = compiled_code.followed();
        let CompiledCode { code, interface, binding_size, validation } = compiled_code;
        let interface = self.with_holders(interface);

        let requires =
            code.spirv().map(features_of).transpose().map_err(|error| Unusable::NotFollowed(error.to_string()))?;
        let mut requires = requires.unwrap_or_default();
        // The validator checks WGSL's own rules and the features that its address spaces need.
        if matches!(code, ModuleCode::Spirv(_)) {
            requires.extend(required_feature(self.needed_rules(layout, &plan), plan.entries[0].space));
            requires.extend(plan.entries.iter().flat_map(ProbeEntry::requires));
        }

        let is_at_address = plan.entries.iter().any(|entry| entry.space == AddressSpace::Address);
        let promises = match code.spirv().filter(|_| is_at_address) {
            Some(words) => {
                let alignments = address_alignments(layout, &plan, interface);
                alignment_promises(words, alignments).map_err(ReadError::from)?
            }
            None => AlignmentPromises::default(),
        };
        let validation = promises.broken.map_or(validation, |broken| Validation::Invalid(broken.to_string()));

        let (code, run_interface) = self.for_device(code, interface, made, layout.kind)?;
        requires.extend(wide_types(self.target, layout));
        let block_rules = self.promised_rules();

        let (compiled, reason) = match addressed(layout, &plan, &shader, interface) {
            Ok(compiled) => (compiled, None),
            Err(error) => (CompiledOffsets::new(), Some(format!("code not followed: {error}"))),
        };

        let stage = plan.entries.first().map_or(Stage::Compute, |entry| entry.stage);
        if !stage.is_compute() {
            requires.extend(plan.entries.iter().flat_map(ProbeEntry::requires));
        }
        let other_stage = self.other_stage(stage)?;

        let text = self.probe(layout, &plan).ok();
        let source = self.language().zip(text).map(|(language, text)| ModuleSource { language, text });

        let module = Box::new(ShaderModule {
            share: Share::All,
            layout: layout.clone(),
            planted: None,
            plan,
            source,
            code,
            alignments_not_followed: promises.not_followed,
            interface: run_interface,
            reported,
            block_rules,
            validation,
            requires,
            binding_size,
            compiled,
            changed_by_code: BTreeSet::new(),
            glsl_compiled: None,
            no_glsl: None,
            hlsl_compiled: None,
            other_stage,
        });
        Ok(match reason {
            None => Attempt::Followed(module),
            Some(reason) => Attempt::NotFollowed(module, reason),
        })
    }

    /// Compiles the other stage of a draw, the one that is not probed; `None` without a draw.
    fn other_stage(&self, stage: Stage) -> Result<Option<Vec<u8>>, Unusable> {
        let other = match stage {
            Stage::Vertex => Stage::Fragment,
            Stage::Fragment => Stage::Vertex,
            _ => return Ok(None),
        };
        let request = CompileRequest {
            name: &format!("other_stage/{}/{}", self.toolchain, other.as_str()),
            toolchain: self.toolchain,
            source: SourceText { text: hlsl::other_stage(other), ..SourceText::default() },
            words: &[],
            entry: hlsl::OTHER_STAGE,
            stage: other,
            has_workgroup_blocks: false,
            options: self.options(),
            target: self.target,
            profile: SourceProfile::Newest,
            extra: Vec::new(),
        };

        match self.compilers.compile(&request).outcome {
            CompileOutcome::Compiled(CompiledShader { container: Some(container), .. }) => Ok(Some(container)),
            CompileOutcome::Compiled(_) => {
                Err(Unusable::NotFollowed(format!("{} made no container for the other stage", self.toolchain)))
            }
            CompileOutcome::Rejected(words) | CompileOutcome::Failed(words) => {
                Err(Unusable::NotFollowed(format!("the other stage of the draw: {words}")))
            }
        }
    }

    /// Returns the code in the form that the device gets, and the interface with the buffers of
    /// that form.
    fn for_device(
        &self,
        code: ModuleCode,
        followed: Interface,
        made: &CompiledShader,
        kind: BlockKind,
    ) -> Result<(ModuleCode, Interface), Unusable> {
        let is_texture_buffer = matches!(kind, BlockKind::Tbuffer | BlockKind::TextureBuffer);
        match (self.target, &made.report, &made.container) {
            (CodeTarget::Newest, _, _) => Ok((code, followed)),
            (CodeTarget::Direct3d { .. }, Report::FxcListing(_), Some(_)) if is_texture_buffer => {
                let reason =
                    "FXC reads a texture buffer through a typed view, which we do not create on Direct3D 12 devices";
                Err(Unusable::NotFollowed(reason.to_owned()))
            }
            // The followed code is vkd3d's SPIR-V, and its bindings differ from the container's.
            (CodeTarget::Direct3d { .. }, Report::FxcListing(listing), Some(container)) => {
                Ok((code.with_container(Some(container.clone())), fxc_interface(listing, self.reserved())?))
            }
            (CodeTarget::Direct3d { .. }, _, Some(container)) => {
                Ok((code.with_container(Some(container.clone())), followed))
            }
            (CodeTarget::Direct3d { .. }, _, None) => {
                Err(Unusable::NotFollowed(format!("{} made no container", self.toolchain)))
            }
        }
    }

    fn promised_rules(&self) -> BlockRules {
        match self.toolchain.output {
            ShaderForm::Spirv => find(self.subject.rules).map_or(BlockRules::Relaxed, |rules| rules.block_rules),
            // vkd3d turns DXBC's blocks into arrays of registers and words, and WGSL has its own
            // rules.
            _ => BlockRules::Relaxed,
        }
    }

    /// Returns the Vulkan rules that a device must allow to run the code: the rules that the
    /// offsets need, whatever the option promised, or the scalar rules if the option promises
    /// those.
    ///
    /// Leaves that are not probed are still in the compiler's block, and a structured buffer is an
    /// array, so both count.
    fn needed_rules(&self, layout: &BlockLayout, plan: &ProbePlan) -> BlockRules {
        let promised = self.promised_rules();
        if self.toolchain.output != ShaderForm::Spirv || promised == BlockRules::Scalar {
            return promised;
        }
        // The distance between elements behind a pointer is no part of a block.
        let array = elements(layout).filter(|_| layout.kind == BlockKind::StructuredElement);
        let whole = array.as_ref().unwrap_or(layout);
        let obeyed =
            spirv::block_rules(whole, &ProbePlan { leaves: whole.leaves_in(ElementChoice::Sample), ..plan.clone() });
        obeyed.unwrap_or(BlockRules::Relaxed)
    }
}

/// Returns the byte offsets that a compiled probe addresses. `reserved` holds the names that the
/// probe may use; `reader` handles what only naga can read.
pub(crate) fn addressed_by(
    shader: &Shader,
    toolchain: &Toolchain,
    reserved: &Reserved,
    layout: &BlockLayout,
    plan: &ProbePlan,
    reader: &dyn ModuleReader,
) -> Result<CompiledOffsets, Unusable> {
    let ours = own_buffers(toolchain, reserved);
    let made = CompiledCode::new(shader, &ours, &plan.entries[0], reader)?;
    Ok(addressed(layout, plan, &made.followed(), made.interface)?)
}

/// Returns the Direct3D 12 features that the block's types need.
pub(super) fn wide_types(target: CodeTarget, layout: &BlockLayout) -> BTreeSet<Feature> {
    let needed = |leaf: &Leaf| match leaf.component.scalar {
        Scalar::Float64 => Some(Feature::Float64),
        Scalar::Int64 | Scalar::Uint64 => Some(Feature::Int64),
        _ => None,
    };

    match target {
        CodeTarget::Newest => BTreeSet::new(),
        CodeTarget::Direct3d { .. } => layout.leaves().iter().filter_map(needed).collect(),
    }
}

/// Returns a name for the block's module that is valid on every file system. It contains the block,
/// the first leaf if the plan does not cover the whole block, the direction if it is not a read,
/// the form if it is not a write by name, the space if it is workgroup memory, and the stage if a ray
/// generation reaches it.
pub(super) fn folder_name(layout: &BlockLayout, plan: &ProbePlan) -> String {
    let begins_with = |leaf: &Leaf| plan.leaves.first().is_some_and(|first| first.path == leaf.path);
    let is_whole = layout.leaves().first().is_some_and(begins_with);
    let first = plan.leaves.first().filter(|_| !is_whole).map_or("", |leaf| &leaf.path);
    let dot = if first.is_empty() || first.starts_with('[') { "" } else { "." };

    let written = match plan.entries.first() {
        Some(entry) if entry.direction == Direction::Write => match entry.forms.first() {
            None | Some(Form::Leaf) => "_written".to_owned(),
            Some(form) => format!("_written_{}", form.as_str()),
        },
        Some(entry) if entry.space == AddressSpace::Workgroup => "_workgroup".to_owned(),
        Some(entry) if entry.stage.is_reached() => format!("_{}", entry.stage.as_str()),
        Some(entry) if entry.forms == [Form::Linked] => format!("_{}", Form::Linked.as_str()),
        Some(entry) if entry.forms == [Form::ByteAddress] => format!("_{}", Form::ByteAddress.as_str()),
        Some(_) | None => String::new(),
    };
    let is_at_address = plan.entries.first().is_some_and(|entry| entry.space == AddressSpace::Address);
    let place = if is_at_address && layout.kind != BlockKind::Pointee { "_at_address" } else { "" };

    format!("{}{dot}{first}{written}{place}", layout.name).replace([':', '/', '#'], "_")
}

/// The alignments of the address that a shader is given, and of those in the memory there: of the block if there is memory
/// on the way to it, and of the element to which a pointer in the first one points.
fn address_alignments(layout: &BlockLayout, plan: &ProbePlan, interface: Interface) -> AddressAlignments {
    let block = address_alignment(layout, plan);
    let of_element = |link: SelfLink| 1_u32.checked_shl(link.target.trailing_zeros()).unwrap_or(block);
    let linked = self_link(layout).map(|link| block.min(of_element(link)));
    match interface.between {
        None => AddressAlignments { block, linked },
        Some(_) => AddressAlignments { block: BETWEEN_ALIGNMENT, linked: Some(linked.unwrap_or(block)) },
    }
}
