//! The array without a length that ends a block: where it is, and how many elements a bound range has.
//!
//! SPIR-V knows such arrays as last members of a block only, and asks for their length there (`OpArrayLength`); Vulkan
//! derives it from the descriptor's range, rounded down to whole elements. So the range says how long an element is.
//!
//! Source: Vulkan specification, "Unsized Arrays"; SPIR-V specification, `OpArrayLength`.

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LaidOut, LaidOutShape, LeafStep};

use super::ProbePlan;

/// An array without a length at the end of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Name and index of the member; `None` where the block is nothing but the array.
    pub member: Option<(String, u32)>,
    /// Bytes before it.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// The array without a length that ends a block; `None` for blocks without one.
pub fn tail(laid_out: &LaidOut) -> Option<Tail> {
    let stride_of = |laid_out: &LaidOut| match &laid_out.shape {
        LaidOutShape::Array { count: Count::Unbounded, stride, .. } => Some(*stride).filter(|stride| *stride > 0),
        LaidOutShape::Array { count: Count::Finite(_), .. }
        | LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Matrix { .. }
        | LaidOutShape::Struct(_)
        | LaidOutShape::Pointer
        | LaidOutShape::Resource => None,
    };

    if let Some(stride) = stride_of(laid_out) {
        return Some(Tail { member: None, offset: 0, stride });
    }

    let LaidOutShape::Struct(members) = &laid_out.shape else { return None };
    let (index, last) = (0..).zip(members).last()?;
    let stride = stride_of(&last.layout)?;
    Some(Tail { member: Some((last.name.clone(), index)), offset: last.offset, stride })
}

impl Tail {
    /// The first leaf in the array, as index into the plan's.
    pub fn leaf(&self, plan: &ProbePlan) -> Option<u32> {
        let inside = |steps: &[LeafStep]| match (&self.member, steps.first()) {
            (None, Some(LeafStep::Element(_))) => true,
            (Some((_, member)), Some(LeafStep::Member(index))) => member == index,
            (_, _) => false,
        };
        (0..).zip(&plan.leaves).find(|(_, leaf)| inside(&leaf.steps)).map(|(index, _)| index)
    }

    /// Bytes, whole words, that a range can end later and still have the same number of elements. A device that takes
    /// elements for longer has fewer of them in the exact range, one that takes them for shorter more in the longer one.
    pub(super) fn slack(&self) -> u32 {
        (self.stride - 1) / 4 * 4
    }
}

/// Elements, `stride` bytes apart, of an array that starts `offset` bytes into a range of `range` bytes.
pub fn length_in(range: u32, offset: u32, stride: u32) -> Option<u32> {
    range.checked_sub(offset)?.checked_div(stride)
}
