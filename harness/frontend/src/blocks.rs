//! Finds and names the [`Block`]s of bytes in the parameters and entry points of a module.
//!
//! A buffer of any kind is a block, wherever it is declared: as a parameter, in a struct
//! (`s.buffer`), in a parameter block (`p.inner`). All loose globals form the block `$Globals`, and
//! the uniform parameters of an entry point form `$Entry.NAME`. The second block with a name is
//! called `NAME#2`.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use layoutproof_layout::resource::{Resource, ResourceKind};
use layoutproof_layout::shape::{Count, Member, PointerPromise, StructType, Type};
use layoutproof_layout::{
    Annotations, Argument, Block, BlockKind, MixedGlobals, Pointer, PointerPlace, Reach, Span, StageData, ViewId,
};

use super::elaborate::{ElaboratedModule, LONGEST_LISTING, TypeMeasures, are_push_constants};
use crate::module::{EntryParameter, EntryPoint, MemoryView, Parameter, ParameterKind, ViewKind};
use layoutproof_preprocess::problems::ProblemList;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Maximum number of blocks. Each struct that contains another one twice doubles its blocks; no
/// real shader has this many.
const MOST_BLOCKS: usize = 1 << 12;

/// The hit attributes that a driver fills.
const BUILT_IN_ATTRIBUTES: &str = "BuiltInTriangleIntersectionAttributes";

/// Fills `module.blocks`.
pub(super) fn derive(elaborated: &mut ElaboratedModule) {
    let ElaboratedModule { module, globals, globals_at, pointees, members_point, views_are_blocks, measures, problems } =
        elaborated;
    let mut blocks = BlockFinder { found: Vec::new(), steps: 0, listed: 0, globals, pointees, measures, problems };

    for (index, parameter) in module.parameters.iter().enumerate() {
        if index == *globals_at {
            blocks.globals();
        }
        blocks.parameter(parameter);
    }
    for (index, entry) in module.entry_points.iter().enumerate().filter(|(_, entry)| entry.generics.is_empty()) {
        blocks.entry_point(index, entry);
    }

    if *members_point {
        blocks.member_pointees();
    }

    let mut views: Vec<MemoryView> = module.entry_points.iter().flat_map(stage_data).collect();
    views.append(&mut module.views);
    for view in views {
        let is_stage = matches!(view.kind, ViewKind::Stage(_));
        let is_same =
            |known: &MemoryView| is_stage && (known.kind, &known.name, &known.ty) == (view.kind, &view.name, &view.ty);
        if !module.views.iter().any(is_same) {
            module.views.push(view);
        }
    }
    if *views_are_blocks {
        module.views.retain(|view| !blocks.view(view));
    } else {
        // No probe could read it: it never leaves a workgroup.
        module.views.retain(|view| view.kind != ViewKind::Stage(StageData::WorkgroupMemory));
    }

    module.blocks = blocks.found;
    // The other pointees are blocks.
    let has_block = |view: &MemoryView| {
        let mut pointees = module.blocks.iter().filter(|block| block.kind == BlockKind::Pointee);
        pointees.any(|block| matches!(&block.element, Type::Struct(structure) if structure.name == view.name))
    };
    module.views.retain(|view| view.kind != ViewKind::Pointer || !has_block(view));
    number(&mut module.blocks);
}

/// The surroundings of a type that may contain blocks.
#[derive(Clone, Copy, Debug)]
struct BlockHolder<'m> {
    name: &'m str,
    annotations: &'m Annotations,
    span: Span,
    /// See [`Block::entry_point`].
    entry_point: Option<usize>,
    /// Product of the enclosing array lengths.
    count: Count,
    /// See [`Block::mixed_globals`].
    mixed: Option<MixedGlobals>,
}

#[derive(Debug)]
struct BlockFinder<'m> {
    found: Vec<Block>,
    /// Number of members visited.
    steps: usize,
    /// Size of the listing of all blocks so far, in bytes.
    listed: u64,
    globals: &'m [Member],
    pointees: &'m BTreeMap<String, Type>,
    measures: &'m TypeMeasures,
    problems: &'m mut ProblemList,
}

