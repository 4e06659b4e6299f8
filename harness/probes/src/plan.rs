//! Chooses the leaves of a block to probe, and the entry points that access them.
//!
//! A leaf is probed if valid SPIR-V can hold it; the others are listed with the reason. The caller
//! handles devices' features and largest ranges: it passes the allowed spaces, and [`needs`]
//! returns the feature that a leaf's type needs.

use std::collections::BTreeSet;

use layoutproof_device::{Feature, JobAddress, RecordStage};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Count;
use layoutproof_layout::tree::LeafStep;
use layoutproof_layout::{BlockKind, BlockLayout, Component, Extent, LaidOut, LaidOutMember, LaidOutShape, Leaf};

use super::complete::{has_all_parts, member_path};
use super::{NotProbed, ProbeEntry, ProbePlan, tail};
use crate::image::occupied;
use crate::{AddressSpace, Direction, Form, Stage};

/// Blocks with more bytes than this are not moved as a whole, since a driver turns such a move into
/// a load and a store for every leaf.
const WHOLE_BYTES: u64 = 1 << 16;

/// Larger blocks are not put into workgroup memory. Vulkan guarantees 16 KiB of it, and a device
/// may align it freely.
const WORKGROUP_BYTES: u64 = 1 << 12;

/// Larger blocks are not probed in a shader record. Vulkan guarantees records of 4 KiB
/// (`maxShaderGroupStride`), which start with a group handle and end with our guards.
const RECORD_BYTES: u64 = (1 << 12) - 256;

/// Larger blocks are not probed in the descriptor set: the least that Vulkan guarantees (`maxInlineUniformBlockSize`).
const INLINE_BYTES: u64 = 256;

/// Bytes of the values that name a place. Larger leaves consist of several such values.
const WORD: u32 = 4;

/// Plans the probes of `leaves`, which are leaves of `layout`, in the usual stage of each allowed
/// space.
///
/// If some elements of an array are not among the leaves, the probes never build a whole value of
/// the type that contains the array.
///
/// A block with an unsized array is never probed in uniform buffers, push constants or shader
/// records, and never as a whole. A block that the rule set forbids has an empty plan.
pub fn plan(layout: &BlockLayout, leaves: &[Leaf], spaces: &BTreeSet<AddressSpace>) -> ProbePlan {
    plan_in(layout, leaves, &spaces.iter().map(|space| (*space, space.usual_stage())).collect())
}

/// Plans like [`plan`], in the allowed spaces and stages. Not every space has probes in every
/// stage.
pub fn plan_in(layout: &BlockLayout, leaves: &[Leaf], places: &BTreeSet<(AddressSpace, Stage)>) -> ProbePlan {
    // The leaves of a member are adjacent, so they share the result for the member.
    let mut last: Option<(Vec<u32>, Option<String>)> = None;
    let reason_to_skip = |root: &LaidOut, leaf: &Leaf| {
        let Component { size, .. } = leaf.component;
        let misaligned = !leaf.offset.is_multiple_of(size);
        let reason = misaligned.then(|| format!("byte {} is no multiple of {size}", leaf.offset));
        let path = member_path(leaf);
        let overlapped = match &last {
            Some((known, found)) if *known == path => found.clone(),
            Some(_) | None => {
                let found = overlapped(root, &leaf.steps);
                last = Some((path, found.clone()));
                found
            }
        };
        unreadable(root, leaf).or(reason).or(overlapped)
    };
    build_plan(layout, leaves, places, reason_to_skip)
}

/// Plans like [`plan_in`], for a compiler that gets names and decides itself whether its modules
/// can hold a leaf.
pub fn plan_by_name(layout: &BlockLayout, leaves: &[Leaf], places: &BTreeSet<(AddressSpace, Stage)>) -> ProbePlan {
    build_plan(layout, leaves, places, unreadable)
}

fn build_plan(
    layout: &BlockLayout,
    leaves: &[Leaf],
    places: &BTreeSet<(AddressSpace, Stage)>,
    mut reason_to_skip: impl FnMut(&LaidOut, &Leaf) -> Option<String>,
) -> ProbePlan {
    let mut plan = ProbePlan { leaves: Vec::new(), not_probed: Vec::new(), entries: Vec::new() };
    let Ok(laid_out) = &layout.result else { return plan };

    for leaf in leaves {
        match reason_to_skip(laid_out, leaf) {
            None => plan.leaves.push(leaf.clone()),
            Some(reason) => plan.not_probed.push(NotProbed { leaf: leaf.clone(), reason }),
        }
    }

    plan.entries = entries(places, laid_out);
    plan.without_missing_parts(laid_out)
}

