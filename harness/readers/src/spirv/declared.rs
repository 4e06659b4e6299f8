//! Lists the blocks of a module with the layout of its decorations: the rule set `declared`.
//!
//! Matrices are listed in SPIR-V's own orientation. DXC writes HLSL's `column_major float2x3` as a
//! `RowMajor` matrix of 2 columns of 3 components, so its modules list `float3x2`, order row, with
//! the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::alignment::MAX_BYTES;
use layoutproof_layout::scalar::{Scalar, SixteenBit};
use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::{
    BlockKind, BlockLayout, Component, ComponentReads, DECLARED, Extent, LaidOut, LaidOutMember, LaidOutShape,
    LayoutWarning, LayoutWarningKind, NO_OFFSETS, Reach, Refusals, UNSIZED_ELEMENTS, ViewId,
};
use rspirv::dr::Module;
use rspirv::spirv::{MemoryAccess, Op, StorageClass, Word};
use serde::{Deserialize, Serialize};

use super::BadModule;
use super::accesses::alignments::{SmallStep, small_steps};
use super::component_reads::component_reads;
use super::declarations::{Declarations, HeapAccess};
use super::decorations::Decorations;
use super::load::instruction_starts;
use super::of_dxc::ModuleSource;
use super::stage_memory::{bytes_of_values, captures, in_stages};
use super::types::{MatrixLayout, SpirvMember, SpirvType, SpirvTypes, SpirvVariable};
use super::varyings::{DeclaredVarying, clashes, varyings};
use layoutproof_layout::listing::{LISTED_BYTES, ListingBudget, array_name, member_path};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeclaredBlock {
    /// Its layout under the rule set `declared`. Alignments are those of the largest scalar: SPIR-V
    /// declares none.
    pub layout: BlockLayout,
    /// Descriptor set; `None` for blocks without a descriptor: push constants, workgroup memory, and
    /// blocks behind pointers.
    pub set: Option<u32>,
    /// `None` for blocks without a descriptor.
    pub binding: Option<u32>,
    /// The arrays in it whose length a pipeline may change; the layout has their default lengths.
    pub specialized: Vec<SpecializedLength>,
}

/// An array whose length depends on specialization constants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecializedLength {
    /// Path of the array in the block; empty for an array of blocks.
    pub path: String,
    /// The `SpecId`s of the constants.
    pub constants: BTreeSet<u32>,
    /// Its length if a pipeline sets none of them.
    pub length: u32,
    /// True if the length is computed from the constants.
    pub is_computed: bool,
}

/// The blocks of a module, with warnings about other content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeclaredModule {
    /// In declaration order.
    pub blocks: Vec<DeclaredBlock>,
    /// The variables with a binding, in declaration order.
    pub variables: Vec<DeclaredVariable>,
    pub source: ModuleSource,
    pub uniforms: Vec<DeclaredUniform>,
    pub varyings: Vec<DeclaredVarying>,
    /// Sentences about inputs and outputs that share a location.
    pub clashes: Vec<String>,
    /// Sentences about unknown words that may declare blocks, which are not listed then.
    pub warnings: Vec<String>,
    /// What the code reads of members.
    pub reads: ComponentReads,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeclaredVariable {
    /// The name of its block, or its `OpName`; empty if it has none.
    pub name: String,
    /// 0 if the module declares none, as for OpenGL.
    pub set: u32,
    pub binding: u32,
    pub count: Count,
    /// `None` for textures, samplers and the like.
    pub kind: Option<BlockKind>,
    /// `None` if OpenGL binds no such variable.
    pub class: Option<OpenGlClass>,
}

/// The class of OpenGL whose binding points a variable takes.
///
/// Source: OpenGL 4.6 (Core Profile), 7.6.2, 7.7, 7.8 and 7.11; GLSL 4.60, 4.4.5 and 4.4.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpenGlClass {
    UniformBlock,
    StorageBlock,
    Texture,
    Image,
    /// With the bytes before it in the buffer at its binding.
    AtomicCounter {
        offset: u32,
    },
}

/// A uniform outside of blocks, which only OpenGL has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredUniform {
    pub name: String,
    pub location: u32,
    /// One for each element of an array, and each member of a struct.
    pub locations: u32,
}

