//! Compares one member with its namesake at the same offset, or with the bytes at its place if it
//! has none.

use std::collections::BTreeSet;

use super::comparer::{Comparer, display_path};
use super::lanes::LaneAnswer;
use crate::comparison::RowState;
use crate::flat_struct::{FlatMember, FlatStruct, Lane};
use crate::hint::{missing_hint, stride_hint};
use crate::mismatch::{MismatchKind, Remark, StridedThing};
use crate::names::{is_filler, is_padding};
use crate::program_struct::ProgramBits;

impl Comparer<'_> {
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
            None if let Some(kind) = self.width_mismatch(index, member, host) => {
                let hint = format!("declare `{}` with the same components on both sides", display_path(&member.path));
                self.report(member, Some(host), kind, hint)
            }
            None => {
                self.remark_on_lanes(index, member, 0);
                RowState::Agrees
            }
            Some(answer) => self.report_lane(member, Some(host), answer),
        }
    }

    /// Another number of components, if it displaces other members or reaches beyond the block: the bytes
    /// of the member itself agree. A vector of 16 bytes for one of three components is padding.
    fn width_mismatch(&self, index: usize, member: &FlatMember, host: &FlatMember) -> Option<MismatchKind> {
        let host_index = self.pairs.host_of(index)?;
        if member.vectors.is_some() || !member.arrays.is_empty() {
            return None;
        }
        // Without the padding of Metal's `float3`.
        let size_in = |flat: &FlatStruct, member: &FlatMember, index: usize| {
            let own = flat.lanes_in(member.offset, member.end()).filter(|lane| flat.is_within(lane.member, index));
            Some(own.map(Lane::end).max()?.saturating_sub(member.offset))
        };
        let (shader_size, host_size) = (size_in(&self.shader, member, index)?, size_in(&self.host, host, host_index)?);
        let (start, end) = (member.offset + shader_size.min(host_size), member.offset + shader_size.max(host_size));
        let is_wrong = if host_size < shader_size {
            self.host.lanes_in(start, end).any(|lane| self.is_displaced_in_shader(lane.member))
        } else if shader_size == 12 && host_size == 16 {
            false
        } else {
            self.shader.lanes_in(start, end).any(|lane| self.is_displaced_in_host(lane.member))
                || self.reaches_beyond_the_block(host_size, start, end)
        };
        (is_wrong && host_size != shader_size).then(|| MismatchKind::SizeDiffers {
            shader_size,
            host_size,
            what: "member".to_owned(),
        })
    }

    /// True if the shader has the host's member, or one around it, at another byte.
    fn is_displaced_in_shader(&self, host: usize) -> bool {
        let mut pairs = self.with_outer(host).filter_map(|index| Some((index, self.pairs.shader_of(index)?)));
        pairs.any(|(host, shader)| self.host.members[host].offset != self.shader.members[shader].offset)
    }

    /// True if the host has the shader's member, or one around it, at another byte.
    fn is_displaced_in_host(&self, shader: usize) -> bool {
        let outer = std::iter::successors(Some(shader), |index| self.shader.members[*index].parent);
        let mut pairs = outer.filter_map(|index| Some((self.pairs.host_of(index)?, index)));
        pairs.any(|(host, shader)| self.host.members[host].offset != self.shader.members[shader].offset)
    }

    /// True if the shader has nothing after the member, and the host's has more than a vector of 16 bytes
    /// would add, or ends outside the buffer, whose size is a multiple of 16 bytes.
    fn reaches_beyond_the_block(&self, host_size: u32, start: u32, end: u32) -> bool {
        let Some(block_end) = self.shader.end else { return false };
        start >= block_end && (host_size != 16 || end > block_end.next_multiple_of(16))
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

    /// The last of the separate members that continue an array of the host, as far as they lie in the shader's member;
    /// `None` if none does.
    pub(super) fn continuation(&self, member: &FlatMember, host: &FlatMember) -> Option<FlatMember> {
        let own = format!("{}_", host.path);
        let rest = self.host.lanes_in(host.end(), member.end());
        let named = rest.take_while(|lane| self.host.members[lane.member].path.starts_with(&own));
        named.last().map(|lane| self.host.members[self.outermost_within(lane.member, member)].clone())
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
                let host = answer.host_lane().map(|lane| self.host.members[lane.member].clone());
                self.report_lane(member, host.as_ref(), answer)
            }
            (None, None) => RowState::Agrees,
        }
    }

    /// True if the host struct ends before the member, and an earlier member already says so.
    pub(super) fn is_after_the_host(&self, member: &FlatMember) -> bool {
        let cause = self.cause.and_then(|cause| self.mismatches.get(cause));
        let is_too_short = cause.is_some_and(|cause| matches!(cause.kind, MismatchKind::HostTooShort { .. }));
        is_too_short && member.offset >= self.host_end_in_block()
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
    fn with_outer(&self, host: usize) -> impl Iterator<Item = usize> + '_ {
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
            let hint = format!("add `{} {}` to the host struct", member.type_name, display_path(&member.path));
            let kind = MismatchKind::HostTooShort {
                offset: member.offset,
                needed,
                host_size: self.program.size,
                shader_size: self.shader_size,
            };
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

impl Comparer<'_> {
    /// Reports different strides if they have consequences: lanes that fail, or host members in the
    /// gaps of the shader's.
    pub(super) fn stride_mismatch(
        &self,
        index: usize,
        member: &FlatMember,
        host: &FlatMember,
        is_failing: bool,
    ) -> Option<MismatchKind> {
        let shader_stride = member.outer_stride()?;
        let host_stride = host_stride(host, member)?;
        let is_same = host_stride == shader_stride || self.has_stride(host, shader_stride);
        let is_shorter = !member.arrays.is_empty() && host.end() < self.last_byte(member);
        let has_same_count = member.arrays.first().map(|own| own.count) == host.arrays.first().map(|own| own.count);
        let is_other = is_failing || self.fills_gaps(index, member, host) || (is_shorter && has_same_count);
        if is_same || !is_other {
            return None;
        }
        let of = if member.arrays.is_empty() { StridedThing::MatrixVector } else { StridedThing::ArrayElement };
        Some(MismatchKind::StrideDiffers { of, shader_stride, host_stride })
    }

    /// True if an element or member of the host's member is `stride` bytes from its start.
    pub(super) fn has_stride(&self, host: &FlatMember, stride: u32) -> bool {
        let second = host.offset.checked_add(stride);
        let is_child = |member: &FlatMember| {
            let parent = member.parent.map(|parent| &self.host.members[parent]);
            parent.is_some_and(|parent| parent.path == host.path) && Some(member.offset) == second
        };
        let own = host.arrays.iter().any(|array| array.stride == stride);
        own || host.vectors.is_some_and(|vectors| vectors.stride == stride)
            || (host.arrays.is_empty() && self.host.members.iter().any(is_child))
    }

    /// True if the host's member has values between the elements or vectors of the shader's.
    pub(super) fn fills_gaps(&self, index: usize, member: &FlatMember, host: &FlatMember) -> bool {
        let own: Vec<Lane> =
            self.shader.lanes_in(member.offset, member.end()).filter(|lane| lane.member == index).collect();
        let is_dense_copy = host.size == Some(member.size.unwrap_or(0).next_multiple_of(16));
        let in_gap = |lane: &Lane| !own.iter().any(|shader| shader.offset < lane.end() && lane.offset < shader.end());
        let mut lanes = self.host.lanes_in(member.offset, member.end());
        let fills = lanes.any(|lane| {
            let found = &self.host.members[lane.member];
            in_gap(&lane) && found.path.starts_with(&host.path) && !is_padding(&found.path)
        });
        fills && !(is_dense_copy && member.arrays.is_empty())
    }
}

/// Bytes from one vector or element of the host's member to the next.
fn host_stride(host: &FlatMember, member: &FlatMember) -> Option<u32> {
    let vectors = member.vectors.filter(|_| member.arrays.is_empty());
    let dense = || {
        let count = vectors?.count;
        host.size?.checked_div(count)
    };
    match (vectors, host.arrays.as_slice()) {
        // The stride of `float m[9]` is that of its rows, not of its scalars.
        (Some(_), [_]) if host.scalar.is_some_and(|scalar| host.arrays[0].stride == scalar.size) => dense(),
        (Some(_), []) if host.vectors.is_none() => dense(),
        _ => host.outer_stride(),
    }
}
