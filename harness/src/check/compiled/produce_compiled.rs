//! The shaders of a subject that a compiler makes of the user's own declarations: one module per block.
//!
//! The declarations with a probe's entry point behind them go to the compiler; where it bound the block is read from what
//! it made. A block takes part where the compiler's own rule set for it is the one that is checked. Compilers of GLSL and
//! WGSL get the declarations said again in their language.

use std::collections::BTreeSet;

use layoutproof_device::planted::{PlantedBug, is_planted};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{BlockKind, BlockLayout, Component, Extent, LaidOut, LaidOutShape, Leaf, find, lay_out};

use crate::check::compiled::block_access::{AccessedElement, BlockAccess, chosen};
use crate::check::compiled::compile_probe::{Attempt, CompileJob};
use crate::check::compiled::watched_compilers::WatchedCompilers;
use crate::check::produce::gap::Gap;
use crate::check::produce::naga::in_wgsl;
use crate::check::produce::probe_axes::drawn_stages;
use crate::check::produce::settings::Settings;
use crate::check::produce::subject_shaders::{SubjectShaders, gap, not_probed, plan_of_second_element};
use crate::check::producer::Producer;
use crate::check::subject::Subject;
use crate::generate::hlsl::{self, Dialect};
use crate::generate::{glsl, wgsl};
use crate::inspect::toolchain::{CodeTarget, Compilers, Language, Output, Toolchain};
use crate::probe::{
    AddressSpace, Direction, Form, ProbeEntry, ProbePlan, Stage, elements, forms_left_out, plan_by_name, plan_in,
};

/// Values that a shader for a device reads or writes at most: the time that drivers take for one grows faster than it
/// does. Source: measured, see `runners/README.md`.
const MOST_VALUES: usize = 64;

impl SubjectShaders {
    /// Compiles the blocks of `subject` that the compiler of `toolchain` lays out by the subject's rule set.
    pub fn compiled(
        subject: &Subject,
        toolchain: &'static Toolchain,
        compilers: &dyn Compilers,
        target: CodeTarget,
        settings: &Settings,
    ) -> Self {
        let mut produced = Self::empty(Producer::Compiler(toolchain), settings.elements);
        let Some(text) = &subject.source.text else {
            produced.gaps.push(Gap::language("there is no source text to compile"));
            return produced;
        };

        let compilers = WatchedCompilers::new(compilers);
        for block in 0..subject.layouts.len() {
            let asked = CompileJob { subject, toolchain, compilers: &compilers, text, block, target };
            let accesses = if subject.is_own_wgsl() {
                produced.accesses_of_own_wgsl(&asked)
            } else {
                produced.accesses(&asked, settings)
            };
            for mut access in chosen(accesses, subject, settings) {
                access.plan = asked.named(access.plan);
                produced.add_compiled(&asked, &access);
            }
        }
        produced.origin = compilers.origin();
        produced.tidy()
    }

    /// What is compiled for a block, if the compiler lays that out by the subject's rule set.
    fn accesses(&mut self, asked: &CompileJob<'_>, settings: &Settings) -> Vec<BlockAccess> {
        let CompileJob { subject, toolchain, block, .. } = *asked;
        let (declared, layout) = (&subject.source.module.blocks[block], &subject.layouts[block]);
        let is_followed = toolchain.follows(subject.rules, declared);
        // A file with structured buffers need not have any others.
        let is_by_address = subject.source.is_case && toolchain.follows_by_address(subject.rules, declared);
        if !is_followed && !is_by_address {
            return Vec::new();
        }

        if let Err(refusals) = &layout.result {
            self.gaps.extend(refusals.iter().map(|refusal| gap(subject.rules, refusal)));
            return Vec::new();
        }
        if let Some(reason) = not_for(asked, layout) {
            return self.nothing(Gap::tool(reason));
        }
        let space = match toolchain.language {
            Language::Wgsl => return self.accesses_of_wgsl(asked, layout),
            Language::Hlsl | Language::ClangHlsl | Language::OldHlsl | Language::Slang => {
                space_of(layout.kind, toolchain.output)
            }
            Language::Glsl => Some(glsl::space_of(layout.kind, subject.rules)),
        };
        let Some(space) = space else {
            return self.nothing(Gap::language("compilers cannot read this kind of block by name"));
        };
        if toolchain.language == Language::Slang && layout.leaves().iter().any(takes_four_for_two) {
            return self.nothing(Gap::language("types of 16 bits always take 2 bytes in Slang"));
        }

        let places = [(space, Stage::Compute)].into();
        let leaves = self.leaves(layout);
        let plan = nameable(plan_by_name(layout, &leaves, &places), toolchain.language);
        self.gaps.extend(not_probed(&plan));
        let mut accesses = Vec::new();
        if is_by_address {
            accesses.extend(by_address(asked, layout, &plan));
        }
        if is_followed {
            accesses.extend(self.by_name(asked, layout, plan, &places));
            if is_drawn(asked) {
                accesses.extend(self.in_draws(asked, layout, space, settings));
            }
        }
        accesses
    }