/// Describes the forms of access that a plan of these leaves of `layout` leaves out, with the
/// reason; `None` if it has all forms.
pub fn forms_left_out(layout: &BlockLayout, leaves: &[Leaf]) -> Option<String> {
    let laid_out = layout.result.as_ref().ok()?;
    if laid_out.size == Extent::Unbounded {
        // No language has a value of such a type.
        return None;
    }
    if occupied(laid_out) > WHOLE_BYTES {
        return Some(format!("the block as a whole and lanes, of blocks beyond {WHOLE_BYTES} bytes"));
    }
    (!has_all_parts(laid_out, leaves))
        .then(|| "copies and writes of the whole block, which is not probed in full".into())
}

/// Returns a structured buffer of `layout`'s elements, or the memory behind a pointer to them (`p[1]`),
/// where element 1 reveals the stride. `None` for blocks without a stride, and if elements overlap (with
/// `vk::offset` a stride can be shorter than an element), which SPIR-V does not support.
///
/// Its leaves are those of elements 0 and 1, with `[1].a` at the stride plus the offset of `a`.
pub fn elements(layout: &BlockLayout) -> Option<BlockLayout> {
    let stride = layout.stride.or_else(|| layout.pointer_stride())?;
    let element = layout.result.as_ref().ok()?;
    if element.data_end() > stride.into() {
        return None;
    }
    let array = LaidOut {
        type_name: format!("{}[]", element.type_name),
        size: Extent::Unbounded,
        alignment: element.alignment,
        shape: LaidOutShape::Array { element: Box::new(element.clone()), count: Count::Unbounded, stride },
    };
    Some(BlockLayout { result: Ok(array), stride: None, ..layout.clone() })
}

/// Returns true for the array that [`elements`] makes.
pub fn is_array_of_elements(layout: &BlockLayout) -> bool {
    let has_elements = matches!(layout.kind, BlockKind::StructuredElement | BlockKind::Pointee);
    let is_open = |laid_out: &LaidOut| matches!(laid_out.shape, LaidOutShape::Array { count: Count::Unbounded, .. });
    has_elements && layout.stride.is_none() && layout.result.as_ref().is_ok_and(is_open)
}

/// A pointer in an element that points to such elements, as in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfLink {
    /// Name of the member.
    pub member: String,
    /// Its bytes in the first element.
    pub offset: u32,
    /// The first byte of the second element, to which it points in a probe.
    pub target: u32,
}

/// Returns the first member of the elements that [`elements`] makes which points to such an element, and in
/// which a job can have an address.
pub fn self_link(layout: &BlockLayout) -> Option<SelfLink> {
    layout.result.as_ref().ok().filter(|_| is_array_of_elements(layout)).and_then(link_in)
}

fn link_in(array: &LaidOut) -> Option<SelfLink> {
    let LaidOutShape::Array { element, count: Count::Unbounded, stride } = &array.shape else { return None };
    let LaidOutShape::Struct(members) = &element.shape else { return None };
    let is_link = |member: &&LaidOutMember| {
        let LaidOutShape::Pointer { pointee: Some(pointee) } = &member.layout.shape else { return false };
        let is_aligned = member.offset.is_multiple_of(JobAddress::BYTES);
        *pointee == element.type_name && member.layout.size == Extent::Finite(JobAddress::BYTES) && is_aligned
    };
    let member = members.iter().find(is_link)?;
    Some(SelfLink { member: member.name.clone(), offset: member.offset, target: *stride })
}

/// Returns the arithmetic feature that a device needs for values of a type; 32-bit numbers and
/// bools need none.
pub fn needs(component: Component) -> Option<Feature> {
    match (component.size, component.scalar.is_float()) {
        (1, _) => Some(Feature::Int8),
        (2, true) => Some(Feature::Float16),
        (2, false) => Some(Feature::Int16),
        (8, true) => Some(Feature::Float64),
        (8, false) => Some(Feature::Int64),
        (_, _) => None,
    }
}

/// A row of [`ENTRIES`]: an entry point with all of its possible forms. A plan keeps the forms that
/// fit its block.
struct EntryRow {
    name: &'static str,
    space: AddressSpace,
    stage: Stage,
    direction: Direction,
    forms: &'static [Form],
}

const fn row(
    name: &'static str,
    space: AddressSpace,
    stage: Stage,
    direction: Direction,
    forms: &'static [Form],
) -> EntryRow {
    EntryRow { name, space, stage, direction, forms }
}

