//! Compares members without a namesake in the host, and members that the host lacks.

use std::collections::BTreeSet;

use super::comparer::{Comparer, display_path};
use crate::comparison::RowState;
use crate::flat_struct::{FlatMember, Lane};
use crate::hint::missing_hint;
use crate::lane_check::LaneAnswer;
use crate::mismatch::{MismatchKind, Remark};
use crate::names::{is_filler, is_padding};

impl Comparer<'_> {
    /// Compares a member without a namesake in the host.
    pub(super) fn by_bytes(&mut self, index: usize, member: &FlatMember) -> RowState {
        let failing = self.failing_lane(index, member, 0);
        let claimed = self.claimed_by_another(index, member);
        if failing.is_none() && claimed.is_none() {
            self.remark_on_lanes(index, member, 0);
            self.remark_on_padding(member);
            self.shift = 0;
            return RowState::Agrees;
        }
        if self.cause.is_some() && self.shift != 0 && self.failing_lane(index, member, self.shift).is_none() {
            return self.follow(member);
        }
        if is_padding(&member.path) {
            return RowState::OneSided;
        }
        if !member.is_first_element && self.cause.is_some() {
            return RowState::Follows;
        }

        match (claimed, failing) {
            (Some(other), _) => self.report_missing(member, Some(other)),
            (None, Some(LaneAnswer::Nothing)) => self.report_missing(member, None),
            (None, Some(answer)) => {
                let host = answer.host_lane().map(|lane| self.host.members[lane.member].clone());
                self.report_lane(member, host.as_ref(), answer)
            }
            (None, None) => RowState::Agrees,
        }
    }

    /// Remarks that the host has only padding where the shader reads a value.
    fn remark_on_padding(&mut self, member: &FlatMember) {
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
        hosts.into_iter().find(|host| {
            self.pairs.shader_of(*host).is_some_and(|other| {
                self.shader.members[other].offset != self.host.members[*host].offset
                    && !self.shader.is_within(other, index)
            })
        })
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
            let hint = format!("add `{} {}` to the host struct", member.type_name, display_path(&member.path));
            let kind = MismatchKind::HostTooShort { needed, host_size: self.program.size };
            self.set_cause();
            return self.report(member, None, kind, hint);
        }

        let found = host.as_ref().map(|host| display_path(&host.path));
        let hint = missing_hint(member, host.as_ref());
        let kind = MismatchKind::MissingInHost { offset: member.offset, size: member.size.unwrap_or(0), found };
        self.set_cause();
        if let Some(host) = &host {
            // The members after the missing one are as early as its successor.
            let namesake = other.and_then(|other| self.pairs.shader_of(other));
            let namesake = namesake.map(|namesake| self.shader.members[namesake].offset);
            self.shift = namesake.map_or(0, |offset| i64::from(host.offset) - i64::from(offset));
        }
        self.report(member, host.as_ref(), kind, hint)
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
