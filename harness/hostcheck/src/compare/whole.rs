//! Checks of the whole struct: contract, size, members that the shader does not read, matrices.

use layoutproof_source::sources::LinePlace;

use super::comparer::{Comparer, display_path};
use crate::block_part::BlockPart;
use crate::comparison::RowState;
use crate::flat_struct::{FlatMember, Lane};
use crate::hint::element_hint;
use crate::mismatch::{Mismatch, MismatchKind, Remark, SizeContract, StridedThing};
use crate::names::{is_filler, is_padding};
use crate::open_end::OpenEnd;
use crate::program_struct::ProgramContract;

impl Comparer<'_> {
    pub(super) fn contract(&mut self) {
        let place = self.program.place.clone();
        match self.program.contract {
            ProgramContract::Fixed => {}
            ProgramContract::Unstated => {
                self.remarks.insert(Remark::ReprUnknown);
            }
            ProgramContract::Reordered => self.mismatches.push(Mismatch {
                path: self.program.name.clone(),
                kind: MismatchKind::NoContract,
                hint: format!("add `#[repr(C)]` to `{}`", self.program.name),
                followers: 0,
                shader_at: self.block_place.cloned(),
                host_at: place.clone(),
            }),
        }
        if !self.program.other_layouts.is_empty() {
            self.mismatches.push(Mismatch {
                path: self.program.name.clone(),
                kind: MismatchKind::SeveralLayouts { others: self.program.other_layouts.clone() },
                hint: "give both units the same definition, with the same defines and packing".to_owned(),
                followers: 0,
                shader_at: self.block_place.cloned(),
                host_at: place,
            });
        }
    }

    /// Compares the total sizes; `place` is the shader's declaration.
    pub(super) fn sizes(&mut self, part: &BlockPart<'_>, ends: &OpenEnd<'_>, place: Option<&LinePlace>) {
        let (host_size, end) = (self.program.size, ends.shader.size.finite());
        if self.host_start > 0 {
            self.remarks.insert(Remark::HostStart { offset: self.host_start });
        }
        if let Some(stride) = part.stride {
            if stride != host_size && self.mismatches.is_empty() {
                self.mismatches.push(Mismatch {
                    path: String::new(),
                    kind: MismatchKind::StrideDiffers {
                        of: StridedThing::BufferElement,
                        shader_stride: stride,
                        host_stride: host_size,
                    },
                    hint: element_hint(self.program, stride, self.host_end()),
                    followers: 0,
                    shader_at: place.cloned(),
                    host_at: self.program.place.clone(),
                });
            }
            return;
        }
        if let Some((path, offset)) = &ends.header_before {
            self.remarks.insert(Remark::HeaderOnly { path: path.clone(), offset: *offset, host_size });
        } else if let Some(end) = end.filter(|end| self.host_end_in_block() < *end && self.mismatches.is_empty()) {
            self.remarks.insert(Remark::ShorterThanBlock { shader_size: end, host_size });
        }
        if self.shader.is_truncated || self.host.is_truncated {
            let lanes = self.shader.lanes.len().min(self.host.lanes.len());
            self.remarks.insert(Remark::TooManyMembers { lanes: u32::try_from(lanes).unwrap_or(u32::MAX) });
        }
    }

    /// One past the last byte of the host struct, in the block.
    pub(super) fn host_end_in_block(&self) -> u32 {
        self.host_start.saturating_add(self.program.size)
    }

    /// The number of members that agree, and of those for which only their bytes say so.
    pub(super) fn count_members(&self) -> (u32, u32) {
        let (mut all, mut by_bytes) = (0, 0);
        for (index, member) in self.shader.members.iter().enumerate() {
            let state = self.states.get(&index);
            let agrees = state.is_some_and(|state| state.state == RowState::Agrees);
            if member.has_members || !member.is_first_element || !agrees || is_padding(&member.path) {
                continue;
            }
            all += 1;
            // The host may have the enclosing struct as one member without members.
            let outer = member.parent.and_then(|parent| self.pairs.host_of(parent));
            let is_whole = outer.is_some_and(|outer| !self.host.members[outer].has_members);
            by_bytes += u32::from(self.pairs.host_of(index).is_none() && !is_whole);
        }
        (all, by_bytes)
    }

    /// One past the last byte of the host struct that is not padding.
    fn host_end(&self) -> u32 {
        let real = self.host.lanes.iter().filter(|lane| !is_filler(&self.host.members[lane.member].path));
        real.copied().map(Lane::end).max().unwrap_or(0)
    }

    /// Reports members of the host that the shader does not read, if nothing else explains them.
    pub(super) fn unread_members(&mut self, end: Option<u32>) {
        if !self.mismatches.is_empty() {
            return;
        }
        let mut has_more = false;
        for (index, host) in self.host.members.iter().enumerate() {
            let is_inner = host.parent.is_some() || host.bits.is_some() || !host.is_first_element;
            let lanes = if is_inner { Vec::new() } else { self.host.lanes_of(index) };
            let is_read = |lane: &Lane| self.shader.lanes_in(lane.offset, lane.end()).next().is_some();
            if lanes.is_empty() || is_padding(&host.path) || lanes.iter().any(is_read) {
                continue;
            }
            if end.is_some_and(|end| host.offset >= end) {
                has_more = true;
            } else {
                self.remarks.insert(Remark::NotRead { host_path: host.path.clone(), offset: host.offset });
            }
        }
        if let (true, Some(shader_size)) = (has_more, end.map(|end| end.saturating_sub(self.host_start))) {
            self.remarks.insert(Remark::Prefix { shader_size, host_size: self.program.size });
        }
    }

    /// Holds the struct to what the user states about its size.
    pub(super) fn stated_contract(&mut self, contract: Option<SizeContract>, part: &BlockPart<'_>) {
        let Some(contract) = contract else { return };
        let host_size = self.program.size;
        let shader_size = match contract {
            SizeContract::Stride => part.stride,
            SizeContract::Equal | SizeContract::Prefix => part.stride.or(part.root.size.finite()),
        };
        let is_kept = match contract {
            SizeContract::Stride => shader_size == Some(host_size),
            SizeContract::Prefix => true,
            SizeContract::Equal => shader_size.is_some_and(|size| {
                let filled = size.saturating_sub(self.host_start);
                (filled..=filled.next_multiple_of(16)).contains(&host_size)
            }),
        };
        let is_of_size = |remark: &Remark| matches!(remark, Remark::Prefix { .. } | Remark::ShorterThanBlock { .. });
        if is_kept {
            self.remarks.retain(|remark| !is_of_size(remark));
        } else if self.mismatches.is_empty() {
            self.mismatches.push(Mismatch {
                path: String::new(),
                kind: MismatchKind::ContractBroken { contract, shader_size, host_size },
                hint: "give both sides the same members, or state another `contract` in layoutproof.toml".to_owned(),
                followers: 0,
                shader_at: self.block_place.cloned(),
                host_at: self.program.place.clone(),
            });
        }
    }

    pub(super) fn matrix_orders(&mut self) {
        let is_matrix = |member: &&FlatMember| member.vectors.is_some() && member.is_first_element;
        let mut matrices = self.shader.members.iter().filter(is_matrix);
        if let Some(first) = matrices.next() {
            let count = u32::try_from(matrices.count()).unwrap_or(u32::MAX).saturating_add(1);
            self.remarks.insert(Remark::MatrixOrderUnchecked { path: display_path(&first.path), count });
        }
    }
}
