//! Chooses what to probe of a block: its leaves and the entry points that reach them.
//!
//! A leaf is probed if valid SPIR-V can hold it; the others are listed with the reason. Devices' features and largest
//! ranges are the caller's business: it says which spaces are allowed, and [`needs`] what a leaf's type asks of a
//! device.

use std::collections::BTreeSet;

use layoutproof_device::Feature;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Count;
use layoutproof_layout::tree::LeafStep;
use layoutproof_layout::{BlockLayout, Component, Extent, LaidOut, LaidOutMember, LaidOutShape, Leaf};

use super::complete::{has_all_parts, member_path};
use super::{NotProbed, ProbeEntry, ProbePlan, tail};
use crate::probe::image::occupied;
use crate::probe::{AddressSpace, Direction, Form, Stage};

/// Blocks beyond this many bytes are not moved as a whole: a driver makes a load and a store for every leaf of that.
const WHOLE_BYTES: u64 = 1 << 16;

/// Larger blocks are not copied to workgroup memory, of which Vulkan promises 16 KiB: a device may align it as it likes.
const WORKGROUP_BYTES: u64 = 1 << 12;

/// Bytes of the values that name a place; larger leaves consist of several.
const WORD: u32 = 4;

/// Plans the compute probes of `leaves`, which are leaves of `layout`, in the spaces that are allowed.
///
/// Of what has an array of which some elements are not among the leaves, no value is made as a whole.
///
/// A block with an unsized array is never probed in uniform buffers or push constants, and never as a whole. A block
/// that the rule set forbids has an empty plan.
pub fn plan(layout: &BlockLayout, leaves: &[Leaf], spaces: &BTreeSet<AddressSpace>) -> ProbePlan {
    plan_in(layout, leaves, &spaces.iter().map(|space| (*space, Stage::Compute)).collect())
}