impl BlockFinder<'_> {
    /// Adds `$Globals`. If some globals are push constants, adds it twice: with them and without.
    fn globals(&mut self) {
        let (pushed, others): (Vec<Member>, Vec<Member>) =
            self.globals.iter().cloned().partition(|member| member.annotations.is_push_constant());
        let all = self.globals.to_vec();
        if pushed.is_empty() {
            return self.globals_block(all, None);
        }
        self.globals_block(all, Some(MixedGlobals::WithPushConstants));
        self.globals_block(others, Some(MixedGlobals::WithoutPushConstants));
    }

    /// For a push constant that DXC puts in `$Globals`, returns the kind of its block.
    fn push_constant_among_globals(&self, name: &str) -> Option<MixedGlobals> {
        let at = self.globals.iter().position(|member| member.name == name)?;
        let is_first = are_push_constants(&self.globals[..at]);
        Some(if is_first { MixedGlobals::FirstPushConstant } else { MixedGlobals::LaterPushConstant })
    }

    fn globals_block(&mut self, members: Vec<Member>, mixed: Option<MixedGlobals>) {
        let Some(span) = members.first().map(|member| member.span) else { return };
        let element = structure("$Globals", members, span);
        let annotations = Annotations::default();
        let holder = BlockHolder::new("$Globals", &annotations, span);
        self.push(BlockKind::Globals, element, BlockHolder { mixed, ..holder });
    }

    fn parameter(&mut self, parameter: &Parameter) {
        let Parameter { name, kind: declared, ty, annotations, span } = parameter;
        let holder = BlockHolder::new(name, annotations, *span);
        let is_push_constant = annotations.is_push_constant();
        let is_shader_record = is_shader_record(annotations);
        let kind = match declared {
            ParameterKind::Cbuffer if is_shader_record => Some(BlockKind::ShaderRecord),
            ParameterKind::Cbuffer | ParameterKind::Global if is_push_constant => Some(BlockKind::PushConstant),
            ParameterKind::Cbuffer => Some(BlockKind::Cbuffer),
            ParameterKind::Tbuffer => Some(BlockKind::Tbuffer),
            ParameterKind::Global | ParameterKind::Variable => None,
        };

        if let Some(kind) = kind {
            let (mixed, before) = (self.push_constant_among_globals(name), self.found.len());
            self.push(kind, ty.clone(), BlockHolder { mixed, ..holder });
            if let Some(block) = self.found.get_mut(before) {
                block.has_global_members = matches!(declared, ParameterKind::Cbuffer | ParameterKind::Tbuffer);
            }
        }
        self.inside(ty, holder);
        self.pointee(ty, holder);
    }

    fn entry_point(&mut self, index: usize, entry: &EntryPoint) {
        let entry_point = Some(index);
        let has_data = |parameter: &&EntryParameter| self.measures.of(&parameter.ty).data;
        let uniforms = entry.parameters.iter().filter(|parameter| parameter.is_uniform()).filter(has_data);
        let members: Vec<Member> = uniforms.map(member).collect();
        if !members.is_empty() {
            let name = entry.uniform_block();
            let element = structure(&name, members, entry.span);
            let holder = BlockHolder::new(&name, &entry.annotations, entry.span);
            self.push(BlockKind::EntryUniforms, element, BlockHolder { entry_point, ..holder });
        }

        for parameter in &entry.parameters {
            let holder = BlockHolder::new(&parameter.name, &parameter.annotations, parameter.span);
            let holder = BlockHolder { entry_point, ..holder };
            self.inside(&parameter.ty, holder);
            if parameter.is_uniform() {
                self.pointee(&parameter.ty, holder);
            }
        }
    }

    fn pointee(&mut self, ty: &Type, holder: BlockHolder<'_>) {
        let (innermost, counts) = ty.dimensions();
        if let Type::Pointer { pointee, promise } = innermost {
            if let Some(element) = self.pointees.get(pointee) {
                let place = PointerPlace::Parameter { name: holder.name.to_owned() };
                self.push_pointee(element.clone(), *promise, place, holder.times(&counts));
            }
        }
    }

    /// Adds the blocks that members of blocks point to, including members of the added blocks; each type once with each
    /// data layout.
    fn member_pointees(&mut self) {
        let known = self.found.iter().filter(|block| block.kind == BlockKind::Pointee);
        let mut seen: HashSet<_> = known.map(|block| (block.element.to_string(), block.data_layout)).collect();
        let mut at = 0;
        while let Some(Block { view, name, element, entry_point, annotations, span, .. }) = self.found.get(at).cloned()
        {
            for FoundPointer { suffix, path, pointee, promise } in pointers(&element) {
                let is_new = seen.insert((pointee.to_owned(), promise.data_layout));
                if let Some(element) = self.pointees.get(pointee).filter(|_| is_new) {
                    let name = format!("{name}{suffix}");
                    let holder = BlockHolder { entry_point, ..BlockHolder::new(&name, &annotations, span) };
                    let place = PointerPlace::Member { holder: view, path };
                    self.push_pointee(element.clone(), promise, place, holder);
                }
            }
            at += 1;
        }
    }

    /// Adds the blocks in `ty`: the type itself if it is a buffer, buffers among its members, and buffers in those.
    fn inside(&mut self, ty: &Type, holder: BlockHolder<'_>) {
        let (innermost, counts) = ty.dimensions();
        let holder = holder.times(&counts);
        match innermost {
            Type::Resource(resource) => self.resource(resource, holder),
            Type::Struct(ty) => self.members(ty, holder, !counts.is_empty()),
            _ => {}
        }
    }

    fn members(&mut self, ty: &Arc<StructType>, holder: BlockHolder<'_>, in_array: bool) {
        if let Some(base) = &ty.base {
            self.members(base, holder, in_array);
        }
        let brackets = if in_array { "[]" } else { "" };

        for member in &ty.members {
            if !self.measures.of(&member.ty).resources {
                continue;
            }
            self.steps += 1;
            if self.steps > MOST_BLOCKS {
                return self.too_many(holder.span);
            }
            let name = format!("{}{brackets}.{}", holder.name, member.name);
            let inner = BlockHolder { name: &name, annotations: &member.annotations, span: member.span, ..holder };
            self.inside(&member.ty, inner);
        }
    }

    fn resource(&mut self, resource: &Resource, holder: BlockHolder<'_>) {
        let Some(element) = &resource.element else { return };
        let kind = match resource.kind {
            ResourceKind::ConstantBuffer if holder.annotations.is_push_constant() => BlockKind::PushConstant,
            ResourceKind::ConstantBuffer if is_shader_record(holder.annotations) => BlockKind::ShaderRecord,
            ResourceKind::ConstantBuffer => BlockKind::ConstantBuffer,
            ResourceKind::TextureBuffer => BlockKind::TextureBuffer,
            ResourceKind::ParameterBlock => BlockKind::ParameterBlock,
            ResourceKind::StructuredBuffer(_) => BlockKind::StructuredElement,
            _ => return,
        };

        self.push(kind, (**element).clone(), holder);
        if let Some(block) = self.found.last_mut() {
            block.data_layout = resource.data_layout;
            block.access = match resource.kind {
                ResourceKind::StructuredBuffer(access) => Some(access),
                _ => None,
            };
        }
        self.inside(element, holder);
    }

    fn heap_buffer(&mut self, resource: &Resource, holder: BlockHolder<'_>) {
        let before = self.found.len();
        self.resource(resource, holder);
        self.found[before..].iter_mut().for_each(|block| block.reach = Reach::DescriptorHeap);
    }

    fn push_stage_data(&mut self, data: StageData, element: Type, holder: BlockHolder<'_>) {
        let before = self.found.len();
        let kind = if data == StageData::WorkgroupMemory { BlockKind::Workgroup } else { BlockKind::StageData };
        self.push(kind, element, holder);
        self.found[before..].iter_mut().for_each(|block| block.reach = Reach::Stage(data));
    }

    /// Drops the blocks from `before` on whose memory an earlier block is already. Returns whether there were any.
    fn keep_new(&mut self, before: usize) -> bool {
        let added = self.found.split_off(before);
        let is_found = !added.is_empty();
        for block in added {
            match self.found.iter_mut().find(|known| is_same_memory(known, &block)) {
                Some(known) if matches!(block.reach, Reach::RawAccess { at_constant: true }) => {
                    known.reach = block.reach;
                }
                Some(_) => {}
                None => self.found.push(Block { view: view_id(self.found.len()), ..block }),
            }
        }
        is_found
    }

    /// Adds the block of a view, unless there is one of its type. False if the view has no layout: its type is not known, or
    /// it is no struct.
    fn view(&mut self, view: &MemoryView) -> bool {
        let Some(ty) = &view.ty else { return false };
        let annotations = Annotations::default();
        let name = view.variable.as_deref().unwrap_or(&view.name);
        let (innermost, counts) = ty.dimensions();
        let holder = BlockHolder::new(name, &annotations, view.span).times(&counts);
        let before = self.found.len();
        let in_heap = match innermost {
            Type::Resource(resource) => Some(resource),
            Type::Handle { resource } => Some(&**resource),
            _ => None,
        };
        let has_layout = |resource: &Resource| match resource.kind {
            ResourceKind::ConstantBuffer
            | ResourceKind::TextureBuffer
            | ResourceKind::ParameterBlock
            | ResourceKind::StructuredBuffer(_) => resource.element.is_some(),
            _ => false,
        };
        if view.kind == ViewKind::DescriptorHeap && in_heap.is_some_and(|resource| !has_layout(resource)) {
            // A texture, a sampler or a buffer of bytes.
            return true;
        }
        match (view.kind, innermost) {
            (ViewKind::DescriptorHeap, Type::Resource(resource)) => self.heap_buffer(resource, holder),
            // `StructuredBuffer<Item>.Handle`
            (ViewKind::DescriptorHeap, Type::Handle { resource }) => self.heap_buffer(resource, holder),
            // Nothing is between the components.
            (ViewKind::RawAccess { .. }, Type::Vector { .. } | Type::Scalar(_)) if counts.is_empty() => return true,
            (ViewKind::RawAccess { at_constant }, Type::Struct(_) | Type::Vector { .. } | Type::Scalar(_)) => {
                self.push(BlockKind::StructuredElement, ty.clone(), holder);
                self.found[before..].iter_mut().for_each(|block| block.reach = Reach::RawAccess { at_constant });
            }
            // The text of a pointer's type names what it points to.
            (ViewKind::Pointer, Type::Struct(_))
                if self.found.iter().any(|known| known.kind == BlockKind::Pointee && known.element == *ty) =>
            {
                return true;
            }
            (ViewKind::Pointer, Type::Struct(_)) => {
                self.push_pointee(ty.clone(), PointerPromise::default(), PointerPlace::Code, holder);
            }
            // Without members there is nothing to lay out.
            (ViewKind::Stage(StageData::WorkgroupMemory), ty) if !matches!(ty, Type::Struct(_)) => return true,
            (ViewKind::Stage(data), Type::Struct(_) | Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. }) => {
                self.push_stage_data(data, innermost.clone(), holder);
            }
            (ViewKind::DescriptorHeap | ViewKind::RawAccess { .. } | ViewKind::Pointer | ViewKind::Stage(_), _) => {
                return false;
            }
        }
        self.keep_new(before)
    }

    fn push_pointee(&mut self, element: Type, promise: PointerPromise, place: PointerPlace, holder: BlockHolder<'_>) {
        let before = self.found.len();
        self.push(BlockKind::Pointee, element, holder);
        if let Some(block) = self.found.get_mut(before) {
            let PointerPromise { data_layout, is_read_only, alignment, is_buffer_pointer } = promise;
            block.data_layout = data_layout;
            block.reach = Reach::Pointer(Pointer { place, alignment, is_read_only, is_buffer_pointer });
        }
    }

    fn push(&mut self, kind: BlockKind, element: Type, holder: BlockHolder<'_>) {
        if self.found.len() >= MOST_BLOCKS {
            return self.too_many(holder.span);
        }
        let BlockHolder { name, annotations, span, entry_point, count, mixed } = holder;
        let listed = self.listed.saturating_add(self.measures.of(&element).listed());
        self.listed = listed.saturating_add(u64::try_from(name.len()).unwrap_or(u64::MAX));
        if self.listed > LONGEST_LISTING {
            let message = format!("the members of all blocks take more than {LONGEST_LISTING} bytes to list");
            return self.problems.report(Diagnostic::error(Code::TooLarge, span, message));
        }
        let (name, annotations) = (name.to_owned(), annotations.clone());
        self.found.push(Block {
            view: view_id(self.found.len()),
            declared_name: name.clone(),
            name,
            kind,
            element,
            count,
            access: None,
            data_layout: None,
            entry_point,
            reach: Reach::Parameter,
            has_global_members: false,
            mixed_globals: mixed,
            annotations,
            span,
        });
    }

    fn too_many(&mut self, span: Span) {
        let message = format!("more than {MOST_BLOCKS} blocks or members with resources");
        self.problems.report(Diagnostic::error(Code::TooLarge, span, message));
    }
}

