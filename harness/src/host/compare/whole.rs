//! What concerns the whole struct: contract, size, members that the shader does not read, matrices.

use super::comparer::{Comparer, ShaderBlock, display_path};
use crate::host::flat_struct::{FlatMember, Lane};
use crate::host::mismatch::{Mismatch, MismatchKind, Remark, StridedThing, bytes};
use crate::host::names::is_padding;
use crate::host::program_struct::ProgramContract;

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
                shader_at: None,
                host_at: place.clone(),
            }),
        }
        if !self.program.other_layouts.is_empty() {
            self.mismatches.push(Mismatch {
                path: self.program.name.clone(),
                kind: MismatchKind::SeveralLayouts { others: self.program.other_layouts.clone() },
                hint: "give both units the same definition, with the same defines and packing".to_owned(),
                followers: 0,
                shader_at: None,
                host_at: place,
            });
        }
    }

    /// Sizes of the whole.
    pub(super) fn sizes(&mut self, block: ShaderBlock<'_>) {
        let (host_size, end) = (self.program.size, block.root.size.finite());
        if let Some(stride) = block.layout.stride {
            if stride != host_size && self.mismatches.is_empty() {
                let hint = if host_size < stride {
                    format!("add {} at the end of `{}`", bytes(stride - host_size), self.program.name)
                } else {
                    format!("add {} at the end of the shader's struct", bytes(host_size - stride))
                };
                self.mismatches.push(Mismatch {
                    path: String::new(),
                    kind: MismatchKind::StrideDiffers {
                        of: StridedThing::BufferElement,
                        shader_stride: stride,
                        host_stride: host_size,
                    },
                    hint,
                    followers: 0,
                    shader_at: block.places.get("").cloned(),
                    host_at: self.program.place.clone(),
                });
            }
            return;
        }
        match end {
            Some(end) if host_size < end && self.mismatches.is_empty() => {
                self.remarks.insert(Remark::ShorterThanBlock { shader_size: end, host_size });
            }
            _ => {}
        }
        if self.shader.is_truncated || self.host.is_truncated {
            let lanes = self.shader.lanes.len().min(self.host.lanes.len());
            self.remarks.insert(Remark::TooManyMembers { lanes: u32::try_from(lanes).unwrap_or(u32::MAX) });
        }
    }

    /// Members of the host that the shader does not read, where nothing else explains them.
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
        if let (true, Some(shader_size)) = (has_more, end) {
            self.remarks.insert(Remark::Prefix { shader_size, host_size: self.program.size });
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
