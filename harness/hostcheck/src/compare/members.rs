//! Compares one member with its namesake at the same offset, or with the bytes at its place if it
//! has none.

use std::collections::BTreeSet;

use super::comparer::{Comparer, display_path};
use super::lanes::LaneAnswer;
use super::shape::{Namesakes, StructFault};
use crate::comparison::RowState;
use crate::flat_struct::{FlatMember, Lane};
use crate::mismatch::{MismatchKind, Remark};
use crate::names::{is_filler, is_padding};
use crate::program_struct::ProgramBits;

impl Comparer<'_> {
    pub(super) fn same_place(&mut self, index: usize, member: &FlatMember, host: &FlatMember) -> RowState {
        if is_filler(&member.path) && !self.is_mentioned(member) {
            return if self.failing_lane(index, member, 0).is_none() { RowState::Agrees } else { RowState::OneSided };
        }
        self.shift = 0;
        self.cause = None;
        self.resized = None;
        let before = self.mismatches.len();
        let state = self.same_offset(index, member, host);
        if self.mismatches.len() > before {
            self.resized = Some(before);
        }
        state
    }

    fn same_offset(&mut self, index: usize, member: &FlatMember, host: &FlatMember) -> RowState {
        if member.bits.is_some() || (host.bits.is_some() && member.has_members) {
            return self.same_bits(member, host);
        }
        let pair = Namesakes::new(index, member, host);
        if member.has_members {
            return self.same_struct(pair);
        }
        if let Some(kind) = self.shape_fault(pair) {
            let last = self.continuation(pair).filter(|_| matches!(kind, MismatchKind::SizeDiffers { .. }));
            return self.report(member, Some(last.as_ref().unwrap_or(host)), kind);
        }
        match self.failing_lane(index, member, 0) {
            None => {
                self.remark_on_lanes(index, member, 0);
                RowState::Agrees
            }
            Some(answer) => self.report_lane(index, member, Some(host), answer),
        }
    }

    pub(super) fn same_bits(&mut self, member: &FlatMember, host: &FlatMember) -> RowState {
        let whole =
            host.size.map(|size| ProgramBits { offset: host.offset.saturating_mul(8), width: size.saturating_mul(8) });
        match member.bits {
            // A number of one byte may have the bits of a bit-field.
            Some(bits) if host.bits.or(whole.filter(|_| !host.has_members)) != Some(bits) => {
                self.report_bits(member, host, bits)
            }
            _ => RowState::Agrees,
        }
    }

    pub(super) fn report_bits(&mut self, member: &FlatMember, host: &FlatMember, bits: ProgramBits) -> RowState {
        self.report(member, Some(host), MismatchKind::BitsDiffer { shader: bits, host: host.bits })
    }

    /// Compares structs of one name. Their members are compared one by one, so only strides and
    /// counts matter here.
    fn same_struct(&mut self, pair: Namesakes<'_>) -> RowState {
        match self.struct_fault(pair) {
            None => RowState::Agrees,
            Some(StructFault { own }) => {
                self.broken_arrays.push(pair.index);
                own.map_or(RowState::Differs, |kind| self.report(pair.member, Some(pair.host), kind))
            }
        }
    }
}

