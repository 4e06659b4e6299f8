//! Compares members whose namesake in the host is at the same offset: bits, structs, strides,
//! counts, lanes.

use super::comparer::{Comparer, display_path};
use crate::comparison::RowState;
use crate::flat_struct::FlatMember;
use crate::hint::stride_hint;
use crate::mismatch::{MismatchKind, StridedThing};
use crate::names::{is_filler, is_padding};
use crate::program_struct::ProgramBits;

impl Comparer<'_> {
    /// Compares a member with its namesake at the same offset.
    pub(super) fn same_place(&mut self, index: usize, member: &FlatMember, host: &FlatMember) -> RowState {
        if is_filler(&member.path) {
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

    pub(super) fn same_offset(&mut self, index: usize, member: &FlatMember, host: &FlatMember) -> RowState {
        if member.bits.is_some() || (host.bits.is_some() && member.has_members) {
            return self.same_bits(member, host);
        }
        if member.has_members {
            return self.same_struct(index, member, host);
        }

        let failing = self.failing_lane(index, member, 0);
        if let Some(kind) = self.stride_mismatch(index, member, host, failing.is_some()) {
            let hint = stride_hint(member, host, &kind, self.program);
            return self.report(member, Some(host), kind, hint);
        }
        if let Some(kind) = count_mismatch(member, host).filter(|_| !self.is_continued(member, host)) {
            let hint = format!("give `{}` the same number of elements on both sides", display_path(&member.path));
            return self.report(member, Some(host), kind, hint);
        }
        match failing {
            None => {
                self.remark_on_lanes(index, member, 0);
                RowState::Agrees
            }
            Some(answer) => self.report_lane(member, Some(host), answer),
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
        let hint = "declare the same bit-fields of the same type on both sides".to_owned();
        self.report(member, Some(host), MismatchKind::BitsDiffer { shader: bits, host: host.bits }, hint)
    }

    /// Compares structs of one name. Their members are compared one by one, so only strides and
    /// counts matter here.
    pub(super) fn same_struct(&mut self, index: usize, member: &FlatMember, host: &FlatMember) -> RowState {
        if let (Some(shader), Some(found)) = (member.arrays.first(), host.arrays.first()) {
            // A single element has no distance to another.
            let is_single = (shader.count, found.count) == (Some(1), Some(1));
            let is_broken = !is_single
                && shader.stride != found.stride
                && member.arrays.len() == host.arrays.len()
                && host.has_members;
            if is_broken {
                self.broken_arrays.push(index);
                if self.first_element_agrees(index) {
                    let kind = MismatchKind::StrideDiffers {
                        of: StridedThing::ArrayElement,
                        shader_stride: shader.stride,
                        host_stride: found.stride,
                    };
                    let hint = stride_hint(member, host, &kind, self.program);
                    return self.report(member, Some(host), kind, hint);
                }
                return RowState::Differs;
            }
            if let Some(kind) = count_mismatch(member, host).filter(|_| !self.is_continued(member, host)) {
                self.broken_arrays.push(index);
                let hint = format!("give `{}` the same number of elements on both sides", display_path(&member.path));
                return self.report(member, Some(host), kind, hint);
            }
        }
        RowState::Agrees
    }

    /// True if the host has the array's missing elements in separate members named after it:
    /// `weights_last` after `weights`. A host struct needs these if something lies in the tail of
    /// the last element. Their bytes are compared like all others.
    fn is_continued(&self, member: &FlatMember, host: &FlatMember) -> bool {
        let own = format!("{}_", host.path);
        let mut rest = self.host.lanes_in(host.end(), member.end()).peekable();
        host.end() < member.end()
            && rest.peek().is_some()
            && rest.all(|lane| {
                let path = &self.host.members[lane.member].path;
                path.starts_with(&own) || is_padding(path)
            })
    }

    /// True if the host has everything in the first element of an array of structs at the shader's
    /// places.
    pub(super) fn first_element_agrees(&self, array: usize) -> bool {
        let members =
            (0..self.shader.members.len()).filter(|index| *index != array && self.shader.is_within(*index, array));
        let mut leaves = members.filter(|index| {
            let member = &self.shader.members[*index];
            member.is_first_element && !member.has_members
        });
        leaves.all(|index| {
            let member = &self.shader.members[index];
            let is_in_place =
                self.pairs.host_of(index).is_none_or(|host| self.host.members[host].offset == member.offset);
            is_in_place && self.failing_lane(index, member, 0).is_none()
        })
    }
}

pub(super) fn count_mismatch(member: &FlatMember, host: &FlatMember) -> Option<MismatchKind> {
    let (shader, found) = (member.arrays.first()?, host.arrays.first()?);
    let (shader_count, host_count) = (shader.count?, found.count?);
    let is_other = shader.stride == found.stride && shader_count != host_count;
    is_other.then_some(MismatchKind::CountDiffers { shader_count, host_count })
}