/// Reads the blocks of a module in declaration order. A block whose members lack Offset or strides
/// is listed with the reasons in its layout's `result`.
///
/// # Errors
/// If the words are not a SPIR-V module, or its blocks take more than 16 MiB to list.
pub fn declared(words: &[u32]) -> Result<Vec<DeclaredBlock>, BadModule> {
    DeclaredModule::read(words).map(|module| module.blocks)
}

impl DeclaredModule {
    /// Reads a module as [`declared`] does.
    pub fn read(words: &[u32]) -> Result<Self, BadModule> {
        let declarations = Declarations::read(words)?;
        let types = SpirvTypes::read(&declarations.module)?;
        let steps = small_steps(words, &types)?;
        let blocks = blocks(&declarations, &types, &steps)?;
        let variables = variables(&declarations, &types, &blocks);
        let heap = &declarations.heap_accesses;
        let is_open = heap.iter().any(|access| !access.is_passed_on && heap_block(&types, *access).is_none());
        let mut warnings = declarations.warnings.clone();
        if is_open {
            warnings
                .push("the content of a buffer in a descriptor heap is not listed: its type is no block".to_owned());
        }
        warnings.extend(small_alignments(words, &types)?);
        let uniforms = uniforms(&declarations.module, &types);
        let varyings = varyings(&declarations, &types);
        let clashes = clashes(&varyings);
        let (source, reads) = (ModuleSource::of_module(words), component_reads(words, &types)?);
        Ok(Self { blocks, variables, source, uniforms, varyings, clashes, warnings, reads })
    }
}

/// Sentences about accesses of memory behind addresses that promise less alignment than their largest scalar has, as with
/// `buffer_reference_align = 2` for a `uint`: such modules are invalid.
///
/// Functions may have instructions that are not known here, so this looks at words, and follows only pointers that access
/// chains and loads make.
fn small_alignments(words: &[u32], types: &SpirvTypes) -> Result<BTreeSet<String>, BadModule> {
    let mut found = BTreeSet::new();
    let mut pointer_types: BTreeMap<Word, Word> = BTreeMap::new();
    let mut sizes = BTreeMap::new();
    for start in instruction_starts(words)? {
        let instruction = &words[start..];
        let (length, opcode) = ((instruction[0] >> 16) as usize, Op::from_u32(instruction[0] & 0xFFFF));
        let operands = instruction.get(1..length).unwrap_or_default();
        let (pointee, access) = match (opcode, operands) {
            (Some(Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::Load), [ty, result, ..]) => {
                pointer_types.insert(*result, *ty);
                match (opcode, operands) {
                    (Some(Op::Load), [ty, _, _, access @ ..]) => (Some(*ty), access),
                    _ => continue,
                }
            }
            (Some(Op::Store), [pointer, _, access @ ..]) => {
                let ty = pointer_types.get(pointer).map(|ty| types.get(*ty));
                let pointee = ty.and_then(|ty| match ty {
                    SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, pointee, .. } => Some(*pointee),
                    _ => None,
                });
                (pointee, access)
            }
            _ => continue,
        };
        let ([mask, alignment, ..], Some(pointee)) = (access, pointee) else { continue };
        let is_aligned = MemoryAccess::from_bits(*mask).is_some_and(|access| access.contains(MemoryAccess::ALIGNED));
        let size = largest_scalar(types, pointee, &mut sizes);
        if is_aligned && *alignment < size {
            found.insert(format!(
                "an address promises an alignment of {alignment} for a scalar of {size} bytes, which Vulkan forbids \
                 (VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314): raise `buffer_reference_align`"
            ));
        }
    }
    Ok(found)
}

/// The bytes of the largest scalar in a type. `known` has those of types that were visited, which keeps this linear.
fn largest_scalar(types: &SpirvTypes, ty: Word, known: &mut BTreeMap<Word, u32>) -> u32 {
    if let Some(size) = known.get(&ty) {
        return *size;
    }
    known.insert(ty, 0);
    let size = match types.get(ty) {
        SpirvType::Int { bits, .. } | SpirvType::Float { bits } => bits / 8,
        SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, .. } => 8,
        SpirvType::Vector { component: inner, .. }
        | SpirvType::Matrix { column: inner, .. }
        | SpirvType::Array { element: inner, .. }
        | SpirvType::RuntimeArray { element: inner, .. } => largest_scalar(types, *inner, known),
        SpirvType::Struct(members) => {
            members.iter().map(|member| largest_scalar(types, member.ty, known)).max().unwrap_or(0)
        }
        SpirvType::Void
        | SpirvType::Bool
        | SpirvType::Pointer { .. }
        | SpirvType::UntypedPointer { .. }
        | SpirvType::Other => 0,
    };
    known.insert(ty, size);
    size
}