impl Comparer<'_> {
    /// Compares a member without a namesake in the host.
    pub(super) fn by_bytes(&mut self, index: usize, member: &FlatMember) -> RowState {
        let failing = self.failing_lane(index, member, 0).filter(|_| !self.ends_in_padding(index, member));
        let claimed = self.claimed_by_another(index, member);
        if failing.is_none() && claimed.is_none() {
            self.remark_on_lanes(index, member, 0);
            self.remark_on_padding(index, member);
            self.shift = 0;
            return RowState::Agrees;
        }
        if self.cause.is_some() && self.shift != 0 && self.failing_lane(index, member, self.shift).is_none() {
            return self.follow(member);
        }
        if is_padding(&member.path) && !self.is_mentioned(member) {
            return RowState::OneSided;
        }
        if claimed.is_none() && self.is_after_the_host(member) {
            return self.follow(member);
        }
        if !member.is_first_element && self.cause.is_some() {
            return RowState::Follows;
        }

        match (claimed, failing) {
            (Some(other), _) => self.report_missing(member, Some(other)),
            (None, Some(LaneAnswer::Nothing)) => self.report_missing(member, None),
            (None, Some(answer)) => {
                let lane = answer.host_lane().map(|lane| lane.member);
                if let Some(padding) = lane.filter(|lane| is_padding(&self.host.members[*lane].path)) {
                    return self.report_missing(member, Some(padding));
                }
                let host = answer.host_lane().map(|lane| self.host.members[lane.member].clone());
                self.report_lane(index, member, host.as_ref(), answer)
            }
            (None, None) => RowState::Agrees,
        }
    }

    /// True for a member that code mentions by name: it is data, even if its name says that it fills space.
    pub(super) fn is_mentioned(&self, member: &FlatMember) -> bool {
        self.reads.get(&member.name).is_some()
    }

    /// True if the host struct ends before the member, and an earlier member already says so.
    pub(super) fn is_after_the_host(&self, member: &FlatMember) -> bool {
        let cause = self.cause.and_then(|cause| self.mismatches.get(cause));
        let is_too_short = cause.is_some_and(|cause| matches!(cause.kind, MismatchKind::HostTooShort { .. }));
        is_too_short && member.offset >= self.host_end_in_block()
    }

    /// True for a vector of three or four components of which the host has all but the last, and after them padding without a
    /// name: that of an alignment, or an unnamed bit-field, which projects put there on purpose. Code that reads a `vec2` reads
    /// both components, so that one over a scalar is a mistake.
    fn ends_in_padding(&self, index: usize, member: &FlatMember) -> bool {
        let answers = self.lane_answers(index, member, 0);
        let fine = answers.iter().take_while(|answer| answer.is_fine()).count();
        let is_vector = member.vectors.is_none() && member.arrays.is_empty();
        is_vector
            && fine >= 2
            && fine + 1 == answers.len()
            && answers[fine..].iter().all(|answer| *answer == LaneAnswer::Nothing)
            && member.end() <= self.host_end_in_block()
    }

    /// Remarks that the host has only padding where the shader reads a value, or the end of one.
    fn remark_on_padding(&mut self, index: usize, member: &FlatMember) {
        if member.is_first_element && self.failing_lane(index, member, 0).is_some() {
            self.remarks.insert(Remark::EndsInPadding { path: display_path(&member.path) });
        }
        let hosts: BTreeSet<usize> = self.host.lanes_in(member.offset, member.end()).map(|lane| lane.member).collect();
        let is_value = !is_padding(&member.path) && member.is_first_element;
        let host_path = hosts.first().map(|host| display_path(&self.host.members[*host].path));
        if let Some(host_path) =
            host_path.filter(|_| is_value && hosts.iter().all(|host| is_filler(&self.host.members[*host].path)))
        {
            self.remarks.insert(Remark::ReadsPadding { path: display_path(&member.path), host_path });
        }
    }

    /// The host member at the place of `member`, if that has a namesake elsewhere in the shader.
    pub(super) fn claimed_by_another(&self, index: usize, member: &FlatMember) -> Option<usize> {
        let lanes = self.host.lanes_in(member.offset, member.end());
        let hosts: BTreeSet<usize> = lanes.map(|lane| self.outermost_within(lane.member, member)).collect();
        // A component belongs to the vector around it.
        hosts.into_iter().flat_map(|host| self.with_outer(host)).find(|host| {
            self.pairs.shader_of(*host).is_some_and(|other| {
                self.shader.members[other].offset != self.host.members[*host].offset
                    && !self.shader.is_within(other, index)
                    && !self.shader.is_within(index, other)
            })
        })
    }

    /// A member of the host and those around it, the innermost first.
    pub(super) fn with_outer(&self, host: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(host), |index| self.host.members[*index].parent)
    }

    /// The outermost host member around `host` that lies inside a member of the shader.
    pub(super) fn outermost_within(&self, host: usize, member: &FlatMember) -> usize {
        let mut outermost = host;
        while let Some(parent) = self.host.members[outermost].parent {
            let found = &self.host.members[parent];
            if found.offset < member.offset || found.end() > member.end() {
                break;
            }
            outermost = parent;
        }
        outermost
    }

    pub(super) fn report_missing(&mut self, member: &FlatMember, other: Option<usize>) -> RowState {
        let host = other.map(|other| self.host.members[other].clone());
        if member.end() > self.host_end_in_block() && host.is_none() {
            let needed = self.last_byte(member);
            let kind = MismatchKind::HostTooShort {
                offset: member.offset,
                needed,
                host_size: self.program.size,
                shader_size: self.shader_size,
            };
            self.set_cause();
            return self.report(member, None, kind);
        }

        let found = host.as_ref().map(|host| display_path(&host.path));
        let kind = MismatchKind::MissingInHost { offset: member.offset, size: member.size.unwrap_or(0), found };
        self.set_cause();
        if let Some(host) = &host {
            // The members after the missing one are as early as its successor.
            let namesake = other.and_then(|other| self.pairs.shader_of(other));
            let namesake = namesake.map(|namesake| self.shader.members[namesake].offset);
            self.shift = namesake.map_or(0, |offset| i64::from(host.offset) - i64::from(offset));
        }
        self.report(member, host.as_ref(), kind)
    }

    /// Makes the mismatch reported next the cause of the following ones.
    pub(super) fn set_cause(&mut self) {
        self.cause = Some(self.mismatches.len());
    }

    pub(super) fn last_byte(&self, member: &FlatMember) -> u32 {
        let lanes = self.shader.lanes_in(member.offset, member.end().max(member.offset + 1));
        lanes.map(Lane::end).max().unwrap_or(member.end()).min(member.end())
    }
}