impl<'m> BlockHolder<'m> {
    fn new(name: &'m str, annotations: &'m Annotations, span: Span) -> Self {
        Self { name, annotations, span, entry_point: None, count: Count::Finite(1), mixed: None }
    }

    /// Multiplies the count by the array lengths. A product beyond 2^32 saturates; a later check
    /// refuses such a block as too large.
    fn times(self, counts: &[Count]) -> Self {
        Self { count: counts.iter().copied().fold(self.count, Count::times), ..self }
    }
}

/// A pointer in a block's type.
struct FoundPointer<'t> {
    /// What its pointee's name has after the block's name: `.inner.lights[]`.
    suffix: String,
    /// The names of the members on the way to it.
    path: Vec<String>,
    pointee: &'t str,
    promise: PointerPromise,
}

/// Returns the pointers in `ty`, in order.
fn pointers(ty: &Type) -> Vec<FoundPointer<'_>> {
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), Vec::new(), ty)];
    while let Some((suffix, path, ty)) = waiting.pop() {
        let (innermost, counts) = ty.dimensions();
        let suffix = format!("{suffix}{}", "[]".repeat(counts.len()));
        match innermost {
            Type::Pointer { pointee, promise } => {
                found.push(FoundPointer { suffix, path, pointee, promise: *promise });
            }
            Type::Struct(structure) => {
                // In reverse order, because the stack pops the last one first.
                waiting.extend(structure.members.iter().rev().map(|member| {
                    let path = path.iter().chain([&member.name]).cloned().collect();
                    (format!("{suffix}.{}", member.name), path, &member.ty)
                }));
            }
            _ => {}
        }
    }
    found
}