/// The variables with a binding. `blocks` are those of the module.
fn variables(declarations: &Declarations, types: &SpirvTypes, blocks: &[DeclaredBlock]) -> Vec<DeclaredVariable> {
    let mut blocks = blocks.iter();
    let bound = in_order(&declarations.module, types).filter_map(|variable| {
        let block = place(types, variable).and_then(|_| blocks.next());
        let (mut element, mut count) = (variable.pointee, Count::Finite(1));
        loop {
            (element, count) = match types.get(element) {
                SpirvType::Array { element, length, .. } => (*element, count.times(Count::Finite(*length))),
                SpirvType::RuntimeArray { element, .. } => (*element, Count::Unbounded),
                _ => break,
            };
        }
        Some(DeclaredVariable {
            name: block.map_or_else(|| variable.name.clone().unwrap_or_default(), |block| block.layout.name.clone()),
            set: variable.set.unwrap_or(0),
            binding: variable.binding?,
            count,
            kind: block.map(|block| block.layout.kind),
            class: opengl_class(declarations, variable, element, block),
        })
    });
    bound.collect()
}

fn opengl_class(
    declarations: &Declarations,
    variable: &SpirvVariable,
    element: Word,
    block: Option<&DeclaredBlock>,
) -> Option<OpenGlClass> {
    match (block.map(|block| block.layout.kind), variable.class) {
        (Some(BlockKind::UniformBlock), _) => Some(OpenGlClass::UniformBlock),
        (Some(BlockKind::StorageBlock), _) => Some(OpenGlClass::StorageBlock),
        (None, StorageClass::AtomicCounter) => {
            Some(OpenGlClass::AtomicCounter { offset: variable.offset.unwrap_or(0) })
        }
        (None, StorageClass::UniformConstant) => declarations.images.get(&element).map(|is_storage| match is_storage {
            true => OpenGlClass::Image,
            false => OpenGlClass::Texture,
        }),
        _ => None,
    }
}

fn uniforms(module: &Module, types: &SpirvTypes) -> Vec<DeclaredUniform> {
    let mut known = BTreeMap::new();
    let mut uniforms = Vec::new();
    for variable in in_order(module, types).filter(|variable| variable.class == StorageClass::UniformConstant) {
        let locations = locations(types, variable.pointee, &mut known);
        if let (Some(locations), Some(location), Some(name)) = (locations, variable.location, variable.name.clone()) {
            uniforms.push(DeclaredUniform { name, location, locations });
        }
    }
    uniforms
}

/// The locations of a uniform's type; `None` for samplers and images, which have bindings. `known` keeps this linear.
fn locations(types: &SpirvTypes, ty: Word, known: &mut BTreeMap<Word, Option<u32>>) -> Option<u32> {
    if let Some(locations) = known.get(&ty) {
        return *locations;
    }
    known.insert(ty, None);
    let locations = match types.get(ty) {
        SpirvType::Bool
        | SpirvType::Int { .. }
        | SpirvType::Float { .. }
        | SpirvType::Vector { .. }
        | SpirvType::Matrix { .. } => Some(1),
        SpirvType::Array { element, length, .. } => {
            locations(types, *element, known).map(|locations| locations.saturating_mul(*length))
        }
        SpirvType::Struct(members) => members.iter().try_fold(0_u32, |sum, member| {
            locations(types, member.ty, known).map(|locations| sum.saturating_add(locations))
        }),
        SpirvType::RuntimeArray { .. }
        | SpirvType::Void
        | SpirvType::Pointer { .. }
        | SpirvType::UntypedPointer { .. }
        | SpirvType::Other => None,
    };
    known.insert(ty, locations);
    locations
}