/// All entry points. Each one costs a pipeline, and each form a load and a store per leaf. Forms
/// that use the same hardware path in every space are therefore listed for one space only.
///
/// Copies do not: NVIDIA's driver 580.159.04 reads zeros from local arrays of one element that are
/// filled from a uniform buffer or from push constants, but not from a storage buffer.
const ENTRIES: [EntryRow; 66] = {
    use AddressSpace::{
        Address, HeapStorage, HeapUniform, InlineUniform, PushConstant, ShaderRecord, Storage, StorageElement, Uniform,
        UniformElement, Workgroup,
    };
    use Direction::{Read, Write};
    use RecordStage::{AnyHit, Callable, ClosestHit, Intersection, Miss};
    use Stage::{Compute, Fragment, RayGeneration, Record, Vertex};
    const LEAF: &[Form] = &[Form::Leaf];
    const IN_BUFFERS: &[Form] = &[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed];
    const IN_UNIFORM: &[Form] = &[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed, Form::Parameter];
    const IN_PUSH: &[Form] = &[Form::Leaf, Form::Vector, Form::Whole];
    const COPIES: &[Form] = &[Form::Private, Form::Function];
    const UNTYPED: &[Form] = &[Form::Untyped, Form::UntypedVector, Form::UntypedWhole];
    const RETYPED: &[Form] = &[Form::Retyped];
    [
        row("read_uniform", Uniform, Compute, Read, IN_UNIFORM),
        row("read_uniform_divergent", Uniform, Compute, Read, &[Form::Divergent]),
        row("read_uniform_copied", Uniform, Compute, Read, &[Form::Copied]),
        row("read_uniform_private", Uniform, Compute, Read, COPIES),
        row("read_storage", Storage, Compute, Read, IN_BUFFERS),
        row("read_storage_divergent", Storage, Compute, Read, &[Form::Divergent]),
        row("read_storage_private", Storage, Compute, Read, COPIES),
        row("read_storage_workgroup", Storage, Compute, Read, &[Form::Workgroup]),
        row("read_storage_sized", Storage, Compute, Read, &[Form::Sized]),
        row("read_storage_length", Storage, Compute, Read, &[Form::Length]),
        row("write_storage_leaf", Storage, Compute, Write, LEAF),
        row("write_storage_vector", Storage, Compute, Write, &[Form::Vector]),
        row("write_storage_whole", Storage, Compute, Write, &[Form::Whole]),
        row("write_storage_indexed", Storage, Compute, Write, &[Form::Indexed]),
        row("write_storage_copied", Storage, Compute, Write, &[Form::Copied]),
        row("read_push", PushConstant, Compute, Read, IN_PUSH),
        row("read_push_indexed", PushConstant, Compute, Read, &[Form::Indexed]),
        row("read_push_private", PushConstant, Compute, Read, COPIES),
        row("read_uniform_element", UniformElement, Compute, Read, LEAF),
        row("read_storage_element", StorageElement, Compute, Read, LEAF),
        row("write_storage_element", StorageElement, Compute, Write, LEAF),
        row("read_address", Address, Compute, Read, IN_BUFFERS),
        row("read_address_linked", Address, Compute, Read, &[Form::Linked]),
        row("read_address_private", Address, Compute, Read, COPIES),
        row("write_address", Address, Compute, Write, LEAF),
        row("read_address_record", Address, RayGeneration, Read, LEAF),
        row("write_address_record", Address, RayGeneration, Write, LEAF),
        row("read_workgroup", Workgroup, Compute, Read, IN_BUFFERS),
        row("write_workgroup_leaf", Workgroup, Compute, Write, LEAF),
        row("write_workgroup_vector", Workgroup, Compute, Write, &[Form::Vector]),
        row("write_workgroup_whole", Workgroup, Compute, Write, &[Form::Whole]),
        row("read_uniform_vertex", Uniform, Vertex, Read, LEAF),
        row("read_storage_vertex", Storage, Vertex, Read, LEAF),
        row("write_storage_vertex", Storage, Vertex, Write, LEAF),
        row("read_uniform_fragment", Uniform, Fragment, Read, LEAF),
        row("read_storage_fragment", Storage, Fragment, Read, LEAF),
        row("write_storage_fragment", Storage, Fragment, Write, LEAF),
        row("read_record", ShaderRecord, RayGeneration, Read, IN_BUFFERS),
        row("read_record_private", ShaderRecord, RayGeneration, Read, COPIES),
        row("read_record_callable", ShaderRecord, Record(Callable), Read, LEAF),
        row("read_uniform_untyped", Uniform, Compute, Read, UNTYPED),
        row("read_uniform_retyped", Uniform, Compute, Read, RETYPED),
        row("read_storage_untyped", Storage, Compute, Read, UNTYPED),
        row("read_storage_retyped", Storage, Compute, Read, RETYPED),
        row("read_storage_untyped_length", Storage, Compute, Read, &[Form::UntypedLength]),
        row("write_storage_untyped", Storage, Compute, Write, &[Form::Untyped]),
        row("write_storage_untyped_vector", Storage, Compute, Write, &[Form::UntypedVector]),
        row("write_storage_untyped_whole", Storage, Compute, Write, &[Form::UntypedWhole]),
        row("write_storage_retyped", Storage, Compute, Write, RETYPED),
        row("read_push_untyped", PushConstant, Compute, Read, UNTYPED),
        row("read_push_retyped", PushConstant, Compute, Read, RETYPED),
        // spirv-val 2026.4 takes a pointer that is loaded for a variable pointer, and rejects loads of
        // matrices within structs through it.
        row("read_address_untyped", Address, Compute, Read, &[Form::Untyped, Form::UntypedVector]),
        row("read_address_retyped", Address, Compute, Read, RETYPED),
        row("write_address_untyped", Address, Compute, Write, &[Form::Untyped]),
        row("write_address_retyped", Address, Compute, Write, RETYPED),
        row("read_workgroup_untyped", Workgroup, Compute, Read, UNTYPED),
        row("read_workgroup_retyped", Workgroup, Compute, Read, RETYPED),
        row("write_workgroup_retyped", Workgroup, Compute, Write, RETYPED),
        row("read_record_miss", ShaderRecord, Record(Miss), Read, LEAF),
        row("read_record_closesthit", ShaderRecord, Record(ClosestHit), Read, LEAF),
        row("read_record_anyhit", ShaderRecord, Record(AnyHit), Read, LEAF),
        row("read_record_intersection", ShaderRecord, Record(Intersection), Read, LEAF),
        row("read_inline_uniform", InlineUniform, Compute, Read, &[Form::Leaf, Form::Vector, Form::Whole]),
        row("read_heap_uniform", HeapUniform, Compute, Read, IN_BUFFERS),
        row("read_heap_storage", HeapStorage, Compute, Read, IN_BUFFERS),
        row("write_heap_storage", HeapStorage, Compute, Write, LEAF),
    ]
};

