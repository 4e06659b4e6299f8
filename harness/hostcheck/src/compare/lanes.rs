//! Compares the lanes of one member, and reports a lane that fails.

use super::comparer::{Comparer, display_path};
use crate::comparison::RowState;
use crate::flat_struct::{FlatMember, Lane};
use crate::lane_check::{LaneAnswer, LaneQuestion, check_lane};
use crate::mismatch::{MismatchKind, Remark, bytes, scalar_noun};
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
        own.map(|lane| {
            let (Some(offset), Some(member_start), Some(member_end)) =
                (moved(lane.offset), moved(member.offset), moved(member.end()))
            else {
                return LaneAnswer::Nothing;
            };
            check_lane(&self.host, &LaneQuestion { lane: Lane { offset, ..lane }, member_start, member_end })
        })
        .collect()
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
                LaneAnswer::RawBits(lane) | LaneAnswer::Bits(lane)
                    if member.is_first_element && member.bits.is_none() =>
                {
                    let host_path = display_path(&self.host.members[lane.member].path);
                    self.remarks.insert(Remark::RawBits { path, host_path });
                }
                _ => {}
            }
        }
    }

    /// Reports the mismatch of a lane.
    pub(super) fn report_lane(
        &mut self,
        member: &FlatMember,
        host: Option<&FlatMember>,
        answer: LaneAnswer,
    ) -> RowState {
        let path = display_path(&member.path);
        let found = answer.host_lane().map(|lane| self.host.members[lane.member].clone());
        let (Some(shader), Some(lane), Some(found)) = (member.scalar, answer.host_lane(), found) else {
            return match host {
                Some(host) if host.size < member.size => {
                    let kind = size_mismatch(member, host);
                    let missing = member.size.unwrap_or(0).saturating_sub(host.size.unwrap_or(0));
                    let hint = format!(
                        "declare `{}` with {} in the host, or add {} after it",
                        host.path,
                        bytes(member.size.unwrap_or(0)),
                        bytes(missing)
                    );
                    self.report(member, Some(host), kind, hint)
                }
                _ => self.report_missing(member, None),
            };
        };

        let scalar = found.scalar.filter(|_| found.bits.is_none());
        let is_enum = scalar.is_some_and(|scalar| scalar.is_enum);
        let host = Some(host.unwrap_or(&found));
        match answer {
            LaneAnswer::Bits(_) if let Some(bits) = member.bits => self.report_bits(member, &found, bits),
            LaneAnswer::Bits(_) => {
                let kind = MismatchKind::BitFieldOverMember { field: display_path(&found.path) };
                let hint =
                    format!("declare `{path}` as a whole number in the host, or as the same bit-field in the shader");
                self.report(member, Some(&found), kind, hint)
            }
            LaneAnswer::OtherClass(_) => {
                let kind = MismatchKind::ClassDiffers { shader: shader.class, host: lane.class };
                let hint = format!("declare `{path}` as the same kind of number on both sides");
                self.report(member, host, kind, hint)
            }
            _ if lane.class == LaneClass::Bool && lane.size != shader.size => {
                let kind = MismatchKind::BoolSize { shader_size: shader.size, host_size: lane.size };
                let hint = format!("declare `{path}` as `uint32_t` in the host");
                self.report(member, host, kind, hint)
            }
            _ if lane.offset == member.offset && lane.size != shader.size => {
                let what = scalar.filter(|_| is_enum).map_or_else(|| class_noun(lane.class), scalar_noun);
                let kind = MismatchKind::SizeDiffers { shader_size: shader.size, host_size: lane.size, what };
                let hint = if is_enum {
                    format!("declare the enum of `{path}` with an underlying type of {}", bytes(shader.size))
                } else {
                    format!("declare `{path}` with components of {} on both sides", bytes(shader.size))
                };
                self.report(member, host, kind, hint)
            }
            _ => {
                let other = lane.member;
                self.report_missing(member, Some(other))
            }
        }
    }
}

/// One past the last lane of a member. An unbounded array has lanes for its first elements.
fn lane_end(member: &FlatMember) -> u32 {
    member.size.map_or(u32::MAX, |_| member.end())
}

fn size_mismatch(member: &FlatMember, host: &FlatMember) -> MismatchKind {
    MismatchKind::SizeDiffers {
        shader_size: member.size.unwrap_or(0),
        host_size: host.size.unwrap_or(0),
        what: "member".to_owned(),
    }
}

fn class_noun(class: LaneClass) -> String {
    class.noun().to_owned()
}