/// The identity of the block after `found` others.
fn view_id(found: usize) -> ViewId {
    ViewId(u32::try_from(found).expect("the number of blocks is limited"))
}

/// The parameters of an entry point that another stage fills.
fn stage_data(entry: &EntryPoint) -> Vec<MemoryView> {
    let stage = entry.annotations.attribute(None, "shader").and_then(|attribute| attribute.arguments.first());
    let stage = match stage {
        Some(Argument::Text(stage)) => stage.as_str(),
        _ => "",
    };
    let mut found = Vec::new();
    for (index, parameter) in entry.parameters.iter().enumerate() {
        let is_payload = parameter.annotations.modifiers.iter().any(|modifier| modifier == "payload");
        let data = match (stage, index) {
            ("closesthit" | "anyhit" | "miss", 0) => StageData::RayPayload,
            ("closesthit" | "anyhit", 1) => StageData::HitAttributes,
            ("callable", 0) => StageData::CallableData,
            _ if is_payload => StageData::MeshPayload,
            _ => continue,
        };
        let name = match &parameter.ty {
            Type::Struct(structure) if structure.name == BUILT_IN_ATTRIBUTES => continue,
            Type::Struct(structure) => structure.name.clone(),
            // Slang's stages can pass numbers as well.
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => parameter.name.clone(),
            _ => continue,
        };
        if !parameter.is_uniform() {
            let (kind, ty) = (ViewKind::Stage(data), Some(parameter.ty.clone()));
            found.push(MemoryView { kind, name, ty, variable: None, span: parameter.span });
        }
    }
    found
}

