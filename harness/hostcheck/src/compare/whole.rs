//! Checks of the whole struct: contract, size, members that the shader does not read, matrices.

use super::comparer::{CompareOptions, Comparer, ShaderBlock, display_path};
use super::shape::Namesakes;
use crate::comparison::RowState;
use crate::flat_struct::{FlatMember, FlatVectors, Lane};
use crate::mismatch::{MismatchKind, Remark, SizeContract, StridedThing};
use crate::names::is_padding;
use crate::open_end::OpenEnd;
use crate::program_struct::ProgramContract;
use crate::size_rules::{SizeNeed, SizeRule};

impl Comparer<'_> {
    pub(super) fn contract(&mut self) {
        let name = self.program.name.clone();
        match self.program.contract {
            ProgramContract::Fixed | ProgramContract::Stated => {}
            ProgramContract::Unstated => {
                self.remarks.insert(Remark::ReprUnknown);
            }
            ProgramContract::UnstatedZig => {
                self.remarks.insert(Remark::ExternUnknown);
            }
            ProgramContract::Reordered => self.report_whole(&name, MismatchKind::NoContract),
        }
        if !self.program.other_layouts.is_empty() {
            let others = self.program.other_layouts.clone();
            self.report_whole(&name, MismatchKind::SeveralLayouts { others });
        }
    }

    /// Compares the total sizes.
    pub(super) fn sizes(&mut self, block: ShaderBlock<'_>, ends: &OpenEnd<'_>, options: CompareOptions<'_>) {
        let (host_size, end) = (self.program.size, ends.shader.size.finite());
        if self.host_start > 0 {
            self.remarks.insert(Remark::HostStart { offset: self.host_start });
        }
        if let Some(stride) = block.part.stride {
            if stride != host_size && self.mismatches.is_empty() {
                let of = StridedThing::BufferElement;
                let kind = MismatchKind::StrideDiffers { of, shader_stride: stride, host_stride: host_size };
                self.report_whole("", kind);
            }
            return;
        }
        if let Some((path, offset)) = &ends.header_before {
            self.remarks.insert(Remark::HeaderOnly { path: path.clone(), offset: *offset, host_size });
        } else if let Some(end) = end.filter(|_| self.mismatches.is_empty()) {
            let rule = options.api.and_then(|api| SizeRule::find(api, block.layout.kind));
            let fewest = rule.map(|rule| (rule, rule.fewest(end, self.shader.end.unwrap_or(end))));
            match fewest.filter(|(_, fewest)| self.host_end_in_block() < *fewest) {
                Some((rule, needed)) if options.contract != Some(SizeContract::Prefix) => {
                    let host_size = self.host_end_in_block();
                    self.report_whole("", MismatchKind::TooSmallForApi { rule, needed, host_size });
                }
                _ if self.host_end_in_block() < end => {
                    self.remarks.insert(Remark::ShorterThanBlock { shader_size: end, host_size });
                }
                _ => {}
            }
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
            let fills = is_padding(&member.path) && !self.is_mentioned(member);
            if member.has_members || !member.is_first_element || !agrees || fills {
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
    pub(super) fn stated_contract(&mut self, block: ShaderBlock<'_>, options: CompareOptions<'_>) {
        let (Some(contract), part) = (options.contract, block.part) else { return };
        let host_size = self.program.size;
        let shader_size = match contract {
            SizeContract::Stride => part.stride,
            SizeContract::Equal | SizeContract::Prefix => part.stride.or(part.root.size.finite()),
        };
        let is_kept = match contract {
            SizeContract::Stride => shader_size == Some(host_size),
            SizeContract::Prefix => true,
            SizeContract::Equal => shader_size.is_some_and(|size| {
                // An API that rounds sizes up refuses the size of the block itself.
                let rule = options.api.and_then(|api| SizeRule::find(api, block.layout.kind));
                let rounded = rule.filter(|rule| matches!(rule.need, SizeNeed::RoundedUp(_)));
                let rounded = rounded.map(|rule| rule.fewest(size, self.shader.end.unwrap_or(size)));
                rounded.unwrap_or(size) == self.host_end_in_block()
            }),
        };
        let is_of_size = |remark: &Remark| matches!(remark, Remark::Prefix { .. } | Remark::ShorterThanBlock { .. });
        if is_kept {
            self.remarks.retain(|remark| !is_of_size(remark));
        } else if self.mismatches.is_empty() {
            self.report_whole("", MismatchKind::ContractBroken { contract, shader_size, host_size });
        }
    }

    pub(super) fn pointers(&mut self) {
        let remark = match self.pointers.as_slice() {
            [] => return,
            [(path, host_path)] => Remark::RawBits { path: path.clone(), host_path: host_path.clone() },
            [(path, _), ..] => {
                Remark::Pointers { path: path.clone(), count: u32::try_from(self.pointers.len()).unwrap_or(u32::MAX) }
            }
        };
        self.remarks.insert(remark);
    }

    pub(super) fn matrix_orders(&mut self) {
        // The vectors of a matrix that is not square have their length in the host, too, and another order is a difference.
        let is_told = |index: usize, member: &FlatMember, own: FlatVectors| {
            let host = self.pairs.host_of(index).map(|host| &self.host.members[host]);
            let vectors = host.and_then(|host| self.host_vectors(Namesakes::new(index, member, host)));
            let is_same = |host: FlatVectors| {
                [(own.count, own.length), (own.length, own.count)].contains(&(host.count, host.length))
            };
            own.count != own.length && vectors.is_some_and(is_same)
        };
        let is_open = |(index, member): &(usize, &FlatMember)| {
            member.is_first_element && member.vectors.is_some_and(|own| !is_told(*index, member, own))
        };
        let mut matrices = self.shader.members.iter().enumerate().filter(is_open).map(|(_, member)| member);
        if let Some(first) = matrices.next() {
            let count = u32::try_from(matrices.count()).unwrap_or(u32::MAX).saturating_add(1);
            self.remarks.insert(Remark::MatrixOrderUnchecked { path: display_path(&first.path), count });
        }
    }
}