    /// Says why a block has no accesses.
    fn nothing(&mut self, gap: Gap) -> Vec<BlockAccess> {
        self.gaps.push(gap);
        Vec::new()
    }

    /// Reads, and writes, of the leaves of a block by their names in the stages of a draw.
    fn in_draws(
        &mut self,
        asked: &CompileJob<'_>,
        layout: &BlockLayout,
        space: AddressSpace,
        settings: &Settings,
    ) -> Vec<BlockAccess> {
        let mut accesses = Vec::new();
        for stage in drawn_stages(asked.subject, settings) {
            let leaves = self.leaves(layout);
            let plan = plan_by_name(layout, &leaves, &[(space, stage)].into());
            let plan = nameable(plan, asked.toolchain.language);
            if asked.is_writable() {
                accesses.push(BlockAccess::first(layout, writing(plan.clone())));
            }
            accesses.push(BlockAccess::first(layout, reading(plan, asked.toolchain.language)));
        }
        accesses
    }

    /// Writes of the leaves of a block by their names, reads of them, and reads of those of its second element.
    fn by_name(
        &mut self,
        asked: &CompileJob<'_>,
        layout: &BlockLayout,
        plan: ProbePlan,
        places: &BTreeSet<(AddressSpace, Stage)>,
    ) -> Vec<BlockAccess> {
        let toolchain = asked.toolchain;
        let mut accesses = Vec::new();
        // The GLSL that is written for a block only reads it.
        if asked.is_writable() && toolchain.language != Language::Glsl {
            accesses.push(BlockAccess::first(layout, writing(plan.clone())));
        }
        if asked.is_writable() && toolchain.output == Output::Wgsl {
            self.gaps.push(Gap::language("WGSL's writable buffers are not bound for reading alone"));
            return accesses;
        }

        let is_whole = forms_left_out(layout, &plan.leaves).is_none();
        let plan = reading(plan, toolchain.language);
        let plan = if is_whole { copying(plan, toolchain) } else { plan };
        accesses.push(BlockAccess::first(layout, plan));

        accesses.extend(second_element(layout).map(|array| {
            let plan = plan_of_second_element(&array, &array.leaves_in(self.elements), places);
            let plan = nameable(plan.only(&[Form::Leaf, Form::Indexed].into()), toolchain.language);
            let plan = reading(plan, toolchain.language);
            BlockAccess { layout: array, plan, element: AccessedElement::Second }
        }));
        accesses
    }

    /// What is compiled of our WGSL, in which every storage buffer can be written.
    fn accesses_of_wgsl(&mut self, asked: &CompileJob<'_>, layout: &BlockLayout) -> Vec<BlockAccess> {
        let places = Self::places_in_wgsl(asked);
        let plan = in_wgsl(plan_in(layout, &self.leaves(layout), &places));
        self.gaps.extend(not_probed(&plan));
        if plan.entries.is_empty() && !plan.leaves.is_empty() {
            self.gaps.push(Gap::language("this kind of buffer cannot hold an array without a length"));
        }

        let choice = self.elements;
        let second = second_element(layout).map(|array| {
            let plan = plan_of_second_element(&array, &array.leaves_in(choice), &places);
            let plan = reading(in_wgsl(plan.only(&[Form::Leaf].into())), Language::Wgsl);
            BlockAccess { layout: array, plan, element: AccessedElement::Second }
        });

        let each = |BlockAccess { layout, plan, element }: BlockAccess| {
            let of_entry = |entry: &ProbeEntry| BlockAccess {
                layout: layout.clone(),
                plan: ProbePlan { entries: vec![entry.clone()], ..plan.clone() },
                element,
            };
            plan.entries.iter().map(of_entry).collect::<Vec<_>>()
        };
        [BlockAccess::first(layout, plan)].into_iter().chain(second).flat_map(each).collect()
    }

