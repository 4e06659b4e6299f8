//! Explicit offsets that keep members apart under every rule set.
//!
//! Nothing is laid out here: every member gets room for the largest size that any rule set could
//! give it.

use layoutproof_layout::scalar::SixteenBit;

use super::shape::{ExplicitOffset, MemberType, RandomMember, RandomStruct};

/// The strictest alignment of any type under any rule set, in bytes: that of `double4` under
/// std140. Room is counted in steps of this size.
const STEP: u32 = 32;

/// Bytes of a register, the unit of packoffset.
const REGISTER: u32 = 16;

/// A request for the packoffset of a buffer's member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlacedMember {
    /// True if it gets a packoffset.
    pub(super) packed: bool,
    /// Registers to leave free before it.
    pub(super) gap: u32,
    /// Members get their registers in the order of this number.
    pub(super) rank: u32,
}

impl PlacedMember {
    /// Packed without a gap, in declaration order.
    pub(super) const TIGHT: Self = Self { packed: true, gap: 0, rank: 0 };
}

/// Returns the most bytes that the struct needs under any rule set; a multiple of [`STEP`].
pub(super) fn room(structure: &RandomStruct) -> u32 {
    let start = structure.base.as_deref().map_or(0, room);
    structure.members.iter().fold(start, |end, member| match member.place {
        Some(ExplicitOffset::VkOffset(offset)) => end.max(offset) + member_room(member),
        Some(ExplicitOffset::PackOffset { .. }) | None => end + member_room(member),
    })
}

fn member_room(member: &RandomMember) -> u32 {
    let element = match &member.ty {
        MemberType::Scalar(_) | MemberType::Vector { .. } | MemberType::Enum(_) => STEP,
        MemberType::Matrix { rows, columns, .. } => STEP * (*rows).max(*columns),
        MemberType::Struct(structure) => room(structure).max(STEP),
    };
    member.dimensions.iter().product::<u32>() * element
}

/// Assigns packoffsets to the members of a buffer. Scalars and vectors share a register if they fit
/// and no gap is requested.
pub(super) fn pack(members: &mut [RandomMember], wishes: &[PlacedMember]) {
    let mut turns: Vec<(usize, PlacedMember)> = wishes.iter().copied().enumerate().take(members.len()).collect();
    turns.sort_by_key(|(_, wish)| wish.rank);
    // The next free register, and the free component of the register before it.
    let (mut next, mut component) = (0, 4_u32);

    for (index, wish) in turns {
        let member = &mut members[index];
        let small = member.ty.packoffset_components().filter(|count| member.dimensions.is_empty() && *count <= 4);
        member.place = None;
        if !wish.packed {
            (next, component) = (next + member_room(member) / REGISTER, 4);
            continue;
        }
        // DXC 1.7.2308 reads 64-bit values at y or w from other bytes than it lists.
        let is_wide = member.ty.scalar().is_some_and(|scalar| scalar.size(SixteenBit::Off, 4) == 8);
        let start = component.next_multiple_of(if is_wide { 2 } else { 1 });
        match small {
            Some(count) if wish.gap == 0 && start + count <= 4 => {
                member.place = Some(ExplicitOffset::PackOffset { register: next - 1, component: Some(start) });
                component = start + count;
            }
            Some(count) => {
                let register = next + wish.gap;
                member.place = Some(ExplicitOffset::PackOffset { register, component: None });
                (next, component) = (register + 1, count);
            }
            None => {
                let register = next + wish.gap;
                member.place = Some(ExplicitOffset::PackOffset { register, component: None });
                (next, component) = (register + member_room(member) / REGISTER, 4);
            }
        }
    }
}

/// Assigns `[[vk::offset]]` to the members of a struct. A number in `gaps` leaves that many steps
/// free before the member. `start` is the room of the base, in bytes.
pub(super) fn offset(members: &mut [RandomMember], gaps: &[Option<u32>], start: u32) {
    let mut end = start;
    for (member, gap) in members.iter_mut().zip(gaps) {
        if let (Some(gap), None) = (gap, member.bit_width) {
            end += gap * STEP;
            member.place = Some(ExplicitOffset::VkOffset(end));
        }
        end += member_room(member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::scalar::Scalar;

    fn places(members: &mut [RandomMember], wishes: &[PlacedMember]) -> Vec<String> {
        pack(members, wishes);
        let word = |member: &RandomMember| match member.place {
            Some(ExplicitOffset::PackOffset { register, component: Some(component) }) => {
                format!("c{register}.{component}")
            }
            Some(ExplicitOffset::PackOffset { register, component: None }) => format!("c{register}"),
            Some(ExplicitOffset::VkOffset(offset)) => format!("{offset}"),
            None => "-".to_owned(),
        };
        members.iter().map(word).collect()
    }

    fn vector(scalar: Scalar, length: u32) -> RandomMember {
        RandomMember::plain(MemberType::Vector { scalar, length })
    }

    /// Registers of 4 components of 4 bytes, as wg-hlsl INF-0003 describes them.
    #[test]
    fn what_fits_shares_a_register() {
        let float = RandomMember::plain(MemberType::FLOAT);
        let double = RandomMember::plain(MemberType::Scalar(Scalar::Float64));
        let mut members = [
            float.clone(),
            vector(Scalar::Float32, 3),
            float.clone(),
            double,
            float.clone().array(2),
            vector(Scalar::Float64, 3),
            float,
        ];
        let found = places(&mut members, &[PlacedMember::TIGHT; 7]);
        assert_eq!(found, ["c0", "c0.1", "c1", "c1.2", "c2", "c6", "c8"]);
    }

    #[test]
    fn gaps_ranks_and_members_without_packoffset() {
        let float = RandomMember::plain(MemberType::FLOAT);
        let mut members = [float.clone(), float.clone(), float];
        let wish = |packed, gap, rank| PlacedMember { packed, gap, rank };
        let found = places(&mut members, &[wish(true, 0, 2), wish(true, 3, 1), wish(false, 0, 0)]);
        assert_eq!(found, ["c5.1", "c5", "-"]);
    }

    #[test]
    fn offsets_leave_room_for_the_largest() {
        let matrix = MemberType::Matrix { scalar: Scalar::Float64, rows: 2, columns: 4, order: None };
        let mut members = [
            RandomMember::plain(matrix),
            RandomMember::plain(MemberType::FLOAT),
            RandomMember::plain(MemberType::FLOAT),
        ];
        offset(&mut members, &[None, Some(0), Some(1)], 32);
        // A base of at most 32 bytes, a matrix of at most four vectors of 32 bytes.
        assert_eq!(members[1].place, Some(ExplicitOffset::VkOffset(160)));
        assert_eq!(members[2].place, Some(ExplicitOffset::VkOffset(224)));
    }
}
