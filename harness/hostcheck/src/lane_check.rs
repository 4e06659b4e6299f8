//! Compares one lane of the shader with the bytes of the host struct.

use super::flat_struct::{FlatStruct, Lane};
use super::program_struct::LaneClass;

/// The bytes in which to look for a lane of the shader.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneQuestion {
    /// The lane, at its expected offset.
    pub lane: Lane,
    /// First byte of the shader's member.
    pub member_start: u32,
    /// One past its last byte.
    pub member_end: u32,
}

/// The host's counterpart of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneAnswer {
    /// The same scalar.
    Agrees(Lane),
    /// An integer of the other signedness.
    OtherSign(Lane),
    /// The same bytes as an integer, or as part of smaller or larger integers.
    RawBits(Lane),
    /// A bit-field.
    Bits(Lane),
    /// The same bytes with another meaning.
    OtherClass(Lane),
    /// A lane of another size or at another start.
    OtherSize(Lane),
    /// No member.
    Nothing,
}

impl LaneAnswer {
    /// True if the shader reads the value that the host wrote.
    pub(super) fn is_fine(self) -> bool {
        match self {
            Self::Agrees(_) | Self::OtherSign(_) | Self::RawBits(_) => true,
            Self::Bits(_) | Self::OtherClass(_) | Self::OtherSize(_) | Self::Nothing => false,
        }
    }

    /// The lane of the host.
    pub(super) fn host_lane(self) -> Option<Lane> {
        match self {
            Self::Agrees(lane)
            | Self::OtherSign(lane)
            | Self::RawBits(lane)
            | Self::Bits(lane)
            | Self::OtherClass(lane)
            | Self::OtherSize(lane) => Some(lane),
            Self::Nothing => None,
        }
    }
}

/// Finds the host's counterpart of a lane. In a union, the best-fitting member counts.
pub(super) fn check_lane(host: &FlatStruct, question: &LaneQuestion) -> LaneAnswer {
    let lane = question.lane;
    let overlapping: Vec<Lane> = host.lanes_in(lane.offset, lane.end()).collect();
    let exact = overlapping.iter().filter(|found| found.offset == lane.offset && found.size == lane.size);
    let answers = exact.map(|found| same_bytes(lane, *found));
    // Answers are ranked from best to worst.
    if let Some(best) = answers.min_by_key(|answer| rank(*answer)).filter(|answer| rank(*answer) < WORST) {
        return best;
    }

    if let Some(wide) = overlapping.iter().find(|found| is_part_of_wide(question, **found)) {
        return LaneAnswer::RawBits(*wide);
    }
    if let Some(first) = packed(lane, &overlapping) {
        return LaneAnswer::RawBits(first);
    }
    let exact = overlapping.iter().find(|found| found.offset == lane.offset && found.size == lane.size);
    if let Some(found) = exact {
        return same_bytes(lane, *found);
    }

    let bits = overlapping.iter().find(|found| found.class == LaneClass::Bits);
    match (bits, overlapping.first()) {
        (Some(found), _) => LaneAnswer::Bits(*found),
        (None, Some(found)) => LaneAnswer::OtherSize(*found),
        (None, None) => LaneAnswer::Nothing,
    }
}

/// From this rank on, the shader does not read the host's value.
const WORST: u32 = 3;

fn rank(answer: LaneAnswer) -> u32 {
    match answer {
        LaneAnswer::Agrees(_) => 0,
        LaneAnswer::OtherSign(_) => 1,
        LaneAnswer::RawBits(_) => 2,
        LaneAnswer::Bits(_) | LaneAnswer::OtherClass(_) | LaneAnswer::OtherSize(_) | LaneAnswer::Nothing => WORST,
    }
}

fn same_bytes(shader: Lane, host: Lane) -> LaneAnswer {
    let (is_integer, is_bool) = (shader.class.is_integer(), shader.class == LaneClass::Bool);
    match host.class {
        // Bytes do not tell which bits are whose.
        LaneClass::Bits => LaneAnswer::Bits(host),
        class if class == shader.class => LaneAnswer::Agrees(host),
        LaneClass::Signed | LaneClass::Unsigned if is_integer => LaneAnswer::OtherSign(host),
        // C has no 4-byte bool; `BOOL` and `VkBool32` are integers.
        LaneClass::Signed | LaneClass::Unsigned if is_bool => LaneAnswer::Agrees(host),
        LaneClass::Bool if is_integer => LaneAnswer::Agrees(host),
        // C++ has no half; programs keep its bits in an integer.
        LaneClass::Signed | LaneClass::Unsigned if shader.size == 2 => LaneAnswer::RawBits(host),
        // A pointer in the shader is the address of a buffer.
        LaneClass::Opaque if is_integer && shader.size == 8 => LaneAnswer::RawBits(host),
        // A program may assemble bit-fields by hand.
        LaneClass::Signed | LaneClass::Unsigned if shader.class == LaneClass::Bits => LaneAnswer::RawBits(host),
        LaneClass::Float | LaneClass::Signed | LaneClass::Unsigned | LaneClass::Bool | LaneClass::Opaque => {
            LaneAnswer::OtherClass(host)
        }
    }
}

/// True if a larger integer (or pointer) of the host covers several lanes of one member, like
/// `uint64_t` for `uint2`, or the bits of bit-fields.
fn is_part_of_wide(question: &LaneQuestion, host: Lane) -> bool {
    let lane = question.lane;
    if lane.class == LaneClass::Bits {
        return host.class.is_integer() && host.offset <= lane.offset && lane.end() <= host.end();
    }
    let is_inside = host.offset >= question.member_start && host.end() <= question.member_end;
    let is_raw = question.lane.class.is_integer() || question.lane.size == 2;
    let is_whole = matches!(host.class, LaneClass::Signed | LaneClass::Unsigned | LaneClass::Opaque);
    is_inside && is_raw && is_whole && host.size > question.lane.size
}

/// The first of several smaller integers that fill an integer of the shader, like a colour of four
/// bytes.
fn packed(lane: Lane, host: &[Lane]) -> Option<Lane> {
    let is_small = |found: &&Lane| {
        let is_number = found.class.is_integer() || (found.class == LaneClass::Float && found.size == 2);
        is_number && found.size < lane.size && found.offset >= lane.offset && found.end() <= lane.end()
    };
    let mut next = lane.offset;
    for found in host.iter().filter(is_small) {
        if found.offset == next {
            next = found.end();
        }
    }
    let first = host.iter().find(is_small).copied();
    first.filter(|_| lane.class.is_integer() && next == lane.end())
}