    /// The buffer that the rule set is for. Immediates, which have the layout of storage buffers, are asked for where they
    /// have a register and naga another layout for them.
    fn places_in_wgsl(asked: &CompileJob<'_>) -> BTreeSet<(AddressSpace, Stage)> {
        let home = wgsl::space_of(asked.subject.rules);
        let is_direct3d = asked.toolchain.output == Output::Dxil;
        let immediates = (is_direct3d && home == AddressSpace::Storage).then_some(AddressSpace::PushConstant);
        [home].into_iter().chain(immediates).map(|space| (space, Stage::Compute)).collect()
    }

    /// What is compiled of a block of the user's own WGSL, which is only read: the author says what can be written.
    fn accesses_of_own_wgsl(&mut self, asked: &CompileJob<'_>) -> Vec<BlockAccess> {
        let layout = &asked.subject.layouts[asked.block];
        let space = match layout.kind {
            BlockKind::UniformBlock => AddressSpace::Uniform,
            BlockKind::StorageBlock => AddressSpace::Storage,
            BlockKind::PushConstant
            | BlockKind::ShaderRecord
            | BlockKind::Cbuffer
            | BlockKind::ConstantBuffer
            | BlockKind::ParameterBlock
            | BlockKind::Globals
            | BlockKind::EntryUniforms
            | BlockKind::Tbuffer
            | BlockKind::TextureBuffer
            | BlockKind::StructuredElement
            | BlockKind::Pointee => return self.nothing(Gap::language("only buffers of WGSL are read")),
        };

        let plan = in_wgsl(plan_in(layout, &self.leaves(layout), &[(space, Stage::Compute)].into()));
        self.gaps.extend(not_probed(&plan));
        let plan = one_entry(plan.only(&[Form::Leaf].into()), Direction::Read);
        vec![BlockAccess::first(layout, plan)]
    }

    fn add_compiled(&mut self, asked: &CompileJob<'_>, access: &BlockAccess) {
        let BlockAccess { layout, plan, .. } = access;
        if plan.leaves.is_empty() {
            return;
        }
        if plan.entries.is_empty() {
            return self.gaps.push(Gap::language("this kind of buffer cannot hold an array without a length"));
        }
        for part in parts(asked, layout, plan) {
            self.add_part(asked, layout, &part);
        }
    }

    fn add_part(&mut self, asked: &CompileJob<'_>, layout: &BlockLayout, plan: &ProbePlan) {
        let (best, failed) = asked.attempts(layout, plan);
        self.add_failed(&failed, best.is_followed());

        match best {
            Attempt::Followed(module) => self.modules.push(*module),
            Attempt::NotFollowed(module, reason) => {
                self.modules.push(*module);
                self.gaps.push(Gap::tool(reason));
            }
            Attempt::Refused(gap) => match asked.contradicts_authority(&gap) {
                Some(sentence) => self.broken.push(sentence),
                None => self.gaps.push(gap),
            },
            Attempt::Broken(sentence) => self.broken.push(sentence),
        }
    }

    /// Adds the attempts with more forms than the one that counts. That a compiler broke is told whatever came after it.
    fn add_failed(&mut self, failed: &[Attempt], do_others_well: bool) {
        for attempt in failed {
            match attempt {
                Attempt::Broken(sentence) if do_others_well => {
                    self.broken.push(format!("{sentence} (not with fewer forms of access)"));
                }
                Attempt::Broken(sentence) => self.broken.push(sentence.clone()),
                Attempt::NotFollowed(_, reason) if do_others_well => {
                    self.gaps.push(Gap::tool(format!("not in every form ({reason})")));
                }
                Attempt::Refused(Gap { reason, cause }) if do_others_well => {
                    let reason = format!("not in every form ({reason})");
                    self.gaps.push(Gap { reason, cause: *cause });
                }
                // What counts failed as well, and says why.
                Attempt::Followed(_) | Attempt::NotFollowed(..) | Attempt::Refused(_) => {}
            }
        }
    }
}