fn blocks(
    declarations: &Declarations,
    types: &SpirvTypes,
    steps: &BTreeMap<Word, SmallStep>,
) -> Result<Vec<DeclaredBlock>, BadModule> {
    let module = &declarations.module;
    let mut blocks = Vec::new();
    let mut named: BTreeMap<String, u32> = BTreeMap::new();
    let mut reader = DeclaredReader {
        types,
        declarations,
        steps,
        warnings: Vec::new(),
        refusals: Refusals::default(),
        specialized: Vec::new(),
        budget: ListingBudget::default(),
    };

    let variables = in_order(module, types).map(|variable| (variable.clone(), place(types, variable)));
    let bound = variables.filter_map(|(variable, place)| Some((variable, place?)));
    let decorations = Decorations::read(module);
    let others = behind_pointers(declarations, types).chain(in_heaps(declarations, types));
    let others = others.chain(in_stages(module, types, &decorations));
    let read = bound.chain(others).map(|(variable, place)| reader.block(&variable, &place));
    let mut listed: Vec<Option<DeclaredBlock>> = read.collect();
    listed.extend(captures(&decorations, &mut reader));
    for block in listed {
        let Some(mut block) = block else {
            return Err(BadModule::new(0, format!("its blocks take more than {LISTED_BYTES} bytes to list")));
        };

        // Names of blocks are unique: the second block with the same name is `S#2`.
        let same = named.entry(block.layout.name.clone()).or_default();
        *same += 1;
        if *same > 1 {
            block.layout.name = format!("{}#{same}", block.layout.name);
        }
        blocks.push(block);
    }
    Ok(blocks)
}

/// The variables of a module in declaration order.
pub(super) fn in_order<'a>(module: &'a Module, types: &'a SpirvTypes) -> impl Iterator<Item = &'a SpirvVariable> {
    let ids = module.types_global_values.iter().filter_map(|instruction| instruction.result_id);
    ids.filter_map(|id| types.variables.get(&id))
}

pub(super) struct VariableBlock {
    pub(super) element: Word,
    pub(super) count: Count,
    pub(super) kind: BlockKind,
    pub(super) reach: Reach,
}

impl VariableBlock {
    /// A block of memory that no variable holds, with a variable that the module does not have, so that it is listed like
    /// the others.
    fn without_variable(class: StorageClass, element: Word, kind: BlockKind, reach: Reach) -> (SpirvVariable, Self) {
        let variable = SpirvVariable {
            location: None,
            offset: None,
            class,
            pointee: element,
            set: None,
            binding: None,
            name: None,
            builtin: None,
            initializer: None,
        };
        (variable, Self { element, count: Count::Finite(1), kind, reach })
    }
}

fn place(types: &SpirvTypes, variable: &SpirvVariable) -> Option<VariableBlock> {
    let (element, count) = element(types, variable.pointee);
    let kind = match variable.class {
        StorageClass::Uniform if types.blocks.contains(&element) => BlockKind::UniformBlock,
        StorageClass::Uniform if types.buffer_blocks.contains(&element) => BlockKind::StorageBlock,
        StorageClass::StorageBuffer if types.blocks.contains(&element) => BlockKind::StorageBlock,
        StorageClass::PushConstant if types.blocks.contains(&element) => BlockKind::PushConstant,
        StorageClass::Workgroup if types.blocks.contains(&element) => BlockKind::Workgroup,
        StorageClass::ShaderRecordBufferKHR if types.blocks.contains(&element) => BlockKind::ShaderRecord,
        _ => return None,
    };
    Some(VariableBlock { element, count, kind, reach: Reach::Parameter })
}

/// The type in the arrays of a type, and how many of it they hold. GLSL has arrays of arrays of blocks.
pub(super) fn element(types: &SpirvTypes, ty: Word) -> (Word, Count) {
    let (mut element, mut count) = (ty, Count::Finite(1));
    loop {
        (element, count) = match (types.get(element), count) {
            (SpirvType::Array { element, length, .. }, Count::Finite(count)) => {
                (*element, Count::Finite(count.saturating_mul(*length)))
            }
            (SpirvType::Array { element, .. } | SpirvType::RuntimeArray { element, .. }, _) => {
                (*element, Count::Unbounded)
            }
            _ => return (element, count),
        };
    }
}

