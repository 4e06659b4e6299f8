//! Has a compiler make a subject's shaders from the user's own declarations, one module per block.
//!
//! The compiler gets the declarations followed by a probe's entry point, and its output tells where
//! it bound the block. A block takes part if the subject's rule set is the one that the compiler
//! uses for it. For compilers of GLSL and WGSL, we write the declarations again in their language.

use std::collections::BTreeSet;

use layoutproof_layout::limits::{ExceededLimit, HeldType, LimitSubject, exceeded};
use layoutproof_layout::native::find_native;
use layoutproof_layout::resource::Access;
use layoutproof_layout::scalar::{Scalar, SixteenBit};
use layoutproof_layout::shape::{MatrixOrder, Type};
use layoutproof_layout::{
    Block, BlockKind, BlockLayout, Component, Count, Extent, LaidOut, LaidOutMember, LaidOutShape, Leaf, Quantity,
    Reach, StageData, find, lay_out,
};

use crate::check::compiled::block_access::{AccessedElement, BlockAccess, chosen};
use crate::check::compiled::compile_probe::{Attempt, CompileJob};
use crate::check::compiled::own_file::{
    self, OwnFile, OwnFileAnswer, is_read_by_own_code, names_types_that_the_device_lacks,
};
use crate::check::compiled::watched_compilers::WatchedCompilers;
use crate::check::produce::gap::Gap;
use crate::check::produce::naga::{FORMS_OF_NAGA, in_wgsl};
use crate::check::produce::probe_axes::{drawn_stages, is_core, is_for_uniform, reached_stages};
use crate::check::produce::settings::Settings;
use crate::check::produce::subject_shaders::{
    SubjectShaders, gap, no_room, not_executed, not_probed, plan_of_second_element,
};
use crate::check::subject::Subject;
use layoutproof_device::ShaderForm;
use layoutproof_events::Reason;
use layoutproof_events::producer::Producer;
use layoutproof_generators::hlsl::{self, Dialect, has_pointer_arithmetic};
use layoutproof_generators::{glsl, wgsl};
use layoutproof_probes::{
    AddressSpace, Direction, Form, ProbeEntry, ProbePlan, Stage, address_alignment, elements, forms_left_out,
    plan_by_name, plan_in, self_link, tail,
};
use layoutproof_readers::toolchain::{AppliedRules, CodeTarget, Compilers, Input, Lack, Toolchain};
use layoutproof_source::shader_language::ShaderLanguage;

/// Limit on the values that one shader for a device reads or writes, because drivers' compile time
/// grows faster than the shader. Source: measured, see `runners/README.md`.
const MOST_VALUES: usize = 64;

const NO_ARITHMETIC: &str =
    "the second element behind the pointer is not read, because the language has no arithmetic with it";

const BOOL_IN_HEAP: &str = "glslang 16.6.0 ends without an answer at a type of the block in a descriptor heap";

const MOVED_ELEMENT: &str =
    "the second element behind the pointer is not read, because glslang moves it to the promised alignment";