/// Loads of an element from a byte-address buffer, and stores of it to one. Such a buffer is asked for the
/// element's type, and the order of a matrix is no part of that: one in another order than the default is left out.
fn by_address(asked: &CompileJob<'_>, layout: &BlockLayout, plan: &ProbePlan) -> Vec<BlockAccess> {
    let Ok(element) = &layout.result else { return Vec::new() };
    match &element.shape {
        LaidOutShape::Matrix { order, .. } if *order != asked.subject.source.options.matrix => return Vec::new(),
        // No function returns an array.
        LaidOutShape::Array { .. } => return Vec::new(),
        LaidOutShape::Matrix { .. }
        | LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Struct(_)
        | LaidOutShape::Pointer
        | LaidOutShape::Resource => {}
    }
    // Each probe moves the whole element, whose bit-fields are not among the leaves.
    let is_partial = forms_left_out(layout, &plan.leaves).is_some() || has_bit_fields(element);
    if element.size == Extent::Unbounded || is_partial {
        return Vec::new();
    }

    let moving = |direction, name: &str| {
        let forms = vec![Form::ByteAddress];
        let (name, space, stage) = (name.to_owned(), AddressSpace::Storage, Stage::Compute);
        let entries = vec![ProbeEntry { name, space, stage, direction, forms }];
        BlockAccess::first(layout, ProbePlan { entries, ..plan.clone() })
    };
    let load = moving(Direction::Read, "read_bytes");
    // A store writes the whole element, what is not probed of it included.
    let is_stored = plan.not_probed.is_empty() && plan.leaves.len() <= MOST_VALUES;
    let store = is_stored.then(|| moving(Direction::Write, "write_bytes"));
    [load].into_iter().chain(store).collect()
}

/// Returns true if the code is for a device that draws with it: DXIL on Direct3D 12.
fn is_drawn(asked: &CompileJob<'_>) -> bool {
    match (asked.toolchain.output, asked.target) {
        (Output::Dxil, CodeTarget::Direct3d { .. }) => true,
        (Output::Dxil, CodeTarget::Newest)
        | (Output::ClangIr | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl, _) => false,
    }
}

/// The array of two elements of which the second is probed.
fn second_element(layout: &BlockLayout) -> Option<BlockLayout> {
    elements(layout).filter(|_| !is_planted(PlantedBug::CompiledSecondElementForgotten))
}

/// Returns true if a member is a bit-field.
fn has_bit_fields(laid_out: &LaidOut) -> bool {
    match &laid_out.shape {
        LaidOutShape::Struct(members) => {
            members.iter().any(|member| member.bits.is_some() || has_bit_fields(&member.layout))
        }
        LaidOutShape::Array { element, .. } => has_bit_fields(element),
        LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Matrix { .. }
        | LaidOutShape::Pointer
        | LaidOutShape::Resource => false,
    }
}

/// Why the block's code is not for the device that it would be compiled for: a fragment of a sentence.
fn not_for(asked: &CompileJob<'_>, layout: &BlockLayout) -> Option<String> {
    let CodeTarget::Direct3d { model, sixteen_bit } = asked.target else { return None };
    if asked.toolchain.output == Output::Dxil && model.major < 6 {
        return Some(format!("DXIL begins with shader model 6.0, and the device has {model}"));
    }
    if sixteen_bit == SixteenBit::On || asked.toolchain.output != Output::Dxil {
        return None;
    }

    let has_narrow = layout.leaves().iter().any(|leaf| leaf.component.size == 2);
    let rules = find(asked.subject.rules)?;
    let without = lay_out(&asked.subject.source.module.blocks[asked.block], rules, asked.options());
    let reason = "types of 16 bits take 2 bytes, and the device has no -enable-16bit-types";
    (has_narrow || without.result != layout.result).then(|| reason.to_owned())
}

/// Returns true if the leaf has a type of 16 bits, and 4 bytes.
fn takes_four_for_two(leaf: &Leaf) -> bool {
    let Component { scalar, size } = leaf.component;
    size != scalar.size(SixteenBit::On, size)
}

/// The leaves that a statement of the language can name.
fn nameable(plan: ProbePlan, language: Language) -> ProbePlan {
    match Dialect::of(language) {
        Some(dialect) => plan.without(|leaf| hlsl::obstacle(leaf, dialect)),
        None => plan,
    }
}

/// The forms that have statements in the language.
fn forms(language: Language) -> &'static [Form] {
    match language {
        Language::Hlsl | Language::Slang => &[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed],
        // Without generics no function takes a value of any type, and Clang 22 copies no struct out of a constant buffer.
        Language::OldHlsl | Language::ClangHlsl => &[Form::Leaf, Form::Vector, Form::Indexed],
        Language::Glsl => &[Form::Leaf],
        Language::Wgsl => &[Form::Leaf, Form::Vector, Form::Whole],
    }
}

