//! What to probe of a block: its leaves and the entry points that reach them.
//!
//! Laid-out block and leaves in, [`ProbePlan`] out. A leaf is probed if valid SPIR-V can hold it; the others are listed
//! with the reason. Devices' features and largest ranges are the caller's business: it says which spaces are allowed,
//! and [`needs`] what a leaf's type asks of a device.

use std::collections::BTreeSet;

use super::{NotProbed, ProbeEntry, ProbePlan};
use crate::layout::tree::LeafStep;
use crate::layout::{BlockLayout, Component, Extent, LaidOut, LaidOutMember, LaidOutShape, Leaf};
use crate::record::{Direction, Form, Space};
use crate::runner::Feature;
use crate::scalar::Scalar;
use crate::shape::{Count, MatrixOrder};

/// Plans the probes of `layout`, whose leaves are `leaves`, in the spaces that are allowed.
///
/// A block with an unsized array is probed in storage only, and never as a whole. A block that the rule set forbids has
/// an empty plan.
pub fn plan(layout: &BlockLayout, leaves: &[Leaf], spaces: &BTreeSet<Space>) -> ProbePlan {
    let mut plan = ProbePlan { leaves: Vec::new(), not_probed: Vec::new(), entries: Vec::new() };
    let Ok(laid_out) = &layout.result else { return plan };
    for leaf in leaves {
        match obstacle(laid_out, leaf) {
            None => plan.leaves.push(leaf.clone()),
            Some(reason) => plan.not_probed.push(NotProbed { leaf: leaf.clone(), reason }),
        }
    }
    plan.entries = entries(spaces, laid_out.size);
    plan.pruned()
}