/// True if one answer holds for both blocks: the pointees of a type have one layout wherever the pointers are, and a heap has
/// a buffer of a type under one name.
fn is_same_memory(one: &Block, other: &Block) -> bool {
    let is_pointee = one.kind == BlockKind::Pointee;
    let is_raw = |block: &Block| matches!(block.reach, Reach::RawAccess { .. });
    let is_same_reach = one.reach == other.reach || is_raw(one) && is_raw(other);
    let is_same_reach = is_pointee || is_same_reach && one.name == other.name;
    one.kind == other.kind && is_same_reach && one.data_layout == other.data_layout && one.element == other.element
}

fn is_shader_record(annotations: &Annotations) -> bool {
    annotations.is_slang_shader_record() || annotations.is_dxc_shader_record()
}

fn structure(name: &str, members: Vec<Member>, span: Span) -> Type {
    Type::Struct(Arc::new(StructType { name: name.to_owned(), base: None, members, span, is_open: false }))
}

fn member(parameter: &EntryParameter) -> Member {
    let EntryParameter { name, ty, annotations, span, .. } = parameter.clone();
    Member { name, ty, bit_width: None, annotations, span }
}

fn number(blocks: &mut [Block]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for block in blocks {
        let times = seen.entry(block.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            block.name = format!("{}#{times}", block.declared_name);
        }
    }
}