/// The one entry point that reads every leaf by name.
pub(crate) fn readable(plan: ProbePlan, language: Language) -> ProbePlan {
    one_entry(nameable(plan, language).only(&[Form::Leaf].into()), Direction::Read)
}

/// The one entry point that reads, in the forms that the language has.
fn reading(plan: ProbePlan, language: Language) -> ProbePlan {
    one_entry(plan.only(&forms(language).iter().copied().collect()), Direction::Read)
}

/// The plan with the forms that copy to variables, in the languages and to the outputs of which such code is followed.
fn copying(mut plan: ProbePlan, toolchain: &Toolchain) -> ProbePlan {
    let forms: &[Form] = match (toolchain.language, toolchain.output) {
        (Language::Hlsl | Language::Slang, Output::Spirv) => &[Form::Private, Form::Workgroup],
        // The evaluator of DXIL knows memory of one invocation alone.
        (Language::Hlsl | Language::Slang, Output::Dxil) => &[Form::Private],
        (
            Language::Hlsl
            | Language::Slang
            | Language::ClangHlsl
            | Language::OldHlsl
            | Language::Glsl
            | Language::Wgsl,
            Output::Dxil | Output::ClangIr | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl,
        ) => &[],
    };
    plan.entries.iter_mut().for_each(|entry| entry.forms.extend(forms));
    plan
}

/// The one entry point that writes every leaf by name.
fn writing(plan: ProbePlan) -> ProbePlan {
    one_entry(plan.only(&[Form::Leaf].into()), Direction::Write)
}

/// A compilation is for one entry point.
fn one_entry(mut plan: ProbePlan, direction: Direction) -> ProbePlan {
    plan.entries.retain(|entry| entry.direction == direction);
    plan.entries.truncate(1);
    plan
}

/// The plan, in parts where a driver compiles what comes out.
fn parts(asked: &CompileJob<'_>, layout: &BlockLayout, plan: &ProbePlan) -> Vec<ProbePlan> {
    match (asked.toolchain.output, asked.target) {
        (Output::Dxil | Output::ClangIr, CodeTarget::Newest) => vec![plan.clone()],
        (Output::Dxil | Output::ClangIr, CodeTarget::Direct3d { .. })
        | (Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl, _) => {
            let forms = plan.entries.iter().map(costly_forms).max().unwrap_or(1).max(1);
            plan.clone().parts(layout, MOST_VALUES / forms)
        }
    }
}

/// The forms of an entry that read the buffer; those that read a copy in a variable cost little.
fn costly_forms(entry: &ProbeEntry) -> usize {
    entry.forms.iter().filter(|form| !matches!(form, Form::Private | Form::Workgroup)).count()
}

/// Where the compiler puts a block of this kind; `None` for kinds that the language cannot name.
pub(crate) fn space_of(kind: BlockKind, output: Output) -> Option<AddressSpace> {
    match (kind, output) {
        (
            BlockKind::Cbuffer
            | BlockKind::ConstantBuffer
            | BlockKind::Globals
            | BlockKind::ParameterBlock
            | BlockKind::UniformBlock,
            Output::Dxil | Output::ClangIr | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl,
        )
        | (
            BlockKind::PushConstant | BlockKind::ShaderRecord | BlockKind::EntryUniforms,
            Output::Dxil | Output::ClangIr | Output::Wgsl,
        )
        // Clang's tbuffers have the type of constant buffers until its backend sees them.
        | (BlockKind::Tbuffer | BlockKind::TextureBuffer, Output::ClangIr | Output::Wgsl) => Some(AddressSpace::Uniform),
        (BlockKind::Tbuffer | BlockKind::TextureBuffer, Output::Dxil | Output::Spirv | Output::SpirvOfDxbc)
        | (
            BlockKind::StructuredElement | BlockKind::StorageBlock,
            Output::Dxil | Output::ClangIr | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl,
        ) => Some(AddressSpace::Storage),
        (BlockKind::PushConstant | BlockKind::EntryUniforms, Output::Spirv) => Some(AddressSpace::PushConstant),
        (BlockKind::Pointee, Output::Dxil | Output::ClangIr | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl)
        // Only ray-tracing stages have records in SPIR-V.
        | (BlockKind::ShaderRecord, Output::Spirv | Output::SpirvOfDxbc)
        // FXC has no such blocks.
        | (BlockKind::PushConstant | BlockKind::EntryUniforms, Output::SpirvOfDxbc) => None,
    }
}