/// A structured buffer of `layout`'s elements, so that element 1 shows the stride; `None` for blocks without a stride, and
/// where elements overlap (a stride can be shorter than an element with `vk::offset`), which SPIR-V does not know.
///
/// Its leaves are those of elements 0 and 1, `[1].a` at the stride plus the offset of `a`.
pub fn elements(layout: &BlockLayout) -> Option<BlockLayout> {
    let (stride, element) = (layout.stride?, layout.result.as_ref().ok()?);
    if data_end(element) > stride.into() {
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

/// Which entry points there are: name, space, direction, forms. Each costs a pipeline and each form a load and a store
/// per leaf, so forms that go through the same hardware path in every space are in one of them only.
const ENTRIES: [(&str, Space, Direction, &[Form]); 12] = [
    (
        "read_uniform",
        Space::Uniform,
        Direction::Read,
        &[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed, Form::Parameter],
    ),
    ("read_uniform_divergent", Space::Uniform, Direction::Read, &[Form::Divergent]),
    ("read_uniform_copied", Space::Uniform, Direction::Read, &[Form::Copied]),
    ("read_storage", Space::Storage, Direction::Read, &[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed]),
    ("read_storage_divergent", Space::Storage, Direction::Read, &[Form::Divergent]),
    ("write_storage_leaf", Space::Storage, Direction::Write, &[Form::Leaf]),
    ("write_storage_vector", Space::Storage, Direction::Write, &[Form::Vector]),
    ("write_storage_whole", Space::Storage, Direction::Write, &[Form::Whole]),
    ("write_storage_indexed", Space::Storage, Direction::Write, &[Form::Indexed]),
    ("write_storage_copied", Space::Storage, Direction::Write, &[Form::Copied]),
    ("read_push", Space::PushConstant, Direction::Read, &[Form::Leaf, Form::Vector, Form::Whole]),
    ("read_push_indexed", Space::PushConstant, Direction::Read, &[Form::Indexed]),
];

fn entries(spaces: &BTreeSet<Space>, size: Extent) -> Vec<ProbeEntry> {
    let unbounded = size == Extent::Unbounded;
    let holds = |space: Space| match space {
        Space::Uniform | Space::PushConstant => !unbounded,
        Space::Storage => true,
    };
    let fits = |form: &Form| match form {
        Form::Whole | Form::Parameter | Form::Copied => !unbounded,
        Form::Leaf | Form::Vector | Form::Indexed | Form::Divergent => true,
    };
    let here = ENTRIES.iter().filter(|(_, space, _, _)| spaces.contains(space) && holds(*space));
    let entries = here.map(|(name, space, direction, forms)| ProbeEntry {
        name: (*name).to_owned(),
        space: *space,
        direction: *direction,
        forms: forms.iter().copied().filter(fits).collect(),
    });
    entries.collect()
}

/// Why a leaf cannot be probed.
fn obstacle(root: &LaidOut, leaf: &Leaf) -> Option<String> {
    let Component { scalar, size } = leaf.component;
    if scalar == Scalar::Bool && !matches!(size, 1 | 4) {
        return Some(format!("a bool of {size} bytes"));
    }
    if !leaf.offset.is_multiple_of(size) {
        return Some(format!("byte {} is no multiple of {size}", leaf.offset));
    }
    member_obstacle(root, &leaf.steps)
}

/// The first member on the way to a leaf that valid SPIR-V cannot hold.
fn member_obstacle(root: &LaidOut, steps: &[LeafStep]) -> Option<String> {
    let mut here = root;
    for step in steps {
        here = match (&here.shape, step) {
            (LaidOutShape::Struct(members), LeafStep::Member(index)) => {
                let index = *index as usize;
                let member = members.get(index)?;
                if member.bits.is_some() {
                    return Some("a bit-field".into());
                }
                if let Some(other) = members[..index].iter().find(|other| overlap(other, member)) {
                    return Some(format!("overlaps `{}`", other.name));
                }
                &member.layout
            }
            (LaidOutShape::Array { element, .. }, LeafStep::Element(_)) => element,
            (
                LaidOutShape::Scalar(_)
                | LaidOutShape::Vector { .. }
                | LaidOutShape::Matrix { .. }
                | LaidOutShape::Array { .. }
                | LaidOutShape::Struct(_)
                | LaidOutShape::Pointer
                | LaidOutShape::Resource,
                LeafStep::Member(_) | LeafStep::Element(_) | LeafStep::Cell { .. } | LeafStep::Component(_),
            ) => return None,
        };
    }
    None
}

/// Whether the bytes from first to last leaf of two members meet; SPIR-V knows no overlapping members. Padding may
/// hold other members.
fn overlap(one: &LaidOutMember, other: &LaidOutMember) -> bool {
    let end = |member: &LaidOutMember| u64::from(member.offset) + data_end(&member.layout);
    let empty = data_end(&one.layout) == 0 || data_end(&other.layout) == 0;
    !empty && u64::from(one.offset) < end(other) && u64::from(other.offset) < end(one)
}

/// One past the last byte of data in a type, tail padding left out.
fn data_end(laid_out: &LaidOut) -> u64 {
    match &laid_out.shape {
        LaidOutShape::Scalar(component) => component.size.into(),
        LaidOutShape::Vector { component, length } => u64::from(component.size) * u64::from(*length),
        LaidOutShape::Matrix { component, rows, columns, order, stride } => {
            let (vectors, length) = match order {
                MatrixOrder::Row => (*rows, *columns),
                MatrixOrder::Column => (*columns, *rows),
            };
            let before_last = u64::from(*stride) * u64::from(vectors.saturating_sub(1));
            before_last + u64::from(component.size) * u64::from(length)
        }
        LaidOutShape::Array { element, count, stride } => match count {
            Count::Finite(0) => 0,
            Count::Finite(count) => u64::from(*stride) * u64::from(count - 1) + data_end(element),
            Count::Unbounded => u32::MAX.into(),
        },
        LaidOutShape::Struct(members) => {
            let ends = members.iter().filter(|member| data_end(&member.layout) > 0);
            ends.map(|member| u64::from(member.offset) + data_end(&member.layout)).max().unwrap_or(0)
        }
        LaidOutShape::Pointer => laid_out.size.finite().unwrap_or(0).into(),
        LaidOutShape::Resource => 0,
    }
}