/// Returns the most bytes of a block that probes put into a space where every device has that much;
/// `None` for spaces that have no such limit, or whose limit a device reports.
fn most_bytes(space: AddressSpace) -> Option<u64> {
    match space {
        AddressSpace::Workgroup => Some(WORKGROUP_BYTES),
        AddressSpace::ShaderRecord => Some(RECORD_BYTES),
        AddressSpace::InlineUniform => Some(INLINE_BYTES),
        AddressSpace::Uniform
        | AddressSpace::UniformElement
        | AddressSpace::Storage
        | AddressSpace::StorageElement
        | AddressSpace::HeapUniform
        | AddressSpace::HeapStorage
        | AddressSpace::PushConstant
        | AddressSpace::Address => None,
    }
}

/// A space that is too small for the probes of a block. Numbers are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSmall {
    pub space: AddressSpace,
    pub has: u64,
    pub needed: u64,
}

/// Lists those of the spaces that are too small for the probes of a block.
pub fn too_small(layout: &BlockLayout, places: &BTreeSet<(AddressSpace, Stage)>) -> Vec<TooSmall> {
    let Some(block) = layout.result.as_ref().ok().filter(|block| block.size != Extent::Unbounded) else {
        return Vec::new();
    };
    let needed = occupied(block);
    let spaces: BTreeSet<AddressSpace> = places.iter().map(|(space, _)| *space).collect();
    let limited = spaces.into_iter().filter_map(|space| Some((space, most_bytes(space)?)));
    limited.filter(|(_, has)| needed > *has).map(|(space, has)| TooSmall { space, has, needed }).collect()
}