/// Plans as [`plan`] does, in the spaces and stages that are allowed. Not every space has probes in every stage.
pub fn plan_in(layout: &BlockLayout, leaves: &[Leaf], places: &BTreeSet<(AddressSpace, Stage)>) -> ProbePlan {
    // The leaves of a member stand together, and share what is found out of it.
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

/// Plans as [`plan_in`] does, for a compiler that is told names: it decides itself whether its modules can hold a leaf.
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

/// Describes the forms of access that a plan of these leaves of `layout` leaves out, and why; `None` where it has all.
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

/// A structured buffer of `layout`'s elements, so that element 1 shows the stride; `None` for blocks without a stride, and
/// where elements overlap (a stride can be shorter than an element with `vk::offset`), which SPIR-V does not know.
///
/// Its leaves are those of elements 0 and 1, `[1].a` at the stride plus the offset of `a`.
pub fn elements(layout: &BlockLayout) -> Option<BlockLayout> {
    let (stride, element) = (layout.stride?, layout.result.as_ref().ok()?);
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

/// The arithmetic that a device must have for values of a type; 32-bit numbers and bools need nothing.
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

/// A row of [`ENTRIES`]: an entry point of which a plan has those forms that fit its block.
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

/// All entry points. Each costs a pipeline and each form a load and a store per leaf, so forms that go
/// through the same hardware path in every space are in one of them only.
const ENTRIES: [EntryRow; 26] = {
    use AddressSpace::{Address, PushConstant, Storage, StorageElement, Uniform, UniformElement};
    use Direction::{Read, Write};
    use Stage::{Compute, Fragment, Vertex};
    const LEAF: &[Form] = &[Form::Leaf];
    const IN_BUFFERS: &[Form] = &[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed];
    const IN_UNIFORM: &[Form] = &[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed, Form::Parameter];
    const IN_PUSH: &[Form] = &[Form::Leaf, Form::Vector, Form::Whole];
    [
        row("read_uniform", Uniform, Compute, Read, IN_UNIFORM),
        row("read_uniform_divergent", Uniform, Compute, Read, &[Form::Divergent]),
        row("read_uniform_copied", Uniform, Compute, Read, &[Form::Copied]),
        row("read_storage", Storage, Compute, Read, IN_BUFFERS),
        row("read_storage_divergent", Storage, Compute, Read, &[Form::Divergent]),
        row("read_storage_private", Storage, Compute, Read, &[Form::Private]),
        row("read_storage_workgroup", Storage, Compute, Read, &[Form::Workgroup]),
        row("read_storage_length", Storage, Compute, Read, &[Form::Length]),
        row("write_storage_leaf", Storage, Compute, Write, LEAF),
        row("write_storage_vector", Storage, Compute, Write, &[Form::Vector]),
        row("write_storage_whole", Storage, Compute, Write, &[Form::Whole]),
        row("write_storage_indexed", Storage, Compute, Write, &[Form::Indexed]),
        row("write_storage_copied", Storage, Compute, Write, &[Form::Copied]),
        row("read_push", PushConstant, Compute, Read, IN_PUSH),
        row("read_push_indexed", PushConstant, Compute, Read, &[Form::Indexed]),
        row("read_uniform_element", UniformElement, Compute, Read, LEAF),
        row("read_storage_element", StorageElement, Compute, Read, LEAF),
        row("write_storage_element", StorageElement, Compute, Write, LEAF),
        row("read_address", Address, Compute, Read, IN_BUFFERS),
        row("write_address", Address, Compute, Write, LEAF),
        row("read_uniform_vertex", Uniform, Vertex, Read, LEAF),
        row("read_storage_vertex", Storage, Vertex, Read, LEAF),
        row("write_storage_vertex", Storage, Vertex, Write, LEAF),
        row("read_uniform_fragment", Uniform, Fragment, Read, LEAF),
        row("read_storage_fragment", Storage, Fragment, Read, LEAF),
        row("write_storage_fragment", Storage, Fragment, Write, LEAF),
    ]
};

fn entries(places: &BTreeSet<(AddressSpace, Stage)>, block: &LaidOut) -> Vec<ProbeEntry> {
    let unbounded = block.size == Extent::Unbounded;
    let large = occupied(block) > WHOLE_BYTES;
    let holds = |space: AddressSpace| match space {
        AddressSpace::Uniform | AddressSpace::UniformElement | AddressSpace::PushConstant => !unbounded,
        AddressSpace::Storage | AddressSpace::StorageElement | AddressSpace::Address => true,
    };
    let fits = |form: &Form| match form {
        Form::Whole | Form::Parameter | Form::Copied | Form::ByteAddress | Form::Private => !unbounded && !large,
        Form::Workgroup => !unbounded && occupied(block) <= WORKGROUP_BYTES,
        Form::Divergent => !large,
        Form::Length => tail(block).is_some(),
        Form::Leaf | Form::Vector | Form::Indexed => true,
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

/// Says why no value in the leaf's place can tell where it is; `None` where one can.
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

/// Says why valid SPIR-V cannot hold a member on the way to a leaf, which is that it shares bytes with one before it.
fn overlapped(root: &LaidOut, steps: &[LeafStep]) -> Option<String> {
    members(root, steps).find_map(|(members, index)| {
        let mut before = members[..index].iter();
        before.find(|other| overlap(other, &members[index])).map(|other| format!("overlaps `{}`", other.name))
    })
}

/// The members on the way to a leaf, each as the members of its struct and its index among them.
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

/// Returns true if the bytes from first to last leaf of two members meet; SPIR-V knows no overlapping members. Padding may
/// hold other members.
fn overlap(one: &LaidOutMember, other: &LaidOutMember) -> bool {
    let end = |member: &LaidOutMember| u64::from(member.offset) + member.layout.data_end();
    let empty = one.layout.data_end() == 0 || other.layout.data_end() == 0;
    !empty && u64::from(one.offset) < end(other) && u64::from(other.offset) < end(one)
}