/// The blocks that are reachable only through pointers, in the order of the pointers: those of `GL_EXT_buffer_reference`, and
/// the structs to which members, or numbers that functions convert, point. slangc decorates no pointee as a block.
fn behind_pointers<'a>(
    declarations: &'a Declarations,
    types: &'a SpirvTypes,
) -> impl Iterator<Item = (SpirvVariable, VariableBlock)> + 'a {
    let mut seen = BTreeSet::new();
    let ids = || declarations.module.types_global_values.iter().filter_map(|instruction| instruction.result_id);
    let members = ids().flat_map(|id| match types.get(id) {
        SpirvType::Struct(members) => members.iter().map(|member| element(types, member.ty).0).collect(),
        _ => Vec::new(),
    });
    let stored: BTreeSet<Word> = members.chain(declarations.made_pointers.iter().copied()).collect();
    ids().filter_map(move |id| match types.get(id) {
        SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, pointee, .. } => {
            let is_struct = matches!(types.get(*pointee), SpirvType::Struct(_));
            let is_block = types.blocks.contains(pointee) || (is_struct && stored.contains(&id));
            (is_block && seen.insert(*pointee)).then(|| {
                VariableBlock::without_variable(
                    StorageClass::PhysicalStorageBuffer,
                    *pointee,
                    BlockKind::StorageBlock,
                    Reach::Parameter,
                )
            })
        }
        _ => None,
    })
}

/// The blocks that code reaches through descriptor heaps (`SPV_EXT_descriptor_heap`), each type once.
fn in_heaps<'a>(
    declarations: &'a Declarations,
    types: &'a SpirvTypes,
) -> impl Iterator<Item = (SpirvVariable, VariableBlock)> + 'a {
    let mut seen = BTreeSet::new();
    let blocks = declarations.heap_accesses.iter().filter_map(|access| heap_block(types, *access));
    blocks.filter(move |(_, block)| seen.insert((block.element, block.kind.as_str())))
}

/// The block of an access; `None` if no type of the access is a block.
fn heap_block(types: &SpirvTypes, access: HeapAccess) -> Option<(SpirvVariable, VariableBlock)> {
    let (class, content) = match (types.get(access.pointer), access.content) {
        (SpirvType::Pointer { class, pointee, .. }, None) => (*class, *pointee),
        (SpirvType::UntypedPointer { class }, Some(content)) => (*class, content),
        _ => return None,
    };
    let kind = match class {
        StorageClass::Uniform => BlockKind::UniformBlock,
        StorageClass::StorageBuffer => BlockKind::StorageBlock,
        _ => return None,
    };
    let block = || VariableBlock::without_variable(class, content, kind, Reach::DescriptorHeap);
    types.blocks.contains(&content).then(block)
}

/// One past the last byte that a view of the layout may show. For an unsized array only the first
/// elements count.
fn end(laid_out: &LaidOut) -> u64 {
    match &laid_out.shape {
        LaidOutShape::Array { element, count, stride } => {
            let count = match count {
                Count::Finite(count) => *count,
                Count::Unbounded => UNSIZED_ELEMENTS,
            };
            let last = u64::from(*stride) * u64::from(count.saturating_sub(1));
            last.saturating_add(end(element))
        }
        LaidOutShape::Struct(members) => {
            let ends = members.iter().map(|member| u64::from(member.offset).saturating_add(end(&member.layout)));
            ends.max().unwrap_or(0)
        }
        _ => laid_out.size.finite().unwrap_or(0).into(),
    }
}

/// The struct inside a wrapper block of a compiler: a block with one member at byte 0 and without a
/// name. naga writes these.
fn unwrapped(types: &SpirvTypes, block: Word) -> Word {
    match types.get(block) {
        SpirvType::Struct(members) => match &members[..] {
            [SpirvMember { ty, name: None, offset: Some(0), .. }] => match types.get(*ty) {
                SpirvType::Struct(_) => *ty,
                _ => block,
            },
            _ => block,
        },
        _ => block,
    }
}

