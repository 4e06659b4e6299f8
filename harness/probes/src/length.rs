//! The runtime-sized array that ends a block: its place, and its element count within a bound
//! range.
//!
//! SPIR-V allows such an array only as the last member of a block and queries its length there
//! (`OpArrayLength`). Vulkan derives the length from the descriptor's range, rounded down to whole
//! elements, so the result reveals the size of an element.
//!
//! Source: Vulkan specification, "Unsized Arrays"; SPIR-V specification, `OpArrayLength`.

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LaidOut, LaidOutShape, LeafStep};

use super::ProbePlan;

/// A runtime-sized array at the end of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Name and index of the member; `None` if the block is the array itself.
    pub member: Option<(String, u32)>,
    /// Bytes before the array.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// Returns the runtime-sized array at the end of a block, if it has one.
pub fn tail(laid_out: &LaidOut) -> Option<Tail> {
    let stride_of = |laid_out: &LaidOut| match &laid_out.shape {
        LaidOutShape::Array { count: Count::Unbounded, stride, .. } => Some(*stride).filter(|stride| *stride > 0),
        LaidOutShape::Array { count: Count::Finite(_), .. }
        | LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Matrix { .. }
        | LaidOutShape::Struct(_)
        | LaidOutShape::Pointer { .. }
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
    /// Returns the index of the first plan leaf that is in the array.
    pub fn leaf(&self, plan: &ProbePlan) -> Option<u32> {
        let inside = |steps: &[LeafStep]| match (&self.member, steps.first()) {
            (None, Some(LeafStep::Element(_))) => true,
            (Some((_, member)), Some(LeafStep::Member(index))) => member == index,
            (_, _) => false,
        };
        (0..).zip(&plan.leaves).find(|(_, leaf)| inside(&leaf.steps)).map(|(index, _)| index)
    }

    /// Returns by how many bytes, in whole words, a range can end later and still have the same
    /// number of elements. A device whose elements are too long has fewer of them in the exact
    /// range; one whose elements are too short has more of them in the longer range.
    pub(super) fn slack(&self) -> u32 {
        (self.stride - 1) / 4 * 4
    }
}

/// Returns how many elements, `stride` bytes apart, an array has that starts `offset` bytes into a
/// range of `range` bytes.
pub fn length_in(range: u32, offset: u32, stride: u32) -> Option<u32> {
    range.checked_sub(offset)?.checked_div(stride)
}