fn entries(places: &BTreeSet<(AddressSpace, Stage)>, block: &LaidOut) -> Vec<ProbeEntry> {
    let unbounded = block.size == Extent::Unbounded;
    let large = occupied(block) > WHOLE_BYTES;
    let is_open_inside = has_open_struct(block);
    let holds = |space: AddressSpace| match space {
        AddressSpace::Uniform
        | AddressSpace::UniformElement
        | AddressSpace::HeapUniform
        | AddressSpace::PushConstant => !unbounded,
        AddressSpace::Storage | AddressSpace::StorageElement | AddressSpace::Address => true,
        AddressSpace::HeapStorage => !is_open_inside,
        AddressSpace::ShaderRecord | AddressSpace::Workgroup | AddressSpace::InlineUniform => {
            !unbounded && most_bytes(space).is_none_or(|most| occupied(block) <= most)
        }
    };
    let fits = |form: &Form| match form {
        Form::Whole
        | Form::Parameter
        | Form::Copied
        | Form::ByteAddress
        | Form::Private
        | Form::Function
        | Form::UntypedWhole => !unbounded && !large,
        Form::Untyped | Form::UntypedVector | Form::UntypedLength if is_open_inside => false,
        Form::Workgroup | Form::Sized => !unbounded && occupied(block) <= WORKGROUP_BYTES,
        Form::Divergent | Form::Retyped => !large,
        Form::Length | Form::UntypedLength => tail(block).is_some(),
        Form::Linked => link_in(block).is_some(),
        Form::Leaf | Form::Vector | Form::Indexed | Form::Untyped | Form::UntypedVector => true,
    };

    let here = ENTRIES.iter().filter(|row| places.contains(&(row.space, row.stage)) && holds(row.space));
    let entries = here.map(|row| ProbeEntry {
        name: row.name.to_owned(),
        space: row.space,
        stage: row.stage,
        direction: row.direction,
        forms: row.forms.iter().copied().filter(fits).collect(),
    });
    entries.collect()
}

/// Returns true if a struct in the block ends with an array without a length. spirv-val 2026.4 rejects it in modules with
/// untyped pointers, which those for descriptor heaps are, and in no others (`VUID-StandaloneSpirv-OpTypeRuntimeArray-04680`).
fn has_open_struct(block: &LaidOut) -> bool {
    let LaidOutShape::Struct(members) = &block.shape else { return false };
    let is_open = |member: &LaidOutMember| member.layout.size == Extent::Unbounded;
    members.iter().any(|member| is_open(member) && matches!(member.layout.shape, LaidOutShape::Struct(_)))
}

/// Returns the reason why no value at the leaf's place can name its offset; `None` if one can.
fn unreadable(root: &LaidOut, leaf: &Leaf) -> Option<String> {
    let Component { scalar, size } = leaf.component;
    let unit = size.min(WORD);
    if scalar == Scalar::Bool && !matches!(size, 1 | 4) {
        return Some(format!("a bool of {size} bytes"));
    }
    if !leaf.offset.is_multiple_of(unit) {
        return Some(format!("byte {} is no multiple of {unit}", leaf.offset));
    }
    let bits = members(root, &leaf.steps).any(|(members, index)| members[index].bits.is_some());
    bits.then(|| "a bit-field".into())
}

/// Returns the reason why valid SPIR-V cannot hold a member on the way to a leaf: it shares bytes
/// with a member before it.
fn overlapped(root: &LaidOut, steps: &[LeafStep]) -> Option<String> {
    members(root, steps).find_map(|(members, index)| {
        let mut before = members[..index].iter();
        before.find(|other| overlap(other, &members[index])).map(|other| format!("overlaps `{}`", other.name))
    })
}

/// Iterates over the members on the way to a leaf, each as the members of its struct and its index
/// among them.
fn members<'a>(root: &'a LaidOut, steps: &'a [LeafStep]) -> impl Iterator<Item = (&'a [LaidOutMember], usize)> + 'a {
    let mut here = Some(root);
    let way = steps.iter().map_while(move |step| {
        let holder = here?;
        here = holder.at_step(step);
        let is_there = here.is_some();
        let member = if let (LaidOutShape::Struct(members), LeafStep::Member(index)) = (&holder.shape, step) {
            Some((members.as_slice(), *index as usize))
        } else {
            None
        };
        is_there.then_some(member)
    });
    way.flatten()
}

/// Returns true if two members overlap between their first and last leaves. SPIR-V has no
/// overlapping members. Padding may hold other members.
fn overlap(one: &LaidOutMember, other: &LaidOutMember) -> bool {
    let end = |member: &LaidOutMember| u64::from(member.offset) + member.layout.data_end();
    let empty = one.layout.data_end() == 0 || other.layout.data_end() == 0;
    !empty && u64::from(one.offset) < end(other) && u64::from(other.offset) < end(one)
}
