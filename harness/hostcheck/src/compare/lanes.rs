//! Compares the lanes of one member with the bytes of the host, and reports a lane that fails.

use layoutproof_layout::MemberReads;

use super::comparer::{Comparer, display_path};
use super::shape::Namesakes;
use crate::comparison::RowState;
use crate::flat_struct::{FlatMember, FlatStruct, Lane};
use crate::mismatch::{MismatchKind, Remark, scalar_noun};
use crate::names::is_padding;
use crate::program_struct::{LaneClass, ProgramBits};

impl Comparer<'_> {
    /// The first lane of a member that the host does not have `shift` bytes further on.
    pub(super) fn failing_lane(&self, index: usize, member: &FlatMember, shift: i64) -> Option<LaneAnswer> {
        let answers = self.lane_answers(index, member, shift);
        answers.into_iter().find(|answer| !self.is_fine(index, member, shift, *answer))
    }

    pub(super) fn lane_answers(&self, index: usize, member: &FlatMember, shift: i64) -> Vec<LaneAnswer> {
        let moved = |offset: u32| u32::try_from(i64::from(offset) + shift).ok();
        let own = self.shader.lanes_in(member.offset, lane_end(member));
        let own = own.filter(|lane| lane.member == index);
        let questions: Vec<Option<LaneQuestion>> = own
            .map(|lane| {
                let offset = moved(lane.offset)?;
                let (member_start, member_end) = (moved(member.offset)?, moved(member.end())?);
                Some(LaneQuestion { lane: Lane { offset, ..lane }, member_start, member_end })
            })
            .collect();
        let answer_of = |question: &Option<LaneQuestion>| {
            question.as_ref().map_or(LaneAnswer::Nothing, |question| check_lane(&self.host, question))
        };
        let answers: Vec<LaneAnswer> = questions.iter().map(answer_of).collect();
        let Some(reads) = self.reads.get(&member.name).filter(|_| member.vectors.is_none()) else { return answers };
        let as_read = |(question, answer): (&Option<LaneQuestion>, &LaneAnswer)| {
            question.as_ref().map_or(*answer, |question| self.as_read(member, question, *answer, reads))
        };
        let of_code: Vec<LaneAnswer> = questions.iter().zip(&answers).map(as_read).collect();
        // A member that no shader reads is compared as it is declared.
        if of_code.iter().all(|answer| *answer == LaneAnswer::Unread) { answers } else { of_code }
    }

    /// Where the host has something else, what the shaders read of the component counts more than its type: they may take its
    /// bits as another kind of number, or some of its bits, or nothing.
    fn as_read(
        &self,
        member: &FlatMember,
        question: &LaneQuestion,
        answer: LaneAnswer,
        reads: MemberReads,
    ) -> LaneAnswer {
        let lane = question.lane;
        let stride = member.arrays.last().map_or(u32::MAX, |array| array.stride);
        let component = ((lane.offset - question.member_start) % stride.max(1) / lane.size.max(1)) as usize;
        let is_unread = reads.bits_of(component) == 0;
        let is_number = |class: LaneClass| class.is_integer() || class == LaneClass::Float;
        match answer {
            LaneAnswer::OtherClass(found) if is_number(found.class) && reads.is_recast(component) => {
                LaneAnswer::RawBits(found)
            }
            LaneAnswer::OtherClass(found) if is_number(found.class) && is_unread => LaneAnswer::Unread,
            LaneAnswer::Nothing if is_unread && lane.end() <= self.host_end_in_block() => LaneAnswer::Unread,
            LaneAnswer::OtherSize(found) if lane.class.is_integer() && !question.is_single() => {
                let has_bits = has_bits(&self.host, lane, reads.bits_of(component));
                if has_bits { LaneAnswer::RawBits(found) } else { answer }
            }
            _ => answer,
        }
    }

    fn is_fine(&self, index: usize, member: &FlatMember, shift: i64, answer: LaneAnswer) -> bool {
        match (answer, member.bits) {
            (LaneAnswer::Bits(_), Some(bits)) => self.host_has_bits(bits, shift),
            (LaneAnswer::Bits(lane), None) => {
                let is_namesake = self.pairs.host_of(index) == Some(lane.member);
                let is_whole = member.scalar.is_some_and(|scalar| scalar.class.is_integer());
                is_whole && !is_namesake
            }
            (answer, _) => answer.is_fine(),
        }
    }

    /// True if a bit-field of the host has exactly these bits, `shift` bytes further on.
    fn host_has_bits(&self, bits: ProgramBits, shift: i64) -> bool {
        let Ok(offset) = u32::try_from(i64::from(bits.offset) + 8 * shift) else { return false };
        let bits = ProgramBits { offset, ..bits };
        let (start, size) = bits.bytes();
        let mut lanes = self.host.lanes_in(start, start.saturating_add(size));
        lanes.any(|lane| self.host.members[lane.member].bits == Some(bits))
    }

    pub(super) fn remark_on_lanes(&mut self, index: usize, member: &FlatMember, shift: i64) {
        for answer in self.lane_answers(index, member, shift) {
            let path = display_path(&member.path);
            match answer {
                LaneAnswer::OtherSign(_) if member.is_first_element => {
                    self.remarks.insert(Remark::OtherSign { path });
                }
                LaneAnswer::RawBits(lane) if member.is_first_element && lane.class == LaneClass::Opaque => {
                    let host_path = display_path(&self.host.members[lane.member].path);
                    self.pointers.push((path, host_path));
                }
                LaneAnswer::RawBits(lane) | LaneAnswer::Bits(lane)
                    if member.is_first_element && member.bits.is_none() =>
                {
                    let host_path = display_path(&self.host.members[lane.member].path);
                    self.remarks.insert(Remark::RawBits { path, host_path });
                }
                LaneAnswer::Unread if member.is_first_element => {
                    self.remarks.insert(Remark::Unread { path });
                }
                _ => {}
            }
        }
    }

    pub(super) fn report_lane(
        &mut self,
        index: usize,
        member: &FlatMember,
        host: Option<&FlatMember>,
        answer: LaneAnswer,
    ) -> RowState {
        let found = answer.host_lane().map(|lane| self.host.members[lane.member].clone());
        let (Some(shader), Some(lane), Some(found)) = (member.scalar, answer.host_lane(), found) else {
            return match host {
                Some(host) if host.size < member.size => {
                    let pair = Namesakes::new(index, member, host);
                    let (kind, last) = (self.short_member(pair), self.continuation(pair));
                    self.report(member, Some(last.as_ref().unwrap_or(host)), kind)
                }
                _ => self.report_missing(member, None),
            };
        };

        let scalar = found.scalar.filter(|_| found.bits.is_none());
        let host = Some(host.unwrap_or(&found));
        let kind = match answer {
            LaneAnswer::Bits(_) if let Some(bits) = member.bits => {
                MismatchKind::BitsDiffer { shader: bits, host: found.bits }
            }
            LaneAnswer::Bits(_) => MismatchKind::BitFieldOverMember { field: display_path(&found.path) },
            LaneAnswer::OtherClass(_) => MismatchKind::ClassDiffers { shader: shader.class, host: lane.class },
            _ if lane.class == LaneClass::Bool && lane.size != shader.size => {
                MismatchKind::BoolSize { shader_size: shader.size, host_size: lane.size }
            }
            _ if lane.offset == member.offset && lane.size != shader.size => {
                let what = scalar.map_or_else(|| lane.class.noun().to_owned(), scalar_noun);
                MismatchKind::SizeDiffers { shader_size: shader.size, host_size: lane.size, what }
            }
            _ => return self.report_missing(member, Some(lane.member)),
        };
        let is_of_bits = matches!(answer, LaneAnswer::Bits(_));
        self.report(member, if is_of_bits { Some(&found) } else { host }, kind)
    }
}