pub(super) struct DeclaredReader<'a> {
    pub(super) types: &'a SpirvTypes,
    declarations: &'a Declarations,
    steps: &'a BTreeMap<Word, SmallStep>,
    /// Warnings about the current block.
    warnings: Vec<LayoutWarning>,
    /// Refusals of the current block.
    refusals: Refusals,
    /// Arrays of the current block with a changeable length.
    specialized: Vec<SpecializedLength>,
    budget: ListingBudget,
}

impl DeclaredReader<'_> {
    /// Pays for the listing of a text; `None` if too few bytes are left.
    pub(super) fn spend(&mut self, text: &str) -> Option<()> {
        self.budget.spend(text.len())
    }

    /// The reasons that were found since the last block.
    pub(super) fn take_refusals(&mut self) -> Refusals {
        std::mem::take(&mut self.refusals)
    }

    /// The block of a variable; `None`, here and below, if too few bytes are left.
    fn block(&mut self, variable: &SpirvVariable, place: &VariableBlock) -> Option<DeclaredBlock> {
        let VariableBlock { element, count, kind, ref reach } = *place;
        let type_name = || self.types.names.get(&element).filter(|name| !name.is_empty());
        let name = variable.name.as_ref().or_else(type_name).map_or(kind.as_str(), |name| name).to_owned();
        self.budget.spend(name.len())?;
        if let SpirvType::Array { length, .. } = self.types.get(variable.pointee) {
            self.note_length(variable.pointee, *length, "")?;
        }

        if let Some(SmallStep { promised, step }) = self.steps.get(&element) {
            let message = format!(
                "an access promises an alignment of {promised} bytes, and its address moves by {step} bytes from one \
                 invocation or iteration to the next: lower `buffer_reference_align` to {step}, or raise the step"
            );
            let kind = LayoutWarningKind::BrokenAlignment;
            self.warnings.push(LayoutWarning { path: String::new(), kind, message });
        }
        let laid_out = self.lay_out(unwrapped(self.types, element), None, "")?;
        if end(&laid_out) > u64::from(MAX_BYTES) {
            self.refuse("", format!("it ends beyond {MAX_BYTES} bytes"));
        }

        let mut refusals = std::mem::take(&mut self.refusals);
        let has_offsets = refusals.is_empty() && matches!(laid_out.shape, LaidOutShape::Struct(_));
        if matches!(reach, Reach::Stage(_)) && !has_offsets {
            let types = match &laid_out.shape {
                LaidOutShape::Struct(members) => members.iter().map(|member| &*member.layout.type_name).collect(),
                _ => Vec::new(),
            };
            let types = if types.is_empty() { String::new() } else { format!(" ({})", types.join(", ")) };
            self.budget.spend(types.len())?;
            let bytes = bytes_of_values(self.types, element);
            refusals = Refusals::default();
            refusals.push(
                "",
                match bytes {
                    Some(bytes) => format!("{NO_OFFSETS}; {bytes} bytes of values{types}"),
                    None => format!("{NO_OFFSETS}{types}"),
                },
            );
        }
        let result = if refusals.is_empty() { Ok(laid_out) } else { Err(refusals.into_vec()) };
        let (rules, warnings) = (DECLARED.into(), std::mem::take(&mut self.warnings));
        let layout = BlockLayout {
            view: ViewId::default(),
            rules,
            name,
            kind,
            reach: reach.clone(),
            has_global_members: false,
            count,
            result,
            stride: None,
            warnings,
        };
        let specialized = std::mem::take(&mut self.specialized);
        Some(DeclaredBlock { layout, set: variable.set, binding: variable.binding, specialized })
    }

    /// Notes that a pipeline may change the length of an array, if it can.
    fn note_length(&mut self, array: Word, length: u32, path: &str) -> Option<()> {
        if let Some(constant) = self.types.specialized_length(array) {
            self.budget.spend(path.len())?;
            self.specialized.push(SpecializedLength {
                path: path.to_owned(),
                constants: constant.by.clone(),
                length,
                is_computed: constant.is_computed,
            });
        }
        Some(())
    }

    /// Warns about unknown decorations on a member or type, because they may affect its place.
    fn note_unknown_decorations(&mut self, decorated: (Word, Option<u32>), path: &str) -> Option<()> {
        let Some(numbers) = self.declarations.unknown_decorations.get(&decorated) else { return Some(()) };
        self.budget.spend(path.len())?;
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        let plural = if numbers.len() == 1 { "" } else { "s" };
        let message = format!(
            "has the unknown decoration{plural} {}: the layout follows Offset, ArrayStride and MatrixStride",
            numbers.join(", ")
        );
        let warning = LayoutWarning { path: path.to_owned(), kind: LayoutWarningKind::UnknownDecoration, message };
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
        Some(())
    }

    fn refuse(&mut self, path: &str, message: impl Into<String>) {
        self.refusals.push(path, message);
    }

    /// The layout of a type whose matrices are placed as in `matrix`.
    fn lay_out(&mut self, id: Word, matrix: Option<MatrixLayout>, path: &str) -> Option<LaidOut> {
        self.budget.spend(path.len())?;
        self.note_unknown_decorations((id, None), path)?;
        let laid_out = match self.types.get(id).clone() {
            SpirvType::Int { .. } | SpirvType::Float { .. } => {
                let component = self.component(id, path);
                scalar(component, component.scalar.spelling().into(), LaidOutShape::Scalar(component))
            }
            SpirvType::Vector { component, length } => {
                let component = self.component(component, path);
                let name = format!("{}{length}", component.scalar.spelling());
                let shape = LaidOutShape::Vector { component, length };
                sized(component.size.saturating_mul(length), scalar(component, name, shape))
            }
            SpirvType::Matrix { column, columns } => self.matrix(column, columns, matrix, path),
            SpirvType::Array { element, length, stride } => {
                self.note_length(id, length, path)?;
                let element = self.lay_out(element, matrix, &format!("{path}[]"))?;
                self.array(element, Count::Finite(length), stride, path)
            }
            SpirvType::RuntimeArray { element, stride } => {
                let element = self.lay_out(element, matrix, &format!("{path}[]"))?;
                self.array(element, Count::Unbounded, stride, path)
            }
            SpirvType::Struct(members) => self.structure(id, &members, path)?,
            SpirvType::Pointer { .. } | SpirvType::UntypedPointer { .. } => LaidOut {
                type_name: "pointer".into(),
                size: Extent::Finite(8),
                alignment: 8,
                shape: LaidOutShape::Pointer { pointee: None },
            },
            SpirvType::Void | SpirvType::Bool | SpirvType::Other => {
                let unread = self.declarations.unread.get(&id).cloned();
                self.refuse(path, unread.unwrap_or_else(|| "a type that has no bytes in a block".to_owned()));
                let type_name = if *self.types.get(id) == SpirvType::Bool { "bool" } else { "" };
                LaidOut {
                    type_name: type_name.to_owned(),
                    size: Extent::Finite(0),
                    alignment: 1,
                    shape: LaidOutShape::Resource,
                }
            }
        };
        self.budget.spend(laid_out.type_name.len())?;
        Some(laid_out)
    }

    pub(super) fn component(&mut self, id: Word, path: &str) -> Component {
        let scalar = match *self.types.get(id) {
            SpirvType::Int { bits: 8, signed } => Some(if signed { Scalar::Int8 } else { Scalar::Uint8 }),
            SpirvType::Int { bits: 16, signed } => Some(if signed { Scalar::Int16 } else { Scalar::Uint16 }),
            SpirvType::Int { bits: 32, signed } => Some(if signed { Scalar::Int32 } else { Scalar::Uint32 }),
            SpirvType::Int { bits: 64, signed } => Some(if signed { Scalar::Int64 } else { Scalar::Uint64 }),
            SpirvType::Float { bits: 16 } => Some(Scalar::Float16),
            SpirvType::Float { bits: 32 } => Some(Scalar::Float32),
            SpirvType::Float { bits: 64 } => Some(Scalar::Float64),
            _ => None,
        };

        let scalar = scalar.unwrap_or_else(|| {
            let unread = self.declarations.unread.get(&id).map(|what| format!("a component is {what}"));
            let reason = unread.unwrap_or_else(|| "a component of a type that has no bytes in a block".to_owned());
            self.refuse(path, reason);
            Scalar::Uint32
        });
        Component { scalar, size: scalar.size(SixteenBit::On, 4) }
    }

    fn matrix(&mut self, column: Word, columns: u32, matrix: Option<MatrixLayout>, path: &str) -> LaidOut {
        let (component, rows) = if let SpirvType::Vector { component, length } = *self.types.get(column) {
            (self.component(component, path), length)
        } else {
            self.refuse(path, "a matrix whose columns are not vectors");
            (Component { scalar: Scalar::Float32, size: 4 }, 1)
        };

        if matrix.is_none() {
            self.refuse(path, "no MatrixStride");
        }

        let MatrixLayout { stride, row_major } = matrix.unwrap_or(MatrixLayout { stride: 0, row_major: false });
        let (order, vectors, length) =
            if row_major { (MatrixOrder::Row, rows, columns) } else { (MatrixOrder::Column, columns, rows) };

        let before_last = stride.saturating_mul(vectors.saturating_sub(1));
        let size = before_last.saturating_add(component.size.saturating_mul(length));
        let shape = LaidOutShape::Matrix { component, rows, columns, order, stride };
        sized(size, scalar(component, format!("{}{rows}x{columns}", component.scalar.spelling()), shape))
    }

    fn array(&mut self, element: LaidOut, count: Count, stride: Option<u32>, path: &str) -> LaidOut {
        if stride.is_none() {
            self.refuse(path, "no ArrayStride");
        }

        let stride = stride.unwrap_or(0);
        let size = match (count, element.size) {
            (Count::Finite(0), _) => Extent::Finite(0),
            (Count::Finite(count), Extent::Finite(size)) => {
                Extent::Finite(stride.saturating_mul(count - 1).saturating_add(size))
            }
            (Count::Unbounded, _) | (_, Extent::Unbounded) => Extent::Unbounded,
        };
        let type_name = array_name(&element.type_name, count);
        let alignment = element.alignment;
        LaidOut { type_name, size, alignment, shape: LaidOutShape::Array { element: Box::new(element), count, stride } }
    }

    fn structure(&mut self, id: Word, members: &[SpirvMember], path: &str) -> Option<LaidOut> {
        let mut laid_out = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let name = member.name.clone().unwrap_or_else(|| format!("_{index}"));
            let path = member_path(path, &name);
            self.note_unknown_decorations((id, u32::try_from(index).ok()), &path)?;
            let layout = self.lay_out(member.ty, member.matrix, &path)?;
            if member.offset.is_none() {
                self.refuse(&path, "no Offset");
            }
            let offset = member.offset.unwrap_or(0);
            laid_out.push(LaidOutMember { name, is_base: false, offset, bits: None, layout });
        }

        let end = |member: &LaidOutMember| member.layout.size.finite().map(|size| member.offset.saturating_add(size));
        let size = laid_out.iter().map(end).try_fold(0, |size: u32, end| end.map(|end| size.max(end)));
        Some(LaidOut {
            type_name: self.types.names.get(&id).filter(|name| !name.is_empty()).map_or("struct", |name| name).into(),
            size: size.map_or(Extent::Unbounded, Extent::Finite),
            alignment: laid_out.iter().map(|member| member.layout.alignment).max().unwrap_or(1),
            shape: LaidOutShape::Struct(laid_out),
        })
    }
}

pub(super) fn scalar(component: Component, type_name: String, shape: LaidOutShape) -> LaidOut {
    LaidOut { type_name, size: Extent::Finite(component.size), alignment: component.size, shape }
}

pub(super) fn sized(size: u32, laid_out: LaidOut) -> LaidOut {
    LaidOut { size: Extent::Finite(size), ..laid_out }
}

/// The place of a variable in code that a compiler made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundVariable {
    /// Its name in WGSL, or its `OpName`; empty if it has none.
    pub name: String,
    /// WGSL calls it the group.
    pub set: u32,
    pub binding: u32,
}

/// The variables that have both a `DescriptorSet` and a `Binding`, in declaration order.
pub fn bound_variables(words: &[u32]) -> Result<Vec<BoundVariable>, BadModule> {
    let module = Declarations::read(words)?.module;
    let types = SpirvTypes::read(&module)?;
    let bound = in_order(&module, &types).filter_map(|variable| {
        let (set, binding) = variable.set.zip(variable.binding)?;
        Some(BoundVariable { name: variable.name.clone().unwrap_or_default(), set, binding })
    });
    Ok(bound.collect())
}