impl SubjectShaders {
    /// Compiles the blocks of `subject` that the compiler of `toolchain` lays out by the subject's
    /// rule set.
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
        let own_file = OwnFile::default();
        for layout in &subject.layouts {
            let known = produced.gaps.len();
            let asked = CompileJob { subject, toolchain, compilers: &compilers, text, block: layout, target };
            let accesses = if subject.is_own_wgsl() {
                produced.accesses_of_own_wgsl(&asked)
            } else if let Some(reason) = own_file.refused_without_option(&asked) {
                produced.nothing(Gap::language(reason))
            } else {
                produced.accesses(&asked, settings)
            };
            for mut access in chosen(accesses, subject, settings) {
                access.plan = asked.named(access.plan);
                produced.add_compiled(&asked, &own_file, &access);
            }
            produced.gaps[known..].iter_mut().for_each(|gap| gap.view = Some(layout.view));
        }
        if produced.modules.is_empty() {
            // Why there is no module is enough.
            produced.gaps.retain(|gap| ![NO_ARITHMETIC, MOVED_ELEMENT].map(Reason::from).contains(&gap.reason));
        }
        produced.origin = compilers.origin();
        produced.tidy()
    }

    /// Lists the accesses to compile for a block, if the compiler lays the block out by the
    /// subject's rule set.
    fn accesses(&mut self, asked: &CompileJob<'_>, settings: &Settings) -> Vec<BlockAccess> {
        let CompileJob { subject, toolchain, block: layout, .. } = *asked;
        let declared = asked.declaration();
        let is_raw = matches!(declared.reach, Reach::RawAccess { .. });
        let is_followed = !is_raw && toolchain.follows(subject.rules, declared);
        // A user's file with structured buffers may have no byte-address buffers.
        let is_by_address = subject.source.is_case && toolchain.follows_by_address(subject.rules, declared);
        if !is_followed && !is_by_address {
            return Vec::new();
        }

        if let Err(refusals) = &layout.result {
            self.gaps.extend(refusals.iter().map(|refusal| gap(subject.rules, refusal)));
            return Vec::new();
        }
        if let Reach::Stage(data) = declared.reach {
            return self.stated(asked, data);
        }
        if declared.reach == Reach::DescriptorHeap && asked.target != CodeTarget::Newest {
            return self.nothing(Gap::tool("Direct3D's runner gives shaders no descriptor heap"));
        }
        if declared.reach == Reach::DescriptorHeap && toolchain.input == Input::Glsl {
            return self.in_heap(asked, layout);
        }
        if declared.reach == Reach::DescriptorHeap && toolchain.output != ShaderForm::Dxil {
            return self
                .nothing(Gap::tool("loads from descriptor heaps are followed in DXIL and in glslang's code alone"));
        }
        if let Some(reason) = without_index(asked).or_else(|| without_code(asked)) {
            return self.nothing(Gap::language(reason));
        }
        if let Some(reason) = not_for(asked, layout).or_else(|| ends_compiler(toolchain, layout)) {
            return self.nothing(Gap::tool(reason));
        }
        // Rule sets lay out bytes; only a user's file is laid out with the handles of its resources, too.
        let is_for_metal = toolchain.input == Input::Slang && toolchain.output == ShaderForm::ClangIr;
        let has_resources = declared.kind == BlockKind::ParameterBlock && declared.element.holds(&|_| true);
        if is_for_metal && has_resources && subject.source.is_case {
            return self.nothing(Gap::tool("the rule set has no bytes for the resources of an argument buffer"));
        }
        if toolchain.loads_matrices_by_rows()
            && layout.result.as_ref().is_ok_and(|root| has_matrix_of(root, MatrixOrder::Column))
        {
            return self
                .nothing(Gap::language("the option makes raw loads take matrices by rows, and these have columns"));
        }
        if let (BlockKind::ShaderRecord, Some(what)) = (layout.kind, without_records(toolchain)) {
            return self.nothing(Gap::language(format!("{what} has no shader records")));
        }
        let layout = &promised(layout, declared);
        let space = match toolchain.language() {
            Some(ShaderLanguage::Wgsl) => return self.accesses_of_wgsl(asked, layout),
            Some(ShaderLanguage::Glsl) => Some(glsl::space_of(layout.kind, subject.rules)),
            _ => space_of(declared, toolchain.output),
        };
        let Some(space) = space else {
            return self.nothing(Gap::language("compilers cannot read this kind of block by name"));
        };
        if let Some(reason) = no_address(asked).filter(|_| space == AddressSpace::Address) {
            return self.nothing(Gap::language(reason));
        }
        if toolchain.input == Input::Slang && layout.leaves().iter().any(takes_four_for_two) {
            return self.nothing(Gap::language("types of 16 bits always take 2 bytes in Slang"));
        }

        let in_record = space == AddressSpace::Address && subject.record_with_pointer(layout.view).is_some();
        let stage = if in_record { Stage::RayGeneration } else { space.usual_stage() };
        let places = [(space, stage)].into();
        self.gaps.extend(no_room(layout, &places));
        let leaves = self.leaves(layout);
        let plan = visible(nameable(plan_by_name(layout, &leaves, &places), toolchain.input), declared);
        self.gaps.extend(not_probed(&plan));
        let mut accesses = Vec::new();
        if is_by_address && loads_bases(toolchain, declared) {
            accesses.extend(moved(asked, layout, &plan, AddressSpace::Storage));
        }
        if is_followed && is_at_address(asked, settings) {
            accesses.extend(self.at_address(asked, layout, &plan));
        }
        if is_followed {
            accesses.extend(self.by_name(asked, layout, plan, &places));
            if space == AddressSpace::ShaderRecord {
                accesses.extend(self.in_reached_stages(asked, layout, settings));
            }
            if is_in_workgroup(asked, settings) {
                accesses.push(self.in_workgroup(asked, layout));
            }
            if is_in_heap(asked, settings) {
                accesses.extend(self.in_heap(asked, layout));
            }
            if is_drawn(asked) {
                accesses.extend(self.in_draws(asked, layout, space, settings));
            }
        }
        accesses
    }

    /// Keeps the size that the compiler states for data of a stage, which no probe executes.
    fn stated(&mut self, asked: &CompileJob<'_>, data: StageData) -> Vec<BlockAccess> {
        if asked.toolchain.output == ShaderForm::Dxil && asked.target == CodeTarget::Newest {
            match own_file::stage_sizes(asked, data) {
                Ok(sizes) => match sizes.as_slice() {
                    [size] => self.stated.add(Quantity::Size, &asked.block.name, Some(*size)),
                    sizes => self
                        .gaps
                        .push(Gap::tool(format!("size not compared ({} sizes of a {data} in the code)", sizes.len()))),
                },
                Err(reason) => self.gaps.push(Gap::tool(reason)),
            }
        }
        self.nothing(Gap::language(not_executed(data)))
    }

    fn nothing(&mut self, gap: Gap) -> Vec<BlockAccess> {
        self.gaps.push(gap);
        Vec::new()
    }

    /// Lists the accesses in the stages of a draw: reads of a block's leaves by name, and writes if
    /// it is writable.
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
            let plan = visible(nameable(plan, asked.toolchain.input), asked.declaration());
            if asked.is_writable() {
                let plan = assignable(plan.clone(), asked.declaration());
                accesses.push(BlockAccess::first(layout, writing(plan)));
            }
            accesses.push(BlockAccess::first(layout, reading(plan, asked.toolchain.input)));
        }
        accesses
    }

    /// Lists the reads of a shader record's leaves in the stages that a ray generation reaches.
    fn in_reached_stages(&self, asked: &CompileJob<'_>, layout: &BlockLayout, settings: &Settings) -> Vec<BlockAccess> {
        let leaves = layout.leaves_in(self.elements);
        let read_in = |stage| {
            let plan = plan_by_name(layout, &leaves, &[(AddressSpace::ShaderRecord, stage)].into());
            let input = asked.toolchain.input;
            BlockAccess::first(layout, reading(visible(nameable(plan, input), asked.declaration()), input))
        };
        reached_stages(asked.subject, settings).into_iter().map(read_in).collect()
    }

    /// Returns the reads of a block's leaves in workgroup memory.
    fn in_workgroup(&mut self, asked: &CompileJob<'_>, layout: &BlockLayout) -> BlockAccess {
        let leaves = self.leaves(layout);
        let places = [(AddressSpace::Workgroup, Stage::Compute)].into();
        self.gaps.extend(no_room(layout, &places));
        let plan = plan_by_name(layout, &leaves, &places);
        BlockAccess::first(layout, reading(plan, asked.toolchain.input))
    }

    /// Lists the reads of a block's leaves in the descriptor heap, and those of its second element.
    fn in_heap(&mut self, asked: &CompileJob<'_>, layout: &BlockLayout) -> Vec<BlockAccess> {
        if !asked.toolchain.has(Lack::DescriptorHeaps) {
            return self.nothing(Gap::language("the compiler has no descriptor heaps"));
        }
        if layout.leaves().iter().any(|leaf| leaf.component.scalar == Scalar::Bool) {
            return self.nothing(Gap::tool(BOOL_IN_HEAP));
        }
        let places = [(heap_space(asked.subject.rules), Stage::Compute)].into();
        self.gaps.extend(no_room(layout, &places));
        let plan = plan_by_name(layout, &self.leaves(layout), &places);
        self.gaps.extend(not_probed(&plan));
        let first = BlockAccess::first(layout, reading(plan, asked.toolchain.input));
        [first].into_iter().chain(self.second_element(asked, layout, &places)).collect()
    }

    /// Lists the writes of a block's leaves by name, the reads, and the reads of its second
    /// element.
    fn by_name(
        &mut self,
        asked: &CompileJob<'_>,
        layout: &BlockLayout,
        plan: ProbePlan,
        places: &BTreeSet<(AddressSpace, Stage)>,
    ) -> Vec<BlockAccess> {
        let toolchain = asked.toolchain;
        let mut accesses = Vec::new();
        // Our GLSL only reads the block.
        if asked.is_writable() && toolchain.input != Input::Glsl {
            let left_out = plan.not_probed.len();
            let plan = assignable(plan.clone(), asked.declaration());
            let read_only = plan.not_probed[left_out..].iter();
            self.gaps.extend(read_only.map(|leaf| Gap::language(format!("leaves not written ({})", leaf.reason))));
            accesses.push(BlockAccess::first(layout, writing(plan)));
        }
        if asked.is_writable() && toolchain.output == ShaderForm::Wgsl {
            self.gaps.push(Gap::language("WGSL's writable buffers are not bound for reading alone"));
            return accesses;
        }

        let is_whole = forms_left_out(layout, &plan.leaves).is_none();
        let plan = reading(plan, toolchain.input);
        let plan = if is_whole { copying(plan, toolchain) } else { plan };
        accesses.push(BlockAccess::first(layout, plan));

        accesses.extend(self.second_element(asked, layout, places));
        accesses.extend(self.linked_element(asked, layout, places));
        accesses
    }

    /// Returns the reads of the second element behind a pointer, through a pointer in the first one.
    fn linked_element(
        &self,
        asked: &CompileJob<'_>,
        layout: &BlockLayout,
        places: &BTreeSet<(AddressSpace, Stage)>,
    ) -> Option<BlockAccess> {
        let toolchain = asked.toolchain;
        let array = elements(layout).filter(|array| self_link(array).is_some())?;
        let plan = plan_of_second_element(&array, &array.leaves_in(self.elements), places);
        let plan = visible(nameable(plan.only(&[Form::Linked].into()), toolchain.input), asked.declaration());
        let plan = one_entry(plan, Direction::Read);
        let has_links = matches!(toolchain.input, Input::Hlsl | Input::Slang) && !plan.entries.is_empty();
        has_links.then_some(BlockAccess { layout: array, plan, element: AccessedElement::Second })
    }

    /// Returns the reads of the second element of a structured buffer or behind a pointer, which show the
    /// stride.
    fn second_element(
        &mut self,
        asked: &CompileJob<'_>,
        layout: &BlockLayout,
        places: &BTreeSet<(AddressSpace, Stage)>,
    ) -> Option<BlockAccess> {
        let toolchain = asked.toolchain;
        let array = elements(layout)?;
        let plan = plan_of_second_element(&array, &array.leaves_in(self.elements), places);
        let plan = nameable(plan.only(&[Form::Leaf, Form::Indexed].into()), toolchain.input);
        let plan = reading(visible(plan, asked.declaration()), toolchain.input);
        let is_at_address = plan.entries.iter().any(|entry| entry.space == AddressSpace::Address);
        let obstacle = match Dialect::of(toolchain.input) {
            Some(dialect) if is_at_address && !has_pointer_arithmetic(layout, dialect) => Some(NO_ARITHMETIC),
            None if is_at_address && !has_elements_at(&array, address_alignment(&array, &plan)) => Some(MOVED_ELEMENT),
            Some(_) | None => None,
        };
        if let Some(obstacle) = obstacle.filter(|_| !plan.entries.is_empty()) {
            self.gaps.push(Gap::language(obstacle));
            return None;
        }
        (!plan.entries.is_empty()).then_some(BlockAccess { layout: array, plan, element: AccessedElement::Second })
    }

    /// Lists the accesses to a block at an address, for compilers whose source can have one without
    /// a pointer among the declarations.
    fn at_address(&mut self, asked: &CompileJob<'_>, layout: &BlockLayout, plan: &ProbePlan) -> Vec<BlockAccess> {
        let toolchain = asked.toolchain;
        match toolchain.input {
            Input::Glsl => {
                let places = [(AddressSpace::Address, Stage::Compute)].into();
                let plan = plan_by_name(layout, &self.leaves(layout), &places);
                let first = BlockAccess::first(layout, reading(plan, toolchain.input));
                [first].into_iter().chain(self.second_element(asked, layout, &places)).collect()
            }
            Input::Hlsl => moved(asked, layout, plan, AddressSpace::Address),
            Input::ClangHlsl | Input::OldHlsl | Input::Slang | Input::Wgsl | Input::Spirv => Vec::new(),
        }
    }

    /// Lists the accesses to compile from our WGSL, where every storage buffer is writable.
    fn accesses_of_wgsl(&mut self, asked: &CompileJob<'_>, layout: &BlockLayout) -> Vec<BlockAccess> {
        let places = Self::places_in_wgsl(asked);
        let plan = in_wgsl(plan_in(layout, &self.leaves(layout), &places));
        self.gaps.extend(not_probed(&plan));
        if plan.entries.is_empty() && !plan.leaves.is_empty() {
            self.gaps.push(Gap::language("this kind of buffer cannot hold an array without a length"));
        }

        // A Direct3D 12 device gets its buffers by their addresses, and then they have no length.
        let has_lengths = asked.target == CodeTarget::Newest;
        let followed = |plan: ProbePlan| if has_lengths { plan } else { plan.only(&FORMS_OF_NAGA.into()) };
        let plan = followed(plan);
        let choice = self.elements;
        let second = elements(layout).map(|array| {
            let plan = plan_of_second_element(&array, &array.leaves_in(choice), &places);
            let mut plan = followed(in_wgsl(plan.only(&[Form::Leaf, Form::Length].into())));
            plan.entries.retain(|entry| entry.direction == Direction::Read);
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

    /// Returns the buffer kind that the rule set is for. Immediates have the layout of storage
    /// buffers. They are added for Direct3D, where they have a register and naga lays them out
    /// differently.
    fn places_in_wgsl(asked: &CompileJob<'_>) -> BTreeSet<(AddressSpace, Stage)> {
        let home = wgsl::space_of(asked.subject.rules);
        let is_direct3d = asked.toolchain.output == ShaderForm::Dxil;
        let immediates = (is_direct3d && home == AddressSpace::Storage).then_some(AddressSpace::PushConstant);
        [home].into_iter().chain(immediates).map(|space| (space, Stage::Compute)).collect()
    }

    /// Lists the accesses to a block of the user's own WGSL. They only read, since the author
    /// decides which buffers are writable.
    fn accesses_of_own_wgsl(&mut self, asked: &CompileJob<'_>) -> Vec<BlockAccess> {
        let layout = asked.block;
        let space = match layout.kind {
            BlockKind::UniformBlock => AddressSpace::Uniform,
            BlockKind::StorageBlock => AddressSpace::Storage,
            _ => return self.nothing(Gap::language("only buffers of WGSL are read")),
        };

        let plan = in_wgsl(plan_in(layout, &self.leaves(layout), &[(space, Stage::Compute)].into()));
        self.gaps.extend(not_probed(&plan));
        let plan = one_entry(plan.only(&[Form::Leaf].into()), Direction::Read);
        vec![BlockAccess::first(layout, plan)]
    }

    fn add_compiled(&mut self, asked: &CompileJob<'_>, own_file: &OwnFile, access: &BlockAccess) {
        let BlockAccess { layout, plan, .. } = access;
        if plan.leaves.is_empty() {
            return;
        }
        if plan.entries.is_empty() {
            // Why a block with a length has no entries was noted with its access.
            if layout.result.as_ref().is_ok_and(|laid_out| tail(laid_out).is_some()) {
                self.gaps.push(Gap::language("this kind of buffer cannot hold an array without a length"));
            }
            return;
        }
        for part in parts(asked, layout, plan) {
            self.add_part(asked, own_file, layout, &part);
        }
    }

    fn add_part(&mut self, asked: &CompileJob<'_>, own_file: &OwnFile, layout: &BlockLayout, plan: &ProbePlan) {
        let (best, failed) = asked.attempts(layout, plan);
        self.add_failed(&failed, best.is_followed());
        if let Attempt::Followed(module) | Attempt::NotFollowed(module, _) = &best
            && module.alignments_not_followed > 0
        {
            self.gaps.push(Gap::tool(Reason::AlignmentsNotFollowed(module.alignments_not_followed)));
        }

        match best {
            Attempt::Followed(module) => self.modules.push(*module),
            Attempt::NotFollowed(module, reason) => {
                self.modules.push(*module);
                self.gaps.push(Gap::tool(reason));
            }
            Attempt::Refused(gap) => match asked.contradicts_authority(&gap) {
                Some(sentence) => self.broken.push(sentence),
                None => self.add_refusal(asked, own_file, gap),
            },
            Attempt::Broken(sentence) => self.broken.push(sentence),
        }
    }

    /// Adds the refusal of a shader. Before it counts as the refusal of a user's file, the compiler gets that file as it is.
    fn add_refusal(&mut self, asked: &CompileJob<'_>, own_file: &OwnFile, gap: Gap) {
        let Reason::RefusedBy { compiler, message, .. } = &gap.reason else { return self.gaps.push(gap) };
        let (compiler, message) = (compiler.clone(), message.clone());
        if let Some(reason) = refused_type(asked, |_| true) {
            return self.gaps.push(Gap { view: gap.view, ..Gap::language(reason) });
        }
        if names_types_that_the_device_lacks(asked) {
            let reason = Reason::DeviceLacks("native 16-bit operations".to_owned());
            return self.gaps.push(Gap { reason, ..gap });
        }
        match own_file.answer(asked) {
            OwnFileAnswer::NotAsked => self.gaps.push(gap),
            OwnFileAnswer::Refused { message, option } => {
                self.gaps.push(Gap { reason: Reason::RefusedBy { compiler, message, option }, ..gap });
            }
            OwnFileAnswer::Taken => {
                let reason = Reason::ProbeRefusedBy { compiler, message };
                // A compiler may refuse for a block what the file's own code does not need.
                if is_read_by_own_code(asked) {
                    self.own_faults.push(reason.clone());
                }
                self.gaps.push(Gap { reason, ..gap });
            }
        }
    }

    /// Adds the failed attempts, which had more forms than the one that counts. A compiler crash is
    /// always recorded, even if a later attempt worked.
    fn add_failed(&mut self, failed: &[Attempt], do_others_well: bool) {
        for attempt in failed {
            match attempt {
                Attempt::Broken(sentence) if do_others_well => {
                    self.broken.push(format!("{sentence} (not with fewer forms of access)"));
                }
                Attempt::Broken(sentence) => self.broken.push(sentence.clone()),
                Attempt::NotFollowed(_, reason) if do_others_well => {
                    self.gaps.push(Gap::tool(Reason::NotInEveryForm(Box::new(reason.clone().into()))));
                }
                Attempt::Refused(gap) if do_others_well => {
                    let reason = Reason::NotInEveryForm(Box::new(gap.reason.clone()));
                    self.gaps.push(Gap { reason, ..gap.clone() });
                }
                // The attempt that counts failed too and gives the reason.
                Attempt::Followed(_) | Attempt::NotFollowed(..) | Attempt::Refused(_) => {}
            }
        }
    }
}

/// Names the type in the block of a user's file that the compiler is known to refuse for its target, if `is_meant` holds
/// for it.
fn refused_type(asked: &CompileJob<'_>, is_meant: impl Fn(HeldType) -> bool) -> Option<String> {
    let AppliedRules::Native(name) = asked.toolchain.follows else { return None };
    let native = find_native(name).filter(|_| !asked.subject.source.is_case)?;
    let found = exceeded(native, asked.declaration(), asked.block, false);
    let held = found
        .into_iter()
        .find(|found| matches!(found.limit.subject, LimitSubject::Holds(_, held) if is_meant(held)))?;
    let ExceededLimit { path, message, .. } = held;
    let row = asked.block.rows().into_iter().find(|row| row.path.replace("[]", "") == path)?;
    let name = if path.is_empty() { &asked.block.name } else { &path };
    Some(format!("not possible for {}: `{name}` ({}) {message}", native.column, row.type_name))
}

/// Returns the reason why code cannot name the elements of a buffer: it appends or consumes them, in no certain order.
fn without_index(asked: &CompileJob<'_>) -> Option<String> {
    let has_names = Dialect::of(asked.toolchain.input).is_some() && !asked.subject.source.is_case;
    let methods = match asked.declaration().access.filter(|_| has_names)? {
        Access::Append => "has only `Append`",
        Access::Consume => "has only `Consume`",
        Access::Read | Access::ReadWrite | Access::Write | Access::RasterizerOrdered | Access::Feedback => return None,
    };
    Some(format!("the buffer {methods}, so no code reads an element by its index"))
}

/// Returns the reason why a user's file cannot be compiled for a target because of a pointer or a `bool` in the block. The
/// compiler is not asked: what it writes for such a target is not code, or it ends without an answer.
fn without_code(asked: &CompileJob<'_>) -> Option<String> {
    let of_target = refused_type(asked, |held| matches!(held, HeldType::Pointer | HeldType::Scalars([Scalar::Bool])));
    let is_asked = asked.toolchain.input == Input::Slang && !asked.subject.source.is_case;
    of_target.or_else(|| {
        let in_circle = asked.subject.points_in_circle(asked.declaration()).filter(|_| is_asked);
        let pointee = in_circle.filter(|_| asked.toolchain.output != ShaderForm::Spirv)?;
        let column = asked.toolchain.column()?;
        Some(format!(
            "not possible for {column}: `{pointee}` leads back to itself through a pointer, at which slangc 2026.14.1 ends"
        ))
    })
}

/// Keeps the leaves that code outside their struct and module can read by name.
fn visible(plan: ProbePlan, declared: &Block) -> ProbePlan {
    // slangc 2026.14.1, E41403: `cannot perform atomic operation because destination is neither groupshared nor from a
    // device buffer`.
    let loads_atomics = declared.access == Some(Access::ReadWrite) || declared.kind == BlockKind::Pointee;
    plan.without(|leaf| {
        if !loads_atomics && is_atomic(leaf, declared) {
            return Some("an `Atomic` is read only in a writable buffer".to_owned());
        }
        let way = declared.way_to(&leaf.path);
        let (_, hidden) = way.iter().find(|(_, member)| member.annotations.is_hidden)?;
        let is_private = hidden.annotations.modifiers.iter().any(|modifier| modifier == "private");
        let why = if is_private { "private" } else { "not public in its module" };
        Some(format!("`{}` is {why}, so a shader cannot name it", hidden.name))
    })
}

fn is_atomic(leaf: &Leaf, declared: &Block) -> bool {
    let ty = declared.way_to(&leaf.path).last().map_or(&declared.element, |(_, member)| &member.ty);
    matches!(ty.dimensions().0, Type::Enum(ty) if ty.is_atomic())
}

/// Keeps the leaves that code can assign to. `value` and `hasValue` of an `Optional` are no l-values (slangc 2026.14.1,
/// E30011).
fn assignable(plan: ProbePlan, declared: &Block) -> ProbePlan {
    plan.without(|leaf| {
        if is_atomic(leaf, declared) {
            return Some("no shader that we follow stores to an `Atomic`".to_owned());
        }
        let is_optional = declared.way_to(&leaf.path).iter().any(|(holder, _)| holder.is_optional());
        is_optional.then(|| "the members of an `Optional` are only read".to_owned())
    })
}

/// Returns the layout of a pointee with the alignment that the source promises for its address;
/// other layouts unchanged.
fn promised(layout: &BlockLayout, declared: &Block) -> BlockLayout {
    let mut layout = layout.clone();
    if let (Ok(pointee), Some(alignment)) = (&mut layout.result, declared.pointer().and_then(|it| it.alignment)) {
        pointee.alignment = alignment;
    }
    layout
}

/// Returns the reason why a probe cannot give the shader the address of the pointee, as a sentence
/// fragment: its pointer is neither among the push constants nor in a shader record, nor in what a pointer there points to.
fn no_address(asked: &CompileJob<'_>) -> Option<&'static str> {
    if asked.language() == Some(ShaderLanguage::Glsl) {
        return None;
    }
    let way = asked.subject.way_to(asked.declaration()).unwrap_or_default();
    let is_filled = way.first().is_some_and(|(root, _)| {
        matches!(root.kind, BlockKind::EntryUniforms | BlockKind::PushConstant | BlockKind::ShaderRecord)
    });
    match way.len() {
        // The names of DXC's blocks do not say where the code has to call `Get`.
        2 if is_filled && asked.toolchain.input != Input::Slang => {
            Some("the probe does not write the way through another pointer in HLSL")
        }
        1 | 2 if is_filled => None,
        _ => Some("a probe passes the address in push constants or a shader record, and the pointer is elsewhere"),
    }
}

/// Returns true if a block is also probed at an address, although its declaration has no pointer: the
/// core of the cases is, where the compiler's language has addresses of bytes.
fn is_at_address(asked: &CompileJob<'_>, settings: &Settings) -> bool {
    let (subject, toolchain) = (asked.subject, asked.toolchain);
    let has_addresses = match toolchain.input {
        Input::Hlsl => {
            let blocks = &subject.source.module.blocks;
            // A shader has one block of push constants.
            let has_push_constants = blocks.iter().any(|block| block.kind == BlockKind::PushConstant);
            loads_bases(toolchain, asked.declaration())
                && asked.block.kind == BlockKind::StructuredElement
                && !has_push_constants
        }
        Input::Glsl => true,
        Input::ClangHlsl | Input::OldHlsl | Input::Slang | Input::Wgsl | Input::Spirv => false,
    };
    let has_addresses = has_addresses && toolchain.has(Lack::Addresses);
    toolchain.output == ShaderForm::Spirv && has_addresses && is_chosen(subject, settings, AddressSpace::Address)
}

/// Returns true if a case is also probed in a space that its declaration does not name.
fn is_chosen(subject: &Subject, settings: &Settings, space: AddressSpace) -> bool {
    subject.source.is_case
        && match &settings.spaces {
            Some(spaces) => spaces.contains(&space),
            None => is_core(subject),
        }
}

/// Lists loads and stores of an element through a byte-address buffer, or at an address. Such an
/// access names only the element's type, which does not include the order of a matrix, so a matrix
/// in a non-default order is left out.
fn moved(asked: &CompileJob<'_>, layout: &BlockLayout, plan: &ProbePlan, space: AddressSpace) -> Vec<BlockAccess> {
    let Ok(element) = &layout.result else { return Vec::new() };
    match &element.shape {
        LaidOutShape::Matrix { order, .. } if *order != asked.subject.source.options.matrix => return Vec::new(),
        // HLSL functions cannot return arrays. A long vector is laid out like one.
        LaidOutShape::Array { .. } if !asked.declaration().element.is_long_vector() => return Vec::new(),
        _ => {}
    }
    // Each probe moves the whole element, but bit-fields are not among the leaves.
    let is_partial = forms_left_out(layout, &plan.leaves).is_some() || has_bit_fields(element);
    if element.size == Extent::Unbounded || is_partial {
        return Vec::new();
    }

    let moving = |direction, name: &str| {
        let forms = vec![Form::ByteAddress];
        let (name, stage) = (name.to_owned(), Stage::Compute);
        let entries = vec![ProbeEntry { name, space, stage, direction, forms }];
        BlockAccess::first(layout, ProbePlan { entries, ..plan.clone() })
    };
    let names = match space {
        AddressSpace::Address => ["read_address_bytes", "write_address_bytes"],
        _ => ["read_bytes", "write_bytes"],
    };
    let load = moving(Direction::Read, names[0]);
    // A store writes the whole element, including leaves that are not probed.
    let is_stored = plan.not_probed.is_empty() && plan.leaves.len() <= MOST_VALUES;
    let store = is_stored.then(|| moving(Direction::Write, names[1]));
    [load].into_iter().chain(store).collect()
}

/// Returns true if the code runs on a device that can use it in draws: DXIL on Direct3D 12.
fn is_drawn(asked: &CompileJob<'_>) -> bool {
    asked.toolchain.output == ShaderForm::Dxil && matches!(asked.target, CodeTarget::Direct3d { .. })
}

/// Returns the language or the compiler that has no shader records; `None` if both have them. Slang's
/// WGSL for them is not valid: it declares a uniform buffer without a binding.
fn without_records(toolchain: &Toolchain) -> Option<String> {
    match toolchain.output {
        ShaderForm::Wgsl => Some("WGSL".to_owned()),
        _ if toolchain.has(Lack::ShaderRecords) => None,
        _ => Some(toolchain.column()?.compiler?.to_string()),
    }
}

/// Returns true if the type is or contains a vector of more than four components.
pub(super) fn holds_long_vector(ty: &Type) -> bool {
    match ty.dimensions().0 {
        Type::Struct(structure) => {
            let base = structure.base.iter().flat_map(|base| &base.members);
            structure.members.iter().chain(base).any(|member| holds_long_vector(&member.ty))
        }
        other => other.is_long_vector(),
    }
}

/// Returns true if the block is also declared in workgroup memory: in the core of the cases that our
/// own generator probes there, by the only compiler with a language for such blocks
/// (`GL_EXT_shared_memory_block`).
fn is_in_workgroup(asked: &CompileJob<'_>, settings: &Settings) -> bool {
    asked.toolchain.input == Input::Glsl
        && asked.toolchain.has(Lack::WorkgroupBlocks)
        && is_chosen(asked.subject, settings, AddressSpace::Workgroup)
        && !is_for_uniform(asked.subject.rules)
}

/// Returns true if the block is also declared in the descriptor heap: in the core of the cases that our own generator
/// probes there, by the compilers with a language for such blocks (`GL_EXT_descriptor_heap`).
fn is_in_heap(asked: &CompileJob<'_>, settings: &Settings) -> bool {
    asked.toolchain.input == Input::Glsl
        && asked.toolchain.has(Lack::DescriptorHeaps)
        && is_chosen(asked.subject, settings, heap_space(asked.subject.rules))
}

/// Returns the kind of buffer in the descriptor heap that a rule set is for.
fn heap_space(rules: &str) -> AddressSpace {
    if is_for_uniform(rules) { AddressSpace::HeapUniform } else { AddressSpace::HeapStorage }
}

/// Returns true if it is or holds a matrix of this order.
pub(super) fn has_matrix_of(laid_out: &LaidOut, wanted: MatrixOrder) -> bool {
    match &laid_out.shape {
        LaidOutShape::Matrix { order, .. } => *order == wanted,
        LaidOutShape::Array { element, .. } => has_matrix_of(element, wanted),
        LaidOutShape::Struct(members) => members.iter().any(|member| has_matrix_of(&member.layout, wanted)),
        _ => false,
    }
}

/// Returns true if a member is a bit-field.
fn has_bit_fields(laid_out: &LaidOut) -> bool {
    match &laid_out.shape {
        LaidOutShape::Struct(members) => {
            members.iter().any(|member| member.bits.is_some() || has_bit_fields(&member.layout))
        }
        LaidOutShape::Array { element, .. } => has_bit_fields(element),
        _ => false,
    }
}

/// Returns the reason why the device cannot use the block's code, as a sentence fragment.
fn not_for(asked: &CompileJob<'_>, layout: &BlockLayout) -> Option<String> {
    let CodeTarget::Direct3d { model, sixteen_bit } = asked.target else { return None };
    if holds_long_vector(&asked.declaration().element) {
        return Some(format!("long vectors begin with shader model 6.9, and probes for the device have {model}"));
    }
    if asked.toolchain.output == ShaderForm::Dxil && model.major < 6 {
        return Some(format!("DXIL begins with shader model 6.0, and the device has {model}"));
    }
    if sixteen_bit == SixteenBit::On || asked.toolchain.output != ShaderForm::Dxil {
        return None;
    }

    let has_narrow = layout.leaves().iter().any(|leaf| leaf.component.size == 2);
    let rules = find(asked.subject.rules)?;
    let without = lay_out(asked.declaration(), rules, asked.options());
    let reason = "the block has types of 16 bits, and the device has no native 16-bit operations";
    (has_narrow || without.result != layout.result).then(|| reason.to_owned())
}

/// Returns the reason why a block is kept from the compilers of a language: one of them ends without an
/// answer. The words name the version that was seen to.
pub(crate) fn ends_compiler(toolchain: &Toolchain, layout: &BlockLayout) -> Option<String> {
    let laid_out = layout.result.as_ref().ok()?;
    let is_constant =
        layout.kind != BlockKind::StructuredElement || matches!(toolchain.input, Input::Wgsl | Input::Spirv);
    let (found, words): (fn(&LaidOut) -> bool, &str) = match toolchain.input {
        Input::OldHlsl => (
            |part| {
                members(part).is_some_and(|all| all.iter().any(|it| matches!(innermost(it), LaidOutShape::Resource)))
            },
            "FXC 10.0.22621.2428 ends without an answer at a struct with textures in a constant buffer",
        ),
        Input::ClangHlsl => (
            |part| {
                let is_empty = |part: &LaidOut| members(part).is_some_and(<[_]>::is_empty);
                let mut inside = members(part).unwrap_or_default().iter().filter(|member| !member.is_base);
                let is_array = matches!(part.shape, LaidOutShape::Array { .. });
                (is_array && is_empty(part)) || inside.any(|member| is_empty(&member.layout))
            },
            "Clang 23.1.4 crashes on a struct without members, in a struct or an array in a constant buffer",
        ),
        Input::Wgsl | Input::Spirv if !toolchain.has(Lack::SingleStructsWithMatrices) => (
            |part| matches!(part.shape, LaidOutShape::Array { count: Count::Finite(1), .. }) && has_matrix(part),
            "DXC 1.7.2308 ends without an answer at the HLSL that naga writes for an array of one struct with a matrix",
        ),
        Input::Hlsl | Input::Slang | Input::Glsl | Input::Wgsl | Input::Spirv => return None,
    };
    let is_struct_of_block = !layout.kind.has_direct_members() && found(laid_out);
    let is_inside = |part: &LaidOut| any_member(part, &mut |member| found(member));
    (is_constant && (is_struct_of_block || is_inside(laid_out))).then(|| words.to_owned())
}

/// Returns true if the type without dimensions is a struct that contains a matrix.
fn has_matrix(part: &LaidOut) -> bool {
    any_member(part, &mut |member| matches!(innermost_of(member), LaidOutShape::Matrix { .. }))
}

/// Returns the members if the type without dimensions is a struct.
fn members(part: &LaidOut) -> Option<&[LaidOutMember]> {
    match innermost_of(part) {
        LaidOutShape::Struct(members) => Some(members),
        _ => None,
    }
}

fn innermost(member: &LaidOutMember) -> &LaidOutShape {
    innermost_of(&member.layout)
}

fn innermost_of(part: &LaidOut) -> &LaidOutShape {
    match &part.shape {
        LaidOutShape::Array { element, .. } => innermost_of(element),
        shape => shape,
    }
}

/// Returns true if `is_meant` holds for a member at any level.
fn any_member(part: &LaidOut, is_meant: &mut dyn FnMut(&LaidOut) -> bool) -> bool {
    let inside = members(part).unwrap_or_default();
    inside.iter().any(|member| is_meant(&member.layout) || any_member(&member.layout, is_meant))
}

/// Returns false where the compiler makes a bit cast of a whole base, or gives no answer: DXC before 1.9.2602.17.
fn loads_bases(toolchain: &Toolchain, block: &Block) -> bool {
    let has_base = matches!(block.element.dimensions().0, Type::Struct(structure) if structure.base.is_some());
    !has_base || toolchain.output != ShaderForm::Spirv || toolchain.has(Lack::UntypedBases)
}

/// Returns true if the leaf has a 16-bit type but takes 4 bytes.
fn takes_four_for_two(leaf: &Leaf) -> bool {
    let Component { scalar, size } = leaf.component;
    size != scalar.size(SixteenBit::On, size)
}

/// Keeps the leaves that a statement of the language can name.
fn nameable(plan: ProbePlan, input: Input) -> ProbePlan {
    match Dialect::of(input) {
        Some(dialect) => plan.without(|leaf| hlsl::obstacle(leaf, dialect)),
        None => plan,
    }
}

/// Returns the forms that the language has statements for.
fn forms(input: Input) -> &'static [Form] {
    match input {
        Input::Hlsl | Input::Slang => &[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed],
        // Without generics, no function accepts a value of any type. Clang 22 cannot copy a struct
        // out of a constant buffer.
        Input::OldHlsl | Input::ClangHlsl => &[Form::Leaf, Form::Vector, Form::Indexed],
        Input::Glsl => &[Form::Leaf],
        Input::Wgsl => &[Form::Leaf, Form::Vector, Form::Whole],
        Input::Spirv => &FORMS_OF_NAGA,
    }
}

/// Keeps the one entry point that reads every leaf by name.
pub(crate) fn readable(plan: ProbePlan, asked: &CompileJob<'_>) -> ProbePlan {
    let plan = nameable(plan, asked.toolchain.input);
    // Text in WGSL has no declarations of ours.
    let plan = match asked.subject.declaration(asked.block.view) {
        Some(declared) => visible(plan, declared),
        None => plan,
    };
    one_entry(plan.only(&[Form::Leaf].into()), Direction::Read)
}

/// Keeps the one entry point that reads, with the forms of the language.
fn reading(plan: ProbePlan, input: Input) -> ProbePlan {
    one_entry(plan.only(&forms(input).iter().copied().collect()), Direction::Read)
}

/// Adds the forms that copy to variables, where we can follow such code for the language and
/// output.
fn copying(mut plan: ProbePlan, toolchain: &Toolchain) -> ProbePlan {
    let forms: &[Form] = match (toolchain.input, toolchain.output) {
        (Input::Hlsl | Input::Slang, ShaderForm::Spirv) => &[Form::Private, Form::Workgroup],
        // The DXIL evaluator models only the memory of a single invocation.
        (Input::Hlsl | Input::Slang, ShaderForm::Dxil) => &[Form::Private],
        _ => &[],
    };
    for entry in &mut plan.entries {
        let is_possible = |form: &&Form| **form != Form::Workgroup || entry.stage.is_compute();
        entry.forms.extend(forms.iter().filter(is_possible));
    }
    plan
}

/// Returns true if the elements of an array are at multiples of this alignment.
fn has_elements_at(array: &BlockLayout, alignment: u32) -> bool {
    match array.result.as_ref().map(|array| &array.shape) {
        Ok(LaidOutShape::Array { stride, .. }) => stride.is_multiple_of(alignment),
        _ => false,
    }
}

/// Keeps the one entry point that writes every leaf by name.
fn writing(plan: ProbePlan) -> ProbePlan {
    one_entry(plan.only(&[Form::Leaf].into()), Direction::Write)
}

/// Keeps one entry point, since a compilation has just one.
fn one_entry(mut plan: ProbePlan, direction: Direction) -> ProbePlan {
    plan.entries.retain(|entry| entry.direction == direction);
    plan.entries.truncate(1);
    plan
}

/// Splits the plan into parts if a driver compiles the output.
fn parts(asked: &CompileJob<'_>, layout: &BlockLayout, plan: &ProbePlan) -> Vec<ProbePlan> {
    match (asked.toolchain.output, asked.target) {
        (ShaderForm::Dxil | ShaderForm::ClangIr, CodeTarget::Newest) => vec![plan.clone()],
        _ => {
            let forms = plan.entries.iter().map(costly_forms).max().unwrap_or(1).max(1);
            plan.clone().parts(layout, MOST_VALUES / forms)
        }
    }
}

/// Counts the forms of an entry that read the buffer. Reading a copy in a variable costs little.
fn costly_forms(entry: &ProbeEntry) -> usize {
    entry.forms.iter().filter(|form| !matches!(form, Form::Private | Form::Workgroup)).count()
}

/// Returns the address space in which the compiler puts a block; `None` for kinds that the language
/// cannot name.
pub(crate) fn space_of(block: &Block, output: ShaderForm) -> Option<AddressSpace> {
    let space = match (block.kind, output) {
        // In SPIR-V, only ray-tracing stages have shader records.
        (BlockKind::ShaderRecord, ShaderForm::Spirv) => AddressSpace::ShaderRecord,
        (BlockKind::EntryUniforms, ShaderForm::Spirv) if block.has_entry_record() => AddressSpace::ShaderRecord,

        // Clang gives tbuffers the type of constant buffers until its back end runs.
        (BlockKind::Tbuffer | BlockKind::TextureBuffer, ShaderForm::ClangIr | ShaderForm::Wgsl) => {
            AddressSpace::Uniform
        }
        (BlockKind::StructuredElement | BlockKind::StorageBlock | BlockKind::Tbuffer | BlockKind::TextureBuffer, _) => {
            AddressSpace::Storage
        }
        (BlockKind::PushConstant | BlockKind::EntryUniforms, ShaderForm::Spirv) => AddressSpace::PushConstant,
        (BlockKind::Pointee, ShaderForm::Spirv) => AddressSpace::Address,
        // FXC has none of these blocks.
        (BlockKind::PushConstant | BlockKind::EntryUniforms | BlockKind::ShaderRecord, ShaderForm::Dxbc)
        | (BlockKind::Pointee | BlockKind::Workgroup | BlockKind::StageData, _) => return None,
        (
            BlockKind::Cbuffer
            | BlockKind::ConstantBuffer
            | BlockKind::Globals
            | BlockKind::ParameterBlock
            | BlockKind::UniformBlock
            | BlockKind::PushConstant
            | BlockKind::EntryUniforms
            | BlockKind::ShaderRecord,
            _,
        ) => AddressSpace::Uniform,
    };
    Some(space)
}