/// One past the last lane of a member. An unbounded array has lanes for its first elements.
fn lane_end(member: &FlatMember) -> u32 {
    member.size.map_or(u32::MAX, |_| member.end())
}

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

impl LaneQuestion {
    /// True for a member that has no other lane.
    fn is_single(&self) -> bool {
        (self.lane.offset, self.lane.end()) == (self.member_start, self.member_end)
    }
}

/// The host's counterpart of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneAnswer {
    /// The same scalar.
    Agrees(Lane),
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
    /// No member, or another kind of number, and no shader reads it.
    Unread,
}

impl LaneAnswer {
    /// True if the shader reads the value that the host wrote.
    pub(super) fn is_fine(self) -> bool {
        match self {
            Self::Agrees(_) | Self::OtherSign(_) | Self::RawBits(_) | Self::Unread => true,
            Self::Bits(_) | Self::OtherClass(_) | Self::OtherSize(_) | Self::Nothing => false,
        }
    }

    pub(super) fn host_lane(self) -> Option<Lane> {
        match self {
            Self::Agrees(lane)
            | Self::OtherSign(lane)
            | Self::RawBits(lane)
            | Self::Bits(lane)
            | Self::OtherClass(lane)
            | Self::OtherSize(lane) => Some(lane),
            Self::Nothing | Self::Unread => None,
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
    if let Some(first) =
        packed(lane, &overlapping).filter(|_| !(question.is_single() && is_number_with_padding(host, &overlapping)))
    {
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
        LaneAnswer::Bits(_)
        | LaneAnswer::OtherClass(_)
        | LaneAnswer::OtherSize(_)
        | LaneAnswer::Nothing
        | LaneAnswer::Unread => WORST,
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

/// True for a number after which padding fills the bytes: an enumeration of one byte is not packed into an
/// integer.
fn is_number_with_padding(host: &FlatStruct, lanes: &[Lane]) -> bool {
    lanes.len() > 1 && lanes.iter().skip(1).all(|lane| is_padding(&host.members[lane.member].path))
}

/// True if smaller integers of the host hold these bits of an integer of the shader, and padding without a name the others.
fn has_bits(host: &FlatStruct, lane: Lane, bits: u32) -> bool {
    let mut held: u64 = 0;
    for found in host.lanes_in(lane.offset, lane.end()) {
        if !found.class.is_integer() || found.offset < lane.offset || found.end() > lane.end() {
            return false;
        }
        held |= ((1 << (8 * found.size)) - 1) << (8 * (found.offset - lane.offset));
    }
    lane.size == 4 && u64::from(bits) & !held == 0
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
